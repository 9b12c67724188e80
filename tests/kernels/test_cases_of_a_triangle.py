"""The three cases of a triangular matrix, in whatever order a formula has them: what is left is the third."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import kernels

Array = np.ndarray

CASES = [
    "i < j ? 0 : i == j ? {diagonal} : {below}",
    "i == j ? {diagonal} : i < j ? 0 : {below}",
    "i > j ? {below} : i == j ? {diagonal} : 0",
    "i >= j ? (i == j ? {diagonal} : {below}) : 0",
    "j > i ? 0 : (i == j ? {diagonal} : {below})",
    "i < j ? 0 : (i != j ? {below} : {diagonal})",
]


def cholesky(a: Array) -> Array:
    """Element by element, of the lower triangle of a."""
    found = np.zeros_like(a)
    for j in range(len(a)):
        for i in range(j, len(a)):
            rest = a[i, j] - found[i, :j] @ found[j, :j]
            found[i, j] = np.sqrt(rest) if i == j else rest / found[j, j]
    return found


def by_differences(function: Callable[[Array], Array], a: Array, weights: Array) -> Array:
    slopes = np.zeros_like(a)
    for at in np.ndindex(a.shape):
        step = np.zeros_like(a)
        step[at] = 1e-6
        slopes[at] = ((function(a + step) - function(a - step)) * weights).sum() / 2e-6
    return slopes


@pytest.mark.parametrize("cases", CASES)
@pytest.mark.sample(3)
def test_a_factorisation_and_its_gradient_have_an_order_of_steps(cases: str) -> None:
    formula = cases.format(diagonal="sqrt(rest)", below="rest / l[j, j]")
    op = kernels.compile(
        "op f(a[i, j]: float) -> l[i, j] where size[i] == size[j] {"
        f" rest = a - sum[k < j](l[i, k] * l[j, k]); l = {formula}; }}"
    ).f
    random = np.random.default_rng(0)
    a, weights = random.uniform(1, 2, (5, 5)), random.normal(size=(5, 5))
    a = a @ a.T + 5 * np.eye(5)
    x = ag.tensor(a, requires_grad=True)
    y = op(x)
    np.testing.assert_allclose(y.to_host(), cholesky(a), rtol=1e-12)
    (y * ag.tensor(weights)).sum().backward()
    np.testing.assert_allclose(x.grad.to_host(), by_differences(cholesky, a, weights), atol=1e-7)
