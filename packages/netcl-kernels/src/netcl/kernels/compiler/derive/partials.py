"""The partial derivatives of the pointwise functions, one line each.

`y` is the function's own value, `a`, `b`, `c` its arguments. A partial is an expression in them, or None where it is
zero everywhere. It is written in the form that is steadiest: from the output where that is possible (tanh, sqrt), and
so that a select decides before anything overflows (pow). A function that is not listed is a step, a condition or an
integer: its partials are zero. The order of a polygamma is a whole number. A partial that is `UNKNOWN` is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from netcl.kernels.compiler.ir import Expr, number
from netcl.kernels.compiler.ir.simplify import call

Partial = Callable[..., Expr]

_select, _abs, _sign = (partial(call, name) for name in ("select", "abs", "sign"))
_eq, _ne, _ge, _gt = (partial(call, name) for name in ("eq", "ne", "ge", "gt"))
_exp, _log, _sqrt, _rsqrt, _pow, _trunc, _floor_divide = (
    partial(call, name) for name in ("exp", "log", "sqrt", "rsqrt", "pow", "trunc", "floor_divide")
)
_sin, _cos, _sinh, _cosh, _digamma, _trigamma = (
    partial(call, name) for name in ("sin", "cos", "sinh", "cosh", "digamma", "trigamma")
)


def _one(like: Expr) -> Expr:
    return number(1, like.dtype)


def _pow_base(y: Expr, a: Expr, b: Expr) -> Expr:
    """b * a**(b - 1), and 0 where b is 0 even if a is 0, infinite or NaN; elsewhere the product is 0 by itself, with
    the right slope in b."""
    ordinary = call("and", call("isfinite", a), _ne(a, 0))
    return _select(call("and", _eq(b, 0), call("not", ordinary)), 0, b * _pow(a, b - 1))


def _pow_exponent(y: Expr, a: Expr, b: Expr) -> Expr:
    """y * log(a), and 0 where a is 0 and b >= 0, as the limit has it."""
    return _select(_eq(a, 0), _select(_ge(b, 0), 0, y * _log(a)), y * _log(a))


def _share(wins: str, mine: Expr, other: Expr) -> Expr:
    """Ties share the gradient equally; an operand that is NaN gets the whole of it, as it made the value."""
    chosen = call("or", call(wins, mine, other), call("isnan", mine))
    return _select(_eq(mine, other), 0.5, _select(chosen, 1, 0))


def _below_one(a: Expr) -> Expr:
    """1 - a * a, which keeps its digits near 1 and -1; at these the slope of the product would be inf - inf."""
    return _select(_eq(_abs(a), 1), 1 - a * a, (1 - a) * (1 + a))


def _turn(side: Expr, a: Expr, b: Expr) -> Expr:
    """side / (a * a + b * b), and 0 at the origin and at infinity. Squares of tiny and of huge numbers leave the range,
    so that all is divided by the longer side; the quotient does not depend on it, nor do its derivatives."""
    longer = call("detach", call("maximum", _abs(a), _abs(b)))
    length = longer * ((a / longer) * (a / longer) + (b / longer) * (b / longer))
    return _select(call("or", _eq(longer, 0), _eq(longer, math.inf)), 0, side / longer / length)


def _slope_of_power(base: Expr, exponent: Expr) -> Expr:
    """The slope of base ** exponent over that; 0 where the exponent is 0."""
    return _select(_eq(exponent, 0), 0, exponent / base)


def _density(a: Expr) -> Expr:
    """The density of the normal distribution."""
    return 1 / math.sqrt(2 * math.pi) * _exp(-0.5 * a * a)


def _beta_share(y: Expr, part: Expr, both: Expr, at: Expr) -> Expr:
    """The slope of a density of beta's by one exponent, that of `at`."""
    return y * (_log(at) - _digamma(part) + _digamma(both))


def _scaled_slope(a: Expr) -> Expr:
    """exp(-abs(a)) times the slope of i1, which is i0 - i1 / a; near 0, where that cancels, by its power series."""
    square = a * a
    near: Expr = number(11 / 176947200, a.dtype)
    for coefficient in (9 / 1474560, 7 / 18432, 5 / 384, 3 / 16, 1 / 2):
        near = near * square + coefficient
    return _select(call("lt", _abs(a), 0.25), _exp(-_abs(a)) * near, call("i0e", a) - call("i1e", a) / a)


def UNKNOWN(*_: Expr) -> Expr:  # noqa: N802
    """In the place of a partial: there is a derivative, and no formula for it."""
    raise AssertionError("refused before it is asked")


