"""The frame of a kernel that sorts: which work-item does what.

Input: a LoopKernel. Output: its Source.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from netcl.kernels.compiler.lower.kernel import Source
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.names import function_name
from netcl.kernels.compiler.opencl.parameters import parameters
from netcl.kernels.compiler.opencl.scope import Lines, Scope, text_of
from netcl.kernels.compiler.targets.cpu.emit.body import Body
from netcl.kernels.compiler.targets.cpu.emit.reductions import Reductions
from netcl.kernels.compiler.targets.cpu.loops import LoopKernel


class Frame(ABC):
    """Writes one kernel of units, by what is `inside` of each."""

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
            self.inside(top)
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
        self.inside(scope)
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

    @abstractmethod
    def inside(self, scope: Scope) -> None:
        """What is done for each unit."""

    def _parameters(self, *more: str) -> str:
        return parameters(self.kernel, self.body.arguments.values(), *more)
