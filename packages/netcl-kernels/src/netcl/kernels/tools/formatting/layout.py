"""Declarations one below the other, an empty line between them; statements on lines of their own.

A body that its author wrote on one line stays there where it fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from netcl.kernels.compiler.language.syntax import Source
from netcl.kernels.tools.formatting.lines import WIDTH, Group, Indented, Piece, written
from netcl.kernels.tools.formatting.pieces import Pieces
from netcl.kernels.tools.formatting.words import Branch, Word, branches

_INDENT = 4


def laid_out(text: str, file: str = "<string>") -> str:
    """The text in its layout: laying it out again changes nothing, and both have the same syntax tree.

    Raises KernelLanguageError where the text is not of the language.
    """
    declarations, end = branches(Source(text.replace("\r\n", "\n"), file))
    lines: list[str] = []
    for before, declaration in zip([None, *declarations], declarations, strict=False):
        first = next(declaration.words())
        _above(lines, first, 0, before is not None and (first.kind == "DOC" or _name(before) != _name(declaration)))
        lines += _declaration(declaration)
    _above(lines, end, 0, False)
    return "".join(f"{line}\n" for line in lines)


def _declaration(declaration: Branch) -> list[str]:
    """From the docstring to the closing brace; what is written above it is not its business."""
    children = list(declaration.children)
    lines: list[str] = []
    if _kind(children[0]) == "DOC":
        lines = _word(children.pop(0)).text.split("\n")
        _above(lines, replace(_word(children[0]), blank=False), 0, False)
    opening = next(at for at, child in enumerate(children) if _kind(child) == "LBRACE")
    heading = written(_heading([_plain(_word(children[0])), *children[1:opening]], children[opening]))
    body = [child for child in children[opening + 1 : -1] if isinstance(child, Branch)]
    closing = _word(children[-1])
    one_line = _on_one_line(heading, body, closing)
    if one_line is not None:
        return [*lines, one_line]
    inside = [*lines, *heading.split("\n")]
    begin = len(inside)
    for statement in body:
        _above(inside, next(statement.words()), _INDENT, False, begin)
        inside += _statement(statement).split("\n")
    _above(inside, replace(closing, blank=False), _INDENT, False, begin)
    return [*inside, "}"]


def _heading(children: Sequence[Branch | Word], brace: Branch | Word) -> list[Piece]:
    """`op name(operands; attributes) -> outputs saving … where … {`: broken before `{`, and between its
    parts where it must be."""
    pieces = Pieces()
    result = next(at for at, child in enumerate(children) if _kind(child) == "ARROW")
    opening = next(at for at, child in enumerate(children) if _kind(child) == "LPAR")
    signature = pieces.of(children[:opening]) + pieces.of_word(children[opening])
    inside: list[Piece] = []
    for child in children[opening + 1 : result - 1]:
        if inside and isinstance(child, Branch):
            inside.append(pieces.line(soft=not next(child.words()).newline))  # between operands and attributes
        inside += pieces.listed(child.children) if isinstance(child, Branch) else pieces.of_word(child)
    signature += [Indented(tuple(inside), None), *pieces.of_word(children[result - 1])]
    behind: list[Piece] = [pieces.line(soft=not _word(children[result]).newline), *pieces.of_word(children[result])]
    for child in children[result + 1 :]:
        if isinstance(child, Branch) and child.rule in ("saving", "where"):
            word, *listed = child.children
            behind += [pieces.line(soft=not _word(word).newline), *pieces.of_word(word), pieces.space()]
            behind.append(Group((Indented(tuple(pieces.listed(listed)), None),)))
        else:
            behind += pieces.of([child])
    return [*signature, Indented(tuple(behind)), pieces.line(), *pieces.of_word(brace)]


def _statement(statement: Branch) -> str:
    children = [_plain(_word(statement.children[0])), *statement.children[1:]]
    text = written(Pieces().of(children), _INDENT)
    if any(len(line) > WIDTH for line in (" " * _INDENT + text).split("\n")):
        return " " * _INDENT + written([Indented(tuple(Pieces(open_operators=True).of(children)))], _INDENT)
    return " " * _INDENT + text


def _on_one_line(heading: str, body: Sequence[Branch], closing: Word) -> str | None:
    if any(word.newline for statement in body for word in statement.words()) or closing.newline:
        return None
    line = " ".join([heading, *(_statement(statement).strip() for statement in body), "}"])
    return line if "\n" not in line and len(line) <= WIDTH else None


def _above(lines: list[str], word: Word, indent: int, apart: bool, begin: int = 0) -> None:
    """Adds the comments before a word, and empty lines as their author has them: one at most, one where `apart`.

    Nothing is added above lines[begin].
    """
    for note in word.notes:
        if note.behind:
            lines[-1] += f"  {note.text}"
            continue
        if len(lines) > begin and (note.blank or apart):
            lines.append("")
        apart = False
        lines.append(" " * indent + note.text)
    if len(lines) > begin and (word.blank or apart) and word.kind != "END":
        lines.append("")


def _plain(word: Word) -> Word:
    """A word whose comments have been written."""
    return replace(word, notes=())


def _word(child: Branch | Word) -> Word:
    assert isinstance(child, Word)
    return child


def _kind(child: Branch | Word) -> str:
    return child.kind if isinstance(child, Word) else ""


def _name(declaration: Branch) -> str:
    return next(word.text for word in declaration.words() if word.kind == "NAME")
