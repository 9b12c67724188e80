"""A scatter in C: start the rows of a unit, go through the values in order, add those that belong to its rows.

Input: a Scatter. Output: its Source.
"""

from __future__ import annotations

from collections.abc import Callable

from netcl.kernels.compiler.ir import FLOATS, root
from netcl.kernels.compiler.lower.kernel import Source, Write
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.names import function_name
from netcl.kernels.compiler.opencl.parameters import parameters
from netcl.kernels.compiler.opencl.scope import Lines, Scope, text_of
from netcl.kernels.compiler.opencl.types import LANES, Value, computed, converted, literal
from netcl.kernels.compiler.targets.cpu.emit.body import Body
from netcl.kernels.compiler.targets.cpu.emit.flat import advanced, decoded, total
from netcl.kernels.compiler.targets.cpu.emit.reductions import Reductions
from netcl.kernels.compiler.targets.cpu.scattered import Scatter

_LOCALS = "first_row end_row begin_value end_value value_number item hits hit count run end_run".split()
_RUN = 1024


def scatter(kernel: Scatter, helpers: Helpers) -> Source:
    """The text of a scatter, and its arguments."""
    return _Writer(kernel, helpers).source()


class _Writer:
    def __init__(self, kernel: Scatter, helpers: Helpers) -> None:
        self.kernel = kernel
        (self.write,) = kernel.writes
        access = self.write.access
        tested = [Write(each, access, ()) for each in (*kernel.rows.targets.values(), *kernel.rows.conditions)]
        self.body = Body(kernel.computing(writes=(self.write, *tested)), helpers, Reductions)
        for name in _LOCALS:
            self.body.names.own(name)

    def source(self) -> Source:
        kernel, body = self.kernel, self.body
        body.argument("buffer", self.write.access.buffer)
        for access in kernel.accesses.values():
            body.argument("buffer", access.buffer)
        outer = [*kernel.loops.parallel, *([kernel.rows.part] if kernel.rows.part else [])]
        unit = Scope(None, [(index, body.index_name(index)) for index in outer])
        self._starts(unit)
        self._values(unit)
        chunk, units = body.argument("chunk"), body.argument("units")
        lines: Lines = [
            f"const long end = min((item + 1) * {chunk}, {units});",
            f"for (long unit = item * {chunk}; unit < end; ++unit) {{",
            [*self._unit(outer), *unit.lines],
            "}",
        ]
        arguments = tuple(body.arguments.values())
        name = function_name(kernel.name, "item")
        text = (
            f"{kernel.heading}__attribute__((noinline)) void {name}("
            f"{parameters(kernel, arguments, 'const long item')}) {{\n{text_of(lines)}}}\n"
        )
        dtypes = {access.dtype for access in kernel.accesses.values()} | {self.write.access.dtype}
        return Source(name, text, arguments, "float64" in dtypes or "double" in text)

    def _unit(self, outer: list[str]) -> Lines:
        """Which rows and values a unit has."""
        kernel, body = self.kernel, self.body
        first = next(iter(kernel.rows.targets))
        blocks, rows = body.argument("number", "row_blocks"), body.argument("number", "rows_per_block")
        size = body.argument("size", index=first)
        values = total(body, kernel.rows.over)
        lines: Lines = [
            f"const long first_row = unit % {blocks} * {rows}, end_row = min(first_row + {rows}, {size});",
            *decoded(body, outer, f"unit / {blocks}"),
        ]
        if kernel.rows.part:
            part, parts = body.index_name(kernel.rows.part), body.argument("size", index=kernel.rows.part)
            run = f"(({values}) + {parts} - 1) / {parts}"
            return [
                *lines,
                f"const long begin_value = {part} * ({run}), end_value = min(begin_value + {run}, {values});",
            ]
        return [*lines, f"const long begin_value = 0, end_value = {values};"]

    def _starts(self, unit: Scope) -> None:
        start = Value(literal(self.kernel.rows.start, self.write.access.dtype), self.write.access.dtype, atom=True)
        self._loops(
            unit, [*self.kernel.rows.targets, *self.kernel.loops.inner], lambda scope: self._store(start, scope)
        )

    def _values(self, unit: Scope) -> None:
        """The values of the unit in order. One that has all rows takes each value that comes."""
        if self.kernel.rows.blocks > 1:
            self._found_values(unit)
            return
        kernel, body = self.kernel, self.body
        each = Scope(unit, [(index, body.index_name(index)) for index in kernel.rows.over])
        tests = self._targets(each)
        tests += [body.value(condition, each).text for condition in kernel.rows.conditions]
        added = Scope(each, list(each.binds.items()))  # the values are read where they are needed only
        self._loops(added, list(kernel.loops.inner), self._added)
        each.lines += [*added.close(f"if ({' && '.join(tests)})"), *advanced(body, kernel.rows.over)]
        unit.lines += [
            *decoded(body, kernel.rows.over, "begin_value", moving=True),
            *each.close("for (long value_number = begin_value; value_number < end_value; ++value_number)"),
        ]

    def _found_values(self, unit: Scope) -> None:
        """A run of values at a time: first a list of those that belong here, without a branch, then their additions."""
        kernel, body = self.kernel, self.body
        over = [(index, body.index_name(index)) for index in kernel.rows.over]
        each = Scope(unit, over)
        tests = self._targets(each)
        each.lines += [
            "hits[count] = value_number;",
            f"count += {' & '.join(tests)};",
            *advanced(body, kernel.rows.over),
        ]
        hit = Scope(unit, over)
        hit.lines += decoded(body, kernel.rows.over, "hits[hit]")
        self._targets(hit)
        added = hit
        conditions = [body.value(condition, hit).text for condition in kernel.rows.conditions]
        if conditions:
            # the values are read where they are needed only: the scope binds the indices once more
            added = Scope(hit, list(hit.binds.items()))
        self._loops(added, list(kernel.loops.inner), self._added)
        if conditions:
            hit.lines += added.close(f"if ({' && '.join(conditions)})")
        unit.lines += [
            f"for (long run = begin_value; run < end_value; run += {_RUN}) {{",
            [
                f"long hits[{_RUN}], count = 0;",
                f"const long end_run = min(run + {_RUN}, end_value);",
                *decoded(body, kernel.rows.over, "run", moving=True),
                *each.close("for (long value_number = run; value_number < end_run; ++value_number)"),
                *hit.close("for (long hit = 0; hit < count; ++hit)"),
            ],
            "}",
        ]

    def _targets(self, scope: Scope) -> list[str]:
        """The row indices as variables of `scope`; the tests whether they are rows of this unit."""
        body = self.body
        tests = []
        for number, (index, at) in enumerate(self.kernel.rows.targets.items()):
            name, value = body.index_name(index), body.value(at, scope)
            scope.lines.append(f"const long {name} = {value.bare};")
            scope.binds[index] = name
            low, high = ("first_row", "end_row") if number == 0 else ("0", body.argument("size", index=index))
            tests.append(f"({name} >= {low}) & ({name} < {high})")
        return tests

    def _loops(self, scope: Scope, indices: list[str], write: Callable[[Scope], None]) -> None:
        """`write` in loops over `indices`; the last one in lanes where its elements are neighbours."""
        body = self.body
        if not indices:
            write(scope)
            return
        index, rest = indices[0], indices[1:]
        name = body.index_name(index)
        first, last = "0", body.argument("size", index=index)
        if index == next(iter(self.kernel.rows.targets)):
            first, last = "first_row", "end_row"
        lanes = (
            self.kernel.rows.kind == "sum"
            and not rest
            and self.write.access.strides.get(index) == 1
            and self.kernel.extents[root(index)] >= LANES
        )
        if lanes:
            wide = Scope(scope, [(index, name)], LANES)
            write(wide)
        one = Scope(scope, [(index, name)])
        self._loops(one, rest, write)
        if not lanes:
            scope.lines += one.close(f"for (long {name} = {first}; {name} < {last}; ++{name})")
            return
        scope.lines += [
            "{",
            [
                f"long {name} = {first};",
                *wide.close(f"for (; {name} + {LANES} <= {last}; {name} += {LANES})"),
                *one.close(f"for (; {name} < {last}; ++{name})"),
            ],
            "}",
        ]

    def _added(self, scope: Scope) -> None:
        self._store(self.body.value(self.write.expr, scope), scope, adds=True)

    def _store(self, value: Value, scope: Scope, adds: bool = False) -> None:
        access = self.write.access
        buffer = self.body.argument("buffer", access.buffer)
        address, between = self.body.address(access, scope)
        lanes = LANES if between != "0" else 1
        value = converted(value, access.dtype, lanes)
        if lanes == 1 and adds and self.kernel.rows.kind != "sum":
            self._exchange(f"{buffer}[{address}]", value, scope)
            return
        if lanes == 1:
            scope.lines.append(f"{buffer}[{address}] {'+=' if adds else '='} {value.bare};")
            return
        place = f"{buffer} + {address}"
        text = f"{self.body.helpers.load(access.dtype, place)} + {value.text}" if adds else value.bare
        scope.lines.append(self.body.helpers.store(access.dtype, text, place))

    def _exchange(self, element: str, value: Value, scope: Scope) -> None:
        """Put the value where it is beyond the element, or NaN; a NaN stays. Without a branch: nobody foresees it."""
        name, now = self.body.names.own("value"), self.body.names.own("now")
        beyond = f"{name} {'>' if self.kernel.rows.kind == 'max' else '<'} {now}"
        taken = f"(({beyond}) | ({name} != {name}))" if value.dtype in FLOATS else f"({beyond})"
        kind = computed(value.dtype)
        scope.lines += [
            f"const {kind} {name} = {value.bare}, {now} = {element};",
            f"{element} = {taken} ? {name} : {now};",
        ]
