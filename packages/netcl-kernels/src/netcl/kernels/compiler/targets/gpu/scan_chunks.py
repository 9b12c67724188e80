"""Scans of rows in chunks, of which the items of a group, or some of them, have a few elements each.

An item brings its elements together to one stretch; the stretches of a chunk are brought together in local memory in
log2(items) steps; then each item goes through its elements again, behind all that came before. `Chunks` says nothing of
what is loaded and stored: `OfBodies` does, for the elements of a row.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from netcl.core.dtypes import canonical
from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Scan, number, position, read
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.carry import Carried, Parts, State
from netcl.kernels.compiler.loops.given import Given, unflattened
from netcl.kernels.compiler.loops.ir import Barrier, Buffer, If, Let, Loop, LoopNest, Statement, Store
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.lower.scans import along

ITEMS, EACH = 256, 4
"""Items of a group, and elements that an item has of a chunk."""
WIDTHS = (16, 64, ITEMS)
"""Items that go along one row together: the fewest that have all of it in one chunk."""
BLOCK = ITEMS * EACH
_BANKS = 32
"""After so many elements one is left free, so that items that are `EACH` elements apart do not meet in one bank."""
_ZERO = number(0, INDEX_DTYPE)


def local_bytes(state: State) -> int:
    """Of the tiles, of which the totals of blocks need most, and of the stretches."""
    sizes = [4 if each == "bool" else canonical(each).itemsize for each in state.dtypes]
    return sum(sizes) * (_padded(BLOCK) + 2 * ITEMS)


def _padded(count: int) -> int:
    return count + count // _BANKS


class Chunks(ABC):
    """Rows in chunks, of which `width` items have `EACH` elements each. What is loaded, where a group begins and what
    it stores is said by those below."""

    def __init__(self, name: str, given: Given, state: State, width: int, length: Expr, tiles: Sequence[str]) -> None:
        self.name, self.given, self.state, self.width, self.length = name, given, state, width, length
        self.tiles = [(f"tile {at + 1}", dtype) for at, dtype in enumerate(tiles)]
        self.parts = Carried("part", state, whole=True)
        self.now, self.carried = Carried("now", state), Carried("carried", state)

    @abstractmethod
    def values(self, step: Expr) -> Parts:
        """What is to be known of an element: a value for each of the first tiles."""

    @abstractmethod
    def leaf(self, values: Parts, step: Expr) -> Parts:
        """The stretch of one element."""

    @abstractmethod
    def results(self, carried: Parts) -> dict[str, Expr]:
        """What is put into tiles, of the running values."""

    @abstractmethod
    def stored(self, step: Expr, at: Expr) -> tuple[Statement, ...]:
        """What is stored of them."""

    @property
    def is_row(self) -> Expr:
        """Whether there is a row for these items."""
        return number(True, "bool")

    def made(self, groups: Expr, lets: Sequence[Statement], start: Parts, body: Sequence[Statement]) -> LoopNest:
        size = number(_padded(BLOCK), INDEX_DTYPE)
        buffers = [
            *(Buffer(name, dtype, "local", size) for name, dtype in self.tiles),
            *(
                Buffer(name, dtype, "local", number(ITEMS, INDEX_DTYPE))
                for side in (0, 1)
                for name, dtype in self._stretches(side)
            ),
            *self.parts.buffers,
            *self.now.buffers,
            *self.carried.buffers,
        ]
        lanes: list[Statement] = [Let("lane", call("mod", position("item"), self.width))]
        if self.width < ITEMS:
            lanes.append(Let("segment", call("floor_div", position("item"), self.width)))
        every = (*lanes, *lets, *self.carried.become(start), *body)
        made = (*self.given.buffers.values(), *buffers)
        return LoopNest(self.name, "group", groups, "item", ITEMS, made, every, frozenset(self.given.data))

    def chunk(self, begin: Expr) -> list[Statement]:
        """One chunk, from its first element on."""
        return [
            self._loaded(begin),
            Barrier(),
            *self._stretched(begin),
            *self._run(begin),
            *self.carried.become(self.state.after(self.carried.parts, self.whole)),
            Barrier(),
            self._kept(begin),
        ]

    @property
    def whole(self) -> Parts:
        """The stretch of the whole chunk."""
        return self._stretch(self._segment(self.width - 1))

    def _segment(self, at: Expr | int) -> Expr:
        """The item that stands there among those of the row."""
        here = at if isinstance(at, Expr) else number(at, INDEX_DTYPE)
        return call("add", call("mul", position("segment"), self.width), here) if self.width < ITEMS else here

    def _tile(self, at: Expr) -> Expr:
        """Where an element of the chunk of a row lies."""
        if self.width < ITEMS:
            at = call("add", call("mul", position("segment"), self.width * EACH), at)
        return call("add", at, call("floor_div", at, _BANKS))

    def _stretches(self, side: int) -> list[tuple[str, str]]:
        return [(f"stretch {at + 1} {side + 1}", dtype) for at, dtype in enumerate(self.state.dtypes)]

    def _stretch(self, item: Expr, side: int | None = None) -> Parts:
        """What stands there: in the end the stretch from the first element of the chunk to the last of that item."""
        side = (self.width.bit_length() - 1) % 2 if side is None else side
        return tuple(read(name, (item,), dtype) for name, dtype in self._stretches(side))

    def _loaded(self, begin: Expr) -> Statement:
        """The elements into tiles, neighbours by neighbours."""
        along_chunk = call("add", call("mul", position("turn"), self.width), position("lane"))
        step = position("loaded")
        inside = call("lt", step, self.length)
        stores = [
            Store(name, position("loaded_at"), call("select", inside, value, number(0, dtype)))
            for (name, dtype), value in zip(self.tiles, self.values(step), strict=False)
        ]
        return Loop("turn", number(EACH, INDEX_DTYPE), "unrolled", (
            Let("loaded", call("add", begin, along_chunk)), Let("loaded_at", self._tile(along_chunk)), *stores,
        ))  # fmt: skip

    def _element(self, begin: Expr, which: Expr) -> tuple[Expr, Parts]:
        """(where in the tiles, stretch) of one of the elements of an item."""
        along_chunk = call("add", call("mul", position("lane"), EACH), which)
        at = self._tile(along_chunk)
        values = tuple(read(name, (at,), dtype) for name, dtype in self.tiles)
        return at, self.leaf(values, call("add", begin, along_chunk))

    def _stretched(self, begin: Expr) -> list[Statement]:
        """The stretch up to each item: that of its own elements, then with those of twice as many items each time."""
        _, first = self._element(begin, _ZERO)
        _, other = self._element(begin, call("add", position("more"), 1))
        item = position("item")
        found: list[Statement] = [
            *self.parts.become(first),
            Loop("more", number(EACH - 1, INDEX_DTYPE), "unrolled", tuple(
                self.parts.become(self.state.combined(self.parts.parts, other))
            )),
            *(Store(name, item, part) for (name, _), part in zip(self._stretches(0), self.parts.parts, strict=True)),
            Barrier(),
        ]  # fmt: skip
        for turn in range(self.width.bit_length() - 1):
            apart, lane = 1 << turn, position("lane")
            own = self._stretch(item, turn % 2)
            before = self._stretch(self._segment(call("sub", lane, apart)), turn % 2)
            both = self.state.combined(before, own)
            found += [
                Store(name, item, call("select", call("ge", lane, apart), together, alone))
                for (name, _), together, alone in zip(self._stretches((turn + 1) % 2), both, own, strict=True)
            ]
            found.append(Barrier())
        return found

    def _run(self, begin: Expr) -> list[Statement]:
        """The running values of an item's elements, behind all that comes before them. They are counted from the chunk
        on, and added to what is carried at once: one by one, small ones would be rounded off. A recurrence goes on from
        what is carried, as on a CPU."""
        state, lane, carried, now = self.state, position("lane"), self.carried.parts, self.now.parts
        before, start = self._stretch(self._segment(call("sub", lane, 1))), state.start
        if state.kind == "scan":
            before, start = state.after(carried, before), carried
        behind = tuple(
            call("select", call("ge", lane, 1), one, other) for one, other in zip(before, start, strict=True)
        )
        at, leaf = self._element(begin, position("one"))
        result = now if state.kind == "scan" else state.after(carried, now)
        stores = tuple(Store(name, at, value) for name, value in self.results(result).items())
        steps = (*self.now.become(state.next(now, leaf)), *stores)
        return [*self.now.become(behind), Loop("one", number(EACH, INDEX_DTYPE), "unrolled", steps)]

    def _kept(self, begin: Expr) -> Statement:
        """The running values out of the tiles, neighbours by neighbours."""
        along_chunk = call("add", call("mul", position("stored_turn"), self.width), position("lane"))
        inside = call("and", call("lt", position("stored"), self.length), self.is_row)
        return Loop("stored_turn", number(EACH, INDEX_DTYPE), "unrolled", (
            Let("stored", call("add", begin, along_chunk)),
            If(inside, self.stored(position("stored"), self._tile(along_chunk))),
        ))  # fmt: skip


class OfBodies(Chunks):
    """Chunks of which the bodies of the scan are the elements."""

    def __init__(
        self, nest: Nest, name: str, node: Scan, rows: tuple[str, ...], state: State, width: int,
        given: Given | None = None,
    ) -> None:  # fmt: skip
        self.stage, self.rows, self.index, self.backward = nest, rows, along(node), node.backward
        given = given or Given(nest.accesses, nest.attributes)
        self.is_arg = node.kind.startswith("arg")
        tiles = [state.dtype] * state.bodies + [INDEX_DTYPE] * self.is_arg
        super().__init__(name, given, state, width, given.size(self.index), tiles)
        self.here = {index: position(f"row_{at + 1}") for at, index in enumerate(rows)}

    def values(self, step: Expr) -> Parts:
        places = {**self.here, self.index: self.place(step)}
        bodies = tuple(cast(self.given.expr(each.expr, places), self.state.dtype) for each in self.stage.writes)
        return self.state.first(bodies, call("eq", step, 0))

    def leaf(self, values: Parts, step: Expr) -> Parts:
        return self.state.leaf(values[: self.state.bodies], self.place(step))

    def results(self, carried: Parts) -> dict[str, Expr]:
        return {self.tiles[-1][0]: self.state.result(carried)}

    def stored(self, step: Expr, at: Expr) -> tuple[Statement, ...]:
        write = self.stage.writes[0]
        places = {**self.here, self.index: self.place(step)}
        name, dtype = self.tiles[-1]
        return (Store(*self.given.target(write, places), cast(read(name, (at,), dtype), write.access.dtype)),)

    def place(self, step: Expr) -> Expr:
        """Where the element of a step stands."""
        return call("sub", call("sub", self.length, 1), step) if self.backward else step

    def row_lets(self, row: Expr) -> list[Statement]:
        by_index = unflattened(row, self.rows, self.given)
        return [Let(f"row_{at + 1}", by_index[index]) for at, index in enumerate(self.rows)]
