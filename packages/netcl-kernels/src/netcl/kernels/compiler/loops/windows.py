"""What the lanes of a diagonal keep in registers: elements of tensors that are read at several distances.

Outer step `first + lane` is at inner step `at - lane * skew`. So the element that a lane reads `across` outer steps and
`along` inner steps away is the one that the lane `across` further reads beside itself, at the time `along + across *
skew`: so many turns from now. Of what is read so far across a window is kept, of times that follow each other.

    head       its last time: from memory, an element for each lane; of a state, what was computed a turn ago. Where
               the window beside it (`across` is 0) has it, it is that of the neighbouring lane, and one element
    kept       the others: each was one time later a turn ago

`before` and `behind` are how many inner steps have to be there on both sides of the lanes, so that no reading leaves
the axis: what compares inner steps with its ends is `decided`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from netcl.kernels.compiler.ir import INDEX_DTYPE, Apply, Expr, Read, number, position, read, size, subexpressions
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.choices import conjunction, conjuncts
from netcl.kernels.compiler.ir.recurrences import Along
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.ir import Assume, Buffer, If, Let, Name, Statement, Store
from netcl.kernels.compiler.loops.lanes import in_step
from netcl.kernels.compiler.loops.positions import at_least, before, minus, plus, rest, times
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.values import Values
from netcl.kernels.compiler.lower.kernel import Write

_KEPT = ("float32", "float64")
"""What is computed with as it is stored."""

_LONGEST = 8
"""Times of a window: each is a register."""

Element = Callable[[Expr, Expr, Lanes, bool], Scope]
"""The scope of an outer and an inner step, which all lanes have, or `some`."""


@dataclass(eq=False)
class _Window:
    """Of a tensor, what is read so far `across`, by its times; `beside` has what its neighbouring lanes have."""

    across: int
    example: Read
    is_computed: bool = False
    reads: dict[int, Read] = field(default_factory=dict)
    times: range = range(0)
    beside: _Window | None = None
    buffers: dict[int, str] = field(default_factory=dict)

    @property
    def head(self) -> int:
        return self.times[-1]

    @property
    def kept(self) -> range:
        return self.times if self.is_computed else self.times[:-1]


class Windows:
    """The turns of two loops along diagonals, in which these writes are computed."""

    def __init__(
        self, values: Values, outer: Along, inner: Along, writes: Sequence[Write], width: int, scope: Scope,
        element: Element,
    ) -> None:  # fmt: skip
        self.values, self.outer, self.inner, self.scope, self.element = values, outer, inner, scope, element
        self.writes, self.width, self.skew = writes, width, outer.skew
        order = list(values.guards.in_order([write.expr for write in writes]))
        self.apart = {node: apart for node in order if isinstance(node, Read) and (apart := self._apart(node))}
        self.windows: list[_Window] = []
        for tensor in self._tensors():
            self.windows += self._of_tensor(tensor)
        along = [along for _, along in self.apart.values()]
        along += [self._along(each, time) for each in self.windows for time in each.times]
        self.before, self.behind = max(0, *(-each for each in along), 0), max(0, *along, 0)
        self.decided = self._decided(order)
        self.states = [window for write in writes for window in self._of(write)]
        self.passing = [write for write in writes if self._is_at_hand(write, order)]
        self.results: dict[str, Expr] = {}

    # --- what is read -------------------------------------------------------------------------------------------------

    def _apart(self, node: Read) -> tuple[int, int] | None:
        """How many outer and inner steps from an element the one is that is read; None where that is not so simple."""
        access = self.values.given.accesses[node.operand]
        found = dict(self.values.nest.distances.get(node.operand, ()))
        steps = (self.outer, self.inner)
        if any(each.index not in found or each.index not in access.strides for each in steps):
            return None
        across, along = (-found[each.index] if each.backward else found[each.index] for each in steps)
        others = (distance for index, distance in found.items() if index not in (self.outer.index, self.inner.index))
        return None if any(others) else (across, along)

    def _tensors(self) -> list[dict[int, _Window]]:
        """The windows of each tensor, by how far across they are."""
        states = {write.access.buffer: write.expr.dtype == write.access.dtype for write in self.writes}
        found: dict[object, dict[int, _Window]] = {}
        for node, (across, along) in self.apart.items():
            access = self.values.given.accesses[node.operand]
            time = along + across * self.skew
            is_state = access.buffer in states
            if access.dtype in _KEPT and states.get(access.buffer, True) and not (is_state and time >= 0):
                axes = (index for index, _ in self.values.nest.distances[node.operand])
                windows = found.setdefault((access.buffer, *axes), {})
                windows.setdefault(across, _Window(across, node, is_state and not across)).reads[time] = node
                if is_state:  # what a turn has computed is at hand, whoever reads it
                    windows.setdefault(0, _Window(0, node, True))
        return [*found.values()]

    def _of_tensor(self, windows: dict[int, _Window]) -> list[_Window]:
        """The windows that save reading, each behind the one that it takes its head from."""
        others = [window for across, window in windows.items() if across]
        for window in others:
            window.times = _every(window.reads)
        others = [window for window in others if len(window.times) <= _LONGEST]
        near = [window for window in others if abs(window.across) == 1]
        beside = windows.get(0)
        if beside is not None:
            computed = [-1] if beside.is_computed else []
            beside.times = _every([*beside.reads, *(each.head for each in near), *computed])
            if len(beside.times) <= _LONGEST and (near or len(beside.times) > 1 or (computed and beside.reads)):
                for each in near:
                    each.beside = beside
                return [beside, *(each for each in others if each.beside or len(each.times) > 1)]
        return [each for each in others if len(each.times) > 1]

    def _along(self, window: _Window, time: int) -> int:
        """How many inner steps away what a window has of a time is."""
        return time - window.across * self.skew

    # --- what is not stored -------------------------------------------------------------------------------------------

    def _is_at_hand(self, write: Write, order: Iterable[Expr]) -> bool:
        """Whether all that later turns read of a state is in windows, but for one lane's."""
        nodes = (node for node in order if isinstance(node, Read))
        reads = {node for node in nodes if self.values.given.accesses[node.operand].buffer == write.access.buffer}
        near = [each for each in self._of(write) if each.is_computed or each.across == -1]
        kept = {node for each in near for node in each.reads.values()}
        kept.update(node for node, apart in self.apart.items() if apart == (0, 0))
        return write.passing and any(each.is_computed for each in near) and reads <= kept

    def _of(self, write: Write) -> list[_Window]:
        """The windows of a state."""
        accesses = self.values.given.accesses
        return [each for each in self.windows if accesses[each.example.operand].buffer == write.access.buffer]

    # --- what is known of conditions ----------------------------------------------------------------------------------

    def _decided(self, order: Iterable[Expr]) -> dict[Expr, Expr]:
        """What conditions come to where no reading leaves the axis of the inner steps."""
        found: dict[Expr, Expr] = {}
        for node in order:
            if not isinstance(node, Apply):
                continue
            holds = self._holds(node)
            if holds is not None:
                found[node] = number(holds, "bool")
            elif node.function in ("and", "or") and any(each in found for each in node.children):
                parts = [found.get(each, each) for each in node.children]
                if not any(isinstance(each, Read) for each in subexpressions(*parts)):
                    found[node] = call(node.function, *parts)
        return found

    def _holds(self, node: Apply) -> bool | None:
        """Whether a comparison of inner steps holds for all of them; None where it depends, or is another one."""
        index = self.inner.index
        if node.function not in _COMPARED or node.children[0].dtype != INDEX_DTYPE or node.free != {index}:
            return None
        left, right = map(poly.polynomial, node.children)
        linear = poly.coefficient_of(poly.plus(right, left, -1), index)
        if linear is None or not set(linear[0]) <= {()}:
            return None
        slope, constant = linear
        first, last = (self.behind, self.before) if self.inner.backward else (self.before, self.behind)
        ends = poly.polynomial(number(first, INDEX_DTYPE)), poly.polynomial(minus(size(index), 1 + last))
        least, most = (poly.plus(poly.times(slope, end), constant) for end in ends)
        if slope.get((), 0) < 0:
            least, most = most, least
        return _COMPARED[node.function](least, most)

    # --- the turns ----------------------------------------------------------------------------------------------------

    def start(self, first: Expr) -> list[Statement]:
        """What is kept of states before the first turn of a strip, which is what strips before have left in memory:
        lanes that take what their neighbours have keep nothing, but for the first of them."""
        for window in self.windows:
            window.buffers = {time: self._buffer(window) for time in window.times}
        head, lane = (Lanes(self.values.fresh("lane"), self.width) for _ in range(2))
        begin, body = number(0, INDEX_DTYPE), list[Statement]()
        far = [each for each in self.states if not each.is_computed and each.beside is None]
        found = self._loads([(each, time) for each in far for time in each.kept], head, first, begin, True)
        for window in self.states:
            for time in window.kept if window not in far else ():
                value: Expr = number(0, self._dtype(window))
                if window.beside is not None and self._along(window, time) >= 0:
                    edge = self._edge(window, time, body, first, begin, True)
                    value = call("select", call("eq", position(lane.index), self._last(window)), edge, value)
                body.append(Store(window.buffers[time], position(lane.index), value))
        return [*found, in_step(lane, body)] if body else found

    def enter(self, first: Expr, at: Expr) -> list[Statement]:
        """What is kept of all else before the first turn in which all lanes have a step, `at` an inner step."""
        lane = Lanes(self.values.fresh("lane"), self.width)
        loads = [(each, time) for each in self.windows if each not in self.states for time in each.kept]
        return self._loads(loads, lane, first, at)

    def turn(self, first: Expr, at: Expr, some: bool = False) -> list[Statement]:
        """One turn, in which the lanes are `at` an inner step and behind it: all of them, or `some` that have such a
        step."""
        windows = self.states if some else self.windows
        names = (self.values.fresh("lane") for _ in range(3))
        head, shift, lane = (Lanes(name, self.width) for name in names)
        loaded = [(each, each.head) for each in windows if not each.is_computed and each.beside is None]
        found = self._loads(loaded, head, first, at, some)
        near = [each for each in windows if each.beside is not None]
        edges = [self._edge(each, each.head, found, first, at, some) for each in near]
        if near:
            moved = [self._shifted(each, edge, shift) for each, edge in zip(near, edges, strict=True)]
            found.append(in_step(shift, moved))
        here = self.element(plus(first, position(lane.index)), minus(at, self._late(lane)), lane, some)
        self.results = {}
        for write in self.writes:
            self._computed(write, here, lane, () if some else self.decided.items(), windows)
        here.statements += self._moved(windows, lane)
        passed = [each for write in self.passing for each in self._passed(write, first, at, some)]
        return [*found, in_step(lane, here.statements), *passed]

    def _passed(self, write: Write, first: Expr, at: Expr, some: bool) -> list[Statement]:
        """What the last lane has computed of a state is stored for the lanes that come behind."""
        window = next(each for each in self._of(write) if each.is_computed)
        given, body = self.values.given, list[Statement]()
        last = number(self.width - 1, INDEX_DTYPE)
        outer, outside = self._step(self.outer, plus(first, last), body, some)
        inner, beyond = self._step(self.inner, minus(at, times(last, self.skew)), body, some)
        binds = {
            self.outer.index: stepped(self.outer, outer, given.size(self.outer.index)),
            self.inner.index: stepped(self.inner, inner, given.size(self.inner.index)),
        }
        scope = Scope(self.scope, binds)
        places = {index: scope.place(index) for index in write.access.strides}
        value = read(window.buffers[window.head], (last,), self._dtype(window))
        return [*body, If(conjunction((*outside, *beyond)), (Store(*given.target(write, places), value),))]

    def _late(self, lane: Lanes) -> Expr:
        return times(position(lane.index), self.skew)

    def _buffer(self, window: _Window) -> str:
        name, lanes = f"own {self.values.fresh('window')}", number(self.width, INDEX_DTYPE)
        self.values.buffers.append(Buffer(name, self._dtype(window), "private", lanes))
        return name

    def _dtype(self, window: _Window) -> str:
        return window.example.dtype

    def _loads(
        self, loads: Sequence[tuple[_Window, int]], lane: Lanes, first: Expr, at: Expr, some: bool = False
    ) -> list[Statement]:
        """What some windows have of some times, from memory."""
        body: list[Statement] = []
        for window, time in loads:
            within = minus(at, self._late(lane))
            row = plus(first, position(lane.index))
            value = self._element(window, row, plus(within, self._along(window, time)), body, some)
            body.append(Store(window.buffers[time], position(lane.index), value))
        return [in_step(lane, body)] if loads else []

    def _edge(self, window: _Window, time: int, body: list[Statement], first: Expr, at: Expr, some: bool) -> Expr:
        """The one element of a time that no neighbouring lane has."""
        last = self._last(window)
        within = plus(minus(at, last * self.skew), self._along(window, time))
        edge = self.values.fresh("edge")
        body.append(Name(edge, self._element(window, plus(first, last), within, body, some)))
        return read(edge, (), self._dtype(window))

    def _last(self, window: _Window) -> int:
        """The lane that has no neighbour on that side."""
        return 0 if window.across < 0 else self.width - 1

    def _shifted(self, window: _Window, edge: Expr, lane: Lanes) -> Statement:
        """A head, from the neighbouring lanes and the edge."""
        assert window.beside is not None
        own = position(lane.index)
        next_lane = rest(plus(own, window.across % self.width), self.width)
        neighbour = read(window.beside.buffers[window.head], (next_lane,), self._dtype(window))
        value = call("select", call("eq", own, self._last(window)), edge, neighbour)
        return Store(window.buffers[window.head], own, value)

    def _step(
        self, along: Along, value: Expr, body: list[Statement], some: bool, further: int = 0
    ) -> tuple[Expr, list[Expr]]:
        """A step of one of the loops, under a name; with `some` one that there may not be, and what says that it and
        the one so much further are there."""
        length = self.values.given.size(along.index)
        if some:
            both = dict.fromkeys((value, plus(value, further)))
            return value, [held for at in both for held in (at_least(at, 0), before(at, length))]
        step = position(self.values.fresh("step"))
        body += [Let(step.index, value), Assume(before(step, length))]
        return step, []

    def _element(self, window: _Window, row: Expr, within: Expr, body: list[Statement], some: bool) -> Expr:
        """What is `window.across` further than an outer step, at an inner step; 0 where there is no such outer step,
        or with `some` no such inner one."""
        node = window.example
        given, (across, along) = self.values.given, self.apart[node]
        access = given.accesses[node.operand]
        step, outside = self._step(self.outer, row, body, some, window.across)
        inner, beyond = self._step(self.inner, within, body, some)
        scope = Scope(self.scope, {
            self.outer.index: stepped(self.outer, plus(step, window.across - across), given.size(self.outer.index)),
            self.inner.index: stepped(self.inner, minus(inner, along), given.size(self.inner.index)),
        })  # fmt: skip
        conditions = () if access.condition is None else conjuncts(access.condition)
        asked = conjunction(each for each in conditions if self.inner.index not in each.free)
        places = {index: scope.place(index) for index in {*access.strides, *asked.free}}
        held = [*outside, *beyond]
        if asked.children:
            held.append(given.expr(asked, places))
        condition = conjunction(held) if held else None
        return given.element(node, [places[index] for index in access.strides], condition)

    # --- the values of a turn -----------------------------------------------------------------------------------------

    def _computed(
        self, write: Write, here: Scope, lane: Lanes, decided: Iterable[tuple[Expr, Expr]], windows: Sequence[_Window]
    ) -> None:
        """One of the writes, from what is at hand."""
        values, buffer = self.values, write.access.buffer
        for node, holds in decided:
            here.values[node] = values.value(holds, here) if holds.children else holds
        for window in windows:
            for time, node in window.reads.items():
                here.values[node] = self._inside(node, self._own(window, time, lane), here)
        for node, apart in self.apart.items():
            known = self.results.get(values.given.accesses[node.operand].buffer)
            if known is not None and apart == (0, 0):
                here.values[node] = self._inside(node, known, here)
        value = values.named(values.value(write.expr, here), here)
        here.values[write.expr] = value
        if write not in self.passing:
            values.stored(write, here)
        values.changed(buffer, here)
        if write.expr.dtype == write.access.dtype:
            self.results[buffer] = value

    def _own(self, window: _Window, time: int, lane: Lanes) -> Expr:
        """What a lane has of a time."""
        return read(window.buffers[time], (position(lane.index),), self._dtype(window))

    def _inside(self, node: Read, value: Expr, here: Scope) -> Expr:
        """The value where the access has an element, else 0."""
        condition = self.values.guards.of(node)
        if condition is None:
            return value
        return call("select", self.values.value(condition, here), value, number(0, node.dtype))

    def _moved(self, windows: Sequence[_Window], lane: Lanes) -> list[Statement]:
        """What is kept, one time later."""
        found: list[Statement] = []
        for window in windows:
            for time in window.kept:
                last = window.is_computed and time == window.head
                buffer = self.values.given.accesses[window.example.operand].buffer
                value = self.results[buffer] if last else self._own(window, time + 1, lane)
                found.append(Store(window.buffers[time], position(lane.index), value))
        return found


