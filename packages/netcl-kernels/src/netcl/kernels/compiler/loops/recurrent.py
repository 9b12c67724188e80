"""The steps of a recurrence as statements of one work-item: loops over time, in which the states are stored in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from netcl.kernels.compiler.ir import Apply, Expr, Position, Reduce, number, position, root, subexpressions
from netcl.kernels.compiler.ir.nodes import INDEX_DTYPE
from netcl.kernels.compiler.ir.quantity import itself
from netcl.kernels.compiler.ir.recurrences import Along, states_of
from netcl.kernels.compiler.ir.simplify import conjunction
from netcl.kernels.compiler.loops.diagonals import diagonals
from netcl.kernels.compiler.loops.ir import Assume, Let, Loop, Statement, alone
from netcl.kernels.compiler.loops.lanes import in_lanes, in_step
from netcl.kernels.compiler.loops.positions import at_least, before, minus, plus, times
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.values import Values
from netcl.kernels.compiler.loops.windows import Windows, stepped
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.lower.nest import Nest

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
        self._computed(self.inside, rows)
        return rows.statements

    def _computed(self, inside: Sequence[int | Along], scope: Scope) -> None:
        for each in inside:
            if isinstance(each, Along):
                self._along(each, scope)
            else:
                write = self.writes[each]
                self._all_stored(write, scope)
                self.values.changed(write.access.buffer, scope)

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
        values, size, states = self.values, self.values.given.size, states_of(steps.inside)
        outer, within = size(steps.index), size(inner.index)

        def place(row: Expr, column: Expr, lanes: Lanes) -> Scope:
            """The scope of an outer and an inner step."""
            here = Scope(scope, {}, lanes)
            for each, at in ((steps, row), (inner, column)):
                step = position(values.fresh("step") if each.backward else values.index(each.index))
                here.statements += [Let(step.index, at), Assume(before(step, size(each.index)))]
                here.binds[each.index] = self._place(each, step, here)
            return here

        def some(first: Expr, at: Expr) -> list[Statement]:
            """A turn of those lanes that have a step there."""
            lane = Lanes(values.fresh("lane"), self.lanes)
            row, column = plus(first, position(lane.index)), minus(at, times(position(lane.index), steps.skew))
            binds = {steps.index: stepped(steps, row, outer), inner.index: stepped(inner, column, within)}
            here = Scope(scope, binds, lane)
            here.asked = values.named(
                conjunction((before(row, outer), at_least(column, 0), before(column, within))), here
            )
            self._computed(states, here)
            return [in_step(lane, here.statements)]

        writes = [self.writes[each] for each in states]
        windows = Windows(values, steps, inner, writes, self.lanes, scope, place)
        scope.statements.append(diagonals(values, outer, within, windows, some))

    def _all_stored(self, write: Write, scope: Scope) -> None:
        """What a step has of a state: in a tile together where there are reductions, else row by row."""
        tile, inner = self.tile, self._inner(write, scope)
        if tile is None or any(isinstance(node, Reduce) for node in subexpressions(write.expr)):
            self._stored(write, scope, inner)
            return
        row, at = position(self.values.fresh("row")), position(self.values.index(tile.index))
        below = Scope(scope, {tile.index: at}, tile.lanes)
        below.statements += [
            Let(at.index, plus(tile.places[0], times(row, tile.apart))),
            Assume(before(at, self.values.given.size(tile.index))),
        ]
        self._stored(write, below, inner)
        scope.statements.append(Loop(row.index, number(len(tile.places), INDEX_DTYPE), "serial", below.body))

    def _inner(self, write: Write, scope: Scope) -> list[str]:
        """What a step has all of, the index with the nearest neighbours last."""
        bound = {index for each in scope.upwards() for index in each.binds} | (
            {self.tile.index} if self.tile else set()
        )
        rest = [index for index in write.indices if index not in bound]
        return sorted(rest, key=lambda index: write.access.strides.get(index) == 1)

    def _stored(self, write: Write, scope: Scope, rest: Sequence[str]) -> None:
        if not rest:
            self._element(write, scope)
            return
        index, *others = rest
        size = self.values.given.size(index)

        def inside(at: Expr, lanes: Lanes | None) -> Sequence[Statement]:
            inner = Scope(scope, {index: at}, lanes)
            self._stored(write, inner, others)
            return inner.statements

        in_vectors = not others and self.lanes and self.nest.extent(index) >= self.lanes
        if in_vectors and write.access.strides.get(index) == 1 and root(index) == self.nest.fastest:
            zero = number(0, INDEX_DTYPE)
            scope.statements += in_lanes(self.values, index, zero, size, size, (self.lanes,), inside)
            return
        if self._is_told_apart(index, write):
            for place in range(itself(self.nest.extent(index))):
                scope.statements.append(alone(inside(number(place, INDEX_DTYPE), None)))
            return
        at = position(self.values.index(index))
        scope.statements.append(Loop(at.index, size, "serial", tuple(inside(at, None))))

    def _is_told_apart(self, index: str, write: Write) -> bool:
        """Whether each of a few places along an index has a formula of its own, with no reduction in it."""
        nodes = list(subexpressions(write.expr))
        compared = any(isinstance(each, Apply) and each.dtype == "bool" and each.free == {index} for each in nodes)
        short = compared and not any(isinstance(each, Reduce) for each in nodes)
        return bool(short and self.nest.extent(index) <= _WRITTEN)

    def _element(self, write: Write, scope: Scope) -> None:
        """One element; of a tile one of each row."""
        tile = self.tile
        if tile is None or any(tile.index in each.binds for each in scope.upwards()):
            self.values.stored(write, scope)
            return
        columns = tuple(Scope(scope, {tile.index: place}, tile.lanes) for place in tile.places)
        for column in columns:
            column.beside = columns
            self.values.stored(write, column)
        for column in columns:
            scope.statements += column.statements
