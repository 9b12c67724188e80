"""Where the elements lie: reads of operands become affine accesses.

Input: expressions over operands, the extents of the indices and the strides of every buffer. Output: the same
expressions over accesses (see `kernel.Access`). All numbers are known here; none of them goes into the text of a
kernel. Bringing the indices to as few as possible is the business of `merge`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netcl.core.bounded import remembered
from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Apply,
    Attribute,
    Axes,
    Expr,
    Formula,
    Operand,
    Position,
    Read,
    Reduce,
    Scan,
    Size,
    position,
    read,
    rebuild,
    root,
    size,
    subexpressions,
    transform,
)
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.host import NotKnown, Numbers, integer
from netcl.kernels.compiler.ir.interval import ends
from netcl.kernels.compiler.ir.overflow import is_data
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.lower.kernel import Access


@dataclass(frozen=True)
class Placed:
    """A tensor as a kernel meets it: where its first element is, and the stride of each axis, in elements."""

    offset: int
    strides: tuple[int, ...]


@dataclass(frozen=True)
class Layouts:
    """What the host knows of one call: the `numbers` (sizes, and attributes that positions depend on), the `places` of
    the tensors, and the `shapes` of all that have a name. A tensor that `places` does not have is contiguous."""

    numbers: Numbers
    places: Mapping[str, Placed]
    shapes: Mapping[str, tuple[int, ...]]


def index_strides(axes: Axes, strides: Sequence[int], extents: Mapping[str, int]) -> dict[str, int]:
    """The stride of each index of a tensor in which no index stands twice."""
    return dict(position_strides(axes, strides, extents))


def position_strides(axes: Axes, strides: Sequence[int], extents: Mapping[str, int]) -> list[tuple[str, int]]:
    """Each index of the axes with its stride, in order; the inner index of a split axis moves by the axis' own."""
    found: list[tuple[str, int]] = []
    for axis, stride in zip(axes, strides, strict=True):
        split = []
        for index in reversed(axis):
            split.append((index, stride))
            stride *= extents[root(index)]
        found += reversed(split)
    return found


Distances = tuple[tuple[str, int], ...]
"""Of an access each of whose positions is an index and a number, how far it is from the element at the indices."""


@dataclass
class Lowering:
    """Turns reads into accesses; equal accesses are one. Those of `states`, which are written, too, have other names
    than where they are written; at places that data says also before and after a step has computed them."""

    operands: Mapping[str, Operand]
    places: Mapping[str, Placed]
    numbers: Numbers
    states: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.accesses: dict[str, Access] = {}
        self.distances: dict[str, Distances] = {}
        self._names: dict[object, list[tuple[object, str]]] = {}  # where each access lies, as numbers compare
        self._memo: dict[Expr, Expr] = {}
        self._computed: set[str] = set()

    def lowered(self, expr: Expr) -> Expr:
        """`expr` over accesses."""
        return transform(expr, self._visit, self._memo)

    def lowered_state(self, name: str, expr: Expr) -> Expr:
        """The equation of a state, over accesses; after those that a step computes before it."""
        found = transform(expr, self._visit, {})
        self._computed.add(name)
        return found

    def _visit(self, node: Expr, children: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Read):
            return self._access(node, children)
        return rebuild(node, children)

    def _access(self, node: Read, children: tuple[Expr, ...]) -> Expr:
        operand = self.operands[node.operand]
        place = self.places[node.operand]
        steps = position_strides(operand.axes, place.strides, self.numbers.sizes)
        offset = place.offset
        strides: dict[str, int] = {}
        shift: dict[str, int] = {}
        dynamic: list[int] = []
        limits: list[Expr | None] = []
        positions: list[Expr] = []
        conditions: list[Expr] = []
        distances: list[tuple[str, int]] | None = []
        leaves = False
        for (index, step), at, lowered in zip(steps, node.at, children, strict=True):
            affine = affine_of(at, self.numbers)
            if not stays_in(at, index, self.numbers):
                conditions.append(in_range(at, index))
                leaves |= affine is None or not affine.attributes
            if distances is not None:
                distances = None if affine is None else affine.beside(distances)
            if affine is None:
                dynamic.append(step)
                limits.append(size(index) if is_data(at) or _is_reduced(at) else None)
                positions.append(lowered)
                continue
            offset += affine.constant * step
            for name, factor in affine.factors.items():
                strides[name] = strides.get(name, 0) + factor * step
            for name, factor in affine.attributes.items():
                shift[name] = shift.get(name, 0) + factor * step
        moving = {name: each for name, each in sorted(strides.items()) if each and self.numbers.sizes[root(name)] != 1}
        condition = conjunction(conditions) if conditions else None
        where = (offset, tuple(moving.items()), tuple(dynamic), tuple(limits), tuple(shift.items()))
        computed = bool(limits) and node.operand in self._computed
        alike = self._names.setdefault((node.operand, node.dtype, condition, computed), [])
        known = [name for place, name in alike if place == where]
        if not known:
            count = sum(access.buffer == node.operand for access in self.accesses.values())
            name = f"{node.operand}:{count + 1}" if count or node.operand in self.states else node.operand
            alike.append((where, name))
            known.append(name)
            if distances is not None:
                self.distances[name] = tuple(distances)
            self.accesses[name] = Access(
                name, node.operand, node.dtype, offset, moving, tuple(dynamic), tuple(limits),  # type: ignore[arg-type]
                tuple((each, factor) for each, factor in shift.items() if factor), condition,
                leaves,
            )  # fmt: skip
        return read(known[0], (*map(position, moving), *positions), node.dtype)


