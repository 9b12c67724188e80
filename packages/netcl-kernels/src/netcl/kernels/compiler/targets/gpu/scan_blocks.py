"""Scans of few long rows, in three launches.

The stretch of each block; the running values of those; and the running values of each block behind the ones before it.
Input: a nest. Output: the three kernels, and what they leave for each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from netcl.kernels.compiler.ir import Expr, Operand, Scan, position, read
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.carry import Parts, State
from netcl.kernels.compiler.loops.given import Given, Looped, product_of_sizes
from netcl.kernels.compiler.loops.ir import Barrier, If, Let, Loop, LoopNest, Statement, Store
from netcl.kernels.compiler.loops.text import LONGEST, longest_statement
from netcl.kernels.compiler.lower.kernel import Access, Write
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.scans import along
from netcl.kernels.compiler.targets.gpu.scan_chunks import BLOCK, ITEMS, Chunks, OfBodies

_ROW, _BLOCK = "row#", "block#"


def in_blocks(nest: Nest, node: Scan, rows: tuple[str, ...], state: State) -> Scheduled | None:
    """Three kernels, and what they leave for each other."""
    count, blocks = nest.extent(*rows), -(-nest.extent(along(node)) // BLOCK)
    extents = {**nest.extents, _ROW: count, _BLOCK: blocks}
    strides = {_ROW: blocks, _BLOCK: 1}

    def left(name: str, dtype: str) -> Access:
        full = f"{nest.name}.{name}"
        return Access(full, full, dtype, 0, strides)

    totals = [left(f"total_{at + 1}", dtype) for at, dtype in enumerate(state.dtypes)]
    before = [left(f"before_{at + 1}", state.dtypes[part]) for at, part in enumerate(state.carried)]
    first = _Totals(nest, node, rows, state, totals)
    second = _OfTotals(f"{nest.name}_totals", state, totals, before)
    third = _Behind(nest, node, rows, state, before)

    def kernel(
        name: str, made: tuple[Given, LoopNest], writes: tuple[Write, ...], read: Mapping[str, Access], groups: int
    ) -> Looped:
        given, loops = made
        return Looped(
            computation=nest.computation(name=name, writes=writes, accesses=read, extents=extents), schedule="scan",
            nest=loops, given=given.arguments, groups=groups,
        )  # fmt: skip

    exprs = nest.writes[0].expr
    given_out = tuple(Write(exprs, each, (_ROW, _BLOCK)) for each in totals)
    passed_on = tuple(
        Write(read(totals[part].name, (position(_ROW), position(_BLOCK)), each.dtype), each, (_ROW, _BLOCK))
        for part, each in zip(state.carried, before, strict=True)
    )
    kernels = (
        kernel(first.name, first.nest(), given_out, nest.accesses, count * blocks),
        kernel(second.name, second.nest(), passed_on, {each.name: each for each in totals}, count),
        kernel(nest.name, third.nest(), nest.writes, {**nest.accesses, **{each.name: each for each in before}},
               count * blocks),
    )  # fmt: skip
    if any(longest_statement(each.nest) > LONGEST for each in kernels):
        return None
    temporaries = tuple(Operand(each.name, each.dtype, ((_ROW,), (_BLOCK,))) for each in (*totals, *before))
    return Scheduled(kernels, temporaries, extents)


class _Blocks(OfBodies):
    """Chunks of which each group has one."""

    def lets(self) -> list[Statement]:
        blocks = self.given.size(_BLOCK)
        return [
            Let("row", call("floor_div", position("group"), blocks)),
            Let("block", call("mod", position("group"), blocks)),
            *self.row_lets(position("row")),
        ]

    def groups(self) -> Expr:
        return call("mul", product_of_sizes(self.rows, self.given), self.given.size(_BLOCK))

    @property
    def begin(self) -> Expr:
        return call("mul", position("block"), BLOCK)


class _Totals(_Blocks):
    """The stretch of each block."""

    def __init__(
        self, nest: Nest, node: Scan, rows: tuple[str, ...], state: State, totals: Sequence[Access]
    ) -> None:  # fmt: skip
        super().__init__(nest, f"{nest.name}_blocks", node, rows, state, ITEMS)
        self.totals = totals

    def nest(self) -> tuple[Given, LoopNest]:
        places = {_ROW: position("row"), _BLOCK: position("block")}
        stores = tuple(
            Store(*self.given.target(Write(part, each, (_ROW, _BLOCK)), places), part)
            for each, part in zip(self.totals, self.whole, strict=True)
        )
        lets = self.lets()
        body = [
            self._loaded(self.begin),
            Barrier(),
            *self._stretched(self.begin),
            If(call("eq", position("item"), 0), stores),
        ]
        return self.given, self.made(self.groups(), lets, self.state.start, body)


class _Behind(_Blocks):
    """The running values of each block, behind what the blocks before it come to."""

    def __init__(
        self, nest: Nest, node: Scan, rows: tuple[str, ...], state: State, before: Sequence[Access]
    ) -> None:  # fmt: skip
        given = Given({**nest.accesses, **{each.name: each for each in before}}, nest.attributes)
        super().__init__(nest, nest.name, node, rows, state, ITEMS, given)
        self.before = before

    def nest(self) -> tuple[Given, LoopNest]:
        at = (position("row"), call("maximum", call("sub", position("block"), 1), 0))
        start = tuple(
            call(
                "select",
                call("ge", position("block"), 1),
                self.given.read(read(each.name, at, each.dtype), at, {}),
                nothing,
            )
            for each, nothing in zip(self.before, self.state.start, strict=True)
        )
        return self.given, self.made(self.groups(), self.lets(), start, self.chunk(self.begin))


class _OfTotals(Chunks):
    """The running values of the stretches of blocks: a group for each row."""

    def __init__(self, name: str, state: State, totals: Sequence[Access], before: Sequence[Access]) -> None:
        given = Given({each.name: each for each in totals}, {})
        super().__init__(name, given, state, ITEMS, given.size(_BLOCK), state.dtypes)
        self.totals, self.before = totals, before

    def values(self, step: Expr) -> Parts:
        at = (position("group"), step)
        return tuple(self.given.read(read(each.name, at, each.dtype), at, {}) for each in self.totals)

    def leaf(self, values: Parts, step: Expr) -> Parts:
        return values

    def results(self, carried: Parts) -> dict[str, Expr]:
        return {self.tiles[part][0]: each for part, each in zip(self.state.carried, carried, strict=True)}

    def stored(self, step: Expr, at: Expr) -> tuple[Statement, ...]:
        places = {_ROW: position("group"), _BLOCK: step}
        stores = []
        for part, each in zip(self.state.carried, self.before, strict=True):
            name, dtype = self.tiles[part]
            value = read(name, (at,), dtype)
            stores.append(Store(*self.given.target(Write(value, each, (_ROW, _BLOCK)), places), value))
        return tuple(stores)

    def nest(self) -> tuple[Given, LoopNest]:
        turns = call("floor_div", call("add", self.length, BLOCK - 1), BLOCK)
        chunks = Loop("chunk", turns, "serial", tuple(self.chunk(call("mul", position("chunk"), BLOCK))))
        return self.given, self.made(self.given.size(_ROW), (), self.state.start, (chunks,))
