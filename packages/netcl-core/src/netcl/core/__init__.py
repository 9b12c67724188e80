"""netcl.core: devices, queues, memory and strided tensors on any OpenCL device.

device      which devices there are; `driver`, the one door to pyopencl; `quirks` and `unknown_cpu`, what PoCL is told
queue       where work waits and memory comes from; `stream`, its OpenCL queues; `waiting`, for results
program     texts built for a device; `launch`, kernels; `cache`, compiled programs on the disk
memory      the pool that memory comes from; `blocks` of it, `arenas` that give it back; `accounting`, exact counts
tensor      a view of a buffer; `layout` and `shapes`; `creation`, `transfer` and `interchange`, from and to arrays
operators   what other packages attach; `hints`, what is said where nobody has; `arguments`, what is given
doctor      what is found here; `cli`, the command; `installed` and `alone`, whether pip's files are ours

Every name is imported when it is first used, so that `import netcl.core` touches neither numpy nor a driver.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import netcl.core.alone  # noqa: F401
from netcl.core.version import __version__

if TYPE_CHECKING:
    from netcl.core import cache, dtypes, errors, settings, shapes
    from netcl.core.accounting import counters
    from netcl.core.arenas import arena, keep, memory_checkpoint, memory_restore
    from netcl.core.blocks import Buffer
    from netcl.core.bounded import cache_stats
    from netcl.core.creation import (
        arange,
        empty,
        empty_like,
        eye,
        full,
        full_like,
        linspace,
        ones,
        ones_like,
        zeros,
        zeros_like,
    )
    from netcl.core.device import Device, default_device, devices, find_device
    from netcl.core.dtypes import bfloat16, bool_, float16, float32, float64, int32, int64, uint8
    from netcl.core.errors import (
        DeviceError,
        DtypeError,
        FreedError,
        GraphError,
        IndexOutOfRangeError,
        KernelLanguageError,
        NetclError,
        OutOfMemoryError,
        ShapeError,
        set_error_handler,
    )
    from netcl.core.interchange import from_dlpack
    from netcl.core.launch import Kernel
    from netcl.core.profiling import Profile, profile
    from netcl.core.program import Program
    from netcl.core.queue import Queue, default_queue, memory_stats, reset_peak_memory, synchronize
    from netcl.core.seeds import get_rng_state, manual_seed, set_rng_state
    from netcl.core.statistics import TensorStats, has_inf, has_nan, tensor_stats
    from netcl.core.tensor import Tensor
    from netcl.core.transfer import from_host, host_view

_MODULES = {
    "accounting": ["counters"],
    "arenas": ["arena", "keep", "memory_checkpoint", "memory_restore"],
    "blocks": ["Buffer"],
    "bounded": ["cache_stats"],
    "creation": [
        "arange", "empty", "empty_like", "eye", "full", "full_like", "linspace", "ones", "ones_like", "zeros",
        "zeros_like",
    ],
    "device": ["Device", "default_device", "devices", "find_device"],
    "dtypes": ["bfloat16", "bool_", "float16", "float32", "float64", "int32", "int64", "uint8"],
    "errors": [
        "DeviceError", "DtypeError", "FreedError", "GraphError", "IndexOutOfRangeError", "KernelLanguageError",
        "NetclError", "OutOfMemoryError", "ShapeError", "set_error_handler",
    ],
    "interchange": ["from_dlpack"],
    "launch": ["Kernel"],
    "profiling": ["Profile", "profile"],
    "program": ["Program"],
    "queue": ["Queue", "default_queue", "memory_stats", "reset_peak_memory", "synchronize"],
    "seeds": ["get_rng_state", "manual_seed", "set_rng_state"],
    "statistics": ["TensorStats", "has_inf", "has_nan", "tensor_stats"],
    "tensor": ["Tensor"],
    "transfer": ["from_host", "host_view"],
}  # fmt: skip
_HOME = {name: module for module, names in _MODULES.items() for name in names}
_SUBMODULES = {"cache", "dtypes", "errors", "settings", "shapes"}

__all__ = [
    "Buffer", "Device", "DeviceError", "DtypeError", "FreedError", "GraphError", "IndexOutOfRangeError", "Kernel",
    "KernelLanguageError", "NetclError", "OutOfMemoryError", "Profile", "Program", "Queue", "ShapeError", "Tensor",
    "TensorStats", "__version__", "arange", "arena", "bfloat16", "bool_", "cache", "cache_stats", "counters",
    "default_device", "default_queue", "devices", "dtypes", "empty", "empty_like", "errors", "eye", "find_device",
    "float16", "float32", "float64", "from_dlpack", "from_host", "full", "full_like", "get_rng_state", "has_inf",
    "has_nan", "host_view", "int32", "int64", "keep", "linspace", "manual_seed", "memory_checkpoint", "memory_restore",
    "memory_stats", "ones", "ones_like", "profile", "reset_peak_memory", "set_error_handler", "set_rng_state",
    "settings", "shapes", "synchronize", "tensor_stats", "uint8", "zeros", "zeros_like",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f"netcl.core.{_HOME[name]}"), name)
    elif name in _SUBMODULES:
        value = import_module(f"netcl.core.{name}")
    else:
        raise AttributeError(f"module 'netcl.core' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