@dataclass(frozen=True)
class Affine:
    """constant + sum(factor * index) + sum(factor * attribute)."""

    constant: int
    factors: Mapping[str, int]
    attributes: Mapping[str, int]

    def beside(self, others: list[tuple[str, int]]) -> list[tuple[str, int]] | None:
        """These and the index with its distance, where it is one that they lack and a number that the text has."""
        known = all(each.__class__ is int for each in (self.constant, *self.factors.values()))
        if self.attributes or not known or [*self.factors.values()] != [1]:
            return None
        (index,) = self.factors
        return None if index in dict(others) else [*others, (index, self.constant)]


def _is_reduced(at: Expr) -> bool:
    """Whether a kernel computes it step by step, so that nothing bounds it but a test."""
    return any(isinstance(each, (Reduce, Scan)) for each in subexpressions(at))


def stays_in(at: Expr, index: str, numbers: Numbers) -> bool:
    """Whether `at` is a position of `index` whatever the indices in it are. One that only the device knows counts as
    such: it is compared with its limit wherever it is used."""
    if affine_of(at, numbers) is None and is_data(at):
        return True
    found = _ends(at, numbers)
    return found is not None and found[0] >= 0 and found[1] < numbers.sizes[root(index)]


def holds(condition: Expr, numbers: Numbers) -> bool:
    """Whether two positions compare as `condition` says whatever the indices in them are."""
    if not isinstance(condition, Apply) or condition.function not in ("le", "lt", "ge", "gt"):
        return False
    if condition.children[0].dtype != INDEX_DTYPE:
        return False
    lower, upper = condition.children if condition.function in ("le", "lt") else condition.children[::-1]
    found = _ends(poly.expression(poly.plus(poly.polynomial(upper), poly.polynomial(lower), -1)), numbers)
    return found is not None and found[0] >= (1 if condition.function in ("lt", "gt") else 0)


def _ends(at: Expr, numbers: Numbers) -> tuple[int, int] | None:
    """Between which ends `at` lies; None where there is no saying."""
    affine = affine_of(at, numbers)
    if affine is None:
        try:
            return ends(at, numbers)
        except NotKnown:
            return None
    if affine.attributes:
        return None
    steps = [factor * (numbers.sizes[root(each)] - 1) for each, factor in affine.factors.items()]
    return affine.constant + sum(min(step, 0) for step in steps), affine.constant + sum(max(step, 0) for step in steps)


def in_range(at: Expr, index: str) -> Expr:
    """Whether `at` is a position of `index`."""
    return call("and", call("le", 0, at), call("lt", at, size(index)))


def affine_of(node: Expr, numbers: Numbers) -> Affine | None:
    """`node` as an affine function of indices, when all else in it is known; None when it is not one."""
    constant = 0
    factors: dict[str, int] = {}
    attributes: dict[str, int] = {}
    for monomial, coefficient in poly.polynomial(node).items():
        moving: Position | Attribute | None = None
        for atom in monomial:
            if atom.children and is_data(atom):  # also where the host sees which of several it is
                return None
            try:
                coefficient *= integer(atom, numbers)
            except ZeroDivisionError:  # which is 0 on the device
                return None
            except NotKnown:
                if moving is not None or not isinstance(atom, (Position, Attribute)):
                    return None
                moving = atom
        if moving is None:
            constant += coefficient
        elif isinstance(moving, Position):
            factors[moving.index] = factors.get(moving.index, 0) + coefficient
        else:
            attributes[moving.name] = attributes.get(moving.name, 0) + coefficient
    return Affine(constant, factors, attributes)


@remembered("static attributes", 4096)
def static_attributes(formula: Formula) -> tuple[str, ...]:
    """The attributes that a plan depends on: those in sizes, checks and flat shapes, and those that positions are
    multiplied by. An attribute that only moves a read along (the start of a slice) is not one of them."""
    found: set[str] = set()
    for expr in (*formula.sizes.values(), *(condition for condition, _ in formula.checks)):
        found.update(node.name for node in subexpressions(expr) if isinstance(node, Attribute))
    for output in formula.outputs:
        found.update(output.shape or ())
    for node in subexpressions(*(output.expr for output in formula.outputs)):
        if isinstance(node, Read):
            for at in node.at:
                if at.children and not any(isinstance(each, Read) for each in subexpressions(at)):
                    found |= _factors(at)
    return tuple(sorted(found))


def _factors(at: Expr) -> set[str]:
    found: set[str] = set()
    for monomial in poly.polynomial(at):
        if len(monomial) == 1 and isinstance(monomial[0], Attribute):
            continue
        if all(isinstance(atom, (Size, Position, Attribute)) or not atom.free for atom in monomial):
            for atom in monomial:
                found.update(each.name for each in subexpressions(atom) if isinstance(each, Attribute))
    return found
