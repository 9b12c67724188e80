"""Ops on exact numbers, declared through apply_op as the catalogue's are: the engine is tested without a device."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from netcl import autograd as ag

BOTH = (("input", 0), ("input", 1))


def leaf(number: Any) -> ag.Node:
    """A leaf that requires a gradient."""
    return ag.Node(Fraction(number), requires_grad=True)


def add(a: Any, b: Any) -> Any:
    return ag.apply_op(operator.add, lambda saved, needs, dy: [dy, dy], a, b, op_name="add", saves=())


def mul(a: Any, b: Any) -> Any:
    return ag.apply_op(operator.mul, mul_gradient, a, b, op_name="mul", saves=BOTH)


def mul_gradient(saved: Sequence[Any], needs: Sequence[bool], dy: Any) -> list[Any]:
    a, b = saved
    return [mul(dy, b) if needs[0] else None, mul(dy, a) if needs[1] else None]


def reciprocal(a: Any) -> Any:
    """1/a, which saves its own output: its derivative is -y*y."""
    return ag.apply_op(lambda a: 1 / a, _reciprocal_gradient, a, op_name="reciprocal", saves=(("output", 0),))


def _reciprocal_gradient(saved: Sequence[Any], needs: Sequence[bool], dy: Any) -> list[Any]:
    (y,) = saved
    return [mul(mul(dy, mul(y, y)), Fraction(-1))]


def product_and_sum(a: Any, b: Any) -> Any:
    """(a * b, a + b): an op with two outputs."""
    return ag.apply_op(lambda a, b: (a * b, a + b), _two_gradient, a, b, op_name="two", saves=BOTH)


def _two_gradient(saved: Sequence[Any], needs: Sequence[bool], d_product: Any, d_sum: Any) -> list[Any]:
    a, b = saved
    found: list[Any] = []
    for other in (b, a):
        total = None if d_product is None else mul(d_product, other)
        if d_sum is not None:
            total = d_sum if total is None else add(total, d_sum)
        found.append(total)
    return found


class Memory:
    """What the elements of a Vector lie in; views share it."""

    def __init__(self, numbers: list[Fraction]) -> None:
        self.numbers = numbers
        self.version = 0


class Exactly:
    """A dtype for Fractions: it has gradients, as floating dtypes do."""

    kind = "f"

    def __repr__(self) -> str:
        return "exact"


EXACT = Exactly()


class Vector:
    """Fractions in memory that can be shared and written in place: what a Tensor is to the engine."""

    def __init__(self, memory: Memory, start: int, stop: int) -> None:
        self.buffer = memory
        self.start = start
        self.shape = (stop - start,)
        self.dtype = EXACT
        self.is_contiguous = True
        self.nbytes = 8 * (stop - start)

    @staticmethod
    def filled(shape: tuple[int, ...], number: int) -> Vector:
        return vector(*[number] * shape[0])

    @property
    def numbers(self) -> list[Fraction]:
        return self.buffer.numbers[self.start : self.start + self.shape[0]]

    @numbers.setter
    def numbers(self, numbers: list[Fraction]) -> None:
        self.buffer.numbers[self.start : self.start + self.shape[0]] = numbers

    @property
    def version(self) -> int:
        return self.buffer.version

    def bump_version(self) -> None:
        self.buffer.version += 1

    def clone(self) -> Vector:
        return vector(*self.numbers)

    def view(self, start: int, stop: int) -> Vector:
        return Vector(self.buffer, self.start + start, self.start + stop)

    def __add__(self, other: Vector) -> Vector:
        return vector(*[a + b for a, b in zip(self.numbers, other.numbers, strict=True)])

    def __mul__(self, other: Vector) -> Vector:
        return vector(*[a * b for a, b in zip(self.numbers, other.numbers, strict=True)])

    def __sub__(self, other: Vector) -> Vector:
        return vector(*[a - b for a, b in zip(self.numbers, other.numbers, strict=True)])

    def add_(self, other: Vector) -> Vector:
        self.numbers = [a + b for a, b in zip(self.numbers, other.numbers, strict=True)]
        self.bump_version()
        return self

    def mul_(self, other: Vector) -> Vector:
        self.numbers = [a * b for a, b in zip(self.numbers, other.numbers, strict=True)]
        self.bump_version()
        return self


def vector(*numbers: Any) -> Vector:
    return Vector(Memory([Fraction(n) for n in numbers]), 0, len(numbers))


def vector_leaf(*numbers: Any) -> ag.Node:
    return ag.Node(vector(*numbers), requires_grad=True)


def dot(a: Any, b: Any) -> Any:
    """The sum of products, a Fraction."""
    return ag.apply_op(
        lambda a, b: sum(x * y for x, y in zip(a.numbers, b.numbers, strict=True)),
        lambda saved, needs, dy: [scale(saved[1], dy), scale(saved[0], dy)],
        a, b, op_name="dot", saves=BOTH,
    )  # fmt: skip


def scale(a: Any, number: Any) -> Any:
    return ag.apply_op(
        lambda a, number: vector(*[number * x for x in a.numbers]),
        lambda saved, needs, dy: [scale(dy, saved[1]), dot(dy, saved[0])],
        a, number, op_name="scale", saves=BOTH,
    )  # fmt: skip


def product(a: Any, b: Any) -> Any:
    """The product of the elements."""
    return ag.apply_op(
        operator.mul,
        lambda saved, needs, dy: [product(dy, saved[1 - i]) if needs[i] else None for i in (0, 1)],
        a, b, op_name="product", saves=BOTH,
    )  # fmt: skip


def scale_by(a: Any, number: int) -> Any:
    """A multiple; saves nothing."""
    factor = Fraction(number)
    return ag.apply_op(
        lambda a: vector(*[factor * x for x in a.numbers]),
        lambda saved, needs, dy: [scale_by(dy, number)],
        a, op_name="scale_by", saves=(),
    )  # fmt: skip


def total(a: Any) -> Any:
    """The sum of the elements, a Fraction."""
    n = a.shape[0]
    return dot(a, vector(*[1] * n))


def window(a: Any, start: int, stop: int) -> Any:
    """A view of some elements, that knows its base."""
    n = a.shape[0]

    def get(base: Any) -> Any:
        return ag.apply_op(
            lambda base: base.view(start, stop),
            lambda saved, needs, dy: [embed(dy, start, n)],
            base, op_name="window", saves=(),
        )  # fmt: skip

    def put(base: Any, part: Any) -> Any:
        return ag.apply_op(
            lambda base, part: vector(*base.numbers[:start], *part.numbers, *base.numbers[stop:]),
            lambda saved, needs, dy: [put(dy, vector(*[0] * (stop - start))), window(dy, start, stop)],
            base, part, op_name="put", saves=(),
        )  # fmt: skip

    return ag.track_view(get(a), a, get, put)


def embed(a: Any, start: int, n: int) -> Any:
    """The elements in a vector of n, zeros around them."""
    stop = start + a.shape[0]
    return ag.apply_op(
        lambda a: vector(*[0] * start, *a.numbers, *[0] * (n - stop)),
        lambda saved, needs, dy: [window(dy, start, stop)],
        a, op_name="embed", saves=(),
    )  # fmt: skip


def add_in_place(target: Any, other: Any) -> Any:
    return ag.apply_in_place(
        lambda a, b: a.add_(b), lambda saved, needs, dy: [dy, dy], target, other, op_name="add_", saves=()
    )


def mul_in_place(target: Any, other: Any) -> Any:
    return ag.apply_in_place(
        lambda a, b: a.mul_(b),
        lambda saved, needs, dy: [product(dy, saved[1]), product(dy, saved[0])],
        target, other, op_name="mul_", saves=BOTH,
    )  # fmt: skip
