"""The pointwise functions that a formula may apply: how many arguments, what dtype, and the value, one line each.

Derivatives are in `partials`, spellings in OpenCL are the emitter's. The value here is that of the reference evaluator,
in float64.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Function:
    """`arity` is 0 where any number of arguments is taken. `result` is "float" (numbers become floats), "same"
    (arguments promote together), "bits" (the same, of whole numbers alone), "bool", or "index" (int64)."""

    name: str
    arity: int
    result: str
    value: Callable[..., Any]


FUNCTIONS: dict[str, Function] = {}


def _function(name: str, arity: int, result: str, value: Callable[..., Any]) -> None:
    FUNCTIONS[name] = Function(name, arity, result, value)


def _elementwise(function: Callable[[float], float]) -> Callable[[Any], Any]:
    return np.vectorize(function, otypes=[np.float64])


def _lgamma(x: float) -> float:
    if math.isnan(x) or x == math.inf:
        return x
    if x == -math.inf or (x <= 0 and x == math.floor(x)):
        return math.inf
    try:
        return math.lgamma(x)
    except OverflowError:
        return math.inf


def _digamma(x: float) -> float:
    """Recurrence up to 10, then the asymptotic series (Abramowitz and Stegun 6.3.18); reflection below 0 (6.3.7)."""
    if math.isnan(x) or x == math.inf:
        return x
    if x == 0:
        return -math.copysign(math.inf, x)
    if x == -math.inf or (x < 0 and x == math.floor(x)):
        return math.nan
    if x < 0:
        return _digamma(1 - x) - math.pi / math.tan(math.pi * (x - round(x)))
    below = 0.0
    while x < 10:
        below -= 1 / x
        x += 1
    s = 1 / (x * x)
    return below + math.log(x) - 0.5 / x - s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s / 132))))


def _normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x * math.sqrt(0.5))


def random_uniform(seed: Any, counter: Any) -> Any:
    """A uniform number in [0, 1), 24 bits, from Philox-2x32-10 (Salmon et al., 2011) keyed by `seed`, at `counter`."""
    low32 = np.uint64(0xFFFFFFFF)
    seed = np.asarray(seed, dtype=np.int64).astype(np.uint64)
    counter = np.asarray(counter, dtype=np.int64).astype(np.uint64)
    key = (seed ^ (seed >> np.uint64(32)) * np.uint64(0x85EBCA6B)) & low32
    left, right = counter & low32, counter >> np.uint64(32)
    for _ in range(10):
        product = left * np.uint64(0xD256D193)
        left, right = (product >> np.uint64(32)) ^ key ^ right, product & low32
        key = (key + np.uint64(0x9E3779B9)) & low32
    return (left >> np.uint64(8)).astype(np.float64) * 2.0**-24


def _trigamma(x: float) -> float:
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
        return (math.pi / math.sin(math.pi * (x - round(x)))) ** 2 - _trigamma(1 - x)
    below = 0.0
    while x < 10:
        below += 1 / (x * x)
        x += 1
    s = 1 / (x * x)
    return below + 1 / x + s / 2 + s / x * (1 / 6 - s * (1 / 30 - s * (1 / 42 - s * (1 / 30 - s * 5 / 66))))


_BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600)
"""B2 / 2!, B4 / 4!, …: the coefficients of the Euler-Maclaurin sum."""


def _zeta(s: float, x: float) -> float:
    """The sum of (x + k)^-s over k >= 0, for x > 0 and s > 1, by Euler and Maclaurin's formula."""
    if x == math.inf:
        return 0.0
    near, at = [], x
    while at < 20 + s:
        near.append(at**-s if at > 1e-300 ** (1 / s) else math.inf)
        at += 1
    power = at**-s
    total, factor = power * at / (s - 1) + power / 2, s * power / at
    for j, coefficient in enumerate(_BERNOULLI):
        total += coefficient * factor
        factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (at * at)
    return total + math.fsum(near)


def _polygamma(order: float, x: float) -> float:
    """The order-th derivative of digamma (Abramowitz and Stegun 6.4.1, 6.4.10); below 0 from three sums above it."""
    if order == 0:
        return _digamma(x)
    if math.isnan(x) or x == -math.inf or not 0 < order <= 100 or order != math.floor(order):
        return math.nan
    s = order + 1
    if x > 0:
        total = _zeta(s, x)
    elif x == math.floor(x):
        return math.inf if order % 2 else math.nan
    else:
        from_whole = x - round(x)
        above = from_whole if from_whole > 0 else 1 + from_whole
        below = -from_whole if from_whole < 0 else 1 - from_whole
        across = _zeta(s, below) - _zeta(s, 1 - x)
        total = _zeta(s, above) + (across if order % 2 else -across)
    size = float(math.factorial(int(order)))
    return size * total if order % 2 else -size * total


def _shift_left(a: Any, b: Any) -> Any:
    """All bits are shifted out where b is negative, or no smaller than their number."""
    return np.where((b >= 0) & (b < 64), np.left_shift(a, np.clip(b, 0, 63)), 0)


def _shift_right(a: Any, b: Any) -> Any:
    """The sign moves in from the left; all else is shifted out where b is negative, or no smaller than their number."""
    return np.right_shift(a, np.where((b >= 0) & (b < 64), b, 63))


