"""recurrence: states that read earlier elements of themselves. Each work-item has rows of its own, along which nothing
depends on another one, and goes through the steps in order; in each of them it computes the states in turn.

Where the elements of neighbouring rows are close together, sixteen rows are taken at a time, a lane for each, and four
times as many where a step reduces; elsewhere sixteen elements of a state that a step has, of eight rows together where
a step reduces weights, which all rows read. What a step reduces of the steps before goes as far as these have
come (`stepped`). Where an element of a plane reads its neighbours before it, sixteen steps along one side go together,
each a little behind the one before (`diagonals`).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from netcl.kernels.compiler.ir import Expr, Position, Read, position, root, subexpressions
from netcl.kernels.compiler.loops.given import Given
from netcl.kernels.compiler.loops.ir import Assume, Let, Loop, Statement
from netcl.kernels.compiler.loops.lanes import in_lanes, in_step
from netcl.kernels.compiler.loops.positions import before, least, minus, plus, quotient, rest, times
from netcl.kernels.compiler.loops.recurrent import Steps, Tile
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.stepped import Stepped
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.targets.cpu.loops import Blocks, Loops
from netcl.kernels.compiler.targets.cpu.units import Inside, block_of, in_units


def fits(nest: Nest) -> Scheduled:
    """Always."""
    return _Rows(nest).scheduled()


class _Rows:
    def __init__(self, nest: Nest) -> None:
        self.nest = nest
        self.given = Given(nest.accesses, nest.attributes)
        self.values = Stepped(nest, self.given)
        self.top = Scope()

    def scheduled(self) -> Scheduled:
        nest, rows = self.nest, self.nest.apart
        inner = tuple(index for index in nest.order if index not in rows)
        beside = next((each for each in rows if root(each) == nest.fastest and nest.extent(each) >= LANES), None)
        if beside is None:
            return self._rows_together(rows, inner) or self._kernel(
                Loops("recurrence", parallel=rows, inner=inner), self._row
            )
        others, blocks = tuple(each for each in rows if each != beside), Blocks(beside, nest.target.cuts.rows)
        loops = Loops("recurrence", parallel=others, inner=(beside, *inner), vector=beside, blocks=blocks)
        return self._kernel(loops, functools.partial(self._block, beside=beside))

    def _rows_together(self, rows: tuple[str, ...], inner: tuple[str, ...]) -> Scheduled | None:
        """Several rows in the registers at once, where a step reduces what all rows read."""
        if not rows or not self._read_alike(rows[-1]):
            return None
        many = next((each for each in self.nest.target.recurrences.rows if self.nest.extent(rows[-1]) >= each), None)
        if many is None:
            return None
        loops = Loops("recurrence", parallel=rows[:-1], inner=(rows[-1], *inner), blocks=Blocks(rows[-1], many))
        return self._kernel(loops, functools.partial(self._tile, index=rows[-1], many=many))

    def _read_alike(self, row: str) -> bool:
        """Whether a step reduces what all rows read, once more for each element that it has of a row, as weights."""
        assert self.nest.steps is not None
        along, accesses = self.nest.steps.along, self.nest.accesses
        for node in self.nest.reduces:
            for each in subexpressions(node.body):
                if isinstance(each, Read):
                    inner = accesses[each.operand].strides.keys() - along
                    if row not in inner and inner & {*node.over} and inner - {*node.over}:
                        return True
        return False

    def _tile(self, places: Mapping[str, Expr], index: str, many: int) -> Sequence[Statement]:
        """A block of rows: all together where it is whole, else one by one."""
        values, size = self.values, self.given.size(index)
        first, count = position(values.fresh("first")), position(values.fresh("count"))
        whole, row = position(values.fresh("whole")), position(values.fresh("row"))
        names, lets = self._places(index, first, many, 1)
        tile = Steps(self.nest, values, LANES, Tile(index, names))
        alone = position(values.index(index))
        return [
            Let(first.index, times(places[f"{index}#"], block_of(self.given, index))),
            Let(count.index, least(block_of(self.given, index), minus(size, first))),
            Loop(whole.index, quotient(count, many), "serial", (*lets, *tile.of_rows(Scope(self.top, places)))),
            Loop(row.index, rest(count, many), "serial", (
                Let(alone.index, plus(first, row)), Assume(before(alone, size)),
                *self._row({**places, index: alone}),
            )),
        ]  # fmt: skip

    def _places(self, index: str, first: Expr, many: int, apart: int) -> tuple[tuple[Position, ...], list[Statement]]:
        """So many places of an index from the first on, and the statements that give them their names."""
        names = tuple(position(self.values.index(index)) for _ in range(many))
        lets: list[Statement] = []
        for at, name in enumerate(names):
            lets += [Let(name.index, plus(first, at * apart)), Assume(before(name, self.given.size(index)))]
        return names, lets

    def _kernel(self, loops: Loops, inside: Inside) -> Scheduled:
        return Scheduled((in_units(self.nest, self.values, loops, self.top, inside),))

    def _row(self, places: Mapping[str, Expr]) -> Sequence[Statement]:
        return Steps(self.nest, self.values, LANES).of_rows(Scope(self.top, places))

    def _block(self, places: Mapping[str, Expr], beside: str) -> Sequence[Statement]:
        """Neighbouring rows, a lane for each; several vectors of them together where a step reduces."""
        values, block = self.values, block_of(self.given, beside)
        first, count = position(values.fresh("first")), position(values.fresh("count"))
        size = self.given.size(beside)
        outer = Scope(self.top, places)

        def inside(at: Expr, lanes: Lanes | None) -> Sequence[Statement]:
            return Steps(self.nest, values).of_rows(Scope(outer, {beside: at}, lanes))

        lets = (
            Let(first.index, times(places[f"{beside}#"], block)),
            Let(count.index, least(block, minus(size, first))),
        )
        many = LANES * self.nest.target.recurrences.vectors
        if not self.nest.reduces or self.nest.extent(beside) < many:
            loops = in_lanes(values, beside, first, count, size, (LANES,), inside)
            return [*lets, *outer.statements, *loops]
        whole = quotient(count, many)
        together = self._vectors(beside, first, whole, outer)
        behind = in_lanes(values, beside, plus(first, times(whole, many)), rest(count, many), size, (LANES,), inside)
        return [*lets, *outer.statements, together, *behind]

    def _vectors(self, beside: str, first: Expr, count: Expr, outer: Scope) -> Statement:
        """So often as many vectors as go together."""
        values, many = self.values, self.nest.target.recurrences.vectors
        lanes, turn = Lanes(values.fresh("lane"), LANES), position(values.fresh("turn"))
        start = plus(plus(first, times(turn, many * LANES)), position(lanes.index))
        names, lets = self._places(beside, start, many, LANES)
        tile = Steps(self.nest, values, 0, Tile(beside, names, LANES, lanes))
        return Loop(turn.index, count, "serial", (in_step(lanes, (*lets, *tile.of_rows(Scope(outer)))),))
