"""A kernel of a plan on one lane of a queue, built when it is first launched there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from netcl.core.lane import Lane


class Launcher:
    """`launch(global_size, local_size, args)`, of the kernel `name` of the program `text`."""

    __slots__ = ("_lane", "_name", "_text", "_types", "launch")

    def __init__(self, lane: Lane, text: str, name: str, types: Sequence[Any]) -> None:
        self._lane, self._text, self._name, self._types = lane, text, name, types
        self.launch: Callable[..., None] = self._first

    @property
    def finished(self) -> Any:
        """The memory in which the work-items of a launch count themselves."""
        return self._lane.finished

    def build(self) -> None:
        """Have the program built now. Raises DeviceError with the compiler's log."""
        self.launch = self._lane.program(self._text).kernel(self._name, self._types).launch

    def _first(self, *arguments: Any) -> None:
        self.build()
        self.launch(*arguments)
