"""Special functions of one float64 each, for the reference evaluator: slow, and as their definitions say.

How devices compute them is another matter: see `opencl.special`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def lgamma(x: float) -> float:
    if math.isnan(x) or x == math.inf:
        return x
    if x == -math.inf or (x <= 0 and x == math.floor(x)):
        return math.inf
    try:
        return math.lgamma(x)
    except OverflowError:
        return math.inf


_SMALLER = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160)
"""B2 / 2, B4 / 4, …: the coefficients of the asymptotic series of digamma."""


def digamma(x: float) -> float:
    """Recurrence up to 10, then the asymptotic series (Abramowitz and Stegun 6.3.18); reflection below 0 (6.3.7)."""
    if math.isnan(x) or x == math.inf:
        return x
    if x == 0:
        return -math.copysign(math.inf, x)
    if x == -math.inf or (x < 0 and x == math.floor(x)):
        return math.nan
    if x < 0:
        return digamma(1 - x) - math.pi / math.tan(math.pi * (x - round(x)))
    if 1 <= x <= 2:
        return _digamma_beside_its_root(x)
    terms = []
    while x < 10:
        terms.append(-1 / x)
        x += 1
    s = 1 / (x * x)
    return math.fsum([*terms, math.log(x), -0.5 / x, *(-each * s ** (k + 1) for k, each in enumerate(_SMALLER))])


def _digamma_beside_its_root(x: float) -> float:
    """The difference of digamma at x and where it is 0, of which each term has a factor x - root: nothing cancels."""
    root, rest = 1.4616321449683622, 9.549995429965697e-17
    apart = (x - root) - rest
    at, zero = x + 10, root + 10
    s, t = 1 / (at * at), 1 / (zero * zero)
    slope = value = 0.0  # of the series, divided by s: between s and t, and at t
    for each in reversed(_SMALLER):
        slope, value = slope * s + value, value * t + each
    series = apart * (at + zero) * s * t * (slope * s + value)
    terms = [apart / ((x + k) * (root + k)) for k in range(10)]
    return math.fsum([*terms, math.log1p(apart / zero), apart / (2 * at * zero), series])


def normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x * math.sqrt(0.5))


def normal_cdf_tanh(x: float) -> float:
    """(1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, which is near the distribution (Page, 1977), without its
    cancellation."""
    u = math.sqrt(8 / math.pi) * x * (1 + 0.044715 * x * x)
    e = math.exp(-abs(u))
    return (1 if u > 0 else e) / (1 + e)


def times_normal_cdf(b: float, x: float) -> float:
    return _times(b, normal_cdf(x), x)


def times_normal_cdf_tanh(b: float, x: float) -> float:
    return _times(b, normal_cdf_tanh(x), x)


def _times(b: float, part: float, x: float) -> float:
    """b times what is positive at every finite x, also where it is below the smallest number."""
    return b if math.isinf(b) and math.isfinite(x) else b * part


def trigamma(x: float) -> float:
    """psi'(x) by recurrence and the asymptotic series (Abramowitz and Stegun 6.4.12); reflection below 0 (6.4.7)."""
    if math.isnan(x):
        return x
    if x == math.inf:
        return 0.0
    if x == -math.inf:
        return math.nan
    if x <= 0:
        if x == math.floor(x):
            return math.inf
        return (math.pi / math.sin(math.pi * (x - round(x)))) ** 2 - trigamma(1 - x)
    terms = []
    while x < 10:
        terms.append(1 / (x * x))
        x += 1
    s = 1 / (x * x)
    return math.fsum([*terms, 1 / x, s / 2, *(2 * k * each * s**k / x for k, each in enumerate(_SMALLER, 1))])


_BERNOULLI = (
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600,
    -3617 / 10670622842880000, 43867 / 5109094217170944000, -174611 / 802857662698291200000,
    77683 / 14101100039391805440000, -236364091 / 1693824136731743669452800000,
)  # fmt: skip
"""B2 / 2!, B4 / 4!, …: the coefficients of the Euler-Maclaurin sum."""


def _scaled_zeta(s: float, x: float) -> float:
    """The sum of (x + k)^-s over k >= 0, for x > 0 and s > 1, times x^s, or x^(s - 1) where x > 1; by Euler and
    Maclaurin's formula: terms while they count and x + k is small beside s, and what is left."""
    first = 1 / x if x > 1 else 1.0
    near, term, k = [], first, 0
    while x + k < 20 + s:
        near.append(term)
        if term * (x + k) < 1e-18 * first * (s - 1):
            return math.fsum(near)
        k += 1
        term = first * math.exp(-s * math.log1p(k / x))
    at = x + k
    total, factor = 0.5, s / at
    for j, coefficient in enumerate(_BERNOULLI):
        total += coefficient * factor
        factor *= (s + 2 * j + 1) / at * ((s + 2 * j + 2) / at)
    return math.fsum([*near, term * total, term * at / (s - 1)])


def _positive_zeta(s: float, x: float) -> float:
    if x == math.inf:
        return 0.0
    power = _power(x, 1 - s if x > 1 else -s)
    return power if math.isinf(power) else power * _scaled_zeta(s, x)


def _paired_powers(s: float, above: float, below: float, apart: float, way: int) -> float:
    """above^-s + way * below^-s, where above - below is `apart`, without the loss of digits where they cancel."""
    if way < 0 and s * abs(apart) < 0.5:
        return _power(below, -s) * math.expm1(-s * math.log1p(apart / below))
    return _power(above, -s) + way * _power(below, -s)


def _power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf


def zeta(s: float, x: float) -> float:
    """The sum of (x + k)^-s over k >= 0. Below 0, where s is whole, the terms of negative x + k are like those of a sum
    above 0 but for their sign; the two nearest to 0 are added first, as they may cancel."""
    if math.isnan(s) or math.isnan(x) or s < 1 or x == -math.inf:
        return math.nan
    if s == 1:
        return math.inf
    if s == math.inf:
        return 0.0 if x > 1 else 1.0 if x == 1 else math.inf if x >= 0 else math.nan
    if x > 0:
        return _positive_zeta(s, x)
    if x == math.floor(x):
        return math.inf
    if s != math.floor(s):
        return math.nan
    way = -1 if s % 2 else 1
    off = x - round(x)
    above, below = off if off > 0 else 1 + off, -off if off < 0 else 1 - off
    nearest = _paired_powers(s, above, below, 2 * off - (1 if off > 0 else -1), way)
    next_to_them = _positive_zeta(s, 1 + above) + way * _positive_zeta(s, 1 + below)
    return nearest + (next_to_them - way * _positive_zeta(s, 1 - x))


def polygamma(order: float, x: float) -> float:
    """The order-th derivative of digamma (Abramowitz and Stegun 6.4.1, 6.4.10)."""
    if order == 0:
        return digamma(x)
    if math.isnan(x) or x == -math.inf or not 0 < order <= 100 or order != math.floor(order):
        return math.nan
    if x <= 0 and x == math.floor(x):
        return math.inf if order % 2 else math.nan
    if 0 < x < math.inf:
        half = _power(x, -(order if x > 1 else order + 1) / 2)
        size = half * math.factorial(int(order)) * half * _scaled_zeta(order + 1, x)
    else:
        size = math.factorial(int(order)) * zeta(order + 1, x)
    return size if order % 2 else -size


def scaled_bessel(order: int, x: float) -> float:
    """exp(-abs(x)) I(x) of order 0 or 1: the integral over an angle (Abramowitz and Stegun 9.6.19), whose trapezoidal
    sum converges faster than any power; for small x the power series, for large x the asymptotic one (9.7.1)."""
    if math.isnan(x):
        return x
    size = abs(x)
    if size < 0.5:
        square, found, term = size * size / 4, 1.0, 1.0
        for k in range(1, 12):
            term *= square / (k * (k + order))
            found += term
        found *= math.exp(-size) * (size / 2 if order else 1)
    elif size < 1000:
        angles = np.linspace(0, math.pi, 64 + int(16 * math.sqrt(size)))
        steps = np.exp(-2 * size * np.sin(angles / 2) ** 2) * (np.cos(angles) if order else 1)
        found = (math.fsum(steps) - (steps[0] + steps[-1]) / 2) / (len(angles) - 1)
    else:
        found = term = 1.0
        for k in range(1, 8):
            term *= ((2 * k - 1) ** 2 - 4 * order) / (8 * k * size)
            found += term
        found /= math.sqrt(2 * math.pi) * math.sqrt(size)
    return math.copysign(found, x) if order else found


def bessel(order: int, x: float) -> float:
    """The modified function of Bessel of order 0 or 1."""
    if abs(x) > 714:
        return math.copysign(math.inf, x) if order else math.inf
    return scaled_bessel(order, x) * math.exp(abs(x) / 2) * math.exp(abs(x) / 2)


def incomplete_gamma(a: float, x: float, upper: bool) -> float:
    """The part of gamma(a) up to x, or above it (DLMF 8.7.1, 8.9.2)."""
    if math.isnan(a) or math.isnan(x) or min(a, x) < 0 or a == x == 0 or a == x == math.inf:
        return math.nan
    if a == 0 or x == math.inf:
        return float(not upper)
    if x == 0 or a == math.inf:
        return float(upper)
    near = (x - a) / a
    if a > 1e6 and abs(near) < 0.3:
        return _temme(a, near, upper)
    factor = math.exp(_log_of_gamma_factor(a, x))
    if x < max(a, 1):
        term = total = 1.0
        k = 1
        while term > 1e-17 * total and k < 1_000_000:
            term *= x / (a + k)
            total += term
            k += 1
        return 1 - factor * total if upper else factor * total
    above = factor * a / _continued(x + 1 - a, lambda k: (-k * (k - a), x + 1 - a + 2 * k))
    return above if upper else 1 - above


def gamma_density(a: float, x: float) -> float:
    """x^(a - 1) exp(-x) / gamma(a)."""
    if math.isnan(a) or math.isnan(x) or min(a, x) < 0:
        return math.nan
    if a == 0 or math.inf in (a, x):
        return 0.0
    if x == 0:
        return _at_an_end(a, 1.0)
    if a < 10:
        return math.exp((a - 1) * math.log(x) - x - math.lgamma(a))
    return math.exp(_log_of_gamma_factor(a, x)) * a / x


def _at_an_end(exponent: float, at_one: float) -> float:
    """The limit of at_one * x^(exponent - 1) at 0."""
    return math.inf if exponent < 1 else at_one if exponent == 1 else 0.0


def _temme(a: float, near: float, upper: bool) -> float:
    """The first terms of Temme's expansion for large a (DLMF 8.12), where x is a * (1 + near)."""
    less = _less(1 + near, near)
    eta = math.copysign(math.sqrt(2 * less), near)
    first = 1 / near - 1 / eta if abs(eta) > 0.1 else np.polyval([1 / 2835, 1 / 864, -2 / 135, 1 / 12, -1 / 3], eta)
    beside = math.exp(-a * less) / (math.sqrt(2 * math.pi) * math.sqrt(a)) * first
    tail = math.erfc((eta if upper else -eta) * math.sqrt(a / 2)) / 2
    return float(tail + beside if upper else tail - beside)


def _less(part: float, near: float) -> float:
    """near - log(part), where near is part - 1."""
    if abs(near) < 0.01:
        return math.fsum((-near) ** k / k for k in range(2, 12))
    return near - (math.log1p(near) if near > -0.5 else math.log(part) if part > 0 else -math.inf)


def _log_of_gamma_factor(a: float, x: float) -> float:
    """The logarithm of x^a exp(-x) / gamma(a + 1)."""
    if a < 10:
        return max(a * math.log(x) - x - math.lgamma(a + 1), -1e300)
    return -a * _less(x / a, (x - a) / a) - math.log(2 * math.pi * a) / 2 - _log_of_stirling(a)


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The part of beta(a, b) up to x (DLMF 8.17.22)."""
    if math.isnan(a + b + x) or min(a, b, x) < 0 or x > 1 or a == b == 0 or a == b == math.inf:
        return math.nan
    if a == math.inf or b == math.inf:
        return float(x == 1) if a == math.inf else float(x > 0)
    if x == 0 or b == 0:
        return float(x == 1)
    if x == 1 or a == 0:
        return 1.0
    if x > (a + 1) / (a + b + 2) and 1 - x < 1:
        beyond = incomplete_beta(b, a, 1 - x)
        if beyond < 0.999 or 1 - x < 1e-5:
            return 1 - beyond
    factor = math.exp(_log_of_beta_factor(a, b, x))

    def step(k: int) -> tuple[float, float]:
        m = k // 2
        if k % 2:
            return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), 1.0
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), 1.0

    return factor / (a * _continued(1.0, step))


def beta_density(a: float, b: float, x: float) -> float:
    """x^(a - 1) (1 - x)^(b - 1) / beta(a, b)."""
    if math.isnan(a + b + x) or min(a, b, x) < 0 or x > 1:
        return math.nan
    if 0 in (a, b) or math.inf in (a, b):
        return 0.0
    if x in (0, 1):
        return _at_an_end(b, a) if x else _at_an_end(a, b)
    if max(a, b) < 10:
        size = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        return math.exp((a - 1) * math.log(x) + (b - 1) * math.log1p(-x) + size)
    return math.exp(_log_of_beta_factor(a, b, x)) / (1 - x) / x


def _log_of_beta_factor(a: float, b: float, x: float) -> float:
    """The logarithm of x^a (1 - x)^b / beta(a, b), from what is left of both beside their most likely place."""
    both = a + b
    apart = x * b - (1 - x) * a
    less = a * _less(x * both / a, apart / a) + b * _less((1 - x) * both / b, -apart / b)
    sizes = [_log_of_stirling(each) for each in (a, b, both)]
    return -less + math.log(a / both * b / (2 * math.pi)) / 2 + sizes[2] - sizes[0] - sizes[1]


def _log_of_stirling(a: float) -> float:
    """The logarithm of gamma(a + 1) over sqrt(2 pi a) (a / e)^a."""
    if a < 10:
        return math.lgamma(a + 1) - math.log(2 * math.pi * a) / 2 - a * math.log(a) + a
    s = 1 / (a * a)
    return math.fsum(each / (2 * k + 1) * s**k / a for k, each in enumerate(_SMALLER))


def _continued(first: float, step: Callable[[int], tuple[float, float]]) -> float:
    """first + a1 / (b1 + a2 / (b2 + …)), where `step` gives each (a, b), by the method of Lentz."""
    tiny = 1e-300
    found = c = first or tiny
    d = 0.0
    for k in range(1, 1_000_000):
        above, base = step(k)
        d = 1 / (base + above * d or tiny)
        c = base + above / c or tiny
        found *= c * d
        if abs(c * d - 1) < 3e-16:
            break
    return found
