"""columns: reductions across what is contiguous. Sixteen columns at a time, a lane for each; nothing is folded."""

from __future__ import annotations

from netcl.kernels.compiler.emit.types import LANES
from netcl.kernels.compiler.ir import root
from netcl.kernels.compiler.kernel import Kernel
from netcl.kernels.compiler.schedules.common import Nest

_TILE = 16


def fits(nest: Nest) -> Kernel | None:
    """For stages with reductions where an output index that all of them keep is the fastest, and long enough."""
    if not nest.reduces or not nest.order:
        return None
    vector = next((index for index in nest.order if root(index) == nest.fastest), None)
    if vector is None or nest.extent(vector) < LANES or vector not in nest.kept:
        return None
    if vector in nest.bound:  # a reduction over all columns inside: tiles of columns would cut it short
        return None
    others = tuple(index for index in nest.order if index in nest.kept and index != vector)
    inner = tuple(index for index in nest.order if index not in nest.kept)
    return nest.kernel("columns", parallel=others, inner=(vector, *inner), vector=vector, blocked=vector, block=_TILE)
