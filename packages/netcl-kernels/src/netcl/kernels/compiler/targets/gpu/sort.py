"""sort: where the values of each row stand that come next in their order, and what is read from there.

A row that fits is ordered in local memory by a network of comparisons, short ones several to a group. Each comparator
puts the value that comes first at the lower place, so that places behind the end of a row are left out, and the network
for longer rows orders shorter ones. A longer row is cut into tiles, which are ordered and then merged, two runs to one
in each launch: a value goes as far as it stands in its own run and as many places as values of the other come before
it, which are found by halving.

A value comes with the position that it has in its row; of equal ones the one that stood first comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from netcl.core.dtypes import canonical
from netcl.kernels.compiler.ir import FLOATS, INDEX_DTYPE, Expr, Operand, Scan, number, position, read
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.carry import wide
from netcl.kernels.compiler.loops.given import Given, Looped, items_of, product_of_sizes, unflattened
from netcl.kernels.compiler.loops.ir import Barrier, Buffer, If, Let, Loop, LoopNest, Statement, Store
from netcl.kernels.compiler.loops.text import LONGEST, longest_statement
from netcl.kernels.compiler.lower.kernel import Access, Write
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.scans import along

_PLACE_DTYPE = "int32"
_ZERO = number(0, INDEX_DTYPE)
_ROW, _PLACE = "row#", "place#"


def fits(nest: Nest, node: Scan, stood: str) -> Scheduled | None:
    """For rows without reductions in what they are ordered by, or in what is read."""
    count = nest.extent(along(node))
    if nest.reduces or count >= 1 << 31:
        return None
    order = _Order(node.backward, wide(nest.writes[0].expr.dtype))
    row = _Row(nest, (along(node),), stood, nest.writes[2:])
    if row.tile * (canonical(order.dtype).itemsize + canonical(_PLACE_DTYPE).itemsize) > nest.target.local_memory:
        return None
    tile = next((each for each in row.tiles if count <= each), row.tile)
    kernels = (_tiles(row, order, tile, None),) if count <= row.tile else tuple(_merged(row, order))
    if any(longest_statement(each.nest) > LONGEST for each in kernels):
        return None
    if count <= row.tile:
        return Scheduled(kernels)
    scratch = [each for side in (0, 1) for each in _scratch(row, order, side)]
    temporaries = tuple(Operand(each.name, each.dtype, ((_ROW,), (_PLACE,))) for each in scratch)
    return Scheduled(kernels, temporaries, row.extents)


def entries(nest: Nest, by: Expr, order: tuple[str, ...], over: tuple[str, ...]) -> Entries:
    """Of each combination of the indices in `order` the values `by` along the indices `over`, in ascending order."""
    write = Write(by, nest.writes[0].access, (*order, *over))
    row = _Row(replace(nest, writes=(write,), order=(*order, *over)), over, "", ())
    ordered = _Order(False, wide(by.dtype))
    kernels = tuple(_merged(row, ordered, kept=True))
    sides = [_scratch(row, ordered, side) for side in (0, 1)]
    values, places = sides[(len(kernels) - 1) % 2]
    used = [each for side in sides[: len(kernels)] for each in side]
    temporaries = tuple(Operand(each.name, each.dtype, ((_ROW,), (_PLACE,))) for each in used)
    return Entries(kernels, values, places, temporaries, row.extents)


@dataclass(frozen=True)
class Entries:
    """The kernels that order entries, and where their values and positions are afterwards, row after row."""

    kernels: tuple[Looped, ...]
    values: Access
    places: Access
    temporaries: tuple[Operand, ...]
    extents: Mapping[str, int]


@dataclass(frozen=True)
class _Order:
    """Which of two entries comes first; an entry is a value of `dtype` and its position."""

    backward: bool
    dtype: str

    def is_before(self, one: Sequence[Expr], other: Sequence[Expr]) -> Expr:
        smaller = self._is_less(one[0], other[0])
        equal = call("not", self._is_less(other[0], one[0]))
        return call("or", smaller, call("and", equal, call("lt", one[1], other[1])))

    def _is_less(self, one: Expr, other: Expr) -> Expr:
        """Whether a value is beyond another in the direction of the order: of numbers NaN is the largest."""
        if self.backward:
            one, other = other, one
        less = call("lt", one, other)
        if self.dtype not in FLOATS:
            return less
        return call("or", less, call("and", call("isnan", other), call("not", call("isnan", one))))


@dataclass(frozen=True)
class _Row:
    """The rows of a stage, each along these indices, ordered by what the first write has; `asked` is what is written
    for each place, where `stood` is the position of the value that comes there."""

    nest: Nest
    along: tuple[str, ...]
    stood: str
    asked: tuple[Write, ...]

    @property
    def items(self) -> int:
        """Of a group."""
        return items_of(self.nest.target)

    @property
    def tiles(self) -> list[int]:
        """How many values a network orders: the fewest that hold a row. Of 8 bytes, 1,024 take 12 kB with their
        positions."""
        return [max(self.tile >> smaller, 2) for smaller in (6, 4, 2, 0)]

    @property
    def tile(self) -> int:
        """At most."""
        return 4 * self.items

    @property
    def others(self) -> tuple[str, ...]:
        return tuple(each for each in self.nest.order if each not in self.along)

    @property
    def count(self) -> int:
        return self.nest.extent(*self.others)

    @property
    def length(self) -> int:
        return self.nest.extent(*self.along)

    @property
    def extents(self) -> Mapping[str, int]:
        return {**self.nest.extents, _ROW: self.count, _PLACE: self.length}

    def lets(self, given: Given, row: Expr) -> list[Statement]:
        by_index = unflattened(row, self.others, given)
        return [Let(f"row_{at + 1}", by_index[index]) for at, index in enumerate(self.others)]

    def places(self, given: Given, place: Expr) -> dict[str, Expr]:
        here = {index: position(f"row_{at + 1}") for at, index in enumerate(self.others)}
        return {**here, **unflattened(place, self.along, given)}

    def size(self, given: Given) -> Expr:
        """The length of a row, as a number of the launch."""
        return product_of_sizes(self.along, given)

    def stored(self, given: Given, place: Expr, stood: Expr) -> tuple[Statement, ...]:
        """What is asked for at a place, of the value that `stood` somewhere."""
        last = call("sub", self.size(given), 1)
        inside = call("maximum", call("minimum", cast(stood, INDEX_DTYPE), last), 0)
        places = {**self.places(given, place), self.stood: position("stood_at")}
        stores = (Store(*given.target(each, places), given.expr(each.expr, places)) for each in self.asked)
        return (Let("stood_at", inside), *stores)

    def kernel(
        self, name: str, made: LoopNest, given: Given, groups: int, writes: Sequence[Write],
        accesses: Mapping[str, Access], numbers: Mapping[str, int],
    ) -> Looped:  # fmt: skip
        computation = self.nest.computation(name=name, writes=tuple(writes), accesses=accesses, extents=self.extents)
        return Looped(
            computation=computation, schedule="sort", nest=made, given=given.arguments, groups=groups, numbers=numbers
        )


def _scratch(row: _Row, order: _Order, side: int) -> tuple[Access, Access]:
    """Where runs are between launches: their values, and their positions."""
    values, places = f"{row.nest.name}.values_{side + 1}", f"{row.nest.name}.places_{side + 1}"
    return Access(values, values, order.dtype, 0, {}), Access(places, places, _PLACE_DTYPE, 0, {})


def _to(scratch: Sequence[Access], row: _Row) -> list[Write]:
    return [Write(row.nest.writes[0].expr, each, ()) for each in scratch]


# --- in local memory ------------------------------------------------------------------------------------------------


def _tiles(row: _Row, order: _Order, tile: int, scratch: Sequence[Access] | None) -> Looped:
    """The kernel that orders rows of up to `tile` values; with `scratch` each tile of longer ones, which go there."""
    nest = row.nest
    given = Given(nest.accesses, nest.attributes)
    together = max(1, 2 * row.items // tile)
    length, count = row.size(given), product_of_sizes(row.others, given)
    group = position("group")
    if scratch is None:
        begin: Expr = _ZERO
        here = call("add", call("mul", group, together), position("part")) if together > 1 else group
        groups = call("floor_div", call("add", count, together - 1), together)
        launched = -(-row.count // together) if row.length else 0
        before: list[Statement] = []
    else:
        tiles = call("floor_div", call("add", length, tile - 1), tile)
        begin, here = call("mul", position("tile"), tile), call("floor_div", group, tiles)
        groups, launched = call("mul", count, tiles), row.count * -(-row.length // tile)
        before = [Let("tile", call("mod", group, tiles))]
    work = _Tile(order, row.items, tile, tile * together, begin, length)
    row_is = [Let("row", here), *row.lets(given, call("minimum", position("row"), call("sub", count, 1)))]
    step = position("step")
    value = cast(given.expr(nest.writes[0].expr, row.places(given, step)), order.dtype)
    loaded = (
        *row_is,
        Store(
            "tile values", position("entry"), call("select", call("lt", step, length), value, number(0, order.dtype))
        ),
        Store("tile places", position("entry"), cast(step, _PLACE_DTYPE)),
    )
    found, stood = work.entry(position("entry"))
    if scratch is None:
        stores = row.stored(given, step, stood)
    else:
        at = call("add", call("mul", position("row"), length), step)
        stores = tuple(
            Store(given.scratch(each), at, part) for each, part in zip(scratch, (found, stood), strict=True)
        )  # fmt: skip
    inside = call("and", call("lt", step, length), call("lt", position("row"), count))
    body = (
        *before,
        work.entries("load", loaded),
        Barrier(),
        *work.network(),
        work.entries("store", (*row_is, If(inside, stores))),
    )
    buffers = (*given.buffers.values(), *work.buffers)
    name = nest.name if scratch is None else f"{nest.name}_tiles"
    made = LoopNest(name, "group", groups, "item", row.items, buffers, body, frozenset(given.data))
    writes = row.asked if scratch is None else _to(scratch, row)
    accesses = nest.read_by(nest.writes[0], *(row.asked if scratch is None else ()))
    return row.kernel(name, made, given, launched, writes, accesses, {})


@dataclass(frozen=True)
class _Tile:
    """The entries of a group: of several rows, or of one from `begin` on."""

    order: _Order
    items: int
    tile: int
    size: int
    begin: Expr
    length: Expr

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        size, one = number(self.size, INDEX_DTYPE), number(1, INDEX_DTYPE)
        return (
            Buffer("tile values", self.order.dtype, "local", size),
            Buffer("tile places", _PLACE_DTYPE, "local", size),
            Buffer("held value", self.order.dtype, "private", one),
            Buffer("held place", _PLACE_DTYPE, "private", one),
            Buffer("own half", "int32", "private", one),
            Buffer("own apart", "int32", "private", one),
        )

    def entry(self, at: Expr) -> tuple[Expr, Expr]:
        return read("tile values", (at,), self.order.dtype), read("tile places", (at,), _PLACE_DTYPE)

    def entries(self, name: str, inside: tuple[Statement, ...]) -> Statement:
        """`inside` for each entry, neighbours by neighbours."""
        entry = position("entry")
        lets: list[Statement] = [Let("entry", self._turn(name))]
        if self.tile < self.size:
            lets.append(Let("part", call("floor_div", entry, self.tile)))
        lets.append(Let("step", self._step(entry)))
        return Loop(name, number(self.size // self.items, INDEX_DTYPE), "unrolled", (*lets, *inside))

    def network(self) -> tuple[Statement, ...]:
        """Runs of two, four, … entries: of each run the second half is turned around, then halves of halves are
        compared. Loops, as all steps written out take a compiler minutes."""
        half, apart = read("own half", (_ZERO,), "int32"), read("own apart", (_ZERO,), "int32")
        halves = (Store("own apart", _ZERO, call("floor_divide", apart, 2)), *self._compared(apart))
        runs = (
            *self._compared(half, turned=True),
            Store("own apart", _ZERO, half),
            Loop("halving", position("doubling"), "serial", halves),
            Store("own half", _ZERO, call("mul", half, 2)),
        )
        doublings = number(self.tile.bit_length() - 1, INDEX_DTYPE)
        return Store("own half", _ZERO, number(1, "int32")), Loop("doubling", doublings, "serial", runs)

    def _compared(self, apart: Expr, turned: bool = False) -> list[Statement]:
        """The comparators of one step, each of two entries, so many apart or turned around the middle of twice as
        many."""
        which, past = position("which"), position("past")
        of_each = cast(call("remainder", cast(which, "int32"), apart), INDEX_DTYPE)
        far = call("add", call("mul", which, 2), cast(apart, INDEX_DTYPE))
        high = call("sub", far, past)
        if turned:
            high = call("sub", call("add", far, cast(apart, INDEX_DTYPE)), call("add", call("mul", past, 3), 1))
        lower, upper = self.entry(position("low")), self.entry(position("high"))
        is_there = call("lt", self._step(position("high")), self.length)
        exchange = (
            Store("held value", _ZERO, lower[0]),
            Store("held place", _ZERO, lower[1]),
            Store("tile values", position("low"), upper[0]),
            Store("tile places", position("low"), upper[1]),
            Store("tile values", position("high"), read("held value", (_ZERO,), self.order.dtype)),
            Store("tile places", position("high"), read("held place", (_ZERO,), _PLACE_DTYPE)),
        )
        inside = (
            Let("which", self._turn("turn")),
            Let("past", call("maximum", of_each, 0)),
            Let("low", self._bounded(call("sub", call("mul", which, 2), past))),
            Let("high", self._bounded(high)),
            If(call("and", is_there, self.order.is_before(upper, lower)), exchange),
        )
        return [Loop("turn", number(self.size // 2 // self.items, INDEX_DTYPE), "unrolled", inside), Barrier()]

    def _bounded(self, entry: Expr) -> Expr:
        return call("maximum", call("minimum", entry, self.size - 1), 0)

    def _turn(self, name: str) -> Expr:
        return call("add", call("mul", position(name), self.items), position("item"))

    def _step(self, entry: Expr) -> Expr:
        """Where in its row an entry is."""
        return call("add", self.begin, call("mod", entry, self.tile) if self.tile < self.size else entry)


# --- longer rows ----------------------------------------------------------------------------------------------------


def _merged(row: _Row, order: _Order, kept: bool = False) -> Iterator[Looped]:
    """The kernels for rows of more than one tile. The last one writes what is asked for, unless entries are `kept`."""
    yield _tiles(row, order, row.tile, _scratch(row, order, 0))
    run, launches = row.tile, 0
    while run < row.length:
        side = launches % 2
        launches += 1
        to = _scratch(row, order, 1 - side) if kept or 2 * run < row.length else None
        name = f"{row.nest.name}_merge_{launches}" if to else row.nest.name
        yield _merge(row, order, name, run, _scratch(row, order, side), to)
        run *= 2


def _merge(
    row: _Row, order: _Order, name: str, run: int, given_runs: Sequence[Access], to: Sequence[Access] | None
) -> Looped:  # fmt: skip
    """The kernel that makes one run of two each time; without `to` it writes what is asked for."""
    nest = row.nest
    given = Given(nest.accesses, nest.attributes)
    length, count = row.size(given), product_of_sizes(row.others, given)
    width, halvings = given.number("run"), given.number("halvings")
    blocks = call("floor_div", call("add", length, row.items - 1), row.items)
    here, step, last = position("row"), position("step"), call("sub", length, 1)
    line = call("mul", here, length)
    runs = [given.scratch(each) for each in given_runs]

    def entry(at: Expr) -> tuple[Expr, Expr]:
        return read(runs[0], (at,), order.dtype), read(runs[1], (at,), _PLACE_DTYPE)

    def own(name: str, dtype: str = INDEX_DTYPE) -> Expr:
        return read(name, (_ZERO,), dtype)

    def bounded(at: Expr) -> Expr:
        return call("maximum", call("minimum", at, last), 0)

    mine = (own("own value", order.dtype), own("own place", _PLACE_DTYPE))
    low, high = own("own low"), own("own high")
    is_second = call("eq", call("mod", position("number"), 2), 1)
    other = call("mul", call("select", is_second, position("number") - 1, position("number") + 1), width)
    is_before, at = own("is before", "bool"), position("middle") - position("other")
    narrowed = If(call("lt", low, high), (
        Let("middle", bounded(position("other") + call("floor_div", low + high, 2))),
        Store("is before", _ZERO, order.is_before(entry(line + position("middle")), mine)),
        Store("own low", _ZERO, call("select", is_before, at + 1, low)),
        Store("own high", _ZERO, call("select", is_before, high, at)),
    ))  # fmt: skip
    first = call("minimum", position("number") * width, other)
    place = bounded(first + (step - position("number") * width) + low)
    if to is None:
        stores = row.stored(given, position("goes_to"), mine[1])
    else:
        stores = tuple(
            Store(given.scratch(each), line + position("goes_to"), part) for each, part in zip(to, mine, strict=True)
        )  # fmt: skip
    inside = (
        Let("number", call("floor_div", step, width)),
        Let("other", call("maximum", other, 0)),
        Store("own value", _ZERO, entry(line + step)[0]),
        Store("own place", _ZERO, entry(line + step)[1]),
        Store("own low", _ZERO, _ZERO),
        Store("own high", _ZERO, call("maximum", call("minimum", length - position("other"), width), 0)),
        Loop("halving", halvings, "serial", (narrowed,)),
        Let("goes_to", place),
        *stores,
    )
    body = (
        Let("row", call("floor_div", position("group"), blocks)),
        *(row.lets(given, here) if to is None else ()),
        Let("step", call("mod", position("group"), blocks) * row.items + position("item")),
        If(call("lt", step, length), inside),
    )
    registers = {"own value": order.dtype, "own place": _PLACE_DTYPE, "own low": INDEX_DTYPE, "own high": INDEX_DTYPE}
    buffers = (
        *given.buffers.values(),
        *(
            Buffer(each, dtype, "private", number(1, INDEX_DTYPE))
            for each, dtype in {**registers, "is before": "bool"}.items()
        ),
    )
    made = LoopNest(name, "group", call("mul", count, blocks), "item", row.items, buffers, body, frozenset(given.data))
    accesses = {each.name: each for each in given_runs}
    if to is None:
        accesses = {**nest.read_by(*row.asked), **accesses}
    writes = row.asked if to is None else _to(to, row)
    numbers = {"run": run, "halvings": run.bit_length()}
    return row.kernel(name, made, given, row.count * -(-row.length // row.items), writes, accesses, numbers)
