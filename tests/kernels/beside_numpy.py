"""What a formula gives, beside numbers from plain numpy: value, gradients and tangent, without the evaluator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from netcl import autograd as ag
from netcl import core, kernels

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(7)


def drawn(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def results(text: str, *arrays: Array) -> tuple[Array, list[Array], Array]:
    """The value of the last op in `text`, the gradients of its weighted sum, and its tangent along ones."""
    op = list(vars(kernels.compile(text)).values())[-1]
    given = [ag.tensor(each, requires_grad=True) if each.dtype.kind == "f" else core.from_host(each) for each in arrays]
    leaves = [each for each in given if isinstance(each, ag.Node)]
    value = op(*given)
    weights = weights_for(value.shape)
    gradients = ag.grad(value, leaves, grad_outputs=core.from_host(weights), materialize_grads=True)

    def of_leaves(*values: Any) -> Any:
        waiting = iter(values)
        return op(*[next(waiting) if isinstance(each, ag.Node) else each for each in given])

    ones = tuple(core.ones_like(each.value) for each in leaves)
    _, tangent = ag.jvp(of_leaves, tuple(each.value for each in leaves), ones)
    return value.value.to_host(), [each.to_host() for each in gradients], tangent.to_host()


def weights_for(shape: tuple[int, ...]) -> Array:
    return np.linspace(1, 2, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def assert_right(text: str, function: Callable[..., Array], *arrays: Array, tolerance: float = 2e-3) -> None:
    """Value, gradients and tangent of the last op are those of `function` in float64, by differences of it. Twice: the
    second time, memory holds what the first left there."""
    exact = [each.astype(np.float64) if each.dtype.kind == "f" else each for each in arrays]
    expected = function(*exact)
    weights = weights_for(expected.shape).astype(np.float64)
    wanted = [differences(function, exact, at, weights) for at, each in enumerate(exact) if each.dtype.kind == "f"]
    step = [each + 1e-6 if each.dtype.kind == "f" else each for each in exact]
    back = [each - 1e-6 if each.dtype.kind == "f" else each for each in exact]
    along = (function(*step) - function(*back)) / 2e-6
    for _ in range(2):
        value, gradients, tangent = results(text, *arrays)
        np.testing.assert_allclose(value, expected, rtol=tolerance, atol=tolerance)
        for mine, theirs in zip(gradients, wanted, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(tangent, along, rtol=tolerance, atol=tolerance)


def differences(function: Callable[..., Array], arrays: list[Array], at: int, weights: Array) -> Array:
    found = np.zeros_like(arrays[at])
    for place in np.ndindex(found.shape):
        ends = []
        for step in (1e-6, -1e-6):
            moved = list(arrays)
            moved[at] = arrays[at].copy()
            moved[at][place] += step
            ends.append(np.sum(weights * function(*moved)))
        found[place] = (ends[0] - ends[1]) / 2e-6
    return found


def running_max(x: Array, axis: int = -1) -> Array:
    return np.maximum.accumulate(x, axis)


def sparsemax(x: Array) -> Array:
    found = []
    for row in x:
        ordered = np.sort(row)[::-1]
        support = 1 + np.arange(1, len(row) + 1) * ordered > np.cumsum(ordered)
        count = support.sum()
        found.append(np.maximum(row - (ordered[:count].sum() - 1) / count, 0))
    return np.array(found)


def isotonic(x: Array) -> Array:
    count = len(x)
    means = [[x[s : t + 1].mean() if t >= s else 0 for t in range(count)] for s in range(count)]
    return np.array([max(min(means[s][t] for t in range(i, count)) for s in range(i + 1)) for i in range(count)])
