"""The C functions that order a row by a sorting network: comparisons whose places do not depend on the values.

A row lies in lanes, each of `ways` blocks of `block` vectors. Every comparison is of whole vectors: first each lane is
brought into order, then pairs of lanes, fours and so on by bitonic merges (Knuth, The Art of Computer Programming 3,
5.3.4). An entry is a key and under it the place it stood at, so that no two are equal, as a float that is positive and
normal: of two of these the smaller is found in one step. Wide entries are doubles between 1 and 2; narrow ones are
floats, which have room for places and keys that together are of few bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Pairs = Sequence[tuple[int, int]]

_LEAST_BLOCK, _MOST_WAYS = 16, 7


@dataclass(frozen=True)
class Entries:
    """One kind of entries: the integer that they are, their vector, and another where the first is not to be had."""

    integer: str
    lanes: int
    vector: str
    otherwise: str
    last: str
    """What is not less than any entry."""


WIDE = Entries("ulong", 8, "double8", "ulong8", "~(ulong)0 >> 2")
NARROW = Entries("uint", 16, "float16", "float16", "0x7f7fffff")
PLACE_BITS = 20
"""Of a wide entry; the rest is a key of 32 bits."""
MOST_NARROW = 0x7F000000
"""So many narrow entries there are, each a key and a place under it."""
WIDE_ENTRY = f"""\
ulong wide_entry(const uint key, const long place) {{
    return (ulong)0x3ff << 52 | (ulong)key << {PLACE_BITS} | place;
}}"""


def room_of(vectors: int) -> int:
    """How many vectors there are when there are so many at least; `by_network` does the same."""
    ways, block = max(1, -(-vectors // _LEAST_BLOCK)), _LEAST_BLOCK
    while ways > _MOST_WAYS:
        ways, block = (ways + 1) // 2, 2 * block
    return ways * block


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


def room_in_words(entries: Entries, count: int) -> int:
    """The room in ulongs for the vectors of so many entries, and the order behind them."""
    width = {"ulong": 8, "uint": 4}[entries.integer]
    return room_of(-(-count // entries.lanes)) * entries.lanes * (width + 4) // 8


def by_network(entries: Entries) -> tuple[str, str]:
    """The function that orders a row, and its text with those that it calls."""
    return _named("by_network@", entries), _named("\n\n".join(_texts(entries)), entries)


def _named(text: str, entries: Entries) -> str:
    """The text with the names of the functions for such entries, in which @ stands for the number of lanes."""
    return text.replace("@", f"_{entries.lanes}")


def _texts(entries: Entries) -> Iterable[str]:
    yield _VECTORS.format(vector=entries.vector, otherwise=entries.otherwise)
    yield _compared("sort_16@", 16, sorting(16))
    yield _compared("merge_16@", 16, merging(16))
    yield _compared("merge_32@", 32, merging(32))
    for count in (2, 4, 8):
        yield _compared(f"merge_{count}@", count, merging(count), apart=True)
    for count in (3, 5, 6, 7):
        yield _compared(f"merge_{count}@", count, sorting(count), apart=True)
    yield _BLOCKS.format(ways="".join(_WAY.format(count=count) for count in range(2, _MOST_WAYS + 1)))
    across = [1 << step for step in range(entries.lanes.bit_length() - 1)]
    for apart in across:
        yield _across(apart, entries.lanes)
    yield _ROW.format(
        E=entries.integer, lanes=entries.lanes, last=entries.last, least=_LEAST_BLOCK, ways=_MOST_WAYS,
        merges="".join(_MERGE.format(count=2 * apart) for apart in across),
        orders="".join(_ORDER.format(lane=lane, lanes=entries.lanes) for lane in range(entries.lanes)),
    )  # fmt: skip


def _compared(name: str, count: int, pairs: Pairs, apart: bool = False) -> str:
    """A function that compares vectors in registers: neighbours, or such that are `step` apart."""
    places = [f"{place} * step" if apart else str(place) for place in range(count)]
    names = ", ".join(f"e{place} = rows[{at}]" for place, at in enumerate(places))
    lines = [f"    vector@ {names};"]
    line = "   "
    for low, high in pairs:
        if len(line) > 90:
            lines.append(line)
            line = "   "
        line += f" exchange@(&e{low}, &e{high});"
    lines.append(line)
    stores = " ".join(f"rows[{at}] = e{place};" for place, at in enumerate(places))
    step = ", const int step" if apart else ""
    text = "\n".join([*lines, f"    {stores}"])
    return f"void {name}(__global vector@ *rows{step}) {{\n{text}\n}}"


def _across(apart: int, lanes: int) -> str:
    """A function that compares lanes with those of the run of lanes behind, the last with the first; and what merges
    runs of lanes after that, up to the lanes themselves."""
    within = [apart >> step for step in range(1, apart.bit_length())]
    steps = "".join(_WITHIN.format(turned=_turned(each, lanes), larger=_larger(each, lanes)) for each in within)
    kind = "long" if lanes == WIDE.lanes else "int"
    return _ACROSS.format(
        count=2 * apart, turned=_turned(2 * apart - 1, lanes), larger=_larger(apart, lanes), within=steps
    ).replace("mask", f"{kind}{lanes}")


def _turned(apart: int, lanes: int) -> str:
    return "s" + "".join(f"{lane ^ apart:x}" for lane in range(lanes))


def _larger(apart: int, lanes: int) -> str:
    return ", ".join("-1" if lane & apart else "0" for lane in range(lanes))


_VECTORS = """\
#ifdef cl_khr_fp64
typedef {vector} vector@;
#else
typedef {otherwise} vector@;
#endif

