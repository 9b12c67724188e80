"""A reduction in two steps: partial results of blocks, one for each number of a block, and what brings them together.

Input: the nest that reduces in one step. Output: what the blocks write, and the nest of the second step. How the blocks
are computed is the business of a schedule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from netcl.kernels.compiler.ir import (
    Expr,
    Operand,
    Read,
    Reduce,
    Size,
    position,
    read,
    rebuild,
    reduce,
    root,
    transform,
)
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.lower.kernel import Access, Write
from netcl.kernels.compiler.lower.nest import Nest


@dataclass(frozen=True)
class PartialResults:
    """The `writes` of the first step into `temporaries`; the nest of the second step, which has the extents of both."""

    writes: tuple[Write, ...]
    temporaries: tuple[Operand, ...]
    rest: Nest


def partial_results(
    nest: Nest, number: str, count: int, shape: tuple[str, ...], limit: Size, reduces: Sequence[Reduce] | None = None
) -> PartialResults:
    """The partial results of all reductions, or of these, for `count` blocks, which the index `number` counts, in
    tensors over the indices `shape`. The number of the block that has the first extreme value is compared with the
    `limit`."""
    extents = {**nest.extents, number: count}
    strides: dict[str, int] = {}
    step = 1
    for index in reversed(shape):
        strides[index] = step
        step *= extents[root(index)]
    strides = {index: stride for index, stride in strides.items() if extents[root(index)] != 1}
    writes: list[Write] = []
    temporaries: list[Operand] = []
    accesses: dict[str, Access] = {}
    replacements: dict[Expr, Expr] = {}

    def partial(node: Expr, dtype: str) -> Expr:
        name = f"{nest.name}.part_{len(writes) + 1}"
        access = Access(name, name, dtype, 0, strides)
        writes.append(Write(node, access, shape))
        temporaries.append(Operand(name, dtype, tuple((index,) for index in shape)))
        accesses[name] = access
        return read(name, tuple(map(position, strides)), dtype)

    for node in nest.reduces if reduces is None else reduces:
        if node.kind.startswith("arg"):
            best = reduce(node.kind[3:], node.over, node.body)
            where = reduce(node.kind, (number,), partial(best, node.body.dtype))
            found = partial(node, "int64")
            assert isinstance(found, Read)
            name = found.operand + ".at"
            accesses[name] = replace(
                accesses[found.operand], name=name, dynamic=(strides.get(number, 0),), limits=(limit,),
                strides={index: stride for index, stride in strides.items() if index != number},
            )  # fmt: skip
            replacements[node] = read(name, (*map(position, accesses[name].strides), where), "int64")
        else:
            replacements[node] = reduce(node.kind, (number,), partial(node, node.dtype))
    memo: dict[Expr, Expr] = dict(replacements)
    rest = replace(
        nest,
        writes=tuple(replace(write, expr=transform(write.expr, rebuild, memo)) for write in nest.writes),
        accesses={**nest.accesses, **accesses},
        extents=extents,
    )
    return PartialResults(tuple(writes), tuple(temporaries), rest)


@dataclass(frozen=True)
class InParts:
    """A sum that is cut along the new `index`: the parts go to the `temporary`, the `rest` adds them up in order."""

    index: str
    write: Write
    temporary: Operand
    rest: Nest


def in_parts(nest: Nest, node: Reduce, write: Write, parts: int) -> InParts:
    """The sum `node` of a write in so many parts."""
    part = f"{nest.name}.part"
    extents = {**nest.extents, part: parts}
    shape = (part, *nest.order)
    strides: dict[str, int] = {}
    step = 1
    for index in reversed(shape):
        strides[index] = step
        step *= extents[root(index)]
    name = f"{nest.name}.parts"
    access = Access(name, name, node.dtype, 0, strides)
    again: Expr = reduce("sum", (part,), read(name, tuple(map(position, strides)), node.dtype))
    rest = replace(
        nest,
        writes=(replace(write, expr=replace_nodes(write.expr, {node: again})),),
        accesses={**nest.accesses, name: access},
        extents=extents,
    )
    temporary = Operand(name, node.dtype, tuple((index,) for index in shape))
    return InParts(part, Write(node, access, shape), temporary, rest)
