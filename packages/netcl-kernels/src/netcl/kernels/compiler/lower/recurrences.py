"""Taking recurrences apart: each state becomes a tensor, an output or a temporary, which its own equation reads.

Input: the outputs of a formula. Output: outputs without a Recurrence; before them the states, and which of these are
computed together, step by step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from netcl.core import settings
from netcl.kernels.compiler.ir import (
    Expr,
    Materialised,
    Operand,
    Output,
    Read,
    Recurrence,
    Reduce,
    Scan,
    position,
    read,
    state_name,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import rebuilt, substitute
from netcl.kernels.compiler.ir.inequalities import is_possible
from netcl.kernels.compiler.ir.recurrences import Along, Order, conditional_readings, order_of
from netcl.kernels.compiler.lower.verify_plan import InvalidPlan

_System = tuple[int, tuple[Expr, ...]]


@dataclass(frozen=True)
class Together:
    """The names of states that are computed together, in the order in which each step does, and the order of steps.
    Nothing else reads those that are `passing`."""

    names: tuple[str, ...]
    order: Order
    passing: frozenset[str] = frozenset()


def separated(outputs: Sequence[Output]) -> tuple[list[Output], list[Operand], list[Together]]:
    """The outputs and states; the states that are temporaries; the systems."""
    if not any(isinstance(node, Recurrence) for node in subexpressions(*(output.expr for output in outputs))):
        return list(outputs), [], []
    return _Separator(outputs).separated()


class _Separator:
    def __init__(self, outputs: Sequence[Output]) -> None:
        self.outputs = outputs
        self.states: dict[_System, list[Output]] = {}
        self.temporaries: list[Operand] = []
        self.systems: list[Together] = []
        self._memo: dict[Expr, Expr] = {}
        self._mentions: Counter[Expr] = Counter()
        """How many systems and outputs mention what is computed once."""

    def separated(self) -> tuple[list[Output], list[Operand], list[Together]]:
        found: dict[str, Output] = {}
        exprs = [output.expr for output in self.outputs]
        bodies = dict.fromkeys(node.bodies for node in subexpressions(*exprs) if isinstance(node, Recurrence))
        for asking in (*((expr,) for expr in exprs), *bodies):
            nodes = set[Expr]().union(*map(_mentioned, asking))
            self._mentions.update(node for node in nodes if isinstance(node, Materialised))
        for node in subexpressions(*exprs):
            if isinstance(node, Recurrence) and (node.label, node.bodies) not in self.states:
                self._add(node)
        for states in self.states.values():
            found.update({state.name: state for state in states})
        for output in self.outputs:
            found.setdefault(output.name, replace(output, expr=self._without(output.expr)))
        names = {name for system in self.systems for name in system.names}
        systems = [self._whole(system, found, names.difference(system.names)) for system in self.systems]
        return list(found.values()), self.temporaries, systems

    def _whole(self, system: Together, found: Mapping[str, Output], others: Collection[str]) -> Together:
        """A system with the outputs that its steps compute as well, and which of its states nothing else reads; what
        reads `others` is computed when those are there."""
        for output in found.values():
            if output.name not in others and _follows(output, system, found, others):
                inside = _behind(system.order.inside, len(system.order.axes))
                order = replace(system.order, inside=inside, axes=(*system.order.axes, output.indices))
                system = Together((*system.names, output.name), order)
        rest = (output.expr for output in found.values() if output.name not in system.names)
        elsewhere = {node.operand for node in subexpressions(*rest) if isinstance(node, Read)}
        kept = {operand.name for operand in self.temporaries} - elsewhere
        return replace(system, passing=frozenset(kept.intersection(system.names)))

    def _add(self, node: Recurrence) -> None:
        """The tensors of a system. Those of the systems in its equations are known already."""
        states = [self._tensor(node, which) for which in range(len(node.axes))]
        self.states[node.label, node.bodies] = states
        own = {state_name(node.label, which): which for which in range(len(node.axes))}
        memo: dict[Expr, Expr] = {}
        steps = order = order_of(node)
        mentioned = [_mentioned(body) for body in node.bodies]
        for each, of in _beside(node.bodies, mentioned, own).items():
            if not _is_of_a_step(each, own, self._mentions[each]):
                continue
            inner = substitute(each.body, dict(zip(each.axes[0], map(position, node.axes[of]), strict=True)))
            new = self._temporary(inner.dtype, states[of].indices)
            places = dict(zip(node.axes[of], each.at, strict=True))
            there = self._visited(tuple(places[index] for index in states[of].indices), memo, own, node)
            memo[each] = read(new.name, there, inner.dtype)
            first = next(which for which in steps.states if each in mentioned[which])
            order = replace(order, inside=_before(order.inside, first, len(states)), axes=(*order.axes, node.axes[of]))
            states.append(Output(new.name, self._visited((inner,), memo, own, node)[0], new.axes))
        for which, body in enumerate(node.bodies):
            states[which] = replace(states[which], expr=self._visited((body,), memo, own, node)[0])
        if settings.verifies():
            _require_in_order(states, order)
        names = tuple(states[which].name for which in order.states)
        self.systems.append(Together(names, order))

    def _visited(
        self, exprs: Sequence[Expr], memo: dict[Expr, Expr], own: dict[str, int], inside: Recurrence
    ) -> tuple[Expr, ...]:
        """What a system says, with its states as tensors."""
        for each in subexpressions(*exprs):
            if each not in memo:
                memo[each] = self._visit(each, tuple(memo[child] for child in each.children), own, inside)
        return tuple(memo[expr] for expr in exprs)

    def _temporary(self, dtype: str, indices: tuple[str, ...]) -> Operand:
        name = f"state.{len(self.temporaries) + 1}"
        self.temporaries.append(Operand(name, dtype, tuple((index,) for index in indices)))
        return self.temporaries[-1]

    def _tensor(self, node: Recurrence, which: int) -> Output:
        indices = node.axes[which]
        for output in self.outputs:
            expr = output.expr
            if (
                isinstance(expr, Recurrence)
                and (expr.label, expr.bodies, expr.which) == (node.label, node.bodies, which)
                and expr.at == tuple(map(position, node.axes[which]))
                and {*indices} == {*output.indices}
            ):
                return output
        new = self._temporary(node.bodies[which].dtype, indices)
        return Output(new.name, node.bodies[which], new.axes)

    def _without(self, expr: Expr) -> Expr:
        for each in subexpressions(expr):
            if each not in self._memo:
                self._memo[each] = self._visit(each, tuple(self._memo[child] for child in each.children))
        return self._memo[expr]

    def _visit(
        self,
        node: Expr,
        children: tuple[Expr, ...],
        own: dict[str, int] | None = None,
        inside: Recurrence | None = None,
    ) -> Expr:
        if isinstance(node, Recurrence):
            return self._element(node, node.which, children[: len(node.at)])
        if isinstance(node, Read) and own and inside is not None and node.operand in own:
            return self._element(inside, own[node.operand], children)
        return rebuilt(node, children)

    def _element(self, node: Recurrence, which: int, at: Iterable[Expr]) -> Expr:
        """An element of a state at these positions."""
        state = self.states[node.label, node.bodies][which]
        places = dict(zip(node.axes[which], at, strict=True))
        return read(state.name, tuple(places[index] for index in state.indices), node.bodies[which].dtype)


def _beside(
    bodies: Sequence[Expr], mentioned: Sequence[Collection[Expr]], own: Mapping[str, int]
) -> dict[Materialised, int]:
    """What an equation wants computed once, and reads where it reads a state of its own, with that state: what a step
    computes beside the state is there, for every equation that mentions it. Parts come first."""
    wanted: dict[Expr, int] = {}
    for nodes in mentioned:
        states = {each.at: own[each.operand] for each in nodes if isinstance(each, Read) and each.operand in own}
        for each in nodes:
            if isinstance(each, Materialised) and each.at in states:
                wanted.setdefault(each, states[each.at])
    return {each: wanted[each] for each in subexpressions(*bodies) if isinstance(each, Materialised) and each in wanted}


def _is_of_a_step(node: Materialised, own: Container[str], mentions: int) -> bool:
    """Whether a step computes this: what reads no state is in a table before if it adds up, or if others ask for it."""
    nodes = list(subexpressions(node.body))
    if any(isinstance(each, Read) and each.operand in own for each in nodes):
        return True
    return mentions < 2 and not any(isinstance(each, (Reduce, Scan)) for each in nodes)


def _mentioned(body: Expr) -> dict[Expr, None]:
    """The nodes of an equation, without those of the equations of other systems, whose indices are others."""
    found: dict[Expr, None] = {}
    stack = [body]
    while stack:
        node = stack.pop()
        if node not in found:
            found[node] = None
            stack += node.at if isinstance(node, Recurrence) else node.children
    return found


def _require_in_order(states: Sequence[Output], order: Order) -> None:
    """Raise InvalidPlan where an equation reads a state at its own place, which its step computes only afterwards."""
    later = {states[which].name: states[which].indices for which in order.states}
    for which in order.states:
        here = states[which].indices
        for node, facts in conditional_readings(states[which].expr, later):
            at = dict(zip(later[node.operand], node.at, strict=True))
            if all(at.get(index, position(index)) is position(index) for index in here) and is_possible(facts):
                raise InvalidPlan(f"{states[which].name} reads {node.operand} before it is computed")
        del later[states[which].name]


def _before(inside: Sequence[int | Along], which: int, new: int) -> tuple[int | Along, ...]:
    """The same order, with a new state before one of the others."""
    found: list[int | Along] = []
    for each in inside:
        if isinstance(each, Along):
            found.append(replace(each, inside=_before(each.inside, which, new)))
        else:
            found += (new, each) if each == which else (each,)
    return tuple(found)


def _follows(output: Output, system: Together, found: Mapping[str, Output], others: Collection[str]) -> bool:
    """Whether an output is computed from the states of a plane, each element from theirs at its own place, and from
    none of `others`. There memory need not have the states, if nothing else reads them."""
    plane, *rest = system.order.inside
    if rest or not isinstance(plane, Along) or not plane.skew:
        return False
    if output.name in system.names or output.partial or output.dtype == "bool":
        return False
    nodes = list(subexpressions(output.expr))
    reads = [node for node in nodes if isinstance(node, Read) and node.operand in system.names]
    return (
        bool(reads)
        and all(node.at == tuple(map(position, found[node.operand].indices)) for node in reads)
        and all({*found[node.operand].indices} == {*output.indices} for node in reads)
        and not any(isinstance(node, (Reduce, Scan, Materialised)) for node in nodes)
        and not any(isinstance(node, Read) and node.operand in others for node in nodes)
    )


def _behind(inside: Sequence[int | Along], new: int) -> tuple[int | Along, ...]:
    """The same order, with a new state behind the others of a plane."""
    *before, last = inside
    if isinstance(last, Along):
        return (*before, replace(last, inside=_behind(last.inside, new)))
    return (*inside, new)
