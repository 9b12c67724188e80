"""The reductions in the steps of a recurrence: in lanes, where what they read lies beside each other, and only of what
is there already. `sum[k < j](l[i, k] * l[j, k])` has nothing to add up from k == j on, and where only `i > j ? … : 0`
asks for it, nothing at all elsewhere.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from netcl.kernels.compiler.ir import Apply, Expr, Number, Read, Reduce, binds, number, position, subexpressions
from netcl.kernels.compiler.ir.binding import replace_free
from netcl.kernels.compiler.ir.choices import conjunction, conjuncts
from netcl.kernels.compiler.ir.needed import needed
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.folding import Folding, extreme_of
from netcl.kernels.compiler.loops.given import Given
from netcl.kernels.compiler.loops.ir import Let
from netcl.kernels.compiler.loops.positions import ZERO, least, minus, most, plus
from netcl.kernels.compiler.loops.scope import Scope
from netcl.kernels.compiler.loops.values import Group, Part
from netcl.kernels.compiler.lower.loop_bounds import LoopBounds, loop_bounds
from netcl.kernels.compiler.lower.nest import Nest


class Stepped(Folding):
    """The values of a nest of states; reductions are taken in lanes where there are some."""

    def __init__(self, nest: Nest, given: Given, lanes: bool = True) -> None:
        assert nest.steps is not None
        rows = sorted(nest.steps.along)
        self.limits = {node: _limits(node, rows) for node in nest.reduces}
        self.bodies = {node: _within(node, self.limits[node]) for node in nest.reduces}
        others = [body for node, body in self.bodies.items() if body is not node.body]
        self.bodies |= {extreme_of(node): body for node, body in self.bodies.items() if node.kind.startswith("arg")}
        self.whole: frozenset[Reduce] = frozenset()
        """Reductions that go over all of their indices, under their conditions."""
        along = _along(nest) if lanes else {}
        super().__init__(
            nest, given, {}, None, along, others, steps=nest.changing(), fused=True, asked=self._looking_back(nest)
        )
        for body in others:
            self.uses[body] -= 1  # in the place of the one with the conditions
        self.asked = _asked(nest.exprs, _is_plain)

    def _looking_back(self, nest: Nest) -> dict[Expr, Expr]:
        """Of the elements of states of which only conditions show that they have been computed, these conditions. Where
        they do not hold, the element may be one that another item is storing."""
        changing = nest.changing()
        nodes = [node for node in subexpressions(*nest.exprs) if isinstance(node, Read) and node.operand in changing]
        chosen = [node for node in nodes if not self._is_behind(node, nest)]
        found: dict[Expr, Expr] = {}
        equations = [(write, {*subexpressions(write.expr)}) for write in nest.writes] if chosen else []
        for node in chosen:  # what one equation asks may be of indices that another one lacks
            around = [{*write.indices} for write, nodes in equations if node in nodes]
            known = nest.depends(node) | changing[node.operand].intersection(*around)

            def counts(condition: Expr, known: frozenset[str] = known) -> bool:
                reads = [each for each in subexpressions(condition) if isinstance(each, Read)]
                depends = condition.free.union(*map(nest.depends, reads)) - condition.bound
                return depends <= known and not any(each in chosen for each in reads)

            asked = _asked(nest.exprs, counts, inside=True)[node]
            if not isinstance(asked, Number):
                found[node] = asked
        return found

    def _is_behind(self, node: Read, nest: Nest) -> bool:
        """Whether the text says how far behind the step an element is: it is no place that data says, and none that a
        reduction goes through whose ends are not known."""
        assert nest.steps is not None
        access = nest.accesses[node.operand]
        known = {*nest.order, *(index for limits in self.limits.values() for index, _ in limits.found)}
        return not access.limits and (nest.steps.along <= access.strides.keys() or node.free <= known)

    def body(self, node: Reduce) -> Expr:
        return node.body if node in self.whole else self.bodies[node]

    def extra(self, node: Reduce) -> object:
        return self.limits[node], _of_all(node)

    def reduced(self, group: Group, home: Scope) -> None:
        around, outer = self.parts, self.whole
        asked = self._asked(group, home)
        limits = self.limits[group[0]]
        if any(self.lanes(position(each.row), home) is not None for _, each in limits.found):
            limits, self.whole = _Limits(()), outer | {*group}  # each lane would end elsewhere: conditions tell
        parts = {
            index: self._part(index, limits.of(index), asked if index == group[0].over[0] else None, home)
            for index in group[0].over
        }
        self.parts = {**around, **{index: part for index, part in parts.items() if part is not None}}
        super().reduced(group, home)
        self.parts, self.whole = around, outer

    def _asked(self, group: Group, home: Scope) -> Expr | None:
        """Where the result of a group counts, if there is a place where it does not."""
        asked = functools.reduce(lambda one, other: call("or", one, other), (self.asked[node] for node in group))
        asked = call("and", asked, _of_all(group[0]))
        bound = {name for scope in home.upwards() for name in scope.binds}
        if isinstance(asked, Number) or not asked.free <= bound or home.beside or self.lanes(asked, home) is not None:
            return None
        return self.value(asked, home)

    def _part(self, index: str, limits: Sequence[LoopBounds], asked: Expr | None, home: Scope) -> Part | None:
        """What there is to reduce along an index, where the steps stand; None where it is all."""
        if not limits and asked is None:
            return None
        first: Expr = ZERO
        end: Expr = self.given.size(index)
        for each in limits:
            row = home.place(each.row)
            if each.after is not None:
                first = most(first, plus(row, each.after))
            if each.before is not None:
                end = least(end, plus(row, each.before))
        together = home.together if home.beside else home
        begin, many = position(self.fresh("begin")), position(self.fresh("many"))
        if first is not ZERO:
            together.statements.append(Let(begin.index, first))
            first = begin
        count = most(minus(end, first), 0) if limits else end
        together.statements.append(Let(many.index, count if asked is None else call("select", asked, count, 0)))
        return Part(first, many, self.nest.extent(index))


@dataclass(frozen=True)
class _Limits:
    """How far a reduction goes at each step, by its indices."""

    found: tuple[tuple[str, LoopBounds], ...]

    def of(self, index: str) -> list[LoopBounds]:
        return [limits for name, limits in self.found if name == index]


def _limits(node: Reduce, rows: Sequence[str]) -> _Limits:
    others = [row for row in rows if row not in node.over]
    found = ((index, limits) for row in others for index, limits in loop_bounds((node,), row).items())
    return _Limits(tuple((index, limits) for index, limits in found if index in node.over))


def _within(node: Reduce, limits: _Limits) -> Expr:
    """The body of a Reduce without the conditions that hold wherever it goes; with the reductions in it as they are."""
    holds = [
        each
        for each in subexpressions(node.body)
        if isinstance(each, Apply) and any(_holds(each, index, limits.of(index)) for index in node.over)
    ]
    inside: dict[Expr, Expr] = {each: each for each in subexpressions(node.body) if isinstance(each, Reduce)}
    return replace_free(node.body, {**dict.fromkeys(holds, number(True, "bool")), **inside}) if holds else node.body


def _of_all(node: Reduce) -> Expr:
    """The conditions of a sum that are the same for all that it adds up."""
    conditions = needed(node.body) if node.kind == "sum" else ()
    return conjunction(each for each in conditions if each.free.isdisjoint(node.over) and _is_plain(each))


def _holds(condition: Apply, index: str, limits: Sequence[LoopBounds]) -> bool:
    return any(
        condition
        in (
            call("lt", position(index), position(each.row)) if each.before == 0 else None,
            call("le", position(index), position(each.row)) if each.before is not None else None,
            call("gt", position(index), position(each.row)) if each.after == 1 else None,
            call("ge", position(index), position(each.row)) if each.after is not None else None,
        )
        for each in limits
    )


def _asked(exprs: Sequence[Expr], counts: Callable[[Expr], bool], inside: bool = False) -> dict[Expr, Expr]:
    """Of everything below the expressions, where it is asked for: the conditions that count. Those with indices that a
    reduction binds around do so `inside` of it alone."""
    order = list(subexpressions(*exprs))
    found: dict[Expr, Expr] = dict.fromkeys(order, number(False, "bool"))
    found.update(dict.fromkeys(exprs, number(True, "bool")))
    bound: dict[Expr, frozenset[str]] = dict.fromkeys(order, frozenset())
    for node in reversed(order):
        around = bound[node].union(binds(node))
        for place, child in enumerate(node.children):
            here = [found[node], *_chosen(node, place)]
            known = [each for each in here if (inside or each.free.isdisjoint(around)) and counts(each)]
            found[child] = call("or", found[child], conjunction(known))
            bound[child] |= around
    return found


def _chosen(node: Expr, place: int) -> Sequence[Expr]:
    """Under which conditions a node asks for the child in this place."""
    if isinstance(node, Apply) and node.function == "select" and place:
        condition = node.children[0]
        return conjuncts(condition) if place == 1 else (call("not", condition),)
    if isinstance(node, Apply) and node.function == "and" and place:
        return conjuncts(node.children[0])
    return ()


def _is_plain(condition: Expr) -> bool:
    """Whether it costs next to nothing."""
    return not any(isinstance(each, (Read, Reduce)) for each in subexpressions(condition))


def _along(nest: Nest) -> dict[tuple[str, ...], str]:
    """Of reductions the index that is taken in lanes: the last one, where all that is read along it is contiguous."""
    return {node.over: node.over[-1] for node in nest.reduces if _is_contiguous(node, node.over[-1], nest)}


def _is_contiguous(node: Reduce, index: str, nest: Nest) -> bool:
    reads = [each for each in subexpressions(node.body) if isinstance(each, Read) and index in nest.depends(each)]
    return (
        bool(reads)
        and nest.extent(index) >= nest.target.recurrences.lanes
        and all(_steps(each, index, nest) for each in reads)
    )


def _steps(node: Read, index: str, nest: Nest) -> bool:
    """Whether neighbours along `index` are neighbours in memory."""
    strides = nest.accesses[node.operand].strides
    places = [at for at in node.at if index in at.free]
    return places == [position(index)] and strides.get(index) in (1, -1)
