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
