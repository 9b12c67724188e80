"""Reductions along an index that is taken in lanes: an accumulator for each lane, folded into one behind the loops.

What is left behind the last vector goes into the one directly. Where the values cost less than the wait for the sum
before, several vectors are taken at a time, each into accumulators of its own. The place of an extreme value is found
in two passes: the value, then the first place that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    Apply,
    Expr,
    Position,
    Reduce,
    apply,
    number,
    position,
    read,
    reduce,
    subexpressions,
)
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.accumulate import Accumulator, Arg, accumulator
from netcl.kernels.compiler.loops.given import Given
from netcl.kernels.compiler.loops.ir import Assume, Buffer, Fold, Let, Loop, Statement, Store
from netcl.kernels.compiler.loops.lanes import in_lanes, in_step, in_vectors
from netcl.kernels.compiler.loops.positions import ZERO, before, least, minus, most, plus, quotient, rest, times
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.searching import Search
from netcl.kernels.compiler.loops.values import Group, Part, Values, parted
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.lower.words import is_extreme, worded
from netcl.kernels.compiler.opencl import elementary
from netcl.kernels.compiler.opencl.types import LANES, WORD

_BESIDE = 4
_CHEAP = 8
"""Of values of at most so many nodes that change along the index, `_BESIDE` accumulators are filled at a time."""

_EXACT = frozenset(
    (
        "add sub mul div neg abs sqrt select cast copy detach maximum minimum sign floor ceil round trunc "
        "eq ne lt le gt ge and or not"
    ).split()
)

Accumulators = Sequence[Accumulator]
Over = tuple[str, ...]


class Folding(Values):
    """The values of a nest whose reductions (by `over`) have an index that is taken in lanes."""

    def __init__(
        self,
        nest: Nest,
        given: Given,
        parts: Mapping[str, Part],
        blocked: str | None,
        along: Mapping[Over, str],
        beside: Sequence[Expr] = (),
        **more: Any,
    ) -> None:
        super().__init__(nest, (*nest.exprs, *beside), given, parts, blocked, **more)
        self.along = along

    def reduced(self, group: Group, home: Scope) -> None:
        index = self.along.get(group[0].over)
        if index is None or any(each.lanes for each in home.upwards()):  # lanes are not within others
            super().reduced(group, home)
            return
        places = {each: extreme_of(each) for each in group if each.over == (index,) and _is_found_again(each)}
        self._folded(tuple(dict.fromkeys(places.get(each, each) for each in group)), index, home)
        for node, extreme in places.items():
            search = Search(self, node, index, home.values[extreme], home, _BESIDE)
            home.statements += search.through(*self.bounds(index))
            home.values[node] = self.named(search.place, home, "place")

    def _folded(self, group: Group, index: str, home: Scope) -> None:
        """The loops of a group, that over `index` inside."""
        over = [*(each for each in group[0].over if each != index), index]
        one, wide = self._made_for(group, 1), self._made_for(group, LANES)
        for each in (*one, *wide):
            if isinstance(each, Arg):
                each.in_order = tuple(over) == group[0].over
        slot = position(self.fresh("lane"))
        lanes = Lanes(slot.index, LANES)
        home.statements += _each(one, lambda each: each.start())
        home.statements.append(in_step(lanes, _each(_at(wide, slot), lambda each: each.start())))
        every = [*one, *wide]

        def last(_: str, scope: Scope) -> list[Statement]:
            first, count = self.bounds(index)
            if any(each.blocked for each in wide):
                return self._runs(group, one, wide, first, count, scope, every, lanes)
            return self._vectors(group, one, wide, first, count, scope, every)

        self.loops(over, home, last)
        for single, each in zip(one, _at(wide, slot), strict=True):
            home.statements += each.fold_into(single)
        for each in every:
            self.buffers += each.buffers
        self.finished(group, one, home)

    def _made_for(self, group: Group, lanes: int) -> list[Accumulator]:
        """New accumulators; sums that no lane takes more than a run of are short."""
        *around, last = group[0].over
        long = self.most(*around) * -(-self.most(last) // LANES) > self.nest.target.groups.run
        found = [accumulator(node, self.fresh, long, lanes) for node in group]
        for each in found:
            each.fused = self.fused
        return found

    def _runs(
        self, group: Group, one: Accumulators, wide: Accumulators, first: Expr, count: Expr, scope: Scope,
        every: list[Accumulator], lanes: Lanes,
    ) -> list[Statement]:  # fmt: skip
        """Runs of so many vectors, each of which gives its totals; one, where no more are needed."""
        length = self.nest.target.groups.run * LANES
        at = _at(wide, position(lanes.index))

        def inside(begin: Expr, count: Expr) -> tuple[Statement, ...]:
            return (
                in_step(lanes, _each(at, lambda each: each.enter())),
                *_each(one, lambda each: each.enter()),
                *self._vectors(group, one, wide, begin, count, scope, every),
                in_step(lanes, _each(at, lambda each: each.leave())),
                *_each(one, lambda each: each.leave()),
            )

        if self.most(self.along[group[0].over]) <= length:
            return [*inside(first, count)]
        run, begin, here, all_of_it = (position(self.fresh(each)) for each in ("run", "begin", "here", "count"))
        lets = (
            Let(begin.index, plus(first, times(run, length))),
            Let(here.index, most(least(minus(all_of_it, times(run, length)), length), 0)),
        )
        runs = Loop(run.index, parted(all_of_it, length), "serial", (*lets, *inside(begin, here)))
        return [Let(all_of_it.index, count), runs]

    def _vectors(
        self, group: Group, one: Accumulators, wide: Accumulators, first: Expr, count: Expr, scope: Scope,
        every: list[Accumulator],
    ) -> list[Statement]:  # fmt: skip
        """What is taken of so many values: in words, several vectors at a time, in vectors and one by one."""
        index = self.along[group[0].over]
        end = self.given.size(index)

        def inside(at: Expr, lanes: Lanes | None) -> Sequence[Statement]:
            if lanes is None:
                return self._step(group, one, at, None, scope)
            which = words if lanes.count == WORD else wide
            return self._step(group, _at(which, position(lanes.index)), at, lanes, scope)

        found: list[Statement] = []
        width, words = LANES, wide
        is_worded = self._is_worded(group, index)
        is_told = is_worded and [each.kind for each in one] in (["any"], ["all"])
        if is_told:
            width = _BESIDE * WORD
            found += self._until_known(group[0], one[0], first, quotient(count, width), scope)
        elif is_worded:
            words = self._made_for(group, WORD)
            every += words
            slot = position(self.fresh("lane"))
            step = Lanes(slot.index, WORD)
            found.append(in_step(step, _each(_at(words, slot), lambda each: each.start())))
            found.append(in_vectors(self, index, first, quotient(count, WORD), end, WORD, inside))
            for single, each in zip(one, _at(words, slot), strict=True):
                found += each.fold_into(single)
            width = WORD
        elif (many := self._many(group)) > 1:
            width = many * LANES
            found += self._beside(group, wide, many, first, quotient(count, width), scope, every)
        if width == LANES:
            return in_lanes(self, index, first, count, end, (LANES,), inside)
        begin = plus(first, times(quotient(count, width), width))
        left = position(self.fresh("rest"))
        behind = rest(count, width)
        found.append(Let(left.index, call("select", _is_known(one[0]), 0, behind) if is_told else behind))
        return [*found, *in_lanes(self, index, begin, left, end, (LANES,), inside)]

    def _step(
        self, group: Group, accumulators: Accumulators, at: Expr, lanes: Lanes | None, scope: Scope
    ) -> Sequence[Statement]:
        """One value for each accumulator, or for each lane of it."""
        inner = Scope(scope, {self.along[group[0].over]: at}, lanes)
        inner.statements += self.taken(group, accumulators, inner)
        return inner.statements

    # --- several at a time ------------------------------------------------------------------------------------------

    def _many(self, group: Group) -> int:
        """How many vectors are taken at a time: several, where the values cost less than the wait for the sum
        before."""
        index = self.along[group[0].over]
        nodes = {node for each in group for node in subexpressions(self.body(each)) if index in node.free}
        functions = {node.function for node in nodes if isinstance(node, Apply)}
        is_float = all(each.body.dtype in FLOATS and each.kind in ("sum", "max", "min") for each in group)
        is_cheap = is_float and len(nodes) <= _CHEAP and not functions & elementary.WORST_ULP.keys()
        return _BESIDE // len(group) if is_cheap else 1

    def _beside(
        self, group: Group, wide: Accumulators, many: int, first: Expr, count: Expr, scope: Scope,
        every: list[Accumulator],
    ) -> list[Statement]:  # fmt: skip
        """So many vectors at a time into as many accumulators that do not wait for each other; then these together."""
        slot = position(self.fresh("lane"))
        lanes = Lanes(slot.index, LANES)
        others = [[own.beside() for own in wide] for _ in range(1, many)]
        every += [each for beside in others for each in beside]
        step = position(self.fresh("step"))
        body: list[Statement] = []
        for each, at, lets in self._next_to(first, step, slot, many, LANES, self.along[group[0].over]):
            accumulating = _at([wide, *others][each], slot)
            body += [*lets, *self._step(group, accumulating, at, lanes, scope)]
        begun = [statement for beside in others for each in _at(beside, slot) for statement in each.begin_beside()]
        pairs = [pair for beside in others for pair in zip(_at(wide, slot), _at(beside, slot), strict=True)]
        taken = [statement for own, other in pairs for statement in own.take_from(other)]
        return [
            in_step(lanes, begun),
            Loop(step.index, count, "serial", (in_step(lanes, body),)),
            in_step(lanes, taken),
        ]

    def _next_to(
        self, first: Expr, step: Position, slot: Position, many: int, width: int, index: str
    ) -> list[tuple[int, Position, list[Statement]]]:
        """The lanes of the vectors of one step: their number, where they are, and the statements that say so."""
        found: list[tuple[int, Position, list[Statement]]] = []
        for each in range(many):
            at = position(self.index(index))
            start = plus(first, times(step, many * width))
            let = Let(at.index, plus(plus(start, each * width), slot))
            found.append((each, at, [let, Assume(before(at, self.given.size(index)))]))
        return found

    # --- any and all ------------------------------------------------------------------------------------------------

    def _is_worded(self, group: Group, index: str) -> bool:
        """Whether all that is reduced is bytes."""
        accesses = self.given.accesses
        return self.nest.target.driver.own_functions and all(
            is_extreme(each) and worded(each.body, index, self.guards, accesses) for each in group
        )

    def _until_known(
        self, node: Reduce, single: Accumulator, first: Expr, count: Expr, scope: Scope
    ) -> list[Statement]:
        """Words of one any or all, until its result is known."""
        some = single.kind == "any"
        slot, step = position(self.fresh("lane")), position(self.fresh("step"))
        lanes = Lanes(slot.index, WORD)
        told = Buffer(f"own {self.fresh('told')}", "bool", "private", number(WORD, INDEX_DTYPE))
        self.buffers.append(told)
        body: list[Statement] = []
        known: Expr | None = None
        for _, at, lets in self._next_to(first, step, slot, _BESIDE, WORD, self.along[node.over]):
            inner = Scope(scope, {self.along[node.over]: at}, lanes)
            value = self.value(node.body, inner)
            body += [*lets, *inner.statements]
            known = value if known is None else apply("or" if some else "and", (known, value), "bool")
        assert known is not None
        body.append(Store(told.name, slot, known if some else call("not", known)))
        fold = Fold(self.fresh("known"), "any", told.name)
        is_known = read(fold.name, (), "bool")
        taken = single.take(is_known if some else call("not", is_known), ZERO)
        return [Loop(step.index, count, "serial", (in_step(lanes, body), fold, *taken), _is_known(single))]


def _is_known(single: Accumulator) -> Expr:
    """Whether no more values change an any or all."""
    return single.total if single.kind == "any" else call("not", single.total)


def extreme_of(node: Reduce) -> Reduce:
    """The reduction to the value whose place an argmin or argmax is."""
    return reduce(node.kind[3:], node.over, node.body)


def _is_found_again(node: Reduce) -> bool:
    """Whether the place can be found by comparing: every width must compute the same values."""
    exact = _EXACT if node.body.dtype == "float64" else _EXACT | elementary.WORST_ULP.keys()
    functions = {each.function for each in subexpressions(node.body) if isinstance(each, Apply)}
    return node.kind.startswith("arg") and node.body.dtype != "bool" and functions <= exact


def _at(accumulators: Accumulators, slot: Expr) -> list[Accumulator]:
    return [each.at(slot) for each in accumulators]


def _each(accumulators: Accumulators, what: Callable[[Accumulator], list[Statement]]) -> list[Statement]:
    return [statement for each in accumulators for statement in what(each)]
