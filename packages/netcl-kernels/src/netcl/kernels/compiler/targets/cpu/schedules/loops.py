"""loops: any formula, in scalar code. Each work-item computes a run of output elements, one after the other."""

from __future__ import annotations

from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.targets.cpu.loops import Loops


def fits(nest: Nest) -> Loops:
    """Always. What only some outputs have elements along is gone along inside, however often: also not at all."""
    shared = tuple(each for each in nest.order if all(each in write.indices for write in nest.writes))
    return Loops("loops", parallel=shared, inner=tuple(each for each in nest.order if each not in shared))
