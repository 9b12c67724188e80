"""Parsed texts, kept in the private cache by their content: a warm start reads JSON and does not import lark.

What is kept is the syntax tree as lists of names and numbers; it is checked by its digest, never executed or unpickled,
and a file, grammar or parser that changed has another key. Nothing here knows what a declaration means.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from netcl.core import cache as disk
from netcl.core.errors import KernelLanguageError
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.language.outline import Heading
from netcl.kernels.compiler.language.parse import parse, parse_one, parsed
from netcl.kernels.compiler.specialise import check

_NODES = {
    kind.__name__: kind
    for kind in vars(syntax).values()
    if isinstance(kind, type) and hasattr(kind, "__dataclass_fields__")
}
_FIELDS = {name: tuple(each.name for each in fields(kind)) for name, kind in _NODES.items()}


def declarations(source: syntax.Source) -> list[syntax.Declaration]:
    """The declarations of a text, parsed and checked, or as they were kept after that. Raises KernelLanguageError.

    One that uses other ops can only be checked when it is linked, which is not done here.
    """

    def made() -> list[syntax.Declaration]:
        found = parse(source)
        wrong = [mistake for each in found if not each.uses for mistake in check.mistakes(each)]
        if wrong:
            raise KernelLanguageError.of(wrong)
        return found

    return _kept(disk.key_of("syntax", _parser_key(), source.file, source.text), source, made)


class _Mistaken(Exception):
    """A text with mistakes, and what could be read of it: that is not kept."""

    def __init__(self, found: list[syntax.Declaration], mistakes: list[KernelLanguageError]) -> None:
        self.found = found
        self.mistakes = mistakes


def read(source: syntax.Source) -> tuple[list[syntax.Declaration], list[KernelLanguageError]]:
    """The declarations of a text that can be read, and its mistakes of spelling; or as they were kept, without any."""

    def made() -> list[syntax.Declaration]:
        found, mistakes = parsed(source)
        if mistakes:
            raise _Mistaken(found, mistakes)
        return found

    try:
        return _kept(disk.key_of("spelling", _parser_key(), source.file, source.text), source, made), []
    except _Mistaken as error:
        return error.found, error.mistakes


def declaration(heading: Heading) -> syntax.Declaration:
    """A declaration of a text that is right, parsed, or as it was kept after that."""
    source = heading.source
    text, line = source.text[heading.begin : heading.end], source.text.count("\n", 0, heading.begin)
    key = disk.key_of("syntax of one", _parser_key(), source.file, str(line), text)
    return _kept(key, source, lambda: [parse_one(heading)])[0]


def _kept(key: str, source: syntax.Source, make: Callable[[], list[syntax.Declaration]]) -> list[syntax.Declaration]:
    found = disk.load(key)
    if found is not None:
        with contextlib.suppress(ValueError, LookupError, TypeError):  # what is no syntax tree is parsed again
            return _trees(json.loads(found[0]), source)
    made = make()
    disk.save(key, json.dumps([_written(each) for each in made], separators=(",", ":")).encode(), {"file": source.file})
    return made


@cache
def _parser_key() -> str:
    """What a syntax tree, and whether it is accepted, depend on beside its text."""
    language, specialise = Path(syntax.__file__).parent, Path(check.__file__).parent
    parts = [
        *(language / name for name in ("grammar.lark", "outline.py", "parse.py", "syntax.py")),
        *(specialise / name for name in ("check.py", "check_names.py")),
        Path(__file__),
    ]
    return disk.key_of(*(path.read_text(encoding="utf-8") for path in parts))


def _written(node: Any) -> Any:
    """A span as three numbers, another node as its name and its fields, a tuple as a list that begins with null."""
    if isinstance(node, syntax.Span):
        return ["Span", node.line, node.column, node.end]
    if isinstance(node, syntax.Source):
        return ["Source"]
    if isinstance(node, tuple):
        return [None, *map(_written, node)]
    name = type(node).__name__
    return [name, *(_written(getattr(node, field)) for field in _FIELDS[name])] if name in _FIELDS else node


def _trees(kept: Any, source: syntax.Source) -> list[syntax.Declaration]:
    trees = [_read(each, source) for each in kept] if isinstance(kept, list) else [None]
    if not all(isinstance(each, syntax.Declaration) for each in trees):
        raise TypeError("not declarations")
    return trees


def _read(node: Any, source: syntax.Source) -> Any:
    if not isinstance(node, list):
        return node
    kind: str | None = node[0]
    parts: Sequence[Any] = node[1:]
    if kind == "Span":
        return syntax.Span(source, *parts)
    if kind == "Source":
        return source
    if kind is None:
        return tuple([_read(each, source) for each in parts])
    return _NODES[kind](*[_read(each, source) for each in parts])
