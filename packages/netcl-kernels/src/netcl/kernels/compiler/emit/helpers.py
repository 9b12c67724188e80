"""OpenCL functions that the built-in ones do not provide, written once and copied into the kernels that call them.

`{T}` stands for the type of the arguments and `{n}` for the suffix of the name. Each agrees with its row in
`functions.FUNCTIONS`, which says what the function is.
"""

from __future__ import annotations

from netcl.kernels.compiler.emit import elementary
from netcl.kernels.compiler.emit.types import COMPUTED, LANES, STORED, literal

_FLOAT = {
    "maximum": """\
// The larger one, NaN if one is NaN (fmax would hide it).
{T} maximum_{n}({T} a, {T} b) {{
    return ((a > b) {or} (a != a)) ? a : b;
}}""",
    "minimum": """\
// The smaller one, NaN if one is NaN (fmin would hide it).
{T} minimum_{n}({T} a, {T} b) {{
    return ((a < b) {or} (a != a)) ? a : b;
}}""",
    "sign": """\
// -1, 0 or 1, and NaN of NaN.
{T} sign_{n}({T} a) {{
    return (a != a) ? a : ((a > 0) ? ({T})(1) : ((a < 0) ? ({T})(-1) : ({T})(0)));
}}""",
    "sqrt_power": """\
// a to the power 1/2: the root, but 0 of -0 and INFINITY of -INFINITY.
{T} sqrt_power_{n}({T} a) {{
    return (a == -INFINITY) ? ({T})(INFINITY) : sqrt(a + 0);
}}""",
    "add_pair": """\
// Adds to a sum kept as a pair: what the addition rounds off is kept in `low` (Knuth, 1969).
void add_pair_{n}({T} *sum, {T} *low, {T} part) {{
    const {T} before = *sum;
    const {T} after = before + part;
    const {T} arrived = after - before;
    *low += (before - (after - arrived)) + (part - arrived);
    *sum = after;
}}""",
    "close_pair": """\
// The sum that a pair stands for; one that has overflowed, or met a NaN, has no rest worth adding.
{T} close_pair_{n}({T} sum, {T} low) {{
    return sum + (isfinite(low) ? low : ({T})(0));
}}""",
    "or_nan": """\
// NaN if there was one. By bits: PoCL makes a literal under a condition a masked read, which some CPUs are slow at.
{T} or_nan_{n}({T} value, int nan) {{
    return as_{T}(as_{I}(value) | (-({I})(nan != 0) & ({I}){quiet}));
}}""",
    "remainder": """\
// The rest of the division that rounds down: it has the sign of b.
{T} remainder_{n}({T} a, {T} b) {{
    const {T} rest = {fmod}(a, b);
    return (rest == 0) ? copysign(rest, b) : (((rest < 0) != (b < 0)) ? rest + b : rest);
}}""",
    "floor_divide": """\
// The largest integer not above a / b, as NumPy rounds it.
{T} floor_divide_{n}({T} a, {T} b) {{
    const {T} quotient = a / b;
    const {T} rest = {fmod}(a, b);
    const {T} exact = (a - rest) / b;
    const {T} down = ((rest != 0) {and} ((rest < 0) != (b < 0))) ? exact - 1 : exact;
    const {T} near = floor(down);
    const {T} rounded = (down - near > ({T})(0.5f)) ? near + 1 : near;
    return (b == 0) ? quotient : ((down != 0) ? rounded : copysign(({T})(0), quotient));
}}""",
}

