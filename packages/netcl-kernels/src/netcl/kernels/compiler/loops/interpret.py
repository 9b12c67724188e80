"""A loop nest on NumPy, all items of a group side by side, group after group.

What a device does not promise is an error here: a position outside of a buffer, a value that nobody has stored, two
items (of a group without a barrier between, or of two groups) of which one stores what the other stores or loads, and a
barrier that some items do not come to. For small sizes; floats are computed in float64.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from netcl.kernels.compiler.ir import FLOATS, INDEX_DTYPE, Apply, Attribute, Expr, Number, Position, Read, number, read
from netcl.kernels.compiler.ir.evaluate import applied
from netcl.kernels.compiler.ir.interval import wrapped
from netcl.kernels.compiler.loops.calls import expanded
from netcl.kernels.compiler.loops.ir import (
    ELEMENTS,
    Assume,
    Barrier,
    Buffer,
    Fold,
    If,
    Let,
    Loop,
    LoopNest,
    MultiplyAdd,
    Name,
    Statement,
    Store,
    Transpose,
    statements,
)

Array = np.ndarray[Any, Any]
NOBODY, SEVERAL = -1, -2
_FOLDS = {
    "sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum, "any": np.logical_or,
    "all": np.logical_and,
}  # fmt: skip


class IllegalAccess(AssertionError):
    """A schedule made a nest that is wrong; the text says what, where and by whom."""


def interpret(nest: LoopNest, memory: Mapping[str, Array], numbers: Mapping[str, Any]) -> None:
    """Run a nest on global buffers, which are changed in place; `numbers` are its attributes. Raises IllegalAccess."""
    nest = expanded(nest)
    stored = {each.buffer for each in statements(nest.body) if isinstance(each, (Store, MultiplyAdd))}
    state = {
        name: _Memory(nest.buffer(name), array, stored=True, shared=name in stored) for name, array in memory.items()
    }
    numbers = {**numbers, **{ELEMENTS + name: array.size for name, array in memory.items()}}
    with np.errstate(all="ignore"):
        groups = int(_Group(nest, state, numbers, 0).value(nest.groups, np.ones(nest.items, bool))[0])
        for group in range(groups):
            _Group(nest, state, numbers, group).run(nest.body, np.ones(nest.items, bool))
            for each in state.values():
                each.forget_loads()


class _Memory:
    """A buffer, and which of its elements have been stored; `shared`: who has stored and loaded each of them, that is
    (group, item), and since which barrier. What nobody stores, and what belongs to one item, needs no such notes.
    """

    def __init__(self, buffer: Buffer, values: Array, *, stored: bool, shared: bool) -> None:
        self.buffer, self.values, self.shared = buffer, values, shared
        self.stored = None if stored else np.zeros(values.size, bool)
        if shared:
            self.store_group = np.full(values.size, NOBODY)
            self.store_item = np.full(values.size, NOBODY)
            self.store_time = np.full(values.size, -1)
            self.load_item = np.full(values.size, NOBODY)
            self.load_time = np.full(values.size, -1)

    def forget_loads(self) -> None:
        if self.shared:
            self.load_time[:] = -1

    def load(self, at: Array, items: Array, group: int, time: int) -> Array:
        self._require(at, "loaded")
        if self.stored is not None and not self.stored[at].all():
            raise IllegalAccess(f"{self.buffer.name}[{at[~self.stored[at]][0]}] is loaded before anybody stored it")
        if self.shared:
            self._note_load(at, items, group, time)
        return self.values[at]

    def store(self, at: Array, values: Array, items: Array, group: int, time: int) -> None:
        self._require(at, "stored")
        if self.shared:
            self._note_store(at, items, group, time)
        self.values[at] = values
        if self.stored is not None:
            self.stored[at] = True

    def _note_load(self, at: Array, items: Array, group: int, time: int) -> None:
        others = self._stored_by_others(at, items, group, time)
        if others.any():
            raise IllegalAccess(f"{self.buffer.name}[{at[others][0]}] is loaded while another item may store it")
        again = (self.load_time[at] == time) & (self.load_item[at] != items)
        by = np.where(again, SEVERAL, items)
        self.load_item[at] = by
        self.load_item[at[self.load_item[at] != by]] = SEVERAL  # of those that load one element now, one is noted
        self.load_time[at] = time

    def _note_store(self, at: Array, items: Array, group: int, time: int) -> None:
        others = self._stored_by_others(at, items, group, time)
        others |= (self.load_time[at] == time) & (self.load_item[at] != items)
        self.store_item[at] = items
        others |= self.store_item[at] != items  # two store one element now
        if others.any():
            raise IllegalAccess(
                f"{self.buffer.name}[{at[others][0]}] is stored while another item may load or store it"
            )
        self.store_group[at], self.store_time[at] = group, time

    def _stored_by_others(self, at: Array, items: Array, group: int, time: int) -> Array:
        by = self.store_group[at]
        same = (self.store_time[at] == time) & (by == group) & (self.store_item[at] != items)
        found: Array = same | ((by != NOBODY) & (by != group))
        return found

    def _require(self, at: Array, verb: str) -> None:
        outside = _outside(at, self.values.size)
        if outside is not None:
            raise IllegalAccess(f"{self.buffer.name}[{outside}] is {verb}, but there are {self.values.size}")


def _outside(at: Array, size: int) -> int | None:
    """One of these places that is none of so many."""
    if len(at) == 1:  # as on CPUs, whose work-items are alone
        place = int(at[0])
        return None if 0 <= place < size else place
    if at.size and (at.min() < 0 or at.max() >= size):
        return int(at[(at < 0) | (at >= size)][0])
    return None


class _Group:
    """The items of one group, all at the same statement."""

    def __init__(self, nest: LoopNest, memory: Mapping[str, _Memory], numbers: Mapping[str, Any], group: int) -> None:
        self.nest, self.numbers, self.group, self.time = nest, numbers, group, 0
        self.items = np.arange(nest.items)
        self.full: dict[Expr, Array] = {}  # numbers, one for each item
        self.named: dict[str, Array] = {}
        self.indices: dict[str, Array] = {nest.item: self.items, nest.group: np.full(nest.items, group)}
        self.memory = dict(memory)
        everybody = np.ones(nest.items, bool)
        for buffer in nest.buffers:
            if buffer.space != "global":
                size = int(self.value(buffer.size, everybody)[0])
                many = nest.items if buffer.space == "private" else 1
                dtype = np.float64 if buffer.dtype in FLOATS else np.int64
                values = np.zeros(size * many, dtype)
                self.memory[buffer.name] = _Memory(buffer, values, stored=False, shared=buffer.space == "local")

    def run(self, body: tuple[Statement, ...], active: Array) -> None:
        for each in body:
            if isinstance(each, Barrier):
                if not active.all():
                    raise IllegalAccess(f"{self.nest.name}: {int((~active).sum())} items do not come to a barrier")
                self.time += 1
            elif isinstance(each, Let):
                self.indices[each.index] = self.value(each.value, active)
            elif isinstance(each, Name):
                self.named[each.name] = self.value(each.value, active)
            elif isinstance(each, Fold):
                self.named[each.name] = self._folded(each, active)
            elif isinstance(each, Transpose):
                self._transposed(each.buffers, active)
            elif isinstance(each, Assume):
                if not self.value(each.condition, active)[active].all():
                    raise IllegalAccess(f"{self.nest.name}: it is not always so that {each.condition!r}")
            elif isinstance(each, If):
                here = active & self.value(each.condition, active).astype(bool)
                if here.any() or self.nest.items > 1:  # of several, some may wait at a barrier in it
                    self.run(each.body, here)
            elif isinstance(each, Loop):
                self._loop(each, active)
            elif isinstance(each, (Store, MultiplyAdd)):
                self._store(each, active)

    def _loop(self, loop: Loop, active: Array) -> None:
        extents = self.value(loop.extent, active)
        for step in range(int(extents[active].max(initial=0))):
            self.indices[loop.index] = np.full(self.nest.items, step)
            here = active & (step < extents)
            self.run(loop.body, here)
            if loop.until is not None:
                active = active & ~(here & self.value(loop.until, here).astype(bool))

    def _store(self, statement: Store | MultiplyAdd, active: Array) -> None:
        if isinstance(statement, Store) and statement.where is not None:
            active = active & self.value(statement.where, active).astype(bool)
        if not active.any():
            return
        everybody = slice(None) if active.all() else active
        at = self._address(statement.buffer, self.value(statement.at, active))[everybody]
        target = self.memory[statement.buffer]
        if isinstance(statement, Store):
            values = self.value(statement.value, active)
        else:
            held = np.zeros(self.nest.items)
            held[everybody] = target.load(at, self.items[everybody], self.group, self.time)
            left, right = self.value(statement.left, active), self.value(statement.right, active)
            values = left * right + held
        target.store(at, values[everybody], self.items[everybody], self.group, self.time)

    def _folded(self, fold: Fold, active: Array) -> Array:
        """What all private elements of each item are together."""
        size = self.memory[fold.buffer].values.size // self.nest.items
        elements = []
        for element in range(size):
            at = read(fold.buffer, (number(element, INDEX_DTYPE),), self.nest.buffer(fold.buffer).dtype)
            elements.append(self._load(at, active))
        return np.asarray(_FOLDS[fold.kind].reduce(elements))

    def _transposed(self, buffers: tuple[str, ...], active: Array) -> None:
        count, items = len(buffers), np.flatnonzero(active)
        places = self.items[items, None] * count + np.arange(count)
        rows = [self.memory[name] for name in buffers]
        for row in rows:
            for item, each in zip(self.items[items], places, strict=True):
                row.load(each, np.full(count, item), self.group, self.time)
        found = np.array([row.values[places] for row in rows])
        for at, row in enumerate(rows):
            row.values[places] = found[:, :, at].T

    def _address(self, buffer: str, at: Array) -> Array:
        """Private memory lies item after item."""
        found = self.nest.buffer(buffer)
        if found.space != "private":
            return at
        size = self.memory[buffer].values.size // self.nest.items
        outside = _outside(at, size)
        if outside is not None:
            raise IllegalAccess(f"{buffer}[{outside}] is outside of {size} private elements")
        return self.items * size + at

    def value(self, node: Expr, active: Array) -> Array:
        """The value for each item; for those that are not active it is whatever."""
        if isinstance(node, Position):
            return self.indices[node.index]
        if isinstance(node, (Number, Attribute)):
            return self._number(node)
        if isinstance(node, Read):
            return self._load(node, active) if node.at else self.named[node.operand]
        assert isinstance(node, Apply), f"{node!r} is none of a loop nest"
        if node.function == "select":
            condition = self.value(node.children[0], active).astype(bool)
            if condition.all() or not condition.any():  # most often: what nobody asks for is not computed
                return self.value(node.children[1 if condition[0] else 2], active)
            first = self.value(node.children[1], active & condition)
            return np.where(condition, first, self.value(node.children[2], active & ~condition))
        if node.function in ("and", "or"):  # the second is not asked where the first decides
            first = self.value(node.children[0], active).astype(bool)
            asked = active & (first if node.function == "and" else ~first)
            second = self.value(node.children[1], asked).astype(bool)
            return first & second if node.function == "and" else first | second
        return applied(node, [self.value(each, active) for each in node.children])

    def _number(self, node: Number | Attribute) -> Array:
        if node not in self.full:
            given = self.numbers[node.name] if isinstance(node, Attribute) else node.value
            whole = isinstance(node, Number) and node.dtype == INDEX_DTYPE
            self.full[node] = np.full(self.nest.items, wrapped(int(given), node.dtype) if whole else given)
        return self.full[node]

    def _load(self, node: Read, active: Array) -> Array:
        if self.nest.items == 1 and active[0]:
            at = self._address(node.operand, self.value(node.at[0], active))
            return self.memory[node.operand].load(at, self.items, self.group, self.time)
        found = np.zeros(self.nest.items, self.memory[node.operand].values.dtype)
        if active.any():
            at = self._address(node.operand, np.where(active, self.value(node.at[0], active), 0))[active]
            found[active] = self.memory[node.operand].load(at, self.items[active], self.group, self.time)
        return found
