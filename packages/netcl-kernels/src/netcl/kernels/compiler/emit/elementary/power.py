"""pow: 2^(b log2|a|) in float64, which has room for every exponent and every base; then the cases of IEEE 754.

log2|a| is i + log2(m) with m in [sqrt(1/2), sqrt(2)), by the series of 2 atanh((m - 1) / (m + 1)).
"""

from __future__ import annotations

from netcl.kernels.compiler.emit.elementary.polynomial import polynomial

_LOG2 = polynomial(
    "p", "s", 2.8853900817779268, 0.9617966788586475, 0.57708293454501236, 0.41170072107835592, 0.340331609399317,
    kind="{D}",
)  # fmt: skip
_EXP2 = polynomial(
    "q", "f", 1.0, 0.69314718070453196, 0.24022651066561296, 0.055504103659915816, 0.00961803813203237,
    0.0013333935055459569, 0.00015466756325554904, 1.5196156590539448e-05, kind="{D}",
)  # fmt: skip

POWER = {
    "pow_of_normal": f"""\
// (a * 2^shift)^b for a normal number a > 0 and a finite b.
{{T}} pow_of_normal_{{T}}({{T}} a, {{I}} shift, {{T}} b) {{
    const {{I}} bits = as_{{I}}(a);
    const {{I}} exponent = (bits - 0x3f3504f3) >> 23;
    const {{D}} m = convert_{{D}}(as_{{T}}(bits - (exponent << 23)));
    const {{D}} t = (m - 1.0) / (m + 1.0);
    const {{D}} s = t * t;
{_LOG2}
    const {{D}} w = convert_{{D}}(b) * fma(p, t, convert_{{D}}(exponent + shift));
    const {{D}} below = (w > 1000.0) ? ({{D}})(1000.0) : w;
    const {{D}} x = (below < -1000.0) ? ({{D}})(-1000.0) : below;
    const {{D}} shifted = x + 6755399441055744.0;
    const {{D}} f = x - (shifted - 6755399441055744.0);
{_EXP2}
    return convert_{{T}}(as_{{D}}(as_{{L}}(q) + (as_{{L}}(shifted) << 52)));
}}""",
    "pow_of_any_far": """\
// The same with the cases of IEEE 754: zeros, infinities, NaN, numbers below the normal ones, negative bases.
{T} pow_of_any_far_{T}({T} a, {T} b) {
    const {T} size = fabs(a);
    const {I} tiny = size < 1.17549435e-38f;
    const {I} ordinary = (size > 0.0f) & (size < INFINITY) & (fabs(b) < INFINITY);
    const {T} base = ordinary ? (tiny ? size * 16777216.0f : size) : ({T})(1.0f);
    const {T} of_number = pow_of_normal_{T}(base, tiny ? ({I})(-24) : ({I})(0), ordinary ? b : ({T})(0.0f));
    const {I} grows = (size > 1.0f) == (b > 0.0f);
    const {T} limit = grows ? ({T})(INFINITY) : ({T})(0.0f);
    const {T} power = ordinary ? of_number : limit;
    const {I} far = fabs(b) >= 16777216.0f;
    const {I} integer = convert_{I}(far ? ({T})(0.0f) : b);
    const {I} whole = far | (convert_{T}(integer) == b);
    const {I} negative = as_{I}(a) < 0;
    const {T} signed_power = (negative & ((integer & 1) != 0) & whole) ? -power : power;
    const {I} undefined = (a < 0.0f) & (whole == 0) & (size < INFINITY);
    const {I} one = (b == 0.0f) | (a == 1.0f) | ((a == -1.0f) & (fabs(b) == INFINITY));
    const {T} result = (undefined | (a != a) | (b != b)) ? ({T})(NAN) : signed_power;
    return one ? ({T})(1.0f) : result;
}""",
    "pow": """\
{T} pow_{T}({T} a, {T} b) {
    const {I} normal = (a >= 1.17549435e-38f) & (a < INFINITY) & (fabs(b) < INFINITY);
    if ({any}(normal == 0)) return pow_of_any_far_{T}(a, b);
    return pow_of_normal_{T}(a, ({I})(0), b);
}""",
}
