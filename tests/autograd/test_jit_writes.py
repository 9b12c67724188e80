"""Writes in place in a traced function: made when all is computed, and seen by whatever reads behind them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import netcl.autograd as ag
from netcl import core
from netcl.core.errors import GraphError, ShapeError


def tensor(*shape: int, seed: int = 0) -> core.Tensor:
    return core.from_host(np.random.default_rng(seed).normal(size=shape))


def both(fn: Any, *makes: Any, calls: int = 3) -> None:
    """Call `fn` as it is and jitted, each with arguments of its own; results and what was written must be equal."""
    plain, jitted = [each() for each in makes], [each() for each in makes]
    compiled = ag.jit(fn)
    for _ in range(calls):
        expected, found = fn(*plain), compiled(*jitted)
        for ours, theirs in zip([*jitted, found], [*plain, expected], strict=True):
            np.testing.assert_allclose(ours.to_host(), theirs.to_host(), rtol=1e-12, atol=1e-300)


def test_an_argument_is_written_at_each_call() -> None:
    def count(total: Any, x: Any) -> Any:
        total.add_(x.sum(0))
        total.mul_(0.5)
        return total * 2 + x

    both(count, lambda: tensor(3), lambda: tensor(4, 3))


def test_a_tensor_from_outside_is_written_at_each_call() -> None:
    total = core.from_host(np.zeros(3))

    @ag.jit
    def count(x: Any) -> Any:
        before = total * 1
        total.add_(x)
        return total - before

    x = tensor(3)
    version = total.version
    for at in range(1, 4):
        np.testing.assert_allclose(count(x).to_host(), x.to_host(), rtol=1e-12)
        np.testing.assert_allclose(total.to_host(), at * x.to_host(), rtol=1e-12)
    assert total.version == version + 3
    total.assign_(0)
    count(x)
    np.testing.assert_array_equal(total.to_host(), x.to_host())


def test_all_new_values_are_there_before_the_first_is_written() -> None:
    def swap(a: Any, b: Any) -> Any:
        old = a * 1
        a.assign_(b)
        b.assign_(old)
        return a - b

    both(swap, lambda: tensor(5, seed=1), lambda: tensor(5, seed=2))

    def exchange(a: Any, b: Any, c: Any) -> Any:
        a.assign_(c)
        b.assign_(c.T)
        c.assign_(a.T + b)
        return c

    both(exchange, *(lambda seed=seed: tensor(3, 3, seed=seed) for seed in range(3)))


def test_a_written_argument_that_is_returned_is_itself() -> None:
    a = tensor(3)
    found = ag.jit(lambda a: a.add_(1))(a)
    assert found is a


def test_a_view_that_was_taken_before_the_write_is_not_read_behind_it() -> None:
    both(lambda a: a.add_(1)[1:] * 2, lambda: tensor(4))
    both(lambda a: (a[1:] * 2, a.add_(1))[0], lambda: tensor(4))
    both(lambda a: (a.clone(), a.add_(1))[0] * 2, lambda: tensor(4))
    both(lambda a: (a[1:].clone(), a.add_(1))[0] * 2, lambda: tensor(4))

    def twice(a: Any) -> Any:
        a.add_(1)
        part = a[1:][::2]
        a.add_(1)
        return part * 2

    for fn in (lambda a: (a[1:], a.add_(1))[0] * 2, twice, lambda a: (a[1:], a.add_(1))[0]):
        with pytest.raises(GraphError, match="a view of what it has written since"):
            ag.jit(fn)(tensor(4))


def test_gradients_inside_do_not_see_a_write_behind_what_they_read() -> None:
    def step(w: Any, scale: Any) -> Any:
        value, gradient = ag.value_and_grad(lambda w: (w**2 * scale, scale.add_(1))[0].sum())(w)
        return gradient * scale + value

    w, scale = tensor(3), core.from_host(np.array([2.0, 3.0, 4.0]))
    values, old = w.to_host(), scale.to_host()
    found = ag.jit(step)(w, scale)
    np.testing.assert_allclose(found.to_host(), 2 * values * old * (old + 1) + (values**2 * old).sum(), rtol=1e-12)
    with pytest.raises(GraphError, match="takes a gradient for a tensor that it has written since"):
        ag.jit(lambda w: ag.grad(lambda v: (v * 2, w.add_(1), v**2)[2].sum())(w))(w)


def test_other_views_of_written_memory_are_refused() -> None:
    whole = tensor(4)
    part = whole[1:]
    with pytest.raises(GraphError, match="a tensor of which it has written a view, or a view of what it has written"):
        ag.jit(lambda: (whole.add_(1), part * 2)[1])()
    add = ag.jit(lambda a, b: a.add_(b) * 2)
    np.testing.assert_allclose(add(tensor(4), tensor(4)).to_host(), 4 * tensor(4).to_host())
    with pytest.raises(GraphError, match="lies in the same memory; give a clone"):
        add(whole, whole)
    with pytest.raises(GraphError, match="lies in the same memory; give a clone"):
        add(part, whole[:3])


def test_what_cannot_be_written_is_refused_when_it_is_traced() -> None:
    w = ag.tensor(np.ones(3), requires_grad=True)
    total = core.from_host(np.zeros(3))
    with pytest.raises(GraphError, match="cannot write in place here; use the op that returns its result"):
        ag.jit(lambda a: ag.add(a, a, out=total))(tensor(3))
    with pytest.raises(GraphError, match="cannot write in place"):
        ag.jit(lambda w: w.add_(1))(w)
    with pytest.raises(GraphError, match="operand requires a gradient, which would be lost"):
        ag.jit(lambda w: total.add_(w))(w)
    with pytest.raises(GraphError, match="cannot read on the host what it has written"):
        ag.jit(lambda x: float(total.add_(x).sum().item()) * x)(tensor(3))
    with pytest.raises(GraphError, match="cannot read on the host what it has written"):
        ag.jit(lambda x: (total.add_(x), float(total.to_host()[0]))[1] * x)(tensor(3))
    with pytest.raises(ShapeError, match="does not fit into x"):
        ag.jit(lambda x: total.add_(x))(tensor(2, 3))
    np.testing.assert_array_equal(total.to_host(), np.zeros(3))


def test_what_backward_needs_of_a_written_input_is_kept() -> None:
    """The function reads the target before and behind the write, and a gradient goes through what it read."""

    @ag.jit
    def step(w: Any, scale: Any) -> Any:
        y = w * scale
        scale.add_(y.detach())
        return (y * scale * w).sum()

    values, old = np.arange(1.0, 4.0), np.array([0.5, 1.5, 2.5])
    w, scale = ag.tensor(values, requires_grad=True), core.from_host(old)
    step(w, scale).backward()
    new = old + values * old
    np.testing.assert_allclose(scale.to_host(), new, rtol=1e-12)
    np.testing.assert_allclose(w.grad.to_host(), 2 * values * old * new, rtol=1e-12)


@pytest.mark.parametrize("inside", [False, True], ids=["backward-outside", "value_and_grad-inside"])
def test_batch_norm_moves_its_running_statistics(inside: bool) -> None:
    def loss(w: Any, b: Any, x: Any, mean: Any, variance: Any) -> Any:
        return (ag.batch_norm(x, w, b, mean, variance, training=True) ** 3).sum()

    results = []
    for jitted in (False, True):
        fn = ag.value_and_grad(loss, argnums=(0, 1)) if inside else loss
        fn = ag.jit(fn) if jitted else fn
        w, b = (ag.tensor(np.linspace(1, 2, 3), requires_grad=True) for _ in range(2))
        mean, variance = core.from_host(np.zeros(3)), core.from_host(np.ones(3))
        taken = []
        for step in range(3):
            x = tensor(8, 3, 5, seed=step)
            if inside:
                value, gradients = fn(w, b, x, mean, variance)
            else:
                value = fn(w, b, x, mean, variance)
                gradients = ag.grad(value, [w, b])
            taken += [value.to_host(), *(each.to_host() for each in gradients)]
        results.append([*taken, mean.to_host(), variance.to_host()])
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10)
    assert not np.allclose(results[0][-1], 1)


def test_gradients_of_gradients_do_not_see_the_write() -> None:
    scale = core.from_host(np.array([2.0, 3.0]))

    @ag.jit
    def f(w: Any) -> Any:
        y = (w**3 * scale).sum()
        scale.mul_(2)
        return y

    w = ag.tensor(np.array([1.0, 2.0]), requires_grad=True)
    (first,) = ag.grad(f(w), [w], create_graph=True)
    (second,) = ag.grad(first.sum(), [w])
    np.testing.assert_allclose(first.to_host(), 3 * np.array([1.0, 4.0]) * [2, 3])
    np.testing.assert_allclose(second.to_host(), 6 * np.array([1.0, 2.0]) * [2, 3])
    np.testing.assert_array_equal(scale.to_host(), [4, 6])


def test_a_broadcast_view_is_not_written() -> None:
    shown = ag.broadcast_to(core.from_host(np.ones(1)), (3,))
    with pytest.raises(ShapeError, match="shows elements more than once"):
        ag.jit(lambda b: b.mul_(2.0) * 1)(shown)
    assert shown.tolist() == [1, 1, 1]
