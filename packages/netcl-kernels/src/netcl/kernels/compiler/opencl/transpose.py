"""Vectors in registers as the rows of a square that is turned over, in as many steps as it takes halvings.

In each step lanes that are half a block apart change places with those of the row that is half a block away.
"""

from __future__ import annotations

from collections.abc import Sequence

from netcl.kernels.compiler.opencl.lines import Lines
from netcl.kernels.compiler.opencl.types import computed


def transposed(rows: Sequence[str], dtype: str) -> Lines:
    """Lane `j` of row `k` becomes lane `k` of row `j`; so many lanes as there are rows, a power of two."""
    count, vector = len(rows), computed(dtype, len(rows))
    lines: Lines = []
    apart = 1
    while apart < count:
        lower = ", ".join(_lane("a", "b", lane, apart) for lane in range(count))
        upper = ", ".join(_lane("a", "b", lane, apart, apart) for lane in range(count))
        for low in (row for row in range(count) if not row & apart):
            a, b = rows[low], rows[low + apart]
            lines += [
                "{",
                [f"const {vector} a = {a}, b = {b};", f"{a} = ({vector})({lower});", f"{b} = ({vector})({upper});"],
                "}",
            ]
        apart *= 2
    return lines


def _lane(a: str, b: str, lane: int, apart: int, away: int = 0) -> str:
    """What comes into a lane, of blocks of twice `apart` lanes: the halves `away` from the first, of both rows."""
    return f"{b if lane & apart else a}.s{(lane & ~apart) + away:x}"
