"""Looking for NaN and Inf in host arrays, at the speed of memory.

The bits of a block are compared as integers, so that the scan does not depend on how the compiler treats NaN. Numba
is imported when a large array first needs it; without Numba, and for small arrays, NumPy does the same in blocks.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from netcl.core.driver import usable_cores
from netcl.core.log import logger

_BLOCK = 1 << 16  # elements; fewer than this are not worth a compiled scan
_SHARE = 1 << 21  # elements; fewer than this are not worth waking a thread
_BITS: dict[int, tuple[Any, Any, Any]] = {
    2: (np.uint16, np.uint16(0x7FFF), np.uint16(0x7C00)),
    4: (np.uint32, np.uint32(0x7FFFFFFF), np.uint32(0x7F800000)),
    8: (np.uint64, np.uint64(0x7FFFFFFFFFFFFFFF), np.uint64(0x7FF0000000000000)),
}
"""Bytes of a float -> its bits as an integer type, all of them but the sign, and those of infinity: NaN lies above."""


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
    # What a broadcast view shows many times is looked at once.
    distinct = array[tuple([slice(1 if stride == 0 else None) for stride in array.strides])]
    bits = np.ascontiguousarray(distinct).reshape(-1).view(_BITS[array.dtype.itemsize][0])
    if not (_has_bad(bits) if bits.size <= _BLOCK else _has_bad_anywhere(bits)):
        return None
    flat = np.ascontiguousarray(array).reshape(-1)
    nan = np.isnan(flat)
    inf = np.isinf(flat)
    wanted = (nan & check_nan) | (inf & check_inf)
    if not wanted.any():
        return None
    first = int(wanted.argmax())
    return Finding(int(nan.sum()), int(inf.sum()), first, float(flat[first]))


def _has_bad(bits: Any) -> bool:
    """Whether any number is NaN or Inf: without its sign, its bits are not below those of infinity."""
    _, mask, infinity = _BITS[bits.itemsize]
    return any(bool(((bits[i : i + _BLOCK] & mask) >= infinity).any()) for i in range(0, bits.size, _BLOCK))


def _has_bad_anywhere(bits: Any) -> bool:
    """The same for many elements: one thread does not read memory as fast as the machine can."""
    has_bad = _compiled(bits.itemsize)
    parts = min(usable_cores(), bits.size // _SHARE)
    if parts < 2:
        return has_bad(bits)
    return any(_threads(os.getpid()).map(has_bad, np.array_split(bits, parts)))


@cache
def _threads(process: int) -> ThreadPoolExecutor:
    """The threads of this process; a forked child must not wait for those of its parent."""
    return ThreadPoolExecutor(usable_cores(), "netcl scan")


@cache
def _compiled(itemsize: int) -> Callable[[Any], bool]:
    """The same for floats of so many bytes, compiled; the NumPy form where there is no Numba."""
    try:
        from numba import njit
    except ImportError:
        logger("anomaly").info("anomaly mode scans with NumPy, since numba is not installed")
        return _has_bad
    kind, mask, infinity = _BITS[itemsize]
    zero = kind(0)

    # A maximum over blocks of the same unsigned type throughout is what the compiler turns into vector instructions.
    def has_bad(bits: Any) -> bool:
        for start in range(0, bits.size, 16384):
            block = bits[start : start + 16384]
            largest = zero
            for i in range(block.size):
                largest = max(largest, kind(block[i] & mask))
            if largest >= infinity:
                return True
        return False

    try:
        return njit(nogil=True, cache=True)(has_bad)
    except RuntimeError:  # there is no folder where numba may keep it for the next process
        return njit(nogil=True)(has_bad)
