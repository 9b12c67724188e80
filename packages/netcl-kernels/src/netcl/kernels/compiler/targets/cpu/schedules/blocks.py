"""blocks: reductions with few results over many elements, in two steps. The first reduces blocks of a bound index into
partial results, the second brings those together. Where the blocks begin depends on sizes alone.

Input: the loops that would do it in one step. Output: the kernel of the first, the nest of the second, and the
temporaries between them.
"""

from __future__ import annotations

from dataclasses import replace

from netcl.kernels.compiler.ir import Reduce, root, size, subexpressions
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.partial_results import partial_results
from netcl.kernels.compiler.lower.reductions import BLOCK
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.targets.cpu.loops import Blocks, Loops
from netcl.kernels.compiler.targets.cpu.nested import made


def fits(nest: Nest, whole: Loops) -> Scheduled | None:
    """The kernel of the first step and the nest of the second, where `whole` has too few units, or many rows to go
    down."""
    limits = nest.target.blocks
    overs = {node.over for node in nest.reduces}
    if len(overs) != 1:
        return None
    (over,) = overs
    if not over or any(write.indices != nest.order or nest.bound & set(nest.order) for write in nest.writes):
        return None
    if any(inner in nest.reduces for node in nest.reduces for inner in _below(node)):
        return None
    block_index = _cut(nest, whole, over)
    total = nest.extent(*nest.kept, *over)
    many = total >= limits.much_work and nest.extent(block_index) >= limits.many_rows
    if limits.by_rows and many and _is_down_columns(nest, whole):
        block = min(max(limits.least_rows, -(-nest.extent(block_index) // limits.enough_units)), limits.run * BLOCK)
        assert whole.vector is not None
        return _split(nest, whole, over, block_index, block, limits.run * nest.to_a_float(whole.vector))
    units, steps = whole.units(nest.extents), whole.steps(nest.extents, nest.reduces)
    if units >= limits.enough_units or min(total, units * steps) * LANES < limits.much_work:
        return None
    count = min(nest.extent(block_index), limits.most, max(2, total // limits.block_work))
    block = -(-nest.extent(block_index) // count)
    if nest.extent(block_index) >= limits.even * count:
        block = -(-block // limits.even) * limits.even
    return _split(nest, whole, over, block_index, block)


def _cut(nest: Nest, whole: Loops, over: tuple[str, ...]) -> str:
    """The index that is cut: the first that alone gives enough blocks and leaves rows whole, else the longest."""
    if any(node.kind.startswith("arg") for node in nest.reduces):
        return over[0]
    rows = frozenset(whole.reduce_vectors.values())
    units = whole.units(nest.extents)
    enough = (each for each in over if units * nest.extent(each) >= nest.target.blocks.enough_units)
    first = next((each for each in enough if rows and each not in rows), None)
    return first or max(over, key=nest.extent)


def _is_down_columns(nest: Nest, whole: Loops) -> bool:
    if whole.schedule != "columns" or whole.vector not in nest.kept or root(whole.vector) != nest.fastest:
        return False
    return not any(node.kind.startswith("arg") for node in nest.reduces)


def _below(node: Reduce) -> list[Reduce]:
    return [each for each in subexpressions(node.body) if isinstance(each, Reduce)]


def _split(nest: Nest, whole: Loops, over: tuple[str, ...], block_index: str, block: int, run: int = 0) -> Scheduled:
    number = f"{block_index}#"
    count = -(-nest.extent(block_index) // block)
    kept = tuple(index for index in nest.order if index in nest.kept)
    vector = whole.vector
    inner = (vector,) if vector in kept else ()  # columns: their own tiles become part of the order
    rest = tuple(index for index in kept if index not in inner)
    parts = partial_results(nest, number, count, (number, *rest, *inner) if inner else (*kept, number), size(number))
    loops = replace(
        whole, schedule="runs" if run else whole.schedule, blocks=Blocks(block_index, block, run), parallel=rest,
        inner=inner, vector=inner[0] if inner else None,
    )  # fmt: skip
    first = replace(
        nest, name=f"{nest.name}_blocks", writes=parts.writes, extents=parts.rest.extents,
        accesses=nest.read_by(*parts.writes),
    )  # fmt: skip
    return Scheduled((made(first, loops),), parts.temporaries, parts.rest.extents, rest=parts.rest, joins=True)
