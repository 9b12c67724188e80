"""How names are spelled in C, so that none is a word of the language, a macro of a driver or a name of ours.

A name that comes from outside (an operand, index, attribute, output, op) ends in `_`, also with a word of ours in front
or behind: `x_`, `x_offset_`, `size_k_`. What the emitter adds to a spelled name begins with one more: `k__begin`,
`sigmoid__item`. No word of C or OpenCL and no macro ends in a single `_` unless it begins with one, which no name here
does; names of ours neither end in `_` nor have two of them in a row. So three kinds of names never meet, and within a
function `Names` gives each only once.
"""

from __future__ import annotations

import hashlib
import re

_LONGEST = 48
"""Names become names of files, which may have 255 bytes, and C promises to tell 63 characters apart."""

_MORE = re.compile(r"&[^&' ]*")
_NO_LETTER = re.compile(r"[^A-Za-z0-9]+")


class Names:
    """The names of one function: readable, and each given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}
        """The number that comes next behind a name."""

    def fresh(self, wanted: str) -> str:
        """A name that has something from outside in it."""
        return self._given(_readable(wanted), "_")

    def own(self, word: str) -> str:
        """A word of ours, which is none of OpenCL's."""
        return self._given(word, "")

    def again(self, name: str, owner: str = "") -> str:
        """The name here of what has this one in another function; `owner` is a word of ours for that."""
        behind = f"_{owner}" if owner else ""
        return self.fresh(name + behind) if name.endswith("_") else self.own(name + behind)

    def _given(self, body: str, end: str) -> str:
        wanted = name = f"{body}{end}"
        number = self._numbers.get(wanted, 2)
        while name in self._taken:
            name, number = f"{body}_{number}{end}", number + 1
        self._numbers[wanted] = number
        self._taken.add(name)
        return name


def function_name(name: str, word: str) -> str:
    """The function that is called for this op, or part of one; `word` says what it does."""
    return f"{_readable(name)}__{word}"


def _readable(text: str) -> str:
    """Letters, digits and single `_` between them, made from a name of the IR (`k'`, `stride.0`); a long one ends in a
    digest instead. An index that runs over several, `i&k`, is called as the first of them: a loop over all elements has
    one text, however many axes there are."""
    plain = _MORE.sub("", text).replace("'", "_copy").replace("#", "_block").replace("@", "_at")
    cleaned = _NO_LETTER.sub("_", plain).strip("_") or "value"
    if cleaned[0].isdigit():
        cleaned = "n" + cleaned
    if len(cleaned) <= _LONGEST:
        return cleaned
    return f"{cleaned[:_LONGEST].strip('_')}_{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"
