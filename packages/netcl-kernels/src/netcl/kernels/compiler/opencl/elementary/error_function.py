"""erf and erfc: polynomials near zero; beyond, erf is 1 - exp(polynomial), and erfc is exp(-x^2) / (1 + 2 x) times a
polynomial in (x - 2) / (x + 2) (M. M. Shepherd and J. G. Laframboise, 1981).
"""

from __future__ import annotations

from netcl.kernels.compiler.opencl.elementary.polynomial import polynomial

_NEAR = polynomial(
    "near", "s", 0.12837915, -0.3761248, 0.112816826, -0.02676172, 0.0049859406, -0.00059537415
)  # fmt: skip
_EXPONENT = polynomial(
    "u", "t", -0.1286529, -0.63513345, -0.10626642, 0.023787478, -0.0036544634, 0.00032575344, -1.15257335e-05
)  # fmt: skip
_FACTOR = polynomial(
    "p", "v", 0.27697837, -0.092763774, -0.16603099, 0.16404918, -0.05420873, -0.0080111325, 0.008646871,
    0.0011700771, -0.0012472202, -0.00025835808,
)  # fmt: skip

ERROR_FUNCTION = {
    "erf": f"""\
// 1 - exp(polynomial) away from zero, a polynomial near it.
{{T}} erf_{{T}}({{T}} a) {{
    const {{T}} size = fabs(a);
    const {{T}} t = (size > 4.0f) ? ({{T}})(4.0f) : size;
    const {{T}} s = t * t;
{_NEAR}
{_EXPONENT}
    const {{T}} far = 1.0f - exp_normal_{{T}}(fma(u, t, -t));
    const {{T}} result = (size > 0.927734375f) ? far : fma(near, size, size);
    return (a != a) ? a : copysign(result, a);
}}""",
    "erfc": f"""\
// exp(-x^2) (1 + 2 x)^-1 polynomial((x - 2) / (x + 2)) for x = |a|, and 2 minus it below zero; 1 - erf near zero.
{{T}} erfc_{{T}}({{T}} a) {{
    const {{T}} size = fabs(a);
    const {{T}} x = (size > 11.0f) ? ({{T}})(11.0f) : size;
    const {{T}} inverse = 1.0f / (x + 2.0f);
    const {{T}} rough = fma(inverse, ({{T}})(-4.0f), ({{T}})(1.0f));
    const {{T}} missed = fma(-x, rough, fma(rough + 1.0f, ({{T}})(-2.0f), x));
    const {{T}} v = fma(inverse, missed, rough);
{_FACTOR}
    const {{T}} d = fma(x, ({{T}})(2.0f), ({{T}})(1.0f));
    const {{T}} quotient = (p + 1.0f) / d;
    const {{T}} more = fma(fma(quotient, -x, ({{T}})(0.5f)), ({{T}})(2.0f), p - quotient);
    const {{T}} factor = fma(more, 1.0f / d, quotient);
    const {{T}} s = x * x;
    {{T}} low;
    const {{T}} gauss = exp_rest_{{T}}(-s, &low);
    const {{T}} result = fma(factor, gauss, factor * fma(gauss, fma(-x, x, s), low));
    const {{T}} bounded = (x > 10.06f) ? ({{T}})(0.0f) : result;
{_NEAR}
    const {{T}} far = (a < 0.0f) ? 2.0f - bounded : bounded;
    return (a != a) ? a : ((size < 0.45f) ? 1.0f - fma(near, a, a) : far);
}}""",
}
