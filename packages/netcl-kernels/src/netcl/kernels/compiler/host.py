"""Integer expressions on the host: the extents of indices, the checks, the coefficients of positions.

Input: an expression of sizes and attributes. Output: a Python int (of any length). Nothing here knows tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from netcl.kernels.compiler.ir import Apply, Attribute, Expr, Number, Size

_VALUES: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "neg": lambda a: -a,
    "div": lambda a, b: a / b, "pow": lambda a, b: a**b, "abs": abs,
    "floor_div": lambda a, b: a // b, "mod": lambda a, b: a % b, "exact_div": lambda a, b: a // b,
    "floor_divide": lambda a, b: a // b, "remainder": lambda a, b: a % b,
    "maximum": max, "minimum": min, "sign": lambda a: (a > 0) - (a < 0),
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
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
    if isinstance(node, Number):
        return int(node.value)
    if isinstance(node, Size):
        if node.index not in numbers.sizes:
            raise NotKnown(node.index)
        return numbers.sizes[node.index]
    if isinstance(node, Attribute):
        if node.name not in numbers.attributes:
            raise NotKnown(node.name)
        return int(numbers.attributes[node.name])
    if not isinstance(node, Apply):
        raise NotKnown(repr(node))
    if node.function == "select":
        condition, first, second = node.children
        return integer(first if integer(condition, numbers) else second, numbers)
    if node.function == "cast":
        value = integer(node.children[0], numbers)
        return int(value) if node.dtype.startswith(("int", "uint")) else value
    if node.function not in _VALUES:
        raise NotKnown(node.function)
    return _VALUES[node.function](*(integer(child, numbers) for child in node.children))
