"""Where the declarations of a text stand and what they are called, found without reading them.

Input: a text whose declarations are right. Output: a `Heading` for each, as much as the names of its ops need; `parse`
reads one, when somebody wants its formula.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from netcl.kernels.compiler.language.syntax import Source

START = re.compile(r'^[ \t]*(?:(?P<doc>"""(?:[^"]|"(?!""))*""")\s*)?op\b', re.MULTILINE)
"""Where a declaration begins: at the start of a line."""

_NAMES = re.compile(r"\s+(?P<name>\w+)(?:\s+also\s+(?P<also>\w+(?:\s*,\s*\w+)*))?\s*\(")


@dataclass(frozen=True)
class Heading:
    """A declaration from place `begin` of a text, the start of a line, to `end`; with its names and its docstring."""

    source: Source
    begin: int
    end: int
    name: str
    also: tuple[str, ...]
    doc: str


def outline(source: Source) -> list[Heading]:
    """The headings of a text, in order."""
    found = []
    starts = list(START.finditer(source.text))
    ends = [each.start() for each in starts[1:]] + [len(source.text)]
    for start, end in zip(starts, ends, strict=True):
        names = _NAMES.match(source.text, start.end())
        if names is None:
            raise ValueError(f"{source.file}: no name stands behind the 'op' at {start.end()}")
        also = tuple(re.findall(r"\w+", names["also"] or ""))
        found.append(Heading(source, start.start(), end, names["name"], also, docstring(start["doc"] or "")))
    return found


def docstring(written: str) -> str:
    """What a docstring says, without its quotes and on one line."""
    return " ".join(written.strip('"').split())
