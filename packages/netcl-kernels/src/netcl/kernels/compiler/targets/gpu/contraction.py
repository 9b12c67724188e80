"""contraction: sums of products, batched, with any number of indices, conditions and windows included.

Input: a nest. Output: its kernel, and where a long sum with few results is cut into parts, a temporary for these and
the nest that adds them up. Which form it has follows from sizes:

    skinny    few rows, or few columns: each element of the long side is used for the few alone
    tiles     else; how large they are is chosen from a menu of the target
"""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter

from netcl.core.dtypes import canonical
from netcl.kernels.compiler.ir import Reduce, reduce
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.loops.given import Looped, items_of
from netcl.kernels.compiler.loops.text import LONGEST, longest_statement
from netcl.kernels.compiler.lower.guards import Guards
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.partial_results import in_parts
from netcl.kernels.compiler.lower.product import Product, product_of
from netcl.kernels.compiler.target.products import LocalProducts, Staging
from netcl.kernels.compiler.targets.gpu.skinny import Strip, skinny
from netcl.kernels.compiler.targets.gpu.sums import Sums, is_along_steps
from netcl.kernels.compiler.targets.gpu.tiles import tiled


def fits(nest: Nest) -> Scheduled | None:
    """For stages of one output that are one contraction over all indices of the output."""
    limits = nest.target.products.local
    if limits is None or len(nest.writes) != 1 or len(nest.reduces) != 1 or nest.writes[0].indices != nest.order:
        return None
    (node,) = nest.reduces
    if node.free != frozenset(nest.order) or node.dtype not in ("float32", "float64") or nest.bound & set(nest.order):
        return None
    product = product_of(node, nest.order, nest.extents, nest.target, least_side=1)
    if product is not None and not _reads_alone(nest, product):
        return None
    form = None if product is None else _form(nest, product, limits)
    if product is None or form is None:
        return None
    (write,) = nest.writes
    whole = reduce("sum", node.over, product.body)
    write = replace(write, expr=replace_nodes(write.expr, {node: whole}))
    parts, part_steps = _parts(nest, product, form, limits)
    if parts == 1:
        kernel = _kernel(nest, product, whole, write, None, form, limits)
        return None if kernel is None else Scheduled((kernel,))
    cut = in_parts(nest, whole, write, parts)
    inner = replace(nest, extents=cut.rest.extents)
    kernel = _kernel(inner, product, whole, cut.write, cut.index, form, limits)
    if kernel is None:
        return None
    kernel = replace(kernel, numbers={"part_steps": part_steps}).computing(name=f"{nest.name}_product")
    return Scheduled((kernel,), (cut.temporary,), cut.rest.extents, rest=cut.rest)


def _reads_alone(nest: Nest, product: Product) -> bool:
    """Whether it depends on a factor's own indices alone what is read for it. An index of one value moves nothing, and
    may stand in the condition of a reading all the same."""
    sides = (product.left, product.right)
    guards = Guards(sides, nest.accesses)
    return all(guards.depends(side) <= side.free for side in sides)


def _kernel(
    nest: Nest, product: Product, node: Reduce, write: Write, part: str | None, form: Staging | Strip,
    limits: LocalProducts,
) -> Looped | None:  # fmt: skip
    sums = Sums(nest, product, node, write, part)
    made = skinny(sums, form) if isinstance(form, Strip) else tiled(sums, form, limits.room)
    if longest_statement(made) > LONGEST:
        return None
    groups = _groups(nest, product, form) * (nest.extent(part) if part else 1)
    schedule = "skinny" if isinstance(form, Strip) else "tiles"
    return Looped(
        computation=nest.computation(writes=(write,), accesses=nest.read_by(write)), schedule=schedule,
        nest=made, given=sums.given.arguments, groups=groups,
    )  # fmt: skip


