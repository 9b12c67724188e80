"""Whether an expression is nothing but multiples of some operands, as what is linear in them is."""

from __future__ import annotations

import math
from collections.abc import Collection

from netcl.kernels.compiler.ir import Apply, Expr, Number, Read, Reduce, subexpressions

_OF_EITHER = ("mul",)
_OF_THE_FIRST = ("div", "neg", "detach", "cast")
_OF_BOTH = ("add", "sub")


def vanishes_with(expr: Expr, operands: Collection[str]) -> bool:
    """Whether nothing of an expression stands beside multiples of these operands: `a * dy + b` has b. Of what it cannot
    look into it is taken for granted, where one of them is read there."""
    depends: dict[Expr, bool] = {}
    for node in subexpressions(expr):
        is_one = isinstance(node, Read) and node.operand in operands
        depends[node] = is_one or any(depends[child] for child in node.children)
    found: dict[Expr, bool] = {}

    def vanishes(node: Expr) -> bool:
        if node not in found:
            found[node] = _rule(node)
        return found[node]

    def _rule(node: Expr) -> bool:
        if isinstance(node, Number):
            return node.value == 0 or (isinstance(node.value, float) and math.isnan(node.value))
        if isinstance(node, Apply):
            if node.function == "select":
                return all(map(vanishes, node.children[1:]))
            if node.function in _OF_BOTH:
                return all(map(vanishes, node.children))
            if node.function in _OF_EITHER:
                return any(map(vanishes, node.children))
            if node.function in _OF_THE_FIRST:
                return vanishes(node.children[0])
        if isinstance(node, Reduce) and node.kind == "sum":
            return vanishes(node.body)
        return depends[node]

    return vanishes(expr)
