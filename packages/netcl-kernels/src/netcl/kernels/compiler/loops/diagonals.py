"""Two loops, one within the other, as diagonals: outer steps go on together, in the lanes of a vector, each `skew`
inner steps behind the one before it.

    strip     as many outer steps as there are lanes; the last one may have fewer
    turn      a step of all lanes: the first of them is so many inner steps from the begin
    together  how many turns all of them go: none in a strip that is not whole. There `windows` says what is done, as
              many inner steps from both ends as it asks for
    part      the turns before that (0) and behind it (1), in each of which some lanes have a step
"""

from __future__ import annotations

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Position, number, position
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.ir import If, Let, Loop, Statement
from netcl.kernels.compiler.loops.positions import least, minus, most, plus, quotient, times
from netcl.kernels.compiler.loops.values import Values
from netcl.kernels.compiler.loops.windows import Windows


def diagonals(values: Values, outer: Expr, inner: Expr, windows: Windows) -> Statement:
    """Both loops, of so many steps, in strips of as many outer steps as there are lanes."""

    def names(*words: str) -> list[Position]:
        return [position(values.fresh(word)) for word in words]

    strip, first, rows, every, together = names("strip", "first", "rows", "every", "together")
    part, begin, end, at, turn, here = names("part", "begin", "end", "at", "turn", "turn")
    width = windows.width
    behind = windows.skew * (width - 1)  # the last lane, behind the first one
    late = behind + windows.before
    is_first, whole, has_lanes = call("eq", part, 0), call("eq", rows, width), call("gt", together, 0)
    return Loop(strip.index, quotient(plus(outer, width - 1), width), "serial", (
        Let(first.index, times(strip, width)),
        Let(rows.index, least(width, minus(outer, first))),
        Let(every.index, plus(inner, behind)),
        Let(together.index, call("select", whole, most(minus(inner, late + windows.behind), 0), 0)),
        *windows.start(first),
        Loop(part.index, number(2, INDEX_DTYPE), "serial", (
            Let(begin.index, call("select", is_first, 0, call("select", has_lanes, plus(together, late), every))),
            Let(end.index, call("select", call("and", is_first, has_lanes), late, every)),
            Loop(at.index, most(minus(end, begin), 0), "serial", (
                Let(here.index, plus(begin, at)), *windows.turn(first, here, some=True),
            )),
            If(call("and", is_first, has_lanes), (
                *windows.enter(first, number(late, INDEX_DTYPE)),
                Loop(turn.index, together, "serial", tuple(windows.turn(first, plus(late, turn)))),
            )),
        )),
    ))  # fmt: skip
