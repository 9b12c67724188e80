"""Any number of entries by the digits of their keys, the last digit first; of equal ones the first stays first.

Entries go from one of two runs of memory to the other and back. A digit that is the same in all of them is passed over.
"""

from __future__ import annotations

from collections.abc import Sequence

from netcl.core.bounded import remembered
from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, attribute, number, position, read
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.ir import (
    Assume,
    Buffer,
    Call,
    Function,
    If,
    Let,
    Loop,
    Name,
    Statement,
    Store,
    exists,
)
from netcl.kernels.compiler.loops.lanes import in_step
from netcl.kernels.compiler.loops.positions import ZERO, at_least, before, plus, quotient, rest, times
from netcl.kernels.compiler.loops.scope import Lanes
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.targets.cpu.sorting.keys import PLACES

BITS = 8
"""Of a digit: the counts of all digits are in the fastest cache, and so are the ends of all runs that entries go to."""
VALUES = 1 << BITS
COUNTS = Buffer("digit counts", "int32", "private", number(VALUES * 32 // BITS, INDEX_DTYPE), positions=True)
"""The memory that a sort needs; its first element says afterwards in which run the entries are."""


def by_digits(entries: Buffer, one: Expr, other: Expr, count: Expr, bits: int) -> Statement:
    """So many entries of a buffer in the order of the lowest bits of their keys: from the element `one` on, where they
    come from, or from `other` on."""
    return Call(_function(bits), (entries.name, COUNTS.name), (one, other, count))


def ordered_from(one: Expr, other: Expr) -> Expr:
    """Where they begin afterwards."""
    return call("select", call("eq", read(COUNTS.name, (ZERO,), "int32"), 0), one, other)


@remembered("sorts by digits", 8)
def _function(bits: int) -> Function:
    entries = Buffer("words", "int64", "global", ZERO)
    one, other, count = (attribute(name, INDEX_DTYPE) for name in ("one", "other", "count"))
    side, so_far = (Buffer(f"own {word}", "int32", "private", number(1, INDEX_DTYPE)) for word in ("side", "so far"))
    digits = bits // BITS
    is_second = call("ne", read(side.name, (ZERO,), "int32"), 0)

    def entry(at: Expr) -> Expr:
        return read(entries.name, (at,), entries.dtype)

    def counted(digit: int) -> Sequence[Statement]:
        slot = position(f"slot_{digit}")
        more = _one_more(read(COUNTS.name, (slot,), "int32"))
        return Let(slot.index, _slot(read("entry", (), "int64"), digit)), Store(COUNTS.name, slot, more)

    def ordered(digit: int) -> Sequence[Statement]:
        here, there = position(f"here_{digit}"), position(f"there_{digit}")
        value, at = position("value"), position("at")
        first = read(COUNTS.name, (_slot(entry(here), digit),), "int32")
        slot, place = position("slot"), read("place", (), "int32")
        begins = (
            Name("how_many", read(COUNTS.name, (plus(value, digit * VALUES),), "int32")),
            Store(COUNTS.name, plus(value, digit * VALUES), read(so_far.name, (ZERO,), "int32")),
            Store(so_far.name, ZERO, call("add", read(so_far.name, (ZERO,), "int32"), read("how_many", (), "int32"))),
        )
        moved = (
            exists(entries.name, plus(here, at)), Name("entry", entry(plus(here, at))),
            Let(slot.index, _slot(read("entry", (), "int64"), digit)),
            Name("place", read(COUNTS.name, (slot,), "int32")),
            Assume(at_least(cast(place, INDEX_DTYPE), 0)), Assume(before(cast(place, INDEX_DTYPE), count)),
            exists(entries.name, plus(there, cast(place, INDEX_DTYPE))),
            Store(entries.name, plus(there, cast(place, INDEX_DTYPE)), read("entry", (), "int64")),
            Store(COUNTS.name, slot, _one_more(place)),
        )  # fmt: skip
        differ = (
            Store(so_far.name, ZERO, number(0, "int32")),
            Loop(value.index, number(VALUES, INDEX_DTYPE), "serial", begins),
            Loop(at.index, count, "serial", moved),
            Store(side.name, ZERO, call("sub", 1, read(side.name, (ZERO,), "int32"))),
        )
        return [
            Let(here.index, call("select", is_second, other, one)),
            Let(there.index, call("select", is_second, one, other)),
            exists(entries.name, here),
            If(call("ne", cast(first, INDEX_DTYPE), count), differ),
        ]

    lane = Lanes("lane", LANES)
    zero = Store(COUNTS.name, plus(times(position("vector"), LANES), position("lane")), number(0, "int32"))
    all_counted = (
        exists(entries.name, plus(one, position("at"))),
        Name("entry", entry(plus(one, position("at")))),
        *(each for at in range(digits) for each in counted(at)),
    )
    body = [
        Store(side.name, ZERO, number(0, "int32")),
        Loop("vector", number(digits * VALUES // LANES, INDEX_DTYPE), "serial", (in_step(lane, [zero]),)),
        Loop("at", count, "serial", all_counted),
        *(each for digit in range(digits) for each in ordered(digit)),
        Store(COUNTS.name, ZERO, read(side.name, (ZERO,), "int32")),
    ]
    return Function(f"by_digits_of_{bits}", (entries, COUNTS), ("one", "other", "count"), (side, so_far), tuple(body))


def _one_more(count: Expr) -> Expr:
    return call("add", count, 1)


def _slot(entry: Expr, digit: int) -> Expr:
    """Where the count of a digit is."""
    return plus(rest(quotient(entry, PLACES << BITS * digit), VALUES), digit * VALUES)
