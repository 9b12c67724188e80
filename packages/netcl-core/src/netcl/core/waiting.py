"""Waiting for the device in slices, so that Python goes on meanwhile: signal handlers (Ctrl-C), other threads, and the
end of the process.

A wait inside the driver holds off all three, and a thread that comes back from C++ to an interpreter that is ending
takes the process with it ("terminate called without an active exception").
"""

from __future__ import annotations

import os
from time import perf_counter, sleep
from typing import Any

from netcl.core import guards

_SHORT = 300e-6
"""For so many seconds whoever waits only lets others run: the shortest sleep takes a quarter of that."""
_LONGEST = 5e-3
_LATER = 16
"""A wait ends by at most this part of it too late."""


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
        else:
            guards.refuse_leaving()
            sleep(min(waited / _LATER, _LONGEST))
    if status < 0:
        event.wait()
