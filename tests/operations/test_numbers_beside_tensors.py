"""A Python number takes the dtype of the Tensors beside it, unless it is of a higher kind: the rule of numpy, too."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from netcl import core, kernels

OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.eq, operator.ne, operator.lt,
    operator.le, operator.gt, operator.ge,
]  # fmt: skip
FLAGS = np.array([False, True])


@pytest.mark.parametrize("number", [2, -1, 300, 1, 0.5, 2.0, np.int64(3)], ids=repr)
@pytest.mark.parametrize("apply", OPERATORS, ids=lambda each: each.__name__)
@pytest.mark.sample(66)
def test_a_number_beside_bools_keeps_its_value(apply: Any, number: Any) -> None:
    flags = core.from_host(FLAGS)
    expected = apply(FLAGS.astype(np.int64 if isinstance(number, (int, np.integer)) else np.float32), number)
    found = apply(flags, number)
    np.testing.assert_array_equal(found.to_host(), expected)
    if expected.dtype != np.bool_:
        assert found.dtype == core.dtypes.promote(core.bool_, number if isinstance(number, float) else int(number))


@pytest.mark.parametrize("number", [2, 3.5])
def test_a_number_before_bools_keeps_its_value(number: float) -> None:
    flags = core.from_host(FLAGS)
    np.testing.assert_array_equal((number - flags).to_host(), number - FLAGS.astype(np.int64))
    np.testing.assert_array_equal((number**flags).to_host(), number ** FLAGS.astype(np.int64))


def test_a_choice_between_a_number_and_bools_keeps_both() -> None:
    flags = core.from_host(FLAGS)
    assert kernels.ops.where(flags, flags, 5).tolist() == [5, 1]
    assert kernels.ops.maximum(flags, 2).tolist() == [2, 2]
    assert kernels.ops.clamp(flags, 2, 3).tolist() == [2, 2]


def test_what_takes_truth_values_takes_a_number_as_one() -> None:
    assert kernels.ops.logical_and(core.from_host(FLAGS), 2).tolist() == [False, True]


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float16", "float32", "float64"])
def test_a_whole_number_takes_the_dtype_of_numbers_beside_it(dtype: str) -> None:
    found = core.ones(3, dtype) * 2
    assert found.dtype.name == dtype
    assert found.tolist() == [2, 2, 2]


@pytest.mark.parametrize("number", [0, 1, 5, 0.5, True])
def test_a_number_that_is_written_into_bools_is_a_truth_value(number: float) -> None:
    flags = core.from_host(np.array([False, True, False]))
    flags[1:] = number
    assert flags.tolist() == [False, bool(number), bool(number)]
    assert flags.dtype == core.bool_


def test_what_is_0_elsewhere_leaves_bools_bools() -> None:
    flags = np.array([[True, False, True]] * 3)
    x = core.from_host(flags)
    np.testing.assert_array_equal(kernels.ops.tril(x).to_host(), np.tril(flags), strict=True)
    np.testing.assert_array_equal(kernels.ops.diag_embed(x).to_host()[0], np.diag(flags[0]), strict=True)
    index = core.from_host(np.array([[2, 0, 1]] * 3))
    found = kernels.ops.scatter(x, index, x, 1).to_host()
    np.testing.assert_array_equal(found, flags[:, [1, 2, 0]], strict=True)


@pytest.mark.parametrize("value", [0, 1, 1.0, True, 7])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float16", "float64"])
def test_pad_keeps_the_dtype_where_that_has_the_number(dtype: str, value: float) -> None:
    x = np.arange(3).astype(dtype)
    found = kernels.ops.pad(core.from_host(x), [(1, 2)], value=value).to_host()
    kept = dtype if dtype != "bool" or value in (0, 1) else "int64"
    np.testing.assert_array_equal(found, np.pad(x.astype(kept), [(1, 2)], constant_values=value), strict=True)


def test_pad_with_a_fraction_makes_floats_of_integers() -> None:
    found = kernels.ops.pad(core.from_host(np.array([1, 2])), [(1, 0)], value=0.5).to_host()
    np.testing.assert_array_equal(found, np.array([0.5, 1, 2], np.float32), strict=True)


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
def test_what_computes_no_fraction_keeps_whole_numbers_whole(dtype: str) -> None:
    given = np.array([2**53 + 1 if dtype == "int64" else 200, 3, 0], dtype)
    x, ones = core.from_host(given), core.from_host(np.ones(3, dtype))
    most = int(given[0]) + 1 if dtype == "int64" else 255
    ops = kernels.ops
    for found, expected in (
        (ops.nan_to_num(x), given),
        (ops.nan_to_num(x, nan=0.5, posinf=1.5), given),
        (ops.addcmul(x, x, ones), given + given),
        (ops.addcmul(x, ones, ones, value=2), given + given.dtype.type(2)),
        (ops.hardtanh(x, 1, most), np.maximum(given, 1)),
        (ops.threshold(x, 5, 7), np.where(given > 5, given, 7)),
        (ops.embedding(ops.reshape(x, (3, 1)), core.from_host(np.array([0, 2]))), given[[0, 2], None]),
    ):
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.to_host(), expected)
    total = ops.nansum(x)
    assert (total.dtype, total.item()) == ("int64", int(given.astype(np.int64).sum()))
    assert ops.addcmul(x, x, ones, value=0.5).dtype == "float32"
