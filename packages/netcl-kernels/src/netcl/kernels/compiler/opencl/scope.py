"""The scopes of a kernel: the nest of loops in which its statements stand.

Each loop binds one index. A value is computed in the innermost loop that binds an index it depends on, once, and is
remembered there; what does not depend on the loop stands before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from netcl.kernels.compiler.ir import Expr
from netcl.kernels.compiler.opencl.types import Value

Lines = list["str | Lines"]


class Scope:
    """A loop body, or the kernel's own body. `lanes` is more than 1 where its index stands for several values; `beside`
    has the scopes of all columns where it is that of one of them."""

    def __init__(self, parent: Scope | None = None, binds: Iterable[tuple[str, str]] = (), lanes: int = 1) -> None:
        self.parent = parent
        self.binds = dict(binds)
        self.lanes = lanes
        self.lines: Lines = []
        self.values: dict[Expr, Value] = {}
        self.beside: tuple[Scope, ...] = ()

    def upwards(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def home(self, indices: frozenset[str]) -> Scope:
        """The innermost scope that binds one of `indices`; the outermost one when none does."""
        scope = self
        for scope in self.upwards():
            if not indices.isdisjoint(scope.binds):
                return scope
        return scope

    def binder(self, index: str) -> Scope:
        return next(scope for scope in self.upwards() if index in scope.binds)

    def close(self, header: str, *footer: str) -> Lines:
        """This scope's statements as a block, to be put into the parent."""
        return [header + " {", self.lines, "}", *footer]


def text_of(lines: Lines, depth: int = 1) -> str:
    """Statements with their indentation."""
    parts = []
    for line in lines:
        parts.append(text_of(line, depth + 1) if isinstance(line, list) else "    " * depth + line + "\n")
    return "".join(parts)
