"""What an item gathers of a reduction in its private memory: how it begins, takes a value, ends a run, what it gives.

As on a CPU (`emit.accumulate`): sums of floats are added in runs, and the total of each run goes into a pair (sum,
rest) that keeps what the addition rounds off (Knuth, 1969). There may be several results side by side, one for each
column; `at` says which.
"""

from __future__ import annotations

from collections.abc import Sequence

from netcl.kernels.compiler.ir import FLOATS, INDEX_DTYPE, Expr, Reduce, number, read
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.ir import Buffer, Statement, Store
from netcl.kernels.compiler.lower.reductions import worst

COMBINED = {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum", "any": "or", "all": "and"}
_START = {"sum": 0, "prod": 1, "any": False, "all": True}


class Accumulated:
    """One reduction. `count` is how many columns there are; a `short` one takes no more values than one run has."""

    def __init__(self, node: Reduce, name: str, count: int, short: bool) -> None:
        self.kind, self.dtype, self.name, self.count = node.kind, node.dtype, name, count
        self.by_place = node.kind in ("argmax", "argmin")
        if self.by_place:
            self.dtype = "int32" if node.body.dtype == "bool" else node.body.dtype
        self.in_runs = node.kind == "sum" and node.dtype in FLOATS and not short
        size = number(count, INDEX_DTYPE)
        parts = [(name, self.dtype)]
        if self.in_runs:
            parts += [(f"{name}_low", self.dtype), (f"{name}_part", self.dtype)]
        if self.by_place:
            parts.append((f"{name}_place", INDEX_DTYPE))
        self.buffers: Sequence[Buffer] = [Buffer(part, dtype, "private", size) for part, dtype in parts]

    def begin(self, at: Expr) -> list[Statement]:
        """Before the first value."""
        stores: list[Statement] = [Store(self.name, at, self._start())]
        if self.in_runs:
            stores.append(Store(f"{self.name}_low", at, number(0, self.dtype)))
        if self.by_place:
            stores.append(Store(f"{self.name}_place", at, number(0, INDEX_DTYPE)))
        return stores

    def enter(self, at: Expr) -> list[Statement]:
        """Before each run."""
        return [Store(f"{self.name}_part", at, number(0, self.dtype))] if self.in_runs else []

    def take(self, at: Expr, value: Expr, place: Expr) -> list[Statement]:
        """One value, which stands at this place of all."""
        value = cast(value, self.dtype)
        if self.by_place:
            better = self._better(value, self._of("", at))
            where = read(f"{self.name}_place", (at,), INDEX_DTYPE)
            return [
                Store(f"{self.name}_place", at, call("select", better, place, where)),
                Store(self.name, at, call("select", better, value, self._of("", at))),
            ]
        part = "_part" if self.in_runs else ""
        return [Store(f"{self.name}{part}", at, call(COMBINED[self.kind], self._of(part, at), value))]

    def leave(self, at: Expr) -> list[Statement]:
        """After each run."""
        if not self.in_runs:
            return []
        before, part, low = self._of("", at), self._of("_part", at), self._of("_low", at)
        after = call("add", before, part)
        arrived = call("sub", after, before)
        lost = call("add", call("sub", before, call("sub", after, arrived)), call("sub", part, arrived))
        return [Store(f"{self.name}_low", at, call("add", low, lost)), Store(self.name, at, after)]

    def result(self, at: Expr) -> Expr:
        """The total. A sum that has overflowed, or met a NaN, has no rest worth adding."""
        if self.by_place:
            return read(f"{self.name}_place", (at,), INDEX_DTYPE)
        if not self.in_runs:
            return self._of("", at)
        low = self._of("_low", at)
        return call("add", self._of("", at), call("select", call("isfinite", low), low, 0))

    def _start(self) -> Expr:
        kind = self.kind.removeprefix("arg")
        if kind in ("max", "min") and self.dtype == "bool":
            return number(kind == "min", "bool")
        return number(worst(kind, self.dtype) if kind in ("max", "min") else _START[kind], self.dtype)

    def _of(self, part: str, at: Expr) -> Expr:
        return read(f"{self.name}{part}", (at,), self.dtype)

    def _better(self, value: Expr, best: Expr) -> Expr:
        """Whether a value is more extreme; the first NaN is more so than any number."""
        found = call("gt" if self.kind == "argmax" else "lt", value, best)
        if self.dtype not in FLOATS:
            return found
        return call("or", found, call("and", call("isnan", value), call("not", call("isnan", best))))
