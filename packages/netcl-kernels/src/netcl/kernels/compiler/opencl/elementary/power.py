"""pow: 2^(b log2|a|), where the logarithm and its product with b are sums of two float32; then the cases of IEEE 754.

log2|a| is i + log2(m) with m in [sqrt(1/2), sqrt(2)), by the series of 2 atanh(t), t = (m - 1) / (m + 1). What is
rounded off is kept (Dekker, 1971): of a product by fma, of a sum by subtracting its larger part. Terms whose rounding
cannot be seen have one part.
"""

from __future__ import annotations

from netcl.kernels.compiler.opencl.elementary.polynomial import polynomial

_LOG2 = polynomial("p", "s", 0.57708293454501236, 0.41170072107835592, 0.340331609399317)
_EXP2 = polynomial(
    "q", "f", 1.0, 0.69314718070453196, 0.24022651066561296, 0.055504103659915816, 0.00961803813203237,
    0.0013333935055459569, 0.00015466756325554904, 1.5196156590539448e-05,
)  # fmt: skip

POWER = {
    "log2_times": f"""\
// b * log2(a * 2^shift) for a normal number a > 0, and what is left of it.
{{T}} log2_times_{{T}}({{T}} a, {{I}} shift, {{T}} b, {{T}} *low) {{
    const {{I}} bits = as_{{I}}(a);
    const {{I}} exponent = (bits - 0x3f3504f3) >> 23;
    const {{T}} m = as_{{T}}(bits - (exponent << 23));
    const {{T}} less = m - 1.0f, more = m + 1.0f, more_low = m - (more - 1.0f);
    const {{T}} part = 1.0f / more;
    const {{T}} t = less * part, t_low = fma(-t, more_low, fma(-t, more, less)) * part;
    const {{T}} s = t * t, s_low = fma(2.0f * t, t_low, fma(t, t, -s));
{_LOG2}
    // log2(m) = t * (2.88539f + 3.851926e-08f + s * (0.9617967f - 2.209579e-08f + s * p))
    const {{T}} c = s * 0.9617967f, c_rest = fma(s, ({{T}})(0.9617967f), -c);
    const {{T}} c_low = fma(s_low, ({{T}})(0.9617967f), fma(s, fma(p, s, ({{T}})(-2.209579e-08f)), c_rest));
    const {{T}} large = 2.88539f * t, small = c * t, log2_m = large + small;
    const {{T}} rest = (small - (log2_m - large)) + fma(({{T}})(2.88539f), t, -large) + fma(c, t, -small);
    const {{T}} log2_m_low = fma(2.88539f + c, t_low, fma(3.851926e-08f + c_low, t, rest));
    const {{T}} i = convert_{{T}}(exponent + shift);
    const {{T}} log2_a = i + log2_m, log2_a_low = (log2_m - (log2_a - i)) + log2_m_low;
    const {{T}} product = b * log2_a;
    *low = fma(b, log2_a_low, fma(b, log2_a, -product));
    return product;
}}""",
    "exp2_of_two": f"""\
// 2^(x + low) as a number near 1 and the integer n in the last bits of a sum, for -201 < x < 201.
{{T}} exp2_of_two_{{T}}({{T}} x, {{T}} low, {{I}} *n) {{
    const {{T}} shifted = x + 12582912.0f;
    const {{T}} f = (x - (shifted - 12582912.0f)) + low;
{_EXP2}
    *n = as_{{I}}(shifted);
    return q;
}}""",
    "pow_of_normal": """\
// (a * 2^shift)^b for a normal number a > 0 and a finite b.
{T} pow_of_normal_{T}({T} a, {I} shift, {T} b) {
    {T} low;
    {I} n;
    const {T} product = log2_times_{T}(a, shift, b, &low);
    const {T} below = (product > 200.0f) ? ({T})(200.0f) : product;
    const {T} x = (below < -200.0f) ? ({T})(-200.0f) : below;
    const {T} q = exp2_of_two_{T}(x, (x == product) ? low : ({T})(0.0f), &n);
    return scaled_{T}(q, n - 0x4b400000);
}""",
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
    {T} low;
    {I} n;
    const {T} x = log2_times_{T}(a, ({I})(0), b, &low);
    const {I} ordinary = (a >= 1.17549435e-38f) & (a < INFINITY) & (fabs(x) < 125.0f);
    if ({any}(ordinary == 0)) return pow_of_any_far_{T}(a, b);
    const {T} q = exp2_of_two_{T}(x, low, &n);
    return as_{T}(as_{I}(q) + (n << 23));  // of 0x4b400000 nothing is left
}""",
}
