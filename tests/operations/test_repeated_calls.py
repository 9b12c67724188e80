"""A call like one before goes straight to its plan: nothing that a plan depends on may be taken for the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from netcl import core
from netcl.kernels import ops

A = np.arange(24, dtype=np.float32).reshape(4, 6) - 11.5


def twice(op: Any, *args: Any, **kwargs: Any) -> np.ndarray[Any, Any]:
    first, second = (op(*args, **kwargs).to_host() for _ in range(2))
    np.testing.assert_array_equal(first, second)
    return second


def test_views_of_one_shape_have_plans_of_their_own() -> None:
    whole = core.from_host(np.arange(64, dtype=np.float32).reshape(8, 8))
    host = whole.to_host()
    for rows, columns in [((0, 4), 1), ((4, 8), 1), ((0, 8), 2), ((3, 7), 1)]:
        step = (rows[1] - rows[0]) // 4
        view = whole[rows[0] : rows[1] : step, 0 : 4 * columns : columns]
        wanted = host[rows[0] : rows[1] : step, 0 : 4 * columns : columns]
        np.testing.assert_array_equal(twice(ops.add, view, view.T), wanted + wanted.T)
        np.testing.assert_array_equal(twice(ops.sum, view, axis=0), wanted.sum(axis=0))
        np.testing.assert_array_equal(twice(ops.any, view, axis=1), wanted.any(axis=1))


def test_numbers_may_change_from_call_to_call() -> None:
    x = core.from_host(A)
    for slope in (0.5, 0.25, 2):
        np.testing.assert_array_equal(twice(ops.leaky_relu, x, slope), np.where(A > 0, A, np.float32(slope) * A))
        np.testing.assert_array_equal(twice(ops.leaky_relu, x, slope=slope)[A > 0], A[A > 0])
        np.testing.assert_array_equal(twice(ops.mul, x, slope), A * np.float32(slope))
        np.testing.assert_array_equal(twice(ops.sub, slope, x), np.float32(slope) - A)
    for shift in (1, 2, -1):
        np.testing.assert_array_equal(twice(ops.roll, x, shift, axis=1), np.roll(A, shift, axis=1))
        np.testing.assert_array_equal(twice(ops.diagonal, x, shift), np.diagonal(A, shift))
        np.testing.assert_array_equal(twice(ops.repeat_interleave, x, abs(shift), axis=0), A.repeat(abs(shift), axis=0))


def test_axes_shapes_and_dtypes_may_change_from_call_to_call() -> None:
    for dtype in (np.float32, np.int32, np.float64):
        for shape in ((4, 6), (6, 4), (24, 1), (1, 24)):
            host = A.reshape(shape).astype(dtype)
            x = core.from_host(host)
            for axis in (0, 1, -1):
                np.testing.assert_allclose(twice(ops.sum, x, axis=axis), host.sum(axis=axis), rtol=1e-6)
                np.testing.assert_array_equal(twice(ops.argmax, x, axis=axis), host.argmax(axis=axis))
            np.testing.assert_array_equal(twice(ops.reshape, x, (2, 12)), host.reshape(2, 12))
            np.testing.assert_array_equal(twice(ops.reshape, x, (12, 2)), host.reshape(12, 2))


def test_queues_are_kept_apart() -> None:
    queues = [core.Queue(), core.Queue()]
    for queue in queues * 2:
        x = core.from_host(A, queue)
        assert twice(ops.exp, x).shape == A.shape
        assert ops.exp(x).queue is queue
    here, there = (core.from_host(A, queue) for queue in queues)
    for _ in range(2):
        with pytest.raises(core.DeviceError, match="another queue"):
            ops.add(here, there)


def test_positions_are_checked_at_every_call() -> None:
    x = core.from_host(A)
    for _ in range(2):
        chosen = ops.index_select(x, 0, core.from_host(np.array([3, 0])))
        np.testing.assert_array_equal(chosen.to_host(), A[[3, 0]])
        with pytest.raises(core.IndexOutOfRangeError):
            ops.index_select(x, 0, core.from_host(np.array([3, 4])))


def test_numpy_scalars_are_numbers_at_every_call_and_no_entry_each() -> None:
    x, whole = core.from_host(A), core.from_host(np.arange(6, dtype=np.int32))
    for _ in range(3):
        np.testing.assert_array_equal((whole * np.True_).to_host(), np.arange(6))
        np.testing.assert_array_equal(ops.logical_and(whole, np.True_).to_host(), np.arange(6) > 0)
        np.testing.assert_array_equal(ops.where(np.True_, x, 0.0).to_host(), A)
        np.testing.assert_array_equal((x * np.float64(0.5)).to_host(), A / 2)
        np.testing.assert_array_equal((whole + np.int64(3)).to_host(), np.arange(6) + 3)
    before = len(ops.mul._calls)
    for step in range(50):
        ops.mul(x, np.float64(step))
        ops.mul(x, np.float32("nan"))
        ops.mul(x, float(step))
    assert len(ops.mul._calls) <= before + 3


def test_numbers_where_a_condition_stands_are_taken_for_whether_they_are_0() -> None:
    x = core.from_host(A)
    for number in (0.5, -2, float("nan"), 0, 0.0, True):
        np.testing.assert_array_equal(twice(ops.logical_and, x, number), np.logical_and(A, number))
        np.testing.assert_array_equal(twice(ops.logical_or, x, number), np.logical_or(A, number))
        np.testing.assert_array_equal(twice(ops.where, number, x, 0.0), A if number else np.zeros_like(A))


@pytest.mark.parametrize("seen_before", [False, True])
def test_numbers_that_do_not_fit_are_refused_in_the_words_of_the_call(seen_before: bool) -> None:
    image, weight = core.ones((1, 1, 5, 5)), core.ones((1, 1, 3, 3))
    small, x = core.from_host(np.arange(3, dtype=np.int32)), core.from_host(A)
    if seen_before:
        ops.conv2d(image, weight, stride=(2, 2))
        ops.add(small, 2)
        ops.elu(x, 2)
    for stride in ((2.5, 2), (1, None), ("1", "1")):
        with pytest.raises(core.DtypeError, match="conv2d: stride must be a whole number"):
            ops.conv2d(image, weight, stride=stride)
    assert ops.conv2d(image, weight, stride=(np.int64(2), 2)).shape == (1, 1, 2, 2)
    with pytest.raises(core.DtypeError, match="add: b is 2147483648, which int32 does not have"):
        ops.add(small, 2**31)
    with pytest.raises(core.DtypeError, match=r"elu: alpha has (more|401) digits"):
        ops.elu(x, 10**400)


def test_a_target_is_on_the_queue_of_the_operands() -> None:
    x, target = core.from_host(A), core.from_host(A, core.Queue())
    for _ in range(2):
        with pytest.raises(core.DeviceError, match="exp: the tensor to write into is on another queue"):
            ops.exp(x, out=target)
    np.testing.assert_array_equal(target.to_host(), A)
    np.testing.assert_array_equal(ops.add(x, 1, out=None).to_host(), A + 1)


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (0,), (2, 0, 4)])
def test_what_has_no_elements_may_be_turned_round(shape: tuple[int, ...]) -> None:
    x = core.from_host(np.ones(shape, np.float32))
    for axis in range(len(shape)):
        turned = twice(ops.flip, x, axis)
        assert turned.shape == shape
        assert ops.roll(ops.flip(x, axis), (4,), (axis,)).to_host().shape == shape
    assert x[::-1].to_host().shape == shape
    assert np.asarray(x[::-1]).shape == shape


def test_numbers_of_numpy_may_come_again() -> None:
    x = core.from_host(A.reshape(1, 1, 4, 6))
    for two in (np.int64(2), np.int32(2), np.array(2), (np.int64(2), 2), 2):
        np.testing.assert_array_equal(twice(ops.avg_pool2d, x, two), twice(ops.avg_pool2d, x, kernel=(2, 2)))
        np.testing.assert_array_equal(twice(ops.avg_pool2d, x, 2, stride=two), twice(ops.avg_pool2d, x, 2))
    for one in (np.int64(1), np.array(1), np.array([1, 1]), [1, 1], (1, 1), 1):
        assert twice(ops.adaptive_avg_pool2d, x, one).shape == (1, 1, 1, 1)
    assert twice(ops.adaptive_avg_pool2d, x, np.array([2, 3])).shape == (1, 1, 2, 3)


def test_what_is_no_axis_stays_none_when_a_number_like_it_was_one() -> None:
    x = core.from_host(A)
    for _ in range(2):
        with pytest.raises(core.DtypeError, match=r"whole number, but it is 1\.0"):
            ops.sum(x, (0, 1.0))
        np.testing.assert_allclose(twice(ops.sum, x, (0, 1)), A.sum())
