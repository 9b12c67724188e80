"""Memory in the lanes of a vector: which elements they read and write, and how that is written in OpenCL C.

An address that moves by the same step from lane to lane is a base and that step: neighbours are one load or store, all
the same are one element, everything else is gathered and scattered lane by lane. What a condition guards is read where
the condition holds: as neighbours where it does for all lanes, else lane by lane.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import numpy as np

from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Apply,
    Attribute,
    Expr,
    Number,
    Position,
    Read,
    subexpressions,
)
from netcl.kernels.compiler.ir.evaluate import applied
from netcl.kernels.compiler.loops.ir import Loop, LoopNest, MultiplyAdd, Store, exprs, statements
from netcl.kernels.compiler.loops.positions import ONE, ZERO, minus, plus, times
from netcl.kernels.compiler.opencl import apart
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.lines import Lines
from netcl.kernels.compiler.opencl.names import Names
from netcl.kernels.compiler.opencl.types import LANES, Value, as_mask, computed, converted, literal

Named = dict[Expr, Value]


class Vectors(ABC):
    """What is written of a nest within its loops over lanes; `value` and `element` write the rest."""

    def __init__(self, nest: LoopNest, helpers: Helpers) -> None:
        self.nest, self.helpers = nest, helpers
        self.names = Names()
        self.buffers: dict[str, str] = {}
        self.named: dict[str, Value] = {}
        self.top: Lines = []
        self.lets: dict[str, Expr] = {}
        """The indices that are not the same for all lanes, and what they stand for."""
        self.lanes = 1
        """How many there are here."""
        self.indices_of_lanes = {
            each.index for each in statements(nest.body) if isinstance(each, Loop) and each.kind == "lanes"
        }
        self.variables = self._variables()
        """The private buffers that are variables, and how many lanes each has."""
        self._moves: dict[Expr, bool] = {}
        self._steps: dict[Expr, tuple[Expr, Expr] | None] = {}
        self._one = ""

    @abstractmethod
    def value(self, node: Expr, named: Mapping[Expr, Value]) -> Value:
        """An expression, of which these parts have names already."""

    @abstractmethod
    def element(self, buffer: str, at: str, dtype: str) -> str:
        """One element, where its address is `at`."""

    @abstractmethod
    def stored_element(self, buffer: str, at: str, value: Value) -> str:
        """The statement that stores one element."""

    @cached_property
    def _stored_to(self) -> frozenset[str]:
        """The buffers that are written here."""
        return frozenset(each.buffer for each in statements(self.nest.body) if isinstance(each, (Store, MultiplyAdd)))

    def _variables(self) -> dict[str, int]:
        """The private buffers of one element, or of one for each lane, and how many that are."""
        at: dict[str, set[Expr]] = {each.name: set() for each in self.nest.buffers if each.space == "private"}
        if not at:
            return {}
        every = list(statements(self.nest.body))
        for statement in every:
            if isinstance(statement, (Store, MultiplyAdd)) and statement.buffer in at:
                at[statement.buffer].add(statement.at)
        for node in subexpressions(*(expr for statement in every for expr in exprs(statement))):
            if isinstance(node, Read) and node.operand in at and node.at:
                at[node.operand].add(node.at[0])
        found = {}
        for each in self.nest.buffers:
            if each.name in at and each.size is ONE:
                found[each.name] = 1
            elif each.name in at and isinstance(each.size, Number) and self._are_lanes(at[each.name]):
                found[each.name] = int(each.size.value)
        return found

    def _are_lanes(self, every: Collection[Expr]) -> bool:
        """Whether these are lanes, of which some may be told by their number."""
        lanes = [at for at in every if not isinstance(at, Number)]
        return bool(lanes) and all(map(self._is_lane, lanes))

    def _is_lane(self, at: Expr) -> bool:
        """Whether it is a lane: that of each, or another one."""
        parts = [*subexpressions(at)]
        indices = {each.index for each in parts if isinstance(each, Position)}
        known = all(isinstance(each, (Apply, Number, Position)) for each in parts)
        return known and bool(indices) and indices <= self.indices_of_lanes

    def variable(self, node: Read) -> Value:
        """A private buffer that is a variable, or what other lanes of it have."""
        lanes, (at,) = self.variables[node.operand], node.at
        found = Value(self.buffers[node.operand], node.dtype, lanes, atom=True)
        if lanes == 1 or isinstance(at, Position):
            return found
        if isinstance(at, Number):
            return Value(f"{found.text}.s{int(at.value):x}", node.dtype)
        return _in_lanes(found, self._order(at, lanes))

    # --- what moves from lane to lane -------------------------------------------------------------------------------

    def moves(self, node: Expr) -> bool:
        """Whether it may be something else in each lane."""
        found = self._moves.get(node)
        if found is None:
            if isinstance(node, Position):
                return node.index in self.indices_of_lanes or node.index in self.lets
            if isinstance(node, Read) and not node.at:
                return self.named[node.operand].lanes > 1
            if isinstance(node, Read) and node.operand in self.variables:
                return self.variables[node.operand] > 1 and not isinstance(node.at[0], Number)
            found = self._moves[node] = any(self.moves(child) for child in node.children)
        return found

    def steps(self, node: Expr) -> tuple[Expr, Expr] | None:
        """Its value in the first lane, and the step from each lane to the next; None if that is not always the same."""
        if not self.moves(node):
            return node, ZERO
        if node not in self._steps:
            self._steps[node] = self._found_steps(node)
        return self._steps[node]

    def _found_steps(self, node: Expr) -> tuple[Expr, Expr] | None:
        if isinstance(node, Position):
            return self.steps(self.lets[node.index]) if node.index in self.lets else (ZERO, ONE)
        if isinstance(node, Apply) and node.function in ("add", "sub", "mul"):
            left, right = (self.steps(child) for child in node.children)
            if left is None or right is None:
                return None
            if node.function != "mul":
                combined = plus if node.function == "add" else minus
                return combined(left[0], right[0]), combined(left[1], right[1])
            if not isinstance(left[1], Number) or left[1].value:
                left, right = right, left
            return None if self.moves(node.children[0]) and self.moves(node.children[1]) else (
                times(left[0], right[0]), times(left[0], right[1])
            )  # fmt: skip
        return None

    # --- loads ------------------------------------------------------------------------------------------------------

    def guarded(self, order: Sequence[Expr]) -> Counter[Expr]:
        """How often each element is read under a condition that is not the same for all lanes."""
        return Counter(node.children[1] for node in order if self.lanes > 1 and self._is_guarded(node))

    def loaded(self, node: Expr, alone: bool, named: Named) -> Lines:
        """A name for what is more than an expression: an element with a condition, or one that is no neighbour, unless
        it is read under conditions `alone`."""
        if self.lanes == 1:
            return []
        if self._is_guarded(node):
            return self._guarded(node, named)
        if alone or not (isinstance(node, Read) and node.at and node.operand not in self.variables):
            return []
        if not self.moves(node.at[0]):
            return []
        found = self.steps(node.at[0])
        together = found[1] is ONE if found is not None else self._turned(node.at[0]) is not None
        if together:
            return []
        return [self._name(node, f"{self._of_lanes(node, named)};", named)]

    def is_simple(self, order: Sequence[Expr]) -> bool:
        """Whether none of these is an element of memory: `loaded` has nothing to say of them."""
        return not any(isinstance(node, Read) and node.at and node.operand not in self.variables for node in order)

    def _is_global(self, node: Read) -> bool:
        return self.nest.buffer(node.operand).space == "global"

    def _is_guarded(self, node: Expr) -> bool:
        """Whether it is an element that is read under a condition, and not the same for all lanes."""
        if not (isinstance(node, Apply) and node.function == "select"):
            return False
        condition, read, other = node.children
        is_read = isinstance(read, Read) and bool(read.at) and self._is_global(read) and isinstance(other, Number)
        return is_read and (self.moves(condition) or self.moves(read))

    def neighbours(self, node: Read, named: Mapping[Expr, Value]) -> Value:
        """One element for each lane, beside each other, in whatever order."""
        found = self.steps(node.at[0])
        if found is not None:
            return self._load(node, self.value(found[0], named).bare)
        turned = self._turned(node.at[0])
        assert turned is not None, f"{self.nest.name}: the lanes of {node.operand} are nowhere"
        base, order = turned
        return _in_lanes(self._load(node, self.value(base, named).bare), order)

    def _turned(self, at: Expr) -> tuple[Expr, list[int]] | None:
        """Where as many neighbours begin as there are lanes, and which of them each lane has: of a sum of what is the
        same in all lanes, and of what their numbers alone make."""
        if not (isinstance(at, Apply) and at.function == "add"):
            return None
        for base, moving in (at.children, at.children[::-1]):
            order = [] if self.moves(base) else self._order(moving, self.lanes)
            if sorted(order) == [*range(self.lanes)]:
                return base, order
        return None

    def _order(self, node: Expr, lanes: int) -> list[int]:
        """What an expression of the number of a lane is in each of them; nothing if it is of anything else."""
        found = [self._in_lane(node, lane) for lane in range(lanes)]
        return [each for each in found if each is not None]

    def _in_lane(self, node: Expr, lane: int) -> int | None:
        """What an expression of the number of a lane is in one; None if it is of anything else."""
        if isinstance(node, Number):
            return int(node.value)
        if isinstance(node, Position):
            return lane if node.index in self.indices_of_lanes else None
        found = [self._in_lane(child, lane) for child in node.children]
        if not isinstance(node, Apply) or None in found:
            return None
        return int(applied(node, [np.array(each) for each in found]))

    def _load(self, node: Read, base: str) -> Value:
        space = self.nest.buffer(node.operand).space
        text = self.helpers.load(node.dtype, f"{self.buffers[node.operand]} + {base}", self.lanes, space)
        mask = node.dtype == "bool" and self.lanes == LANES
        return Value(f"convert_int{LANES}({text} != (uchar)0)" if mask else text, node.dtype, self.lanes)

    def _name(self, node: Expr, text: str, named: Named, kind: str = "const ") -> str:
        name = self.names.own("value")
        named[node] = Value(name, node.dtype, self.lanes, atom=True)
        return f"{kind}{computed(node.dtype, self.lanes)} {name} = {text}"

    def _split(self, at: Expr) -> tuple[tuple[Expr, Expr], Expr | None]:
        """An address as what moves by the same step from lane to lane, and what is added to that."""
        found = self.steps(at)
        if found is not None:
            return found, None
        if not (isinstance(at, Apply) and at.function == "add"):
            return (ZERO, ZERO), at
        ((first, step), behind), ((begin, apart), beside) = map(self._split, at.children)
        others = [each for each in (behind, beside) if each is not None]
        return (plus(first, begin), plus(step, apart)), functools.reduce(plus, others)

    def _of_lanes(self, node: Read, named: Mapping[Expr, Value], guard: str = "", outside: str = "") -> str:
        """One element for each lane, wherever they are; what is `outside` in lanes without the guard."""
        (first, step), others = self._split(node.at[0])
        start = self.buffers[node.operand]
        if first is not ZERO:
            start += f" + {self.value(first, named).bare}"
        if others is None:
            places = self.value(step, named).bare
        else:
            places = self.value(others, named).bare
            if step is not ZERO:
                lanes = ", ".join(map(str, range(self.lanes)))
                places += f" + {self.value(step, named).text} * (long{self.lanes})({lanes})"
        return self._apart(node, others is not None, [start, places, *([guard, outside] if guard else [])])

    def _apart(self, node: Read, gathered: bool, arguments: Sequence[str]) -> str:
        space = self.nest.buffer(node.operand).space
        guarded = len(arguments) > 2
        name = apart.loaded(self.helpers, node.dtype, self.lanes, space, gathered=gathered, guarded=guarded)
        return f"{name}({', '.join(arguments)})"

    def _guarded(self, node: Expr, named: Named) -> Lines:
        condition, read, other = node.children
        assert isinstance(read, Read)
        assert isinstance(other, Number)
        guard, outside = self.value(condition, named), literal(other.value, other.dtype)
        lines: Lines = []
        if not guard.atom:
            name = self.names.own("inside")
            lines.append(f"const {computed('bool', guard.lanes)} {name} = {guard.bare};")
            guard = Value(name, "bool", guard.lanes, atom=True)
        every, some = (
            f"{self.helpers.name(fold, 'bool', self.lanes)}({guard.text})" for fold in ("fold_all", "fold_any")
        )
        if not self.moves(read):
            same = converted(self.value(read, named), read.dtype, self.lanes)
            lines.append(self._name(node, f"{outside};", named, kind=""))
            name = named[node].text
            return [*lines, f"if ({some}) {name} = {as_mask(guard, read.dtype)} ? {same.text} : {name};"]
        if guard.lanes == LANES and read.operand not in self._stored_to and not self._is_together(read.at[0]):
            return [*lines, *self._gathered(node, read, guard, outside, some, named)]
        found = self.steps(read.at[0])
        together = ""
        if found is not None and found[1] is ONE:
            together = self._load(read, self.value(found[0], named).bare).bare
        if guard.lanes == 1:
            together = together or self._of_lanes(read, named)
            lines.append(self._name(node, f"{outside};", named, kind=""))
            return [*lines, f"if ({guard.text}) {named[node].text} = {together};"]
        by_lane = self._of_lanes(read, named, guard.text, outside)
        if not together:
            return [*lines, self._name(node, f"{by_lane};", named)]
        lines.append(self._name(node, f"{outside};", named, kind=""))
        name = named[node].text
        return [*lines, f"if ({every}) {name} = {together};", f"else if ({some}) {name} = {by_lane};"]

    def _is_together(self, at: Expr) -> bool:
        found = self.steps(at)
        return found is not None and found[1] is ONE

    def _gathered(self, node: Expr, read: Read, guard: Value, outside: str, some: str, named: Named) -> Lines:
        """Elements of a buffer that nobody writes: lanes without one read the first, which is there if any is."""
        place, name = self.names.own("at"), self.names.own("value")
        at = f"{as_mask(guard, INDEX_DTYPE)} ? {self.value(read.at[0], named).text} : (long{self.lanes})(0L)"
        elements = self._apart(read, True, [self.buffers[read.operand], place])
        named[node] = Value(name, node.dtype, self.lanes, atom=True)
        return [
            f"{computed(node.dtype, self.lanes)} {name} = {outside};",
            f"if ({some}) {{",
            [
                f"const long{self.lanes} {place} = {at};",
                f"{name} = {as_mask(guard, read.dtype)} ? {elements} : {name};",
            ],
            "}",
        ]

    # --- stores -----------------------------------------------------------------------------------------------------

    def stores(self, store: Store, value: Value, named: Named) -> Lines:
        """An element for each lane."""
        buffer, name = self.nest.buffer(store.buffer), self.buffers[store.buffer]
        if store.buffer in self.variables:
            return [f"{name} = {converted(value, buffer.dtype, self.variables[store.buffer]).bare};"]
        if not self.moves(store.at):
            assert value.lanes == 1, f"{self.nest.name}: all lanes of {buffer.name} store one element"
            return [self.stored_element(store.buffer, self.value(store.at, named).bare, value)]
        found = self.steps(store.at)
        value = converted(value, buffer.dtype, self.lanes)
        if found is None:
            turned = self._turned(store.at)
            assert turned is not None, f"{self.nest.name}: the lanes of {buffer.name} are nowhere"
            value = _in_lanes(value, [turned[1].index(lane) for lane in range(self.lanes)])
            found = turned[0], ONE
        if found[1] is ONE:
            text = value.bare
            if buffer.dtype == "bool" and self.lanes == LANES:
                text = f"convert_uchar{LANES}({value.text} & {self._number_one(store)})"
            base = self.value(found[0], named).bare
            return [self.helpers.store(buffer.dtype, text, f"{name} + {base}", self.lanes, buffer.space)]
        function = apart.stored(self.helpers, buffer.dtype, self.lanes, buffer.space)
        base, step = (self.value(each, named).bare for each in found)
        return [f"{function}({value.bare}, {name} + {base}, {step});"]

    def stores_where(self, store: Store, where: Value, value: Value, named: Named) -> Lines:
        """An element for each lane for which a condition holds: together where it does for all."""
        assert where.lanes == LANES, f"{self.nest.name}: some lanes of a word store"
        buffer, name = self.nest.buffer(store.buffer), self.buffers[store.buffer]
        value = converted(value, buffer.dtype, LANES)
        mask = self.names.own("inside")
        found: Lines = [f"const {computed('bool', LANES)} {mask} = {where.bare};"]
        if store.buffer in self.variables:
            there = as_mask(Value(mask, "bool", LANES, atom=True), buffer.dtype)
            return [*found, f"{name} = {there} ? {value.text} : {name};"]
        steps = self.steps(store.at)
        assert steps is not None, f"{self.nest.name}: the lanes of {buffer.name} are nowhere"
        base, step = (self.value(each, named) for each in steps)
        some = self.helpers.store_where(buffer.dtype, value.text, mask, f"{name} + {base.bare}", step.bare)
        if steps[1] is not ONE:
            return [*found, some]
        every = f"{self.helpers.name('fold_all', 'bool', LANES)}({mask})"
        return [*found, f"if ({every}) {{", self.stores(store, value, named), f"}} else {some}"]

    def _number_one(self, store: Store) -> str:
        """The number that turns a mask into a bool, under a name: a literal becomes a masked read from memory, which
        takes hundreds of cycles on some CPUs where no lane is set."""
        if not self._one:
            offset = next(
                each
                for each in subexpressions(store.at)
                if isinstance(each, Attribute) and each.name.startswith("offset ")
            )
            self._one = self.names.own("one")
            self.top.append(f"const int {self._one} = {self.value(offset, {}).text} >= 0;")
        return self._one


def _in_lanes(value: Value, order: Sequence[int]) -> Value:
    """A vector of which each lane is another one of these."""
    return Value(f"{value.text}.s{''.join(f'{lane:x}' for lane in order)}", value.dtype, value.lanes)
