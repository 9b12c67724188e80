"""What a condition leaves out of a sum of products stays out, also where a factor there is infinite or no number."""

from __future__ import annotations

import numpy as np
import pytest
from differentiated import assert_op_agrees
from evaluated import compiled
from launched import assert_agrees, schedules

from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.runtime import launch

HARD = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}
WINDOWS = [
    {"padding": 1}, {"padding": 0}, {"padding": 2, "stride": 2}, {"padding": (0, 2), "stride": (2, 1)},
    {"padding": 2, "dilation": 2}, {"padding": 1, "stride": 3, "groups": 2},
]  # fmt: skip

hard = pytest.mark.parametrize("number", HARD)
windows = pytest.mark.parametrize("window", WINDOWS, ids=str)


def normal(*shape: int, dtype: str = "float32", seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def with_hard(array: np.ndarray, number: str) -> np.ndarray:
    """`array` with the number in its first element and in one near its end."""
    array = array.copy()
    array.flat[0] = array.flat[-2] = HARD[number]
    return array


def factors(groups: int) -> list[np.ndarray]:
    return [normal(3, 8, 9, 10, seed=1), normal(16, 8 // groups, 3, 3, seed=2)]


@hard
@windows
@pytest.mark.parametrize("which", [0, 1], ids=["x", "w"])
@pytest.mark.sample(7)
def test_a_convolution_and_its_gradients_at_numbers_in_a_factor(which: int, window: dict, number: str) -> None:
    given = factors(window.get("groups", 1))
    given[which] = with_hard(given[which], number)
    _, gradient = assert_op_agrees("conv2d", *given, tolerance=1e-4, **window)
    assert schedules(gradient).count("contraction") == 2


@windows
@pytest.mark.parametrize("which", ["x", "w", "dy", "dgrad_x", "dgrad_w"])
@pytest.mark.sample(5)
def test_second_derivatives_of_a_convolution_at_numbers_in_a_factor(which: str, window: dict) -> None:
    number = list(HARD)[(len(which) + WINDOWS.index(window)) % len(HARD)]  # each of them with each factor
    x, w = factors(window.get("groups", 1))
    call = kernels.ops.conv2d.bind([core.from_host(x), core.from_host(w)], window)
    first = pipeline.gradient(call.formula, ("x", "w"))
    second = pipeline.gradient(first, ("x", "w", "dy"))
    forward = launch.prepare(call.formula, call.operands, call.attributes)
    known = {"x": x, "w": w, "dy": normal(*forward.run(call.operands, call.attributes)[0].shape, seed=3)}
    known |= {"dgrad_x": normal(*x.shape, seed=4), "dgrad_w": normal(*w.shape, seed=5)}
    known[which] = with_hard(known[which], number)
    for of in (first, second):
        arrays = [known[operand.name] for operand in of.operands]
        plan = assert_agrees(of, arrays, call.attributes, tolerance=1e-4, bindings=forward.bindings)
        assert schedules(plan).count("contraction") >= 2


@hard
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("which", [0, 1], ids=["x", "w"])
@pytest.mark.sample(8)
def test_a_transposed_convolution_at_numbers_in_a_factor(which: int, stride: int, number: str) -> None:
    given = [normal(2, 8, 9, 10), normal(8, 16, 3, 3, seed=1)]
    given[which] = with_hard(given[which], number)
    forward, _ = assert_op_agrees("conv_transpose2d", *given, tolerance=1e-4, stride=stride, padding=1)
    assert schedules(forward)[-1] == "contraction"


MASKED = {
    "a triangle": "op f(a[i, k]: float, b[k, j]: float) -> y[i, j] { y = sum[k](k <= i ? a * b : 0); }",
    "a mask": "op f(a[i, k]: float, b[k, j]: float, m[k]: int) -> y[i, j] { y = sum[k](m > 0 ? a * b : 0); }",
    "a mask for each column, and what comes after the sum": (
        "op f(a[i, k]: float, b[k, j]: float, m[k, j]: int) -> y[i, j] "
        "{ y = 2 + exp(-abs(sum[k](m > 0 ? -(a * b) : 0))); }"
    ),
    "a band": (
        "op f(a[i, k]: float, b[k, j]: float) -> y[i, j] { y = sum[k](k + 3 > i ? (k < j + 40 ? a * b : 0) : 0); }"
    ),
}


@hard
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", MASKED)
@pytest.mark.sample(7)
def test_a_masked_matrix_product_at_numbers_in_a_factor(name: str, dtype: str, number: str) -> None:
    op = compiled(MASKED[name])
    for which in (0, 1):
        # rows for a rest, and so many steps that the sum is cut into parts
        given = [normal(37, 1100, dtype=dtype), normal(1100, 41, dtype=dtype, seed=1)]
        given[which] = with_hard(given[which], number)
        call = op.bind([core.from_host(each) for each in (*given, *_masks(name))], {})
        tolerance = {"float16": 3e-2, "float32": 1e-4, "float64": 1e-11}[dtype]
        arrays = [each.to_host() for each in call.operands]
        plan = assert_agrees(call.formula, arrays, {}, call.operands, tolerance)
        assert "contraction" in schedules(plan)


@pytest.mark.parametrize("which", [0, 1], ids=["left", "right"])
def test_a_factor_that_is_packed_once_may_hold_them_too(which: int) -> None:
    given = [normal(640, 260), normal(260, 300, seed=1)]
    given[which] = with_hard(with_hard(given[which].T, "inf").T, "nan")
    call = compiled(MASKED["a triangle"]).bind([core.from_host(each) for each in given], {})
    plan = assert_agrees(call.formula, given, {}, call.operands, 1e-4)
    assert schedules(plan)[-2:] == ["panels", "contraction"]


def _masks(name: str) -> list[np.ndarray]:
    steps = np.arange(1100)[:, np.newaxis]
    mask = (steps * np.arange(1, 42) % 3 > 0).astype(np.int64)
    return [] if "mask" not in name else [mask if "column" in name else mask[:, 0]]


def test_zero_times_infinity_is_no_number_where_the_formula_multiplies() -> None:
    x = np.zeros((1, 8, 9, 9), np.float32)
    w = np.full((16, 8, 3, 3), np.inf, np.float32)
    assert np.isnan(kernels.ops.conv2d(core.from_host(x), core.from_host(w)).to_host()).all()


def test_sums_that_are_computed_again_have_the_same_bits_as_their_neighbours() -> None:
    x, w = core.from_host(normal(1, 8, 9, 9)), normal(16, 8, 3, 3, seed=1)
    dy = core.from_host(normal(1, 16, 7, 7, seed=2))
    call = kernels.ops.conv2d.bind([x, core.from_host(w)], {})
    forward = launch.prepare(call.formula, call.operands, call.attributes)
    gradient = pipeline.gradient(call.formula, ("x",))
    found = []
    for corner in (w[0, 0, 2, 2], np.nan):
        w[0, 0, 2, 2] = corner
        given = [{"dy": dy, "w": core.from_host(w)}[operand.name] for operand in gradient.operands]
        found.append(launch.run(gradient, given, call.attributes, forward.bindings)[0].to_host()[0, 0])
    plain, mended = found
    np.testing.assert_array_equal(np.isnan(mended), np.pad(np.ones((7, 7), bool), ((2, 0), (2, 0))))
    np.testing.assert_array_equal(mended[:2], plain[:2])
    np.testing.assert_array_equal(mended[:, :2], plain[:, :2])
