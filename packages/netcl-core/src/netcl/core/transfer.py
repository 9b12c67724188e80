"""Values between host and device: `from_host`, `to_host`, writing in place, and a view of shared memory.

Where the device shares memory with the host, no command is queued: the host waits for the queue and touches the
memory itself. Elsewhere it is blocking reads and writes.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from netcl.core import dtypes, guards, shapes
from netcl.core.accounting import total
from netcl.core.arguments import explained
from netcl.core.driver import low_level
from netcl.core.errors import DtypeError, ShapeError
from netcl.core.weak import WeakKeys

if TYPE_CHECKING:
    from netcl.core.blocks import Buffer
    from netcl.core.queue import Queue
    from netcl.core.tensor import Tensor

Array = np.ndarray[Any, Any]

# Up to so many bytes a new tensor takes memory that no queued kernel uses, and the host writes it without waiting;
# filling with one value is left to the device from a smaller size on.
_UPLOAD_BYTES = 1 << 24
_FILL_BYTES = 1 << 16


@explained
def from_host(array: Any, queue: Queue | None = None, dtype: Any = None) -> Tensor:
    """A tensor with the values of `array`: a numpy array, a (nested) list, or a number.

    Python floats become float32 unless `dtype` says otherwise; a numpy array keeps its dtype, and so does a list of
    numbers, arrays or tensors of float64. The values are copied. Raises DtypeError for a dtype that netcl or the device
    does not have, OutOfMemoryError without room.
    """
    from netcl.core.queue import default_queue

    host = host_array(array, dtype)
    tensor = new_tensor(host.shape, dtypes.canonical(host.dtype), default_queue() if queue is None else queue, host)
    total.bytes_from_host += host.nbytes
    return tensor


def new_tensor(shape: tuple[int, ...], dtype: np.dtype[Any], queue: Queue, values: Any) -> Tensor:
    """A contiguous tensor with these values: an array of the same shape, or a numpy scalar for every element."""
    from netcl.core.tensor import Tensor

    if dtype is dtypes.float64:
        queue.device.require_dtype(dtype)
    largest = _UPLOAD_BYTES if isinstance(values, np.ndarray) else _FILL_BYTES
    if queue.shares_host_memory and prod(shape) * dtype.itemsize <= largest:
        tensor = Tensor.allocate(queue, shape, dtype, settled=True)
        np.ndarray(shape, dtype, tensor.buffer.host)[...] = values
        return tensor
    tensor = Tensor.allocate(queue, shape, dtype)
    if isinstance(values, np.ndarray):
        _write(tensor, values)
    elif tensor.size:
        _fill(tensor.buffer, values, queue)
    return tensor


def kept(value: Any, queue: Queue) -> Buffer:
    """A buffer with one numpy scalar, for the runtime's own use: it does not count as live memory."""
    buffer = queue.pool.keep(value.nbytes)
    if buffer.host is None:
        _fill(buffer, value, queue)
    else:
        np.ndarray((), value.dtype, buffer.host)[...] = value
    return buffer


def _fill(buffer: Buffer, value: Any, queue: Queue) -> None:
    queue.main.fill(buffer.cl, value, buffer.nbytes)


def host_array(values: Any, dtype: Any = None) -> Array:
    """The values as a numpy array of a dtype that netcl has."""
    if dtype is not None and dtypes.canonical(dtype) is dtypes.bfloat16:
        is_raw = isinstance(values, np.ndarray) and values.dtype == dtypes.bfloat16
        return values if is_raw else dtypes.rounded(host_array(values, np.float32))
    if isinstance(values, (np.ndarray, np.generic)):
        _require_numbers(values, values)
        wanted = dtypes.canonical(values.dtype if dtype is None else dtype)
        if wanted is dtypes.bfloat16 and values.dtype != wanted:
            return dtypes.rounded(values)
        return np.asarray(values, wanted)
    if hasattr(values, "__array__"):
        return host_array(_array_of(values), dtype)
    try:
        host = _array_of(values)
    except ValueError as error:
        raise ShapeError(f"the list does not have the shape of an array: {error}") from error
    _require_numbers(host, values)
    if dtype is not None:
        wanted = dtypes.canonical(dtype)
    elif host.dtype == np.float64 and not _holds_float64(values):
        wanted = dtypes.DEFAULT_FLOAT
    elif host.dtype.kind == "i" and host.dtype.itemsize == np.dtype(int).itemsize:
        wanted = dtypes.DEFAULT_INT
    else:
        wanted = dtypes.canonical(host.dtype)
    return host.astype(wanted, copy=False)


