"""exp, exp2, expm1: 2^i * e^f with the integer i nearest to a / ln 2, and a polynomial for |f| <= ln(2) / 2.

i is had by adding 1.5 * 2^23, which leaves it in the low bits of the sum (0x4b400000 is 1.5 * 2^23).

What is too small for any number, as e^-inf, is taken as 2^-254: both of its halves, 2^-127, come out as 0. A product
that underflows instead takes a processor some hundred cycles.
"""

from __future__ import annotations

from netcl.kernels.compiler.opencl.elementary.polynomial import polynomial

_REDUCED = """\
    const {T} shifted = fma(x, ({T})(1.442695f), ({T})(12582912.0f));
    const {T} n = shifted - 12582912.0f;
    const {I} i = as_{I}(shifted) - 0x4b400000;
    const {T} f = fma(n, ({T})(-1.42860677e-6f), fma(n, ({T})(-0.693145752f), x));"""

EXPONENTIAL = {
    "scaled": """\
// p * 2^i for p near 1, in two steps, so that results below the normal numbers are rounded once.
{T} scaled_{T}({T} p, {I} i) {
    const {I} half_i = i >> 1;
    return p * as_{T}((half_i + 127) << 23) * as_{T}((i - half_i + 127) << 23);
}""",
    "exp_times": f"""\
// e^a * 2^shift; a shift is for a >= 0.
{{T}} exp_times_{{T}}({{T}} a, {{I}} shift) {{
    const {{T}} below = (a > 91.0f) ? ({{T}})(91.0f) : a;
    const {{T}} x = (below < -104.0f) ? ({{T}})(-176.0594f) : below;
{_REDUCED}
{polynomial("p", "f", 0.49999994, 0.16666515, 0.041668456, 0.008369419, 0.0013813145)}
    p = fma(p, f * f, f) + 1.0f;
    return scaled_{{T}}(p, i + shift);
}}""",
    "exp_normal": f"""\
// e^x for -87 <= x <= 88, where nothing overflows.
{{T}} exp_normal_{{T}}({{T}} x) {{
{_REDUCED}
{polynomial("p", "f", 0.49999994, 0.16666515, 0.041668456, 0.008369419, 0.0013813145)}
    p = fma(p, f * f, f) + 1.0f;
    return p * as_{{T}}((i + 127) << 23);
}}""",
    "exp_rest": f"""\
// e^a in two parts: the value, and what its last addition rounded off.
{{T}} exp_rest_{{T}}({{T}} a, {{T}} *low) {{
    const {{T}} x = (a < -104.0f) ? ({{T}})(-176.0594f) : a;
{_REDUCED}
{polynomial("p", "f", 0.5, 0.16666666, 0.04166628, 0.008333504, 0.0013945752, 0.00019789262)}
    p = fma(p, f * f, f);
    const {{T}} sum = 1.0f + p;
    *low = scaled_{{T}}(p - (sum - 1.0f), i);
    return scaled_{{T}}(sum, i);
}}""",
    "exp": """\
{T} exp_{T}({T} a) {
    return exp_times_{T}(a, ({I})(0));
}""",
    "exp2": f"""\
// 2^a: the integer nearest to a goes into the exponent, the rest through a polynomial.
{{T}} exp2_{{T}}({{T}} a) {{
    const {{T}} below = (a > 129.0f) ? ({{T}})(129.0f) : a;
    const {{T}} x = (below < -150.0f) ? ({{T}})(-254.0f) : below;
    const {{T}} shifted = x + 12582912.0f;
    const {{I}} i = as_{{I}}(shifted) - 0x4b400000;
    const {{T}} f = x - (shifted - 12582912.0f);
{polynomial("p", "f", 0.6931472, 0.24022648, 0.055503324, 0.009618437, 0.0013398874, 0.00015353362)}
    return scaled_{{T}}(fma(p, f, ({{T}})(1.0f)), i);
}}""",
    "expm1": f"""\
// e^a - 1 = 2^i (e^f - 1) + (2^i - 1), computed at half the size so that 2^128 does not arise.
{{T}} expm1_{{T}}({{T}} a) {{
    const {{T}} below = (a > 89.0f) ? ({{T}})(89.0f) : a;
    const {{T}} x = (below < -30.0f) ? ({{T}})(-30.0f) : below;
{_REDUCED}
{polynomial("p", "f", 0.5, 0.16666666, 0.041666348, 0.0083333915, 0.0013941652, 0.00019845959)}
    p = fma(p, f * f, f);
    const {{T}} power = as_{{T}}((i + 126) << 23);
    const {{T}} half_of_it = fma(p, power, power - 0.5f);
    const {{T}} result = (i == 0) ? p : half_of_it + half_of_it;
    return (a == 0.0f) ? a : result;
}}""",
}
