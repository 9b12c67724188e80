"""scan: running values. Each work-item has rows of its own and goes along each of them once, in order.

Where the elements of a row are far apart and those of neighbouring rows close together, sixteen rows are taken at a
time, a lane for each. Where the values that a row is made of cost more than to put them down, those of sixteen
neighbours are computed together. The result never depends on how rows are shared out.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from netcl.kernels.compiler.ir import (
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
        beside = next((each for each in rows if root(each) == nest.fastest and nest.extent(each) >= LANES), None)
        if beside is None or beside in nest.bound:
            return self._kernel(Loops("scan", parallel=rows, inner=(self.index,)), self._row)
        others, blocks = tuple(each for each in rows if each != beside), Blocks(beside, nest.target.cuts.rows)
        loops = Loops("scan", parallel=others, inner=(beside, self.index), vector=beside, blocks=blocks)
        return self._kernel(loops, functools.partial(self._block, beside=beside))

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

    def _scope(self, row: Scope, at: Position, lanes: Lanes | None = None) -> Scope:
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
