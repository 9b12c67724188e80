"""Which positions of a formula must be checked before it runs: an index out of range is an error, not a read.

Input: a formula. Output: the positions that only the device knows (`table[index[n]]`) or that are said to be `within`
an axis, each with the condition under which it is evaluated; and those that are computed from indices, as coefficients
of these: some depend on sizes alone (`x[n + 1]`), the caller's numbers move others (`x[start + o * step]`). Of a
position whose range the formula itself guards (`x[k] else 0`) only what it is computed from is checked, for 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from netcl.core.bounded import remembered
from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Apply,
    Attribute,
    Expr,
    Formula,
    Number,
    Output,
    Position,
    Read,
    Recurrence,
    Reduce,
    Scan,
    Size,
    binds,
    number,
    position,
    root,
    size,
    state_name,
    subexpressions,
    verify,
)
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.binding import total
from netcl.kernels.compiler.ir.choices import conjunction, conjuncts
from netcl.kernels.compiler.ir.evaluate import Environment, expression_value
from netcl.kernels.compiler.ir.host import NotKnown, Numbers, integer
from netcl.kernels.compiler.ir.interval import RANGES, Intervals
from netcl.kernels.compiler.ir.overflow import fits, is_data
from netcl.kernels.compiler.ir.paths import Path, evaluated_with, one_of_paths, paths
from netcl.kernels.compiler.ir.plain import plain
from netcl.kernels.compiler.ir.recurrences import StatesAsValues, system_of
from netcl.kernels.compiler.ir.simplify import call

_TRIED = 1 << 20
"""So many positions are looked at one by one; of more that are no sum of steps it must be seen that they are inside."""


@dataclass(frozen=True)
class Bound:
    """`position` points into the axis `index` of `operand` wherever `condition` holds, and what it is computed from
    `fits` 64 bits; where `guarded`, the formula itself asks whether it is in range. It is read for all values of the
    indices in it, and of those in `over`."""

    operand: str
    index: str
    position: Expr
    condition: Expr
    fits: Expr
    guarded: bool = False
    over: frozenset[str] = frozenset()

    @property
    def given(self) -> Expr:
        """The position as the caller gave it, where a negative one was counted from the end."""
        if isinstance(self.position, Apply) and self.position.function == "select":
            condition, _, plain = self.position.children
            if condition is call("lt", plain, 0):
                return plain
        return self.position

    def of_values(self, valued: StatesAsValues) -> Bound:
        """The same where elements of states are read as values."""
        position, condition, right = map(valued, (self.position, self.condition, self.fits))
        return replace(self, position=position, condition=condition, fits=right)

    @property
    def right(self) -> Expr:
        """What has to hold of the position where it is read."""
        inside = call("and", call("le", 0, self.position), call("lt", self.position, size(self.index)))
        return self.fits if self.guarded else call("and", self.fits, inside)

    @property
    def holds(self) -> Expr:
        return call("or", call("not", self.condition), self.right)

    @property
    def holds_by_itself(self) -> Expr:
        """The same, asked of all values of the position's own indices, whatever conditions on others leave of them:
        where that holds, all does. Those may be reductions within reductions, over all elements of each."""
        own = [each for each in conjuncts(self.condition) if each.free <= self.right.free and not _reduces(each)]
        return call("or", call("not", conjunction(own)), self.right)


@remembered("bounds", 2048)
def bounds(formula: Formula) -> tuple[Bound, ...]:
    """The positions to check, each once."""
    found: dict[_Place, list[_Required]] = {}
    roots = [output.expr for output in plain(formula).outputs]
    asking = [each for each in roots if any(_reads_at_data(node) or _is_within(node) for node in subexpressions(each))]
    read_by = _read_by(formula)
    for node, ways in paths(*asking).items():
        for way in ways:
            for required in _required(formula, read_by, node, way):
                found.setdefault(required.place, []).append(required)
    systems = {system_of(node): node for node in subexpressions(*roots) if isinstance(node, Recurrence)}
    valued = StatesAsValues(systems.values())
    return tuple(_bound(place, each).of_values(valued) for place, each in found.items())


@dataclass(frozen=True)
class _Place:
    """What tells a bound from others."""

    axis: str
    position: Expr
    guarded: bool = False
    over: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Required:
    """What has to be `right` of a place of an operand, on one path to where it is read."""

    operand: str
    place: _Place
    path: Path
    right: Expr


def _bound(place: _Place, required: Sequence[_Required]) -> Bound:
    """A position that is read on several paths must be in range on any of them."""
    condition = one_of_paths([each.path for each in required])
    right = conjunction(each.right for each in required)
    return Bound(required[0].operand, place.axis, place.position, condition, right, place.guarded, place.over)


@dataclass(frozen=True)
class Reach:
    """The position `at`, which is `start + sum(step * index)`, points into the axis `index` of `operand`. Without
    `steps` it is no such sum. `condition` is one on sizes, under which it is read."""

    operand: str
    index: str
    at: Expr
    start: Expr
    steps: tuple[tuple[str, Expr], ...] | None
    condition: Expr

    @cached_property
    def is_moved(self) -> bool:
        """Whether it depends on the caller's numbers, not on sizes alone."""
        return any(isinstance(each, Attribute) for each in subexpressions(self.at))

    def ends(self, numbers: Numbers) -> tuple[int, int] | None:
        """The least and the largest position; None where an index has no values, or nothing is read."""
        if not integer(self.condition, numbers):
            return None
        if self.steps is None:
            return _ends(self, numbers)
        try:
            return self._sum(numbers, self.steps)
        except (ZeroDivisionError, NotKnown):  # which gives 0 where it is computed; what only a reduction knows
            return _ends(self, numbers)

    def _sum(self, numbers: Numbers, steps: tuple[tuple[str, Expr], ...]) -> tuple[int, int] | None:
        least = most = integer(self.start, numbers)
        for index, step in steps:
            length = numbers.sizes[root(index)]
            if length == 0:
                return None
            end = integer(step, numbers) * (length - 1)
            least, most = least + min(0, end), most + max(0, end)
        return least, most


