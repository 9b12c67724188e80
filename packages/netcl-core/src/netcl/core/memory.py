"""Device memory: buffers, the pool that hands them out, and the exact account of what is alive.

A pool belongs to one in-order queue. A dropped buffer goes back to it at once, even while kernels that use it are
still queued: whatever gets the memory next is queued behind them. On CPU devices that share memory with the host
(seen by trying, not by asking) every block is host memory, so that host code reads and writes it without a copy
command; who does that has to wait for the queue first.
"""

from __future__ import annotations

from threading import RLock, get_ident
from typing import TYPE_CHECKING, Any

import numpy as np

from netcl.core import guards, settings
from netcl.core.accounting import Counters, total
from netcl.core.device import Device
from netcl.core.driver import error_code, low_level, opencl
from netcl.core.errors import OutOfMemoryError
from netcl.core.log import logger

if TYPE_CHECKING:
    from netcl.core.lane import Lane

log = logger("memory")

_ALIGNMENT = 128  # the widest OpenCL vector
_SMALLEST = 256
# So many dropped upload blocks of one size, or so many bytes of them, are waited for rather than another made.
_UPLOADS = 256
_UPLOAD_BYTES = 1 << 25

Bin = list[tuple[Any, Any]]

NOTING: dict[int, Any] = {}
"""Thread -> what notes the buffers that it allocates; only threads that have set a mark (`arenas`)."""


class Buffer:
    """A piece of device memory: the OpenCL memory object `cl`, and `nbytes` as asked for.

    `host` is the same memory as bytes of the host, or None where the device does not share it. `version` counts
    in-place writes, for all tensors that share this buffer. Dropping the last reference gives the memory back.
    """

    __slots__ = ("__weakref__", "_bin", "cl", "host", "nbytes", "version")

    freed = False  # whether an arena has taken the memory away

    def __init__(self, block: tuple[Any, Any], nbytes: int, bin_: Bin) -> None:
        self.cl, self.host = block
        self.nbytes = nbytes
        self.version = 0
        self._bin = bin_

    def __del__(self, total: Counters = total) -> None:
        total.live_bytes -= self.nbytes
        self._bin.append((self.cl, self.host))

    def __repr__(self) -> str:
        return f"<Buffer of {self.nbytes} bytes>"


class Kept(Buffer):
    """A buffer that the runtime keeps for itself: it counts as nobody's, and no arena takes it away."""

    __slots__ = ()

    def __del__(self, total: Counters = total) -> None:
        self._bin.append((self.cl, self.host))


