"""A text as the parser's tree, with every word in it: punctuation too, and the comments and line ends before each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from netcl.kernels.compiler.language import parse
from netcl.kernels.compiler.language.syntax import Source


@dataclass(frozen=True)
class Note:
    """A comment; `behind` a word on its line, or on a line of its own, with an empty line before it when `blank`."""

    text: str
    behind: bool
    blank: bool


@dataclass(frozen=True)
class Word:
    """`kind` is the terminal, `rule` that of the grammar it stands in; `newline` and `blank` are what the author put
    before it."""

    text: str
    kind: str
    rule: str
    notes: tuple[Note, ...]
    newline: bool
    blank: bool


@dataclass(frozen=True)
class Branch:
    """A rule of the grammar and what it was made of."""

    rule: str
    children: tuple[Branch | Word, ...]

    def words(self) -> Iterator[Word]:
        for child in self.children:
            if isinstance(child, Word):
                yield child
            else:
                yield from child.words()


def branches(source: Source) -> tuple[list[Branch], Word]:
    """The declarations, and a word without text for the end. Raises KernelLanguageError as `parse` does."""
    parse.parse(source)
    reader = _Reader(source.text)
    found = [reader.branch(tree) for tree in _parser().parse(source.text).children]
    return found, reader.word("", "END", "start", len(source.text))


@lru_cache(maxsize=1)
def _parser() -> Any:
    grammar = Path(parse.__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return parse.reader().Lark(grammar, parser="lalr", maybe_placeholders=False, keep_all_tokens=True)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.end = 0

    def branch(self, tree: Any) -> Branch:
        children: list[Branch | Word] = []
        for child in tree.children:
            if hasattr(child, "data"):
                children.append(self.branch(child))
            else:
                children.append(self.word(str(child), child.type, str(tree.data), child.start_pos))
        return Branch(str(tree.data), tuple(children))

    def word(self, text: str, kind: str, rule: str, start: int) -> Word:
        behind, *below = self.text[self.end : start].split("\n")
        notes = []
        if behind.strip():
            notes.append(Note(behind.strip(), self.end > 0, False))
        blank = False
        for line in below[:-1]:
            if line.strip():
                notes.append(Note(line.strip(), False, blank))
            blank = not line.strip()
        if kind == "END" and below and below[-1].strip():
            notes.append(Note(below[-1].strip(), False, blank))
        self.end = start + len(text)
        return Word(text, kind, rule, tuple(notes), bool(below), blank)
