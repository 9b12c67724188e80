"""Floats as integers in the same order: `ordinal(x)`, and back, `ordinal_value(n)`.

The bits of a positive float, taken as an integer, are in the order of the floats; those of a negative one are turned
round. Both zeros are 0, and every NaN is the largest integer, which no other float is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netcl.kernels.compiler.ir.construct import apply
from netcl.kernels.compiler.ir.nodes import Expr

INTEGER_OF = {"float32": "int32", "float64": "int64"}

Array = np.ndarray[Any, Any]


def ordinal(value: Expr) -> Expr:
    """The integer of a float."""
    return apply("ordinal", (value,), INTEGER_OF[value.dtype])


def ordinal_value(value: Expr, dtype: str) -> Expr:
    """The float of this dtype of an integer; of 0 it is 0, and of what no float is it is whatever."""
    return apply("ordinal_value", (value,), dtype)


def ordinals(values: Array, dtype: str) -> Array:
    """The integers of floats of this dtype."""
    bits = np.asarray(values, dtype).view(INTEGER_OF[dtype])
    magnitude = bits & np.iinfo(bits.dtype).max
    return np.where(np.isnan(values), np.iinfo(bits.dtype).max, np.where(bits < 0, -magnitude, magnitude))


def ordinal_values(integers: Array, dtype: str) -> Array:
    """The floats of this dtype that integers stand for."""
    whole = np.asarray(integers, INTEGER_OF[dtype])
    return np.copysign(np.abs(whole).view(dtype), np.where(whole < 0, -1, 1))
