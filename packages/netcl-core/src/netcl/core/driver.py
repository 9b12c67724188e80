"""The one door to pyopencl: its import, with the environment prepared, and the few parts of it below its public names.

The hot paths (set arguments, enqueue, read, write) call pyopencl's C++ layer directly, because the Python layer
above it costs as much as the driver. Nothing else in netcl names `pyopencl._cl`.
"""

from __future__ import annotations

import os
from functools import cache
from types import ModuleType
from typing import Any

from netcl.core import cache as program_cache
from netcl.core import settings
from netcl.core.errors import DeviceError
from netcl.core.log import logger

log = logger("driver")

POCL_DEVICES = "pthread basic"
_AFFINITY = "POCL_AFFINITY"
_SPECIALIZATION = "POCL_WORK_GROUP_SPECIALIZATION"


@cache
def opencl() -> ModuleType:
    """The module pyopencl. The first call imports it, after the environment of the drivers is set."""
    prepare_environment()
    try:
        import pyopencl

        # PoCL's wheel has a folder in that of pyopencl, which is a namespace where nothing else is in it.
        if getattr(pyopencl, "__file__", None) is None:
            raise ImportError(f"{', '.join(pyopencl.__path__)} is all there is of it")
    except ImportError as error:
        raise DeviceError(f"pyopencl cannot be imported ({error}); install it with `pip install pyopencl`") from error
    return pyopencl


@cache
def low_level() -> ModuleType:
    """pyopencl's C++ layer: `_Program`, `enqueue_nd_range_kernel`, `_enqueue_read_buffer`, …"""
    opencl()
    import pyopencl._cl

    return pyopencl._cl


def prepare_environment() -> None:
    """Set what PoCL and pyopencl read once: threads, devices, folders. What the user has set is left alone.

    Raises NetclError for numbers with which PoCL ends the process or leaves out work-items.

    PoCL ignores the affinity mask of the process, and lists no device when its cache folder cannot be written;
    pyopencl would keep a second cache of its own. A thread that is woken often starts on the core of the one that
    woke it; where PoCL has a thread for each core of the machine, each is kept on its own.

    A binary of PoCL's has every kernel compiled for any launch. By default a launch has it compiled once more, for
    its local size, offset and size of grid: twice the wait, and nothing gained where a work-item is a loop.
    """
    for name, near in settings.unknown().items():
        if near is not None:
            log.warning("the environment has %s, which is no setting; did you mean %s?", name, near)
    for name, value in settings.unclear().items():
        log.warning("%s is %r, which is neither 1 (on) nor 0 (off), and counts as on", name, value)
    os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
    settings.require_pocl_work_groups()
    fewest, wanted = settings.pocl_fewest_threads(), settings.threads()
    if wanted is not None:
        os.environ[settings.POCL_THREADS] = str(wanted)
    else:
        wanted = settings.pocl_threads()
    if wanted is None:
        wanted = usable_cores()
        os.environ[settings.POCL_THREADS] = str(wanted)
        if wanted == os.cpu_count():
            os.environ.setdefault(_AFFINITY, "1")
    if max(wanted, fewest) > (os.cpu_count() or 1):
        os.environ[_AFFINITY] = "0"  # which a process that started this one may have set: PoCL ends this one then
    os.environ.setdefault("POCL_DEVICES", POCL_DEVICES)
    os.environ.setdefault(_SPECIALIZATION, "0")
    chosen = os.environ.get(program_cache.POCL_DIR)
    if chosen is None or program_cache.is_of_a_process(chosen):  # that of the process which started this one
        os.environ[program_cache.POCL_DIR] = str(program_cache.pocl_folder())


def has_inline_device() -> bool:
    """Whether PoCL was asked for the device that runs kernels on the calling thread, beside that with threads."""
    return os.environ.get("POCL_DEVICES") == POCL_DEVICES


def specializes_launches() -> bool:
    """Whether PoCL compiles a kernel apart for each local size, and for large grids."""
    return os.environ.get(_SPECIALIZATION) != "0"


def added_options() -> str:
    """What PoCL adds to the options of every build, as its environment says."""
    return os.environ.get("POCL_EXTRA_BUILD_FLAGS", "")


def usable_cores() -> int:
    """The number of cores that the affinity mask of this process leaves it."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def error_code(error: BaseException) -> int | None:
    """The OpenCL status code of a pyopencl error, or None."""
    code: Any = getattr(error, "code", None)
    return code if isinstance(code, int) else None
