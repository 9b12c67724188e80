"""How a matrix product is cut into tiles, and which of them are one piece of work.

The values do not depend on any of it: sums over `inner` run in order, one fused multiply-add after the other, whatever
the blocks are and however many work-items share them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from netcl.kernels.compiler.ir import Expr, Read
from netcl.kernels.compiler.lower.kernel import Access
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.lower.product import Product
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.target import Target

DEPTH = 256
"""Steps of the sum that are packed at a time."""

GROUP = 8
"""Lines, or steps, that are copied together."""

MOST_LINES = (96, 1536)
"""Rows, and bytes of columns, in one piece of work that packs its rows: they serve so many columns."""

MOST_LINES_IN_PLACE = (256, 512)
"""The same where rows are read where they lie: each panel stays in the nearest cache for so many of them."""

LEAST_ROWS = 32
"""A panel that others have packed comes from the second cache for so many rows at least."""


SIZES = {"float32": 4, "float64": 8}


class Tile(NamedTuple):
    """Rows by columns, of which so many are computed `at_once`: two vectors for each row, whose sums stay in registers
    beside one of each side."""

    rows: int
    columns: int
    at_once: int

    @staticmethod
    def of(target: Target, dtype: str) -> Tile:
        """Of 32 registers sums take sixteen, of 16 twelve. Results are stored in vectors of `LANES`."""
        at_once = max(4, 2 * target.vector_bytes // SIZES[dtype])
        return Tile(8 if target.vector_registers >= 32 else 6, max(at_once, LANES), at_once)


def tiles(extent: int, width: int) -> int:
    return -(-extent // width)


def plain(nest: Nest, factor: Expr, dtype: str) -> Access | None:
    """The access that `factor` copies elements from; None where the factor has to be computed."""
    if not isinstance(factor, Read):
        return None
    access = nest.accesses[factor.operand]
    return None if access.dynamic or access.condition is not None or access.dtype != dtype else access


def as_one(nest: Nest, indices: tuple[str, ...], accesses: Iterable[Access]) -> tuple[str, ...]:
    """The last of these indices, as many as all of the accesses have as if they were one."""
    first, every = len(indices) - 1, list(accesses)
    while first > 0 and all(
        access.strides.get(indices[first - 1], 0) == access.strides.get(indices[first], 0) * nest.extent(indices[first])
        for access in every
    ):
        first -= 1
    return indices[first:]


@dataclass(frozen=True)
class Tiling:
    """The tiles of a product of this dtype, of which each sum is cut into `parts`."""

    nest: Nest
    product: Product
    dtype: str
    parts: int = 1

    @property
    def indices(self) -> tuple[str, ...]:
        """All indices of the product, of which none is empty."""
        product = self.product
        return (*product.batch, *product.rows, *product.columns, *product.inner)

    @cached_property
    def tile(self) -> Tile:
        return Tile.of(self.nest.target, self.dtype)

    @property
    def rows(self) -> int:
        """The rows of a tile."""
        return self.tile.rows

    @property
    def width(self) -> int:
        """The columns of a tile."""
        return self.tile.columns

    @property
    def lines(self) -> int:
        """The rows that are packed for a tile: whole groups. What is more than its rows nobody reads."""
        return tiles(self.rows, GROUP) * GROUP

    @property
    def steps(self) -> int:
        return self.nest.extent(*self.product.inner)

    @property
    def row_tiles(self) -> int:
        return tiles(self.nest.extent(*self.product.rows), self.rows)

    @property
    def column_tiles(self) -> int:
        return tiles(self.nest.extent(*self.product.columns), self.width)

    @property
    def chunks(self) -> int:
        """How many times `DEPTH` steps the sum has; at least one, so that an empty sum is stored."""
        return max(1, tiles(self.steps, DEPTH))

    @property
    def others(self) -> int:
        """How many products there are, and parts of each."""
        return self.nest.extent(*self.product.batch) * self.parts

    @property
    def panels(self) -> int:
        """How many panels of `DEPTH` steps the right factor has."""
        return self.nest.extent(*self.product.batch) * self.chunks * self.column_tiles

    @cached_property
    def in_place(self) -> bool:
        """Whether the rows of the left factor are read where they lie: the steps of each are neighbours in memory."""
        inner, access = self.product.inner, plain(self.nest, self.product.left, self.dtype)
        return access is not None and len(inner) == 1 and access.strides.get(inner[0]) == 1

    @property
    def most_tiles(self) -> tuple[int, int]:
        """Tiles along rows, and along columns, that a unit has at most."""
        rows, size = MOST_LINES_IN_PLACE if self.in_place else MOST_LINES
        return rows // self.rows, size // (SIZES[self.dtype] * self.width)

    def blocks(self, target: int, shared: bool) -> tuple[int, int]:
        """Tiles along rows and along columns of one unit: as large as possible with `target` units or more in all.

        Rows that are packed are packed again for each block of columns. Where panels are `shared`, a unit has few rows,
        of many columns; where it packs its own, as many of the one as of the other. Where rows are read in place there
        is nothing but panels to pack, once for each block of rows.
        """
        row_tiles, column_tiles = self.row_tiles, self.column_tiles
        most_rows, most_columns = self.most_tiles
        down, across = tiles(row_tiles, most_rows), tiles(column_tiles, most_columns)
        while down * across * self.others < target and (down < row_tiles or across < column_tiles):
            rows, columns = tiles(row_tiles, down), tiles(column_tiles, across)
            taller = rows > tiles(LEAST_ROWS, self.rows) if shared else rows * self.rows >= columns * self.width
            if across >= column_tiles or (taller and not self.in_place and down < row_tiles):
                down += 1
            else:
                across += 1
        return tiles(row_tiles, down), tiles(column_tiles, across)
