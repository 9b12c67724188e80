"""Two loops, one within the other, as diagonals: outer steps go on together, in the lanes of a vector, each `skew`
inner steps behind the one before it.

    strip     as many outer steps as there are lanes; the last one may have fewer
    together  how many inner steps all of them go in the lanes: none in a strip that is not whole
    part      one by one, row after row, what is `done` before that (0), and what is left behind it (1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Position, number, position
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.ir import Let, Loop, Statement
from netcl.kernels.compiler.loops.lanes import in_step
from netcl.kernels.compiler.loops.positions import least, minus, most, plus, quotient, times
from netcl.kernels.compiler.loops.scope import Lanes
from netcl.kernels.compiler.loops.values import Values

Element = Callable[[Expr, Expr, "Lanes | None"], Sequence[Statement]]
"""The statements of an outer and an inner step: those of all lanes, or of one element."""


def diagonals(values: Values, outer: Expr, inner: Expr, skew: int, width: int, element: Element) -> Statement:
    """What `element` says for `outer` times `inner` steps, in strips of so many lanes."""

    def names(*words: str) -> list[Position]:
        return [position(values.fresh(word)) for word in words]

    strip, first, rows, together, part = names("strip", "first", "rows", "together", "part")
    row, done, begin, count, at, turn = names("row", "done", "begin", "count", "at", "turn")
    lane, late = Lanes(values.fresh("lane"), width), skew * (width - 1)
    is_first, whole, has_lanes = call("eq", part, 0), call("eq", rows, width), call("gt", together, 0)
    by_itself = element(plus(first, row), plus(begin, at), None)
    behind = times(position(lane.index), skew)
    in_lanes = element(plus(first, position(lane.index)), minus(plus(late, turn), behind), lane)
    return Loop(strip.index, quotient(plus(outer, width - 1), width), "serial", (
        Let(first.index, times(strip, width)),
        Let(rows.index, least(width, minus(outer, first))),
        Let(together.index, call("select", whole, most(minus(inner, late), 0), 0)),
        Loop(part.index, number(2, INDEX_DTYPE), "serial", (
            Loop(row.index, rows, "serial", (
                Let(done.index, call("select", has_lanes, minus(late, times(row, skew)), inner)),
                Let(begin.index, call("select", is_first, 0, plus(done, together))),
                Let(count.index, call("select", is_first, done, most(minus(inner, begin), 0))),
                Loop(at.index, count, "serial", tuple(by_itself)),
            )),
            Loop(turn.index, call("select", is_first, together, 0), "serial", (in_step(lane, in_lanes),)),
        )),
    ))  # fmt: skip
