"""Small plans run on the calling thread while nothing is queued; the result is the same on either lane."""

from __future__ import annotations

import numpy as np
import pytest

from netcl import core, kernels
from netcl.core.queue import Queue
from netcl.kernels import ops
from netcl.kernels.runtime.launcher import IDLES, WAITS


@pytest.fixture
def queue() -> Queue:
    """The default queue, with a lane for small kernels."""
    queue = core.default_queue()
    assert queue.inline is not None, "PoCL's basic device stands beside the one with threads"
    queue.finish()
    return queue


def test_the_device_of_the_inline_lane_is_not_one_to_choose(queue: Queue) -> None:
    assert queue.inline is not None
    assert queue.inline.device.name.startswith("basic")
    assert not [device for device in core.devices() if device.name.startswith("basic")]


def test_a_small_call_on_an_idle_queue_leaves_nothing_to_wait_for(queue: Queue) -> None:
    x = core.from_host(np.arange(5, dtype=np.float32))
    for _ in range(IDLES + 1):  # so often it may go where the kernels of others are
        queue.finish()
        y = ops.add(x, x)
    assert queue.main.is_idle
    np.testing.assert_array_equal(y.to_host(), [0, 2, 4, 6, 8])


def test_a_small_call_behind_a_large_one_waits_for_it_in_the_queue(queue: Queue) -> None:
    x = core.from_host(np.full(2_000_003, 0.5, np.float32))
    for times in range(WAITS + 1):
        large = ops.exp(x)
        assert not queue.main.is_idle
        small = ops.add(large[:7], 1.0)
        assert times < WAITS or not queue.main.is_idle
        np.testing.assert_array_equal(small.to_host(), np.full(7, np.exp(np.float32(0.5)) + np.float32(1)))
        assert queue.main.is_idle


def test_a_plan_is_built_for_a_second_stream_only_once_that_pays(queue: Queue) -> None:
    op = kernels.compile("op f(x[i]: float) -> y[i] { y = atan(x) + 0.123; }").f
    x = core.from_host(np.linspace(-3, 3, 61))
    waited = []
    for _ in range(WAITS + 1):
        op(x)
        queue.main.launched += 1  # as if something were queued
        op(x)
        waited.append(queue.main.is_idle)
        queue.finish()
    assert waited == WAITS * [True] + [False]


def test_both_lanes_give_the_same_bits(queue: Queue) -> None:
    values = np.linspace(-4, 4, 1001, dtype=np.float32)
    x = core.from_host(values)
    at_once = ops.softmax(x).to_host()
    for _ in range(WAITS + 1):
        queue.main.launched += 1  # as if something were queued
        queued = ops.softmax(x)
    assert not queue.main.is_idle
    assert queued.to_host().tobytes() == at_once.tobytes()
