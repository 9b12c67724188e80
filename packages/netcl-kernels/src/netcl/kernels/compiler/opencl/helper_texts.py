"""The texts of the functions that `helpers` copies into programs: what the built-in functions of OpenCL do not provide.

`{T}` stands for the type of the arguments and `{n}` for the suffix of the name. Each agrees with its row in
`functions.FUNCTIONS`, which says what the function is.
"""

from __future__ import annotations

FLOAT = {
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
    "normal_cdf": """\
// erfc(-a / sqrt(2)) / 2; what the quotient rounds off counts in the tail, where the slope is 2 t times the value.
{T} normal_cdf_{n}({T} a) {{
    const {T} t = a * -{root};
    const {T} low = fma(a, ({T})(-{root}), -t) - a * {root_low};
    const {T} value = {erfc}(t);
    return value * ({half} - (((t > 0) {and} (t < 30)) ? low * t : ({T})(0)));
}}""",
    "times_normal_cdf": """\
// Where the distribution leaves the normal numbers: Laplace's continued fraction times the density, e^64 larger.
{T} times_normal_cdf_{n}({T} b, {T} a) {{
    const {T} value = b * {cdf}(a);
    if (!{some_far}) return value;
    const {T} t = (a < -1000) ? ({T})(-1000) : a, s = t * t, low = fma(t, t, -s), q = 1 / s;
    const {T} fraction = (1 + q * (14 + q * 33)) / (1 + q * (15 + q * (45 + q * 15)));
    const {T} density = exp({shift} - s * {half}) * (1 - low * {half});
    const {T} product = (fabs(b) == INFINITY) ? b / -a : b / -t * (density * fraction) * {back_norm};
    return (a < {far}) ? product : value;
}}""",
    "times_normal_cdf_tanh": """\
// b / (1 + exp(-u)) of u = a (c + d a a), of which twice the digits are kept: the slope is u times the value. Where
// exp(u) leaves the normal numbers, the product is taken e^64 larger.
{T} times_normal_cdf_tanh_{n}({T} b, {T} a) {{
    const {T} s = a * a, t = s * {cubic}, w = t + {linear}, v = w - {linear};
    const {T} t_low = fma(s, ({T})({cubic}), -t) + fma(a, a, -s) * {cubic} + s * {cubic_low};
    const {T} w_low = (({T})({linear}) - (w - v)) + (t - v) + t_low + {linear_low};
    const {T} u = a * w, low = (s < 1000) ? fma(a, w, -u) + a * w_low : ({T})(0);
    const {T} h = exp((u > 0) ? -u : (u < -{shift}) ? u + {shift} : u), e = h + h * ((u > 0) ? -low : low);
    const {T} product = (fabs(b) == INFINITY) ? b / -a : b * e * {back};
    return (u < -{shift}) ? product : ((u > 0) ? b : b * e) / (1 + e);
}}""",
    "or_nan": """\
// NaN if there was one. By bits: a literal under a condition may become a masked read, which some CPUs are slow at.
{T} or_nan_{n}({T} value, int nan) {{
    return as_{T}(as_{I}(value) | (-({I})(nan != 0) & ({I}){quiet}));
}}""",
    "ordinal": """\
// An integer in the order of the floats: every NaN is the largest, both zeros are 0.
{S} ordinal_{n}({T} value) {{
    const {S} bits = as_{S}(value), magnitude = bits & {largest}, sign = bits >> {last};
    return (magnitude > {infinity}) ? ({S})({largest}) : (magnitude ^ sign) - sign;
}}""",
    "ordinal_value": """\
// The float that such an integer is of, where it is no NaN; of 0 it is 0.
{T} ordinal_value_{n}({S} ordinal) {{
    const {S} sign = ordinal >> {last};
    return as_{T}(((ordinal ^ sign) - sign) | (sign << {last}));
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

INTEGER = {
    "add_fits": """\
// Whether a + b fits.
int add_fits_{n}({T} a, {T} b) {{
    return add_sat(a, b) == ({T})(({U})a + ({U})b);
}}""",
    "sub_fits": """\
// Whether a - b fits.
int sub_fits_{n}({T} a, {T} b) {{
    return sub_sat(a, b) == ({T})(({U})a - ({U})b);
}}""",
    "mul_fits": """\
// Whether a * b fits: its upper half is then nothing but the sign of its lower one.
int mul_fits_{n}({T} a, {T} b) {{
    return mul_hi(a, b) == (({T})(({U})a * ({U})b) < 0 ? -1 : 0);
}}""",
    "shift_left": """\
// 0 where b is negative, or no smaller than the number of bits.
{T} shift_left_{n}({T} a, {T} b) {{
    const u{T} by = as_u{T}(b);
    return (by < (u{T})({bits})) ? as_{T}(as_u{T}(a) << by) : ({T})(0);
}}""",
    "shift_right": """\
// The sign moves in; there is nothing but the sign where b is negative, or no smaller than the number of bits.
{T} shift_right_{n}({T} a, {T} b) {{
    return a >> as_{T}(min(as_u{T}(b), (u{T})({bits} - 1)));
}}""",
    "floor_div": """\
// Division that rounds down; 0 where b is 0.
{T} floor_div_{n}({T} a, {T} b) {{
    if (b == 0) return 0;
{if_short}    if (b == -1) return ({T})(0 - ({U})a);
    const {T} quotient = a / b;
    return ((a % b != 0) && ((a < 0) != (b < 0))) ? quotient - 1 : quotient;
}}""",
    "mod": """\
// The rest of `floor_div`: it has the sign of b; 0 where b is 0.
{T} mod_{n}({T} a, {T} b) {{
    return (b == 0 || b == -1) ? 0 : a - floor_div_{n}(a, b) * b;
}}""",
    "truncated_mod": """\
// The rest of the division that rounds towards zero: it has the sign of a; 0 where b is 0.
{T} truncated_mod_{n}({T} a, {T} b) {{
    return (b == 0 || b == -1) ? 0 : a - truncated_div_{n}(a, b) * b;
}}""",
    "truncated_div": """\
// Division that rounds towards zero; 0 where b is 0.
{T} truncated_div_{n}({T} a, {T} b) {{
    if (b == 0) return 0;
{if_short}    if (b == -1) return ({T})(0 - ({U})a);
    return a / b;
}}""",
    "integer_power": """\
// a to the power b by squaring; a negative power is 1 / a^-b, cut off towards 0.
{T} integer_power_{n}({T} a, {T} b) {{
    if (b < 0) return (a == 1) ? 1 : ((a == -1) ? 1 - 2 * (b & 1) : 0);
    {U} result = 1, square = a;
    for (; b > 0; b >>= 1) {{
        if (b & 1) result *= square;
        square *= square;
    }}
    return ({T})result;
}}""",
}

SHORT = "    if (((ulong)(a | b) >> 32) == 0) return (uint)a / (uint)b;\n"
"""A division of half the width takes a fraction of the time."""

DIVISIONS = {
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

UNSIGNED = {
    "shift_left": """\
{T} shift_left_{n}({T} a, {T} b) {{
    return (b < ({T})({bits})) ? ({T})(a << b) : ({T})(0);
}}""",
    "shift_right": """\
{T} shift_right_{n}({T} a, {T} b) {{
    return (b < ({T})({bits})) ? ({T})(a >> b) : ({T})(0);
}}""",
    "maximum": """\
{T} maximum_{n}({T} a, {T} b) {{
    return (a > b) ? a : b;
}}""",
    "minimum": """\
{T} minimum_{n}({T} a, {T} b) {{
    return (a < b) ? a : b;
}}""",
    "floor_div": """\
{T} floor_div_{n}({T} a, {T} b) {{
    return (b == 0) ? 0 : a / b;
}}""",
    "mod": """\
{T} mod_{n}({T} a, {T} b) {{
    return (b == 0) ? 0 : a % b;
}}""",
}

TABLE = """\
// The entry of a table in the formula; 0 outside of it.
__constant {T} entries_of_{name}[{count}] = {{ {entries} }};
{T} {name}(long at) {{
    return (at >= 0 && at < {count}) ? entries_of_{name}[at] : 0;
}}"""

PLAIN = {
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
// Sixteen float16 that are neighbours. A driver may take the place of a constant in vstore_half16 for aligned: it is.
typedef ushort16 __attribute__((aligned(2))) any_halves;
void store_halves(float16 value, __global half *to) {
    ushort16 bits;
    vstore_half16(value, 0, (half *)&bits);
    *(__global any_halves *)to = bits;
}""",
}

