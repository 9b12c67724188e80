"""How many digits of results are right: errors in units of the last place (ulp), function by function.

The exact values have 40 digits (mpmath). The points lie evenly among all magnitudes, densely where functions bend,
beside their zeros and beside whole numbers. Where a bound does not hold, `FUNCTIONS` says so, and so does the page.

`python accuracy.py [count]` prints the worst of each function and where it is; `--page` writes the page of them.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from mpmath import log, mp, mpf

from netcl import autograd as ag
from netcl import core

Array = np.ndarray[Any, Any]
PAGE = Path(__file__).parents[2] / "docs/reference/accuracy.md"

HEAD = """# How exact the functions are

Errors of float32 results in units of the last place (ulp) at {count:,} points among all magnitudes, beside exact values
of 40 digits; a result that is rounded correctly has at most 0.5. The bounds are tests, and this page is written by
`python tests/reliability/accuracy.py --page`. Results below the normal numbers (1.2e-38) count in units of the smallest
float, 1.4e-45.

| function | worst, ulp | at | bound, ulp | but for |
| --- | --- | --- | --- | --- |
"""


WIDE_HEAD = """
## In float64

The same of special functions in float64, at {count:,} points, in ulp of float64.

| function | where | worst, ulp | at | bound, ulp |
| --- | --- | --- | --- | --- |
"""


class Function(NamedTuple):
    """`call` on tensors, `exact` on numbers of mpmath, and the `bound` in ulp, as far as `within` goes.

    `beside`: where the result is a small difference of such numbers, its error counts in ulp of these; `why` says so.
    `zeros`: where to look more closely. `draw` gives so many points itself.
    """

    call: Callable[..., Any]
    exact: Callable[..., Any]
    bound: float = 4
    within: Callable[..., Array] | None = None
    beside: Callable[..., Array] | None = None
    why: str = ""
    zeros: tuple[float, ...] = ()
    count: int = 1
    draw: Callable[[int], tuple[Array, ...]] | None = None


def _mish(x: Any) -> Any:
    return x * mp.tanh(mp.log1p(mp.exp(x)))


def _gelu_tanh(x: Any) -> Any:
    u = 2 * mpf("0.797884560802865355879892119868763737") * (x + mpf("0.044715") * x**3)
    return x / (1 + mp.exp(-u))


def _softplus(x: Any) -> Any:
    return mp.log1p(mp.exp(x)) if x < 40 else x + mp.exp(-x)


def _pow(a: Any, b: Any) -> Any:
    return mp.power(a, b) if a > 0 or b == int(b) else mp.nan


def _logaddexp(a: Any, b: Any) -> Any:
    return max(a, b) + mp.log1p(mp.exp(-abs(a - b)))


def _larger(a: Array, b: Array) -> Array:
    larger = np.maximum(a, b)
    return np.where(larger < 1, np.maximum(-larger, 0.1), 0)


def _nonzero(a: Array, b: Array) -> Array:
    return b != 0


SCALE, ALPHA = mpf("1.0507009873554804934193349852946"), mpf("1.6732632423543772848170429916717")
positive = lambda x: x > 0  # noqa: E731

FUNCTIONS: dict[str, Function] = {
    "sqrt": Function(ag.sqrt, mp.sqrt, within=positive),
    "rsqrt": Function(ag.rsqrt, lambda x: 1 / mp.sqrt(x), within=positive),
    "cbrt": Function(ag.cbrt, lambda x: mp.sign(x) * mp.cbrt(abs(x))),
    "reciprocal": Function(ag.reciprocal, lambda x: 1 / x),
    "exp": Function(ag.exp, mp.exp),
    "exp2": Function(ag.exp2, lambda x: mpf(2) ** x),
    "expm1": Function(ag.expm1, mp.expm1),
    "log": Function(ag.log, log, within=positive),
    "log2": Function(ag.log2, lambda x: mp.log(x) / mp.log(2), within=positive),
    "log10": Function(ag.log10, mp.log10, within=positive),
    "log1p": Function(ag.log1p, mp.log1p, within=lambda x: x > -1),
    "sin": Function(ag.sin, mp.sin),
    "cos": Function(ag.cos, mp.cos),
    "tan": Function(ag.tan, mp.tan),
    "asin": Function(ag.asin, mp.asin, within=lambda x: abs(x) <= 1),
    "acos": Function(ag.acos, mp.acos, within=lambda x: abs(x) <= 1),
    "atan": Function(ag.atan, mp.atan),
    "sinh": Function(ag.sinh, mp.sinh),
    "cosh": Function(ag.cosh, mp.cosh),
    "tanh": Function(ag.tanh, mp.tanh),
    "asinh": Function(ag.asinh, mp.asinh),
    "acosh": Function(ag.acosh, mp.acosh, within=lambda x: x >= 1),
    "atanh": Function(ag.atanh, mp.atanh, within=lambda x: abs(x) < 1),
    "erf": Function(ag.erf, mp.erf),
    "erfc": Function(ag.erfc, mp.erfc),
    "erfinv": Function(ag.erfinv, mp.erfinv, within=lambda x: abs(x) < 1),
    "lgamma": Function(
        ag.lgamma,
        lambda x: mp.log(abs(mp.gamma(x))) if x < 1e6 else mp.loggamma(x),
        beside=lambda x: np.where(x < 0, 1 + np.abs(x), 0),
        why="x < 0, where it crosses 0 between its poles: in ulp of 1 - x",
        zeros=(-2.457024738220801, -2.747682646727413, -3.143580888349980, -3.955294284858598, -4.039361839740537),
    ),
    "digamma": Function(
        ag.digamma,
        mp.digamma,
        zeros=(1.461632144968362, -0.504083008264455, -1.573498473162391, -2.610720868444145, -3.635293366436901),
    ),
    "i0": Function(ag.i0, lambda x: mp.besseli(0, x), within=lambda x: abs(x) < 91),
    "i1": Function(ag.i1, lambda x: mp.besseli(1, x), within=lambda x: abs(x) < 91),
    "i0e": Function(ag.i0e, lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), within=lambda x: abs(x) < 1e4),
    "i1e": Function(ag.i1e, lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), within=lambda x: abs(x) < 1e4),
    "ndtri": Function(
        ag.ndtri,
        lambda x: mp.sqrt(2) * mp.erfinv(2 * mpf(x) - 1),
        within=lambda x: (x > 1e-30) & (x < 1),
    ),
    "sinc": Function(ag.sinc, mp.sincpi),
    "logit": Function(ag.logit, lambda x: mp.log(x / (1 - x)), within=lambda x: (x > 0) & (x < 1)),
    "sigmoid": Function(
        ag.sigmoid,
        lambda x: 1 / (1 + mp.exp(-x)),
        within=lambda x: x > -87,
        why="x < -87, where it leaves the normal numbers: 0 from -88.7 on",
    ),
    "logsigmoid": Function(ag.logsigmoid, lambda x: -_softplus(-x)),
    "softplus": Function(ag.softplus, _softplus),
    "softsign": Function(ag.softsign, lambda x: x / (1 + abs(x))),
    "elu": Function(ag.elu, lambda x: x if x > 0 else mp.expm1(x)),
    "celu": Function(ag.celu, lambda x: x if x > 0 else mp.expm1(x)),
    "selu": Function(ag.selu, lambda x: SCALE * (x if x > 0 else ALPHA * mp.expm1(x))),
    "gelu": Function(ag.gelu, lambda x: x * mp.ncdf(x)),
    "gelu, tanh": Function(lambda x: ag.gelu(x, approximate="tanh"), _gelu_tanh),
    "silu": Function(ag.silu, lambda x: x / (1 + mp.exp(-x))),
    "mish": Function(ag.mish, _mish),
    "tanhshrink": Function(ag.tanhshrink, lambda x: x - mp.tanh(x)),
    "div": Function(ag.div, lambda a, b: a / b, count=2),
    "pow": Function(ag.pow, _pow, count=2),
    "atan2": Function(ag.atan2, mp.atan2, count=2),
    "hypot": Function(ag.hypot, mp.hypot, count=2),
    "fmod": Function(ag.fmod, lambda a, b: mp.sign(a) * (abs(a) % abs(b)), within=_nonzero, count=2),
    "remainder": Function(ag.remainder, lambda a, b: a % b, within=_nonzero, count=2),
    "xlogy": Function(ag.xlogy, lambda a, b: a * mp.log(b), within=lambda a, b: b > 0, count=2),
    "logaddexp": Function(
        ag.logaddexp,
        _logaddexp,
        beside=_larger,
        why="both below 1, where it crosses 0: in ulp of the larger one, or of 0.1",
        count=2,
    ),
    "logaddexp2": Function(
        ag.logaddexp2,
        lambda a, b: _logaddexp(a * mp.log(2), b * mp.log(2)) / mp.log(2),
        beside=_larger,
        why="both below 1, where it crosses 0: in ulp of the larger one, or of 0.1",
        count=2,
    ),
}  # fmt: skip
"""Every pointwise function of float operands that rounds more than once; those of several arguments that are special
functions (zeta, gammainc, gammaincc, betainc) stand in tests/kernels/test_special_functions.py."""


def _hurwitz(s: Any, q: Any) -> Any:
    """The zeta function by Euler and Maclaurin's formula: mpmath's has digits beside 1, not beside its value."""
    terms = max(0, int(s + 60 - q))
    at = q + terms
    found = mp.fsum((q + k) ** -s for k in range(terms)) + at ** (1 - s) / (s - 1) + at**-s / 2
    factor = s * at ** (-s - 1)
    for k in range(1, 31):
        found += mp.bernoulli(2 * k) / mp.factorial(2 * k) * factor
        factor *= (s + 2 * k - 1) * (s + 2 * k) / at**2
    return found


def _polygamma(n: int) -> Callable[..., Any]:
    return lambda x: (-1) ** (n + 1) * mp.factorial(n) * _hurwitz(mpf(n + 1), x)


def _sizes(low: float, high: float, count: int, seed: int) -> Array:
    return np.asarray(np.exp(np.random.default_rng(seed).uniform(np.log(low), np.log(high), count)))


def _gamma_operands(count: int) -> tuple[Array, ...]:
    """a of every size, and x as far from it as a gamma distribution is wide."""
    a = _sizes(1e-2, 1e3, count, 3)
    return a, a * np.exp(np.random.default_rng(4).normal(size=count) / np.sqrt(1 + a))


def _beta_operands(count: int) -> tuple[Array, ...]:
    """a and b of every size, and x where a beta distribution mostly is."""
    a, b = _sizes(0.1, 300, count, 5), _sizes(0.1, 300, count, 6)
    middle = a / (a + b)
    x = middle + np.random.default_rng(7).normal(size=count) * np.sqrt(middle * (1 - middle) / (1 + a + b))
    return a, b, np.clip(x, 0.001, 0.999)


WIDE: dict[str, Function] = {
    "digamma": Function(
        ag.digamma,
        mp.digamma,
        why="x > 0",
        draw=lambda count: (np.append(_sizes(1e-9, 1e9, count, 1), 1.461632144968362 + _sizes(1e-16, 1, count, 2)),),
    ),
    "polygamma, n = 1": Function(
        lambda x: ag.polygamma(x, n=1),
        _polygamma(1),
        bound=8,
        why="x from 1e-3 to 1e6",
        draw=lambda count: (_sizes(1e-3, 1e6, count, 1),),
    ),
    "polygamma, n = 60": Function(
        lambda x: ag.polygamma(x, n=60),
        _polygamma(60),
        bound=16,
        why="x from 1e-3 to 1e4",
        draw=lambda count: (_sizes(1e-3, 1e4, count, 1),),
    ),
    "zeta": Function(
        ag.zeta,
        _hurwitz,
        bound=8,
        why="s from 1.001 to 130, q from 1e-3 to 200",
        draw=lambda count: (_sizes(1.001, 130, count, 1), _sizes(1e-3, 200, count, 2)),
    ),
    "gammainc": Function(
        ag.gammainc,
        lambda a, x: mp.gammainc(a, 0, x, regularized=True),
        bound=32,
        why="a from 0.01 to 1,000, x near it",
        draw=_gamma_operands,
    ),
    "gammaincc": Function(
        ag.gammaincc,
        lambda a, x: mp.gammainc(a, x, regularized=True),
        bound=96,
        why="a from 0.01 to 1,000, x near it",
        draw=_gamma_operands,
    ),
    "betainc": Function(
        ag.betainc,
        lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True),
        bound=512,
        why="a and b from 0.1 to 300, x near a / (a + b)",
        draw=_beta_operands,
    ),
}
"""Special functions in float64, where their formulas need enough terms; `why` says where they are looked at."""


def points(count: int, seed: int = 0) -> Array:
    """Numbers of every size and sign, beside 0, 1/2 and whole numbers."""
    rng = np.random.default_rng(seed)
    size = np.exp(rng.uniform(np.log(1e-30), np.log(1e30), count // 4))
    middle = np.exp(rng.uniform(np.log(1e-4), np.log(110), count // 4))
    whole = rng.integers(-50, 50, count // 8) * (1 + rng.integers(-3, 4, count // 8) * 1.2e-7)
    near = 0.5 + np.concatenate([rng.uniform(-1, 1, count // 16), rng.normal(size=count // 16) * 1e-5])
    found = np.concatenate([size, -size, middle, -middle, whole, near, rng.uniform(0, 1, count // 8)])
    return np.unique(found.astype(np.float32))


def operands(function: Function, count: int) -> tuple[Array, ...]:
    """Where a function is looked at: with two operands, half of the pairs are near each other."""
    if function.draw is not None:
        return function.draw(count)
    x = points(count)
    if function.zeros:
        rng = np.random.default_rng(2)
        beside = [
            zero * (1 + rng.normal(size=count // 8) * 10 ** rng.uniform(-8, -1, count // 8)) for zero in function.zeros
        ]
        x = np.unique(np.concatenate([x, *beside]).astype(np.float32))
    if function.count == 1:
        found: tuple[Array, ...] = (x,)
    else:
        rng = np.random.default_rng(1)
        near = (x * (1 + rng.normal(size=len(x)) * np.exp(rng.uniform(-15, 2, len(x))))).astype(np.float32)
        found = (x, np.where(rng.random(len(x)) < 0.5, near, rng.permutation(x)))
    if function.within is not None:
        inside = function.within(*found)
        found = tuple(each[inside] for each in found)
    return found


def ulps(found: Array, exact: Array, rest: Array, unit: Array) -> Array:
    """The distance from exact + rest in units of the last place; 0 where these are beyond the dtype, or none."""
    beyond = ~np.isfinite(exact) | (np.abs(exact) >= np.finfo(found.dtype).max)
    with np.errstate(invalid="ignore"):
        errors = np.abs(found.astype(np.float64) - exact - rest) / unit
    return np.where(beyond, 0, np.where(np.isnan(errors), np.inf, errors))


def worst(name: str, count: int, dtype: str = "float32") -> tuple[float, tuple[float, ...]]:
    """(the largest error in ulp, the point where it is)."""
    function = (FUNCTIONS if dtype == "float32" else WIDE)[name]
    given = operands(function, count)
    pairs = [_exact(function.exact, each) for each in zip(*(x.tolist() for x in given), strict=True)]
    exact, rest = np.array(pairs).T
    limits = np.finfo(dtype)
    size = np.maximum(np.abs(np.nan_to_num(exact)), 0 if function.beside is None else function.beside(*given))
    clipped = np.clip(size, float(limits.smallest_normal), float(limits.max))
    unit = np.exp2(np.floor(np.log2(clipped)) - limits.nmant)
    errors = ulps(function.call(*map(core.from_host, given)).to_host(), exact, rest, unit)
    at = int(np.argmax(errors))
    return float(errors[at]), tuple(float(x[at]) for x in given)


def _exact(function: Callable[..., Any], point: tuple[float, ...]) -> tuple[float, float]:
    """The exact value, rounded to float64, and what is left of it."""
    try:
        with mp.workdps(40):
            found = function(*map(mpf, point))
            value = float(found)
            return value, float(found - value) if np.isfinite(value) else 0.0
    except (OverflowError, ValueError, ZeroDivisionError, TypeError):
        return float("nan"), 0.0


def main(count: int, page: bool) -> int:
    """Print the worst error of each function; returns how many are beyond their bound."""
    rows, beyond = [], []
    for name, function in FUNCTIONS.items():
        error, at = worst(name, count)
        place = ", ".join(f"{each:.9g}" for each in at)
        print(f"{name:22} {error:6.2f} ulp at {place}, of at most {function.bound:g}", flush=True)
        rows.append((error, f"| {name} | {error:.2f} | {place} | {function.bound:g} | {function.why} |"))
        if not error <= function.bound:
            beyond.append(name)
    wide_rows, wide_count = [], max(count // 50, 1)
    for name, function in WIDE.items():
        error, at = worst(name, wide_count, "float64")
        place = ", ".join(f"{each:.17g}" for each in at)
        print(f"{name:22} {error:6.2f} ulp of float64 at {place}, of at most {function.bound:g}", flush=True)
        wide_rows.append(f"| {name} | {function.why} | {error:.2f} | {place} | {function.bound:g} |")
        if not error <= function.bound:
            beyond.append(name)
    if page:
        text = HEAD.format(count=count) + "\n".join(row for _, row in rows) + "\n"
        text += WIDE_HEAD.format(count=wide_count) + "\n".join(wide_rows) + "\n"
        PAGE.write_text(text, encoding="utf-8")
    most = max(error for error, _ in rows)
    print(
        f"{len(rows)} functions, at most {most:.1f} ulp, {len(beyond)} beyond their bound {' '.join(beyond)}".rstrip()
    )
    return len(beyond)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=100_000)
    parser.add_argument("--page", action="store_true", help="write docs/reference/accuracy.md")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.exit(1 if main(asked.count, asked.page) else 0)
