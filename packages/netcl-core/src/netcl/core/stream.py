"""Streams: what a queue launches kernels on, each with the programs that are built for it.

Every queue has a main stream. On PoCL's CPU devices waking the driver's threads costs far more than a small kernel, so
that a queue has a second stream there, a device of the same driver that runs a kernel at once, on the thread that
launches it. It may be used whenever the main stream has nothing left to do (`is_idle`); order is kept by that alone.
"""

from __future__ import annotations

from collections import deque
from functools import cached_property
from threading import RLock, get_ident
from time import perf_counter
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from netcl.core import guards
from netcl.core.bounded import Limit, Recent
from netcl.core.device import Device
from netcl.core.driver import low_level, opencl
from netcl.core.errors import DeviceError
from netcl.core.program import Program, saves_now
from netcl.core.waiting import wait
from netcl.core.weak import WeakKeys

if TYPE_CHECKING:
    from netcl.core.profiling import Profile


_PROGRAMS = Limit("programs", 2048)

# What is in flight is bounded in time. Every so many launches the event of one is kept as a mark, and whoever makes a
# mark waits for the last but so many. A mark that is passed soon puts twice as many launches between two marks, up to
# so many; one that is passed late, fewer. At first there are few, since nothing is known of what comes.
_MARKS = 4
_SOON, _LATE = 16e-3, 64e-3
_MOST_BETWEEN = 64
_FIRST_BETWEEN = 2


class Tail:
    """The last that one thread has put into a stream: its OpenCL event, and whether its next launch is waited for."""

    __slots__ = ("event", "waits_for_next")

    def __init__(self) -> None:
        self.event: Any = None
        self.waits_for_next = False


