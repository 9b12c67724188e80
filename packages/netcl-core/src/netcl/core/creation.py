"""Tensors from nothing: empty, zeros, ones, full, their `_like` forms, arange. Filling is a fill, never x * 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from netcl.core import dtypes, transfer
from netcl.core.arguments import Numbers, explained
from netcl.core.errors import DtypeError, NetclError, OutOfMemoryError, ShapeError
from netcl.core.queue import default_queue
from netcl.core.shapes import canonical_shape
from netcl.core.tensor import Tensor

if TYPE_CHECKING:
    from netcl.core.blocks import Buffer
    from netcl.core.queue import Queue


@explained
def empty(shape: Numbers, dtype: Any = dtypes.float32, queue: Queue | None = None) -> Tensor:
    """A tensor of arbitrary contents."""
    queue = default_queue() if queue is None else queue
    dtype = dtypes.canonical(dtype)
    if dtype is dtypes.float64:
        queue.device.require_dtype(dtype)
    return Tensor.allocate(queue, canonical_shape(shape), dtype)


@explained
def full(shape: Numbers, value: bool | int | float, dtype: Any = None, queue: Queue | None = None) -> Tensor:
    """A tensor whose elements all are `value`; its dtype is that of the value (float32, int64, bool) unless given."""
    wanted = dtypes.promote(_number(value)) if dtype is None else dtypes.canonical(dtype)
    queue = default_queue() if queue is None else queue
    return transfer.new_tensor(canonical_shape(shape), wanted, queue, _element(value, wanted))


def kept(value: float, dtype: np.dtype[Any], queue: Queue) -> Buffer:
    """The buffer of one element that the runtime keeps for itself; it does not count as live memory."""
    return transfer.kept(_element(value, dtype), queue)


@explained
def zeros(shape: Numbers, dtype: Any = dtypes.float32, queue: Queue | None = None) -> Tensor:
    """A tensor of zeros."""
    return full(shape, 0, dtype, queue)


@explained
def ones(shape: Numbers, dtype: Any = dtypes.float32, queue: Queue | None = None) -> Tensor:
    """A tensor of ones."""
    return full(shape, 1, dtype, queue)


@explained
def empty_like(tensor: Tensor, dtype: Any = None) -> Tensor:
    """A contiguous tensor of arbitrary contents, with the shape, queue and (unless given) dtype of another."""
    return empty(tensor.shape, tensor.dtype if dtype is None else dtype, tensor.queue)


@explained
def full_like(tensor: Tensor, value: bool | int | float, dtype: Any = None) -> Tensor:
    """As `empty_like`, filled with `value`."""
    return full(tensor.shape, value, tensor.dtype if dtype is None else dtype, tensor.queue)


@explained
def zeros_like(tensor: Tensor, dtype: Any = None) -> Tensor:
    """As `empty_like`, filled with zeros."""
    return full_like(tensor, 0, dtype)


@explained
def ones_like(tensor: Tensor, dtype: Any = None) -> Tensor:
    """As `empty_like`, filled with ones."""
    return full_like(tensor, 1, dtype)


@explained
def arange(
    start: float, stop: float | None = None, step: float = 1, dtype: Any = None, queue: Queue | None = None
) -> Tensor:
    """Values from `start` (0 when only one number is given) up to, not including, `stop`."""
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise NetclError("arange: the step is 0; it must lead from start to stop")
    wanted = dtypes.promote(start, stop, step) if dtype is None else dtypes.canonical(dtype)
    try:
        values = np.arange(start, stop, step)
    except (MemoryError, ValueError) as error:
        raise OutOfMemoryError(f"arange: {start} to {stop} by {step} has no room on the host: {error}") from error
    return transfer.from_host(values, queue, wanted)


def _element(value: Any, dtype: np.dtype[Any]) -> Any:
    """The value as a numpy scalar of the dtype. Raises DtypeError when the dtype cannot hold it."""
    if dtype is dtypes.bfloat16:
        return dtypes.rounded(_element(value, dtypes.float32))[()]
    try:
        return dtype.type(value)
    except (OverflowError, ValueError, TypeError) as error:
        raise DtypeError(f"full: {value!r} cannot be a value of dtype {dtypes.name_of(dtype)} ({error})") from error


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


@explained
def linspace(
    start: float, stop: float, num: int = 50, dtype: Any = dtypes.float32, queue: Queue | None = None
) -> Tensor:
    """So many values from `start` to `stop`, which are the first and the last, in even steps."""
    if num < 0:
        raise ShapeError(f"linspace: num is {num}, but it must be at least 0")
    try:
        first, last = float(start), float(stop)
    except OverflowError:
        raise NetclError(f"linspace: {start} to {stop} is more than a float holds") from None
    try:
        values = np.linspace(first, last, num)
    except (MemoryError, ValueError) as error:
        raise OutOfMemoryError(f"linspace: {num} values have no room on the host: {error}") from error
    return transfer.from_host(values, queue, dtype)


@explained
def eye(n: int, m: int | None = None, dtype: Any = dtypes.float32, queue: Queue | None = None) -> Tensor:
    """A matrix of n rows and m columns (as many as rows unless given) with ones on its diagonal, and zeros."""
    rows, columns = canonical_shape((n, n if m is None else m))
    try:
        values = np.eye(rows, columns)
    except (MemoryError, ValueError) as error:
        raise OutOfMemoryError(f"eye: {rows} x {columns} elements have no room on the host: {error}") from error
    return transfer.from_host(values, queue, dtype)
