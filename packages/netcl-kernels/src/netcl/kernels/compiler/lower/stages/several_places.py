"""Sums whose summand goes to several places: `sum[e]((a[e] == v ? f : 0) + (b[e] == v ? g : 0))` is two scatters."""

from __future__ import annotations

import functools

from netcl.kernels.compiler.derive.selected import leaves, terms, where_all
from netcl.kernels.compiler.ir import Expr, Reduce
from netcl.kernels.compiler.ir.binding import replace_nodes, total
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.lower.loop_cost import Cost
from netcl.kernels.compiler.lower.scattering import Places

_MOST_TERMS = 32


def one_sum_for_each(expr: Expr, cost: Cost) -> Expr:
    """`expr`, in which such sums are sums of scatters: terms that go to the same places stay together, and so do those
    that go nowhere."""
    found: dict[Expr, Expr] = {}
    for node in cost.reduces(expr):
        if node.kind == "sum" and not cost.apart(node) and 1 < leaves(node.body) <= _MOST_TERMS:
            sums = _by_places(node, cost)
            if len(sums) > 1:
                found[node] = functools.reduce(functools.partial(call, "add"), sums)
    return replace_nodes(expr, found) if found else expr


def _by_places(node: Reduce, cost: Cost) -> list[Expr]:
    together: dict[Places | None, Expr] = {}
    for conditions, value in terms(node.body):
        term = where_all(conditions, value)
        alone = total("sum", node.over, term)
        places = cost.scatters(alone) if isinstance(alone, Reduce) else None
        together[places] = call("add", together[places], term) if places in together else term
    return [total("sum", node.over, term) for term in together.values()]
