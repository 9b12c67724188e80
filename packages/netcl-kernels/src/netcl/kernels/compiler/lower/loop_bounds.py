"""Loops that need not begin at 0 or go to the end: `sum[j](i < j ? f(i, j) : 0)` has nothing to add up to j == i.

Input: expressions and a row index. Output: for bound indices, the part in which some summand may be other than 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netcl.kernels.compiler.ir import Apply, Expr, Position, Reduce, subexpressions
from netcl.kernels.compiler.ir.needed import Conditions, needed_by

_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


@dataclass(frozen=True)
class LoopBounds:
    """Where a bound index has something to add: from `row + after` on, or before `row + before`, for each row."""

    row: str
    after: int | None = None
    before: int | None = None


def loop_bounds(exprs: Sequence[Expr], row: str) -> Mapping[str, LoopBounds]:
    """The bounds of each bound index whose reductions are all sums with a condition that compares it with `row`."""
    memo: dict[Expr, Conditions] = {}
    found: dict[str, set[LoopBounds]] = {}
    for node in subexpressions(*exprs):
        memo[node] = needed_by(node, memo)
        if isinstance(node, Reduce):
            for index in node.over:
                conditions = memo[node.body] if node.kind == "sum" else frozenset()
                found.setdefault(index, set()).add(_span(conditions or frozenset(), index, row))
    nothing = LoopBounds(row)
    return {index: next(iter(some)) for index, some in found.items() if len(some) == 1 and nothing not in some}


def _span(conditions: frozenset[Expr], index: str, row: str) -> LoopBounds:
    after: int | None = None
    before: int | None = None
    for condition in conditions:
        comparison = _compared(condition, index, row)
        if comparison in ("gt", "ge"):
            after = 1 if comparison == "gt" else max(after or 0, 0)
        elif comparison in ("lt", "le"):
            before = 0 if comparison == "lt" else (1 if before is None else before)
    return LoopBounds(row, after, before)


def _compared(condition: Expr, index: str, row: str) -> str:
    """The comparison `index ? row` that `condition` is; nothing when it is none."""
    if not isinstance(condition, Apply) or condition.function not in _MIRRORED:
        return ""
    left, right = condition.children
    if not (isinstance(left, Position) and isinstance(right, Position)):
        return ""
    if (left.index, right.index) == (index, row):
        return condition.function
    return _MIRRORED[condition.function] if (left.index, right.index) == (row, index) else ""
