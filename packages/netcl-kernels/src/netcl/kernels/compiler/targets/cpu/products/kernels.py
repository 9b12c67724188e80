"""The kernels of a contraction: one multiplies, and one may pack the right factor before, once for all rows.

A unit of the first is a block of tiles. It takes the steps of the sum in chunks: packs the rows of its block (or reads
them where they lie), then for each tile of columns packs these (or reads what is packed), and adds the products to the
sums of each tile of rows. With the last chunk what stands around the sums is computed, and stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Position, Reduce, number, position
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.given import Given, Unit, Units, flattened, product_of_sizes
from netcl.kernels.compiler.loops.ir import Assume, Buffer, If, Let, Loop, Statement, Store
from netcl.kernels.compiler.loops.lanes import in_step
from netcl.kernels.compiler.loops.positions import ZERO, at_least, before, least, minus, most, plus, times
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.values import Values, parted
from netcl.kernels.compiler.lower.kernel import Access, Write
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.targets.cpu.products.asked import Ends, asked_for
from netcl.kernels.compiler.targets.cpu.products.factor import Block, Copy, Factor, Panel
from netcl.kernels.compiler.targets.cpu.products.results import Results
from netcl.kernels.compiler.targets.cpu.products.tile import Columns, Rows, Sums, multiplied
from netcl.kernels.compiler.targets.cpu.products.tiling import DEPTH, Tiling, tiles
from netcl.kernels.compiler.targets.cpu.units import kernel_of, shares

_SLICE = 16
"""Steps that are copied for all rows before the next: what lies side by side in memory is then read at once."""


def panels(nest: Nest, tiling: Tiling) -> Units:
    """The kernel that copies the right factor, the write of the nest, into panels. A unit is one panel of `DEPTH`
    steps."""
    return _Panels(nest, tiling).kernel()


def product(
    nest: Nest, tiling: Tiling, node: Reduce, block: tuple[int, int], part: str | None, packed: Access | None
) -> Units:
    """The kernel that multiplies, for blocks of so many tiles along rows and columns, and writes what the nest has
    around the sums `node`: of one part of them each, where `part` names the index of parts. What is `packed` are the
    panels of the right factor; without them each unit packs its own."""
    return _Product(nest, tiling, node, block, part, packed).kernel()


class _Kernel:
    def __init__(self, nest: Nest, tiling: Tiling, exprs: Sequence[Expr]) -> None:
        self.nest, self.tiling, self.product = nest, tiling, tiling.product
        self.given = given = Given(nest.accesses, nest.attributes)
        self.values = Values(nest, exprs, given)
        self.top = Scope()
        self.rows, self.columns, self.steps = (
            product_of_sizes(side, given) for side in (self.product.rows, self.product.columns, self.product.inner)
        )

    def fresh(self, word: str) -> Position:
        return position(self.values.fresh(word))

    def counted(self, word: str, count: Expr) -> Expr:
        """A number of the whole kernel, which is computed once."""
        found = position(self.values.fresh(word))
        self.top.statements.append(Let(found.index, count))
        return found

    def chunks(self) -> Expr:
        return self.counted("chunks", most(parted(self.steps, DEPTH), 1))

    def chunk(self, chunk: Expr) -> tuple[list[Statement], Expr, Expr]:
        """The first step of a chunk, and how many it has."""
        first, steps = self.fresh("from"), self.fresh("steps")
        left = minus(self.steps, first)
        lets: list[Statement] = [
            Let(first.index, times(chunk, DEPTH)),
            Assume(at_least(left, 0)),
            Let(steps.index, least(DEPTH, left)),
        ]
        return lets, first, steps

    def sizes(self, *indices: str) -> dict[str, Expr]:
        return {index: self.given.size(index) for index in indices}

    def lines(self, first: Expr, width: int, extent: Expr, begin: Expr = ZERO) -> tuple[list[Statement], Block]:
        """Those lines of a tile that there are."""
        exist, left = self.fresh("exist"), minus(extent, first)
        there = Let(exist.index, least(width, left))
        return [Assume(at_least(left, 1)), there, Assume(at_least(exist, 1))], Block(first, exist, begin)

    def panel_of(self, places: Mapping[str, Expr], chunk: Expr, tile: Expr, chunks: Expr, tiles: Expr) -> Expr:
        """Where a panel begins among all of them."""
        flat = flattened(places, self.product.batch, self.given)
        at = plus(times(plus(times(flat, chunks), chunk), tiles), tile)
        return times(at, DEPTH * self.tiling.width)

    def copied(
        self, factor: Factor, panel: Panel, block: Block, first: Expr, steps: Expr, scope: Scope
    ) -> list[Statement]:
        """A panel of a factor, whole steps at a time."""
        copy = Copy(panel, block, first, ZERO, steps)
        if factor.access is None:
            return factor.computed(copy, scope)
        batch = {index: scope.place(index) for index in self.product.batch}
        return [*factor.lines(block, batch, panel.width), *factor.whole(copy)]


class _Panels(_Kernel):
    def __init__(self, nest: Nest, tiling: Tiling) -> None:
        super().__init__(nest, tiling, [tiling.product.right])
        (self.write,) = nest.writes
        self.factor = Factor("right", tiling, self.values, tiling.width)
        self.count = self.chunks()
        self.column_tiles = self.counted("column_tiles", parted(self.columns, tiling.width))

    def kernel(self) -> Units:
        tiling = self.tiling
        extents = {**self.sizes(*self.product.batch), "chunk#": self.count, "tile#": self.column_tiles}
        body = shares(self.values, extents, self._unit)
        work = min(DEPTH, tiling.steps) * tiling.width // 4
        every = (*self.top.statements, *body)
        return kernel_of(
            self.nest, self.values, every, "panels", tiling.panels, Unit(work, True), {}, tiling.indices
        )  # fmt: skip

    def _unit(self, places: Mapping[str, Expr]) -> Sequence[Statement]:
        scope = Scope(self.top, places)
        lets, first, steps = self.chunk(places["chunk#"])
        column = times(places["tile#"], self.tiling.width)
        found, block = self.lines(column, self.tiling.width, self.columns)
        begin = self.panel_of(places, places["chunk#"], places["tile#"], self.count, self.column_tiles)
        at = self.fresh("panel")
        panel = Panel(self.given.scratch(self.write.access), at, self.tiling.width)
        copied = self.copied(self.factor, panel, block, first, steps, scope)
        return [*lets, *found, Let(at.index, begin), *self.factor.table(first, steps), *scope.statements, *copied]


class _Product(_Kernel):
    def __init__(
        self, nest: Nest, tiling: Tiling, node: Reduce, block: tuple[int, int], part: str | None, packed: Access | None
    ) -> None:
        (self.write,) = nest.writes
        product = tiling.product
        factors = [product.left, product.right, *([] if product.condition is None else [product.condition])]
        super().__init__(nest, tiling, [self.write.expr, *factors])
        self.node, self.block, self.part, self.packed = node, block, part, packed
        self.results = Results(nest, self.values, product, node, self.write)
        self.asked = asked_for(product, node, self.write.expr)
        most_rows, most_columns = tiling.most_tiles
        lines = most_rows * tiling.lines
        self.left = Factor("left", tiling, self.values, lines)
        self.right = Factor("right", tiling, self.values, tiling.width) if packed is None else None
        private = {"all sums": most_rows * tiling.rows * most_columns * tiling.width}
        if not tiling.in_place:
            private["left panels"] = lines * DEPTH
        if packed is None:
            private["right panel"] = DEPTH * tiling.width
        self.values.buffers += [
            Buffer(name, tiling.dtype, "private", number(size, INDEX_DTYPE)) for name, size in private.items()
        ]
        self.down, self.across = (self.given.number(each) for each in ("row_block", "column_block"))
        self.count = self.chunks()
        self.row_tiles = self.counted("row_tiles", parted(self.rows, tiling.rows))
        self.column_tiles = self.counted("column_tiles", parted(self.columns, tiling.width))

    def kernel(self) -> Units:
        tiling, product = self.tiling, self.product
        rows, columns = ("rows#", self.row_tiles, self.down), ("columns#", self.column_tiles, self.across)
        # Neighbouring units share the rows that are read in place, or else the panels.
        blocks = [rows, columns] if tiling.in_place else [columns, rows]
        around = (*product.batch, *([self.part] if self.part else []))
        extents = self.extents = self.sizes(*around)
        for name, count, size in blocks:
            extents[name] = self.counted(f"blocks_of_{name[:-1]}", parted(count, size))
        body = shares(self.values, extents, self._unit)
        down, across = self.block
        units = tiling.others * tiles(tiling.row_tiles, down) * tiles(tiling.column_tiles, across)
        steps = tiles(max(tiling.steps, 1), tiling.parts)
        work = down * tiling.rows * across * tiling.width * steps // 16
        numbers = {"row_block": down, "column_block": across}
        return kernel_of(
            self.nest, self.values, (*self.top.statements, *body), "contraction", units, Unit(work, True), numbers,
            (*around, *tiling.indices),
        )  # fmt: skip

    def _unit(self, places: Mapping[str, Expr]) -> Sequence[Statement]:
        tiling = self.tiling
        scope = Scope(self.top, places)
        names = ("first_row", "end_row", "first_column", "end_column", "begin_chunk", "end_chunk", "chunk")
        first_row, end_row, first_column, end_column, begin, end, step = map(self.fresh, names)
        chunk, column, row = map(self.fresh, ("number", "column_tile", "row_tile"))
        lets: list[Statement] = [
            Let(first_row.index, times(self._in_turns(places["rows#"], "rows#"), self.down)),
            Let(end_row.index, least(plus(first_row, self.down), self.row_tiles)),
            Let(first_column.index, times(self._in_turns(places["columns#"], "columns#"), self.across)),
            Let(end_column.index, least(plus(first_column, self.across), self.column_tiles)),
            *self._part(places, begin, end),
        ]
        batch = {index: places[index] for index in self.product.batch}
        if tiling.in_place:
            lets += self._each_row(first_row, end_row, lambda block, _: self.left.lines(block, batch, tiling.lines))
        more, first, steps = self.chunk(chunk)
        sides = [*([] if tiling.in_place else [self.left]), *([] if self.right is None else [self.right])]
        tables = [statement for side in sides for statement in side.table(first, steps)]
        rows = [] if tiling.in_place else self._packed_rows(first_row, end_row, first, steps, batch, scope)
        column_at, row_at = self.fresh("at"), self.fresh("at")
        panel, right = self._panel(batch, chunk, column, first, steps, scope)
        tile = self._tile((row, row_at), (column, column_at), chunk, (begin, end), (first, steps), right, scope, batch)
        most_rows, most_columns = tiling.most_tiles
        each_row = Loop(row_at.index, minus(end_row, first_row), "serial", (
            Assume(before(row_at, most_rows)), Assume(before(row_at, self.down)),
            Let(row.index, plus(first_row, row_at)), Assume(before(row, self.row_tiles)), *tile,
        ))  # fmt: skip
        each_column = Loop(column_at.index, minus(end_column, first_column), "serial", (
            Assume(before(column_at, most_columns)), Assume(before(column_at, self.across)),
            Let(column.index, plus(first_column, column_at)), Assume(before(column, self.column_tiles)),
            *panel, each_row,
        ))  # fmt: skip
        each_chunk = Loop(step.index, minus(end, begin), "serial", (
            Let(chunk.index, plus(begin, step)), Assume(before(chunk, self.count)), *more, *tables, *rows, each_column,
        ))  # fmt: skip
        return [*scope.statements, *lets, each_chunk]

    def _in_turns(self, block: Expr, name: str) -> Expr:
        """One from the beginning, one from the end: where tiles are left out, all work-items have as many of them."""
        if not self.asked:
            return block
        half = call("floor_div", block, 2)
        return call("select", call("eq", call("mod", block, 2), 0), half, minus(minus(self.extents[name], 1), half))

    def _part(self, places: Mapping[str, Expr], begin: Position, end: Position) -> list[Statement]:
        """The chunks that a unit adds up."""
        if self.part is None:
            return [Let(begin.index, ZERO), Let(end.index, self.count)]
        chunks = parted(self.count, self.given.size(self.part))
        return [
            Let(begin.index, times(places[self.part], chunks)),
            Let(end.index, least(plus(begin, chunks), self.count)),
        ]

    def _each_row(
        self, first_row: Expr, end_row: Expr, inside: Callable[[Block, Expr], list[Statement]]
    ) -> list[Statement]:
        """What is inside for each tile of rows of a unit, whose lines have their own part of the table."""
        at, row = self.fresh("at"), self.fresh("row_tile")
        tiling = self.tiling
        width = tiling.rows if self.left.access is None else tiling.lines
        lets, block = self.lines(times(row, tiling.rows), width, self.rows, times(at, tiling.lines))
        body = (
            Assume(before(at, tiling.most_tiles[0])), Let(row.index, plus(first_row, at)),
            Assume(before(row, self.row_tiles)), *lets, *inside(block, at),
        )  # fmt: skip
        return [Loop(at.index, minus(end_row, first_row), "serial", body)]

    def _packed_rows(
        self, first_row: Expr, end_row: Expr, first: Expr, steps: Expr, batch: Mapping[str, Expr], scope: Scope
    ) -> list[Statement]:
        """The rows of a unit, for a chunk of steps."""
        left = self.left

        def copied(begin: Expr, end: Expr) -> Callable[[Block, Expr], list[Statement]]:
            def inside(block: Block, at: Expr) -> list[Statement]:
                copy = Copy(self._rows_of(at, steps), block, first, begin, end)
                return left.computed(copy, scope) if left.access is None else left.filled(copy)

            return inside

        if left.access is None:
            return self._each_row(first_row, end_row, copied(ZERO, steps))
        lines = self._each_row(first_row, end_row, lambda block, _: left.lines(block, batch, self.tiling.lines))
        if not left.along_lines:
            return [*lines, *self._each_row(first_row, end_row, copied(ZERO, steps))]
        part, begin, until = map(self.fresh, ("slice", "first_step", "end_step"))
        copies = self._each_row(first_row, end_row, copied(begin, until))
        inside = (
            Let(begin.index, times(part, _SLICE)), Assume(before(begin, steps)),
            Let(until.index, least(plus(begin, _SLICE), steps)), *copies,
        )  # fmt: skip
        return [*lines, Loop(part.index, parted(steps, _SLICE), "serial", inside)]

    def _rows_of(self, at: Expr, steps: Expr) -> Panel:
        """The panel of a tile of rows, by its number in the unit."""
        lines = self.tiling.lines
        return Panel("left panels", times(times(at, steps), lines), lines)

    def _panel(
        self, batch: Mapping[str, Expr], chunk: Expr, column: Expr, first: Expr, steps: Expr, scope: Scope
    ) -> tuple[list[Statement], Panel]:
        """The right factor of a column of tiles, packed now or before."""
        width = self.tiling.width
        if self.right is not None:
            panel = Panel("right panel", ZERO, width)
            lets, block = self.lines(times(column, width), width, self.columns)
            return [*lets, *self.copied(self.right, panel, block, first, steps, scope)], panel
        assert self.packed is not None
        at = self.fresh("panel")
        begin = self.panel_of(batch, chunk, column, self.count, self.column_tiles)
        return [Let(at.index, begin)], Panel(self.given.scratch(self.packed), at, width)

    def _tile(
        self, row: tuple[Expr, Expr], column: tuple[Expr, Expr], chunk: Expr, chunks: tuple[Expr, Expr],
        part: tuple[Expr, Expr], panel: Panel, scope: Scope, batch: Mapping[str, Expr],
    ) -> list[Statement]:  # fmt: skip
        """A chunk of a tile, which has these numbers in all and in its unit."""
        tiling, (first, steps), (begin, end) = self.tiling, part, chunks
        most_rows, _ = tiling.most_tiles
        size = tiling.rows * tiling.width
        own = self.fresh("sums")
        sums = Sums("all sums", own, tiling.tile, tiling.dtype)
        remaining = self.fresh("remaining")
        left_columns = minus(self.columns, times(column[0], tiling.width))
        if tiling.in_place:
            assert self.left.access is not None
            buffer = self.given.scratch(self.left.access)
            rows = Rows(buffer, times(row[1], tiling.lines), tiling.lines, self.left.begins, first)
        else:
            rows = Rows("left panels", self._rows_of(row[1], steps).begin, tiling.lines)
        columns = Columns(panel.buffer, "private" if self.packed is None else "global", panel.begin)
        added = multiplied(sums, remaining, rows, columns, steps, minus(chunk, begin))
        ends = self._ends(row[0], column[0], part, batch)
        asked = self.asked.somewhere(ends, self.given)
        if asked:
            nothing = If(call("eq", chunk, begin), (self._nothing(sums),))
            added = [If(conjunction(asked), tuple(added)), If(call("not", conjunction(asked)), (nothing,))]
        whole = times(begin, DEPTH), least(times(end, DEPTH), self.steps)
        stored = self.results.stored(
            sums, times(row[0], tiling.rows), times(column[0], tiling.width), whole, scope, self._cases(ends)
        )
        return [
            Let(own.index, times(plus(times(column[1], self.down), row[1]), size)),
            Assume(before(plus(times(column[1], self.down), row[1]), most_rows * tiling.most_tiles[1])),
            Assume(at_least(left_columns, 1)), Let(remaining.index, left_columns),
            *added,
            If(call("eq", plus(chunk, 1), end), tuple(stored)),
        ]  # fmt: skip

    def _cases(self, ends: Ends) -> list[tuple[list[Expr], Write]]:
        """What is written of a tile under which conditions; the last one otherwise."""
        found: list[tuple[list[Expr], Write]] = []
        everywhere = self.asked.everywhere(ends, self.given)
        if everywhere:
            found.append((everywhere, replace(self.write, expr=self.asked.where_it_is())))
        somewhere, rest = replace(self.asked, within=()).somewhere(ends, self.given), self.asked.where_it_is_not()
        if somewhere and rest is not None:
            found.append(([call("not", conjunction(somewhere))], replace(self.write, expr=rest)))
        return [*found, ([], self.write)]

    def _ends(self, row: Expr, column: Expr, part: tuple[Expr, Expr], batch: Mapping[str, Expr]) -> Ends:
        """From where to where the indices of a tile go, of these steps."""
        product, (first, steps) = self.product, part
        ends = {index: (at, at) for index, at in batch.items()}
        sides = (
            (product.rows, times(row, self.tiling.rows), self.tiling.rows, self.rows),
            (product.columns, times(column, self.tiling.width), self.tiling.width, self.columns),
            (product.inner, first, steps, self.steps),
        )
        for indices, begin, width, size in sides:
            if len(indices) == 1:
                ends[indices[0]] = begin, minus(least(plus(begin, width), size), 1)
        return ends

    def _nothing(self, sums: Sums) -> Statement:
        """Sums of which no step was asked for."""
        lane = Lanes(self.values.fresh("lane"), sums.width // 2)
        line, side = self.fresh("line"), self.fresh("side")
        place = sums.at(line, plus(times(side, sums.width // 2), position(lane.index)))
        zeros = in_step(lane, [Store(sums.buffer, place, number(0, sums.dtype))])
        sides = Loop(side.index, number(2, INDEX_DTYPE), "serial", (zeros,))
        return Loop(line.index, number(self.tiling.rows, INDEX_DTYPE), "serial", (sides,))
