"""Scatter-adds, the gradients of reading by index: values, order and determinism."""

from __future__ import annotations

import numpy as np
import pytest
from differentiated import assert_op_agrees, compute_units, gradients
from launched import assert_agrees, element, formula, operand, schedules

from netcl import core, kernels
from netcl.kernels.compiler.ir import position, read
from netcl.kernels.compiler.ir.binding import total
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.runtime import launch

rng = np.random.default_rng(12)


def normal(*shape: int, dtype: str = "float32") -> np.ndarray:
    return rng.normal(size=shape).astype(dtype)


def indices(limit: int, *shape: int) -> np.ndarray:
    return rng.integers(0, limit, shape)


@pytest.mark.parametrize(
    ("table", "index"),
    [((50, 64), (300,)), ((50, 5), (30, 10)), ((10, 40), (9000,)), ((200, 1), (7001,)), ((1000, 17), (13, 7, 5)),
     ((3000, 33), (10,)), ((50, 64), (0,)), ((1, 64), (300,)), ((100, 0), (300,))],
)  # fmt: skip
def test_the_gradient_of_an_embedding_agrees_with_the_evaluator(table: tuple[int, ...], index: tuple[int, ...]) -> None:
    assert_op_agrees("embedding", normal(*table), indices(table[0], *index))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.sample(3)
def test_the_gradient_of_take_along_any_axis_agrees_with_the_evaluator(axis: int, dtype: str) -> None:
    x = normal(30, 40, 50, dtype=dtype)
    tolerance = 3e-5 if dtype == "float32" else 1e-12
    _, backward = assert_op_agrees("take", x, indices(x.shape[axis], 700), axis=axis, tolerance=tolerance)
    assert "scatter" in schedules(backward)


def test_negative_positions_count_from_the_end() -> None:
    assert_op_agrees("take", normal(100, 20), indices(200, 500) - 100)


def test_values_for_rows_that_do_not_exist_go_nowhere() -> None:
    value, index = operand("value", "n d"), operand("index", "n", "int64")
    at = read("index", (position("n"),), "int64")
    table = operand("table", "v d")
    scattered = total("sum", ("n",), call("select", call("eq", at, position("v")), element(value), 0.0))
    plan = assert_agrees(
        formula("put", [value, index, table], {"y": ("v d", scattered)}),
        [normal(500, 20), rng.integers(-50, 150, 500), normal(100, 20)], tolerance=2e-5,
    )  # fmt: skip
    assert schedules(plan) == ["scatter"]


def test_conditions_and_what_surrounds_the_sum_are_kept() -> None:
    value, index, weight = operand("value", "n d"), operand("index", "n", "int64"), operand("weight", "n")
    at = read("index", (position("n"),), "int64")
    table = operand("table", "v d")
    here = call("and", call("eq", at, position("v")), call("gt", element(weight), 0.0))
    scattered = total("sum", ("n",), call("select", here, element(value) * element(weight), 0.0))
    plan = assert_agrees(
        formula("put", [value, index, weight, table], {"y": ("v d", element(table) * 2.0 + scattered)}),
        [normal(500, 20), indices(100, 500), normal(500), normal(100, 20)], tolerance=2e-5,
    )  # fmt: skip
    assert "scatter" in schedules(plan)


def test_rows_may_be_chosen_by_two_positions() -> None:
    value = operand("value", "n d")
    first, second = operand("first", "n", "int64"), operand("second", "n", "int64")
    table = operand("table", "u v d")
    here = call("and", call("eq", element(first), position("u")), call("eq", element(second), position("v")))
    scattered = total("sum", ("n",), call("select", here, element(value), 0.0))
    plan = assert_agrees(
        formula("put", [value, first, second, table], {"y": ("u v d", scattered)}),
        [normal(500, 20), indices(12, 500), indices(9, 500), normal(12, 9, 20)], tolerance=2e-5,
    )  # fmt: skip
    assert schedules(plan) == ["scatter"]


@pytest.mark.parametrize("count", [500, 40000])
def test_outputs_may_share_the_rows(count: int) -> None:
    value, index = operand("value", "n d"), operand("index", "n", "int64")
    table = operand("table", "v d")
    here = call("eq", read("index", (position("n"),), "int64"), position("v"))
    scattered = total("max", ("n",), call("select", here, element(value), -np.inf))
    outputs = {"y": ("v d", call("maximum", element(table), scattered)), "largest": ("v d", scattered)}
    plan = assert_agrees(
        formula("put", [value, index, table], outputs),
        [normal(count, 20), rng.integers(-50, 150, count), normal(100, 20)],
    )  # fmt: skip
    assert "scatter" in schedules(plan)


def test_a_recorded_scatter_is_one_too() -> None:
    x, index, source = normal(300, 40), indices(300, 1000, 40), normal(1000, 40)
    forward, _ = assert_op_agrees("scatter", x, index, source, axis=0)
    assert "scatter" in schedules(forward)


def test_each_row_is_the_sum_of_its_values_in_order() -> None:
    index = indices(40, 3000)
    values = (rng.normal(size=(3000, 8)) * 10.0 ** rng.integers(-6, 6, (3000, 1))).astype("float32")
    value, where, table = operand("value", "n d"), operand("index", "n", "int64"), operand("table", "v d")
    scattered = total("sum", ("n",), call("select", call("eq", element(where), position("v")), element(value), 0.0))
    of = formula("put", [value, where, table], {"y": ("v d", scattered)})
    found = launch.run(of, [core.from_host(each) for each in (values, index, normal(40, 8))], {})[0].to_host()
    expected = np.zeros((40, 8), "float32")
    for at, row in zip(index, values, strict=True):
        expected[at] += row
    np.testing.assert_array_equal(found, expected)


def test_a_nan_reaches_only_its_row() -> None:
    table, index = normal(100, 20), indices(100, 400)
    value, where = operand("value", "n d"), operand("index", "n", "int64")
    scattered = total("sum", ("n",), call("select", call("eq", element(where), position("v")), element(value), 0.0))
    of = formula("put", [value, where, operand("table", "v d")], {"y": ("v d", scattered)})
    values = normal(400, 20)
    values[7, 3] = np.nan
    found = launch.run(of, [core.from_host(each) for each in (values, index, table)], {})[0].to_host()
    assert np.isnan(found[index[7], 3])
    assert np.isnan(found).sum() == 1


@pytest.mark.parametrize(("rows", "width", "count"), [(1000, 16, 5000), (50, 3, 40000), (10, 64, 20000)])
def test_the_bits_depend_neither_on_the_run_nor_on_the_number_of_work_items(
    rows: int, width: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, index = normal(rows, width), indices(rows, count)
    found = []
    for units in (1, 3, 64):
        with compute_units(monkeypatch, units):
            found += [gradients("embedding", table, index)[0] for _ in range(7)]
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


@pytest.mark.parametrize("rows", [1, 9, 300])
def test_the_largest_of_what_arrives_is_numpys(rows: int) -> None:
    x, values = normal(rows), normal(5000)
    values[::7] = values[0]
    values[3], values[4], values[11], x[0] = np.nan, -np.inf, np.inf, np.nan
    index = indices(rows, 5000)
    expected = x.copy()
    with np.errstate(invalid="ignore"):
        np.maximum.at(expected, index, values)
    found = kernels.ops.scatter_amax(core.from_host(x), core.from_host(index), core.from_host(values), axis=0)
    np.testing.assert_array_equal(found.to_host(), expected)
