"""scatter: sums (or extremes) of what an index read from a tensor puts into each row, without all rows for all values.

Input: a nest. Output: its kernel, the temporaries, the nest that is left. With few rows and many values the values are
cut into runs with a copy of the rows each, and the copies are added in order; how many depends on sizes alone.
"""

from __future__ import annotations

from dataclasses import replace

from netcl.kernels.compiler.ir import Reduce, number
from netcl.kernels.compiler.ir.simplify import call, conjunction
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.scattering import PartialRows, Scattering, scattering
from netcl.kernels.compiler.targets.cpu.loops import Loops
from netcl.kernels.compiler.targets.cpu.scattered import Rows, Scatter


def fits(nest: Nest) -> Scheduled | None:
    """For stages with one Reduce whose values go to rows that are read from a tensor."""
    asked = scattering(nest)
    if asked is None:
        return None
    limits = nest.target.scatters
    node, targets = asked.node, asked.targets
    rows, values = nest.extent(*targets), nest.extent(*node.over)
    if rows < limits.rows or rows * values < limits.pairs:
        return None
    fixed = frozenset().union(*(each.free for each in targets.values()))
    rest = [index for index in nest.order if index not in targets]
    strides = nest.writes[0].access.strides
    inner = tuple(index for index in rest if index not in fixed and strides.get(index) == 1)
    parallel = tuple(index for index in rest if index not in inner)
    asked = _chosen_inside(asked, inner)
    parts = min(limits.parts, values // (limits.values_per_copy * rows))
    if values * nest.extent(*inner) < limits.much:
        parts = 1
    extents = dict(nest.extents)
    write = nest.writes[0]
    first = next(iter(targets))
    shared = max(nest.extent(*parallel), 1) * max(parts, 1)
    blocks = max(1, min(nest.extent(first), limits.units // shared, nest.extent(*inner)))
    blocks = -(-nest.extent(first) // -(-nest.extent(first) // blocks))
    kernel = Scatter(
        computation=nest.computation(writes=(replace(write, expr=asked.value),)),
        schedule="scatter",
        loops=Loops(parallel=parallel, inner=inner),
        rows=Rows(targets, asked.conditions, node.over, node.kind, asked.start, blocks),
        numbers={"row_blocks": blocks, "rows_per_block": -(-nest.extent(first) // blocks)},
    )
    if parts < 2 and len(nest.writes) == 1 and write.expr is node:
        return Scheduled((kernel,), (), extents)
    return _finished(nest, kernel, node, parts)


def _chosen_inside(asked: Scattering, inner: tuple[str, ...]) -> Scattering:
    """The same, where conditions on the indices of a row choose the value."""
    within = [each for each in asked.conditions if not each.free.isdisjoint(inner)]
    if not within:
        return asked
    value = call("select", conjunction(within), asked.value, number(asked.start, asked.value.dtype))
    return replace(asked, value=value, conditions=tuple(each for each in asked.conditions if each not in within))


def _finished(nest: Nest, kernel: Scatter, node: Reduce, parts: int) -> Scheduled:
    """Rows in a temporary (one for each part), and the nest that makes the output of them."""
    rows = PartialRows(nest, node, parts)
    write = Write(kernel.writes[0].expr, rows.access, rows.shape)
    kernel = replace(kernel, rows=replace(kernel.rows, part=rows.part if parts > 1 else None))
    kernel = kernel.computing(name=f"{nest.name}_rows", writes=(write,), extents=rows.extents)
    return Scheduled((kernel,), (rows.operand,), rows.extents, rest=rows.rest)
