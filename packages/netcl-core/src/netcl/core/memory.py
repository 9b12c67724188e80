"""The pool that hands out device memory, and the exact account of what is alive.

A pool belongs to one in-order queue. A dropped buffer goes back to it at once, even while kernels that use it are
still queued: whatever gets the memory next is queued behind them. On CPU devices that share memory with the host
(seen by trying, not by asking) every block is host memory, so that host code reads and writes it without a copy
command; who does that has to wait for the queue first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from threading import RLock, get_ident
from typing import TYPE_CHECKING, Any

import numpy as np

from netcl.core import guards, settings
from netcl.core.accounting import Counters, total
from netcl.core.blocks import Bin, Block, Buffer, Kept, returned, take_back
from netcl.core.device import Device
from netcl.core.driver import error_code, opencl
from netcl.core.errors import OutOfMemoryError
from netcl.core.log import logger

if TYPE_CHECKING:
    from netcl.core.stream import Stream

log = logger("memory")

_ALIGNMENT = 128  # the widest OpenCL vector
_SMALLEST = 256
# So many dropped upload blocks of one size, or so many bytes of them, are waited for rather than another made.
_UPLOADS = 256
_UPLOAD_BYTES = 1 << 25

NOTING: dict[int, Any] = {}
"""Thread -> a weak reference to what notes the buffers that it allocates; only threads that have set a mark (`arenas`).
"""


class Pool:
    """The free memory of one queue, in bins of equal size: at most an eighth of a block is unused, or half of one that
    was there where none of the size was. So sizes that keep changing do not make the pool grow."""

    def __init__(self, context: Any, stream: Stream, device: Device) -> None:
        self._context = context
        self._stream = stream
        self._device = device
        self._lock = RLock()
        self._bin_of: dict[int, Bin] = {}  # bytes asked for -> bin
        self._bins: dict[int, Bin] = {}  # bytes of a block -> free blocks
        self._uploads: dict[int, Bin] = {}  # the same: blocks that the host writes, those dropped first in front
        self._retired: Bin = deque()  # memory of others, kept until the queue has been waited for
        self.waits = 0
        self.reserved_bytes = 0  # held from the driver, in use or free
        limit = settings.memory_limit()
        self.limit_bytes = device.memory_bytes if limit is None else limit
        cl = opencl()
        self._host_flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
        self._device_flags = cl.mem_flags.READ_WRITE
        self.shares_host_memory = device.device_class == "cpu" and self._try_sharing()

    def allocate(
        self,
        nbytes: int,
        total: Counters = total,
        new: Callable[[type[Buffer]], Buffer] = object.__new__,
        buffer: type[Buffer] = Buffer,
        returned: list[Block] = returned,
        noting: dict[int, Any] = NOTING,
    ) -> Buffer:
        """A buffer of at least `nbytes` (0 works). Its contents are arbitrary. Raises OutOfMemoryError."""
        while returned:  # `take_back`, which is a call
            try:
                block = returned[-1]
                del returned[-1]
            except IndexError:  # another thread was here first
                break
            total.live_bytes -= block.counted
            block.used_until = block.stream.launched
            block.bin.append(block)
        made = new(buffer)
        while True:
            try:
                bin_ = self._bin_of[nbytes]
                block = bin_[-1]
                del bin_[-1]
                made.__del__ = block.give_back
                block.counted = nbytes
                live = total.live_bytes = total.live_bytes + nbytes
                break
            except (KeyError, IndexError):
                self._supply(nbytes)
        made.cl = block.cl
        made.host = block.host
        made.nbytes = nbytes
        made.version = 0
        total.allocations += 1
        total.bytes_allocated += nbytes
        if live > total.peak_bytes:
            total.peak_bytes = live
        if noting:
            _note(made)
        return made

    def allocate_settled(self, nbytes: int) -> Buffer:
        """A buffer that no queued kernel can be using, so that the host may write into it at once."""
        take_back()
        size = self._block_size(nbytes)
        with self._lock:
            dropped = self._uploads.setdefault(size, deque())
            if not self._has_settled(dropped):
                dropped = next(filter(self._has_settled, _larger(self._uploads, size)), dropped)
            if len(dropped) >= min(_UPLOADS, _UPLOAD_BYTES // size + 1) and not self._is_settled(dropped[0]):
                self.wait()
            if not self._has_settled(dropped):
                self._make(size, nbytes, dropped, dropped)
            made = _held(Buffer, dropped, nbytes, nbytes)
        if NOTING:
            _note(made)
        return made

    def keep(self, nbytes: int) -> Buffer:
        """A buffer for a constant, which no queued kernel can be using."""
        size = self._block_size(nbytes)
        with self._lock:
            fresh: Bin = deque()
            self._make(size, nbytes, self._bins.setdefault(size, deque()), fresh)
        return _held(Kept, fresh, nbytes, 0)

    def adopt(self, host: np.ndarray[Any, Any], kind: type[Buffer] = Buffer) -> Buffer:
        """A buffer on memory of someone else (bytes of the host), which is kept alive while kernels may use it."""
        memory = opencl().Buffer(self._context, self._host_flags, hostbuf=host)
        block = Block(self._stream, memory, host, 0, self._retired)
        made = _held(kind, deque([block]), host.nbytes, host.nbytes)
        if NOTING:
            _note(made)
        return made

    def wait(self) -> None:
        """Wait for the queue; what had been dropped before is then free for the host to write."""
        take_back()
        if not self._stream.is_idle:
            self._stream.finish()
        with self._lock:
            while self._retired and self._retired[0].used_until <= self._stream.settled:
                block = self._retired[0]
                del self._retired[0]
                block.release()
        self.waits += 1
        total.finishes += 1

    def free_bytes(self) -> int:
        """Bytes that the pool holds and nobody uses."""
        take_back()
        with self._lock:
            return sum(size * len(blocks) for size, blocks in self._free_blocks())

    def trim(self) -> None:
        """Give all free memory back to the driver; waits for the queue, since kernels may still use it."""
        with self._lock:
            self.wait()
            for _, blocks in self._free_blocks():
                self._release(blocks)

    def poison(self) -> list[Any]:
        """Make every later allocation fail; all blocks, to be kept for ever."""
        take_back()
        kept = [self._bins, self._uploads, self._retired, self._context, returned]
        kept += [tuple(blocks) for _, blocks in self._free_blocks()]
        for _, blocks in self._free_blocks():
            blocks.clear()
        self._lock = RLock()  # another thread of the parent may have held the old one
        return kept

    def _is_settled(self, block: Block) -> bool:
        """Whether no queued kernel can be using a block that was dropped."""
        return block.used_until <= self._stream.settled

    def _has_settled(self, dropped: Bin) -> bool:
        return bool(dropped) and self._is_settled(dropped[0])

    def _free_blocks(self) -> list[tuple[int, Bin]]:
        return [*self._bins.items(), *self._uploads.items()]

    def _release(self, blocks: Bin) -> None:
        """Give the blocks of a bin back to the driver, but for those that were dropped since the last wait."""
        for at in reversed(range(len(blocks))):
            try:
                block = blocks[at]
            except IndexError:  # other threads have taken some
                continue
            if block.used_until <= self._stream.settled:
                del blocks[at]
                self.reserved_bytes -= block.size
                block.release()

    def _supply(self, nbytes: int) -> None:
        """See to it that there is a block in the bin of this many bytes, and remember the bin."""
        size = self._block_size(nbytes)
        with self._lock:
            bin_ = self._bins.setdefault(size, deque())
            if len(self._bin_of) > 65536:  # sizes that were never asked for again must not pile up
                self._bin_of.clear()
            self._bin_of[nbytes] = bin_
            for lender in _larger(self._bins, size):
                if bin_:
                    return
                try:
                    block = lender[-1]
                    del lender[-1]
                except IndexError:
                    continue
                bin_.append(block)  # it comes back to the lender
        if not bin_:
            self._make(size, nbytes, bin_, bin_)

    def _block_size(self, nbytes: int) -> int:
        size, largest = block_size(nbytes), self._device.max_allocation_bytes
        return size if nbytes > largest else min(size, largest)  # rounding alone must not make it too large

    def _make(self, size: int, nbytes: int, bin_: Bin, into: Bin) -> None:
        """Put a new block, which belongs into that bin, in front of these."""
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
                memory = self._from_driver(size)
            except MemoryError:
                memory = None
            if memory is None:
                self.trim()
                try:
                    memory = self._from_driver(size)
                except MemoryError as error:
                    raise self._out_of_memory(nbytes) from error
            if memory is None:
                raise self._out_of_memory(nbytes)
            block = Block(self._stream, *memory, size, bin_)
            self.reserved_bytes += size
            into.appendleft(block)
            total.driver_allocations += 1
            log.debug("%d bytes from the driver, %d in all", size, self.reserved_bytes)

    def _from_driver(self, size: int) -> tuple[Any, Any] | None:
        """Memory, really there when this returns, as OpenCL and the host see it; None when the driver has none."""
        cl = opencl()
        try:
            if self.shares_host_memory:
                host = _host_block(size)
                return cl.Buffer(self._context, self._host_flags, hostbuf=host), host
            memory = cl.Buffer(self._context, self._device_flags, size=size)
            if self._device.device_class != "cpu":
                # Drivers of GPUs put memory behind a buffer at its first use; have them fail here, not in a kernel.
                self._stream.fill(memory, np.uint8(0), min(size, 4))
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
            self._stream.fill(memory, np.uint8(7), _SMALLEST)
            self._stream.finish()
        except cl.Error:
            return False
        return bool((host == 7).all())


def _held(kind: type[Buffer], blocks: Bin, nbytes: int, counted: int) -> Buffer:
    """A buffer that holds the first of these blocks, which is no longer among them."""
    made = kind()
    block = blocks[0]
    del blocks[0]
    made.__del__ = block.give_back
    block.counted = counted
    live = total.live_bytes = total.live_bytes + counted
    made.cl = block.cl
    made.host = block.host
    made.nbytes = nbytes
    made.version = 0
    if kind is not Kept:
        total.allocations += 1
        total.bytes_allocated += counted
    if live > total.peak_bytes:
        total.peak_bytes = live
    return made


def _note(buffer: Buffer) -> None:
    reference = NOTING.get(get_ident())
    allocations = reference and reference()
    if allocations is not None:
        allocations.note(buffer)


def block_size(nbytes: int) -> int:
    """The size of the block that serves `nbytes`: the next number with three bits after its leading one."""
    if nbytes <= _SMALLEST:
        return _SMALLEST
    step = 1 << max((nbytes - 1).bit_length() - 4, 8)
    return -(-nbytes // step) * step


def _larger(bins: dict[int, Bin], size: int) -> Iterator[Bin]:
    """The bins of blocks that are larger, up to twice the size, the nearest first."""
    at = block_size(size + 1)
    while at <= 2 * size:
        if at in bins:
            yield bins[at]
        at = block_size(at + 1)


def _host_block(size: int) -> np.ndarray[Any, Any]:
    """Aligned bytes of the host; numpy asks for huge pages where that pays."""
    raw = np.empty(size + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return raw[start : start + size]