_INTEGER = {
    "floor_div": """\
// Division that rounds down; 0 where b is 0.
{T} floor_div_{n}({T} a, {T} b) {{
    if (b == 0) return 0;
    if (b == -1) return -a;
    const {T} quotient = a / b;
    return ((a % b != 0) && ((a < 0) != (b < 0))) ? quotient - 1 : quotient;
}}""",
    "mod": """\
// The rest of `floor_div`: it has the sign of b; 0 where b is 0.
{T} mod_{n}({T} a, {T} b) {{
    if (b == 0 || b == -1) return 0;
    const {T} rest = a % b;
    return ((rest != 0) && ((rest < 0) != (b < 0))) ? rest + b : rest;
}}""",
    "truncated_mod": """\
// The rest of the division that rounds towards zero: it has the sign of a; 0 where b is 0.
{T} truncated_mod_{n}({T} a, {T} b) {{
    return (b == 0 || b == -1) ? 0 : a % b;
}}""",
    "truncated_div": """\
// Division of integers known to leave no rest; 0 where b is 0.
{T} truncated_div_{n}({T} a, {T} b) {{
    return (b == 0) ? 0 : ((b == -1) ? -a : a / b);
}}""",
    "integer_power": """\
// a to the power b by squaring; a negative power is 1 / a^-b, cut off towards 0.
{T} integer_power_{n}({T} a, {T} b) {{
    if (b < 0) return (a == 1) ? 1 : ((a == -1) ? 1 - 2 * (b & 1) : 0);
    {T} result = 1;
    for (; b > 0; b >>= 1) {{
        if (b & 1) result *= a;
        a *= a;
    }}
    return result;
}}""",
}

_LANES = {
    "truncated_div": """\
// Division of lanes that rounds towards zero; 0 where b is 0. Below 2^51 the quotient of doubles is exact enough: it is
// 1 / |b| away from an integer that it is not, and off by less than half of that.
{I} truncated_div_{n}({I} a, {I} b) {{
    const {I} divisor = (b == 0) ? ({I})(1) : b;
    {I} quotient;
    if ({any}(convert_{M}((a > ({I})(1L << 51)) | (a < ({I})(-(1L << 51)))))) {{
        union {{ {I} all; {T} each[{lanes}]; }} from, to, by;
        from.all = a;
        by.all = divisor;
        for (int lane = 0; lane < {lanes}; ++lane) {{
            to.each[lane] = (by.each[lane] == -1) ? -from.each[lane] : from.each[lane] / by.each[lane];
        }}
        quotient = to.all;
    }} else {{
        quotient = convert_{I}(convert_{D}(a) / convert_{D}(divisor));
    }}
    return (b == 0) ? ({I})(0) : quotient;
}}""",
    "floor_div": """\
// The same rounded down.
{I} floor_div_{n}({I} a, {I} b) {{
    const {I} quotient = truncated_div_{n}(a, b);
    const {I} rest = a - quotient * b;
    return ((b != 0) & (rest != 0) & ((rest < 0) != (b < 0))) ? quotient - 1 : quotient;
}}""",
    "mod": """\
// The rest of `floor_div`: it has the sign of b; 0 where b is 0.
{I} mod_{n}({I} a, {I} b) {{
    return (b == 0) ? ({I})(0) : a - floor_div_{n}(a, b) * b;
}}""",
}
"""Of sixteen positions at once, where the device has no division of long vectors and each lane would take its own."""

_UNSIGNED = {
    "floor_div": """\
{T} floor_div_{n}({T} a, {T} b) {{
    return (b == 0) ? 0 : a / b;
}}""",
    "mod": """\
{T} mod_{n}({T} a, {T} b) {{
    return (b == 0) ? 0 : a % b;
}}""",
}

