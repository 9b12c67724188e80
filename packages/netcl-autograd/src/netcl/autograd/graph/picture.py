"""Pictures of nodes and of the records behind them: what notebooks show, and what `debugging.drawing` writes.

Records are read and not changed; graphs are walked without recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from netcl.autograd.graph import values
from netcl.autograd.graph.record import Accumulator, Record
from netcl.core.dtypes import name_of
from netcl.core.html import Html, code, folded, heading, html, joined
from netcl.core.tensor_html import tensor_html

if TYPE_CHECKING:
    from netcl.autograd.graph.node import Node

_DRAWN, _OPEN, _COUNTED = 30, 8, 10_000
"""In a notebook: so many records are drawn, so few at once, and so many of the others are counted."""

_TEXT = 1_000
"""So many characters of a value that is no Tensor are shown."""


class Colours(NamedTuple):
    """Those of lines and letters, of boxes, and of the boxes of leaves."""

    line: str
    box: str
    leaf: str


ON_PAPER = Colours("black", "white", "lightblue")

_PAGE = "var(--jp-layout-color0,var(--vscode-editor-background,none))"
IN_A_PAGE = Colours("currentColor", _PAGE, _PAGE)
"""Boxes are as the page around them, where that says how it is: light or dark."""


def node_html(node: Node) -> Html:
    """A node as its value is shown, with what made it, its history and its gradient."""
    facts = ["requires a gradient" if node.requires_grad else "requires no gradient"]
    if node.grad_fn is not None:
        facts.append(f"made by {node.grad_fn.name}")
    elif node.name is not None:
        facts.append(f"{node.name!r}")
    parts = [_value(node.value, "Node", *facts)]
    if node.grad_fn is not None:
        parts.append(_history(node.grad_fn))
    if node.grad is not None:
        parts.append(folded("gradient", _value(getattr(node.grad, "value", node.grad), "")))
    return joined(*parts)


def _value(value: Any, kind: str, *facts: str) -> Html:
    if values.is_device_tensor(value):
        return tensor_html(value, kind, *facts)
    text = repr(value)
    shown = text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
    return joined(heading(kind, f"shape {values.shape_of(value)}", *facts), code(shown))


def _history(record: Record) -> Html:
    records = newest_first(record)
    drawn = list(islice(records, _DRAWN))
    more = sum(1 for _ in islice(records, _COUNTED))
    picture = svg(drawn, lambda each: [title(each), form(each)], IN_A_PAGE)
    rest = f"… and {'at least ' if more == _COUNTED else ''}{more:,} more, which were recorded before" if more else ""
    inside = f'<div style="overflow-x:auto">{html(rest)}{picture}</div>'
    return folded("history", Html(inside), is_open=len(drawn) <= _OPEN)


def newest_first(record: Record) -> Iterator[Record]:
    """The record and all that it leads to, the newest first, each when it is asked for."""
    found = {record.sequence_nr: record}
    waiting = [-record.sequence_nr]
    while waiting:
        record = found[-heappop(waiting)]
        yield record
        for edge in record._edges:
            if edge is not None and edge[0].sequence_nr not in found:
                found[edge[0].sequence_nr] = edge[0]
                heappush(waiting, -edge[0].sequence_nr)


def title(record: Record) -> str:
    """The name of an op, or of a leaf."""
    if isinstance(record, Accumulator):
        leaf = record.variable
        return f"leaf {leaf.name}" if leaf is not None and leaf.name else "leaf"
    return record.name


def form(record: Record) -> str:
    """The shape and dtype of each output."""
    specs = [record.spec(i) for i in range(record._outputs)]
    return ", ".join(f"{shape}" if dtype is None else f"{shape} {_name(dtype)}" for shape, dtype, _ in specs)


def _name(dtype: Any) -> str:
    return name_of(dtype) if isinstance(dtype, np.dtype) else str(dtype)


def svg(records: Sequence[Record], label: Callable[[Record], list[str]], colours: Colours) -> str:
    """A picture with the newest record at the bottom: a row per depth, a box with its label per record."""
    labels = {record.sequence_nr: label(record) for record in records}
    high = 12 + 16 * max(map(len, labels.values()))
    level: dict[int, int] = {}
    rows: dict[int, int] = {}
    place: dict[int, tuple[int, int]] = {}
    for record in reversed(records):  # the oldest first: what a record points to has its level already
        sources = [edge[0].sequence_nr for edge in record._edges if edge is not None]
        row = level[record.sequence_nr] = 1 + max((level[each] for each in sources if each in level), default=-1)
        rows[row] = rows.get(row, 0) + 1
        place[record.sequence_nr] = (20 + 190 * (rows[row] - 1), 20 + (high + 40) * row)
    width, height = 20 + 190 * max(rows.values()), (high + 40) * (1 + max(rows))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        'font-size="12">'
    ]
    for record in records:
        x, y = place[record.sequence_nr]
        for edge in record._edges:
            if edge is not None and edge[0].sequence_nr in place:
                u, v = place[edge[0].sequence_nr]
                parts.append(f'<line x1="{u + 80}" y1="{v + high}" x2="{x + 80}" y2="{y}" stroke="gray"/>')
    for record in records:
        x, y = place[record.sequence_nr]
        is_leaf = isinstance(record, Accumulator)
        parts.append(
            f'<rect x="{x}" y="{y}" width="160" height="{high}" rx="{high // 2 if is_leaf else 4}" '
            f'stroke="{colours.line}" style="fill:{colours.leaf if is_leaf else colours.box}"/>'
        )
        for i, line in enumerate(labels[record.sequence_nr]):
            at = f'x="{x + 80}" y="{y + 20 + 16 * i}" text-anchor="middle"'
            parts.append(f'<text {at} fill="{colours.line}">{escape(line)}</text>')
    return "\n".join([*parts, "</svg>", ""])
