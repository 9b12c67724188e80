"""Rows, and sums down their columns: the gradient of a layer norm has a row for each row of x, and sums over all of
them for w and b. In one stage each element is read once for both.

Input: stages in order. Output: the same, some of which are two of these in one. What the sums read of a row is computed
there again from the row, which is at hand.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from netcl.kernels.compiler.ir import Expr, Output, Read, Reduce, Scan, subexpressions
from netcl.kernels.compiler.ir.binding import replace_nodes, substitute
from netcl.kernels.compiler.lower.loop_cost import Cost
from netcl.kernels.compiler.lower.stages.grouping import Stage


def with_sums_down(stages: Sequence[Stage], temporaries: Collection[str], cost: Cost) -> tuple[Stage, ...]:
    """The stages, where sums down columns are one with the rows that they go over."""
    if not cost.target.blocks.by_rows:
        return tuple(stages)
    found: list[Stage] = []
    for at, stage in enumerate(stages):
        later = _read_by(*(output for other in stages[at + 1 :] for output in other.outputs))
        passing = {each for each in temporaries if each not in later}
        place, together = _place(found, stage, passing, cost)
        found[place : place + 1] = [together]
    return tuple(found)


def _place(found: Sequence[Stage], sums: Stage, passing: set[str], cost: Cost) -> tuple[int, Stage]:
    """The last of the stages that these sums are computed with, and both in one; behind all, where there is none."""
    read = _read_by(*sums.outputs)
    for place in reversed(range(len(found))):
        between = found[place + 1 :]
        own = passing - _read_by(*(output for stage in between for output in stage.outputs))
        together = _together(found[place], sums, own, cost)
        if together is not None:
            return place, together
        if read & {output.name for output in found[place].outputs}:
            break
    return len(found), sums


def _together(rows: Stage, sums: Stage, passing: set[str], cost: Cost) -> Stage | None:
    """Both in one, if the sums go over the rows that the first has elements of. Of what each row gives, the temporaries
    that are `passing` are read by these sums alone."""
    if any(stage.order or stage.apart or isinstance(stage.outputs[0].expr, Scan) for stage in (rows, sums)):
        return None
    every = rows.outputs[0].indices
    columns = sums.outputs[0].indices
    over = tuple(index for index in every if index not in columns)
    if not columns or not over or every != (*over, *columns):
        return None
    if any(cost.apart(node) for each in (*rows.outputs, *sums.outputs) for node in cost.reduces(each.expr)):
        return None
    own = {each.name: each for each in rows.outputs if each.indices == over}
    outputs = tuple(replace(each, expr=_from_rows(each.expr, own)) for each in sums.outputs)
    if any(node.over != over or node.kind != "sum" for each in outputs for node in outermost(each.expr)):
        return None
    if _read_by(*outputs) & {each.name for each in rows.outputs} or not _share(rows.outputs, outputs, every):
        return None
    kept = tuple(each for each in rows.outputs if each.name not in passing)
    return Stage((*kept, *outputs), apart=(rows, sums))


def _share(some: Sequence[Output], others: Sequence[Output], indices: Sequence[str]) -> bool:
    """Whether both read the same elements."""
    found = [
        {each for each in subexpressions(*(output.expr for output in outputs)) if isinstance(each, Read)}
        for outputs in (some, others)
    ]
    return any(each.free >= frozenset(indices) for each in found[0] & found[1])


def _read_by(*outputs: Output) -> set[str]:
    return {each.operand for each in subexpressions(*(output.expr for output in outputs)) if isinstance(each, Read)}


def _from_rows(expr: Expr, own: Mapping[str, Output]) -> Expr:
    """An expression that reads what is computed of a row, from the row instead."""
    found: dict[Expr, Expr] = {}
    for node in subexpressions(expr):
        if isinstance(node, Read) and node.operand in own:
            output = own[node.operand]
            found[node] = substitute(output.expr, dict(zip(output.indices, node.at, strict=True)))
    return replace_nodes(expr, found) if found else expr


def outermost(expr: Expr) -> tuple[Reduce, ...]:
    """The reductions that an expression has outside of any other."""
    seen: dict[Expr, None] = {}
    stack = [expr]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen[node] = None
            stack += () if isinstance(node, Reduce) else node.children
    return tuple(node for node in seen if isinstance(node, Reduce))
