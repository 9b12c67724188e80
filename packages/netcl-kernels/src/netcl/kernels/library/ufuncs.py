"""NumPy's functions of tensors, for Tensors and for what stands for them: `np.sin(x)`, a universal function, is
`ops.sin(x)`, and `np.mean(x)`, which calls a method with what NumPy's has as arguments, is `ops.mean(x)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from netcl.kernels.library.composites import COMPOSITES, call_op

_NAMES = {
    "subtract": "sub", "multiply": "mul", "divide": "div", "power": "pow", "negative": "neg", "absolute": "abs",
    "fabs": "abs", "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt",
    "greater_equal": "ge", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "rint": "round", "degrees": "rad2deg",
    "radians": "deg2rad",
}  # fmt: skip
"""Those that have another name here."""
_SAME = frozenset(
    """add matmul remainder floor_divide fmod positive sign square reciprocal sqrt cbrt exp exp2 expm1 log log2 log10
    log1p sin cos tan sinh cosh tanh floor ceil trunc isnan isinf isfinite maximum minimum fmax fmin hypot logaddexp
    logaddexp2 copysign deg2rad rad2deg logical_and logical_or logical_not vecdot""".split()
)


def universal(self: Any, function: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
    """What numpy calls when one of the operands of a universal function is a tensor. Raises TypeError for what has no
    op."""
    name = function.__name__
    if method != "__call__":
        raise TypeError(f"np.{name}.{method} takes no tensors; give it x.to_host(), or take an op such as x.sum()")
    if keywords:
        raise TypeError(f"np.{name} of a tensor has no {', '.join(keywords)}; it takes the operands alone")
    if name not in _NAMES and name not in _SAME:
        raise TypeError(f"np.{name} takes no tensors; give it x.to_host(), which is an array")
    return call_op(_NAMES.get(name, name), *inputs)


def _reduced(function: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
    """A reduction; NumPy says of it also what it leaves as it is, and calls the correction of a variance ddof."""
    for name in ("dtype", "out"):
        if name in kwargs and kwargs[name] is None:
            del kwargs[name]
    if "ddof" in kwargs and "correction" not in kwargs:
        kwargs["correction"] = kwargs.pop("ddof")
    return function(self, *args, **kwargs)


def _transposed(function: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
    """`np.transpose(x)`, which says that no order was given, turns all axes around."""
    return COMPOSITES["permute"](self) if args == (None,) and not kwargs else function(self, *args, **kwargs)


METHODS = {**dict.fromkeys(("mean", "prod", "std", "sum", "var"), _reduced), "transpose": _transposed}
"""Methods that NumPy's functions call with more arguments than ours have, and what calls ours then."""
