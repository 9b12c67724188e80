"""contraction: matrix products, batched, with any number of indices, in tiles of local memory.

A group has `SIDE` by `SIDE` results, each item `EACH` by `EACH` of them in registers. For every `DEPTH` steps of the
sum the items bring both factors into local memory, neighbours to neighbours, and multiply from there. Each result is
one sum in order, one fused multiply-add after the other, as on a CPU.
"""

from __future__ import annotations

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Read, number, position, read
from netcl.kernels.compiler.ir.simplify import call, replace_nodes
from netcl.kernels.compiler.loops.given import Given, Looped, product_of_sizes, unflattened
from netcl.kernels.compiler.loops.ir import Barrier, Buffer, If, Let, Loop, LoopNest, MultiplyAdd, Statement, Store
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.product import Product, product_of

SIDE, EACH, DEPTH = 64, 4, 16
ACROSS = SIDE // EACH
ITEMS = ACROSS * ACROSS


def fits(nest: Nest) -> Scheduled | None:
    """For stages of one output that are one contraction over all indices of the output."""
    if not nest.target.products.in_local_memory:
        return None
    if len(nest.writes) != 1 or len(nest.reduces) != 1 or nest.writes[0].indices != nest.order:
        return None
    (node,) = nest.reduces
    if node.free != frozenset(nest.order) or node.dtype not in ("float32", "float64") or nest.bound & set(nest.order):
        return None
    product = product_of(node, nest.order, nest.extents, nest.target)
    if product is None or product.condition is not None:
        return None
    given = Given(nest.accesses, nest.attributes)
    tiles = [-(-nest.extent(*side) // SIDE) for side in (product.rows, product.columns)]
    made = _Tiles(nest, product, given).nest(node)
    kernel = Looped(
        computation=nest.computation(),
        schedule="tiles",
        nest=made,
        given=given.arguments,
        groups=nest.extent(*product.batch) * tiles[0] * tiles[1],
    )
    return Scheduled((kernel,))


class _Tiles:
    def __init__(self, nest: Nest, product: Product, given: Given) -> None:
        self.stage, self.product, self.given = nest, product, given
        self.rows, self.columns, self.steps = (
            product_of_sizes(side, given) for side in (product.rows, product.columns, product.inner)
        )

    def nest(self, node: Expr) -> LoopNest:
        product, given = self.product, self.given
        across = _tiles(self.columns, SIDE)
        down = _tiles(self.rows, SIDE)
        group, item = position("group"), position("item")
        dtype = product.left.dtype
        batches = unflattened(call("floor_div", group, call("mul", across, down)), product.batch, given)
        lets: list[Statement] = [
            Let("row_tile", call("mod", call("floor_div", group, across), down)),
            Let("column_tile", call("mod", group, across)),
            Let("item_row", call("floor_div", item, ACROSS)),
            Let("item_column", call("mod", item, ACROSS)),
            *(Let(f"of_{index}", value) for index, value in batches.items()),
        ]
        self.batches = {index: position(f"of_{index}") for index in batches}
        sums = Loop("clear", number(EACH * EACH, INDEX_DTYPE), "unrolled", (
            Store("sums", position("clear"), number(0, dtype)),
        ))  # fmt: skip
        steps = Loop("chunk", _tiles(self.steps, DEPTH), "serial", (
            self._brought("left", product.left, product.rows, "row", self.rows),
            self._brought("right", product.right, product.columns, "column", self.columns),
            Barrier(),
            Loop("step", number(DEPTH, INDEX_DTYPE), "unrolled", (self._multiplied(),)),
            Barrier(),
        ))  # fmt: skip
        body = (*lets, sums, steps, self._stored(node))
        tile = number(SIDE * DEPTH, INDEX_DTYPE)
        buffers = (
            *given.buffers.values(),
            Buffer("left_tile", dtype, "local", tile), Buffer("right_tile", dtype, "local", tile),
            Buffer("sums", dtype, "private", number(EACH * EACH, INDEX_DTYPE)),
        )  # fmt: skip
        groups = call("mul", call("mul", product_of_sizes(product.batch, given), down), across)
        return LoopNest(self.stage.name, "group", groups, "item", ITEMS, buffers, body, frozenset(given.data))

    def _brought(self, name: str, factor: Expr, indices: tuple[str, ...], side: str, extent: Expr) -> Statement:
        """One factor into local memory: `SIDE * DEPTH` elements by all items, along what is contiguous."""
        along_steps = self._is_contiguous(factor)
        element = call("add", position("item"), call("mul", position(f"{name}_turn"), ITEMS))
        if along_steps:
            step, place = call("mod", element, DEPTH), call("floor_div", element, DEPTH)
        else:
            step, place = call("floor_div", element, SIDE), call("mod", element, SIDE)
        at = position(f"{name}_{side}")
        k = position(f"{name}_step")
        places = {
            **self.batches,
            **unflattened(at, indices, self.given),
            **unflattened(k, self.product.inner, self.given),
        }
        value = self.given.expr(factor, places)
        inside = call("and", call("lt", at, extent), call("lt", k, self.steps))
        tile_at = call("add", call("mul", position(f"{name}_down"), SIDE), position(f"{name}_place"))
        return Loop(f"{name}_turn", number(SIDE * DEPTH // ITEMS, INDEX_DTYPE), "unrolled", (
            Let(f"{name}_down", step),
            Let(f"{name}_place", place),
            Let(f"{name}_{side}", call("add", call("mul", position(f"{side}_tile"), SIDE), position(f"{name}_place"))),
            Let(f"{name}_step", call("add", call("mul", position("chunk"), DEPTH), position(f"{name}_down"))),
            Store(f"{name}_tile", tile_at, call("select", inside, value, number(0, value.dtype))),
        ))  # fmt: skip

    def _is_contiguous(self, factor: Expr) -> bool:
        """Whether steps of the sum are neighbours in memory."""
        if not isinstance(factor, Read):
            return False
        return self.stage.accesses[factor.operand].strides.get(self.product.inner[-1]) == 1

    def _multiplied(self) -> Statement:
        down = call("mul", position("step"), SIDE)
        row = call("add", call("add", down, call("mul", position("up"), ACROSS)), position("item_row"))
        column = call("add", call("add", down, call("mul", position("on"), ACROSS)), position("item_column"))
        dtype = self.product.left.dtype
        at = call("add", call("mul", position("up"), EACH), position("on"))
        left, right = read("left_tile", (row,), dtype), read("right_tile", (column,), dtype)
        inner = Loop("on", number(EACH, INDEX_DTYPE), "unrolled", (MultiplyAdd("sums", at, left, right),))
        return Loop("up", number(EACH, INDEX_DTYPE), "unrolled", (inner,))

    def _stored(self, node: Expr) -> Statement:
        product, given = self.product, self.given
        (one,) = self.stage.writes
        row = call("add", call("add", call("mul", position("row_tile"), SIDE), call("mul", position("up"), ACROSS)),
                   position("item_row"))  # fmt: skip
        column = call("add", call("add", call("mul", position("column_tile"), SIDE),
                                  call("mul", position("on"), ACROSS)), position("item_column"))  # fmt: skip
        places = {
            **self.batches,
            **unflattened(position("result_row"), product.rows, given),
            **unflattened(position("result_column"), product.columns, given),
        }
        total = read("sums", (call("add", call("mul", position("up"), EACH), position("on")),), product.left.dtype)
        found = read("total", (), node.dtype)
        value = given.expr(replace_nodes(one.expr, {node: found}), places, {found: total})
        buffer, at = given.target(one, places)
        inside = call("and", call("lt", position("result_row"), self.rows),
                      call("lt", position("result_column"), self.columns))  # fmt: skip
        stored = If(inside, (Store(buffer, at, value),))
        inner = Loop("on", number(EACH, INDEX_DTYPE), "unrolled", (Let("result_column", column), stored))
        return Loop("up", number(EACH, INDEX_DTYPE), "unrolled", (Let("result_row", row), inner))


def _tiles(extent: Expr, width: int) -> Expr:
    return call("floor_div", call("add", extent, width - 1), width)
