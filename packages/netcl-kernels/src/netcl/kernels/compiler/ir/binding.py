"""Expressions over other indices or other parts, simplified again: what binds an index, and what is put for one.

total, running, neutral      a Reduce, a Scan, what either gives of nothing
rebuilt                      a node over new children
substitute, rename           expressions for free indices
replace_nodes                expressions for nodes, wherever they stand
replace_free                 expressions for nodes, where their indices are not bound again
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    Apply,
    Enclosed,
    Expr,
    Number,
    Position,
    Read,
    Reduce,
    Scan,
    binds,
    fresh,
    indices_of,
    number,
    position,
    read,
    reduce,
    scan,
    size,
    subexpressions,
    with_children,
)
from netcl.kernels.compiler.ir.nodes import count_outside
from netcl.kernels.compiler.ir.simplify import call, cast, same_dtype


def total(kind: str, over: tuple[str, ...], body: Expr) -> Expr:
    """`kind[over](body)`: nested sums are joined, an empty `over` is dropped, and so is an index that a summand lacks
    (the sum is then that many times the summand, and 0 of no summands, also where that is infinite; any and all are the
    summand itself where there is one). What is summed at one place of another index only, `2 == g ? … : 0`, is a sum
    there."""
    if not over and not kind.startswith("arg"):
        return body
    if kind in ("any", "all"):
        body = cast(body, "bool")
        absent = [index for index in over if index not in body.free]
        if absent:
            rest = total(kind, tuple(index for index in over if index in body.free), body)
            is_there = call("gt", functools.reduce(operator.mul, map(size, absent)), 0)
            return call("and", is_there, rest) if kind == "any" else call("or", call("not", is_there), rest)
    elif kind in ("sum", "prod") and body.dtype in ("bool", "uint8", "int32"):
        body = cast(body, INDEX_DTYPE)
    if kind == "sum" and not body.free.issuperset(over):
        absent = [index for index in over if index not in body.free]
        times = functools.reduce(operator.mul, [size(index) for index in absent])
        many = call("mul", body, times)
        if body.dtype in FLOATS and not isinstance(body, Number):
            many = call("select", call("gt", times, 0), many, 0)
        return total(kind, tuple(index for index in over if index in body.free), many)
    if kind == "sum" and isinstance(body, Apply) and body.function == "select":
        condition, chosen, otherwise = body.children
        is_zero = isinstance(otherwise, Number) and otherwise.value == 0
        if is_zero and condition.free.isdisjoint(over) and _is_at_a_place(condition):
            return call("select", condition, total(kind, over, chosen), otherwise)
    if kind == "sum" and isinstance(body, Reduce) and body.kind == "sum" and not set(body.over) & set(over):
        return reduce("sum", over + body.over, body.body)
    return reduce(kind, over, body)


def _is_at_a_place(condition: Expr) -> bool:
    """Whether it holds at one place of an index, which its text says: what is summed there is no sum elsewhere."""
    if not isinstance(condition, Apply) or condition.function != "eq":
        return False
    return {type(each) for each in condition.children} == {Number, Position}


def running(kind: str, index: str, backward: bool, at: Expr, *bodies: Expr) -> Expr:
    """`kind[index <= at](bodies…)`, or `index >= at` when `backward`. The index is renamed where `at` has it, too."""
    if index in at.free:
        new = fresh(index, at.free | indices_of(*bodies))
        bodies = tuple(rename(body, {index: new}) for body in bodies)
        index = new
    if kind in ("any", "all"):
        bodies = tuple(cast(body, "bool") for body in bodies)
    elif kind in ("sum", "prod") and bodies[0].dtype in ("bool", "uint8", "int32"):
        bodies = (cast(bodies[0], INDEX_DTYPE),)
    elif kind == "scan":
        bodies = same_dtype(bodies)
        if bodies[0].dtype not in (*FLOATS, INDEX_DTYPE):
            bodies = tuple(cast(body, INDEX_DTYPE) for body in bodies)
    return scan(kind, index, backward, at, bodies)


def neutral(kind: str, dtype: str) -> Expr:
    """What a reducer gives of nothing."""
    if kind in ("max", "min") and dtype not in FLOATS:
        if dtype == "bool":
            return number(kind == "min", dtype)
        limits = np.iinfo(dtype)
        return number(int(limits.min if kind == "max" else limits.max), dtype)
    values = {"prod": 1, "max": float("-inf"), "min": float("inf"), "any": False, "all": True}
    return cast(number(values.get(kind, 0), dtype), "bool" if kind in ("any", "all") else dtype)


def rebuilt(node: Expr, children: tuple[Expr, ...]) -> Expr:
    """`node` over new children, simplified again."""
    if children == node.children:
        return node
    if isinstance(node, Read):
        return read(node.operand, children, node.dtype)
    if isinstance(node, Reduce):
        return total(node.kind, node.over, children[0])
    if isinstance(node, Scan):
        return running(node.kind, node.index, node.backward, *children)
    if isinstance(node, Enclosed):
        return with_children(node, children)
    assert isinstance(node, Apply)
    if node.function == "cast":
        return cast(children[0], node.dtype)
    return call(node.function, *children)


Values = Mapping[str, Expr]
Memos = dict[frozenset[tuple[str, Expr]], dict[Expr, Expr]]
"""What was put for indices -> what became of each node: one table for all binders that put the same."""


def substitute(node: Expr, values: Values) -> Expr:
    """Put expressions for free indices. A bound index that a value would capture is renamed first."""
    changed = {index: value for index, value in values.items() if value != position(index)}
    return _substituted(node, changed, {})


def _substituted(node: Expr, values: Values, memos: Memos) -> Expr:
    names = values.keys()
    if node.free.isdisjoint(names):
        return node
    memo = memos.setdefault(frozenset(values.items()), {})
    stack = [node]
    while stack:
        each = stack[-1]
        if each in memo:
            stack.pop()
        elif each.free.isdisjoint(names):
            memo[each] = each
        elif isinstance(each, Reduce):
            memo[each] = _substitute_under(each, values, memos)
        elif isinstance(each, Scan):
            memo[each] = _substitute_along(each, values, memos)
        elif isinstance(each, Enclosed):
            memo[each] = _substitute_enclosed(each, values, memos)
        elif not each.children:
            memo[each] = values[next(iter(each.free))]
        else:
            waiting = [child for child in each.children if child not in memo]
            if waiting:
                stack.extend(waiting)
            else:
                memo[each] = rebuilt(each, tuple(map(memo.__getitem__, each.children)))
    return memo[node]


def rename(node: Expr, names: Mapping[str, str]) -> Expr:
    """Rename free indices."""
    return substitute(node, {old: position(new) for old, new in names.items() if old != new})


def replace_nodes(node: Expr, replacements: Mapping[Expr, Expr]) -> Expr:
    """Put another expression for each node that is a key (an operand read, an attribute, a whole output)."""
    memo: dict[Expr, Expr] = dict(replacements)
    for each in subexpressions(node):
        if each not in memo:
            memo[each] = rebuilt(each, tuple(map(memo.__getitem__, each.children)))
    return memo[node]


def replace_free(node: Expr, replacements: Mapping[Expr, Expr]) -> Expr:
    """Put another expression for nodes in which something is known of their free indices, as of `i < 3` between these
    ends. Below what binds one of these indices again it is another index: what stands there stays."""
    return _replaced(node, replacements, {})


def _replaced(node: Expr, replacements: Mapping[Expr, Expr], memos: dict[frozenset[Expr], dict[Expr, Expr]]) -> Expr:
    memo = memos.setdefault(frozenset(replacements), dict(replacements))
    for each in subexpressions(node):
        if each in memo:
            continue
        bound = frozenset(binds(each))
        inner = {old: new for old, new in replacements.items() if bound.isdisjoint(old.free | new.free)}
        if len(inner) == len(replacements):
            memo[each] = rebuilt(each, tuple(map(memo.__getitem__, each.children)))
            continue
        outside = count_outside(each)
        children = [memo[child] for child in each.children[:outside]]
        children += [_replaced(child, inner, memos) for child in each.children[outside:]]
        memo[each] = rebuilt(each, tuple(children))
    return memo[node]


def _substitute_under(node: Reduce, values: Values, memos: Memos) -> Expr:
    arriving = _arriving(node.body, values, node.over)
    inner = _within(values, node.over)
    over = list(node.over)
    if not arriving.isdisjoint(over):
        taken = set(arriving) | indices_of(node.body) | set(over)
        renaming: dict[str, Expr] = {}
        for at, index in enumerate(over):
            if index in arriving:
                over[at] = fresh(index, taken)
                taken.add(over[at])
                renaming[index] = position(over[at])
        inner = {**inner, **renaming}
    return total(node.kind, tuple(over), _substituted(node.body, inner, memos))


def _substitute_along(node: Scan, values: Values, memos: Memos) -> Expr:
    arriving = _arriving(node, values, (node.index,))
    inner = _within(values, (node.index,))
    index, bodies = node.index, node.bodies
    if index in arriving:
        index = fresh(index, arriving | indices_of(node) | (inner.keys() & node.free))
        bodies = tuple(rename(body, {node.index: index}) for body in bodies)
    bodies = tuple(_substituted(body, inner, memos) for body in bodies)
    return running(node.kind, index, node.backward, _substituted(node.at, values, memos), *bodies)


def _substitute_enclosed(node: Enclosed, values: Values, memos: Memos) -> Expr:
    count = len(node.at)
    at = tuple(_substituted(each, values, memos) for each in node.at)
    inner = {name: value for name, value in values.items() if name in node.closure}
    arriving = _all_free(inner.values())
    names: dict[str, str] = {}
    for index in node.over:
        if index in arriving:
            names[index] = fresh(index, {*arriving, *indices_of(node), *names.values(), *inner})
    inner = {**inner, **{old: position(new) for old, new in names.items()}}
    return with_children(node, (*at, *(_substituted(each, inner, memos) for each in node.children[count:])), names)


def _arriving(within: Expr, values: Values, bound: Sequence[str]) -> frozenset[str]:
    """The indices that come with what is put into an expression in which these are bound."""
    return _all_free(value for name, value in values.items() if name in within.free and name not in bound)


def _all_free(values: Iterable[Expr]) -> frozenset[str]:
    return frozenset().union(*(value.free for value in values))


def _within(values: Values, bound: Sequence[str]) -> Values:
    """What is put for other indices than these."""
    if values.keys().isdisjoint(bound):
        return values
    return {name: value for name, value in values.items() if name not in bound}
