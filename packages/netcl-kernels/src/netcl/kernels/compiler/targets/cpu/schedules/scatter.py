"""scatter: sums (or extremes) of what an index read from a tensor puts into each row, without all rows for all values.

    y[t, …] = sum[s…](at[s…] == t and … ? value[s…, …] : 0)            or max, or min, with another start than 0

Each unit of work owns some rows `t` of the output, goes through all `s` in order and adds what belongs to its rows.
Each element is thus the sum of its values in the order of `s`, whoever adds them. With few rows and many values the
values are cut into parts with a copy of the rows each, and the copies are added in order; how many depends on sizes
alone.

Input: a nest. Output: its kernel, the temporaries, the nest that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from netcl.kernels.compiler.ir import FLOATS, INDEX_DTYPE, Expr, Number, Read, number, position, read
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.accumulate import is_nan
from netcl.kernels.compiler.loops.given import Given, Unit, Units, flattened, product_of_sizes, unflattened
from netcl.kernels.compiler.loops.ir import Assume, Buffer, If, Let, Loop, Statement, Store
from netcl.kernels.compiler.loops.lanes import in_lanes
from netcl.kernels.compiler.loops.positions import ZERO, before, least, minus, most, plus, times
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.values import Values, parted
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.scattering import PartialRows, Scattering, scattering
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.targets.cpu.loops import Blocks, Loops
from netcl.kernels.compiler.targets.cpu.units import block_of, in_order, in_units

_RUN = 1024
"""So many values are looked through before those that were found are added."""


def fits(nest: Nest) -> Scheduled | None:
    """For stages with one Reduce whose values go to rows that are read from a tensor."""
    asked = scattering(nest)
    if asked is None:
        return None
    limits, node, targets = nest.target.scatters, asked.node, asked.targets
    rows, values = nest.extent(*targets), nest.extent(*node.over)
    if rows < limits.rows or rows * values < limits.pairs:
        return None
    fixed = frozenset().union(*(each.free for each in targets.values()))
    rest = [index for index in nest.order if index not in targets]
    strides = nest.writes[0].access.strides
    inner = tuple(index for index in rest if index not in fixed and strides.get(index) == 1)
    parallel = tuple(index for index in rest if index not in inner)
    parts = min(limits.parts, values // (limits.values_per_copy * rows))
    if values * nest.extent(*inner) < limits.much:
        parts = 1
    first = next(iter(targets))
    shared = max(nest.extent(*parallel), 1) * max(parts, 1)
    blocks = max(1, min(nest.extent(first), limits.units // shared, nest.extent(*inner)))
    cut = Blocks(first, -(-nest.extent(first) // blocks)) if blocks > 1 else None
    loops = Loops("scatter", parallel=parallel, inner=inner, blocks=cut)
    asked = _chosen_inside(asked, inner)
    if parts < 2 and len(nest.writes) == 1 and nest.writes[0].expr is node:
        return Scheduled((_Scatter(nest, asked, loops).kernel(),))
    copies = PartialRows(nest, node, parts)
    write = Write(node, copies.access, copies.shape)
    own = replace(nest, name=f"{nest.name}_rows", writes=(write,), accesses=nest.read_by(write), extents=copies.extents)
    if parts > 1:
        loops = replace(loops, parallel=(*parallel, copies.part))
    kernel = _Scatter(own, asked, loops, copies.part if parts > 1 else None).kernel()
    return Scheduled((kernel,), (copies.operand,), copies.extents, rest=copies.rest)


def _chosen_inside(asked: Scattering, inner: tuple[str, ...]) -> Scattering:
    """The same, where conditions on the indices of a row choose the value."""
    within = [each for each in asked.conditions if not each.free.isdisjoint(inner)]
    if not within:
        return asked
    value = call("select", conjunction(within), asked.value, number(asked.start, asked.value.dtype))
    return replace(asked, value=value, conditions=tuple(each for each in asked.conditions if each not in within))


class _Scatter:
    """The kernel of one write. Indices of `loops.parallel` are shared out beside the rows, those of `loops.inner` are
    not: a row has all of them. `part` has the parts of the values, where there are several."""

    def __init__(self, nest: Nest, asked: Scattering, loops: Loops, part: str | None = None) -> None:
        self.nest, self.asked, self.loops, self.part = nest, asked, loops, part
        self.over = asked.node.over
        (self.write,) = nest.writes
        self.first = next(iter(asked.targets))
        self.given = given = Given(nest.accesses, nest.attributes)
        self.values = Values(nest, [asked.value, *asked.targets.values(), *asked.conditions], given)
        self.count = product_of_sizes(self.over, given)
        self.top = Scope()
        self.row: Expr = ZERO
        self.end: Expr = ZERO

    def kernel(self) -> Units:
        kernel = in_units(self.nest, self.values, self.loops, self.top, self._unit)
        nest, inner, blocks = self.nest, self.loops.inner, self.loops.count(self.nest.extents)
        values = nest.extent(*self.over) // (nest.extent(self.part) if self.part else 1)
        starts = nest.extent(*self.asked.targets, *inner) // blocks
        steps = starts + values * max(1, nest.extent(*inner) // blocks)
        return replace(kernel, unit=Unit(steps, kernel.is_vectorised))

    def _unit(self, places: Mapping[str, Expr]) -> Sequence[Statement]:
        """Rows that begin with what there is of no values, then what the values add, in their order."""
        values, size = self.values, self.given.size(self.first)
        unit = Scope(self.top, places)
        self.row, self.end = ZERO, size
        if self.loops.blocked is not None:
            block = block_of(self.given, self.first)
            row, end = (position(values.fresh(each)) for each in ("first_row", "end_row"))
            unit.statements.append(Let(row.index, times(places[f"{self.first}#"], block)))
            unit.statements.append(Let(end.index, least(plus(row, block), size)))
            self.row, self.end = row, end
        start = number(self.asked.start, self.write.access.dtype)
        self._each(unit, [*self.asked.targets, *self.loops.inner], lambda scope: self._store(start, scope))
        begin: Expr = ZERO
        count = self.count
        if self.part:
            run, first, many = (position(values.fresh(each)) for each in ("run", "first", "many"))
            unit.statements += [
                Let(run.index, parted(self.count, self.given.size(self.part))),
                Let(first.index, times(places[self.part], run)),
                Let(many.index, most(least(run, minus(self.count, first)), 0)),
            ]
            begin, count = first, many
        add = self._found if self.loops.blocked is not None else self._all
        add(unit, begin, count)
        return unit.statements

    def _all(self, unit: Scope, begin: Expr, count: Expr) -> None:
        """Where a unit has all rows, each value is added that has one."""

        def inside(places: Mapping[str, Expr]) -> Sequence[Statement]:
            each = Scope(unit, places)
            rows, tests = self._rows(each)
            return self._added(each, places, rows, tests)

        unit.statements += self._in_order(begin, count, inside)

    def _found(self, unit: Scope, begin: Expr, count: Expr) -> None:
        """A run of values at a time: first a list of those that belong here, without a branch, then their additions."""
        values = self.values
        hits, many = (f"own {values.fresh(each)}" for each in ("hits", "count"))
        values.buffers.append(Buffer(hits, INDEX_DTYPE, "private", number(_RUN, INDEX_DTYPE)))
        values.buffers.append(Buffer(many, INDEX_DTYPE, "private", number(1, INDEX_DTYPE)))
        so_far = read(many, (ZERO,), INDEX_DTYPE)
        run, start, length = (position(values.fresh(each)) for each in ("run", "begin", "length"))

        def looked(places: Mapping[str, Expr]) -> Sequence[Statement]:
            each = Scope(unit, places)
            _, tests = self._rows(each)
            each.statements += [
                Assume(call("ge", so_far, 0)),
                Assume(before(so_far, _RUN)),
                Store(hits, so_far, flattened(places, self.over, self.given)),
                Store(many, ZERO, plus(so_far, cast(tests, INDEX_DTYPE))),
            ]
            return each.statements

        hit, value = position(values.fresh("hit")), position(values.fresh("value"))
        found = read(hits, (hit,), INDEX_DTYPE)
        here = unflattened(value, self.over, self.given)
        places = {index: position(values.index(index)) for index in here}
        each = Scope(unit, places)
        each.statements += [
            Assume(before(hit, _RUN)), Assume(call("ge", found, 0)), Assume(before(found, self.count)),
            Let(value.index, found), *(Let(places[index].index, at) for index, at in here.items()),
        ]  # fmt: skip
        rows, tests = self._rows(each)
        each.statements += [Assume(tests)]
        added = self._added(each, places, rows, number(True, "bool"))
        unit.statements.append(
            Loop(run.index, parted(count, _RUN), "serial", (
                Let(start.index, plus(begin, times(run, _RUN))),
                Let(length.index, least(_RUN, minus(count, times(run, _RUN)))),
                Store(many, ZERO, ZERO),
                *self._in_order(start, length, looked),
                Loop(hit.index, so_far, "serial", tuple(added)),
            ))
        )  # fmt: skip

    def _in_order(
        self, begin: Expr, count: Expr, inside: Callable[[Mapping[str, Expr]], Sequence[Statement]]
    ) -> list[Statement]:
        extents = {index: self.given.size(index) for index in self.over}
        return in_order(self.values, extents, self.count, inside, begin, count)

    def _rows(self, scope: Scope) -> tuple[dict[str, Expr], Expr]:
        """The row of a value, and whether it is one of this unit."""
        rows: dict[str, Expr] = {}
        tests: list[Expr] = []
        for index, at in self.asked.targets.items():
            row = self.values.named(cast(self.values.value(at, scope), INDEX_DTYPE), scope, "row")
            low, end = (self.row, self.end) if index == self.first else (ZERO, self.given.size(index))
            tests += [call("ge", row, low), before(row, end)]
            rows[index] = row
        return rows, conjunction(tests)

    def _added(
        self, each: Scope, places: Mapping[str, Expr], rows: Mapping[str, Expr], tests: Expr
    ) -> Sequence[Statement]:
        """What a value adds that passes the tests, if the conditions hold as well; only then is it read."""
        there = {index: position(self.values.index(index)) for index in rows}
        places = {**places, **there}
        member = added = Scope(each, places)
        member.statements += [Let(at.index, rows[index]) for index, at in there.items()]
        holds = conjunction(self.values.value(condition, member) for condition in self.asked.conditions)
        if self.asked.conditions:
            added = Scope(member, places)
        self._each(added, self.loops.inner, self._add)
        if self.asked.conditions:
            member.statements.append(If(holds, added.body))
        return [*each.statements, *(member.statements if isinstance(tests, Number) else [If(tests, member.body)])]

    def _each(self, scope: Scope, indices: Sequence[str], write: Callable[[Scope], None]) -> None:
        """What is written for each of these indices; along the last one in lanes, where its elements are neighbours."""
        if not indices:
            write(scope)
            return
        index, *rest = indices
        end = self.given.size(index)
        first, count = (self.row, minus(self.end, self.row)) if index == self.first else (ZERO, end)
        near = not rest and self.write.access.strides.get(index) == 1 and self.nest.extent(index) >= LANES

        def inside(at: Expr, lanes: Lanes | None) -> Sequence[Statement]:
            inner = Scope(scope, {index: at}, lanes)
            self._each(inner, rest, write)
            return inner.statements

        scope.statements += in_lanes(self.values, index, first, count, end, (LANES,) if near else (), inside)

    def _add(self, scope: Scope) -> None:
        value = self.values.value(self.asked.value, scope)
        kind, so_far = self.asked.node.kind, self._element(scope)
        if kind == "sum":
            self._store(call("add", so_far, value), scope)
            return
        value = self.values.named(value, scope)
        best = self.values.named(so_far, scope, "so_far")
        beyond = call("gt" if kind == "max" else "lt", value, best)
        taken = call("or", beyond, is_nan(value)) if value.dtype in FLOATS else beyond
        self._store(call("select", taken, value, best), scope)

    def _element(self, scope: Scope) -> Read:
        """What the rows have where `scope` stands."""
        access = self.write.access
        buffer, at = self.given.target(self.write, {index: scope.place(index) for index in access.strides})
        return read(buffer, (at,), access.dtype)

    def _store(self, value: Expr, scope: Scope) -> None:
        element = self._element(scope)
        scope.statements.append(Store(element.operand, element.at[0], value))
