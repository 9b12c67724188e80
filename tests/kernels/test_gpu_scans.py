"""Scans on cards: an item for each row, rows in chunks, rows in blocks, of every kind; on NumPy and on the device."""

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

RNG = np.random.default_rng(5)
KINDS = ["sum", "prod", "max", "min", "argmax", "argmin"]
WAYS = {
    "by item": replace(GPU, scans=replace(GPU.scans, short=1 << 20)),
    "in chunks": GPU,
    "in blocks": replace(GPU, scans=replace(GPU.scans, short=0, long=1)),
}
LAUNCHES = {"by item": 1, "in chunks": 1, "in blocks": 3}


def awkward(*shape: int) -> np.ndarray[Any, Any]:
    """Numbers with ties among them, zeros of either sign, infinities and NaN."""
    x = np.round(RNG.standard_normal(shape), 1).astype(np.float32)
    for each in (np.nan, np.inf, -np.inf, -0.0):
        x[RNG.random(shape) < 0.02] = each
    return x


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.sample(2)
def test_every_kind_of_scan_is_legal_and_right(kind: str, way: str) -> None:
    for sign in ("<=", ">="):
        op = compiled(f"op f(x[i, t]: number) -> y[i, t] {{ y = {kind}[s {sign} t](x[i, s]); }}")
        for shape in ((2, 1), (3, 7), (5, 60), (2, 255), (1, 1300)):
            x = awkward(*shape)
            found = ran_op(op, x, target=WAYS[way])
            assert len(found.kernels) == LAUNCHES[way]
            np.testing.assert_allclose(found["y"], value(op, x.astype(np.float64)), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
@pytest.mark.sample(5)
def test_integers_are_scanned_as_integers(dtype: str, way: str) -> None:
    x = RNG.integers(0, 100, (3, 70)).astype(dtype)
    for kind in ("sum", "max", "min", "argmax", "argmin"):
        op = compiled(f"op f(x[i, t]: number) -> y[i, t] {{ y = {kind}[s <= t](x[i, s]); }}")
        found = ran_op(op, x, target=WAYS[way])
        np.testing.assert_array_equal(found["y"], value(op, x))


@pytest.mark.parametrize("way", WAYS)
def test_conditions_are_scanned(way: str) -> None:
    x = RNG.random((3, 70))
    for kind, limit in (("any", 0.95), ("all", 0.05)):
        op = compiled(f"op f(x[i, t]: float) -> y[i, t] {{ y = {kind}[s <= t](x[i, s] > {limit}); }}")
        found = ran_op(op, x, target=WAYS[way])
        np.testing.assert_array_equal(found["y"], value(op, x))


RECURRENCE = compiled("op f(a[i, t]: float, b[i, t]: float) -> y[i, t] { y = scan[s <= t](a[i, s], b[i, s]); }")


@pytest.mark.parametrize("way", WAYS)
def test_a_recurrence_is_right(way: str) -> None:
    for shape in ((3, 7), (2, 300), (1, 1300)):
        a, b = RNG.uniform(-1.1, 1.1, shape), RNG.standard_normal(shape)
        a[:, 0] = np.inf  # nothing arrives that it would multiply
        a[RNG.random(shape) < 0.05] = 0
        found = ran_op(RECURRENCE, a, b, target=WAYS[way])
        np.testing.assert_allclose(found["y"], value(RECURRENCE, a, b), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_factors_whose_product_overflows_do_nothing_to_zeros(way: str) -> None:
    a, b = np.full((1, 1500), 1e10), np.zeros((1, 1500))
    a[0, 700], b[0, 1499] = 0, 5
    found = ran_op(RECURRENCE, a, b, target=WAYS[way])
    np.testing.assert_array_equal(found["y"], value(RECURRENCE, a, b))


@pytest.mark.parametrize("way", WAYS)
def test_a_factor_that_is_infinite_or_nan_is_seen_as_far_as_it_goes(way: str) -> None:
    for factor in (np.inf, np.nan):
        a, b = np.full((1, 1500), 0.5), np.zeros((1, 1500))
        a[0, 600] = factor
        found = ran_op(RECURRENCE, a, b, target=WAYS[way])
        np.testing.assert_array_equal(found["y"], value(RECURRENCE, a, b))


@pytest.mark.parametrize("way", WAYS)
def test_views_and_other_axes_are_scanned_where_they_are(way: str) -> None:
    base = RNG.standard_normal((6, 80))
    for view, axis in ((base[:, ::-1], 1), (base[::2, 3:70:3], 1), (base[:, :9], 0), (base.T, 0), (base[4::-1].T, 1)):
        found = ran_op("cumsum", view, axis=axis, target=WAYS[way])
        np.testing.assert_allclose(found["y"], np.cumsum(view, axis=axis), rtol=1e-9, atol=1e-9)


# --- on the device ----------------------------------------------------------------------------------------------------


@pytest.fixture(params=WAYS)
def card(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The default device is taken for a card."""
    plans_of_its_own(monkeypatch)
    driver = POCL if core.default_device().is_pocl else GPU.driver
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: replace(WAYS[request.param], driver=driver)))
    return str(request.param)


@pytest.mark.usefixtures("card")
@pytest.mark.sample(2)
def test_the_device_gives_the_same_and_the_same_bits_each_time() -> None:
    for dtype in ("float32", "float16", "float64"):
        for shape in ((3, 1000), (2, 5000), (300, 7), (0, 3), (3, 0)):
            x = awkward(*shape).astype(dtype)
            wide = x.astype(np.float64)
            given = core.from_host(x)
            found = [ag.cumsum(given).to_host(), ag.cummax(given)]
            tolerance = {"float32": 1e-4, "float16": 2e-2, "float64": 1e-10}[dtype]
            with np.errstate(invalid="ignore"):
                wanted = np.cumsum(wide, -1)
            np.testing.assert_allclose(found[0], wanted, rtol=tolerance, atol=tolerance)
            np.testing.assert_array_equal(found[1][0].to_host(), np.maximum.accumulate(x, -1))
            np.testing.assert_array_equal(
                found[0].view(f"u{x.itemsize}"), ag.cumsum(given).to_host().view(f"u{x.itemsize}")
            )


@pytest.mark.usefixtures("card")
def test_gradients_of_scans_are_right_on_a_card() -> None:
    x = RNG.uniform(-1.5, 1.5, (3, 1200))
    x[1, 600] = 0
    leaf = ag.tensor(x, requires_grad=True)
    seed = np.zeros_like(x)
    seed[:, :50] = 1
    (dx,) = ag.grad(ag.cumprod(leaf), [leaf], grad_outputs=core.from_host(seed))
    products = np.cumprod(x, 1)
    wanted = (seed * products)[:, ::-1].cumsum(1)[:, ::-1] / np.where(x == 0, 1, x)
    np.testing.assert_allclose(dx.to_host(), wanted, rtol=1e-9, atol=1e-12)
