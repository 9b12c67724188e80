"""Arrays of the host and Tensors, without a copy where the device shares the memory of the host.

What is lent to an op is read there and never written; a call has ended, on the device too, when its result is a numpy
array again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netcl.core import dtypes, transfer
from netcl.core.queue import Queue, default_queue
from netcl.core.tensor import Tensor

Array = np.ndarray[Any, Any]


class _Lent:
    """The memory of an array, whatever that says of writing to it; keeps it alive."""

    def __init__(self, array: Array) -> None:
        self._array = array
        self.__array_interface__ = {
            "data": (array.__array_interface__["data"][0], False), "shape": (array.nbytes,), "typestr": "|u1",
            "version": 3,
        }  # fmt: skip


def tensor_on(array: Array, queue: Queue | None = None) -> Tensor:
    """A Tensor to read an array with, on its memory where that can be. Raises DtypeError for a dtype that netcl, or the
    device, does not have."""
    queue = default_queue() if queue is None else queue
    dtype = dtypes.canonical(array.dtype)
    queue.device.require_dtype(dtype)
    flags = array.flags
    whole = flags.aligned and flags.c_contiguous and array.dtype.isnative and array.size
    if not (queue.shares_host_memory and whole):
        return transfer.from_host(array, queue)
    return Tensor(queue.pool.adopt(np.asarray(_Lent(array))), queue.layouts.contiguous(array.shape, dtype))


def array_of(tensor: Tensor) -> Array:
    """The values of a Tensor that nobody else has, on its memory where that can be. bfloat16 comes as its 16 bits."""
    if tensor.buffer.host is None:
        values = transfer.to_host(tensor)
        return dtypes.rounded(values).view(np.uint16) if tensor.dtype is dtypes.bfloat16 else values
    tensor.queue.finish()
    shared = transfer.shared_array(tensor)
    return shared.view(np.uint16) if tensor.dtype is dtypes.bfloat16 else shared
