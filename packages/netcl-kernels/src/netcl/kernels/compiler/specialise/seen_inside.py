"""Positions that have to be `within` an axis and are seen to be, by the conditions around them, by what a call requires
of sizes, and since an index is in range: they need no check, and no stage has to look through one.

Input: an expression, what is required, the extents of indices. Output: the expression, with such positions as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from netcl.kernels.compiler.ir import Apply, Expr, Number, Position, apply, root, size, subexpressions
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.ir.inequalities import is_implied
from netcl.kernels.compiler.ir.paths import paths
from netcl.kernels.compiler.ir.simplify import call


def without_needless(expr: Expr, required: Sequence[Expr], sizes: Mapping[str, Expr]) -> Expr:
    """The expression without checks of positions that are in range wherever they are evaluated."""
    checked = [each for each in subexpressions(expr) if isinstance(each, Apply) and each.function == "within"]
    if not checked:
        return expr
    ways = paths(expr)
    seen: dict[Expr, Expr] = {
        node: node.children[0]
        for node in checked
        if all(_is_inside(node, [*way, *required], sizes) for way in ways.get(node, [()]))
    }
    return replace_nodes(expr, seen) if seen else expr


def _is_inside(within: Expr, facts: Sequence[Expr], sizes: Mapping[str, Expr]) -> bool:
    at, extent = within.children
    facts = [*facts, *_of_indices(at, sizes)]
    return all(
        bool(each.value) if isinstance(each, Number) else is_implied(each, facts)
        for each in (call("le", 0, at), call("lt", at, extent))
    )


def _of_indices(at: Expr, sizes: Mapping[str, Expr]) -> Iterator[Expr]:
    """That each index is in range, which the simplifier takes to be true."""
    for each in subexpressions(at):
        if isinstance(each, Position):
            yield apply("lt", (each, sizes.get(root(each.index), size(root(each.index)))), "bool")
