"""Integer expressions on the host: the extents of indices, the checks, the coefficients of positions.

Input: an expression of sizes and attributes. Output: a Python int (of any length). Nothing here knows tensors.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from netcl.kernels.compiler.ir import FLOATS, Apply, Attribute, Expr, Number, Size
from netcl.kernels.compiler.ir.functions import FUNCTIONS
from netcl.kernels.compiler.ir.quantity import itself, whole

BITS: dict[str, Callable[[int, int], int]] = {
    "bit_and": operator.and_, "bit_or": operator.or_, "bit_xor": operator.xor,
    "shift_left": lambda a, b: a << b if 0 <= b < 64 else 0,
    "shift_right": lambda a, b: a >> b if 0 <= b < 64 else -1 if a < 0 else 0,
}  # fmt: skip
"""Functions of the bits of whole numbers in two's complement, of any length."""

_VALUES: dict[str, Callable[..., int | float]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "neg": lambda a: -a,
    "div": lambda a, b: a / b, "pow": lambda a, b: a**b, "abs": abs,
    "floor_div": lambda a, b: a // b, "mod": lambda a, b: a % b, "exact_div": lambda a, b: a // b,
    "floor_divide": lambda a, b: a // b, "remainder": lambda a, b: a % b,
    "maximum": max, "minimum": min, "sign": lambda a: (a > 0) - (a < 0),
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    **BITS, "table": lambda at, *entries: entries[at] if 0 <= at < len(entries) else 0,
    "and": lambda a, b: a and b, "or": lambda a, b: a or b, "not": lambda a: not a,
}  # fmt: skip


class NotKnown(Exception):
    """The value depends on something the host does not know: an index, an element, an attribute or size not given."""


@dataclass(frozen=True)
class Numbers:
    """What the host knows: the extents of root indices, and attributes."""

    sizes: Mapping[str, int]
    attributes: Mapping[str, Any]


def integer(node: Expr, numbers: Numbers) -> int:
    """The value of an integer (or bool) expression. Raises NotKnown; ZeroDivisionError as Python does."""
    return whole(evaluated(node, numbers))


def known(node: Expr, numbers: Numbers) -> int | None:
    """The value of an integer expression, or None where the host does not know it, or it divides by zero."""
    try:
        return integer(node, numbers)
    except (NotKnown, ZeroDivisionError):
        return None


def evaluated(node: Expr, numbers: Numbers) -> int | float:
    """The value of an expression; inside of an integer one there may be floats, as in `int(size[n] * scale)`."""
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Size):
        if node.index not in numbers.sizes:
            raise NotKnown(node.index)
        return numbers.sizes[node.index]
    if isinstance(node, Attribute):
        if node.name not in numbers.attributes:
            raise NotKnown(node.name)
        given = numbers.attributes[node.name]
        return float(given) if node.dtype in FLOATS else whole(given)
    if not isinstance(node, Apply):
        raise NotKnown(repr(node))
    if node.function == "select":
        condition, first, second = node.children
        return evaluated(first if evaluated(condition, numbers) else second, numbers)
    values = [evaluated(child, numbers) for child in node.children]
    if node.function == "cast":
        return _cast(values[0], node.dtype)
    if node.function in _VALUES:
        return _VALUES[node.function](*values)
    with np.errstate(all="ignore"):
        return np.asarray(FUNCTIONS[node.function].value(*map(itself, values))).item()


def _cast(value: int | float, dtype: str) -> int | float:
    if dtype in FLOATS:
        return float(value)
    if dtype == "bool":
        return value != 0
    value = itself(value)
    if not math.isfinite(value):
        raise NotKnown(f"{value} as {dtype}")
    return int(value)
