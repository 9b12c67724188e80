"""Segments of a loop in which comparisons of positions do not change, so that they are no matter of single lanes.

`at < end` changes at one place, where the difference of the two moves with the index of the loop. The borders of
padding, the seams of a concatenation and the like are such comparisons. The loop goes from one such place to the next,
and what is computed in between has the comparisons as values of one lane.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from netcl.kernels.compiler.ir import INDEX_DTYPE, Apply, Expr, position, subexpressions
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.opencl.scope import Lines, Scope
from netcl.kernels.compiler.opencl.types import Value
from netcl.kernels.compiler.targets.cpu.emit.body import Body

_ORDERS = {"lt", "le", "gt", "ge"}


class Segments:
    """Those of a loop over `index` inside of `parent`. `values` are those of the comparisons below `roots` that do not
    change within a segment; without any there is nothing to divide the loop for."""

    def __init__(self, body: Body, index: str, parent: Scope, roots: Iterable[Expr]) -> None:
        self._name = body.index_name(index)
        self._scope = Scope(parent, [(index, self._name)])
        self._changes: list[str] = []
        self.values: dict[Expr, Value] = {}
        known = {each for above in self._scope.upwards() for each in above.binds}
        for node in _comparisons(body, roots):
            change = _change(node, index)
            if change is not None and body.guards.depends(node) <= known:
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


def _comparisons(body: Body, roots: Iterable[Expr]) -> Iterator[Apply]:
    for node in subexpressions(*roots, *body.guards.conditions()):
        if isinstance(node, Apply) and node.function in _ORDERS and node.children[0].dtype == INDEX_DTYPE:
            yield node


def _change(node: Apply, index: str) -> Expr | None:
    """The first value of the index at which the comparison is no longer what it was; None if that is not just the
    index against something that does not depend on it."""
    left, right = map(poly.polynomial, node.children)
    rest = dict(poly.plus(left, right, -1))
    factor = rest.pop((position(index),), 0)
    if factor not in (1, -1) or any(index in atom.free for monomial in rest for atom in monomial):
        return None
    after = {1: ("le", "gt"), -1: ("lt", "ge")}[factor]
    return poly.expression(poly.plus({(): 1} if node.function in after else {}, rest, -factor))
