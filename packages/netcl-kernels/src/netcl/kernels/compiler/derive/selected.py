"""Zeros that a select chose: the adjoint of a branch that was not taken.

    scaled(adjoint, factor)   adjoint * factor, where such a zero stays a zero whatever stands beside it (never 0 * NaN)
    may_be_zero(node)         whether every path through `node` may end at the literal 0 of a select
    is_alive(node)            the condition that it does not

Input and output are expressions. A zero that arithmetic gave is none of these: multiplied with NaN it is NaN.
"""

from __future__ import annotations

import functools
import math

from netcl.core.weak import WeakKeys
from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    Apply,
    Expr,
    Number,
    Reduce,
    Scan,
    Size,
    fresh,
    indices_of,
    number,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import rename, running, total
from netcl.kernels.compiler.ir.simplify import call, cast, conjunction


def scaled(adjoint: Expr, factor: Expr) -> Expr:
    """adjoint * factor, where a zero that a select chose stays a zero whatever stands beside it (never 0 * NaN)."""
    return _scaled(adjoint, factor, {})


_MOST_LEAVES = 4
"""A product is written into so many branches of selects at most; with more there is one product, behind a condition."""


def _scaled(adjoint: Expr, factor: Expr, memo: dict[tuple[Expr, Expr], Expr]) -> Expr:
    key = (adjoint, factor)
    if key not in memo:
        chosen = [each for each in key if may_be_zero(each)]
        if not chosen:
            memo[key] = call("mul", adjoint, factor)
        elif math.prod(map(_leaves, key)) > _MOST_LEAVES:
            alive = conjunction(map(is_alive, chosen))
            memo[key] = call("select", alive, call("mul", adjoint, factor), 0)
        elif chosen[0] is adjoint:
            memo[key] = _spread(adjoint, factor, memo)
        else:
            memo[key] = _spread(factor, adjoint, memo)
    return memo[key]


_leaf_counts: WeakKeys[Expr, int] = WeakKeys()


def _leaves(node: Expr) -> int:
    """How many branches of `node`, of which some may be chosen zeros, are none."""
    if isinstance(node, Number) and node.value == 0:
        return 0
    if not may_be_zero(node):
        return 1
    if node not in _leaf_counts:
        _leaf_counts[node] = sum(map(_leaves, _branches(node)))
    return _leaf_counts[node]


def _branches(node: Expr) -> tuple[Expr, ...]:
    """What a product with `node`, which may be a chosen zero, is written into."""
    assert isinstance(node, (Apply, Reduce, Scan))
    if isinstance(node, Reduce):
        return (node.body,)
    if isinstance(node, Scan):
        return node.bodies
    if node.function == "select":
        return node.children[1:]
    return node.children if node.function in ("add", "sub") else node.children[:1]


_alive: WeakKeys[Expr, Expr] = WeakKeys()


def is_alive(node: Expr) -> Expr:
    """The condition that `node` is no chosen zero."""
    if not may_be_zero(node):
        return number(True, "bool")
    if isinstance(node, Number):
        return number(False, "bool")
    if node not in _alive:
        parts = [is_alive(each) for each in _branches(node)]
        if isinstance(node, Reduce):
            _alive[node] = total("any", node.over, parts[0])
        elif isinstance(node, Scan):
            _alive[node] = any_along(node.index, node.backward, node.at, parts[0])
        elif isinstance(node, Apply) and node.function == "select":
            condition = node.children[0]
            taken = call("and", condition, parts[0])
            _alive[node] = call("or", taken, call("and", call("not", condition), parts[1]))
        else:
            _alive[node] = functools.reduce(lambda a, b: call("or", a, b), parts)
    return _alive[node]


def any_along(index: str, backward: bool, at: Expr, condition: Expr) -> Expr:
    """Whether the condition holds anywhere from one end of the index to `at`."""
    return running("any", index, backward, at, condition) if index in condition.free else condition


def _spread(node: Expr, factor: Expr, memo: dict[tuple[Expr, Expr], Expr]) -> Expr:
    """node * factor, multiplied where no select has chosen zero yet."""
    if isinstance(node, Number):
        return node
    if isinstance(node, Reduce) and factor.free <= node.free:
        taken = indices_of(node, factor)
        names = {index: fresh(index, taken) for index in node.over if index in factor.free}
        over = tuple(names.get(index, index) for index in node.over)
        return total("sum", over, _scaled(rename(node.body, names), factor, memo))
    if isinstance(node, (Reduce, Scan)):
        return call("select", is_alive(node), call("mul", node, factor), 0)
    assert isinstance(node, Apply)
    if node.function == "select":
        condition, *branches = node.children
    else:
        branches = list(node.children)
    if node.function in ("div", "mul"):
        return call(node.function, _scaled(branches[0], factor, memo), branches[1])
    if node.function == "cast":
        return cast(_scaled(branches[0], cast(factor, branches[0].dtype), memo), node.dtype)
    parts = [_scaled(branch, factor, memo) for branch in branches]
    return call("select", condition, *parts) if node.function == "select" else call(node.function, *parts)


_chosen_zeros: WeakKeys[Expr, bool] = WeakKeys()


def may_be_zero(node: Expr) -> bool:
    """Whether every path through `node` may end at the literal 0 of a select, so that it is no result of arithmetic."""
    if isinstance(node, Number):
        return node.value == 0
    if not isinstance(node, (Apply, Reduce, Scan)):
        return False
    found = _chosen_zeros.get(node)
    if found is None:
        if isinstance(node, Reduce):
            found = node.kind == "sum" and may_be_zero(node.body)
        elif isinstance(node, Scan):
            found = node.kind == "sum" and may_be_zero(node.bodies[0])
        elif node.function == "select":
            found = any(map(may_be_zero, node.children[1:]))
        elif (
            node.function in ("neg", "div")
            or _is_multiple(node)
            or (node.function == "cast" and node.children[0].dtype in FLOATS)
        ):
            found = may_be_zero(node.children[0])
        else:
            found = node.function in ("add", "sub") and all(map(may_be_zero, node.children))
        _chosen_zeros[node] = found
    return found


def _is_multiple(node: Apply) -> bool:
    """Whether it is so many times something: sums over indices that a summand lacks are."""
    counts = (Number, Size)
    return node.function == "mul" and all(
        isinstance(each, counts) or (isinstance(each, Apply) and each.dtype in (INDEX_DTYPE, node.dtype))
        for each in subexpressions(node.children[1])
    )
