"""What keeps a process alive around drivers that do not: forked children, exit with work queued, a missing linker.

Queues register here. In a forked child everything that would reach the driver is cut off, because the driver's
threads do not exist there and any wait would last for ever; nothing of this costs anything on the hot paths.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from netcl.core import cache
from netcl.core.errors import DeviceError

if TYPE_CHECKING:
    from netcl.core.queue import Queue

queues: WeakSet[Queue] = WeakSet()

_state = {"touched": False, "forked": False}
_immortal: list[Any] = []  # what must never be released in a forked child

FORKED = (
    "this process was forked after its parent had used OpenCL, and the driver's threads do not exist here; start "
    "processes with multiprocessing's 'spawn' or 'forkserver' method: multiprocessing.set_start_method('spawn')"
)


def touch_driver() -> None:
    """Call before a driver is used. Raises DeviceError in a forked child of a process that had used one."""
    refuse_forked()
    _state["touched"] = True


def refuse_forked() -> None:
    """Raise DeviceError in a forked child that must not reach the driver."""
    if _state["forked"]:
        raise DeviceError(FORKED)


def require_linker() -> None:
    """Raise DeviceError when PoCL would link a kernel and there is no linker: PoCL aborts the process then."""
    if sys.platform.startswith("linux") and shutil.which("ld") is None:
        raise DeviceError(
            "PoCL needs the linker `ld` to compile a kernel, and there is none on PATH; install it "
            "(Debian, Ubuntu: `apt install binutils libc6-dev gcc`; Fedora: `dnf install binutils gcc glibc-devel`)"
        )


def _after_fork_in_child() -> None:
    if not _state["touched"]:
        return
    _state["forked"] = True
    for queue in list(queues):
        _immortal.append(queue.poison())
    # A reference that is never given back: the closing interpreter must not release driver objects, which waits.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_immortal))


def _at_exit() -> None:
    """Wait for every queue: leaving while a kernel is compiling crashes some drivers."""
    if _state["forked"]:
        return
    for queue in list(queues):
        try:
            queue.finish()
        except Exception as error:  # the process is leaving: say it and go on to the next queue
            print(f"netcl: a queue could not finish at exit: {error}", file=sys.stderr)
    cache.remove_temporary()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
atexit.register(_at_exit)
