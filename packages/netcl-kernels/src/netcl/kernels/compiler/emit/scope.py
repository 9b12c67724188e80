"""The scopes of a kernel: the nest of loops in which its statements stand.

Each loop binds one index. A value is computed in the innermost loop that binds an index it depends on, once, and is
remembered there; what does not depend on the loop stands before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from netcl.kernels.compiler.emit.types import Value
from netcl.kernels.compiler.ir import Expr

Lines = list["str | Lines"]

_RESERVED = frozenset(
    (
        "INFINITY M_PI NAN abs all any auto begin bool break case ceil char clamp complex const constant continue cos "
        "cosh cross default distance do dot double else end enum erf erfc event_t exp extern float floor fma for "
        "get_global_id global goto half if image2d_t image3d_t imaginary inline int isfinite isinf isnan item kernel "
        "length lgamma local log long mad max min mix normalize pow private read_only register restrict return rint "
        "round sampler_t select short sign signed sin sinh size_t sizeof sqrt static step struct switch tan tanh "
        "trunc typedef uchar uint ulong union unit unsigned void volatile while write_only"
    ).split()
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
    text = text.replace("'", "_copy").replace("#", "_block")
    cleaned = "".join(letter if letter.isalnum() else "_" for letter in text)
    return cleaned if cleaned and not cleaned[0].isdigit() else "_" + cleaned


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
