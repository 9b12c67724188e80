"""The C functions that a sort calls: keys that are ordered as their values, ranks in a short row, entries by digits.

An entry is a ulong: 32 bits of a key above the position it belongs to.
"""

from __future__ import annotations

_DIGIT = 11

_FLOAT_KEY = """\
// The float as a number in the same order: every NaN is the largest, and -0 is 0.
{U} ordered_{T}({T} value) {{
    const {I} bits = as_{I}(value), magnitude = bits & {largest}, sign = bits >> {last};
    return (magnitude > {infinity}) ? ~({U})0 : as_{U}((magnitude ^ sign) - sign) ^ (({U})1 << {last});
}}"""

_INTEGER_KEY = """\
// The integer as a number without a sign, in the same order.
{U} ordered_{T}({T} value) {{
    return as_{U}(value) ^ (({U})1 << {last});
}}"""

_SMALL_KEY = """\
// The value is in order as it is.
uint ordered_{T}({T} value) {{
    return value;
}}"""

_FLOAT_VALUE = """\
// The float of a key, but for the sign of a zero and what a NaN is like.
float value_of_float(const uint key) {
    const int ordered = as_int(key ^ (uint)1 << 31), sign = ordered >> 31;
    return as_float(((ordered ^ sign) - sign) | (sign << 31));
}"""

_INTEGER_VALUE = """\
// The integer of a key.
int value_of_int(const uint key) {
    return as_int(key ^ (uint)1 << 31);
}"""

_RANKS = """\
// How many keys come before each: smaller ones, and equal ones that stand before it. Room is for whole vectors.
void ranks_of_{U}s(const {U}16 *keys, int16 *ranks, const int count) {{
    const {U} *key = (const {U} *)keys;
    const {I}16 lanes = ({I}16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int first = 0; first < count; first += 16) {{
        const {U}16 here = keys[first / 16];
        const int last = min(first + 16, count);
        {I}16 rank = 0;
        for (int other = 0; other < first; ++other) {{
            rank -= ({U}16)(key[other]) <= here;
        }}
        for (int other = first; other < last; ++other) {{
            rank -= (({U}16)(key[other]) < here) | ((({U}16)(key[other]) == here) & (({I}16)(other - first) < lanes));
        }}
        for (int other = last; other < count; ++other) {{
            rank -= ({U}16)(key[other]) < here;
        }}
        ranks[first / 16] = convert_int16(rank);
    }}
}}"""

_DIGITS = """\
// The entries in the order of their keys' digits, the last digit first; of equal ones the first stays first. They come
// to lie in `from` or in `to`, which is returned. A digit that is the same in all of them is passed over.
__global ulong *by_{digits}_digits_of_{bits}(
    __global ulong *from, __global ulong *to, __global uint *places, const long count) {{
    for (long place = 0; place < {all_places}; ++place) {{
        places[place] = 0;
    }}
    for (long at = 0; at < count; ++at) {{
        const uint key = (uint)(from[at] >> 32);
{counted}    }}
    for (int digit = 0; digit < {digits}; ++digit, places += {size}) {{
        const int shift = 32 + {bits} * digit;
        if (places[from[0] >> shift & {largest}] == count) {{
            continue;
        }}
        uint before = 0;
        for (int place = 0; place < {size}; ++place) {{
            const uint here = places[place];
            places[place] = before;
            before += here;
        }}
        for (long at = 0; at < count; ++at) {{
            const ulong entry = from[at];
            to[places[entry >> shift & {largest}]++] = entry;
        }}
        __global ulong *sorted = to;
        to = from;
        from = sorted;
    }}
    return from;
}}"""


def key_type(kind: str) -> str:
    """The C type of the keys of values of this C type."""
    return "ulong" if kind in ("double", "long") else "uint"


def key(kind: str) -> tuple[str, str]:
    """The function that makes a key of a value of this C type, and its text."""
    unsigned = key_type(kind)
    wide = unsigned == "ulong"
    largest, infinity = ("0x7fffffffffffffffL", "0x7ff0000000000000L") if wide else ("0x7fffffff", "0x7f800000")
    template = {"float": _FLOAT_KEY, "double": _FLOAT_KEY, "uchar": _SMALL_KEY}.get(kind, _INTEGER_KEY)
    text = template.format(
        T=kind, U=unsigned, I=unsigned[1:], last=63 if wide else 31, largest=largest, infinity=infinity
    )
    return f"ordered_{kind}", text


def value_of(kind: str) -> tuple[str, str]:
    """The function that makes a value of this C type of its key, of 32 bits, and its text."""
    return f"value_of_{kind}", _FLOAT_VALUE if kind == "float" else _INTEGER_VALUE


def ranks(kind: str) -> tuple[str, str]:
    """The function that counts, for keys of this C type, and its text."""
    return f"ranks_of_{kind}s", _RANKS.format(U=kind, I=kind[1:])


def by_digits(key_bits: int) -> tuple[str, str]:
    """The function that orders entries by the digits of their keys, and its text."""
    digits, bits = digits_of(key_bits)
    size = 1 << bits
    counted = ""
    for digit in range(digits):
        place = f"{digit * size} + (key >> {bits * digit} & {size - 1})" if digit else f"key & {size - 1}"
        counted += f"        ++places[{place}];\n"
    text = _DIGITS.format(
        digits=digits, bits=bits, size=size, largest=size - 1, all_places=digits * size, counted=counted
    )
    return f"by_{digits}_digits_of_{bits}", text


def digits_of(key_bits: int) -> tuple[int, int]:
    """How many digits a key has, and the bits of one."""
    return -(-key_bits // _DIGIT), min(key_bits, _DIGIT)
