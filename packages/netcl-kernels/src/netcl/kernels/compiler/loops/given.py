"""What the launch gives to a loop nest, and how a stage reads through it.

A nest reads elements of buffers at addresses. `Given` turns the accesses of a stage into such reads, and collects the
numbers that they need: offsets, strides and sizes are attributes of the nest, so that its text serves all shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    Attribute,
    Expr,
    Position,
    Read,
    Size,
    attribute,
    number,
    read,
    rebuild,
    root,
    transform,
)
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.ir import Buffer, LoopNest
from netcl.kernels.compiler.loops.positions import numbered, plus, times
from netcl.kernels.compiler.lower.kernel import Access, Argument, Kernel, Write
from netcl.kernels.compiler.target import Target


@dataclass(frozen=True, kw_only=True)
class Looped(Kernel):
    """A kernel as a loop nest; `given` has the argument of the launch for each number and global buffer of it."""

    nest: LoopNest
    given: Mapping[str, Argument]
    groups: int

    @property
    def units(self) -> int:
        return self.groups

    @property
    def work_per_unit(self) -> int:
        written = self.extent(dict.fromkeys(index for write in self.writes for index in write.indices))
        return max(1, written // max(self.groups, 1))

    @property
    def is_vectorised(self) -> bool:
        return False

    @property
    def chunk(self) -> int:
        return 1

    @property
    def linearised(self) -> tuple[tuple[str, ...], ...]:
        return (*(write.indices for write in self.writes), *(node.over for node in self.reduces))

    def launched(self, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """The numbers of a launch with these attributes, of offsets those of operands that begin their buffers."""
        given = {name: each for name, each in self.given.items() if each.kind != "buffer"}
        return {name: self._number(each, attributes) for name, each in given.items()}

    def _number(self, given: Argument, attributes: Mapping[str, Any]) -> Any:
        if given.kind == "size":
            return self.extents[root(given.index)]
        if given.kind == "stride":
            return self.stride(given.of, given.index)
        if given.kind == "number":
            return self.numbers[given.of]
        if given.kind == "attribute":
            return attributes[given.of]
        if given.kind in ("units", "chunk"):
            return self.units if given.kind == "units" else self.chunk
        writes = {write.access.name: write.access for write in self.writes}
        access = self.accesses.get(given.of) or writes[given.of]
        return access.offset + sum(factor * attributes[name] for name, factor in access.shift)


@dataclass(frozen=True)
class Unit:
    """About how many `steps` a unit of work takes, whether these are of several elements at a time, and of how many
    units the work of an item is a multiple."""

    steps: int
    vectorised: bool
    multiple: int = 1


@dataclass(frozen=True, kw_only=True)
class Units(Looped):
    """A kernel whose work-items go through the units that are their share, each alone; `groups` is how many units there
    are."""

    unit: Unit

    @property
    def work_per_unit(self) -> int:
        return self.unit.steps

    @property
    def is_vectorised(self) -> bool:
        return self.unit.vectorised

    @property
    def multiple(self) -> int:
        return self.unit.multiple

    @property
    def chunk(self) -> int:
        """Units of a work-item, where there are a few of these."""
        return -(-self.units // min(3, self.most_items or 3) // self.multiple) * self.multiple


class Given:
    """The buffers and numbers of one nest, as they are asked for."""

    def __init__(self, accesses: Mapping[str, Access], attributes: Mapping[str, str]) -> None:
        self.accesses = accesses
        self.dtypes = attributes
        self.arguments: dict[str, Argument] = {}
        self.buffers: dict[str, Buffer] = {}
        self.data: set[str] = set()

    def size(self, index: str) -> Expr:
        return self._number(f"size {root(index)}", Argument("size", f"size_{root(index)}_", index=root(index)))

    def attribute(self, node: Attribute) -> Expr:
        """A number that the caller gives."""
        self.data.add(node.name)
        return self._number(node.name, Argument("attribute", f"{node.name}_", node.name), node.dtype)

    def number(self, name: str) -> Expr:
        """One of the kernel's own `numbers`."""
        return self._number(f"number {name}", Argument("number", name, name))

    def share(self, kind: str) -> Expr:
        """All "units" that there are, or the "chunk" of a work-item."""
        return self._number(f"count {kind}", Argument(kind, kind))

    def read(self, node: Read, at: Sequence[Expr], places: Mapping[str, Expr]) -> Expr:
        """The element that a read of an access means at these positions, as in `element`."""
        condition = self.accesses[node.operand].condition
        return self.element(node, at, None if condition is None else self.expr(condition, places))

    def element(self, node: Read, at: Sequence[Expr], condition: Expr | None) -> Expr:
        """The element that a read of an access means at these positions, under the condition of the access; what is
        outside is NaN where data says where, and else 0."""
        access = self.accesses[node.operand]
        count = len(access.strides)
        address = self.address(access, at[:count])
        conditions: list[Expr] = []
        for place, limit in enumerate(access.limits):
            there = at[count + place]
            address = plus(address, times(there, self.stride(access, f"@{place}")))
            if limit is not None:
                conditions += [call("ge", there, 0), call("lt", there, self.size(limit.index))]
        if condition is not None:
            conditions.append(condition)
        found = read(self._buffer(access), (address,), node.dtype)
        if not conditions:
            return found
        outside = float("nan") if any(access.limits) and access.dtype in FLOATS else 0
        return call("select", conjunction(conditions), found, number(outside, node.dtype))

    def expr(self, node: Expr, places: Mapping[str, Expr], instead: Mapping[Expr, Expr] | None = None) -> Expr:
        """An expression of the stage, its indices at these places."""

        def visit(each: Expr, children: tuple[Expr, ...]) -> Expr:
            if instead and each in instead:
                return instead[each]
            if isinstance(each, Read):
                return self.read(each, children, places)
            if isinstance(each, Position):
                return places[each.index]
            if isinstance(each, Size):
                return self.size(each.index)
            if isinstance(each, Attribute):
                return self.attribute(each)
            return rebuild(each, children)

        return transform(node, visit, {})

    def target(self, write: Write, places: Mapping[str, Expr]) -> tuple[str, Expr]:
        """(buffer, address) of an output at these places."""
        access = write.access
        return self._buffer(access), self.address(access, [places[index] for index in access.strides])

    def scratch(self, access: Access) -> str:
        """The buffer of a temporary whose elements are addressed as they lie."""
        return self._buffer(access)

    def address(self, access: Access, at: Sequence[Expr]) -> Expr:
        """Where an access is at these places, one for each of its strides."""
        found = self._number(f"offset {access.name}", Argument("offset", f"{access.name}_offset_", access.name))
        for index, place in zip(access.strides, at, strict=True):
            found = plus(found, times(place, self.stride(access, index)))
        return found

    def stride(self, access: Access, index: str) -> Expr:
        """How far apart neighbours along an index are, or along a dynamic position `@0`, `@1`, …"""
        stride = access.dynamic[int(index[1:])] if index.startswith("@") else access.strides[index]
        if stride == 1:
            return number(1, INDEX_DTYPE)
        name = f"stride {access.name} {index}"
        return self._number(name, Argument("stride", f"{access.name}_stride_{index}_", access.name, index))

    def _buffer(self, access: Access) -> str:
        name = access.buffer
        if name not in self.buffers:
            self.arguments[name] = Argument("buffer", f"{name}_", name)
            self.buffers[name] = Buffer(name, access.dtype, "global", number(0, INDEX_DTYPE))
        return name

    def _number(self, name: str, argument: Argument, dtype: str = INDEX_DTYPE) -> Expr:
        self.arguments.setdefault(name, argument)
        return attribute(name, dtype)


def flattened(places: Mapping[str, Expr], indices: Sequence[str], given: Given) -> Expr:
    """The number of a place of these indices, which are counted through together, the last one fastest."""
    return numbered({index: given.size(index) for index in indices}, places)


def unflattened(flat: Expr, indices: Sequence[str], given: Given) -> dict[str, Expr]:
    """Where each of these indices is at the place with this number: see `flattened`."""
    found: dict[str, Expr] = {}
    for index in reversed(indices[1:]):
        found[index] = call("mod", flat, given.size(index))
        flat = call("floor_div", flat, given.size(index))
    return {indices[0]: flat, **found} if indices else {}


def product_of_sizes(indices: Sequence[str], given: Given) -> Expr:
    found: Expr = number(1, INDEX_DTYPE)
    for index in indices:
        found = call("mul", found, given.size(index))
    return found


_BYTES = 32
"""Of local memory for an item, at most: an entry of each of two tiles of a sort, with its place."""


def items_of(target: Target, wanted: int = 0) -> int:
    """The items of a group: so many, or as many as usual, halved until the device has room for them."""
    items = wanted or target.groups.items
    while items > min(target.work_group_size, target.local_memory // _BYTES):
        items //= 2
    return items