_SPECIAL = {
    "digamma": """\
// The derivative of lgamma: recurrence up to {least}, then the asymptotic series; reflection below 0.
{T} digamma_{n}({T} x) {{
    if (x != x || x == INFINITY) return x;
    if (x == 0) return -copysign(({T})INFINITY, x);
    if (x == -INFINITY || (x < 0 && x == floor(x))) return NAN;
    {T} below = 0;
    if (x < 0) {{
        below = -{pi} / tanpi(x - rint(x));
        x = 1 - x;
    }}
    for (; x < {least}; x += 1) below -= 1 / x;
    const {T} s = 1 / (x * x);
    return below + log(x) - {half} / x - s * ({d0} - s * ({d1} - s * ({d2} - s * ({d3} - s * {d4}))));
}}""",
    "trigamma": """\
// The derivative of digamma: recurrence up to {least}, then the asymptotic series; reflection below 0.
{T} trigamma_{n}({T} x) {{
    if (x != x) return x;
    if (x == INFINITY) return 0;
    if (x <= 0 && x == floor(x)) return INFINITY;
    {T} below = 0, way = 1;
    if (x <= 0) {{
        const {T} slope = {pi} / sinpi(x - rint(x));
        below = slope * slope;
        way = -1;
        x = 1 - x;
    }}
    for (; x < {least}; x += 1) below += way / (x * x);
    const {T} s = 1 / (x * x);
    const {T} series = ({t0} - s * ({t1} - s * ({t2} - s * ({t1} - s * {t4}))));
    return below + way * (1 / x + s / 2 + s / x * series);
}}""",
}

_PLAIN = {
    "round_to_half": """\
// The nearest float16, as a float.
float round_to_half(float x) {
    ushort bits;
    vstore_half(x, 0, (half *)&bits);
    return vload_half(0, (const half *)&bits);
}""",
    "load_bfloat": """\
// A bfloat16 is the upper half of a float.
float load_bfloat(ushort bits) {
    return as_float((uint)bits << 16);
}""",
    "load_bfloat16": """\
// Sixteen bfloat16 that are neighbours.
float16 load_bfloat16(__global const ushort *from) {
    return as_float16(convert_uint16(vload16(0, from)) << 16);
}""",
    "bfloat_bits": """\
// The nearest bfloat16, ties to an even last bit; a NaN stays one.
ushort bfloat_bits(float x) {
    const uint bits = as_uint(x);
    return (ushort)(isnan(x) ? (bits >> 16) | 0x40 : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}""",
    "bfloat_bits16": """\
// The nearest bfloat16 in each lane, ties to an even last bit; a NaN stays one.
ushort16 bfloat_bits16(float16 x) {
    const uint16 bits = as_uint16(x);
    const uint16 nearest = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    return convert_ushort16(isnan(x) ? (bits >> 16) | 0x40 : nearest);
}""",
    "round_to_bfloat": """\
// The nearest bfloat16, as a float.
float round_to_bfloat(float x) {
    const uint bits = as_uint(x);
    return isnan(x) ? x : as_float((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000);
}""",
    "round_to_bfloat16": """\
// The nearest bfloat16 in each lane, as floats.
float16 round_to_bfloat16(float16 x) {
    const uint16 bits = as_uint16(x);
    return isnan(x) ? x : as_float16((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000);
}""",
    "round_to_half16": """\
// The nearest float16 in each lane, as floats.
float16 round_to_half16(float16 x) {
    ushort16 bits;
    vstore_half16(x, 0, (half *)&bits);
    return vload_half16(0, (const half *)&bits);
}""",
    "store_halves": """\
// Sixteen float16 that are neighbours. PoCL 3.0 takes the place of a constant in vstore_half16 for aligned: here it is.
typedef ushort16 __attribute__((aligned(2))) any_halves;
void store_halves(float16 value, __global half *to) {
    ushort16 bits;
    vstore_half16(value, 0, (half *)&bits);
    *(__global any_halves *)to = bits;
}""",
}

_NEIGHBOURS = """\
// Sixteen neighbours at once, which PoCL 3.0 reads and writes in small pieces in vload16 and vstore16.
typedef {T}16 __attribute__((aligned({size}))) any_{T}16;
{T}16 load_{T}s(__global const {T} *from) {{
    return *(__global const any_{T}16 *)from;
}}
void store_{T}s({T}16 value, __global {T} *to) {{
    *(__global any_{T}16 *)to = value;
}}"""

