"""The syntax tree: what a .netcl text says, with the place of every word, before anything is known about its meaning.

One dataclass per construct of `grammar.lark`. Nothing is resolved here: `Name("k")` may turn out to be an operand, an
attribute, an index or a local definition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from netcl.core.errors import KernelLanguageError

_WIDEST = 160
"""Of a longer line an error shows the part around the mistake."""


@dataclass(frozen=True)
class Source:
    """A text and the name under which errors speak of it."""

    text: str
    file: str = "<string>"


@dataclass(frozen=True)
class Span:
    """From (line, column) to the end column on that line, counted from 1; `source` may be another text of the op."""

    source: Source = field(repr=False, compare=False)
    line: int = 1
    column: int = 1
    end: int = 2

    def error(self, message: str) -> KernelLanguageError:
        """`FILE:line:col: message`, the line itself and a caret below the place."""
        lines = self.source.text.splitlines() or [""]
        line, first = lines[min(self.line, len(lines)) - 1], self.column - 1
        length = max(1, min(self.end, len(line) + 1) - self.column)
        if len(line) > _WIDEST:
            begin = max(0, min(first - _WIDEST // 2, len(line) - _WIDEST))
            end = begin + _WIDEST
            dots, more = "…" * (begin > 0), "…" * (end < len(line))
            line, first = dots + line[begin:end] + more, first - begin + len(dots)
            length = max(1, min(length, len(line) - first))
        caret = " " * first + "^" * length
        text = f"{self.source.file}:{self.line}:{self.column}: {message}\n    {line}\n    {caret}"
        return KernelLanguageError(text, file=self.source.file, line=self.line, column=self.column)

    def __str__(self) -> str:
        return f"{self.source.file}:{self.line}"


# --- expressions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Literal:
    """2, 0.5, -inf, pi, true."""

    value: bool | int | float
    span: Span


@dataclass(frozen=True)
class Text:
    """ "mean": a word, compared with an attribute of type word."""

    value: str
    span: Span


@dataclass(frozen=True)
class Name:
    """An operand at its own indices, an attribute, an index, a local definition, or `dy`."""

    name: str
    span: Span


@dataclass(frozen=True)
class Every:
    """`*i` among subscripts: each index of the pack in turn."""

    pack: str
    span: Span


@dataclass(frozen=True)
class Each:
    """`*(start + i * step)` among subscripts: the expression for each index of the packs in it, in turn."""

    expr: Expression
    span: Span


@dataclass(frozen=True)
class Subscripted:
    """`table[index, d]`, `stride[0]`, `size[k]`."""

    name: str
    subscripts: tuple[Expression | Every | Each, ...]
    span: Span


@dataclass(frozen=True)
class Guarded:
    """`x[…] else 0`: the alternative where a position is outside."""

    reading: Subscripted
    alternative: Expression
    span: Span


@dataclass(frozen=True)
class Along:
    """`s <= t` between the brackets of a reducer: `index` goes as far as `end`; `sign` is <=, <, >= or >."""

    index: Name
    sign: str
    end: Expression
    span: Span


@dataclass(frozen=True)
class Reduction:
    """`sum[k](…)`; `over` names indices, packs (Every) or attributes of type axes. Only `scan` has two bodies."""

    kind: str
    over: tuple[Name | Every | Along, ...]
    bodies: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True)
class Call:
    """`exp(x)`."""

    function: str
    arguments: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True)
class Infix:
    """`a * b`; `sign` is the operator as written."""

    sign: str
    left: Expression
    right: Expression
    span: Span


@dataclass(frozen=True)
class Prefix:
    """`-a`, `not a`."""

    sign: str
    operand: Expression
    span: Span


@dataclass(frozen=True)
class Select:
    """`condition ? first : second`."""

    condition: Expression
    first: Expression
    second: Expression
    span: Span


@dataclass(frozen=True)
class Table:
    """`[1, 3, 3, 1]` or `[[1, 2], [3, 4]]`: numbers that a definition consists of."""

    entries: tuple[Expression, ...]
    span: Span

    def lengths(self) -> tuple[int, ...]:
        """How many entries there are along each axis. Raises KernelLanguageError where rows are of unlike length."""
        inner = [each.lengths() if isinstance(each, Table) else () for each in self.entries]
        for entry, lengths in zip(self.entries, inner, strict=True):
            if lengths != inner[0]:
                raise entry.span.error("the rows of a table are of one length")
        return (len(self.entries), *inner[0])

    def numbers(self) -> Iterator[Expression]:
        """All of them, the last axis fastest."""
        for each in self.entries:
            if isinstance(each, Table):
                yield from each.numbers()
            else:
                yield each


Expression = Literal | Text | Name | Subscripted | Guarded | Reduction | Call | Infix | Prefix | Select | Table

# --- declarations -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Axis:
    """One entry between the brackets of an operand or output.

    kind is "index" (k), "unit" (1), "split" ((g c): one axis, two indices), "pack" (*i: any number of axes),
    "without" (*i without axis [unless keepdims]), "permuted" (*i by order) or "flat" (flat f [as shape]).
    """

    kind: str
    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True)
class OperandSyntax:
    """`x[*i]: float = 0`; `axes` is None when no brackets are written; `variadic` for `*xs`."""

    name: str
    axes: tuple[Axis, ...] | None
    type: str
    default: bool | int | float | None
    variadic: bool
    span: Span


@dataclass(frozen=True)
class AttributeSyntax:
    """`stride: ints[2] = 1`; `of` is the n of `axis(n)` or the pack of `axes(i)`, `count` the length of `ints[2]`."""

    name: str
    type: str
    of: str | None
    count: int | None
    default: Literal | Text | Name | tuple[Literal, ...] | None
    span: Span


@dataclass(frozen=True)
class OutputSyntax:
    """`y[*i]`; `by` is the attribute of type reduction in `l[*i] by reduction`."""

    name: str
    axes: tuple[Axis, ...] | None
    by: str | None
    span: Span


@dataclass(frozen=True)
class SizeOf:
    """`where p = expression`, or `where *o = shape` when `pack`."""

    index: str
    value: Expression
    pack: bool
    span: Span


@dataclass(frozen=True)
class Definition:
    """`name = expression;`, `name[i, j] = expression;`, `name[k] = [1, 3, 3, 1];` or, in `grads`,
    `grad name = expression;`."""

    name: str
    axes: tuple[Axis, ...] | None
    value: Expression
    span: Span


@dataclass(frozen=True)
class Use:
    """`use p[*i, k] = softmax(a[*i, k]; axis = k);` another op's outputs as local definitions."""

    outputs: tuple[OutputSyntax, ...]
    op: str
    arguments: tuple[Expression, ...]
    settings: tuple[SettingSyntax, ...]
    span: Span


