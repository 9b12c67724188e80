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

from netcl.kernels.compiler.ir import special
from netcl.kernels.compiler.ir.nodes import Apply, Expr


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


def _elementwise(function: Callable[..., float]) -> Callable[..., Any]:
    return np.vectorize(function, otypes=[np.float64])


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
_function("normal_cdf", 1, "float", _elementwise(special.normal_cdf))
_function("times_normal_cdf", 2, "float", _elementwise(special.times_normal_cdf))
_function("times_normal_cdf_tanh", 2, "float", _elementwise(special.times_normal_cdf_tanh))
_function("lgamma", 1, "float", _elementwise(special.lgamma))
_function("digamma", 1, "float", _elementwise(special.digamma))
_function("trigamma", 1, "float", _elementwise(special.trigamma))
_function("polygamma", 2, "float", _elementwise(special.polygamma))
_function("zeta", 2, "float", _elementwise(special.zeta))
_function("i0", 1, "float", _elementwise(lambda a: special.bessel(0, a)))
_function("i1", 1, "float", _elementwise(lambda a: special.bessel(1, a)))
_function("i0e", 1, "float", _elementwise(lambda a: special.scaled_bessel(0, a)))
_function("i1e", 1, "float", _elementwise(lambda a: special.scaled_bessel(1, a)))
_function("gammainc", 2, "float", _elementwise(lambda a, x: special.incomplete_gamma(a, x, upper=False)))
_function("gammaincc", 2, "float", _elementwise(lambda a, x: special.incomplete_gamma(a, x, upper=True)))
_function("gamma_density", 2, "float", _elementwise(special.gamma_density))
_function("betainc", 3, "float", _elementwise(special.incomplete_beta))
_function("beta_density", 3, "float", _elementwise(special.beta_density))

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


def is_of_reals(node: Expr) -> bool:
    """Whether it applies a function of real numbers, which costs more than a sum or a product."""
    return isinstance(node, Apply) and FUNCTIONS[node.function].result == "float"
