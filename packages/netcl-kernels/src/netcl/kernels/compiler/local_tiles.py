"""Matrix products by groups of items that share local memory: in which sizes, and when.

The figures are those of `LocalProducts`; `TILES` and `STRIPS` are what else a device can be tried with.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LocalTile:
    """Results that a group computes together: `rows` by `columns`, of which each item has `down` by `across` in its
    registers; `depth` steps of the sum are in local memory at a time."""

    rows: int
    columns: int
    depth: int
    down: int
    across: int

    @property
    def items(self) -> int:
        return (self.rows // self.down) * (self.columns // self.across)

    @property
    def accumulators(self) -> int:
        return self.down * self.across


@dataclass(frozen=True)
class LocalProducts:
    """Matrix products by groups of items that share local memory."""

    tiles: tuple[LocalTile, ...] = (
        LocalTile(128, 128, 8, 16, 4),
        LocalTile(64, 64, 16, 8, 2),
        LocalTile(32, 128, 16, 4, 4),
        LocalTile(128, 32, 16, 4, 4),
        LocalTile(32, 32, 16, 4, 4),
        LocalTile(16, 64, 16, 2, 4),
        LocalTile(64, 16, 16, 4, 2),
    )
    """The larger, the less is read again: a group reads 1 / rows + 1 / columns elements for each multiplication, so the
    first does 32 operations for each byte of float32 that it reads, with 8,448 bytes of local memory and 64 results in
    the registers of an item; the second does 16. In both, 32 neighbouring items store neighbours. Of those whose sides
    the product fills at least by half, the first that makes a group for each compute unit is taken, else the
    smallest."""
    accumulator_bytes: int = 256
    """Registers of an item for its results; with more there is no room for a second group beside it."""
    banks: int = 32
    """Of local memory, four bytes wide each: the usual number. Rows of a tile are set apart by so many over its depth,
    so that items that store a column side by side do not meet in a bank."""
    skinny: int = 8
    """With so few rows (or columns) each element of the long side is read for them alone: straight into registers."""
    skinny_items: int = 256
    skinny_ways: int = 4
    """Items that share one sum, where the neighbours in memory are results; as many as there are items in a sub-group
    where they are steps of the sum."""
    skinny_steps: int = 64
    """Shorter sums are not shared."""
    long_sum: int = 1024
    part_steps: int = 256
    most_parts: int = 16
    """Sums of `long_sum` steps, where there are fewer groups than compute units, are cut into parts of at least
    `part_steps`: each is written and read once more."""


TILES = (
    LocalTile(128, 128, 8, 16, 4),
    LocalTile(128, 128, 8, 8, 8),
    LocalTile(128, 128, 16, 8, 8),
    LocalTile(128, 64, 8, 8, 4),
    LocalTile(64, 128, 8, 4, 8),
    LocalTile(64, 64, 16, 8, 2),
    LocalTile(64, 64, 16, 4, 4),
    LocalTile(64, 64, 16, 8, 4),
    LocalTile(64, 32, 16, 4, 4),
    LocalTile(32, 32, 8, 4, 4),
    LocalTile(32, 32, 16, 4, 4),
    LocalTile(32, 32, 16, 2, 2),
)
"""What `netcl tune` tries for products whose sides are long."""

STRIPS = ((64, 1), (64, 4), (128, 1), (128, 4), (128, 8), (256, 1), (256, 4), (256, 8), (256, 16))
"""The same for `skinny_items` and `skinny_ways`."""
