"""Blocks of device memory, and the buffers that hold them.

A signal handler runs in whatever Python is being run, that of a finaliser as well, and what it raises there is lost.
So no Python runs when a buffer goes: its finaliser is a C function, which puts the block into `returned`, and the next
allocation sorts what is there into bins (`take_back`).

Handlers and other threads run only after a call and between two rounds of a loop, behind the question of the loop as
well. Where a block changes hands, there is neither between the statements.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

from netcl.core.accounting import Counters, total

if TYPE_CHECKING:
    from netcl.core.stream import Stream

returned: list[Block] = []
"""What dropped buffers have given back since `take_back`."""


class Block:
    """Memory of a stream: the OpenCL memory object `cl` and its `size`, and where it is put when its buffer goes.

    `host` is the same memory as bytes of the host, or None where the device does not share it. `counted` are the bytes
    of it that count as live. Kernels that may use it are done when the stream has settled `used_until` launches.
    """

    __slots__ = ("bin", "cl", "counted", "give_back", "host", "size", "stream", "used_until")

    def __init__(self, stream: Stream, cl: Any, host: Any, size: int, bin_: Bin) -> None:
        self.stream = stream
        self.cl = cl
        self.host = host
        self.size = size
        self.bin = bin_
        self.counted = 0
        self.used_until = 0
        self.give_back: Any = partial(returned.append, self)  # a cycle, until `release`

    def release(self) -> None:
        """Let the block go to the driver as soon as nobody holds it."""
        self.give_back = None


Bin = deque[Block]


class Buffer:
    """A piece of device memory: the OpenCL memory object `cl`, and `nbytes` as asked for.

    `host` is the same memory as bytes of the host, or None where the device does not share it. `version` counts
    in-place writes, for all tensors that share this buffer. Dropping the last reference gives the memory back.
    """

    __slots__ = ("__del__", "__weakref__", "cl", "host", "nbytes", "version")

    freed = False  # whether an arena has taken the memory away

    __del__: Any  # the `give_back` of its block, or unset for one that has none
    cl: Any
    host: Any
    nbytes: int
    version: int

    def __repr__(self) -> str:
        return f"<Buffer of {self.nbytes} bytes>"


class Kept(Buffer):
    """A buffer that the runtime keeps for itself: it counts as nobody's, and no arena takes it away."""

    __slots__ = ()


class Lent(Buffer):
    """A buffer on memory that others read and write, too. Nobody tells us when they do, so a launch that uses it is
    waited for, as if it were done at once."""

    __slots__ = ()

    @property
    def cl(self) -> Any:  # type: ignore[override]  # what a launch asks for just before it is enqueued
        give_back = getattr(self, "__del__", None)
        if give_back is not None:
            give_back.args[0].stream.wait_for_next()
        return _memory.__get__(self)

    @cl.setter
    def cl(self, memory: Any) -> None:
        _memory.__set__(self, memory)


_memory: Any = Buffer.__dict__["cl"]


def lend(buffer: Buffer) -> None:
    """From now on others have this memory."""
    if type(buffer) is Buffer:
        buffer.__class__ = Lent


def take_back(returned: list[Block] = returned, total: Counters = total) -> None:
    """Put what dropped buffers have given back where it belongs."""
    while returned:
        try:
            block = returned[-1]
            del returned[-1]
        except IndexError:  # another thread was here first
            break
        total.live_bytes -= block.counted
        block.used_until = block.stream.launched
        block.bin.append(block)
