"""The segments of a loop (`lower.segments`) as lines: one `while` around the loops over lanes and over the rest."""

from __future__ import annotations

from collections.abc import Iterable

from netcl.kernels.compiler.ir import Expr
from netcl.kernels.compiler.lower.segments import changes
from netcl.kernels.compiler.opencl.scope import Lines, Scope
from netcl.kernels.compiler.opencl.types import Value
from netcl.kernels.compiler.targets.cpu.emit.body import Body


class Segments:
    """Those of a loop over `index` inside of `parent`. `values` are those of the comparisons below `roots` that do not
    change within a segment; without any there is nothing to divide the loop for."""

    def __init__(self, body: Body, index: str, parent: Scope, roots: Iterable[Expr]) -> None:
        self._name = body.index_name(index)
        self._scope = Scope(parent, [(index, self._name)])
        self._changes: list[str] = []
        self.values: dict[Expr, Value] = {}
        known = {each for above in self._scope.upwards() for each in above.binds}
        for node, change in changes(roots, body.guards, index, known).items():
            self.values[node] = body.named(body.value(node, self._scope), self._scope, "is", node=node)
            self._changes.append(body.named(body.value(change, parent), parent, "change", node=change).text)
        self.end = body.names.fresh(f"{self._name}_until") if self.values else ""

    def around(self, loops: Lines, last: str) -> Lines:
        """`loops`, which go on to `end`, for one segment after another up to `last`."""
        name, end = self._name, self.end
        self._scope.lines.append(f"long {end} = {last};")
        for change in dict.fromkeys(self._changes):
            self._scope.lines.append(f"if ({name} < {change}) {end} = min({end}, {change});")
        self._scope.lines += loops
        return self._scope.close(f"while ({name} < {last})")
