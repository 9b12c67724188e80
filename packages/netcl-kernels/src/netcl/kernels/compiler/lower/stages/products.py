"""Matrix products that are asked for in several places: within different sums, or by different outputs.

Such a product goes around what is computed of it, so that each stage which asks for it would be a product again. It is
computed once instead, as a library would, and the others read it.

Input: expressions, each with the indices of its output. Output: the products, each with an order for its indices.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from netcl.kernels.compiler.ir import Expr, Reduce, outermost
from netcl.kernels.compiler.ir.choices import conjunction, where
from netcl.kernels.compiler.ir.inequalities import says_of_places
from netcl.kernels.compiler.ir.paths import Path, on_every_way
from netcl.kernels.compiler.ir.polynomial import is_counted
from netcl.kernels.compiler.lower.loop_cost import Cost

Order = tuple[str, ...]


def asked_for_again(asking: Iterable[tuple[Expr, Order]], cost: Cost) -> Iterator[tuple[Reduce, Order]]:
    """Those that more than one of these, or of the reductions in them, asks for. What is computed for pairs, in one
    piece and without a table, has none of it."""
    found: dict[Reduce, list[Order]] = {}
    seen: set[Expr] = set()
    waiting = [(expr, order) for expr, order in asking if not any(map(cost.pairs, cost.reduces(expr)))]
    while waiting:
        expr, order = waiting.pop()
        if expr in seen:
            continue
        seen.add(expr)
        for node in outermost(expr):
            if cost.contracts(node):
                found.setdefault(node, []).append((*order, *sorted(node.free.difference(order))))  # of scans
            waiting.append((node.body, (*order, *node.over)))
    return ((node, orders[0]) for node, orders in found.items() if len(orders) > 1)


def where_asked_for(node: Reduce, ways: Sequence[Path]) -> Expr:
    """A product that is asked for on these ways: 0 elsewhere, as far as that is said of places alone."""
    common = on_every_way(ways)
    asked = [each for each in common if says_of_places(each) and is_counted(each) and each.free <= node.free]
    return where(conjunction(asked), node) if asked else node
