"""The frame of most kernels for CPUs as a loop nest: which work-item does what, loops over output indices, stores.

Input: a Nest, and the `Loops` that a schedule wants for it. Output: the kernel. Values are computed where they belong
(`loops.values`); along the vector index everything is written three times: in words, where all is bytes, in lanes, and
element by element for what is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Read, Reduce, number, position, read
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.accumulate import joined, neutral
from netcl.kernels.compiler.loops.folding import Folding
from netcl.kernels.compiler.loops.given import Given, Units
from netcl.kernels.compiler.loops.ir import Assume, Buffer, If, Let, Loop, Statement, Store
from netcl.kernels.compiler.loops.lanes import in_lanes, in_step, overlapping
from netcl.kernels.compiler.loops.positions import ZERO, before, least, minus, most, plus, times
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.values import Part, Values, parted
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.lower.loop_bounds import LoopBounds
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.lower.segments import changes
from netcl.kernels.compiler.lower.words import BYTES, worded
from netcl.kernels.compiler.opencl.types import LANES, WORD
from netcl.kernels.compiler.targets.cpu.loops import Loops
from netcl.kernels.compiler.targets.cpu.units import block_of, in_range, in_units

Indices = tuple[str, ...]


def made(nest: Nest, loops: Loops) -> Units:
    """The kernel that computes all of a nest in these loops."""
    return Frame(nest, loops).kernel()


class Frame:
    """The statements of one kernel."""

    def __init__(self, nest: Nest, loops: Loops) -> None:
        self.nest, self.loops = nest, loops
        self.given = Given(nest.accesses, nest.attributes)
        self.top = Scope()
        self.part: Part | None = None
        parts: dict[str, Part] = {}
        blocked = loops.blocked
        if blocked is not None:
            self.block = block_of(self.given, blocked)
            size = loops.run or loops.block_size
            self.part = Part(position("begin_of_part"), position("count_of_part"), size)
            parts = {index: self._span(index, self.part, bounds) for index, bounds in loops.bounds.items()}
        bound = blocked if blocked in nest.bound else None
        if bound is not None and self.part is not None:
            parts[bound] = self.part
        self.values = Folding(nest, self.given, parts, bound, loops.reduce_vectors)

    def _span(self, index: str, rows: Part, bounds: LoopBounds) -> Part:
        """What rows of a block have to add of an index that is compared with the row."""
        first: Expr = ZERO
        end = self.given.size(index)
        if bounds.after is not None:
            first = plus(rows.first, bounds.after)
        if bounds.before is not None:
            end = least(plus(rows.first, self.loops.block_size - 1 + bounds.before), end)
        return Part(first, most(minus(end, first), 0), self.nest.extent(index))

    def kernel(self) -> Units:
        nest, loops, values = self.nest, self.loops, self.values
        if loops.vector is not None and loops.parallel == (loops.vector,):
            return in_range(nest, values, loops, self.top, self._range)
        return in_units(nest, values, loops, self.top, self._unit)

    def _range(self, first: Expr, count: Expr) -> list[Statement]:
        assert self.loops.vector is not None
        return self._vectors(self.loops.vector, first, count, self.given.share("units"), self.top, ())

    def _unit(self, places: Mapping[str, Expr]) -> list[Statement]:
        scope = Scope(self.top, places)
        if self.part is None:
            self._inside(scope, self.loops.inner)
            return scope.statements
        assert self.loops.blocks is not None
        index = self.loops.blocks.index
        begin = times(places[f"{index}#"], self.block)
        count = least(self.block, minus(self.given.size(index), begin))
        if not self.loops.run:
            self._part(scope, begin, count)
            return scope.statements
        return self._runs(scope, begin, count)

    def _part(self, scope: Scope, begin: Expr, count: Expr) -> None:
        scope.statements += [Let("begin_of_part", begin), Let("count_of_part", count)]
        self._inside(scope, self.loops.inner)

    def _runs(self, scope: Scope, begin: Expr, count: Expr) -> list[Statement]:
        """A block in runs, each added to what the block has written so far: memory is read in the order in which it
        lies, all columns of a run before the next."""
        first, size, run = (position(self.values.fresh(each)) for each in ("begin", "size", "run"))
        inner = Scope(scope, {f"{self.loops.blocked}#": scope.binds[f"{self.loops.blocked}#"]})
        done = times(run, self.loops.run)
        self.so_far = call("gt", run, 0)
        left = most(minus(size, done), 0)
        self._part(inner, plus(first, done), least(left, self.loops.run))
        loop = Loop(run.index, parted(size, self.loops.run), "serial", inner.body)
        return [Let(first.index, begin), Let(size.index, count), *scope.statements, loop]

    def _inside(self, scope: Scope, inner: Indices, arrived: str | None = None) -> None:
        """The stores that belong into `scope`, where the index `arrived` was bound last; then the loops of `inner`."""
        self._store(
            [
                write
                for write in self.nest.writes
                if set(write.indices).isdisjoint(inner) and (arrived is None or arrived in write.indices)
            ],
            scope,
        )
        if not inner:
            return
        index, *rest = inner
        first: Expr = ZERO
        count = end = self.given.size(index)
        if self.part is not None and index == self.loops.blocked:
            first, count = self.part.first, self.part.count
        if self.loops.columns is not None and index == self.loops.columns.index:
            scope.statements.append(self._columns(index, self.loops.columns.count, scope))
        elif index == self.loops.vector and self.loops.padded:
            scope.statements.append(self._padded(index, first, end, scope, tuple(rest)))
        elif index == self.loops.vector:
            scope.statements += self._vectors(index, first, count, end, scope, tuple(rest))
        else:
            scope.statements += in_lanes(
                self.values, index, first, count, end, (),
                lambda at, _: self._at(index, at, None, scope, tuple(rest)),
            )  # fmt: skip

    def _at(
        self, index: str, at: Expr, lanes: Lanes | None, parent: Scope, rest: Indices,
        known: Mapping[Expr, Expr] | None = None,
    ) -> Sequence[Statement]:  # fmt: skip
        """What stands at one place of an index, where these conditions are `known` as values that others have."""
        scope = Scope(parent, {index: at}, lanes)
        for node, value in (known or {}).items():
            if isinstance(value, Read):
                same = self.given.expr(node, {each: scope.place(each) for each in node.free})
                scope.statements.append(Assume(call("eq", value, same)))
        scope.values.update(known or {})
        self._inside(scope, rest, index)
        return scope.statements

    def _store(self, writes: Sequence[Write], scope: Scope) -> None:
        if self.loops.run or self.loops.padded:
            for write in writes:
                self._store_part(write, scope)
        else:
            self.values.stored_together(writes, scope)

    def _store_part(self, write: Write, scope: Scope) -> None:
        """What lanes or runs store of an output."""
        if not self.loops.run:
            if self.loops.vector in write.access.strides:
                self._store_where(write, scope)
            else:
                self.values.stored(write, scope)
            return
        node = write.expr
        assert isinstance(node, Reduce)
        buffer, at = self._target(write, scope)
        nothing = neutral(node.kind, node.dtype)
        before = call("select", self.so_far, read(buffer, (at,), node.dtype), nothing)
        scope.statements.append(Store(buffer, at, joined(node, before, self.values.value(node, scope))))

    def _target(self, write: Write, scope: Scope) -> tuple[str, Expr]:
        return self.given.target(write, {index: scope.place(index) for index in write.access.strides})

    # --- several columns --------------------------------------------------------------------------------------------

    def _columns(self, index: str, count: int, parent: Scope) -> Statement:
        """So many columns at a time, which share the loops of their reductions. Behind the last one it is computed
        again, and not stored."""
        values, size = self.values, self.given.size(index)
        step, first = position(values.fresh("columns")), position(values.fresh("first"))
        together = Scope(parent)
        together.statements.append(Let(first.index, times(step, count)))
        columns = []
        for each in range(count):
            at = position(values.index(index))
            together.statements.append(Let(at.index, least(plus(first, each), minus(size, 1))))
            columns.append(Scope(together, {index: at}))
        for each, column in enumerate(columns):
            column.beside = tuple(columns)
            self._inside(column, (), index)
            stored = column.statements
            together.statements += [If(before(plus(first, each), size), tuple(stored))] if each else stored
        return Loop(step.index, parted(size, count), "serial", together.body)

    # --- along the vector index -------------------------------------------------------------------------------------

    def _vectors(
        self, index: str, first: Expr, count: Expr, end: Expr, parent: Scope, rest: Indices
    ) -> list[Statement]:
        values = self.values
        known = {each for above in parent.upwards() for each in above.binds}
        found = changes(self.nest.exprs, values.guards, index, known)
        in_words = not found and self._in_words(index)
        if not found and self.loops.overlap and not in_words and not self.loops.run:  # a run adds to what is there
            return self._overlapping(index, first, count, end, parent, rest)
        if not found:
            widths = (WORD, LANES) if in_words else (LANES,)
            return in_lanes(
                values, index, first, count, end, widths, lambda at, lanes: self._at(index, at, lanes, parent, rest)
            )
        return self._segments(index, first, count, end, parent, rest, found)

    def _overlapping(
        self, index: str, first: Expr, count: Expr, end: Expr, parent: Scope, rest: Indices
    ) -> list[Statement]:
        """In vectors of which the last one ends where the others do, if there is room for one."""

        def inside(at: Expr, lanes: Lanes | None) -> Sequence[Statement]:
            return self._at(index, at, lanes, parent, rest)

        is_short = before(count, LANES)
        short = in_lanes(self.values, index, first, count, end, (), inside)
        vectors = overlapping(self.values, index, first, plus(first, count), end, LANES, inside)
        return [If(is_short, tuple(short)), If(call("not", is_short), (vectors,))]

    def _padded(self, index: str, first: Expr, end: Expr, parent: Scope, rest: Indices) -> Statement:
        """One vector, of which the lanes before `end` are stored; everything may be read along all of it."""
        lanes, at = Lanes(self.values.fresh("lane"), LANES), position(self.values.index(index))
        self.is_inside = before(at, end)
        lets = Let(at.index, plus(first, position(lanes.index)))
        return in_step(lanes, (lets, *self._at(index, at, lanes, parent, rest)))

    def _store_where(self, write: Write, scope: Scope) -> None:
        value = self.values.named(self.values.value(write.expr, scope), scope)
        scope.statements.append(Store(*self._target(write, scope), value, self.is_inside))

    def _segments(
        self, index: str, first: Expr, count: Expr, until: Expr, parent: Scope, rest: Indices,
        found: Mapping[Expr, Expr],
    ) -> list[Statement]:  # fmt: skip
        """From one place where a comparison changes to the next. The places, in order, stay the same for all that they
        do not depend on."""
        values = self.values
        home = parent.home(frozenset[str]().union(*(values.guards.depends(each) for each in found.values())))
        places = dict.fromkeys(values.named(values.value(each, home), home) for each in found.values())
        edges = [ZERO, *_in_order(values, list(places), home), self.given.size(index)]
        kept = Buffer(f"own {values.fresh('edges')}", INDEX_DTYPE, "private", number(len(edges), INDEX_DTYPE))
        values.buffers.append(kept)
        home.statements += [Store(kept.name, number(at, INDEX_DTYPE), each) for at, each in enumerate(edges)]
        begin, last, segment, start, stop = (
            position(values.fresh(each)) for each in ("begin", "last", "segment", "start", "stop")
        )

        def edge(at: Expr) -> Expr:
            return least(most(read(kept.name, (at,), INDEX_DTYPE), begin), last)

        here = Scope(parent, {index: start})
        is_so = {node: values.named(values.value(node, here), here) for node in found}
        loops = in_lanes(
            values, index, start, most(minus(stop, start), 0), until, (LANES,),
            lambda at, lanes: self._at(index, at, lanes, parent, rest, is_so),
        )  # fmt: skip
        return [
            Let(begin.index, first),
            Let(last.index, plus(begin, count)),
            Loop(segment.index, number(len(edges) - 1, INDEX_DTYPE), "serial", (
                Let(start.index, edge(segment)), Let(stop.index, edge(plus(segment, 1))),
                If(before(start, stop), (*here.statements, *loops)),
            )),
        ]  # fmt: skip

    def _in_words(self, index: str) -> bool:
        """Whether all that is computed here is bytes."""
        writes = [write for write in self.nest.writes if index in write.indices]
        if not self.nest.target.driver.own_functions:
            return False
        if any(write.access.strides.get(index) != 1 or write.access.dtype not in BYTES for write in writes):
            return False
        return all(worded(write.expr, index, self.values.guards, self.nest.accesses) for write in writes)


def _in_order(values: Values, numbers: list[Expr], scope: Scope) -> list[Expr]:
    """Numbers in ascending order, each under a name."""
    for end in range(len(numbers) - 1, 0, -1):
        for at in range(end):
            one, other = numbers[at : at + 2]
            numbers[at : at + 2] = [values.named(each(one, other), scope) for each in (least, most)]
    return numbers
