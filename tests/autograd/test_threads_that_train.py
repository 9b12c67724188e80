"""Four threads that train at once, switched as often as Python can: every gradient has the bits that it has alone."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core

STEPS = 500


def gradients(seed: int) -> list[bytes]:
    """Train a small network and return the bits of every gradient of every step."""
    random = np.random.default_rng(seed)
    weights = [
        ag.tensor(random.normal(size=shape).astype(np.float32), requires_grad=True) for shape in ((5, 3), (5,), (2, 5))
    ]
    x, y = (core.from_host(random.normal(size=(4, width)).astype(np.float32)) for width in (3, 2))
    optimizer = ag.optim.SGD(weights, lr=0.05, momentum=0.9)
    found = []
    for step in range(STEPS):
        with ag.Tape() as tape:
            hidden = ag.tanh(ag.linear(x, weights[0], weights[1]))
            loss = ag.mse_loss(ag.linear(hidden, weights[2]), y)
        optimizer.zero_grad()
        tape.backward(loss)
        if step % 7 == seed % 7:
            with ag.no_grad():
                assert not isinstance(hidden * 1.0, ag.Node)
        optimizer.step()
        found.append(b"".join(each.grad.to_host().tobytes() for each in weights))
    return found


@pytest.mark.promise("N10", "F29")
def test_gradients_in_four_threads_have_the_bits_of_one() -> None:
    expected = {seed: gradients(seed) for seed in range(4)}
    assert all(len(set(each)) > STEPS // 2 for each in expected.values())
    found: dict[int, list[bytes]] = {}
    errors: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            found[seed] = gradients(seed)
        except BaseException as error:
            errors.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert errors == []
    assert found == expected
