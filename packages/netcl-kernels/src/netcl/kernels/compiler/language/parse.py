"""Input: a .netcl text. Output: a list of `syntax.Declaration`, each word with its place. Lark is imported here only.

What is checked here is spelling alone; names, indices and types are the business of `check` and `specialise`.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from netcl.core.errors import KernelLanguageError, NetclError
from netcl.kernels.compiler.language import messages, syntax
from netcl.kernels.compiler.language.outline import START, Heading, docstring
from netcl.kernels.compiler.language.syntax import Source, Span

MOST_NESTED = 120
"""How deep expressions may be nested: far below what Python's stack holds while they are translated."""

MOST_ENTRIES = 1024
"""Of a table in a text, along one axis."""

MOST_MISTAKES = 20
"""After so many mistakes the rest of a text is not read."""

_AS_FAR_AS = ("<=", "<", ">=", ">")
_LARGEST = 2**63
_CONSTANTS = {"inf": math.inf, "nan": math.nan, "pi": math.pi, "true": True, "false": False}


def parse(source: Source) -> list[syntax.Declaration]:
    """The declarations of a text, in order. Raises KernelLanguageError with every mistake, its place and what may stand
    there."""
    declarations, mistakes = parsed(source)
    if mistakes:
        raise KernelLanguageError.of(mistakes)
    return declarations


def parse_one(heading: Heading) -> syntax.Declaration:
    """The declaration with this heading. Raises KernelLanguageError."""
    mistakes: list[KernelLanguageError] = []
    try:
        found = _read(heading.source, heading.begin, heading.end, mistakes)
    except _Stopped as stop:
        raise stop.mistake from None
    if mistakes:
        raise KernelLanguageError.of(mistakes)
    return found[0]


def parsed(source: Source) -> tuple[list[syntax.Declaration], list[KernelLanguageError]]:
    """The declarations that can be read, and the mistakes; behind one, reading goes on with the next declaration."""
    declarations: list[syntax.Declaration] = []
    mistakes: list[KernelLanguageError] = []
    starts = [each.start() for each in START.finditer(source.text)]
    begin: int | None = 0
    while begin is not None and len(mistakes) < MOST_MISTAKES:
        try:
            declarations += _read(source, begin, len(source.text), mistakes)
            break
        except _Stopped as stop:
            mistakes.append(stop.mistake)
            before = max((start for start in starts if begin < start < stop.place), default=begin)
            with contextlib.suppress(_Stopped):
                declarations += _read(source, begin, before, mistakes)
            begin = min((start for start in starts if start >= stop.place and start > begin), default=None)
    return declarations, mistakes


class _Stopped(Exception):
    """The parser stopped at a place of the text, with a mistake."""

    def __init__(self, mistake: KernelLanguageError, place: int) -> None:
        self.mistake = mistake
        self.place = place


def _read(source: Source, begin: int, end: int, mistakes: list[KernelLanguageError]) -> list[syntax.Declaration]:
    """The declarations of a part of a text, which begins with a line. What does not stop the parser is only noted."""
    lark = reader()
    lines = source.text.count("\n", 0, begin)
    try:
        tree = _parser().parse(source.text[begin:end])
    except lark.UnexpectedToken as error:
        raise _unexpected(source, begin, lines, error) from None
    except lark.UnexpectedCharacters as error:
        span = Span(source, lines + error.line, error.column, error.column + 1)
        raise _Stopped(span.error(messages.strange(error.char)), begin + (error.pos_in_stream or 0)) from None
    declarations = []
    for child in tree.children:
        try:
            declarations.append(_Reader(source, lines).declaration(child))
        except KernelLanguageError as mistake:
            mistakes.append(mistake)
    return declarations


def reader() -> Any:
    """lark, the module that reads by a grammar, imported when it is needed. Raises NetclError where there is none."""
    try:
        import lark
    except ImportError as error:
        raise NetclError(
            f"lark, which reads the kernel language, cannot be imported ({error}); install it with `pip install lark`"
        ) from error
    return lark


@lru_cache(maxsize=1)
def _parser() -> Any:
    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return reader().Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=False)


