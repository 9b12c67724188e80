"""What a Reduce accumulates in private memory: how it begins, takes one value, ends, and joins what others have.

Each is one or two numbers, its `parts`, whose results depend on no order but that of the values; sums of floats are
added in an order that depends on sizes alone. Long ones are taken in runs, whose totals go into a pair (sum, rest) that
keeps what the addition rounds off. There may be several side by side, as for a few columns or for the lanes of a
vector: `at` says which one is meant, `fold_into` brings the lanes together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING

from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    Apply,
    Expr,
    Position,
    Reduce,
    apply,
    number,
    read,
)
from netcl.kernels.compiler.ir.interval import RANGES
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.ir import Buffer, Fold, If, Loop, MultiplyAdd, Name, Statement, Store
from netcl.kernels.compiler.lower.reductions import worst

if TYPE_CHECKING:
    from typing_extensions import Self

Fresh = Callable[[str], str]
"""A new name that begins with this word."""

COMBINED = {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum", "any": "or", "all": "and"}
"""The function that makes one of two results of a kind."""

_START = {"sum": 0, "prod": 1, "any": False, "all": True}
_ZERO = number(0, INDEX_DTYPE)
_NOWHERE = RANGES[INDEX_DTYPE][1]


class Accumulator:
    """A plain one: a short sum, a product, an extreme value, any, all."""

    blocked = False
    """Whether it takes values in runs."""
    fused = False
    """Whether a product is added to a sum with one rounding."""

    def __init__(self, kind: str, dtype: str, fresh: Fresh, count: int = 1) -> None:
        self.kind, self.dtype, self.fresh, self.count = kind, dtype, fresh, count
        self.buffers: list[Buffer] = []
        self.slot: Expr = _ZERO
        self._declare()

    def _declare(self) -> None:
        """Make the variables."""
        self._total = self._private("total", self.dtype)

    def at(self, slot: Expr) -> Accumulator:
        """The same of another one of those that are side by side."""
        found = copy(self)
        found.slot = slot
        return found

    @property
    def total(self) -> Expr:
        return self._variable(self._total)

    def start(self) -> list[Statement]:
        """Before the first value."""
        return [self._store(self.total, neutral(self.kind, self.dtype))]

    def enter(self) -> list[Statement]:
        """Before each run."""
        return []

    def take(self, value: Expr, place: Expr) -> list[Statement]:
        """One value; `place` is its flat position."""
        return [self._taken(self._total, value)]

    def _taken(self, into: Buffer, value: Expr) -> Statement:
        """A value into a total."""
        is_product = isinstance(value, Apply) and value.function == "mul" and value.dtype == self.dtype
        if self.fused and is_product and self.kind == "sum" and self.dtype in FLOATS:
            return MultiplyAdd(into.name, self.slot, *value.children)
        variable = self._variable(into)
        return self._store(variable, self._combined(variable, value))

    def leave(self) -> list[Statement]:
        """After each run."""
        return []

    def parts(self) -> list[Expr]:
        """What there is of it; the last one is the result."""
        return [self.total]

    def joined(self, own: Sequence[Expr], others: Sequence[Expr]) -> tuple[list[Statement], list[Expr]]:
        """The parts of two together, and what is to be done before."""
        return [], [self._combined(own[0], others[0])]

    def beside(self) -> Accumulator:
        """One more that takes values of the same run, and does not wait for this one."""
        found = copy(self)
        found.buffers = []
        found._declare()
        return found

    def begin_beside(self) -> list[Statement]:
        """Before the first value of one that is beside another."""
        return self.start()

    def take_from(self, other: Self) -> list[Statement]:
        """All that one beside this one has."""
        return [self._store(self.total, self._combined(self.total, other.total))]

    def fold_into(self, single: Self) -> list[Statement]:
        """All lanes into one that has none."""
        fold, folded = self._folded(self._total)
        return [fold, single._store(single.total, self._combined(single.total, folded))]

    def _folded(self, buffer: Buffer, kind: str = "") -> tuple[Statement, Expr]:
        """What the lanes of a variable have together, and the statement that gives it a name."""
        name = self.fresh("folded")
        return Fold(name, kind or self.kind, buffer.name), read(name, (), buffer.dtype)

    def _named(self, value: Expr) -> tuple[list[Statement], Expr]:
        """A value in this dtype, under a name, and the statement that gives it one."""
        value = cast(value, self.dtype)
        if not value.children:
            return [], value
        name = Name(self.fresh("value"), value)
        return [name], read(name.name, (), self.dtype)

    def _combined(self, one: Expr, other: Expr) -> Expr:
        return apply(COMBINED[self.kind], (one, other), self.dtype)

    def _private(self, word: str, dtype: str) -> Buffer:
        """Variables of the item, one for each slot."""
        self.buffers.append(Buffer(f"own {self.fresh(word)}", dtype, "private", number(self.count, INDEX_DTYPE)))
        return self.buffers[-1]

    def _variable(self, buffer: Buffer) -> Expr:
        return read(buffer.name, (self.slot,), buffer.dtype)

    def _store(self, variable: Expr, value: Expr) -> Statement:
        return Store(variable.operand, self.slot, value)  # type: ignore[attr-defined]


class PairSum(Accumulator):
    """A long sum of floats, in runs and a pair (Knuth, 1969)."""

    blocked = True

    def _declare(self) -> None:
        super()._declare()
        self._low, self._run = self._private("rest", self.dtype), self._private("run_sum", self.dtype)

    @property
    def low(self) -> Expr:
        return self._variable(self._low)

    @property
    def run(self) -> Expr:
        return self._variable(self._run)

    def start(self) -> list[Statement]:
        return [*super().start(), self._store(self.low, self._zero)]

    def enter(self) -> list[Statement]:
        return [self._store(self.run, self._zero)]

    def take(self, value: Expr, place: Expr) -> list[Statement]:
        return [self._taken(self._run, value)]

    def leave(self) -> list[Statement]:
        return self._added(self.run)

    def beside(self) -> PairSum:
        found = copy(self)
        found.buffers = []
        found._run = found._private("run_sum", self.dtype)
        return found

    def begin_beside(self) -> list[Statement]:
        return self.enter()

    def take_from(self, other: Self) -> list[Statement]:
        return [self._store(self.run, self._add(self.run, other.run))]

    def fold_into(self, single: Self) -> list[Statement]:
        fold, total = self._folded(self._total)
        fold_low, low = self._folded(self._low)
        return [fold, fold_low, *single._added(total), single._store(single.low, self._add(single.low, low))]

    def _added(self, part: Expr) -> list[Statement]:
        """One more total of a run."""
        names: list[Statement] = []

        def named(word: str, value: Expr) -> Expr:
            names.append(Name(self.fresh(word), value))
            return read(names[-1].name, (), self.dtype)  # type: ignore[union-attr]

        before, part = named("before", self.total), named("part", part)
        after = named("after", self._add(before, part))
        arrived = named("arrived", self._sub(after, before))
        lost = self._add(self._sub(before, self._sub(after, arrived)), self._sub(part, arrived))
        return [*names, self._store(self.low, self._add(self.low, lost)), self._store(self.total, after)]

    def parts(self) -> list[Expr]:
        """One that has overflowed, or met a NaN, has no rest worth adding."""
        rest = apply("select", (apply("isfinite", (self.low,), "bool"), self.low, self._zero), self.dtype)
        return [self._add(self.total, rest)]

    @property
    def _zero(self) -> Expr:
        return number(0, self.dtype)

    def _add(self, one: Expr, other: Expr) -> Expr:
        return apply("add", (one, other), self.dtype)

    def _sub(self, one: Expr, other: Expr) -> Expr:
        return apply("sub", (one, other), self.dtype)


class Extreme(Accumulator):
    """The largest or smallest float. Whether there was a NaN is noted beside it, which leaves one step from value to
    value where a NaN that propagates would take four."""

    def _declare(self) -> None:
        super()._declare()
        self._nan = self._private("is_nan", "bool")

    @property
    def met(self) -> Expr:
        """Whether there was a NaN."""
        return self._variable(self._nan)

    def start(self) -> list[Statement]:
        return [*super().start(), self._store(self.met, number(False, "bool"))]

    def take(self, value: Expr, place: Expr) -> list[Statement]:
        names, taken = self._named(value)
        return [*names, *self._further(taken, is_nan(taken))]

    def take_from(self, other: Self) -> list[Statement]:
        return self._further(other.total, other.met)

    def fold_into(self, single: Self) -> list[Statement]:
        fold, total = self._folded(self._total)
        fold_met, met = self._folded(self._nan, "any")
        return [fold, fold_met, *single._further(total, met)]

    def parts(self) -> list[Expr]:
        nothing = number(float("nan"), self.dtype)
        return [apply("select", (self.met, nothing, self.total), self.dtype)]

    def _further(self, value: Expr, met: Expr) -> list[Statement]:
        """A value that is taken, which may come of a NaN."""
        return [
            self._store(self.met, apply("or", (self.met, met), "bool")),
            self._store(self.total, further(self.kind, self.total, value)),
        ]


def neutral(kind: str, dtype: str) -> Expr:
    """What changes nothing in a reduction of this kind."""
    if dtype == "bool":
        return number(kind in ("all", "min"), "bool")
    return number(worst(kind, dtype) if kind in ("max", "min") else _START[kind], dtype)


def joined(node: Reduce, one: Expr, other: Expr) -> Expr:
    """Two results of a Reduce as one."""
    kind = {"max": "any", "min": "all"}.get(node.kind, node.kind) if node.dtype == "bool" else node.kind
    return apply(COMBINED[kind], (one, other), node.dtype)


def is_nan(value: Expr) -> Expr:
    """Whether a value is NaN, as a comparison: drivers may have a function for it that they call."""
    return apply("ne", (value, value), "bool")


def alike(one: Expr, other: Expr) -> Expr:
    """Whether two values are equal, or both NaN."""
    equal = call("eq", one, other)
    return call("or", equal, call("and", is_nan(one), is_nan(other))) if one.dtype in FLOATS else equal


def further(kind: str, one: Expr, other: Expr) -> Expr:
    """The larger or smaller of two; the second where one of them is NaN."""
    is_further = apply("gt" if kind == "max" else "lt", (one, other), "bool")
    return apply("select", (is_further, one, other), one.dtype)


def better(kind: str, value: Expr, best: Expr) -> Expr:
    """Whether a value is more extreme than another; a NaN is more extreme than any number."""
    larger = call("gt" if kind == "max" else "lt", value, best)
    if value.dtype not in FLOATS:
        return larger
    return call("or", larger, call("and", is_nan(value), call("not", is_nan(best))))


class Arg(Accumulator):
    """The position of the first extreme value."""

    in_order = True
    """Whether positions only grow from one value to the next; else those of equal values are compared."""

    def __init__(self, kind: str, dtype: str, fresh: Fresh, count: int = 1) -> None:
        super().__init__(kind[3:], "int32" if dtype == "bool" else dtype, fresh, count)

    def _declare(self) -> None:
        super()._declare()
        self._place = self._private("first", INDEX_DTYPE)

    @property
    def place(self) -> Expr:
        return self._variable(self._place)

    def start(self) -> list[Statement]:
        return [*super().start(), self._store(self.place, _ZERO)]

    def take(self, value: Expr, place: Expr) -> list[Statement]:
        names, taken = self._named(value)
        if not self.in_order:
            return [*names, *self._nearest(taken, place)]
        is_better = better(self.kind, taken, self.total)
        if not isinstance(self.slot, Position):
            return [*names, If(is_better, (self._store(self.total, taken), self._store(self.place, place)))]
        name = Name(self.fresh("better"), is_better)
        met = read(name.name, (), "bool")
        return [
            *names,
            name,
            self._store(self.total, apply("select", (met, taken, self.total), self.dtype)),
            self._store(self.place, apply("select", (met, place, self.place), INDEX_DTYPE)),
        ]

    def fold_into(self, single: Self) -> list[Statement]:
        """The best of all lanes, and the first of the places where they have it."""
        fold, best = self._folded(self._total)
        near = self._private("near", INDEX_DTYPE)
        place = apply("select", (alike(self.total, best), self.place, number(_NOWHERE, INDEX_DTYPE)), INDEX_DTYPE)
        assert isinstance(self.slot, Position)
        nearer = Loop(
            self.slot.index,
            number(self.count, INDEX_DTYPE),
            "lanes",
            (self._store(self._variable(near), place),),
        )
        fold_near, first = self._folded(near, "min")
        return [fold, nearer, fold_near, *single._nearest(best, first)]

    def _nearest(self, value: Expr, place: Expr) -> list[Statement]:
        """A value from anywhere."""
        names, (best, at) = self.joined(self.parts(), (value, place))
        return [*names, self._store(self.total, best), self._store(self.place, at)]

    def parts(self) -> list[Expr]:
        return [self.total, self.place]

    def joined(self, own: Sequence[Expr], others: Sequence[Expr]) -> tuple[list[Statement], list[Expr]]:
        """Of equal values, the one that stands before."""
        (best, at), (value, there) = own, others
        wins = call("or", better(self.kind, value, best), call("and", alike(value, best), call("lt", there, at)))
        name = Name(self.fresh("wins"), wins)
        found = read(name.name, (), "bool")
        return [name], [
            apply("select", (found, value, best), self.dtype), apply("select", (found, there, at), INDEX_DTYPE)
        ]  # fmt: skip


def accumulator(node: Reduce, fresh: Fresh, long: bool, count: int = 1) -> Accumulator:
    """That of a Reduce, `count` of them side by side; a `long` one takes more values than are added one after the
    other."""
    kind, dtype = node.kind, node.body.dtype
    if kind in ("argmax", "argmin"):
        return Arg(kind, dtype, fresh, count)
    if dtype == "bool":
        kind = {"max": "any", "min": "all"}.get(kind, kind)
    if kind == "sum" and dtype in FLOATS and long:
        return PairSum(kind, dtype, fresh, count)
    if kind in ("max", "min") and dtype in FLOATS:
        return Extreme(kind, dtype, fresh, count)
    return Accumulator(kind, dtype, fresh, count)