def _form(nest: Nest, product: Product, limits: LocalProducts) -> Staging | Strip | None:
    rows, columns = nest.extent(*product.rows), nest.extent(*product.columns)
    if rows <= limits.skinny or columns <= limits.skinny:
        return _strip(nest, product, limits)
    size = canonical(product.left.dtype).itemsize
    allowed = [
        Staging(tile, tile.depth, tile.depth)
        for tile in limits.tiles
        if tile.items <= nest.target.work_group_size and size * tile.accumulators <= limits.accumulator_bytes
    ]
    allowed = [form for form in allowed if _has_room(nest, form, size, limits)]
    filled = [form for form in allowed if 2 * rows > form.tile.rows and 2 * columns > form.tile.columns]
    smallest = min(filled or allowed, key=lambda form: form.tile.rows * form.tile.columns, default=None)
    chosen = next((form for form in filled if _groups(nest, product, form) >= nest.target.busy), smallest)
    return None if chosen is None else _deepened(nest, product, chosen, size, limits)


def _has_room(nest: Nest, form: Staging, size: int, limits: LocalProducts) -> bool:
    return size * form.elements(limits.room) <= min(nest.target.local_memory, limits.room.group_bytes)


def _deepened(nest: Nest, product: Product, form: Staging, size: int, limits: LocalProducts) -> Staging:
    """With more steps of the factors whose neighbours in memory these are, until a transfer has nothing else or there
    is no room: first of the one of which more is transferred in vain."""
    inner, tile = product.inner, form.tile
    along = {
        "left": is_along_steps(nest, product.left, product.rows, inner),
        "right": is_along_steps(nest, product.right, product.columns, inner),
    }
    most = min(limits.room.slab_bytes // size, nest.extent(*inner))
    while True:
        deeper = {
            "left": (tile.rows / form.left, replace(form, left=2 * form.left)),
            "right": (tile.columns / form.right, replace(form, right=2 * form.right)),
        }
        allowed = [
            each for side, each in deeper.items()
            if along[side] and getattr(each[1], side) <= most and _has_room(nest, each[1], size, limits)
        ]  # fmt: skip
        if not allowed:
            return form
        form = max(allowed, key=itemgetter(0))[1]


def _strip(nest: Nest, product: Product, limits: LocalProducts) -> Strip:
    rows, columns = nest.extent(*product.rows), nest.extent(*product.columns)
    turned = rows > limits.skinny
    side, factor = (product.rows, product.left) if turned else (product.columns, product.right)
    count = columns if turned else rows
    few = 1
    while count > few:
        few *= 2
    items = items_of(nest.target, limits.skinny_items)
    along = is_along_steps(nest, factor, side, product.inner)
    if along:
        ways = min(items, nest.target.sub_group_size)
    else:
        ways = min(items, 1 if nest.extent(*product.inner) <= limits.skinny_steps else limits.skinny_ways)
    return Strip(few, items // ways, ways, turned, along)


def _groups(nest: Nest, product: Product, form: Staging | Strip) -> int:
    """How many groups there are for the whole of the sums."""
    rows, columns = nest.extent(*product.rows), nest.extent(*product.columns)
    if isinstance(form, Strip):
        down, across = 1, -(-(rows if form.turned else columns) // form.width)
    else:
        down, across = -(-rows // form.tile.rows), -(-columns // form.tile.columns)
    return nest.extent(*product.batch) * down * across


def _parts(nest: Nest, product: Product, form: Staging | Strip, limits: LocalProducts) -> tuple[int, int]:
    """(parts of the sum, steps of each): a multiple of what is taken at a time, and none of them is empty."""
    steps = nest.extent(*product.inner)
    if steps < limits.long_sum:
        return 1, steps
    groups = _groups(nest, product, form)
    if groups >= nest.target.busy:
        return 1, steps
    depth = form.ways if isinstance(form, Strip) else form.steps
    most = min(limits.most_parts, steps // limits.part_steps, -(-2 * nest.target.busy // groups))
    chunks = -(-steps // depth)
    chunks_of_part = -(-chunks // most)
    return -(-chunks // chunks_of_part), chunks_of_part * depth
