"""The text of a scan: one loop along the index that it runs along, which takes a value, combines it and stores.

Input: a Running. Output: its Source. What is around that loop is the frame of every kernel.
"""

from __future__ import annotations

from netcl.kernels.compiler.ir import Expr, reduce
from netcl.kernels.compiler.lower.kernel import Source
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.scope import Lines, Scope
from netcl.kernels.compiler.opencl.types import Value, computed, converted, literal
from netcl.kernels.compiler.targets.cpu.emit.accumulate import Arg, accumulator
from netcl.kernels.compiler.targets.cpu.emit.nest import Frame
from netcl.kernels.compiler.targets.cpu.schedules.scan import Running


def scan(kernel: Running, helpers: Helpers) -> Source:
    """The text of a scan, and its arguments."""
    return _Scan(kernel, helpers).source()


class _Scan(Frame):
    kernel: Running

    def inside(self, scope: Scope, inner: list[str], arrived: str | None = None) -> None:
        if inner != [self.kernel.along]:
            super().inside(scope, inner, arrived)
        elif self.kernel.asked is None:
            scope.lines += self._run(scope)
        else:
            asked = self._asked(self.kernel.asked, scope)
            scope.lines += [f"if ({asked}) {{", self._run(scope), "}"]

    def _asked(self, condition: Expr, rows: Scope) -> str:
        """Whether one of the rows is asked for."""
        body = self.body
        value = body.named(
            body.value(condition, rows), rows.home(body.guards.depends(condition)), "asked", node=condition
        )
        if value.lanes == 1:
            return value.text
        return f"{body.helpers.name('fold_any', 'bool', value.lanes)}({value.text})"

    def _run(self, rows: Scope) -> Lines:
        """The loop over one row, or over as many at once as there are lanes."""
        kernel, body = self.kernel, self.body
        index = kernel.along
        name, size = body.index_name(index), body.argument("size", index=index)
        step = Scope(rows, [(index, name)])
        before = self._recurrence(step, rows) if kernel.scan.kind == "scan" else self._accumulated(step, rows)
        header = f"for (long {name} = 0; {name} < {size}; ++{name})"
        if kernel.scan.backward:
            header = f"for (long {name} = {size} - 1; {name} >= 0; --{name})"
        return [*before, *step.close(header)]

    def _accumulated(self, step: Scope, rows: Scope) -> Lines:
        kernel, body = self.kernel, self.body
        (write,) = kernel.writes
        node = reduce(kernel.scan.kind, (kernel.along,), write.expr)
        own = accumulator(node, body.names.fresh(kernel.scan.kind), self._lanes(rows), body.helpers)
        if isinstance(own, Arg) and kernel.scan.backward:
            own.first = f"{body.argument('size', index=kernel.along)} - 1"
        value = body.value(write.expr, step)
        step.lines += [*own.enter(), *own.take(value, body.index_name(kernel.along)), *own.leave()]
        body.store(write.access, own.result(), step)
        return [*own.declare()]

    def _recurrence(self, step: Scope, rows: Scope) -> Lines:
        """h = a * h + b, and b alone at the first step, where nothing has been carried yet."""
        kernel, body = self.kernel, self.body
        factor, added = kernel.writes
        dtype, lanes = added.expr.dtype, self._lanes(rows)
        carried, first = body.names.own("carried"), body.names.own("is_first")
        times = converted(body.value(factor.expr, step), dtype, lanes)
        plus = converted(body.value(added.expr, step), dtype, lanes)
        here = body.index_name(kernel.along)
        start = f"{body.argument('size', index=kernel.along)} - 1" if kernel.scan.backward else "0"
        step.lines += [
            f"const int {first} = {here} == {start};",
            f"{carried} = {first} ? {plus.text} : {times.text} * {carried} + {plus.text};",
        ]
        body.store(added.access, Value(carried, dtype, lanes, atom=True), step)
        return [f"{computed(dtype, lanes)} {carried} = {literal(0, dtype)};"]

    def _lanes(self, rows: Scope) -> int:
        return max(scope.lanes for scope in rows.upwards())
