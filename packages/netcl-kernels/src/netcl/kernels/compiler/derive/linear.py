"""Whether an expression is nothing but multiples of some operands, as what is linear in them is."""

from __future__ import annotations

import math
from collections.abc import Collection

from netcl.kernels.compiler.ir import Apply, Expr, Number, Read, Reduce, subexpressions


def vanishes_with(expr: Expr, operands: Collection[str]) -> bool:
    """Whether nothing of an expression stands beside multiples of these operands: `a * dy + b` has b. Of what it cannot
    look into it is taken for granted, where one of them is read there."""
    depends: dict[Expr, bool] = {}
    vanishes: dict[Expr, bool] = {}
    for node in subexpressions(expr):
        is_one = isinstance(node, Read) and node.operand in operands
        depends[node] = is_one or any(depends[child] for child in node.children)
        vanishes[node] = _vanishes(node, [vanishes[child] for child in node.children], depends[node])
    return vanishes[expr]


def _vanishes(node: Expr, children: list[bool], depends: bool) -> bool:
    """Whether a node does, by whether its children do."""
    if isinstance(node, Number):
        return node.value == 0 or (isinstance(node.value, float) and math.isnan(node.value))
    if isinstance(node, Apply):
        if node.function == "select":
            condition, first, _ = node.children
            is_nan = isinstance(condition, Apply) and condition.function == "isnan" and condition.children[0] == first
            return (children[1] or is_nan) and children[2]
        if node.function in ("add", "sub"):
            return all(children)
        if node.function == "mul":
            return any(children)
        if node.function in ("div", "neg", "detach", "cast"):
            return children[0]
    if isinstance(node, Reduce) and node.kind == "sum":
        return children[0]
    return depends
