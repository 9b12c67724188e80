"""Partial results that grow in memory: a block of rows is gone through in runs of a few, all columns of a run before
the next, so that memory is read in the order in which it lies.
"""

from __future__ import annotations

from netcl.kernels.compiler.ir import Reduce
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.opencl.scope import Scope
from netcl.kernels.compiler.opencl.types import Value
from netcl.kernels.compiler.targets.cpu.emit.accumulate import accumulator
from netcl.kernels.compiler.targets.cpu.emit.nest import Frame


class Runs(Frame):
    """Every write is a Reduce over the index that is blocked."""

    def unit(self, scope: Scope) -> None:
        row = self._row
        block = f"{self.kernel.loops.blocked}#"
        run = Scope(scope, [(block, scope.binds[block])])  # what depends on the block depends on the run
        super().unit(run)
        step = f"{row}_run += {self.kernel.loops.run}"
        scope.lines += run.close(f"for (long {row}_run = {row}_begin; {row}_run < {row}_end; {step})")

    def store(self, write: Write, value: Value, scope: Scope) -> None:
        node, row = write.expr, self._row
        assert isinstance(node, Reduce)
        name = self.body.names.own("so_far")
        before = self.body.load(write.access, scope)  # several columns at once, also of a sum that is the same for all
        total = accumulator(node, name, before.lanes, self.body.helpers, short=True)
        scope.lines += [
            f"{total.type} {name} = {value.bare};",
            f"if ({row}_run > {row}_begin) {total.combine(before.bare)}",
        ]
        super().store(write, Value(name, value.dtype, before.lanes, atom=True), scope)

    @property
    def _row(self) -> str:
        assert self.kernel.loops.blocked is not None
        return self.body.index_name(self.kernel.loops.blocked)
