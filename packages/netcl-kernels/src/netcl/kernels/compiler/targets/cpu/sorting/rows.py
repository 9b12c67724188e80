"""Sorts of rows, each by one work-item: short ones by counting, longer ones by a network, long ones by digits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Operand, Scan, number, position, read
from netcl.kernels.compiler.ir.interval import RANGES
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.ir import Assume, Buffer, Let, Loop, Name, Statement, Store
from netcl.kernels.compiler.loops.lanes import in_step
from netcl.kernels.compiler.loops.positions import ZERO, before, least, minus, plus, times
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.values import parted
from netcl.kernels.compiler.lower.kernel import Access
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.targets.cpu.sorting import digits
from netcl.kernels.compiler.targets.cpu.sorting.keys import (
    WIDE,
    halves,
    in_word,
    key_dtype,
    place_in_word,
)
from netcl.kernels.compiler.targets.cpu.sorting.ordered import Cut, Ordered, sure, whole
from netcl.kernels.compiler.targets.cpu.units import ITEM


def sorted_by_row(nest: Nest, node: Scan, stood: str) -> Scheduled:
    """The kernel in which a work-item has whole rows."""
    rows = Ordered(nest, node, stood)
    limits, count = nest.target.sorts, nest.extent(rows.along)
    if count <= limits.short:
        return Scheduled((rows.kernel(Cut(), rows.others, _Counted(rows, limits.short).row),))
    if count <= limits.many and rows.bits >= 32 and nest.target.has_float64:
        return Scheduled((rows.kernel(Cut(), rows.others, _ByNetwork(rows).row),))
    return _by_digits(rows)


class _Counted:
    """A short row: each value comes behind all that come before it, which are counted."""

    def __init__(self, rows: Ordered, most: int) -> None:
        self.rows = rows
        self.dtype = key_dtype(rows.by.expr.dtype)
        room = -(-most // LANES) * LANES
        self.all_keys = rows.private("all keys", self.dtype, room)
        self.ranks = rows.private("all ranks", "int32", room)
        self.order = rows.private("own order", "int32", room)
        self.keys = rows.private("keys here", self.dtype, LANES)
        self.rank = rows.private("ranks here", "int32", LANES)
        self.lane = Lanes("lane", LANES)

    def row(self, scope: Scope, places: Mapping[str, Expr]) -> list[Statement]:
        size, at = self.rows.size, position("at")
        last = number(RANGES[self.dtype][1], self.dtype)
        blocks = parted(size, LANES)
        whole = Loop("beyond", minus(times(blocks, LANES), size), "serial", (
            Store(self.all_keys.name, plus(size, position("beyond")), last),
        ))  # fmt: skip
        rank = cast(read(self.ranks.name, (at,), "int32"), INDEX_DTYPE)
        put = (*sure("rank", rank, size), Store(self.order.name, position("rank"), cast(at, "int32")))
        return [
            *self.rows.keys(scope, ZERO, size, lambda key, place: [Store(self.all_keys.name, place, key)]),
            whole,
            Loop("block", blocks, "serial", tuple(self._block())),
            Loop("at", size, "serial", put),
            *self.rows.stored(scope, lambda at, _: cast(read(self.order.name, (at,), "int32"), INDEX_DTYPE)),
        ]

    def _block(self) -> list[Statement]:
        """How many keys come before each of sixteen: lesser ones, and equal ones that stand before it."""
        lane, first = position("lane"), position("first")
        end = least(plus(first, LANES), self.rows.size)
        mine, other = read(self.keys.name, (lane,), self.dtype), read("other key", (), self.dtype)
        is_less = call("lt", other, mine)
        is_before = call("and", call("eq", other, mine), before(position("beside"), lane))
        begin = (
            Store(self.keys.name, lane, read(self.all_keys.name, (plus(first, lane),), self.dtype)),
            Store(self.rank.name, lane, number(0, "int32")),
        )
        rank = Store(self.ranks.name, plus(first, lane), read(self.rank.name, (lane,), "int32"))
        return [
            Let("first", times(position("block"), LANES)),
            in_step(self.lane, begin),
            self._counted("earlier", ZERO, first, call("le", other, mine)),
            self._counted("beside", first, minus(end, first), call("or", is_less, is_before)),
            self._counted("later", end, minus(self.rows.size, end), is_less),
            in_step(self.lane, [rank]),
        ]

    def _counted(self, step: str, first: Expr, count: Expr, condition: Expr) -> Statement:
        lane, at = position("lane"), plus(first, position(step))
        so_far = read(self.rank.name, (lane,), "int32")
        more = Store(self.rank.name, lane, call("add", so_far, cast(condition, "int32")))
        name = Name("other key", read(self.all_keys.name, (at,), self.dtype))
        return Loop(step, count, "serial", (Assume(before(at, self.rows.size)), name, in_step(self.lane, [more])))


class _ByNetwork:
    """A row by comparisons of vectors; keys of 64 bits are taken in halves, the lower ones first."""

    def __init__(self, rows: Ordered) -> None:
        self.rows = rows
        self.entries = rows.private("all entries", WIDE.entries.dtype, WIDE.entries.most)
        self.order = rows.private("own order", "int32", WIDE.entries.most)
        self.again = rows.private("order of halves", "int32", WIDE.entries.most) if rows.bits == 64 else self.order

    def row(self, scope: Scope, places: Mapping[str, Expr]) -> list[Statement]:
        rows = self.rows

        def entry(key: Expr, at: Expr) -> list[Statement]:
            return [Store(self.entries.name, at, WIDE.entry(halves(key)[1] if rows.bits == 64 else key, at))]

        def put(at: Expr, place: Expr, _: Expr) -> list[Statement]:
            return [Store(self.again.name, at, cast(place, "int32"))]

        return [
            *rows.keys(scope, ZERO, rows.size, entry),
            WIDE.in_order(self.entries, rows.size, put),
            *(self._upper_halves(scope) if rows.bits == 64 else ()),
            *rows.stored(scope, lambda at, _: _place(self.order, at)),
        ]

    def _upper_halves(self, scope: Scope) -> list[Statement]:
        """The same in the order of the upper halves, those that are equal as they stand by the lower ones."""
        rows, at, stood = self.rows, position("at"), position(self.rows.values.index(self.rows.along))
        lets, key = rows.key(Scope(scope, {rows.along: stood}))
        body = (
            *sure(stood.index, _place(self.again, at), rows.size), *lets,
            Store(self.entries.name, at, WIDE.entry(halves(key)[0], at)),
        )  # fmt: skip

        def put(at: Expr, place: Expr, _: Expr) -> list[Statement]:
            return [Store(self.order.name, at, read(self.again.name, (place,), "int32"))]

        return [Loop("at", rows.size, "serial", body), WIDE.in_order(self.entries, rows.size, put)]


def _place(order: Buffer, at: Expr) -> Expr:
    return cast(read(order.name, (at,), "int32"), INDEX_DTYPE)


def _by_digits(rows: Ordered) -> Scheduled:
    """Rows of any length, each work-item with room of its own for the entries twice."""
    nest, limits = rows.nest, rows.nest.target.sorts
    count = nest.extent(rows.along)
    items = max(1, min(nest.extent(*rows.rows), limits.items, limits.entries // max(count, 1)))
    item = "item#"
    extents = {**nest.extents, item: items * 2 * count}
    rows.nest = replace(nest, extents=extents)
    scratch = rows.scratch("scratch", "int64")
    writes = (whole(scratch), *rows.others)
    kernel = replace(rows.kernel(Cut(), writes, _ByDigits(rows, scratch).row), most_items=items)
    return Scheduled((kernel,), (Operand(scratch.name, scratch.dtype, ((item,),)),), extents)


class _ByDigits:
    def __init__(self, rows: Ordered, scratch: Access) -> None:
        self.rows = rows
        rows.values.buffers.append(digits.COUNTS)
        self.name = rows.given.scratch(scratch)
        self.begin = position("begin_of_room")
        self.other = plus(self.begin, rows.size)

    def row(self, scope: Scope, places: Mapping[str, Expr]) -> list[Statement]:
        rows = self.rows
        lets = [Let(self.begin.index, times(position(ITEM), times(rows.size, 2)))]

        def entry(key: Expr, at: Expr) -> list[Statement]:
            lower = halves(key)[1] if rows.bits == 64 else key
            return [Store(self.name, plus(self.begin, at), in_word(lower, at))]

        sort = [
            *rows.keys(scope, ZERO, rows.size, entry),
            *self._ordered("lower", self.begin, self.other, min(rows.bits, 32)),
        ]
        where = position("ordered_lower")
        if rows.bits == 64:
            away = call("select", call("eq", where, self.begin), self.other, self.begin)
            sort += [*self._upper_halves(scope, where), *self._ordered("upper", where, away, 32)]
            where = position("ordered_upper")
        return [
            *lets, *sort,
            *rows.stored(scope, lambda at, _: place_in_word(read(self.name, (plus(where, at),), "int64"))),
        ]  # fmt: skip

    def _ordered(self, half: str, one: Expr, other: Expr, bits: int) -> list[Statement]:
        """Entries in order, which begin at the index `ordered_…` afterwards."""
        buffer = self.rows.given.buffers[self.name]
        sort = digits.by_digits(buffer, one, other, self.rows.size, bits)
        return [sort, Let(f"ordered_{half}", digits.ordered_from(one, other))]

    def _upper_halves(self, scope: Scope, where: Expr) -> list[Statement]:
        """Entries with the upper half of the key in the place of the lower one."""
        at, stood = plus(where, position("at")), position(self.rows.values.index(self.rows.along))
        lets, key = self.rows.key(Scope(scope, {self.rows.along: stood}))
        place = place_in_word(read(self.name, (at,), "int64"))
        body = (
            *sure(stood.index, place, self.rows.size), *lets,
            Store(self.name, at, in_word(halves(key)[0], stood)),
        )  # fmt: skip
        return [Loop("at", self.rows.size, "serial", body)]
