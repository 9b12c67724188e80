"""Checking that positions are in range, before a formula reads with them.

Positions that depend on sizes alone were checked when the plan was made. Those that the caller's numbers move are
checked on the host. For those that are read from data the check is itself a formula (one reduction over the index
operands); its answer is waited for, so an error is raised at the call that caused it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from netcl.core.errors import IndexOutOfRangeError
from netcl.core.tensor import Tensor
from netcl.kernels.compiler.ir import Formula, Read, is_state, root, subexpressions
from netcl.kernels.compiler.ir.bounds import Bound, bounds, bounds_formula
from netcl.kernels.compiler.ir.evaluate import Environment, expression_value
from netcl.kernels.compiler.ir.show import expression_text
from netcl.kernels.runtime import launch
from netcl.kernels.runtime.bindings import Bindings, check_reaches

_MOST_ASKED = 1 << 26


def guarded(plan: launch.Plan) -> Callable[..., tuple[Tensor, ...]]:
    """The plan's `run`, which first does what `require_in_range` does."""

    def run(
        tensors: Sequence[Tensor], attributes: Mapping[str, Any], out: Sequence[Tensor] | None = None
    ) -> tuple[Tensor, ...]:
        require_in_range(plan.formula, tensors, attributes, plan.bindings)
        return plan.run(tensors, attributes, out)

    return run


def require_in_range(
    formula: Formula, tensors: Sequence[Tensor], attributes: Mapping[str, Any], bindings: Bindings
) -> None:
    """Raise IndexOutOfRangeError that names the first position outside of its axis. Waits for the device if there are
    positions that are read from an operand."""
    check_reaches(formula, bindings, attributes, moved=True)
    checks = bounds(formula)
    if not checks:
        return
    by_name = dict(zip((operand.name for operand in formula.operands), tensors, strict=True))
    for by_itself in (True, False):
        check = bounds_formula(formula, by_itself)
        operands = [by_name[operand.name] for operand in check.operands]
        found = launch.run(check, operands, attributes, bindings)
        wrong = [bound for bound, holds in zip(checks, found, strict=True) if not holds.item()]
        if not wrong:
            return
        certain = wrong if not by_itself else [bound for bound in wrong if _are_many(bound, bindings)]
        if certain:
            raise _error(formula, certain[0], by_name, attributes, bindings)


def _are_many(bound: Bound, bindings: Bindings) -> bool:
    """Whether to ask under which conditions on other indices a position is read takes too long: it is taken to be."""
    return prod(bindings.sizes[root(index)] for index in {*bound.holds.free, *bound.over}) > _MOST_ASKED


def _error(
    formula: Formula, bound: Bound, tensors: Mapping[str, Tensor], attributes: Mapping[str, Any], bindings: Bindings
) -> IndexOutOfRangeError:
    """Find the first wrong position on the host; only on the way to an error."""
    nodes = subexpressions(bound.holds)
    names = {node.operand for node in nodes if isinstance(node, Read) and not is_state(node.operand)}
    arrays: dict[str, np.ndarray] = {}
    for name in names:
        operand = formula.operand(name)
        shape = [bindings.sizes[index] for index in operand.indices]
        arrays[name] = tensors[name].to_host().reshape(shape)
    setting = Environment(arrays, attributes, bindings.sizes)
    asked = bound.holds_by_itself if _are_many(bound, bindings) else bound.holds
    over = tuple(sorted(asked.free))
    holds = expression_value(asked, over, setting)
    wrong = np.argwhere(~holds)
    extent = bindings.sizes[bound.index]
    axis = f"axis {bound.index}{bound.operand and f' of {bound.operand}'}, which has length {extent}"
    if not len(wrong):  # floats are longer here than on the device
        return IndexOutOfRangeError(f"{formula.name}: {expression_text(bound.given)} is out of range for {axis}")
    at = tuple(int(each) for each in wrong[0])
    place = ", ".join(f"{index} = {each}" for index, each in zip(over, at, strict=True)) or "its only element"
    read = f"{' and '.join(sorted(names))} at {place}" if names else f"at {place}" if over else ""
    where = f" ({read})" if read else ""
    count = f"; of {holds.size} positions {len(wrong)} {'is' if len(wrong) == 1 else 'are'} wrong" if over else ""
    if not expression_value(bound.fits, over, setting)[at]:
        return IndexOutOfRangeError(
            f"{formula.name}: the index {expression_text(bound.given)}{where} goes beyond 64 bits, and points into "
            f"{axis}{count}"
        )
    value = int(expression_value(bound.given, over, setting)[at])
    return IndexOutOfRangeError(f"{formula.name}: the index {value}{where} is out of range for {axis}{count}")
