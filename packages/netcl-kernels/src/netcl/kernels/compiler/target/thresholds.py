"""When code generation does what: a class for each question, and for each figure the reason for it.

They were measured on CPUs with vectors of 64 bytes, but for those of cards, which are reasoned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from netcl.kernels.compiler.target.products import LocalProducts


@dataclass(frozen=True)
class SharingThresholds:
    """How the units of work of a launch are shared out over work-items, in steps of innermost loops."""

    items_per_unit: int = 4
    """Work-items for each compute unit: a unit that is done takes another."""
    most_items_per_unit: int = 32
    """With much work, more of them: the units finish more evenly."""
    much_work: int = 1 << 16
    """Steps that may have a work-item of their own."""
    least_work: int = 4096
    """Steps below which another work-item costs more than it brings."""
    inline_nanoseconds: int = 60_000
    """A plan that takes one core so long is done before another thread has been woken and waited for."""


@dataclass(frozen=True)
class LaunchThresholds:
    """Which kernels share a launch."""

    together: bool = True
    """Kernels that need nothing of each other are one launch, and the last work-item does a small one that follows: a
    launch costs more than they do. Work-items of one launch see each other's writes on a CPU alone."""
    kernels: int = 16
    arguments: int = 100
    """Of 8 bytes each, which leaves room of the 1,024 bytes that there are everywhere."""
    steps_then: int = 4096
    """One work-item does so many sooner than another kernel is launched."""


@dataclass(frozen=True)
class GroupThresholds:
    """Kernels whose items work together in groups."""

    used: bool = False
    items: int = 256
    """Of a group, where the device has room for so many: eight times what runs in step on most cards."""
    steps: int = 4
    """Elements of a row that an item takes before another one shares the row: fewer would wait for each other longer
    than they work."""
    busy: int = 1 << 15
    """With fewer items a card is not busy: rows are shared by more of them."""
    neighbours: int = 32
    """So many neighbouring columns are read together: of floats 128 bytes, which is what cards read at once."""
    run: int = 1024
    """Values that an item adds one after the other. The total of a longer run would be too large for what comes."""
    square: int = 16
    """What is read along one index and written along another goes through squares of local memory, unless one of the
    two is so short that most of each square would be empty."""


@dataclass(frozen=True)
class ScanThresholds:
    """Running values on a card."""

    rows: int = 2048
    """So many rows keep a card busy with an item for each, where neighbouring rows are neighbours in memory."""
    short: int = 8
    """Rows so short are sooner gone through by an item than shared out, wherever they lie."""
    groups: int = 64
    """So many rows keep a card busy with a group for each."""
    long: int = 1 << 13
    """Fewer rows that are so long are cut into blocks: two more launches cost less than one group takes for a row."""


@dataclass(frozen=True)
class StageThresholds:
    """What one kernel computes, and what is a tensor between two."""

    steps: int = 16384
    """So many in all are done again, where that saves a launch."""
    rows: int = 16
    """So many independent rows, or groups of columns, are enough to share out. A card, where a group has a row, needs
    more to be busy."""
    tall_rows: int = 2048
    tall_columns: int = 512
    """Columns with more rows than a core has addresses of pages for, in rows as long as a page: to go down one strip of
    them after the other misses the pages again and again."""
    values: int = 1 << 24
    """What has more values is computed again where a contraction needs it, not put into a tensor."""
    part: int = 1 << 15
    """A part of a stage along an index (as of `cat`) with fewer elements is not worth a kernel."""
    parts: int = 16
    part_of_many: int = 1 << 17
    """So many elements for each part pay for a launch, however short some are."""
    copied: int = 4
    """From so many steps of a recurrence on it is worth it to copy what all of them read."""


@dataclass(frozen=True)
class SliceThresholds:
    """Formulas that are computed slice by slice, with small temporaries."""

    most: int = 24 << 20
    """Bytes of temporaries that are there at once: more would have left the last cache of a CPU before it is read."""
    bytes: int = 4 << 20
    """Of those of a slice: what one core reads again from a cache, with enough rows for a matrix product."""


@dataclass(frozen=True)
class PairThresholds:
    """Reductions over all pairs of rows, without a table of the pairs."""

    rows: int = 16
    """Indices of fewer values are not worth going through in lanes."""
    columns: int = 8
    """Elements of an output that are computed together, with what they need of a pair computed once."""
    columns_at_once: int = 4
    """So many columns are taken without a loop; of more, `columns` at a time."""
    table: int = 1 << 16
    """A table of so many pairs is computed sooner than the same again for each use."""
    largest_table: int = 1 << 26
    """More are never put into one, even where a matrix product would be the faster way to use it."""
    deep: int = 16
    """Inner sums of products so long, or so many columns, are faster as matrix products over a table."""
    group_rows: int = 256
    least_group_rows: int = 64
    """Rows of a group on a card. Memory is read once for all of them; with fewer than two sub-groups, items wait for
    memory."""
    enough_groups: int = 64
    """About as many as a card has compute units: with fewer of them, groups of fewer rows."""
    tile_bytes: int = 1 << 13
    """A tile so large leaves a compute unit of 32 kB room for four groups, which hide each other's waiting."""
    deepest: int = 64
    """Longer inner loops read global memory: of their values a tile, or the private memory of an item, has no room."""
    unrolled: int = 16
    """Inner loops so short are written out, so that what an item keeps for them is in registers."""
    written: int = 256
    """A loop of which more statements would be written out stays a loop: drivers take time for each of them."""


