"""Filling panels: copying a block of a factor in the order in which it is multiplied.

A panel has some lines, rows or columns of the factor, side by side for each step of the sum: `[step][line]`. Where each
line begins is worked out once; where the steps lie comes from a table, unless they are all equally far apart. What lies
side by side in memory is copied as vectors: along the steps through a square of registers that is transposed, along the
lines as it is. A factor that is not simply a tensor is computed element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, number, position, read, root
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.given import flattened, product_of_sizes
from netcl.kernels.compiler.loops.ir import (
    Assume,
    Buffer,
    If,
    Let,
    Loop,
    Name,
    Statement,
    Store,
    Transpose,
    elements_of,
)
from netcl.kernels.compiler.loops.lanes import in_step
from netcl.kernels.compiler.loops.positions import (
    ONE,
    ZERO,
    at_least,
    before,
    least,
    minus,
    most,
    numbered,
    plus,
    times,
)
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.values import Values, parted
from netcl.kernels.compiler.targets.cpu.products.tiling import DEPTH, GROUP, Tiling, as_one, plain
from netcl.kernels.compiler.targets.cpu.units import in_order, in_runs


@dataclass(frozen=True)
class Panel:
    """Where a block of lines goes: the element of a line and a step in the memory of `buffer`, `width` lines in all."""

    buffer: str
    begin: Expr
    width: int

    def at(self, step: Expr, line: Expr) -> Expr:
        return plus(plus(self.begin, times(step, self.width)), line)


@dataclass(frozen=True)
class Block:
    """Lines of a factor: `exist` of them from the one with the number `first` on, where those begin in memory stands in
    the table of the factor from `begin` on."""

    first: Expr
    exist: Expr
    begin: Expr = ZERO


@dataclass(frozen=True)
class Copy:
    """What goes from a block into a panel: of the chunk that begins with the step `first` the steps from `begin` to
    `end`."""

    panel: Panel
    block: Block
    first: Expr
    begin: Expr
    end: Expr

    @property
    def steps(self) -> Expr:
        return minus(self.end, self.begin)


class Factor:
    """One factor of a product: `across` are its rows, or its columns."""

    def __init__(self, side: str, tiling: Tiling, values: Values, lines: int) -> None:
        product = tiling.product
        self.side, self.tiling, self.values, self.given = side, tiling, values, values.given
        self.expr, self.across = {
            "left": (product.left, product.rows), "right": (product.right, product.columns),
        }[side]  # fmt: skip
        self.inner = product.inner
        self.access = plain(tiling.nest, self.expr, tiling.dtype)
        self.together = self.inner[-1:] if self.access is None else as_one(tiling.nest, self.inner, [self.access])
        long = tiling.nest.extent(*self.together) >= GROUP
        self.along_steps, self.along_lines = long and self._neighbours(self.inner), self._neighbours(self.across)
        if self.along_steps and self.along_lines:
            longer = tiling.nest.extents[root(self.across[-1])] >= GROUP
            self.along_steps, self.along_lines = not longer, longer
        self.begins, self.steps = f"{side} begins", f"{side} steps"
        if self.access is not None:
            self._private(self.begins, lines)
            if len(self.together) < len(self.inner):
                self._private(self.steps, DEPTH)

    def _neighbours(self, indices: Sequence[str]) -> bool:
        return self.access is not None and bool(indices) and self.access.strides.get(indices[-1], 0) == 1

    def _private(self, name: str, size: int, dtype: str = INDEX_DTYPE) -> str:
        count = number(size, INDEX_DTYPE)
        self.values.buffers.append(Buffer(name, dtype, "private", count, positions=dtype == INDEX_DTYPE))
        return name

    # --- where it lies ----------------------------------------------------------------------------------------------

    def table(self, first: Expr, count: Expr) -> list[Statement]:
        """Where `count` steps from the one with the number `first` on lie, seen from where a line begins."""
        if self.access is None or len(self.together) == len(self.inner):
            return []

        def inside(places: Mapping[str, Expr]) -> Sequence[Statement]:
            lets, step = self._numbered(self.inner, places, first, count)
            return [*lets, Store(self.steps, step, self._moved(places))]

        return in_order(self.values, self._sizes(self.inner), self._count(self.inner), inside, first, count)

    def lines(self, block: Block, batch: Mapping[str, Expr], count: int) -> list[Statement]:
        """Where the lines of a block begin; of those beyond the last that there is, `count` in all, where that does."""
        begins, last = self.values.fresh("beyond"), plus(block.begin, minus(block.exist, 1))

        def inside(places: Mapping[str, Expr]) -> Sequence[Statement]:
            lets, line = self._numbered(self.across, places, block.first, block.exist)
            at = plus(self._address(batch), self._moved(places))
            return [*lets, Store(self.begins, plus(block.begin, line), at)]

        beyond = position(begins)
        at = plus(plus(block.begin, block.exist), beyond)
        inner = (
            Assume(before(plus(block.exist, beyond), count)),
            Store(self.begins, at, read(self.begins, (last,), INDEX_DTYPE)),
        )
        sizes, total = self._sizes(self.across), self._count(self.across)
        return [
            *in_order(self.values, sizes, total, inside, block.first, block.exist),
            Loop(begins, most(minus(count, block.exist), 0), "serial", inner),
        ]

    def _numbered(
        self, indices: Sequence[str], places: Mapping[str, Expr], first: Expr, count: Expr
    ) -> tuple[list[Statement], Expr]:
        """How many places of these indices lie between the first and this one, under a name."""
        if not indices:
            return [], ZERO
        flat, at = minus(flattened(places, indices, self.given), first), position(self.values.fresh("number"))
        return [Assume(at_least(flat, 0)), Assume(before(flat, count)), Let(at.index, flat)], at

    def _address(self, batch: Mapping[str, Expr]) -> Expr:
        assert self.access is not None
        return self.given.address(self.access, [batch.get(index, ZERO) for index in self.access.strides])

    def _moved(self, places: Mapping[str, Expr]) -> Expr:
        """How far these indices move in memory."""
        assert self.access is not None
        found: Expr = ZERO
        for index in self.access.strides:
            if index in places:
                found = plus(found, times(places[index], self.given.stride(self.access, index)))
        return found

    def _sizes(self, indices: Sequence[str]) -> dict[str, Expr]:
        return {index: self.given.size(index) for index in indices}

    def _count(self, indices: Sequence[str]) -> Expr:
        return product_of_sizes(indices, self.given)

    def step(self, first: Expr, step: Expr) -> Expr:
        """Where a step lies, seen from where a line begins."""
        if len(self.together) == len(self.inner):
            return self._moved({self.inner[-1]: plus(first, step)} if self.inner else {})
        return read(self.steps, (step,), INDEX_DTYPE)

    def begin(self, block: Block, line: Expr) -> Expr:
        return read(self.begins, (plus(block.begin, line),), INDEX_DTYPE)

    def element(self, at: Expr) -> tuple[list[Statement], Expr]:
        """The element there, which is known to be in memory."""
        assert self.access is not None
        inside = [Assume(at_least(at, 0)), Assume(before(at, elements_of(self.access.buffer)))]
        return [*inside], read(self.given.scratch(self.access), (at,), self.access.dtype)

    # --- copying ----------------------------------------------------------------------------------------------------

    def filled(self, copy: Copy) -> list[Statement]:
        """The lines of a block in groups; zeros for those groups that there are not."""
        groups = position(self.values.fresh("group"))
        line = times(groups, GROUP)
        nothing = self._along(copy, line, GROUP, lambda step, at: ([], number(0, self.tiling.dtype)))
        there = before(line, copy.block.exist)
        body = (If(there, tuple(self._group(copy, line))), If(call("not", there), tuple(nothing)))
        return [Loop(groups.index, number(copy.panel.width // GROUP, INDEX_DTYPE), "serial", body)]

    def _group(self, copy: Copy, line: Expr) -> list[Statement]:
        if self.along_lines:
            return self._by_lines(copy, line)
        return self._by_steps(copy, line) if self.along_steps else self._alone(copy, line)

    def _along(
        self, copy: Copy, line: Expr, lanes: int, value: Callable[[Expr, Expr], tuple[list[Statement], Expr]]
    ) -> list[Statement]:
        """For each step so many lines side by side, of which `value` says what they are."""
        step, lane = position(self.values.fresh("step")), Lanes(self.values.fresh("lane"), lanes)
        at, inside = plus(copy.begin, step), position(lane.index)
        lets, found = value(at, inside)
        store = Store(copy.panel.buffer, copy.panel.at(at, plus(line, inside)), found)
        body = (Assume(before(at, DEPTH)), in_step(lane, (*lets, store)))
        return [Loop(step.index, copy.steps, "serial", body)]

    def _alone(self, copy: Copy, line: Expr) -> list[Statement]:
        """One element after the other."""
        step, each = (position(self.values.fresh(word)) for word in ("step", "line"))
        at, here = plus(copy.begin, step), plus(line, each)
        lets, value = self.element(plus(self.begin(copy.block, here), self.step(copy.first, at)))
        store = Store(copy.panel.buffer, copy.panel.at(at, here), value)
        lines = Loop(each.index, number(GROUP, INDEX_DTYPE), "serial", (*lets, store))
        return [Loop(step.index, copy.steps, "serial", (Assume(before(at, DEPTH)), lines))]

    def whole(self, copy: Copy) -> list[Statement]:
        """The lines of a block, where they are all neighbours, in two vectors; else as `filled`."""
        ordinary = self.filled(copy)
        if not self.along_lines:
            return ordinary
        apart = self._private(f"own {self.values.fresh('apart')}", 1)
        broken = read(apart, (ZERO,), INDEX_DTYPE)
        found = self._breaks(copy.block, ZERO, copy.panel.width, lambda line: [Store(apart, ZERO, plus(broken, 1))])
        half = copy.panel.width // 2
        begin = self.begin(copy.block, ZERO)
        copies: list[Statement] = []
        for at in (0, half):

            def copied(step: Expr, lane: Expr, at: int = at) -> tuple[list[Statement], Expr]:
                return self.element(plus(plus(plus(begin, self.step(copy.first, step)), at), lane))

            copies += self._along(copy, number(at, INDEX_DTYPE), half, copied)
        is_whole = call("eq", broken, 0)
        return [
            Store(apart, ZERO, ZERO), *found,
            If(is_whole, tuple(copies)), If(call("not", is_whole), tuple(ordinary)),
        ]  # fmt: skip

    def _breaks(
        self, block: Block, line: Expr, count: int, found: Callable[[Expr], Sequence[Statement]]
    ) -> list[Statement]:
        """What is to be done at each of some lines that is no neighbour of the one before."""
        each = position(self.values.fresh("line"))
        at = plus(each, 1)
        here, there = self.begin(block, plus(line, at)), self.begin(block, plus(line, each))
        inside = If(call("ne", here, plus(there, 1)), tuple(found(at)))
        return [Loop(each.index, number(count - 1, INDEX_DTYPE), "serial", (inside,))]

    def _by_lines(self, copy: Copy, line: Expr) -> list[Statement]:
        """Lines that are neighbours, or the last of one row and the first of a later one: all between can be read."""
        block, first = copy.block, copy.first
        breaks, split = (self._private(f"own {self.values.fresh(each)}", 1) for each in ("breaks", "split"))
        many, found = (read(each, (ZERO,), INDEX_DTYPE) for each in (breaks, split))
        where, is_split = (position(self.values.fresh(each)) for each in ("split", "is_split"))
        noted = self._breaks(
            block, line, GROUP, lambda at: [Store(breaks, ZERO, plus(many, 1)), Store(split, ZERO, at)]
        )
        early, late = self.begin(block, line), self.begin(block, plus(line, GROUP - 1))

        def together(step: Expr, lane: Expr) -> tuple[list[Statement], Expr]:
            return self.element(plus(plus(early, self.step(first, step)), lane))

        def both(step: Expr, lane: Expr) -> tuple[list[Statement], Expr]:
            names = [self.values.fresh(each) for each in ("early", "late")]
            lets: list[Statement] = []
            for name, at in zip(names, (early, minus(late, GROUP - 1)), strict=True):
                known, element = self.element(plus(plus(at, self.step(first, step)), lane))
                lets += [*known, Name(name, element)]
            earlier, later = (read(name, (), self.tiling.dtype) for name in names)
            return lets, call("select", at_least(lane, where), later, earlier)

        one = call("eq", many, 0)
        turn = call("gt", self.begin(block, plus(line, where)), self.begin(block, minus(plus(line, where), 1)))
        return [
            Store(breaks, ZERO, ZERO), Store(split, ZERO, ONE), *noted,
            Assume(at_least(found, 1)), Assume(before(found, GROUP)), Let(where.index, found),
            Assume(at_least(where, 1)),
            Let(is_split.index, cast(call("and", call("eq", many, 1), turn), INDEX_DTYPE)),
            If(one, tuple(self._along(copy, line, GROUP, together))),
            If(call("ne", is_split, 0), tuple(self._along(copy, line, GROUP, both))),
            If(conjunction([call("not", one), call("eq", is_split, 0)]), tuple(self._alone(copy, line))),
        ]  # fmt: skip

    def _by_steps(self, copy: Copy, line: Expr) -> list[Statement]:
        """Runs of steps that are neighbours, so many at a time; the last ones together with some of those before."""
        others = self.inner[: -len(self.together)]
        extents = {**self._sizes(others), self.together[-1]: self._count(self.together)}

        def run(places: Mapping[str, Expr], start: Expr, count: Expr) -> Sequence[Statement]:
            at, many, square, here = (position(self.values.fresh(each)) for each in ("at", "count", "square", "start"))
            flat = minus(numbered(extents, {**places, self.together[-1]: start}), copy.first)
            inside = (
                Let(here.index, plus(at, least(times(square, GROUP), minus(many, GROUP)))),
                Assume(before(plus(here, GROUP - 1), DEPTH)),
                *self._square(copy, here, line),
            )
            is_long = at_least(many, GROUP)
            return [
                Assume(at_least(flat, 0)), Assume(before(flat, DEPTH)), Let(at.index, flat),
                Assume(at_least(count, 0)), Assume(call("le", plus(flat, count), DEPTH)), Let(many.index, count),
                If(is_long, (Loop(square.index, parted(many, GROUP), "serial", inside),)),
                If(call("not", is_long), tuple(self._alone(replace(copy, begin=at, end=plus(at, many)), line))),
            ]  # fmt: skip

        return in_runs(self.values, extents, plus(copy.first, copy.begin), copy.steps, run)

    def _square(self, copy: Copy, start: Expr, line: Expr) -> list[Statement]:
        """So many steps of as many lines."""
        dtype = self.tiling.dtype
        names = [f"{self.side} line {each}" for each in range(GROUP)]
        for name in names:
            if all(each.name != name for each in self.values.buffers):
                self._private(name, GROUP, dtype)
        lane = Lanes(self.values.fresh("lane"), GROUP)
        here = position(lane.index)
        loads: list[Statement] = []
        for each, name in enumerate(names):
            at = plus(plus(self.begin(copy.block, plus(line, each)), self.step(copy.first, start)), here)
            lets, element = self.element(at)
            loads += [*lets, Store(name, here, element)]
        after = Lanes(self.values.fresh("lane"), GROUP)
        there = position(after.index)
        stores = [
            Store(copy.panel.buffer, copy.panel.at(plus(start, each), plus(line, there)), read(name, (there,), dtype))
            for each, name in enumerate(names)
        ]
        return [in_step(lane, loads), Transpose(tuple(names)), in_step(after, stores)]

    # --- computing --------------------------------------------------------------------------------------------------

    def computed(self, copy: Copy, top: Scope) -> list[Statement]:
        """Each element from its formula, whole chunks at a time; zeros for lines that there are not."""
        values, panel, block = self.values, copy.panel, copy.block

        def line(places: Mapping[str, Expr]) -> Sequence[Statement]:
            lets, at = self._numbered(self.across, places, block.first, block.exist)
            outer = Scope(top, places)

            def step(places: Mapping[str, Expr]) -> Sequence[Statement]:
                more, number = self._numbered(self.inner, places, copy.first, copy.end)
                inner = Scope(outer, places)
                value = cast(values.value(self.expr, inner), self.tiling.dtype)
                return [*more, *inner.statements, Store(panel.buffer, panel.at(number, at), value)]

            steps = in_order(values, self._sizes(self.inner), self._count(self.inner), step, copy.first, copy.end)
            return [*lets, *outer.statements, *steps]

        lines = in_order(values, self._sizes(self.across), self._count(self.across), line, block.first, block.exist)
        beyond, at = (position(values.fresh(each)) for each in ("beyond", "step"))
        place = panel.at(at, plus(block.exist, beyond))
        zero = Store(panel.buffer, place, number(0, self.tiling.dtype))
        rest = (
            Assume(before(plus(block.exist, beyond), panel.width)),
            Loop(at.index, copy.end, "serial", (zero,)),
        )
        return [*lines, Loop(beyond.index, most(minus(panel.width, block.exist), 0), "serial", rest)]
