"""A matrix product as the emitter takes it: how it is cut into tiles, and which of them are one piece of work.

The values do not depend on any of it: sums over `inner` run in order, one fused multiply-add after the other, whatever
the blocks are and however many work-items share them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from netcl.kernels.compiler.ir import Apply, Expr, Position, Read, Reduce, reduce, root
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.lower.kernel import Access
from netcl.kernels.compiler.lower.product import Product
from netcl.kernels.compiler.targets.cpu.loops import LoopKernel

DEPTH = 256
"""Steps of the sum that are packed at a time."""

ROWS = 8
"""Rows of a tile: accumulators for them, each as wide as the columns, stay in registers."""

MOST_TILES = (12, 12)
"""Tiles along rows, and along columns, in one piece of work that packs its rows: they serve so many columns."""

MOST_TILES_IN_PLACE = (32, 4)
"""The same where rows are read where they lie: each panel stays in the nearest cache for so many of them."""

LEAST_ROW_TILES = 4
"""A panel that others have packed comes from the second cache for so many tiles of rows at least."""


def columns_of_tile(dtype: str) -> int:
    """Columns of a tile: two vectors of 64 bytes."""
    return 16 if dtype == "float64" else 32


def tiles(extent: int, width: int) -> int:
    return -(-extent // width)


@dataclass(frozen=True, kw_only=True)
class Matrices(LoopKernel):
    """What both kernels of a contraction know: the product, and the Reduce it is in the writes."""

    product: Product
    node: Reduce

    @property
    def usual(self) -> tuple[Expr, ...]:
        """Its writes, over the product without the condition."""
        plain = replace(self.product, condition=None)
        usual: dict[Expr, Expr] = {self.node: reduce("sum", plain.inner, plain.body)}
        return tuple(replace_nodes(write.expr, usual) for write in self.writes)

    @property
    def tile_columns(self) -> int:
        return columns_of_tile(self.node.dtype)

    @property
    def row_tiles(self) -> int:
        return tiles(self.extent(self.product.rows), ROWS)

    @property
    def column_tiles(self) -> int:
        return tiles(self.extent(self.product.columns), self.tile_columns)

    @property
    def chunks(self) -> int:
        """How many times `DEPTH` steps the sum has; at least one, so that an empty sum is stored."""
        return max(1, tiles(self.extent(self.product.inner), DEPTH))

    def plain(self, factor: Expr) -> Access | None:
        """The access that `factor` copies elements from; None when the factor has to be computed."""
        if not isinstance(factor, Read):
            return None
        access = self.accesses.get(factor.operand)
        return None if access is None or access.dynamic or access.dtype != self.node.dtype else access


@dataclass(frozen=True)
class Unit:
    """What one piece of work multiplies: `rows` by `columns` tiles, of one part of the sum where `part` names the index
    of parts. `packed` is the buffer of panels that `Panels` wrote; without it each unit packs its own."""

    rows: int = 1
    columns: int = 1
    part: str | None = None
    packed: str | None = None


@dataclass(frozen=True, kw_only=True)
class Panels(Matrices):
    """Copies the right factor into panels, once, for all rows. A unit is one panel of `DEPTH` steps."""

    @property
    def units(self) -> int:
        return self.extent(self.product.batch) * self.chunks * self.column_tiles

    @property
    def work_per_unit(self) -> int:
        return min(DEPTH, self.extent(self.product.inner)) * self.tile_columns // 4


@dataclass(frozen=True, kw_only=True)
class Contraction(Matrices):
    """Multiplies, unit by unit."""

    unit: Unit

    @property
    def parts(self) -> int:
        return self.extents[root(self.unit.part)] if self.unit.part else 1

    @property
    def in_place(self) -> bool:
        """Whether the rows of the left factor are read where they lie: the steps of each are neighbours in memory."""
        access = self.plain(self.product.left)
        return access is not None and len(self.product.inner) == 1 and access.strides.get(self.product.inner[0]) == 1

    @property
    def most_tiles(self) -> tuple[int, int]:
        """Tiles along rows, and along columns, that a unit has at most."""
        return MOST_TILES_IN_PLACE if self.in_place else MOST_TILES

    @property
    def run_columns(self) -> tuple[str, ...]:
        """The last column indices that results, and what is computed with them, have as if they were one."""
        columns = self.product.columns
        around = self._around_the_sum()
        reads = [self.accesses[node.operand] for node in around if isinstance(node, Read)]
        placed = [child for node in around if isinstance(node, Apply) for child in node.children]
        if any(isinstance(each, Position) and each.index in columns for each in placed):
            return columns[-1:]
        if any(access.dynamic or access.condition is not None for access in reads):
            return columns[-1:]
        together = (*reads, *(write.access for write in self.writes))
        first = len(columns) - 1
        while first > 0 and all(
            access.strides.get(columns[first - 1], 0)
            == access.strides.get(columns[first], 0) * self.extent((columns[first],))
            for access in together
        ):
            first -= 1
        return columns[first:]

    def _around_the_sum(self) -> list[Expr]:
        found: dict[Expr, None] = {}
        waiting = [write.expr for write in self.writes]
        while waiting:
            node = waiting.pop()
            if node not in found and node is not self.node:
                found[node] = None
                waiting += node.children
        return [*found]

    @property
    def units(self) -> int:
        blocks = tiles(self.row_tiles, self.unit.rows) * tiles(self.column_tiles, self.unit.columns)
        return self.extent(self.product.batch) * self.parts * blocks

    @property
    def work_per_unit(self) -> int:
        steps = tiles(max(self.extent(self.product.inner), 1), self.parts)
        return self.unit.rows * ROWS * self.unit.columns * self.tile_columns * steps // 16


def blocks_of(kernel: Contraction, target: int, shared: bool) -> tuple[int, int]:
    """Tiles along rows and along columns of one unit: as large as possible with `target` units or more in all.

    Rows that are packed are packed again for each block of columns. Where panels are `shared`, a unit has few rows, of
    many columns; where it packs its own, as many of the one as of the other. Where rows are read in place there is
    nothing but panels to pack, once for each block of rows.
    """
    row_tiles, column_tiles = kernel.row_tiles, kernel.column_tiles
    most_rows, most_columns = kernel.most_tiles
    down, across = tiles(row_tiles, most_rows), tiles(column_tiles, most_columns)
    others = kernel.extent(kernel.product.batch) * kernel.parts
    while down * across * others < target and (down < row_tiles or across < column_tiles):
        rows, columns = tiles(row_tiles, down), tiles(column_tiles, across)
        taller = rows > LEAST_ROW_TILES if shared else rows * ROWS >= columns * kernel.tile_columns
        if across >= column_tiles or (taller and not kernel.in_place and down < row_tiles):
            down += 1
        else:
            across += 1
    return tiles(row_tiles, down), tiles(column_tiles, across)
