"""Shapes that never come again: what is remembered of them has a bound, and what was forgotten is made anew."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.autograd.ops import recording
from netcl.autograd.programs import jitted
from netcl.core.bounded import Limit
from netcl.kernels.library import op
from netcl.kernels.runtime import launch
from netcl.kernels.runtime.call_cache import Recall

LIMIT = 40


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Little is remembered, and nothing from before. Nor is each new shape compiled by itself to verify its plan:
    test_quantities.py does that for shapes of every kind."""
    monkeypatch.setenv("NETCL_VERIFY", "0")
    limits = [launch._plans.limit, launch._writers.limit, op._CALLS, recording._GRADIENTS, jitted._TRACES]
    for limit in limits:
        monkeypatch.setattr(limit, "most", LIMIT)
        forget(limit)
    yield
    for limit in limits:
        forget(limit)


def forget(limit: Limit) -> None:
    limit.turn()
    limit.turn()


def leaf(*shape: int) -> ag.Node:
    return ag.tensor(np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape), requires_grad=True)


def turn(n: int) -> None:
    x = leaf(n)
    ag.sum(ag.tanh(x) * x + ag.exp(-x * x)).backward()
    a = leaf(n, 5)
    ag.sum(ag.softmax(a @ leaf(5, 4))).backward()
    x.value.add_(x.value)


def test_a_hundred_shapes_leave_no_more_entries_and_objects_than_a_few() -> None:
    gc.collect()
    before = alive()
    for n in range(50, 150):
        turn(n)
    assert alive() - before <= 3 * LIMIT, "what was forgotten goes at once, without the garbage collector"
    found = core.cache_stats()
    for kind in ("calls", "plans", "gradients of calls", "plans that write into tensors"):
        assert found[kind]["entries"] <= LIMIT, kind
    assert found["plans"]["dropped"] > 1000


def alive() -> int:
    return sum(isinstance(each, (launch.Plan, Recall)) for each in gc.get_objects())


def test_a_new_shape_compiles_nothing_and_is_like_those_before() -> None:
    for n in (50, 90, 130):
        turn(n)
    before = core.cache_stats()["schemes"]["made"], core.counters()
    for n in range(51, 130):
        turn(n)
    after = core.cache_stats()["schemes"]["made"], core.counters()
    assert after[0] - before[0] < 20, "shapes share what is launched"
    for name in ("programs_built", "programs_loaded"):
        assert after[1][name] == before[1][name]


def test_a_gradient_whose_plans_were_forgotten_is_made_anew() -> None:
    x = leaf(7)
    y = ag.sum(ag.tanh(x) * x)
    ag.grad(y, [x], retain_graph=True)
    expected = ag.grad(y, [x], retain_graph=True)[0].to_host()
    for n in range(100, 130):
        turn(n)
    np.testing.assert_array_equal(ag.grad(y, [x])[0].to_host(), expected)


def test_threads_run_what_others_forget() -> None:
    wrong: list[str] = []

    def work(start: int) -> None:
        for n in range(start, start + 60):
            host = np.arange(n, dtype=np.float32)
            found = kernels.ops.add(core.from_host(host), core.from_host(host)).to_host()
            if not np.array_equal(found, host + host):
                wrong.append(f"{start}: {n}")

    threads = [threading.Thread(target=work, args=(start,)) for start in (1, 21, 41, 61)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_jit_keeps_few_traces_and_says_once_that_shapes_keep_changing(caplog: pytest.LogCaptureFixture) -> None:
    @ag.jit
    def program(x: ag.Node) -> ag.Node:
        return ag.sum(ag.tanh(x) * x)

    with caplog.at_level(logging.WARNING, "netcl.jit"):
        for n in range(2, 102):
            x = leaf(n)
            program(x).backward()
            assert x.grad is not None
    said = [each.getMessage().split(":")[0] for each in caplog.records if each.name == "netcl.jit"]
    assert said == ["program has been traced 32 times"]
    assert core.cache_stats()["traces"]["entries"] <= LIMIT


def test_traces_of_one_function_share_their_formulas() -> None:
    @ag.jit
    def program(x: ag.Node) -> ag.Node:
        return ag.mean(ag.sigmoid(x) * x + 1)

    for n in (70, 80):  # a card shares a row among a power of two of items
        program(leaf(n)).backward()
    before = core.cache_stats()
    for n in range(81, 101):
        program(leaf(n)).backward()
    after = core.cache_stats()
    for kind in ("fused formulas", "gradients", "schemes", "lowered formulas"):
        assert after[kind]["made"] == before[kind]["made"], kind
