"""What the reductions of all targets have in common."""

from __future__ import annotations

from netcl.kernels.compiler.ir import FLOATS

BLOCK = 256
"""Floats that are added plainly, one after the other; the totals of such runs are added as pairs (sum, rest)."""


def worst(kind: str, dtype: str) -> float:
    """What every value beats."""
    if dtype in FLOATS:
        return float("-inf") if kind == "max" else float("inf")
    least, most = {"uint8": (0, 255), "int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}[dtype]
    return least if kind == "max" else most
