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

from threading import get_ident
from types import TracebackType
from typing import Any, NoReturn, TypeVar
from weakref import WeakKeyDictionary

from netcl.core.accounting import total
from netcl.core.errors import FreedError, GraphError
from netcl.core.memory import NOTING, Buffer
from netcl.core.transfer import lent

_Value = TypeVar("_Value")


class FreedBuffer(Buffer):
    """What a Buffer becomes when an arena takes its memory."""

    __slots__ = ()

    freed = True

    def __del__(self) -> None:  # type: ignore[override]
        if self._bin is not None:  # the memory was lent to numpy, which has done with it now
            self._bin.append((_cl.__get__(self), _host.__get__(self)))

    def _gone(self) -> NoReturn:
        raise FreedError(
            f"this tensor of {self.nbytes} bytes was freed: it was made after a memory_checkpoint() that has been "
            "restored (or inside core.arena()); tell core.keep(x) what is to stay, or take it out with to_host() before"
        )

    cl = property(_gone)  # type: ignore[assignment]
    host = property(_gone)  # type: ignore[assignment]


_cl: Any = Buffer.cl
_host: Any = Buffer.host


class Mark:
    """A place in the order of this thread's allocations. It is good for as many restores as wanted."""

    __slots__ = ("_serial", "_thread")

    def __init__(self, thread: int, serial: int) -> None:
        self._thread = thread
        self._serial = serial

    def __del__(self, noting: dict[int, Any] = NOTING) -> None:
        allocations = noting[self._thread]
        allocations.marks -= 1
        if not allocations.marks:
            del noting[self._thread]


class _Allocations:
    """What one thread has allocated since its oldest mark."""

    def __init__(self) -> None:
        self.marks = 0  # that somebody holds
        self._serials: WeakKeyDictionary[Buffer, int] = WeakKeyDictionary()
        self._count = 0

    def note(self, buffer: Buffer) -> None:
        self._count += 1
        self._serials[buffer] = self._count

    def mark(self, thread: int) -> Mark:
        self.marks += 1
        return Mark(thread, self._count)

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
    return NOTING.setdefault(thread, _Allocations()).mark(thread)


def memory_restore(mark: Mark) -> None:
    """Free every tensor that this thread has made since the mark and that still lives. Does not wait for the device.

    Raises GraphError for a mark of another thread.
    """
    if mark._thread != get_ident():
        raise GraphError("memory_restore: the mark was made by another thread; restore it there")
    NOTING[mark._thread].restore(mark._serial)


def keep(value: _Value) -> _Value:
    """Except a tensor (or a node) from the restores of this thread's marks, and return it."""
    allocations = NOTING.get(get_ident())
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


def _free(buffer: Buffer) -> None:
    """Give the memory of a buffer back, or have it given back when numpy has done with it."""
    total.live_bytes -= buffer.nbytes
    if not any(shared.buffer is buffer for shared in lent):
        buffer._bin.append((buffer.cl, buffer.host))
        buffer.cl = buffer.host = None
        buffer._bin = None
    buffer.__class__ = FreedBuffer
