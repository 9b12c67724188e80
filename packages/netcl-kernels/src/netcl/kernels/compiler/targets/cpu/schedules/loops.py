"""loops: any formula, in scalar code. Each work-item computes a run of output elements, one after the other."""

from __future__ import annotations

from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.targets.cpu.loops import Loops


def fits(nest: Nest) -> Loops:
    """Always."""
    return Loops("loops", parallel=nest.order)
