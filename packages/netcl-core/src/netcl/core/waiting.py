"""Waiting for the device so that Python goes on meanwhile: signal handlers (Ctrl-C), other threads, and the end of the
process.

A wait inside the driver holds off all three, and a thread that comes back from C++ to an interpreter that is ending
takes the process with it ("terminate called without an active exception"). So a short wait asks for the state of the
event again and again, and for a longer one a thread of its own is inside the driver, which says when it is back.
"""

from __future__ import annotations

import os
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from time import perf_counter, sleep
from typing import Any

from netcl.core import guards

_SHORT = 300e-6
"""For so many seconds whoever waits only lets others run: the shortest sleep takes a quarter of that."""
_LONGEST = 5e-3
_LATER = 16
"""A wait that nobody watches ends by at most this part of it too late."""
_WATCHED = 50e-3
"""After so many seconds whoever waits looks whether the process is ending."""


def _give_way() -> None:
    sleep(0)


give_way = getattr(os, "sched_yield", _give_way)


def wait(event: Any, short: float = _SHORT) -> None:
    """Wait for what an OpenCL event stands for. Raises pyopencl's error when the device has failed."""
    begun = perf_counter()
    while (status := event.command_execution_status) > 0:
        waited = perf_counter() - begun
        if waited < short:
            give_way()
            continue
        guards.refuse_leaving()
        if waited < _SHORT or not _watcher.watch(event):
            sleep(min(waited / _LATER, _LONGEST))
    if status < 0:
        event.wait()


class _Watcher:
    """A thread that is inside the driver until an event is done, for one other thread at a time."""

    def __init__(self) -> None:
        self._events: SimpleQueue[tuple[Any, Lock]] = SimpleQueue()
        # Empty while it is taken. To free it twice, as a thread may that is interrupted just after its event was put,
        # does no harm, which it would to a lock: the next event then waits behind the one before.
        self._free = {"free": True}
        self._is_running = False

    def watch(self, event: Any) -> bool:
        """Wait until the event is done, or for a while; False at once where another thread is waited for, or none may
        be. Only this part of a wait is interrupted: the thread goes on."""
        done = Lock()
        done.acquire()
        if guards.is_leaving() or not self._free.pop("free", False):
            return False
        try:
            if not self._is_running:
                Thread(target=self._run, name="netcl-watcher", daemon=True).start()
                self._is_running = True
            self._events.put((event, done))
        except BaseException:
            self._free["free"] = True
            raise
        while not done.acquire(timeout=_WATCHED):
            guards.refuse_leaving()
        return True

    def _run(self) -> None:
        while True:
            event, done = self._events.get()
            with suppress(Exception):  # whoever waits asks the event itself how it ended
                guards.inside(event.wait)
            self._free["free"] = True
            done.release()
            del event, done  # an event keeps the arrays alive that it copies


_watcher = _Watcher()
