"""map: pointwise formulas. Each item has `EACH` elements, a group's width apart: neighbours to neighbouring items."""

from __future__ import annotations

from netcl.kernels.compiler.ir import INDEX_DTYPE, number, position
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.given import Given, Looped, product_of_sizes, unflattened
from netcl.kernels.compiler.loops.ir import If, Let, Loop, LoopNest, Statement, Store
from netcl.kernels.compiler.loops.text import written_out
from netcl.kernels.compiler.lower.nest import Nest, Scheduled

ITEMS, EACH = 256, 4
LONGEST = 4000
"""Nodes of a statement that is still written as one; longer ones are left to `loops`."""


def fits(nest: Nest) -> Scheduled | None:
    """For stages without a reduction whose outputs all have the same indices."""
    if not nest.target.groups.used or nest.reduces or len({write.indices for write in nest.writes}) > 1:
        return None
    given = Given(nest.accesses, nest.attributes)
    order = nest.writes[0].indices
    total = product_of_sizes(order, given)
    places = unflattened(position("element"), order, given)
    stores: list[Statement] = []
    for write in nest.writes:
        value = given.expr(write.expr, places)
        stores.append(Store(*given.target(write, places), value))
    chunk = ITEMS * EACH
    element = call(
        "add",
        call("add", call("mul", position("group"), chunk), call("mul", position("turn"), ITEMS)),
        position("item"),
    )
    inside = If(call("lt", position("element"), total), tuple(stores))
    body = (Loop("turn", number(EACH, INDEX_DTYPE), "unrolled", (Let("element", element), inside)),)
    groups = call("floor_div", call("add", total, chunk - 1), chunk)
    buffers = tuple(given.buffers.values())
    made = LoopNest(nest.name, "group", groups, "item", ITEMS, buffers, body, frozenset(given.data))
    if written_out(made) > LONGEST:
        return None
    kernel = Looped(
        computation=nest.computation(),
        schedule="map",
        nest=made,
        given=given.arguments,
        groups=-(-nest.extent(*order) // chunk),
    )
    return Scheduled((kernel,))
