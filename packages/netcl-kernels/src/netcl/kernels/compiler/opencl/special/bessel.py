"""The modified functions of Bessel of order 0 and 1: power series of positive terms, then the asymptotic series.

Abramowitz and Stegun 9.6.10 and 9.7.1. All are computed as `exp(-abs(x)) * I(x)`, which does not overflow.
"""

from __future__ import annotations

BESSEL = {
    "scaled_bessel": """\
// exp(-x) I_order(x) for x >= 0; order is 0 or 1.
{T} scaled_bessel_{n}(int order, {T} x) {{
    if (x != x) return x;
    if (x == INFINITY) return 0;
    {T} total = 1, term = 1;
    if (x < {asymptotic}) {{
        const {T} square = x / 2 * (x / 2);
        for (int k = 1; k < 200 && term > {small} * total; ++k) {{
            term *= square / (({T})(k) * (k + order));
            total += term;
        }}
        return total * exp(-x) * (order ? x / 2 : ({T})(1));
    }}
    for (int k = 1; k < 40; ++k) {{
        const {T} odd = 2 * k - 1;
        const {T} next = term * (odd * odd - 4 * order) / (8 * k * x);
        if (fabs(next) >= fabs(term) || fabs(next) < {small}) break;
        term = next;
        total += term;
    }}
    return total / sqrt(2 * {pi} * x);
}}""",
    "i0e": """\
{T} i0e_{n}({T} x) {{
    return scaled_bessel_{n}(0, fabs(x));
}}""",
    "i1e": """\
{T} i1e_{n}({T} x) {{
    return copysign(scaled_bessel_{n}(1, fabs(x)), x);
}}""",
    "i0": """\
{T} i0_{n}({T} x) {{
    if (fabs(x) > {overflows}) return INFINITY;
    const {T} half_way = exp(fabs(x) / 2);
    return scaled_bessel_{n}(0, fabs(x)) * half_way * half_way;
}}""",
    "i1": """\
{T} i1_{n}({T} x) {{
    if (fabs(x) > {overflows}) return copysign(({T})INFINITY, x);
    const {T} half_way = exp(fabs(x) / 2);
    return copysign(scaled_bessel_{n}(1, fabs(x)) * half_way * half_way, x);
}}""",
}
