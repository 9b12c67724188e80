"""A contraction in tiles of local memory.

A group has a tile of results, each item a few of them in registers, a tile's width apart: neighbours store neighbours.
For some steps of the sum at a time the items bring both factors into local memory, along what is contiguous, and
multiply from there. Of a factor that lies along the steps there are more in local memory, a slab: what memory hands out
at once is used at once; of the other, chunks are brought beside it one after another. Each result is one sum in order,
one fused multiply-add after the other, as on a CPU. Items behind the last row, column or step bring what is at the last
one (or zeros), and store nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, number, position, read
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.ir import (
    Barrier,
    Buffer,
    If,
    Kind,
    Let,
    Loop,
    LoopNest,
    MultiplyAdd,
    Statement,
    Store,
)
from netcl.kernels.compiler.target.products import Staging, StagingRoom
from netcl.kernels.compiler.targets.gpu.sums import ZERO, Places, Sums, is_along_steps, tiles, within


def tiled(sums: Sums, form: Staging, room: StagingRoom) -> LoopNest:
    """The nest of these sums, a tile for each group."""
    return _Tiles(sums, form, room).nest()


class _Tiles:
    def __init__(self, sums: Sums, form: Staging, room: StagingRoom) -> None:
        self.sums, self.tile, self.slab_steps = sums, form.tile, form.steps
        self.depths = {"left": form.left, "right": form.right}
        self.gaps = {side: room.gap(depth) for side, depth in self.depths.items()}
        tile = form.tile
        self.apart = {"left": tile.rows // tile.down, "right": tile.columns // tile.across}
        self.widths = {"left": tile.rows, "right": tile.columns}

    def nest(self) -> LoopNest:
        sums, tile = self.sums, self.tile
        product, dtype = sums.product, sums.dtype
        down, across = tiles(sums.rows, tile.rows), tiles(sums.columns, tile.columns)
        located = sums.located(down, across)
        body = (
            *located,
            Let("left_item", call("floor_div", position("item"), self.apart["right"])),
            Let("right_item", call("mod", position("item"), self.apart["right"])),
            _repeated("clear", tile.accumulators, Store("all sums", position("clear"), number(0, dtype))),
            Loop("slab", tiles(position("part_steps"), self.slab_steps), "serial", self._slab()),
            *self._stored(),
        )  # fmt: skip
        buffers = [
            *sums.given.buffers.values(),
            *(Buffer(f"{side} tile", dtype, "local", _count(self.depths[side] * (width + self.gaps[side])))
              for side, width in self.widths.items()),
            Buffer("left part", dtype, "private", _count(tile.down)),
            Buffer("right part", dtype, "private", _count(tile.across)),
            Buffer("all sums", dtype, "private", _count(tile.accumulators)),
        ]  # fmt: skip
        if product.condition is not None:
            buffers += [
                Buffer("exact sum", dtype, "private", _count(1)),
                Buffer("has nan", "bool", "private", _count(1)),
            ]
        groups, data = sums.groups(down, across), frozenset(sums.given.data)
        return LoopNest(sums.nest.name, "group", groups, "item", tile.items, tuple(buffers), body, data)

    def _slab(self) -> tuple[Statement, ...]:
        """As many steps as there are of the deeper factor; of the other one chunk after the other."""
        first = call("mul", position("slab"), self.slab_steps)
        depth = min(self.depths.values())
        slabs = [side for side in self.depths if self.depths[side] > depth]
        if not slabs:
            return (*self._brought(self.depths, first), Barrier(), self._steps(depth, {}), Barrier())
        in_slab = call("mul", position("chunk"), depth)
        chunk = (
            *self._brought(self.depths.keys() - slabs, call("add", first, in_slab)),
            Barrier(),
            self._steps(depth, dict.fromkeys(slabs, in_slab)),
            Barrier(),
        )
        left = call("minimum", call("sub", position("part_steps"), first), self.slab_steps)
        return (*self._brought(slabs, first), Loop("chunk", tiles(left, depth), "serial", chunk))

    def _brought(self, sides: Iterable[str], first: Expr) -> list[Statement]:
        """These factors, from a step on, into local memory."""
        product, found = self.sums.product, []
        if "left" in sides:
            tile, extent = position("row_tile"), self.sums.rows
            found.append(self._factor("left", product.left, product.rows, tile, extent, first))
        if "right" in sides:
            tile, extent = position("column_tile"), self.sums.columns
            found.append(self._factor("right", product.right, product.columns, tile, extent, first))
        return found

    def _factor(
        self, side: str, factor: Expr, indices: tuple[str, ...], tile: Expr, extent: Expr, first: Expr
    ) -> Statement:
        """One factor, by all items, along what is contiguous."""
        sums, depth, width = self.sums, self.depths[side], self.widths[side]
        element = call("add", position("item"), call("mul", position(f"{side}_turn"), self.tile.items))
        if is_along_steps(sums.nest, factor, indices, sums.product.inner):
            step, place = call("mod", element, depth), call("floor_div", element, depth)
        else:
            step, place = call("floor_div", element, width), call("mod", element, width)
        step_at, place_at = position(f"{side}_step"), position(f"{side}_place")
        at = call("add", first, step_at)
        lets, places = sums.unflattened(side, within(call("add", call("mul", tile, width), place_at), extent), indices)
        step_lets, steps = sums.step(f"{side}_inner", at)
        value = sums.factor(factor, {**places, **steps})
        inside = call("lt", at, position("part_steps"))
        store = Store(
            f"{side} tile", self._element(side, step_at, place_at),
            call("select", inside, value, number(0, value.dtype)),
        )  # fmt: skip
        turn = (Let(f"{side}_step", step), Let(f"{side}_place", place), *lets, *step_lets, store)
        return _repeated(f"{side}_turn", depth * width // self.tile.items, *turn)

    def _steps(self, count: int, begin: Mapping[str, Expr]) -> Statement:
        """So many steps, which begin in local memory at 0 if nothing else is said; a tile's depth without a loop."""
        depth = self.tile.depth
        step: Expr = position("step")
        if count > depth:
            step = call("add", call("mul", position("turn"), depth), step)
        at = {side: call("add", begin[side], step) if side in begin else step for side in self.depths}
        steps = _repeated("step", depth, *self._multiplied(at))
        return steps if count == depth else Loop("turn", _count(count // depth), "serial", (steps,))

    def _element(self, side: str, step: Expr, place: Expr) -> Expr:
        return call("add", call("mul", step, self.widths[side] + self.gaps[side]), place)

    def _multiplied(self, at: Mapping[str, Expr]) -> tuple[Statement, ...]:
        """One step from where it is in local memory: items' elements of both into registers, and each with each."""
        dtype = self.sums.dtype
        loads = []
        for side, turn, count in (("left", "up", self.tile.down), ("right", "on", self.tile.across)):
            place = call("add", call("mul", position(turn), self.apart[side]), position(f"{side}_item"))
            element = read(f"{side} tile", (self._element(side, at[side], place),), dtype)
            loads.append(_repeated(turn, count, Store(f"{side} part", position(turn), element)))
        left, right = read("left part", (position("up"),), dtype), read("right part", (position("on"),), dtype)
        each = MultiplyAdd("all sums", self._sum(), left, right)
        return (*loads, _repeated("up", self.tile.down, _repeated("on", self.tile.across, each)))

    def _sum(self) -> Expr:
        return call("add", call("mul", position("up"), self.tile.across), position("on"))

    def _stored(self) -> list[Statement]:
        """The results; where some are NaN, these and the item's others once more, by the exact sum."""
        sums = self.sums
        total = read("all sums", (self._sum(),), sums.dtype)
        stored = self._results("unrolled", lambda places: (sums.stored(total, places),))
        if sums.product.condition is None:
            return [stored]
        flag = read("has nan", (ZERO,), "bool")
        found = Store("has nan", ZERO, call("or", flag, call("isnan", total)))
        exact = read("exact sum", (ZERO,), sums.dtype)
        again = self._results("serial", lambda places: (*sums.added_again(places), sums.stored(exact, places)))
        return [
            Store("has nan", ZERO, number(False, "bool")),
            _repeated("up", self.tile.down, _repeated("on", self.tile.across, found)),
            stored,
            If(flag, (again,)),
        ]

    def _results(self, kind: Kind, inside: Callable[[Places], tuple[Statement, ...]]) -> Statement:
        """`inside` for each result of an item that there is."""
        sums, tile = self.sums, self.tile
        row, column = (
            call("add", call("mul", position(f"{name}_tile"), width),
                 call("add", call("mul", position(turn), self.apart[side]), position(f"{side}_item")))
            for name, width, turn, side in (
                ("row", tile.rows, "up", "left"), ("column", tile.columns, "on", "right"),
            )
        )  # fmt: skip
        row_lets, rows = sums.unflattened("of_row", position("row"), sums.product.rows)
        column_lets, columns = sums.unflattened("of_column", position("column"), sums.product.columns)
        there = call("and", call("lt", position("row"), sums.rows), call("lt", position("column"), sums.columns))
        found = If(there, (*row_lets, *column_lets, *inside({**rows, **columns})))
        across = Loop("on", _count(tile.across), kind, (Let("column", column), found))
        return Loop("up", _count(tile.down), kind, (Let("row", row), across))


def _repeated(index: str, times: int, *body: Statement) -> Statement:
    return Loop(index, _count(times), "unrolled", body)


def _count(value: int) -> Expr:
    return number(value, INDEX_DTYPE)
