"""The text of a sort of long rows: the kernel that deals a part of a row out to bins, and the one that sorts a bin.

Input: a Dealing or a SortingDealt. Output: its Source. The values that are written come from their keys, because they
stand anywhere in the row; only zeros, which have signs, and NaNs, of which there are many, are read again.
"""

from __future__ import annotations

from netcl.kernels.compiler.lower.kernel import Source
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.scope import Lines, Scope
from netcl.kernels.compiler.opencl.types import Value, computed
from netcl.kernels.compiler.targets.cpu.emit.frame import Frame
from netcl.kernels.compiler.targets.cpu.emit.network import (
    MOST_NARROW,
    NARROW,
    PLACE_BITS,
    WIDE,
    WIDE_ENTRY,
    by_network,
)
from netcl.kernels.compiler.targets.cpu.emit.ordering import by_digits, value_of
from netcl.kernels.compiler.targets.cpu.emit.sort import TOGETHER, items_room, key_of
from netcl.kernels.compiler.targets.cpu.schedules.sort import SAMPLES, Dealing, SortingDealt

CELLS = 1024
"""At most so many ranges of keys are told apart by a sample."""


def deal(kernel: Dealing, helpers: Helpers) -> Source:
    """The text of the first kernel, and its arguments."""
    return _Deal(kernel, helpers).source()


def sort_dealt(kernel: SortingDealt, helpers: Helpers) -> Source:
    """The text of the second kernel, and its arguments."""
    return _SortDealt(kernel, helpers).source()


class _Deal(Frame):
    kernel: Dealing

    def inside(self, scope: Scope) -> None:
        body, along = self.body, self.kernel.order.along
        here, size = body.index_name(along), body.argument("size", index=along)
        begin, end = f"{here}_begin", f"{here}_end"
        c = {each: body.names.own(each) for each in "dealt starts keys sampled number".split()}
        sampled, each = (Scope(scope, [(along, here)]) for _ in range(2))
        part, bins = (body.argument("number", each) for each in ("part", "bins"))
        items_room(self, c["keys"], "uint", self.kernel.writes[1].access.buffer, scope)
        sampled.lines.append(f"const long {here} = {c['number']} * {size} / {SAMPLES};")
        sampled.lines.append(f"{c['sampled']}[{c['number']}] = {self._key(sampled)};")
        each.lines.append(f"{c['keys']}[{here} - {begin}] = {self._key(each)};")
        scope.lines += [
            *_rows_room(self, c["dealt"], c["starts"], self.kernel.loops.parallel),
            f"__global uint *const {c['sampled']} = {c['keys']} + {part} + {part} / 2;",
            *sampled.close(f"for (int {c['number']} = 0; {c['number']} < {SAMPLES}; ++{c['number']})"),
            *each.close(f"for (long {here} = {begin}; {here} < {end}; ++{here})"),
            f"{body.helpers.shared('deal', _DEAL.format(samples=SAMPLES, cells=CELLS))}("
            f"{c['keys']}, {part}, {c['dealt']} + {begin}, "
            f"{c['starts']} + {body.index_name(f'{along}#')} * ({bins} + 2), {bins}, {begin}, {end} - {begin});",
        ]

    def _key(self, scope: Scope) -> str:
        return key_of(self, self.kernel.order.backward, self.kernel.writes[0].expr, scope)


