"""Which kernels of a plan share a launch: those that need nothing of each other, in as few launches as there can be.

Input: the kernels in order, with the arguments of each, equal where one does for several. Output: the same kernels by
launches.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from netcl.kernels.compiler.lower.kernel import Kernel
from netcl.kernels.compiler.target.thresholds import LaunchThresholds


def shared(
    kernels: Sequence[Kernel], arguments: Sequence[Collection[object]], limits: LaunchThresholds
) -> list[list[int]]:
    """The places of the kernels that make one launch, launch by launch."""
    if not limits.together:
        return [[at] for at in range(len(kernels))]
    levels: list[int] = []
    for at, kernel in enumerate(kernels):
        before = [levels[earlier] for earlier in range(at) if _needs(kernel, kernels[earlier])]
        levels.append(max(before, default=-1) + 1)
    launches: list[list[int]] = []
    for level in sorted(set(levels)):
        launch, given = list[int](), set[object]()
        for at in (at for at, found in enumerate(levels) if found == level):
            if launch and (len(given.union(arguments[at])) > limits.arguments or len(launch) == limits.kernels):
                launches.append(launch)
                launch, given = [], set()
            launch.append(at)
            given.update(arguments[at])
        launches.append(launch)
    return launches


def _needs(later: Kernel, earlier: Kernel) -> bool:
    """Whether a kernel has to wait for one before it."""
    if _written(earlier) & _read(later) or _read(earlier) & _written(later):
        return True
    apart = 0 != earlier.piece != later.piece != 0
    return bool(_written(earlier) & _written(later)) and not apart


def _written(kernel: Kernel) -> set[str]:
    own = {write.access.buffer for write in kernel.writes}
    return own | _written(kernel.then) if kernel.then else own


def _read(kernel: Kernel) -> set[str]:
    own = {access.buffer for access in kernel.accesses.values()}
    return own | _read(kernel.then) if kernel.then else own
