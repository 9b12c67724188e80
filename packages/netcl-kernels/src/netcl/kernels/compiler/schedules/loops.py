"""loops: any formula, in scalar code. Each work-item computes a run of output elements, one after the other."""

from __future__ import annotations

from netcl.kernels.compiler.kernel import Kernel
from netcl.kernels.compiler.schedules.common import Nest


def fits(nest: Nest) -> Kernel:
    """Always."""
    return nest.kernel("loops", parallel=nest.order)
