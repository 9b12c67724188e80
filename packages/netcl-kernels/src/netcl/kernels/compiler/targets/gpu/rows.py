"""rows: reductions with many results. A group has one of them: its items go along the row side by side, neighbours to
neighbours, and bring their parts together in local memory, half of them at a time.

Reductions that wait for each other (the maximum of a row, then the sum of what lies below it) are passes over the row.
"""

from __future__ import annotations

from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Expr,
    Reduce,
    number,
    position,
    read,
    root,
    subexpressions,
)
from netcl.kernels.compiler.ir.simplify import call, replace_nodes
from netcl.kernels.compiler.loops.given import Given, Looped, product_of_sizes, unflattened
from netcl.kernels.compiler.loops.ir import Barrier, Buffer, If, Let, Loop, LoopNest, Statement, Store
from netcl.kernels.compiler.loops.text import written_out
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.targets.cpu.emit.accumulate import worst
from netcl.kernels.compiler.targets.gpu.map import LONGEST

ITEMS = 256
_COMBINED = {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum", "any": "or", "all": "and"}
_START = {"sum": 0, "prod": 1, "any": False, "all": True}


def fits(nest: Nest) -> Scheduled | None:
    """For stages whose reductions go over the same indices: many rows, and long ones along what is contiguous."""
    limits = nest.target.groups
    overs = {node.over for node in nest.reduces}
    if not limits.used or len(overs) != 1 or any(node.kind not in _COMBINED for node in nest.reduces):
        return None
    (over,) = overs
    if any(node.free - frozenset(nest.order) for node in nest.reduces) or not any(
        root(i) == nest.fastest for i in over
    ):
        return None
    rows = tuple(index for index in nest.order if index in nest.kept)
    if nest.extent(*rows) < limits.rows or nest.extent(*over) < limits.row_length:
        return None
    made = _Rows(nest, rows, over).nest()
    if made is None:
        return None
    given, loops = made
    kernel = Looped(
        computation=nest.computation(), schedule="rows", nest=loops, given=given.arguments, groups=nest.extent(*rows)
    )
    return Scheduled((kernel,))


class _Rows:
    def __init__(self, nest: Nest, rows: tuple[str, ...], over: tuple[str, ...]) -> None:
        self.stage, self.rows, self.over = nest, rows, over
        self.given = Given(nest.accesses, nest.attributes)
        self.here = {index: position(f"row_{at}") for at, index in enumerate(rows)}
        self.totals: dict[Expr, Expr] = {}
        self.buffers: list[Buffer] = []

    def nest(self) -> tuple[Given, LoopNest] | None:
        given = self.given
        by_index = unflattened(position("group"), self.rows, given)
        lets = [Let(f"row_{at}", by_index[index]) for at, index in enumerate(self.rows)]
        body: list[Statement] = [*lets]
        reduces = [node for node in subexpressions(*self.stage.exprs) if isinstance(node, Reduce)]
        for number_of, node in enumerate(reduces):
            body += self._reduced(number_of, node)
        body += self._stored()
        groups = product_of_sizes(self.rows, given)
        buffers = (*given.buffers.values(), *self.buffers)
        found = LoopNest(self.stage.name, "group", groups, "item", ITEMS, buffers, tuple(body), frozenset(given.data))
        return None if written_out(found) > LONGEST else (given, found)

    def _along(self, name: str, indices: tuple[str, ...], inside: tuple[Statement, ...]) -> Statement:
        """`inside` for each place along these indices, which the items go along side by side."""
        extent = product_of_sizes(indices, self.given)
        turns = call("floor_div", call("add", extent, ITEMS - 1), ITEMS)
        place = call("add", call("mul", position(f"{name}_turn"), ITEMS), position("item"))
        there = If(call("lt", position(f"{name}_place"), extent), inside)
        return Loop(f"{name}_turn", turns, "serial", (Let(f"{name}_place", place), there))

    def _reduced(self, at: int, node: Reduce) -> list[Statement]:
        """One pass: each item its part, then all of them together."""
        name, dtype, zero = f"pass_{at + 1}", node.dtype, number(0, INDEX_DTYPE)
        mine, shared = f"{name}_part", f"{name}_parts"
        places = {**self.here, **unflattened(position(f"{name}_place"), self.over, self.given)}
        body = self._expr(node.body, places)
        combine = _COMBINED[node.kind]
        start = number(worst(node.kind, dtype) if node.kind in ("max", "min") else _START[node.kind], dtype)
        part, item = read(mine, (zero,), dtype), position("item")
        self.buffers += [
            Buffer(mine, dtype, "private", number(1, INDEX_DTYPE)),
            Buffer(shared, dtype, "local", number(ITEMS, INDEX_DTYPE)),
        ]
        self.totals[node] = read(shared, (zero,), dtype)
        halves = [
            statement
            for step in range(ITEMS.bit_length() - 1)
            for statement in self._folded(shared, combine, dtype, ITEMS >> (step + 1))
        ]
        return [
            Store(mine, zero, start),
            self._along(name, self.over, (Store(mine, zero, call(combine, part, body)),)),
            Store(shared, item, part),
            Barrier(),
            *halves,
        ]

    def _folded(self, shared: str, combine: str, dtype: str, width: int) -> list[Statement]:
        item = position("item")
        own, other = read(shared, (item,), dtype), read(shared, (call("add", item, width),), dtype)
        return [If(call("lt", item, width), (Store(shared, item, call(combine, own, other)),)), Barrier()]

    def _stored(self) -> list[Statement]:
        """The outputs: by one item where a row has one, else along the row."""
        found: list[Statement] = []
        for at, write in enumerate(self.stage.writes):
            inner = tuple(index for index in write.indices if index not in self.rows)
            name = f"out_{at + 1}"
            places = {**self.here, **unflattened(position(f"{name}_place"), inner, self.given)}
            store = Store(*self.given.target(write, places), self._expr(write.expr, places))
            if inner:
                found.append(self._along(name, inner, (store,)))
            else:
                found.append(If(call("eq", position("item"), 0), (store,)))
        return found

    def _expr(self, node: Expr, places: dict[str, Expr]) -> Expr:
        """An expression at these places, over the totals that there are."""
        marks = {each: read(f"total {at}", (), each.dtype) for at, each in enumerate(self.totals)}
        totals: dict[Expr, Expr] = {marks[each]: total for each, total in self.totals.items()}
        return self.given.expr(replace_nodes(node, {**marks}), places, totals)
