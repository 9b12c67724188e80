"""The scopes of a kernel: the nest of loops in which its statements stand.

Each loop binds one index. A value is computed in the innermost loop that binds an index it depends on, once, and is
remembered there; what does not depend on the loop stands before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Generic, TypeVar

from netcl.kernels.compiler.ir import Expr

if TYPE_CHECKING:
    from typing_extensions import Self

Bound = TypeVar("Bound")
Found = TypeVar("Found")


class Scope(Generic[Bound, Found]):
    """A loop body, or the kernel's own body: what stands for the indices that are bound here, and the values that are
    computed here."""

    def __init__(self, parent: Self | None = None, binds: Mapping[str, Bound] | None = None) -> None:
        self.parent: Self | None = parent
        self.binds = dict(binds or {})
        self.values: dict[Expr, Found] = {}

    def upwards(self) -> Iterator[Self]:
        scope: Self | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def home(self, indices: frozenset[str]) -> Self:
        """The innermost scope that binds one of `indices`; the outermost one when none does."""
        scope = self
        for scope in self.upwards():
            if not indices.isdisjoint(scope.binds):
                return scope
        return scope

    def binder(self, index: str) -> Self:
        return next(scope for scope in self.upwards() if index in scope.binds)
