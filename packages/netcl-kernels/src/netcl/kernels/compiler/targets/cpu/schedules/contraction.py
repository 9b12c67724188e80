"""contraction: sums of products as a packed, register-tiled matrix product, batched, with any number of indices.

Input: a nest. Output: its kernels, the temporaries between them, and the nest that is left. Blocks of both factors are
copied into panels in the order in which the innermost loop reads them; what surrounds the sum is computed as the
results are stored. Long sums with few results are cut into parts, as many as sizes say, which are added in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from netcl.kernels.compiler.ir import Operand, Read, Reduce, reduce, subexpressions
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.lower.kernel import Access, Write
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.partial_results import in_parts
from netcl.kernels.compiler.lower.product import Product, product_of
from netcl.kernels.compiler.targets.cpu.tiles import (
    DEPTH,
    ROWS,
    Contraction,
    Panels,
    Unit,
    blocks_of,
    columns_of_tile,
    tiles,
)


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
    columns = columns_of_tile(node.dtype)
    blocks = nest.extent(*product.batch) * tiles(nest.extent(*product.rows), 6 * ROWS)
    blocks *= tiles(nest.extent(*product.columns), 6 * columns)
    if blocks >= limits.few_units or steps < limits.long_sum:
        return 1
    chunks = tiles(steps, DEPTH)
    chunks_of_part = tiles(chunks, min(limits.sum_parts, tiles(chunks, 2), tiles(2 * limits.few_units, blocks)))
    return tiles(chunks, chunks_of_part)  # none of them is empty


def _kernels(
    nest: Nest, product: Product, node: Reduce, write: Write, part: str | None, extents: Mapping[str, int]
) -> Scheduled:
    limits = nest.target.products
    accesses = _used(nest, write)
    computation = nest.computation(writes=(write,), accesses=accesses, extents=extents)
    main = Contraction(
        computation=computation, schedule="contraction", product=product, node=node, unit=Unit(part=part)
    )
    width, steps = main.tile_columns, max(1, nest.extent(*product.inner))
    work = main.row_tiles * ROWS * main.column_tiles * width * steps * nest.extent(*product.batch)
    large = steps * nest.extent(*product.columns) >= limits.elements_to_pack_once
    down, across = blocks_of(main, min(limits.units, max(1, work // limits.unit_work)), shared=large)
    main = replace(main, unit=Unit(down, across, part), numbers={"row_block": down, "column_block": across})
    if not large or tiles(main.row_tiles, down) < limits.row_blocks_to_pack_once:
        return Scheduled((main,), (), extents)
    name, size = f"{nest.name}.panels", f"{nest.name}.panels_size"
    extents = {**extents, size: nest.extent(*product.batch) * main.chunks * main.column_tiles * DEPTH * width}
    packed = Access(name, name, node.dtype, 0, {})
    copied = Write(product.right, packed, ())
    computation = nest.computation(name=name, writes=(copied,), accesses=_used(nest, copied), extents=extents)
    panels = Panels(computation=computation, schedule="panels", product=product, node=node)
    main = replace(main, unit=replace(main.unit, packed=name))
    main = main.computing(accesses={**accesses, name: packed}, extents=extents)
    return Scheduled((panels, main), (Operand(name, node.dtype, ((size,),)),), extents)


def _in_parts(nest: Nest, product: Product, node: Reduce, write: Write, parts: int) -> Scheduled:
    cut = in_parts(nest, node, write, parts)
    first = _kernels(nest, product, node, cut.write, cut.index, cut.rest.extents)
    kernels = tuple(kernel.computing(name=f"{kernel.name}_product") for kernel in first.kernels[-1:])
    return Scheduled((*first.kernels[:-1], *kernels), (*first.temporaries, cut.temporary), first.extents, rest=cut.rest)


def _used(nest: Nest, write: Write) -> dict[str, Access]:
    names = {each.operand for each in subexpressions(write.expr) if isinstance(each, Read)}
    return {name: access for name, access in nest.accesses.items() if name in names}
