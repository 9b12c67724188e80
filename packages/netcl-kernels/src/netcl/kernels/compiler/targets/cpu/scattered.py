"""A scatter as the emitter takes it.

    y[t, …] = sum[s…](at[s…] == t and … ? value[s…, …] : 0)            or max, or min, with another start than 0

Each unit of work owns some rows `t` of the output, goes through all `s` in order and adds what belongs to its rows.
Each element is thus the sum of its values in the order of `s`, whoever adds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

from netcl.kernels.compiler.ir import Expr, root, subexpressions
from netcl.kernels.compiler.lower.kernel import Kernel


@dataclass(frozen=True)
class Scatter(Kernel):
    """`targets` gives the position of each target index, the rows shared out first; `conditions` must hold besides.
    `over` is reduced by `kind` from `start` on, in `parts` runs when `part` names their index. Indices of `parallel`
    are shared out too, those of `inner` are neither: a row has all of them. The write's expression is the value to be
    added."""

    targets: Mapping[str, Expr] = field(default_factory=dict)
    conditions: tuple[Expr, ...] = ()
    over: tuple[str, ...] = ()
    kind: str = "sum"
    start: float = 0
    part: str | None = None
    row_blocks: int = 1

    @property
    def exprs(self) -> tuple[Expr, ...]:
        return (*super().exprs, *self.targets.values(), *self.conditions)

    @property
    def positions(self) -> Iterator[Expr]:
        yield from super().positions
        yield from subexpressions(*self.targets.values())

    def extent(self, indices: tuple[str, ...]) -> int:
        return prod(self.extents[root(index)] for index in indices)

    @property
    def parts(self) -> int:
        return self.extents[root(self.part)] if self.part else 1

    @property
    def units(self) -> int:
        return self.extent(self.parallel) * self.parts * self.row_blocks

    @property
    def work_per_unit(self) -> int:
        zeros = self.extent((*self.targets, *self.inner)) // self.row_blocks
        return zeros + self.extent(self.over) // self.parts * max(1, self.extent(self.inner) // self.row_blocks)
