"""Formulas drawn at random, each as its text and as a function of one place: the pieces of `recurrences`."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Places = Mapping[str, int]


@dataclass
class World:
    """What a formula is evaluated in: arrays, the length of each index, functions of numbers, elements of states."""

    arrays: Mapping[str, Any]
    lengths: Mapping[str, int]
    functions: Mapping[str, Callable[[Any], Any]]
    state: Callable[[str, tuple[int, ...]], Any] = field(default=lambda name, at: None)


@dataclass(frozen=True)
class Piece:
    """Part of a formula: its text, and its value at a place."""

    text: str
    value: Callable[[World, Places], Any]


@dataclass(frozen=True)
class State:
    name: str
    axes: tuple[str, ...]
    equation: Piece


class Pieces:
    """Draws operands and what is made of them and of states; `rng` says which, `numbers` has the values of operands,
    and `lengths` those of the indices."""

    rng: random.Random
    numbers: np.random.Generator
    lengths: dict[str, int]
    operands: dict[str, tuple[tuple[str, ...], Array]]
    bounded: bool

    def mixed(self, terms: Sequence[Piece], axes: Sequence[str]) -> Piece:
        """All of these in one formula."""
        found = terms[0]
        for term in terms[1:]:
            way = self.rng.choice(("plus", "plus", "times", "choose", "least"))
            if way == "plus":
                found = self.scaled(self.rng.choice((0.5, -0.25, 1)), found, term)
            elif way == "times":
                found = self.scaled(0.5, found, self.times(found, term))
            elif way == "least":
                found = self.least(found, term)
            else:
                found = self.chosen(found, term, axes)
        function = self.rng.choice(("tanh", "tanh", "sin", "tanh" if self.bounded else ""))
        if not function:
            return found
        inner = found
        return Piece(f"{function}({inner.text})", lambda w, p: w.functions[function](inner.value(w, p)))

    def least(self, one: Piece, other: Piece) -> Piece:
        """The smaller or the larger of two; apart by a number, since what is outside may be 0 in both."""
        name, choose = self.rng.choice((("min", min), ("max", max)))
        return Piece(
            f"{name}({one.text}, {other.text} + 0.37)", lambda w, p: choose(one.value(w, p), other.value(w, p) + 0.37)
        )

    def chosen(self, one: Piece, other: Piece, axes: Sequence[str]) -> Piece:
        axis = self.rng.choice(list(axes))
        kind = self.rng.choice(("flag", "first", "even"))
        if kind == "flag":
            flags = self.operand((axis,), flags=True)
            asked = Piece(f"{flags.text} > 0", lambda w, p: flags.value(w, p) > 0)
        elif kind == "first":
            asked = Piece(f"{axis} > 0", lambda w, p: p[axis] > 0)
        else:
            asked = Piece(f"{axis} % 2 == 0", lambda w, p: p[axis] % 2 == 0)
        return Piece(
            f"({asked.text} ? {one.text} : {other.text} + {one.text})",
            lambda w, p: one.value(w, p) if asked.value(w, p) else other.value(w, p) + one.value(w, p),
        )

    def operand(self, axes: tuple[str, ...], flags: bool = False) -> Piece:
        name = f"x{len(self.operands)}"
        shape = [self.lengths["t" if axis == "s" else "k" if axis in "ml" else axis] for axis in axes]
        values = self.numbers.integers(0, 2, shape) if flags else self.numbers.normal(size=shape) * 0.7
        declared = tuple("t" if axis == "s" and "t" not in axes else axis for axis in axes)
        bare = declared == axes and self.rng.random() < 0.5
        text = name if bare else f"{name}[{', '.join(axes)}]"
        self.operands[name] = (declared, values)
        return Piece(text, lambda w, p: w.arrays[name][tuple(p[axis] for axis in axes)])

    def outside(self, axes: Sequence[str]) -> Piece:
        """What there is outside of a state."""
        beside = [axis for axis in axes if axis in "kb"]
        if beside and self.rng.random() < 0.3:
            return self.operand((self.rng.choice(beside),))
        number = self.rng.choice((0, 0, 0.5, -1))
        return Piece(f"{number}" if number >= 0 else f"(0 - {-number})", lambda w, p: number + 0.0 * w.arrays["zero"])

    def read(
        self, name: str, axes: tuple[str, ...], places: Mapping[str, Piece], outside: Piece | None
    ) -> Piece:  # fmt: skip
        at = [places.get(axis, self.at(axis)) for axis in axes]
        text = f"{name}[{', '.join(each.text for each in at)}]"

        def value(world: World, here: Places) -> Any:
            where = tuple(each.value(world, here) for each in at)
            inside = all(0 <= place < world.lengths[axis] for place, axis in zip(where, axes, strict=True))
            if outside is not None and not inside:
                return outside.value(world, here)
            return world.state(name, where)

        return Piece(text if outside is None else f"({text} else ({outside.text}))", value)

    def own(self, name: str, axes: tuple[str, ...]) -> Piece:
        return Piece(name, lambda w, p: w.state(name, tuple(p[axis] for axis in axes)))

    def at(self, index: str) -> Piece:
        return Piece(index, lambda w, p: p[index])

    def moved(self, index: str, by: int) -> Piece:
        text = index if not by else f"{index} {'+' if by > 0 else '-'} {abs(by)}"
        return Piece(text, lambda w, p: p[index] + by)

    def times(self, one: Piece, other: Piece) -> Piece:
        return Piece(f"({one.text}) * ({other.text})", lambda w, p: one.value(w, p) * other.value(w, p))

    def scaled(self, factor: float, one: Piece, other: Piece) -> Piece:
        sign = "+" if factor >= 0 else "-"
        return Piece(
            f"({one.text} {sign} {abs(factor)} * ({other.text}))",
            lambda w, p: one.value(w, p) + factor * other.value(w, p),
        )

    def summed(self, index: str, body: Piece) -> Piece:
        of = "k" if index in "ml" else index
        return Piece(
            f"sum[{index}]({body.text})",
            lambda w, p: sum((body.value(w, {**p, index: at}) for at in range(w.lengths[of])), 0.0 * w.arrays["zero"]),
        )

    def first_of(self, axes: Sequence[str]) -> dict[str, Piece]:
        """Sometimes the first place of an index beside time, which all places of a step then read."""
        beside = [axis for axis in axes if axis in "kb"]
        if not beside or self.rng.random() < 0.7:
            return {}
        return {self.rng.choice(beside): Piece("0", lambda world, places: 0)}
