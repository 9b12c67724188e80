"""Seeing a graph: as text, as DOT, as a picture, and what it keeps in memory.

All of it reads the records and changes nothing; the graphs are walked without recursion.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from netcl import core
from netcl.autograd.graph.node import Node
from netcl.autograd.graph.picture import ON_PAPER, form, newest_first, svg, title
from netcl.autograd.graph.record import Accumulator, Record
from netcl.core.arguments import explained
from netcl.core.errors import GraphError

__all__ = ["MemoryReport", "draw", "memory_report", "print_graph", "to_dot"]


@explained
def print_graph(node: Any, file: TextIO | None = None) -> str:
    """Print the graph behind a node, one record per line from the newest down, and return the text."""
    records = _records(node)
    names = {id(record): f"%{i}" for i, record in enumerate(reversed(records))}
    lines = []
    for record in records:
        sources = ", ".join("-" if edge is None else _source(names, edge) for edge in record._operand_edges())
        arrow = f" <- {sources}" if sources else ""
        lines.append(f"{names[id(record)]} = {title(record)} {form(record)}{arrow}")
    text = "\n".join(lines)
    print(text, file=file)
    return text


@explained
def to_dot(node: Any) -> str:
    """Return the graph behind a node in the DOT language of Graphviz: op names, shapes, saved bytes, edges."""
    lines = ["digraph {", "  rankdir=BT;", "  node [shape=box];"]
    records = _records(node)
    for record in records:
        style = ", style=filled, fillcolor=lightblue" if isinstance(record, Accumulator) else ""
        label = "\\n".join(part.replace("\\", "/").replace('"', "'") for part in _label(record))
        lines.append(f'  r{record.sequence_nr} [label="{label}"{style}];')
    for record in records:
        for edge in record._edges:
            if edge is not None:
                number = f' [label="{edge[1]}"]' if edge[0]._outputs > 1 else ""
                lines.append(f"  r{edge[0].sequence_nr} -> r{record.sequence_nr}{number};")
    return "\n".join([*lines, "}", ""])


@explained
def draw(node: Any, path: str | Path) -> Path:
    """Write a picture of the graph: .svg, .dot, or with Graphviz installed any format that it knows (.png, .pdf)."""
    path = Path(path)
    if path.suffix == ".svg":
        path.write_text(svg(_records(node), _label, ON_PAPER), encoding="utf-8")
    elif path.suffix in (".dot", ".gv"):
        path.write_text(to_dot(node), encoding="utf-8")
    else:
        program = shutil.which("dot")
        if program is None:
            raise GraphError(
                f"draw: {path.suffix or 'this format'} needs Graphviz (the program dot); install it or use .svg"
            )
        subprocess.run([program, f"-T{path.suffix[1:]}", "-o", str(path)], input=to_dot(node).encode(), check=True)
    return path


@dataclass
class MemoryReport:
    """What a graph keeps for backward. Memory that several records share is counted at the newest of them.

    `live_bytes` and `peak_bytes` are those of the whole process when the report was made, as in `core.memory_stats()`.
    """

    bytes_by_op: dict[str, int] = field(default_factory=dict)
    records_by_op: dict[str, int] = field(default_factory=dict)
    live_bytes: int = 0
    peak_bytes: int = 0

    @property
    def total_bytes(self) -> int:
        """The bytes of all saved values."""
        return sum(self.bytes_by_op.values())

    def __str__(self) -> str:
        width = max([len(name) for name in self.bytes_by_op] + [len("total")])
        rows = sorted(self.bytes_by_op.items(), key=lambda row: (-row[1], row[0]))
        lines = [f"{name:{width}}  {self.records_by_op[name]:6} records  {size:14,} bytes" for name, size in rows]
        total = sum(self.records_by_op.values())
        lines.append(f"{'total':{width}}  {total:6} records  {self.total_bytes:14,} bytes")
        return "\n".join([*lines, f"live {self.live_bytes:,} bytes, at most {self.peak_bytes:,} bytes so far"])


@explained
def memory_report(node: Any) -> MemoryReport:
    """Return how many bytes the ops behind a node have saved for backward, by op."""
    stats = core.memory_stats()
    report = MemoryReport(live_bytes=stats["live_bytes"], peak_bytes=stats["peak_bytes"])
    seen: set[int] = set()
    for record in _records(node):
        if isinstance(record, Accumulator):
            continue
        report.records_by_op[record.name] = report.records_by_op.get(record.name, 0) + 1
        report.bytes_by_op[record.name] = report.bytes_by_op.get(record.name, 0) + _saved_bytes(record, seen)
    return report


def _records(node: Any) -> list[Record]:
    """Return the records behind a node, the newest first."""
    record = node.gradient_edge("graph")[0] if isinstance(node, Node) else node
    if not isinstance(record, Record):
        raise GraphError(f"expected a Node or a record, got a {type(node).__name__}; a plain Tensor has no graph")
    return list(newest_first(record))


def _source(names: dict[int, str], edge: tuple[Record, int]) -> str:
    return names[id(edge[0])] + (f".{edge[1]}" if edge[0]._outputs > 1 else "")


def _label(record: Record) -> list[str]:
    saved = _saved_bytes(record, set())
    return [title(record), form(record)] + ([f"saves {saved:,} bytes"] if saved else [])


def _saved_bytes(record: Record, seen: set[int]) -> int:
    """Return the bytes of the saved values whose memory is not in `seen`; 0 once they are released."""
    try:
        saved = record.saved
    except GraphError:
        return 0
    total = 0
    for value in saved.values():
        value = value.value if isinstance(value, Node) else value
        memory = getattr(value, "buffer", value)
        if id(memory) not in seen and hasattr(value, "nbytes"):
            seen.add(id(memory))
            total += value.nbytes
    return total
