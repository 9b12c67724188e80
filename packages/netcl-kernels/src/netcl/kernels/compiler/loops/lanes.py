"""Loops over an index in vectors of so many lanes, with what is left behind the last one element by element."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, number, position
from netcl.kernels.compiler.loops.ir import Assume, Let, Loop, Statement
from netcl.kernels.compiler.loops.positions import before, least, minus, plus, quotient, rest, times
from netcl.kernels.compiler.loops.scope import Lanes
from netcl.kernels.compiler.loops.values import Values

Inside = Callable[[Expr, Lanes | None], Sequence[Statement]]
"""The statements at a position: that of the first of these lanes and their index, or of a single element."""


def in_lanes(
    values: Values, index: str, first: Expr, count: Expr, end: Expr, widths: Sequence[int], inside: Inside
) -> list[Statement]:
    """What is `inside` for each of `count` values of an index from `first` on, all before `end`: as many vectors of the
    first of these widths as there are, then of the next, then one by one. `first` is an index, a number or a sum of
    such."""
    if not widths:
        left, at = position(values.fresh("left")), position(values.index(index))
        lets = (Let(at.index, plus(first, left)), Assume(before(at, end)))
        return [Loop(left.index, count, "serial", (*lets, *inside(at, None)))]
    width, *narrower = widths
    whole = position(values.fresh("vectors"))
    return [
        Let(whole.index, quotient(count, width)),
        in_vectors(values, index, first, whole, end, width, inside),
        *in_lanes(values, index, plus(first, times(whole, width)), rest(count, width), end, narrower, inside),
    ]


def in_vectors(
    values: Values, index: str, first: Expr, count: Expr, end: Expr, width: int, inside: Inside
) -> Statement:
    """What is `inside` for each of `count` vectors of one width, from `first` on."""
    lanes, at = Lanes(values.fresh("lane"), width), position(values.index(index))
    vector, start = position(values.fresh("vector")), position(values.fresh("start"))
    together = (Let(at.index, plus(start, position(lanes.index))), Assume(before(at, end)), *inside(at, lanes))
    lets = Let(start.index, plus(first, times(vector, width)))
    return Loop(vector.index, count, "serial", (lets, in_step(lanes, together)))


def overlapping(
    values: Values, index: str, first: Expr, stop: Expr, end: Expr, width: int, inside: Inside
) -> Statement:
    """What is `inside` for all values of an index from `first` to `stop`, which are all before `end`: in vectors, of
    which the last one ends at `stop`, so that some places may be computed twice. There is room for one before `stop`,
    and what is stored must not be read beside it."""
    lanes, at = Lanes(values.fresh("lane"), width), position(values.index(index))
    vector, start = position(values.fresh("vector")), position(values.fresh("start"))
    together = (Let(at.index, plus(start, position(lanes.index))), Assume(before(at, end)), *inside(at, lanes))
    lets = Let(start.index, least(plus(first, times(vector, width)), minus(stop, width)))
    count = quotient(plus(minus(stop, first), width - 1), width)
    return Loop(vector.index, count, "serial", (lets, in_step(lanes, together)))


def in_step(lanes: Lanes, body: Sequence[Statement]) -> Statement:
    """The statements for each of these lanes."""
    return Loop(lanes.index, number(lanes.count, INDEX_DTYPE), "lanes", tuple(body))
