"""Conditions that have the same parts in another order, as one.

The derivatives of what a branch computes come by different paths to the same branch; what they compute there is the
same only if the branch is.

Input: a formula. Output: the same values.
"""

from __future__ import annotations

from netcl.kernels.compiler.ir import Apply, Expr, Formula, subexpressions
from netcl.kernels.compiler.ir.binding import rebuilt
from netcl.kernels.compiler.ir.logic import commutes, parts_of


def with_like_conditions(formula: Formula) -> Formula:
    """`formula`, in which the first of such conditions stands for all of them."""
    exprs, new = formula.exprs, dict[Expr, Expr]()
    first: dict[tuple[str, frozenset[Expr]], Expr] = {}
    for node in subexpressions(*exprs):
        found = rebuilt(node, tuple(new[child] for child in node.children))
        if isinstance(found, Apply) and found.function in ("and", "or") and commutes(found):
            found = first.setdefault((found.function, frozenset(parts_of(found))), found)
        new[node] = found
    return formula.rewritten(new)
