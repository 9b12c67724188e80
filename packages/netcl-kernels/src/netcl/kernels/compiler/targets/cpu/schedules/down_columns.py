"""down_columns: rows, and sums down the columns of the same elements, each of which is read once for both.

A block of rows is gone through row by row. What is added to a sum of its columns goes to a partial result of the block,
which stays in the nearest cache; the partial results are brought together as in `blocks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from netcl.kernels.compiler.ir import Expr, number, read, root, size
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.ir import Store
from netcl.kernels.compiler.loops.scope import Scope
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.partial_results import PartialResults, partial_results
from netcl.kernels.compiler.lower.reductions import BLOCK
from netcl.kernels.compiler.lower.stages.down_columns import outermost
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.targets.cpu.loops import Blocks, Loops
from netcl.kernels.compiler.targets.cpu.nested import Frame


def fits(rows: Nest, sums: Nest) -> bool:
    """For many rows of one index, which are contiguous and not longer than partial results that stay in a cache."""
    if len(rows.order) != 2:
        return False
    row, column = rows.order
    limits = rows.target.blocks
    if root(column) != rows.fastest or not LANES <= rows.extent(column) * len(sums.writes) <= limits.beside:
        return False
    if rows.extent(row) < limits.many_rows or rows.extent(row, column) < limits.much_work:
        return False
    if any(write.indices != (column,) for write in sums.writes) or any(row not in each.indices for each in rows.writes):
        return False
    if any(node.over != (row,) for write in sums.writes for node in outermost(write.expr)):
        return False
    return all(
        node.over == (row,) or (node.over == (column,) and nest.depends(node) <= {row})
        for nest in (rows, sums)
        for node in nest.reduces
    )


def scheduled(rows: Nest, sums: Nest) -> Scheduled:
    """The kernel for the blocks, and the nest that adds up what they give."""
    row, column = rows.order
    limits = rows.target.blocks
    block = min(max(limits.least_rows, -(-rows.extent(row) // limits.enough_units)), BLOCK)
    parts = _partial(sums, row, column, -(-rows.extent(row) // block))
    added = tuple(replace(write, expr=write.expr.children[0]) for write in parts.writes)
    nest = replace(
        rows, name=f"{rows.name}_blocks", writes=(*rows.writes, *added), extents=parts.rest.extents,
        accesses={**rows.accesses, **sums.accesses},
    )  # fmt: skip
    nest = replace(nest, accesses=nest.read_by(*nest.writes))
    loops = Loops(
        "down_columns", inner=(row, column), blocks=Blocks(row, block), vector=column,
        reduce_vectors={(column,): column},
    )  # fmt: skip
    kernel = _Frame(nest, loops, row, {write.access.name for write in added}).kernel()
    return Scheduled((kernel,), parts.temporaries, parts.rest.extents, rest=parts.rest, joins=True)


def _partial(sums: Nest, row: str, column: str, count: int) -> PartialResults:
    number = f"{row}#"
    reduces = tuple(dict.fromkeys(node for write in sums.writes for node in outermost(write.expr)))
    nest = replace(sums, order=(column,))
    return partial_results(nest, number, count, (number, column), size(number), reduces)


class _Frame(Frame):
    """The frame where some writes are added to what is there, but for those of the first row of a block."""

    def __init__(self, nest: Nest, loops: Loops, row: str, added: set[str]) -> None:
        super().__init__(nest, loops)
        self.row, self.added = row, added

    def _store(self, writes: Sequence[Write], scope: Scope) -> None:
        values = [self.values.named(self.values.value(each.expr, scope), scope) for each in writes]
        for write, value in zip(writes, values, strict=True):
            target = self._target(write, scope)
            new = self._added(target, value, scope) if write.access.name in self.added else value
            scope.statements.append(Store(*target, new))

    def _added(self, target: tuple[str, Expr], value: Expr, scope: Scope) -> Expr:
        buffer, at = target
        assert self.part is not None
        is_later = call("gt", scope.place(self.row), self.part.first)
        before = call("select", is_later, read(buffer, (at,), value.dtype), number(0, value.dtype))
        return call("add", before, value)