vector@ lesser@(const vector@ one, const vector@ other) {{
    return one < other ? one : other;
}}

vector@ greater@(const vector@ one, const vector@ other) {{
    return one < other ? other : one;
}}

void exchange@(vector@ *low, vector@ *high) {{
    const vector@ smaller = lesser@(*low, *high);
    *high = greater@(*low, *high);
    *low = smaller;
}}"""

_BLOCKS = """\
// The blocks of so many vectors, in each of which every lane rises once and falls once, in order.
void merge_blocks@(__global vector@ *blocks, const int block, const int count) {{
    for (__global vector@ *rows = blocks; rows < blocks + count; rows += block) {{
        int size = block;
        for (; size > 128; size >>= 3) {{
            for (int at = 0; at < block; ++at) {{
                if ((at & (size - 1)) < size >> 3) {{
                    merge_8@(rows + at, size >> 3);
                }}
            }}
        }}
        for (int first = 0; first < block; first += size) {{
            for (int at = first; at < first + 32; ++at) {{
                if (size == 128) {{
                    merge_4@(rows + at, 32);
                }} else if (size == 64) {{
                    merge_2@(rows + at, 32);
                }}
            }}
        }}
        if (size < 32) {{
            for (int first = 0; first < block; first += 16) {{
                merge_16@(rows + first);
            }}
        }} else {{
            for (int first = 0; first < block; first += 32) {{
                merge_32@(rows + first);
            }}
        }}
    }}
}}

// All blocks together, in which every lane rises once and falls once, in order.
void merge_ways@(__global vector@ *rows, const int ways, const int block) {{
    for (int at = 0; at < block; ++at) {{
        switch (ways) {{
{ways}        }}
    }}
    merge_blocks@(rows, block, ways * block);
}}

// Compares two blocks, the last vectors of one with the first of the other.
void compare_turned@(__global vector@ *low, __global vector@ *high, const int block) {{
    for (int at = 0; at < block; ++at) {{
        vector@ one = low[at], other = high[block - 1 - at];
        exchange@(&one, &other);
        low[at] = one;
        high[block - 1 - at] = other;
    }}
}}

// Every lane in order: sixteen vectors, then blocks, then pairs of blocks, fours and eights; of these some are missing.
void sort_lanes@(__global vector@ *rows, const int ways, const int block) {{
    const int count = ways * block;
    for (int first = 0; first < count; first += 16) {{
        sort_16@(rows + first);
    }}
    for (int size = 16; size < block; size <<= 1) {{
        for (int first = 0; first < count; first += 2 * size) {{
            compare_turned@(rows + first, rows + first + size, size);
        }}
        merge_blocks@(rows, size, count);
    }}
    for (int size = 1; size < ways; size <<= 1) {{
        for (int low = 0; low < ways; ++low) {{
            const int high = low ^ (2 * size - 1);
            if (low < high && high < ways) {{
                compare_turned@(rows + low * block, rows + high * block, block);
            }}
        }}
        for (int apart = size >> 1; apart; apart >>= 1) {{
            for (int low = 0; low + apart < ways; ++low) {{
                if (!(low & apart)) {{
                    for (int at = 0; at < block; ++at) {{
                        merge_2@(rows + low * block + at, apart * block);
                    }}
                }}
            }}
        }}
        merge_blocks@(rows, block, count);
    }}
}}"""

_WAY = """\
        case {count}:
            merge_{count}@(rows + at, block);
            break;
"""

_ACROSS = """\
void across_{count}_lanes@(__global vector@ *rows, const int count) {{
    const mask larger = (mask)({larger});
    for (int at = 0; at < count / 2; ++at) {{
        vector@ low = rows[at], high = rows[count - 1 - at], turned = high.{turned};
        high = select(greater@(low, turned), lesser@(low, turned), larger).{turned};
        low = select(lesser@(low, turned), greater@(low, turned), larger);
{within}        rows[at] = low;
        rows[count - 1 - at] = high;
    }}
}}"""

_WITHIN = """\
        turned = low.{turned};
        low = select(lesser@(low, turned), greater@(low, turned), (mask)({larger}));
        turned = high.{turned};
        high = select(lesser@(high, turned), greater@(high, turned), (mask)({larger}));
"""

_MERGE = """\
    across_{count}_lanes@(rows, vectors);
    merge_ways@(rows, ways, block);
"""

_ORDER = """\
        order[at + {lane} * vectors] = entries[{lanes} * at + {lane}] & places;
"""

_ROW = """\
void lane_by_lane@(
    __global const {E} *restrict entries, __global uint *restrict order, const int vectors, const uint places) {{
    for (int at = 0; at < vectors; ++at) {{
{orders}    }}
}}

// Where so many entries stood, which is in so many of their bits, in their order. That lies behind their vectors, of
// which the last is filled up.
__global uint *by_network@(__global {E} *entries, const int count, const int bits) {{
    int ways = (count + {lanes} * {least} - 1) / ({lanes} * {least}), block = {least};
    for (; ways > {ways}; ways = (ways + 1) >> 1) {{
        block <<= 1;
    }}
    const int vectors = ways * block;
    for (int at = count; at < vectors * {lanes}; ++at) {{
        entries[at] = {last};
    }}
    __global vector@ *rows = (__global vector@ *)entries;
    sort_lanes@(rows, ways, block);
{merges}    __global uint *order = (__global uint *)(entries + {lanes} * vectors);
    lane_by_lane@(entries, order, vectors, ((uint)1 << bits) - 1);
    return order;
}}"""
