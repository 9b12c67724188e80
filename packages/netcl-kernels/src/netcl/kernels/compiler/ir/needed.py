"""Conditions without which an expression is 0, by its form alone: what is 0 * x counts as any number."""

from __future__ import annotations

from collections.abc import Mapping

from netcl.kernels.compiler.ir.choices import conjuncts
from netcl.kernels.compiler.ir.nodes import FLOATS, Apply, Expr, Number, Reduce, subexpressions

NEVER = None
"""Instead of conditions, for what is 0 everywhere."""

Conditions = frozenset[Expr] | None


def needed(expr: Expr) -> list[Expr]:
    """These conditions, in the order in which they are met."""
    memo: dict[Expr, Conditions] = {}
    for node in subexpressions(expr):
        memo[node] = needed_by(node, memo)
    found = memo[expr] or frozenset()
    return [node for node in memo if node in found]


def needed_by(node: Expr, memo: Mapping[Expr, Conditions]) -> Conditions:
    """These conditions; `memo` has those of the children."""
    if isinstance(node, Number):
        return NEVER if node.value == 0 else frozenset()
    if isinstance(node, Reduce):
        inner = memo[node.body]
        if node.kind != "sum" or inner is NEVER:
            return inner if node.kind == "sum" else frozenset()
        return frozenset(each for each in inner if each.free.isdisjoint(node.over))
    if not isinstance(node, Apply):
        return frozenset()
    if node.function == "select":
        condition, first, second = node.children
        if memo[second] is NEVER:
            return _both(frozenset(conjuncts(condition)), memo[first])
        return _either(memo[first], memo[second])
    if node.function in ("add", "sub"):
        return _either(*(memo[child] for child in node.children))
    if node.function == "neg" or (node.function == "cast" and node.dtype in FLOATS):
        return memo[node.children[0]]
    return frozenset()


def _both(known: frozenset[Expr], more: Conditions) -> Conditions:
    return NEVER if more is NEVER else known | more


def _either(first: Conditions, second: Conditions) -> Conditions:
    if first is NEVER:
        return second
    return first if second is NEVER else first & second
