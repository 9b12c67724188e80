"""What the kernels of a contraction have in common: where its indices are, what is multiplied, where a result goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Read, Reduce, number, position, read, subexpressions
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.given import Given, product_of_sizes, unflattened
from netcl.kernels.compiler.loops.ir import Let, Loop, MultiplyAdd, Statement, Store
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.lower.product import Product

Places = Mapping[str, Expr]
ZERO = number(0, INDEX_DTYPE)


class Sums:
    """The sums `node` in a write, which are a product; of each sum one `part`, where there is such an index."""

    def __init__(self, nest: Nest, product: Product, node: Reduce, write: Write, part: str | None) -> None:
        self.nest, self.product, self.node, self.write, self.part = nest, product, node, write, part
        self.dtype = product.left.dtype
        self.given = Given(nest.accesses, nest.attributes)
        self.rows, self.columns, self.steps = (
            product_of_sizes(side, self.given) for side in (product.rows, product.columns, product.inner)
        )
        self.around = (part, *product.batch) if part else product.batch
        self.places: Places = {}

    def groups(self, down: Expr, across: Expr) -> Expr:
        """How many groups there are, with so many tiles down and across."""
        return call("mul", call("mul", product_of_sizes(self.around, self.given), down), across)

    def located(self, down: Expr, across: Expr) -> list[Statement]:
        """What a group computes: its part of the sum, the indices around it, and its tile."""
        group = position("group")
        rest = call("floor_div", group, call("mul", down, across))
        lets, self.places = self.unflattened("around", rest, self.around)
        lets += [
            Let("row_tile", call("mod", call("floor_div", group, across), down)),
            Let("column_tile", call("mod", group, across)),
        ]
        if self.part is None:
            return [*lets, Let("first_step", ZERO), Let("part_steps", self.steps)]
        steps = self.given.number("part_steps")
        first = position("first_step")
        return [
            *lets,
            Let("first_step", call("mul", self.places[self.part], steps)),
            Let("part_steps", call("minimum", steps, call("sub", self.steps, first))),
        ]

    def unflattened(self, name: str, flat: Expr, indices: Sequence[str]) -> tuple[list[Statement], dict[str, Expr]]:
        """Names for where each of these indices is, which are counted through together."""
        found = unflattened(flat, indices, self.given)
        lets: list[Statement] = [Let(f"{name}_{at}", found[index]) for at, index in enumerate(indices)]
        return lets, {index: position(f"{name}_{at}") for at, index in enumerate(indices)}

    def step(self, name: str, at: Expr) -> tuple[list[Statement], dict[str, Expr]]:
        """Where a step of the part is; one behind the last is where the last step of the whole sum is."""
        whole = call("minimum", call("add", position("first_step"), at), call("sub", self.steps, 1))
        return self.unflattened(name, whole, self.product.inner)

    def factor(self, factor: Expr, places: Places) -> Expr:
        """An element of a factor."""
        return self.given.expr(factor, {**self.places, **places})

    def stored(self, total: Expr, places: Places) -> Statement:
        """A result, with what stands around the sum."""
        found = read("total", (), self.node.dtype)
        everywhere = {**self.places, **places}
        value = self.given.expr(replace_nodes(self.write.expr, {self.node: found}), everywhere, {found: total})
        return Store(*self.given.target(self.write, everywhere), value)

    def added_again(self, places: Places) -> list[Statement]:
        """The sum in `exact`, step by step, without what the condition of the product leaves out."""
        product = self.product
        assert product.condition is not None
        lets, inner = self.step("again", position("again_step"))
        there = {**self.places, **places, **inner}
        condition = self.given.expr(product.condition, there)
        left, right = (
            call("select", condition, self.given.expr(factor, there), number(0, self.dtype))
            for factor in (product.left, product.right)
        )
        return [
            Store("exact sum", ZERO, number(0, self.dtype)),
            Loop("again_step", position("part_steps"), "serial", (*lets, MultiplyAdd("exact sum", ZERO, left, right))),
        ]


def is_along_steps(nest: Nest, factor: Expr, side: Sequence[str], inner: Sequence[str]) -> bool:
    """Whether the neighbours in memory of a factor are steps of the sum, and not rows (or columns) at least as many."""
    if not _is_nearest(nest, factor, inner[-1]):
        return False
    if not side or not _is_nearest(nest, factor, side[-1]):
        return True
    return nest.extent(side[-1]) < nest.extent(inner[-1])


def _is_nearest(nest: Nest, factor: Expr, index: str) -> bool:
    for node in subexpressions(factor):
        if isinstance(node, Read):
            access = nest.accesses[node.operand]
            worked_out = zip(access.dynamic, node.at[len(access.strides) :], strict=True)
            if access.strides.get(index, 0) == 1 or any(index in at.free and step == 1 for step, at in worked_out):
                return True
    return False


def tiles(extent: Expr, width: int) -> Expr:
    return call("floor_div", call("add", extent, width - 1), width)


def within(at: Expr, extent: Expr) -> Expr:
    """A place, or the last one instead of those behind it."""
    return call("minimum", at, call("sub", extent, 1))
