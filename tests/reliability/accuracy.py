"""How many digits of float32 results are right: errors in units of the last place (ulp), function by function.

The exact values are those of formulas in float64 that do not cancel, at 100,000 points for `main`.
The points lie evenly among all magnitudes, densely where functions bend, beside their zeros and beside whole numbers.

`python accuracy.py [count]` prints the worst of each function and where it is.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from netcl import autograd as ag
from netcl import core

Array = np.ndarray[Any, Any]

ROOT = math.sqrt(0.5)


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def _mish(x: float) -> float:
    e = math.exp(-abs(x))
    return x * (1 + 2 * e) / (1 + 2 * e + 2 * e * e) if x > 0 else x * e * (2 + e) / (2 + e * (2 + e))


def _sinc(x: float) -> float:
    turns = round(x)
    return math.sin(math.pi * (x - turns)) * (-1) ** turns / (math.pi * x) if x else 1.0


def _tanhshrink(x: float) -> float:
    """Lambert's continued fraction near 0, where the difference would cancel."""
    if abs(x) > 1:
        return x - math.tanh(x)
    rest = 23.0
    for odd in range(21, 1, -2):
        rest = odd + x * x / rest
    share = x * x / rest
    return x * share / (1 + share)


FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[float], float], float]] = {
    "gelu": (ag.gelu, lambda x: 0.5 * x * math.erfc(-x * ROOT), 4),
    "silu": (ag.silu, lambda x: x * math.exp(x) / (1 + math.exp(x)) if x < 0 else x * _logistic(x), 3),
    "mish": (ag.mish, _mish, 4),
    "sinc": (ag.sinc, _sinc, 4),
    "softplus": (ag.softplus, lambda x: max(x, 0.0) + math.log1p(math.exp(-abs(x))), 3),
    "tanhshrink": (ag.tanhshrink, _tanhshrink, 4),
    "logit": (ag.logit, lambda x: math.log1p((2 * x - 1) / (1 - x)) if 0.25 < x < 1 else math.log(x / (1 - x)), 4),
    "lgamma": (ag.lgamma, math.lgamma, 4),
}  # fmt: skip
"""The function, the same for a number in float64, and how many ulp it may be off."""

WITHIN: dict[str, Callable[[Array], Array]] = {
    "gelu": lambda x: x > -13,  # below, results leave the normal numbers
    "logit": lambda x: (x > 0) & (x < 1),
    "lgamma": lambda x: x > 0,  # below 0 it crosses 0 between two poles: the page says how well
}
"""Where the bound holds, if not everywhere."""


def points(count: int, seed: int = 0) -> Array:
    """Numbers of every size and sign, beside 0, 1/2 and whole numbers."""
    rng = np.random.default_rng(seed)
    size = np.exp(rng.uniform(np.log(1e-30), np.log(1e30), count // 4))
    middle = np.exp(rng.uniform(np.log(1e-4), np.log(110), count // 4))
    whole = rng.integers(-50, 50, count // 8) * (1 + rng.integers(-3, 4, count // 8) * 1.2e-7)
    near = 0.5 + np.concatenate([rng.uniform(-1, 1, count // 16), rng.normal(size=count // 16) * 1e-5])
    found = np.concatenate([size, -size, middle, -middle, whole, near, rng.uniform(0, 1, count // 8)])
    return np.unique(found.astype(np.float32))


def ulps(found: Array, exact: Array) -> Array:
    """The distance in units of the last place of the exact values; 0 where those are beyond float32."""
    beyond = ~np.isfinite(exact) | (np.abs(exact) >= float(np.finfo(np.float32).max))
    unit = np.exp2(np.floor(np.log2(np.maximum(np.abs(exact), 2.0**-126))) - 23)
    with np.errstate(invalid="ignore"):
        return np.where(beyond, 0, np.abs(found.astype(np.float64) - exact) / unit)


def worst(name: str, count: int) -> tuple[float, float]:
    """(the largest error in ulp, the point where it is)."""
    function, exact, _ = FUNCTIONS[name]
    x = points(count)
    x = x[WITHIN[name](x)] if name in WITHIN else x
    values = np.array([_exact(exact, float(each)) for each in x])
    errors = ulps(function(core.from_host(x)).to_host(), values)
    at = int(np.argmax(np.where(np.isnan(errors), np.inf, errors)))
    return float(errors[at]), float(x[at])


def _exact(function: Callable[[float], float], x: float) -> float:
    try:
        return function(x)
    except (OverflowError, ValueError, ZeroDivisionError):
        return math.inf


def main(count: int = 100_000) -> None:
    """Print the worst error of each function."""
    for name in FUNCTIONS:
        error, at = worst(name, count)
        print(f"{name:12} {error:6.2f} ulp at {at!r}, of at most {FUNCTIONS[name][2]}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
