"""digamma, trigamma, polygamma and the zeta function of Hurwitz: recurrences up to where a series begins.

Abramowitz and Stegun 6.3.5 to 6.3.18 and 6.4.6 to 6.4.12; of the zeta function, Euler and Maclaurin's formula.
"""

from __future__ import annotations

STEPS = (
    0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07,
    2.08767569878681e-08, -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13,
    8.586062056277845e-15, -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19,
)  # fmt: skip
"""B2 / 2!, B4 / 4!, …: the coefficients of Euler and Maclaurin's formula."""

ROOT, ROOT_REST = 1.4616321449683622, 9.549995429965697e-17
"""Where digamma crosses 0: a float64, and what is left of it."""

SMOOTH = (
    0.4949447615071198, -0.1195533449316518, 0.03782643334093407, -0.013260889120676857,
    0.004892701829104418, -0.0018581181896123336, 0.000718157269834857, -0.0002806790470763556,
    0.00011050240795145107, -4.371819950821214e-05, 1.7361017660974115e-05, -6.907268330134264e-06,
    2.719072472780677e-06, -1.08470664978754e-06, 5.153369011960109e-07, -2.058803341621865e-07,
)  # fmt: skip
"""digamma(x) / (x - root) - 1 / (root * x) for x from 1 to 2, in powers of x - 3/2: interpolated at the nodes of
Chebyshev, to 9e-17 of its value."""

GAMMA = {
    "digamma": """\
// The derivative of lgamma: recurrence to (1, 2], or the asymptotic series; reflection below 0. Between 1 and 2 it is
// x - root times a positive function, which keeps its digits where it crosses 0.
{T} digamma_{n}({T} x) {{
    if (x != x || x == INFINITY) return x;
    if (x == 0) return -copysign(({T})INFINITY, x);
    if (x == -INFINITY || (x < 0 && x == floor(x))) return NAN;
    {T} below = 0;
    if (x < 0) {{
        below = -{pi} / tanpi(x - rint(x));
        x = 1 - x;
    }}
    if (x >= 10) {{
        const {T} s = 1 / (x * x);
        const {T} series = {d4} - s * ({d5} - s * ({d6} - s * {d7}));
        return below + log(x) - {half} / x - s * ({d0} - s * ({d1} - s * ({d2} - s * ({d3} - s * series))));
    }}
    {T} beside = 0;
    if (x < 1) {{
        beside = -1 / x;
        x += 1;
    }}
    for (; x > 2; beside += 1 / x) x -= 1;
    const {T} smooth[] = {{
        {smooth}
    }};
    const {T} off = x - {middle};
    {T} factor = smooth[{last}];
    for (int k = {last} - 1; k >= 0; --k) factor = fma(factor, off, smooth[k]);
    return below + (beside + ((x - {root}) - {root_rest}) * (1 / ({root} * x) + factor));
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
    const {T} smaller = {t4} - s * ({t5} - s * ({t6} - s * {t7}));
    const {T} series = {t0} - s * ({t1} - s * ({t2} - s * ({t1} - s * smaller)));
    return below + way * (1 / x + s / 2 + s / x * series);
}}""",
    "scaled_zeta": """\
// The sum of (x + k)^-s over k >= 0, for x > 0 and s > 1, times x^s, or x^(s - 1) where x > 1. Terms are added while
// they count and x + k is small beside s, the largest last; the rest is Euler and Maclaurin's formula.
{T} scaled_zeta_{n}({T} s, {T} x) {{
    const {T} first = (x > 1) ? 1 / x : 1;
    {T} nearest = 0, before = 0, term = first, k = 0;
    while (x + k < {far} + s) {{
        if (k == 0) nearest = term;
        else before += term;
        if (term * (x + k) < {small} * first * (s - 1)) return nearest + before;
        k += 1;
        term = first * exp(-s * log1p(k / x));
    }}
    const {T} at = x + k;
    const {T} steps[] = {{
        {steps}
    }};
    {T} total = {half}, factor = s / at;
    for (int j = 0; j < 12 && factor > {small}; ++j) {{
        total += steps[j] * factor;
        factor *= (s + (2 * j + 1)) / at * ((s + (2 * j + 2)) / at);
    }}
    return nearest + (before + (term * total + term * at / (s - 1)));
}}""",
    "positive_zeta": """\
// The sum of (x + k)^-s over k >= 0, for x > 0 and s > 1.
{T} positive_zeta_{n}({T} s, {T} x) {{
    if (x == INFINITY) return 0;
    const {T} power = pow(x, (x > 1) ? 1 - s : -s);
    return (power == INFINITY) ? power : power * scaled_zeta_{n}(s, x);
}}""",
    "paired_powers": """\
// above^-s + way * below^-s, where above - below is `apart`, without the loss of digits where they cancel.
{T} paired_powers_{n}({T} s, {T} above, {T} below, {T} apart, {T} way) {{
    const {T} power = pow(below, -s);
    if (way < 0 && s * fabs(apart) < {half}) return power * expm1(-s * log1p(apart / below));
    return pow(above, -s) + way * power;
}}""",
    "zeta": """\
// The sum of (x + k)^-s over k >= 0. Below 0, where s is whole, the terms of negative x + k, from -below on, are like
// those of a sum above 0 but for their sign; the two nearest to 0 are added first, as they may cancel.
{T} zeta_{n}({T} s, {T} x) {{
    if (s != s || x != x || s < 1 || x == -INFINITY) return NAN;
    if (s == 1) return INFINITY;
    if (s == INFINITY) return (x > 1) ? 0 : (x == 1) ? 1 : (x >= 0) ? ({T})(INFINITY) : ({T})(NAN);
    if (x > 0) return positive_zeta_{n}(s, x);
    if (x == floor(x)) return INFINITY;
    if (s != floor(s)) return NAN;
    const {T} way = (fmod(s, ({T})(2)) != 0) ? -1 : 1;
    const {T} off = x - rint(x);
    const {T} above = (off > 0) ? off : 1 + off;
    const {T} below = (off < 0) ? -off : 1 - off;
    const {T} apart = 2 * off - ((off > 0) ? 1 : -1);
    const {T} nearest = paired_powers_{n}(s, above, below, apart, way);
    const {T} next = positive_zeta_{n}(s, 1 + above) + way * positive_zeta_{n}(s, 1 + below);
    return nearest + (next - way * positive_zeta_{n}(s, 1 - x));
}}""",
    "polygamma": """\
// The order-th derivative of digamma: order! times the sum of (x + k)^-(order + 1), whose power of x is multiplied in
// by parts, so that neither leaves the range before the product does.
{T} polygamma_{n}({T} order, {T} x) {{
    if (order == 0) return digamma_{n}(x);
    if (x != x || x == -INFINITY || !(order > 0 && order <= 100) || order != floor(order)) return NAN;
    const {T} way = (fmod(order, ({T})(2)) != 0) ? 1 : -1;
    if (x <= 0 && x == floor(x)) return (way > 0) ? ({T})(INFINITY) : ({T})(NAN);
    {T} total = (x > 0) ? (x < INFINITY) ? scaled_zeta_{n}(order + 1, x) : 0 : zeta_{n}(order + 1, x);
    const {T} part = (x > 0) ? pow(x, -((x > 1) ? order : order + 1) / {parts}) : 1;
    int left = {parts};
    for ({T} k = 2; k <= order; k += 1) {{
        for (; left > 0 && total > 1; --left) total *= part;
        total *= k;
    }}
    for (; left > 0; --left) total *= part;
    return way * total;
}}""",
}
