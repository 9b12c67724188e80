"""What a program computes and nobody sees lies in memory that its calls share; no call changes what another gave."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.autograd.programs import workspace

WARM = 5
"""After so many calls with the same arguments a program is written out."""


def chain(steps: int) -> Any:
    def f(x: Any, c: Any) -> Any:
        for n in range(steps):
            x = ag.tanh(x * c + x) if n % 2 else ag.exp(-x * x)
        return x.sum()

    return f


def arrays(seed: int, size: int = 7) -> tuple[ag.Node, ag.Node]:
    random = np.random.default_rng(seed)
    return tuple(ag.tensor(random.standard_normal(size)) for _ in range(2))  # type: ignore[return-value]


def values(found: Any) -> list[Any]:
    value, gradients = found
    return [value.to_host(), *(each.to_host() for each in gradients)]


def test_results_of_a_call_are_those_of_an_eager_one_whatever_calls_came_between() -> None:
    step = ag.value_and_grad(chain(90), argnums=(0, 1))
    jitted = ag.jit(step)
    found = [jitted(*arrays(seed)) for seed in range(3 * WARM)]
    for seed, each in enumerate(found):
        for got, expected in zip(values(each), values(step(*arrays(seed))), strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_a_call_takes_no_memory_for_what_nobody_sees() -> None:
    jitted = ag.jit(ag.value_and_grad(chain(90), argnums=(0, 1)))
    given = arrays(0)
    for _ in range(WARM):
        jitted(*given)
    before = core.counters()["allocations"]
    jitted(*given)
    assert core.counters()["allocations"] - before <= 3


def test_a_result_that_views_a_value_has_its_own_memory() -> None:
    def f(x: Any, c: Any) -> Any:
        for n in range(90):
            x = ag.tanh(x * c + x) if n % 2 else ag.exp(-x * x)
        return x.reshape(7, 1), (x * c).sum()

    jitted = ag.jit(f)
    found = [jitted(*arrays(seed))[0] for seed in range(3 * WARM)]
    for seed, each in enumerate(found):
        np.testing.assert_allclose(each.to_host(), f(*arrays(seed))[0].to_host(), rtol=1e-12)


def test_an_arena_does_not_take_the_memory_of_a_program() -> None:
    jitted = ag.jit(chain(90))
    given = arrays(1)
    expected = chain(90)(*given).item()
    for _ in range(3):
        with core.arena():
            for _ in range(WARM):
                assert jitted(*given).item() == pytest.approx(expected, rel=1e-12)
    assert jitted(*given).item() == pytest.approx(expected, rel=1e-12)


def test_threads_that_call_one_program_do_not_share_what_it_computes_with() -> None:
    step = ag.value_and_grad(chain(90), argnums=(0, 1))
    jitted = ag.jit(step)
    for _ in range(WARM):
        jitted(*arrays(0))
    wrong: list[int] = []

    def called(seed: int) -> None:
        given = arrays(seed)
        expected = values(step(*given))
        for _ in range(40):
            if not all(np.allclose(a, b, rtol=1e-12) for a, b in zip(values(jitted(*given)), expected, strict=True)):
                wrong.append(seed)

    threads = [threading.Thread(target=called, args=(seed,)) for seed in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []


def test_large_values_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "LARGEST", 128)
    jitted = ag.jit(ag.value_and_grad(chain(90), argnums=(0, 1)))
    small, large = arrays(0, 16), arrays(0, 17)
    taken = []
    for given in (small, large):
        for _ in range(2 * WARM):
            jitted(*given)
        before = core.counters()["allocations"]
        jitted(*given)
        taken.append(core.counters()["allocations"] - before)
    assert taken[0] <= 3 < taken[1]
