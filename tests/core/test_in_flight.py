"""What is in flight is bounded in time, and whoever waits for it can be interrupted."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import FrameType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from netcl import core
from netcl.core import waiting

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no alarms here")

SLOW = """kernel void slow(global float *x, long steps) {
    float s = x[0];
    for (long i = 0; i < steps; i++) s = sin(s) + 1;
    x[0] = s;
    x[1] += 1;
}"""


class Interrupted(Exception):
    """What the handler raises."""


class Slow:
    """`launch(seconds)` queues a kernel of at least about this time, which adds 1 to the second element of `x`."""

    def __init__(self, queue: core.Queue) -> None:
        self.queue = queue
        self.x = core.zeros(2, queue=queue)
        self.kernel = queue.program(SLOW).kernel("slow", (None, np.int64))
        self.steps_per_second = 1.0
        taken = []
        for steps in (1, 300_000, 300_000, 300_000):
            begun = time.perf_counter()
            self.launch(steps)
            queue.finish()
            taken.append(time.perf_counter() - begun)
        self.launched = len(taken)
        self.steps_per_second = 300_000 / min(taken[1:])

    def launch(self, seconds: float) -> None:
        steps = max(1, int(seconds * self.steps_per_second))
        self.kernel.launch((1,), (1,), (self.x.buffer.cl, steps))


@pytest.fixture
def slow(own_queue: core.Queue) -> Slow:
    return Slow(own_queue)


@pytest.fixture
def interrupt() -> Iterator[Callable[[Callable[[], Any]], None]]:
    """`interrupt(call)` calls, and has a handler raise meanwhile; an Exception could be taken for the driver's."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise Interrupted

    old = signal.signal(signal.SIGALRM, ring)

    def interrupt(call: Callable[[], Any]) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        call()

    yield interrupt
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, old)


def test_a_long_loop_leaves_little_to_wait_for(slow: Slow) -> None:
    begun, launches = time.perf_counter(), 0
    while launches < 2000 and time.perf_counter() < begun + 1:
        slow.launch(0.01)
        launches += 1
    looped = time.perf_counter()
    slow.queue.finish()
    assert time.perf_counter() - looped < 0.5, "without a bound it is all of the time"
    assert slow.x.to_host()[1] == launches + slow.launched


@pytest.mark.parametrize("wait", ["synchronize", "to_host", "item", "copy_from_host", "launch"])
def test_an_interrupt_is_answered_while_the_device_works(
    slow: Slow, interrupt: Callable[[Callable[[], Any]], None], wait: str
) -> None:
    one = core.ones((), queue=slow.queue)
    calls: dict[str, Callable[[], Any]] = {
        "synchronize": core.synchronize,
        "to_host": slow.x.to_host,
        "item": one.item,
        "copy_from_host": lambda: one.copy_from_host(2.0),
        "launch": lambda: [slow.launch(0.05) for _ in range(100)],
    }
    slow.launch(0.8)
    with pytest.raises(Interrupted):
        interrupt(calls[wait])
    assert slow.queue.main.tail.event.command_execution_status > 0, "the device works on"
    assert not slow.queue.main.is_idle
    slow.queue.finish()
    assert slow.x.to_host()[1] > slow.launched, "what was queued is done, and seen"


def test_what_was_dropped_before_an_interrupted_wait_is_neither_lost_nor_used_too_early(
    slow: Slow, interrupt: Callable[[Callable[[], Any]], None]
) -> None:
    pool, lent = slow.queue.pool, np.full(64, 5.0, np.float32)
    slow.launch(0.5)
    core.from_host([1.0] * 64, slow.queue)
    core.from_dlpack(lent, slow.queue)
    empty = pool.reserved_bytes
    with pytest.raises(Interrupted):
        interrupt(pool.trim)
    assert pool.reserved_bytes == empty
    pool.trim()
    assert pool.reserved_bytes < empty
    assert pool.free_bytes() == 0


def test_a_wait_that_was_interrupted_is_taken_up_again(
    slow: Slow, interrupt: Callable[[Callable[[], Any]], None]
) -> None:
    for _ in range(3):
        slow.launch(0.2)
        with pytest.raises(Interrupted):
            interrupt(slow.queue.finish)
        slow.queue.finish()
        assert slow.queue.main.tail.event.command_execution_status == 0
    slow.launch(0.2)
    slow.queue.finish()
    assert slow.x.to_host()[1] == slow.launched + 4


def test_threads_wait_for_queues_of_their_own(slow: Slow) -> None:
    device = slow.queue.device
    others = [Slow(core.Queue(device)) for _ in range(3)]

    def waited(each: Slow) -> float:
        for _ in range(20):
            each.launch(0.01)
            each.queue.finish()
        return float(each.x.to_host()[1])

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(waited, [slow, *others], timeout=60))
    assert found == [each.launched + 20 for each in (slow, *others)]


def test_nothing_is_kept_alive_by_a_wait_that_is_over(slow: Slow) -> None:
    slow.launch(0.05)
    event = slow.queue.main.tail.event
    alive = sys.getrefcount(event)
    waiting.wait(event)
    time.sleep(0.05)
    assert sys.getrefcount(event) == alive


def test_a_wait_that_is_interrupted_just_as_it_begins_leaves_the_thread_that_waits() -> None:
    watcher = waiting._Watcher()
    done = SimpleNamespace(wait=lambda: None)
    assert watcher.watch(done)
    put = watcher._events.put

    class Interrupted:
        get = watcher._events.get

        def put(self, event: Any) -> None:
            put(event)
            raise KeyboardInterrupt

    events, watcher._events = watcher._events, Interrupted()  # type: ignore[assignment]
    for _ in range(20):
        with pytest.raises(KeyboardInterrupt):
            watcher.watch(done)
    watcher._events = events
    assert all(watcher.watch(done) for _ in range(3))
    assert any(each.name == "netcl-watcher" and each.is_alive() for each in threading.enumerate())
