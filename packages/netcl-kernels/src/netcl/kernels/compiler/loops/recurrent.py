"""The steps of a recurrence as statements of one work-item: loops over time, in which the states are stored in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from netcl.kernels.compiler.ir import Expr, position
from netcl.kernels.compiler.loops.ir import Let, Loop, Statement
from netcl.kernels.compiler.loops.positions import minus
from netcl.kernels.compiler.loops.scope import Scope
from netcl.kernels.compiler.loops.values import Values
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.lower.nest import Nest


class Steps:
    """All steps of a nest whose writes are the states, in the order of a step."""

    def __init__(self, nest: Nest, values: Values) -> None:
        self.nest, self.values = nest, values

    def of_row(self, places: Mapping[str, Expr], top: Scope | None) -> list[Statement]:
        """The steps where the indices along which nothing depends on another are at these places."""
        row = Scope(top, places)
        assert self.nest.steps is not None
        self._along(row, self.nest.steps.along)
        return row.statements

    def _along(self, scope: Scope, left: Sequence[tuple[str, bool]]) -> None:
        if not left:
            for write in self.nest.writes:
                rest = [index for index in write.indices if not _is_bound(index, scope)]
                self._stored(write, scope, rest)
            return
        (index, backward), *others = left
        length = self.values.given.size(index)
        step = position(self.values.fresh("step") if backward else self.values.index(index))
        inner = Scope(scope, {index: step})
        if backward:
            at = position(self.values.index(index))
            inner.binds[index] = at
            inner.statements.append(Let(at.index, minus(minus(length, 1), step)))
        self._along(inner, others)
        scope.statements.append(Loop(step.index, length, "serial", inner.body))

    def _stored(self, write: Write, scope: Scope, rest: Sequence[str]) -> None:
        """A state along the indices that a step has all of."""
        if not rest:
            self.values.stored(write, scope)
            return
        at = position(self.values.index(rest[0]))
        inner = Scope(scope, {rest[0]: at})
        self._stored(write, inner, rest[1:])
        scope.statements.append(Loop(at.index, self.values.given.size(rest[0]), "serial", inner.body))


def _is_bound(index: str, scope: Scope) -> bool:
    return any(index in each.binds for each in scope.upwards())
