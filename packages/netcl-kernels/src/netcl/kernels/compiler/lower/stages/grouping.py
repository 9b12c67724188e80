"""Which outputs share a stage.

Input: outputs, some of which read what others compute, and the systems of states. Output: stages in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netcl.kernels.compiler.ir import Output, Position, Read, Scan, position, subexpressions
from netcl.kernels.compiler.ir.recurrences import Along, Order
from netcl.kernels.compiler.lower import recurrences
from netcl.kernels.compiler.lower.loop_cost import Cost
from netcl.kernels.compiler.lower.stages.nested import Nested
from netcl.kernels.compiler.lower.verify_plan import InvalidPlan


@dataclass(frozen=True)
class Stage:
    """Outputs (of the formula, or temporaries) that one nest of loops computes; states, step by step in an `order`, of
    which nothing else reads those that are `passing`. Where a target has no schedule for all of them together, they
    are computed by the stages `apart`."""

    outputs: tuple[Output, ...]
    order: Order | None = None
    passing: frozenset[str] = frozenset()
    apart: tuple[Stage, Stage] | None = None


def of_one_step(stage: Stage) -> dict[str, frozenset[str]]:
    """The states that nothing reads but the rest of their own step, with the index of the steps: for these, room for
    one step is enough. So it is where each step computes all of them, one after the other."""
    if stage.order is None or len(stage.order.inside) != 1:
        return {}
    (steps,) = stage.order.inside
    if not isinstance(steps, Along) or any(isinstance(each, Along) for each in steps.inside):
        return {}
    along = steps.index
    found = {output.name for output in stage.outputs if output.name in stage.passing and along in output.indices}
    by_name = {output.name: output for output in stage.outputs}
    for node in subexpressions(*(output.expr for output in stage.outputs)):
        if isinstance(node, Read) and node.operand in found:
            at = node.at[by_name[node.operand].indices.index(along)]
            if not isinstance(at, Position) or at.index != along:
                found.discard(node.operand)
    return dict.fromkeys(found, frozenset((along,)))


class Grouping:
    def __init__(self, own: Mapping[str, recurrences.Together], cost: Cost, nested: Nested) -> None:
        self.own = own
        self.cost = cost
        self.nested = nested

    def stages(self, tasks: Sequence[Output]) -> tuple[Stage, ...]:
        """Tasks over the same indices share a stage where they have the same reductions, or have one in common and are
        computed row by row; so do values of rows with what is computed of their elements, if both reduce along the
        rows; unless one reads what another writes, or two have indices that the other has not."""
        groups: list[list[Output]] = []
        for task in _in_turn(tasks, self.own):
            if task.name in self.own:
                if groups and groups[-1][0].name in self.own[task.name].names:
                    groups[-1].append(task)
                else:
                    groups.append([task])
                continue
            reads = _reads(task)
            first = 0
            for at, group in enumerate(groups):
                needed = reads & {member.name for member in group}
                if needed:
                    first = at if needed == {group[0].name} and _follows(group[0], task) else at + 1
            for group in groups[first:]:
                if any(self._alike(member, task) for member in group) and all(_nested(each, task) for each in group):
                    group.append(task)
                    break
            else:
                groups.append([task])
        return tuple(self._stage(group) for group in groups)

    def _stage(self, group: Sequence[Output]) -> Stage:
        system = self.own.get(group[0].name)
        if system is None:
            return Stage(tuple(sorted(group, key=lambda each: -len(each.indices))))
        by_name = {each.name: each for each in group}
        return Stage(tuple(by_name[name] for name in system.names), system.order, system.passing)

    def _alike(self, first: Output, second: Output) -> bool:
        if first.name in self.own:
            return False
        if isinstance(first.expr, Scan) or isinstance(second.expr, Scan):
            return _follows(first, second) and not self.cost.reduces(second.expr)
        if any(self.cost.contracts(node) for each in (first, second) for node in self.cost.reduces(each.expr)):
            return False
        one, other = self.cost.reduces(first.expr), self.cost.reduces(second.expr)
        if any(map(self.cost.apart, one | other)) and (one != other or first.indices != second.indices):
            return False
        if first.indices != second.indices:
            (rows, mine), (elements, theirs) = sorted(
                ((first, one), (second, other)), key=lambda each: len(each[0].indices)
            )
            is_over_rows = {node.over for node in mine} == {node.over for node in theirs} != set()
            return is_over_rows and self._are_rows(rows, elements)
        if {node.over for node in one} == {node.over for node in other}:
            return True
        return not one.isdisjoint(other) and self._row_by_itself(first) and self._row_by_itself(second)

    def _are_rows(self, rows: Output, elements: Output) -> bool:
        """Whether one has a value for each row that the other has elements of, and each row is reduced by itself."""
        kept = frozenset(rows.indices)
        if rows.indices != tuple(index for index in elements.indices if index in kept):
            return False
        is_of_rows = all(node.free == kept for node in self.cost.reduces(elements.expr))
        return is_of_rows and self._row_by_itself(rows) and self._row_by_itself(elements)

    def _row_by_itself(self, task: Output) -> bool:
        """Whether each row is reduced by itself, whatever is gone along."""
        if self.cost.steps(task.expr, task.indices) <= self.cost.target.stages.steps:
            return True
        around = frozenset(task.indices)
        return all(self.nested.shared_out(node, around) for node in self.cost.reduces(task.expr))


def _in_turn(tasks: Sequence[Output], systems: Mapping[str, recurrences.Together]) -> list[Output]:
    """The tasks, each behind those that write what it reads, and otherwise as they stand; states of one system one
    behind the other."""
    by_name = {task.name: task for task in tasks}
    done: dict[str, Output] = {}
    begun: set[str] = set()
    stack = list(reversed(tasks))
    while stack:
        task = stack[-1]
        names = systems[task.name].names if task.name in systems else (task.name,)
        read_here = frozenset().union(*(_reads(by_name[name]) for name in names)).difference(names)
        waiting = [by_name[name] for name in sorted(read_here - done.keys()) if name in by_name]
        if waiting and task.name not in done:
            if any(each.name in begun for each in waiting):
                raise InvalidPlan(f"{task.name} waits for {[each.name for each in waiting]}, of which one waits for it")
            begun.update(names)
            stack += reversed(waiting)
        else:
            stack.pop()
            done.update({name: by_name[name] for name in names})
    return list(done.values())


def _reads(task: Output) -> set[str]:
    return {each.operand for each in subexpressions(task.expr) if isinstance(each, Read)} - {task.name}


def _nested(first: Output, second: Output) -> bool:
    """Whether the one has all indices of the other, so that one nest of loops has a place for both."""
    one, other = set(first.indices), set(second.indices)
    return one <= other or other <= one


def _follows(first: Output, second: Output) -> bool:
    """Whether the one is a sort, and the other reads the positions that it gives, each just where it is given."""
    if not isinstance(first.expr, Scan) or first.expr.kind != "argsort" or first.indices != second.indices:
        return False
    reads = [each for each in subexpressions(second.expr) if isinstance(each, Read) and each.operand == first.name]
    here = tuple(map(position, first.indices))
    return bool(reads) and all(each.at == here for each in reads)
