"""Sorts of long rows, which are shared out in two kernels: each part of a row is dealt out to bins (`deal`), then each
bin is gathered from all parts and sorted on its own.

The values that are written come from their keys, because they stand anywhere in the row; only zeros, which have signs,
and NaNs, of which there are many, are read again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from netcl.kernels.compiler.ir import FLOATS, INDEX_DTYPE, Expr, Operand, Position, Scan, number, position, read
from netcl.kernels.compiler.ir.ordinals import ordinal_value
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.carry import wide
from netcl.kernels.compiler.loops.ir import Assume, Buffer, If, Let, Loop, Name, Statement, Store, exists
from netcl.kernels.compiler.loops.positions import ZERO, before, minus, plus, quotient, times
from netcl.kernels.compiler.loops.scope import Scope
from netcl.kernels.compiler.lower.kernel import Access, Kernel
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.targets.cpu.sorting import digits
from netcl.kernels.compiler.targets.cpu.sorting.deal import LEAST, MOST, Deal, Dealt, Places
from netcl.kernels.compiler.targets.cpu.sorting.keys import (
    NARROW,
    PLACES,
    WIDE,
    Kind,
    Put,
    key_in_word,
    place_in_word,
)
from netcl.kernels.compiler.targets.cpu.sorting.ordered import Cut, Ordered, sure, whole


def sorted_by_bin(nest: Nest, node: Scan, stood: str) -> Scheduled:
    """Two kernels that share each row out."""
    limits = nest.target.sorts
    dealing, sorting = (Ordered(nest, node, stood) for _ in range(2))
    count, rows = nest.extent(dealing.along), nest.extent(*dealing.rows)
    part = -(-min(max(count // limits.parts, limits.least_part), limits.most_part) // 16) * 16
    parts = -(-count // part)
    bins = 1 << (2 * count.bit_length() - limits.larger_bins) // 3
    dealers = min(rows * parts, limits.dealers)
    sizes = {
        "dealt": rows * parts * part, "starts": rows * parts * (bins + 1), "keys": 2 * part * dealers,
        "room": 2 * rows * count,
    }  # fmt: skip
    dtypes = {"dealt": "int64", "starts": "int32", "keys": "int32", "room": "int64"}
    extents = {**nest.extents, **{f"{word}#": size for word, size in sizes.items()}}
    dealing.nest = sorting.nest = replace(nest, extents=extents)
    entries, starts, keys, room = (dealing.scratch(word, dtype) for word, dtype in dtypes.items())
    dealt = Dealt(entries, starts)
    numbers = {"part": part, "parts": parts, "bins": bins}
    kernels = Deal(dealing, dealt, keys).kernel(numbers, dealers), SortBin(sorting, dealt, room).kernel(numbers)
    temporaries = (Operand(f"{nest.name}.{word}", dtype, ((f"{word}#",),)) for word, dtype in dtypes.items())
    return Scheduled(kernels, tuple(temporaries), extents)


class SortBin:
    """A unit is a bin of a row. Few entries are sorted by a network; many, which mostly have few keys, by digits."""

    def __init__(self, rows: Ordered, dealt: Dealt, room: Access) -> None:
        self.rows, self.dealt, self.access, self.most = rows, dealt, room, rows.nest.target.sorts.bin
        assert self.most <= min(WIDE.entries.most, NARROW.entries.most), "a network has no room for a bin"
        self.places = Places(rows, dealt)
        self.room = rows.given.scratch(room)
        rows.values.buffers.append(digits.COUNTS)
        self.filled = rows.private("own filled", "int32", 1, positions=True)
        self.row, self.number, self.first, self.count = (
            position(each) for each in ("row", "number_of_bin", "first", "count")
        )

    def kernel(self, numbers: Mapping[str, int]) -> Kernel:
        writes = (whole(self.access), *self.rows.others)
        return self.rows.kernel(Cut("bins", numbers), writes, self._unit, (self.dealt.entries, self.dealt.starts))

    def _unit(self, scope: Scope, where: Mapping[str, Expr]) -> list[Statement]:
        rows, left = self.rows, minus(self.rows.size, self.first)
        begin, before_it = self._counted("before bin", self.number)
        end, before_next = self._counted("before next", plus(self.number, 1))
        is_small = call("and", call("gt", self.count, 0), call("le", self.count, self.most))
        return [
            Let(self.row.index, rows.row(where)), Let(self.number.index, where["bins"]),
            *begin, *sure(self.first.index, before_it, plus(rows.size, 1)),
            *end, *sure(self.count.index, minus(before_next, self.first), plus(left, 1)),
            If(is_small, tuple(self._small(scope))),
            If(call("gt", self.count, self.most), tuple(self._large(scope))),
        ]  # fmt: skip

    def _start(self, part: Expr, bin: Expr) -> Expr:
        at = self.places.start(self.row, part, bin)
        return cast(read(self.places.starts, (at,), "int32"), INDEX_DTYPE)

    def _counted(self, word: str, bin: Expr) -> tuple[list[Statement], Expr]:
        """How many entries of all parts of the row are in the bins before one."""
        total = self.rows.private(f"own {word}", INDEX_DTYPE, 1, positions=True)
        so_far = read(total.name, (ZERO,), INDEX_DTYPE)
        added = Store(total.name, ZERO, plus(so_far, self._start(position("part"), bin)))
        return [Store(total.name, ZERO, ZERO), Loop("part", self.places.parts, "serial", (added,))], so_far

    def _gathered(self, put: Mapping[str, Expr], first: Expr = ZERO) -> list[Statement]:
        """The entries of all parts one behind the other: what is `put` of each `word` into buffers, from `first` on."""
        part, entry, begin, many, filled = (position(each) for each in ("part", "entry", "begin", "many", "filled"))
        start, end = (self._start(part, bin) for bin in (self.number, plus(self.number, 1)))
        so_far = cast(read(self.filled.name, (ZERO,), "int32"), INDEX_DTYPE)
        at, to = plus(begin, entry), plus(filled, entry)
        word = read(self.places.entries, (plus(self.places.first(self.row, part), at),), "int64")
        return [
            Store(self.filled.name, ZERO, number(0, "int32")),
            Loop(part.index, self.places.parts, "serial", (
                *sure(begin.index, start, plus(self.places.part, 1)),
                *sure(many.index, minus(end, begin), plus(minus(self.places.part, begin), 1)),
                *sure(filled.index, so_far, plus(self.count, 1)),
                Loop(entry.index, many, "serial", (
                    Assume(before(at, self.places.part)), Assume(before(to, self.count)), Name("word", word),
                    *(each for buffer, value in put.items() for each in self._put(buffer, plus(first, to), value)),
                )),
                Store(self.filled.name, ZERO, cast(plus(filled, many), "int32")),
            )),
        ]  # fmt: skip

    def _put(self, buffer: str, at: Expr, value: Expr) -> list[Statement]:
        """A value stored in memory of everybody, or of a work-item, which has enough of it."""
        known = exists(buffer, at) if buffer == self.room else Assume(before(at, self.most))
        return [known, Store(buffer, at, value)]

    # --- few entries ------------------------------------------------------------------------------------------------

    def _small(self, scope: Scope) -> list[Statement]:
        rows, word, at = self.rows, read("word", (), "int64"), position("at")
        keys, stood, keys_in_order, stood_in_order = (
            rows.private(f"own {each}", "int32", self.most, positions="places" in each)
            for each in ("keys", "places", "ordered keys", "ordered places")
        )
        looked, ends, is_told = self._looked_through(read(keys.name, (at,), "int32"))
        is_narrow = before(minus(cast(ends[1], INDEX_DTYPE), cast(ends[0], INDEX_DTYPE)), NARROW.keys)
        kinds = (
            (call("ne", position("is_narrow"), 0), NARROW, ends[0]),
            (call("eq", position("is_narrow"), 0), WIDE, number(0, "int32")),
        )

        def put(at: Expr, place: Expr, key: Expr) -> list[Statement]:
            return [
                Store(keys_in_order.name, at, key),
                Store(stood_in_order.name, at, read(stood.name, (place,), "int32")),
            ]

        def found(at: Expr, here: Scope) -> Expr:
            here.statements.append(Assume(before(at, self.most)))
            return cast(read(stood_in_order.name, (at,), "int32"), INDEX_DTYPE)

        def value(at: Expr, here: Scope) -> Expr:
            key = read(keys_in_order.name, (at,), "int32")
            return self._value(call("sub", -1, key) if rows.backward else key)

        return [
            *self._gathered({keys.name: key_in_word(word), stood.name: cast(place_in_word(word), "int32")}),
            Assume(call("le", self.count, self.most)),
            *looked,
            Let("is_narrow", cast(is_narrow, INDEX_DTYPE)),
            *(If(when, tuple(self._by_network(kind, keys, first, put))) for when, kind, first in kinds),
            If(is_told, tuple(rows.stored(scope, found, self.first, self.count, value))),
            If(call("not", is_told), tuple(rows.stored(scope, found, self.first, self.count))),
        ]  # fmt: skip

    def _looked_through(self, key: Expr) -> tuple[list[Statement], tuple[Expr, Expr], Expr]:
        """The least and the largest key, and whether all tell which values they are of."""
        least_key, most_key, untold = (
            self.rows.private(f"own {each} key", "int32", 1) for each in ("least", "largest", "untold")
        )
        found = [read(each.name, (ZERO,), "int32") for each in (least_key, most_key, untold)]
        here = read("key", (), "int32")
        special = [each if not self.rows.backward else -1 - each for each in (0, MOST)]
        is_untold = call("or", *(call("eq", here, number(each, "int32")) for each in special))
        statements: list[Statement] = [
            *(
                Store(each.name, ZERO, number(value, "int32"))
                for each, value in ((least_key, MOST), (most_key, LEAST), (untold, 0))
            ),
            Loop("at", self.count, "serial", (
                Assume(before(position("at"), self.most)), Name("key", key),
                Store(least_key.name, ZERO, call("minimum", found[0], here)),
                Store(most_key.name, ZERO, call("maximum", found[1], here)),
                Store(untold.name, ZERO, call("maximum", found[2], cast(is_untold, "int32"))),
            )),
        ]  # fmt: skip
        return statements, (found[0], found[1]), call("eq", found[2], 0)

    def _by_network(self, kind: Kind, keys: Buffer, first: Expr, put: Put) -> list[Statement]:
        """The entries of these keys in order, which have them as distances from the `first` key."""
        entries = self.rows.private(f"{kind.entries.name} entries", kind.entries.dtype, kind.entries.most)
        at = position("at")
        entry = kind.entry(call("sub", read(keys.name, (at,), "int32"), first), at)

        def put_key(at: Expr, place: Expr, key: Expr) -> Sequence[Statement]:
            return put(at, place, call("add", cast(key, "int32"), first))

        return [
            Loop("at", self.count, "serial", (Assume(before(at, self.most)), Store(entries.name, at, entry))),
            kind.in_order(entries, self.count, put_key),
        ]  # fmt: skip

    def _value(self, key: Expr) -> Expr:
        """The value of a key that is not backward."""
        dtype = self.rows.again.expr.dtype
        return cast(ordinal_value(key, wide(dtype)) if dtype in FLOATS else key, dtype)

    # --- many entries -----------------------------------------------------------------------------------------------

    def _large(self, scope: Scope) -> list[Statement]:
        """Entries most of which may have one key: those of that key are as they stand, and only others are sorted."""
        one, other = position("one"), position("other")
        base = plus(times(times(self.row, 2), self.rows.size), self.first)
        less, same = position("less"), position("same")
        behind = plus(less, same)

        def found(at: Expr, here: Scope) -> Expr:
            here.statements.append(exists(self.room, plus(other, at)))
            return place_in_word(read(self.room, (plus(other, at),), "int64"))

        return [
            Let(one.index, base), Let(other.index, plus(base, self.rows.size)),
            *self._gathered({self.room: read("word", (), "int64")}, one),
            *self._parted(one, other, less, same),
            *self._sorted(other, one, less),
            *self._sorted(plus(other, behind), plus(one, behind), minus(self.count, behind)),
            *self.rows.stored(scope, found, self.first, self.count),
        ]  # fmt: skip

    def _parted(self, one: Expr, other: Expr, less: Position, same: Position) -> list[Statement]:
        """The entries from `one` on put down from `other` on: those of a `less` key than that of one of them, those of
        the `same`, those of a larger one."""
        cursors = self.rows.private("own cursors", "int32", 3, positions=True)
        sides = [number(each, INDEX_DTYPE) for each in range(3)]
        at, side, to = position("at"), position("side"), position("to")
        word, middle = read("word", (), "int64"), plus(one, quotient(self.count, 2))
        key, where = quotient(word, PLACES), read(cursors.name, (side,), "int32")
        above = [cast(call(sign, key, read("middle", (), "int64")), INDEX_DTYPE) for sign in ("gt", "ge")]
        next_one = Store(cursors.name, side, call("add", where, 1))
        each = (
            exists(self.room, plus(one, at)), Name("word", read(self.room, (plus(one, at),), "int64")),
            Let(side.index, plus(*above)),
        )  # fmt: skip
        sizes = [cast(read(cursors.name, (side,), "int32"), INDEX_DTYPE) for side in sides]
        begins = (number(0, "int32"), cast(less, "int32"), cast(plus(less, same), "int32"))
        return [
            exists(self.room, middle), Name("middle", quotient(read(self.room, (middle,), "int64"), PLACES)),
            *(Store(cursors.name, side, number(0, "int32")) for side in sides),
            Loop(at.index, self.count, "serial", (*each, next_one)),
            *sure(less.index, sizes[0], plus(self.count, 1)),
            *sure(same.index, sizes[1], plus(minus(self.count, less), 1)),
            *(Store(cursors.name, side, begin) for side, begin in zip(sides, begins, strict=True)),
            Loop(at.index, self.count, "serial", (
                *each, *sure(to.index, cast(where, INDEX_DTYPE), self.count),
                exists(self.room, plus(other, to)), Store(self.room, plus(other, to), word), next_one,
            )),
        ]  # fmt: skip

    def _sorted(self, here: Expr, there: Expr, count: Expr) -> list[Statement]:
        """So many entries from `here` on sorted where they are; from `there` on is room for them."""
        at, came = position("at"), position("came")
        buffer = self.rows.given.buffers[self.room]
        copy = Store(self.room, plus(here, at), read(self.room, (plus(came, at),), "int64"))
        both = (exists(self.room, plus(here, at)), exists(self.room, plus(came, at)))
        return [
            If(call("gt", count, 0), (
                digits.by_digits(buffer, here, there, count, 32),
                Let(came.index, digits.ordered_from(here, there)),
                If(call("ne", came, here), (Loop(at.index, count, "serial", (*both, copy)),)),
            )),
        ]  # fmt: skip
