"""Up to a few thousand entries in order: a sorting network, comparisons whose places do not depend on the values.

Entries lie in lanes, each of some blocks of vectors. A lane has few ways, which are a block, or with many entries some
together. Every comparison is of whole vectors: first each lane is brought into order, then pairs of
lanes, fours and so on by bitonic merges (Knuth, The Art of Computer Programming 3, 5.3.4). Behind the entries are such
as come after all others, up to a whole number of blocks.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from netcl.core.bounded import remembered
from netcl.kernels.compiler.ir import FLOATS, INDEX_DTYPE, Expr, Number, attribute, number, position, read
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.ir import Assume, Buffer, Call, Function, If, Let, Loop, Name, Statement, Store
from netcl.kernels.compiler.loops.lanes import in_step
from netcl.kernels.compiler.loops.positions import at_least, before, least, minus, plus, quotient, rest, times
from netcl.kernels.compiler.loops.scope import Lanes
from netcl.kernels.compiler.loops.values import parted

Pairs = Sequence[tuple[int, int]]

BLOCK = 16
"""Vectors of a block, which are compared with each other in registers."""
WAYS = 8
"""A lane has at most so many ways."""
TOGETHER = (1, 2, 4)
"""So many blocks are one way."""
BLOCKS = WAYS * TOGETHER[-1]
"""A lane has at most so many."""


@dataclass(frozen=True)
class Entries:
    """A kind of entries, which are numbers of this dtype; so many lanes are a vector."""

    name: str
    dtype: str
    lanes: int
    last: Number
    """What no entry comes after."""

    @property
    def most(self) -> int:
        """So many are ordered by one network."""
        return BLOCKS * self.in_block

    @property
    def in_block(self) -> int:
        """So many entries are one block of each lane."""
        return BLOCK * self.lanes

    def ways(self, count: Expr) -> tuple[Expr, Expr]:
        """How many ways each lane has when there are so many entries, and of how many blocks each is."""
        blocks = parted(count, self.in_block)
        together: Expr = number(TOGETHER[0], INDEX_DTYPE)
        for less, more in itertools.pairwise(TOGETHER):
            together = call("select", call("gt", blocks, less * WAYS), more, together)
        return parted(blocks, together), together


_NUMBERS = ("ways", "together")


def sorting(count: int) -> list[tuple[int, int]]:
    """Batcher's odd-even merge sort: pairs of places, of which the first gets what is smaller."""
    pairs = []
    size = 1
    while size < count:
        apart = size
        while apart:
            for first in range(apart % size, count - apart, 2 * apart):
                for low in range(first, min(first + apart, count - apart)):
                    if low // (2 * size) == (low + apart) // (2 * size):
                        pairs.append((low, low + apart))
            apart //= 2
        size *= 2
    return pairs


def merging(count: int) -> list[tuple[int, int]]:
    """The same for what rises once and falls once, wherever it begins; for powers of two."""
    halves = [count >> step for step in range(1, count.bit_length())]
    return [(low, low + apart) for apart in halves for low in range(count) if not low & apart]


def in_order(entries: Entries, buffer: str, ways: Expr, together: Expr) -> Statement:
    """The entries of a private buffer in order: those of the first lane, then those of the next, which have so many
    ways, of so many blocks together."""
    return Call(ordered(entries), (buffer,), (ways, together))


@remembered("sorting networks", 8)
def ordered(entries: Entries) -> Function:
    """The function that orders entries."""
    return _Network(entries).function()


