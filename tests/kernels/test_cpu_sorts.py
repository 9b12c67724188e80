"""Sorts on CPUs as loop nests: legal, and in the order of NumPy; run on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from evaluated import compiled
from interpreted import ran_op
from test_sorts import order

from netcl.kernels.compiler.target import named

TARGET = named("small-cpu")
RNG = np.random.default_rng(19)
LIMITS = TARGET.sorts
COUNTED, COMPARED, BY_DIGITS, SHARED = LIMITS.short, LIMITS.many, LIMITS.long, LIMITS.long + 14
"""Lengths of rows that are sorted in each way."""


def assert_sorted(x: np.ndarray[Any, Any], kernels: int = 1, ways: tuple[bool, ...] = (False, True)) -> None:
    for descending in ways:
        found = ran_op("sort", x, target=TARGET, axis=-1, descending=descending)
        expected = order(x, descending)
        assert len(found.kernels) == kernels
        np.testing.assert_array_equal(found["indices"], expected)
        values = np.take_along_axis(x, expected, -1)
        np.testing.assert_array_equal(found["values"], values)
        np.testing.assert_array_equal(np.signbit(found["values"]), np.signbit(values))


def tied(dtype: str, *shape: int) -> np.ndarray[Any, Any]:
    if dtype.startswith("float"):
        return RNG.choice(np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -2, 1e-40], dtype), shape)
    limits = np.iinfo(dtype)
    return RNG.choice(np.array([limits.min, limits.max, 0, 1], dtype), shape)


@pytest.mark.parametrize("length", [1, 5, COUNTED, COUNTED + 1, COMPARED, BY_DIGITS])
@pytest.mark.sample(2)
def test_rows_of_any_length_are_sorted(length: int) -> None:
    assert_sorted(tied("int32", 2, length))
    assert_sorted((40 * RNG.standard_normal((2, length))).astype(np.float32))


@pytest.mark.parametrize("dtype", ["float64", "int64", "uint8"])
@pytest.mark.parametrize("length", [1, COUNTED, COUNTED + 1])
@pytest.mark.sample(3)
def test_so_are_those_of_other_dtypes(length: int, dtype: str) -> None:
    assert_sorted(tied(dtype, 2, length))


@pytest.mark.parametrize("like", ["normal", "tied", "one value", "two values", "far apart"])
@pytest.mark.sample(2)
def test_long_rows_are_dealt_to_bins(like: str) -> None:
    normal = RNG.standard_normal(SHARED).astype(np.float32)
    x = {
        "normal": normal, "tied": tied("float32", SHARED), "one value": np.full(SHARED, 2.5, np.float32),
        "two values": np.where(normal > 2, -1, 3).astype("float32"), "far apart": np.exp(25 * normal),
    }[like]  # fmt: skip
    assert_sorted(x, kernels=2, ways=(like in ("tied", "normal"),))


def test_views_are_dealt_from_where_they_are() -> None:
    assert_sorted(RNG.integers(-900, 900, (2 * SHARED, 2)).astype(np.int32)[::-2, 1], kernels=2, ways=(False,))


def test_what_is_sorted_may_be_computed_and_what_is_written_too() -> None:
    op = compiled("op f(x[n, t]: float) -> y[n, t] { y = x[n, argsort[s <= t](x[n, s] ^ 2)] + t; }")
    for length in (COUNTED, COMPARED, BY_DIGITS):
        x = RNG.standard_normal((2, length)).astype(np.float32)
        expected = np.take_along_axis(x, order(x * x, False), -1) + np.arange(length)
        np.testing.assert_allclose(ran_op(op, x, target=TARGET)["y"], expected, rtol=1e-6)