def stepped(along: Along, step: Expr, length: Expr) -> Expr:
    """Where a step is along its index."""
    return minus(minus(length, 1), step) if along.backward else step


def _every(times: Iterable[int]) -> range:
    """All times between these."""
    found = {*times}
    return range(min(found), max(found) + 1)


def _known(holds: bool, fails: bool) -> bool | None:
    return True if holds else False if fails else None


def _over(terms: poly.Polynomial, bound: int) -> bool:
    """Whether a polynomial is at least so much."""
    return poly.at_least_zero(poly.plus(terms, poly.polynomial(number(bound, INDEX_DTYPE)), -1))


def _under(terms: poly.Polynomial, bound: int) -> bool:
    """Whether it is at most so much."""
    return poly.at_least_zero(poly.plus(poly.polynomial(number(bound, INDEX_DTYPE)), terms, -1))


_COMPARED: Mapping[str, Callable[[poly.Polynomial, poly.Polynomial], bool | None]] = {
    "lt": lambda least, most: _known(_over(least, 1), _under(most, 0)),
    "le": lambda least, most: _known(_over(least, 0), _under(most, -1)),
    "gt": lambda least, most: _known(_under(most, -1), _over(least, 0)),
    "ge": lambda least, most: _known(_under(most, 0), _over(least, 1)),
    "eq": lambda least, most: _known(False, _over(least, 1) or _under(most, -1)),
    "ne": lambda least, most: _known(_over(least, 1) or _under(most, -1), False),
}
"""What a comparison comes to, by the least and the most that its right side is above its left one."""