class _SortDealt(Frame):
    kernel: SortingDealt

    def inside(self, scope: Scope) -> None:
        body, kernel = self.body, self.kernel
        names = "dealt starts first count mine entries keys places room at ends special order"
        c = self.c = {each: body.names.own(each) for each in names.split()}
        self.type = computed(kernel.writes[1].expr.dtype)
        items_room(self, c["room"], "ulong", kernel.writes[1].access.buffer, scope)
        for each in (by_network(WIDE), by_network(NARROW), by_digits(32), ("wide_entry", WIDE_ENTRY), _BIN):
            body.helpers.shared(*each)
        here = body.index_name(kernel.bin)
        part, parts, bins = (body.argument("number", each) for each in ("part", "parts", "bins"))
        before = [f"before_bin({c['starts']}, {parts}, {bins}, {bin})" for bin in (here, f"{here} + 1")]
        self.of_bin = f"{c['dealt']}, {part}, {c['starts']}, {parts}, {bins}, {here}"
        scope.lines += [
            *_rows_room(self, c["dealt"], c["starts"], kernel.loops.parallel[:-1]),
            f"const long {c['first']} = {before[0]};",
            f"const int {c['count']} = {before[1]} - {c['first']};",
            f"if ({c['count']} > {kernel.limits.bin}) {{",
            self._large(scope),
            f"}} else if ({c['count']} > 0) {{",
            self._small(scope),
            "}",
        ]

    def _large(self, scope: Scope) -> Lines:
        """A bin with many values, which are mostly equal."""
        c, room = self.c, _entries(self)
        return [
            f"__global ulong *{c['mine']} = {c['dealt']} + {room} + {c['first']};",
            f"__global ulong *{c['entries']} = {c['mine']} + {room};",
            f"gather_bin({self.of_bin}, {c['mine']});",
            f"sort_around({c['mine']}, {c['entries']}, (__global uint *){c['room']}, {c['count']});",
            *self._written(scope, f"{c['entries']}[{c['at']}] & 0xffffffff"),
        ]

    def _small(self, scope: Scope) -> Lines:
        """A bin that a network sorts."""
        c = self.c
        most = self.kernel.limits.bin
        room = f"{c['room']} + {most}"
        return [
            f"__global uint *{c['keys']} = (__global uint *){c['room']}, *{c['places']} = {c['keys']} + {most};",
            f"uint2 {c['ends']};",
            f"const int {c['special']} = "
            f"gather_keys({self.of_bin}, {c['keys']}, {c['places']}, &{c['ends']}, {self._special()});",
            f"__global const uint *{c['order']} = order_of({c['keys']}, {c['count']}, {c['ends']}, {room});",
            *self._of_keys(scope, f"{c['places']}[{c['order']}[{c['at']}]]"),
        ]

    def _special(self) -> str:
        """The keys that do not tell which value they are of."""
        return "~(1u << 31), 0" if self.kernel.order.backward else "1u << 31, ~0u"

    def _of_keys(self, scope: Scope, stood: str) -> Lines:
        """What is written for each entry, with values made of the keys where all keys tell them."""
        made = self._written(scope, stood, self.body.helpers.shared(*value_of(self.type)))
        if self.type != "float":
            return made
        return [f"if ({self.c['special']}) {{", self._written(scope, stood), "} else {", made, "}"]

    def _written(self, scope: Scope, stood: str, value_of_key: str = "") -> Lines:
        """What is written for each entry, of which is known where its value stood."""
        c, kernel = self.c, self.kernel
        _, again, *others = kernel.writes
        binds = [(index, self.body.index_name(index)) for index in (kernel.order.along, kernel.order.stood)]
        placed = Scope(scope, binds)
        placed.lines += [
            f"const long {binds[0][1]} = {c['first']} + {c['at']};",
            f"const long {binds[1][1]} = {stood};",
        ]
        if value_of_key:
            key = f"{'~' if kernel.order.backward else ''}{c['keys']}[{c['order']}[{c['at']}]]"
            placed.values[again.expr] = Value(f"{value_of_key}({key})", again.expr.dtype)
        for write in others:
            self.body.store(write.access, self.body.value(write.expr, placed), placed)
        return [TOGETHER, *placed.close(self._through())]

    def _through(self) -> str:
        at = self.c["at"]
        return f"for (int {at} = 0; {at} < {self.c['count']}; ++{at})"


def _rows_room(frame: Frame, dealt: str, starts: str, rows: tuple[str, ...]) -> Lines:
    """What was dealt of a row, and where the bins begin."""
    body = frame.body
    buffer = body.argument("buffer", frame.kernel.writes[0].access.buffer)
    flat, room = "0", body.argument("number", "row_room")
    for index in rows:
        name = body.index_name(index)
        flat = name if flat == "0" else f"({flat}) * {body.argument('size', index=index)} + {name}"
    return [
        f"__global ulong *const {dealt} = (__global ulong *){buffer} + ({flat}) * {room};",
        f"__global uint *const {starts} = (__global uint *)({dealt} + 3 * {_entries(frame)});",
    ]


def _entries(frame: Frame) -> str:
    """How many entries a row has room for."""
    return f"{frame.body.argument('number', 'parts')} * {frame.body.argument('number', 'part')}"


