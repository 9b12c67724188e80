"""blocks: reductions with few results over many elements, in two launches. The groups of the first compute partial
results of blocks, each as in `rows`; what brings these together is a stage of its own. How many blocks there are
depends on sizes alone.
"""

from __future__ import annotations

from dataclasses import replace

from netcl.kernels.compiler.ir import Reduce, size, subexpressions
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.partial_results import partial_results
from netcl.kernels.compiler.targets.gpu.rows import kernel, shape_of


def fits(nest: Nest) -> Scheduled | None:
    """For stages whose reductions all go over the same indices, need nothing of each other, and have too few groups."""
    limits = nest.target.blocks
    overs = {node.over for node in nest.reduces}
    if len(overs) != 1 or any(write.indices != nest.order or nest.bound & set(nest.order) for write in nest.writes):
        return None
    if any(isinstance(each, Reduce) for node in nest.reduces for each in subexpressions(node.body)):
        return None
    (over,) = overs
    shape = shape_of(nest)
    if shape is None or frozenset(shape.rows) != nest.kept:
        return None
    length, groups = nest.extent(*over), -(-nest.extent(*shape.rows) // shape.together)
    if groups >= limits.enough_units or length * nest.extent(*shape.rows) < limits.much_work:
        return None
    most = min(limits.most // groups, -(-length // limits.block_work))
    if most < 2:
        return None
    chunk = -(-length // (most * shape.width)) * shape.width
    number = f"{over[0]}#"
    parts = partial_results(nest, number, -(-length // chunk), (*shape.rows, number), size(number))
    first = replace(
        nest, name=f"{nest.name}_blocks", writes=parts.writes, extents=parts.rest.extents,
        accesses=nest.read_by(*parts.writes),
    )  # fmt: skip
    blocks = kernel(first, replace(shape, blocks=number, chunk=chunk))
    return Scheduled((blocks,), parts.temporaries, parts.rest.extents, rest=parts.rest)
