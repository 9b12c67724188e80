"""Keys: integers that are ordered as the values of a row are; and entries, each a key with the place it stood at.

A key has 32 bits, 64 where values have, or 8 of bytes. Of two entries the one with the lesser key is the lesser one, of
equal keys the one that stood first, so that no two are equal. An entry is a number of its own: a key of 32 bits and the
place under it, as an int64 or, exactly, as a float64; or a key of fewer bits and the place, which are the bits of a
float32. Processors compare vectors of floats faster than those of integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from netcl.kernels.compiler.ir import FLOATS, INDEX_DTYPE, Expr, number, position, read
from netcl.kernels.compiler.ir.ordinals import ordinal, ordinal_value
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.carry import wide
from netcl.kernels.compiler.loops.ir import Assume, Buffer, Let, Loop, Name, Statement, Store, alone
from netcl.kernels.compiler.loops.positions import at_least, before, least, minus, most, plus, quotient, rest, times
from netcl.kernels.compiler.targets.cpu.sorting import network
from netcl.kernels.compiler.targets.cpu.sorting.network import Entries

PLACES = 1 << 31
"""No row has more places."""
_HALF = 1 << 32

Put = Callable[[Expr, Expr, Expr], Sequence[Statement]]
"""What is done with the number of an entry in its order, its place and its key, an int64."""


@dataclass(frozen=True)
class Kind:
    """A kind of entries of a network: the key times `places`, and the place; there may be so many `keys`."""

    entries: Entries
    places: int
    keys: int

    def entry(self, key: Expr, place: Expr) -> Expr:
        dtype = "float64" if self.is_exact else "int32"
        whole = call("add", call("mul", cast(key, dtype), number(self.places, dtype)), cast(place, dtype))
        return whole if self.is_exact else ordinal_value(call("add", whole, number(_FIRST, dtype)), "float32")

    @property
    def is_exact(self) -> bool:
        """Whether an entry is this number, not the float that has it as its bits."""
        return self.entries.dtype == "float64"

    def _whole(self, entry: Expr) -> Expr:
        return cast(entry if self.is_exact else call("sub", ordinal(entry), number(_FIRST, "int32")), INDEX_DTYPE)

    def in_order(self, entries: Buffer, count: Expr, put: Put) -> Statement:
        """So many entries of a private buffer in order; what is `put` somewhere of the number that an entry has in this
        order, of its place and of its key."""
        names = ("ways", "together", "vectors", "beyond", "lane", "vector", "place")
        ways, together, vectors, beyond, lane, vector, place = map(position, names)
        end, lanes = plus(count, beyond), self.entries.lanes
        at = plus(times(lane, vectors), vector)
        entry = read(entries.name, (plus(times(vector, lanes), lane),), entries.dtype)
        whole = read("whole", (), INDEX_DTYPE)
        exist = most(least(vectors, minus(count, times(lane, vectors))), 0)
        many, blocks = self.entries.ways(count)
        return alone([
            Let(ways.index, many), Let(together.index, blocks),
            Assume(at_least(network.WAYS, ways)), Assume(at_least(network.BLOCKS, times(ways, together))),
            Let(vectors.index, times(times(ways, together), network.BLOCK)),
            Loop(beyond.index, minus(times(vectors, lanes), count), "serial", (
                Assume(before(end, self.entries.most)), Store(entries.name, end, self.entries.last),
            )),
            network.in_order(self.entries, entries.name, ways, together),
            Loop(lane.index, number(lanes, INDEX_DTYPE), "serial", (
                Loop(vector.index, exist, "serial", (
                    Name(whole.operand, self._whole(entry)), Let(place.index, rest(whole, self.places)),
                    Assume(before(place, count)), Assume(before(at, count)),
                    *put(at, place, quotient(whole, self.places)),
                )),
            )),
        ])  # fmt: skip


_FIRST, _INFINITY = 1 << 23, 0x7F800000
"""The bits of the least float32 that no device takes for 0, and of infinity, which no entry is."""

WIDE = Kind(Entries("wide", "float64", 8, number(float("inf"), "float64")), 1 << 20, 1 << 32)
"""Whole numbers of 52 bits, and a sign, are exact as float64s."""
NARROW = Kind(Entries("narrow", "float32", 16, number(float("inf"), "float32")), 1 << 11, (_INFINITY - _FIRST) >> 11)


def bits_of(dtype: str) -> int:
    """How many bits the keys of such values have."""
    return {"uint8": 8, "bool": 8, "float64": 64, "int64": 64}.get(dtype, 32)


def key_dtype(dtype: str) -> str:
    """The dtype of the keys of such values."""
    return "int64" if bits_of(dtype) == 64 else "int32"


def key(value: Expr, backward: bool) -> Expr:
    """The key of a value; `backward` the largest value comes first."""
    number = cast(value, wide(value.dtype))
    found = ordinal(number) if number.dtype in FLOATS else cast(number, key_dtype(value.dtype))
    return call("sub", -1, found) if backward else found


def in_word(key: Expr, place: Expr) -> Expr:
    """The entry of a key of up to 32 bits, as an int64, which is not negative."""
    return plus(times(plus(cast(key, INDEX_DTYPE), PLACES), PLACES), place)


def place_in_word(entry: Expr) -> Expr:
    return rest(entry, PLACES)


def key_in_word(entry: Expr) -> Expr:
    """The key of such an entry, where it has 32 bits."""
    return cast(minus(quotient(entry, PLACES), PLACES), "int32")


def halves(key: Expr) -> tuple[Expr, Expr]:
    """The upper and the lower half of a key of 64 bits, each in order as an int32 is."""
    return quotient(key, _HALF), minus(rest(key, _HALF), PLACES)