def _unexpected(source: Source, begin: int, lines: int, error: Any) -> _Stopped:
    kind, found, expected = error.token.type, str(error.token), error.accepts or error.expected
    if kind == "$END":
        written = source.text.rstrip().splitlines() or [""]
        span = Span(source, len(written), len(written[-1]) + 1, len(written[-1]) + 2)
        place, before, after = len(source.text), source.text[begin:], ""
    else:
        span = Span(source, lines + error.line, error.column, error.column + len(found.split("\n", 1)[0]))
        place = begin + error.token.start_pos
        before, after = source.text[begin:place], source.text[begin + error.token.end_pos :]
        next_op = re.search(r"\bop\s+$", before)  # this one is read again: it may be the one before that is wrong
        place = begin + next_op.start() if next_op else place
    return _Stopped(span.error(messages.unexpected(kind, found, expected, before, after)), place)


class _Reader:
    """Turns Lark's trees into ours; one method per rule of the grammar."""

    def __init__(self, source: Source, lines: int) -> None:
        self.source = source
        self._lines = lines
        self._depth = 0

    # declarations

    def declaration(self, tree: Any) -> syntax.Declaration:
        parts = list(tree.children)
        doc = docstring(str(parts.pop(0))) if _is_token(parts[0], "DOC") else ""
        name = parts[1]
        found: dict[str, Any] = dict.fromkeys(("also", "operands", "attributes", "outputs", "saving", "where"), ())
        statements = []
        for part in parts[2:]:
            if not _is_token(part):
                if part.data in found:
                    found[part.data] = part.children
                else:
                    statements.append(part)
        where = [self._condition(each) for each in found["where"] if not _is_token(each)]
        definitions = tuple(self._definition(each) for each in statements if each.data == "definition")
        sizes = [each for each in where if isinstance(each, syntax.SizeOf)]
        return syntax.Declaration(
            name=str(name),
            also=tuple(syntax.Name(str(word), self._span(word)) for word in found["also"][1:]),
            doc=doc,
            operands=tuple(self._operand(each) for each in found["operands"]),
            attributes=tuple(self._attribute(each) for each in found["attributes"]),
            outputs=tuple(self._output(each) for each in found["outputs"]),
            saving=tuple(self._output(each) for each in found["saving"] if not _is_token(each)),
            sizes=(*sizes, *_sizes_of_tables(definitions, sizes)),
            requirements=tuple(each for each in where if not isinstance(each, syntax.SizeOf)),
            definitions=definitions,
            uses=tuple(self._use(each) for each in statements if each.data == "use"),
            grads=tuple(self._definition(each) for each in statements if each.data == "grad"),
            nograd=self._names(statements, "nograd"),
            surrogates=self._names(statements, "surrogate"),
            samples=tuple(self._sample(each) for each in statements if each.data == "sample"),
            span=self._span(name),
            source=self.source,
        )

    def _names(self, statements: Iterable[Any], kind: str) -> tuple[syntax.Name, ...]:
        """The names that the statements of one kind list."""
        words = (word for each in statements if each.data == kind for word in each.children[1:])
        return tuple(syntax.Name(str(word), self._span(word)) for word in words)

    def _operand(self, tree: Any) -> syntax.OperandSyntax:
        parts = list(tree.children)
        variadic = _is_token(parts[0], "STAR")
        if variadic:
            parts.pop(0)
        name = parts.pop(0)
        axes = self._axes(parts.pop(0)) if not _is_token(parts[0]) else None
        kind = parts[1]
        default = self._literal(parts[3]).value if len(parts) > 2 else None
        return syntax.OperandSyntax(str(name), axes, str(kind), default, variadic, self._span(name))

    def _attribute(self, tree: Any) -> syntax.AttributeSyntax:
        parts = [part for part in tree.children if not _is_token(part, "COLON", "EQUAL")]
        name, kind = parts[0], parts[1]
        of = count = default = None
        for part in parts[2:]:
            if not _is_token(part) and part.data == "kind_of":
                word = part.children[0]
                of, count = (None, int(word)) if word.type == "INTEGER" else (str(word), None)
            else:
                default = self._default(part)
        return syntax.AttributeSyntax(str(name), str(kind), of, count, default, self._span(name))

    def _default(self, tree: Any) -> Any:
        if tree.data == "list":
            return tuple(self._literal(each) for each in tree.children)
        return self._literal(tree) if tree.data == "literal" else self.expression(tree)

    def _output(self, tree: Any) -> syntax.OutputSyntax:
        name, *rest = tree.children
        axes = self._axes(rest.pop(0)) if rest and not _is_token(rest[0]) else None
        return syntax.OutputSyntax(str(name), axes, str(rest[1]) if rest else None, self._span(name))

    def _axes(self, tree: Any) -> tuple[syntax.Axis, ...]:
        keywords = ("STAR", "WITHOUT", "UNLESS", "BY", "FLAT", "AS")
        return tuple(
            syntax.Axis(
                str(axis.data),
                tuple(str(word) for word in axis.children if not _is_token(word, *keywords)),
                self._span(axis),
            )
            for axis in tree.children
        )

    def _condition(self, tree: Any) -> Any:
        if tree.data == "requirement":
            return self.expression(tree.children[0])
        if tree.data == "sizes_of":
            value = syntax.Name(str(tree.children[3]), self._span(tree.children[3]))
            return syntax.SizeOf(str(tree.children[1]), value, True, self._span(tree))
        return syntax.SizeOf(
            str(tree.children[0]), self.expression(tree.children[2]), False, self._span(tree.children[0])
        )

    def _definition(self, tree: Any) -> syntax.Definition:
        name, *axes, value = [part for part in tree.children if not _is_token(part, "GRAD", "EQUAL")]
        between = self._axes(axes[0]) if axes else None
        return syntax.Definition(str(name), between, self.expression(value), self._span(name))

    def _use(self, tree: Any) -> syntax.Use:
        _, outputs, _, op, *rest = tree.children
        settings = [part for part in rest if part.data == "setting"]
        arguments = rest[: len(rest) - len(settings)]
        return syntax.Use(
            tuple(self._output(each) for each in outputs.children),
            str(op),
            tuple(self.expression(each) for each in arguments),
            tuple(self._setting(each) for each in settings),
            self._span(op),
        )

    def _setting(self, tree: Any) -> syntax.SettingSyntax:
        name, _, value = tree.children
        several = value.data == "expressions"
        found = tuple(self.expression(each) for each in value.children) if several else self.expression(value)
        return syntax.SettingSyntax(str(name), found, self._span(name))

    def _sample(self, tree: Any) -> syntax.Sample:
        _, name, _, low, high = tree.children
        return syntax.Sample(str(name), self.expression(low), self.expression(high), self._span(name))

    # expressions

    def expression(self, tree: Any) -> Any:
        span = self._span(tree)
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise span.error(f"this expression is nested more than {MOST_NESTED} deep; give parts of it a name")
        found = getattr(self, "_read_" + tree.data)(tree.children, span)
        self._depth -= 1
        return found

    def _read_select(self, parts: list[Any], span: Span) -> syntax.Select:
        condition, _, first, _, second = parts
        return syntax.Select(self.expression(condition), self.expression(first), self.expression(second), span)

    def _read_infix(self, parts: list[Any], span: Span) -> syntax.Infix:
        left, sign, right = parts
        self._require_apart(left, span)
        self._require_apart(right, span)
        return syntax.Infix(str(sign), self.expression(left), self.expression(right), span)

    def _read_grouped(self, parts: list[Any], span: Span) -> Any:
        return self.expression(parts[0])

    def _require_apart(self, part: Any, span: Span) -> None:
        """A reading with `else` beside an operator could mean either: `x[p] else 1 / 2`."""
        if not _is_token(part) and part.data == "guarded" and len(part.children) > 1:
            raise span.error(
                "a reading with 'else' stands in parentheses beside an operator: (x[p] else 1) / 2, or x[p] else "
                "(1 / 2)"
            )

    def _read_prefix(self, parts: list[Any], span: Span) -> Any:
        self._require_apart(parts[1], span)
        return syntax.Prefix(str(parts[0]), self.expression(parts[1]), span)

    def _read_guarded(self, parts: list[Any], span: Span) -> Any:
        reading = self.expression(parts[0])
        if len(parts) == 1:
            return reading
        if not isinstance(reading, syntax.Subscripted):
            raise span.error("'else' stands behind a reading with positions, as in x[p + 1] else 0")
        return syntax.Guarded(reading, self.expression(parts[2]), span)

    def _read_table(self, parts: list[Any], span: Span) -> syntax.Table:
        if len(parts) > MOST_ENTRIES:
            raise span.error(f"a table in a text has at most {MOST_ENTRIES} entries; a longer one is an operand")
        return syntax.Table(tuple(self.expression(each) for each in parts), span)

    def _read_name(self, parts: list[Any], span: Span) -> syntax.Name:
        return syntax.Name(str(parts[0]), span)

    def _read_text(self, parts: list[Any], span: Span) -> syntax.Text:
        return syntax.Text(str(parts[0])[1:-1], span)

    def _read_call(self, parts: list[Any], span: Span) -> syntax.Call:
        return syntax.Call(str(parts[0]), tuple(self.expression(each) for each in parts[1:]), span)

    def _read_subscripted(self, parts: list[Any], span: Span) -> syntax.Subscripted:
        return syntax.Subscripted(str(parts[0]), tuple(self.expression(each) for each in parts[1:]), span)

    def _read_reduction(self, parts: list[Any], span: Span) -> syntax.Reduction:
        kind = str(parts[0])
        over = tuple(self._bound(kind, self.expression(each)) for each in parts[1:-1])
        bodies = tuple(self.expression(each) for each in parts[-1].children)
        return syntax.Reduction(kind, over, bodies, span)

    def _bound(self, kind: str, each: Any) -> syntax.Name | syntax.Every | syntax.Along:
        if isinstance(each, (syntax.Name, syntax.Every)):
            return each
        if isinstance(each, syntax.Infix) and each.sign in _AS_FAR_AS and isinstance(each.left, syntax.Name):
            return syntax.Along(each.left, each.sign, each.right, each.span)
        raise each.span.error(f"{kind}[…] binds names of indices, as in {kind}[k](…) or {kind}[s <= t](…)")

    def _read_every(self, parts: list[Any], span: Span) -> syntax.Every:
        return syntax.Every(str(parts[1]), span)

    def _read_each(self, parts: list[Any], span: Span) -> syntax.Each:
        return syntax.Each(self.expression(parts[1]), span)

    def _read_literal(self, parts: list[Any], span: Span) -> syntax.Literal:
        value = self._value(parts[-1].children[0])
        return syntax.Literal(-value if len(parts) > 1 else value, span)

    def _read_number(self, parts: list[Any], span: Span) -> syntax.Literal:
        return syntax.Literal(self._value(parts[0]), span)

    def _literal(self, tree: Any) -> syntax.Literal:
        return self._read_literal(tree.children, self._span(tree))

    def _value(self, token: Any) -> bool | int | float:
        if token.type == "CONSTANT":
            return _CONSTANTS[str(token)]
        if token.type == "DECIMAL":
            return float(token)
        if len(token) > len(str(_LARGEST)) or int(token) > _LARGEST:
            raise self._span(token).error(
                f"a whole number is at most {_LARGEST} (2^63, for the least int64); write it as a decimal, such as 1e20"
            )
        return int(token)

    def _span(self, item: Any) -> Span:
        meta = item if _is_token(item) else item.meta
        end = meta.end_column if meta.end_line == meta.line else 10**6
        return Span(self.source, self._lines + meta.line, meta.column, end)


def _sizes_of_tables(
    definitions: Sequence[syntax.Definition], given: Sequence[syntax.SizeOf]
) -> Iterator[syntax.SizeOf]:
    """An index of a table is as long as the table, where no `where` gives it a size."""
    known = {each.index: each.value for each in given}
    for each in definitions:
        if not isinstance(each.value, syntax.Table):
            continue
        lengths = each.value.lengths()
        if len(each.axes or ()) != len(lengths) or any(axis.kind != "index" for axis in each.axes or ()):
            shown = ", ".join("ijklmn"[: len(lengths)])
            raise each.span.error(f"a table has an index for each of its axes: {each.name}[{shown}] = …;")
        for axis, length in zip(each.axes or (), lengths, strict=True):
            of = known.get(axis.names[0])
            if of is None:
                known[axis.names[0]] = syntax.Literal(length, axis.span)
                yield syntax.SizeOf(axis.names[0], known[axis.names[0]], False, axis.span)
            elif not isinstance(of, syntax.Literal) or of.value != length:
                raise axis.span.error(f"{each.name} has {length} entries along {axis.names[0]}, which has another size")


def _is_token(item: Any, *types: str) -> bool:
    kind = getattr(item, "type", None)
    return kind is not None and (not types or kind in types)
