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
from netcl.kernels.compiler.ir.choices import conjunction, conjuncts
from netcl.kernels.compiler.ir.host import NotKnown, Numbers, integer
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
    cut = list(_cut(nest, attributes, {}))
    small = any(part.extent(*part.order) < limits.part for part, _ in cut)
    small = small and nest.extent(*nest.order) < len(cut) * limits.part_of_many
    if len(cut) == 1 or len(cut) > limits.parts or small:
        return [nest]
    found = []
    for at, (part, origins) in enumerate(cut):
        settled = _settled(part, origins, nest, attributes)
        if settled is None:
            return [nest]
        found.append(replace(settled, name=f"{nest.name}_{at + 1}"))
    return found


_Origins = Mapping[str, int]
"""Where the indices that were cut begin in a part."""


def _cut(nest: Nest, attributes: Mapping[str, Any], origins: _Origins) -> Iterator[tuple[Nest, _Origins]]:
    """The parts of `nest`, whose positions count from the origins in the conditions."""
    numbers = Numbers(nest.extents, attributes)
    for condition in subexpressions(*nest.exprs):
        joint = _joint(condition, numbers)
        if joint is None or not _only_addresses(nest, joint[0], numbers):
            continue
        index, bound, first_holds = joint
        origin, extent = origins.get(index, 0), nest.extent(index)
        at = min(max(bound - origin, 0), extent)
        for begin, end, holds_there in ((0, at, first_holds), (at, extent, not first_holds)):
            if begin < end:
                part = _range(nest, index, begin, end, {condition: number(holds_there, "bool")})
                yield from _cut(part, attributes, {**origins, index: origin + begin})
        return
    yield nest, origins


def _settled(part: Nest, origins: _Origins, whole: Nest, attributes: Mapping[str, Any]) -> Nest | None:
    """A part with the conditions of its reads that do not always hold in it. None where one of these compares with the
    extent of an index that was cut, which is another one in the part."""
    sizes: dict[str, int] = dict(part.extents)
    moved: dict[str, Expr] = {}
    lengths: dict[Expr, Expr] = {}
    for index, origin in origins.items():
        sizes |= {f"begin of {index}": origin, f"whole of {index}": whole.extent(index)}
        moved[index] = position(index) + size(f"begin of {index}")
        lengths[size(index)] = size(f"whole of {index}")
    accesses = {}
    for name, access in part.read_by(*part.writes).items():
        asked = () if access.condition is None else conjuncts(access.condition)
        open_ = [
            each
            for each in asked
            if not holds(replace_nodes(substitute(each, moved), lengths), Numbers(sizes, attributes))
        ]
        if any(node in lengths for node in subexpressions(*open_)):
            return None
        here = {index: position(index) + int(origin) for index, origin in origins.items()} if open_ else {}
        condition = substitute(conjunction(open_), here) if open_ else None
        accesses[name] = replace(access, condition=condition, leaves=bool(open_))
    return replace(part, accesses=accesses)


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


def _range(nest: Nest, index: str, begin: int, end: int, known: dict[Expr, Expr]) -> Nest:
    """`nest` for the positions from `begin` to `end`, with what is known there."""

    def moved(access: Access) -> Access:
        return replace(access, offset=access.offset + begin * access.strides.get(index, 0))

    return replace(
        nest,
        writes=tuple(
            replace(write, expr=replace_nodes(write.expr, known), access=moved(write.access)) for write in nest.writes
        ),
        accesses={name: moved(access) for name, access in nest.accesses.items()},
        extents={**nest.extents, root(index): end - begin},
    )
