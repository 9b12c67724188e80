"""Formulas without Custom nodes: the values themselves, which is all that is computed."""

from __future__ import annotations

from dataclasses import replace

from netcl.core.bounded import remembered
from netcl.core.weak import WeakKeys
from netcl.kernels.compiler.ir import Custom, Enclosed, Expr, Formula, Materialised, subexpressions
from netcl.kernels.compiler.ir.binding import rebuilt, substitute

_expanded: WeakKeys[Expr, Expr | None] = WeakKeys()
"""What expressions come to without any Custom; None where that is the same one, which would keep itself alive."""


def expanded(expr: Expr) -> Expr:
    """`expr` without any Custom: the value of each in its place."""
    if expr not in _expanded:
        found = _without_custom(expr)
        _expanded[expr] = None if found is expr else found
    return _expanded[expr] or expr


def _without_custom(expr: Expr) -> Expr:
    memo: dict[Expr, Expr] = {}
    for node in subexpressions(expr):
        children = tuple(memo[child] for child in node.children)
        if isinstance(node, Custom):
            count = len(node.at)
            memo[node] = at_positions(node, children[count + node.which], children[:count])
        else:
            memo[node] = rebuilt(node, children)
    return memo[expr]


@remembered("plain formulas", 2048)
def plain(formula: Formula) -> Formula:
    """`formula` without any Custom: what it computes."""
    return formula.with_outputs(tuple(replace(each, expr=expanded(each.expr)) for each in formula.outputs))


def at_positions(node: Enclosed, over_axes: Expr, at: tuple[Expr, ...]) -> Expr:
    """An expression over the axes of the value that `node` has, at these positions."""
    return substitute(over_axes, dict(zip(node.axes[node.which], at, strict=True)))


def inlined(node: Materialised) -> Expr:
    """What is materialised, at the positions where it is read."""
    return at_positions(node, node.body, node.at)
