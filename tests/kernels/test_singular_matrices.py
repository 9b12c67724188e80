"""Determinants of matrices with a pivot of 0: values, and derivatives by cofactors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from netcl import autograd as ag

SINGULAR = {
    "of ones": np.ones((3, 3)),
    "a row of zeros": np.array([[0.0, 0.0], [0.0, 3.0]]),
    "zeros": np.zeros((3, 3)),
    "zeros, of two rows": np.zeros((2, 2)),
    "the first pivot": np.array([[0.0, 0, 0], [0, 1, 2], [0, 3, 4]]),
    "a pivot in the middle": np.array([[1.0, 0, 2], [3, 0, 1], [1, 0, 1]]),
    "the last pivot": np.array([[1.0, 2, 3], [4, 5, 6], [5, 7, 9]]),
    "two columns alike": np.array([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]]),
    "two pivots": np.array([[0.0, 0, 0, 1], [0, 0, 0, 2], [1, 2, 3, 4], [5, 6, 7, 9]]),
    "one element": np.zeros((1, 1)),
    "large elements": np.ones((3, 3)) * 1e8,
    "small elements": np.ones((3, 3)) * 1e-8,
}


def cofactors(a: np.ndarray) -> np.ndarray:
    """The derivative of the determinant by each element."""
    n = len(a)
    found = np.ones((n, n))
    for i in range(n):
        for j in range(n):
            minor = np.delete(np.delete(a, i, 0), j, 1)
            found[i, j] = (-1) ** (i + j) * (np.linalg.det(minor) if n > 1 else 1.0)
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", SINGULAR)
@pytest.mark.sample(6)
def test_a_singular_matrix_has_a_determinant_of_zero_and_its_cofactors_for_a_gradient(name: str, dtype: str) -> None:
    a = SINGULAR[name]
    x = ag.tensor(a, requires_grad=True, dtype=dtype)
    y = ag.det(x)
    y.backward()
    scale = np.abs(a).max() or 1.0
    close = {"float32": 1e-6, "float64": 1e-8}[dtype]
    assert abs(y.item()) <= close * scale ** len(a)
    expected = cofactors(a)
    np.testing.assert_allclose(x.grad.to_host(), expected, rtol=0, atol=close * scale ** (len(a) - 1))
    sign, logabs = ag.slogdet(x)
    if name != "the last pivot":  # there it is rounded
        assert y.item() == 0
        assert (sign.item(), logabs.item()) == (0, -np.inf)


@pytest.mark.parametrize("name", [name for name, a in SINGULAR.items() if 0.1 < np.abs(a).max() < 100])
@pytest.mark.sample(3)
def test_the_second_derivative_is_that_of_the_cofactors(name: str) -> None:
    a = SINGULAR[name]
    along = np.random.default_rng(0).standard_normal(a.shape)
    expected = (cofactors(a + 1e-4 * along) - cofactors(a - 1e-4 * along)) / 2e-4
    x, v = (ag.tensor(each, dtype="float64") for each in (a, along))
    np.testing.assert_allclose(ag.hvp(ag.det, x, v)[1].to_host(), expected, atol=1e-5)


@pytest.mark.parametrize("numbers", [[1.0, 2.0, 1e-15], [1.0, 2.0, 1e-8, 3.0], [1e-20, 2.0, 3.0], [1e-9, 1e-9, 1.0]])
@pytest.mark.parametrize("computed", [False, True])
def test_a_product_with_a_small_factor_has_the_second_derivative_of_the_others(
    numbers: list[float], computed: bool
) -> None:
    """Products of all but two, written out; a quotient by the small one would have lost its digits."""
    n = len(numbers)
    expected = np.zeros((n, n))
    for i, j in itertools.permutations(range(n), 2):
        expected[i, j] = np.prod([each for m, each in enumerate(numbers) if m not in (i, j)])
    x = ag.tensor(numbers, dtype="float64")
    second = ag.hessian(lambda x: ag.prod(x * 1.0 if computed else x))(x)
    np.testing.assert_allclose(second.to_host(), expected, rtol=1e-12)


def test_in_a_batch_the_others_are_what_they_are_alone() -> None:
    a = np.stack([np.eye(3), np.ones((3, 3)), np.diag([1.0, 2.0, 3.0])])
    assert ag.det(ag.tensor(a)).tolist() == [1, 0, 6]
    assert ag.vmap(ag.det)(ag.tensor(a)).tolist() == [1, 0, 6]
    assert ag.jit(ag.det)(ag.tensor(a)).tolist() == [1, 0, 6]


def test_the_factors_of_a_singular_matrix_are_those_of_lapack() -> None:
    order, lower, upper = ag.lu(ag.ones((3, 3)))
    assert order.tolist() == [0, 1, 2]
    assert lower.tolist() == [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    assert upper.tolist() == [[1, 1, 1], [0, 0, 0], [0, 0, 0]]
