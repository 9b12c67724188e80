"""The scopes of a nest: the loops in which its statements stand.

Each loop binds one index. A value is computed in the innermost loop that binds an index it depends on, once, and is
kept there; what does not depend on the loop stands before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from netcl.kernels.compiler.ir import Expr
from netcl.kernels.compiler.loops.ir import Statement


@dataclass(frozen=True)
class Lanes:
    """The lanes of a vector: so many, and the index that they have."""

    index: str
    count: int


class Scope:
    """A loop body, or the kernel's own body: what stands for the indices that are bound here, and the values that are
    computed here. Its statements run one after the other, those in `lanes` for each of them."""

    def __init__(
        self, parent: Scope | None = None, binds: Mapping[str, Expr] | None = None, lanes: Lanes | None = None
    ) -> None:
        self.parent = parent
        self.binds = dict(binds or {})
        self.values: dict[Expr, Expr] = {}
        self.lanes = lanes
        self.beside: tuple[Scope, ...] = ()
        """The columns that are computed together with this one, which is one of them. Between them and the scope
        that all are in there may be another one, for what some have in common."""
        self.asked: Expr | None = None
        """Where not all lanes have something to do: of the others nothing is read or stored."""
        self.statements: list[Statement] = []

    def again(self, parent: Scope) -> Scope:
        """The same indices and lanes within another scope."""
        scope = Scope(parent, self.binds, self.lanes)
        scope.asked = self.asked
        return scope

    @property
    def body(self) -> tuple[Statement, ...]:
        return tuple(self.statements)

    def upwards(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    @property
    def together(self) -> Scope:
        """The scope in which all columns are that are computed together with this one."""
        return next(each for each in self.upwards() if all(each in other.upwards() for other in self.beside))

    def home(self, indices: frozenset[str]) -> Scope:
        """The innermost scope that binds one of `indices`; the outermost one when none does."""
        scope = self
        for scope in self.upwards():
            if not indices.isdisjoint(scope.binds):
                return scope
        return scope

    def place(self, index: str) -> Expr:
        return next(scope.binds[index] for scope in self.upwards() if index in scope.binds)
