"""Matrix products of which conditions leave out whole tiles: against NumPy, also where that is not finite."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from differentiated import assert_op_agrees
from interpreted import assert_right, small
from thorough import spread

from netcl import core, kernels
from netcl.kernels.compiler.target import CPU

Array = np.ndarray[Any, Any]

AROUND = {
    "i >= j": lambda i, j: i >= j,
    "j > i": lambda i, j: j > i,
    "i == j": lambda i, j: i == j,
    "i + 40 < j": lambda i, j: i + 40 < j,
    "j <= 2 * i and i <= 2 * j": lambda i, j: (j <= 2 * i) & (i <= 2 * j),
    "i - j < 20 and j - i < 20": lambda i, j: abs(i - j) < 20,
    "i > far": lambda i, j: i > 50,
    "i != j": lambda i, j: i != j,
    "i > 30 or j > 30": lambda i, j: (i > 30) | (j > 30),
}
SIZES = [(1, 70, 40), (70, 1, 40), (37, 41, 64), (64, 96, 33), (130, 100, 70), (300, 33, 20), (33, 300, 8)]
rng = np.random.default_rng(0)


@pytest.mark.parametrize(("condition", "sizes"), spread(list(AROUND), SIZES, rounds=2), ids=str)
@pytest.mark.sample(8)
def test_a_product_is_that_of_numpy_where_a_condition_around_it_asks(
    condition: str, sizes: tuple[int, int, int]
) -> None:
    rows, columns, steps = sizes
    text = f"({condition}) ? 2 * sum[k](a[i, k] * b[k, j]) + i : -1"
    op = kernels.compile(f"op f(a[i, k]: float, b[k, j]: float; far: int = 50) -> y[i, j] {{ y = {text}; }}").f
    a, b = rng.normal(size=(rows, steps)), rng.normal(size=(steps, columns))
    i, j = np.indices((rows, columns))
    expected = np.where(AROUND[condition](i, j), 2 * a @ b + i, -1)
    np.testing.assert_allclose(op(core.from_host(a), core.from_host(b)).to_host(), expected, rtol=1e-12, atol=1e-12)
    assert_right(op, [a[:45, :9], b[:9, :45]], small(CPU))


WITHIN = {
    "k <= i": lambda i, k: k <= i,
    "k > i": lambda i, k: k > i,
    "k == i": lambda i, k: k == i,
    "k < far": lambda i, k: k < 50,
    "k >= i + 270": lambda i, k: k >= i + 270,
    "k - i < 9 and i - k < 9": lambda i, k: abs(i - k) < 9,
}


@pytest.mark.parametrize("steps", [40, 256, 300, 700])
@pytest.mark.parametrize("condition", WITHIN)
@pytest.mark.sample(7)
def test_steps_that_a_condition_leaves_out_count_for_nothing(condition: str, steps: int) -> None:
    text = f"sum[k]({condition} ? a[i, k] * b[k, j] : 0)"
    op = kernels.compile(f"op f(a[i, k]: float, b[k, j]: float; far: int = 50) -> y[i, j] {{ y = {text}; }}").f
    a, b = rng.normal(size=(60, steps)), rng.normal(size=(steps, 40))
    i, k = np.indices(a.shape)
    asked = WITHIN[condition](i, k)
    wanted = np.where(asked, a, 0) @ b
    np.testing.assert_allclose(op(core.from_host(a), core.from_host(b)).to_host(), wanted, rtol=1e-12, atol=1e-12)
    never = ~asked.any(axis=0)
    b[never] = np.inf
    found = op(core.from_host(np.where(asked, a, np.nan)), core.from_host(b)).to_host()
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("length", [1, 33, 64, 130])
@pytest.mark.sample(2)
def test_products_that_only_one_side_of_the_diagonal_asks_for(length: int) -> None:
    op = kernels.compile(
        """
        op attention(q[n, i, d]: float, k[n, j, d]: float, v[n, j, e]: float; past: int = 0) -> y[n, i, e] {
            s[n, i, j] = j > i + past ? -inf : sum[d](q * k);
            w = exp(s - max[j](s));
            y = sum[j](w * v) / sum[j](w);
        }
        """
    ).attention
    q, k, v = (rng.normal(size=(2, length, each)) for each in (40, 40, 48))
    for past in (0, 5):
        scores = np.einsum("nid,njd->nij", q, k)
        i, j = np.indices(scores.shape[1:])
        scores = np.where(j > i + past, -np.inf, scores)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        wanted = weights @ v / weights.sum(-1, keepdims=True)
        given = [core.from_host(each) for each in (q, k, v)]
        np.testing.assert_allclose(op(*given, past=past).to_host(), wanted, rtol=1e-10, atol=1e-12)
        assert_op_agrees(op, q, k, v, past=past, tolerance=1e-9)
