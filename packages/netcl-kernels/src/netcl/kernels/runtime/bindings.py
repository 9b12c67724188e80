"""Bindings: the extent of every index and the shape of every tensor of a formula, for given operand shapes.

A forward formula makes them; its gradients inherit them, since the gradient of a sum has indices that none of its own
operands has. Nothing here knows tensors, devices or kernels.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, NoReturn

from netcl.core.errors import IndexOutOfRangeError, ShapeError
from netcl.kernels.compiler.ir import (
    Apply,
    Attribute,
    Expr,
    Formula,
    Number,
    Operand,
    Output,
    Size,
    root,
    subexpressions,
)
from netcl.kernels.compiler.ir.bounds import reaches
from netcl.kernels.compiler.ir.host import NotKnown, Numbers, evaluated, integer
from netcl.kernels.compiler.ir.interval import LONGEST
from netcl.kernels.compiler.ir.show import expression_text

Shape = tuple[int, ...]

_MOST_ELEMENTS = 1 << 60


@dataclass(frozen=True, eq=False)
class Bindings:
    """`sizes`: root index -> extent; `shapes`: operand or output -> shape. Equal by content, hashed once."""

    sizes: Mapping[str, int]
    shapes: Mapping[str, Shape]
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        key = (frozenset(self.sizes.items()), frozenset(self.shapes.items()))
        object.__setattr__(self, "_hash", hash(key))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Bindings) and self.sizes == other.sizes and self.shapes == other.shapes


def bindings_of_batch(
    formula: Formula, wide: Formula, bindings: Bindings, length: int, carriers: Collection[str]
) -> Bindings:
    """Those of a formula for so many calls at once: `wide` is `batched(formula, carriers, …)`, with one index more."""
    index = wide.outputs[0].indices[0]
    longer = {*carriers, *(output.name for output in formula.outputs if output.flat)}
    longer |= {output.shaped_like for output in formula.outputs if output.shaped_like is not None}
    shapes = {name: (length, *shape) if name in longer else shape for name, shape in bindings.shapes.items()}
    return Bindings({**bindings.sizes, index: length}, shapes)


def bind(
    formula: Formula, shapes: Sequence[Shape], attributes: Mapping[str, Any], inherited: Bindings | None = None
) -> Bindings:
    """The bindings of `formula` for operands of these shapes. Raises ShapeError where they do not fit together.

    `attributes` has at least the integers that sizes depend on.
    """
    return _Binder(formula, attributes, inherited).bound(shapes)


def check(formula: Formula, bindings: Bindings, attributes: Mapping[str, Any]) -> None:
    """Raise ShapeError with the sentence of the first check that does not hold."""
    numbers = Numbers(bindings.sizes, attributes)
    for condition, sentence in formula.checks:
        if not integer(condition, numbers):
            named = [node for node in subexpressions(condition) if isinstance(node, (Attribute, Size))]
            values = " and ".join(f"{_thing(node, formula, bindings)} is {evaluated(node, numbers)}" for node in named)
            if any(isinstance(node, Size) and root(node.index) in formula.sizes for node in named):
                given = (f"{operand.name} {bindings.shapes[operand.name]}" for operand in formula.operands)
                values += f" with {', '.join(given)}"
            text = f"{sentence}, but {values}" if values else sentence
            raise ShapeError(f"{formula.name}: {text}" if not sentence.startswith(formula.name) else text)


def check_reaches(formula: Formula, bindings: Bindings, attributes: Mapping[str, Any], moved: bool) -> None:
    """Raise IndexOutOfRangeError where positions computed from indices leave their axis: those that attributes move, or
    those that depend on sizes alone."""
    if all(0 in bindings.shapes[output.name] for output in formula.outputs):  # nothing is read
        return
    numbers = Numbers(bindings.sizes, attributes)
    for reach in reaches(formula):
        ends = reach.ends(numbers) if reach.is_moved == moved else None
        extent = bindings.sizes[reach.index]
        if ends is not None and (ends[0] < 0 or ends[1] >= extent):
            shape = bindings.shapes.get(reach.operand)  # a definition has none
            of = reach.operand if shape is None else f"{reach.operand} {shape}"
            position = expression_text(reach.at)
            raise IndexOutOfRangeError(
                f"{formula.name}: the {_positions(position, *ends)} in axis {reach.index} of {of}, "
                f"which has length {extent}" + ("" if moved else "; a reading with `else 0` says what is there"),
                operand=reach.operand,
                position=position,
            )


def _positions(text: str, first: int, last: int) -> str:
    """What is said of positions that are computed as the text has it, and go beyond an axis."""
    written = "" if text == str(first) else f", {text},"
    if first == last:
        return f"position {first}{written} is not"
    return f"positions {first} to {last}{written} are not all"


def refuse_far(name: str, limits: Mapping[str, int], attributes: Mapping[str, Any]) -> NoReturn:
    """Raise IndexOutOfRangeError for the attribute that goes beyond its limit."""
    far, most = next(each for each in limits.items() if abs(attributes[each[0]]) > each[1])
    raise IndexOutOfRangeError(
        f"{name}: {_written(far)} is {attributes[far]}, but positions are computed from it with 64 bits; "
        f"it must be between -{most} and {most}"
    )


class _Binder:
    def __init__(self, formula: Formula, attributes: Mapping[str, Any], inherited: Bindings | None) -> None:
        self.formula = formula
        self.attributes = attributes
        self.sizes: dict[str, int] = dict(inherited.sizes) if inherited else {}
        self.shapes: dict[str, Shape] = dict(inherited.shapes) if inherited else {}
        self.source: dict[str, tuple[str, Shape]] = {}

    def bound(self, shapes: Sequence[Shape]) -> Bindings:
        formula = self.formula
        if len(shapes) != len(formula.operands):
            names = ", ".join(operand.name for operand in formula.operands)
            count = len(formula.operands)
            raise ShapeError(f"{formula.name}: takes {count} tensors ({names}), {len(shapes)} were given")
        for operand, shape in zip(formula.operands, shapes, strict=True):
            self.shapes[operand.name] = shape
            self._simple_axes(operand, shape)
        self._expressions()
        for operand, shape in zip(formula.operands, shapes, strict=True):
            self._split_axes(operand, shape)
        self._expressions()
        self._require_all()
        for operand, shape in zip(formula.operands, shapes, strict=True):
            self._compare(operand, shape)
        for output in formula.outputs:
            self.shapes[output.name] = self._output_shape(output)
            self._require_room(output)
        return Bindings(self.sizes, self.shapes)

    def _simple_axes(self, operand: Operand, shape: Shape) -> None:
        if operand.flat:
            *own, rest = operand.axes[0]
            for index, length in zip(own, shape, strict=False):
                self._fix(index, length, operand.name, shape)
            self._fix(rest, prod(shape[len(own) :]), operand.name, shape)
            return
        if len(shape) != len(operand.axes):
            raise ShapeError(
                f"{self.formula.name}: {operand.name} has {len(operand.axes)} axes, a tensor of shape {shape} was given"
            )
        for axis, length in zip(operand.axes, shape, strict=True):
            if len(axis) == 1:
                self._fix(axis[0], length, operand.name, shape)
            elif not axis and length != 1:
                raise ShapeError(
                    f"{self.formula.name}: {operand.name} {shape} must have length 1 where it has {length}"
                )

    def _fix(self, index: str, length: int, operand: str, shape: Shape) -> None:
        index = root(index)
        if self.sizes.setdefault(index, length) != length:
            known = self.sizes[index]
            if index in self.source:
                other, other_shape = self.source[index]
                if index[-1].isdigit():  # of a pack: a name that nobody has written
                    raise ShapeError(self._not_broadcast(index, (other, other_shape), (operand, shape)))
                where = f"in {other} {other_shape} but {length} in {operand} {shape}"
            else:
                where = f"as given but {length} in {operand} {shape}"
            raise ShapeError(f"{self.formula.name}: axis {index} is {known} {where}")
        self.source.setdefault(index, (operand, shape))

    def _not_broadcast(self, index: str, *given: tuple[str, Shape]) -> str:
        """The sentence for two operands whose shapes do not go together along one axis of a pack."""
        (one, one_shape), (other, other_shape) = given
        at, other_at = (
            next(place for place, axis in enumerate(self.formula.operand(name).axes) if index in map(root, axis))
            for name, _ in given
        )
        lengths = one_shape[at], other_shape[other_at]
        unless = "" if 1 in lengths else ", or one of them 1"  # a 1 that is refused is where nothing broadcasts
        return (
            f"{self.formula.name}: {one} {one_shape} and {other} {other_shape} do not broadcast: axis {at} of {one} is "
            f"{lengths[0]}, axis {other_at} of {other} is {lengths[1]}; they must be equal{unless}"
        )

    def _expressions(self) -> None:
        """Evaluate the sizes that are expressions, as far as what they need is known."""
        waiting: dict[str, Expr] = dict(self.formula.sizes)
        progress = True
        while waiting and progress:
            progress = False
            for index, expr in list(waiting.items()):
                try:
                    length = int(integer(expr, Numbers(self.sizes, self.attributes)))
                except NotKnown:
                    continue
                except ZeroDivisionError:
                    divisors = (node.arguments[-1] for node in subexpressions(expr) if isinstance(node, Apply))
                    named = {node.name for node in divisors if isinstance(node, Attribute)}
                    zero = sorted(_written(name) for name in named if self.attributes.get(name) == 0)
                    why = f": {' and '.join(zero)} must not be 0" if zero else ""
                    text = f"axis {index} = {_written(expression_text(expr))} divides by zero"
                    raise ShapeError(f"{self.formula.name}: {text}{why}") from None
                del waiting[index]
                progress = True
                if length > LONGEST:
                    raise ShapeError(
                        f"{self.formula.name}: axis {index} would be {length} long ({expression_text(expr)}); "
                        f"the longest one is {LONGEST}"
                    )
                if length < 0:
                    raise ShapeError(
                        f"{self.formula.name}: axis {index} would be {length} long ({expression_text(expr)}); "
                        f"the operands are too small: {self._given()}"
                    )
                if self.sizes.get(root(index), length) != length:
                    if isinstance(expr, Number) and self._is_checked(index):
                        continue
                    known = self.sizes[root(index)]
                    where = ""
                    if root(index) in self.source:
                        where = " in {} {}".format(*self.source[root(index)])
                    why = "" if isinstance(expr, Number) else f": {expression_text(expr)}"
                    raise ShapeError(
                        f"{self.formula.name}: axis {index} is {known}{where}, but the formula makes it {length}{why}"
                    )
                self.sizes[root(index)] = length

    def _is_checked(self, index: str) -> bool:
        """Whether a sentence of the formula says what is required of this length."""
        conditions = (condition for condition, _ in self.formula.checks)
        return any(isinstance(node, Size) and node.index == index for node in subexpressions(*conditions))

    def _split_axes(self, operand: Operand, shape: Shape) -> None:
        if operand.flat:
            return
        for axis, length in zip(operand.axes, shape, strict=True):
            unknown = [index for index in axis if root(index) not in self.sizes]
            if len(axis) < 2 or len(unknown) != 1:
                continue
            known = prod(self.sizes[root(index)] for index in axis if index != unknown[0])
            if known == 0 or length % known:
                raise ShapeError(
                    f"{self.formula.name}: the axis ({' '.join(axis)}) of {operand.name} {shape} is {length}, "
                    f"which {known} does not divide"
                )
            self._fix(unknown[0], length // known, operand.name, shape)

    def _compare(self, operand: Operand, shape: Shape) -> None:
        if operand.flat:
            return
        for at, (axis, length) in enumerate(zip(operand.axes, shape, strict=True)):
            expected = prod(self.sizes[root(index)] for index in axis)
            if expected != length:
                parts = []
                for index in map(root, axis):
                    other = self.source.get(index, (operand.name, shape))
                    whose = "" if other[0] == operand.name else f" in {other[0]} {other[1]}"
                    parts.append(f"{index} is {self.sizes[index]}{whose}")
                raise ShapeError(
                    f"{self.formula.name}: axis {at} of {operand.name} {shape} is {length}, "
                    f"but ({' '.join(axis)}) is {expected}: {' and '.join(parts)}"
                )

    def _require_all(self) -> None:
        needed = {root(index) for each in (*self.formula.operands, *self.formula.outputs) for index in each.indices}
        missing = sorted(needed - self.sizes.keys())
        if missing:
            raise ShapeError(
                f"{self.formula.name}: the length of axis {missing[0]} follows from no operand ({self._given()}); "
                "give it in the bindings of the forward formula"
            )

    def _output_shape(self, output: Output) -> Shape:
        if not output.flat:
            return tuple(prod(self.sizes[root(index)] for index in axis) for axis in output.axes)
        own = tuple(self.sizes[root(index)] for index in output.axes[0][:-1])
        length = prod(self.sizes[root(index)] for index in output.axes[0])
        if output.shaped_like is not None:
            shape = (*own, *self.shapes[output.shaped_like][len(own) :])
        elif output.shape is not None:
            shape = (*own, *(int(self.attributes[name]) for name in output.shape))
        else:
            shape = self.shapes.get(output.name, (length,))
        if prod(shape) != length:
            raise ShapeError(f"{self.formula.name}: {length} elements do not make shape {shape} of {output.name}")
        return shape

    def _require_room(self, output: Output) -> None:
        """Raise ShapeError for more bytes than can be counted, also where an axis of length 0 leaves none."""
        shape = self.shapes[output.name]
        if prod(max(length, 1) for length in shape) >= _MOST_ELEMENTS:
            raise ShapeError(
                f"{self.formula.name}: {output.name} would have the shape {shape}, which is more than any memory holds"
            )

    def _given(self) -> str:
        return ", ".join(f"{operand.name} {self.shapes[operand.name]}" for operand in self.formula.operands)


def _thing(node: Attribute | Size, formula: Formula, bindings: Bindings) -> str:
    """What a number of a condition is, in words of the call: an index of a pack is a name that nobody has written."""
    if isinstance(node, Size) and node.index[-1].isdigit():
        for operand in formula.operands:
            for at, axis in enumerate(operand.axes):
                if not operand.flat and node.index in map(root, axis):
                    return f"axis {at} of {operand.name} {bindings.shapes[operand.name]}"
    return _written(repr(node))


def _written(text: str) -> str:
    """Elements of lists as an author writes them: `stride.0`, which is an attribute of its own, is `stride[0]`."""
    return re.sub(r"\.(\d+)\b", r"[\1]", text)
