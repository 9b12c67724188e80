"""The regularised incomplete gamma and beta functions: a series or a continued fraction, times a factor without loss.

DLMF 8.7.1, 8.9.2, 8.17.22; where a is large and x beside it, the first terms of Temme's expansion (DLMF 8.12). The
factors x^a exp(-x) / gamma(a + 1) and x^a (1 - x)^b / beta(a, b), from which the densities come, too, are written as
powers of what is far from overflow (Didonato and Morris, 1986 and 1992).
"""

from __future__ import annotations

ZETAS = (
    0.3224670334241132, 0.0673523010531981, 0.020580808427784546, 0.007385551028673986,
    0.0028905103307415234, 0.001192753911703261, 0.0005096695247430425, 0.00022315475845357939,
    9.945751278180853e-05, 4.492623673813314e-05, 2.050721277567069e-05, 9.439488275268397e-06,
    4.374866789907488e-06, 2.039215753801366e-06, 9.55141213040742e-07, 4.492469198764566e-07,
    2.1207184805554665e-07, 1.0043224823968099e-07, 4.7698101693639804e-08, 2.2711094608943164e-08,
    1.0838659214896955e-08, 5.183475041970047e-09, 2.4836745438024785e-09, 1.1921401405860912e-09,
    5.731367241678862e-10, 2.7595228851242334e-10, 1.330476437424449e-10, 6.4229645638381e-11,
)  # fmt: skip
"""(zeta(k) - 1) / k, for k from 2 on: see `log_gamma_of_next`."""

