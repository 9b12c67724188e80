"""How much work a gradient is beside its value: the steps that all kernels of both take, counted without a device.

A value that reads few of many elements (`x[0]`) has a gradient of all of them. So what has to be there counts as well:
a gradient is never compared with less than the elements of operands and outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.derive.formula import NoDerivative
from netcl.kernels.compiler.ir import Formula, Reduce, root, subexpressions
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.lower.kernel import Kernel
from netcl.kernels.runtime.bindings import Bindings
from netcl.kernels.tools.describe import CPU, program_of
from netcl.kernels.tools.measuring import largest_sizes

MOST = 8
"""Times the work of the value: a gradient that is more has a schedule that looks at what it need not look at."""

ELEMENTS = 1 << 16


@dataclass(frozen=True)
class Work:
    """The steps of the value and of all input gradients, and how many `elements` operands and outputs have."""

    value: int
    gradient: int
    elements: int

    @property
    def ratio(self) -> float:
        return self.gradient / max(self.value, self.elements, 1)


def work_of_form(form: syntax.Declaration, elements: int = ELEMENTS) -> Work | None:
    """The work of a form on tensors of about so many elements; None where it has no derivative."""
    sizes = largest_sizes(form, elements)
    return work_of(sizes.formula, sizes.bindings, sizes.attributes)


def work_of(formula: Formula, bindings: Bindings, attributes: Mapping[str, Any]) -> Work | None:
    """The work of a formula for operands of these shapes, which lie contiguously."""
    wanted = pipeline.differentiable(formula)
    try:
        gradient = pipeline.gradient(formula, wanted) if wanted else None
    except NoDerivative:
        gradient = None
    if gradient is None:
        return None
    value, all_gradients = (_steps(each, bindings, attributes) for each in (formula, gradient))
    return Work(value, all_gradients, sum(map(prod, bindings.shapes.values())))


def _steps(formula: Formula, bindings: Bindings, attributes: Mapping[str, Any]) -> int:
    kernels = program_of(formula, bindings, attributes, CPU, views=False).recipe.steps
    return sum(map(_steps_of, (each for each in kernels if isinstance(each, Kernel))))


def _steps_of(kernel: Kernel) -> int:
    """About how many elements are gone through. Of a product of matrices, its schedule counts the tiles."""
    if kernel.schedule != "contraction":
        return kernel.units * kernel.work_per_unit
    nodes = [each for write in kernel.writes for each in subexpressions(write.expr) if isinstance(each, Reduce)]
    return sum(prod(kernel.extents[root(index)] for index in {*each.free, *each.over}) for each in nodes)
