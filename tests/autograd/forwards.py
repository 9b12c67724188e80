"""An oracle for random programs: the same program on cells that carry their own derivatives, forwards.

It shares nothing with the engine. Memory is a list of cells that views share; a cell is a number and its derivatives by
every element of every leaf, all in one commutative ring. With numbers `a + b t` (t^2 = 0) for the ring, the gradients
come with their own derivative along one direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Jet:
    """a + b t with t^2 = 0: a number and how fast it changes."""

    __slots__ = ("a", "b")

    def __init__(self, a: int, b: int = 0) -> None:
        self.a = a
        self.b = b

    def __add__(self, other: Jet) -> Jet:
        return Jet(self.a + other.a, self.b + other.b)

    def __mul__(self, other: Jet) -> Jet:
        return Jet(self.a * other.a, self.a * other.b + self.b * other.a)


class Cell:
    """One element: its value, and its derivatives by the elements of the leaves."""

    __slots__ = ("slopes", "value")

    def __init__(self, value: Jet, slopes: Sequence[Jet]) -> None:
        self.value = value
        self.slopes = slopes

    def plus(self, other: Cell) -> Cell:
        return Cell(self.value + other.value, [a + b for a, b in zip(self.slopes, other.slopes, strict=True)])

    def times(self, other: Cell) -> Cell:
        pairs = zip(self.slopes, other.slopes, strict=True)
        return Cell(self.value * other.value, [other.value * a + self.value * b for a, b in pairs])

    def multiple(self, number: int, slope: int) -> Cell:
        """`number` times the value and `slope` times the derivatives: they differ where a hook changes the gradient."""
        return Cell(Jet(number) * self.value, [Jet(slope) * each for each in self.slopes])


class Row:
    """Some cells of a memory."""

    def __init__(self, memory: list[Cell], start: int, stop: int) -> None:
        self.memory = memory
        self.start = start
        self.stop = stop

    @property
    def cells(self) -> list[Cell]:
        return self.memory[self.start : self.stop]

    def write(self, cells: list[Cell]) -> None:
        self.memory[self.start : self.stop] = cells

    def window(self, start: int, stop: int) -> Row:
        return Row(self.memory, self.start + start, self.start + stop)


def fresh(cells: list[Cell]) -> Row:
    return Row(cells, 0, len(cells))


def leaves(numbers: list[list[int]], direction: list[list[int]]) -> list[Row]:
    """Leaves whose elements change by `direction`, each with derivative 1 by itself."""
    places = sum(map(len, numbers))
    rows: list[Row] = []
    at = 0
    for values, speeds in zip(numbers, direction, strict=True):
        cells = []
        for value, speed in zip(values, speeds, strict=True):
            cells.append(Cell(Jet(value, speed), [Jet(int(i == at)) for i in range(places)]))
            at += 1
        rows.append(fresh(cells))
    return rows


def dot(row: Row, numbers: Sequence[int]) -> Any:
    """The sum of multiples of the cells."""
    total: Cell | None = None
    for cell, number in zip(row.cells, numbers, strict=True):
        part = cell.multiple(number, number)
        total = part if total is None else total.plus(part)
    return total
