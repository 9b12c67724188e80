"""Sums that are asked for at a place that several indices work out: they are computed once for each place.

A filter that is a product of two, `sum[l](v[l] * sum[k](w[k] * x[i + l, j + k]))`, has the inner sum for all i and l,
of which `i + l` alone counts. With `i = p - l` it is a sum for each p, in which there is no l. Where that has fewer
steps it becomes a temporary over p, which has the axis that is read there, and is read at `i + l`. A sum over k and l
at once, as derivatives have it, is taken apart first; one over i and l becomes one over the places.

The place is in range where the sum is asked for: the conditions around it say so, or a reading that is evaluated
whenever it is. Where conditions inside keep all readings out, a sum has no terms, and is 0.

Input: a Reduce, the order of the indices around it, what holds there. Output: the same of a table that `of` makes; None
where it stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from netcl.kernels.compiler.ir import Expr, Read, Reduce, fresh, indices_of, position, root, size, subexpressions
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.binding import substitute, total
from netcl.kernels.compiler.ir.choices import conditions_of, conjunction, is_zero, where
from netcl.kernels.compiler.ir.paths import paths
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.lower.loop_cost import Cost
from netcl.kernels.compiler.lower.product import factors_of, product

_TO_KEEP = 16
"""An element of the table is written and read in the time of so many steps. A sum within another one has a table
anyway (see `nested`)."""
_AHEAD = 2
"""The table has to take so many times fewer steps."""


Order = tuple[str, ...]
Table = Callable[[Expr, Order], Expr]
"""A reading of the table of an expression over indices in an order."""


class _Place(NamedTuple):
    """A position that is read, with the index of the axis, and whether it is in range wherever the Reduce is asked for;
    where it is not, that is 0."""

    at: Expr
    axis: str
    is_inside: bool


class _Apart(NamedTuple):
    """`sum[over](guards ? factors * sums : 0)`."""

    sums: Reduce
    over: Order
    factors: list[Expr]
    guards: list[Expr]

    def joined(self, table: Expr) -> Expr:
        """The same of a table of the inner sums."""
        return total("sum", self.over, where(conjunction(self.guards), product([*self.factors, table])))


def at_places(node: Reduce, around: Order, order: Order, known: Collection[Expr], cost: Cost, of: Table) -> Expr | None:
    """The Reduce, of a table of what it is at each of the places that are read, if that has fewer steps.

    It is computed over `around`; `order` has its indices in order.
    """
    keep = _TO_KEEP if node.free <= frozenset(around) else 0
    found = _of_table(node, order, known, cost, of, keep)
    if found is not None or node.kind != "sum" or len(node.over) < 2 or cost.scatters(node):
        return found
    for last in node.over:
        part = _apart(node, (last,))
        table = part and _of_table(part.sums, (*order, last), (*known, *part.guards), cost, of, _TO_KEEP)
        if part and table is not None:
            return part.joined(table)
    return _over_places(node, known, cost, of)


def _over_places(node: Reduce, known: Collection[Expr], cost: Cost, of: Table) -> Expr | None:
    """A sum over several indices of a place as one over the places: `sum[i, l](dy[i] * v[l] * x[i + l, k])` is
    `sum[p](x[p, k] * sum[l](v[l] * dy[p - l]))`, and the inner sum is the same for all k."""
    for place in _places(node, frozenset(node.over), known, cost):
        index = fresh(root(place.axis), indices_of(node))
        for moved, there in _solutions(place.at, node.over, index):
            over = tuple(index if each == moved else each for each in node.over)
            inside = conjunction((call("le", 0, there), call("lt", there, size(root(moved)))))
            moved_sum = total("sum", over, where(inside, substitute(node.body, {moved: there})))
            inner = place.at.free - {moved}
            part = isinstance(moved_sum, Reduce) and _apart(
                moved_sum, tuple(each for each in over if each not in inner)
            )
            if part and part.sums.free <= frozenset(over):
                indices = tuple(each for each in over if each in part.sums.free)
                keep = _TO_KEEP * cost.extent(indices)
                steps = cost.steps(part.sums, indices) + keep + cost.extent((*node.free, *part.over))
                if _AHEAD * steps <= cost.steps(node, tuple(node.free)):
                    return part.joined(of(part.sums, indices))
    return None


def _apart(node: Reduce, over: Order) -> _Apart | None:
    """A sum over several indices, with what depends on none but `over` taken out of a sum over the others."""
    others = tuple(each for each in node.over if each not in over)
    split = factors_of(node.body) if others and over else None
    if split is None:
        return None
    (factors, inner), (guards, conditions) = (_divided(each, frozenset(others)) for each in split)
    sums = total("sum", others, where(conjunction(conditions), product(inner))) if inner else None
    return _Apart(sums, over, factors, guards) if isinstance(sums, Reduce) else None


def _divided(exprs: Sequence[Expr], indices: frozenset[str]) -> tuple[list[Expr], list[Expr]]:
    """Those that depend on none of the indices, and the others."""
    return [each for each in exprs if not each.free & indices], [each for each in exprs if each.free & indices]


def _of_table(node: Reduce, order: Order, known: Collection[Expr], cost: Cost, of: Table, to_keep: int) -> Expr | None:
    if len(node.free) < 2 or cost.scatters(node):
        return None
    for place in _places(node, node.free, known, cost):
        index = fresh(root(place.axis), indices_of(node))
        for moved, there in _solutions(place.at, order, index):
            sums = substitute(node, {moved: there})
            if not isinstance(sums, Reduce) or place.at.free & sums.free:
                continue
            indices = tuple(index if each == moved else each for each in order if each == moved or each in sums.free)
            keep = to_keep * cost.extent(indices)
            if _AHEAD * (cost.steps(sums, indices) + keep) <= cost.steps(node, tuple(node.free)):
                value = substitute(of(sums, indices), {index: place.at})
                return value if place.is_inside else where(conjunction(_inside(place.at, place.axis)), value)
    return None


def _solutions(place: Expr, indices: Order, index: str) -> Iterator[tuple[str, Expr]]:
    """Each of the indices that is once in a place, and what it is where the place is `index`."""
    terms = poly.polynomial(place)
    for moved in indices:
        split = poly.coefficient_of(terms, moved) if moved in place.free else None
        if split is not None and split[0] in ({(): 1}, {(): -1}):
            rest = poly.plus({(position(index),): 1}, split[1], -1)
            yield moved, poly.expression(poly.plus({}, rest, split[0][()]))


def _places(node: Reduce, of: frozenset[str], known: Collection[Expr], cost: Cost) -> Iterator[_Place]:
    """The positions of several of these indices, and of nothing else, that are read in the Reduce and of which it is
    known that they are in range."""
    if not cost.extent(node.over):  # then nothing is read
        return
    of = of - node.body.bound
    conditions, value = conditions_of(node.body, is_zero) if node.kind == "sum" else ([], node.body)
    always = {each for each, ways in paths(value).items() if () in ways}
    for each in subexpressions(node.body):
        if isinstance(each, Read) and each.operand in cost.operands:
            for at, axis in zip(each.at, cost.operands[each.operand].indices, strict=True):
                if len(at.free) > 1 and at.free <= of and poly.is_counted(at):
                    is_inside = _is_known(at, axis, known, cost)
                    if is_inside or each in always:
                        yield _Place(at, axis, is_inside or not conditions)


def _is_known(at: Expr, axis: str, known: Collection[Expr], cost: Cost) -> bool:
    """Whether conditions say that a position is in range."""
    long = cost.sizes[root(axis)]
    ends = (call("lt", at, size(each)) for each in cost.sizes if cost.sizes[each] == long)
    return call("le", 0, at) in known and any(end in known for end in ends)


def _inside(at: Expr, axis: str) -> tuple[Expr, Expr]:
    return call("le", 0, at), call("lt", at, size(root(axis)))