@dataclass(frozen=True)
class ProductThresholds:
    """Matrix products in tiles."""

    local: LocalProducts | None = None
    """In tiles that the items of a group bring into local memory, as on a card. What follows is about tiles in
    registers, from panels that stay in caches, as on a CPU."""
    least_side: int = 4
    least_steps: int = 4
    least_work: int = 1 << 14
    """Multiplications from which packing pays; sides and steps below which tiles are mostly zeros."""
    least_results: int = 16
    """Of a tile that holds fewer, most would be zeros."""
    rows_to_pack: int = 2
    """Fewer rows read windows where they lie: packed, each element would be read once."""
    units: int = 32
    """So many units share out well over the cores of any machine."""
    unit_work: int = 1 << 21
    """Multiplications below which a unit of its own costs more than it brings."""
    few_units: int = 16
    long_sum: int = 1024
    sum_parts: int = 16
    """Where there are fewer units than `few_units`, a sum of `long_sum` steps is cut into up to so many parts."""
    row_blocks_to_pack_once: int = 3
    elements_to_pack_once: int = 1 << 16
    """Panels that so many blocks of rows read, and so large, are packed by a kernel of their own."""


@dataclass(frozen=True)
class BlockThresholds:
    """Reductions with few results, in two steps; and how loops over columns are cut."""

    enough_units: int = 32
    much_work: int = 1 << 16
    """With as many units, or less work, one step does."""
    block_work: int = 1 << 14
    most: int = 256
    even: int = 256
    """Long blocks have a multiple of so many elements, which loops over several vectors or words take at once."""
    by_rows: bool = True
    many_rows: int = 512
    """To go down these column by column misses caches and pages; they are read in the order in which they lie."""
    least_rows: int = 64
    run: int = 4
    """Rows of floats that are added up between two times that a partial result is read and written."""
    beside: int = 1 << 13
    """So many partial results stay in the nearest cache beside the rows, which each row is added to."""


@dataclass(frozen=True)
class CutSizes:
    """Into how many neighbours the index that goes in lanes is cut, for what stays in the nearest cache."""

    map: int = 4096
    transposed: int = 16
    """With a transposed operand its cache lines, one for each element, are all used before they go."""
    rows: int = 64
    columns: int = 16
    tall_columns: int = 64
    """One miss of a page for all of them."""
    window: int = 64
    """So few elements of a reduction are still in the cache when those of the next row come."""


@dataclass(frozen=True)
class RecurrenceThresholds:
    """The steps of recurrences."""

    rows: tuple[int, ...] = (8, 4)
    """Rows that are computed together, as far as there are so many: each has a vector of totals, and with eight of them
    nothing waits for another."""
    beside: int = 2
    """Vectors of each of these rows, of elements of 4 bytes: sixteen totals stay in 32 registers of 64 bytes, and what
    is read for one row or one vector is for two or eight of them."""
    vectors: int = 4
    """The same of neighbouring rows in vectors: what all of them read is read once, and no sum waits for itself."""
    lanes: int = 32
    """A reduction in a step is taken in lanes from so many elements on: with two vectors, what it takes to bring the
    lanes together is won back."""
    diagonals: int = 32
    """Where each element of a plane reads its neighbours, steps along one side go together from so many on each side
    on: of two vectors of them, one has something to do at a time."""

    def in_registers(self, count: int) -> RecurrenceThresholds:
        """These with so many vector registers: in 16 of half the size there is room for twelve halves of totals."""
        return self if count >= 32 else replace(self, rows=(6, 4), beside=1)


@dataclass(frozen=True)
class ScatterThresholds:
    """Sums of what indices put into rows."""

    rows: int = 16
    pairs: int = 1 << 8
    """With fewer rows, or pairs of a row and a value, each row asks every value."""
    units: int = 16
    """So many have rows of their own where a value is a row. Each goes through all values to find those for its rows,
    which takes as long as to add one element: for single elements that is not worth it."""
    parts: int = 16
    values_per_copy: int = 2
    much: int = 1 << 15
    """From so many elements on the values are cut into parts with a copy of the rows each, if for each row of a copy
    there are so many values."""
    asked: int = 1 << 24
    few_results: int = 1 << 10
    """On a card each result asks every value, if they are no more pairs than that, or so few results that most items
    would be without work if the values were sorted by rows."""
    items: int = 1 << 15
    least_part: int = 1 << 11
    """With fewer results the values are cut into parts, until there are so many items; none is shorter than this."""


@dataclass(frozen=True)
class SortThresholds:
    """Sorting: work-items with room of their own."""

    short: int = 48
    """The longest row whose values are ordered by counting: each with each, sixteen at a time."""
    many: int = 1 << 12
    """The longest row that a network orders; longer ones are ordered by digits, as are rows of bytes."""
    long: int = 1 << 15
    """Longer ones are dealt out to bins."""
    bin: int = 1 << 11
    """The largest bin that a network orders; one with more values, most of them equal or nearly so, is sorted by
    digits."""
    items: int = 256
    entries: int = 1 << 25
    """Entries that all work-items have room for."""
    dealt: int = 1 << 24
    """Values of long rows that are dealt out to bins: 24 bytes of room each."""
    parts: int = 8
    least_part: int = 1 << 13
    most_part: int = 1 << 18
    dealers: int = 32
    larger_bins: int = 7
    """There are eight times as many values for four times as many bins, and of 2^20 a bin has about 500. With more bins
    it takes longer to deal, with fewer to sort."""
