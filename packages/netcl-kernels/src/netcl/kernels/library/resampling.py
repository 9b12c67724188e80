"""Images at another size: by the op `interpolate`, and where a scale does not give whole sizes, by rows and columns.

A size says where each element is read: both images have the same edges. A scale that does not divide evenly cuts the
new image off at its end, so that elements are read elsewhere than the size says; PyTorch reads them by the scale, but
for axes that keep their length or, with "nearest", double it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from netcl.core import dtypes
from netcl.core.arguments import Numbers, Operand
from netcl.core.errors import ShapeError
from netcl.core.transfer import from_host
from netcl.kernels.library.composites import call_op, composite
from netcl.kernels.runtime.arguments import is_list


@composite()
def interpolate(
    x: Operand,
    size: Numbers | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    scale_factor: Any = None,
    recompute_scale_factor: bool | None = None,
) -> Any:
    """The last two axes of x at another size, of the nearest elements or "bilinear" between the four around.

    `scale_factor`, a number or one for each of the two axes, is given instead of a size: that is floor(length * scale).
    Elements then are read at distances of 1 / scale, as in PyTorch, unless `recompute_scale_factor` takes the distances
    from the size. `align_corners` says that the corners of both images are the same points; otherwise their centres are
    spread evenly.
    """
    if (size is None) == (scale_factor is None):
        raise ShapeError("interpolate: give either size or scale_factor, as in interpolate(x, scale_factor=2)")
    if scale_factor is None:
        return call_op("interpolate", x, size, mode, bool(align_corners))
    scales = _scales(x, scale_factor)
    exact = [length * scale for length, scale in zip(x.shape[-2:], scales, strict=True)]
    lengths = tuple(math.floor(each) for each in exact)
    by_size = recompute_scale_factor or (align_corners and mode == "bilinear") or lengths == tuple(exact)
    if by_size or mode not in _READ or 0 in (*lengths, *x.shape[-2:]):  # the op refuses what cannot be read
        return call_op("interpolate", x, lengths, mode, bool(align_corners))
    for axis, length, scale in zip((-2, -1), lengths, scales, strict=True):
        if length != x.shape[axis]:  # as in PyTorch an axis that keeps its length is left as it is, whatever the scale
            x = _READ[mode](x, len(x.shape) + axis, length, scale)
    return x


def _scales(x: Any, given: Any) -> tuple[float, ...]:
    try:
        scales = tuple(map(float, given)) if is_list(given) else (float(given),) * 2
    except (TypeError, ValueError):
        scales = ()
    if len(x.shape) < 2 or len(scales) != 2 or not all(0 < each < math.inf for each in scales):
        raise ShapeError(
            f"interpolate: scale_factor is {given!r} for x {tuple(x.shape)}; give a number above 0, or one for each of "
            "the last two axes"
        )
    return scales


def _nearest(x: Any, axis: int, length: int, scale: float) -> Any:
    if length == 2 * x.shape[axis]:  # PyTorch reads each twice then, whatever the scale
        scale = 2
    at = np.floor(np.arange(length, dtype=np.float32) * np.float32(1 / scale)).astype(np.int64)  # rounds as PyTorch's
    return call_op("take", x, from_host(np.minimum(at, x.shape[axis] - 1), queue=x.queue), axis)


def _linear(x: Any, axis: int, length: int, scale: float) -> Any:
    """(1 - u) * x[a] + u * x[a + 1], with a + u = (p + 0.5) / scale - 0.5 held within x."""
    last = x.shape[axis] - 1
    place = np.maximum((np.arange(length) + 0.5) / scale - 0.5, 0)
    before = np.minimum(np.floor(place), last)
    shape = (length, *(1,) * (len(x.shape) - 1 - axis))
    found = []
    for at, share in ((before, 1 - (place - before)), (np.minimum(before + 1, last), place - before)):
        part = call_op("take", x, from_host(at.astype(np.int64), queue=x.queue), axis)
        found.append(call_op("mul", part, from_host(share.reshape(shape), queue=x.queue, dtype=_of_shares(x))))
    return call_op("add", *found)


def _of_shares(x: Any) -> Any:
    return x.dtype if dtypes.is_float(x.dtype) else dtypes.float32


_READ = {"nearest": _nearest, "bilinear": _linear}