@dataclass(frozen=True)
class SettingSyntax:
    """`axis = k` behind the `;` of a use; a tuple stands for a list."""

    name: str
    value: Expression | tuple[Expression, ...]
    span: Span


@dataclass(frozen=True)
class Sample:
    """`sample x in [low, high];`, over the indices of x."""

    operand: str
    low: Expression
    high: Expression
    span: Span

    @property
    def numbers(self) -> tuple[float, float] | None:
        """The ends, where they are written as numbers."""
        low, high = _number(self.low), _number(self.high)
        return None if low is None or high is None else (low, high)


def _number(of: Expression) -> float | None:
    if isinstance(of, Prefix) and of.sign == "-" and isinstance(of.operand, Literal):
        return -of.operand.value
    return of.value if isinstance(of, Literal) else None


@dataclass(frozen=True)
class Declaration:
    """One `op`. Declarations with the same name are the forms of one op: a call takes the first that fits.

    `also` has the other names that the op can be called by.
    `surrogates` are the operands whose gradient is meant to differ from the slope of the value.
    `linked` has the forms of each op that it uses, by name; `linking` puts them there.
    """

    name: str
    also: tuple[Name, ...]
    doc: str
    operands: tuple[OperandSyntax, ...]
    attributes: tuple[AttributeSyntax, ...]
    outputs: tuple[OutputSyntax, ...]
    saving: tuple[OutputSyntax, ...]
    sizes: tuple[SizeOf, ...]
    requirements: tuple[Expression, ...]
    definitions: tuple[Definition, ...]
    uses: tuple[Use, ...]
    grads: tuple[Definition, ...]
    nograd: tuple[Name, ...]
    surrogates: tuple[Name, ...]
    samples: tuple[Sample, ...]
    span: Span
    source: Source = field(repr=False, compare=False)
    linked: tuple[tuple[str, tuple[Declaration, ...]], ...] = field(default=(), repr=False)

    def named_axes(self) -> dict[str, tuple[Axis, ...] | None]:
        """What is defined here, by name: definitions, outputs and results of other ops, with the axes between their
        brackets; None where nothing says in which order they stand."""
        found: dict[str, tuple[Axis, ...] | None] = {}
        results = [*(each for use in self.uses for each in use.outputs), *self.outputs, *self.saving]
        named = [(each.name, each.axes) for each in self.definitions] + [(each.name, each.axes) for each in results]
        for name, axes in named:
            found[name] = axes if axes is not None else found.get(name)
        return found
