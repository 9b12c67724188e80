"""erf and erfc, after N. Juffa's single-precision forms."""

from __future__ import annotations

from netcl.kernels.compiler.emit.elementary.polynomial import polynomial

_NEAR = polynomial("near", "s", 0.128379166, -0.376125336, 0.112819925, -0.0267681349, 0.00499119423, -0.000596761703)

ERROR_FUNCTION = {
    "erf": f"""\
// 1 - exp(polynomial) away from zero, a polynomial near it.
{{T}} erf_{{T}}({{T}} a) {{
    const {{T}} size = fabs(a);
    const {{T}} t = (size > 4.0f) ? ({{T}})(4.0f) : size;
    const {{T}} s = t * t;
{_NEAR}
{polynomial("u", "t", -0.128717512, -0.634846687, -0.106777877, 0.0242546219, -0.00388396438, 0.000383197126, -1.72853470e-05)}
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
{polynomial("p", "v", 0.276978403, -0.0927639827, -0.166031361, 0.164055392, -0.0542046614, -0.00805991981, 0.00863227434, 0.00131355342, -0.00123075210, -0.000401139259)}
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
