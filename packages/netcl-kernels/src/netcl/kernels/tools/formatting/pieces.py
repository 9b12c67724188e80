"""A branch of the tree as pieces: which words stand close together, and where a line may break.

Lines break inside brackets, behind commas and before operators. What brackets do not enclose stays together, unless it
is too long for that (`open_operators`).
"""

from __future__ import annotations

from collections.abc import Sequence

from netcl.kernels.tools.formatting.lines import SPACE, Break, Comment, Group, Indented, Piece
from netcl.kernels.tools.formatting.words import Branch, Word

_CLOSING = {"LPAR": "RPAR", "LSQB": "RSQB"}
_TIGHT_BEFORE = {"COMMA", "SEMICOLON", "RPAR", "RSQB"}
_TIGHT_AFTER = {"LPAR", "LSQB"}
_SIGNS = {"infix", "select"}
"""Rules whose words are operators between two values. In all others - and * stand close to what follows."""
_LEVELS = {
    "OR": 1, "AND": 2, "COMPARISON": 3, "BAR": 4, "AMPERSAND": 5, "SHIFT": 6, "PLUS": 7, "MINUS": 7, "CARET": 9,
}  # fmt: skip


class Pieces:
    """Turns branches into pieces, in the order of the text: each word looks at the one before it."""

    def __init__(self, open_operators: bool = False) -> None:
        self.open_operators = open_operators
        self.before: Word | None = None
        self.depth = 0
        self._spaced = False  # whether the next word needs no space of its own, because a break stands before it

    def of(self, children: Sequence[Branch | Word]) -> list[Piece]:
        """The pieces of some neighbours in the tree."""
        found: list[Piece] = []
        at = 0
        while at < len(children):
            child = children[at]
            if isinstance(child, Branch):
                found += self._branch(child)
            elif child.kind in _CLOSING:
                end = _closing(children, at)
                found += self._brackets(children[at : end + 1])
                at = end
            else:
                found += self._word(child)
            at += 1
        return found

    def line(self, soft: bool = False) -> Break:
        """A place between two words where a line may break."""
        self._spaced = True
        return Break(SPACE, soft)

    def space(self) -> Piece:
        """A space that belongs to the word before it."""
        self._spaced = True
        return SPACE

    def listed(self, children: Sequence[Branch | Word]) -> list[Piece]:
        """Items between commas; a line that its author ended behind one of them stays ended."""
        found: list[Piece] = []
        for child in children:
            first = child if isinstance(child, Word) else next(child.words())
            if found and self.before is not None and self.before.kind == "COMMA":
                found.append(self.line(soft=not first.newline))
            found += self.of([child])
        return found

    def _branch(self, branch: Branch) -> list[Piece]:
        if branch.rule not in _SIGNS:
            return self.of(branch.children)
        found: list[Piece] = []
        breakable = self.depth > 0 or self.open_operators
        for child in branch.children:
            if isinstance(child, Word):
                found += [*([self.line()] if breakable else []), *self._word(child)]
            elif child.rule == "infix" and branch.rule == "infix" and _level(child) == _level(branch):
                found += self._pieces_of_chain(child)
            else:
                found += self.of([child])
        return [Group(tuple(found))]

    def _pieces_of_chain(self, branch: Branch) -> list[Piece]:
        """a + b in a + b + c: all of its lines break, or none."""
        [piece] = self._branch(branch)
        assert isinstance(piece, Group)
        return list(piece.pieces)

    def _brackets(self, children: Sequence[Branch | Word]) -> list[Piece]:
        opening, *inside, closing = children
        found = self.of_word(opening)
        self.depth += 1
        inner: list[Piece] = [Break()]
        for child in inside:
            if self.before is not None and self.before.kind == "COMMA":
                inner.append(self.line(soft=True))
            inner += self.of([child])
        self.depth -= 1
        return [*found, Group((Indented(tuple(inner)), Break(), *self.of_word(closing)))]

    def of_word(self, word: Branch | Word) -> list[Piece]:
        assert isinstance(word, Word)
        return self._word(word)

    def _word(self, word: Word) -> list[Piece]:
        found: list[Piece] = []
        if self.before is not None and not self._spaced and not self._close(self.before, word):
            found.append(SPACE)
        self._spaced = False
        found += [Comment(note.text, note.behind) for note in word.notes]
        self.before = word
        return [*found, word.text]

    def _close(self, before: Word, word: Word) -> bool:
        if word.kind in _TIGHT_BEFORE or before.kind in _TIGHT_AFTER:
            return True
        if before.kind in ("STAR", "MINUS", "TILDE") and before.rule not in _SIGNS:
            return True
        if word.kind in _TIGHT_AFTER:
            return before.kind in ("NAME", "RSQB")
        return word.kind == "COLON" and word.rule not in _SIGNS


def _closing(children: Sequence[Branch | Word], at: int) -> int:
    """Where the bracket that opens at `at` is closed: in the grammar both stand in one rule."""
    opening = children[at]
    assert isinstance(opening, Word)
    wanted = _CLOSING[opening.kind]
    return next(
        end for end in range(at + 1, len(children)) if isinstance(each := children[end], Word) and each.kind == wanted
    )


def _level(branch: Branch) -> int:
    return next(_LEVELS.get(child.kind, 8) for child in branch.children if isinstance(child, Word))
