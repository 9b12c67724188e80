"""The Tensor: a strided view of a buffer on a queue. Only a value; arithmetic is attached by netcl.kernels.

Strides and offset count elements. Tensors that share a buffer share its version, which in-place writes count up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from netcl.core import dtypes, hints, operators, transfer
from netcl.core.errors import OutOfMemoryError, ShapeError

if TYPE_CHECKING:
    from netcl.core.arithmetic import Arithmetic
    from netcl.core.blocks import Buffer
    from netcl.core.device import Device
    from netcl.core.layout import Layout
    from netcl.core.queue import Queue
else:
    Arithmetic = object

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


class Tensor(Arithmetic):
    """An array on a device: a `buffer`, the `layout` that says what is in it, the `offset` of the first element.

    `version` is a counter object to share (anything with an integer attribute `version`); the buffer when None.
    """

    __slots__ = ("__weakref__", "buffer", "counter", "layout", "offset")

    __array_priority__ = 1000.0
    __array_ufunc__: Any = operators.universal

    def __init__(self, buffer: Buffer, layout: Layout, offset: int = 0, version: Any = None) -> None:
        self.buffer = buffer
        self.layout = layout
        self.offset = offset
        self.counter = buffer if version is None else version

    @staticmethod
    def allocate(queue: Queue, shape: Shape, dtype: np.dtype[Any], settled: bool = False) -> Tensor:
        """A contiguous tensor of arbitrary contents. Raises OutOfMemoryError that names shape, dtype and bytes.

        `settled`: in memory that no queued kernel uses, so that the host may write it at once where it is shared.
        """
        layout = queue.layouts.contiguous(shape, dtype)
        nbytes = layout.size * dtype.itemsize
        try:
            buffer = queue.pool.allocate_settled(nbytes) if settled else queue.allocate(nbytes)
        except OutOfMemoryError as error:
            raise no_room(layout, error) from error
        return Tensor(buffer, layout)

    @staticmethod
    def from_host(queue: Queue, array: Any, dtype: Any = None) -> Tensor:
        """A tensor with the values of an array, a list or a number; see `core.from_host`."""
        return transfer.from_host(array, queue, dtype)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and operators.load() and hasattr(type(self), name):
            return getattr(self, name)
        raise hints.missing(self, name, operators.absent())

    @property
    def shape(self) -> Shape:
        return self.layout.shape

    @property
    def strides(self) -> Shape:
        """How many elements further the next one is, along each axis."""
        return self.layout.strides

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.layout.dtype

    @property
    def queue(self) -> Queue:
        return self.layout.queue

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.layout.size

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements follow each other in C order."""
        return self.layout.is_contiguous

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements, as if they were contiguous."""
        return self.size * self.dtype.itemsize

    @property
    def device(self) -> Device:
        return self.queue.device

    @property
    def version(self) -> int:
        """How often the memory that this tensor shares has been written in place."""
        version: int = self.counter.version
        return version

    def bump_version(self) -> None:
        """Note an in-place write."""
        self.counter.version += 1

    def alias(self, shape: Shape, strides: Shape, offset: int) -> Tensor:
        """Another view of the same memory, with the same version. Whether it stays inside is the caller's care."""
        layout = self.layout.queue.layouts.of(shape, strides, self.layout.dtype)
        return Tensor(self.buffer, layout, offset, self.counter)

    def to_host(self) -> Array:
        """The values as a numpy array of its own, C-contiguous. Waits for the queue."""
        return transfer.to_host(self)

    def copy_from_host(self, array: Any) -> None:
        """Overwrite the values with those of an array of the same shape and dtype (or of a list, or a number)."""
        transfer.copy_from_host(self, array)

    def item(self) -> bool | int | float:
        """The value of a tensor of one element, as a Python number."""
        if self.size != 1:
            raise ShapeError(f"item: shape {self.shape} has {self.size} elements; only one element is a number")
        value: bool | int | float = self.to_host().item()
        return value

    def detach(self) -> Tensor:
        """The tensor itself: it is a value alone, as a node's `detach()` gives."""
        return self

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers."""
        return self.to_host().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("a Tensor lies on a device: a numpy array of it is a copy; use copy=None or copy=True")
        host = self.to_host()
        return host if dtype is None else host.astype(dtype, copy=False)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        from netcl.core import interchange

        return interchange.export(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        from netcl.core import interchange

        return interchange.device_of(self)

    def __reduce__(self) -> Any:
        """Pickled as its values; it comes back on the default queue."""
        return transfer.from_host, (self.to_host(), None, dtypes.name_of(self.dtype))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a tensor without axes; its shape is ()")
        return self.shape[0]

    def __bool__(self) -> bool:
        return bool(self._number("truth value"))

    def __float__(self) -> float:
        return float(self._number("float"))

    def __int__(self) -> int:
        return int(self._number("int"))

    def __index__(self) -> int:
        if self.dtype.kind not in "iu" or self.shape:
            raise TypeError(
                f"a tensor of shape {self.shape} and dtype {dtypes.name_of(self.dtype)} is not an index; use an integer"
            )
        return int(self.item())

    def _number(self, wanted: str) -> bool | int | float:
        if self.size != 1:
            raise ShapeError(
                f"the {wanted} of a tensor of shape {self.shape} is not one number; reduce it first, with any(), all() "
                "or an index"
            )
        return self.item()

    __hash__ = object.__hash__  # a tensor is itself, whatever == is made to mean

    def __format__(self, spec: str) -> str:
        """As a number where a format is given, which takes one element: `f"{loss:.3f}"`."""
        return format(self.item(), spec) if spec else str(self)

    def __repr__(self) -> str:
        if self.buffer.freed:
            return f"tensor(freed, shape={self.shape}, dtype={dtypes.name_of(self.dtype)})"
        if self.buffer.host is None and self.size > 1 << 20:
            return f"tensor(shape={self.shape}, dtype={dtypes.name_of(self.dtype)}, device={self.device.name!r})"
        values = np.array2string(transfer.readable(self), separator=", ", prefix="tensor(")
        return f"tensor({values}, shape={self.shape}, dtype={dtypes.name_of(self.dtype)}, device={self.device.name!r})"

    def _repr_html_(self) -> str:
        """In a notebook: what it is, and the values at its corners."""
        from netcl.core.html import safely
        from netcl.core.tensor_html import tensor_html

        return safely(tensor_html, self)


for _name in operators.NAMES:
    setattr(Tensor, _name, operators.stand_in(_name))


def no_room(layout: Layout, error: MemoryError) -> OutOfMemoryError:
    """The error for a tensor whose memory could not be had."""
    nbytes = layout.size * layout.dtype.itemsize
    return OutOfMemoryError(
        f"a tensor of shape {layout.shape} and dtype {dtypes.name_of(layout.dtype)} ({nbytes} bytes): {error}"
    )
