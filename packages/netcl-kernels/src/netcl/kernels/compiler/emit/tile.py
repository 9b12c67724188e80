"""The innermost loop of a matrix product: one tile of sums in registers.

Eight rows by two vectors of columns; each step adds the products of one column of the left panel and one row of the
right panel with fused multiply-adds, always in the order of the steps.
"""

from __future__ import annotations

from netcl.kernels.compiler.emit.scope import Lines
from netcl.kernels.compiler.tiles import ROWS


def tile(dtype: str, width: int, in_global: bool) -> tuple[tuple[str, ...], Lines]:
    """(parameters, statements) of NAME_tile; `in_global` says where the right panel is."""
    half = width // 2
    vector = f"{dtype}{half}"
    rows = range(ROWS)
    step: Lines = [f"const {vector} r = vload{half}(0, right), s = vload{half}(0, right + {half});"]
    step += [
        f"a{row} = fma(({vector})(left[{row}]), r, a{row}); b{row} = fma(({vector})(left[{row}]), s, b{row});"
        for row in rows
    ]
    step += [f"left += {ROWS};", f"right += {width};"]
    loads: Lines = [
        f"a{row} = vload{half}(0, sums + {row * width}); b{row} = vload{half}(0, sums + {row * width + half});"
        for row in rows
    ]
    lines: Lines = [
        *(f"{vector} a{row} = 0, b{row} = 0;" for row in rows),
        "if (!first) {", loads, "}",
        "for (long step = 0; step < steps; ++step) {", step, "}",
        *(
            f"vstore{half}(a{row}, 0, sums + {row * width}); vstore{half}(b{row}, 0, sums + {row * width + half});"
            for row in rows
        ),
    ]  # fmt: skip
    right = f"{'__global ' if in_global else ''}const {dtype} *right"
    return (f"const {dtype} *left", right, f"{dtype} *sums", "long steps", "int first"), lines
