"""Between which ends an integer expression over positions lies: interval arithmetic.

Input: an expression of positions, sizes and attributes, and what is known of them. Output: (least, most) that holds
for all values of the indices; the expression need not come to its ends. Indices are taken to have values.
"""

from __future__ import annotations

from itertools import product

from netcl.kernels.compiler.host import NotKnown, Numbers, integer
from netcl.kernels.compiler.ir import Apply, Expr, Position, root

Ends = tuple[int, int]


def ends(node: Expr, numbers: Numbers) -> Ends:
    """Raises NotKnown where there is no saying."""
    try:
        value = integer(node, numbers)
    except NotKnown:
        return _moving(node, numbers)
    except ZeroDivisionError:
        raise NotKnown(repr(node)) from None
    return value, value


def _moving(node: Expr, numbers: Numbers) -> Ends:
    if isinstance(node, Position):
        return 0, max(numbers.sizes[root(node.index)] - 1, 0)
    if not isinstance(node, Apply):
        raise NotKnown(repr(node))
    if node.function in ("mod", "remainder"):
        return _rest(node.children[0], node.children[1], numbers)
    if node.function == "select":
        first, second = (ends(child, numbers) for child in node.children[1:])
        return min(first[0], second[0]), max(first[1], second[1])
    children = [ends(child, numbers) for child in node.children]
    if node.function == "add":
        (a, b), (c, d) = children
        return a + c, b + d
    if node.function == "sub":
        (a, b), (c, d) = children
        return a - d, b - c
    if node.function == "neg":
        ((a, b),) = children
        return -b, -a
    if node.function == "mul":
        corners = [a * b for a, b in product(*children)]
        return min(corners), max(corners)
    if node.function in ("maximum", "minimum"):
        choose = max if node.function == "maximum" else min
        (a, b), (c, d) = children
        return choose(a, c), choose(b, d)
    if node.function in ("floor_div", "floor_divide", "exact_div") and children[1][0] == children[1][1] > 0:
        (a, b), (by, _) = children
        return a // by, b // by
    raise NotKnown(repr(node))


def _rest(node: Expr, divisor: Expr, numbers: Numbers) -> Ends:
    by = integer(divisor, numbers)
    if by <= 0:
        raise NotKnown(repr(divisor))
    try:
        least, most = ends(node, numbers)
    except NotKnown:
        return 0, by - 1
    return (least % by, most % by) if least // by == most // by else (0, by - 1)
