"""Statements as lines of OpenCL C: those within others are lists in the list."""

from __future__ import annotations

Lines = list["str | Lines"]


def text_of(lines: Lines, depth: int = 1) -> str:
    """Statements with their indentation."""
    parts = []
    for line in lines:
        parts.append(text_of(line, depth + 1) if isinstance(line, list) else "    " * depth + line + "\n")
    return "".join(parts)
