"""Pieces of HTML for notebooks: what `_repr_html_` of tensors, nodes, ops and profiles is made of.

Whatever is no `Html` yet is escaped. Colours are those of the page (`currentColor`, `inherit`), so that it may be light
or dark; there is no script. A notebook shows whatever a cell ends with, so a picture must be cheap, and must never be
what goes wrong: the methods make theirs `safely`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any, TypeVar

Thing = TypeVar("Thing")

_PLAIN = "color:inherit;background:none"
_CODE = "margin:0.2em 0;font-family:monospace;white-space:pre;overflow-x:auto"
_CELL = "padding:0.1em 0.6em;vertical-align:top"
_RULE = "border-bottom:1px solid currentColor"


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def safely(picture: Callable[[Thing], Html], value: Thing) -> Html:
    """`picture(value)`, or what went wrong: the memory or the graph behind a value may be gone."""
    try:
        return picture(value)
    except Exception as error:  # the driver has errors of its own
        return heading(type(value).__name__, f"cannot be shown: {type(error).__name__}: {error}")


def html(value: Any) -> Html:
    """A value as text, escaped, unless it is HTML."""
    return value if isinstance(value, Html) else Html(escape(str(value)))


def joined(*parts: Any) -> Html:
    """These one after the other."""
    return Html("".join(map(html, parts)))


def heading(kind: str, *facts: Any) -> Html:
    """What it is, in bold, and what is to be known of it, on one line."""
    return Html(f"<div><b>{html(kind)}</b> {' · '.join(map(html, facts))}</div>")


def code(text: Any) -> Html:
    """The text of a program, with its spaces and line ends."""
    return Html(f'<pre style="{_CODE};{_PLAIN}">{html(text)}</pre>')


def folded(summary: Any, inside: Any, is_open: bool = False) -> Html:
    """What a click on the summary shows and hides."""
    return Html(f"<details{' open' if is_open else ''}><summary>{html(summary)}</summary>{html(inside)}</details>")


def table(columns: Sequence[Any], rows: Iterable[Sequence[Any]], words: int = 1) -> Html:
    """A table under the names of its columns: the first `words` of them begin at the left, the others end at the
    right, as numbers do."""
    lines = [_row("th", columns, words, f"{_CELL};{_RULE}"), *(_row("td", each, words, _CELL) for each in rows)]
    return Html(f'<table style="border-collapse:collapse;{_PLAIN}">{"".join(lines)}</table>')


def _row(kind: str, values: Sequence[Any], words: int, style: str) -> str:
    sides = ["left" if at < words else "right" for at in range(len(values))]
    pairs = zip(sides, values, strict=True)
    cells = [f'<{kind} style="text-align:{side};{style}">{html(each)}</{kind}>' for side, each in pairs]
    return f"<tr>{''.join(cells)}</tr>"
