"""map: pointwise formulas. Each item has `EACH` elements, a group's width apart: neighbours to neighbouring items."""

from __future__ import annotations

from netcl.kernels.compiler.ir import INDEX_DTYPE, number, position
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.given import Given, Looped, items_of, product_of_sizes
from netcl.kernels.compiler.loops.ir import If, Let, Loop, LoopNest
from netcl.kernels.compiler.loops.values import Values, parted
from netcl.kernels.compiler.lower.nest import Nest, Scheduled

EACH = 4


def fits(nest: Nest) -> Scheduled | None:
    """For stages without a reduction whose outputs all have the same indices."""
    if nest.reduces or len({write.indices for write in nest.writes}) > 1:
        return None
    given, items = Given(nest.accesses, nest.attributes), items_of(nest.target)
    order = nest.writes[0].indices
    total = product_of_sizes(order, given)
    values = Values(nest, nest.exprs, given)
    scope = values.inside(order, position("element"))
    values.stored_together(nest.writes, scope)
    chunk = items * EACH
    element = call(
        "add",
        call("add", call("mul", position("group"), chunk), call("mul", position("turn"), items)),
        position("item"),
    )
    inside = If(call("lt", position("element"), total), scope.body)
    body = (Loop("turn", number(EACH, INDEX_DTYPE), "unrolled", (Let("element", element), inside)),)
    buffers = tuple(given.buffers.values())
    made = LoopNest(nest.name, "group", parted(total, chunk), "item", items, buffers, body, frozenset(given.data))
    kernel = Looped(
        computation=nest.computation(), schedule="map",
        nest=made, given=given.arguments, groups=-(-nest.extent(*order) // chunk),
    )  # fmt: skip
    return Scheduled((kernel,))
