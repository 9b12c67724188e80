"""digamma, trigamma, polygamma and the zeta function of Hurwitz: recurrences up to where a series begins.

Abramowitz and Stegun 6.3.5 to 6.3.18 and 6.4.6 to 6.4.12; of the zeta function, Euler and Maclaurin's formula.
"""

from __future__ import annotations

GAMMA = {
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
    "positive_zeta": """\
// The sum of (x + k)^-s over k >= 0, for x > 0 and s > 1, by Euler and Maclaurin's formula: as many as count.
{T} positive_zeta_{n}({T} s, {T} x) {{
    if (x == INFINITY) return 0;
    const {T} first = pow(x, -s);
    if (first == INFINITY) return first;
    {T} at = x, before = 0, power = first;
    while (at < {far} + s && power > {small} * first) {{
        before += power;
        at += 1;
        power = pow(at, -s);
    }}
    const {T} steps[6] = {{ {e0}, {e1}, {e2}, {e3}, {e4}, {e5} }};
    {T} total = power / 2;
    {T} factor = s * power / at;
    for (int j = 0; j < 6; ++j) {{
        total += steps[j] * factor;
        factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (at * at);
    }}
    return before + (total + pow(at, 1 - s) / (s - 1));
}}""",
    "zeta": """\
// The sum of (x + k)^-s over k >= 0; below 0, where s is whole, from three sums above it.
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
    return positive_zeta_{n}(s, above) + way * (positive_zeta_{n}(s, below) - positive_zeta_{n}(s, 1 - x));
}}""",
    "polygamma": """\
// The order-th derivative of digamma: order! times the sum of (x + k)^-(order + 1).
{T} polygamma_{n}({T} order, {T} x) {{
    if (order == 0) return digamma_{n}(x);
    if (x != x || x == -INFINITY || !(order > 0 && order <= 100) || order != floor(order)) return NAN;
    const {T} way = (fmod(order, ({T})(2)) != 0) ? 1 : -1;
    if (x <= 0 && x == floor(x)) return (way > 0) ? ({T})(INFINITY) : ({T})(NAN);
    {T} total = zeta_{n}(order + 1, x);
    for ({T} k = 2; k <= order; k += 1) total *= k;
    return way * total;
}}""",
}
