"""Contractions over windows, in the form in which a card multiplies them.

Input: an output that is a contraction, what the host knows. Output: the same without conditions that always hold; and
where only every s-th place of a window counts (the gradient of a window with a stride), over the places `i = s * whole
+ phase` instead of `i`: all places of one phase meet the same steps of the window, so that each phase is a product of
its own. That needs a length that is a multiple of s. Where it is none, the steps that do not count are multiplied as
zeros: still sooner than a product for every place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from netcl.kernels.compiler.ir import Apply, Expr, Output, position, root, subexpressions
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.binding import replace_free, replace_nodes, substitute
from netcl.kernels.compiler.ir.host import Numbers, known
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.lower.operand_packing import Packed, contraction_in, without_guards, without_unit_divisors
from netcl.kernels.compiler.lower.strided_sums import strided
from netcl.kernels.compiler.target import Target


def contracted(output: Output, numbers: Numbers, target: Target) -> Packed | None:
    """The output, and the extents of its new indices; None when there is no contraction."""
    output = replace(output, expr=without_unit_divisors(output.expr, numbers))
    node = contraction_in(output, numbers.sizes, target)
    if node is None:
        return None
    expr, extents = strided(output.expr, numbers)
    if extents:
        found = _in_phases(replace(output, expr=expr), replace(numbers, sizes={**numbers.sizes, **extents}))
        if found is not None:
            return Packed(found[0], sizes={**extents, **found[1]})
    return Packed(replace(output, expr=replace_nodes(output.expr, {node: without_guards(node, numbers)})))


def _in_phases(output: Output, numbers: Numbers) -> tuple[Output, Mapping[str, int]] | None:
    """The output over wholes and phases of each index that is divided by the stride of a window."""
    expr, axes, extents = output.expr, output.axes, dict[str, int]()
    for index in output.indices:
        divided = {
            each.children
            for each in subexpressions(expr)
            if isinstance(each, Apply) and each.function in ("floor_div", "mod") and index in each.free
        }
        if not divided:
            continue
        if len(divided) > 1 or (index,) not in axes:
            return None
        ((start, by),) = divided
        rest = poly.polynomial(start - position(index))
        step = known(by, numbers)
        length = numbers.sizes[root(index)]
        if step is None or step < 2 or poly.expression(rest).free or length % step != 0:
            return None
        whole, phase = f"{root(index)}.whole", f"{root(index)}.phase"
        extents |= {whole: length // step, phase: step}
        here = call("add", poly.expression(rest), position(phase))
        instead: dict[Expr, Expr] = {
            call("floor_div", start, by): call("add", position(whole), call("floor_div", here, by)),
            call("mod", start, by): call("mod", here, by),
        }
        at = call("add", call("mul", position(whole), by), position(phase))
        expr = substitute(replace_free(expr, instead), {index: at})
        axes = tuple((whole, phase) if axis == (index,) else axis for axis in axes)
    return (replace(output, expr=expr, axes=axes), extents) if extents else None
