"""Lanes: what a queue launches kernels on, each with the programs that are built for it.

Every queue has a main lane. On PoCL's CPU devices waking the driver's threads costs far more than a small kernel, so
that a queue has a second lane there, a device of the same driver that runs a kernel at once, on the thread that
launches it. It may be used whenever the main lane has nothing left to do (`is_idle`); order is kept by that alone.
"""

from __future__ import annotations

from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import WeakSet

import numpy as np

from netcl.core import guards
from netcl.core.bounded import Limit, Recent
from netcl.core.device import Device
from netcl.core.driver import opencl
from netcl.core.errors import DeviceError
from netcl.core.program import Program

if TYPE_CHECKING:
    from netcl.core.profiling import Profile


_PROGRAMS = Limit("programs", 2048)


class Lane:
    """An in-order OpenCL queue on one device, `cl`, and its programs.

    `launched` counts what was put into it, after it was put there, and `settled` how much of that has been waited for:
    a thread that has seen the launch of another sees that the lane is not idle.
    """

    def __init__(self, context: Any, device: Device) -> None:
        self.context = context
        self.device = device
        self.cl: Any = opencl().CommandQueue(context, device.cl)
        self.profile: Profile | None = None  # what is told of every launch now
        self.launched = 0
        self.settled = 0
        self.unsaved: set[Program] = set()  # programs whose binary has grown since it was saved
        self._programs: Recent[tuple[str, str], Program] = Recent(_PROGRAMS)
        self._built: WeakSet[Program] = WeakSet()  # also those that only a plan remembers
        self._lock = RLock()

    @property
    def is_idle(self) -> bool:
        """Whether all that was put into the lane has been waited for."""
        return self.launched == self.settled

    @cached_property
    def finished(self) -> Any:
        """An OpenCL buffer with an int that is 0 between launches: work-items that know of each other count in it."""
        cl = opencl()
        zero = np.zeros(16, np.int32)
        return cl.Buffer(self.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=zero)

    def finish(self) -> None:
        """Wait until all that was put into the lane has been done."""
        launched = self.launched
        self.cl.finish()
        self.settled = launched

    def program(self, source: str, options: str = "") -> Program:
        """The program of this source, built once while it is remembered. Raises DeviceError with the compiler's log."""
        key = (source, options)
        found = self._programs[key]
        if found is None:
            with self._lock:
                found = self._programs[key]
                if found is None:
                    found = self._programs.keep(key, Program(self, source, options))
                    self._built.add(found)
        return found

    def save_programs(self) -> None:
        """Put what has been compiled since the last time into the cache on disk; when everything is done."""
        with self._lock:
            while self.unsaved:
                self.unsaved.pop().save()

    def measure(self, profile: Profile | None) -> None:
        """Tell `profile` of every launch from now on, None for nobody; everything has been done."""
        cl = opencl()
        with self._lock:
            properties = 0 if profile is None else cl.command_queue_properties.PROFILING_ENABLE
            self.profile = profile
            self.cl = cl.CommandQueue(self.context, self.device.cl, properties=properties)
            for program in self._built:
                program.forget_launches()

    def poison(self) -> list[Any]:
        """Cut a forked child off from the driver: every use raises DeviceError. What must never be released."""
        kept = [self.cl, self.context, *self._built]
        for program in list(self._built):
            kept.append(program.poison())
        self._programs = Recent(_PROGRAMS)
        self._built = WeakSet()
        self._lock = RLock()
        self.unsaved = set()
        self.cl = _ForkedQueue()
        self.launched, self.settled = 1, 0  # never idle: every wait reaches the stand-in
        return kept


class _ForkedQueue:
    """Stands in for the OpenCL queue in a forked child; whatever is asked of it says why it cannot be done."""

    def __getattr__(self, name: str) -> NoReturn:
        raise DeviceError(guards.FORKED)
