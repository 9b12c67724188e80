"""Which indices of several formulas are one, when one reads what another gives.

Input: steps. Output: for each step the name of each of its indices, the axes of each input, and the
extents that no input gives. An index of a step is the index of what it reads there, unless two indices of one formula
(or two axes of one input) would become the same: x * transpose(x) has two indices, and reads x at both of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from netcl.kernels.compiler.ir import Formula, Operand, root

INPUT = -1

Value = tuple[int, int]
"""(number of the step, number of its output); (-1, n) is input n."""

Place = tuple[bool, int, str]
"""(whether it is of an input, number of the input or step, axis of the input or index of the step)"""


@dataclass(frozen=True)
class Step:
    """One formula, and what each of its operands is."""

    formula: Formula
    sources: tuple[Value, ...]


@dataclass
class Unified:
    """`names[step][index]` is what stands for an index, `axes[input]` the index of each axis of an input; `like` has
    the index whose extent an index has, and `ones` those of length 1, where no input says so."""

    names: list[dict[str, str]] = field(default_factory=list)
    axes: dict[int, tuple[str, ...]] = field(default_factory=dict)
    like: dict[str, str] = field(default_factory=dict)
    ones: set[str] = field(default_factory=set)


def unified(steps: Sequence[Step]) -> Unified:
    """The names of all indices of `steps`."""
    return _Unifier(steps).unified()


class _Unifier:
    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.members: dict[Place, list[Place]] = {}  # of each class, by its first member
        self.first: dict[Place, Place] = {}
        self.lengths: dict[int, int] = {}  # input -> number of its axes
        self.same_extent: list[tuple[Place, Place]] = []
        self.single: list[Place] = []

    def unified(self) -> Unified:
        for at, step in enumerate(self.steps):
            for operand, source in zip(step.formula.operands, step.sources, strict=True):
                self._read(at, operand, source)
            for output in step.formula.outputs:
                for index in output.indices:
                    self._of(at, index)
            for index in step.formula.sizes:
                self._of(at, index)
        return self._named()

    def _read(self, at: int, operand: Operand, source: tuple[int, int]) -> None:
        """What one step reads of one source, axis by axis."""
        number_of, output = source
        if number_of == INPUT:
            self.lengths.setdefault(output, len(operand.axes))
        for axis, indices in enumerate(operand.axes):
            given: Place | None
            if number_of == INPUT:
                given = self._known((True, output, str(axis)))
            else:
                theirs = self.steps[number_of].formula.outputs[output].axes[axis]
                given = self._of(number_of, theirs[0]) if theirs else None
            if not indices:
                continue
            mine = self._of(at, indices[0])
            if given is None:
                self.single.append(mine)
            elif not self._unite(given, mine):
                self.same_extent.append((mine, given))

    def _of(self, step: int, index: str) -> Place:
        return self._known((False, step, root(index)))

    def _known(self, place: Place) -> Place:
        if place not in self.first:
            self.first[place] = place
            self.members[place] = [place]
        return place

    def _unite(self, one: Place, other: Place) -> bool:
        """Make two indices one, if no formula or input has both; whether they are one now."""
        first, second = self.first[one], self.first[other]
        if first == second:
            return True
        owners = {(is_input, number_of) for is_input, number_of, _ in self.members[first]}
        if any((is_input, number_of) in owners for is_input, number_of, _ in self.members[second]):
            return False
        for place in self.members[second]:
            self.first[place] = first
        self.members[first] += self.members.pop(second)
        return True

    def _named(self) -> Unified:
        result = Unified([{} for _ in self.steps])
        named: dict[Place, str] = {}
        taken: set[str] = set()
        for first, members in self.members.items():
            wanted = next((name for is_input, _, name in members if not is_input), "one")
            name, count = wanted, 1
            while name in taken:
                count += 1
                name = f"{wanted}_{count}"
            taken.add(name)
            named[first] = name
            for is_input, number_of, own in members:
                if not is_input:
                    result.names[number_of][own] = name
        for number_of, length in self.lengths.items():
            result.axes[number_of] = tuple(named[self.first[True, number_of, str(axis)]] for axis in range(length))
        given = {name for axes in result.axes.values() for name in axes}
        result.ones = {named[self.first[place]] for place in self.single} - given
        for mine, other in self.same_extent:
            name = named[self.first[mine]]
            if name not in given:
                result.like.setdefault(name, named[self.first[other]])
        return result