_DEAL = """\
// Deals keys out to bins, in which they stay in order; `starts` has where each begins. Cells are of the same range
// of keys, and each has as many bins as its share of a sample. Behind the keys is room for their bins, then the sample.
void deal(
    __global uint *restrict keys, const long part, __global ulong *restrict entries, __global uint *restrict starts,
    const int bins, const uint first, const int count) {{
    __global ushort *bin_of = (__global ushort *)(keys + part);
    __global const uint *sample = keys + part + part / 2;
    uint least = ~(uint)0, most = 0, before = 0;
    for (int at = 0; at < {samples}; ++at) {{
        least = min(least, sample[at]);
        most = max(most, sample[at]);
    }}
    const int cells = min(bins >> 2, {cells}), shift = max(0, (int)clz(cells) + 1 - (int)clz(most - least));
    uint2 bins_of[{cells}];
    for (int cell = 0; cell < cells; ++cell) {{
        bins_of[cell] = (uint2)(0, 0);
    }}
    for (int at = 0; at < {samples}; ++at) {{
        ++bins_of[(sample[at] - least) >> shift].y;
    }}
    for (int cell = 0; cell < cells; ++cell) {{
        bins_of[cell].x = before;
        bins_of[cell].y = 1 + bins_of[cell].y * (bins - cells) / {samples};
        before += bins_of[cell].y;
    }}
    for (int at = 0; at < count; ++at) {{
        const uint above = clamp(keys[at], least, most) - least;
        const uint2 found = bins_of[above >> shift];
        const ulong within = (ulong)(above & (((uint)1 << shift) - 1)) * found.y;
        bin_of[at] = found.x + (uint)(within >> shift);
    }}
    for (int bin = 0; bin <= bins; ++bin) {{
        starts[bin] = 0;
    }}
    for (int at = 0; at < count; ++at) {{
        ++starts[1 + bin_of[at]];
    }}
    before = 0;
    for (int bin = 1; bin <= bins; ++bin) {{
        const uint here = starts[bin];
        starts[bin] = before;
        before += here;
    }}
    for (int at = 0; at < count; ++at) {{
        entries[starts[1 + bin_of[at]]++] = (ulong)keys[at] << 32 | (first + at);
    }}
}}"""

_BIN_TEXT = """\
// How many entries of all parts of a row are in the bins before one.
long before_bin(__global const uint *starts, const int parts, const int bins, const int bin) {
    long count = 0;
    for (int part = 0; part < parts; ++part) {
        count += starts[part * (bins + 2) + bin];
    }
    return count;
}

// The entries of a bin, as they stood in the row.
void gather_bin(
    __global const ulong *restrict dealt, const long part, __global const uint *restrict starts, const int parts,
    const int bins, const int bin, __global ulong *restrict to) {
    for (int at = 0; at < parts; ++at, starts += bins + 2, dealt += part) {
        for (int entry = starts[bin]; entry < starts[bin + 1]; ++entry) {
            *to++ = dealt[entry];
        }
    }
}

// Entries in order, most of which may have one key: those of that key are as they stand, and only others are sorted.
// They come to lie in `to`.
void sort_around(__global ulong *from, __global ulong *to, __global uint *places, const int count) {
    const uint key = from[count / 2] >> 32;
    int less = 0, same = 0;
    for (int at = 0; at < count; ++at) {
        less += (uint)(from[at] >> 32) < key;
        same += (uint)(from[at] >> 32) == key;
    }
    int next[3] = {0, less, less + same};
    for (int at = 0; at < count; ++at) {
        const ulong entry = from[at];
        to[next[(entry >> 32 >= key) + (entry >> 32 > key)]++] = entry;
    }
    const int firsts[2] = {0, less + same}, counts[2] = {less, count - less - same};
    for (int side = 0; side < 2; ++side) {
        if (counts[side]) {
            __global ulong *here = to + firsts[side];
            __global ulong *sorted = %s(here, from, places, counts[side]);
            for (int at = 0; sorted != here && at < counts[side]; ++at) {
                here[at] = sorted[at];
            }
        }
    }
}

// The same as keys and their places in the row, and the least and the largest key; whether one is one of two.
int gather_keys(
    __global const ulong *restrict dealt, const long part, __global const uint *restrict starts, const int parts,
    const int bins, const int bin, __global uint *restrict keys, __global uint *restrict places, uint2 *ends,
    const uint one, const uint other) {
    uint least = ~(uint)0, most = 0, found = 0;
    int count = 0;
    for (int at = 0; at < parts; ++at, starts += bins + 2, dealt += part) {
        const int first = starts[bin], more = starts[bin + 1] - first;
        for (int entry = 0; entry < more; ++entry) {
            const ulong next = dealt[first + entry];
            const uint key = next >> 32;
            keys[count + entry] = key;
            places[count + entry] = next;
            least = min(least, key);
            most = max(most, key);
            found |= (key == one) | (key == other);
        }
        count += more;
    }
    *ends = (uint2)(least, most);
    return found;
}

// Where the keys stood in their order. Narrow entries do where there are enough for what differs in the keys.
__global uint *order_of(
    __global const uint *restrict keys, const int count, const uint2 ends, __global ulong *restrict room) {
    const int bits = 32 - (int)clz(count - 1);
    if (((ulong)(ends.y - ends.x) + 1) << bits <= %d) {
        __global uint *entries = (__global uint *)room;
        for (int at = 0; at < count; ++at) {
            entries[at] = ((uint)1 << 23) + ((keys[at] - ends.x) << bits | at);
        }
        return by_network_16(entries, count, bits);
    }
    for (int at = 0; at < count; ++at) {
        room[at] = wide_entry(keys[at], at);
    }
    return by_network_8(room, count, %d);
}"""

_BIN = "gather_bin", _BIN_TEXT % (by_digits(32)[0], MOST_NARROW, PLACE_BITS)
