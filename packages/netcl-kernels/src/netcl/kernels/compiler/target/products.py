"""Matrix products by groups of items that share local memory: in which sizes, and when.

The figures are those of `LocalProducts`; `TILES` and `STRIPS` are what else a device can be tried with.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LocalTile:
    """Results that a group computes together: `rows` by `columns`, of which each item has `down` by `across` in its
    registers, and multiply `depth` steps of the sum without a loop."""

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
class StagingRoom:
    """How a group uses local memory for factors."""

    slab_bytes: int = 128
    """A factor whose neighbours in memory are steps of the sum is brought in runs of so many bytes, which are one
    transfer, if there is room."""
    group_bytes: int = 1 << 15
    """For a group. Some cards have no more; on the others another group fits in beside it."""
    banks: int = 32
    """Four bytes wide each: the usual number."""

    def gap(self, depth: int) -> int:
        """Items that store along the steps come to `depth` rows of local memory; these begin in banks so far apart."""
        return max(1, self.banks // depth)


@dataclass(frozen=True)
class Staging:
    """A tile, and how many steps of each factor are in local memory at a time: multiples of its depth."""

    tile: LocalTile
    left: int
    right: int

    @property
    def steps(self) -> int:
        return max(self.left, self.right)

    def elements(self, room: StagingRoom) -> int:
        """Of local memory, with the gaps between rows."""
        left, right = self.tile.rows + room.gap(self.left), self.tile.columns + room.gap(self.right)
        return self.left * left + self.right * right


@dataclass(frozen=True)
class LocalProducts:
    """Matrix products by groups of items that share local memory."""

    tiles: tuple[LocalTile, ...] = (
        LocalTile(128, 256, 8, 8, 8),
        LocalTile(256, 128, 8, 16, 4),
        LocalTile(128, 128, 8, 16, 4),
        LocalTile(64, 256, 8, 8, 8),
        LocalTile(256, 64, 8, 16, 4),
        LocalTile(64, 64, 16, 8, 2),
        LocalTile(32, 128, 16, 4, 4),
        LocalTile(128, 32, 16, 4, 4),
        LocalTile(32, 32, 16, 4, 4),
        LocalTile(16, 64, 16, 2, 4),
        LocalTile(64, 16, 16, 4, 2),
    )
    """The larger, the less is read again: a group reads 1 / rows + 1 / columns elements for each multiplication, so the
    first two do 43 operations for each byte of float32 that they read, with 512 items of 64 results in registers; those
    of 128 by 128 do 32, of 64 by 64 16. In nearly all, 32 neighbouring items store neighbours. Of those whose sides the
    product fills at least by half, the first that makes a group for each compute unit is taken, else the smallest."""
    accumulator_bytes: int = 256
    """Registers of an item for its results; with more there is no room for a second group beside it."""
    room: StagingRoom = StagingRoom()
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
    LocalTile(128, 256, 8, 8, 8),
    LocalTile(256, 128, 8, 16, 4),
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
