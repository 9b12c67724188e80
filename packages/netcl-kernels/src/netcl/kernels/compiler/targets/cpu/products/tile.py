"""The innermost loop of a matrix product: one tile of sums in registers.

As many rows and columns as registers hold (`tiling.Tile`); each step adds the products of one column of the left panel
and one row of the right panel with fused multiply-adds, always in the order of the steps. At the right end of a matrix,
where fewer columns are left, narrower forms compute only the first half or quarter of them. The kernels of a program
share these functions, which know nothing but the shape of a tile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from netcl.core.bounded import remembered
from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, attribute, number, position, read
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.ir import (
    Assume,
    Buffer,
    Call,
    Function,
    If,
    Loop,
    MultiplyAdd,
    Name,
    Space,
    Statement,
    Store,
    elements_of,
)
from netcl.kernels.compiler.loops.lanes import in_step
from netcl.kernels.compiler.loops.positions import ZERO, at_least, before, plus, times
from netcl.kernels.compiler.loops.scope import Lanes
from netcl.kernels.compiler.targets.cpu.products.tiling import Tile

PARTS = {1: "tile", 2: "half_tile", 4: "quarter_tile"}
"""The forms: all of the columns of a tile, or the first of so many parts."""

_LEFT, _BEGINS, _RIGHT, _SUMS = "left rows", "row begins", "right columns", "tile sums"
_NUMBERS = ("rows", "first", "columns", "sums", "steps", "before")


@dataclass(frozen=True)
class Rows:
    """The rows of a tile, in the memory of `buffer` from `begin` on: `[step][row]`, `lines` for each step. Where they
    lie `in_place`, the table of that name has from `begin` on where each begins, and the chunk is from the step `first`
    on."""

    buffer: str
    begin: Expr
    lines: int
    in_place: str | None = None
    first: Expr = ZERO


@dataclass(frozen=True)
class Columns:
    """The columns of a tile, in the memory of `buffer` from `begin` on: `[step][column]`."""

    buffer: str
    space: Space
    begin: Expr


@dataclass(frozen=True)
class Sums:
    """Where the sums of a tile are kept between two chunks: rows in the memory of `buffer`."""

    buffer: str
    begin: Expr
    tile: Tile
    dtype: str

    @property
    def rows(self) -> int:
        return self.tile.rows

    @property
    def width(self) -> int:
        return self.tile.columns

    def at(self, row: Expr, column: Expr) -> Expr:
        return plus(plus(self.begin, times(row, self.width)), column)


def multiplied(sums: Sums, remaining: Expr, rows: Rows, columns: Columns, steps: Expr, before: Expr) -> list[Statement]:
    """A chunk of steps added to the sums of a tile, of which so many columns are `remaining` and so many chunks were
    `before`."""
    half, quarter = call("gt", remaining, sums.width // 2), call("gt", remaining, sums.width // 4)
    forms = (
        (half, 1),
        (call("and", call("not", half), quarter), 2),
        (call("not", quarter), 4),
    )
    tables = [] if rows.in_place is None else [rows.in_place]
    buffers = (rows.buffer, *tables, columns.buffer, sums.buffer)
    numbers = (rows.begin, rows.first, columns.begin, sums.begin, steps, before)
    found: list[Statement] = []
    for when, part in forms:
        function = tile(sums.dtype, sums.tile, part, rows.lines, rows.in_place is not None, columns.space)
        found.append(If(when, (Call(function, buffers, numbers),)))
    return found


@remembered("tiles of products", 64)
def tile(dtype: str, tile: Tile, part: int, lines: int, in_place: bool, columns: Space) -> Function:
    """The function of one form, whose rows are the first of so many `lines`; `columns` says where the right panel
    is."""
    return _Tile(dtype, tile, part, lines, in_place, columns).function()


class _Tile:
    def __init__(self, dtype: str, tile: Tile, part: int, lines: int, in_place: bool, columns: Space) -> None:
        self.dtype, self.rows, self.width, self.part = dtype, tile.rows, tile.columns, part
        self.lines, self.in_place, self.space = lines, in_place, columns
        self.columns = self.width // part
        self.at_once = min(tile.at_once, self.columns)
        self.lanes = min(tile.at_once // 2, self.columns)
        self.sides = range(self.at_once // self.lanes)
        self.names = {
            (row, side): f"sum {row}{'ab'[side]} {PARTS[part]}" for row in range(self.rows) for side in self.sides
        }
        self.numbers = {name: attribute(name, INDEX_DTYPE) for name in _NUMBERS}

    def function(self) -> Function:
        place = "_global" if self.space == "global" else ""
        name = f"{PARTS[self.part]}_{self.dtype}_{self.rows}x{self.width}{'_in_place' if self.in_place else ''}{place}"
        begins = Buffer(_BEGINS, INDEX_DTYPE, "private", ZERO, positions=True)
        buffers = (
            Buffer(_LEFT, self.dtype, "global" if self.in_place else "private", ZERO),
            *([begins] if self.in_place else []),
            Buffer(_RIGHT, self.dtype, self.space, ZERO),
            Buffer(_SUMS, self.dtype, "private", ZERO),
        )
        lanes = number(self.lanes, INDEX_DTYPE)
        private = tuple(Buffer(each, self.dtype, "private", lanes) for each in self.names.values())
        body = [each for first in range(0, self.columns, self.at_once) for each in self._computed(first)]
        return Function(name, buffers, _NUMBERS, private, tuple(body))

    def _computed(self, first: int) -> list[Statement]:
        """The columns that are computed at once, from the first of them on."""
        step = position(f"step of tile {first}" if first else "step of tile")
        steps = self._vector("lane", lambda lane: self._added(first, step, lane))
        return [
            self._vector("first", lambda lane: self._begun(first, lane)),
            Loop(step.index, self.numbers["steps"], "serial", (steps,)),
            self._vector("last", lambda lane: self._kept(first, lane)),
        ]

    def _vector(self, word: str, body: Callable[[Expr], list[Statement]]) -> Statement:
        lane = Lanes(f"{word} of tile", self.lanes)
        return in_step(lane, body(position(lane.index)))

    def _sums(self, first: int, made: Callable[[str, Expr], Statement], lane: Expr) -> list[Statement]:
        """A statement for each vector of sums, which is a buffer that lies in a place of the sums."""
        begin = plus(self.numbers["sums"], first)
        return [
            made(name, plus(plus(begin, row * self.width + side * self.lanes), lane))
            for (row, side), name in self.names.items()
        ]

    def _begun(self, first: int, lane: Expr) -> list[Statement]:
        return self._sums(first, lambda name, _: Store(name, lane, number(0, self.dtype)), lane)

    def _kept(self, first: int, lane: Expr) -> list[Statement]:
        """What a chunk comes to is added as one to what others came to, so that long sums keep their digits."""
        before = self.numbers["before"]

        def total(name: str, at: Expr) -> Statement:
            return Store(_SUMS, at, call("add", read(_SUMS, (at,), self.dtype), read(name, (lane,), self.dtype)))

        alone = self._sums(first, lambda name, at: Store(_SUMS, at, read(name, (lane,), self.dtype)), lane)
        return [
            If(call("eq", before, 0), tuple(alone)),
            If(call("ne", before, 0), tuple(self._sums(first, total, lane))),
        ]

    def _added(self, first: int, step: Expr, lane: Expr) -> list[Statement]:
        found: list[Statement] = []
        begin = plus(plus(self.numbers["columns"], times(step, self.width)), first)
        columns = []
        for side in self.sides:
            name = f"column {'ab'[side]}"
            found.append(Name(name, read(_RIGHT, (plus(plus(begin, side * self.lanes), lane),), self.dtype)))
            columns.append(read(name, (), self.dtype))
        for row in range(self.rows):
            at = self._left(step, row)
            if self.in_place:
                found += [Assume(at_least(at, 0)), Assume(before(at, elements_of(_LEFT)))]
            element = read(_LEFT, (at,), self.dtype)
            found += [MultiplyAdd(self.names[row, side], lane, element, columns[side]) for side in self.sides]
        return found

    def _left(self, step: Expr, row: int) -> Expr:
        rows = self.numbers["rows"]
        if not self.in_place:
            return plus(plus(rows, times(step, self.lines)), row)
        begin = read(_BEGINS, (plus(rows, row),), INDEX_DTYPE)
        return plus(begin, plus(self.numbers["first"], step))
