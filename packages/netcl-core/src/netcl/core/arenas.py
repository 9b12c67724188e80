"""Arenas: give back at once all memory that a thread has allocated since a mark.

    mark = core.memory_checkpoint()          with core.arena():
    ...                                          ...
    core.memory_restore(mark)

Memory goes back to its pool by itself when the last tensor on it is dropped; an arena is for being sure of it, whoever
still holds what: the tensors, the graph that saved them, a list that was forgotten. What was made before the mark is
left alone, and so is what `keep` was told of. A tensor whose memory was taken away stays a Python object with a shape;
any use of its values raises FreedError.
"""

from __future__ import annotations

from functools import partial
from threading import get_ident
from types import TracebackType
from typing import Any, NoReturn, TypeVar
from weakref import ref

from netcl.core.accounting import total
from netcl.core.arguments import described
from netcl.core.blocks import Buffer
from netcl.core.errors import DtypeError, FreedError, GraphError
from netcl.core.memory import NOTING
from netcl.core.transfer import lent
from netcl.core.weak import WeakKeys

_Value = TypeVar("_Value")


class FreedBuffer(Buffer):
    """What a Buffer becomes when an arena takes its memory."""

    __slots__ = ()

    freed = True

    def _gone(self) -> NoReturn:
        raise FreedError(
            f"this tensor of {self.nbytes} bytes was freed: it was made after a memory_checkpoint() that has been "
            "restored (or inside core.arena()); tell core.keep(x) what is to stay, or take it out with to_host() before"
        )

    cl = property(_gone)
    host = property(_gone)


class Mark:
    """A place in the order of this thread's allocations. It is good for as many restores as wanted."""

    __slots__ = ("allocations", "serial", "thread")

    def __init__(self, thread: int, allocations: _Allocations, serial: int) -> None:
        self.thread = thread
        self.allocations = allocations  # which only marks keep alive
        self.serial = serial

    def is_before(self, buffer: Buffer) -> bool:
        """Whether its thread has allocated a buffer since."""
        return self.allocations.serial(buffer) > self.serial


class _Allocations:
    """What one thread has allocated since its oldest mark."""

    __slots__ = ("__del__", "__weakref__", "_count", "_serials")

    __del__: Any  # no Python, in which a signal handler could run (`blocks`)

    def __init__(self, thread: int) -> None:
        self._serials: WeakKeys[Buffer, int] = WeakKeys()
        self._count = 0
        self.__del__ = partial(NOTING.pop, thread, None)

    def note(self, buffer: Buffer) -> None:
        self._count += 1
        self._serials[buffer] = self._count

    def mark(self, thread: int) -> Mark:
        return Mark(thread, self, self._count)

    def serial(self, buffer: Buffer) -> int:
        """The number of a buffer among those that are listed; 0 for another one."""
        return self._serials.get(buffer, 0)

    def forget(self, buffer: Buffer) -> None:
        self._serials.pop(buffer, None)

    def restore(self, serial: int) -> None:
        for buffer, made in list(self._serials.items()):
            if made > serial:
                del self._serials[buffer]
                _free(buffer)


def memory_checkpoint() -> Mark:
    """Return a mark for `memory_restore`. Allocations of this thread are listed as long as a mark of it exists."""
    thread = get_ident()
    allocations = _listed(thread)
    if allocations is None:
        allocations = _Allocations(thread)
        NOTING[thread] = ref(allocations)
    return allocations.mark(thread)


def memory_restore(mark: Mark) -> None:
    """Free every tensor that this thread has made since the mark and that still lives. Does not wait for the device.

    Raises GraphError for a mark of another thread.
    """
    if not isinstance(mark, Mark):
        raise DtypeError(f"memory_restore: mark must be what memory_checkpoint() gave, but it is {described(mark)}")
    if mark.thread != get_ident():
        raise GraphError("memory_restore: the mark was made by another thread; restore it there")
    mark.allocations.restore(mark.serial)


def keep(value: _Value) -> _Value:
    """Except a tensor (or a node) from the restores of this thread's marks, and return it."""
    allocations = _listed(get_ident())
    if allocations is not None:
        tensor: Any = value if hasattr(value, "buffer") else getattr(value, "value", value)
        allocations.forget(tensor.buffer)
    return value


class arena:  # noqa: N801  (a context is called like a function)
    """Free at the end of a `with` block every tensor that this thread has made in it, except what `keep` was told."""

    def __init__(self) -> None:
        self._marks: list[Mark] = []

    def __enter__(self) -> arena:
        self._marks.append(memory_checkpoint())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        memory_restore(self._marks.pop())


def _listed(thread: int) -> _Allocations | None:
    reference = NOTING.get(thread)
    return None if reference is None else reference()


def _free(buffer: Buffer) -> None:
    """Give the memory of a buffer back, or have it given back when numpy has done with it."""
    if any(shared.buffer is buffer for shared in lent):
        (block,) = buffer.__del__.args
        total.live_bytes -= block.counted
        block.counted = 0
    else:
        give_back = buffer.__del__
        del buffer.__del__
        buffer.cl = buffer.host = None
        give_back()
    buffer.__class__ = FreedBuffer
