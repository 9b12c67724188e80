"""columns: reductions across what is contiguous. Sixteen columns at a time, a lane for each; nothing is folded.

The last vector ends where the columns do, so that some are computed twice. Where positions are divided at each step, or
rows that are gathered are hardly longer than a vector, the lanes go along another index: one division for all of them.
"""

from __future__ import annotations

from netcl.kernels.compiler.ir import INDEX_DTYPE, Apply, root, subexpressions
from netcl.kernels.compiler.lower.loop_cost import tall
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.targets.cpu.loops import Blocks, Loops

_DIVISIONS = {"exact_div", "floor_div", "mod"}


def fits(nest: Nest) -> Loops | None:
    """For stages with reductions where an output index that all of them keep is long enough: the fastest, if it is."""
    if not nest.reduces or not nest.order:
        return None
    vector = _vector(nest)
    if vector is None:
        return None
    others = tuple(index for index in nest.order if index in nest.kept and index != vector)
    inner = tuple(index for index in nest.order if index not in nest.kept)
    rows = max(nest.extent(*node.over) for node in nest.reduces)
    cuts = nest.target.cuts
    width = cuts.tall_columns if tall(rows, nest.extent(vector), nest.target) else cuts.columns
    block = width * nest.to_a_float(vector)
    blocks = Blocks(vector, block)
    return Loops("columns", parallel=others, inner=(vector, *inner), vector=vector, blocks=blocks, overlap=True)


def _vector(nest: Nest) -> str | None:
    # A reduction over all columns inside would be cut short by tiles of columns.
    able = [
        index for index in nest.order if nest.extent(index) >= LANES and index in nest.kept and index not in nest.bound
    ]
    fastest = next((index for index in able if root(index) == nest.fastest), None)
    dear = _divided(nest, nest.bound)
    if fastest in _divided(nest, nest.kept) and _is_mostly_tail(nest.extent(fastest)):
        windows = all(nest.extent(*node.over) <= nest.target.cuts.window for node in nest.reduces)
        dear |= {fastest} if windows else set()
    if fastest is not None and fastest not in dear:
        return fastest
    return max((index for index in able if index not in dear), key=nest.extent, default=fastest)


def _is_mostly_tail(extent: int) -> bool:
    """Whether rows that are gathered anyway are hardly longer than a vector, of which the last lanes are computed
    twice."""
    return extent // LANES + 0.6 * (extent % LANES) > 2 * extent / LANES


def _divided(nest: Nest, by: frozenset[str]) -> frozenset[str]:
    """The indices that positions which are divided depend on, together with one of these."""
    conditions = [access.condition for access in nest.accesses.values() if access.condition is not None]
    found: frozenset[str] = frozenset()
    for node in subexpressions(*nest.exprs, *conditions):
        if isinstance(node, Apply) and node.function in _DIVISIONS and node.dtype == INDEX_DTYPE and node.free & by:
            found |= node.free
    return found
