"""In which order the elements of a recurrence can be computed, so that all that one reads is there.

Each reading of a state is compared with the element that reads it, along every index that both states have: it is a
place before, the same one, or one behind. Conditions around a reading count: in `i > k ? r[k] : 0` it looks back.

States that need each other, in a circle, go step by step along an index that all of them have, forward or backward,
such that no reading looks ahead along it; the readings that look back are settled then. What is left is read in the
same step. It makes circles of fewer states, and so on, until there is none: a state then has all its elements at once.
"""

from __future__ import annotations

import graphlib
import itertools
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from netcl.core.bounded import remembered
from netcl.core.errors import NetclError
from netcl.core.weak import WeakKeys
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.binding import rebuilt
from netcl.kernels.compiler.ir.choices import alternatives, conjuncts
from netcl.kernels.compiler.ir.construct import number, position, read, recurrence, transform
from netcl.kernels.compiler.ir.inequalities import most_of, says_of_places
from netcl.kernels.compiler.ir.nodes import (
    Apply,
    Axes,
    Enclosed,
    Expr,
    Read,
    Recurrence,
    binds,
    new_label,
    state_name,
    subexpressions,
)
from netcl.kernels.compiler.ir.plain import expanded
from netcl.kernels.compiler.ir.simplify import call


@dataclass(frozen=True)
class Along:
    """Steps along an index, perhaps backward. In each, one after the other: the elements that a state has there, or
    more steps. Where there are some along one other index, `skew` of 1 or more says that all may be computed element by
    element along it, and each of the outer steps may begin so many elements after the one before it: what it reads is
    there."""

    index: str
    backward: bool
    inside: tuple[int | Along, ...]
    skew: int = 0


@dataclass(frozen=True)
class Order:
    """What is computed one after the other. Along the indices `apart` no element depends on another one. `axes` are
    those of the states."""

    inside: tuple[int | Along, ...]
    apart: tuple[str, ...]
    axes: Axes

    @property
    def along(self) -> frozenset[str]:
        """The indices of all steps."""
        return frozenset(each.index for each in _all(self.inside) if isinstance(each, Along))

    @property
    def states(self) -> tuple[int, ...]:
        """The states in order."""
        return states_of(self.inside)


def states_of(inside: Iterable[int | Along]) -> tuple[int, ...]:
    """The states that are computed in these, in order."""
    return tuple(each for each in _all(inside) if isinstance(each, int))


def _all(inside: Iterable[int | Along]) -> Iterator[int | Along]:
    for each in inside:
        yield each
        if isinstance(each, Along):
            yield from _all(each.inside)


class NoOrder(NetclError):
    """No order was found; `reading` is one that may need what is not there yet, `name` what a person calls what it
    reads."""

    def __init__(self, reading: Read, name: str) -> None:
        super().__init__(
            f"no order of steps was found in which all that is read is there: an element of {name} may be read before "
            "it is computed; say in a condition of the formula what is before what, as in s < t ? h[s] : 0"
        )
        self.reading = reading


@dataclass(frozen=True)
class _Reading:
    """State `reader` reads state `of`. Of `ends`, by index, the least and the largest distance from the element that
    is computed to the one that is read; None is unknown."""

    node: Read
    reader: int
    of: int
    ends: Mapping[str, tuple[int | None, int | None]]

    def is_same(self, index: str) -> bool:
        return self.ends[index] == (0, 0)

    def looks(self, index: str, backward: bool) -> int | None:
        """At most so far ahead, along an index that is gone through in this direction; None may be any."""
        least, most = self.ends[index]
        return (None if least is None else -least) if backward else most


_orders: WeakKeys[Expr, Order] = WeakKeys()


def order_of(node: Recurrence) -> Order:
    """The order for the system of `node`. Raises NoOrder."""
    if node not in _orders:
        _orders[node] = _found(node)
    return _orders[node]


def _found(node: Recurrence) -> Order:
    readings = list(_readings(node))
    common = _common(node, range(len(node.axes)))
    apart = tuple(index for index in common if all(each.is_same(index) for each in readings))
    return Order(_in_order(node, range(len(node.axes)), readings, apart), apart, node.axes)


def _in_order(
    node: Recurrence, states: Collection[int], readings: Sequence[_Reading], used: tuple[str, ...]
) -> tuple[int | Along, ...]:
    """What is computed one after the other, of states for which these readings count, along none of the `used`."""
    found: list[int | Along] = []
    for circle in _circles(states, readings):
        within = [each for each in readings if {each.reader, each.of} <= circle]
        if not within:
            found += circle
            continue
        index, backward = _next(node, within, [each for each in _common(node, circle) if each not in used])
        left = [each for each in within if not _is_before(each, index, backward)]
        inside = _in_order(node, circle, left, (*used, index))
        found.append(Along(index, backward, inside, _skew(within, index, backward, inside)))
    return tuple(found)


