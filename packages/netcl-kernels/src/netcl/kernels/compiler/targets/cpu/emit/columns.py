"""Several columns of the output together: a few values of one output index, each in a scope of its own, that share the
loops of their reductions. What does not depend on the column is computed once for all of them.

Columns beyond the last are computed as the last one again, and are not stored.
"""

from __future__ import annotations

from collections.abc import Sequence

from netcl.kernels.compiler.ir import Reduce
from netcl.kernels.compiler.lower.reductions import BLOCK
from netcl.kernels.compiler.opencl.scope import Lines, Scope
from netcl.kernels.compiler.targets.cpu.emit.accumulate import Accumulator
from netcl.kernels.compiler.targets.cpu.emit.body import Body


def columns(body: Body, index: str, parent: Scope) -> Lines:
    """The loop over all columns, so many at a time, with the stores of all outputs."""
    kernel = body.kernel
    assert kernel.loops.columns is not None
    count = kernel.loops.columns.count
    name, size = body.index_name(index), body.argument("size", index=index)
    first = body.names.fresh(f"{name}_first")
    together = Scope(parent)
    scopes = []
    for number in range(count):
        own = body.names.fresh(f"{name}_{number + 1}")
        together.lines.append(f"const long {own} = min({first} + {number}, {size} - 1);")
        scopes.append(Scope(together, [(index, own)]))
    for scope in scopes:
        scope.beside = tuple(scopes)
    lines: Lines = []
    for number, scope in enumerate(scopes):
        with body.standing_for(index, scope.binds[index]):
            for write in kernel.writes:
                body.store(write.access, body.value(write.expr, scope), scope)
        lines += scope.close(f"if ({first} + {number} < {size})") if number else scope.lines
    together.lines += lines
    return together.close(f"for (long {first} = 0; {first} < {size}; {first} += {count})")


def reduce_in_columns(body: Body, group: Sequence[Reduce], home: Scope) -> None:
    """The loops of a group of reductions that depend on the column, for all columns beside `home`."""
    together = home.parent
    assert together is not None
    names = [body.names.fresh("_".join((each.kind, *each.over))) for each in group]
    accumulators: list[list[Accumulator]] = []
    for number in range(len(home.beside)):
        names_here = [body.names.fresh(f"{name}_{number + 1}") if number else name for name in names]
        lanes = body.lanes(group[0], home)
        accumulators.append([body.accumulator(each, one, lanes) for each, one in zip(group, names_here, strict=True)])
    every = [each for some in accumulators for each in some]
    together.lines += [line for each in every for line in each.declare()]
    *outer, last = group[0].over
    scope = together
    loops: list[tuple[str, Scope]] = []
    for index in outer:
        name = body.index_name(index)
        first, end = body.bounds(index, scope)
        scope = Scope(scope, [(index, name)])
        loops.append((f"for (long {name} = {first}; {name} < {end}; ++{name})", scope))
    lines = _loop(body, group, accumulators, last, scope, home)
    for header, inner in reversed(loops):
        inner.lines += lines
        lines = list(inner.close(header))
    together.lines += lines
    for own, column in zip(accumulators, home.beside, strict=True):
        for each, accumulating in zip(group, own, strict=True):
            total = body.named(accumulating.result(), together, "total", accumulating.name)
            column.values[each] = total


def _loop(
    body: Body, group: Sequence[Reduce], accumulators: Sequence[Sequence[Accumulator]], index: str, parent: Scope,
    home: Scope,
) -> Lines:  # fmt: skip
    """The innermost loop: one step of every accumulator of every column. Sums go in runs, as everywhere."""
    name = body.index_name(index)
    first, end = body.bounds(index, parent)
    inner = Scope(parent, [(index, name)])
    steps: Lines = []
    for own, column in zip(accumulators, home.beside, strict=True):
        scope = Scope(inner, column.binds.items())
        ((which, text),) = column.binds.items()
        taken: Lines = []
        with body.standing_for(which, text):
            for each, accumulating in zip(group, own, strict=True):
                taken += accumulating.take(body.value(each.body, scope), body.place(each, scope))
        steps += [*scope.lines, *taken]
    inner.lines += steps
    every = [each for some in accumulators for each in some]
    if not any(each.blocked for each in every):
        return [*inner.close(f"for (long {name} = {first}; {name} < {end}; ++{name})")]
    run = Scope(parent)
    run.lines.append(f"const long {name}_stop = min({name}_run + {BLOCK}, {end});")
    run.lines += [line for each in every for line in each.enter()]
    run.lines += inner.close(f"for (long {name} = {name}_run; {name} < {name}_stop; ++{name})")
    run.lines += [line for each in every for line in each.leave()]
    return [*run.close(f"for (long {name}_run = {first}; {name}_run < {end}; {name}_run += {BLOCK})")]
