"""loops: any formula, in scalar code. Each work-item computes a run of output elements, one after the other."""

from __future__ import annotations

from netcl.kernels.compiler.lower.kernel import Kernel
from netcl.kernels.compiler.lower.nest import Nest


def fits(nest: Nest) -> Kernel:
    """Always."""
    return nest.kernel("loops", parallel=nest.order)
