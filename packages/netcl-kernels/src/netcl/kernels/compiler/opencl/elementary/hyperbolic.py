"""sinh, cosh, tanh and their inverses, from exp and log1p; near zero a polynomial, where those would cancel."""

from __future__ import annotations

from netcl.kernels.compiler.opencl.elementary.polynomial import polynomial

HYPERBOLIC = {
    "sinh": f"""\
{{T}} sinh_{{T}}({{T}} a) {{
    const {{T}} size = fabs(a);
    const {{T}} s = a * a;
{polynomial("p", "s", 0.16666667, 0.0083333505, 0.00019836066, 2.8174395e-06)}
    const {{T}} half_exp = exp_times_{{T}}(size, ({{I}})(-1));
    const {{T}} large = half_exp - 0.25f / half_exp;
    return copysign((size < 1.0f) ? fma(p, s * size, size) : large, a);
}}""",
    "cosh": """\
{T} cosh_{T}({T} a) {
    const {T} half_exp = exp_times_{T}(fabs(a), ({I})(-1));
    return half_exp + 0.25f / half_exp;
}""",
    "tanh": f"""\
// 1 - 2 / (e^2|a| + 1), and a polynomial near zero.
{{T}} tanh_{{T}}({{T}} a) {{
    const {{T}} size = fabs(a);
    const {{T}} s = a * a;
{polynomial("p", "s", -0.333333, 0.13331959, -0.053786684, 0.020805385, -0.0059058685)}
    const {{T}} x = (size > 10.0f) ? ({{T}})(10.0f) : size;
    const {{T}} large = 1.0f - 2.0f / (exp_normal_{{T}}(x + x) + 1.0f);
    return copysign((size < 0.6f) ? fma(p, s * size, size) : large, a);
}}""",
    "asinh": """\
// log1p(|a| + a^2 / (1 + sqrt(1 + a^2))); for large |a| it is log(2 |a|).
{T} asinh_{T}({T} a) {
    const {T} size = fabs(a);
    const {I} huge = size > 1.0e9f;
    const {T} x = huge ? ({T})(1.0f) : size;
    const {T} s = x * x;
    const {T} grown = x + s / (1.0f + sqrt(1.0f + s));
    const {T} result = log1p_{T}(huge ? size : grown);
    return copysign(huge ? result + 0.693147182f : result, a);
}""",
    "acosh": """\
// log1p(t + sqrt(2 t + t^2)) with t = a - 1, made up near zero for what the sum rounds off; log(2 a) for large a.
{T} acosh_{T}({T} a) {
    const {I} huge = a > 1.0e9f;
    const {T} t = huge ? ({T})(1.0f) : a - 1.0f;
    const {T} root = sqrt(fma(t, t, t + t));
    const {T} grown = t + root;
    const {T} result = log1p_{T}(huge ? a : grown);
    const {T} more = huge ? ({T})(0.693147182f) : ((grown < 0.5f) ? t - (grown - root) : ({T})(0.0f));
    return (a < 1.0f) ? ({T})(NAN) : result + more;
}""",
    "atanh": """\
// log1p(2 |a| / (1 - |a|)) / 2, the quotient as 2 |a| + 2 |a| |a| / (1 - |a|)
{T} atanh_{T}({T} a) {
    const {T} size = fabs(a);
    const {T} twice = size + size;
    const {T} result = 0.5f * log1p_{T}(fma(twice, size / (1.0f - size), twice));
    return copysign((size > 1.0f) ? ({T})(NAN) : result, a);
}""",
}