_MOST_SKEW = 4
"""Of an axis, so many times as many elements as steps go together are computed one by one."""


def _skew(readings: Iterable[_Reading], index: str, backward: bool, inside: Sequence[int | Along]) -> int:
    """See `Along`; 0 where nothing says that there is one."""
    steps = [each for each in inside if isinstance(each, Along)]
    if len(steps) != 1 or any(isinstance(each, Along) for each in steps[0].inside):
        return 0
    inner, skew = steps[0], 1
    for each in readings:
        if inner.index not in each.ends:
            return 0
        if each.is_same(index) and each.is_same(inner.index):
            continue
        ahead, within = each.looks(index, backward), each.looks(inner.index, inner.backward)
        if ahead is None or within is None or (ahead == 0 and within >= 0):
            return 0
        if ahead < 0:
            skew = max(skew, -((-1 - within) // -ahead))
    return skew if skew <= _MOST_SKEW else 0


def _circles(states: Collection[int], readings: Iterable[_Reading]) -> list[set[int]]:
    """The states in sets: those that need each other together, what others read before them."""
    needs = {state: {state} for state in states}
    pairs = {(each.reader, each.of) for each in readings}
    for _ in states:
        for reader, of in sorted(pairs):
            needs[reader] |= needs[of]
    circles = {state: min(each for each in needs[state] if state in needs[each]) for state in states}
    sorter: graphlib.TopologicalSorter[int] = graphlib.TopologicalSorter()
    for state in states:
        sorter.add(circles[state], *sorted({circles[each] for each in needs[state]} - {circles[state]}))
    return [{state for state in states if circles[state] == first} for first in sorter.static_order()]


def _common(node: Recurrence, states: Collection[int]) -> list[str]:
    """The indices that all of these states have."""
    first, *others = sorted(states)
    return [index for index in node.axes[first] if all(index in node.axes[each] for each in others)]


def _next(node: Recurrence, readings: Sequence[_Reading], indices: Sequence[str]) -> tuple[str, bool]:
    """The index, and whether backward, along which none of the readings looks ahead and most look back. Raises
    NoOrder."""
    best: tuple[str, bool] | None = None
    most = 0
    for index, backward in itertools.product(indices, (False, True)):
        ahead = [each.looks(index, backward) for each in readings]
        if any(each is None or each > 0 for each in ahead):
            continue
        back = sum(each is not None and each < 0 for each in ahead)
        if back > most:
            best, most = (index, backward), back
    if best is None:

        def against(each: _Reading) -> tuple[int, bool]:
            ahead = [each.looks(*way) for way in itertools.product(indices, (False, True))]
            return sum(found is None or found > 0 for found in ahead), each.of == each.reader

        worst = max(readings, key=against)
        raise NoOrder(worst.node, node.names[worst.of])
    return best


def _is_before(reading: _Reading, index: str, backward: bool) -> bool:
    found = reading.looks(index, backward)
    return found is not None and found < 0


def _readings(node: Recurrence) -> Iterator[_Reading]:
    names = {state_name(node.label, which): which for which in range(len(node.axes))}
    for reader, body in enumerate(node.bodies):
        for found, facts in conditional_readings(body, names):
            of = names[found.operand]
            ends = {}
            for index in _common(node, {reader, of}):
                apart = poly.plus(
                    poly.polynomial(found.at[node.axes[of].index(index)]), poly.polynomial(position(index)), -1
                )
                most, least = most_of(apart, facts), most_of(poly.plus({}, apart, -1), facts)
                ends[index] = (None if least is None else -least, most)
            yield _Reading(found, reader, of, ends)


def conditional_readings(body: Expr, names: Container[str]) -> Iterator[tuple[Read, tuple[Expr, ...]]]:
    """The readings of these names, each with the conditions under which it counts. A condition that compares no
    integers, and so says nothing of places, stands there as `true`."""
    reading: set[Expr] = set()
    for node in subexpressions(body):
        if (isinstance(node, Read) and node.operand in names) or not reading.isdisjoint(node.children):
            reading.add(node)
    waiting: list[tuple[Expr, tuple[Expr, ...]]] = [(body, ())]
    seen: set[tuple[Expr, tuple[Expr, ...]]] = set()
    while waiting:
        node, facts = waiting.pop()
        if node not in reading or (node, facts) in seen:
            continue
        seen.add((node, facts))
        if isinstance(node, Read) and node.operand in names:
            yield node, facts
        if isinstance(node, Apply) and node.function == "select":
            condition, first, second = node.children
            waiting.append((condition, facts))
            waiting.append((first, _with(facts, condition)))
            waiting.append((second, _with(facts, call("not", condition))))
            continue
        kept = tuple(fact for fact in facts if fact.free.isdisjoint(binds(node)))
        children = node.at if isinstance(node, Recurrence) else node.children
        waiting += ((child, kept if isinstance(node, Enclosed) or binds(node) else facts) for child in children)


def _with(facts: tuple[Expr, ...], condition: Expr) -> tuple[Expr, ...]:
    held: list[Expr] = []
    for each in conjuncts(condition):
        is_not = isinstance(each, Apply) and each.function == "not"
        held += alternatives(each.children[0]) if is_not else (each,)
    new = (each if says_of_places(each) else number(True, "bool") for each in held)
    return tuple(dict.fromkeys((*facts, *new)))


# --- states as values -------------------------------------------------------------------------------------------------


System = tuple[int, tuple[Expr, ...]]
"""What the states of one system have in common."""


def system_of(node: Recurrence) -> System:
    return node.label, node.bodies


class StatesAsValues:
    """Gives an expression with the states of these systems that are read in it as the values that they have. So is what
    an equation says of one, where it stands as it does there. What several expressions share is visited once."""

    def __init__(self, nodes: Iterable[Recurrence] = ()) -> None:
        self._changes: list[Callable[[Expr], Expr]] = []
        for node in nodes:
            self.add(node)

    def add(self, node: Recurrence) -> None:
        """Have the states of this system be values, too."""
        whole = [(body, which) for which, body in enumerate(node.bodies) if body.free >= {*node.axes[which]}]
        equations = {body: which for body, which in whole if body.children}
        memo: dict[Expr, Expr] = {}

        def visit(each: Expr, new: Expr) -> Expr:
            if each in equations:
                which = equations[each]
                return element(node, which, tuple(map(position, node.axes[which])))
            of = state_of(each, node)
            return new if of is None else element(node, of, new.children[: len(node.axes[of])])

        self._changes.append(lambda expr: replaced(expr, node.label, visit, memo))

    def __call__(self, expr: Expr) -> Expr:
        for change in self._changes:
            expr = change(expr)
        return expr


def state_of(each: Expr, node: Recurrence) -> int | None:
    """Which state of the system of `node` is read, if one is."""
    if not isinstance(each, Read):
        return None
    names = [state_name(node.label, which) for which in range(len(node.axes))]
    return names.index(each.operand) if each.operand in names else None


def element(node: Recurrence, which: int, at: tuple[Expr, ...]) -> Expr:
    return recurrence(node.label, node.names, node.axes, which, at, node.bodies)


def replaced(expr: Expr, label: int, visit: Callable[[Expr, Expr], Expr], memo: dict[Expr, Expr] | None = None) -> Expr:
    """`expr` with what `visit` puts for each node, given the same over new children. What the recurrence `label` binds
    stays as it is. What is in `memo` is not visited again."""
    memo = {} if memo is None else memo
    stack = [expr]
    while stack:
        node = stack[-1]
        bound = isinstance(node, Recurrence) and node.label == label
        below = node.at if isinstance(node, Recurrence) and bound else node.children
        waiting = [child for child in below if child not in memo]
        if waiting and node not in memo:
            stack += waiting
            continue
        stack.pop()
        children = tuple(memo[child] for child in below)
        new = rebuilt(node, (*children, *node.children[len(below) :]))
        if isinstance(new, Recurrence) and isinstance(node, Recurrence) and new.bodies != node.bodies:
            new = with_own_label(new)
        memo[node] = visit(node, new)
    return memo[expr]


# --- labels -----------------------------------------------------------------------------------------------------------


def with_own_label(node: Recurrence) -> Expr:
    """`node` by the label of its equations."""
    label, bodies = _labelled(node.label, len(node.axes), node.bodies)
    return recurrence(label, node.names, node.axes, node.which, node.at, bodies)


@remembered("systems by their labels", 4096)
def _labelled(old: int, count: int, bodies: tuple[Expr, ...]) -> tuple[int, tuple[Expr, ...]]:
    label = _label(old, tuple(map(_value, bodies)))
    names = {state_name(old, which): state_name(label, which) for which in range(count)}

    def visit(each: Expr, new: Expr) -> Expr:
        if isinstance(each, Read) and each.operand in names:
            return read(names[each.operand], new.children, each.dtype)
        return new

    memo: dict[Expr, Expr] = {}
    return label, tuple(replaced(body, old, visit, memo) for body in bodies)


@remembered("labels of systems", 4096)
def _label(old: int, values: tuple[Expr, ...]) -> int:
    """One for all systems that had this label and have these values."""
    return new_label()


def _value(body: Expr) -> Expr:
    """What is computed: nothing of what a derivative asks for."""

    def visit(node: Expr, children: tuple[Expr, ...]) -> Expr:
        is_mark = isinstance(node, Apply) and node.function in ("detach", "named")
        return children[0] if is_mark else rebuilt(node, children)

    return transform(expanded(body), visit)
