"""The main job on a device: long chains, long loops, a second process, and the page's example."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core

FIRST_GRADIENT = """
from netcl import autograd as ag
from netcl import core
x = ag.tensor([1.0, 2.0, 3.0], requires_grad=True)
with ag.Tape() as tape:
    y = (x + 1.0) ** 2
    z = 3.0 * y
    loss = z.sum()
tape.backward(loss)
assert x.grad.to_host().tolist() == [12.0, 18.0, 24.0]
counted = core.counters()
print(counted["programs_built"], counted["kernels_compiled"])
"""


@pytest.mark.promise("N31")
def test_the_example_of_the_page_gives_six_times_x_plus_one() -> None:
    x = ag.tensor(np.linspace(-2, 2, 7), requires_grad=True)
    with ag.Tape() as tape:
        y = (x + 1.0) ** 2
        z = 3.0 * y
        loss = z.sum()
    tape.backward(loss)
    np.testing.assert_allclose(x.grad.to_host(), 6 * (np.linspace(-2, 2, 7) + 1), rtol=1e-12)
    assert [node.op_name for node in (y, z, loss)] == ["pow", "mul", "sum"]


@pytest.mark.promise("N14", "N34")
def test_a_chain_of_100_000_ops_on_a_device_runs_forward_and_back_and_is_freed_without_the_collector() -> None:
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    warm = (x + 1.0).sum()
    warm.backward()
    x.zero_grad()
    del warm
    before = core.memory_stats()["live_bytes"]
    gc.disable()
    try:
        y = x
        for _ in range(100_000):
            y = y + 1.0
        assert y.to_host().tolist() == [100_001.0, 100_002.0]
        y.sum().backward()
        assert x.grad.to_host().tolist() == [1.0, 1.0]
        x.zero_grad()
        del y
        assert core.memory_stats()["live_bytes"] == before
    finally:
        gc.enable()


@pytest.mark.promise("P55", "A13")
def test_live_bytes_are_flat_over_a_thousand_training_steps(rng: np.random.Generator) -> None:
    weights = [
        ag.tensor(rng.normal(size=shape).astype(np.float32), requires_grad=True) for shape in ((16, 8), (16,), (4, 16))
    ]
    optimizer = ag.optim.Adam(weights, lr=1e-3)
    images = core.from_host(rng.normal(size=(12, 8)).astype(np.float32))
    labels = core.from_host(rng.integers(0, 4, 12))
    live = []
    gc.disable()
    try:
        for step in range(1000):
            with ag.Tape() as tape:
                hidden = ag.relu(ag.linear(images, weights[0], weights[1]))
                loss = ag.cross_entropy(ag.linear(ag.dropout(hidden, 0.2, seed=step), weights[2]), labels)
            optimizer.zero_grad()
            tape.backward(loss)
            optimizer.step()
            del tape, hidden, loss
            if step % 100 == 99:
                live.append(core.memory_stats()["live_bytes"])
    finally:
        gc.enable()
    assert len(set(live)) == 1, f"live bytes after every 100 steps: {live}"


@pytest.mark.promise("A11", "A13")
def test_a_thousand_steps_in_arenas_keep_nothing_even_when_every_node_is_held() -> None:
    w = ag.tensor([1.0, 2.0], requires_grad=True)
    optimizer = ag.optim.Adam([w], lr=1e-2)
    gc.collect()  # what others have left does not go in between
    held, live = [], set()
    for _ in range(1000):
        with core.arena():
            loss = (w * w).sum()
            loss.backward()
            optimizer.step()
            held += [loss, w.grad]
        optimizer.zero_grad()
        live.add(core.memory_stats()["live_bytes"])
    assert len(live) == 1
    assert np.isfinite(w.to_host()).all()
    assert (w.to_host() < [0.5, 1.5]).all()
    with pytest.raises(core.FreedError, match="was freed"):
        held[0].item()
    with pytest.raises(core.FreedError, match="was freed"):
        held[-1].to_host()


def test_a_second_process_compiles_nothing_for_its_first_gradient(tmp_path: Path) -> None:
    environment = {**os.environ, "NETCL_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run(
            [sys.executable, "-c", FIRST_GRADIENT], env=environment, capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    )
    assert int(first[0]) > 0
    assert second == ["0", "0"]


def test_a_frozen_parameter_is_taken_and_learnt_from_when_it_gets_a_gradient() -> None:
    frozen, other = (ag.tensor([1.0], requires_grad=True) for _ in range(2))
    frozen.requires_grad = False
    optimizer = ag.optim.AdamW({"frozen": frozen, "other": other}, lr=0.1)
    for due in ([0, 1], [1, 2]):
        (frozen * other).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        assert optimizer.steps == due
        assert (frozen.item() == 1) == (due[0] == 0)
        frozen.requires_grad = True
    ag.optim.SGD([ag.Node(ag.ones(2))], lr=0.1).step()
