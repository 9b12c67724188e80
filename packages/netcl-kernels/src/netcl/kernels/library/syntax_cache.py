"""Parsed files, kept in the private cache by their content: a warm start reads JSON and does not import lark.

What is kept is the syntax tree as lists of names and numbers; it is checked by its digest, never executed or unpickled,
and a file, grammar or parser that changed has another key. Nothing here knows what a declaration means.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from netcl.core import cache as disk
from netcl.core.errors import KernelLanguageError
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.language.parse import parse
from netcl.kernels.compiler.specialise import check

_NODES = {
    kind.__name__: kind
    for kind in vars(syntax).values()
    if isinstance(kind, type) and hasattr(kind, "__dataclass_fields__")
}
_FIELDS = {name: tuple(each.name for each in fields(kind)) for name, kind in _NODES.items()}


def declarations(source: syntax.Source, checked: bool = False) -> list[syntax.Declaration]:
    """The declarations of a text, parsed and checked, or as they were kept after that. Raises KernelLanguageError.

    One that uses other ops can only be checked when it is linked, which is not done here. What is `checked` already is
    only parsed.
    """
    key = disk.key_of("syntax checked before" if checked else "syntax", _parser_text(), source.file, source.text)
    found = disk.load(key)
    if found is not None:
        with contextlib.suppress(ValueError, LookupError, TypeError):  # what is no syntax tree is parsed again
            return _trees(json.loads(found[0]), source)
    parsed = parse(source)
    alone = [each for each in parsed if not (checked or each.uses)]
    wrong = [mistake for each in alone for mistake in check.mistakes(each)]
    if wrong:
        raise KernelLanguageError.of(wrong)
    disk.save(
        key, json.dumps([_written(each) for each in parsed], separators=(",", ":")).encode(), {"file": source.file}
    )
    return parsed


@cache
def _parser_text() -> str:
    """What a syntax tree, and whether it is accepted, depend on beside its text."""
    language, specialise = Path(syntax.__file__).parent, Path(check.__file__).parent
    parts = [
        *(language / name for name in ("grammar.lark", "parse.py", "syntax.py")),
        *(specialise / name for name in ("check.py", "check_names.py")),
        Path(__file__),
    ]
    return "".join(path.read_text(encoding="utf-8") for path in parts)


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
