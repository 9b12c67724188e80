"""Interrupts: alarms in a training loop, and Ctrl-C while the device works.

Every alarm must reach the user as the exception that its handler raised, none may be swallowed by a finaliser, and
what is alive afterwards is what was alive before. Ctrl-C is answered within half a second wherever the host waits.

    python tests/reliability/interrupts.py          # 1,000 alarms, and five of each kind of wait
"""

from __future__ import annotations

import gc
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from netcl import autograd as ag
from netcl import core
from netcl.autograd import optim


class Alarm(Exception):
    """What the handler raises."""


def alarms(count: int = 1000, seed: int = 0) -> dict[str, int]:
    """Interrupt a training loop so many times at random, and return what came of it."""
    draw, raised, modes_left = random.Random(seed), 0, 0
    lost: list[Any] = []
    wrong: list[str] = []

    def ring(number: int, frame: FrameType | None) -> None:
        nonlocal raised
        raised += 1
        raise Alarm

    training = _Training()
    training.step()
    gc.collect()  # what others have left
    before, hook = training.live_bytes(), sys.unraisablehook
    old = signal.signal(signal.SIGALRM, ring)
    sys.unraisablehook = lambda what: lost.append(what)
    reached, most = 0, before
    try:
        while reached + len(lost) + len(wrong) < count:
            try:
                signal.setitimer(signal.ITIMER_REAL, draw.uniform(1e-5, 2e-2))
                while True:
                    training.step()
            except Alarm:
                reached += 1
            except BaseException as error:  # what else comes out is not what the handler raised
                signal.setitimer(signal.ITIMER_REAL, 0)
                wrong.append("".join(traceback.format_exception(error)))
            if not ag.is_grad_enabled():
                modes_left += 1
                ag.set_grad_enabled(True)
            most = max(most, training.live_bytes())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
        sys.unraisablehook = hook
    training.step()
    gc.collect()
    for error in wrong[:5]:
        print("not the handler's exception:", error)
    for each in lost[:5]:
        print("swallowed in", each.object)
    return {
        "alarms": raised,
        "swallowed": raised - reached,
        "changed": len(wrong),
        "bytes_more_at_most": most - before,
        "bytes_more_at_the_end": training.live_bytes() - before,
        "modes_left_on": modes_left,
    }


def waits(seconds: float = 1.0) -> dict[str, float]:
    """For each place where the host waits: how long after Ctrl-C the user has it, in seconds."""
    large = core.ones(1_000_000)
    slow = _slow()
    begun = time.perf_counter()
    slow.launch((1,), (1,), (large.buffer.cl, 1_000_000))
    core.synchronize()
    steps = int(seconds / (time.perf_counter() - begun) * 1_000_000)

    def queue_work() -> None:
        slow.launch((1,), (1,), (large.buffer.cl, steps))

    def flood() -> None:
        while True:
            queue_work()

    places: dict[str, Callable[[], Any]] = {
        "synchronize": core.synchronize,
        "to_host": large.to_host,
        "item": lambda: ag.sum(large).item(),
        "launch": flood,
        "copy_from_host": lambda: large.copy_from_host(np.ones(1_000_000, np.float32)),
    }
    return {name: _answered(queue_work, wait) for name, wait in places.items()}


ANSWER = 0.5
"""Within so many seconds after Ctrl-C the user has it."""


def main(count: int = 1000) -> bool:
    """Interrupt in every way and print the figures; returns whether all is as it should be."""
    figures: dict[str, float] = dict(alarms(count))
    answered = waits()
    figures["slowest_answer_seconds"] = round(max(answered.values()), 5)
    for name, figure in {**figures, **answered}.items():
        print(f"{name:26} {figure}")
    kept = all(figures[name] == 0 for name in ("swallowed", "changed", "bytes_more_at_most", "bytes_more_at_the_end"))
    print(
        f"{figures['alarms']} alarms, {figures['swallowed']} swallowed, {figures['bytes_more_at_the_end']} bytes more "
        f"live; Ctrl-C is answered after {1e3 * figures['slowest_answer_seconds']:.2f} ms at most"
    )
    return kept and figures["slowest_answer_seconds"] <= ANSWER


class _Training:
    """A small network, and an optimizer with state."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.x = core.from_host(rng.normal(size=(64, 32)).astype(np.float32))
        shapes = [(32, 64), (64,), (64, 8)]
        self.weights = [ag.Node(core.from_host(rng.normal(size=s).astype(np.float32) / 8), True) for s in shapes]
        self.optimizer = optim.Adam(self.weights, lr=1e-3)

    def step(self) -> float:
        first, bias, second = self.weights
        self.optimizer.zero_grad()
        loss = ag.mean(ag.tanh(self.x @ first + bias) @ second)
        loss.backward()
        with ag.no_grad():
            self.optimizer.step()
        return float(loss.item())

    def live_bytes(self) -> int:
        """Without gradients, which a step may have come to or not."""
        self.optimizer.zero_grad()
        return core.memory_stats()["live_bytes"]


def _slow() -> core.Kernel:
    """A kernel whose time goes with its steps."""
    source = """kernel void slow(global float *x, long steps) {
        float s = x[0];
        for (long i = 0; i < steps; i++) s = sin(s) + 1;
        x[0] = s;
    }"""
    slow = core.default_queue().program(source).kernel("slow", (None, np.int64))
    slow.launch((1,), (1,), (core.ones(1).buffer.cl, 1))
    core.synchronize()
    return slow


def _answered(queue_work: Callable[[], None], wait: Callable[[], Any]) -> float:
    rang = 0.0

    def ring(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, ring)
    try:
        queue_work()
        rang = time.perf_counter() + 0.3
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        wait()
    except KeyboardInterrupt:
        return time.perf_counter() - rang
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
        core.synchronize()
    return float("inf")  # it was over before: nothing was shown


if __name__ == "__main__":
    sys.exit(0 if main(*map(int, sys.argv[1:])) else 1)
