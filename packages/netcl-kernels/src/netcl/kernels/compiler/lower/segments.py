"""Segments of a loop in which comparisons of positions do not change, so that they are no matter of single lanes.

`at < end` changes at one place, where the difference of the two moves with the index of the loop. The borders of
padding, the seams of a concatenation and the like are such comparisons. A loop may go from one such place to the next;
what is computed in between has the comparisons as values of one lane.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from netcl.kernels.compiler.ir import INDEX_DTYPE, Apply, Expr, position, subexpressions
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.lower.guards import Guards

_ORDERS = {"lt", "le", "gt", "ge"}


def changes(roots: Iterable[Expr], guards: Guards, index: str, known: Iterable[str]) -> Mapping[Expr, Expr]:
    """The comparisons below `roots` that change once along `index`, of which nothing else moves but what is `known`
    around the loop; and for each the first place where it is no longer what it was."""
    found: dict[Expr, Expr] = {}
    within = {*known, index}
    for node in subexpressions(*roots, *guards.conditions()):
        if isinstance(node, Apply) and node.function in _ORDERS and node.children[0].dtype == INDEX_DTYPE:
            change = _change(node, index)
            if change is not None and guards.depends(node) <= within:
                found[node] = change
    return found


def _change(node: Apply, index: str) -> Expr | None:
    """The first value of the index at which the comparison is no longer what it was; None if that is not just the
    index against something that does not depend on it."""
    left, right = map(poly.polynomial, node.children)
    rest = dict(poly.plus(left, right, -1))
    factor = rest.pop((position(index),), 0)
    if factor not in (1, -1) or any(index in atom.free for monomial in rest for atom in monomial):
        return None
    after = {1: ("le", "gt"), -1: ("lt", "ge")}[factor]
    return poly.expression(poly.plus({(): 1} if node.function in after else {}, rest, -factor))
