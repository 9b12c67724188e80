"""Bound indices get names of their own where a condition from outside speaks of an index of the same name.

`k < n ? sum[k](x[k + 1]) : 0` protects the reads inside the sum by the outer k. To be written there, that condition
needs the sum to bind another name. Only reductions with reads that could be out of range are renamed.
"""

from __future__ import annotations

from netcl.kernels.compiler.ir import (
    Apply,
    Expr,
    Position,
    Read,
    Reduce,
    fresh,
    indices_of,
    rebuild,
    reduce,
    subexpressions,
    transform,
)
from netcl.kernels.compiler.simplify import rename


def distinct(expr: Expr) -> Expr:
    """`expr`, with every protected reduction over names that its conditions do not use."""

    def visit(node: Expr, children: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Apply) and node.function == "select":
            condition, *branches = children
            children = (condition, *(_renamed(branch, condition.free) for branch in branches))
        return rebuild(node, children)

    return transform(expr, visit)


def _renamed(branch: Expr, outside: frozenset[str]) -> Expr:
    taken = set(outside) | indices_of(branch)

    def visit(node: Expr, children: tuple[Expr, ...]) -> Expr:
        if not isinstance(node, Reduce) or outside.isdisjoint(node.over) or not _may_leave(node):
            return rebuild(node, children)
        names = {}
        for index in node.over:
            if index in outside:
                names[index] = fresh(index, taken)
                taken.add(names[index])
        over = tuple(names.get(index, index) for index in node.over)
        return reduce(node.kind, over, rename(children[0], names))

    return transform(branch, visit)


def _may_leave(node: Reduce) -> bool:
    """Whether a read below is at a position that is not a plain index."""
    reads = [each for each in subexpressions(node) if isinstance(each, Read)]
    return any(not isinstance(at, Position) for read in reads for at in read.at)
