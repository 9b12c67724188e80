"""Programs at random through ag.jit: values and gradients are those of the same program run op by op."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag

UNARY = [ag.tanh, ag.sigmoid, ag.sin, lambda v: v * 0.5 + 1, ag.softplus, lambda v: -v, ag.square]
BINARY = [ag.add, ag.sub, ag.mul, ag.maximum, lambda a, b: a / (ag.abs(b) + 1), lambda a, b: ag.where(a > b, a, b * b)]


def program(seed: int, length: int = 14) -> Any:
    """A function of three matrices: pointwise ops, reductions, views and products, later ones of earlier results."""

    def run(*given: Any) -> Any:
        random = np.random.default_rng(seed)
        values: list[Any] = list(given)

        def any_value() -> Any:
            return values[int(random.integers(max(0, len(values) - 6), len(values)))]

        for _ in range(length):
            kind = int(random.integers(10))
            v = any_value()
            if kind < 3 or v.ndim == 0:
                new = UNARY[int(random.integers(len(UNARY)))](v)
            elif kind < 7:
                new = _combined(random, v, any_value())
            elif kind == 7:
                reduce = [ag.sum, ag.mean, ag.amax, ag.logsumexp][int(random.integers(4))]
                new = reduce(v, axis=int(random.integers(v.ndim)), keepdims=bool(random.integers(2))) * 0.3
            elif kind == 8:
                new = ag.permute(v, tuple(reversed(range(v.ndim)))) if random.integers(2) else ag.softmax(v)
            else:
                new = ag.matmul(v, given[0]) * 0.2 if v.shape[-1:] == given[0].shape[:1] else ag.cumsum(v) * 0.1
            values.append(new)
        return sum((each.mean() for each in values[3:]), start=values[-1].sum() * 0.1), values[-1]

    return run


def _combined(random: np.random.Generator, a: Any, b: Any) -> Any:
    try:
        np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        b = b.mean()
    return BINARY[int(random.integers(len(BINARY)))](a, b)


@pytest.mark.promise("F24")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.sample(2)
def test_a_random_program_is_the_same_fused(seed: int) -> None:
    random, function = np.random.default_rng(100 + seed), program(seed)
    shape = [(5, 5), (1, 1), (17, 17), (3, 3)][seed % 4]
    given = [ag.tensor(random.normal(size=shape), requires_grad=True, dtype="float64") for _ in range(3)]
    results = []
    for each in (function, ag.jit(function)):
        total, last = each(*given)
        gradients = ag.grad(total, given, allow_unused=True, materialize_grads=True)
        results.append([x.to_host() for x in (total, last, *gradients)])
    for expected, found in zip(*results, strict=True):
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max(initial=1e-3))
