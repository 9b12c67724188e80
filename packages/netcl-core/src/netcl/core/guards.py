"""What keeps a process alive around drivers that do not: forked children, exit with work queued, a missing linker.

Queues register here. In a forked child everything that would reach the driver is cut off, because the driver's
threads do not exist there and any wait would last for ever; nothing of this costs anything on the hot paths.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from threading import get_ident
from time import sleep
from typing import TYPE_CHECKING, Any

from netcl.core import cache
from netcl.core.errors import DeviceError
from netcl.core.weak import WeakKeys

if TYPE_CHECKING:
    from netcl.core.queue import Queue

queues: WeakKeys[Queue, None] = WeakKeys()

_state: dict[str, Any] = {"touched": False, "forked": False, "leaving": None}
_inside: dict[int, None] = {}  # threads that wait inside the driver
_immortal: list[Any] = []  # what must never be released in a forked child
_LINKER_SECONDS = 10
_linker: list[str] = []  # the one that was found to work

FORKED = (
    "this process was forked after its parent had used OpenCL, and the driver's threads do not exist here; start "
    "processes with multiprocessing's 'spawn' or 'forkserver' method: multiprocessing.set_start_method('spawn'), and "
    "of a DataLoader multiprocessing_context='spawn'"
)


def touch_driver() -> None:
    """Call before a driver is used. Raises DeviceError in a forked child of a process that had used one."""
    refuse_forked()
    refuse_leaving()
    _state["touched"] = True


def is_leaving() -> bool:
    """Whether the process is ending."""
    return _state["leaving"] is not None


def refuse_leaving() -> None:
    """End a thread that is not the one in which the process ends, silently, once that has begun.

    Only daemon threads are left then. One that came back from C++ to a closed interpreter would abort the process.
    """
    if _state["leaving"] not in (None, get_ident()):
        raise SystemExit


def inside(call: Callable[..., Any], *args: Any) -> Any:
    """Call what waits inside the driver without Python's lock; the process does not end before it is back."""
    thread = get_ident()
    try:
        _inside[thread] = None
        refuse_leaving()
        return call(*args)
    finally:
        _inside.pop(thread, None)


def refuse_forked() -> None:
    """Raise DeviceError in a forked child that must not reach the driver."""
    if _state["forked"]:
        raise DeviceError(FORKED)


def require_linker() -> None:
    """Raise DeviceError when PoCL would link a kernel and has no linker, or one that fails: it aborts the process then.

    What a linker lacks that answers at all, the C library say, shows only when it links.
    """
    if not sys.platform.startswith("linux"):
        return
    linker = shutil.which("ld", path=os.environ.get("PATH", ""))  # PoCL looks nowhere where there is no PATH
    if linker in _linker:
        return
    problem = "there is none on PATH; install it" if linker is None else _problem_of(linker)
    if problem:
        raise DeviceError(
            f"PoCL needs the linker `ld` to compile a kernel, and {problem} "
            "(Debian, Ubuntu: `apt install binutils libc6-dev gcc`; Fedora: `dnf install binutils gcc glibc-devel`)"
        )
    _linker[:] = [linker] if linker else []


def _problem_of(linker: str) -> str:
    """What is wrong with a linker that does not even tell its version, which takes 3 ms, and what to do."""
    try:
        done = subprocess.run(
            [linker, "-v"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, timeout=_LINKER_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        problem = f"does not end within {_LINKER_SECONDS} s"
    except OSError as error:
        problem = f"cannot be run ({error.strerror})"
    else:
        problem = f"ends with code {done.returncode}" if done.returncode else ""
    place = f"{linker}, the first on PATH,"
    return problem and f"{place} {problem} for `ld -v`; take its folder out of PATH, or install one that works"


def _after_fork_in_child() -> None:
    if not _state["touched"]:
        return
    _state["forked"] = True
    for queue in list(queues):
        _immortal.append(queue.poison())
    # A reference that is never given back: the closing interpreter must not release driver objects, which waits.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_immortal))


def _at_exit() -> None:
    """Wait for every queue, and for threads inside the driver: leaving meanwhile crashes some drivers."""
    if _state["forked"]:
        return
    _state["leaving"] = get_ident()
    for queue in queues:
        queue.leave()
    _uninterrupted(_driver_left)
    for queue in queues:
        try:
            _uninterrupted(queue.finish)
        except Exception as error:  # the process is leaving: say it and go on to the next queue
            print(f"netcl: a queue could not finish at exit: {error}", file=sys.stderr)
    cache.remove_temporary()


def _driver_left() -> None:
    """Wait until no other thread is inside the driver; each of them comes to a place where it ends itself."""
    while any(thread != _state["leaving"] for thread in list(_inside)):
        sleep(1e-3)
    if threading.active_count() > 1:
        sleep(5e-3)


def _uninterrupted(wait: Callable[[], None]) -> None:
    """Go on waiting after Ctrl-C: a kernel cannot be stopped, and leaving it alone would crash."""
    while True:
        try:
            return wait()
        except KeyboardInterrupt:
            print("netcl: a kernel is still running, and no kernel can be stopped; waiting for it", file=sys.stderr)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
atexit.register(_at_exit)
