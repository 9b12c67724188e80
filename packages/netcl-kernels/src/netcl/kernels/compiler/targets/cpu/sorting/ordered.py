"""What all sorts have: the keys of a row, and what is asked for at each place of its order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, Scan, number, position
from netcl.kernels.compiler.loops.given import Given, Unit, Units
from netcl.kernels.compiler.loops.ir import Assume, Buffer, Let, Statement
from netcl.kernels.compiler.loops.lanes import in_lanes
from netcl.kernels.compiler.loops.positions import ZERO, at_least, before, numbered, plus
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.values import Values
from netcl.kernels.compiler.lower.kernel import Access, Write
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.lower.scans import along
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.targets.cpu.sorting.keys import bits_of, key
from netcl.kernels.compiler.targets.cpu.units import kernel_of, shares

Inside = Callable[[Scope, Mapping[str, Expr]], Sequence[Statement]]
"""The statements of a unit, in the scope of its row, where its indices are."""

At = Callable[[Expr, Scope], Expr]
"""What there is at the n-th place, in this scope."""

Stored = Callable[[Expr, Expr], Sequence[Statement]]
"""What is done with a key, and its place."""


class Ordered:
    """The rows of a nest, whose first write has the value that they are ordered by; what the third and those behind it
    have is stored at each place, where the index `stood` says which value comes there."""

    def __init__(self, nest: Nest, node: Scan, stood: str) -> None:
        self.nest, self.stood = nest, stood
        self.along, self.backward = along(node), node.backward
        self.by, self.again, *self.others = nest.writes
        self.rows = tuple(each for each in nest.order if each != self.along)
        self.given = Given(nest.accesses, nest.attributes)
        self.values = Values(nest, [self.by.expr, *(each.expr for each in self.others)], self.given)
        self.size = self.given.size(self.along)
        self.top = Scope()

    @property
    def bits(self) -> int:
        """Of a key."""
        return bits_of(self.by.expr.dtype)

    def scratch(self, word: str, dtype: str) -> Access:
        """A tensor for what is between: its elements are addressed as they lie."""
        name = f"{self.nest.name}.{word}"
        return Access(name, name, dtype, 0, {})

    def private(self, name: str, dtype: str, size: int, positions: bool = False) -> Buffer:
        """Memory of a work-item, of the kernel that is made next."""
        buffer = Buffer(name, dtype, "private", number(size, INDEX_DTYPE), positions)
        self.values.buffers.append(buffer)
        return buffer

    def kernel(self, cut: Cut, writes: Sequence[Write], inside: Inside, read: Sequence[Access] = ()) -> Units:
        """The kernel that does what is `inside` for each row, or for each part of it, has these writes, and reads these
        tensors besides."""
        accesses = {**self.nest.read_by(self.by, *self.others), **{each.name: each for each in read}}
        nest = replace(self.nest, name=self.nest.name + cut.word, writes=tuple(writes), accesses=accesses)

        def unit(places: Mapping[str, Expr]) -> Sequence[Statement]:
            scope = Scope(self.top, {each: places[each] for each in self.rows})
            found = inside(scope, places)
            return [*scope.statements, *found]

        extents = {each: self.given.size(each) for each in self.rows}
        if cut.index:
            extents[cut.index] = self.given.number(cut.index)
        shared = shares(self.values, extents, unit)
        units = nest.extent(*self.rows) * cut.numbers.get(cut.index, 1)
        steps = -(-nest.extent(self.along) // cut.numbers.get(cut.index, 1))
        body = (*self.top.statements, *shared)
        return kernel_of(nest, self.values, body, "sort", units, Unit(steps, False), cut.numbers, self.rows)

    def row(self, places: Mapping[str, Expr]) -> Expr:
        """The number of a row."""
        return numbered({each: self.given.size(each) for each in self.rows}, places)

    def keys(self, scope: Scope, first: Expr, count: Expr, stored: Stored) -> list[Statement]:
        """What is `stored` of the keys of so many places from the first of them on."""

        def inside(at: Expr, lanes: Lanes | None) -> Sequence[Statement]:
            lets, found = self.key(Scope(scope, {self.along: at}, lanes))
            return [*lets, *stored(found, at)]

        return in_lanes(self.values, self.along, first, count, self.size, (LANES,), inside)

    def key(self, here: Scope) -> tuple[list[Statement], Expr]:
        """The key of the place of a scope, and the statements before it."""
        found = key(self.values.value(self.by.expr, here), self.backward)
        return here.statements, found

    def stored(
        self, scope: Scope, stood: At, first: Expr = ZERO, count: Expr | None = None,
        known: At | None = None,
    ) -> list[Statement]:  # fmt: skip
        """What is asked for at so many places from the first on, or at all of them: `stood` says where in the row the
        value stood that comes to the n-th, `known` perhaps what it is."""

        def inside(at: Expr, lanes: Lanes | None) -> Sequence[Statement]:
            place = position(self.values.index(self.along))
            here = Scope(scope, {self.along: place}, lanes)
            here.statements += [Let(place.index, plus(first, at)), Assume(before(place, self.size))]
            here.binds[self.stood] = self.sure(stood(at, here), self.size, here, "stood")
            if known is not None:
                here.values[self.again.expr] = self.values.named(known(at, here), here)
            for write in self.others:
                self.values.stored(write, here)
            return here.statements

        many = self.size if count is None else count
        widths = (LANES,) if self.nest.extent(self.along) > 1 else ()
        return in_lanes(self.values, self.along, ZERO, many, many, widths, inside)

    def sure(self, value: Expr, end: Expr, scope: Scope, word: str) -> Expr:
        """A value under a name, of which is known that it is one of those before the end."""
        found = self.values.named(value, scope, word)
        scope.statements += [Assume(at_least(found, 0)), Assume(before(found, end))]
        return found


@dataclass(frozen=True)
class Cut:
    """How many parts each row is cut into: the number of this name, where there is one. The `word` is for the name of
    the kernel, whose numbers there are."""

    index: str = ""
    numbers: Mapping[str, int] = field(default_factory=dict)
    word: str = ""


def sure(index: str, value: Expr, end: Expr) -> list[Statement]:
    """An index that has this value, which is known to be one of those before the end."""
    return [Assume(at_least(value, 0)), Assume(before(value, end)), Let(index, value)]


def whole(scratch: Access) -> Write:
    """What says that a kernel writes to such a tensor."""
    return Write(number(0, scratch.dtype), scratch, ())
