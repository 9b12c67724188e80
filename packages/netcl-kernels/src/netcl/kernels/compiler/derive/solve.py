"""Eliminating deltas: the adjoint of a read is a sum over everything that reads the element.

If `y` reads `x[f(s)]`, then `dx[t] = sum[s](f(s) == t ? adjoint(s) : 0)`. Each equation `f(s) == t` that is linear in
one of the summed indices is solved for it, which turns the sum into a read at the inverse position with a guard for its
range (and for exact division). An equation that reads data (`table[index[n]]`) stays: that is a scatter-add.

Input: positions read, the adjoint there, the target indices. Output: one expression over the target indices.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence

from netcl.kernels.compiler.derive.materialised import substituted
from netcl.kernels.compiler.derive.selected import leaves, may_be_zero, terms, where_all
from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Apply,
    Expr,
    Number,
    Position,
    Read,
    Reduce,
    fresh,
    indices_of,
    number,
    position,
    root,
    size,
    subexpressions,
)
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.binding import rebuilt, rename, replace_nodes, substitute, total
from netcl.kernels.compiler.ir.choices import conditions_of, conjunction, conjuncts, is_zero
from netcl.kernels.compiler.ir.needed import needed
from netcl.kernels.compiler.ir.simplify import call


def adjoint_of_read(
    at: tuple[Expr, ...],
    adjoint: Expr,
    targets: tuple[str, ...],
    sizes: Mapping[str, Expr],
    first: Collection[str] = (),
) -> Expr:
    """`sum[s](at(s) == targets ? adjoint(s) : 0)` over every index `s` free in `at`, with the equations solved.

    `first` names the indices to solve for by preference; `sizes` gives extents that are expressions.
    """
    at = _exactly_divided(at, adjoint)
    same = {
        target for target, each in zip(targets, at, strict=True) if isinstance(each, Position) and each.index == target
    }
    summed = frozenset().union(*(each.free for each in at)) - same
    taken = set(targets) | indices_of(adjoint, *at)
    names: dict[str, str] = {}
    for index in sorted(summed & set(targets)):
        names[index] = fresh(index, taken)
        taken.add(names[index])
    preferred = {names.get(index, index) for index in first}
    adjoint = rename(adjoint, names)
    equations: list[tuple[Expr, Expr]] = [
        (rename(each, names), position(target)) for target, each in zip(targets, at, strict=True) if target not in same
    ]
    unknown = {names.get(index, index) for index in summed}
    guards: list[Expr] = []
    while unknown:
        choice = _choose(equations, unknown, preferred, sizes)
        if choice is None:
            break
        number_of, index, value, exact = choice
        equations.pop(number_of)
        unknown.discard(index)
        solution = {index: value}
        adjoint = substituted(adjoint, index, value)
        equations = [(substitute(left, solution), right) for left, right in equations]
        guards = [substituted(guard, index, value) for guard in guards]
        guards += [*exact, in_range(value, index, sizes)]
    guards += [call("eq", left, right) for left, right in equations]
    condition = conjunction(each for guard in guards for each in conjuncts(guard))
    return total("sum", tuple(sorted(unknown)), guarded(condition, adjoint))


def _exactly_divided(at: tuple[Expr, ...], adjoint: Expr) -> tuple[Expr, ...]:
    """The positions, of which `u // d` is `u / d` where nothing arrives but for multiples: that is solved for u."""
    quotients = [each for each in at if isinstance(each, Apply) and each.function == "floor_div"]
    if not quotients:
        return at
    known = needed(adjoint)
    exact: dict[Expr, Expr] = {
        each: call("exact_div", *each.children)
        for each in quotients
        if call("eq", call("mod", *each.children), 0) in known
    }
    return tuple(exact.get(each, each) for each in at)


def eliminated(node: Expr, sizes: Mapping[str, Expr]) -> Expr:
    """The same expression with every `sum[v](v == e ? body : 0)` below it solved for v, and `any[v](v == e and …)`."""
    memo: dict[Expr, Expr] = {}
    for each in subexpressions(node):
        new = rebuilt(each, tuple(memo[child] for child in each.children))
        if isinstance(new, Reduce) and new.kind in ("sum", "any"):
            new = _solved(new, sizes) if new.kind == "sum" else _solved_any(new, sizes)
        memo[each] = new
    return memo[node]


def _solved(node: Reduce, sizes: Mapping[str, Expr]) -> Expr:
    conditions, body = conditions_of(node.body, is_zero)
    found = _first_solved(node, conditions, body, sizes)
    if found is None:
        return _solved_in_part(node, conditions, body, sizes)
    rest, guard, body = found
    result = total("sum", rest, guarded(guard, body))
    return _solved(result, sizes) if isinstance(result, Reduce) else result


def _solved_any(node: Reduce, sizes: Mapping[str, Expr]) -> Expr:
    found = _first_solved(node, conjuncts(node.body), number(True, "bool"), sizes)
    if found is None:
        return node
    rest, guard, _ = found
    result = total("any", rest, guard)
    return _solved_any(result, sizes) if isinstance(result, Reduce) else result


def _first_solved(
    node: Reduce, conditions: Sequence[Expr], body: Expr, sizes: Mapping[str, Expr]
) -> tuple[tuple[str, ...], Expr, Expr] | None:
    """(the indices that are left, what has to hold, the body) with the first condition that gives an index solved."""
    for condition in conditions:
        equation = _equation(condition, node.over)
        choice = _choose([equation], set(node.over), (), sizes) if equation else None
        if choice is None or choice[3]:
            continue
        _, index, value, _ = choice
        others = [substituted(other, index, value) for other in conditions if other is not condition]
        guard = conjunction([*others, *conjuncts(in_range(value, index, sizes))])
        return tuple(each for each in node.over if each != index), guard, substituted(body, index, value)
    return None


_OPPOSITE = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le"}


def _equation(condition: Expr, over: Collection[str]) -> tuple[Expr, Expr] | None:
    """The two sides that are equal where the condition holds. A bound that leaves one of the indices nothing but its
    first place, or its last, is an equation: the rest of `k > 0 ? … : x` is k == 0."""
    if not isinstance(condition, Apply):
        return None
    function, sides = condition.function, condition.children
    if function == "not" and isinstance(sides[0], Apply) and sides[0].function in _OPPOSITE:
        function, sides = _OPPOSITE[sides[0].function], sides[0].children
    if (function != "eq" and function not in _OPPOSITE) or sides[0].dtype != INDEX_DTYPE:
        return None
    left, right = sides
    if function == "eq":
        return left, right
    smaller, larger = (left, right) if function in ("lt", "le") else (right, left)
    room = poly.plus(poly.polynomial(larger), poly.polynomial(smaller), -1)
    if function in ("lt", "gt"):
        room = poly.plus(room, {(): 1}, -1)  # what is never negative where the condition holds
    for index in over:
        if index not in condition.free:
            continue
        extent = size(root(index))
        before = poly.polynomial(position(index))  # as many places are before this one
        behind = poly.plus(poly.plus(poly.polynomial(extent), before, -1), {(): 1}, -1)
        if room == poly.plus({}, before, -1):
            return position(index), number(0, INDEX_DTYPE)
        if room == poly.plus({}, behind, -1):
            return position(index), call("sub", extent, 1)
    return None


_MOST_TERMS = 16
"""A sum is taken apart into so many terms at most."""


def _solved_in_part(node: Reduce, conditions: Sequence[Expr], body: Expr, sizes: Mapping[str, Expr]) -> Expr:
    """A sum of several terms, of which some are solved, each on its own."""
    if may_be_zero(body) and 1 < leaves(body) <= _MOST_TERMS:
        parts = terms(body)
    elif isinstance(body, Apply) and body.function == "add":
        parts = [((), each) for each in body.children]
    else:
        parts = []
    solved, rest = list[Expr](), list[Expr]()
    for more, value in parts if len(parts) > 1 else ():
        one = total("sum", node.over, guarded(conjunction((*conditions, *more)), value))
        found = _solved(one, sizes) if isinstance(one, Reduce) else one
        if isinstance(one, Reduce) and isinstance(found, Reduce) and len(found.over) >= len(one.over):
            rest.append(where_all(more, value))
        else:
            solved.append(found)
    if not solved:
        return node
    if rest:
        left = functools.reduce(lambda a, b: call("add", a, b), rest)
        solved.append(total("sum", node.over, guarded(conjunction(conditions), left)))
    return functools.reduce(lambda a, b: call("add", a, b), solved)


def in_range(value: Expr, index: str, sizes: Mapping[str, Expr]) -> Expr:
    """`0 <= value < extent of index`, left out where it is seen to hold."""
    extent = size(index)
    if isinstance(value, Apply) and value.function == "within" and value.children[1] is extent:
        return number(True, "bool")
    below = call("lt", value, extent)
    if not isinstance(below, Number):
        known = _expand(call("sub", extent, value), sizes)
        if isinstance(call("lt", 0, known), Number):
            below = call("lt", 0, known)
    return call("and", call("le", 0, value), below)


def guarded(condition: Expr, body: Expr) -> Expr:
    """`condition ? body : 0`, with the condition moved inside a sum so that sums meet and join."""
    if isinstance(condition, Number):
        return body if condition.value else call("select", condition, body, 0)
    if isinstance(body, Reduce) and body.kind == "sum":
        names = {}
        taken = set(condition.free) | indices_of(body)
        for index in body.over:
            if index in condition.free:
                names[index] = fresh(index, taken)
                taken.add(names[index])
        over = tuple(names.get(index, index) for index in body.over)
        return total("sum", over, guarded(condition, rename(body.body, names)))
    return call("select", condition, body, 0)


def _choose(
    equations: Sequence[tuple[Expr, Expr]], unknown: set[str], preferred: Collection[str], sizes: Mapping[str, Expr]
) -> tuple[int, str, Expr, list[Expr]] | None:
    """The equation and index to solve next: (which, index, its value, conditions of exactness)."""
    best = None
    for at, (left, right) in enumerate(equations):
        difference = _difference(left, right)
        for index in sorted(unknown & (left.free | right.free)):
            parts = poly.coefficient_of(difference, index)
            if parts is None or not parts[0]:
                continue
            factor = poly.expression(parts[0])
            if factor.free:
                continue  # in `i * j == t` the factor j may be 0, and then every i solves it
            if _is_step_of_scatter(poly.expression(parts[1]), index, unknown, sizes):
                continue
            unit = isinstance(factor, Number) and factor.value in (1, -1)
            rank = (not (unit and isinstance(left, Position)), index not in preferred, not unit, at, index)
            if best is None or rank < best[0]:
                best = (rank, at, index, factor, poly.expression(poly.plus({}, parts[1], -1)))
    if best is None:
        return None
    _, at, index, factor, rest = best
    if isinstance(factor, Number) and factor.value in (1, -1):
        return at, index, call("mul", rest, int(factor.value)), []
    return at, index, call("exact_div", rest, factor), [call("eq", call("mod", rest, factor), 0)]


_FEW_STEPS = 8


def _is_step_of_scatter(rest: Expr, index: str, unknown: set[str], sizes: Mapping[str, Expr]) -> bool:
    """Whether an index goes over a few places beside one that is read from data, as s does in `at[p] + s == t`. Solved,
    each t would look at every p, whether t is within reach of `at[p]`; as a scatter each p goes to its few places."""
    extent = sizes.get(root(index))
    if not isinstance(extent, Number) or extent.value > _FEW_STEPS or rest.free <= unknown:
        return False
    others = unknown - {index}
    return any(isinstance(node, Read) and not node.free.isdisjoint(others) for node in subexpressions(rest))


def _difference(left: Expr, right: Expr) -> poly.Polynomial:
    """left - right; for `u / d == t`, which stands under the guard that d divides u, it is u - t*d."""
    if isinstance(left, Apply) and left.function == "exact_div":
        left, right = left.children[0], call("mul", right, left.children[1])
    return poly.plus(poly.polynomial(left), poly.polynomial(right), -1)


def _expand(node: Expr, sizes: Mapping[str, Expr]) -> Expr:
    """Put the expressions of sizes that have one."""
    known: dict[Expr, Expr] = {size(index): value for index, value in sizes.items() if root(index) == index}
    for _ in range(len(known)):
        expanded = replace_nodes(node, known)
        if expanded is node:
            break
        node = expanded
    return node