@remembered("reaches", 2048)
def reaches(formula: Formula) -> tuple[Reach, ...]:
    """The positions computed from indices and numbers that are read whatever the conditions are."""
    found: dict[tuple[Expr, str, Expr], Reach] = {}
    read_by = _read_by(formula)
    for node, condition in _unconditional(*(output.expr for output in plain(formula).outputs)):
        if isinstance(node, Read):
            of = read_by[node.operand]
            for index, at in zip(of.indices, node.at, strict=True):
                if not (is_data(at) or _is_within(at) or at is position(index)):
                    found[at, root(index), condition] = _reach(of.name, root(index), at, condition)
    return tuple(found.values())


@dataclass(frozen=True)
class _Named:
    """What a Read reads, by its name: an operand, or a state that a Recurrence around it has."""

    name: str
    indices: tuple[str, ...]
    equation: Expr | None = None


def _read_by(formula: Formula) -> dict[str, _Named]:
    found = {operand.name: _Named(operand.name, operand.indices) for operand in formula.operands}
    for node in subexpressions(*(output.expr for output in plain(formula).outputs)):
        if isinstance(node, Recurrence):
            for which, named in enumerate(zip(node.names, node.axes, node.bodies, strict=True)):
                found[state_name(node.label, which)] = _Named(*named)
    return found


def _unconditional(*exprs: Expr) -> Iterator[tuple[Expr, Expr]]:
    """All nodes but those that are only in a branch of a select whose condition only the device knows; each with what
    the host knows of when it is computed (a sum over nothing reads nothing)."""
    waiting = [(each, conjunction(())) for each in exprs]
    seen: set[tuple[Expr, Expr]] = set()
    while waiting:
        node, condition = waiting.pop()
        if (node, condition) in seen:
            continue
        seen.add((node, condition))
        yield node, condition
        if not (isinstance(node, Apply) and node.function == "select"):
            waiting += ((child, condition) for child in evaluated_with(node))
            continue
        asked, first, second = node.children
        waiting.append((asked, condition))
        if _is_of_sizes(asked):
            waiting += [(first, call("and", condition, asked)), (second, call("and", condition, call("not", asked)))]


def _is_of_sizes(condition: Expr) -> bool:
    """Whether it compares products of sizes with numbers."""
    return all(isinstance(each, (Apply, Number, Size)) for each in subexpressions(condition))


def _reach(operand: str, index: str, at: Expr, condition: Expr) -> Reach:
    terms = poly.polynomial(at)
    steps = []
    for free in sorted(at.free):
        parts = poly.coefficient_of(terms, free)
        if parts is None:
            return Reach(operand, index, at, at, None, condition)
        steps.append((free, poly.expression(parts[0])))
        terms = parts[1]
    return Reach(operand, index, at, poly.expression(terms), tuple(steps), condition)


