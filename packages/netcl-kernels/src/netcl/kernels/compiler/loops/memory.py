"""What a loop nest asks of memory, for the numbers of one launch, without running it: `measured`.

    segments    of 128 bytes that 32 neighbouring items touch with one load or store, beside the fewest that hold as
                many elements: 1.00x is as good as can be, 32.00x a segment for each item
    traffic     the segments of all loads and stores, each once for all items of a group that touch it with one load:
                no cache is asked to keep it longer. Beside it what there is to be moved once, whatever the order
    banks       of local memory, 32 of 4 bytes: how many addresses of one bank 32 neighbouring items ask for at once
    registers   words of private memory of an item, with the indices that are alive; an estimate
    operations  on floats, for each byte of traffic

Positions are evaluated on NumPy for the items of some groups and some turns of each loop, always the same: the first,
the last, and a few between, which stand for all others. Integers that are read from memory (as the rows of an
embedding) are taken to be scattered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from netcl.core.dtypes import canonical
from netcl.kernels.compiler.ir import FLOATS, Apply, Attribute, Expr, Number, Position, Read, subexpressions
from netcl.kernels.compiler.ir.evaluate import applied
from netcl.kernels.compiler.ir.host import Numbers, integer
from netcl.kernels.compiler.loops.calls import expanded
from netcl.kernels.compiler.loops.ir import (
    Assume,
    Barrier,
    If,
    Let,
    Loop,
    LoopNest,
    MultiplyAdd,
    Name,
    Statement,
    Store,
    exprs,
    local_bytes,
    statements,
)

Array = np.ndarray[Any, Any]

SEGMENT, TOGETHER, BANKS = 128, 32, 32
"""Bytes that memory is moved in, items whose accesses go together, banks of local memory."""

_SAMPLES = 4
"""Groups, and turns of a loop, that stand for all."""

_SCATTERED = 61
"""What is read as a position is below this."""

_NO_ARITHMETIC = frozenset(("select", "cast", "copy", "detach"))


@dataclass
class Access:
    """All loads, or all stores, of one place in the text: lanes that are active, segments, and the fewest there are."""

    buffer: str
    verb: str
    lanes: float = 0
    segments: float = 0
    fewest: float = 0
    moved: float = 0
    """Segments, each once for a group."""

    @property
    def ratio(self) -> float:
        return self.segments / self.fewest if self.fewest else 1.0


@dataclass
class Measured:
    """What is known of one nest; see above."""

    groups: int
    items: int
    accesses: list[Access] = field(default_factory=list)
    compulsory_bytes: int = 0
    worst_banks: int = 1
    local_bytes: int = 0
    registers: int = 0
    operations: float = 0

    @property
    def traffic_bytes(self) -> float:
        return SEGMENT * sum(each.moved for each in self.accesses)

    @property
    def worst_ratio(self) -> float:
        return max((each.ratio for each in self.accesses), default=1.0)


def measured(nest: LoopNest, numbers: Mapping[str, Any], sizes: Mapping[str, int]) -> Measured:
    """The model of a nest; `sizes` has how many elements of each global buffer there are."""
    return _Model(expanded(nest), numbers, sizes).result()


def lines(name: str, found: Measured) -> list[str]:
    """The model as text."""
    moved = found.traffic_bytes
    shown = [
        f"{name}: {found.groups} groups of {found.items} items",
        f"    traffic {_bytes(moved)}, compulsory {_bytes(found.compulsory_bytes)}, "
        f"{found.operations / moved if moved else 0:.2f} operations per byte",
        f"    local memory {_bytes(found.local_bytes)}, banks {found.worst_banks}x, about {found.registers} registers",
    ]
    for each in found.accesses:
        shown.append(f"    {each.verb:5} {each.buffer:12} {each.ratio:6.2f}x {_bytes(SEGMENT * each.moved):>10}")
    return shown


def _bytes(count: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count:.0f} B"


class _Model:
    def __init__(self, nest: LoopNest, numbers: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        self.nest, self.numbers, self.sizes = nest, numbers, sizes
        self.groups = integer(nest.groups, Numbers({}, numbers))
        self.found = Measured(self.groups, nest.items, local_bytes=local_bytes(nest), registers=_registers(nest))
        self.accesses: dict[tuple[int, str, Expr], Access] = {}
        self.indices: dict[str, Array] = {nest.item: np.arange(nest.items)}
        self.values: dict[Expr, Array] = {}
        self.named: dict[str, Array] = {}

    def result(self) -> Measured:
        everybody = np.ones(self.nest.items, bool)
        for group, weight in _sampled(self.groups):
            self._bind(self.nest.group, np.full(self.nest.items, group))
            self._body(self.nest.body, everybody, weight)
        found = self.found
        found.accesses = [*self.accesses.values()]
        lanes: dict[str, float] = {}
        for each in found.accesses:
            lanes[each.buffer] = lanes.get(each.buffer, 0) + each.lanes
        found.compulsory_bytes = sum(
            canonical(self.nest.buffer(name).dtype).itemsize * int(min(count, self.sizes[name]))
            for name, count in lanes.items()
        )
        return found

    def _bind(self, index: str, value: Array) -> None:
        self.indices[index] = value
        self.values = {}

    def _body(self, body: tuple[Statement, ...], active: Array, weight: float) -> None:
        for each in body:
            if isinstance(each, (Assume, Barrier)) or not active.any():
                continue
            self._statement(each, active, weight)
            if isinstance(each, Let):
                self._bind(each.index, self._value(each.value))
            elif isinstance(each, Name):
                self.named[each.name] = self._value(each.value)
                self.values = {}
            elif isinstance(each, If):
                self._body(each.body, active & self._value(each.condition).astype(bool), weight)
            elif isinstance(each, Loop):
                extents = self._value(each.extent)
                for turn, turns in _sampled(int(extents[active].max(initial=0))):
                    self._bind(each.index, np.full(self.nest.items, turn))
                    self._body(each.body, active & (turn < extents), weight * turns)

    # --- what a statement does ----------------------------------------------------------------------------------------

    def _statement(self, each: Statement, active: Array, weight: float) -> None:
        reached: dict[Expr, Array] = {}
        for expr in exprs(each):
            self._reach(expr, active, reached)
        for node, mask in reached.items():
            if isinstance(node, Read) and node.at:
                self._access(id(each), "load", node.operand, node, node.at[0], mask, weight)
            elif isinstance(node, Apply) and node.dtype in FLOATS and node.function not in _NO_ARITHMETIC:
                self.found.operations += weight * int(mask.sum())
        if isinstance(each, (Store, MultiplyAdd)):
            asked = active
            if isinstance(each, Store) and each.where is not None:
                asked = active & self._value(each.where).astype(bool)
            self._access(id(each), "store", each.buffer, each.at, each.at, asked, weight)
        if isinstance(each, MultiplyAdd):
            self.found.operations += 2 * weight * int(active.sum())

    def _reach(self, node: Expr, active: Array, reached: dict[Expr, Array]) -> None:
        """For each node, the items that come to it."""
        before = reached.get(node)
        if before is not None and not (active & ~before).any():
            return
        reached[node] = active if before is None else active | before
        if isinstance(node, Apply) and node.function in ("select", "and", "or"):
            condition, *rest = node.children
            self._reach(condition, active, reached)
            holds = self._value(condition).astype(bool)
            masks = (~holds,) if node.function == "or" else (holds, ~holds)
            for child, mask in zip(rest, masks, strict=False):
                self._reach(child, active & mask, reached)
            return
        for child in node.children:
            self._reach(child, active, reached)

    def _access(self, place: int, verb: str, buffer: str, node: Expr, at: Expr, active: Array, weight: float) -> None:
        found = self.nest.buffer(buffer)
        if found.space == "private" or not active.any():
            return
        size = canonical(found.dtype).itemsize
        positions = self._value(at)
        if found.space == "global":
            access = self.accesses.setdefault((place, verb, node), Access(buffer, verb))
            access.moved += weight * len(np.unique(positions[active] * size // SEGMENT))
        for first in range(0, self.nest.items, TOGETHER):
            there = np.unique(positions[first : first + TOGETHER][active[first : first + TOGETHER]])
            if not there.size:
                continue
            if found.space == "local":
                self.found.worst_banks = max(self.found.worst_banks, _in_one_bank(there, size))
                continue
            access.lanes += weight * there.size
            access.segments += weight * len(np.unique(there * size // SEGMENT))
            access.fewest += weight * -(-there.size * size // SEGMENT)

    def _value(self, node: Expr) -> Array:
        if node not in self.values:
            for each in subexpressions(node):
                if each not in self.values:
                    self.values[each] = self._found(each)
        return self.values[node]

    def _found(self, node: Expr) -> Array:
        count = self.nest.items
        if isinstance(node, Number):
            return np.full(count, node.value)
        if isinstance(node, Attribute):
            return np.full(count, self.numbers[node.name])
        if isinstance(node, Position):
            return self.indices[node.index]
        if isinstance(node, Read) and not node.at:
            return self.named[node.operand]
        if isinstance(node, Read):
            scattered = (self.values[node.at[0]].astype(np.int64) * 40503 >> 4) % _SCATTERED
            return scattered / _SCATTERED if node.dtype in FLOATS else scattered
        assert isinstance(node, Apply), f"{node!r} is none of a loop nest"
        with np.errstate(all="ignore"):
            return np.broadcast_to(applied(node, [self.values[each] for each in node.children]), count)


def _sampled(count: int) -> list[tuple[int, float]]:
    """Some numbers below `count`, each with how many it stands for: the ends for themselves."""
    if count <= _SAMPLES:
        return [(at, 1.0) for at in range(count)]
    between = sorted({1 + (count - 3) * at // (_SAMPLES - 2) for at in range(1, _SAMPLES - 1)})
    return [(0, 1.0), *((at, (count - 2) / len(between)) for at in between), (count - 1, 1.0)]


def _in_one_bank(elements: Array, size: int) -> int:
    """The most words of one bank. What is stored in less has a word there; what is wider goes in two steps."""
    steps = max(size // 4, 1)
    return max(int(np.bincount(part * steps % BANKS).max()) for part in np.array_split(elements, steps) if part.size)


def _registers(nest: LoopNest) -> int:
    """Words of private buffers; two for each index or name that is alive at the deepest place; and one for what a
    statement uses more than once."""
    kept = 0
    for buffer in nest.buffers:
        if buffer.space == "private":
            kept += integer(buffer.size, Numbers({}, {})) * max(canonical(buffer.dtype).itemsize // 4, 1)
    most = 0
    for each in statements(nest.body):
        uses: dict[Expr, int] = {}
        for node in subexpressions(*exprs(each)):
            for child in node.children:
                uses[child] = uses.get(child, 0) + 1
        most = max(most, sum(1 for node, count in uses.items() if count > 1 and node.children))
    return kept + 2 * _alive(nest.body) + most


def _alive(body: tuple[Statement, ...]) -> int:
    """The most indices and names that have a value at one place."""
    most = here = 0
    for each in body:
        if isinstance(each, (Let, Name)):
            here += 1
        elif isinstance(each, (If, Loop)):
            most = max(most, here + _alive(each.body) + isinstance(each, Loop))
    return max(most, here)
