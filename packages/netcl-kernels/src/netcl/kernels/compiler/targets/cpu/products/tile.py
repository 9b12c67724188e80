"""The innermost loop of a matrix product: one tile of sums in registers.

Eight rows by two vectors of columns; each step adds the products of one column of the left panel and one row of the
right panel with fused multiply-adds, always in the order of the steps. At the right end of a matrix, where fewer
columns are left, narrower forms compute only the first half or quarter of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, number, position, read
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.ir import Buffer, If, Loop, MultiplyAdd, Name, Statement, Store
from netcl.kernels.compiler.loops.lanes import in_step
from netcl.kernels.compiler.loops.positions import plus, times
from netcl.kernels.compiler.loops.values import Lanes, Values
from netcl.kernels.compiler.targets.cpu.products.tiling import ROWS

Element = Callable[[Expr, Expr], tuple[list[Statement], Expr]]
"""An element of a panel at a step and a line, behind what has to be said of it."""


@dataclass(frozen=True)
class Sums:
    """Where the sums of a tile are kept between two chunks: rows of `width` in the memory of `buffer`."""

    buffer: str
    begin: Expr
    width: int
    dtype: str

    def at(self, row: Expr, column: Expr) -> Expr:
        return plus(plus(self.begin, times(row, self.width)), column)


def multiplied(
    values: Values, sums: Sums, remaining: Expr, steps: Expr, is_first: Expr, left: Element, right: Element
) -> list[Statement]:
    """A chunk of steps added to the sums of a tile, of which so many columns are `remaining`."""
    half, quarter = call("gt", remaining, sums.width // 2), call("gt", remaining, sums.width // 4)
    forms = (
        (half, 1),
        (call("and", call("not", half), quarter), 2),
        (call("not", quarter), 4),
    )
    return [If(when, tuple(_form(values, sums, part, steps, is_first, left, right))) for when, part in forms]


def _form(
    values: Values, sums: Sums, part: int, steps: Expr, is_first: Expr, left: Element, right: Element
) -> list[Statement]:
    """Of the columns of a tile the first of so many parts."""
    lanes = min(sums.width // 2, sums.width // part)
    sides = range(sums.width // part // lanes)
    names = {(row, side): f"sum {row} {'ab'[side]} {part}" for row in range(ROWS) for side in sides}
    values.buffers += [Buffer(name, sums.dtype, "private", number(lanes, INDEX_DTYPE)) for name in names.values()]

    def each(made: Callable[[str, Expr, Expr], Statement], lane: Expr) -> list[Statement]:
        """A statement for each vector of sums, which is a buffer that lies in a place of the sums."""
        return [
            made(name, lane, plus(plus(sums.begin, row * sums.width + side * lanes), lane))
            for (row, side), name in names.items()
        ]

    def vector(*bodies: Callable[[Expr], list[Statement]]) -> Loop:
        lane = Lanes(values.fresh("lane"), lanes)
        found = in_step(lane, [statement for body in bodies for statement in body(position(lane.index))])
        assert isinstance(found, Loop)
        return found

    def begun(lane: Expr) -> list[Statement]:
        zeros = each(lambda name, lane, _: Store(name, lane, number(0, sums.dtype)), lane)
        so_far = each(lambda name, lane, at: Store(name, lane, read(sums.buffer, (at,), sums.dtype)), lane)
        return [*zeros, If(call("not", is_first), tuple(so_far))]

    def kept(lane: Expr) -> list[Statement]:
        return each(lambda name, lane, at: Store(sums.buffer, at, read(name, (lane,), sums.dtype)), lane)

    step = position(values.fresh("step"))

    def added(lane: Expr) -> list[Statement]:
        found: list[Statement] = []
        columns = []
        for side in sides:
            lets, element = right(step, plus(side * lanes, lane))
            name = values.fresh("column")
            found += [*lets, Name(name, element)]
            columns.append(read(name, (), sums.dtype))
        for row in range(ROWS):
            lets, element = left(step, number(row, INDEX_DTYPE))
            found += [*lets]
            found += [MultiplyAdd(names[row, side], lane, element, columns[side]) for side in sides]
        return found

    return [vector(begun), Loop(step.index, steps, "serial", (vector(added),)), vector(kept)]
