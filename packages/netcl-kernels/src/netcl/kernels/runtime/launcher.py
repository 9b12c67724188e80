"""A kernel of a plan on one stream of a queue, built when it is first launched there."""

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

    def build(self) -> None:
        """Have the program built now. Raises DeviceError with the compiler's log."""
        kernel = self._stream.program(self._text).kernel(self._name, self._types)
        kernel.note((self._items,), (self._local,))
        self.launches = kernel.launches


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
