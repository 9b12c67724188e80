"""Sums over an index of a few places, which their summand tells apart, written out: one term for each place.

Of the index `k` of a state with four components, `k == 0 ? … : k == 1 ? … : k == 2 ? … : …` is a formula for each. A
sum over `k` is then four terms without a condition; so are its derivatives, in which every sum would have all of the
conditions again.

Input: a formula. Output: the same values.
"""

from __future__ import annotations

import functools
import itertools

from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Apply,
    Expr,
    Formula,
    Number,
    Position,
    Reduce,
    Size,
    number,
    root,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import rebuilt, substitute, total
from netcl.kernels.compiler.ir.simplify import COMPARISONS, call

_JOINED_BY = {"sum": "add", "any": "or", "all": "and"}


def written_out(formula: Formula) -> Formula:
    """`formula`, in which such sums are terms."""
    exprs, places = formula.exprs, Places(formula)
    if not places.lengths:
        return formula
    new: dict[Expr, Expr] = {}
    for node in subexpressions(*exprs):
        children = tuple(new[child] for child in node.children)
        if isinstance(node, Apply) and node.function in COMPARISONS:
            children = tuple(map(places.measured, children))
        new[node] = places.written_out(rebuilt(node, children))
    return formula.rewritten(new)


class Places:
    """The indices of which a formula knows the places, with their `lengths`."""

    def __init__(self, formula: Formula) -> None:
        self.lengths = {index: int(each.value) for index, each in formula.sizes.items() if isinstance(each, Number)}

    def of(self, node: Expr) -> list[str]:
        """The indices of a sum that are written out. Of a product of matrices none are: it has schedules of its own."""
        if not isinstance(node, Reduce) or node.kind not in _JOINED_BY:
            return []
        found = [index for index in node.over if self.are_told_apart(node.body, index)]
        return [] if found and _is_of_matrices(node) else found

    def written_out(self, node: Expr) -> Expr:
        indices = self.of(node)
        if not isinstance(node, Reduce) or not indices:
            return node
        body = node.body
        for index in indices:
            places = [number(place, INDEX_DTYPE) for place in range(self.lengths[root(index)])]
            terms = [substitute(body, {index: place}) for place in places]
            body = functools.reduce(functools.partial(call, _JOINED_BY[node.kind]), terms)
        return total(node.kind, tuple(index for index in node.over if index not in indices), body)

    def measured(self, node: Expr) -> Expr:
        """`node`, or the number of places that it is."""
        if isinstance(node, Size) and node.index in self.lengths:
            return number(self.lengths[node.index], INDEX_DTYPE)
        return node

    def are_told_apart(self, expr: Expr, index: str) -> bool:
        """Whether conditions in `expr` name all places of an index, but for one that is left."""
        length = self.lengths.get(root(index), 0)
        named = {
            int(other.value)
            for each in subexpressions(expr)
            if isinstance(each, Apply) and each.function in ("eq", "ne")
            for one, other in (each.children, each.children[::-1])
            if isinstance(one, Position) and one.index == index and isinstance(other, Number)
        }
        return length > 0 and len(named & {*range(length)}) >= max(length - 1, 1)


def _is_of_matrices(node: Reduce) -> bool:
    """Whether two factors of the summand depend on indices beside those that are added up, each on some of its own."""
    factors, waiting = [], [node.body]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Apply) and each.function == "mul":
            waiting += each.children
        else:
            factors.append(each.free.difference(node.over))
    return any(one - other and other - one for one, other in itertools.combinations(factors, 2))
