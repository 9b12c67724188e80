"""recurrence: states that read earlier elements of themselves, step by step, in one launch.

A group has a row, along which nothing depends on another one. Its items share what a step has of each state, and wait
for each other behind it; where each element of a plane reads its neighbours before it, they share a diagonal. Where a
step has next to nothing to share, or rows alone keep the card busy, an item has a row and its neighbours the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from netcl.kernels.compiler.ir import Expr, position, root
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.recurrences import Along, states_of
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.given import Given, Looped, items_of, product_of_sizes
from netcl.kernels.compiler.loops.ir import Barrier, If, Let, Loop, LoopNest, Statement
from netcl.kernels.compiler.loops.positions import ZERO, at_least, before, minus, plus, times
from netcl.kernels.compiler.loops.recurrent import Steps
from netcl.kernels.compiler.loops.scope import Scope
from netcl.kernels.compiler.loops.stepped import Stepped
from netcl.kernels.compiler.loops.values import Values, parted
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.lower.nest import Nest, Scheduled

GROUP, ITEM = "group", "item"


def fits(nest: Nest) -> Scheduled:
    """Always."""
    given = Given(nest.accesses, nest.attributes)
    values = Stepped(nest, given, lanes=False)
    rows = tuple(sorted(nest.apart, key=lambda index: root(index) == nest.fastest))
    many = _most_together(nest, Steps(nest, values))
    limits, count = nest.target.groups, nest.extent(*rows)
    if many <= limits.steps or count >= limits.busy:
        made, groups = _by_items(nest, values, rows), -(-count // items_of(nest.target))
    else:
        made, groups = _by_groups(nest, values, rows, many), count
    return Scheduled((
        Looped(
            computation=nest.computation(), schedule="recurrence", nest=made, given=given.arguments, groups=groups,
        ),
    ))  # fmt: skip


def _by_items(nest: Nest, values: Values, rows: Sequence[str]) -> LoopNest:
    """An item for each row."""
    given, items, row = values.given, items_of(nest.target), position("row")
    total = product_of_sizes(rows, given)
    scope = values.inside(rows, row)
    body = (
        Let(row.index, plus(times(position(GROUP), items), position(ITEM))),
        If(before(row, total), tuple(Steps(nest, values).of_rows(scope))),
    )
    return _nest(nest, values, parted(total, items), items, body)


def _by_groups(nest: Nest, values: Values, rows: Sequence[str], many: int) -> LoopNest:
    """A group for each row, whose items compute so many elements together."""
    most = items_of(nest.target)
    items = min(nest.target.groups.neighbours, most)
    while items < min(many, most):
        items *= 2
    scope = values.inside(rows, position(GROUP))
    body = tuple(_Together(nest, values, items).of_rows(scope))
    return _nest(nest, values, product_of_sizes(rows, values.given), items, body)


def _nest(nest: Nest, values: Values, groups: Expr, items: int, body: Sequence[Statement]) -> LoopNest:
    given = values.given
    buffers = (*given.buffers.values(), *values.buffers)
    return LoopNest(nest.name, GROUP, groups, ITEM, items, buffers, tuple(body), frozenset(given.data))


def _most_together(nest: Nest, steps: Steps) -> int:
    """The most elements that are computed at once: of a state in a step, or on a diagonal of a plane."""
    along = {each.index for each in _every(steps.inside)}
    found = [nest.extent(each.index) for each in _every(steps.inside) if steps.plane(each)]
    for write in nest.writes:
        found.append(nest.extent(*(each for each in write.indices if each not in nest.apart and each not in along)))
    return max(found)


def _every(inside: Iterable[int | Along]) -> Iterator[Along]:
    for each in inside:
        if isinstance(each, Along):
            yield each
            yield from _every(each.inside)


class _Together(Steps):
    """The steps of a row by the items of a group, all of which go through all loops."""

    def __init__(self, nest: Nest, values: Values, items: int) -> None:
        super().__init__(nest, values)
        self.items = items

    def _all_stored(self, writes: Sequence[Write], scope: Scope) -> None:
        for write in writes:
            self._shared_out_stored(write, scope)
            self.values.changed(write.access.buffer, scope)

    def _shared_out_stored(self, write: Write, scope: Scope) -> None:
        """What a step has of a state, shared out; then all wait."""
        inner = self._inner(write, scope)
        element = position(self.values.fresh("element"))
        here = self.values.inside(inner, element, scope)
        self.values.stored(write, here)
        if inner:
            shared = self._shared_out(product_of_sizes(inner, self.values.given), element.index, here.body)
        else:  # the values are those of the step, which every item has
            shared = If(call("eq", position(ITEM), ZERO), here.body)
        scope.statements += [shared, Barrier()]

    def _shared_out(self, count: Expr, element: str, body: tuple[Statement, ...]) -> Statement:
        """The statements for so many elements, the first to the first item."""
        turn = position(self.values.fresh("turn"))
        return Loop(turn.index, parted(count, self.items), "serial", (
            Let(element, plus(times(turn, self.items), position(ITEM))),
            If(before(position(element), count), body),
        ))  # fmt: skip

    def _along(self, steps: Along, scope: Scope) -> None:
        inner = self.plane(steps)
        if inner is None:
            self._one_by_one(steps, scope)
            return
        values, size = self.values, self.values.given.size
        outer, within = size(steps.index), size(inner.index)
        diagonal, row = position(values.fresh("diagonal")), position(values.fresh("row"))
        ahead = times(row, steps.skew)
        column = position(values.fresh("column"))
        here = Scope(scope)
        for each, at in ((steps, row), (inner, column)):
            here.binds[each.index] = self._place(each, at, here)
        for write in (self.writes[each] for each in states_of(steps.inside)):
            values.stored(write, here)
            values.changed(write.access.buffer, here)
        behind = minus(diagonal, ahead)
        there = conjunction((at_least(behind, 0), before(behind, within)))
        body = If(there, (Let(column.index, behind), *here.body))
        step = (self._shared_out(outer, row.index, (body,)), Barrier())
        scope.statements.append(Loop(diagonal.index, plus(within, times(outer, steps.skew)), "serial", step))
