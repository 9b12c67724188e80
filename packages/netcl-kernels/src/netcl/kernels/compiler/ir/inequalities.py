"""What is known of comparisons of whole numbers: whether one always holds, or where others do.

Input: conditions. Output: what is seen of them.
"""

from __future__ import annotations

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
    """Whether it bounds a whole number, or does with what else is known."""
    return _comparison(condition) is not None


def is_implied(condition: Expr, facts: Sequence[Expr]) -> bool:
    """Whether it is seen that a comparison of integers holds where these conditions do."""
    most = [most_of(each, facts) for each in at_most_zero(condition)]
    return bool(most) and all(each is not None and each <= 0 for each in most)


def is_possible(facts: Sequence[Expr]) -> bool:
    """Whether these conditions are not seen to exclude each other."""
    most = most_of({}, facts)
    return most is None or most >= 0


def most_of(apart: poly.Polynomial, facts: Sequence[Expr]) -> int | None:
    """What a sum is at most, of which the conditions may say it, or that no index is negative; None where they do
    not."""
    known: list[poly.Polynomial] = [{}]
    unequal = [fact for fact in facts if _says(fact) == "ne"]
    others = [fact for fact in facts if _says(fact) != "ne"]
    for fact in (*others, *unequal * len(unequal)):  # j != 1 says that j is 2 or more if it is 1 or more
        known += [each for each in at_most_zero(fact, known) if each not in known]
    monomials = dict.fromkeys(monomial for each in (apart, *known) for monomial in each)
    known += [{monomial: -1} for monomial in apart if len(monomial) == 1 and isinstance(monomial[0], Position)]
    return _most(apart, known + [each for monomial in monomials for each in _of_quotient(monomial, known)])


def _most(apart: poly.Polynomial, known: Sequence[poly.Polynomial]) -> int | None:
    """What a sum is at most, from two sums that are at most 0."""
    constants: dict[frozenset[tuple[poly.Monomial, int]], int] = {}  # the largest, by what stands beside it
    for each in known:
        key, constant = _without_constant(each), each.get((), 0)
        constants[key] = max(constants.get(key, constant), constant)
    found: int | None = None
    for one in known:
        rest = poly.plus(apart, one, -1)
        other = constants.get(_without_constant(rest))
        if other is not None:
            most = rest.get((), 0) - other
            found = most if found is None else min(found, most)
    return found


def _without_constant(terms: poly.Polynomial) -> frozenset[tuple[poly.Monomial, int]]:
    return frozenset([term for term in terms.items() if term[0]])


def _of_quotient(monomial: poly.Monomial, known: Sequence[poly.Polynomial]) -> list[poly.Polynomial]:
    """How far `a // 2` is below a: by 0 at least where neither is negative, by 1 where a is 1 or more."""
    if len(monomial) != 1 or not isinstance(monomial[0], Apply) or monomial[0].function != "floor_div":
        return []
    divided, divisor = (poly.polynomial(each) for each in monomial[0].children)
    if divisor.keys() != {()} or divisor[()] < 1:
        return []
    quotient: poly.Polynomial = {monomial: 1}
    bounds = [_most(poly.plus({}, each, -1), known) for each in (divided, quotient)]
    if poly.at_least_zero(divided):
        bounds.append(0)
    least = max((-each for each in bounds if each is not None), default=-1)
    below = least - least // divisor[()]
    return [poly.plus(poly.plus(quotient, divided, -1), {(): below})] if least >= 0 else []


_OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}


def _comparison(fact: Expr) -> tuple[str, tuple[Expr, ...]] | None:
    """What a condition on whole numbers says of which two of them; what is not equal has to be counted."""
    negated = isinstance(fact, Apply) and fact.function == "not"
    compared = fact.children[0] if negated else fact
    if not isinstance(compared, Apply) or compared.function not in _OPPOSITE:
        return None
    if compared.children[0].dtype != INDEX_DTYPE:
        return None
    function = _OPPOSITE[compared.function] if negated else compared.function
    is_said = function != "ne" or all(map(poly.is_counted, compared.children))
    return (function, compared.children) if is_said else None


def _says(fact: Expr) -> str:
    comparison = _comparison(fact)
    return comparison[0] if comparison else ""


def at_most_zero(fact: Expr, known: Sequence[poly.Polynomial] = ()) -> list[poly.Polynomial]:
    """Sums that are at most 0 where the condition holds, and those that are known to be."""
    comparison = _comparison(fact)
    if comparison is None:
        return []
    function, (one, other) = comparison[0], map(poly.polynomial, comparison[1])
    below, above = poly.plus(one, other, -1), poly.plus(other, one, -1)
    step: poly.Polynomial = {(): 1}
    if function == "ne":  # of what is never larger, smaller
        ends = ((below, above), (above, below))
        return [poly.plus(each, step) for each, opposite in ends if _is_never(each, opposite, known)]
    return {
        "lt": [poly.plus(below, step)], "le": [below], "gt": [poly.plus(above, step)], "ge": [above],
        "eq": [below, above],
    }[function]  # fmt: skip


def _is_never(positive: poly.Polynomial, opposite: poly.Polynomial, known: Sequence[poly.Polynomial]) -> bool:
    """Whether a sum is seen to be at most 0, or the opposite sum to be at least."""
    most = _most(positive, known)
    return poly.at_least_zero(opposite) or (most is not None and most <= 0)
