"""scatter: sums (or extremes) of what an index read from a tensor puts into each row, without all rows for all values.

Input: a nest. Output: its kernel, the temporaries, the nest that is left. With few rows and many values the values are
cut into runs with a copy of the rows each, and the copies are added in order; how many depends on sizes alone.
"""

from __future__ import annotations

import math
from dataclasses import replace

from netcl.kernels.compiler.ir import Apply, Expr, Number, Operand, Position, Reduce, position, read, reduce, root
from netcl.kernels.compiler.ir.simplify import call, replace_nodes
from netcl.kernels.compiler.lower.kernel import Access, Write
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.targets.cpu.loops import Loops
from netcl.kernels.compiler.targets.cpu.scattered import Rows, Scatter

_DTYPES = ("float32", "float64", "int32", "int64")


def fits(nest: Nest) -> Scheduled | None:
    """For stages with one Reduce whose values go to rows that are read from a tensor."""
    if len(nest.reduces) != 1 or any(write.indices != nest.order for write in nest.writes):
        return None
    (node,) = nest.reduces
    limits = nest.target.scatters
    if node.kind not in ("sum", "max", "min") or node.dtype not in _DTYPES:
        return None
    if node.free != frozenset(nest.order) or nest.bound & set(nest.order):
        return None
    start = _start(node.body)
    conditions, value = _conditions(node.body, start)
    if not _harmless(node, start, value):
        return None
    targets, others = _targets(conditions, nest.order)
    rows, values = nest.extent(*targets), nest.extent(*node.over)
    if not targets or rows < limits.rows or rows * values < limits.pairs:
        return None
    fixed = frozenset().union(*(each.free for each in targets.values()))
    rest = [index for index in nest.order if index not in targets]
    strides = nest.writes[0].access.strides
    inner = tuple(index for index in rest if index not in fixed and strides.get(index) == 1)
    parallel = tuple(index for index in rest if index not in inner)
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
        computation=nest.computation(writes=(replace(write, expr=value),)),
        schedule="scatter",
        loops=Loops(parallel=parallel, inner=inner),
        rows=Rows(targets, others, node.over, node.kind, start.value if start else 0, blocks),
        numbers={"row_blocks": blocks, "rows_per_block": -(-nest.extent(first) // blocks)},
    )
    if parts < 2 and len(nest.writes) == 1 and write.expr is node:
        return Scheduled((kernel,), (), extents)
    return _finished(nest, kernel, node, parts)


def _finished(nest: Nest, kernel: Scatter, node: Reduce, parts: int) -> Scheduled:
    """Rows in a temporary (one for each part), and the nest that makes the output of them."""
    part = f"{nest.name}.part"
    extents = dict(nest.extents)
    shape = nest.order
    if parts > 1:
        extents[part] = parts
        shape = (part, *shape)
    strides: dict[str, int] = {}
    step = 1
    for index in reversed(shape):
        strides[index] = step
        step *= extents[root(index)]
    name = f"{nest.name}.rows"
    access = Access(name, name, node.dtype, 0, strides)
    sums: Expr = read(name, tuple(map(position, strides)), node.dtype)
    if parts > 1:
        sums = reduce(node.kind, (part,), sums)
    kernel = replace(kernel, rows=replace(kernel.rows, part=part if parts > 1 else None))
    kernel = kernel.computing(
        name=f"{nest.name}_rows", writes=(Write(kernel.writes[0].expr, access, shape),), extents=extents
    )
    rest = replace(
        nest,
        writes=tuple(replace(write, expr=replace_nodes(write.expr, {node: sums})) for write in nest.writes),
        accesses={**nest.accesses, name: access},
        extents=extents,
    )
    return Scheduled((kernel,), (Operand(name, node.dtype, tuple((index,) for index in shape)),), extents, rest=rest)


def _start(body: Expr) -> Number | None:
    """What the body is where its condition does not hold."""
    other = body.children[2] if isinstance(body, Apply) and body.function == "select" else None
    return other if isinstance(other, Number) else None


def _harmless(node: Reduce, start: Number | None, value: Expr) -> bool:
    """Whether to begin with `start` changes nothing: it is 0 for a sum, and no value is beyond it for an extreme."""
    if start is None or node.kind == "sum":
        return start is not None and start.value == 0
    known = call("le", start, value) if node.kind == "max" else call("le", value, start)
    return abs(start.value) == math.inf or (isinstance(known, Number) and bool(known.value))


def _conditions(body: Expr, start: Expr | None) -> tuple[list[Expr], Expr]:
    """(conditions, value): the body is `value` where all conditions hold, and `start` elsewhere."""
    found: list[Expr] = []
    while isinstance(body, Apply) and body.function == "select" and body.children[2] is start:
        found += _conjuncts(body.children[0])
        body = body.children[1]
    return found, body


def _targets(conditions: list[Expr], order: tuple[str, ...]) -> tuple[dict[str, Expr], tuple[Expr, ...]]:
    """Where each row index is read from, in the order of the output; and the conditions that are left."""
    found: dict[str, Expr] = {}
    others: list[Expr] = []
    for condition in conditions:
        pair = _equality(condition, order)
        if pair is None or pair[0] in found:
            others.append(condition)
        else:
            found[pair[0]] = pair[1]
    if any(at.free & found.keys() for at in found.values()):
        return {}, ()
    return {index: found[index] for index in order if index in found}, tuple(others)


def _equality(condition: Expr, order: tuple[str, ...]) -> tuple[str, Expr] | None:
    if not isinstance(condition, Apply) or condition.function != "eq":
        return None
    for one, other in (condition.children, condition.children[::-1]):
        if isinstance(one, Position) and one.index in order and one.index not in other.free:
            return one.index, other
    return None


def _conjuncts(condition: Expr) -> list[Expr]:
    if isinstance(condition, Apply) and condition.function == "and":
        return [each for child in condition.children for each in _conjuncts(child)]
    return [condition]
