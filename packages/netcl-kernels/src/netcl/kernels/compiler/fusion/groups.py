"""Which steps of a program become one formula: neighbours, as long as nothing is computed more often than before.

Input: steps in order, the shape of each value. Output: groups of steps in an order in which they can run. A step joins
the groups that it reads from, unless
- a gradient would ask which elements are the largest, and those would be computed a second time for it, in another
  order (see `reproducible`);
- it cannot be fused (`fuse.joins`), or the reading would repeat a pointwise value for many elements of a larger one;
- something outside of the group would have to run between its parts;
- reductions would wait for each other in a long row: each is a pass over all that the group computes before it.
Groups that read the same become one, too, where none of them is to be recorded: a backward through one output would
release what belongs to the other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import prod

from netcl.core.bounded import remembered
from netcl.kernels.compiler.derive.materialised import asks_for_equals, reproducible
from netcl.kernels.compiler.fusion.fuse import Step, Value, joins, reduces, reductions_in_a_row
from netcl.kernels.compiler.fusion.unify import INPUT
from netcl.kernels.compiler.ir import Apply, Formula, subexpressions
from netcl.kernels.compiler.ir.functions import is_of_reals
from netcl.kernels.compiler.ir.plain import plain

_MOST_STEPS = 48
"""A kernel of so many ops has as many values at hand as registers and more: they go to memory and back."""

_FEW = 4096
"""Elements for which a launch takes longer than what is computed in it; there a kernel may have more ops."""

_MOST_WORK = 256
"""Operations of such a kernel for one element, as `_work` counts them: compilers take milliseconds for each."""

_MOST_PASSES = 3
"""Reductions of a group that wait for each other, at most: softmax has two, and a sum of it three."""

Shape = tuple[int, ...]


@remembered("work of formulas", 2048)
def _work(formula: Formula) -> int:
    """The operations of a formula for an element: a function of real numbers is as many as its polynomial has."""
    nodes = subexpressions(*(output.expr for output in plain(formula).outputs))
    return sum(16 if is_of_reals(node) else 1 for node in nodes if isinstance(node, Apply))


def grouped(steps: Sequence[Step], shapes: Mapping[Value, Shape], recorded: Collection[int] = ()) -> list[list[int]]:
    """The steps of each group, groups in an order in which each has what it reads. `recorded` are the steps that a
    gradient may be wanted through."""
    return _Grouper(steps, shapes, recorded).groups()


class _Grouper:
    def __init__(self, steps: Sequence[Step], shapes: Mapping[Value, Shape], recorded: Collection[int]) -> None:
        self.steps = steps
        self.shapes = shapes
        self.recorded = recorded
        self.passes = [reductions_in_a_row(step.formula) for step in steps]
        self.exact = self._exact_steps()
        self.work = [_work(step.formula) for step in steps]  # also of the group that is named by a step
        self.largest = [max(self._sizes(at)) for at in range(len(steps))]  # the same
        self.members: dict[int, list[int]] = {}  # group -> its steps; a group is named by its first
        self.group_of: dict[int, int] = {}
        self.sources: dict[int, set[int]] = {}  # group -> the groups that it reads from

    def groups(self) -> list[list[int]]:
        for at, step in enumerate(self.steps):
            self.members[at] = [at]
            self.group_of[at] = at
            self.sources[at] = {self.group_of[producer] for producer, _ in step.sources if producer != INPUT}
            if not joins(step.formula):
                continue
            for source in step.sources:
                if self._worth_joining(source, at):
                    self._merge(self.group_of[source[0]], self.group_of[at])
        self._join_readers()
        return self._ordered()

    def _exact_steps(self) -> list[bool]:
        """For each step, whether its values have the same bits wherever they are computed from what is stored."""
        found: list[bool] = []
        for step in self.steps:
            own = all(reproducible(output.expr) for output in plain(step.formula).outputs)
            computed = [at for at, _ in step.sources if at != INPUT and joins(self.steps[at].formula)]
            found.append(own and all(found[at] for at in computed))
        return found

    def _join_readers(self) -> None:
        """Make one group of those that read a value which is as large as all that they read: it is read once, in one
        launch."""
        reader: dict[Value, int] = {}
        for at, step in enumerate(self.steps):
            if at in self.recorded or not joins(step.formula):
                continue
            largest = max((prod(self.shapes[source]) for source in step.sources), default=0)
            for source in step.sources:
                if prod(self.shapes[source]) == largest:
                    self._merge(self.group_of[reader.setdefault(source, at)], self.group_of[at])

    def _worth_joining(self, source: Value, at: int) -> bool:
        producer = source[0]
        if producer == INPUT or not joins(self.steps[producer].formula):
            return False
        if at in self.recorded and asks_for_equals(self.steps[at].formula) and not self.exact[producer]:
            return False
        size = prod(self.shapes[source])
        return size in (1, max(self._sizes(at))) or reduces(self.steps[producer].formula)

    def _sizes(self, at: int) -> list[int]:
        """How many elements each value has that a step reads or makes."""
        step = self.steps[at]
        values = [*step.sources, *((at, n) for n in range(len(step.formula.outputs)))]
        return [prod(self.shapes[value]) for value in values]

    def _fit(self, first: int, second: int) -> bool:
        """Whether two groups are not too much for one kernel."""
        if len(self.members[first]) + len(self.members[second]) <= _MOST_STEPS:
            return True
        is_small = max(self.largest[first], self.largest[second]) <= _FEW
        return is_small and self.work[first] + self.work[second] <= _MOST_WORK

    def _merge(self, first: int, second: int) -> None:
        """Make one group of two, where no third has to run between them."""
        if first == second or not self._fit(first, second):
            return
        for one, other in ((first, second), (second, first)):
            between = self.sources[other] - {one}
            if any(one in self._before(group) for group in between):
                return
        members = sorted(self.members[first] + self.members[second])
        if sum(map(self.passes.__getitem__, members)) > _MOST_PASSES and self._in_a_row(members) > _MOST_PASSES:
            return
        for step in self.members[second]:
            self.group_of[step] = first
        self.work[first] += self.work[second]
        self.largest[first] = max(self.largest[first], self.largest[second])
        del self.members[second]
        self.members[first] = members
        self.sources[first] = (self.sources[first] | self.sources.pop(second)) - {first, second}
        for sources in self.sources.values():
            if second in sources:
                sources.remove(second)
                sources.add(first)

    def _in_a_row(self, members: Sequence[int]) -> int:
        """How many reductions of these steps wait for each other, at most; one step alone may have any number."""
        found: dict[int, int] = {}
        for at in members:
            before = max((found.get(producer, 0) for producer, _ in self.steps[at].sources), default=0)
            found[at] = before + self.passes[at]
        return max(found.values())

    def _before(self, group: int) -> set[int]:
        """All groups that have to run before a group."""
        found: set[int] = set()
        stack = [group]
        while stack:
            new = self.sources[stack.pop()] - found
            found |= new
            stack += new
        return found

    def _ordered(self) -> list[list[int]]:
        ordered: list[list[int]] = []
        done: set[int] = set()
        stack = sorted(self.members, key=lambda group: self.members[group][-1], reverse=True)
        while stack:
            group = stack[-1]
            waiting = sorted(self.sources[group] - done)
            if group in done or not waiting:
                stack.pop()
                if group not in done:
                    done.add(group)
                    ordered.append(self.members[group])
            else:
                stack += waiting
        return ordered
