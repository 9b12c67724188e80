"""scan: running values. Each work-item has rows of its own and goes along each of them once, in order.

Sixteen rows are taken at a time, a lane for each: a step of one alone would wait for the step before. Where the
elements of a row are neighbours, they go through tiles of sixteen rows and sixteen steps, so that memory is read and
written in the order in which it lies. Of fewer rows, where the values that they are made of cost more than to put them
down, those of sixteen neighbours are computed together. The result never depends on how rows are shared out.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from netcl.kernels.compiler.ir import (
    HALVES,
    INDEX_DTYPE,
    Apply,
    Expr,
    Position,
    Scan,
    number,
    position,
    read,
    root,
    subexpressions,
)
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.carry import Carried, one_by_one
from netcl.kernels.compiler.loops.given import Given
from netcl.kernels.compiler.loops.ir import Assume, Buffer, If, Let, Loop, Statement, Store
from netcl.kernels.compiler.loops.lanes import in_lanes, in_step
from netcl.kernels.compiler.loops.positions import ZERO, before, least, minus, plus, quotient, rest, times
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.values import Values, parted
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.scans import along, asked_of_rows
from netcl.kernels.compiler.opencl import elementary
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.targets.cpu.loops import Blocks, Loops
from netcl.kernels.compiler.targets.cpu.units import Inside, block_of, in_units

RUN = 256
"""After so many elements what is carried is settled."""


def fits(nest: Nest, node: Scan, partial: bool = False) -> Scheduled:
    """Always. When it is `partial`, rows are left out for which the condition that chooses the bodies does not hold."""
    return _Rows(nest, node, partial).scheduled()


class _Rows:
    def __init__(self, nest: Nest, node: Scan, partial: bool) -> None:
        self.stage, self.index, self.backward = nest, along(node), node.backward
        self.rows = tuple(each for each in nest.order if each != self.index)
        self.asked = asked_of_rows(nest.writes[0].expr, self.index) if partial else None
        self.given = given = Given(nest.accesses, nest.attributes)
        self.top = Scope()
        self.values = Values(nest, [*nest.exprs, *([] if self.asked is None else [self.asked])], given)
        self.length = given.size(self.index)
        first = minus(self.length, 1) if node.backward else ZERO
        self.state = one_by_one(node.kind, nest.writes[0].expr.dtype, first)

    def scheduled(self) -> Scheduled:
        nest, rows = self.stage, self.rows
        beside = self._beside()
        if beside is None:
            return self._kernel(Loops("scan", parallel=rows, inner=(self.index,)), self._row)
        width = nest.target.cuts.rows if root(beside) == nest.fastest else LANES
        others, blocks = tuple(each for each in rows if each != beside), Blocks(beside, width)
        in_tiles = root(self.index) == nest.fastest and self.state.dtype != "bool"
        loops = Loops("scan", parallel=others, inner=(beside, self.index), vector=beside, blocks=blocks)
        return self._kernel(loops, functools.partial(self._tiled if in_tiles else self._block, beside=beside))

    def _beside(self) -> str | None:
        """The index of rows that are taken together: that of neighbours, or the longest one."""
        nest = self.stage
        able = [each for each in self.rows if nest.extent(each) >= LANES and each not in nest.bound]
        nearest = next((each for each in able if root(each) == nest.fastest), None)
        if nearest is not None or self.asked is not None:
            return nearest
        return max(able, key=nest.extent, default=None)

    def _kernel(self, loops: Loops, inside: Inside) -> Scheduled:
        kernel = in_units(self.stage, self.values, loops, self.top, inside)
        return Scheduled((kernel,))

    def _row(self, places: Mapping[str, Expr]) -> Sequence[Statement]:
        return self._along(Scope(self.top, places), None)

    def _block(self, places: Mapping[str, Expr], beside: str) -> Sequence[Statement]:
        """Neighbouring rows, a lane for each."""
        values, block = self.values, block_of(self.given, beside)
        first = position(values.fresh("first"))
        count = position(values.fresh("count"))
        left = least(block, minus(self.given.size(beside), first))
        outer = Scope(self.top, places)

        def inside(at: Expr, lanes: Lanes | None) -> Sequence[Statement]:
            return self._along(Scope(outer, {beside: at}, lanes), lanes)

        vectors = in_lanes(values, beside, first, count, self.given.size(beside), (LANES,), inside)
        lets = (Let(first.index, times(places[f"{beside}#"], block)), Let(count.index, left))
        return [*lets, *outer.statements, *vectors]

    def _tiled(self, places: Mapping[str, Expr], beside: str) -> Sequence[Statement]:
        """Sixteen rows in tiles; fewer, where the last block has no more, one after the other."""
        values = self.values
        first, left = position(values.fresh("first")), position(values.fresh("count"))
        outer, row = Scope(self.top, places), position(values.fresh("row"))
        together = self._in_tiles(outer, beside, first)
        alone = Loop(
            row.index, left, "serial", tuple(self._along(self._beside_at(outer, beside, plus(first, row)), None))
        )
        return [
            Let(first.index, times(places[f"{beside}#"], LANES)),
            Let(left.index, least(LANES, minus(self.given.size(beside), first))),
            *outer.statements,
            If(call("eq", left, LANES), tuple(together)),
            If(before(left, LANES), (alone,)),
        ]

    def _beside_at(self, outer: Scope, beside: str, place: Expr, lanes: Lanes | None = None) -> Scope:
        """The scope of a row, or of those of some lanes."""
        at = position(self.values.index(beside))
        scope = Scope(outer, {beside: at}, lanes)
        scope.statements += [Let(at.index, place), Assume(before(at, self.given.size(beside)))]
        return scope

    def _in_tiles(self, outer: Scope, beside: str, first: Expr) -> list[Statement]:
        """Along sixteen rows from `first` on."""
        values, state = self.values, self.state
        lanes = Lanes(values.fresh("lane"), LANES)
        rows = self._beside_at(outer, beside, plus(first, position(lanes.index)), lanes)
        carried = Carried(values.fresh("carried").replace("_", " "), state, lanes=lanes)
        values.buffers += carried.buffers
        settled = state.settled(carried.parts)
        run, begin, count = (position(values.fresh(each)) for each in ("run", "begin", "count"))
        tile, start = position(values.fresh("tile")), position(values.fresh("start"))
        tiles = quotient(count, LANES)
        behind = self._one_by_one(plus(begin, times(tiles, LANES)), rest(count, LANES), rows, carried)
        return [
            in_step(lanes, carried.become(state.start)),
            Loop(run.index, parted(self.length, RUN), "serial", (
                Let(begin.index, times(run, RUN)),
                Let(count.index, least(RUN, minus(self.length, begin))),
                Loop(tile.index, tiles, "serial", (
                    Let(start.index, plus(begin, times(tile, LANES))),
                    Assume(before(start, minus(self.length, LANES - 1))),
                    *self._tile(outer, beside, first, start, lanes, carried),
                )),
                in_step(lanes, (*rows.statements, *behind)),
                *([] if settled is None else [in_step(lanes, carried.become(settled))]),
            )),
        ]  # fmt: skip

    def _tile(
        self, outer: Scope, beside: str, first: Expr, start: Expr, lanes: Lanes, carried: Carried
    ) -> list[Statement]:
        """Sixteen steps of sixteen rows: the bodies of a row together, the steps, the results of a row together."""
        values, state, write = self.values, self.state, self.stage.writes[0]
        dtype = write.access.dtype
        result = "float32" if dtype in HALVES else dtype
        along, step = Lanes(values.fresh("lane"), LANES), position(values.fresh("step"))
        made, found = [self._square(state.dtype) for _ in self.stage.writes], self._square(result)
        row, again = position(values.fresh("row")), position(values.fresh("row"))
        of_row, of_results = (self._beside_at(outer, beside, plus(first, each)) for each in (row, again))
        bodies = self._scope(of_row, start, along)
        for buffer, body in zip(made, self._bodies(bodies), strict=True):
            bodies.statements.append(Store(buffer, plus(times(row, LANES), position(along.index)), body))
        slot = minus(LANES - 1, step) if self.backward else step
        place = plus(times(position(lanes.index), LANES), slot)
        at = plus(start, step)
        here = minus(minus(self.length, 1), at) if self.backward else at
        given = tuple(read(buffer, (place,), state.dtype) for buffer in made)
        steps = [
            *state.advance(carried, given, call("eq", at, 0), here),
            Store(found, place, cast(state.result(carried.parts), result)),
        ]
        results = self._scope(of_results, start, along)
        target = self.given.target(write, {index: results.place(index) for index in write.access.strides})
        value = read(found, (plus(times(again, LANES), position(along.index)),), result)
        results.statements.append(Store(*target, cast(value, dtype)))
        many = number(LANES, INDEX_DTYPE)
        return [
            Loop(row.index, many, "serial", (*of_row.statements, in_step(along, bodies.statements))),
            Loop(step.index, many, "serial", (in_step(lanes, steps),)),
            Loop(again.index, many, "serial", (*of_results.statements, in_step(along, results.statements))),
        ]

    def _square(self, dtype: str) -> str:
        """A new buffer for a value of each row and step of a tile."""
        buffer = Buffer(f"own {self.values.fresh('tile')}", dtype, "private", number(LANES * LANES, INDEX_DTYPE))
        self.values.buffers.append(buffer)
        return buffer.name

    def _along(self, row: Scope, lanes: Lanes | None) -> Sequence[Statement]:
        """The loop over one row, or over as many at once as there are lanes."""
        values, state = self.values, self.state
        carried = Carried(values.fresh("carried").replace("_", " "), state, lanes=lanes)
        values.buffers += carried.buffers
        steps = self._one_by_one if lanes or not self._has_vectors else self._in_vectors
        settled = state.settled(carried.parts)
        if settled is None:
            body = steps(ZERO, self.length, row, carried)
        else:
            run, first = position(values.fresh("run")), position(values.fresh("begin"))
            count = least(RUN, minus(self.length, first))
            body = [
                Loop(run.index, parted(self.length, RUN), "serial", (
                    Let(first.index, times(run, RUN)),
                    *steps(first, count, row, carried),
                    *carried.become(settled),
                ))
            ]  # fmt: skip
        inside = (*carried.become(state.start), *body)
        if self.asked is None:
            return [*row.statements, *inside]
        asked = values.value(self.asked, row)
        return [*row.statements, If(asked, inside)]

    @functools.cached_property
    def _has_vectors(self) -> bool:
        """Whether neighbours stand in a row, and cost more than to put them down and take them up again."""
        nodes = subexpressions(*(write.expr for write in self.stage.writes))
        costs = any(isinstance(node, Apply) and node.function in elementary.WORST_ULP for node in nodes)
        costs = costs and self.state.dtype != "bool"  # vectors of which are not put down
        return costs and root(self.index) == self.stage.fastest and self.stage.extent(self.index) >= LANES

    def _one_by_one(self, first: Expr, count: Expr, row: Scope, carried: Carried) -> list[Statement]:
        """So many steps from `first` on: the bodies of each, and what is carried behind it."""
        at = self._new_step()
        inner = self._scope(row, at)
        inner.statements += self._step(at, self._bodies(inner), inner, carried)
        if first is ZERO:
            return [Loop(at.index, count, "serial", inner.body)]
        step = position(self.values.fresh("step"))
        lets = (Let(at.index, plus(first, step)), Assume(before(at, self.length)))
        return [Loop(step.index, count, "serial", (*lets, *inner.statements))]

    def _in_vectors(self, first: Expr, count: Expr, row: Scope, carried: Carried) -> list[Statement]:
        """The same with the bodies of sixteen neighbours computed together, before the steps over them."""
        values, dtype = self.values, self.state.dtype
        vectors, vector, start = (position(values.fresh(each)) for each in ("vectors", "vector", "start"))
        lanes, many = Lanes(values.fresh("lane"), LANES), number(LANES, INDEX_DTYPE)
        made = [Buffer(f"own {values.fresh('bodies')}", dtype, "private", many) for _ in self.stage.writes]
        values.buffers += made
        together = self._scope(row, start, lanes)
        for buffer, body in zip(made, self._bodies(together), strict=True):
            together.statements.append(Store(buffer.name, position(lanes.index), body))
        step, at = position(values.fresh("step")), self._new_step()
        slot = minus(LANES - 1, step) if self.backward else step
        inner = self._scope(row, at)
        bodies = tuple(read(buffer.name, (slot,), dtype) for buffer in made)
        inner.statements += self._step(at, bodies, inner, carried)
        lets = (Let(at.index, plus(start, step)), Assume(before(at, self.length)))
        return [
            Let(vectors.index, quotient(count, LANES)),
            Loop(vector.index, vectors, "serial", (
                Let(start.index, plus(first, times(vector, LANES))),
                Assume(before(start, minus(self.length, LANES - 1))),
                in_step(lanes, together.statements),
                Loop(step.index, many, "serial", (*lets, *inner.statements)),
            )),
            *self._one_by_one(plus(first, times(vectors, LANES)), rest(count, LANES), row, carried),
        ]  # fmt: skip

    def _new_step(self) -> Position:
        """The number of a step, which is the place in the row unless that is gone along backwards."""
        return position(self.values.fresh("step") if self.backward else self.values.index(self.index))

    def _scope(self, row: Scope, at: Expr, lanes: Lanes | None = None) -> Scope:
        """Where the values of step `at` stand, or those of the steps from there on, a lane for each."""
        if lanes is None and not self.backward:
            return Scope(row, {self.index: at})
        place = position(self.values.index(self.index))
        inner = Scope(row, {self.index: place}, lanes)
        first = minus(minus(self.length, lanes.count if lanes else 1), at) if self.backward else at
        inner.statements.append(Let(place.index, plus(first, position(lanes.index)) if lanes else first))
        if lanes:
            inner.statements.append(Assume(before(place, self.length)))
        return inner

    def _bodies(self, scope: Scope) -> tuple[Expr, ...]:
        values = self.values
        return tuple(
            values.named(cast(values.value(write.expr, scope), self.state.dtype), scope) for write in self.stage.writes
        )

    def _step(self, at: Expr, bodies: tuple[Expr, ...], scope: Scope, carried: Carried) -> list[Statement]:
        """One more element, and its result."""
        write, state = self.stage.writes[0], self.state
        result = cast(state.result(carried.parts), write.access.dtype)
        places = {index: scope.place(index) for index in write.access.strides}
        return [
            *state.advance(carried, bodies, call("eq", at, 0), scope.place(self.index)),
            Store(*self.given.target(write, places), result),
        ]