def _at(position: Any, *entries: Any) -> Any:
    """An entry; 0 outside of the table."""
    table = np.array([np.ravel(each)[0] for each in entries])
    inside = (position >= 0) & (position < len(entries))
    return np.where(inside, table[np.where(inside, position, 0)], 0)


def _fitting(function: Callable[[int, int], int]) -> Callable[[Any, Any], Any]:
    return np.vectorize(lambda a, b: -(1 << 63) <= function(int(a), int(b)) < 1 << 63, otypes=[np.bool_])


# arithmetic
_function("add", 2, "same", np.add)
_function("sub", 2, "same", np.subtract)
_function("mul", 2, "same", np.multiply)
_function("div", 2, "float", np.divide)
_function("neg", 1, "same", np.negative)
_function("pow", 2, "same", np.power)
_function("fmod", 2, "same", np.fmod)
_function("remainder", 2, "same", np.mod)
_function("floor_divide", 2, "same", np.floor_divide)
_function("maximum", 2, "same", np.maximum)
_function("minimum", 2, "same", np.minimum)
_function("select", 3, "same", np.where)

# exponentials and powers
_function("exp", 1, "float", np.exp)
_function("exp2", 1, "float", np.exp2)
_function("expm1", 1, "float", np.expm1)
_function("log", 1, "float", np.log)
_function("log2", 1, "float", np.log2)
_function("log10", 1, "float", np.log10)
_function("log1p", 1, "float", np.log1p)
_function("sqrt", 1, "float", np.sqrt)
_function("rsqrt", 1, "float", lambda a: 1 / np.sqrt(a))
_function("cbrt", 1, "float", np.cbrt)

# trigonometry
_function("sin", 1, "float", np.sin)
_function("cos", 1, "float", np.cos)
_function("tan", 1, "float", np.tan)
_function("asin", 1, "float", np.arcsin)
_function("acos", 1, "float", np.arccos)
_function("atan", 1, "float", np.arctan)
_function("sinh", 1, "float", np.sinh)
_function("cosh", 1, "float", np.cosh)
_function("tanh", 1, "float", np.tanh)
_function("asinh", 1, "float", np.arcsinh)
_function("acosh", 1, "float", np.arccosh)
_function("atanh", 1, "float", np.arctanh)
_function("atan2", 2, "float", np.arctan2)

# special functions
_function("erf", 1, "float", _elementwise(math.erf))
_function("erfc", 1, "float", _elementwise(math.erfc))
_function("normal_cdf", 1, "float", _elementwise(_normal_cdf))
_function("lgamma", 1, "float", _elementwise(_lgamma))
_function("digamma", 1, "float", _elementwise(_digamma))
_function("trigamma", 1, "float", _elementwise(_trigamma))
_function("polygamma", 2, "float", np.vectorize(_polygamma, otypes=[np.float64]))

# pieces: the derivative of a step is zero
_function("abs", 1, "same", np.abs)
_function("sign", 1, "same", np.sign)
_function("copysign", 2, "float", np.copysign)
_function("floor", 1, "same", np.floor)
_function("ceil", 1, "same", np.ceil)
_function("round", 1, "same", np.round)
_function("trunc", 1, "same", np.trunc)
_function("random", 2, "float", random_uniform)

# conditions
_function("eq", 2, "bool", np.equal)
_function("ne", 2, "bool", np.not_equal)
_function("lt", 2, "bool", np.less)
_function("le", 2, "bool", np.less_equal)
_function("gt", 2, "bool", np.greater)
_function("ge", 2, "bool", np.greater_equal)
_function("and", 2, "bool", np.logical_and)
_function("or", 2, "bool", np.logical_or)
_function("not", 1, "bool", np.logical_not)
_function("isnan", 1, "bool", np.isnan)
_function("isinf", 1, "bool", np.isinf)
_function("isfinite", 1, "bool", np.isfinite)

# the bits of whole numbers in two's complement; what is shifted out is lost
_function("bit_and", 2, "bits", np.bitwise_and)
_function("bit_or", 2, "bits", np.bitwise_or)
_function("bit_xor", 2, "bits", np.bitwise_xor)
_function("shift_left", 2, "bits", _shift_left)
_function("shift_right", 2, "bits", _shift_right)

# index arithmetic on int64: `exact_div` is only evaluated where the division leaves no rest
_function("floor_div", 2, "index", np.floor_divide)
_function("mod", 2, "index", np.mod)
_function("exact_div", 2, "index", np.floor_divide)
# a position; that it lies below the second argument is checked before the launch
_function("within", 2, "index", lambda a, size: a)

# whether the result of index arithmetic fits 64 bits
_function("add_fits", 2, "bool", _fitting(operator.add))
_function("sub_fits", 2, "bool", _fitting(operator.sub))
_function("mul_fits", 2, "bool", _fitting(operator.mul))

# the number of a table at a position
_function("table", 0, "same", _at)

# the value itself: `copy` is never a view, `detach` has no derivative, `cast` is in another dtype, `named` is a
# definition with a gradient of its own
_function("copy", 1, "same", lambda a: a)
_function("detach", 1, "same", lambda a: a)
_function("cast", 1, "same", lambda a: a)
_function("named", 1, "same", lambda a: a)
