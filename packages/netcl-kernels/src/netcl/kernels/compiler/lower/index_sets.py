"""Pointwise stages whose formula changes along an output index, as in a concatenation: one nest for each part.

Where a condition compares the position along an index with a number that the host knows, the index is cut there, and in
each part the condition is a constant. Short parts are not worth a kernel of their own: then the nest stays whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from netcl.kernels.compiler.ir import (
    Apply,
    Expr,
    Number,
    Position,
    Read,
    Size,
    number,
    position,
    root,
    size,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import replace_nodes, substitute
from netcl.kernels.compiler.ir.host import NotKnown, Numbers, integer
from netcl.kernels.compiler.ir.simplify import conjunction, conjuncts
from netcl.kernels.compiler.lower.accesses import holds
from netcl.kernels.compiler.lower.kernel import Access
from netcl.kernels.compiler.lower.nest import Nest

_FIRST_OF_REST = {"lt": 0, "ge": 0, "le": 1, "gt": 1}
"""What is added to the bound that a position is compared with, to get the first position of the second part."""

_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


def parts(nest: Nest, attributes: Mapping[str, Any]) -> list[Nest]:
    """The nests that compute what `nest` does, each over a range of one index; [nest] when it has no joints."""
    limits = nest.target.stages
    if nest.reduces or nest.extent(*nest.order) < 2 * limits.part:
        return [nest]
    found = list(_cut(nest, attributes, {}))
    small = any(part.extent(*part.order) < limits.part for part in found)
    small = small and nest.extent(*nest.order) < len(found) * limits.part_of_many
    if len(found) == 1 or len(found) > limits.parts or small:
        return [nest]
    return [replace(part, name=f"{nest.name}_{at + 1}") for at, part in enumerate(found)]


def _cut(nest: Nest, attributes: Mapping[str, Any], origins: Mapping[str, int]) -> Iterator[Nest]:
    """The parts of `nest`, whose positions count from `origins` in the conditions."""
    numbers = Numbers(nest.extents, attributes)
    for condition in subexpressions(*nest.exprs):
        joint = _joint(condition, numbers)
        if joint is None or not _only_addresses(nest, joint[0], numbers):
            continue
        index, bound, first_holds = joint
        origin, extent = origins.get(index, 0), nest.extent(index)
        at = min(max(bound - origin, 0), extent)
        found = []
        for begin, end, known in ((0, at, first_holds), (at, extent, not first_holds)):
            if begin < end:
                part = _range(nest, index, begin, end, {condition: number(known, "bool")}, attributes)
                found.append((part, {**origins, index: origin + begin}))
        if all(part is not None for part, _ in found):
            for part, begins in found:
                assert part is not None
                yield from _cut(part, attributes, begins)
            return
    yield nest


def _joint(node: Expr, numbers: Numbers) -> tuple[str, int, bool] | None:
    """(index, first position of the second part, whether the condition holds in the first), for such a condition."""
    if not isinstance(node, Apply) or node.function not in _MIRRORED:
        return None
    function, (left, right) = node.function, node.children
    if isinstance(right, Position):
        function, left, right = _MIRRORED[function], right, left
    if not isinstance(left, Position):
        return None
    try:
        bound = integer(right, numbers)
    except NotKnown:
        return None
    return left.index, bound + _FIRST_OF_REST[function], function in ("lt", "le")


def _only_addresses(nest: Nest, index: str, numbers: Numbers) -> bool:
    """Whether `index` and its extent have no other use than conditions at joints and plain places in memory."""
    if index not in nest.order or any(each != index and root(each) == root(index) for each in nest.order):
        return False
    for node in subexpressions(*nest.exprs):
        if isinstance(node, Size) and root(node.index) == root(index):
            return False
        if isinstance(node, Position) or index not in node.free:
            continue
        free = node.children[len(nest.accesses[node.operand].strides) :] if isinstance(node, Read) else node.children
        bare = any(isinstance(child, Position) and child.index == index for child in free)
        if bare and _joint(node, numbers) is None:
            return False
    return True


_BEGIN, _WHOLE = "begin of part", "whole of part"


def _in_whole(condition: Expr, index: str) -> Expr:
    """A condition of a part, over what has its own sizes: where the part begins, and the extent that was cut."""
    moved = substitute(condition, {index: position(index) + size(_BEGIN)})
    return replace_nodes(moved, {size(index): size(_WHOLE)})


def _range(
    nest: Nest, index: str, begin: int, end: int, known: dict[Expr, Expr], attributes: Mapping[str, Any]
) -> Nest | None:
    """`nest` for the positions from `begin` to `end`, with what is known there; None where a read that may leave its
    operand there is compared with the extent of `index`, which is another one in a part."""
    extents = {**nest.extents, root(index): end - begin}
    numbers = Numbers({**extents, _BEGIN: begin, _WHOLE: nest.extent(index)}, attributes)
    left: dict[str, Expr] = {}
    for name, access in nest.accesses.items():
        asked = () if access.condition is None else conjuncts(access.condition)
        open_ = [each for each in asked if not holds(_in_whole(each, index), numbers)]
        if any(node is size(index) for node in subexpressions(*open_)):
            return None
        left[name] = substitute(conjunction(open_), {index: position(index) + begin})

    def moved(access: Access) -> Access:
        return replace(access, offset=access.offset + begin * access.strides.get(index, 0))

    def read(access: Access) -> Access:
        condition = None if isinstance(left[access.name], Number) else left[access.name]
        return replace(moved(access), condition=condition, leaves=condition is not None)

    return replace(
        nest,
        writes=tuple(
            replace(write, expr=replace_nodes(write.expr, known), access=moved(write.access)) for write in nest.writes
        ),
        accesses={name: read(access) for name, access in nest.accesses.items()},
        extents=extents,
    )
