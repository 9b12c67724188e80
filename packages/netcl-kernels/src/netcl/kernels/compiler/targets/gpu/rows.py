"""rows: reductions that several items share. A group has one row of results or some, and a power of two of items for
each; these go along the row side by side, and bring what they have together in local memory, half of them at a time.

Where rows are what is contiguous, the items of a row are neighbours; in columns, those of neighbouring columns are.
Reductions that wait for each other (the maximum of a row, then the sum of what lies below it) are passes over the row.
A row may be cut into blocks, for each of which a group computes partial results: see `blocks`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Reduce, number, position, read, root
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.accumulate import Accumulator
from netcl.kernels.compiler.loops.given import Given, Looped, items_of, product_of_sizes
from netcl.kernels.compiler.loops.ir import Barrier, Buffer, If, Let, LoopNest, Name, Statement, Store
from netcl.kernels.compiler.loops.scope import Scope
from netcl.kernels.compiler.loops.values import Group, Values, parted
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.lower.nest import Nest, Scheduled


@dataclass(frozen=True)
class Shape:
    """How the items of a group are shared out: `width` of them for each row, `across` neighbouring rows or along one.
    Rows are those of the indices `rows`; each is cut into blocks along its length when there is an index of `blocks`,
    of `chunk` places each."""

    rows: tuple[str, ...]
    items: int
    width: int
    across: bool
    blocks: str | None = None
    chunk: int = 0

    @property
    def together(self) -> int:
        """The rows of a group."""
        return self.items // self.width


def fits(nest: Nest) -> Scheduled | None:
    """For stages with reductions long enough to be shared, all outputs of which have the indices of the rows."""
    shape = shape_of(nest)
    if shape is None or (shape.width == 1 and not _inner(nest, shape.rows)):
        return None
    return Scheduled((kernel(nest, shape),))


def shape_of(nest: Nest) -> Shape | None:
    """How the rows of a stage are shared; None where they are not worth it."""
    outer = [node for node in nest.reduces if nest.depends(node) <= frozenset(nest.order)]
    kept = frozenset().union(*map(nest.depends, outer))
    if not outer or any(not kept <= frozenset(write.indices) for write in nest.writes):
        return None
    rows = tuple(sorted((index for index in nest.order if index in kept), key=lambda each: root(each) == nest.fastest))
    items, limits = items_of(nest.target), nest.target.groups
    length = max(nest.extent(*node.over) for node in outer)
    if length <= limits.steps:
        return None
    across = (
        bool(rows)
        and root(rows[-1]) == nest.fastest
        and not any(nest.fastest in map(root, node.over) for node in outer)
    )
    length = max(length, *(nest.extent(*inner) for inner in _inner(nest, rows)), 0)
    count, width = nest.extent(*rows), 1
    if not across:
        while width < items and length > width * limits.steps:
            width *= 2
    while width < items and length > width and count * width < limits.busy:
        if across and items // (2 * width) < limits.neighbours and items // (2 * width) < nest.extent(rows[-1]):
            break
        width *= 2
    return Shape(rows, items, width, across)


def _inner(nest: Nest, rows: Sequence[str]) -> list[tuple[str, ...]]:
    """The indices that outputs have beside those of the rows."""
    found = (tuple(index for index in write.indices if index not in rows) for write in nest.writes)
    return list(dict.fromkeys(each for each in found if each))


def kernel(nest: Nest, shape: Shape) -> Looped:
    """The kernel that shares its rows so."""
    made = _Rows(nest, shape)
    loops = made.nest()
    blocks = nest.extent(shape.blocks) if shape.blocks else 1
    return Looped(
        computation=nest.computation(),
        schedule="blocks" if shape.blocks else "columns" if shape.across else "rows",
        numbers={"chunk": shape.chunk} if shape.blocks else {},
        nest=loops,
        given=made.given.arguments,
        groups=-(-nest.extent(*shape.rows) // shape.together) * blocks,
    )


class _Rows:
    def __init__(self, nest: Nest, shape: Shape) -> None:
        self.stage, self.shape = nest, shape
        self.given = Given(nest.accesses, nest.attributes)
        self.values = Values(nest, nest.exprs, self.given)
        self.totals: dict[Expr, Expr] = {}
        self.shared: dict[tuple[str, int], str] = {}
        self.local: list[Buffer] = []

    def nest(self) -> LoopNest:
        shape, given, values = self.shape, self.given, self.values
        rows = product_of_sizes(shape.rows, given)
        groups = parted(rows, shape.together)
        body = self._where(rows)
        for group in values.groups:
            if values.guards.depends(group[0]) <= frozenset(self._bound):
                body += self._pass(group)
        body += self._stored()
        if shape.blocks:
            groups = call("mul", groups, given.size(shape.blocks))
        buffers = (*given.buffers.values(), *values.buffers, *self.local)
        data = frozenset(given.data)
        return LoopNest(self.stage.name, "group", groups, "item", shape.items, buffers, tuple(body), data)

    @property
    def _bound(self) -> tuple[str, ...]:
        return (*self.shape.rows, *([self.shape.blocks] if self.shape.blocks else []))

    def _where(self, rows: Expr) -> list[Statement]:
        """Which row an item works on, and which of the items of that row it is."""
        shape, tile = self.shape, position("group")
        statements: list[Statement] = []
        if shape.blocks:
            blocks = self.given.size(shape.blocks)
            statements += [
                Let("block", call("mod", position("group"), blocks)),
                Let("tile", call("floor_div", position("group"), blocks)),
            ]
            tile = position("tile")
        item, (one, other) = position("item"), (shape.together, shape.width)
        self.lane: Expr = item if one == 1 else number(0, INDEX_DTYPE)
        self.of_group: Expr = item if other == 1 else number(0, INDEX_DTYPE)
        if 1 not in (one, other):
            by = one if shape.across else other
            rest, count = call("mod", item, by), call("floor_div", item, by)
            statements += [
                Let("lane", count if shape.across else rest),
                Let("of_group", rest if shape.across else count),
            ]
            self.lane, self.of_group = position("lane"), position("of_group")
        statements.append(Let("row", call("add", call("mul", tile, shape.together), self.of_group)))
        self.is_row = call("lt", position("row"), rows) if shape.together > 1 else None
        return statements

    def _in_row(self, inside: Callable[[Scope], None]) -> list[Statement]:
        """What is done for the row of an item, if there is one."""
        scope = self.values.inside(self.shape.rows, position("row"))
        if self.shape.blocks:
            scope.binds[self.shape.blocks] = position("block")
        scope.values.update(self.totals)
        inside(scope)
        return scope.statements if self.is_row is None else [If(self.is_row, scope.body)]

    def _along(
        self,
        indices: tuple[str, ...],
        scope: Scope,
        accumulators: list[Accumulator],
        inside: Callable[[Scope, Expr], None],
    ) -> list[Statement]:
        """`inside` for each place along these indices, which the items of a row go along side by side."""
        shape = self.shape
        end = product_of_sizes(indices, self.given)
        begin: Expr = number(0, INDEX_DTYPE)
        length = self.given.number("chunk") if shape.blocks else end
        if shape.blocks:
            begin = call("mul", position("block"), length)
        place = self.values.fresh("place")

        def step(turn: Expr) -> Sequence[Statement]:
            at = call("add", begin, call("add", call("mul", turn, shape.width), self.lane))
            there = self.values.inside(indices, position(place), scope)
            inside(there, position(place))
            return [Let(place, at), If(call("lt", position(place), end), there.body)]

        return self.values.steps(parted(length, shape.width), accumulators, step)

    def _pass(self, group: Group) -> list[Statement]:
        """Some reductions: each item its part, then those of a row together."""
        over, shape = group[0].over, self.shape
        length = shape.chunk if shape.blocks else self.stage.extent(*over)
        accumulators = self.values.accumulators(group, -(-length // shape.width))
        body = [statement for each in accumulators for statement in each.start()]

        def inside(scope: Scope, flat: Expr) -> None:
            scope.statements += self.values.taken(group, accumulators, scope, flat)

        def row(scope: Scope) -> None:
            scope.statements += self._along(over, scope, accumulators, inside)

        body += self._in_row(row)
        pairs = list(zip(group, accumulators, strict=True))
        while pairs:
            some = self._as_many_as_fit([each for _, each in pairs])
            body += self._together(pairs[:some])
            pairs = pairs[some:]
        return body

    def _as_many_as_fit(self, accumulators: Sequence[Accumulator]) -> int:
        """Of how many the parts have room in local memory at once; at least of one."""
        room = self.stage.target.local_memory // self.shape.items
        for at, each in enumerate(accumulators):
            room -= 8 * len(each.parts())
            if room < 0:
                return max(at, 1)
        return len(accumulators)

    def _together(self, pairs: Sequence[tuple[Reduce, Accumulator]]) -> list[Statement]:
        """The totals of these reductions, in the order of the items."""
        shape, item = self.shape, self._slot()
        parts = [each.parts() for _, each in pairs]
        if shape.width == 1:
            return [self._total(node, own[-1]) for (node, _), own in zip(pairs, parts, strict=True)]
        body: list[Statement] = [Barrier()] if self.shared else []  # until all have read what was there before
        names = self._shared_by(parts)
        for own, there in zip(parts, names, strict=True):
            body += [Store(name, item, part) for name, part in zip(there, own, strict=True)]
        body.append(Barrier())
        half = shape.width // 2
        while half:
            inside: list[Statement] = []
            apart = half * (shape.together if shape.across else 1)
            for (_, each), own, there in zip(pairs, parts, names, strict=True):
                mine = [read(name, (item,), part.dtype) for name, part in zip(there, own, strict=True)]
                others = [
                    read(name, (call("add", item, apart),), part.dtype) for name, part in zip(there, own, strict=True)
                ]
                before, joined = each.joined(mine, others)
                inside += [*before, *(Store(name, item, value) for name, value in zip(there, joined, strict=True))]
            body += [If(call("lt", self.lane, half), tuple(inside)), Barrier()]
            half //= 2
        first = self._slot(number(0, INDEX_DTYPE))
        for (node, _), own, there in zip(pairs, parts, names, strict=True):
            body.append(self._total(node, read(there[-1], (first,), own[-1].dtype)))
        return body

    def _slot(self, lane: Expr | None = None) -> Expr:
        """Where in local memory an item puts what it has: that of this lane of its row."""
        lane = self.lane if lane is None else lane
        if self.shape.across:
            return call("add", call("mul", lane, self.shape.together), self.of_group)
        return call("add", call("mul", self.of_group, self.shape.width), lane)

    def _total(self, node: Reduce, found: Expr) -> Statement:
        name = Name(self.values.fresh("total"), found)
        self.totals[node] = read(name.name, (), node.dtype)
        return name

    def _shared_by(self, parts: Sequence[Sequence[Expr]]) -> list[list[str]]:
        """Local memory for these parts of all items."""
        used: dict[str, int] = {}
        return [[self._room(part.dtype, used) for part in own] for own in parts]

    def _room(self, dtype: str, used: dict[str, int]) -> str:
        """Memory that nobody else uses now; that of passes before is used again."""
        used[dtype] = at = used.get(dtype, 0) + 1
        if (dtype, at) not in self.shared:
            self.shared[dtype, at] = "shared " + self.values.fresh("parts")
            size = number(self.shape.items, INDEX_DTYPE)
            self.local.append(Buffer(self.shared[dtype, at], dtype, "local", size))
        return self.shared[dtype, at]

    def _stored(self) -> list[Statement]:
        """The outputs: by one item where a row has one, else along the row."""
        writes: dict[tuple[str, ...], list[Write]] = {}
        for write in self.stage.writes:
            inner = tuple(index for index in write.indices if index not in self._bound)
            writes.setdefault(inner, []).append(write)
        return [statement for inner, some in writes.items() for statement in self._in_row(self._writer(inner, some))]

    def _writer(self, inner: tuple[str, ...], writes: Sequence[Write]) -> Callable[[Scope], None]:
        def inside(scope: Scope, flat: Expr) -> None:
            self.values.stored_together(writes, scope)

        def row(scope: Scope) -> None:
            if inner:
                scope.statements += self._along(inner, scope, [], inside)
                return
            first = Scope(scope)
            inside(first, position("row"))
            scope.statements += (
                first.statements if self.shape.width == 1 else [If(call("eq", self.lane, 0), first.body)]
            )

        return row
