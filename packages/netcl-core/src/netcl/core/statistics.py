"""What a tensor's numbers are like: range, mean, and whether NaN or Inf is among them.

The host reads the memory where the device shares it, and blocks of it elsewhere; sums are in float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from netcl.core import dtypes
from netcl.core.arguments import explained
from netcl.core.transfer import host_view

if TYPE_CHECKING:
    from netcl.core.tensor import Tensor

_BLOCK = 1 << 20  # elements


class TensorStats(NamedTuple):
    """Smallest, largest, mean and standard deviation of the finite elements (NaN without any); how many are not."""

    minimum: float
    maximum: float
    mean: float
    std: float
    nan_count: int
    inf_count: int
    size: int


@explained
def tensor_stats(tensor: Tensor) -> TensorStats:
    """Return statistics of a tensor of any dtype and shape. Waits for the device.

    The deviation is that of the population, from the mean and the mean square of blocks (Chan, Golub & LeVeque 1983).
    """
    nans = infs = count = 0
    smallest, largest, mean, squares = np.inf, -np.inf, 0.0, 0.0
    for block in _blocks(tensor):
        values = block
        if block.dtype.kind == "f":
            values = block[np.isfinite(block)]
            nan = int(np.isnan(block).sum())
            nans, infs = nans + nan, infs + block.size - values.size - nan
        if values.size:
            values = values.astype(np.float64)
            smallest, largest = min(smallest, float(values.min())), max(largest, float(values.max()))
            delta, share = float(values.mean()) - mean, values.size / (count + values.size)
            squares += float(((values - values.mean()) ** 2).sum()) + delta * delta * count * share
            mean, count = mean + delta * share, count + values.size
    if not count:
        smallest = largest = mean = squares = np.nan
    return TensorStats(smallest, largest, mean, float(np.sqrt(squares / max(1, count))), nans, infs, tensor.size)


@explained
def has_nan(tensor: Tensor) -> bool:
    """Whether a NaN is among the elements. Waits for the device."""
    return dtypes.is_float(tensor.dtype) and any(bool(np.isnan(block).any()) for block in _blocks(tensor))


@explained
def has_inf(tensor: Tensor) -> bool:
    """Whether an infinity is among the elements. Waits for the device."""
    return dtypes.is_float(tensor.dtype) and any(bool(np.isinf(block).any()) for block in _blocks(tensor))


def _blocks(tensor: Tensor) -> Iterator[np.ndarray[Any, Any]]:
    view = host_view(tensor)
    if view is None and not tensor.is_contiguous:
        view = tensor.to_host()
    flat = None if view is None else view.reshape(-1)
    for start in range(0, tensor.size, _BLOCK):
        length = min(_BLOCK, tensor.size - start)
        if flat is None:
            yield tensor.alias((length,), (1,), tensor.offset + start).to_host()
        else:
            yield flat[start : start + length]
