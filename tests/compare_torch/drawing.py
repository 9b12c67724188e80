"""Random operands and options of a call: sizes 0, 1, odd and prime, shapes that broadcast, ties, axes from each end."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Call = Callable[..., Any]
Drawn = tuple[str, Call, Call, list[Array], int]
"""An op, the call in both spellings, its operands, and how often it is differentiated."""

SIZES = (0, 1, 2, 3, 5, 7, 4, 2, 3)
WORDS = ("mean", "sum", "none")


class Draw:
    """Random operands and options of one call."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)

    def choice(self, among: Sequence[Any]) -> Any:
        return self.rng.choice(among)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def shape(self, least: int = 0, most: int = 4, empty: bool = True) -> tuple[int, ...]:
        found = [self.choice(SIZES) for _ in range(self.rng.randint(least, most))]
        if not empty or self.chance(0.8):
            found = [size or 1 for size in found]
        return tuple(found)

    def sizes(self, count: int, most: int = 5) -> list[int]:
        return [self.rng.randint(1, most) for _ in range(count)]

    def floats(self, *shape: int, low: float = -2.0, high: float = 2.0) -> Array:
        return np.asarray(self.numbers.uniform(low, high, shape))

    def tied(self, *shape: int) -> Array:
        return np.asarray(self.numbers.integers(-2, 3, shape), np.float64)

    def some(self, *shape: int) -> Array:
        """Ordinary numbers, or many equal ones."""
        return self.tied(*shape) if self.chance(0.3) else self.floats(*shape)

    def whole(self, *shape: int, below: int, least: int = 0) -> Array:
        return np.asarray(self.numbers.integers(least, max(below, least + 1), shape))

    def broadcast(self, count: int, least: int = 0, most: int = 3) -> list[tuple[int, ...]]:
        """Shapes that broadcast against each other, each with some axes of length 1 or without its first ones."""
        whole = self.shape(least, most)
        return [self.part(whole) for _ in range(count)]

    def part(self, whole: tuple[int, ...]) -> tuple[int, ...]:
        kept = whole[self.rng.randint(0, len(whole)) if self.chance(0.4) else 0 :]
        return tuple(1 if self.chance(0.25) else size for size in kept)

    def axis(self, ndim: int) -> int:
        return self.rng.randint(-ndim, ndim - 1)

    def axes(self, ndim: int) -> Any:
        """None, an axis, or several."""
        if ndim == 0 or self.chance(0.2):
            return None
        if self.chance(0.6):
            return self.axis(ndim)
        found = self.rng.sample(range(ndim), self.rng.randint(1, ndim))
        return tuple(at - ndim if self.chance(0.4) else at for at in found)
