"""Optimizers: the updates of the language against the published formulas in NumPy, and their manners."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core

STEPS = 5


def gradients(rng: np.random.Generator) -> list[np.ndarray]:
    return [rng.normal(size=(3, 5)) for _ in range(STEPS)]


def sgd(p: np.ndarray, grads: list[np.ndarray], lr: float, momentum: float, decay: float, nesterov: bool) -> np.ndarray:
    m = np.zeros_like(p)
    for g in grads:
        d = g + decay * p
        m = momentum * m + d
        p = p - lr * (d + momentum * m if nesterov else m)
    return p


def adam(p: np.ndarray, grads: list[np.ndarray], lr: float, decay: float, decoupled: bool) -> np.ndarray:
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(grads, 1):
        if decoupled:
            p = p * (1 - lr * decay)
        else:
            g = g + decay * p
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        p = p - lr * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return p


def run(make: Callable[[list[ag.Node]], ag.optim.Optimizer], start: np.ndarray, grads: list[np.ndarray]) -> np.ndarray:
    p = ag.tensor(start, requires_grad=True)
    optimizer = make([p])
    for g in grads:
        p.grad = core.from_host(g)
        optimizer.step()
    return p.to_host()


@pytest.mark.promise("A25", "N6")
@pytest.mark.parametrize(
    ("momentum", "decay", "nesterov"), [(0, 0, False), (0.9, 0, False), (0.9, 0.1, False), (0.8, 0.1, True)]
)
def test_sgd_follows_its_formula(rng: np.random.Generator, momentum: float, decay: float, nesterov: bool) -> None:
    start, grads = rng.normal(size=(3, 5)), gradients(rng)
    found = run(lambda ps: ag.optim.SGD(ps, 0.1, momentum, decay, nesterov), start, grads)
    np.testing.assert_allclose(found, sgd(start, grads, 0.1, momentum, decay, nesterov), rtol=1e-12)


@pytest.mark.promise("A25")
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_adam_and_adamw_follow_their_formulas(rng: np.random.Generator, decay: float) -> None:
    start, grads = rng.normal(size=(3, 5)), gradients(rng)
    found = run(lambda ps: ag.optim.Adam(ps, lr=0.01, weight_decay=decay), start, grads)
    np.testing.assert_allclose(found, adam(start, grads, 0.01, decay, False), rtol=1e-10)
    found = run(lambda ps: ag.optim.AdamW(ps, lr=0.01, weight_decay=decay), start, grads)
    np.testing.assert_allclose(found, adam(start, grads, 0.01, decay, True), rtol=1e-10)


@pytest.mark.promise("A10", "N6")
def test_a_parameter_without_a_gradient_is_left_alone() -> None:
    p = ag.tensor([1.0, 2.0], requires_grad=True)
    optimizer = ag.optim.Adam([p])
    optimizer.step()
    assert p.to_host().tolist() == [1.0, 2.0]
    assert optimizer.steps == [0]


def test_the_update_is_in_place_and_one_launch() -> None:
    p = ag.tensor([1.0, 2.0], requires_grad=True)
    buffer = p.value.buffer
    optimizer = ag.optim.Adam([p], lr=0.1)
    for _ in range(2):
        p.grad = core.from_host(np.ones(2, np.float32))
        before = core.counters()["kernels_launched"]
        optimizer.step()
    assert core.counters()["kernels_launched"] - before == 1
    assert p.value.buffer is buffer
    assert p.version == 2


def test_training_continues_from_a_state_dict(rng: np.random.Generator) -> None:
    start, grads = rng.normal(size=(3, 5)), gradients(rng)
    whole = run(lambda ps: ag.optim.Adam(ps, lr=0.01), start, grads)
    p = ag.tensor(start, requires_grad=True)
    first = ag.optim.Adam([p], lr=0.01)
    for g in grads[:2]:
        p.grad = core.from_host(g)
        first.step()
    second = ag.optim.Adam([p], lr=1.0)
    second.load_state_dict(first.state_dict())
    for g in grads[2:]:
        p.grad = core.from_host(g)
        second.step()
    assert np.array_equal(p.to_host(), whole)


def test_what_cannot_be_optimized_is_refused() -> None:
    with pytest.raises(core.GraphError, match="parameter 0 is not a leaf that requires a gradient"):
        ag.optim.SGD([core.ones((2,))], 0.1)
    p = ag.tensor([1.0], requires_grad=True)
    with pytest.raises(ValueError, match="a parameter is listed twice"):
        ag.optim.SGD([p, p], 0.1)
    with pytest.raises(ValueError, match="there are no parameters"):
        ag.optim.SGD([], 0.1)
