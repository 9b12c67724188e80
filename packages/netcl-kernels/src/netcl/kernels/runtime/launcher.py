"""A kernel of a plan on one stream of a queue, built when it is first launched there; the stream of a small plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import ref

from netcl.core.launch import Launch

if TYPE_CHECKING:
    from netcl.core.stream import Stream


class Launcher:
    """`launches[thread](global_size, local_size, *args)`, of the kernel `name` of the program `text`, over so many
    work-items."""

    __slots__ = ("__weakref__", "_items", "_local", "_name", "_stream", "_text", "_types", "launches")

    def __init__(self, stream: Stream, text: str, name: str, types: Sequence[Any], items: int, local: int = 1) -> None:
        self._stream, self._text, self._name, self._types, self._items, self._local = (
            stream,
            text,
            name,
            types,
            items,
            local,
        )
        self.launches: Mapping[int, Launch] = _Unbuilt(self)

    @property
    def finished(self) -> Any:
        """The memory in which the work-items of a launch count themselves."""
        return self._stream.finished

    @property
    def is_built(self) -> bool:
        """Whether there is a kernel to launch."""
        return not isinstance(self.launches, _Unbuilt)

    def build(self) -> None:
        """Have the program built now. Raises DeviceError with the compiler's log."""
        kernel = self._stream.program(self._text).kernel(self._name, self._types)
        kernel.note((self._items,), (self._local,))
        self.launches = kernel.launches


WAITS = 4
"""A plan that is built for the second stream waits so often for the main one, rather than be built for that too."""
IDLES = 256
"""A plan that is built for the main stream goes there so often though that is idle."""


class StreamChoice:
    """Which of its two streams a small plan is launched on: the second one, on the calling thread, while the main one
    is idle, and else the main one. A driver compiles each kernel for each of them, which takes as long as thousands of
    launches, so that the one for which there are no kernels yet is left out at first.

    Where the main stream is idle or not as is `usual`, or where both have kernels and nothing `is_open`, there is
    nothing to ask.
    """

    __slots__ = ("_at_once", "_idles", "_queued", "_stream", "_waits", "is_open", "usual")

    def __init__(self, stream: Stream, queued: Sequence[Launcher], at_once: Sequence[Launcher]) -> None:
        self._stream, self._queued, self._at_once = stream, queued, at_once
        self._waits = self._idles = 0
        self.is_open = True
        self.usual: bool | None = None

    def at_once(self, idle: bool) -> bool:
        """Whether to launch on the second stream now, with the main one `idle` or not; it is, where this is so."""
        here, there = (all(each.is_built for each in those) for those in (self._at_once, self._queued))
        self.is_open = not (here and there)
        self.usual = here or (False if there else None)
        if idle and there and not here:
            self._idles += 1
            return self._idles > IDLES
        if here and not there and not idle:
            self._waits += 1
            if self._waits <= WAITS:
                self._stream.finish()
                return True
        return idle


class _Unbuilt(dict[int, Launch]):
    """The launches before there is a kernel."""

    __slots__ = ("_launcher",)

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = ref(launcher)  # which holds this

    def __missing__(self, thread: int) -> Launch:
        launcher = self._launcher()
        assert launcher is not None  # who calls this holds it
        launcher.build()
        return launcher.launches[thread]
