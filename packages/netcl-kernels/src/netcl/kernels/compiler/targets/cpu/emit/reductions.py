"""The loops of Reduces: accumulators before, runs inside, results after.

Reduces over the same indices that do not need each other share their loops.
"""

from __future__ import annotations

from collections.abc import Sequence

from netcl.kernels.compiler.ir import Expr, Reduce
from netcl.kernels.compiler.lower.reductions import BLOCK
from netcl.kernels.compiler.opencl.scope import Lines, Scope
from netcl.kernels.compiler.opencl.types import Value
from netcl.kernels.compiler.targets.cpu.emit.accumulate import Accumulator
from netcl.kernels.compiler.targets.cpu.emit.body import Body

Group = tuple[Reduce, ...]


class Reductions:
    """The Reduces of one kernel, grouped; `write` emits a group where it is first needed."""

    def __init__(self, body: Body) -> None:
        roots = [write.expr for write in body.kernel.writes]
        self._body = body
        self._group_of: dict[Reduce, Group] = {}
        level: dict[Expr, int] = {}
        groups: dict[tuple[object, ...], list[Reduce]] = {}
        for node in body.guards.in_order(roots):
            level[node] = max((level[each] for each in body.guards.needs(node)), default=0)
            if isinstance(node, Reduce):
                level[node] += 1
                groups.setdefault((level[node], node.over, body.guards.depends(node)), []).append(node)
        for members in groups.values():
            for node in members:
                self._group_of[node] = tuple(members)

    def write(self, node: Reduce, home: Scope) -> None:
        """Emit the loops of the group of `node` into `home`, and note the results there."""
        group = self._group_of[node]
        body = self._body
        names = [body.names.fresh("_".join((each.kind, *each.over))) for each in group]
        single = self._declared(group, names, body.lanes(node, home), home)
        scope = home
        outer: list[tuple[str, Scope]] = []
        for index in node.over[:-1]:
            name = body.index_name(index)
            last = body.argument("size", index=index)
            scope = Scope(scope, [(index, name)])
            outer.append((f"for (long {name} = 0; {name} < {last}; ++{name})", scope))
        lines: Lines = []
        if node.over:
            lines = self._one_by_one(group, single, node.over[-1], scope)
        else:  # an arg-reduction over nothing
            for each, accumulating in zip(group, single, strict=True):
                lines += accumulating.take(body.value(each.body, home), "0")
        for header, inner in reversed(outer):
            inner.lines += lines
            lines = list(inner.close(header))
        home.lines += lines
        for each, accumulating in zip(group, single, strict=True):
            home.values[each] = body.named(accumulating.result(), home, "total", accumulating.name, each)

    def _one_by_one(self, group: Group, single: list[Accumulator], index: str, parent: Scope) -> Lines:
        name = self._body.index_name(index)
        last = self._body.argument("size", index=index)
        inner = Scope(parent, [(index, name)])
        inner.lines += self._taken(group, single, inner)
        enter = [line for each in single for line in each.enter()]
        leave = [line for each in single for line in each.leave()]
        if not any(each.blocked for each in single):
            return [*inner.close(f"for (long {name} = 0; {name} < {last}; ++{name})")]
        run = Scope(parent)
        run.lines += [f"const long {name}_stop = min({name}_run + {BLOCK}, {last});", *enter]
        run.lines += inner.close(f"for (long {name} = {name}_run; {name} < {name}_stop; ++{name})")
        run.lines += leave
        return [*run.close(f"for (long {name}_run = 0; {name}_run < {last}; {name}_run += {BLOCK})")]

    def _declared(self, group: Group, names: list[str], lanes: int, home: Scope) -> list[Accumulator]:
        found = [self._body.accumulator(each, name, lanes) for each, name in zip(group, names, strict=True)]
        for each in found:
            home.lines += each.declare()
        return found

    def _taken(self, group: Group, accumulators: Sequence[Accumulator], scope: Scope) -> Lines:
        """One step of every accumulator. The body's own statements go into the scopes they belong to."""
        body = self._body
        lines: Lines = []
        for node, accumulating in zip(group, accumulators, strict=True):
            value: Value = body.value(node.body, scope)
            lines += accumulating.take(value, body.place(node, scope))
        return lines
