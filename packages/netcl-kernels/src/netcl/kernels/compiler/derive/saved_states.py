"""States of a recurrence from those that are outputs, so that a derivative takes none of the steps again.

What an equation reads of an output is a value. Equations that then lead back to themselves are steps of a smaller
recurrence; the others are formulas, computed everywhere at once: of a sum there is a table.

Input: expressions. Output: what stands for the states in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

from netcl.kernels.compiler.ir import (
    Expr,
    Materialised,
    Output,
    Recurrence,
    Reduce,
    Scan,
    materialise,
    new_label,
    position,
    read,
    recurrence,
    state_name,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import replace_nodes, substitute
from netcl.kernels.compiler.ir.recurrences import System, replaced, state_of, system_of


class SavedStates:
    """What the states of the systems of these outputs are, where the outputs are known."""

    def __init__(self, outputs: Sequence[Output]) -> None:
        self._saved: dict[System, dict[int, str]] = {}
        for each in outputs:
            if _is_whole(each.expr, each):
                self._saved.setdefault(system_of(each.expr), {})[each.expr.which] = each.name
        self._systems: dict[System, _System] = {}

    def among(self, exprs: Iterable[Expr]) -> dict[Expr, Expr]:
        """What stands for the states that these expressions mention, at whatever positions."""
        found: dict[Expr, Expr] = {}
        for node in subexpressions(*exprs) if self._saved else ():
            if isinstance(node, Recurrence) and system_of(node) in self._saved:
                at = tuple(replace_nodes(each, found) for each in node.at)
                found[node] = self._system(node).element(node.which, at)
        return found

    def _system(self, node: Recurrence) -> _System:
        key = system_of(node)
        if key not in self._systems:
            bodies = tuple(replace_nodes(body, self.among((body,))) for body in node.bodies)
            self._systems[key] = _System(node, bodies, self._saved[key])
        return self._systems[key]


class _System:
    """A system of which some states are saved."""

    def __init__(self, node: Recurrence, bodies: tuple[Expr, ...], saved: Mapping[int, str]) -> None:
        self.node, self.bodies, self.saved = node, bodies, saved
        read_by = [set(_states_in(body, node)) - saved.keys() for body in bodies]
        self.steps = [which for which in range(len(bodies)) if which not in saved and _leads_to(which, read_by)]
        """The states that still follow from each other step by step."""
        self.label = new_label()
        self._values: dict[tuple[int, bool], Expr] = {}
        self._equations = tuple(self._value(which, inside=True) for which in self.steps)

    def element(self, which: int, at: tuple[Expr, ...]) -> Expr:
        """The value of a state at these positions."""
        return self._element(which, at, inside=False)

    def _element(self, which: int, at: tuple[Expr, ...], inside: bool) -> Expr:
        """The same; `inside` of an equation, one that follows step by step is read as it is there."""
        node, own = self.node, self.node.axes[which]
        if which in self.saved:
            return read(self.saved[which], at, self.bodies[which].dtype)
        if which in self.steps:
            place = self.steps.index(which)
            if inside:
                return read(state_name(self.label, place), at, self.bodies[which].dtype)
            names, axes = zip(*((node.names[each], node.axes[each]) for each in self.steps), strict=True)
            return recurrence(self.label, names, axes, place, at, self._equations)
        value = self._value(which, inside)
        if any(map(_adds_up, subexpressions(self.bodies[which]))):
            return materialise(own, at, value)
        return substitute(value, dict(zip(own, at, strict=True)))

    def _value(self, which: int, inside: bool) -> Expr:
        """What the equation of a state says, over its own indices."""
        node, known = self.node, self._values.get((which, inside))
        if known is not None:
            return known

        def visit(each: Expr, new: Expr) -> Expr:
            of = state_of(each, node)
            return new if of is None else self._element(of, new.children[: len(node.axes[of])], inside)

        value = self._values[which, inside] = replaced(self.bodies[which], node.label, visit)
        return value


def _states_in(body: Expr, node: Recurrence) -> Iterator[int]:
    """The states of the system of `node` that an equation of it reads."""
    return (of for each in subexpressions(body) if (of := state_of(each, node)) is not None)


def _leads_to(which: int, read_by: Sequence[Iterable[int]]) -> bool:
    """Whether a state is read on the way to itself."""
    found, waiting = set[int](), [which]
    while waiting:
        new = {*read_by[waiting.pop()]} - found
        found |= new
        waiting += new
    return which in found


def _adds_up(node: Expr) -> bool:
    return isinstance(node, (Reduce, Scan, Materialised))


def _is_whole(expr: Expr, output: Output) -> TypeGuard[Recurrence]:
    here = tuple(map(position, output.indices))
    return isinstance(expr, Recurrence) and expr.at == here
