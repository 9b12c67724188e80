"""Reads the page docs/reference/differences.md: what netcl means to do otherwise than PyTorch, and why.

The tables of the page are what the comparison checks, so the page cannot go stale: a difference that is not on it
fails, and so does a row of it that no longer holds. Code in a cell is evaluated, anything else is prose.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

PAGE = Path(__file__).resolve().parents[2] / "docs/reference/differences.md"
CODE = re.compile(r"`([^`]+)`")


class Row(NamedTuple):
    """One difference: what differs, in which results, at which points, and what either library has there."""

    names: tuple[str, ...]
    results: tuple[str, ...]
    where: str
    ours: str
    theirs: str


def rows(heading: str) -> list[Row]:
    """The rows of the table under a heading."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    found = []
    for line in lines:
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        names, results, where, ours, theirs, why = cells
        assert why, f"{PAGE.name}: {names} has no reason"
        listed = tuple(each.strip() for each in results.split(","))
        found.append(Row(tuple(CODE.findall(names)), listed, where, ours, theirs))
    return found


def evaluated(cell: str, names: dict[str, Any]) -> Any:
    """The value of the code in a cell, with numpy's functions and the given names; None for prose."""
    code = CODE.fullmatch(cell)
    if code is None:
        return None
    with np.errstate(all="ignore"):
        return eval(code[1], {**vars(np), "nan": np.nan, "inf": np.inf, **names})
