"""DLPack: tensors to and from other libraries, without a copy where a CPU device shares memory with the host.

A device whose memory the host cannot see is exported only as a copy that was asked for.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from netcl.core import dtypes, transfer
from netcl.core.arguments import described, explained
from netcl.core.blocks import Lent, lend
from netcl.core.errors import DeviceError, DtypeError
from netcl.core.tensor import Tensor

if TYPE_CHECKING:
    from netcl.core.queue import Queue

_CPU = (1, 0)  # kDLCPU
_OPENCL = 4  # kDLOpenCL
_UINT, _BFLOAT = 1, 4  # kDLUInt, kDLBfloat


def device_of(tensor: Tensor) -> tuple[int, int]:
    """The DLPack device of a tensor: the host where memory is shared, else OpenCL."""
    if tensor.buffer.host is not None:
        return _CPU
    return (_OPENCL, int(tensor.device.index.split(":")[1]))


def export(
    tensor: Tensor,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A DLPack capsule of host memory: the tensor's own where it is shared, else a copy if that was asked for."""
    if stream is not None:
        raise BufferError("a netcl tensor has no stream to synchronise with; pass stream=None")
    if dl_device not in (None, _CPU):
        raise BufferError(f"DLPack device {dl_device} is not the host; netcl exports host memory, device (1, 0)")
    is_bfloat16 = tensor.dtype is dtypes.bfloat16
    if tensor.buffer.host is not None and not copy:
        lend(tensor.buffer)
        tensor.queue.finish()
        array = transfer.shared_array(tensor)
    elif tensor.buffer.host is not None or (dl_device == _CPU and copy is not False):
        array = transfer.to_host(tensor)
        array = dtypes.rounded(array) if is_bfloat16 else array
    else:
        raise BufferError(
            f"the tensor lies in the memory of {tensor.device.name!r}, which other libraries cannot read; "
            "pass tensor.to_host() to them"
        )
    if is_bfloat16:
        array = array.view(np.uint16)
    capsule = array.__dlpack__() if max_version is None else array.__dlpack__(max_version=max_version)
    if is_bfloat16:
        dtype_in(capsule).code = _BFLOAT
    return capsule


class _Dtype(ctypes.Structure):
    """DLDataType of dlpack.h."""

    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


def dtype_in(capsule: Any) -> _Dtype:
    """The dtype that a capsule says its memory has, in place: of a DLTensor, which is first in what an old capsule
    holds, and behind version, manager, deleter and flags in a new one."""
    python = ctypes.pythonapi
    python.PyCapsule_GetName.argtypes, python.PyCapsule_GetName.restype = [ctypes.py_object], ctypes.c_char_p
    python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    python.PyCapsule_GetPointer.restype = ctypes.c_void_p
    name = python.PyCapsule_GetName(capsule)
    before = 8 + 2 * ctypes.sizeof(ctypes.c_void_p) + 8 if name == b"dltensor_versioned" else 0
    behind_device_and_rank = ctypes.sizeof(ctypes.c_void_p) + 8 + 4
    return _Dtype.from_address(python.PyCapsule_GetPointer(capsule, name) + before + behind_device_and_rank)


class _AsBits:
    """A source of bfloat16, as one of whole numbers of 16 bits, which numpy has."""

    def __init__(self, source: Any) -> None:
        self._source = source

    def __dlpack_device__(self) -> Any:
        return self._source.__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self._source.__dlpack__(**options)
        dtype_in(capsule).code = _UINT
        return capsule


@explained
def from_dlpack(source: Any, queue: Queue | None = None) -> Tensor:
    """A tensor on the memory of another library's array where the device shares host memory, else a copy of it.

    A netcl tensor comes back as another view of itself. Where memory is shared, what is queued with it is waited for,
    so that the array may be written again; do not while a graph is to be differentiated that has the tensor. Raises
    DeviceError when the memory is not the host's.
    """
    from netcl.core.queue import default_queue

    if isinstance(source, Tensor):
        return source.alias(source.shape, source.strides, source.offset)
    is_bfloat16 = str(getattr(source, "dtype", "")).rpartition(".")[2] == "bfloat16"
    try:
        array = np.from_dlpack(_AsBits(source) if is_bfloat16 else source)
    except (BufferError, RuntimeError) as error:
        if getattr(source, "requires_grad", False):
            raise DeviceError(
                f"from_dlpack: this {type(source).__name__} requires a gradient, and memory has no history; give its "
                "value, source.detach()"
            ) from error
        raise DeviceError(
            f"from_dlpack: the memory of this {type(source).__name__} cannot be read by the host ({error}); "
            "copy it to the host first"
        ) from error
    except (AttributeError, TypeError) as error:
        raise DtypeError(
            f"from_dlpack: source must be an array that has __dlpack__, but it is {described(source)} ({error})"
        ) from error
    queue = default_queue() if queue is None else queue
    array = array.view(dtypes.bfloat16) if is_bfloat16 else array
    dtype = dtypes.canonical(array.dtype)
    queue.device.require_dtype(dtype)
    flags = array.flags
    if not (queue.shares_host_memory and flags.writeable and flags.aligned and flags.c_contiguous and array.size):
        return transfer.from_host(array, queue)
    bytes_ = array.reshape(-1).view(np.uint8)
    buffer = queue.pool.adopt(bytes_, Lent)
    return Tensor(buffer, queue.layouts.contiguous(array.shape, dtype))
