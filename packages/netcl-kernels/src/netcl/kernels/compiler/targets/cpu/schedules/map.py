"""map: pointwise formulas. Sixteen neighbours at a time along one index; runs of it are shared out over the work-items.

With one index left after merging each work-item has one run of it. With more, the vector index is cut into blocks and
the work-items go through the other indices block by block, so that what is read along a column stays in the cache.
"""

from __future__ import annotations

from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.targets.cpu.loops import Blocks, Loops


def fits(nest: Nest) -> Loops | None:
    """For stages without a reduction that have an index long enough."""
    if nest.reduces or not nest.order or len({write.indices for write in nest.writes}) > 1:
        return None
    vector = _vector(nest)
    if vector is None:
        return None
    if nest.order == (vector,):
        return Loops("map", parallel=(vector,), vector=vector)
    others = tuple(index for index in nest.order if index != vector)
    strides = [access.strides for access in nest.accesses.values()]
    transposed = any(each.get(vector, 0) not in (0, 1) and 1 in each.values() for each in strides)
    block = nest.target.cuts.transposed if transposed else nest.target.cuts.map
    return Loops("map", parallel=others, inner=(vector,), vector=vector, blocks=Blocks(vector, block))


def _vector(nest: Nest) -> str | None:
    """The last index if it is long enough, else of those that are the one with the nearest neighbours in memory."""
    long = [index for index in nest.order if nest.extent(index) >= LANES]
    if not long or long[-1] == nest.order[-1]:
        return long[-1] if long else None
    accesses = [*nest.accesses.values(), *(write.access for write in nest.writes)]
    apart = {index: sum(abs(access.strides.get(index, 0)) for access in accesses) for index in long}
    return min(long, key=lambda index: (apart[index], -nest.extent(index)))
