"""The scopes of a kernel: the nest of loops in which its statements stand.

Each loop binds one index. A value is computed in the innermost loop that binds an index it depends on, once, and is
remembered there; what does not depend on the loop stands before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from netcl.kernels.compiler.emit.types import Value
from netcl.kernels.compiler.ir import Expr

Lines = list["str | Lines"]

_RESERVED = set(
    "half float double uchar char short int long uint ulong size_t bool void const if else for while do return switch "
    "case break continue default goto static struct union enum typedef sizeof volatile restrict inline register signed "
    "unsigned auto extern image2d_t image3d_t sampler_t event_t kernel global local constant private read_only "
    "write_only get_global_id min max abs clamp select step sign mix dot cross length distance normalize fma mad exp log "
    "pow sqrt sin cos tan floor ceil round trunc rint erf erfc tanh sinh cosh lgamma isnan isinf isfinite any all "
    "complex imaginary unit begin end INFINITY NAN M_PI".split()
)


class Names:
    """Names in C: readable, and each given once."""

    def __init__(self) -> None:
        self._taken = set(_RESERVED)

    def fresh(self, wanted: str) -> str:
        name = c_name(wanted)
        number = 2
        candidate = name
        while candidate in self._taken:
            candidate = f"{name}_{number}"
            number += 1
        self._taken.add(candidate)
        return candidate


def c_name(text: str) -> str:
    """An identifier made from a name of the IR (`k'`, `stride.0`)."""
    cleaned = "".join(letter if letter.isalnum() else "_" for letter in text.replace("'", "_copy").replace("#", "_block"))
    return cleaned if cleaned and not cleaned[0].isdigit() else "_" + cleaned


class Scope:
    """A loop body (or the kernel's own body). `lanes` is more than 1 where the index stands for several values at once."""

    def __init__(self, parent: Scope | None = None, binds: Iterable[tuple[str, str]] = (), lanes: int = 1) -> None:
        self.parent = parent
        self.binds = dict(binds)
        self.lanes = lanes
        self.lines: Lines = []
        self.values: dict[Expr, Value] = {}

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
