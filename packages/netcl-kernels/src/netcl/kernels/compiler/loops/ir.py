"""The statements of a loop nest.

Values and positions are expressions of the index IR, in which `Read(buffer, (at,))` is the element `at` of a buffer and
`Position(index)` the value of the index of a loop around; numbers that the launch gives are `Attribute`s, and
`Read(name, ())` a value that has been given a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from netcl.core.dtypes import canonical
from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Number, apply, attribute, number

Space = Literal["global", "local", "private"]
Kind = Literal["serial", "unrolled", "lanes"]


COUNTS = ("size ", "number ", "count ")
"""So begin the names of numbers of a launch that are not negative."""


ELEMENTS = "elements "
"""So begins the name of the number of elements that a global buffer has."""


@dataclass(frozen=True)
class Buffer:
    """Memory of `size` elements: of everybody (global), of the items of a group (local), of one item (private).

    What is local or private is new for each group, and holds nothing until something is stored there. Its name has a
    space in it, so that it is that of no tensor. Where it holds `positions`, no arithmetic on them wraps.
    """

    name: str
    dtype: str
    space: Space
    size: Expr
    positions: bool = False

    def __post_init__(self) -> None:
        assert self.space == "global" or " " in self.name, f"a tensor may be called {self.name}, too"


@dataclass(frozen=True)
class Store:
    """`buffer[at] = value`, `where` a condition holds if there is one; the value is computed in any case."""

    buffer: str
    at: Expr
    value: Expr
    where: Expr | None = None


@dataclass(frozen=True)
class MultiplyAdd:
    """`buffer[at] = fma(left, right, buffer[at])`, rounded once."""

    buffer: str
    at: Expr
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Barrier:
    """No item of a group goes on before all have come here; then each sees what the others have stored."""


@dataclass(frozen=True)
class Let:
    """From here to the end of the body, the index has this value, which is not negative."""

    index: str
    value: Expr


@dataclass(frozen=True)
class Name:
    """From here to the end of the body, `Read(name, ())` is this value, which is computed once."""

    name: str
    value: Expr


@dataclass(frozen=True)
class Fold:
    """From here to the end of the body, `Read(name, ())` is what the elements of a private buffer have together, by a
    `kind` of reduction: halves with halves."""

    name: str
    kind: str
    buffer: str


@dataclass(frozen=True)
class Transpose:
    """The elements of so many private buffers, as many in each, change places: element `j` of buffer `k` becomes
    element `k` of buffer `j`."""

    buffers: tuple[str, ...]


@dataclass(frozen=True)
class Assume:
    """The condition holds whenever it is come to, for a reason that no ends of positions show: `check` believes it,
    `interpret` sees whether it does, and it stands in no text. A bool that has a name may be equal to a condition, and
    the number `elements x` is how many elements there are of the buffer x."""

    condition: Expr


@dataclass(frozen=True)
class If:
    """The statements of `body` where the condition holds."""

    condition: Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Loop:
    """`body` for each value of `index` from 0 to the extent less one.

    A serial loop does them one after the other, and ends behind the first step after which `until` holds; so does an
    unrolled one, of an extent that is a literal. The lanes of a vector, `LANES` or `WORD` of them, run in step: both
    sides of a choice are computed there, but an element is read only where the `select` that it stands in directly asks
    for it, and an `If` is done by all lanes if by one of them.
    """

    index: str
    extent: Expr
    kind: Kind
    body: tuple[Statement, ...]
    until: Expr | None = None


@dataclass(frozen=True, eq=False)
class Function:
    """Statements that the text has once, whoever calls them: over `buffers` and `numbers` that a call gives, by these
    names, and `private` buffers of their own."""

    name: str
    buffers: tuple[Buffer, ...]
    numbers: tuple[str, ...]
    private: tuple[Buffer, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Call:
    """The statements of a function, with these buffers and numbers, in their order."""

    function: Function
    buffers: tuple[str, ...]
    numbers: tuple[Expr, ...]


Statement = Store | MultiplyAdd | Barrier | Let | Name | Fold | Transpose | Assume | If | Loop | Call


def elements_of(buffer: str) -> Expr:
    """How many elements a global buffer has, for what is assumed of a position there."""
    return attribute(ELEMENTS + buffer, INDEX_DTYPE)


def exists(buffer: str, at: Expr) -> Assume:
    """That a global buffer has an element there."""
    return Assume(apply("lt", (at, elements_of(buffer)), "bool"))


def alone(body: Sequence[Statement]) -> If:
    """Statements whose names are their own: others beside them may have the same."""
    return If(_ALWAYS, tuple(body))


_ALWAYS = number(True, "bool")


@dataclass(frozen=True)
class LoopNest:
    """One kernel: `groups` groups of `items` work-items, which all do `body`; `group` and `item` are their indices."""

    name: str
    group: str
    groups: Expr
    item: str
    items: int
    buffers: tuple[Buffer, ...]
    body: tuple[Statement, ...]
    data: frozenset[str] = frozenset()
    """The numbers that the caller gives, with which arithmetic may wrap; those of the launch are positions."""
    positive: frozenset[str] = frozenset()
    """Numbers of the launch that are never 0, since there would be nothing to launch."""

    @cached_property
    def _buffers(self) -> dict[str, Buffer]:
        return {each.name: each for each in self.buffers}

    def buffer(self, name: str) -> Buffer:
        return self._buffers[name]


def local_bytes(nest: LoopNest) -> int:
    """Of local memory, whose sizes are literals; there a value takes four bytes at least."""
    found = 0
    for each in nest.buffers:
        if each.space == "local":
            assert isinstance(each.size, Number), f"{nest.name}: the size of {each.name} is no literal"
            found += int(each.size.value) * max(canonical(each.dtype).itemsize, 4)
    return found


def statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements, each before those inside of it."""
    for each in body:
        yield each
        if isinstance(each, (If, Loop)):
            yield from statements(each.body)


def exprs(statement: Statement) -> tuple[Expr, ...]:
    """What a statement computes itself."""
    if isinstance(statement, Store):
        return (statement.at, statement.value, *([] if statement.where is None else [statement.where]))
    if isinstance(statement, MultiplyAdd):
        return (statement.at, statement.left, statement.right)
    if isinstance(statement, (Let, Name)):
        return (statement.value,)
    if isinstance(statement, (If, Assume)):
        return (statement.condition,)
    if isinstance(statement, Call):
        return statement.numbers
    if isinstance(statement, Loop):
        return (statement.extent,) if statement.until is None else (statement.extent, statement.until)
    return ()
