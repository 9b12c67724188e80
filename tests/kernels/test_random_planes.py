"""Recurrences over planes, drawn at random: their values are those of plain loops, and so are their slopes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import kernels
from netcl.core.errors import KernelLanguageError

Array = Any
STATES = ("y", "z")
KINDS = {
    "sum": ("d + {}", lambda d, s: d + s),
    "tanh": ("tanh(d + {})", lambda d, s: np.tanh(d + s)),
    "logistic": ("d / (1 + exp(-({})))", lambda d, s: d / (1 + np.exp(-s))),
}


@dataclass(frozen=True)
class Plane:
    """Equations of one or two states, the last one first: `readings` has for each, of which state, how far away along
    both axes, times what. The axes are gone through in these `directions`."""

    readings: tuple[tuple[tuple[int, int, int, float], ...], ...]
    directions: tuple[int, int]
    kind: str
    sizes: tuple[int, int]

    @property
    def text(self) -> str:
        parts = []
        for which in reversed(range(len(self.readings))):
            terms = [
                f"{factor} * ({STATES[of]}[i + ({across}), j + ({along})] else {1 + which})"
                for of, across, along, factor in self.readings[which]
            ]
            name = f"{STATES[which]}[i, j]" if which else "y"
            parts.append(f"{name} = {KINDS[self.kind][0].format(' + '.join(terms))};")
        return f"op f(d[i, j]: float) -> (y[i, j], q[i, j]) {{ {' '.join(parts)} q = y * y + d; }}"

    def loops(self, d: Array) -> tuple[Array, Array]:
        found = [np.zeros(self.sizes) for _ in self.readings]
        rows, columns = (range(size)[::step] for size, step in zip(self.sizes, self.directions, strict=True))
        for i in rows:
            for j in columns:
                for which in reversed(range(len(self.readings))):
                    total = 0.0
                    for of, across, along, factor in self.readings[which]:
                        there = 0 <= i + across < self.sizes[0] and 0 <= j + along < self.sizes[1]
                        total += factor * (found[of][i + across, j + along] if there else 1 + which)
                    found[which][i, j] = KINDS[self.kind][1](d[i, j], total)
        return found[0], found[0] ** 2 + d


def drawn(rng: np.random.Generator) -> Plane:
    """One at random."""
    directions = tuple(int(each) for each in rng.choice([1, -1], 2))
    readings = []
    for _ in range(rng.integers(1, 3)):
        places = {(0, -1)} if rng.random() < 0.85 else set()
        for _ in range(rng.integers(1, 4)):
            across = int(rng.choice([0, -1, -1, -1, -2, -3]))
            places.add((across, int(rng.integers(-3, 4) if across else -rng.integers(1, 4))))
        readings.append(sorted(places))
    some = tuple(
        tuple(
            (int(rng.integers(len(readings))), directions[0] * across, directions[1] * along,
             round(float(rng.uniform(-0.3, 0.3)), 3))
            for across, along in places
        )
        for places in readings
    )  # fmt: skip
    sizes = int(rng.integers(32, 50)), int(rng.integers(32, 75))
    return Plane(some, directions, [*KINDS][rng.integers(len(KINDS))], sizes)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.sample(2)
def test_a_plane_is_that_of_loops_with_its_slope(seed: int) -> None:
    rng = np.random.default_rng(seed)
    while True:
        plane = drawn(rng)
        try:
            op = kernels.compile(plane.text).f
            break
        except KernelLanguageError as error:
            if "order" not in str(error):
                raise
    d, along, *weights = (rng.standard_normal(plane.sizes) / 2 for _ in range(4))
    given = ag.tensor(d, requires_grad=True)
    outputs = op(given)
    for found, right in zip(outputs, plane.loops(d), strict=True):
        np.testing.assert_allclose(found.value.to_host(), right, rtol=1e-9, atol=1e-9, err_msg=plane.text)
    total = sum((each * ag.tensor(weight)).sum() for each, weight in zip(outputs, weights, strict=True))
    (gradient,) = ag.grad(total, [given])
    ahead, behind = (
        sum(float((weight * each).sum()) for weight, each in zip(weights, plane.loops(d + h * along), strict=True))
        for h in (1e-6, -1e-6)
    )
    found = gradient.to_host() * along
    tolerance = 1e-6 * (1 + float(abs(found).sum()))
    np.testing.assert_allclose(found.sum(), (ahead - behind) / 2e-6, rtol=1e-5, atol=tolerance, err_msg=plane.text)
