"""Where lines break: a piece gets as few lines as its width allows (after Wadler, "A prettier printer", 2003).

A Group stands on one line if it fits there. Otherwise its own Breaks end lines, and groups inside it are asked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 120
SPACE = " "


@dataclass(frozen=True)
class Break:
    """A place for a line end in a group that does not fit, else `flat`; a soft one ends a line only where it must."""

    flat: str = ""
    soft: bool = False


@dataclass(frozen=True)
class Comment:
    """The line ends behind it; it stands on a line of its own unless it is `behind` a word."""

    text: str
    behind: bool


@dataclass(frozen=True)
class Group:
    """Pieces that stay on one line together, or do not."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Indented:
    """Pieces of the group around it whose lines begin further in: by a number of columns, or (None) where it begins."""

    pieces: tuple[Piece, ...]
    by: int | None = 4


Piece = str | Break | Comment | Group | Indented


def written(pieces: Sequence[Piece], indent: int = 0) -> str:
    """The pieces, as a group, on lines that begin at `indent`; without that of the first line."""
    writer = _Writer(indent)
    writer.write(Group(tuple(pieces)), indent, False, [])
    return "".join(writer.parts)


class _Writer:
    def __init__(self, indent: int) -> None:
        self.parts: list[str] = []
        self.column = indent
        self.gap: str | int = ""  # what comes before the next word: spaces, or a line end and an indent

    def write(self, piece: Piece, indent: int, flat: bool, rest: Sequence[Piece]) -> None:
        """`rest` is what follows, as far as it may have to stand on the same line."""
        if isinstance(piece, str):
            self._word(piece)
        elif isinstance(piece, Break):
            self._break(piece, indent, flat, rest)
        elif isinstance(piece, Comment):
            if piece.behind:
                self.parts.append(f"  {piece.text}")
            else:
                self.gap = indent if isinstance(self.gap, str) else self.gap
                self._word(piece.text)
            self.gap = indent if isinstance(self.gap, str) else self.gap
        else:
            if isinstance(piece, Group):
                flat = flat or (not _breaks(piece) and self._fits([piece, *rest], 1))
            elif piece.by is None:
                indent = self.column + len(self.gap) if isinstance(self.gap, str) else self.gap
            else:
                indent += piece.by
            for at, each in enumerate(piece.pieces):
                self.write(each, indent, flat, [*piece.pieces[at + 1 :], *rest])

    def _break(self, piece: Break, indent: int, flat: bool, rest: Sequence[Piece]) -> None:
        if flat or (piece.soft and isinstance(self.gap, str) and self._item_fits(piece, rest)):
            self._word(piece.flat)
        else:
            self.gap = indent

    def _item_fits(self, piece: Break, rest: Sequence[Piece]) -> bool:
        """Whether what stands between this break and the next one of the group fits on the line."""
        opened = _opened(rest)
        until = next((at for at, each in enumerate(opened) if isinstance(each, Break)), len(opened))
        return self._fits([piece.flat, *opened], until + 1)

    def _word(self, text: str) -> None:
        if text in ("", SPACE):
            self.gap = text if self.gap == "" else self.gap
            return
        before = self.gap if isinstance(self.gap, str) else "\n" + " " * self.gap
        self.column = len(text) + (self.column + len(self.gap) if isinstance(self.gap, str) else self.gap)
        self.parts += [before, text]
        self.gap = ""

    def _fits(self, pieces: Sequence[Piece], whole: int) -> bool:
        """Whether the first `whole` pieces, and what follows up to where a line may end, stand in what is left."""
        left = WIDTH - (self.column + len(self.gap) if isinstance(self.gap, str) else self.gap)
        for at, piece in enumerate(pieces):
            for each in _leaves(piece):
                if isinstance(each, Comment) or (isinstance(each, Break) and at >= whole):
                    return left >= 0
                left -= len(each.flat) if isinstance(each, Break) else len(each)
                if left < 0:
                    return False
        return True


def _opened(pieces: Sequence[Piece]) -> list[Piece]:
    return [part for each in pieces for part in (_opened(each.pieces) if isinstance(each, Indented) else [each])]


def _breaks(piece: Piece) -> bool:
    """Whether a piece cannot stand on one line."""
    return any(isinstance(each, Comment) for each in _leaves(piece))


def _leaves(piece: Piece) -> list[str | Break | Comment]:
    if isinstance(piece, (Group, Indented)):
        return [leaf for each in piece.pieces for leaf in _leaves(each)]
    return [piece]
