"""Sums over places of which every s-th counts, and gives the place of an index that is shorter.

`sum[p]((p - r) % s == 0 and 0 <= (p - r) / s and (p - r) / s < size[i] ? x[(p - r) / s] * dy[p] : 0)` is
`sum[i](0 <= s * i + r and s * i + r < size[p] ? x[i] * dy[s * i + r] : 0)`, which has s times fewer steps. It is
what the weights of a transposed convolution get.

Input: an expression and the extents of indices. Output: the same, where such sums go over the shorter index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Apply,
    Expr,
    Number,
    Reduce,
    Size,
    fresh,
    indices_of,
    number,
    position,
    root,
    size,
    subexpressions,
)
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.binding import rebuilt, replace_free, substitute, total
from netcl.kernels.compiler.ir.choices import conditions_of, conjunction, is_zero
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.lower.strided_sums import exact_quotient


def over_exact_places(expr: Expr, sizes: Mapping[str, int]) -> Expr:
    """The expression, with each such sum over the shorter index."""
    memo: dict[Expr, Expr] = {}
    for node in subexpressions(expr):
        new = rebuilt(node, tuple(memo[child] for child in node.children))
        shorter = _shorter(new, sizes)
        while shorter is not None:
            new, shorter = shorter, _shorter(shorter, sizes)
        memo[node] = new
    return memo[expr]


def _shorter(node: Expr, sizes: Mapping[str, int]) -> Expr | None:
    """The sum over an index that is shorter than one of its own; None where there is none."""
    if not isinstance(node, Reduce) or node.kind != "sum":
        return None
    conditions, value = conditions_of(node.body, is_zero)
    for test in conditions:
        quotient = exact_quotient(test)
        if quotient is None or not all(map(poly.is_counted, quotient)):
            continue
        for place, bounds, short in _bounded(quotient, conditions):
            for long in node.over:
                if long not in place.free or sizes[root(long)] <= sizes[short]:
                    continue
                index = fresh(short, indices_of(node))
                at = _solved(quotient, index, long)
                if at is None:
                    continue
                there = [call("le", 0, at), call("lt", at, size(root(long)))]
                rest = [each for each in conditions if each is not test and each not in bounds]
                condition, inside = (
                    substitute(replace_free(each, {place: position(index)}), {long: at})
                    for each in (conjunction(rest), value)
                )
                over = tuple(index if each == long else each for each in node.over)
                body = call("select", conjunction([*there, condition]), inside, number(0, value.dtype))
                return total("sum", over, body)
    return None


def _bounded(quotient: tuple[Expr, Expr], conditions: Sequence[Expr]) -> Iterator[tuple[Expr, set[Expr], str]]:
    """What the quotient is called, with the conditions that make it a place of an index, and that index."""
    for function in ("exact_div", "floor_div"):
        place = call(function, *quotient)
        lower = {call("le", 0, place), call("ge", place, 0)} & {*conditions}
        for each in conditions:
            sides = each.children if isinstance(each, Apply) else ()
            if isinstance(each, Apply) and each.function == "gt":
                sides = sides[::-1]
            elif not isinstance(each, Apply) or each.function != "lt":
                continue
            if sides[0] is place and isinstance(sides[1], Size) and lower:
                yield place, {*lower, each}, sides[1].index


def _solved(quotient: tuple[Expr, Expr], index: str, long: str) -> Expr | None:
    """Where the long index is, so that the quotient is the shorter one."""
    place, by = quotient
    parts = poly.coefficient_of(poly.polynomial(place), long)
    factor = poly.expression(parts[0]) if parts is not None else None
    if parts is None or not isinstance(factor, Number) or factor.value not in (1, -1) or long in by.free:
        return None
    rest = call("sub", call("mul", by, position(index)), poly.expression(parts[1]))
    return call("mul", rest, number(int(factor.value), INDEX_DTYPE))
