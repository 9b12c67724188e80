"""Writes in place, in a traced function, to what it has made itself and to parts: as in the function without jit."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import netcl.autograd as ag
from netcl import core
from netcl.core.errors import GraphError

SHAPE = (4, 3)
KEYS = [
    0, -1, slice(1, 3), (slice(None), 1), (0, 1), slice(None, None, -1), (..., 0), (None, 0), slice(2, 2), slice(None),
    (slice(1, None), None, slice(0, 2)), ...,
]  # fmt: skip


def array(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=SHAPE)


def drawn(seed: int) -> Callable[[Any, Any, Any], Any]:
    """A program of writes drawn at random: of tanh, a copy and an array, the same in NumPy and in netcl."""
    rng = random.Random(seed)
    steps = [(rng.choice("wwwmanr"), rng.random(), rng.random(), rng.choice(KEYS)) for _ in range(rng.randint(3, 9))]

    def program(tanh: Any, copied: Any, x: Any) -> Any:
        made = [x * 2, tanh(x)]
        for kind, first, second, key in steps:
            target, other = (made[int(at * len(made))] for at in (first, second))
            if kind == "w":
                target[key] = copied(other[key]) * 1.5 + 1
            elif kind == "m":
                target[other > 0.5] = 2.0
            elif kind == "a" and hasattr(target, "add_"):
                target.add_(tanh(other))
            elif kind == "a":
                target += tanh(other)
            elif kind == "n":
                made.append(target * other + target)
            else:
                made.append(copied(target))
        return sum((each * (n + 1) for n, each in enumerate(made)), 0 * x)

    return program


def of_netcl(program: Any) -> Any:
    return lambda x: program(ag.tanh, lambda each: each.clone(), x)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.sample(15)
def test_programs_of_writes_have_the_values_of_numpy_and_gradients_of_differences(seed: int) -> None:
    program = drawn(seed)
    jitted = ag.jit(of_netcl(program))
    for call in range(4):
        x = array(call)
        np.testing.assert_allclose(jitted(ag.tensor(x)).to_host(), program(np.tanh, np.copy, x), rtol=1e-12)
    x, weights = array(9), array(10)
    step = 1e-6
    expected = np.zeros(SHAPE)
    for at in np.ndindex(*SHAPE):
        beside = x.copy()
        beside[at] += step
        above = (program(np.tanh, np.copy, beside) * weights).sum()
        beside[at] -= 2 * step
        expected[at] = (above - (program(np.tanh, np.copy, beside) * weights).sum()) / (2 * step)
    weighted = core.from_host(weights)
    inside = ag.jit(ag.grad(lambda x: (of_netcl(program)(x) * weighted).sum()))
    outside = ag.grad(lambda x: (jitted(x) * weighted).sum())
    for _ in range(2):
        for found in (inside, outside):
            np.testing.assert_allclose(found(ag.tensor(x)).to_host(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(40, 56))
@pytest.mark.sample(5)
def test_second_derivatives_tangents_and_calls_side_by_side_see_the_writes(seed: int) -> None:
    program, weighted = of_netcl(drawn(seed)), core.from_host(array(11))
    x, direction = array(12), array(13)

    def loss(x: Any) -> Any:
        return (program(x) * weighted).sum()

    gradient = ag.jit(ag.grad(loss))
    above, below = (gradient(ag.tensor(x + step * direction)).to_host() for step in (1e-5, -1e-5))
    expected = (above - below) / 2e-5
    given = ag.tensor(x), core.from_host(direction)
    for second in (lambda x, v: ag.hvp(loss, x, v)[1], lambda x, v: ag.jvp(ag.grad(loss), x, v)[1]):
        np.testing.assert_allclose(ag.jit(second)(*given).to_host(), expected, rtol=1e-4, atol=1e-5)
    together = np.stack([array(call) for call in range(3)])
    apart = np.stack([drawn(seed)(np.tanh, np.copy, each) for each in together])
    np.testing.assert_allclose(ag.jit(ag.vmap(program))(ag.tensor(together)).to_host(), apart, rtol=1e-12)


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_a_part_of_an_argument_and_of_a_tensor_from_outside_is_written_at_each_call(key: Any) -> None:
    total, expected = core.from_host(array(1)), array(1)

    @ag.jit
    def step(x: Any, y: Any) -> Any:
        total[key] = total[key] * y[key]
        x[key] = 5.0
        return x + total

    for call in range(4):
        x, y = array(call), array(call + 1)
        given = core.from_host(x)
        found = step(given, core.from_host(y))
        expected[key] *= y[key]
        x[key] = 5.0
        np.testing.assert_allclose(found.to_host(), x + expected, rtol=1e-12)
        np.testing.assert_allclose(given.to_host(), x, rtol=1e-12)
        np.testing.assert_allclose(total.to_host(), expected, rtol=1e-12)


@pytest.mark.parametrize("make", [core.zeros_like, lambda x: ag.tensor(np.zeros(SHAPE)), lambda x: x.clone() * 0])
def test_what_the_function_makes_is_new_at_each_call(make: Any) -> None:
    class Model:
        state: Any = None

        def __call__(self, x: Any) -> Any:
            total = make(x)
            total.add_(x)
            total[0] = 7.0
            self.state = total
            return total, total.sum()

    model = Model()
    jitted = ag.jit(model)
    for call in range(4):
        x = array(call)
        expected = x.copy()
        expected[0] = 7
        found, total = jitted(core.from_host(x))
        np.testing.assert_allclose(found.to_host(), expected, rtol=1e-12)
        np.testing.assert_allclose(model.state.to_host(), expected, rtol=1e-12)
        assert total.item() == pytest.approx(expected.sum())


def test_a_node_that_the_function_makes_has_the_gradient_of_what_is_written() -> None:
    def f(w: Any) -> Any:
        parts = ag.Node(core.zeros((4, 3), dtype="float64"))
        for row in range(4):
            parts[row] = w[row] * (row + 1) + parts.sum()
        parts.mul_(w)
        return (parts * w).sum()

    w = ag.tensor(array())
    expected = ag.grad(f)(w).to_host()
    inside, outside = ag.jit(ag.grad(f)), ag.grad(ag.jit(f))
    for _ in range(3):
        np.testing.assert_allclose(inside(w).to_host(), expected, rtol=1e-12)
        np.testing.assert_allclose(outside(w).to_host(), expected, rtol=1e-12)


def test_what_detach_gave_keeps_the_value_that_was_there() -> None:
    def f(x: Any) -> Any:
        y = x * 2
        apart = y.detach()
        y[0] = x[0] * 5
        return (apart * x + y).sum()

    x = ag.tensor(array())
    np.testing.assert_allclose(ag.jit(ag.grad(f))(x).to_host(), ag.grad(f)(x).to_host(), rtol=1e-12)


def test_what_was_assigned_is_a_copy_and_what_another_jitted_function_writes_is_seen() -> None:
    @ag.jit
    def inner(total: Any, x: Any) -> Any:
        total.add_(x)
        total[0] = 9.0
        return total * 2

    def f(x: Any) -> Any:
        total, y, other = core.zeros_like(x), x * 2, x * 3
        first, second = inner(total, x), inner(total, x)
        y.assign_(other)
        y.add_(1.0)
        other.add_(x)
        inner(other, x)
        return first + second + total + y * other

    x, jitted = core.from_host(array()), ag.jit(f)
    for _ in range(4):
        np.testing.assert_allclose(jitted(x).to_host(), f(x).to_host(), rtol=1e-12)


def test_a_list_that_grows_by_what_is_written_is_refused() -> None:
    history: list[Any] = []

    def f(x: Any) -> Any:
        total = core.zeros_like(x)
        total.add_(x)
        history.append(total)
        return total

    with pytest.raises(GraphError, match="puts a value that it computes into"):
        ag.jit(f)(core.from_host(array()))


def test_what_cannot_be_written_in_a_traced_function_is_said() -> None:
    x = ag.tensor(array())
    with pytest.raises(GraphError, match=r"add_: select\(…\) may lie in the memory of what it was given"):
        ag.jit(lambda x: (x * 2)[0].add_(1))(x)
    with pytest.raises(GraphError, match=r"reads select\(…\), a view of what it has written since"):
        ag.jit(lambda x: (lambda y: (y[0], y.add_(1))[0] * 2)(x * 2))(x)

    def unrecorded(x: Any) -> Any:
        y = x * 2
        with ag.no_grad():
            y[0] = 1.0
        return y.sum()

    with pytest.raises(GraphError, match="under no_grad\\(\\) its value would change and its history not"):
        ag.jit(ag.grad(unrecorded))(x)

    def lost(x: Any) -> Any:
        y = core.zeros_like(x)
        y[0] = x[0]
        return y.sum()

    with pytest.raises(GraphError, match="write to a node that the function makes"):
        ag.jit(ag.grad(lost))(x)
