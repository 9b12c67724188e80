"""scatter: sums (or extremes) of what an index read from a tensor puts into each row. An item has one result, whose
values it takes in their order: nothing is added by several items at once, and the bits are the same each time.

    asked      few pairs of a result and a value, or few results: an item asks each value whether it goes to its row.
               With few results the values are cut into parts with a result each, which are brought together in order
    sorted     the values are sorted by their rows; an item finds where those of its row begin and end, by halving
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, number, position, read, root, size
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.given import Given, Looped, product_of_sizes, unflattened
from netcl.kernels.compiler.loops.ir import Buffer, If, Let, Loop, LoopNest, Statement, Store
from netcl.kernels.compiler.loops.text import LONGEST, longest_statement
from netcl.kernels.compiler.lower.kernel import Access, Write
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.scattering import PartialRows, Scattering, scattering
from netcl.kernels.compiler.targets.gpu import sort

ITEMS = 256
_COMBINED = {"sum": "add", "max": "maximum", "min": "minimum"}
_ZERO = number(0, INDEX_DTYPE)


def fits(nest: Nest) -> Scheduled | None:
    """For stages with one Reduce whose values go to rows that are read from a tensor."""
    asked = scattering(nest)
    if asked is None or nest.target.work_group_size < ITEMS:
        return None
    limits = nest.target.scatters
    results, rows, values = nest.extent(*nest.order), nest.extent(*asked.targets), nest.extent(*asked.node.over)
    many = results * values > limits.asked and results > limits.few_results
    if many and rows < 1 << 31 and values < 1 << 31:
        return _sorted(nest, asked)
    parts = min(-(-limits.items // max(results, 1)), values // limits.least_part)
    if parts < 2:
        return _scheduled(_Asked(nest, asked).kernel())
    copies = PartialRows(nest, asked.node, parts)
    found = _scheduled(_Asked(nest, asked, copies).kernel())
    if found is None:
        return None
    return Scheduled(found.kernels, (copies.operand,), copies.extents, rest=copies.rest)


def _sorted(nest: Nest, asked: Scattering) -> Scheduled | None:
    """The kernels that sort, and the one that goes along the rows."""
    free = frozenset().union(*(each.free for each in asked.targets.values()))
    apart = tuple(index for index in nest.order if index in free)
    ordered = sort.entries(nest, _row_of(asked), apart, asked.node.over)
    last = _scheduled(_Sorted(nest, asked, ordered, apart).kernel())
    if last is None or any(longest_statement(each.nest) > LONGEST for each in ordered.kernels):
        return None
    return Scheduled((*ordered.kernels, *last.kernels), ordered.temporaries, ordered.extents)


def _scheduled(kernel: Looped) -> Scheduled | None:
    assert kernel.nest is not None
    return None if longest_statement(kernel.nest) > LONGEST else Scheduled((kernel,))


def _row_of(asked: Scattering) -> Expr:
    """The number of the row that a value goes to, -1 for one that there is not."""
    row: Expr = _ZERO
    inside = []
    for index, at in asked.targets.items():
        row = call("add", call("mul", row, size(index)), at)
        inside += [call("ge", at, 0), call("lt", at, size(index))]
    return cast(call("select", conjunction(inside), row, -1), "int32")


class _Results:
    """A kernel in which an item has one result."""

    def __init__(
        self, nest: Nest, asked: Scattering, order: tuple[str, ...], accesses: Mapping[str, Access]
    ) -> None:  # fmt: skip
        self.stage, self.asked, self.order = nest, asked, order
        self.accesses = {**nest.accesses, **accesses}
        self.given = Given(self.accesses, nest.attributes)
        self.values = product_of_sizes(asked.node.over, self.given)
        self.here = {index: position(f"at_{at + 1}") for at, index in enumerate(order)}
        self.there = {index: position(f"of_{at + 1}") for at, index in enumerate(asked.node.over)}
        self.result = read("own result", (_ZERO,), asked.node.dtype)

    def taken(self, value: Expr, conditions: tuple[Expr, ...]) -> tuple[Statement, ...]:
        """The result with one of the values, by its number, if the conditions hold."""
        asked, given, places = self.asked, self.given, {**self.here, **self.there}
        by_index = unflattened(value, asked.node.over, given)
        lets = (Let(f"of_{at + 1}", by_index[index]) for at, index in enumerate(asked.node.over))
        new = cast(given.expr(asked.value, places), asked.node.dtype)
        store = Store("own result", _ZERO, call(_COMBINED[asked.node.kind], self.result, new))
        holds = conjunction(given.expr(each, places) for each in conditions)
        return (*lets, If(holds, (store,)))

    def bounded(self, at: Expr) -> Expr:
        """A number of a value, whatever was read."""
        return call("maximum", call("minimum", at, call("sub", self.values, 1)), 0)

    def outputs(self) -> tuple[Statement, ...]:
        """What the stage makes of the result."""
        mark = read("result", (), self.asked.node.dtype)
        exprs = (replace_nodes(each.expr, {self.asked.node: mark}) for each in self.stage.writes)
        return tuple(
            Store(*self.given.target(each, self.here), self.given.expr(expr, self.here, {mark: self.result}))
            for each, expr in zip(self.stage.writes, exprs, strict=True)
        )

    def made(self, name: str, body: tuple[Statement, ...], registers: Mapping[str, str]) -> LoopNest:
        """The nest in which each item does this for its result."""
        given, dtype = self.given, self.asked.node.dtype
        results = product_of_sizes(self.order, given)
        element = call("add", call("mul", position("group"), ITEMS), position("item"))
        by_index = unflattened(position("element"), self.order, given)
        lets = (Let(f"at_{at + 1}", by_index[index]) for at, index in enumerate(self.order))
        start = Store("own result", _ZERO, number(self.asked.start, dtype))
        inside = If(call("lt", position("element"), results), (*lets, start, *body))
        groups = call("floor_div", call("add", results, ITEMS - 1), ITEMS)
        private = {"own result": dtype, **registers}
        one = number(1, INDEX_DTYPE)
        buffers = (*given.buffers.values(), *(Buffer(each, kind, "private", one) for each, kind in private.items()))
        every = (Let("element", element), inside)
        return LoopNest(name, "group", groups, "item", ITEMS, buffers, every, frozenset(given.data))


class _Asked(_Results):
    """Each result asks every value, or with `copies` those of its part."""

    def __init__(self, nest: Nest, asked: Scattering, copies: PartialRows | None = None) -> None:
        order, access = (copies.shape, {copies.access.name: copies.access}) if copies else (nest.order, {})
        super().__init__(nest, asked, order, access)
        self.copies = copies

    def kernel(self) -> Looped:
        nest, asked, copies = self.stage, self.asked, self.copies
        goes_here = tuple(call("eq", position(index), at) for index, at in asked.targets.items())
        begin: Expr = _ZERO
        count = self.values
        if copies is not None:
            parts = self.given.size(copies.part)
            run = call("floor_div", call("add", self.values, call("sub", parts, 1)), parts)
            begin = call("mul", self.here[copies.part], run)
            count = call("minimum", run, call("sub", self.values, begin))
        every = self.taken(self.bounded(call("add", begin, position("value"))), (*goes_here, *asked.conditions))
        loop = Loop("value", count, "serial", every)
        if copies is None:
            name, extents, writes, stores = nest.name, nest.extents, nest.writes, self.outputs()
        else:
            write = Write(asked.node, copies.access, copies.shape)
            name, extents, writes = f"{nest.name}_rows", copies.extents, (write,)
            stores = (Store(*self.given.target(write, self.here), self.result),)
        made = self.made(name, (loop, *stores), {})
        reads = nest.accesses if copies is None else nest.read_by(*writes)
        return Looped(
            computation=nest.computation(name=name, writes=writes, accesses=reads, extents=extents), schedule="scatter",
            nest=made, given=self.given.arguments, groups=-(-prod(extents[root(each)] for each in self.order) // ITEMS),
        )  # fmt: skip


class _Sorted(_Results):
    """Each result takes the values between the first of its row and the first of another one, in the order in which
    they are sorted."""

    def __init__(self, nest: Nest, asked: Scattering, ordered: sort.Entries, apart: tuple[str, ...]) -> None:
        self.sorted = {each.name: each for each in (ordered.values, ordered.places)}
        super().__init__(nest, asked, nest.order, self.sorted)
        self.ordered, self.apart = ordered, apart

    def kernel(self) -> Looped:
        nest, given, asked = self.stage, self.given, self.asked
        row: Expr = _ZERO
        for index in asked.targets:
            row = call("add", call("mul", row, given.size(index)), self.here[index])
        line: Expr = _ZERO
        for index in self.apart:
            line = call("add", call("mul", line, given.size(index)), self.here[index])
        low, end = read("own low", (_ZERO,), INDEX_DTYPE), read("own end", (_ZERO,), INDEX_DTYPE)
        place = self.bounded(call("add", low, position("value")))
        at = read(given.scratch(self.ordered.places), (position("line") + place,), "int32")
        body: list[Statement] = [Let("row", row), Let("line", call("mul", line, self.values))]
        body += self._found("end", "ge")
        body.append(Store("own end", _ZERO, low))
        body += self._found("begin", "gt")
        taken = self.taken(position("number"), asked.conditions)
        number_of = Let("number", self.bounded(cast(at, INDEX_DTYPE)))
        body.append(Loop("value", call("maximum", call("sub", end, low), 0), "serial", (number_of, *taken)))
        registers = dict.fromkeys(("own low", "own high", "own end"), INDEX_DTYPE)
        made = self.made(nest.name, (*body, *self.outputs()), registers)
        count = nest.extent(*asked.node.over)
        return Looped(
            computation=nest.computation(accesses=self.accesses), schedule="scatter",
            nest=made, given=given.arguments, groups=-(-nest.extent(*nest.order) // ITEMS),
            numbers={"halvings": count.bit_length()},
        )  # fmt: skip

    def _found(self, name: str, compared: str) -> list[Statement]:
        """How many of the sorted values go to rows before (`ge`: up to) this one."""
        low, high = read("own low", (_ZERO,), INDEX_DTYPE), read("own high", (_ZERO,), INDEX_DTYPE)
        middle = position(f"{name}_middle")
        key = read(self.given.scratch(self.ordered.values), (position("line") + middle,), "int32")
        is_before = call(compared, position("row"), cast(key, INDEX_DTYPE))
        narrowed = If(call("lt", low, high), (
            Let(middle.index, self.bounded(call("floor_div", call("add", low, high), 2))),
            If(is_before, (Store("own low", _ZERO, call("add", middle, 1)),)),
            If(call("not", is_before), (Store("own high", _ZERO, middle),)),
        ))  # fmt: skip
        return [
            Store("own low", _ZERO, _ZERO),
            Store("own high", _ZERO, self.values),
            Loop(f"{name}_halving", self.given.number("halvings"), "serial", (narrowed,)),
        ]
