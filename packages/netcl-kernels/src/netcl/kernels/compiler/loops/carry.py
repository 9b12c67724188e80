"""What a scan carries along a row: how it begins, how two stretches of a row make one, what it gives.

A stretch of a row is a tuple of parts, each an expression; that of one element is its leaf. `State.combined` is
associative, so that stretches may be brought together in any grouping, but in their order.

    sum, max, any, …    (the result,)
    argmax, argmin      (the best value, where it stood or -1)
    scan                (factor, value): h becomes factor * h + value; of floats also whether a factor is not finite

Products of many finite factors may overflow where nothing arrives that they would multiply: times 0 they are 0, unless
one of the factors is infinite or NaN itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from netcl.kernels.compiler.ir import FLOATS, HALVES, INDEX_DTYPE, Expr, number, position, read
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.accumulate import COMBINED, better, further, is_nan, neutral
from netcl.kernels.compiler.loops.ir import Buffer, If, Name, Statement, Store
from netcl.kernels.compiler.loops.scope import Lanes

Parts = tuple[Expr, ...]


def wide(dtype: str) -> str:
    """The dtype that values of this one are computed in."""
    return "float32" if dtype in HALVES else dtype


@dataclass(frozen=True)
class State:
    """One kind of scan, over bodies of `dtype`."""

    kind: str
    dtype: str

    @property
    def dtypes(self) -> tuple[str, ...]:
        """Of the parts of a stretch."""
        if self.kind == "scan":
            return (self.dtype, self.dtype, *(("bool",) if self.dtype in FLOATS else ()))
        return (self.dtype, INDEX_DTYPE) if self._is_arg else (self.dtype,)

    @property
    def bodies(self) -> int:
        """How many values an element has."""
        return 2 if self.kind == "scan" else 1

    @property
    def carried(self) -> tuple[int, ...]:
        """The parts of a stretch that what comes behind it needs, where nothing comes before it."""
        return (1,) if self.kind == "scan" else tuple(range(len(self.dtypes)))

    @property
    def start(self) -> Parts:
        """What is carried before the first element."""
        if self._is_arg:
            return number(0, self.dtype), number(-1, INDEX_DTYPE)
        if self.kind == "scan":
            return (number(0, self.dtype),)
        return (neutral(self.kind, self.dtype),)

    def leaf(self, values: Parts, place: Expr) -> Parts:
        """The stretch of one element."""
        if self._is_arg:
            return values[0], place
        if self.kind == "scan" and self.dtype in FLOATS:
            return (*values, call("not", call("isfinite", values[0])))
        return values

    def first(self, values: Parts, is_first: Expr) -> Parts:
        """The values of an element that may be the first: nothing arrives there, whatever its factor is."""
        if self.kind == "scan":
            return call("select", is_first, 0, values[0]), values[1]
        return values

    def combined(self, left: Parts, right: Parts) -> Parts:
        """Two stretches as one."""
        after = self.after(tuple(left[part] for part in self.carried), right)
        if self.kind != "scan":
            return after
        factor = call("mul", left[0], right[0])
        if self.dtype not in FLOATS:
            return factor, *after
        unsafe = call("or", left[2], right[2])
        nothing = call("or", call("eq", left[0], 0), call("eq", right[0], 0))
        return call("select", call("and", nothing, call("not", unsafe)), 0, factor), *after, unsafe

    def after(self, carried: Parts, stretch: Parts) -> Parts:
        """What is carried behind a stretch."""
        if self._is_arg:
            taken = self._replaces(carried, stretch)
            return tuple(call("select", taken, new, old) for new, old in zip(stretch, carried, strict=True))
        if self.kind == "scan":
            moved = call("add", call("mul", stretch[0], carried[0]), stretch[1])
            if self.dtype not in FLOATS:
                return (moved,)
            nothing = call("and", call("eq", carried[0], 0), call("not", stretch[2]))
            return (call("select", nothing, stretch[1], moved),)
        return (call(COMBINED[self.kind], carried[0], stretch[0]),)

    def next(self, carried: Parts, leaf: Parts) -> Parts:
        """What is carried behind one more element."""
        if self.kind == "scan":
            return (call("add", call("mul", leaf[0], carried[0]), leaf[1]),)
        return self.after(carried, leaf)

    def step(self, carried: Parts, values: Parts, is_first: Expr, place: Expr) -> Parts:
        """The same where elements are taken one after the other: the first of a scan is its own value alone."""
        if self.kind == "scan":
            return (call("select", is_first, values[1], *self.next(carried, values)),)
        return self.next(carried, values)

    def advance(self, carried: Carried, values: Parts, is_first: Expr, place: Expr) -> list[Statement]:
        """One more element of one after the other, into these variables."""
        return carried.become(self.step(carried.parts, values, is_first, place))

    def settled(self, carried: Parts) -> Parts | None:
        """What is carried, in its best form, where that is worth it after every so many elements."""
        return None

    def result(self, carried: Parts) -> Expr:
        return carried[-1]

    @property
    def _is_arg(self) -> bool:
        return self.kind.startswith("arg")

    def _replaces(self, old: Sequence[Expr], new: Sequence[Expr]) -> Expr:
        """Whether the new value is better; of equal ones the old one stays."""
        return call(
            "and", call("ge", new[1], 0), call("or", call("lt", old[1], 0), better(self.kind[3:], new[0], old[0]))
        )


@dataclass(frozen=True)
class Compensated(State):
    """A sum of floats one by one that carries what the additions round off, too."""

    @property
    def dtypes(self) -> tuple[str, ...]:
        return (self.dtype, self.dtype)

    @property
    def start(self) -> Parts:
        return (number(0, self.dtype),) * 2

    @property
    def carried(self) -> tuple[int, ...]:
        return (0, 1)

    def step(self, carried: Parts, values: Parts, is_first: Expr, place: Expr) -> Parts:
        total, rest = carried
        summed, lost = _added(total, values[0])
        return summed, call("add", rest, lost)

    def settled(self, carried: Parts) -> Parts:
        """A rest that grows would lose digits itself: it goes into the sum."""
        total, rest = carried
        known = call("isfinite", rest)
        summed, lost = _added(total, call("select", known, rest, 0))
        return summed, call("select", known, lost, rest)

    def result(self, carried: Parts) -> Expr:
        total, rest = carried
        return call("add", total, call("select", call("isfinite", rest), rest, 0))


def _added(one: Expr, other: Expr) -> Parts:
    """A sum, and what it rounds off (Knuth, 1969)."""
    summed = call("add", one, other)
    gained = call("sub", summed, one)
    return summed, call("add", call("sub", one, call("sub", summed, gained)), call("sub", other, gained))


@dataclass(frozen=True)
class Extreme(State):
    """The largest or smallest float so far, one by one, and whether there was a NaN."""

    @property
    def dtypes(self) -> tuple[str, ...]:
        return (self.dtype, "bool")

    @property
    def carried(self) -> tuple[int, ...]:
        return (0, 1)

    @property
    def start(self) -> Parts:
        return (*super().start, number(False, "bool"))

    def step(self, carried: Parts, values: Parts, is_first: Expr, place: Expr) -> Parts:
        return further(self.kind, carried[0], values[0]), call("or", carried[1], is_nan(values[0]))

    def result(self, carried: Parts) -> Expr:
        return call("select", carried[1], float("nan"), carried[0])


@dataclass(frozen=True)
class Place(State):
    """Where the extreme value is, one by one. The row begins at `begin`: there is what is no better than nothing."""

    begin: Expr

    @property
    def start(self) -> Parts:
        return neutral(self.kind[3:], self.dtype), self.begin

    def advance(self, carried: Carried, values: Parts, is_first: Expr, place: Expr) -> list[Statement]:
        best, at = carried.names
        replaced = better(self.kind[3:], values[0], carried.parts[0])
        if carried.lanes is None:
            return [If(replaced, (Store(best, carried.slot, values[0]), Store(at, carried.slot, place)))]
        met = read(f"{best} is met", (), "bool")
        new = (call("select", met, *each) for each in zip((values[0], place), carried.parts, strict=True))
        return [
            Name(met.operand, replaced),
            *(Store(each, carried.slot, part) for each, part in zip(carried.names, new, strict=True)),
        ]


def state_of(kind: str, dtype: str) -> State:
    """What a scan over bodies of this dtype carries."""
    return State(kind, wide(dtype))


def one_by_one(kind: str, dtype: str, first: Expr) -> State:
    """The same where elements are taken one after the other, from the place `first` on."""
    dtype = wide(dtype)
    if kind.startswith("arg"):
        return Place(kind, "int32" if dtype == "bool" else dtype, first)
    if dtype in FLOATS and kind in ("sum", "max", "min"):
        return (Compensated if kind == "sum" else Extreme)(kind, dtype)
    return State(kind, dtype)


class Carried:
    """Variables for what is carried, one of each for each lane where there are `lanes`."""

    def __init__(self, name: str, state: State, whole: bool = False, lanes: Lanes | None = None) -> None:
        self.lanes = lanes
        which = range(len(state.dtypes)) if whole else state.carried
        self.names = [f"{name} {at + 1}" for at in range(len(which))]
        self.dtypes = [state.dtypes[part] for part in which]
        self.slot = position(lanes.index) if lanes else number(0, INDEX_DTYPE)
        size = number(lanes.count if lanes else 1, INDEX_DTYPE)
        self.buffers = [
            Buffer(each, dtype, "private", size) for each, dtype in zip(self.names, self.dtypes, strict=True)
        ]

    @property
    def parts(self) -> Parts:
        return tuple(read(each, (self.slot,), dtype) for each, dtype in zip(self.names, self.dtypes, strict=True))

    def become(self, parts: Parts) -> list[Statement]:
        """All parts at once: each may be computed from what the others have been."""
        if len(self.names) == 1:
            return [Store(self.names[0], self.slot, parts[0])]
        names: list[Statement] = []
        stores: list[Statement] = []
        for each, part, dtype in zip(self.names, parts, self.dtypes, strict=True):
            if part.children:
                names.append(Name(f"next {each}", part))
                part = read(f"next {each}", (), dtype)
            stores.append(Store(each, self.slot, part))
        return [*names, *stores]