_SOME_LANES = """\
// The first `count` of sixteen values (all of them if there are more), so far apart.
void store_some_{T}s({V}16 value, __global {T} *to, long step, long count) {{
    {V} lanes[16];
    vstore16(value, 0, lanes);
    for (long lane = 0; lane < min(count, 16L); ++lane) {{
        {store};
    }}
}}"""

_SIZES = {"uchar": 1, "ushort": 2, "int": 4, "float": 4, "long": 8, "double": 8}

_WORDS = """\
// Sixty-four bools at once; in memory each is a byte, 0 or 1.
typedef ulong8 __attribute__((aligned(1))) any_ulong8;
ulong8 load_word(__global const uchar *from) {
    return *(__global const any_ulong8 *)from;
}
void store_word(ulong8 value, __global uchar *to) {
    *(__global any_ulong8 *)to = value;
}"""

_SOME = """\
// Whether a word has a bit.
int some(ulong8 word) {
    const ulong4 four = word.lo | word.hi;
    const ulong2 two = four.lo | four.hi;
    return (two.x | two.y) != 0;
}"""

_UNIFORM = """\
// Uniform in [0, 1): Philox-2x32-10 keyed by the seed (Salmon et al., 2011).
{F} random_uniform{n}({L} seed, {L} counter) {{
    const {U} low32 = 0xFFFFFFFFUL;
    const {U} wide_seed = as_{U}(seed);
    const {U} wide_counter = as_{U}(counter);
    {U} key = (wide_seed ^ ((wide_seed >> 32) * 0x85EBCA6BUL)) & low32;
    {U} left = wide_counter & low32, right = wide_counter >> 32;
    for (int round = 0; round < 10; ++round) {{
        const {U} product = left * 0xD256D193UL;
        left = (product >> 32) ^ key ^ right;
        right = product & low32;
        key = (key + 0x9E3779B9UL) & low32;
    }}
    return convert_{F}(left >> 8) * 0x1.0p-24f;
}}"""


IN_QUARTERS = {"pow", "fmod"}
"""PoCL 3.0 computes these wrongly for vectors of eight doubles or more, and rightly for four."""


ALIKE = {
    "double": {"exp", "exp2", "asin", "acos", "atan", "atan2", "tanh", "erf", "erfc", "lgamma"},
    "float": {"lgamma"},
}
"""PoCL's scalar function gives other bits than its vector function in some of these, by their C type."""


