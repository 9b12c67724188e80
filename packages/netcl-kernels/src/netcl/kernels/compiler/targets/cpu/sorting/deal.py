"""A part of a row, dealt out to bins by its keys.

A sample of the keys says what the bins are: the range between its least and its largest key is cut into cells, and each
cell into as many bins as its share of the sample. Keys beyond are in the outer bins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, number, position, read
from netcl.kernels.compiler.ir.interval import RANGES
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.ir import Assume, Let, Loop, Name, Statement, Store
from netcl.kernels.compiler.loops.positions import (
    ONE,
    ZERO,
    at_least,
    before,
    least,
    minus,
    most,
    plus,
    quotient,
    times,
)
from netcl.kernels.compiler.loops.scope import Scope
from netcl.kernels.compiler.lower.kernel import Access, Kernel
from netcl.kernels.compiler.targets.cpu.sorting.keys import in_word
from netcl.kernels.compiler.targets.cpu.sorting.ordered import Cut, Ordered, sure, whole
from netcl.kernels.compiler.targets.cpu.units import ITEM

SAMPLES = 1024
"""Of so many values of a row the keys say what the bins are."""
CELLS = 1024
"""At most so many ranges of keys are told apart."""
SAMPLES_PER_CELL = 8
LEAST, MOST = RANGES["int32"]


@dataclass(frozen=True)
class Dealt:
    """What one kernel has for the other: entries, dealt out within each part of a row, and where the bins of each part
    begin, counted from its first entry."""

    entries: Access
    starts: Access


class Places:
    """Where the entries and the bins of the parts of a row are."""

    def __init__(self, rows: Ordered, dealt: Dealt) -> None:
        self.part, self.parts, self.bins = (rows.given.number(each) for each in ("part", "parts", "bins"))
        self.entries, self.starts = rows.given.scratch(dealt.entries), rows.given.scratch(dealt.starts)

    def first(self, row: Expr, part: Expr) -> Expr:
        """The first entry of a part of a row."""
        return times(plus(times(row, self.parts), part), self.part)

    def start(self, row: Expr, part: Expr, bin: Expr) -> Expr:
        """Where it says where a bin begins; the bin behind the last one begins where the last one ends."""
        return plus(times(plus(times(row, self.parts), part), plus(self.bins, 1)), bin)


class Deal:
    """A unit is a part of a row. A work-item has room for the keys of a part, and for the bin of each."""

    def __init__(self, rows: Ordered, dealt: Dealt, keys: Access) -> None:
        self.rows, self.dealt, self.access = rows, dealt, keys
        self.places = Places(rows, dealt)
        self.keys = rows.given.scratch(keys)
        self.sample = rows.private("own sample", "int32", SAMPLES)
        self.ends = rows.private("own ends", "int32", 2)
        self.firsts = rows.private("own firsts", "int32", CELLS, positions=True)
        self.sizes = rows.private("own sizes", "int32", CELLS, positions=True)
        self.so_far = rows.private("own so far", "int32", 1, positions=True)
        self.row, self.number, self.begin, self.count, self.cells = (
            position(each) for each in ("row", "number_of_part", "begin", "count", "cells")
        )

    def kernel(self, numbers: Mapping[str, int], dealers: int) -> Kernel:
        writes = [whole(each) for each in (self.dealt.entries, self.dealt.starts, self.access)]
        kernel = self.rows.kernel(Cut("parts", numbers, "_deal"), writes, self._unit)
        return replace(kernel, most_items=dealers)

    def _unit(self, scope: Scope, where: Mapping[str, Expr]) -> list[Statement]:
        rows, places = self.rows, self.places
        begin = times(self.number, places.part)
        room = times(position(ITEM), times(places.part, 2))

        def kept(key: Expr, at: Expr) -> list[Statement]:
            place = minus(at, self.begin)
            inside = Assume(at_least(place, 0)), Assume(before(place, places.part))
            return [*inside, Store(self.keys, plus(position("room"), place), key)]

        sample = self._sample(scope)
        return [
            Let(self.row.index, rows.row(where)),
            Let(self.number.index, where["parts"]),
            Assume(before(begin, rows.size)),
            Let(self.begin.index, begin),
            Let(self.count.index, least(places.part, minus(rows.size, self.begin))),
            Let("room", room),
            *sample,
            Let(self.cells.index, least(most(quotient(places.bins, SAMPLES_PER_CELL), 1), CELLS)),
            *self._cells(),
            *rows.keys(scope, self.begin, self.count, kept),
            *self._bins(),
            *self._dealt(),
        ]

    def _end(self, which: int) -> Expr:
        return read(self.ends.name, (number(which, INDEX_DTYPE),), "int32")

    def _sample(self, scope: Scope) -> list[Statement]:
        """Keys of the row, evenly spaced, and the least and the largest of them."""
        at = quotient(times(position("sample"), self.rows.size), SAMPLES)
        place = position(self.rows.values.index(self.rows.along))
        lets, key = self.rows.key(Scope(scope, {self.rows.along: place}))
        name = read("sample key", (), "int32")
        body = (
            Assume(before(at, self.rows.size)), Let(place.index, at), *lets, Name("sample key", key),
            Store(self.sample.name, position("sample"), name),
            Store(self.ends.name, ZERO, call("minimum", self._end(0), name)),
            Store(self.ends.name, ONE, call("maximum", self._end(1), name)),
        )  # fmt: skip
        return [
            Store(self.ends.name, ZERO, number(MOST, "int32")),
            Store(self.ends.name, ONE, number(LEAST, "int32")),
            Loop("sample", number(SAMPLES, INDEX_DTYPE), "serial", body),
        ]

    def _in_cells(self, key: Expr) -> Expr:
        """How many cells lie before a key: what is behind the point says where in its cell it is."""
        bounded = call("minimum", call("maximum", key, self._end(0)), self._end(1))
        apart = call("sub", cast(bounded, "float64"), cast(self._end(0), "float64"))
        return call("mul", apart, read("cells each", (), "float64"))

    def _cells(self) -> list[Statement]:
        """How many bins each cell has, and which is the first."""
        reach = call("add", call("sub", cast(self._end(1), "float64"), cast(self._end(0), "float64")), 1.0)
        cell, here, size = position("cell"), position("here"), read(self.sizes.name, (position("cell"),), "int32")
        found = cast(self._in_cells(read(self.sample.name, (position("sample"),), "int32")), INDEX_DTYPE)
        so_far = read(self.so_far.name, (ZERO,), "int32")
        more = call("floor_div", call("mul", cast(size, INDEX_DTYPE), minus(self.places.bins, self.cells)), SAMPLES)
        return [
            Name("cells each", call("div", cast(self.cells, "float64"), reach)),
            Loop("cell", self.cells, "serial", (Store(self.sizes.name, cell, number(0, "int32")),)),
            Loop("sample", number(SAMPLES, INDEX_DTYPE), "serial", (
                *sure("here", found, self.cells),
                Store(self.sizes.name, here, call("add", read(self.sizes.name, (here,), "int32"), 1)),
            )),
            Store(self.so_far.name, ZERO, number(0, "int32")),
            Loop("cell", self.cells, "serial", (
                Store(self.firsts.name, cell, so_far),
                Store(self.sizes.name, cell, cast(plus(more, 1), "int32")),
                Store(self.so_far.name, ZERO, call("add", so_far, size)),
            )),
        ]  # fmt: skip

    def _bins(self) -> list[Statement]:
        """The bin of each key, how many there are in each, and where it begins."""
        at, here, bin = position("at"), position("here"), position("bin")
        key = read(self.keys, (plus(position("room"), at),), "int32")
        cells = read("before cells", (), "float64")
        first, size = (read(each.name, (here,), "int32") for each in (self.firsts, self.sizes))
        within = call("mul", call("sub", cells, cast(here, "float64")), cast(size, "float64"))
        found = plus(cast(first, INDEX_DTYPE), cast(within, INDEX_DTYPE))
        start = self._start(plus(bin, 1))
        so_far = read(self.so_far.name, (ZERO,), "int32")
        return [
            Loop("bin", plus(self.places.bins, 1), "serial", (
                Store(self.places.starts, self._at(bin), number(0, "int32")),
            )),
            Loop("at", self.count, "serial", (
                Name("before cells", self._in_cells(key)),
                *sure("here", cast(cells, INDEX_DTYPE), self.cells),
                *sure("bin", found, self.places.bins),
                Store(self.keys, self._bin_of(at), cast(bin, "int32")),
            )),
            Loop("at", self.count, "serial", (
                *sure("bin", self._bin(at), self.places.bins),
                Store(self.places.starts, self._at(plus(bin, 1)), call("add", start, 1)),
            )),
            Store(self.so_far.name, ZERO, number(0, "int32")),
            Loop("bin", self.places.bins, "serial", (
                Name("how_many", start),
                Store(self.places.starts, self._at(plus(bin, 1)), so_far),
                Store(self.so_far.name, ZERO, call("add", so_far, read("how_many", (), "int32"))),
            )),
        ]  # fmt: skip

    def _dealt(self) -> list[Statement]:
        """Each entry put into its bin, whose beginning moves on until it is that of the next."""
        at, bin, to = position("at"), position("bin"), position("to")
        key = read(self.keys, (plus(position("room"), at),), "int32")
        start = self._start(plus(bin, 1))
        first = self.places.first(self.row, self.number)
        return [
            Loop("at", self.count, "serial", (
                *sure("bin", self._bin(at), self.places.bins),
                *sure("to", cast(start, INDEX_DTYPE), self.count),
                Store(self.places.entries, plus(first, to), in_word(key, plus(self.begin, at))),
                Store(self.places.starts, self._at(plus(bin, 1)), cast(plus(to, 1), "int32")),
            )),
        ]  # fmt: skip

    def _bin_of(self, at: Expr) -> Expr:
        return plus(plus(position("room"), self.places.part), at)

    def _bin(self, at: Expr) -> Expr:
        return cast(read(self.keys, (self._bin_of(at),), "int32"), INDEX_DTYPE)

    def _at(self, bin: Expr) -> Expr:
        return self.places.start(self.row, self.number, bin)

    def _start(self, bin: Expr) -> Expr:
        return read(self.places.starts, (self._at(bin),), "int32")
