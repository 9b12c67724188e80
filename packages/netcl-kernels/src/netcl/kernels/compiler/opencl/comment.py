"""Comments in generated text: whatever they quote, each stays one line that a compiler skips."""

from __future__ import annotations

import re

_LONGEST = 240
_NOT_PLAIN = re.compile(r"[^ -~]")
_LINES = re.compile(r"^ *//.*\n", re.MULTILINE)
_ENDS = re.compile(r"(?<=\?)(?=\?)|(?<=\*)(?=/)|(?<=/)(?=\*)")
"""Between the characters that make a trigraph, or begin or end a comment of the other kind."""


def comment(*lines: str) -> str:
    """These lines as a comment. What is not printable ASCII is named, as in `<U+000A>`; a backslash, which would join
    the next line, becomes a slash."""
    return "".join(f"// {_plain(line)}".rstrip() + "\n" for line in lines)


def without_comments(text: str) -> str:
    """Generated text without its lines of comment."""
    return _LINES.sub("", text)


def _plain(text: str) -> str:
    text = _NOT_PLAIN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text).replace("\\", "/")
    text = _ENDS.sub(" ", text)
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]} ... {text[-half:]}"
