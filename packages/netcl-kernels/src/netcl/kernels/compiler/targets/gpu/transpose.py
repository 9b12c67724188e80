"""transpose: pointwise formulas that read along one index what they write along another, as in `y[i, j] = x[j, i]`.

Either the reads or the writes of neighbouring items would be far apart. So a group brings a square of what is read that
way into local memory, neighbours to neighbours, and writes it from there along the other index. Rows of a square are
one longer than they need be: then those of a column lie in as many banks.
"""

from __future__ import annotations

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Position, Read, number, position, read, subexpressions
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.given import Given, Looped, product_of_sizes, unflattened
from netcl.kernels.compiler.loops.ir import (
    Barrier,
    Buffer,
    If,
    Let,
    Loop,
    LoopNest,
    Name,
    Statement,
    Store,
    local_bytes,
)
from netcl.kernels.compiler.loops.text import LONGEST, longest_statement
from netcl.kernels.compiler.lower.nest import Nest, Scheduled

SIDE, ROWS = 32, 8
"""A square is 32 by 32, which 256 items go through in four turns of eight rows."""


def fits(nest: Nest) -> Scheduled | None:
    """For stages without a reduction that write along one index and read something along another; both long."""
    limits = nest.target.groups
    if not limits.used or nest.reduces or len({write.indices for write in nest.writes}) > 1:
        return None
    if nest.target.work_group_size < SIDE * ROWS:
        return None
    long = [index for index in nest.order if nest.extent(index) >= limits.square]
    along = next((each for each in long if all(write.access.strides.get(each) == 1 for write in nest.writes)), None)
    if along is None:
        return None
    crosswise = {index: _crosswise(nest, along, index) for index in long if index != along}
    across = max(crosswise, key=lambda index: len(crosswise[index]), default=None)
    if across is None or not crosswise[across]:
        return None
    given = Given(nest.accesses, nest.attributes)
    made = _nest(nest, given, along, across, crosswise[across])
    if longest_statement(made) > LONGEST or local_bytes(made) > nest.target.local_memory:
        return None
    rest = [index for index in nest.order if index not in (along, across)]
    squares = [-(-nest.extent(index) // SIDE) for index in (along, across)]
    kernel = Looped(
        computation=nest.computation(), schedule="transpose",
        nest=made, given=given.arguments, groups=nest.extent(*rest) * squares[0] * squares[1],
    )  # fmt: skip
    return Scheduled((kernel,))


def _crosswise(nest: Nest, along: str, across: str) -> list[Read]:
    """The reads of neighbours along the index `across` that are far apart along the one that is written."""
    found = []
    for node in subexpressions(*nest.exprs):
        if isinstance(node, Read) and not any(isinstance(each, Read) for at in node.at for each in subexpressions(at)):
            strides = nest.accesses[node.operand].strides
            by_index = {
                at.index: stride
                for stride, at in zip(strides.values(), node.at, strict=False)
                if isinstance(at, Position)
            }
            if by_index.get(across) == 1 and along in by_index and not nest.accesses[node.operand].dynamic:
                found.append(node)
    return found


def _nest(nest: Nest, given: Given, along: str, across: str, crosswise: list[Read]) -> LoopNest:
    rest = tuple(index for index in nest.order if index not in (along, across))
    group, item = position("group"), position("item")
    squares = {index: call("floor_div", call("add", given.size(index), SIDE - 1), SIDE) for index in (along, across)}
    beside = call("floor_div", group, squares[along])
    batches = unflattened(call("floor_div", beside, squares[across]), rest, given)
    near, far = call("mod", item, SIDE), call("floor_div", item, SIDE)
    lets: list[Statement] = [
        Let("first_along", call("mul", call("mod", group, squares[along]), SIDE)),
        Let("first_across", call("mul", call("mod", beside, squares[across]), SIDE)),
        Let("near", near),
        *(Let(f"outer_{at}", value) for at, value in enumerate(batches.values())),
    ]
    outer: dict[str, Expr] = {index: position(f"outer_{at}") for at, index in enumerate(batches)}
    tiles = {node: Buffer(f"square {at + 1}", node.dtype, "local", number(SIDE * (SIDE + 1), INDEX_DTYPE))
             for at, node in enumerate(crosswise)}  # fmt: skip

    def turns(name: str, near_index: str, far_index: str, inside: list[Statement]) -> Statement:
        """A square, neighbouring items at neighbours along the first index."""
        body = (
            Let(f"{name}_far", call("add", call("mul", position(f"{name}_turn"), ROWS), far)),
            Let(f"{name}_{near_index}", call("add", position(f"first_{near_index}"), position("near"))),
            Let(f"{name}_{far_index}", call("add", position(f"first_{far_index}"), position(f"{name}_far"))),
            If(
                call("and", call("lt", position(f"{name}_along"), given.size(along)),
                     call("lt", position(f"{name}_across"), given.size(across))),
                tuple(inside),
            ),
        )  # fmt: skip
        return Loop(f"{name}_turn", number(SIDE // ROWS, INDEX_DTYPE), "unrolled", body)

    def places(name: str) -> dict[str, Expr]:
        return {**outer, along: position(f"{name}_along"), across: position(f"{name}_across")}

    def in_square(row: Expr, column: Expr) -> Expr:
        return call("add", call("mul", row, SIDE + 1), column)

    brought: list[Statement] = [
        Store(tile.name, in_square(position("brought_far"), position("near")), given.expr(node, places("brought")))
        for node, tile in tiles.items()
    ]
    marks: dict[Expr, Expr] = {node: read(f"mark {tile.name}", (), node.dtype) for node, tile in tiles.items()}
    turned = in_square(position("near"), position("put_far"))
    values: dict[Expr, Expr] = {marks[node]: read(tile.name, (turned,), node.dtype) for node, tile in tiles.items()}
    put: list[Statement] = [
        Name(f"value {at}", given.expr(replace_nodes(write.expr, marks), places("put"), values))
        for at, write in enumerate(nest.writes)
    ]
    put += [
        Store(*given.target(write, places("put")), read(f"value {at}", (), write.expr.dtype))
        for at, write in enumerate(nest.writes)
    ]
    body = (
        *lets,
        turns("brought", "across", "along", brought),
        Barrier(),
        turns("put", "along", "across", put),
    )
    groups = call("mul", call("mul", product_of_sizes(rest, given), squares[across]), squares[along])
    buffers = (*given.buffers.values(), *tiles.values())
    return LoopNest(nest.name, "group", groups, "item", SIDE * ROWS, buffers, body, frozenset(given.data))
