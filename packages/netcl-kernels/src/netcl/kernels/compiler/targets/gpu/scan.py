"""scan: running values. How the work is shared out depends on how many rows there are, and how they lie.

    an item for each row          many rows beside each other in memory, or short ones: each is gone through in order
    a group, or part of one       rows are gone through in chunks; the items of a chunk have a few elements each, and
                                  bring their stretches together in local memory in log2(items) steps
    blocks of rows                few long rows, in three launches: the stretch of each block, the running values of
                                  those, and the running values of each block behind the ones before it

Which elements make a stretch depends on sizes alone, so that a result has the same bits each time.
"""

from __future__ import annotations

from collections.abc import Mapping

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Scan, number, position
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.carry import Carried, State, one_by_one, state_of
from netcl.kernels.compiler.loops.given import Given, Looped, product_of_sizes, unflattened
from netcl.kernels.compiler.loops.ir import If, Let, Loop, LoopNest, Statement, Store
from netcl.kernels.compiler.loops.text import LONGEST, longest_statement
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.scans import along, asked_of_rows
from netcl.kernels.compiler.targets.gpu.scan_blocks import in_blocks
from netcl.kernels.compiler.targets.gpu.scan_chunks import EACH, ITEMS, WIDTHS, OfBodies, local_bytes


def fits(nest: Nest, node: Scan, partial: bool) -> Scheduled | None:
    """For scans of bodies without reductions."""
    if nest.reduces or nest.target.work_group_size < ITEMS:
        return None
    limits, index = nest.target.scans, along(node)
    rows = tuple(each for each in nest.order if each != index)
    count, length = nest.extent(*rows), nest.extent(index)
    beside = nest.fastest is not None and nest.fastest != index and count >= limits.rows
    if beside or length <= limits.short:
        return _one(nest, _ByItem(nest, node, rows, partial).nest(), -(-count // ITEMS))
    state = state_of(node.kind, nest.writes[0].expr.dtype)
    if local_bytes(state) > nest.target.local_memory:
        return None
    if count < limits.groups and length >= limits.long:
        return in_blocks(nest, node, rows, state)
    width = next((each for each in WIDTHS if length <= each * EACH), ITEMS)
    return _one(nest, _Rows(nest, node, rows, state, width).nest(), -(-count // (ITEMS // width)))


def _one(nest: Nest, made: tuple[Given, LoopNest], groups: int) -> Scheduled | None:
    given, loops = made
    if longest_statement(loops) > LONGEST:
        return None
    kernel = Looped(
        computation=nest.computation(), schedule="scan",
        nest=loops, given=given.arguments, groups=groups,
    )  # fmt: skip
    return Scheduled((kernel,))


class _ByItem:
    def __init__(self, nest: Nest, node: Scan, rows: tuple[str, ...], partial: bool) -> None:
        self.stage, self.rows, self.index = nest, rows, along(node)
        self.backward = node.backward
        self.given = Given(nest.accesses, nest.attributes)
        first = call("sub", self.given.size(self.index), 1) if node.backward else number(0, INDEX_DTYPE)
        self.state = one_by_one(node.kind, nest.writes[0].expr.dtype, first)
        self.asked = asked_of_rows(nest.writes[0].expr, self.index) if partial else None

    def nest(self) -> tuple[Given, LoopNest]:
        given, state = self.given, self.state
        row = call("add", call("mul", position("group"), ITEMS), position("item"))
        count = product_of_sizes(self.rows, given)
        here = unflattened(position("row"), self.rows, given)
        length = given.size(self.index)
        carried = Carried("carried", state)
        step = Loop("step", length, "serial", tuple(self._stepped(carried, here, length)))
        inside: tuple[Statement, ...] = (*carried.become(state.start), step)
        if self.asked is not None:
            inside = (If(given.expr(self.asked, here), inside),)
        body = (Let("row", row), If(call("lt", position("row"), count), inside))
        groups = call("floor_div", call("add", count, ITEMS - 1), ITEMS)
        buffers = (*given.buffers.values(), *carried.buffers)
        return given, LoopNest(self.stage.name, "group", groups, "item", ITEMS, buffers, body, frozenset(given.data))

    def _stepped(self, carried: Carried, here: Mapping[str, Expr], length: Expr) -> list[Statement]:
        given, state, step = self.given, self.state, position("step")
        place = call("sub", call("sub", length, 1), step) if self.backward else step
        places = {**here, self.index: place}
        bodies = tuple(cast(given.expr(write.expr, places), state.dtype) for write in self.stage.writes)
        write = self.stage.writes[0]
        result = cast(state.result(carried.parts), write.access.dtype)
        return [
            *state.advance(carried, bodies, call("eq", step, 0), place),
            Store(*given.target(write, places), result),
        ]


class _Rows(OfBodies):
    """Whole rows, chunk after chunk."""

    def __init__(self, nest: Nest, node: Scan, rows: tuple[str, ...], state: State, width: int) -> None:
        super().__init__(nest, nest.name, node, rows, state, width)
        self.count = product_of_sizes(rows, self.given)

    @property
    def is_row(self) -> Expr:
        return call("lt", position("row"), self.count) if self.width < ITEMS else number(True, "bool")

    def nest(self) -> tuple[Given, LoopNest]:
        together = ITEMS // self.width
        row: Expr = position("group")
        lets: list[Statement] = []
        groups = self.count
        if together > 1:
            lets.append(Let("row", call("add", call("mul", row, together), position("segment"))))
            row = call("minimum", position("row"), call("sub", self.count, 1))
            groups = call("floor_div", call("add", self.count, together - 1), together)
        lets += self.row_lets(row)
        chunk = self.width * EACH
        turns = call("floor_div", call("add", self.length, chunk - 1), chunk)
        chunks = Loop("chunk", turns, "serial", tuple(self.chunk(call("mul", position("chunk"), chunk))))
        return self.given, self.made(groups, lets, self.state.start, (chunks,))
