"""The pointwise functions a formula may apply: value, dtype and derivative, one line each.

`y` is the function's own value, `a`, `b`, `c` its arguments; a partial derivative is an expression in them, or None
where it is zero everywhere (steps, comparisons, integers). It is written in the form that is steadiest: from the
output where that is possible (tanh, sqrt), and so that a select decides before anything overflows (pow).

How a function is spelled in OpenCL is the emitter's business; how it is evaluated in float64 is the `value` here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from netcl.kernels.compiler.ir import Expr, number

Partial = Callable[..., Expr]


@dataclass(frozen=True)
class Function:
    """`result` is "float" (numbers become floats), "same" (arguments promote together), "bool", or "index" (int64)."""

    name: str
    arity: int
    result: str
    value: Callable[..., Any]
    partials: tuple[Partial | None, ...] = ()


FUNCTIONS: dict[str, Function] = {}


def _function(
    name: str, result: str, value: Callable[..., Any], *partials: Partial | None, arity: int | None = None
) -> None:
    FUNCTIONS[name] = Function(name, arity or len(partials), result, value, partials)


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
        return _digamma(1 - x) - math.pi / math.tan(math.pi * (x - math.floor(x)))
    below = 0.0
    while x < 10:
        below -= 1 / x
        x += 1
    s = 1 / (x * x)
    return below + math.log(x) - 0.5 / x - s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s / 132))))


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


def _select(c: Expr, a: Expr | float, b: Expr | float) -> Expr:
    from netcl.kernels.compiler.simplify import call

    return call("select", c, a, b)


def _f(name: str) -> Callable[..., Expr]:
    def build(*arguments: Expr | float) -> Expr:
        from netcl.kernels.compiler.simplify import call

        return call(name, *arguments)

    return build


_exp, _log, _sin, _cos, _sqrt, _pow, _abs, _sign, _sinh, _cosh = map(
    _f, "exp log sin cos sqrt pow abs sign sinh cosh".split()
)
_lt, _gt, _ge, _eq, _ne, _floor, _isnan = map(_f, "lt gt ge eq ne floor isnan".split())
_digamma_of, _trigamma_of, _trunc = map(_f, "digamma trigamma trunc".split())


def _one(like: Expr) -> Expr:
    return number(1, like.dtype)


def _pow_base(y: Expr, a: Expr, b: Expr) -> Expr:
    """b * a**(b - 1), and 0 where b is 0 even at a = 0."""
    return _select(_eq(b, 0), 0, b * _pow(a, b - 1))


def _pow_exponent(y: Expr, a: Expr, b: Expr) -> Expr:
    """y * log(a), and 0 where a is 0 and b >= 0, as the limit has it."""
    return _select(_eq(a, 0), _select(_ge(b, 0), 0, y * _log(a)), y * _log(a))


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
        return (math.pi / math.sin(math.pi * (x - math.floor(x)))) ** 2 - _trigamma(1 - x)
    below = 0.0
    while x < 10:
        below += 1 / (x * x)
        x += 1
    s = 1 / (x * x)
    return below + 1 / x + s / 2 + s / x * (1 / 6 - s * (1 / 30 - s * (1 / 42 - s * (1 / 30 - s * 5 / 66))))


# arithmetic                                   d/da                                 d/db
_function("add", "same", np.add, lambda y, a, b: _one(a), lambda y, a, b: _one(b))
_function("sub", "same", np.subtract, lambda y, a, b: _one(a), lambda y, a, b: -_one(b))
_function("mul", "same", np.multiply, lambda y, a, b: b, lambda y, a, b: a)
_function("div", "float", np.divide, lambda y, a, b: 1 / b, lambda y, a, b: -y / b)
_function("neg", "same", np.negative, lambda y, a: -_one(a))
_function("pow", "same", np.power, _pow_base, _pow_exponent)
_function("fmod", "same", np.fmod, lambda y, a, b: _one(a), lambda y, a, b: -_trunc(a / b))
_function("remainder", "same", np.mod, lambda y, a, b: _one(a), lambda y, a, b: -_floor(a / b))
_function("floor_divide", "same", np.floor_divide, None, None)
_function("maximum", "same", np.maximum, lambda y, a, b: _share(a, b, y), lambda y, a, b: _share(b, a, y))
_function("minimum", "same", np.minimum, lambda y, a, b: _share(a, b, y), lambda y, a, b: _share(b, a, y))
_function("select", "same", np.where, None, lambda y, c, a, b: _select(c, 1, 0), lambda y, c, a, b: _select(c, 0, 1))

# exponentials and powers
_function("exp", "float", np.exp, lambda y, a: y)
_function("exp2", "float", np.exp2, lambda y, a: y * math.log(2))
_function("expm1", "float", np.expm1, lambda y, a: y + 1)
_function("log", "float", np.log, lambda y, a: 1 / a)
_function("log2", "float", np.log2, lambda y, a: 1 / (a * math.log(2)))
_function("log10", "float", np.log10, lambda y, a: 1 / (a * math.log(10)))
_function("log1p", "float", np.log1p, lambda y, a: 1 / (1 + a))
_function("sqrt", "float", np.sqrt, lambda y, a: 0.5 / y)
_function("rsqrt", "float", lambda a: 1 / np.sqrt(a), lambda y, a: -0.5 * y / a)
_function("cbrt", "float", np.cbrt, lambda y, a: 1 / (3 * y * y))

# trigonometry
_function("sin", "float", np.sin, lambda y, a: _cos(a))
_function("cos", "float", np.cos, lambda y, a: -_sin(a))
_function("tan", "float", np.tan, lambda y, a: 1 + y * y)
_function("asin", "float", np.arcsin, lambda y, a: 1 / _sqrt(1 - a * a))
_function("acos", "float", np.arccos, lambda y, a: -1 / _sqrt(1 - a * a))
_function("atan", "float", np.arctan, lambda y, a: 1 / (1 + a * a))
_function("sinh", "float", np.sinh, lambda y, a: _cosh(a))
_function("cosh", "float", np.cosh, lambda y, a: _sinh(a))
_function("tanh", "float", np.tanh, lambda y, a: 1 - y * y)
_function("asinh", "float", np.arcsinh, lambda y, a: 1 / _sqrt(a * a + 1))
_function("acosh", "float", np.arccosh, lambda y, a: 1 / (_sqrt(a - 1) * _sqrt(a + 1)))
_function("atanh", "float", np.arctanh, lambda y, a: 1 / (1 - a * a))
_function("atan2", "float", np.arctan2, lambda y, a, b: b / (a * a + b * b), lambda y, a, b: -a / (a * a + b * b))

# special functions
_function("erf", "float", _elementwise(math.erf), lambda y, a: 2 / math.sqrt(math.pi) * _exp(-a * a))
_function("erfc", "float", _elementwise(math.erfc), lambda y, a: -2 / math.sqrt(math.pi) * _exp(-a * a))
_function("lgamma", "float", _elementwise(_lgamma), lambda y, a: _digamma_of(a))
_function("digamma", "float", _elementwise(_digamma), lambda y, a: _trigamma_of(a))
_function("trigamma", "float", _elementwise(_trigamma), arity=1)

# pieces: the derivative of a step is zero
_function("abs", "same", np.abs, lambda y, a: _sign(a))
_function("sign", "same", np.sign, None)
_function("copysign", "float", np.copysign, lambda y, a, b: _sign(a) * _sign(y), None)
_function("floor", "same", np.floor, None)
_function("ceil", "same", np.ceil, None)
_function("round", "same", np.round, None)
_function("trunc", "same", np.trunc, None)
_function("random", "float", random_uniform, None, None)

# conditions
_function("eq", "bool", np.equal, None, None)
_function("ne", "bool", np.not_equal, None, None)
_function("lt", "bool", np.less, None, None)
_function("le", "bool", np.less_equal, None, None)
_function("gt", "bool", np.greater, None, None)
_function("ge", "bool", np.greater_equal, None, None)
_function("and", "bool", np.logical_and, None, None)
_function("or", "bool", np.logical_or, None, None)
_function("not", "bool", np.logical_not, None)
_function("isnan", "bool", np.isnan, None)
_function("isinf", "bool", np.isinf, None)
_function("isfinite", "bool", np.isfinite, None)

# index arithmetic on int64: `exact_div` is only evaluated where the division leaves no rest
_function("floor_div", "index", np.floor_divide, None, None)
_function("mod", "index", np.mod, None, None)
_function("exact_div", "index", np.floor_divide, None, None)

# the value itself: `copy` is never a view, `detach` has no derivative, `cast` is in another dtype
_function("copy", "same", lambda a: a, lambda y, a: _one(y))
_function("detach", "same", lambda a: a, None)
_function("cast", "same", lambda a: a, lambda y, a: _one(y))


def _share(mine: Expr, other: Expr, y: Expr) -> Expr:
    """Ties share the gradient equally; an operand that is NaN gets the whole of it, as it made the value."""
    return _select(_eq(mine, other), 0.5, _select(_eq(mine, y), 1, _select(_ne(mine, mine), 1, 0)))