def _holds_float64(values: Any) -> bool:
    """Whether an array, a tensor or a number of float64 (not a float of Python) is among the values of a list."""
    if not isinstance(values, (list, tuple)):
        return getattr(values, "dtype", None) == np.float64
    kinds = set(map(type, values))
    return not kinds <= {float, int, bool} and any(map(_holds_float64, values))


def _array_of(values: Any) -> Array:
    """An array of what another library holds, or of a list. Raises DtypeError for what PyTorch has a history of."""
    try:
        return np.asarray(values)
    except RuntimeError as error:
        if "requires grad" not in str(error):
            raise
        if not hasattr(values, "detach"):
            text = "a member of the list requires a gradient; give its value, member.detach()"
        else:
            kind = type(values).__name__
            text = f"this {kind} requires a gradient; give its value, x.detach(), or core.from_dlpack(x.detach())"
        raise DtypeError(text) from None


def _require_numbers(host: Any, values: Any) -> None:
    """Raise DtypeError for values that numpy takes as objects or texts: None, words, sets, ints beyond 64 bits."""
    if host.dtype.kind not in "OSU":
        return
    for each in np.asarray(values, object).flat:
        if isinstance(each, int) and not -(1 << 63) <= each < 1 << 63:
            raise DtypeError(f"{each} is beyond int64; convert it to a float")
        if not isinstance(each, (bool, int, float, np.bool_, np.number)):
            raise DtypeError(f"a tensor holds numbers and bools, but {_shown(each)} was given; convert it first")
    raise DtypeError(f"an array of dtype {host.dtype} was given; convert it with array.astype")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:60]}… ({type(value).__name__})"


_observers: list[Callable[[Tensor], None]] = []


def observe_reads(observer: Callable[[Tensor], None]) -> None:
    """From now on, call `observer` with each tensor whose values come to the host."""
    if observer not in _observers:
        _observers.append(observer)


def to_host(tensor: Tensor) -> Array:
    """The values as a new C-contiguous numpy array; those of bfloat16 are float32 there. Waits for the queue."""
    for observer in _observers:
        observer(tensor)
    return dtypes.widened(_copied(tensor))


def _copied(tensor: Tensor) -> Array:
    total.bytes_to_host += tensor.nbytes
    if tensor.buffer.host is not None:
        tensor.queue.finish()
        host = np.empty(tensor.shape, tensor.dtype)
        host[...] = _host_array_of(tensor)
        return host
    if tensor.is_contiguous:
        host = np.empty(tensor.shape, tensor.dtype)
        if host.size:
            _read(tensor, host, tensor.offset)
        return host
    first, span = _span_on_host(tensor)
    return np.array(_strided(span, tensor, first), order="C", copy=True)


def copy_from_host(tensor: Tensor, values: Any) -> None:
    """Overwrite the tensor with values of the same shape and dtype, in place; counts as one write."""
    if isinstance(values, np.ndarray) and tensor.dtype is not dtypes.bfloat16:
        if dtypes.canonical(values.dtype) != tensor.dtype:
            raise DtypeError(
                f"copy_from_host: the array is {values.dtype} and the tensor {tensor.dtype}; convert with "
                f"array.astype({dtypes.name_of(tensor.dtype)!r})"
            )
        host = values
    else:
        host = host_array(values, tensor.dtype)
    if host.shape != tensor.shape:
        raise ShapeError(f"copy_from_host: the array has shape {host.shape} and the tensor {tensor.shape}")
    _write(tensor, host)
    total.bytes_from_host += host.nbytes
    tensor.bump_version()


