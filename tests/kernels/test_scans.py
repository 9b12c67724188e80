"""Scans: running sums, products, extreme values and recurrences, their derivatives of any order, and their kernels."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from differentiated import assert_op_agrees, gradients
from evaluated import Value, assert_derivatives, call, catalogue, compiled, gradient_of, value, vjp
from launched import assert_agrees, schedules

from netcl import core

RNG = np.random.default_rng(11)
NUMPY: dict[str, Callable[..., Any]] = {
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "cummax": np.maximum.accumulate,
    "cummin": np.minimum.accumulate,
    "logcumsumexp": np.logaddexp.accumulate,
}
REDUCED = re.compile(r"\b(sum|prod|max|min|argmax|argmin)\[[^<>\]]*\]")
AXES = [((5,), 0), ((3, 4), 0), ((3, 4), -1), ((2, 3, 2), 1), ((1, 4), 0), ((0, 3), 1), ((3, 0), 1)]


@pytest.mark.parametrize("name", NUMPY)
@pytest.mark.parametrize(("shape", "axis"), AXES)
def test_a_running_value_is_numpys_along_any_axis(name: str, shape: tuple[int, ...], axis: int) -> None:
    x = RNG.normal(size=shape)
    np.testing.assert_allclose(value(catalogue[name], x, axis=axis), NUMPY[name](x, axis=axis), rtol=1e-12)


@pytest.mark.parametrize("name", NUMPY)
def test_derivatives_of_running_values_are_right_to_the_second_order(name: str) -> None:
    assert_derivatives(catalogue[name], [RNG.normal(size=(2, 4, 2))], axis=1)


SUMS = {
    "y = sum[s <= t](x[s]);": np.cumsum,
    "y = sum[s < t](x[s]);": lambda x: np.cumsum(x) - x,
    "y = sum[s >= t](x[s]);": lambda x: np.cumsum(x[::-1])[::-1],
    "y = sum[s > t](x[s]);": lambda x: np.cumsum(x[::-1])[::-1] - x,
    "y = prod[s > t](x[s]);": lambda x: np.append(np.cumprod(x[::-1])[::-1][1:], 1),
    "y = t > 0 ? max[s < t](x[s]) : x;": lambda x: np.append(x[0], np.maximum.accumulate(x)[:-1]),
    "y = x * sum[s <= t](x[s] * x[s]);": lambda x: x * np.cumsum(x * x),
    "y = sum[s <= t](x[s] * x[t]);": lambda x: x * np.cumsum(x),
    "y = sum[s <= t // 2](x[s]);": lambda x: np.cumsum(x)[np.arange(len(x)) // 2],
    "y = sum[s <= t](sum[r <= s](x[r]));": lambda x: np.cumsum(np.cumsum(x)),
    "y = scan[s <= t](0.5, x[s]);": lambda x: [sum(x[s] * 0.5 ** (t - s) for s in range(t + 1)) for t in range(len(x))],
    "y = scan[s <= t](x[s], x[s]);": lambda x: [sum(np.prod(x[s : t + 1]) for s in range(t + 1)) for t in range(6)],
}  # fmt: skip


@pytest.mark.parametrize("formula", SUMS)
def test_every_form_of_a_scan_means_what_it_says(formula: str) -> None:
    x = RNG.uniform(0.5, 1.5, size=6)
    op = compiled(f"op f(x[t]: float) -> y[t] {{ {formula} }}")
    np.testing.assert_allclose(value(op, x), SUMS[formula](x), rtol=1e-12)
    assert_derivatives(op, [x[:4]])
    assert_agrees(op.bind([core.from_host(x)], {}).formula, [x], tolerance=1e-12)


def test_a_running_sum_over_two_axes_is_the_sum_of_all_before() -> None:
    x = RNG.normal(size=(3, 4))
    op = compiled("op f(x[t, u]: float) -> y[t, u] { y = sum[s <= t, r <= u](x[s, r]); }")
    np.testing.assert_allclose(value(op, x), np.cumsum(np.cumsum(x, 0), 1), rtol=1e-12)
    assert_derivatives(op, [x])


PRODUCT = "op f(x[t]: float) -> y[t] { y = prod[s](s <= t ? x[s] : 1); } # each product on its own"


@pytest.mark.parametrize("zeros", [(), (0,), (2,), (4,), (1, 3), (0, 1, 4), (0, 1, 2, 3, 4)])
def test_the_derivatives_of_a_product_with_zeros_are_those_of_each_product(zeros: tuple[int, ...]) -> None:
    x = RNG.uniform(0.5, 2, size=5)
    x[list(zeros)] = 0
    weights = [RNG.normal(size=5) for _ in range(3)]
    found = [[np.zeros(0)] * 3, [np.zeros(0)] * 3]
    for which, op in enumerate((catalogue["cumprod"], compiled(PRODUCT))):
        leaf = Value(x)
        current = call(op, leaf)
        for order in range(3):
            current = vjp(current, [Value(weights[order])], [leaf])
            found[which][order] = current[0].array
    for order in range(3):
        np.testing.assert_allclose(found[0][order], found[1][order], atol=1e-12, err_msg=f"order {order + 1}")


@pytest.mark.parametrize("shape", [(7, 40), (40, 7), (1, 40), (300, 5), (5, 0)])
@pytest.mark.sample(2)
def test_a_condition_for_whole_rows_leaves_out_only_what_is_not_asked_for(shape: tuple[int, ...]) -> None:
    x, w = RNG.uniform(0.5, 1.5, size=shape), RNG.normal(size=shape[0])
    for formula in (
        "y = w[i] > 0 ? sum[s < t](x[i, s]) : x;",
        "y = 3 * sum[s <= t](w[i] > 0 ? x[i, s] : 0);",
        "y = 3 * prod[s <= t](w[i] > 0 ? 0 : x[i, s]);",
        "y = (w[i] > 0 ? sum[s <= t](x[i, s]) : 1) * sum[s <= t](x[i, s]);",
        "y = w[i] > 0 ? (w[i] < 1 ? scan[s <= t](0.5, x[i, s]) : 2) : w[0] * max[s <= t](x[i, s]);",
    ):
        op = compiled(f"op f(x[i, t]: float, w[i]: float) -> y[i, t] {{ {formula} }}")
        assert_agrees(op.bind([core.from_host(x), core.from_host(w)], {}).formula, [x, w], tolerance=1e-12)
        of = compiled(f"op f(x[t, i]: float, w[i]: float) -> y[t, i] {{ {formula.replace('i, s', 's, i')} }}")
        turned = np.ascontiguousarray(x.T)
        assert_agrees(of.bind([core.from_host(turned), core.from_host(w)], {}).formula, [turned, w], tolerance=1e-12)


NUMBERS = {"none": (), "a zero": (0,), "two zeros": (0, 0), "inf": (np.inf,), "0 inf": (0, np.inf), "NaN": (np.nan,)}


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize(
    ("shape", "axis"), [((40,), 0), ((5, 7), (0, 1)), ((5, 70), 1), ((70, 5), 0), ((3, 4, 5), (0, 2))]
)
def test_the_gradient_of_a_product_is_the_product_of_all_others(
    shape: tuple[int, ...], axis: Any, numbers: str
) -> None:
    x = RNG.uniform(0.5, 1.5, size=shape)
    axes = (axis,) if isinstance(axis, int) else axis
    kept = tuple(each for each in range(len(shape)) if each not in axes)
    rows = np.transpose(x, (*kept, *axes)).reshape(int(np.prod([shape[each] for each in kept])), -1)
    for row in rows[::2]:
        row[RNG.choice(len(row), len(NUMBERS[numbers]), replace=False)] = NUMBERS[numbers]
    with np.errstate(invalid="ignore"):
        expected = [[np.prod(np.delete(row, at)) for at in range(len(row))] for row in rows]
    order = (*kept, *axes)
    x = np.transpose(rows.reshape([shape[each] for each in order]), np.argsort(order))
    (found,) = gradients("prod", np.ascontiguousarray(x), axis=axis)
    found = np.transpose(found, order).reshape(rows.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_gradient_of_a_product_is_right_where_the_product_is_beyond_all_floats() -> None:
    large = np.array([1e30, 2, 1e15], np.float32)
    np.testing.assert_allclose(gradients("prod", large)[0], [2e15, np.inf, 2e30], rtol=1e-6)
    small = np.array([1e-30, 3e4, 1e-15], np.float32)
    np.testing.assert_allclose(gradients("prod", small)[0][[0, 2]], [3e-11, 3e-26], rtol=1e-6)


def test_the_gradient_of_a_product_takes_as_many_steps_as_there_are_factors() -> None:
    zeros = np.zeros((1000, 1000), np.float32)
    for axis in (0, 1, (0, 1)):
        _, backward = assert_op_agrees("prod", zeros, axis=axis)
        assert "scan" in schedules(backward)


def test_the_gradient_of_a_running_extreme_value_goes_to_the_first_of_equal_values() -> None:
    x = np.array([1.0, 3.0, 3.0, 2.0, 3.0])
    assert gradient_of(catalogue["cummax"], x)[0].tolist() == [1, 4, 0, 0, 0]
    assert value(catalogue["cummax"], -x)[:3].tolist() == [-1, -1, -1]
    assert call(catalogue["cummax"], Value(x))[1].array.tolist() == [0, 1, 1, 1, 1]
    plain = compiled("op f(x[t]: float) -> y[t] { y = max[s <= t](x[s]); }")
    assert gradient_of(plain, x)[0].tolist() == [1, 4, 0, 0, 0]


def test_a_nan_stays_from_where_it_is_met() -> None:
    x = np.array([1.0, np.nan, 5.0, -np.inf], np.float32)
    for name in NUMPY:
        found = core_value(name, x)
        assert np.isnan(found).tolist() == [False, True, True, True], name
        np.testing.assert_array_equal(np.isnan(value(catalogue[name], x)), np.isnan(found))


def test_a_running_logsumexp_neither_overflows_nor_stumbles_over_infinities() -> None:
    for x in ([1000.0, 1000.0, -2000.0], [-np.inf, -np.inf, 3.0], [1.0, np.inf, 2.0], [-1e5, 0.0, 1e5]):
        given = np.array(x, np.float32)
        with np.errstate(all="ignore"):
            expected = np.logaddexp.accumulate(np.array(x))
        np.testing.assert_allclose(core_value("logcumsumexp", given), expected, rtol=1e-6)
    assert np.isfinite(gradients("logcumsumexp", np.array([-1e5, 0.0, 1e5], np.float32))[0]).all()
    assert gradients("logcumsumexp", np.array([1000.0, 1000.0], np.float32))[0].tolist() == [1.5, 0.5]


@pytest.mark.parametrize("name", NUMPY)
@pytest.mark.parametrize(("shape", "axis"), [((40,), 0), ((3, 20), 0), ((3, 20), 1)])
@pytest.mark.sample(6)
def test_the_device_agrees_and_needs_no_more_steps_than_elements(name: str, shape: tuple[int, ...], axis: int) -> None:
    x = RNG.normal(size=shape).astype(np.float32)
    forward, backward = assert_op_agrees(name, x, axis=axis)
    assert set(schedules(forward)) <= {"scan", "map", "loops"}
    assert not REDUCED.search(forward.text)
    if name not in ("cummax", "cummin"):  # theirs is a scatter-add, by the positions that were written down
        assert not REDUCED.search(backward.text)


def test_a_running_value_is_computed_once_for_all_who_read_it_in_whatever_order() -> None:
    u, delta, a, b, c, skip = (
        RNG.uniform(-1, 1, size=shape).astype(np.float32)
        for shape in ((2, 3, 9), (2, 3, 9), (3, 4), (2, 4, 9), (2, 4, 9), (3,))
    )
    forward, backward = assert_op_agrees("selective_scan", u, delta, a, b, c, skip)
    assert (forward.text.count("] = scan["), backward.text.count("] = scan[")) == (1, 2)


def test_a_running_value_that_an_output_repeats_along_an_index_is_not_read_from_there() -> None:
    text = "op f(x[t]: float, w[i]: float) -> (y[i, t], z[t]) { y = sum[s <= t](x[s]); z = 2 * sum[s <= t](x[s]); }"
    x = RNG.normal(size=9)
    repeated, doubled = compiled(text)(core.from_host(x), core.from_host(np.zeros(3)))
    np.testing.assert_allclose(repeated.to_host(), np.tile(np.cumsum(x), (3, 1)), rtol=1e-12)
    np.testing.assert_allclose(doubled.to_host(), 2 * np.cumsum(x), rtol=1e-12)


def test_views_and_rows_far_apart_are_read_where_they_are() -> None:
    x = core.from_host(RNG.normal(size=(20, 6)).astype(np.float32))
    turned = catalogue["permute"](x, (1, 0))
    for given, axis in ((turned, 0), (turned, 1), (catalogue["expand_at"](x, 1), 0)):
        expected = np.cumsum(given.to_host().astype(np.float64), axis=axis)
        np.testing.assert_allclose(catalogue["cumsum"](given, axis=axis).to_host(), expected, rtol=1e-5, atol=1e-5)


def test_a_long_running_sum_counts_every_one() -> None:
    counted = catalogue["cumsum"](core.ones((1 << 24) + 8)).to_host()
    assert counted[-1] == (1 << 24) + 8, "a plain float32 sum stops at 16,777,216"


def test_integers_and_bools_are_scanned_as_integers() -> None:
    x = np.array([3, -1, 2], np.int32)
    np.testing.assert_array_equal(core_value("cumsum", x), [3, 2, 4])
    np.testing.assert_array_equal(core_value("cummax", x), [3, 3, 3])
    op = compiled("op f(x[t]: bool) -> (a[t], b[t]) { a = any[s <= t](x[s]); b = all[s >= t](x[s]); }")
    given = core.from_host(np.array([False, True, False, True]))
    assert [each.to_host().tolist() for each in op(given)] == [[False, True, True, True], [False, False, False, True]]


def core_value(name: str, x: Any) -> Any:
    found = catalogue[name](core.from_host(x))
    return (found[0] if isinstance(found, tuple) else found).to_host()


TILES = [(16, 600), (37, 272), (100, 15), (17, 1), (3, 20, 300), (40, 1024), (64, 50, 3)]


@pytest.mark.parametrize("name", NUMPY)
@pytest.mark.parametrize(
    ("dtype", "shape"),
    [*(("float32", shape) for shape in TILES), ("float64", TILES[1]), ("float16", TILES[1]), ("int32", TILES[1])],
)
@pytest.mark.sample(8)
def test_many_rows_are_gone_along_together(name: str, dtype: str, shape: tuple[int, ...]) -> None:
    """Rows whose elements are neighbours, in tiles; those whose elements are not, apart; ends of both kinds."""
    if dtype == "int32":
        if name in ("cumprod", "logcumsumexp"):
            return
        x = RNG.integers(-9, 9, size=shape).astype(dtype)
    else:
        x = (RNG.normal(size=shape) if name != "cumprod" else 1 + 1e-2 * RNG.normal(size=shape)).astype(dtype)
    tolerance = {"float64": 1e-12, "float16": 2e-3}.get(dtype, 1e-4 if name == "cumprod" else 2e-6)
    wide = x if dtype == "int32" else x.astype(np.float64)
    for view in (np.s_[:], np.s_[::-1], np.s_[1:, :-1] if shape[1] > 1 else np.s_[:]):
        found = catalogue[name](core.from_host(x)[view], axis=1)
        found = found[0] if isinstance(found, tuple) else found
        np.testing.assert_allclose(found.to_host(), NUMPY[name](wide[view], axis=1), rtol=tolerance, atol=tolerance)


def test_a_running_sum_of_many_rows_may_be_written_over_its_operand() -> None:
    x = RNG.normal(size=(50, 700)).astype(np.float32)
    tensor = core.from_host(x)
    catalogue["cumsum"](tensor, axis=1, out=tensor)
    np.testing.assert_allclose(tensor.to_host(), np.cumsum(x.astype(np.float64), axis=1), rtol=1e-5, atol=1e-5)