PARTIALS: dict[str, tuple[Partial | None, ...]] = {
    # arithmetic                                   d/da                                 d/db
    "add": (lambda y, a, b: _one(a), lambda y, a, b: _one(b)),
    "sub": (lambda y, a, b: _one(a), lambda y, a, b: -_one(b)),
    "mul": (lambda y, a, b: b, lambda y, a, b: a),
    "div": (lambda y, a, b: 1 / b, lambda y, a, b: -y / b),
    "neg": (lambda y, a: -_one(a),),
    "pow": (_pow_base, _pow_exponent),
    "fmod": (lambda y, a, b: _one(a), lambda y, a, b: -_trunc(a / b)),
    "remainder": (lambda y, a, b: _one(a), lambda y, a, b: -_floor_divide(a, b)),
    "maximum": (lambda y, a, b: _share("gt", a, b), lambda y, a, b: _share("gt", b, a)),
    "minimum": (lambda y, a, b: _share("lt", a, b), lambda y, a, b: _share("lt", b, a)),
    "select": (None, lambda y, c, a, b: _select(c, 1, 0), lambda y, c, a, b: _select(c, 0, 1)),
    # exponentials and powers
    "exp": (lambda y, a: y,),
    "exp2": (lambda y, a: y * math.log(2),),
    "expm1": (lambda y, a: y + 1,),
    "log": (lambda y, a: 1 / a,),
    "log2": (lambda y, a: 1 / (a * math.log(2)),),
    "log10": (lambda y, a: 1 / (a * math.log(10)),),
    "log1p": (lambda y, a: 1 / (1 + a),),
    "sqrt": (lambda y, a: 0.5 / y,),
    "rsqrt": (lambda y, a: -0.5 * y * y * y,),
    "cbrt": (lambda y, a: (1 / y) * (1 / y) / 3,),
    # trigonometry
    "sin": (lambda y, a: _cos(a),),
    "cos": (lambda y, a: -_sin(a),),
    "tan": (lambda y, a: 1 + y * y,),
    "asin": (lambda y, a: 1 / _sqrt(_below_one(a)),),
    "acos": (lambda y, a: -1 / _sqrt(_below_one(a)),),
    "atan": (lambda y, a: 1 / (1 + a * a),),
    "sinh": (lambda y, a: _cosh(a),),
    "cosh": (lambda y, a: _sinh(a),),
    "tanh": (lambda y, a: 1 - y * y,),
    "asinh": (lambda y, a: _select(_gt(_abs(a), 1e9), 1 / _abs(a), 1 / _sqrt(a * a + 1)),),
    "acosh": (lambda y, a: _rsqrt(a - 1) * _rsqrt(a + 1),),
    "atanh": (lambda y, a: 1 / _below_one(a),),
    "atan2": (lambda y, a, b: _turn(b, a, b), lambda y, a, b: -_turn(a, a, b)),
    # special functions
    "erf": (lambda y, a: 2 / math.sqrt(math.pi) * _exp(-a * a),),
    "erfc": (lambda y, a: -2 / math.sqrt(math.pi) * _exp(-a * a),),
    "normal_cdf": (lambda y, a: _density(a),),
    "times_normal_cdf": (lambda y, b, a: call("normal_cdf", a), lambda y, b, a: b * _density(a)),
    "times_normal_cdf_tanh": (
        lambda y, b, a: call("times_normal_cdf_tanh", _one(a), a),
        lambda y, b, a: _select(
            _gt(_abs(a), 30), 0, call("times_normal_cdf_tanh", y, -a) * math.sqrt(8 / math.pi) * (1 + 0.134145 * a * a)
        ),
    ),
    "lgamma": (lambda y, a: _digamma(a),),
    "digamma": (lambda y, a: _trigamma(a),),
    "trigamma": (lambda y, a: call("polygamma", 2, a),),
    "polygamma": (None, lambda y, n, a: call("polygamma", n + 1, a)),
    "zeta": (UNKNOWN, lambda y, s, a: -s * call("zeta", s + 1, a)),
    "i0": (lambda y, a: call("i1", a),),
    "i1": (lambda y, a: _exp(0.5 * _abs(a)) * _scaled_slope(a) * _exp(0.5 * _abs(a)),),
    "i0e": (lambda y, a: call("i1e", a) - _sign(a) * y,),
    "i1e": (lambda y, a: _scaled_slope(a) - _sign(a) * y,),
    "gammainc": (UNKNOWN, lambda y, a, b: call("gamma_density", a, b)),
    "gammaincc": (UNKNOWN, lambda y, a, b: -call("gamma_density", a, b)),
    "gamma_density": (
        lambda y, a, b: y * (_log(b) - _digamma(a)),
        lambda y, a, b: y * (_slope_of_power(b, a - 1) - 1),
    ),
    "betainc": (UNKNOWN, UNKNOWN, lambda y, a, b, c: call("beta_density", a, b, c)),
    "beta_density": (
        lambda y, a, b, c: _beta_share(y, a, a + b, c),
        lambda y, a, b, c: _beta_share(y, b, a + b, 1 - c),
        lambda y, a, b, c: y * (_slope_of_power(c, a - 1) - _slope_of_power(1 - c, b - 1)),
    ),
    # pieces: the derivative of a step is zero
    "abs": (lambda y, a: _sign(a),),
    "copysign": (lambda y, a, b: _sign(a) * _sign(y), None),
    # the value itself: `copy` is never a view, `detach` has no derivative, `cast` is in another dtype
    "copy": (lambda y, a: _one(y),),
    "cast": (lambda y, a: _one(y),),
    "named": (lambda y, a: _one(y),),
}
