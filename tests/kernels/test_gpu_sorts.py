"""Sorts on cards: by networks in local memory, and long rows by merging; on NumPy and on the device."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from differentiated import plans_of_its_own
from evaluated import compiled, value
from interpreted import ran_op

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.compiler.target import GPU, POCL, Target
from netcl.kernels.runtime import launch

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(8)


def awkward(*shape: int) -> Array:
    """Numbers with ties among them, zeros of either sign, infinities and NaN."""
    x = np.round(RNG.standard_normal(shape), 1).astype(np.float32)
    for each in (np.nan, np.inf, -np.inf, -0.0):
        x[RNG.random(shape) < 0.02] = each
    return x


def order(x: Array, descending: bool) -> Array:
    """Where the values stand that come next: equal ones as they stand, NaN at the large end."""
    if not descending:
        return np.argsort(x, axis=-1, kind="stable")
    return (x.shape[-1] - 1 - np.argsort(x[..., ::-1], axis=-1, kind="stable"))[..., ::-1]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    ("shape", "launches"),
    [
        ((2, 0), 0), ((1, 1), 1), ((3, 2), 1), ((5, 7), 1), ((70, 16), 1), ((9, 64), 1), ((2, 255), 1), ((3, 256), 1),
        ((2, 257), 1), ((1, 1024), 1), ((1, 1025), 2), ((2, 2049), 3), ((1, 5000), 4),
    ],
)  # fmt: skip
@pytest.mark.sample(6)
def test_sorting_networks_and_merges_are_legal_and_right(
    shape: tuple[int, ...], launches: int, descending: bool
) -> None:
    x = awkward(*shape)
    found = ran_op("sort", x, descending=descending)
    wanted = order(x, descending)
    assert len(found.kernels) == launches
    np.testing.assert_array_equal(found["indices"], wanted)
    np.testing.assert_array_equal(found["values"], np.take_along_axis(x, wanted, -1))


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "bool"])
@pytest.mark.sample(2)
def test_whole_numbers_are_sorted_as_they_are(dtype: str) -> None:
    for shape in ((3, 100), (1, 1500)):
        x = RNG.integers(0, 2 if dtype == "bool" else 50, shape).astype(dtype)
        for descending in (False, True):
            sign = ">=" if descending else "<="
            op = compiled(f"op f(x[i, t]: any) -> y[i, t] {{ y = argsort[s {sign} t](x[i, s]); }}")
            found = ran_op(op, x)
            np.testing.assert_array_equal(found["y"], order(x.astype(int), descending))


def test_views_and_other_axes_are_sorted_where_they_are() -> None:
    base = awkward(40, 30)
    for view, axis in ((base[:, ::-1], 1), (base[::2, 3:29:3], 1), (base, 0), (base.T, 1), (base[5::-1].T, 0)):
        found = ran_op("sort", view, axis=axis)
        wanted = np.argsort(view, axis=axis, kind="stable")
        np.testing.assert_array_equal(found["indices"], wanted)
        np.testing.assert_array_equal(found["values"], np.take_along_axis(view, wanted, axis))


def test_what_is_sorted_by_may_be_computed() -> None:
    x = awkward(2, 300)
    op = compiled("op f(x[i, t]: float) -> y[i, t] { at = argsort[s <= t](x[i, s] * x[i, s]); y = x[i, at] + at; }")
    found = ran_op(op, x)
    np.testing.assert_allclose(found["y"], value(op, x), rtol=1e-12)


# --- on the device ----------------------------------------------------------------------------------------------------


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default device is taken for a card."""
    plans_of_its_own(monkeypatch)
    driver = POCL if core.default_device().is_pocl else GPU.driver
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: replace(GPU, driver=driver)))


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("shape", [(300, 7), (3, 1000), (2, 5000), (0, 3), (3, 0)])
def test_the_device_sorts_as_numpy_does(shape: tuple[int, ...], descending: bool) -> None:
    x = awkward(*shape)
    values, indices = (each.to_host() for each in ag.sort(core.from_host(x), descending=descending))
    wanted = order(x, descending)
    np.testing.assert_array_equal(indices, wanted)
    np.testing.assert_array_equal(values, np.take_along_axis(x, wanted, -1))


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("dtype", ["float16", "float64", "int64", "uint8"])
def test_the_device_sorts_every_dtype(dtype: str) -> None:
    x = awkward(2, 1500)
    x = x.astype(dtype) if np.dtype(dtype).kind == "f" else (np.nan_to_num(x, posinf=9, neginf=0) + 9).astype(dtype)
    values, indices = (each.to_host() for each in ag.sort(core.from_host(x), descending=True))
    wanted = order(x.astype(float), True)
    np.testing.assert_array_equal(indices, wanted)
    np.testing.assert_array_equal(values, np.take_along_axis(x, wanted, -1))


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("op", ["sort", "cumsum"])
def test_a_new_shape_compiles_nothing_anew(op: str) -> None:
    texts = set()
    for shape in ((3, 1000), (5, 900)):
        call = kernels.catalogue[op].bind([core.from_host(awkward(*shape))], {})
        texts.add(launch.prepare(call.formula, call.operands, call.attributes).text)
    assert len(texts) == 1
