"""Scatters on cards: each result asks every value, or those of its part, or the values are sorted by rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from differentiated import plans_of_its_own
from evaluated import compiled, value
from interpreted import ran_op

from netcl import autograd as ag
from netcl import core
from netcl.kernels.compiler.target import GPU, POCL, Target

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(9)
WAYS = {
    "asked": replace(GPU, scatters=replace(GPU.scatters, items=1)),
    "in parts": replace(GPU, scatters=replace(GPU.scatters, least_part=8)),
    "sorted": replace(GPU, scatters=replace(GPU.scatters, asked=0, few_results=0)),
}
ROWS = compiled("op f(x[v]: any, index[m]: int, src[m, j]: float) -> y[v, j] { y = sum[m](index == v ? src : 0); }")
PLACES = compiled(
    "op f(x[i, v, j]: any, index[i, m, j]: int, src[i, m, j]: float) -> y[i, v, j] "
    "{ y = sum[m](index == v ? src : 0); }"
)
LARGEST = compiled(
    "op f(x[v]: any, index[m, n]: int, src[m, n]: float) -> y[v] { y = max[m, n](index == v ? src : -inf); }"
)
TABLE = compiled(
    "op f(x[v, w]: any, a[m]: int, b[m]: int, src[m, j]: float) -> y[v, w, j] "
    "{ y = 1 + sum[m](a == v and b == w and src > 0 ? src : 0); }"
)


@pytest.mark.parametrize("way", ["asked", "sorted"])
def test_sums_of_rows_are_legal_and_right(way: str) -> None:
    for rows, values, inner in ((7, 20, 3), (1, 300, 1), (300, 40, 2), (5, 1, 4), (3, 2100, 1)):
        index = RNG.integers(-1, rows + 1, values)  # some go nowhere
        src = RNG.standard_normal((values, inner))
        x = np.zeros(rows)
        found = ran_op(ROWS, x, index, src, target=WAYS[way])
        np.testing.assert_allclose(found["y"], value(ROWS, x, index, src), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("way", ["asked", "sorted"])
def test_sums_of_places_of_their_own_are_legal_and_right(way: str) -> None:
    for shape, rows in (((2, 30, 3), 5), ((3, 9, 1), 40), ((1, 70, 2), 2)):
        index, src = RNG.integers(0, rows, shape), RNG.standard_normal(shape)
        x = np.zeros((shape[0], rows, shape[2]))
        found = ran_op(PLACES, x, index, src, target=WAYS[way])
        np.testing.assert_allclose(found["y"], value(PLACES, x, index, src), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("way", ["asked", "sorted"])
def test_extremes_and_several_targets_are_legal_and_right(way: str) -> None:
    index, src = RNG.integers(0, 6, (20, 5)), np.round(RNG.standard_normal((20, 5)), 1)
    src[3, 2] = np.nan
    x = np.zeros(6)
    found = ran_op(LARGEST, x, index, src, target=WAYS[way])
    np.testing.assert_array_equal(found["y"], value(LARGEST, x, index, src))
    table, a, b = np.zeros((4, 3)), RNG.integers(0, 4, 90), RNG.integers(0, 3, 90)
    src = RNG.standard_normal((90, 2))
    found = ran_op(TABLE, table, a, b, src, target=WAYS[way])
    np.testing.assert_allclose(found["y"], value(TABLE, table, a, b, src), rtol=1e-12)


@pytest.mark.parametrize("kind", ["min", "max"])
@pytest.mark.parametrize("way", ["asked", "sorted"])
def test_an_extreme_of_no_values_is_none_of_those_that_arrive(way: str, kind: str) -> None:
    """Where a place is not asked for, the value is 8 or -8, which no other one is beyond; of nothing it is neither."""
    otherwise, nothing = (8, np.inf) if kind == "min" else (-8, -np.inf)
    op = compiled(f"op f(at[n]: int) -> y[k] where k = 5 {{ y = {kind}[n](at == k ? -0.25 : {otherwise}); }}")
    for at in ([], [3], [1, 1, 7]):
        found = ran_op(op, np.array(at, np.int64), target=WAYS[way])["y"]
        expected = [-0.25 if k in at else otherwise for k in range(5)]
        np.testing.assert_array_equal(found, expected if at else [nothing] * 5)


@pytest.mark.parametrize("way", ["asked", "sorted"])
def test_views_are_scattered_from_where_they_are(way: str) -> None:
    index, src = RNG.integers(0, 9, 200), RNG.standard_normal((4, 200))
    x = np.zeros(9)
    for at, of in ((index[::-1], src[1:3, ::-1].T), (index[::2], src[:, ::2].T)):
        found = ran_op(ROWS, x, at, of, target=WAYS[way])
        np.testing.assert_allclose(found["y"], value(ROWS, x, at, of), rtol=1e-12, atol=1e-12)


def test_parts_have_results_of_their_own() -> None:
    index, src = RNG.integers(-1, 5, 300), RNG.standard_normal((300, 2))
    found = ran_op(ROWS, np.zeros(4), index, src, target=WAYS["in parts"])
    assert found.kernels[0].name == "f_rows"
    assert len(found["f.rows"]) > 1
    np.testing.assert_allclose(found["f.rows"].sum(0), value(ROWS, np.zeros(4), index, src), rtol=1e-12)


# --- on the device ----------------------------------------------------------------------------------------------------


@pytest.fixture(params=WAYS)
def card(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The default device is taken for a card."""
    plans_of_its_own(monkeypatch)
    driver = POCL if core.default_device().is_pocl else GPU.driver
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: replace(WAYS[request.param], driver=driver)))
    return str(request.param)


@pytest.mark.usefixtures("card")
def test_gradients_of_reading_by_index_are_right_and_the_same_bits_each_time() -> None:
    table, index = RNG.standard_normal((50, 33)).astype(np.float32), RNG.integers(0, 50, 3000)
    leaf = ag.tensor(table, requires_grad=True)
    seed = RNG.standard_normal((3000, 33)).astype(np.float32)
    first, again = (
        ag.grad(ag.embedding(leaf, core.from_host(index)), [leaf], grad_outputs=core.from_host(seed))[0].to_host()
        for _ in range(2)
    )
    wanted = np.zeros((50, 33))
    np.add.at(wanted, index, seed.astype(np.float64))
    np.testing.assert_allclose(first, wanted, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(first.view(np.int32), again.view(np.int32))


@pytest.mark.usefixtures("card")
def test_integers_are_added_up_on_a_card() -> None:
    x, index, src = np.zeros((3, 40), np.int64), RNG.integers(0, 40, (3, 500)), RNG.integers(-9, 9, (3, 500))
    found = ag.scatter_add(core.from_host(x), core.from_host(index), core.from_host(src), axis=1).to_host()
    for row in range(3):
        np.add.at(x[row], index[row], src[row])
    np.testing.assert_array_equal(found, x)
