"""The queue: one in-order OpenCL command queue with its context, its memory pool and its programs.

Work is done in the order in which it is queued, whoever queues it. Nothing here waits, except `finish`.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING, Any

from netcl.core import guards, settings
from netcl.core.accounting import total
from netcl.core.arguments import described, explained
from netcl.core.blocks import take_back
from netcl.core.device import Device, default_device, find_device
from netcl.core.driver import opencl
from netcl.core.errors import DeviceError, DtypeError
from netcl.core.layout import Layouts
from netcl.core.memory import Pool
from netcl.core.poison import poisoned
from netcl.core.program import Program
from netcl.core.stream import Stream

if TYPE_CHECKING:
    from netcl.core.profiling import Profile


class Queue:
    """An in-order queue on a device: a Device, what `find_device` finds by a text, or the default one.

    `layouts` has the layouts of its tensors. `main` is its stream; `inline` is one for small kernels while `main` is
    idle, or None where there is none. `watchers` are called when the host has waited for the queue, before it sees
    anything; whoever waited gets what they raise.
    """

    def __init__(self, device: Device | str | None = None) -> None:
        guards.touch_driver()
        if isinstance(device, str):
            device = find_device(device, "Queue")
        elif not isinstance(device, Device | None):
            raise DtypeError(f"Queue: device must be a Device, its name or None, but it is {described(device)}")
        self.device = device if device is not None else default_device()
        beside = self.device.inline
        cl = opencl()
        try:
            self.context: Any = cl.Context([self.device.cl, *([beside.cl] if beside else [])])
            self.main = Stream(self.context, self.device)
            self.inline = Stream(self.context, beside, is_immediate=True) if beside else None
        except cl.Error as error:
            raise DeviceError(f"device {self.device.name!r} cannot be opened: {error}") from error
        self.streams = [self.main, *([self.inline] if self.inline else [])]
        self.pool = Pool(self.context, self.main, self.device)
        allocate = self.pool.allocate
        self.allocate = poisoned(allocate, self.main) if settings.poisons_memory() else allocate  # (nbytes) -> Buffer
        self.layouts = Layouts(self)
        self.watchers: set[Callable[[], None]] = set()
        guards.queues[self] = None

    @property
    def cl(self) -> Any:
        """The OpenCL queue of the main stream."""
        return self.main.cl

    @property
    def profile(self) -> Profile | None:
        """What is told of every launch now."""
        return self.main.profile

    @property
    def shares_host_memory(self) -> bool:
        """Whether buffers are host memory, which the host may touch after `finish`."""
        return self.pool.shares_host_memory

    @property
    def finish_count(self) -> int:
        """How often the host has waited for this queue."""
        return self.pool.waits

    def finish(self) -> None:
        """Wait until all that is queued has been done."""
        self.pool.wait()
        for stream in self.streams:
            if stream.unsaved:
                stream.save_programs()
        for watcher in list(self.watchers):
            watcher()

    @explained
    def program(self, source: str, options: str = "") -> Program:
        """The program of this source on the main stream, built once. Raises DeviceError with the compiler's log."""
        return self.main.program(source, options)

    def measure(self, profile: Profile | None) -> None:
        """Tell `profile` of every launch from now on; None for nobody. Waits for what is queued."""
        self.finish()
        for stream in self.streams:
            stream.measure(profile)

    def leave(self) -> None:
        """Have every launch waited for from now on; the process ends."""
        self.main.due = 0

    def poison(self) -> list[Any]:
        """Cut a forked child off from the driver: every use raises DeviceError. What must never be released."""
        return [kept for stream in self.streams for kept in stream.poison()] + self.pool.poison()

    def __repr__(self) -> str:
        return f"<Queue on {self.device!r}>"


_default: list[Queue] = []
_default_lock = RLock()


def default_queue() -> Queue:
    """The queue that is used where none is named: one per process, on the default device."""
    if _default:
        return _default[0]
    with _default_lock:
        if not _default:
            _default.append(Queue())
    return _default[0]


@explained
def synchronize(queue: Queue | None = None) -> None:
    """Wait for one queue, or for every queue of this process."""
    for one in list(guards.queues) if queue is None else [queue]:
        one.finish()


@explained
def memory_stats(queue: Queue | None = None) -> dict[str, int]:
    """Bytes of device memory.

    Of the process: `live_bytes` in live buffers (as asked for), `peak_bytes` the most there ever were since the start
    or `reset_peak_memory`. Of one queue, or of all: `pool_bytes` held free for reuse, `used_bytes` in blocks that
    somebody holds, `capacity_bytes` that may be used at most, and `free_bytes`, the capacity that is not used.
    """
    take_back()
    pools = [one.pool for one in (list(guards.queues) if queue is None else [queue])]
    pooled = sum(pool.free_bytes() for pool in pools)
    used = sum(pool.reserved_bytes for pool in pools) - pooled
    capacity = sum(pool.limit_bytes for pool in pools)
    return {
        "live_bytes": total.live_bytes,
        "peak_bytes": total.peak_bytes,
        "pool_bytes": pooled,
        "used_bytes": used,
        "capacity_bytes": capacity,
        "free_bytes": capacity - used,
    }


def reset_peak_memory() -> None:
    """Let `peak_bytes` start again from what is alive now."""
    take_back()
    total.peak_bytes = total.live_bytes
