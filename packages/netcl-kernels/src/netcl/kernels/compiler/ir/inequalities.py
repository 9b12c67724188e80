"""What is known of comparisons of whole numbers: whether one always holds, or where others do.

Input: conditions. Output: what is seen of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.interval import wrapped
from netcl.kernels.compiler.ir.nodes import INDEX_DTYPE, Apply, Expr, Position


def decided(function: str, nodes: tuple[Expr, ...]) -> bool | None:
    """Whether a comparison of integers holds everywhere, or nowhere: from the ranges of positions and sizes, where they
    suffice."""
    difference = poly.plus(poly.polynomial(nodes[1]), poly.polynomial(nodes[0]), -1)
    if function in ("eq", "ne"):
        if all(not monomial for monomial in difference):
            return (wrapped(difference.get((), 0), INDEX_DTYPE) == 0) is (function == "eq")
        if all(map(poly.is_counted, nodes)):
            apart = [poly.plus(poly.plus({}, difference, sign), {(): 1}, -1) for sign in (1, -1)]
            if any(map(poly.at_least_zero, apart)):
                return function == "ne"
        return None
    if not all(map(poly.is_counted, nodes)):
        return None
    if function in ("gt", "ge"):
        difference, function = poly.plus({}, difference, -1), {"gt": "lt", "ge": "le"}[function]
    slack = 1 if function == "lt" else 0
    if poly.at_least_zero(poly.plus(difference, {(): slack} if slack else {}, -1)):
        return True
    if poly.at_least_zero(poly.plus({(): slack - 1} if slack != 1 else {}, difference, -1)):
        return False
    return None


def says_of_places(condition: Expr) -> bool:
    """Whether it bounds a whole number."""
    return bool(_not_positive(condition))


def is_implied(condition: Expr, facts: Sequence[Expr]) -> bool:
    """Whether it is seen that a comparison of integers holds where these conditions do."""
    most = [most_of(each, facts) for each in _not_positive(condition)]
    return bool(most) and all(each is not None and each <= 0 for each in most)


def is_possible(facts: Sequence[Expr]) -> bool:
    """Whether these conditions are not seen to exclude each other."""
    most = most_of({}, facts)
    return most is None or most >= 0


def most_of(apart: poly.Polynomial, facts: Sequence[Expr]) -> int | None:
    """What a sum is at most, of which the conditions may say it, or that no index is negative; None where they do
    not."""
    known: list[poly.Polynomial] = [{}]
    known += [each for fact in facts for each in _not_positive(fact)]
    known += [{monomial: -1} for monomial in apart if len(monomial) == 1 and isinstance(monomial[0], Position)]
    found: int | None = None
    for one, other in itertools.combinations_with_replacement(known, 2):
        rest = poly.plus(poly.plus(apart, one, -1), other, -1)
        if all(not monomial for monomial in rest):
            constant = rest.get((), 0)
            found = constant if found is None else min(found, constant)
    return found


def _not_positive(fact: Expr) -> list[poly.Polynomial]:
    """Sums that are at most 0 where the condition holds."""
    negated = isinstance(fact, Apply) and fact.function == "not"
    compared = fact.children[0] if negated else fact
    if not isinstance(compared, Apply) or len(compared.children) != 2 or compared.children[0].dtype != INDEX_DTYPE:
        return []
    function = compared.function
    one, other = (poly.polynomial(each) for each in compared.children)
    below, above = poly.plus(one, other, -1), poly.plus(other, one, -1)
    step: poly.Polynomial = {(): 1}
    if function == "ne" if not negated else function == "eq":  # of what is never larger, smaller
        is_counted = all(map(poly.is_counted, compared.children))
        ends = (each for each, opposite in ((below, above), (above, below)) if poly.at_least_zero(opposite))
        return [poly.plus(each, step) for each in ends] if is_counted else []
    if negated:
        function = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "ne": "eq"}.get(function, "")
    return {
        "lt": [poly.plus(below, step)], "le": [below], "gt": [poly.plus(above, step)], "ge": [above],
        "eq": [below, above],
    }.get(function, [])  # fmt: skip
