"""The text of a sort: positions of one row brought into the order of its values, by merging runs.

Input: a Sorting. Output: its Source. Short runs are ordered by counting how many values come before each; then runs are
merged two by two, to and fro between the output and the scratch tensor. Of equal values the one that stood first stays
first. What is around it is the frame of every kernel.
"""

from __future__ import annotations

from netcl.kernels.compiler.emit.helpers import Helpers
from netcl.kernels.compiler.emit.nest import Frame
from netcl.kernels.compiler.emit.scope import Lines, Scope
from netcl.kernels.compiler.emit.types import computed, literal
from netcl.kernels.compiler.ir import FLOATS
from netcl.kernels.compiler.kernel import Access, Source
from netcl.kernels.compiler.schedules.sort import Sorting

_RUN = 32
"""How many values are ordered by counting: each with each, without a branch."""


def sort(kernel: Sorting, helpers: Helpers) -> Source:
    """The text of a sort, and its arguments."""
    return _Sort(kernel, helpers).source()


class _Sort(Frame):
    kernel: Sorting

    def inside(self, scope: Scope, inner: list[str], arrived: str | None = None) -> None:
        names = (
            "count from to left right middle stop place width run step_from step_to step "
            "left_key right_key keys key rank"
        ).split()
        self.c = {name: self.body.names.fresh(name) for name in names}
        scope.lines += self._row(scope)

    def _row(self, rows: Scope) -> Lines:
        c, here = self.c, self.body.index_name(self.kernel.along)
        output, scratch = (write.access for write in self.kernel.writes)
        size = self.body.argument("size", index=self.kernel.along)
        merge = self._merge(rows)
        return [
            f"const long {c['count']} = {size};",
            *self._pointer(c["from"], c["step_from"], output, rows),
            *self._pointer(c["to"], c["step_to"], scratch, rows),
            f"for (long {c['run']} = 0; {c['run']} < {c['count']}; {c['run']} += {_RUN}) {{",
            self._counted(rows),
            "}",
            f"for (long {c['width']} = {_RUN}; {c['width']} < {c['count']}; {c['width']} *= 2) {{",
            [
                f"for (long {c['run']} = 0; {c['run']} < {c['count']}; {c['run']} += 2 * {c['width']}) {{",
                merge,
                "}",
                f"__global long *{c['place']} = {c['from']};",
                f"{c['from']} = {c['to']};",
                f"{c['to']} = {c['place']};",
                f"const long {c['step']} = {c['step_from']};",
                f"{c['step_from']} = {c['step_to']};",
                f"{c['step_to']} = {c['step']};",
            ],
            "}",
            *self._copied_back(output, here, rows),
        ]

    def _counted(self, rows: Scope) -> Lines:
        """The positions of one short run, each put behind all that come before it."""
        c, here = self.c, self.body.index_name(self.kernel.along)
        scope = Scope(rows, [(self.kernel.along, here)])
        value = self.body.value(self.kernel.writes[0].expr, scope)
        scope.lines.append(f"{c['keys']}[{here} - {c['run']}] = {value.bare};")
        other = f"{c['keys']}[{c['place']}]"
        return [
            f"const long {c['stop']} = min({_RUN}L, {c['count']} - {c['run']});",
            f"{computed(self.kernel.writes[0].expr.dtype)} {c['keys']}[{_RUN}];",
            *scope.close(f"for (long {here} = {c['run']}; {here} < {c['run']} + {c['stop']}; ++{here})"),
            f"for (long {here} = 0; {here} < {c['stop']}; ++{here}) {{",
            [
                f"const {computed(self.kernel.writes[0].expr.dtype)} {c['key']} = {c['keys']}[{here}];",
                f"long {c['rank']} = {c['run']};",
                f"for (long {c['place']} = 0; {c['place']} < {here}; ++{c['place']}) {{",
                [f"{c['rank']} += !({self._before(other, c['key'])});"],
                "}",
                f"for (long {c['place']} = {here} + 1; {c['place']} < {c['stop']}; ++{c['place']}) {{",
                [f"{c['rank']} += {self._before(c['key'], other)};"],
                "}",
                f"{c['from']}[{c['rank']} * {c['step_from']}] = {c['run']} + {here};",
            ],
            "}",
        ]

    def _merge(self, rows: Scope) -> Lines:
        """Two runs into one; the other run's next comes first only where it belongs before."""
        c = self.c
        key = computed(self.kernel.writes[0].expr.dtype)
        start = literal(0, self.kernel.writes[0].expr.dtype)
        take_left = self._taken("left", "left_key", "middle", rows)
        before = self._before(c["left_key"], c["right_key"])
        take_right = self._taken("right", "right_key", "stop", rows)
        return [
            f"const long {c['middle']} = min({c['run']} + {c['width']}, {c['count']});",
            f"const long {c['stop']} = min({c['middle']} + {c['width']}, {c['count']});",
            f"long {c['left']} = {c['run']}, {c['right']} = {c['middle']};",
            f"{key} {c['left_key']} = {start}, {c['right_key']} = {start};",
            *self._key("left", "left_key", "middle", rows),
            *self._key("right", "right_key", "stop", rows),
            f"for (long {c['place']} = {c['run']}; {c['place']} < {c['stop']}; ++{c['place']}) {{",
            [
                f"if ({c['right']} < {c['stop']} && ({c['left']} >= {c['middle']} || {before})) {{",
                take_right,
                "} else {",
                take_left,
                "}",
            ],
            "}",
        ]

    def _taken(self, side: str, key: str, end: str, rows: Scope) -> Lines:
        c = self.c
        target = f"{c['to']}[{c['place']} * {c['step_to']}]"
        return [
            f"{target} = {c['from']}[{c[side]} * {c['step_from']}];",
            f"++{c[side]};",
            *self._key(side, key, end, rows),
        ]

    def _key(self, side: str, key: str, end: str, rows: Scope) -> Lines:
        """The value of the position that comes next on one side, where there is one."""
        c, here = self.c, self.body.index_name(self.kernel.along)
        scope = Scope(rows, [(self.kernel.along, here)])
        scope.lines.append(f"const long {here} = {c['from']}[{c[side]} * {c['step_from']}];")
        value = self.body.value(self.kernel.writes[0].expr, scope)
        scope.lines.append(f"{c[key]} = {value.bare};")
        return scope.close(f"if ({c[side]} < {c[end]})")

    def _before(self, left: str, right: str) -> str:
        """Whether the right value belongs before the left: it is smaller (larger when descending); NaN is largest."""
        less, greater = (right, left) if not self.kernel.backward else (left, right)
        text = f"{less} < {greater}"
        if self.kernel.writes[0].expr.dtype in FLOATS:
            text = f"({text}) | (isnan({greater}) & !isnan({less}))"
        return f"({text})"

    def _pointer(self, name: str, step: str, access: Access, rows: Scope) -> Lines:
        """Where a row begins, and how far its elements are apart."""
        here = self.body.index_name(self.kernel.along)
        address, _ = self.body.address(access, Scope(rows, [(self.kernel.along, here)]))
        buffer = self.body.argument("buffer", access.buffer)
        return [
            f"__global long *{name};",
            f"long {step};",
            "{",
            [
                f"long {here} = 0;",
                f"{name} = {buffer} + ({address});",
                f"{here} = 1;",
                f"{step} = {buffer} + ({address}) - {name};",
            ],
            "}",
        ]

    def _copied_back(self, output: Access, here: str, rows: Scope) -> Lines:
        """The result into the output, where the last pass has left it in the scratch tensor."""
        c = self.c
        address, _ = self.body.address(output, Scope(rows, [(self.kernel.along, here)]))
        buffer = self.body.argument("buffer", output.buffer)
        copy: Lines = [
            f"for (long {here} = 0; {here} < {c['count']}; ++{here}) {{",
            [f"{buffer}[{address}] = {c['from']}[{here} * {c['step_from']}];"],
            "}",
        ]
        first = self._pointer(c["to"] + "_first", c["step"] + "_first", output, rows)
        return [*first, f"if ({c['from']} != {c['to']}_first) {{", copy, "}"]
