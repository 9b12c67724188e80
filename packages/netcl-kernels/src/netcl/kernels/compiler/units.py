"""Reducers over an index of length 1 have one value: it is computed once, without a loop.

Input: an expression and the extents of its indices. Output: the same value, in which no such index is bound. A
condition on one (`r - padding >= 0`) would else speak of a loop that the read which it protects need not be in.
"""

from __future__ import annotations

from collections.abc import Mapping

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Reduce, Scan, number, root, transform
from netcl.kernels.compiler.simplify import rebuilt, substitute, total


def without_units(expr: Expr, sizes: Mapping[str, int]) -> Expr:
    """`expr`, with 0 for the position of every bound index that has length 1."""
    zero = number(0, INDEX_DTYPE)

    def visit(node: Expr, children: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Reduce):
            units = {index: zero for index in node.over if sizes[root(index)] == 1}
            if units:
                over = tuple(index for index in node.over if index not in units)
                is_place = not over and node.kind.startswith("arg")
                return zero if is_place else total(node.kind, over, substitute(children[0], units))
        if isinstance(node, Scan) and sizes[root(node.index)] == 1:
            return zero if node.kind.startswith("arg") else substitute(children[-1], {node.index: zero})
        return rebuilt(node, children)

    return transform(expr, visit)
