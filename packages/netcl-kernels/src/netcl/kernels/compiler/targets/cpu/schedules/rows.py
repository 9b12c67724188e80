"""rows: reductions along what is contiguous, or nearest to it. Each work-item has rows of its own and passes over each
of them as often as the formula needs (softmax: maximum, sum, result), sixteen elements at a time.

Rows that are many but short are taken sixteen at a time instead, a lane for each.
"""

from __future__ import annotations

from netcl.kernels.compiler.ir import root
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.targets.cpu.loops import Blocks, Loops


def fits(nest: Nest) -> Loops | None:
    """For stages whose reductions all go over the same indices, the fastest of which is one of them."""
    overs = {node.over for node in nest.reduces}
    if len(overs) != 1 or any(nest.depends(node) - frozenset(nest.order) for node in nest.reduces):
        return None
    (over,) = overs
    along = next((index for index in over if root(index) == nest.fastest), None)
    if along is None:
        return None
    rows = tuple(index for index in nest.order if index in nest.kept)
    inner = tuple(index for index in nest.order if index not in nest.kept)
    if nest.extent(along) < 2 * LANES and not any(node.kind.startswith("arg") for node in nest.reduces) and rows:
        return _many_short(nest, rows, inner)
    if nest.extent(along) < LANES:
        return None
    vector = inner[-1] if inner and nest.extent(inner[-1]) >= LANES else None
    return Loops("rows", parallel=rows, inner=inner, vector=vector, reduce_vectors={over: along})


def _many_short(nest: Nest, rows: tuple[str, ...], inner: tuple[str, ...]) -> Loops | None:
    vector = max(rows, key=nest.extent)
    if nest.extent(vector) < LANES:
        return None
    others = tuple(index for index in rows if index != vector)
    return Loops(
        "short_rows",
        parallel=others,
        inner=(vector, *inner),
        vector=vector,
        blocks=Blocks(vector, nest.target.cuts.rows),
    )
