"""DLPack: tensors to and from other libraries, without a copy where a CPU device shares memory with the host.

A device whose memory the host cannot see is exported only as a copy that was asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from netcl.core import dtypes, transfer
from netcl.core.arguments import described, explained
from netcl.core.errors import DeviceError, DtypeError
from netcl.core.tensor import Tensor

if TYPE_CHECKING:
    from netcl.core.queue import Queue

_CPU = (1, 0)  # kDLCPU
_OPENCL = 4  # kDLOpenCL


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
    if tensor.dtype is dtypes.bfloat16:
        raise BufferError("numpy has no bfloat16 to export; give the other library tensor.astype('float32')")
    if tensor.buffer.host is not None and not copy:
        tensor.queue.finish()
        array = transfer.shared_array(tensor)
    elif tensor.buffer.host is not None or (dl_device == _CPU and copy is not False):
        array = transfer.to_host(tensor)
    else:
        raise BufferError(
            f"the tensor lies in the memory of {tensor.device.name!r}, which other libraries cannot read; "
            "pass tensor.to_host() to them"
        )
    if max_version is None:
        return array.__dlpack__()
    return array.__dlpack__(max_version=max_version)


@explained
def from_dlpack(source: Any, queue: Queue | None = None) -> Tensor:
    """A tensor on the memory of another library's array where the device shares host memory, else a copy of it.

    A netcl tensor comes back as another view of itself. Raises DeviceError when the memory is not the host's.
    """
    from netcl.core.queue import default_queue

    if isinstance(source, Tensor):
        return source.alias(source.shape, source.strides, source.offset)
    try:
        array = np.from_dlpack(source)
    except (BufferError, RuntimeError) as error:
        raise DeviceError(
            f"from_dlpack: the memory of this {type(source).__name__} cannot be read by the host ({error}); "
            "copy it to the host first"
        ) from error
    except (AttributeError, TypeError) as error:
        raise DtypeError(
            f"from_dlpack: source must be an array that has __dlpack__, but it is {described(source)} ({error})"
        ) from error
    queue = default_queue() if queue is None else queue
    dtype = dtypes.canonical(array.dtype)
    queue.device.require_dtype(dtype)
    flags = array.flags
    if not (queue.shares_host_memory and flags.writeable and flags.aligned and flags.c_contiguous and array.size):
        return transfer.from_host(array, queue)
    bytes_ = array.reshape(-1).view(np.uint8)
    buffer = queue.pool.adopt(bytes_)
    return Tensor(buffer, queue.layouts.contiguous(array.shape, dtype))