class Pool:
    """The free memory of one queue, in bins of equal size; at most an eighth of a block is unused."""

    def __init__(self, context: Any, lane: Lane, device: Device) -> None:
        self._context = context
        self._lane = lane
        self._device = device
        self._lock = RLock()
        self._bin_of: dict[int, Bin] = {}  # bytes asked for -> bin
        self._bins: dict[int, Bin] = {}  # bytes of a block -> free blocks
        self._uploads: dict[int, tuple[Bin, Bin]] = {}  # the same: blocks that the host may write, blocks to wait for
        self._retired: Bin = []  # memory of others, kept until the queue has been waited for
        self.waits = 0
        self.reserved_bytes = 0  # held from the driver, in use or free
        limit = settings.memory_limit()
        self.limit_bytes = device.memory_bytes if limit is None else limit
        cl = opencl()
        self._host_flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
        self._device_flags = cl.mem_flags.READ_WRITE
        self.shares_host_memory = device.device_class == "cpu" and self._try_sharing()

    def allocate(
        self, nbytes: int, total: Counters = total, buffer: type[Buffer] = Buffer, noting: dict[int, Any] = NOTING
    ) -> Buffer:
        """A buffer of at least `nbytes` (0 works). Its contents are arbitrary. Raises OutOfMemoryError."""
        try:
            bin_ = self._bin_of[nbytes]
            block = bin_.pop()
        except (KeyError, IndexError):
            bin_, block = self._fresh(nbytes)
        total.allocations += 1
        total.bytes_allocated += nbytes
        live = total.live_bytes = total.live_bytes + nbytes
        if live > total.peak_bytes:
            total.peak_bytes = live
        made = buffer(block, nbytes, bin_)
        if noting:
            _note(made)
        return made

    def allocate_settled(self, nbytes: int) -> Buffer:
        """A buffer that no queued kernel can be using, so that the host may write into it at once."""
        size = self._block_size(nbytes)
        with self._lock:
            settled, dropped = self._uploads.setdefault(size, ([], []))
            if not settled and len(dropped) >= min(_UPLOADS, _UPLOAD_BYTES // size + 1):
                self.wait()
            block = settled.pop() if settled else self._make(size, nbytes)
        return self._count(Buffer(block, nbytes, dropped))

    def keep(self, nbytes: int) -> Kept:
        """A buffer for a constant, which no queued kernel can be using."""
        size = self._block_size(nbytes)
        with self._lock:
            return Kept(self._make(size, nbytes), nbytes, self._bins.setdefault(size, []))

    def adopt(self, host: np.ndarray[Any, Any]) -> Buffer:
        """A buffer on memory of someone else (bytes of the host), which is kept alive while kernels may use it."""
        memory = opencl().Buffer(self._context, self._host_flags, hostbuf=host)
        return self._count(Buffer((memory, host), host.nbytes, self._retired))

    def wait(self) -> None:
        """Wait for the queue; what had been dropped before is then free for the host to write."""
        taken: list[tuple[Bin, Bin]] = [([], _take(self._retired))] if self._retired else []
        with self._lock:
            for settled, dropped in self._uploads.values():
                if dropped:
                    taken.append((settled, _take(dropped)))
        if not self._lane.is_idle:
            self._lane.finish()
        for settled, blocks in taken:
            settled += blocks
        self.waits += 1
        total.finishes += 1

    def free_bytes(self) -> int:
        """Bytes that the pool holds and nobody uses."""
        with self._lock:
            return sum(size * len(blocks) for size, blocks in self._free_blocks())

    def trim(self) -> None:
        """Give all free memory back to the driver; waits for the queue, since kernels may still use it."""
        with self._lock:
            taken = [(size, _take(blocks)) for size, blocks in self._free_blocks()]
            self.wait()  # before `taken` goes: what is dropped during the wait stays
            self.reserved_bytes -= sum(size * len(blocks) for size, blocks in taken)

    def poison(self) -> list[Any]:
        """Make every later allocation fail; all blocks, to be kept for ever."""
        kept = [self._bins, self._uploads, self._retired, self._context]
        kept += [_take(blocks) for _, blocks in self._free_blocks()]
        self._lock = RLock()  # another thread of the parent may have held the old one
        return kept

    def _count(self, buffer: Buffer) -> Buffer:
        total.allocations += 1
        total.bytes_allocated += buffer.nbytes
        total.live_bytes += buffer.nbytes
        if total.live_bytes > total.peak_bytes:
            total.peak_bytes = total.live_bytes
        if NOTING:
            _note(buffer)
        return buffer

    def _free_blocks(self) -> list[tuple[int, Bin]]:
        free = list(self._bins.items())
        for size, pair in self._uploads.items():
            free += [(size, blocks) for blocks in pair]
        return free

    def _fresh(self, nbytes: int) -> tuple[Bin, tuple[Any, Any]]:
        """A block from the bin, or from the driver; remembers the bin of this many bytes."""
        size = self._block_size(nbytes)
        with self._lock:
            bin_ = self._bins.setdefault(size, [])
            if len(self._bin_of) > 65536:  # sizes that were never asked for again must not pile up
                self._bin_of.clear()
            self._bin_of[nbytes] = bin_
        try:
            return bin_, bin_.pop()
        except IndexError:
            return bin_, self._make(size, nbytes)

    def _block_size(self, nbytes: int) -> int:
        size, largest = block_size(nbytes), self._device.max_allocation_bytes
        return size if nbytes > largest else min(size, largest)  # rounding alone must not make it too large

    def _make(self, size: int, nbytes: int) -> tuple[Any, Any]:
        guards.refuse_forked()
        with self._lock:
            if size > self._device.max_allocation_bytes:
                raise OutOfMemoryError(
                    f"{nbytes} bytes are more than device {self._device.name!r} gives in one piece "
                    f"({self._device.max_allocation_bytes} bytes); split the work"
                )
            if self.reserved_bytes + size > self.limit_bytes:
                self.trim()
            if self.reserved_bytes + size > self.limit_bytes:
                raise self._out_of_memory(nbytes)
            try:
                block = self._from_driver(size)
            except MemoryError:
                block = None
            if block is None:
                self.trim()
                try:
                    block = self._from_driver(size)
                except MemoryError as error:
                    raise self._out_of_memory(nbytes) from error
            if block is None:
                raise self._out_of_memory(nbytes)
            self.reserved_bytes += size
            log.debug("%d bytes from the driver, %d in all", size, self.reserved_bytes)
            total.driver_allocations += 1
            return block

    def _from_driver(self, size: int) -> tuple[Any, Any] | None:
        """A block of memory, really there when this returns; None when the driver has none."""
        cl = opencl()
        try:
            if self.shares_host_memory:
                host = _host_block(size)
                return cl.Buffer(self._context, self._host_flags, hostbuf=host), host
            memory = cl.Buffer(self._context, self._device_flags, size=size)
            if self._device.device_class != "cpu":
                # Drivers of GPUs put memory behind a buffer at its first use; have them fail here, not in a kernel.
                low_level()._enqueue_fill_buffer(self._lane.cl, memory, np.uint8(0), 0, min(size, 4))
                self._lane.launched += 1
            return memory, None
        except cl.Error as error:
            codes = cl.status_code
            if error_code(error) in (
                codes.MEM_OBJECT_ALLOCATION_FAILURE,
                codes.OUT_OF_RESOURCES,
                codes.OUT_OF_HOST_MEMORY,
                codes.INVALID_BUFFER_SIZE,
            ):
                return None
            raise

    def _out_of_memory(self, nbytes: int) -> OutOfMemoryError:
        used = self.reserved_bytes - self.free_bytes()
        return OutOfMemoryError(
            f"no room for {nbytes} bytes on device {self._device.name!r}: {used} of {self.limit_bytes} bytes are in "
            "use; drop tensors, work in smaller batches, or raise NETCL_MEMORY_LIMIT if you have set it"
        )

    def _try_sharing(self) -> bool:
        """Whether what the device writes into a block made of host memory appears there."""
        cl = opencl()
        host = _host_block(_SMALLEST)
        host[:] = 0
        try:
            memory = cl.Buffer(self._context, self._host_flags, hostbuf=host)
            low_level()._enqueue_fill_buffer(self._lane.cl, memory, np.uint8(7), 0, _SMALLEST)
            self._lane.cl.finish()
        except cl.Error:
            return False
        return bool((host == 7).all())


def _note(buffer: Buffer) -> None:
    allocations = NOTING.get(get_ident())
    if allocations is not None:
        allocations.note(buffer)


def _take(blocks: Bin) -> Bin:
    """Empty a list of blocks, and return what was in it."""
    taken = blocks[:]
    del blocks[: len(taken)]
    return taken


def block_size(nbytes: int) -> int:
    """The size of the block that serves `nbytes`: the next number with three bits after its leading one."""
    if nbytes <= _SMALLEST:
        return _SMALLEST
    step = 1 << max((nbytes - 1).bit_length() - 4, 8)
    return -(-nbytes // step) * step


def _host_block(size: int) -> np.ndarray[Any, Any]:
    """Aligned bytes of the host; numpy asks for huge pages where that pays."""
    raw = np.empty(size + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return raw[start : start + size]
