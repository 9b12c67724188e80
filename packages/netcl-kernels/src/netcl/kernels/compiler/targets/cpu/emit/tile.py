"""The innermost loop of a matrix product: one tile of sums in registers.

Eight rows by two vectors of columns; each step adds the products of one column of the left panel and one row of the
right panel with fused multiply-adds, always in the order of the steps. At the right end of a matrix, where fewer
columns are left, narrower forms compute only the first half or quarter of them.
"""

from __future__ import annotations

from netcl.kernels.compiler.opencl.scope import Lines, text_of
from netcl.kernels.compiler.targets.cpu.tiles import ROWS

PARTS = {1: "tile", 2: "half_tile", 4: "quarter_tile"}
"""The forms: all of the columns of a tile, or the first of so many parts."""


def tile(dtype: str, width: int, in_global: bool, in_place: bool, part: int = 1) -> tuple[str, str]:
    """(name, text) of the function; `in_global` says where the right panel is, `in_place` that the rows are read where
    they lie in the left factor. Of `width` columns it computes the first `width / part`."""
    lanes = min(width // 2, width // part)
    vector = f"{dtype}{lanes}"
    rows = range(ROWS)
    sides = [("a", "r", 0), ("b", "s", lanes)][: width // part // lanes]

    def each(text: str) -> Lines:
        """A line for each row: `text` for each vector of columns."""
        return [
            " ".join(text.format(sum=f"{total}{row}", row=row, of=of, at=row * width + at) for total, of, at in sides)
            for row in rows
        ]

    loaded = ", ".join(f"{of} = vload{lanes}(0, right{f' + {at}' if at else ''})" for _, of, at in sides)
    step: Lines = [f"const {vector} {loaded};"]
    element = "left{row}[step]" if in_place else "left[{row}]"
    step += each(f"{{sum}} = fma(({vector})({element}), {{of}}, {{sum}});")
    step += [f"right += {width};"] if in_place else [f"left += {ROWS};", f"right += {width};"]
    lines: Lines = [
        *(f"__global const {dtype} *left{row} = left + begin[{row}];" for row in rows if in_place),
        *(f"{vector} {', '.join(f'{total}{row} = 0' for total, _, _ in sides)};" for row in rows),
        "if (!first) {", each(f"{{sum}} = vload{lanes}(0, sums + {{at}});"), "}",
        "for (long step = 0; step < steps; ++step) {", step, "}",
        *each(f"vstore{lanes}({{sum}}, 0, sums + {{at}});"),
    ]  # fmt: skip
    place = "__global " if in_global else ""
    name = f"{PARTS[part]}_{dtype}_{width}{'_in_place' if in_place else ''}{'_global' if in_global else ''}"
    left = f"__global const {dtype} *left, const long *begin" if in_place else f"const {dtype} *left"
    given = f"{left}, {place}const {dtype} *right, {dtype} *sums, long steps, int first"
    return name, f"__attribute__((noinline)) void {name}({given}) {{\n{text_of(lines)}}}"
