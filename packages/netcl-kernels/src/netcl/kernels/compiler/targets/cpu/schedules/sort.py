"""sort: where the values of each row stand that come next in their order, and what is read from there. A work-item has
rows of its own, and room of its own in a scratch tensor.

A long row is shared out in two steps. First each part of it is dealt out to bins by the values; then each bin is
gathered from all parts and sorted like a row that is not long.
"""

from __future__ import annotations

from dataclasses import dataclass

from netcl.core.errors import ShapeError
from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Operand, Scan, fresh, number
from netcl.kernels.compiler.lower.kernel import Access, Write
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.scans import along
from netcl.kernels.compiler.opencl.types import computed
from netcl.kernels.compiler.target.thresholds import SortThresholds
from netcl.kernels.compiler.targets.cpu.emit.network import WIDE, room_in_words
from netcl.kernels.compiler.targets.cpu.emit.ordering import digits_of, key_type
from netcl.kernels.compiler.targets.cpu.loops import Blocks, LoopKernel, Loops

_KEY_BITS = {"uint8": 8, "bool": 8}

SAMPLES = 1024
"""Of so many values of a row the keys say what the bins are; keys beyond are in the outer bins."""


@dataclass(frozen=True)
class Order:
    """The index that a row is ordered along, smallest value first or `backward`; the index `stood` says where in the
    row the value stood that comes there. A key is taken in parts of `key_bits`."""

    along: str
    backward: bool
    stood: str
    key_bits: int = 32


@dataclass(frozen=True, kw_only=True)
class Sorting(LoopKernel):
    """The first write has the value that the row is ordered by, and is to the scratch tensor, of which each work-item
    has `item_room`. The others are at a place of the index `along`, and may use the index `stood`: where in the row the
    value stood that comes there. A key is taken in parts of `key_bits`."""

    order: Order
    limits: SortThresholds


@dataclass(frozen=True, kw_only=True)
class Dealing(LoopKernel):
    """The first write has the value that a row is ordered by, and is to a tensor of which each row has `row_room`: its
    entries as they are dealt, room for them twice, then for each of its parts where each bin begins. The second is to
    the scratch tensor, of which each work-item has `item_room`."""

    order: Order


@dataclass(frozen=True, kw_only=True)
class SortingDealt(Sorting):
    """A Sorting of which a piece of work is one of the bins that a row was dealt out to. The first write is to the
    tensor that the row was dealt to, the second is to the scratch tensor and has the value at `stood`."""

    bin: str


def fits(nest: Nest, node: Scan, stood: str) -> Scheduled:
    """The kernels. The first write of the nest has the value that is ordered by, the second the same at `stood`."""
    count = nest.extent(along(node))
    if count >= 1 << 31:
        raise ShapeError(f"{nest.name}: a row of {count} elements; at most {(1 << 31) - 1} are sorted")
    dtype = nest.writes[0].expr.dtype
    of_words = _KEY_BITS.get(dtype, 32) == 32 and key_type(computed(dtype)) == "uint"
    dealt = count > nest.target.sorts.many and of_words and nest.extent(*nest.order) <= nest.target.sorts.dealt
    return (_by_bin if dealt else _by_row)(nest, node, stood)


def _by_row(nest: Nest, node: Scan, stood: str) -> Scheduled:
    """One kernel, in which a work-item has whole rows."""
    index = along(node)
    first, _, *others = nest.writes
    count = nest.extent(index)
    rows = tuple(each for each in nest.order if each != index)
    key_bits = _KEY_BITS.get(first.expr.dtype, 32)
    items = max(1, min(nest.extent(*rows), nest.target.sorts.items, nest.target.sorts.entries // max(count, 1)))
    room = _room(count, key_bits, key_type(computed(first.expr.dtype)) == "ulong", nest.target.sorts)
    scratch, item = f"{nest.name}.scratch", "item#"
    extents = {**nest.extents, item: items * room}
    computation = nest.computation(
        writes=(_to(scratch, first.expr), *others), accesses=nest.read_by(first, *others), extents=extents
    )
    kernel = Sorting(
        computation=computation, schedule="sort", loops=Loops(parallel=rows, inner=(index,)), most_items=items,
        numbers={"item_room": room}, order=Order(index, node.backward, stood, key_bits), limits=nest.target.sorts,
    )  # fmt: skip
    return Scheduled((kernel,), (Operand(scratch, INDEX_DTYPE, ((item,),)),), extents)


def _room(count: int, key_bits: int, halves: bool, limits: SortThresholds) -> int:
    """In ulongs, of which eight are a vector: where the values of a short row stood; or the vectors of a network, for
    each half of a key; or the entries twice, and the counts of every digit."""
    if count <= limits.short:
        return limits.short
    if count <= limits.many and key_bits == 32:
        return room_in_words(WIDE, count) * (2 if halves else 1)
    digits, bits = digits_of(key_bits)
    return 2 * count + (digits << bits) // 2


def _by_bin(nest: Nest, node: Scan, stood: str) -> Scheduled:
    """Two kernels that share each row out."""
    index = along(node)
    first, again, *others = nest.writes
    count = nest.extent(index)
    rows = tuple(each for each in nest.order if each != index)
    limits = nest.target.sorts
    part = -(-min(max(count // limits.parts, limits.least_part), limits.most_part) // 16) * 16
    parts = -(-count // part)
    bins = 1 << (2 * count.bit_length() - limits.larger_bins) // 3
    numbers = {"part": part, "parts": parts, "bins": bins}
    numbers["row_room"] = 3 * parts * part + parts * (bins // 2 + 1)
    dealers = min(nest.extent(*rows) * parts, limits.dealers)
    dealing = {**numbers, "item_room": part * 3 // 4 + SAMPLES // 2}
    sorters = min(nest.extent(*rows) * bins, nest.target.sorts.items)
    digits, bits = digits_of(32)
    sorting = {**numbers, "item_room": max(limits.bin + room_in_words(WIDE, limits.bin), (digits << bits) // 2)}
    dealt, scratch, row, item = f"{nest.name}.dealt", f"{nest.name}.scratch", "row#", "item#"
    bin = fresh("bin", {*nest.extents})
    extents = {**nest.extents, bin: bins, row: nest.extent(*rows) * numbers["row_room"]}
    extents[item] = max(dealers * dealing["item_room"], sorters * sorting["item_room"])
    zero = number(0, INDEX_DTYPE)
    order = Order(index, node.backward, stood)
    deal = Dealing(
        computation=nest.computation(
            name=f"{nest.name}_deal", writes=(_to(dealt, first.expr), _to(scratch, zero)),
            accesses=nest.read_by(first), extents=extents,
        ),
        schedule="sort", loops=Loops(parallel=rows, inner=(index,), blocks=Blocks(index, part)), numbers=dealing,
        most_items=dealers, order=order,
    )  # fmt: skip
    sort = SortingDealt(
        computation=nest.computation(
            writes=(_to(dealt, zero), _to(scratch, again.expr), *others), accesses=nest.read_by(again, *others),
            extents=extents,
        ),
        schedule="sort", loops=Loops(parallel=(*rows, bin), inner=(index,)), numbers=sorting, most_items=sorters,
        order=order, limits=limits, bin=bin,
    )  # fmt: skip
    temporaries = (Operand(dealt, INDEX_DTYPE, ((row,),)), Operand(scratch, INDEX_DTYPE, ((item,),)))
    return Scheduled((deal, sort), temporaries, extents)


def _to(name: str, expr: Expr) -> Write:
    """A write to a scratch tensor."""
    return Write(expr, Access(name, name, INDEX_DTYPE, 0, {}), ())
