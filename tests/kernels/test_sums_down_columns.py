"""Rows, and sums down the columns of the same elements, in one kernel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from evaluated import Value, compiled
from interpreted import ran_op
from launched import assert_agrees, schedules

from netcl import core
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.compiler.target import CPU
from netcl.kernels.library.op import Op

rng = np.random.default_rng(13)
NORM = """
op norm(x[*i, j]: number, w[j]: number) -> (y[*i, j], m[*i], a[j], b[j]) {
    d = x - sum[j](x) / size[j];
    y = d * w;
    m = max[j](x);
    a = sum[*i](d * x) + 1;
    b = sum[*i](x);
}
"""
TARGET = replace(
    CPU, blocks=replace(CPU.blocks, enough_units=3, much_work=64, many_rows=24, least_rows=8, run=3, beside=100)
)


def normal(*shape: int) -> np.ndarray:
    return rng.normal(size=shape).astype(np.float32)


def expected(x: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, ...]:
    x, w = x.astype(np.float64), w.astype(np.float64)
    d = x - x.mean(axis=-1, keepdims=True)
    rows = tuple(range(x.ndim - 1))
    return d * w, x.max(axis=-1), (d * x).sum(axis=rows) + 1, x.sum(axis=rows)


def formula_of(op: Op, *arrays: np.ndarray) -> Formula:
    return op.bind([Value(each) for each in arrays], {}).formula


@pytest.mark.parametrize(
    "shape", [(4100, 16), (2100, 33), (1031, 257), (20000, 17), (3, 400, 64), (2, 3, 300, 47), (4097, 130)]
)
def test_rows_and_sums_down_them_are_one_kernel_and_right(shape: tuple[int, ...]) -> None:
    x, w = normal(*shape), normal(shape[-1])
    op = compiled(NORM)
    plan = assert_agrees(formula_of(op, x, w), [x, w], tolerance=1e-3)
    assert schedules(plan)[0] == "down_columns"
    for found, right in zip(op(core.from_host(x), core.from_host(w)), expected(x, w), strict=True):
        np.testing.assert_allclose(found.to_host(), right, rtol=1e-4, atol=2e-3)


@pytest.mark.parametrize("shape", [(25, 4), (40, 17), (100, 33), (31, 16), (3, 9, 20), (24, 1)])
@pytest.mark.sample(3)
def test_the_nests_are_legal_and_right_for_every_share_of_the_rows(shape: tuple[int, ...]) -> None:
    x, w = normal(*shape), normal(shape[-1])
    found = ran_op(compiled(NORM), x, w, target=TARGET)
    assert ("down_columns" in found.schedules) == (shape[-1] >= 16)
    for name, right in zip("ymab", expected(x, w), strict=True):
        np.testing.assert_allclose(found[name].reshape(right.shape), right, rtol=1e-9, atol=1e-9)


def test_integers_are_added_as_integers() -> None:
    op = compiled("op f(x[i, j]: int) -> (y[i, j], a[j]) { y = x * 2; a = sum[i](x * x); }")
    x = rng.integers(-9, 9, (700, 48)).astype(np.int32)
    y, a = op(core.from_host(x))
    np.testing.assert_array_equal(y.to_host(), 2 * x)
    np.testing.assert_array_equal(a.to_host(), (x * x).sum(axis=0))


@pytest.mark.parametrize("view", [np.s_[:, 5:], np.s_[::2], np.s_[::-1, ::-1], np.s_[3:, ::3]])
def test_views_are_right_whatever_they_are_computed_by(view: tuple[slice, ...]) -> None:
    x = normal(1500, 140)
    tensor, w = core.from_host(x)[view], normal(x[view].shape[1])
    op = compiled(NORM)
    for found, right in zip(op(tensor, core.from_host(w)), expected(x[view], w), strict=True):
        np.testing.assert_allclose(found.to_host(), right, rtol=1e-4, atol=2e-3)
    turned = core.from_host(np.ascontiguousarray(x.T)).T
    for found, right in zip(op(turned, core.from_host(normal(140) * 0 + 1)), expected(x, np.ones(140)), strict=True):
        np.testing.assert_allclose(found.to_host(), right, rtol=1e-4, atol=2e-3)


def test_a_nan_stays_in_its_row_and_its_column() -> None:
    op = compiled("op f(x[i, j]: float) -> (y[i, j], a[j]) { y = x - max[j](x); a = sum[i](x * x); }")
    x = normal(900, 40)
    x[700, 7] = np.nan
    x[0, 3], x[899, 39] = np.inf, -np.inf
    y, a = (each.to_host() for each in op(core.from_host(x)))
    assert np.isnan(y[700]).all()
    assert np.isnan(y).sum() == 40 + 1  # inf - inf
    assert np.isnan(a).nonzero()[0].tolist() == [7]
    assert np.isinf(a).nonzero()[0].tolist() == [3, 39]


def test_what_is_computed_of_a_row_is_no_temporary_where_sums_alone_read_it() -> None:
    x, w = normal(60, 20), normal(20)
    op = compiled(
        "op f(x[i, j]: float, w[j]: float) -> (y[i, j], a[j]) {"
        " r = rsqrt(sum[j](x * x) + 1); y = x * w * r; a = sum[i](x * r); }"
    )
    found = ran_op(op, x, w, target=TARGET)
    assert found.schedules == ["down_columns", "columns"]
    assert found.memory.keys() - {"x", "w"} == {"y", "a", "f.part_1"}


def test_an_operand_may_be_written_over() -> None:
    op = compiled("op f(x[i, j]: float, w[j]: float) -> (y[i, j], a[j]) { y = x * w; a = sum[i](x * x); }")
    x, w = normal(800, 48), normal(48)
    tensor, sums = core.from_host(x), core.empty((48,))
    op(tensor, core.from_host(w), out=(tensor, sums))
    np.testing.assert_allclose(tensor.to_host(), x * w, rtol=1e-6)
    np.testing.assert_allclose(sums.to_host(), (x.astype(np.float64) ** 2).sum(axis=0), rtol=1e-5)


def test_a_long_column_of_ones_is_counted_exactly() -> None:
    op = compiled("op f(x[i, j]: float) -> (y[i, j], a[j]) { y = x * 2; a = sum[i](x); }")
    _, a = op(core.ones((1 << 20, 16)))
    assert (a.to_host() == 1 << 20).all()


MIXED = """
op mixed(x[r, n]: float, w[n]: float) -> (y[r, n], v[r], m[r], c[n], d[n], t) {
    v = max[n](x);
    m = sum[n](x);
    y = (x - v) * w + m;
    c = sum[r]((x - m) * x);
    d = sum[r](x);
    t = sum[r, n](x);
}
"""


@pytest.mark.parametrize("rows", [0, 1, 17, 600])
@pytest.mark.parametrize("columns", [0, 1, 16, 70])
@pytest.mark.sample(10)
def test_outputs_over_rows_columns_and_elements_are_right_at_every_size(rows: int, columns: int) -> None:
    x, w = normal(rows, columns), normal(columns)
    wide = x.astype(np.float64)
    most = wide.max(axis=1) if columns else np.full(rows, -np.inf)
    total = wide.sum(axis=1)
    right = (
        (wide - most[:, None]) * w + total[:, None], most, total,
        ((wide - total[:, None]) * wide).sum(axis=0), wide.sum(axis=0), wide.sum(),
    )  # fmt: skip
    for found, expected in zip(compiled(MIXED)(core.from_host(x), core.from_host(w)), right, strict=True):
        np.testing.assert_allclose(found.to_host(), expected, rtol=3e-4, atol=3e-3)
