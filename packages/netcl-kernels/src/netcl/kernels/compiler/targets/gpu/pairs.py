"""pairs: reductions over all pairs of rows without a table of them, as in

    y[i, d] = sum[j](exp(-sum[k]((x[i, k] - z[j, k]) ^ 2)) * b[j, d])

Each item has a row i. A group brings what it reads of the others (z and b) into local memory, a tile of them at a time,
neighbours to neighbours; then each item goes through the tile. So memory is read once for all rows of a group. What is
of the row alone (x) is in private memory, a few columns d are computed together, and what a pair needs is computed once
for all of these. Rows behind the last are computed as the last one again, and are not stored.

Input: a nest. Output: its kernel. The statements of a pair are made by `Steps`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from netcl.core.dtypes import canonical
from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Expr,
    Position,
    Read,
    Reduce,
    fresh,
    number,
    position,
    read,
    rebuild,
    reduce,
    subexpressions,
    transform,
)
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.accumulate import Accumulator, accumulator
from netcl.kernels.compiler.loops.given import Given, Looped, product_of_sizes, unflattened
from netcl.kernels.compiler.loops.ir import Barrier, Buffer, If, Let, Loop, LoopNest, Statement, Store, local_bytes
from netcl.kernels.compiler.loops.text import LONGEST, longest_statement
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.lower.loop_bounds import loop_bounds
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.pairs import inner_reduces
from netcl.kernels.compiler.lower.reductions import BLOCK
from netcl.kernels.compiler.targets.gpu.steps import PAIR, SLOT, Known, Places, Steps


def fits(nest: Nest) -> Scheduled | None:
    """For stages with a Reduce that has another inside, of which both a row and what it is paired with decide."""
    if any(write.indices != nest.order for write in nest.writes):
        return None
    writes = _with_bound_apart(nest)
    if writes is None:
        return None
    nest = replace(nest, writes=writes)
    found = _by_tables(nest) or _by_reads(nest)
    if found is None:
        return None
    row, shared = found
    others = [index for index in nest.order if index not in shared]
    return _Pairs(nest, row, others[-1] if others else None).scheduled()


def _by_tables(nest: Nest) -> tuple[str, frozenset[str]] | None:
    """(The index of the rows, the indices that every table depends on), where a Reduce has others inside."""
    tables = {inner for node in nest.reduces for inner in inner_reduces(node) if nest.depends(inner) & set(nest.order)}
    shared = frozenset.intersection(*map(nest.depends, tables)) if tables else frozenset()
    row = max((index for index in nest.order if index in shared), key=nest.extent, default=None)
    return (row, shared) if row is not None and nest.extent(row) >= nest.target.pairs.rows else None


def _by_reads(nest: Nest) -> tuple[str, frozenset[str]] | None:
    """(The index of the rows, itself alone), where many rows meet many values, and each read is of one side alone."""
    for row in nest.order:
        if nest.reduces and nest.extent(row) >= nest.target.pairs.group_rows and all(
            nest.extent(*node.over) >= BLOCK and _meets(nest, node, row) for node in nest.reduces
        ):  # fmt: skip
            return row, frozenset((row,))
    return None


def _meets(nest: Nest, node: Reduce, row: str) -> bool:
    reads = [nest.depends(each) for each in subexpressions(node.body) if isinstance(each, Read)]
    sides = {(row in each, not each.isdisjoint(node.over)) for each in reads}
    return {(True, False), (False, True)} <= sides and (True, True) not in sides


def _with_bound_apart(nest: Nest) -> tuple[Write, ...] | None:
    """The writes, no index bound where it has a value already; None where a condition of a read names a bound one that
    would have to be renamed."""
    order, bound = set(nest.order), nest.bound
    nested = (node for node in nest.reduces if not node.body.bound.isdisjoint(node.over))
    if order.isdisjoint(bound) and not any(nested):
        return nest.writes
    if any(each.condition is not None and each.condition.free & bound for each in nest.accesses.values()):
        return None
    taken = {*order, *bound}
    names: dict[tuple[int, str], str] = {}
    heights: dict[Expr, int] = {}

    def named(height: int, index: str) -> str:
        """Reductions of one height, none of which is inside another, may have the same."""
        if (height, index) not in names:
            names[height, index] = fresh(index, taken)
            taken.add(names[height, index])
        return names[height, index]

    def visit(node: Expr, children: tuple[Expr, ...]) -> Expr:
        heights[node] = max((heights[child] for child in node.children), default=0)
        if not isinstance(node, Reduce):
            return rebuild(node, children)
        renaming = {index: named(heights[node], index) for index in node.over}
        heights[node] += 1

        def renamed(each: Expr, below: tuple[Expr, ...]) -> Expr:
            if isinstance(each, Position):
                return position(renaming.get(each.index, each.index))
            return rebuild(each, below)

        return reduce(node.kind, tuple(renaming.values()), transform(children[0], renamed))

    memo: dict[Expr, Expr] = {}
    return tuple(replace(write, expr=transform(write.expr, visit, memo)) for write in nest.writes)


def _group_rows(nest: Nest, row: str, rest: tuple[str, ...]) -> int:
    """The rows of a group: fewer, where else there are too few groups."""
    limits = nest.target.pairs
    rows = limits.group_rows
    while rows > limits.least_group_rows and -(-nest.extent(row) // rows) * nest.extent(*rest) < limits.enough_groups:
        rows //= 2
    return rows


class _Pairs(Steps):
    """Makes the loop nest of one stage: groups of rows, chunks of columns, passes over tiles of what they pair with."""

    def __init__(self, nest: Nest, row: str, column: str | None) -> None:
        super().__init__(nest, column)
        self.row = row
        self.rest = tuple(index for index in nest.order if index not in (row, column))
        self.items = _group_rows(nest, row, self.rest)
        self.spans = loop_bounds(nest.exprs, row)

    def scheduled(self) -> Scheduled | None:
        nest, limits = self.stage, self.stage.target
        if self.items > limits.work_group_size:
            return None
        made = self.nest()
        if longest_statement(made) > LONGEST or local_bytes(made) > limits.local_memory:
            return None
        kernel = Looped(
            computation=nest.computation(), schedule="pairs",
            nest=made, given=self.given.arguments,
            groups=nest.extent(*self.rest) * -(-nest.extent(self.row) // self.items),
        )  # fmt: skip
        return Scheduled((kernel,))

    def nest(self) -> LoopNest:
        given, rows = self.given, self.given.size(self.row)
        tiles = call("floor_div", call("add", rows, self.items - 1), self.items)
        by_index = unflattened(call("floor_div", position("group"), tiles), self.rest, given)
        first = call("mul", position("row_tile"), self.items)
        lets: list[Statement] = [
            Let("row_tile", call("mod", position("group"), tiles)),
            Let("row_here", call("add", first, position("item"))),
            Let("row", call("minimum", position("row_here"), call("sub", rows, 1))),
            *(Let(f"outer_{at}", value) for at, value in enumerate(by_index.values())),
        ]
        places: Places = {
            self.row: position("row"),
            **{index: position(f"outer_{at}") for at, index in enumerate(by_index)},
        }
        chunk: list[Statement] = []
        for over, nodes in self._passes():
            chunk += self._pass(over, nodes, places)
        chunk += self._stored(places)
        body: tuple[Statement, ...] = tuple(chunk)
        if self.chunks is not None:
            body = (Loop("chunk", self.chunks, "serial", body),)
        groups = call("mul", product_of_sizes(self.rest, given), tiles)
        buffers = (*given.buffers.values(), *self.buffers)
        return LoopNest(
            self.stage.name, "group", groups, "item", self.items, buffers, (*lets, *body), frozenset(given.data)
        )

    def _passes(self) -> list[tuple[tuple[str, ...], list[Reduce]]]:
        """The reductions of a row as a whole, those over the same indices together unless one needs another."""
        order = set(self.stage.order)
        level: dict[Expr, int] = {}
        groups: dict[tuple[int, tuple[str, ...]], list[Reduce]] = {}
        for node in subexpressions(*self.stage.exprs):
            level[node] = max((level[child] for child in node.children), default=0)
            if isinstance(node, Reduce) and self.stage.depends(node) <= order:
                groups.setdefault((level[node], node.over), []).append(node)
                level[node] += 1
        return [(over, groups[at, over]) for at, over in sorted(groups, key=lambda key: key[0])]

    # --- one pass ---------------------------------------------------------------------------------------------------

    def _pass(self, over: tuple[str, ...], nodes: list[Reduce], places: Places) -> list[Statement]:
        bodies = [node.body for node in nodes]
        if not any(inner_reduces(node) for node in nodes) and self.stage.extent(*over) <= BLOCK:
            return [each for node in nodes for each in self._per_row(node, places)]
        outside = dict(self.known)
        before = self.hoisted(bodies, over, places)
        width, tiles = self._tiles(bodies, over)
        many = product_of_sizes(over, self.given)
        first, turns = self._tiles_of(over, many, width)
        tile, turn, pair, step = (self.fresh(name) for name in ("tile", "turn", "pair", "step"))
        start = call("mul", position(tile), width)
        brought = [self._brought(each, start, over, places) for each in tiles]
        for each in tiles:
            self.known[each.node] = self._from(each)
        there = {**places, **unflattened(position(pair), over, self.given), PAIR: position(step)}
        totals = [self._accumulated(node) for node in nodes]
        steps = self._step(nodes, totals, frozenset((*self.stage.order, *over)), there, position(pair))
        self.known = outside
        for node, total in zip(nodes, totals, strict=True):
            self.known[node] = self._total(total)
        through = (
            Let(pair, call("minimum", call("add", start, position(step)), call("sub", many, 1))),
            *steps,
        )
        inside = (
            Let(tile, call("add", first, position(turn))),
            *brought,
            Barrier(),
            *self.of_columns(totals, lambda one: one.enter()),
            Loop(step, call("minimum", width, call("sub", many, start)), "serial", through),
            *self.of_columns(totals, lambda one: one.leave()),
            Barrier(),
        )
        begun = self.of_columns(totals, lambda one: one.start())
        return [*before, *begun, Loop(turn, turns, "serial", inside)]

    def _from(self, tile: _Tile) -> Known:
        return lambda places: read(tile.name, (tile.at(places, self.given),), tile.node.dtype)

    def _total(self, total: Accumulator) -> Known:
        return lambda places: (total.at(places[SLOT]) if total.count > 1 else total).parts()[-1]

    def _per_row(self, node: Reduce, places: Places) -> list[Statement]:
        """A short reduction that is of the row alone."""
        if self.column not in self.stage.depends(node):
            return self.reduced(node, frozenset(self.stage.order) - {self.column or ""}, places)
        name = self.private("of_row", node.dtype, self.count)
        outside = dict(self.known)
        ready = frozenset(self.stage.order)

        def each_column(here: Places) -> list[Statement]:
            statements = self.reduced(node, ready, here)
            return [*statements, Store(name, here[SLOT], self.expr(node, here))]

        found = self.over_columns(places, each_column)
        self.known = {**outside, node: self.reading(name, node.dtype)}
        return found

    def _accumulated(self, node: Reduce) -> Accumulator:
        found = accumulator(node, self.fresh, True, self.count if self.column in self.stage.depends(node) else 1)
        self.buffers += found.buffers
        return found

    def _step(
        self, nodes: Sequence[Reduce], totals: Sequence[Accumulator], ready: frozenset[str], places: Places, at: Expr
    ) -> list[Statement]:
        """What is done for one pair: first what all columns share, then each column."""
        outside = dict(self.known)
        bodies = [node.body for node in nodes]
        alone = ready - {self.column or ""}
        depends = self.stage.depends
        found = self.settled(bodies, alone, places)
        once = [(node, total) for node, total in zip(nodes, totals, strict=True) if self.column not in depends(node)]
        each_one = [(node, total) for node, total in zip(nodes, totals, strict=True) if self.column in depends(node)]
        zero = number(0, INDEX_DTYPE)
        for node, total in once:
            found += total.take(self.expr(node.body, {**places, SLOT: zero}), at)
        if each_one:

            def each_column(here: Places) -> list[Statement]:
                statements = self.settled([node.body for node, _ in each_one], ready, here)
                for node, total in each_one:
                    statements += total.at(here[SLOT]).take(self.expr(node.body, here), at)
                return statements

            found += self.over_columns(places, each_column)
        self.known = outside
        return found

    def _tiles_of(self, over: tuple[str, ...], many: Expr, width: int) -> tuple[Expr, Expr]:
        """(the first tile, how many): all, or those in which conditions on the row let anything be added."""
        first: Expr = number(0, INDEX_DTYPE)
        end = many
        span = self.spans.get(over[0]) if len(over) == 1 else None
        start = call("mul", position("row_tile"), self.items)
        if span is not None and span.after is not None:
            first = call("floor_div", call("add", start, span.after), width)
        if span is not None and span.before is not None:
            end = call("minimum", many, call("add", start, self.items - 1 + span.before))
        turns = call("sub", call("floor_div", call("add", end, width - 1), width), first)
        return first, call("maximum", turns, 0)

    # --- tiles of local memory --------------------------------------------------------------------------------------

    def _tiles(self, bodies: Sequence[Expr], over: tuple[str, ...]) -> tuple[int, list[_Tile]]:
        """How many pairs a tile has, and a tile for each read that does not depend on the row."""
        limits = self.stage.target.pairs
        found: list[tuple[Read, tuple[str, ...], int]] = []
        for node in self.unknown(bodies):
            depends = self.stage.depends(node)
            if not isinstance(node, Read) or depends.isdisjoint(over) or self.row in depends:
                continue
            if any(isinstance(each, Reduce) for each in subexpressions(node)):
                continue
            depth = tuple(sorted(depends - set(over) - set(self.stage.order)))
            room = self.room(depth)
            if room is not None:
                found.append((node, depth, room * (self.count if self.column in depends else 1)))
        within = {each for node, *_ in found for at in node.at for each in subexpressions(at)}
        found = [each for each in found if each[0] not in within]
        bytes_of_a_pair = sum(room * max(canonical(node.dtype).itemsize, 4) for node, _, room in found)
        width = BLOCK
        while width > 1 and width * bytes_of_a_pair > limits.tile_bytes:
            width //= 2
        tiles = []
        for node, depth, room in found:
            name = "tile of " + self.fresh("others")
            self.buffers.append(Buffer(name, node.dtype, "local", number(room * width, INDEX_DTYPE)))
            columns = self.count if self.column in self.stage.depends(node) else 1
            pairs_last = self._stride(node, over[-1]) == 1
            tiles.append(_Tile(node, name, depth, self.extent(depth), columns, width, pairs_last))
        return width, tiles

    def _stride(self, node: Read, index: str) -> int:
        strides = self.stage.accesses[node.operand].strides
        return sum(stride for stride, at in zip(strides.values(), node.at, strict=False) if at is position(index))

    def _brought(self, tile: _Tile, start: Expr, over: tuple[str, ...], places: Places) -> Statement:
        """One tile from global memory, element by element in the order in which they lie there."""
        element, turn, pair = self.fresh("element"), self.fresh("bring"), self.fresh("brought")
        count = call("mul", call("mul", tile.deep, tile.columns), tile.width)
        slot, deeper, within = tile.apart(position(element))
        there: dict[str, Expr] = {
            **places,
            **unflattened(position(pair), over, self.given),
            **unflattened(deeper, tile.depth, self.given),
        }
        if tile.columns > 1 and self.column is not None:
            there |= {SLOT: slot, self.column: self.column_at(slot)}
        elif self.column is not None and self.column in self.stage.depends(tile.node):
            there |= {SLOT: number(0, INDEX_DTYPE), self.column: self.column_at(number(0, INDEX_DTYPE))}
        last = call("sub", product_of_sizes(over, self.given), 1)
        turns = call("floor_div", call("add", count, self.items - 1), self.items)
        return Loop(turn, turns, "serial", (
            Let(element, call("add", call("mul", position(turn), self.items), position("item"))),
            Let(pair, call("minimum", call("add", start, within), last)),
            If(call("lt", position(element), count), (
                Store(tile.name, position(element), self.expr(tile.node, there)),
            )),
        ))  # fmt: skip

    # --- the outputs ------------------------------------------------------------------------------------------------

    def _stored(self, places: Places) -> list[Statement]:
        inside = call("lt", position("row_here"), self.given.size(self.row))

        def each_column(here: Places) -> list[Statement]:
            found = self.settled(self.stage.exprs, frozenset(self.stage.order), here)
            condition = inside
            if self.chunks is not None and self.column is not None:
                there = call("add", call("mul", position("chunk"), self.count), here[SLOT])
                condition = call("and", inside, call("lt", there, self.given.size(self.column)))
            stores = tuple(
                Store(*self.given.target(write, here), self.expr(write.expr, here)) for write in self.stage.writes
            )
            return [*found, If(condition, stores)]

        return self.over_columns(places, each_column)


@dataclass(frozen=True)
class _Tile:
    """Local memory with what a read gives for `width` pairs, for all values of the indices `depth` (`deep` in all) and
    a few columns; those of a pair side by side, or, where pairs are neighbours in memory, those pairs (`pairs_last`).
    """

    node: Read
    name: str
    depth: tuple[str, ...]
    deep: Expr
    columns: int
    width: int
    pairs_last: bool

    def apart(self, element: Expr) -> tuple[Expr, Expr, Expr]:
        """(slot, place along the depth, pair) of an element."""
        pair = call("mod", element, self.width)
        if self.pairs_last:
            element = call("floor_div", element, self.width)
        slot, element = call("mod", element, self.columns), call("floor_div", element, self.columns)
        if self.pairs_last:
            return slot, element, pair
        return slot, call("mod", element, self.deep), call("floor_div", element, self.deep)

    def at(self, places: Places, given: Given) -> Expr:
        """The element of the tile for these places."""
        deeper: Expr = number(0, INDEX_DTYPE)
        for index in self.depth:
            deeper = call("add", call("mul", deeper, given.size(index)), places[index])
        slot = places[SLOT] if self.columns > 1 else number(0, INDEX_DTYPE)
        if self.pairs_last:
            return call(
                "add", call("mul", call("add", call("mul", deeper, self.columns), slot), self.width), places[PAIR]
            )
        pair = call("add", call("mul", places[PAIR], self.deep), deeper)
        return call("add", call("mul", pair, self.columns), slot)
