"""Zeros that a select chose: the adjoint of a branch that was not taken.

    scaled(adjoint, factor)   adjoint * factor, where such a zero stays a zero whatever stands beside it (never 0 * NaN)
    terms(node)               the terms that add up to `node`, with the conditions under which they are no such zeros
    may_be_zero(node)         whether every path through `node` may end at the literal 0 of a select
    is_alive(node)            the condition that it does not

Input and output are expressions. A zero that arithmetic gave is none of these: multiplied with NaN it is NaN.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

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
    unknown,
)
from netcl.kernels.compiler.ir.binding import rebuilt, rename, running, total
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.logic import is_read_elsewhere
from netcl.kernels.compiler.ir.simplify import call, cast

_MOST_BRANCHES = 4
"""A product is written into so many branches of a factor at most. Into those of an adjoint it is written where there is
one, since adjoints meet, and each meeting would have the products of all before it once more; or where the factor reads
what may be there in these branches alone."""


def scaled(adjoint: Expr, factor: Expr) -> Expr:
    """adjoint * factor, where a zero that a select chose stays a zero whatever stands beside it (never 0 * NaN)."""
    chosen = [each for each in (adjoint, factor) if may_be_zero(each)]
    if not chosen:
        return call("mul", adjoint, factor)
    most = _MOST_BRANCHES if is_read_elsewhere(factor) else 1
    if leaves(adjoint) <= most and leaves(factor) <= _MOST_BRANCHES:
        return _spread(adjoint, factor) if chosen[0] is adjoint else _spread(factor, adjoint)
    for one, other in ((adjoint, factor), (factor, adjoint)):
        if _is_finite(other) and not may_be_zero(other):
            return call("mul", one, other)
    return call("select", conjunction(map(is_alive, chosen)), call("mul", adjoint, factor), 0)


def _spread(node: Expr, factor: Expr) -> Expr:
    """node * factor, multiplied where no select has chosen zero yet."""
    if not may_be_zero(node):
        return scaled(node, factor)
    if isinstance(node, Number):
        return node
    if isinstance(node, Reduce) and factor.free <= node.free:
        taken = indices_of(node, factor)
        names = {index: fresh(index, taken) for index in node.over if index in factor.free}
        over = tuple(names.get(index, index) for index in node.over)
        return total("sum", over, _spread(rename(node.body, names), factor))
    if isinstance(node, (Reduce, Scan)):
        return call("select", is_alive(node), call("mul", node, factor), 0)
    assert isinstance(node, Apply)
    first, *others = node.children
    if node.function == "select":
        return call("select", first, *(_spread(branch, factor) for branch in others))
    if node.function == "cast":
        return cast(_spread(first, cast(factor, first.dtype)), node.dtype)
    if node.function in ("div", "mul"):
        return call(node.function, _spread(first, factor), *others)
    return call(node.function, _spread(first, factor), *(_spread(each, factor) for each in others))


Term = tuple[tuple[Expr, ...], Expr]
"""Conditions, the first of which has to hold for the second to be asked, and a value."""


def terms(node: Expr) -> list[Term]:
    """The terms that add up to `node`: each is there where its conditions hold, and a chosen zero elsewhere."""
    if isinstance(node, Number) and node.value == 0:
        return []
    if not isinstance(node, Apply) or not may_be_zero(node):
        return [((), node)]
    first, *others = node.children
    if node.function == "select":
        branches = zip((first, call("not", first)), others, strict=True)
        return [((asked, *more), value) for asked, branch in branches for more, value in terms(branch)]
    if node.function in ("add", "sub"):
        more = terms(others[0])
        return terms(first) + (more if node.function == "add" else [(each, call("neg", value)) for each, value in more])
    return [(each, rebuilt(node, (value, *others))) for each, value in terms(first)]


def where_all(conditions: Sequence[Expr], value: Expr) -> Expr:
    """`value` where these hold, a chosen zero elsewhere."""
    for each in reversed(conditions):
        value = call("select", each, value, 0)
    return value


_leaf_counts: WeakKeys[Expr, int] = WeakKeys()


def leaves(node: Expr) -> int:
    """How many branches of `node`, of which some may be chosen zeros, are none."""
    if isinstance(node, Number) and node.value == 0:
        return 0
    if not may_be_zero(node):
        return 1
    if node not in _leaf_counts:
        _leaf_counts[node] = sum(map(leaves, _branches(node)))
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
        elif parts[0] is parts[-1]:
            _alive[node] = parts[0]
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


_chosen_zeros: WeakKeys[Expr, bool] = WeakKeys()


def may_be_zero(node: Expr) -> bool:
    """Whether every path through `node` may end at the literal 0 of a select, so that it is no result of arithmetic."""
    for each in unknown(_chosen_zeros, node):
        _chosen_zeros[each] = _is_chosen_zero(each)
    return _chosen_zeros[node]


def _is_chosen_zero(node: Expr) -> bool:
    """The same of a node whose children it is known of."""
    children = [_chosen_zeros[child] for child in node.children]
    if isinstance(node, Number):
        return node.value == 0
    if isinstance(node, (Reduce, Scan)):
        first = node.body if isinstance(node, Reduce) else node.bodies[0]
        return node.kind == "sum" and _chosen_zeros[first]
    if not isinstance(node, Apply):
        return False
    if node.function == "select":
        return any(children[1:])
    if node.function in ("neg", "div") or _is_multiple(node):
        return children[0]
    if node.function == "cast":
        return node.children[0].dtype in FLOATS and children[0]
    return node.function in ("add", "sub") and all(children)


def _is_multiple(node: Apply) -> bool:
    """Whether it is so many times something: sums over indices that a summand lacks are."""
    return node.function == "mul" and _is_finite(node.children[1])


def _is_finite(node: Expr) -> bool:
    """Whether it is made of numbers and sizes alone, and so is finite: 0 times it is 0."""
    return all(
        math.isfinite(each.value)
        if isinstance(each, Number)
        else isinstance(each, Size) or (isinstance(each, Apply) and each.dtype in (INDEX_DTYPE, node.dtype))
        for each in subexpressions(node)
    )