class Helpers:
    """The helper functions that one program needs, each once, in the order of first use.

    `own` says whether elementary functions of floats are those of `elementary`, or those of the driver.
    """

    def __init__(self, own: bool = True) -> None:
        self.own = own
        self.texts: dict[str, str] = {}

    def provides(self, function: str, dtype: str) -> bool:
        """Whether there is an elementary function of our own for this dtype."""
        return self.own and COMPUTED[dtype] == "float" and function in elementary.WORST_ULP

    def replaces(self, function: str, dtype: str, lanes: int) -> bool:
        """Whether `name` has to be asked how the function is called, because the driver's is slow, wrong or unlike."""
        if dtype == "float64" and function in IN_QUARTERS:
            return lanes > 1
        alike = self.own and lanes == 1 and function in ALIKE.get(COMPUTED[dtype], ())
        return alike or self.provides(function, dtype)

    def divides(self, function: str, dtype: str) -> bool:
        """Whether there is a division of vectors of our own for this dtype."""
        return self.own and dtype == "int64" and function in _LANES

    def name(self, helper: str, dtype: str, lanes: int = 1) -> str:
        """The C name of a helper for such values; its text joins the program."""
        base = COMPUTED[dtype]
        suffix = str(lanes) if lanes > 1 else ""
        if self.provides(helper, dtype):
            texts = elementary.texts(helper, lanes)
            if any("fold_any_int" in text for text in texts.values()):
                self.name("fold_any", "bool", lanes)
            self.texts.update(texts)
            return f"{helper}_{base}{suffix}"
        if lanes > 1 and helper in _LANES:
            some = self.name("fold_any", "bool", lanes)
            if helper != "truncated_div":
                self.name({"mod": "floor_div"}.get(helper, "truncated_div"), dtype, lanes)
            name = f"{helper}_{base}{suffix}"
            text = _LANES[helper].format(
                I=base + suffix, T=base, D="double" + suffix, M="int" + suffix, n=base + suffix, any=some, lanes=lanes
            )
        elif self.own and lanes == 1 and helper in ALIKE.get(base, ()):
            name, text = f"{helper}_{base}", _by_vector(helper, base)
        elif helper.startswith("fold_"):
            name, text = f"{helper}_{base}{suffix}", _fold(helper[5:], base, lanes)
        elif helper in IN_QUARTERS and lanes > 1:
            name, text = f"{helper}_{base}{suffix}", _in_quarters(helper, base, lanes)
        elif helper in _PLAIN:
            name, text = helper, _PLAIN[helper]
        elif helper == "random_uniform":
            name = helper + suffix
            text = _UNIFORM.format(F="float" + suffix, L="long" + suffix, U="ulong" + suffix, n=suffix)
        elif helper in _SPECIAL:
            name, text = f"{helper}_{base}", _SPECIAL[helper].format(T=base, n=base, **_coefficients(dtype))
        else:
            family = _FLOAT if base in ("float", "double") else _UNSIGNED if base == "uchar" else _INTEGER
            text = family.get(helper) or _INTEGER[helper]
            either = {"or": "|", "and": "&"} if lanes > 1 else {"or": "||", "and": "&&"}
            wide = base == "double"
            text = text.format(
                T=base + suffix, n=base + suffix, fmod=self._fmod(dtype, lanes) if "{fmod}" in text else "", **either,
                I="long" if wide else "int", quiet="0x7ff8000000000000" if wide else "0x7fc00000",
            )  # fmt: skip
            name = f"{helper}_{base}{suffix}"
        self.texts.setdefault(name, text)
        return name

    def shared(self, name: str, text: str) -> str:
        """The name of a function that other kernels of the program call too; its text joins the program once."""
        self.texts.setdefault(name, text)
        return name

    def load(self, dtype: str, address: str) -> str:
        """Sixteen neighbours."""
        if dtype == "float16":
            return f"vload_half{LANES}(0, {address})"
        if dtype == "bfloat16":
            return f"{self.name('load_bfloat16', dtype)}({address})"
        if not self.own:
            return f"vload{LANES}(0, {address})"
        return f"load_{self._neighbours(dtype)}s({address})"

    def store(self, dtype: str, value: str, address: str) -> str:
        """The statement that writes sixteen neighbours."""
        if dtype == "float16":
            if self.own:
                return f"{self.name('store_halves', dtype)}({value}, {address});"
            return f"vstore_half{LANES}({value}, 0, {address});"
        if dtype == "bfloat16":
            value = f"{self.name('bfloat_bits16', dtype)}({value})"
        if not self.own:
            return f"vstore{LANES}({value}, 0, {address});"
        return f"store_{self._neighbours(dtype)}s({value}, {address});"

    def store_some(self, dtype: str, value: str, to: str, step: str, count: str) -> str:
        """The statement that writes the first lanes of sixteen, `step` elements apart."""
        kind, computed = STORED[dtype], COMPUTED[dtype]
        store = "to[lane * step] = lanes[lane]"
        if dtype == "float16":
            store = "vstore_half(lanes[lane], lane * step, to)"
        elif dtype == "bool":
            store = "to[lane * step] = lanes[lane] != 0"
        name = f"store_some_{kind}s"
        if dtype == "bool":
            name = "store_some_bools"
        text = _SOME_LANES.format(T=kind, V=computed, store=store).replace(f"store_some_{kind}s", name)
        self.texts.setdefault(name, text)
        return f"{name}({value}, {to}, {step}, {count});"

    def _neighbours(self, dtype: str) -> str:
        """The C type of such elements in memory, whose functions for sixteen of them join the program."""
        kind = STORED[dtype]
        self.texts.setdefault(f"{kind}s", _NEIGHBOURS.format(T=kind, size=_SIZES[kind]))
        return kind

    def load_word(self, address: str) -> str:
        """Sixty-four bools."""
        self.texts.setdefault("words", _WORDS)
        return f"load_word({address})"

    def store_word(self, value: str, address: str) -> str:
        """The statement that writes sixty-four bools."""
        self.texts.setdefault("words", _WORDS)
        return f"store_word({value}, {address});"

    def true_word(self) -> str:
        """Sixty-four times true."""
        return "(ulong8)(0x0101010101010101UL)"

    def some(self, word: str) -> str:
        """Whether one of sixty-four bools is true."""
        self.texts.setdefault("some", _SOME)
        return f"some({word})"

    def _fmod(self, dtype: str, lanes: int) -> str:
        return self.name("fmod", dtype, lanes) if dtype == "float64" and lanes > 1 else "fmod"

    def text(self) -> str:
        return "".join(text + "\n\n" for text in self.texts.values())


