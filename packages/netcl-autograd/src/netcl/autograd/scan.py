"""Looking for NaN and Inf in host arrays, at the speed of memory.

The bits of a block are compared as integers, so that the scan does not depend on how the compiler treats NaN. Numba
is imported when a large array first needs it; without Numba, and for small arrays, NumPy does the same in blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from netcl.core.log import logger

_BLOCK = 1 << 16  # elements; fewer than this are not worth a compiled scan
_BITS: dict[int, tuple[Any, int]] = {
    2: (np.uint16, 0x7C00),
    4: (np.uint32, 0x7F800000),
    8: (np.uint64, 0x7FF0000000000000),
}
"""Bytes of a float -> its bits as an integer type, and the bits of +inf: above it is NaN, at it Inf."""


class Finding(NamedTuple):
    """What was found in an array."""

    nan_count: int
    inf_count: int
    first: int  # flat index of the first one that was looked for
    value: float  # what is there


def scan(array: np.ndarray[Any, Any], check_nan: bool = True, check_inf: bool = True) -> Finding | None:
    """Return what NaN and Inf an array has, or None if it has none of those that are looked for."""
    if array.dtype.kind != "f" or array.size == 0:
        return None
    flat = np.ascontiguousarray(array).reshape(-1)
    kind, infinity = _BITS[flat.dtype.itemsize]
    bits = flat.view(kind)
    has_bad = _compiled() if flat.size > _BLOCK else _has_bad
    if not has_bad(
        bits, kind(~(1 << (8 * flat.dtype.itemsize - 1)) & (2 ** (8 * flat.dtype.itemsize) - 1)), kind(infinity)
    ):
        return None
    nan = np.isnan(flat)
    inf = np.isinf(flat)
    wanted = (nan & check_nan) | (inf & check_inf)
    if not wanted.any():
        return None
    first = int(wanted.argmax())
    return Finding(int(nan.sum()), int(inf.sum()), first, float(flat[first]))


def _has_bad(bits: Any, mask: Any, infinity: Any) -> bool:
    """Whether any number is NaN or Inf: without its sign, its bits are not below those of infinity."""
    return any(bool(((bits[i : i + _BLOCK] & mask) >= infinity).any()) for i in range(0, bits.size, _BLOCK))


@cache
def _compiled() -> Callable[[Any, Any, Any], bool]:
    """The same, compiled; the NumPy form where there is no Numba."""
    try:
        from numba import njit
    except ImportError:
        logger("anomaly").info("anomaly mode scans with NumPy, since numba is not installed")
        return _has_bad

    @njit(nogil=True)
    def has_bad(bits: Any, mask: Any, infinity: Any) -> bool:
        for start in range(0, bits.size, 16384):
            largest = mask & 0
            for b in bits[start : start + 16384]:
                b = b & mask
                largest = b if b > largest else largest
            if largest >= infinity:
                return True
        return False

    return has_bad