NEIGHBOURS = """\
// Neighbours at once, which vload{n} and vstore{n} may read and write in small pieces.
typedef {T}{n} __attribute__((aligned({size}))) any_{name};
{T}{n} load_{name}({space} const {T} *from) {{
    return *({space} const any_{name} *)from;
}}
void store_{name}({T}{n} value, {space} {T} *to) {{
    *({space} any_{name} *)to = value;
}}"""

SOME_LANES = """\
// Those of sixteen values that the mask has, so far apart.
void {name}({V}16 value, int16 mask, __global {T} *to, long step) {{
    {V} lanes[16];
    int there[16];
    vstore16(value, 0, lanes);
    vstore16(mask, 0, there);
    for (long lane = 0; lane < 16; ++lane) {{
        if (there[lane]) {store};
    }}
}}"""

SIZES = {"uchar": 1, "ushort": 2, "int": 4, "float": 4, "long": 8, "double": 8}

WORDS = """\
// Sixty-four bytes at once.
typedef uchar uchar32 __attribute__((ext_vector_type(32)));
typedef uchar uchar64 __attribute__((ext_vector_type(64)));
typedef uchar64 __attribute__((aligned(1))) any_uchar64;
uchar64 load_word(__global const uchar *from) {
    return *(__global const any_uchar64 *)from;
}
void store_word(uchar64 value, __global uchar *to) {
    __builtin_prefetch((const void *)(ulong)(to + 512), 1);  // where the next ones go, which else comes too late
    *(__global any_uchar64 *)to = value;
}"""


UNIFORM = """\
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