def _in_quarters(function: str, base: str, lanes: int) -> str:
    wide = f"{base}{lanes}"
    quarters = ["s" + "".join(f"{lane:x}" for lane in range(at, at + 4)) for at in range(0, lanes, 4)]
    calls = ", ".join(f"{function}(a.{each}, b.{each})" for each in quarters)
    return (
        f"// Four lanes at a time: PoCL 3.0 gets more of them wrong.\n"
        f"{wide} {function}_{wide}({wide} a, {wide} b) {{\n    return ({wide})({calls});\n}}"
    )


def _by_vector(function: str, base: str) -> str:
    arguments = ("a", "b") if function == "atan2" else ("a",)
    declared = ", ".join(f"{base} {each}" for each in arguments)
    passed = ", ".join(f"({base}4)({each})" for each in arguments)
    return (
        f"// As a vector: the scalar {function} of PoCL 3.0 gives other bits.\n"
        f"{base} {function}_{base}({declared}) {{\n    return {function}({passed}).x;\n}}"
    )


def _fold(kind: str, base: str, lanes: int) -> str:
    """The lanes of a vector brought together, in halves."""
    sign = {"sum": "+", "prod": "*", "any": "|", "all": "&"}.get(kind)
    lines = []
    wide = "v"
    while lanes > 1:
        lanes //= 2
        low, high = f"{wide}.lo", f"{wide}.hi"
        if sign:
            joined = f"{low} {sign} {high}"
        elif base in ("float", "double"):
            either = "||" if lanes == 1 else "|"
            joined = f"(({low} {'>' if kind == 'max' else '<'} {high}) {either} ({low} != {low})) ? {low} : {high}"
        else:
            joined = f"{kind}({low}, {high})"
        wide = f"v{lanes}"
        lines.append(f"    const {base}{lanes if lanes > 1 else ''} {wide} = {joined};\n")
    start = 2 ** len(lines)
    last = f"{wide} != 0" if kind in ("any", "all") else wide
    return f"{base} fold_{kind}_{base}{start}({base}{start} v) {{\n{''.join(lines)}    return {last};\n}}"


def _coefficients(dtype: str) -> dict[str, str]:
    double = dtype == "float64"
    numbers = {
        "pi": 3.141592653589793, "half": 0.5,
        "d0": 1 / 12, "d1": 1 / 120, "d2": 1 / 252, "d3": 1 / 240, "d4": 1 / 132,
        "t0": 1 / 6, "t1": 1 / 30, "t2": 1 / 42, "t4": 5 / 66,
    }  # fmt: skip
    return {name: literal(value, dtype) for name, value in numbers.items()} | {"least": "10" if double else "6"}