INCOMPLETE = {
    "log_less": """\
// log(part) - (part - 1), where more is part - 1.
{T} log_less_{n}({T} part, {T} more) {{
    return (part < {half}) ? log(part) - more : log1p_less_{n}(more);
}}""",
    "log1p_less": """\
// log(1 + x) - x without the loss of digits near 0.
{T} log1p_less_{n}({T} x) {{
    if (fabs(x) > {half}) return log1p(x) - x;
    const {T} r = x / (2 + x);
    const {T} square = r * r;
    {T} term = 1, total = 0;
    for (int k = 3; k < 60 && term > {small}; k += 2) {{
        total += term / k;
        term *= square;
    }}
    return 2 * r * square * total - x * r;
}}""",
    "stirling": """\
// gamma(a + 1) over sqrt(2 pi a) (a / e)^a, for a >= 10.
{T} stirling_{n}({T} a) {{
    const {T} s = 1 / (a * a);
    const {T} smaller = ({T})1 / 1680 - s * (({T})1 / 1188 - s * (({T})691 / 360360 - s * ({T})1 / 156));
    return exp((({T})1 / 12 - s * (({T})1 / 360 - s * (({T})1 / 1260 - s * smaller))) / a);
}}""",
    "gamma_of_next": """\
// gamma(a + 1), for 0 <= a < 20.
{T} gamma_of_next_{n}({T} a) {{
    {T} above = a, product = 1;
    for (; above < 10; above += 1) product *= above + 1;
    return pow(above, above) * exp(-above) * sqrt(2 * {pi} * above) * stirling_{n}(above) / product;
}}""",
    "log_gamma_of_next": """\
// log(gamma(a + 1)) without the loss of digits near 0, for abs(a) <= 1/2: a Taylor series (DLMF 5.7.3).
{T} log_gamma_of_next_{n}({T} a) {{
    const {T} zetas[] = {{
        {zetas}
    }};
    {T} total = 0;
    for (int k = 27; k >= 0; --k) total = zetas[k] - a * total;
    return a * a * total + a * {less_euler} - log1p(a);
}}""",
    "gamma_factor": """\
// x^a exp(-x) / gamma(a + 1), for a >= 0 and x > 0.
{T} gamma_factor_{n}({T} a, {T} x) {{
    if (a >= 10) {{
        return exp(a * log_less_{n}(x / a, (x - a) / a)) / (sqrt(2 * {pi} * a) * stirling_{n}(a));
    }}
    return (x > {beyond}) ? 0 : pow(x, a) * exp(-x) / gamma_of_next_{n}(a);
}}""",
    "incomplete_gamma": """\
// The part of gamma(a) up to x, or the one above it; a sum, a continued fraction (Lentz), or Temme's expansion.
{T} incomplete_gamma_{n}({T} a, {T} x, int upper) {{
    if (a != a || x != x || a < 0 || x < 0 || (a == 0 && x == 0) || (a == INFINITY && x == INFINITY)) return NAN;
    if (a == 0 || x == INFINITY) return upper ? 0 : 1;
    if (x == 0 || a == INFINITY) return upper ? 1 : 0;
    const {T} apart = (x - a) / a;
    if (a > {large} && fabs(apart) < {near}) {{
        const {T} less = -log1p_less_{n}(apart);
        const {T} eta = copysign(sqrt(2 * less), apart);
        const {T} first = (fabs(eta) < {half} / 5)
            ? -({T})1 / 3 + eta * (({T})1 / 12 - eta * (({T})2 / 135 - eta * (({T})1 / 864 + eta * (({T})1 / 2835))))
            : 1 / apart - 1 / eta;
        const {T} beside = exp(-a * less) / sqrt(2 * {pi} * a) * first;
        const {T} half_of = erfc((upper ? eta : -eta) * sqrt(a / 2)) / 2;
        return upper ? half_of + beside : half_of - beside;
    }}
    if (upper && a <= {half} && x < 1) {{
        const {T} power = a * log(x) - log_gamma_of_next_{n}(a);
        {T} term = 1, total = 0;
        for (int k = 1; k < {most} && fabs(term) > {small} * fabs(total); ++k) {{
            term *= -x / k;
            total += term / (a + k);
        }}
        return -expm1(power) - exp(power) * a * total;
    }}
    const {T} factor = gamma_factor_{n}(a, x);
    if (x < fmax(a, ({T})1)) {{
        {T} term = 1, total = 1;
        for (int k = 1; k < {most} && term > {small} * total; ++k) {{
            term *= x / (a + k);
            total += term;
        }}
        return upper ? 1 - factor * total : factor * total;
    }}
    {T} base = x + 1 - a, c = 1 / {tiny}, d = 1 / base, found = d;
    for (int k = 1; k < {most}; ++k) {{
        const {T} above = -k * (k - a);
        base += 2;
        d = above * d + base;
        c = base + above / c;
        d = 1 / ((fabs(d) < {tiny}) ? {tiny} : d);
        c = (fabs(c) < {tiny}) ? {tiny} : c;
        found *= d * c;
        if (fabs(d * c - 1) < {enough}) break;
    }}
    return upper ? factor * a * found : 1 - factor * a * found;
}}""",
    "gammainc": """\
{T} gammainc_{n}({T} a, {T} x) {{
    return incomplete_gamma_{n}(a, x, 0);
}}""",
    "gammaincc": """\
{T} gammaincc_{n}({T} a, {T} x) {{
    return incomplete_gamma_{n}(a, x, 1);
}}""",
    "gamma_density": """\
// x^(a - 1) exp(-x) / gamma(a).
{T} gamma_density_{n}({T} a, {T} x) {{
    if (a != a || x != x || a < 0 || x < 0) return NAN;
    if (a == 0 || a == INFINITY || x == INFINITY) return 0;
    if (x == 0) return (a < 1) ? INFINITY : (a == 1) ? 1 : 0;
    if (a >= 10) return gamma_factor_{n}(a, x) * a / x;
    return (x > {beyond}) ? 0 : pow(x, a - 1) * exp(-x) * (a / gamma_of_next_{n}(a));
}}""",
    "one_over_beta": """\
// 1 / beta(a, b), for 0 < a < 10 and 0 < b < 10.
{T} one_over_beta_{n}({T} a, {T} b) {{
    const {T} gammas = gamma_of_next_{n}(a + b) / (gamma_of_next_{n}(a) * gamma_of_next_{n}(b));
    return gammas * (a / (a + b) * b);
}}""",
    "beta_factor": """\
// x^a (1 - x)^b / beta(a, b), for 0 < x < 1.
{T} beta_factor_{n}({T} a, {T} b, {T} x) {{
    const {T} sum = a + b;
    if (a >= 10 && b >= 10) {{
        const {T} more = (x * b - (1 - x) * a) / a, less = ((1 - x) * a - x * b) / b;
        const {T} power = exp(a * log_less_{n}(x * sum / a, more) + b * log_less_{n}((1 - x) * sum / b, less));
        return power * sqrt(a / sum * b / (2 * {pi})) * stirling_{n}(sum) / (stirling_{n}(a) * stirling_{n}(b));
    }}
    const {T} large = fmax(a, b), few = fmin(a, b);
    if (large < 10) return pow(x, a) * exp(b * log1p(-x)) * one_over_beta_{n}(a, b);
    const {T} at = (a < b) ? x : 1 - x;
    const {T} rest = large * ((a < b) ? log1p(-x) : log(x));
    const {T} power = rest + large * log1p_less_{n}(few / large) + few * log(sum * at);
    return exp(power) * sqrt(large / sum) * stirling_{n}(sum) / stirling_{n}(large) * (few / gamma_of_next_{n}(few));
}}""",
    "beta_density": """\
// x^(a - 1) (1 - x)^(b - 1) / beta(a, b).
{T} beta_density_{n}({T} a, {T} b, {T} x) {{
    if (a != a || b != b || x != x || a < 0 || b < 0 || x < 0 || x > 1) return NAN;
    if (a == 0 || b == 0 || a == INFINITY || b == INFINITY) return 0;
    if (x == 0 || x == 1) {{
        const {T} near = (x == 0) ? a : b, far = (x == 0) ? b : a;
        return (near < 1) ? INFINITY : (near == 1) ? far : 0;
    }}
    if (a < 10 && b < 10) return pow(x, a - 1) * exp((b - 1) * log1p(-x)) * one_over_beta_{n}(a, b);
    return beta_factor_{n}(a, b, x) / (1 - x) / x;
}}""",
    "beta_fraction": """\
// The part of beta(a, b) up to x by a continued fraction (Lentz), of which `factor` is beta_factor(a, b, x).
{T} beta_fraction_{n}({T} a, {T} b, {T} x, {T} factor) {{
    {T} c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / ((fabs(d) < {tiny}) ? {tiny} : d);
    {T} found = d;
    for (int k = 1; k < {most}; ++k) {{
        const {T} even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / ((fabs(d) < {tiny}) ? {tiny} : d);
        c = (fabs(c) < {tiny}) ? {tiny} : c;
        found *= d * c;
        const {T} odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / ((fabs(d) < {tiny}) ? {tiny} : d);
        c = (fabs(c) < {tiny}) ? {tiny} : c;
        found *= d * c;
        if (fabs(d * c - 1) < {enough}) break;
    }}
    return found * (factor / a);
}}""",
    "betainc": """\
// The part of beta(a, b) up to x: what is beyond x is found where that converges faster, and is not nearly all.
{T} betainc_{n}({T} a, {T} b, {T} x) {{
    if (a != a || b != b || x != x || a < 0 || b < 0 || x < 0 || x > 1 || (a == 0 && b == 0)) return NAN;
    if (a == INFINITY || b == INFINITY) {{
        if (a == b) return NAN;
        return (a == INFINITY) ? ((x < 1) ? 0 : 1) : ((x > 0) ? 1 : 0);
    }}
    if (x == 0 || b == 0) return (x == 1) ? 1 : 0;
    if (x == 1 || a == 0) return 1;
    const {T} factor = beta_factor_{n}(a, b, x);
    if (x > (a + 1) / (a + b + 2) && 1 - x < 1) {{
        const {T} beyond = beta_fraction_{n}(b, a, 1 - x, factor);
        if (beyond < {nearly_all} || 1 - x < {slow}) return 1 - beyond;
    }}
    return beta_fraction_{n}(a, b, x, factor);
}}""",
}
