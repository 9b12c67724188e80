"""Reductions and what is pointwise on cards: the right numbers from nests that are legal and have no race.

Most of it runs on NumPy, for a card with small groups and low thresholds, so that small sizes come to every schedule;
the rest on the default device taken for a card.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import random_formulas
from differentiated import assert_op_agrees, plans_of_its_own
from evaluated import compiled
from interpreted import assert_right, small

from netcl import core, kernels
from netcl.kernels.compiler.target import GPU, POCL, Target
from netcl.kernels.runtime import launch

Array = np.ndarray[Any, Any]
OPS = kernels.catalogue
SHAPES = [(), (0,), (1,), (7,), (64,), (257,), (0, 3), (3, 0), (20, 30), (2, 100), (3, 5, 7)]
REDUCING = ["sum", "mean", "prod", "amax", "argmax", "any"]
FUSED = ["softmax", "log_softmax", "logsumexp", "var"]


def drawn(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


def axes(shape: tuple[int, ...]) -> list[dict[str, Any]]:
    """No axis, and each of them."""
    return [{}, *({"axis": axis} for axis in range(len(shape)))]


@pytest.mark.parametrize("op", REDUCING)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.sample(43)
def test_reductions_over_each_axis_are_right(op: str, shape: tuple[int, ...]) -> None:
    x = drawn(*shape)
    for where in axes(shape):
        assert_right(OPS[op], [x > 0 if op == "any" else x], small(), **where)


@pytest.mark.parametrize("op", FUSED)
@pytest.mark.parametrize("shape", [(7,), (257,), (20, 30), (100, 4), (3, 5, 7)], ids=str)
def test_reductions_that_wait_for_each_other_are_right(op: str, shape: tuple[int, ...]) -> None:
    for where in axes(shape)[1:]:
        assert_right(OPS[op], [drawn(*shape)], small(), **where)


def test_every_way_to_share_a_reduction_is_taken() -> None:
    def ways(*shape: int, **where: Any) -> tuple[str, ...]:
        return assert_right(OPS["sum"], [drawn(*shape)], small(), **where)

    assert ways(20, 30, axis=1) == ["rows"]
    assert ways(300, 20, axis=1) == ["rows"]
    assert ways(30, 20, axis=0) == ["columns"]
    assert ways(2, 900, axis=0) == ["each"]
    assert ways(600, 2, axis=0) == ["blocks", "rows"]
    assert ways(1000) == ["blocks", "rows"]


@pytest.mark.parametrize("shape", [(300,), (40, 5), (5, 40)], ids=str)
@pytest.mark.sample(2)
def test_the_first_of_equal_values_and_a_nan_win(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    tied = rng.integers(0, 3, shape).astype(np.float64)
    special = np.where(rng.random(shape) < 0.05, np.nan, tied)
    lowest = np.full(shape, -np.inf)
    zeros = np.where(rng.random(shape) < 0.5, 0.0, -0.0)
    for where in axes(shape):
        for op, x in (
            ("argmax", tied), ("argmin", tied), ("argmax", special), ("argmin", special), ("amax", special),
            ("argmax", lowest), ("argmin", -lowest), ("argmax", zeros),
        ):  # fmt: skip
            assert_right(OPS[op], [x], small(), **where)
        assert_right(OPS["argmax"], [rng.integers(-3, 3, shape).astype(np.int32)], small(), **where)
        assert_right(OPS["argmin"], [rng.integers(0, 3, shape).astype(np.uint8)], small(), **where)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "bool"])
def test_whole_numbers_and_bools_are_reduced(dtype: str) -> None:
    x = np.random.default_rng(2).integers(0, 2, (30, 20)).astype(dtype)
    for where in axes(x.shape):
        for op in ("sum", "any", "all"):
            assert_right(OPS[op], [x], small(), **where)
        if dtype != "bool":
            assert_right(OPS["amax"], [x], small(), **where)


def test_views_are_reduced() -> None:
    x = drawn(12, 20, 3)
    views = [x[::-1], x[:, ::-2], x.transpose(2, 0, 1), x[1::3, 4:], np.broadcast_to(x[:, :1], (12, 20, 3))]
    for view in views:
        for where in axes(view.shape):
            assert_right(OPS["sum"], [view], small(), **where)
            assert_right(OPS["argmax"], [view], small(), **where)
        assert_right(OPS["softmax"], [view], small(), axis=1)


TEXTS = {
    "outputs over other indices": "op f(x[i, j]: float) -> (m[i], y[i, j], s[j]) "
    "{ m = sum[k](x[i, k]); y = x[i, j] - max[k](x[i, k]); s = sum[i](x[i, j]); }",
    "a reduction in a reduction": "op f(x[i, k]: float, y[k, l]: float) -> z[i] "
    "{ z = max[k](sum[l](sin(x[i, k] - y[k, l]))); }",
    "a condition on positions": "op f(x[i, k]: float) -> y[i] { y = sum[k](k > i ? x[i, k] : -1); }",
    "a window": "op f(x[n]: float, w[k]: float) -> y[n] { y = max[k]((x[n * 2 + k - 1] else 0.5) * w[k]); }",
    "a position from data": "op f(x[t, j]: float, at[i]: int) -> y[i] { y = sum[j](x[at[i], j]); }",
    "several kinds at once": "op f(x[i, k]: float) -> (a[i], b[i], c[i]) "
    "{ a = sum[k](x[i, k] ^ 2); b = argmax[k](x[i, k]); c = min[k](x[i, k]); }",
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_any_formula_is_right(name: str) -> None:
    op = compiled(TEXTS[name])
    for first, second in ((3, 5), (17, 9), (40, 30)):
        arrays = {
            "a reduction in a reduction": [drawn(first, second), drawn(second, 6)],
            "a window": [drawn(first), drawn(second)],
            "a position from data": [drawn(first, second), np.arange(second, dtype=np.int32)[::-1] % first],
        }
        assert_right(op, arrays.get(name, [drawn(first, second)]), small())


def test_formulas_at_random_are_right() -> None:
    for seed in range(24):
        made = random_formulas.formulas(random_formulas.Seeded(seed))
        if np.prod([max(each, 1) for each in made.lengths.values()]) <= 5000:
            assert_right(compiled(made.text), list(made.arrays.values()), small())


def test_what_is_long_is_written_once() -> None:
    """A value that is used by both branches of a condition, again and again, is not written out for each."""
    lines, before = [], "x[i]"
    for at in range(40):
        lines.append(f"v{at} = {before} > 0 ? sin({before}) * {before} : {before} - cos({before});")
        before = f"v{at}"
    op = compiled(f"op f(x[i]: float) -> y[i] {{ {' '.join(lines)} y = {before}; }}")
    assert assert_right(op, [drawn(9)], small()) == ["map"]


def test_a_group_is_no_larger_than_the_device_allows() -> None:
    for room in (8, 64, 100):
        assert_right(OPS["softmax"], [drawn(9, 100)], replace(GPU, work_group_size=room), axis=1)


def test_little_local_memory_is_enough() -> None:
    op = compiled(TEXTS["several kinds at once"])
    for length in (30, 300):
        assert assert_right(op, [drawn(20, length)], replace(GPU, local_memory=1 << 11)) == ["rows"]


# --- on the device ----------------------------------------------------------------------------------------------------


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default device is taken for a card."""
    plans_of_its_own(monkeypatch)
    driver = POCL if core.default_device().is_pocl else GPU.driver
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: replace(GPU, driver=driver)))


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(3, 5), (100, 300), (2000, 3)], ids=str)
@pytest.mark.sample(2)
def test_reductions_and_their_gradients_are_right_on_a_card(shape: tuple[int, ...], axis: int) -> None:
    x = drawn(*shape).astype(np.float32)
    for op in ("softmax", "amax", "var"):
        assert_op_agrees(op, x, axis=axis)


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
@pytest.mark.sample(2)
def test_other_floats_are_reduced_on_a_card(dtype: str) -> None:
    x = core.from_host(drawn(70, 90).astype(np.float32), dtype=dtype)
    wide = x.to_host().astype(np.float64)
    tolerance = {"float16": 1e-2, "bfloat16": 6e-2, "float64": 1e-12}[dtype]
    for axis in (0, 1):
        for op, wanted in (("sum", wide.sum(axis)), ("amax", wide.max(axis)), ("argmax", wide.argmax(axis))):
            (found,) = _run(op, x, axis=axis)
            np.testing.assert_allclose(found.to_host().astype(np.float64), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.usefixtures("card")
def test_a_long_sum_is_exact_and_the_same_again_on_a_card() -> None:
    x = core.from_host(np.ones(1 << 20, np.float32))
    y = core.from_host(drawn(1 << 20).astype(np.float32))
    assert _run("sum", x)[0].to_host() == 1 << 20
    found = [_run("sum", y)[0].to_host() for _ in range(3)]
    assert found[0] == found[1] == found[2]
    np.testing.assert_allclose(found[0], y.to_host().astype(np.float64).sum(), atol=2e-3)


@pytest.mark.usefixtures("card")
def test_a_new_shape_needs_no_new_kernel_on_a_card() -> None:
    texts = {_plan("softmax", core.from_host(drawn(70, length).astype(np.float32))).text for length in (300, 310, 499)}
    assert len(texts) == 1


def _plan(op: str, *tensors: core.Tensor, **attributes: Any) -> launch.Plan:
    call = OPS[op].bind(list(tensors), attributes)
    return launch.prepare(call.formula, call.operands, call.attributes)


def _run(op: str, *tensors: core.Tensor, **attributes: Any) -> Any:
    call = OPS[op].bind(list(tensors), attributes)
    return launch.run(call.formula, call.operands, call.attributes)
