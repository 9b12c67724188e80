"""sort: the positions of each row in the order of its values. A work-item has rows of its own, and room of its own in a
scratch tensor; a single long row is not shared out.
"""

from __future__ import annotations

from dataclasses import dataclass

from netcl.core.errors import ShapeError
from netcl.kernels.compiler.emit.ordering import LONG_DIGIT, MANY, SHORT, SHORT_DIGIT, digits_of
from netcl.kernels.compiler.ir import INDEX_DTYPE, Operand, Scan, number
from netcl.kernels.compiler.kernel import Access, Kernel, Write
from netcl.kernels.compiler.schedules.common import Nest
from netcl.kernels.compiler.separate import along

_MOST_ITEMS = 256
_MOST_ENTRIES = 1 << 25
_KEY_BITS = {"uint8": 8, "bool": 8}


@dataclass(frozen=True)
class Sorting(Kernel):
    """The first write has the value that orders positions, the second is the scratch tensor, of which each work-item
    has `item_room`. A key is taken in parts of `key_bits`."""

    along: str = ""
    backward: bool = False
    key_bits: int = 32


def fits(nest: Nest, node: Scan) -> tuple[Sorting, Operand]:
    """The kernel, and the scratch tensor that it needs."""
    index = along(node)
    (write,) = nest.writes
    count = nest.extent(index)
    if count >= 1 << 32:
        raise ShapeError(f"{nest.name}: a row of {count} elements; at most {(1 << 32) - 1} are sorted")
    rows = tuple(each for each in nest.order if each != index)
    key_bits = _KEY_BITS.get(write.expr.dtype, 32)
    items = max(1, min(nest.extent(*rows), _MOST_ITEMS, _MOST_ENTRIES // max(count, 1)))
    room = _room(count, key_bits)
    name, item = f"{nest.name}_scratch", "item#"
    scratch = Write(number(0, INDEX_DTYPE), Access(name, name, INDEX_DTYPE, 0, {}), ())
    kernel = Sorting(
        nest.name, "sort", nest.heading, (write, scratch), nest.accesses, {**nest.extents, item: items * room},
        nest.attributes, parallel=rows, inner=(index,), numbers={"item_room": room}, most_items=items, along=index,
        backward=node.backward, key_bits=key_bits,
    )  # fmt: skip
    return kernel, Operand(name, INDEX_DTYPE, ((item,),))


def _room(count: int, key_bits: int) -> int:
    """In ulongs: the entries twice, and the counts of every digit; a short row needs none."""
    if count <= SHORT:
        return 1
    bits = SHORT_DIGIT if count < MANY else LONG_DIGIT
    return 2 * count + (digits_of(bits, key_bits) << bits) // 2
