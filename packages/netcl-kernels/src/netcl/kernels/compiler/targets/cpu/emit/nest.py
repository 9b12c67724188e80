"""The frame of a kernel: which work-item does what, the loops over output indices, and the stores.

Input: a LoopKernel. Output: its Source. Pairs are this frame with `Loops` of their own; sorts write what is inside.
"""

from __future__ import annotations

from netcl.kernels.compiler.lower.kernel import Source
from netcl.kernels.compiler.lower.words import BYTES, worded
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.names import function_name
from netcl.kernels.compiler.opencl.parameters import parameters
from netcl.kernels.compiler.opencl.scope import Lines, Scope, text_of
from netcl.kernels.compiler.opencl.types import LANES, WORD
from netcl.kernels.compiler.targets.cpu.emit.body import Body
from netcl.kernels.compiler.targets.cpu.emit.columns import columns
from netcl.kernels.compiler.targets.cpu.emit.reductions import Reductions
from netcl.kernels.compiler.targets.cpu.emit.segments import Segments
from netcl.kernels.compiler.targets.cpu.loops import LoopKernel


def nest(kernel: LoopKernel, helpers: Helpers) -> Source:
    """The text of one kernel, and its arguments."""
    return Frame(kernel, helpers).source()


class Frame:
    """Writes one kernel; a schedule with loops of its own overrides `unit` or `inside`."""

    def __init__(self, kernel: LoopKernel, helpers: Helpers) -> None:
        self.kernel = kernel
        self.body = Body(kernel, helpers, Reductions)
        self.units = [*([f"{kernel.loops.blocked}#"] if kernel.loops.blocked else []), *kernel.loops.parallel]

    def source(self) -> Source:
        kernel = self.kernel
        for write in kernel.writes:
            self.body.argument("buffer", write.access.buffer)
        for access in kernel.accesses.values():
            self.body.argument("buffer", access.buffer)
        top = Scope()
        if self.units:
            lines = self._units(top)
        else:
            self.inside(top, list(kernel.loops.inner))
            lines = []
        statements: Lines = [*top.lines, *lines]
        name = function_name(kernel.name, "item")
        text = f"{kernel.heading}{self._function(name, text_of(statements))}"
        dtypes = {access.dtype for access in kernel.accesses.values()} | {write.expr.dtype for write in kernel.writes}
        uses_double = "float64" in dtypes or "double" in text
        return Source(name, text, tuple(self.body.arguments.values()), uses_double)

    def _function(self, name: str, statements: str) -> str:
        """What one work-item does. A driver may put a kernel into a work-group function that is compiled three
        times and, on some CPUs, for fewer features than the kernel itself; a function that is not inlined is spared
        both."""
        return f"__attribute__((noinline)) void {name}({self._parameters('const long item')}) {{\n{statements}}}\n"

    def _units(self, top: Scope) -> Lines:
        """Each work-item does a run of units: combinations of the parallel indices (and the block number)."""
        body, kernel = self.body, self.kernel
        chunk, units = body.argument("chunk"), body.argument("units")
        names = [body.index_name(index) for index in self.units]
        extents = [self._extent(index) for index in self.units]
        scope = Scope(top, zip(self.units, names, strict=True))
        if kernel.loops.blocked:
            inner = body.index_name(kernel.loops.blocked)
            block = body.argument("block", index=kernel.loops.blocked)
            size = body.argument("size", index=kernel.loops.blocked)
            scope.lines += [
                f"const long {inner}_begin = {names[0]} * {block};",
                f"const long {inner}_end = min({inner}_begin + {block}, {size});",
            ]
        self.unit(scope)
        lines: Lines = [
            f"const long begin = item * {chunk};",
            f"const long end = min(begin + {chunk}, {units});",
        ]
        if len(names) == 1:
            return [*lines, *scope.close(f"for (long {names[0]} = begin; {names[0]} < end; ++{names[0]})")]
        rest = "begin"
        for name, extent in reversed([*zip(names, extents, strict=True)][1:]):
            lines.append(f"long {name} = {rest} % {extent};")
            rest = f"{rest} / {extent}"
        lines.append(f"long {names[0]} = {rest};")
        scope.lines += self._advance(names, extents)
        return [*lines, *scope.close("for (long unit = begin; unit < end; ++unit)")]

    def _advance(self, names: list[str], extents: list[str]) -> Lines:
        if len(names) == 1:
            return [f"++{names[0]};"]
        inner: Lines = [f"{names[-1]} = 0;", *self._advance(names[:-1], extents[:-1])]
        return [f"if (++{names[-1]} == {extents[-1]}) {{", inner, "}"]

    def _extent(self, index: str) -> str:
        if index.endswith("#"):
            return self.body.argument("blocks", index=index[:-1])
        return self.body.argument("size", index=index)

    def unit(self, scope: Scope) -> None:
        """What is done for each unit."""
        self.inside(scope, list(self.kernel.loops.inner))

    def inside(self, scope: Scope, inner: list[str], arrived: str | None = None) -> None:
        """The stores that belong into `scope`, where the index `arrived` was bound last; then the loops of `inner`."""
        for write in self.kernel.writes:
            waits = not set(write.indices).isdisjoint(inner)
            if not waits and (arrived is None or arrived in write.indices):
                self.body.store(write.access, self.body.value(write.expr, scope), scope)
        if not inner:
            return
        index, rest = inner[0], inner[1:]
        name = self.body.index_name(index)
        first, last = self.body.bounds(index, scope)
        if self.kernel.loops.columns is not None and index == self.kernel.loops.columns.index:
            scope.lines += columns(self.body, index, scope)
        elif index == self.kernel.loops.vector:
            scope.lines += ["{", [f"long {name} = {first};", *self._lanes_and_tail(index, scope, last, rest)], "}"]
        else:
            loop = Scope(scope, [(index, name)])
            self.inside(loop, rest, index)
            scope.lines += loop.close(f"for (long {name} = {first}; {name} < {last}; ++{name})")

    def _lanes_and_tail(self, index: str, parent: Scope, last: str, rest: list[str]) -> Lines:
        name = self.body.index_name(index)
        lanes = Scope(parent, [(index, name)], LANES)
        if self.kernel.loops.padded:
            self.inside(lanes, rest, index)
            return [*lanes.close(f"for (; {name} < {last}; {name} += {LANES})")]
        segments = Segments(self.body, index, parent, [write.expr for write in self.kernel.writes])
        tail = Scope(parent, [(index, name)])
        lanes.values.update(segments.values)
        tail.values.update(segments.values)
        self.inside(lanes, rest, index)
        self.inside(tail, rest, index)
        end = segments.end or last
        loops = [
            *([] if segments.values else self._words(index, parent, end, rest)),
            *lanes.close(f"for (; {name} + {LANES} <= {end}; {name} += {LANES})"),
            *tail.close(f"for (; {name} < {end}; ++{name})"),
        ]
        return segments.around(loops, last) if segments.values else loops

    def _words(self, index: str, parent: Scope, last: str, rest: list[str]) -> Lines:
        """The loop over whole words, where all that is computed here is bytes."""
        writes = [write for write in self.kernel.writes if index in write.indices]
        if any(write.access.strides.get(index) != 1 or write.access.dtype not in BYTES for write in writes):
            return []
        if not self.body.helpers.driver.own_functions:
            return []
        if not all(worded(write.expr, index, self.body.guards, self.kernel.accesses) for write in writes):
            return []
        name = self.body.index_name(index)
        scope = Scope(parent, [(index, name)], WORD)
        self.inside(scope, rest, index)
        return scope.close(f"for (; {name} + {WORD} <= {last}; {name} += {WORD})")

    def _parameters(self, *more: str) -> str:
        return parameters(self.kernel, self.body.arguments.values(), *more)