class _Network:
    def __init__(self, entries: Entries) -> None:
        self.entries = entries
        self.lane = Lanes("lane", entries.lanes)
        self.own = Buffer("all entries", entries.dtype, "private", number(entries.most, INDEX_DTYPE))
        lanes, steps = number(entries.lanes, INDEX_DTYPE), entries.lanes.bit_length() + 1
        self.both = [
            [Buffer(f"own {word} {step}", entries.dtype, "private", lanes) for word in ("one", "other")]
            for step in range(steps)
        ]
        self.ways, self.together = (attribute(name, INDEX_DTYPE) for name in _NUMBERS)
        self.blocks = times(self.ways, self.together)
        self.merge_blocks = self._function("merge_blocks", [self._each_block(merging(BLOCK))])

    def function(self) -> Function:
        merge_lanes = self._function("merge_lanes", self._lanes_merged())
        body, apart = self._lanes_ordered(), 1
        while apart < self.entries.lanes:
            body += [self._across(apart), self._called(merge_lanes)]
            apart *= 2
        return self._function("order", body, tuple(itertools.chain(*self.both)))

    def _function(self, name: str, body: Sequence[Statement], private: Sequence[Buffer] = ()) -> Function:
        return Function(f"{name}_{self.entries.name}", (self.own,), _NUMBERS, tuple(private), tuple(body))

    def _called(self, function: Function) -> Statement:
        return Call(function, (self.own.name,), (self.ways, self.together))

    # --- within lanes -----------------------------------------------------------------------------------------------

    def _lanes_ordered(self) -> list[Statement]:
        """Each lane in order: blocks, then pairs of blocks, fours and so on; of these some are missing."""
        found: list[Statement] = [self._each_block(sorting(BLOCK))]
        size = 1
        while size < BLOCKS:
            steps = [self._blocks_compared(size, turned=True)]
            apart = size // 2
            while apart:
                steps.append(self._blocks_compared(apart))
                apart //= 2
            found.append(If(call("gt", self.blocks, size), (*steps, self._called(self.merge_blocks))))
            size *= 2
        return found

    def _lanes_merged(self) -> list[Statement]:
        """Each lane in order, where it rises once and falls once, wherever it begins: ways, the blocks of each way, the
        vectors of each block."""
        size, at, way = times(self.together, BLOCK), position("vector"), position("way")
        found: list[Statement] = []
        for ways in range(2, WAYS + 1):
            pairs = merging(ways) if ways & (ways - 1) == 0 else sorting(ways)
            compared = self._compared([plus(times(size, each), at) for each in range(ways)], pairs)
            found.append(If(call("eq", self.ways, ways), (Loop("vector", size, "serial", (compared,)),)))
        for blocks in TOGETHER[1:]:
            begin = plus(times(way, blocks * BLOCK), at)
            compared = self._compared([plus(begin, each * BLOCK) for each in range(blocks)], merging(blocks))
            inside = Loop("vector", number(BLOCK, INDEX_DTYPE), "serial", (compared,))
            found.append(If(call("eq", self.together, blocks), (Loop("way", self.ways, "serial", (inside,)),)))
        return [*found, self._called(self.merge_blocks)]

    def _each_block(self, pairs: Pairs) -> Statement:
        """The vectors of each block compared."""
        begin = times(position("block"), BLOCK)
        compared = self._compared([plus(begin, each) for each in range(BLOCK)], pairs)
        return Loop("block", self.blocks, "serial", (compared,))

    def _blocks_compared(self, apart: int, turned: bool = False) -> Statement:
        """Blocks compared with those so many blocks away, where there are both: `turned`, the first vectors of the
        first block of twice as many with the last of the last one."""
        pair, low, high, at = (position(each) for each in ("pair", "low", "high", "vector"))
        within = rest(pair, apart)
        first = plus(times(quotient(pair, apart), 2 * apart), within)
        other = minus(plus(first, 2 * apart - 1), times(within, 2)) if turned else plus(first, apart)
        there = minus(plus(times(high, BLOCK), BLOCK - 1), at) if turned else plus(times(high, BLOCK), at)
        compared = self._compared([plus(times(low, BLOCK), at), there], [(0, 1)])
        body = (
            Let(low.index, first), Assume(at_least(other, 0)), Let(high.index, other),
            If(before(high, self.blocks), (Loop("vector", number(BLOCK, INDEX_DTYPE), "serial", (compared,)),)),
        )  # fmt: skip
        return Loop("pair", least(self.blocks, BLOCKS // 2), "serial", body)

    # --- across lanes -----------------------------------------------------------------------------------------------

    def _across(self, apart: int) -> Statement:
        """Lanes compared with those of the run of lanes behind, the last with the first, and the last vector with the
        first; then what brings the lanes of each run in the order of lanes."""
        low, high = position("vector"), position("mirrored")
        mirrored = minus(minus(times(self.blocks, BLOCK), 1), low)
        turned = minus(plus(self._run(2 * apart), 2 * apart - 1), self._within(2 * apart))
        places = self._at(low), self._at(high, turned)
        body: list[Statement] = [
            Assume(at_least(mirrored, 0)), Let(high.index, mirrored),
            self._kept(0, [read(self.own.name, (at,), self.own.dtype) for at in places]),
        ]  # fmt: skip
        lesser, greater, is_upper = *_ordered(*self._pair(0)), self._is_upper(apart)
        both = [call("select", is_upper, greater, lesser), call("select", is_upper, lesser, greater)]
        step = 1
        body.append(self._kept(step, both))
        while apart > 1:
            apart //= 2
            body.append(self._kept(step + 1, self._beside(step, apart)))
            step += 1
        stores = [Store(self.own.name, at, value) for at, value in zip(places, self._pair(step), strict=True)]
        half = times(self.blocks, BLOCK // 2)
        return Loop("vector", half, "serial", (*body, in_step(self.lane, stores)))

    def _beside(self, step: int, apart: int) -> list[Expr]:
        """Both vectors of a step, of which lanes are compared with those so many lanes away. The second one has its
        lanes in turned order: what is the lower lane here is the upper one there."""
        away = plus(self._run(2 * apart), rest(plus(self._within(2 * apart), apart), 2 * apart))
        is_upper, found = self._is_upper(apart), []
        for here, there, upper in zip(
            self._pair(step), self._pair(step, away), (is_upper, call("not", is_upper)), strict=True
        ):
            lesser, greater = _ordered(here, there)
            found.append(call("select", upper, greater, lesser))
        return found

    def _kept(self, step: int, values: Sequence[Expr]) -> Statement:
        """Two vectors in registers: a lane of the next step has entries of others of this one."""
        return in_step(self.lane, [
            Store(each.name, position("lane"), value) for each, value in zip(self.both[step], values, strict=True)
        ])  # fmt: skip

    def _pair(self, step: int, lane: Expr | None = None) -> list[Expr]:
        at = position("lane") if lane is None else lane
        return [read(each.name, (at,), each.dtype) for each in self.both[step]]

    def _run(self, count: int) -> Expr:
        """The first of the run of so many lanes that a lane is in."""
        return times(quotient(position("lane"), count), count)

    def _within(self, count: int) -> Expr:
        """Where it is in this run."""
        return rest(position("lane"), count)

    def _is_upper(self, apart: int) -> Expr:
        """Whether a lane is in the upper half of twice so many."""
        return call("ge", self._within(2 * apart), apart)

    # --- vectors ----------------------------------------------------------------------------------------------------

    def _at(self, vector: Expr, lane: Expr | None = None) -> Expr:
        return plus(times(vector, self.entries.lanes), position(self.lane.index) if lane is None else lane)

    def _compared(self, vectors: Sequence[Expr], pairs: Pairs) -> Statement:
        """Of each pair of these vectors the lesser entries go to the first, lane by lane."""
        dtype, places = self.entries.dtype, [self._at(vector) for vector in vectors]
        lets = [Name(f"entry_{at}", read(self.own.name, (each,), dtype)) for at, each in enumerate(places)]
        values: list[Expr] = [read(each.name, (), dtype) for each in lets]
        for at, (low, high) in enumerate(pairs):
            both = values[low], values[high]
            for place, word, value in zip((low, high), ("lesser", "greater"), _ordered(*both), strict=True):
                lets.append(Name(f"{word}_{at}", value))
                values[place] = read(f"{word}_{at}", (), dtype)
        stores = [Store(self.own.name, place, value) for place, value in zip(places, values, strict=True)]
        return in_step(self.lane, [*lets, *stores])


def _ordered(one: Expr, other: Expr) -> tuple[Expr, Expr]:
    """The lesser and the greater of two entries, none of which is NaN."""
    if one.dtype not in FLOATS:
        return call("minimum", one, other), call("maximum", one, other)
    is_less = call("lt", one, other)
    return call("select", is_less, one, other), call("select", is_less, other, one)
