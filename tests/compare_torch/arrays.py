"""The inputs of the calls: ordinary arrays, and those with ties, zeros, infinities and NaN."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np

from netcl import autograd as ag

Array = np.ndarray[Any, Any]
INF, NAN = np.inf, np.nan

_seeds = count()


def floats(*shape: int, low: float = -2.0, high: float = 2.0) -> Array:
    """Ordinary numbers, other ones at each call."""
    return np.random.default_rng(next(_seeds)).uniform(low, high, shape)


def whole(*shape: int, below: int = 4) -> Array:
    """Integers from 0 on."""
    return np.random.default_rng(next(_seeds)).integers(0, below, shape)


TIES = np.array([[1.0, 3.0, 3.0, 2.0], [5.0, 5.0, 5.0, 5.0], [-1.0, -1.0, -2.0, 0.0]])
HARD = np.array([[1.0, INF, 2.0, 0.0], [-INF, 1.0, 0.0, 2.0], [NAN, 1.0, 0.0, 2.0], [1e30, -1e30, 0.0, -0.0]])
ZEROS = np.array([[2.0, 0.0, 3.0, 4.0], [0.0, 0.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]])
LARGE = np.array([[1e4, 0.0, -1e4], [1e4, 1e4, 1e4], [-1e4, -1e4, 0.0]])
MASKED = np.array([[0.0, -INF, 1.0], [-INF, 2.0, -INF], [1.0, 2.0, 3.0]])
CONSTANT = np.full((3, 4), 2.0)
LARGE_MEAN = 1e6 + floats(3, 8)

AXES: list[tuple[str, Any, bool]] = [
    ("all", None, False), ("first", 0, False), ("last", -1, False), ("both", (0, -1), False), ("kept", 1, True),
]  # fmt: skip
REDUCED: dict[str, Array] = {
    "ordinary": floats(3, 4), "0-d": floats(), "one": floats(1, 1), "ties": TIES, "hard": HARD, "zeros": ZEROS,
    "large": LARGE, "masked": MASKED, "constant": CONSTANT, "odd": floats(5, 37),
}  # fmt: skip


def placed(array: Array) -> Any:
    """An array as a Tensor."""
    return ag.tensor(array)
