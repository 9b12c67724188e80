"""Storing the sums of a tile, with the expression that stands around them.

What a condition of the product leaves out is 0 in one of the factors; where the other is not finite the sum is NaN, and
is computed again without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from netcl.kernels.compiler.ir import INDEX_DTYPE, Apply, Expr, Position, Read, Reduce, number, position, read
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.given import product_of_sizes
from netcl.kernels.compiler.loops.ir import Assume, Buffer, If, Let, Loop, MultiplyAdd, Statement, Store
from netcl.kernels.compiler.loops.lanes import in_lanes, in_step
from netcl.kernels.compiler.loops.positions import ONE, ZERO, at_least, before, least, minus, numbered, plus, times
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.values import Values
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.lower.product import Product
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.targets.cpu.products.tile import Sums
from netcl.kernels.compiler.targets.cpu.products.tiling import as_one
from netcl.kernels.compiler.targets.cpu.units import in_order, in_runs


class Results:
    """The results of a product whose sums are `node` in the expression of a write."""

    def __init__(self, nest: Nest, values: Values, product: Product, node: Reduce, write: Write) -> None:
        self.nest, self.values, self.given = nest, values, values.given
        self.product, self.node, self.write = product, node, write
        self.together = self._together()

    def stored(
        self, sums: Sums, row: Expr, column: Expr, steps: tuple[Expr, Expr], scope: Scope,
        cases: Sequence[tuple[Sequence[Expr], Write]],
    ) -> list[Statement]:  # fmt: skip
        """The tile that begins at a row and a column, whose sums have the steps from one to another. What is written is
        that of the first of these `cases` whose conditions hold."""
        values, given, product = self.values, self.given, self.product
        lines, count = (position(values.fresh(each)) for each in ("lines", "count"))
        rows, columns = (product_of_sizes(side, given) for side in (product.rows, product.columns))
        stores: list[Statement] = []
        before_it: list[Expr] = []
        for conditions, write in cases:
            found = self._written(write, sums, (row, lines), (column, count), scope)
            here = [*before_it, *conditions]
            stores += [If(conjunction(here), tuple(found))] if here else found
            before_it.append(call("not", conjunction(conditions)))
        return [
            Assume(before(row, rows)), Assume(before(column, columns)),
            Let(lines.index, least(sums.rows, minus(rows, row))),
            Let(count.index, least(sums.width, minus(columns, column))),
            *self._mended(sums, row, column, (lines, count), steps, scope),
            *stores,
        ]  # fmt: skip

    def _written(
        self, write: Write, sums: Sums, row: tuple[Expr, Expr], column: tuple[Expr, Expr], scope: Scope
    ) -> list[Statement]:
        """What is written of the rows and the columns from a first one on, so many of them."""
        values, product = self.values, self.product
        extents = self._columns()
        *_, last = extents

        def run(places: Mapping[str, Expr], start: Expr, many: Expr) -> Sequence[Statement]:
            line, flat = (position(values.fresh(each)) for each in ("line", "row"))
            around = Scope(scope, {**places, **dict.fromkeys(self.together[:-1], ZERO)})
            here = values.inside(product.rows, flat, around)

            def inside(at: Expr, lanes: Lanes | None) -> Sequence[Statement]:
                element = Scope(here, {last: at}, lanes)
                number = minus(numbered(extents, {**places, last: at}), column[0])
                element.statements += [Assume(at_least(number, 0)), Assume(before(number, sums.width))]
                total = read(sums.buffer, (sums.at(line, number),), sums.dtype)
                element.values[self.node] = values.named(total, element, "total")
                values.stored(write, element)
                return element.statements

            stores = in_lanes(values, last, start, many, extents[last], (LANES,), inside)
            rows = product_of_sizes(product.rows, self.given)
            body = (Let(flat.index, plus(row[0], line)), Assume(before(flat, rows)), *here.statements, *stores)
            return [*around.statements, Loop(line.index, row[1], "serial", body)]

        return in_runs(values, extents, column[0], column[1], run)

    def _columns(self) -> dict[str, Expr]:
        """The indices of the columns with their sizes; those that are gone through `together` as the last one."""
        others = self.product.columns[: -len(self.together)]
        sizes = {index: self.given.size(index) for index in others}
        return {**sizes, self.together[-1]: product_of_sizes(self.together, self.given)}

    # --- what is NaN ------------------------------------------------------------------------------------------------

    def _mended(
        self, sums: Sums, row: Expr, column: Expr, exist: tuple[Expr, Expr], steps: tuple[Expr, Expr], scope: Scope
    ) -> list[Statement]:  # fmt: skip
        """Sums that are NaN computed again, step by step, without what the condition of the product leaves out."""
        if self.product.condition is None:
            return []
        values = self.values
        flag, again = f"own {values.fresh('has_nan')}", f"own {values.fresh('again')}"
        values.buffers += [Buffer(flag, "bool", "private", ONE), Buffer(again, sums.dtype, "private", ONE)]
        lane = Lanes(values.fresh("lane"), sums.width // 2)
        part, each = (position(values.fresh(word)) for word in ("side", "line"))
        at = sums.at(each, plus(times(part, sums.width // 2), position(lane.index)))
        is_nan = call("isnan", read(sums.buffer, (at,), sums.dtype))
        seen = in_step(lane, [If(is_nan, (Store(flag, ZERO, number(True, "bool")),))])
        looked = Loop(each.index, exist[0], "serial", (Loop(part.index, number(2, INDEX_DTYPE), "serial", (seen,)),))
        line, place = position(values.fresh("line")), position(values.fresh("place"))
        one = sums.at(line, place)
        body = [
            *self._again(again, plus(row, line), plus(column, place), steps, scope),
            Store(sums.buffer, one, read(again, (ZERO,), sums.dtype)),
        ]
        mended = If(call("isnan", read(sums.buffer, (one,), sums.dtype)), tuple(body))
        columns = Loop(place.index, exist[1], "serial", (mended,))
        return [
            Store(flag, ZERO, number(False, "bool")), looked,
            If(read(flag, (ZERO,), "bool"), (Loop(line.index, exist[0], "serial", (columns,)),)),
        ]  # fmt: skip

    def _again(self, again: str, row: Expr, column: Expr, steps: tuple[Expr, Expr], scope: Scope) -> list[Statement]:
        values, given, product, dtype = self.values, self.given, self.product, self.node.dtype
        asked = product.condition
        assert asked is not None
        flat_row, flat_column = (position(values.fresh(each)) for each in ("row", "column"))
        rows = values.inside(product.rows, flat_row, scope)
        columns = values.inside(product.columns, flat_column, rows)

        def step(places: Mapping[str, Expr]) -> Sequence[Statement]:
            here = Scope(columns, places)
            left, right = (cast(values.value(each, here), dtype) for each in (product.left, product.right))
            condition = values.value(asked, here)
            here.statements.append(If(condition, (MultiplyAdd(again, ZERO, left, right),)))
            return here.statements

        sizes = {index: given.size(index) for index in product.inner}
        first, end = steps
        loops = in_order(values, sizes, product_of_sizes(product.inner, given), step, first, minus(end, first))
        return [
            Let(flat_row.index, row), Assume(before(flat_row, product_of_sizes(product.rows, given))), *rows.statements,
            Let(flat_column.index, column), Assume(before(flat_column, product_of_sizes(product.columns, given))),
            *columns.statements, Store(again, ZERO, number(0, dtype)), *loops,
        ]  # fmt: skip

    # --- columns that are one ---------------------------------------------------------------------------------------

    def _together(self) -> tuple[str, ...]:
        """The last column indices that results, and what is computed with them, have as if they were one."""
        nest, columns = self.nest, self.product.columns
        around = self._around_the_sum()
        reads = [nest.accesses[node.operand] for node in around if isinstance(node, Read)]
        placed = [child for node in around if isinstance(node, Apply) for child in node.children]
        if any(isinstance(each, Position) and each.index in columns for each in placed):
            return columns[-1:]
        if any(access.dynamic or access.condition is not None for access in reads):
            return columns[-1:]
        return as_one(nest, columns, (*reads, self.write.access))

    def _around_the_sum(self) -> list[Expr]:
        found: dict[Expr, None] = {}
        waiting = [self.write.expr]
        while waiting:
            node = waiting.pop()
            if node not in found and node is not self.node:
                found[node] = None
                waiting += node.children
        return [*found]