@explained
def host_view(tensor: Tensor) -> Array | None:
    """The memory of the tensor itself as a read-only numpy array, or None where the device does not share it, or where
    numpy has no such dtype.

    Waits for the queue. The view keeps the memory alive, and shows what kernels write there later.
    """
    if tensor.buffer.host is None or tensor.dtype is dtypes.bfloat16:
        return None
    tensor.queue.finish()
    return np.asarray(_Shared(tensor, writable=False))


def readable(tensor: Tensor) -> Array:
    """The values, only to look at them now: the shared memory itself where there is such, else a copy."""
    view = host_view(tensor)
    return to_host(tensor) if view is None else view


class _Shared:
    """Lends the memory of a tensor to numpy, and keeps the buffer out of the pool as long as numpy holds it."""

    def __init__(self, tensor: Tensor, writable: bool) -> None:
        array = _host_array_of(tensor)
        self.buffer = tensor.buffer
        lent[self] = None
        interface = dict(array.__array_interface__)
        interface["data"] = (interface["data"][0], not writable)
        self.__array_interface__ = interface


lent: WeakKeys[_Shared, None] = WeakKeys()
"""What numpy holds of tensors' memory now."""


def shared_array(tensor: Tensor) -> Array:
    """The memory of a tensor on a device that shares it, writable. Does not wait."""
    return np.asarray(_Shared(tensor, writable=True))


def _host_array_of(tensor: Tensor) -> Array:
    """The elements in the memory that host and device share; valid as long as the buffer is."""
    dtype = tensor.dtype
    step = dtype.itemsize
    strides = tuple([stride * step for stride in tensor.strides])
    return np.ndarray(tensor.shape, dtype, tensor.buffer.host, tensor.offset * step, strides)


def _strided(span: Array, tensor: Tensor, first: int) -> Array:
    """The elements of the tensor in a copy of its memory that starts at element `first`."""
    step = span.itemsize
    strides = tuple([stride * step for stride in tensor.strides])
    return np.ndarray(tensor.shape, span.dtype, span, (tensor.offset - first) * step, strides)


def _write(tensor: Tensor, host: Array) -> None:
    if host.size == 0:
        return
    if tensor.buffer.host is not None:
        tensor.queue.finish()
        _host_array_of(tensor)[...] = host
        return
    if tensor.is_contiguous:
        data = np.ascontiguousarray(host, tensor.dtype)
        start = tensor.offset * data.itemsize
        _put(tensor, data, start)
        return
    first, span = _span_on_host(tensor)
    _strided(span, tensor, first)[...] = host
    _put(tensor, span, first * span.itemsize)


def _span_on_host(tensor: Tensor) -> tuple[int, Array]:
    """First element that a strided view touches, and a copy of all elements from there to the last."""
    first, last = shapes.element_span(tensor.shape, tensor.strides, tensor.offset)
    span = np.empty(last - first, tensor.dtype)
    if span.size:
        _read(tensor, span, first)
    return first, span


def _put(tensor: Tensor, values: Array, start: int) -> None:
    """Write bytes of the host into a buffer; what is queued before is waited for where Ctrl-C is heard."""
    queue = tensor.queue
    queue.main.finish()
    guards.inside(low_level()._enqueue_write_buffer, queue.cl, tensor.buffer.cl, values, start)


def _read(tensor: Tensor, into: Array, first: int) -> None:
    queue = tensor.queue
    queue.finish()
    guards.inside(low_level()._enqueue_read_buffer, queue.cl, tensor.buffer.cl, into, first * into.itemsize)
