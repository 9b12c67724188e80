"""recurrence: states that read earlier elements of themselves. Each work-item has rows of its own, along which nothing
depends on another one, and goes through the steps in order; in each of them it computes the states in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from netcl.kernels.compiler.ir import Expr
from netcl.kernels.compiler.loops.given import Given
from netcl.kernels.compiler.loops.ir import Statement
from netcl.kernels.compiler.loops.recurrent import Steps
from netcl.kernels.compiler.loops.scope import Scope
from netcl.kernels.compiler.loops.values import Values
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.targets.cpu.loops import Loops
from netcl.kernels.compiler.targets.cpu.units import in_units


def fits(nest: Nest) -> Scheduled:
    """Always."""
    rows = nest.apart
    values = Values(nest, nest.exprs, Given(nest.accesses, nest.attributes), steps=nest.changing())
    top = Scope()
    steps = Steps(nest, values)

    def inside(places: Mapping[str, Expr]) -> Sequence[Statement]:
        return steps.of_row(places, top)

    loops = Loops("recurrence", parallel=rows, inner=tuple(index for index in nest.order if index not in rows))
    return Scheduled((in_units(nest, values, loops, top, inside),))