def _ends(reach: Reach, numbers: Numbers) -> tuple[int, int] | None:
    """The least and the largest position of no sum of steps: as they are seen to be, or by trying all values of the
    indices where that is not enough and these are not too many."""
    over = tuple(sorted(reach.at.free))
    count = prod(numbers.sizes[root(index)] for index in over)
    if count == 0:
        return None
    count *= prod(max(numbers.sizes[root(index)], 1) for each in subexpressions(reach.at) for index in binds(each))
    least, most = Intervals(numbers, anything=True).of(reach.at)
    inside = least >= 0 and most < numbers.sizes[reach.index]
    fits = RANGES[INDEX_DTYPE][0] <= least and most <= RANGES[INDEX_DTYPE][1]
    if inside or count > _TRIED or not fits:
        return least, most
    found = expression_value(reach.at, over, Environment({}, numbers.attributes, numbers.sizes))
    return int(found.min()), int(found.max())


@remembered("formulas of bounds", 512)
def bounds_formula(formula: Formula, by_itself: bool) -> Formula:
    """One bool for each bound: whether it holds for every element."""
    outputs = []
    for at, bound in enumerate(bounds(formula)):
        holds = bound.holds_by_itself if by_itself else bound.holds
        over = holds.free if by_itself else holds.free | bound.over
        outputs.append(Output(f"in_range_{at}", total("all", tuple(sorted(over)), holds), ()))
    reads = {node.operand for output in outputs for node in subexpressions(output.expr) if isinstance(node, Read)}
    operands = tuple(operand for operand in formula.operands if operand.name in reads)
    return verify(Formula(f"{formula.name}_bounds", operands, formula.attributes, tuple(outputs), formula.sizes))


def _reduces(expr: Expr) -> bool:
    return any(isinstance(node, Reduce | Scan | Recurrence) for node in subexpressions(expr))


def _owner(formula: Formula, index: str) -> str:
    """What has the axis that a position is `within`; nothing where the axis is only a length."""
    operands = [each.name for each in formula.operands if index in map(root, each.indices)]
    if operands:
        return operands[0]
    exprs = (output.expr for output in formula.outputs)
    has_tables = any(isinstance(each, Apply) and each.function == "table" for each in subexpressions(*exprs))
    if any(index in map(root, each.indices) for each in formula.outputs):
        return "the result"
    return "a table" if has_tables else ""


def _reads_at_data(node: Expr) -> bool:
    return isinstance(node, Read) and any(is_data(at) for at in node.at)


def _is_within(node: Expr) -> bool:
    return isinstance(node, Apply) and node.function == "within"


def _required(formula: Formula, read_by: Mapping[str, _Named], node: Expr, path: Path) -> Iterator[_Required]:
    """What has to hold of the positions that a node points to."""
    if isinstance(node, Read):
        of = read_by[node.operand]
        for index, at in zip(of.indices, node.at, strict=True):
            if not is_data(at) or _is_within(at):
                continue
            axis = root(index)
            if is_place(at, index, read_by):
                if any(isinstance(each, Reduce) for each in _chosen(at)):  # of nothing the place is 0
                    nothing = _Place(axis, number(0, INDEX_DTYPE), over=at.free)
                    yield _Required(of.name, nothing, path, conjunction(()))
                continue
            known = (call("le", 0, at), call("lt", at, size(index)))
            guarded = all(isinstance(each, Number) or each in path for each in known)
            others = tuple(each for each in path if each not in known) if guarded else path
            right = fits(at, others)
            if not (guarded and isinstance(right, Number)):
                yield _Required(of.name, _Place(axis, at, guarded), others, right)
    if isinstance(node, Apply) and node.function == "within":
        at, extent = node.children
        assert isinstance(extent, Size)
        yield _Required(_owner(formula, extent.index), _Place(extent.index, at), path, fits(at, path))


def is_place(at: Expr, index: str, read_by: Mapping[str, _Named], known: frozenset[Expr] = frozenset()) -> bool:
    """Whether `at` is where an extreme value was met, along the axis that it points into; or a state that always is, as
    far as those are that it reads."""
    for each in _chosen(at):
        if isinstance(each, (Reduce, Scan)):
            if not each.kind.startswith("arg") or tuple(map(root, binds(each))) != (root(index),):
                return False
        elif isinstance(each, Position):
            if root(each.index) != root(index):
                return False
        else:
            equation = each.bodies[each.which] if isinstance(each, Recurrence) else None
            if isinstance(each, Read) and each.operand in read_by:
                equation = read_by[each.operand].equation
            if equation is None or not (equation in known or is_place(equation, index, read_by, known | {equation})):
                return False
    return True


def _chosen(node: Expr) -> Iterator[Expr]:
    """The values that selects in selects choose from."""
    if isinstance(node, Apply) and node.function == "select":
        yield from _chosen(node.children[1])
        yield from _chosen(node.children[2])
    else:
        yield node