class Stream:
    """An in-order OpenCL queue on one device, `cl`, and its programs.

    `launched` counts what is put into it, and `settled` how much of that has been waited for: a thread that has seen
    the launch of another sees that the stream is not idle. It is counted just before it is put there, without a call in
    between, so that no signal handler and no other thread comes between. The launch that makes `launched` reach `due`
    calls `hold_back`. A stream that `is_immediate` has done a launch when it returns, and counts nothing.
    """

    def __init__(self, context: Any, device: Device, is_immediate: bool = False) -> None:
        self.context = context
        self.device = device
        self.cl: Any = opencl().CommandQueue(context, device.cl)
        self.profile: Profile | None = None  # what is told of every launch now
        self.is_immediate = is_immediate
        self.launched = 0
        self.settled = 0
        self.due = 0
        self._tails: dict[int, Tail] = {}  # by thread; in the order of the queue only for each of them
        self._marks: deque[tuple[Any, float]] = deque()  # event, time
        self._between = _FIRST_BETWEEN
        self._changed = 0.0  # when; marks from before say nothing of what there is between them now
        self.unsaved: dict[Program, None] = {}  # programs whose binary has grown since it was saved
        self._programs: Recent[tuple[str, str], Program] = Recent(_PROGRAMS)
        self._built: WeakKeys[Program, None] = WeakKeys()  # also those that only a plan remembers
        self._lock = RLock()

    @property
    def is_idle(self) -> bool:
        """Whether all that was put into the stream has been waited for."""
        return self.launched == self.settled

    @cached_property
    def finished(self) -> Any:
        """An OpenCL buffer with an int that is 0 between launches: work-items that know of each other count in it."""
        cl = opencl()
        zero = np.zeros(16, np.int32)
        return cl.Buffer(self.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=zero)

    @property
    def tail(self) -> Tail:
        """What this thread has put into the stream last."""
        return self._tails.setdefault(get_ident(), Tail())

    def fill(self, memory: Any, value: Any, nbytes: int) -> None:
        """Put in a fill of the first bytes of OpenCL memory with a numpy scalar."""
        tail, fill, queue = self.tail, low_level()._enqueue_fill_buffer, self.cl
        self.launched += 1
        tail.event = fill(queue, memory, value, 0, nbytes)
        if self.launched >= self.due:
            self.hold_back(tail.event)

    def finish(self) -> None:
        """Wait until all that was put into the stream has been done."""
        launched = self.launched
        self.cl.flush()
        for tail in list(self._tails.values()):
            if tail.event is not None:
                wait(tail.event)
        self.settled = launched
        self._marks.clear()
        self._between = min(self._between, _FIRST_BETWEEN)
        self._put_off(launched)

    def wait_for_next(self) -> None:
        """Have the next launch of this thread waited for."""
        self.tail.waits_for_next = True
        self.due = 0  # after the line above: see _put_off

    def _put_off(self, launched: int) -> None:
        """Let `hold_back` be called some launches after `launched`, or for each while a thread waits for its next."""
        self.due = launched + self._between
        # Looked at afterwards: a thread that says so after this look sets `due` after us.
        if guards.is_leaving() or any(tail.waits_for_next for tail in list(self._tails.values())):
            self.due = 0

    def hold_back(self, event: Any) -> None:
        """Mark what this thread has put in last, by its event, and wait while too much is in flight, or for all that
        was put in where that was asked for."""
        tail = self.tail
        if tail.waits_for_next:
            tail.waits_for_next = False
            self.finish()
            return
        self.cl.flush()
        if guards.is_leaving():
            guards.refuse_leaving()
            wait(event)
            return
        self._put_off(self.launched)
        self._marks.append((event, perf_counter()))
        for mark in list(self._marks)[:-1]:
            if mark[0].command_execution_status > 0:
                break
            self._pass(mark)
        for mark in list(self._marks)[:-_MARKS]:
            wait(mark[0], short=0)
            self._pass(mark, waited=True, starved=event.command_execution_status <= 0)

    def _pass(self, mark: tuple[Any, float], waited: bool = False, starved: bool = False) -> None:
        """Take away a mark that the device has passed, and learn from its age, which is exact after a wait.

        A device that starved meanwhile had too little: on a busy machine a short wait may take long.
        """
        if self._marks and self._marks[0] is mark:  # else another thread has waited for it as well
            del self._marks[0]
        made, now = mark[1], perf_counter()
        if made < self._changed:
            return
        if starved or now - made < _SOON:
            between = min(2 * self._between, _MOST_BETWEEN)
        elif waited and now - made > _LATE:
            between = max(1, int(self._between * _LATE / (now - made)))
        else:
            return
        if between != self._between:
            self._between, self._changed = between, now

    def program(self, source: str, options: str = "") -> Program:
        """The program of this source, built once while it is remembered. Raises DeviceError with the compiler's log."""
        key = (source, options)
        found = self._programs[key]
        if found is None:
            with self._lock:
                found = self._programs[key]
                if found is None:
                    found = self._programs.keep(key, Program(self, source, options))
                    self._built[found] = None
        return found

    def save_programs(self) -> None:
        """Put what has been compiled since the last time into the cache on disk, or keep it for the end of the process.

        Called when everything that was queued has been done.
        """
        with self._lock:
            while self.unsaved and saves_now(self.device):
                self.unsaved.popitem()[0].save()
            while len(self.unsaved) > _PROGRAMS.most:
                del self.unsaved[next(iter(self.unsaved))]  # built anew, should another process want it

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
        kept = [self.cl, self.context, self._tails, self._marks, *self._built]
        for program in list(self._built):
            kept.append(program.poison())
        self._programs = Recent(_PROGRAMS)
        self._built = WeakKeys()
        self._tails = {}
        self._marks = deque()
        self._lock = RLock()
        self.unsaved = {}
        self.cl = _ForkedQueue()
        self.launched, self.settled = 1, 0  # never idle: every wait reaches the stand-in
        return kept


class _ForkedQueue:
    """Stands in for the OpenCL queue in a forked child; whatever is asked of it says why it cannot be done."""

    def __getattr__(self, name: str) -> NoReturn:
        raise DeviceError(guards.FORKED)
