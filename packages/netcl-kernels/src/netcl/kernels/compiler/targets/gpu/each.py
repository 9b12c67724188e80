"""each: any formula. An item computes one element of an output, neighbours to neighbours; reductions are its loops."""

from __future__ import annotations

from collections.abc import Sequence

from netcl.kernels.compiler.ir import position, root
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.given import Given, Looped, items_of, product_of_sizes
from netcl.kernels.compiler.loops.ir import If, Let, LoopNest
from netcl.kernels.compiler.loops.values import Values, parted
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.lower.nest import Nest, Scheduled


def fits(nest: Nest) -> Scheduled:
    """Always: a kernel for each group of outputs over the same indices."""
    groups: dict[tuple[str, ...], list[Write]] = {}
    for write in nest.writes:
        groups.setdefault(write.indices, []).append(write)
    return Scheduled(tuple(
        _kernel(nest, nest.name + (f"_{at + 1}" if len(groups) > 1 else ""), tuple(writes))
        for at, writes in enumerate(groups.values())
    ))  # fmt: skip


def _kernel(nest: Nest, name: str, writes: tuple[Write, ...]) -> Looped:
    given, items = Given(nest.accesses, nest.attributes), items_of(nest.target)
    values = Values(nest, [write.expr for write in writes], given)
    order = _order(nest, writes[0].indices)
    scope = values.inside(order, position("element"))
    values.stored_together(writes, scope)
    total = product_of_sizes(order, given)
    element = call("add", call("mul", position("group"), items), position("item"))
    body = (Let("element", element), If(call("lt", position("element"), total), scope.body))
    buffers = (*given.buffers.values(), *values.buffers)
    made = LoopNest(name, "group", parted(total, items), "item", items, buffers, body, frozenset(given.data))
    return Looped(
        computation=nest.computation(name=name, writes=writes, accesses=nest.read_by(*writes)), schedule="each",
        nest=made, given=given.arguments, groups=-(-nest.extent(*order) // items),
    )  # fmt: skip


def _order(nest: Nest, indices: Sequence[str]) -> tuple[str, ...]:
    """The indices of an output, the one whose elements are nearest neighbours last."""
    return tuple(sorted(indices, key=lambda index: root(index) == nest.fastest))
