"""How many work-items a launch has. Results never depend on it: units of work are independent of each other."""

from __future__ import annotations

from netcl.kernels.compiler.emit.types import LANES
from netcl.kernels.compiler.kernel import Kernel

_PER_CORE = 4
_LEAST_WORK = 4096
"""Element steps below which another work-item costs more than it brings."""


def chunks(kernel: Kernel, compute_units: int) -> tuple[int, int]:
    """(work-items, units for each)."""
    units = kernel.units
    work = units * kernel.work_per_unit
    items = max(1, min(compute_units * _PER_CORE, units, work // _LEAST_WORK))
    chunk = -(-units // items)
    if kernel.vector is not None and kernel.parallel == (kernel.vector,):
        chunk = -(-chunk // LANES) * LANES
    return -(-units // chunk), chunk
