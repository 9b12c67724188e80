"""A contraction with few rows or few columns: matrix times vector, and the like.

The factor with the long side is read once, neighbours by neighbours, straight into registers, where each element meets
the few of the other factor. Items that share a result have every so-manieth step of its sum; their parts are brought
together in local memory, half of the items at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, number, position, read
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.ir import Barrier, Buffer, If, Let, Loop, LoopNest, MultiplyAdd, Statement, Store
from netcl.kernels.compiler.targets.gpu.sums import ZERO, Places, Sums, tiles, within


@dataclass(frozen=True)
class Strip:
    """What a group computes: `few` by `width` results, each by `ways` items. The few are rows, or columns (`turned`);
    with `along_steps` the items of one result are neighbours, else the results are."""

    few: int
    width: int
    ways: int
    turned: bool
    along_steps: bool

    @property
    def items(self) -> int:
        return self.width * self.ways

    @property
    def parts(self) -> int:
        """The room that one row of parts takes in local memory."""
        return self.items + (self.width if self.along_steps else 0)


def skinny(sums: Sums, strip: Strip) -> LoopNest:
    """The nest of these sums, a strip for each group."""
    return _Strips(sums, strip).nest()


class _Strips:
    def __init__(self, sums: Sums, strip: Strip) -> None:
        self.sums, self.strip = sums, strip
        product = sums.product
        sides = [(product.left, product.rows, sums.rows), (product.right, product.columns, sums.columns)]
        (self.few, self.few_indices, self.few_extent), (self.wide, self.indices, self.extent) = (
            sides[::-1] if strip.turned else sides
        )

    def nest(self) -> LoopNest:
        sums, strip = self.sums, self.strip
        dtype, item, one = sums.dtype, position("item"), number(1, INDEX_DTYPE)
        across = tiles(self.extent, strip.width)
        way, place = call("mod", item, strip.ways), call("floor_div", item, strip.ways)
        if not strip.along_steps:
            way, place = call("floor_div", item, strip.width), call("mod", item, strip.width)
        start = call("mul", position("column_tile"), strip.width)
        here = within(call("add", start, position("place")), self.extent)
        lets, places = sums.unflattened("wide", here, self.indices)
        body = (
            *sums.located(one, across),
            Let("way", way),
            Let("place", place),
            *lets,
            self._repeated("few", Store("all sums", position("few"), number(0, dtype))),
            self._added(places),
            *self._together(),
            self._stored(start),
        )
        buffers = [
            *sums.given.buffers.values(),
            Buffer("all parts", dtype, "local", _count(strip.few * strip.parts)),
            Buffer("one element", dtype, "private", one),
            Buffer("exact sum", dtype, "private", one),
            Buffer("all sums", dtype, "private", _count(strip.few)),
        ]
        groups, data = sums.groups(one, across), frozenset(sums.given.data)
        return LoopNest(sums.nest.name, "group", groups, "item", strip.items, tuple(buffers), body, data)

    def _added(self, places: Places) -> Statement:
        """The item's steps of its sums."""
        sums, ways = self.sums, self.strip.ways
        at = position("step")
        lets, steps = sums.step("inner", at)
        few_lets, few_places = sums.unflattened("few", within(position("few"), self.few_extent), self.few_indices)
        element = read("one element", (ZERO,), sums.dtype)
        multiplied = MultiplyAdd("all sums", position("few"), sums.factor(self.few, {**few_places, **steps}), element)
        inside = (
            *lets,
            Store("one element", ZERO, sums.factor(self.wide, {**places, **steps})),
            self._repeated("few", *few_lets, multiplied),
        )
        there = If(call("lt", at, position("part_steps")), inside)
        step = Let("step", call("add", call("mul", position("turn"), ways), position("way")))
        return Loop("turn", tiles(position("part_steps"), ways), "serial", (step, there))

    def _together(self) -> list[Statement]:
        """The items' parts of a sum in one."""
        strip, dtype = self.strip, self.sums.dtype
        own = self._part(position("few"), position("way"), position("place"))
        total = read("all sums", (position("few"),), dtype)
        found: list[Statement] = [self._repeated("few", Store("all parts", own, total)), Barrier()]
        ways = strip.ways // 2
        while ways:
            other = self._part(position("few"), call("add", position("way"), ways), position("place"))
            value = call("add", read("all parts", (own,), dtype), read("all parts", (other,), dtype))
            found += [If(call("lt", position("way"), ways), (self._repeated("few", Store("all parts", own, value)),))]
            found += [Barrier()]
            ways //= 2
        return found

    def _part(self, few: Expr, way: Expr, place: Expr) -> Expr:
        """Where the part of an item is: neighbours store neighbours. Where these are parts of one sum, there is
        a gap behind them, so that the totals, which are read side by side, lie in banks of their own."""
        strip = self.strip
        way_apart, place_apart = (1, strip.ways + 1) if strip.along_steps else (strip.width, 1)
        item = call("add", call("mul", way, way_apart), call("mul", place, place_apart))
        return call("add", call("mul", few, strip.parts), item)

    def _stored(self, start: Expr) -> Statement:
        """The results, one for each item in turn."""
        sums, strip = self.sums, self.strip
        row, column = position("few"), position("wide")
        total = read("all parts", (self._part(row, ZERO, position("wide_place")),), sums.dtype)
        few_lets, few_places = sums.unflattened("few", row, self.few_indices)
        lets, places = sums.unflattened("result", column, self.indices)
        everywhere = {**few_places, **places}
        exact = read("exact sum", (ZERO,), sums.dtype)
        again: list[Statement] = [Store("exact sum", ZERO, total)]
        if sums.product.condition is not None:
            again += [If(call("isnan", total), tuple(sums.added_again(everywhere)))]
        there = call("and", call("lt", row, self.few_extent), call("lt", column, self.extent))
        result = call("add", call("mul", position("out"), strip.items), position("item"))
        count = strip.few * strip.width
        inside = If(call("and", call("lt", position("result"), count), there),
                    (*few_lets, *lets, *again, sums.stored(exact, everywhere)))  # fmt: skip
        lets = [
            Let("result", result),
            Let("few", call("floor_div", position("result"), strip.width)),
            Let("wide_place", call("mod", position("result"), strip.width)),
            Let("wide", call("add", start, position("wide_place"))),
        ]
        return Loop("out", _count(-(-count // strip.items)), "unrolled", (*lets, inside))

    def _repeated(self, index: str, *body: Statement) -> Statement:
        return Loop(index, _count(self.strip.few), "unrolled", body)


def _count(value: int) -> Expr:
    return number(value, INDEX_DTYPE)
