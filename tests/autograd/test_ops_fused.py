"""A fused op is one node, and gives what the chain of ops gives that it stands for (N32)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core

IMAGES, FILTERS = (2, 4, 6, 5), (6, 2, 3, 3)

FUSED: dict[str, tuple[Callable[..., Any], Callable[..., Any], list[tuple[int, ...]]]] = {
    "linear_relu": (ag.linear_relu, lambda x, w, b: ag.relu(ag.linear(x, w, b)), [(3, 4), (5, 4), (5,)]),
    "conv2d_relu": (
        lambda x, w, b: ag.conv2d_relu(x, w, b, stride=2, padding=1, groups=2),
        lambda x, w, b: ag.relu(ag.conv2d(x, w, b, stride=2, padding=1, groups=2)), [IMAGES, FILTERS, (6,)],
    ),
    "batch_norm2d_relu": (
        ag.batch_norm2d_relu, lambda x, w, b: ag.relu(ag.batch_norm(x, w, b)), [IMAGES, (4,), (4,)],
    ),
    "add_relu": (ag.add_relu, lambda a, b: ag.relu(ag.add(a, b)), [(3, 4), (4,)]),
    "bias_gelu": (ag.bias_gelu, lambda x, b: ag.gelu(ag.add(x, b)), [(3, 4), (4,)]),
}  # fmt: skip


@pytest.mark.promise("N32")
@pytest.mark.parametrize("name", FUSED)
@pytest.mark.sample(3)
def test_values_and_gradients_are_those_of_the_chain(name: str, rng: np.random.Generator) -> None:
    fused, chain, shapes = FUSED[name]
    leaves = [ag.tensor(rng.normal(size=shape).astype(np.float32), requires_grad=True) for shape in shapes]
    with ag.Tape() as tape:
        found = fused(*leaves)
    expected = chain(*leaves)
    assert found.op_name == name
    assert len(tape) == 1
    np.testing.assert_allclose(found.to_host(), expected.to_host(), rtol=1e-5, atol=1e-5)
    seed = core.from_host(rng.normal(size=found.shape).astype(np.float32))
    for mine, theirs in zip(ag.grad(found, leaves, [seed]), ag.grad(expected, leaves, [seed]), strict=True):
        np.testing.assert_allclose(mine.to_host(), theirs.to_host(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("training", [True, False])
def test_fused_batch_norm_keeps_running_statistics_as_the_plain_one_does(
    training: bool, rng: np.random.Generator
) -> None:
    x = core.from_host(rng.normal(size=IMAGES).astype(np.float32))
    statistics = [[core.zeros((4,)), core.ones((4,))] for _ in range(2)]
    found = ag.batch_norm2d_relu(x, None, None, *statistics[0], training=training)
    expected = ag.relu(ag.batch_norm(x, None, None, *statistics[1], training=training))
    np.testing.assert_allclose(found.to_host(), expected.to_host(), rtol=1e-5, atol=1e-6)
    for mine, theirs in zip(*statistics, strict=True):
        np.testing.assert_allclose(mine.to_host(), theirs.to_host(), rtol=1e-6)
