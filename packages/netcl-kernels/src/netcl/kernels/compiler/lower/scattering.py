"""Scatters: what a stage asks for that puts values into rows which are read from a tensor, and its results in parts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from netcl.kernels.compiler.ir import (
    Apply,
    Expr,
    Number,
    Operand,
    Position,
    Reduce,
    position,
    read,
    reduce,
    root,
)
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.ir.choices import conditions_of
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.lower.kernel import Access
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.target import Target

Places = frozenset[tuple[str, Expr]]
"""For indices of a row, where the values go."""

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
    if not node.free <= frozenset(nest.order) or nest.bound & set(nest.order):
        return None
    return scattered(node, nest.order, nest.extent(*node.over) > 0)


def scattered(node: Reduce, order: Sequence[str], has_values: bool) -> Scattering | None:
    """A Reduce over the indices in `order` as a scatter, if its conditions say where each value goes."""
    if node.kind not in ("sum", "max", "min") or node.dtype not in _DTYPES:
        return None
    start = _start(node.body)
    conditions, value = conditions_of(node.body, lambda rest: rest is start)
    if not _harmless(node, start, value, has_values):
        return None
    targets, others = _targets(conditions, order)
    return Scattering(node, value, targets, others, start.value if start else 0) if targets else None


def moving_places(node: Reduce) -> Places:
    """The places that the values of a Reduce go to, which are not the same for all; empty for what is no scatter."""
    found = scattered(node, sorted(node.free), True)
    targets = found.targets.items() if found else ()
    return frozenset((index, at) for index, at in targets if not at.free.isdisjoint(node.over))


def scatters(node: Reduce, extents: Mapping[str, int], target: Target) -> bool:
    """Whether there are so many rows and values that each value is looked at once."""
    rows = prod(extents[root(index)] for index, _ in moving_places(node))
    values, limits = prod(extents[root(index)] for index in node.over), target.scatters
    return rows >= limits.rows and rows * values >= limits.pairs


@dataclass(frozen=True)
class PartialRows:
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


def _harmless(node: Reduce, start: Number | None, value: Expr, has_values: bool) -> bool:
    """Whether to begin with `start` changes nothing: it is 0 for a sum, and no value is beyond it for an extreme, which
    has some."""
    if start is None or node.kind == "sum":
        return start is not None and start.value == 0
    known = call("le", start, value) if node.kind == "max" else call("le", value, start)
    return abs(start.value) == math.inf or (has_values and isinstance(known, Number) and bool(known.value))


def _targets(conditions: Sequence[Expr], order: Sequence[str]) -> tuple[dict[str, Expr], tuple[Expr, ...]]:
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


def _equality(condition: Expr, order: Sequence[str]) -> tuple[str, Expr] | None:
    if not isinstance(condition, Apply) or condition.function != "eq":
        return None
    for one, other in (condition.children, condition.children[::-1]):
        if isinstance(one, Position) and one.index in order and one.index not in other.free:
            return one.index, other
    return None
