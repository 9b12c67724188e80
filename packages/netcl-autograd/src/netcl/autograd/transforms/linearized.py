"""The linear part of a function at a point, as a list of steps that can be run again.

`Linear` takes the place of `Forward` while a function runs: instead of pushing tangents forward, each op leaves the
step that would (its tangent rule with the values it reads). A `Slot` stands for the tangent that there will be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from netcl.autograd.graph.levels import Level, again
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.transforms.batched import Batch, tensor_of
from netcl.autograd.transforms.forward import Forward, Step, Tangents
from netcl.core.errors import GraphError


class Slot:
    """The place of a tangent."""

    __slots__ = ()


class Linear(Forward):
    """A function that is being linearized, and its linear part afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self._steps: list[tuple[Step, Tangents, Sequence[Slot], list[tuple[Any, int]], Sequence[Level]]] = []
        self._spent: list[list[Any]] = []  # per step, the slots that no later step reads

    def push(self, step: Step, tangents: Tangents, count: int, reads: Sequence[Any]) -> list[Any]:
        """Take note of a step."""
        made = [Slot() for _ in range(count)]
        read = [tensor_of(each) for each in reads]
        versions = [(each, each.version) for each in read if getattr(each, "version", None) is not None]
        batches = [level for level in LOCAL.state.levels if isinstance(level, Batch)]
        self._steps.append((step, tuple(tangents), made, versions, batches))
        return made

    def through(self, function: Callable[[Any], Any], tangent: Any) -> Slot:
        """Take note of a linear function of one tangent."""
        (made,) = self.push(lambda tangents: [function(tangents[0])], (tangent,), 1, ())
        return made

    def settle(self, results: Sequence[Any]) -> None:
        """Forget the steps that the results do not need, now that these are known."""
        needed = {each for each in results if each is not None}
        kept = []
        for item in reversed(self._steps):
            _, taken, made, _, _ = item
            if needed.isdisjoint(made):
                continue
            self._spent.append([each for each in dict.fromkeys(taken) if each is not None and each not in needed])
            needed.update(each for each in taken if each is not None)
            kept.append(item)
        self._steps = kept[::-1]
        self._spent.reverse()

    def run(self, slots: Sequence[Slot], tangents: Tangents, results: Sequence[Any]) -> list[Any]:
        """Return the tangents of the results for these tangents in the slots of the inputs."""
        known: dict[Any, Any] = dict(zip(slots, tangents, strict=True))
        for (step, taken, made, versions, batches), spent in zip(self._steps, self._spent, strict=True):
            for value, version in versions:
                if value.version != version:
                    raise GraphError(
                        f"linearize: a value of shape {value.shape}, which the linear part reads, was changed in place "
                        f"since: expected version {version}, found version {value.version}; write to a copy instead"
                    )
            given = [known.get(each) for each in taken]
            if any(each is not None for each in given):
                with again(batches):
                    known.update(zip(made, step(given), strict=True))
            for each in spent:
                known.pop(each, None)
        return [known.get(each) for each in results]
