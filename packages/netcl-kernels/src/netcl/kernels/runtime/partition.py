"""How the work of a launch is shared out: over how many work-items, and whether it is worth waking threads for.

Results never depend on either: units of work are independent of each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from netcl.core.dtypes import canonical
from netcl.kernels.compiler.ir import Apply, root, subexpressions
from netcl.kernels.compiler.loops.given import Looped, Units
from netcl.kernels.compiler.lower.kernel import Kernel
from netcl.kernels.compiler.opencl.elementary import WORST_ULP
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.target import Target

_READ_NS, _WRITTEN_NS = 0.02, 0.04
"""Of a byte. One that is written is fetched first, and leaves the cache later."""

_FUNCTION_NS = {"div": 0.1, "sqrt": 0.1, "rsqrt": 0.1, "pow": 1.5} | dict.fromkeys(WORST_ULP, 0.4)
_PLAIN_NS = 0.02


def chunks(kernel: Kernel, target: Target) -> tuple[int, int]:
    """(work-items, units for each)."""
    limits, cores = target.sharing, target.compute_units
    if isinstance(kernel, Looped) and not isinstance(kernel, Units):
        return kernel.groups * kernel.nest.items, 1
    units = kernel.units
    work = units * kernel.work_per_unit
    even = max(cores * limits.items_per_unit, min(cores * limits.most_items_per_unit, work // limits.much_work))
    most = min(even, units, kernel.most_items or units)
    items = max(1, min(most, work // limits.least_work))
    chunk = -(-units // items)
    chunk = -(-chunk // kernel.multiple) * kernel.multiple
    return -(-units // chunk), chunk


def local_size(kernel: Kernel) -> int:
    """The items of a work-group."""
    return kernel.nest.items if isinstance(kernel, Looped) else 1


def is_small(kernels: Iterable[Kernel], target: Target) -> bool:
    """Whether all of these together are so little work that one core does them best."""
    return sum(nanoseconds(kernel) for kernel in kernels) <= target.sharing.inline_nanoseconds


def nanoseconds(kernel: Kernel) -> float:
    """About how long one core takes; the figures are those of a core with 512-bit vectors."""
    then = nanoseconds(kernel.then) if kernel.then else 0.0
    read = sum(canonical(access.dtype).itemsize for access in kernel.accesses.values())
    written = sum(
        prod(kernel.extents[root(index)] for index in write.indices) * canonical(write.access.dtype).itemsize
        for write in kernel.writes
    )
    called = [node for node in subexpressions(*kernel.usual) if isinstance(node, Apply) and not _is_of_bytes(node)]
    functions = sum(_FUNCTION_NS.get(node.function, _PLAIN_NS) for node in called)
    scalar = 1 if kernel.is_vectorised else LANES // 2
    steps = kernel.units * kernel.work_per_unit * scalar
    return steps * (read * _READ_NS + functions) + written * _WRITTEN_NS + then


def _is_of_bytes(node: Apply) -> bool:
    """Whether 64 of them are a matter of one instruction."""
    return all(canonical(each.dtype).itemsize == 1 for each in (node, *node.children))
