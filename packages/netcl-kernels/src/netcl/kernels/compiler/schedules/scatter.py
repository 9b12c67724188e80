"""scatter: sums (or extremes) of what an index read from a tensor puts into each row, without all rows for all values.

Input: a nest. Output: its kernel, the temporaries, the nest that is left. With few rows and many values the values are
cut into runs with a copy of the rows each, and the copies are added in order; how many depends on sizes alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from netcl.kernels.compiler.ir import Apply, Expr, Number, Operand, Position, Reduce, position, read, reduce, root
from netcl.kernels.compiler.kernel import Access, Write
from netcl.kernels.compiler.scattered import Scatter
from netcl.kernels.compiler.schedules.common import Nest, Scheduled
from netcl.kernels.compiler.simplify import call, replace_nodes

_DTYPES = ("float32", "float64", "int32", "int64")


@dataclass(frozen=True)
class Scattering:
    """What a stage asks for: the Reduce `node` of `value` where the `targets` are the places of their indices and the
    other `conditions` hold; `start` is what there is of no values."""

    node: Reduce
    value: Expr
    targets: Mapping[str, Expr]
    conditions: tuple[Expr, ...]
    start: float


def scattering(nest: Nest) -> Scattering | None:
    """What a stage asks for that has one Reduce whose values go to rows that are read from a tensor."""
    if len(nest.reduces) != 1 or any(write.indices != nest.order for write in nest.writes):
        return None
    (node,) = nest.reduces
    if node.kind not in ("sum", "max", "min") or node.dtype not in _DTYPES:
        return None
    if node.free != frozenset(nest.order) or nest.bound & set(nest.order):
        return None
    start = _start(node.body)
    conditions, value = _conditions(node.body, start)
    if not _harmless(node, start, value):
        return None
    targets, others = _targets(conditions, nest.order)
    return Scattering(node, value, targets, others, start.value if start else 0) if targets else None


def fits(nest: Nest) -> Scheduled | None:
    """For stages with one Reduce whose values go to rows that are read from a tensor."""
    asked = scattering(nest)
    if asked is None:
        return None
    limits = nest.target.scatters
    node, value, targets, others = asked.node, asked.value, asked.targets, asked.conditions
    rows, values = nest.extent(*targets), nest.extent(*node.over)
    if rows < limits.rows or rows * values < limits.pairs:
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
        nest.name, "scatter", nest.heading, (replace(write, expr=value),), nest.accesses, extents, nest.attributes,
        parallel=parallel, inner=inner, targets=targets, conditions=others, over=node.over, kind=node.kind,
        start=asked.start, row_blocks=blocks,
        numbers={"row_blocks": blocks, "rows_per_block": -(-nest.extent(first) // blocks)},
    )  # fmt: skip
    if parts < 2 and len(nest.writes) == 1 and write.expr is node:
        return Scheduled((kernel,), (), extents)
    return _finished(nest, kernel, node, parts)


def _finished(nest: Nest, kernel: Scatter, node: Reduce, parts: int) -> Scheduled:
    """Rows in a temporary (one for each part), and the nest that makes the output of them."""
    rows = Rows(nest, node, parts)
    kernel = replace(
        kernel, name=f"{nest.name}_rows", writes=(Write(kernel.writes[0].expr, rows.access, rows.shape),),
        extents=rows.extents, part=rows.part if parts > 1 else None,
    )  # fmt: skip
    return Scheduled((kernel,), (rows.operand,), rows.extents, rest=rows.rest)


@dataclass(frozen=True)
class Rows:
    """The results of a scatter in a temporary, once for each of `parts`, and the nest of what is made of them."""

    nest: Nest
    node: Reduce
    parts: int

    @property
    def part(self) -> str:
        """The index of the parts, the first of the temporary where there are several."""
        return f"{self.nest.name}.part"

    @property
    def shape(self) -> tuple[str, ...]:
        return (self.part, *self.nest.order) if self.parts > 1 else self.nest.order

    @property
    def extents(self) -> Mapping[str, int]:
        return {**self.nest.extents, **({self.part: self.parts} if self.parts > 1 else {})}

    @property
    def access(self) -> Access:
        strides: dict[str, int] = {}
        step = 1
        for index in reversed(self.shape):
            strides[index] = step
            step *= self.extents[root(index)]
        name = f"{self.nest.name}.rows"
        return Access(name, name, self.node.dtype, 0, strides)

    @property
    def operand(self) -> Operand:
        return Operand(self.access.name, self.node.dtype, tuple((index,) for index in self.shape))

    @property
    def rest(self) -> Nest:
        """Copies of the rows are added in order."""
        access, node = self.access, self.node
        sums: Expr = read(access.name, tuple(map(position, access.strides)), node.dtype)
        if self.parts > 1:
            sums = reduce(node.kind, (self.part,), sums)
        return replace(
            self.nest,
            writes=tuple(replace(each, expr=replace_nodes(each.expr, {node: sums})) for each in self.nest.writes),
            accesses={**self.nest.accesses, access.name: access},
            extents=self.extents,
        )


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
