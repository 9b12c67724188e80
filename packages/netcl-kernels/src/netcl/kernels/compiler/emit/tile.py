"""The innermost loop of a matrix product: one tile of sums in registers.

Eight rows by two vectors of columns; each step adds the products of one column of the left panel and one row of the
right panel with fused multiply-adds, always in the order of the steps.
"""

from __future__ import annotations

from netcl.kernels.compiler.emit.scope import Lines, text_of
from netcl.kernels.compiler.tiles import ROWS


def tile(dtype: str, width: int, in_global: bool, vectors: int = 2) -> tuple[str, str]:
    """(name, text) of the function; `in_global` says where the right panel is. With one vector only the first half of
    the columns is computed."""
    half = width // 2
    vector = f"{dtype}{half}"
    rows = range(ROWS)
    sides = [("a", "r", 0), ("b", "s", half)][:vectors]

    def each(text: str) -> Lines:
        """A line for each row: `text` for each vector of columns."""
        return [
            " ".join(text.format(sum=f"{total}{row}", row=row, of=of, at=row * width + at) for total, of, at in sides)
            for row in rows
        ]

    loaded = ", ".join(f"{of} = vload{half}(0, right{f' + {at}' if at else ''})" for _, of, at in sides)
    step: Lines = [f"const {vector} {loaded};"]
    step += each(f"{{sum}} = fma(({vector})(left[{{row}}]), {{of}}, {{sum}});")
    step += [f"left += {ROWS};", f"right += {width};"]
    lines: Lines = [
        *(f"{vector} {', '.join(f'{total}{row} = 0' for total, _, _ in sides)};" for row in rows),
        "if (!first) {", each(f"{{sum}} = vload{half}(0, sums + {{at}});"), "}",
        "for (long step = 0; step < steps; ++step) {", step, "}",
        *each(f"vstore{half}({{sum}}, 0, sums + {{at}});"),
    ]  # fmt: skip
    place = "__global " if in_global else ""
    name = f"{'tile' if vectors == 2 else 'narrow_tile'}_{dtype}_{width}{'_global' if in_global else ''}"
    given = f"const {dtype} *left, {place}const {dtype} *right, {dtype} *sums, long steps, int first"
    return name, f"__attribute__((noinline)) void {name}({given}) {{\n{text_of(lines)}}}"
