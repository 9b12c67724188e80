"""contraction: sums of products as a packed, register-tiled matrix product, batched, with any number of indices.

Input: a nest. Output: its kernels, the temporaries between them, and the nest that is left. Blocks of both factors are
copied into panels in the order in which the innermost loop reads them; what surrounds the sum is computed as the
results are stored. Long sums with few results are cut into parts, as many as sizes say, which are added in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from netcl.kernels.compiler.ir import Operand, Reduce, reduce, root
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.lower.kernel import Access, Write
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.partial_results import in_parts
from netcl.kernels.compiler.lower.product import Product, product_of
from netcl.kernels.compiler.targets.cpu.products.kernels import panels
from netcl.kernels.compiler.targets.cpu.products.kernels import product as multiplying
from netcl.kernels.compiler.targets.cpu.products.tiling import DEPTH, MOST_LINES, SIZES, Tiling, tiles


def fits(nest: Nest, thin: bool | None = None) -> Scheduled | None:
    """For stages of one output that are one contraction over all indices of the output; `thin` as for `product_of`, for
    factors that are gathered."""
    if len(nest.writes) != 1 or len(nest.reduces) != 1 or nest.writes[0].indices != nest.order:
        return None
    (node,) = nest.reduces
    if node.free != frozenset(nest.order) or node.dtype not in ("float32", "float64") or nest.bound & set(nest.order):
        return None
    product = product_of(node, nest.order, nest.extents, nest.target, thin, filled=thin is not None)
    if product is None or nest.extent(*product.rows, *product.columns) < nest.target.products.least_results:
        return None
    if nest.extent(*product.rows) < nest.target.products.rows_to_pack:
        return None
    whole = reduce("sum", node.over, product.body)
    (write,) = nest.writes
    write = replace(write, expr=replace_nodes(write.expr, {node: whole}))
    parts = _parts(nest, product, node)
    if parts > 1:
        return _in_parts(nest, product, whole, write, parts)
    return _kernels(nest, product, whole, write, None, nest.extents)


def _parts(nest: Nest, product: Product, node: Reduce) -> int:
    """How many parts the sum is cut into: a multiple of `DEPTH` steps each."""
    limits = nest.target.products
    steps = nest.extent(*product.inner)
    rows, columns = MOST_LINES[0] // 2, MOST_LINES[1] // 2 // SIZES[node.dtype]
    blocks = nest.extent(*product.batch) * tiles(nest.extent(*product.rows), rows)
    blocks *= tiles(nest.extent(*product.columns), columns)
    if blocks >= limits.few_units or steps < limits.long_sum:
        return 1
    chunks = tiles(steps, DEPTH)
    chunks_of_part = tiles(chunks, min(limits.sum_parts, tiles(chunks, 2), tiles(2 * limits.few_units, blocks)))
    return tiles(chunks, chunks_of_part)  # none of them is empty


def _kernels(
    nest: Nest, product: Product, node: Reduce, write: Write, part: str | None, extents: Mapping[str, int]
) -> Scheduled:
    limits = nest.target.products
    own = replace(nest, writes=(write,), accesses=nest.read_by(write), extents=extents)
    tiling = Tiling(own, product, node.dtype, extents[root(part)] if part else 1)
    steps = max(1, tiling.steps)
    work = tiling.row_tiles * tiling.rows * tiling.column_tiles * tiling.width * steps * nest.extent(*product.batch)
    large = steps * nest.extent(*product.columns) >= limits.elements_to_pack_once
    block = tiling.blocks(min(limits.units, max(1, work // limits.unit_work)), shared=large)
    if not large or tiles(tiling.row_tiles, block[0]) < limits.row_blocks_to_pack_once:
        return Scheduled((multiplying(own, tiling, node, block, part, None),), (), extents)
    name, size = f"{nest.name}.panels", f"{nest.name}.panels_size"
    extents = {**extents, size: tiling.panels * DEPTH * tiling.width}
    packed = Access(name, name, node.dtype, 0, {})
    copied = Write(product.right, packed, ())
    packing = replace(nest, name=name, writes=(copied,), accesses=nest.read_by(copied), extents=extents)
    own = replace(own, accesses={**own.accesses, name: packed}, extents=extents)
    kernels = panels(packing, tiling), multiplying(own, tiling, node, block, part, packed)
    return Scheduled(kernels, (Operand(name, node.dtype, ((size,),)),), extents)


def _in_parts(nest: Nest, product: Product, node: Reduce, write: Write, parts: int) -> Scheduled:
    cut = in_parts(nest, node, write, parts)
    first = _kernels(nest, product, node, cut.write, cut.index, cut.rest.extents)
    kernels = tuple(kernel.computing(name=f"{kernel.name}_product") for kernel in first.kernels[-1:])
    return Scheduled((*first.kernels[:-1], *kernels), (*first.temporaries, cut.temporary), first.extents, rest=cut.rest)
