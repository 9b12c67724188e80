"""A scatter as the emitter takes it.

    y[t, …] = sum[s…](at[s…] == t and … ? value[s…, …] : 0)            or max, or min, with another start than 0

Each unit of work owns some rows `t` of the output, goes through all `s` in order and adds what belongs to its rows.
Each element is thus the sum of its values in the order of `s`, whoever adds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from netcl.kernels.compiler.ir import Expr, root, subexpressions
from netcl.kernels.compiler.targets.cpu.loops import LoopKernel


@dataclass(frozen=True)
class Rows:
    """`targets` gives the position of each target index, the rows shared out first; `conditions` must hold besides.
    `over` is reduced by `kind` from `start` on, in parts when `part` names their index. The first target index is
    shared out in so many `blocks`."""

    targets: Mapping[str, Expr]
    conditions: tuple[Expr, ...]
    over: tuple[str, ...]
    kind: str
    start: float
    blocks: int
    part: str | None = None


@dataclass(frozen=True, kw_only=True)
class Scatter(LoopKernel):
    """Indices of `loops.parallel` are shared out beside the rows, those of `loops.inner` are not: a row has all of
    them. The write's expression is the value to be added."""

    rows: Rows

    @property
    def exprs(self) -> tuple[Expr, ...]:
        return (*super().exprs, *self.rows.targets.values(), *self.rows.conditions)

    @property
    def positions(self) -> Iterator[Expr]:
        yield from super().positions
        yield from subexpressions(*self.rows.targets.values())

    @property
    def parts(self) -> int:
        return self.extents[root(self.rows.part)] if self.rows.part else 1

    @property
    def units(self) -> int:
        return self.extent(self.loops.parallel) * self.parts * self.rows.blocks

    @property
    def work_per_unit(self) -> int:
        rows, inner = self.rows, self.loops.inner
        zeros = self.extent((*rows.targets, *inner)) // rows.blocks
        return zeros + self.extent(rows.over) // self.parts * max(1, self.extent(inner) // rows.blocks)
