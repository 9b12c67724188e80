"""scan: running values. Each work-item has rows of its own and goes along each of them once, in order.

Where the elements of a row are far apart and those of neighbouring rows close together, sixteen rows are taken at a
time, a lane for each. The result never depends on how rows are shared out.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Scan, number, position, root
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.carry import Carried, one_by_one
from netcl.kernels.compiler.loops.given import Given
from netcl.kernels.compiler.loops.ir import Assume, If, Let, Loop, Statement, Store
from netcl.kernels.compiler.loops.lanes import in_lanes
from netcl.kernels.compiler.loops.positions import before, least, minus, plus, times
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.values import Values, parted
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.scans import along, asked_of_rows
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
        first = minus(self.length, 1) if node.backward else number(0, INDEX_DTYPE)
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
        at = position(values.fresh("step") if self.backward else values.index(self.index))
        place: Expr = at
        step = Scope(row)
        settled = state.settled(carried.parts)
        run, inner = position(values.fresh("run")), position(values.fresh("step"))
        if settled is not None:
            step.statements += [Let(at.index, plus(times(run, RUN), inner)), Assume(before(at, self.length))]
        if self.backward:
            place = position(values.index(self.index))
            step.statements.append(Let(place.index, minus(minus(self.length, 1), at)))
        step.binds[self.index] = place
        bodies = tuple(
            values.named(cast(values.value(write.expr, step), state.dtype), step) for write in self.stage.writes
        )
        step.statements += state.advance(carried, bodies, call("eq", at, 0), place)
        write = self.stage.writes[0]
        result = cast(state.result(carried.parts), write.access.dtype)
        places = {index: step.place(index) for index in write.access.strides}
        step.statements.append(Store(*self.given.target(write, places), result))
        loop = Loop(at.index, self.length, "serial", step.body)
        if settled is not None:
            count = least(RUN, minus(self.length, times(run, RUN)))
            steps = Loop(inner.index, count, "serial", step.body)
            loop = Loop(run.index, parted(self.length, RUN), "serial", (steps, *carried.become(settled)))
        inside = (*carried.become(state.start), loop)
        if self.asked is None:
            return [*row.statements, *inside]
        asked = values.value(self.asked, row)
        return [*row.statements, If(asked, inside)]
