"""The steps of a recurrence as statements of one work-item: loops over time, in which the states are stored in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from netcl.core.dtypes import canonical
from netcl.kernels.compiler.ir import Apply, Expr, Position, Read, Reduce, number, position, root, subexpressions
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.nodes import INDEX_DTYPE
from netcl.kernels.compiler.ir.quantity import itself
from netcl.kernels.compiler.ir.recurrences import Along, states_of
from netcl.kernels.compiler.loops.diagonals import diagonals
from netcl.kernels.compiler.loops.ir import Assume, Let, Loop, Statement, alone
from netcl.kernels.compiler.loops.lanes import in_step, overlapping
from netcl.kernels.compiler.loops.positions import ZERO, at_least, before, plus, quotient, times
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.values import Values
from netcl.kernels.compiler.loops.windows import Windows, stepped
from netcl.kernels.compiler.lower.kernel import Access, Write
from netcl.kernels.compiler.lower.nest import STEPS, Nest

_WRITTEN = 8
"""At most so many places along an index are written out."""


@dataclass(frozen=True)
class Tile:
    """So many rows, as far `apart`: those of `index` at these places, or with `lanes` as many vectors of neighbours."""

    index: str
    places: tuple[Position, ...]
    apart: int = 1
    lanes: Lanes | None = None


class Steps:
    """All steps of a nest whose writes are the states, in the order in which a step computes them. What a step has of a
    state is taken in vectors of so many `lanes`, where these are beside each other; with 0 nothing is. In a `tile` of
    rows reductions are computed for all of them together, so that what these read alike is read once."""

    def __init__(self, nest: Nest, values: Values, lanes: int = 0, tile: Tile | None = None) -> None:
        self.nest, self.values, self.lanes, self.tile = nest, values, lanes, tile
        assert nest.steps is not None
        self.inside = nest.steps.inside
        self.writes = dict(zip(nest.steps.states, nest.writes, strict=True))

    def of_rows(self, rows: Scope) -> list[Statement]:
        """The steps in a scope that binds the indices along which nothing depends on another."""
        steps = Scope(rows, {STEPS: ZERO})
        self._computed(self.inside, steps)
        return [*rows.statements, *steps.statements]

    def _computed(self, inside: Sequence[int | Along], scope: Scope) -> None:
        for each in self._in_loops(inside, scope):
            if isinstance(each, Along):
                self._along(each, scope)
            else:
                self._all_stored(each, scope)

    def _in_loops(self, inside: Sequence[int | Along], scope: Scope) -> list[Along | list[Write]]:
        """The states that are computed one after the other, those together that are stored in the same loops: all of
        one place, then all of the next one, so that what they have in common is computed once."""
        found: list[Along | list[Write]] = []
        for each in inside:
            if isinstance(each, Along):
                found.append(each)
                continue
            write, last = self.writes[each], found[-1] if found else None
            if isinstance(last, list) and self._is_alike(write, last, scope):
                last.append(write)
            else:
                found.append([write])
        return found

    def _is_alike(self, write: Write, others: Sequence[Write], scope: Scope) -> bool:
        """Whether the loops of a state are those of others, each of which is read where the loops are, if at all."""
        loops = self._loops(write, scope)
        every = [*others, write]
        if not loops or _reduces(write) or _reduces(others[0]) or loops != self._loops(others[0], scope):
            return False
        if len({self._is_in_vectors(each, loops) for each in every}) > 1:
            return False
        written = {each.access.buffer: each.access for each in every}
        accesses = self.nest.accesses
        return all(
            self._is_read_there(node, written[accesses[node.operand].buffer], loops)
            for node in subexpressions(*(each.expr for each in every))
            if isinstance(node, Read) and accesses[node.operand].buffer in written
        )

    def _is_read_there(self, node: Read, written: Access, loops: Sequence[str]) -> bool:
        """Whether what is read of a state is what is stored where the loops are; each of them moves through memory."""
        found = dict(self.nest.distances.get(node.operand, ()))
        strides, access = [written.strides.get(index) for index in loops], self.nest.accesses[node.operand]
        moves = all(strides) and strides == [access.strides.get(index) for index in loops]
        return moves and all(found.get(index) == 0 for index in loops)

    def _along(self, steps: Along, scope: Scope) -> None:
        inner = self._beside(steps)
        if inner is not None:
            self._diagonally(steps, inner, scope)
        else:
            self._one_by_one(steps, scope)

    def _one_by_one(self, steps: Along, scope: Scope) -> None:
        index, length = steps.index, self.values.given.size(steps.index)
        step = position(self.values.fresh("step") if steps.backward else self.values.index(index))
        inner = Scope(scope)
        inner.binds[index] = self._place(steps, step, inner)
        self._computed(steps.inside, inner)
        scope.statements.append(Loop(step.index, length, "serial", inner.body))

    def _place(self, steps: Along, step: Expr, scope: Scope) -> Expr:
        """Where a step is along its index."""
        if not steps.backward:
            return step
        at = position(self.values.index(steps.index))
        scope.statements.append(Let(at.index, stepped(steps, step, self.values.given.size(steps.index))))
        return at

    def _step_at(self, steps: Along, at: Expr, scope: Scope) -> Expr:
        """Where a step, which there is, is along its index."""
        step = position(self.values.fresh("step") if steps.backward else self.values.index(steps.index))
        scope.statements += [Let(step.index, at), Assume(before(step, self.values.given.size(steps.index)))]
        return self._place(steps, step, scope)

    def _beside(self, steps: Along) -> Along | None:
        """The steps inside, if the outer ones go along diagonals, in lanes."""
        inner = self.plane(steps)
        if inner is None or not self.lanes or self.tile is not None or self.nest.reduces:
            return None
        shortest = min(map(self.nest.extent, (steps.index, inner.index)))
        long = shortest >= self.nest.target.recurrences.diagonals
        plain = all(self.writes[each].expr.dtype != "bool" for each in states_of(steps.inside))
        return inner if long and plain else None

    def plane(self, steps: Along) -> Along | None:
        """The steps inside, if both go over a plane in which all on a diagonal may be computed together."""
        if not steps.skew:
            return None
        (inner,) = (each for each in steps.inside if isinstance(each, Along))
        writes = [self.writes[each] for each in states_of(steps.inside)]
        axes = {frozenset(write.indices).difference(self.nest.apart) for write in writes}
        return inner if axes == {frozenset((steps.index, inner.index))} else None

    def _diagonally(self, steps: Along, inner: Along, scope: Scope) -> None:
        """Both loops together, in each place of which all states are computed in turn."""
        values, size = self.values, self.values.given.size

        def place(row: Expr, column: Expr, lanes: Lanes, some: bool) -> Scope:
            """The scope of an outer and an inner step, which all lanes have, or some."""
            here = Scope(scope, {}, lanes)
            for each, at in ((steps, row), (inner, column)):
                here.binds[each.index] = stepped(each, at, size(each.index)) if some else self._step_at(each, at, here)
            if some:
                there = (before(row, size(steps.index)), at_least(column, 0), before(column, size(inner.index)))
                here.asked = values.named(conjunction(there), here)
            return here

        writes = [self.writes[each] for each in states_of(steps.inside)]
        windows = Windows(values, steps, inner, writes, self.lanes, scope, place)
        scope.statements.append(diagonals(values, size(steps.index), size(inner.index), windows))

    def _all_stored(self, writes: Sequence[Write], scope: Scope) -> None:
        """What a step has of some states: in a tile together where there are reductions, else row by row."""
        tile, loops = self.tile, self._loops(writes[0], scope)
        if tile is None or _reduces(writes[0]):
            self._stored(writes, scope, loops)
            return
        row, at = position(self.values.fresh("row")), position(self.values.index(tile.index))
        below = Scope(scope, {tile.index: at}, tile.lanes)
        below.statements += [
            Let(at.index, plus(tile.places[0], times(row, tile.apart))),
            Assume(before(at, self.values.given.size(tile.index))),
        ]
        self._stored(writes, below, loops)
        scope.statements.append(Loop(row.index, number(len(tile.places), INDEX_DTYPE), "serial", below.body))

    def _inner(self, write: Write, scope: Scope) -> list[str]:
        """What a step has all of, the index with the nearest neighbours last."""
        bound = {index for each in scope.upwards() for index in each.binds} | (
            {self.tile.index} if self.tile else set()
        )
        rest = [index for index in write.indices if index not in bound]
        return sorted(rest, key=lambda index: write.access.strides.get(index) == 1)

    def _loops(self, write: Write, scope: Scope) -> list[str]:
        """Those of these indices that are loops."""
        return [index for index in self._inner(write, scope) if not self._is_told_apart(index, write)]

    def _is_in_vectors(self, write: Write, loops: Sequence[str]) -> bool:
        """Whether the last of these loops is taken in vectors."""
        index = loops[-1]
        is_close = write.access.strides.get(index) == 1 and root(index) == self.nest.fastest
        return bool(self.lanes) and is_close and self.nest.extent(index) >= self.lanes

    def _stored(self, writes: Sequence[Write], scope: Scope, loops: Sequence[str]) -> None:
        if not loops:
            for write in writes:
                self._places_stored(write, scope, self._inner(write, scope))
                self.values.changed(write.access.buffer, scope)
            return
        index, *others = loops
        size = self.values.given.size(index)

        def inside(at: Expr, lanes: Lanes | None) -> Sequence[Statement]:
            inner = Scope(scope, {index: at}, lanes)
            self._stored(writes, inner, others)
            return inner.statements

        if not others and all(self._is_in_vectors(each, loops) for each in writes):
            first: Expr = number(0, INDEX_DTYPE)
            if self._is_tiled(scope) and canonical(writes[0].expr.dtype).itemsize == 4:
                first = self._beside_each_other(writes[0], scope, index)
            scope.statements.append(overlapping(self.values, index, first, size, size, self.lanes, inside))
            return
        at = position(self.values.index(index))
        scope.statements.append(Loop(at.index, size, "serial", tuple(inside(at, None))))

    def _places_stored(self, write: Write, scope: Scope, apart: Sequence[str]) -> None:
        """All places along the indices of which each place is told apart from the others."""
        if not apart:
            self._element(write, scope)
            return
        index, *others = apart
        for place in range(itself(self.nest.extent(index))):
            inner = Scope(scope, {index: number(place, INDEX_DTYPE)})
            self._places_stored(write, inner, others)
            scope.statements.append(alone(inner.statements))

    def _is_tiled(self, scope: Scope) -> bool:
        """Whether what is computed here is so for all rows of a tile together."""
        return self.tile is not None and all(self.tile.index not in each.binds for each in scope.upwards())

    def _beside_each_other(self, write: Write, scope: Scope, index: str) -> Expr:
        """Several vectors along an index at a time, each for all rows of the tile, whose elements are read once for
        them; returns where what is behind them begins."""
        values, many = self.values, self.nest.target.recurrences.beside
        width = many * self.lanes
        lanes, turn = Lanes(values.fresh("lane"), self.lanes), position(values.fresh("turn"))
        inner = Scope(scope, {}, None)
        columns: list[Scope] = []
        for each in range(many):
            at = position(values.index(index))
            start = plus(plus(times(turn, width), each * self.lanes), position(lanes.index))
            inner.statements += [Let(at.index, start), Assume(before(at, values.given.size(index)))]
            columns.append(Scope(inner, {index: at}, lanes))
        self._in_columns(write, inner, columns)
        turns = quotient(values.given.size(index), width)
        scope.statements.append(Loop(turn.index, turns, "serial", (in_step(lanes, inner.statements),)))
        return times(turns, width)

    def _is_told_apart(self, index: str, write: Write) -> bool:
        """Whether each of a few places along an index has a formula of its own, with no reduction in it."""
        if _reduces(write) or self.nest.extent(index) > _WRITTEN:
            return False
        nodes = subexpressions(write.expr)
        return any(isinstance(each, Apply) and each.dtype == "bool" and each.free == {index} for each in nodes)

    def _element(self, write: Write, scope: Scope) -> None:
        """One element; of a tile one of each row."""
        if self._is_tiled(scope):
            self._in_columns(write, scope, [scope])
        else:
            self.values.stored(write, scope)

    def _in_columns(self, write: Write, scope: Scope, places: Sequence[Scope]) -> None:
        """An element of each row of the tile in each of these places, which are in a scope or are this scope."""
        tile = self.tile
        assert tile is not None
        columns = [Scope(each, {tile.index: row}, tile.lanes) for each in places for row in tile.places]
        for column in columns:
            column.beside = tuple(columns)
            self.values.stored(write, column)
        for each in places:
            if each is not scope:
                scope.statements += each.statements
            for column in columns:
                scope.statements += column.statements if column.parent is each else ()


def _reduces(write: Write) -> bool:
    return any(isinstance(node, Reduce) for node in subexpressions(write.expr))
