"""Gradients with a closed form, operators, and what IEEE arithmetic says where there is no number."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact import add, leaf, mul

from netcl import autograd as ag
from netcl import core

Array = np.ndarray[Any, Any]


def node(*numbers: float) -> ag.Node:
    return ag.tensor(np.array(numbers), requires_grad=True)


def host(*values: Any) -> list[Any]:
    return [value.to_host() for value in values]


@pytest.mark.promise("A6")
def test_sums_products_and_rectifiers_have_their_gradients() -> None:
    a, b = node(1.0, 2.0), node(3.0, 5.0)
    ag.grad((a + b).sum(), [a, b])
    assert [g.tolist() for g in ag.grad((a + b).sum(), [a, b])] == [[1, 1], [1, 1]]
    assert [g.tolist() for g in ag.grad((a * b).sum(), [a, b])] == [[3, 5], [1, 2]]
    x = node(-1.0, 0.0, 2.0)
    assert ag.grad(ag.relu(x).sum(), x).tolist() == [0, 0, 1]
    rng = np.random.default_rng(0)
    left, right, dy = rng.normal(size=(2, 3)), rng.normal(size=(3, 4)), rng.normal(size=(2, 4))
    p, q = (ag.tensor(each, requires_grad=True) for each in (left, right))
    dp, dq = ag.grad(p @ q, [p, q], core.from_host(dy))
    np.testing.assert_allclose(dp.to_host(), dy @ right.T, rtol=1e-12)
    np.testing.assert_allclose(dq.to_host(), left.T @ dy, rtol=1e-12)


def softmax(logits: Array) -> Array:
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


@pytest.mark.promise("A7", "A26")
@pytest.mark.parametrize("probabilities", [False, True])
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_cross_entropy_scales_by_the_incoming_gradient_and_stands_large_logits(
    reduction: str, probabilities: bool
) -> None:
    logits = np.array([[1e4, 0.0, -1e4], [0.3, -0.2, 0.1]])
    labels = np.array([0, 2])
    x = ag.tensor(logits, requires_grad=True)
    target = np.eye(3)[labels] if probabilities else labels
    loss = ag.cross_entropy(x, core.from_host(target), reduction=reduction)
    upstream = np.array(0.25) if reduction == "mean" else np.array([0.25, -2.0])
    assert loss.shape == upstream.shape
    assert np.isfinite(loss.to_host()).all()
    loss.backward(core.from_host(upstream))
    share = upstream / 2 if reduction == "mean" else upstream[:, None]
    np.testing.assert_allclose(x.grad.to_host(), (softmax(logits) - np.eye(3)[labels]) * share, atol=1e-12)


@pytest.mark.promise("N31")
def test_operators_work_from_both_sides_on_nodes_and_on_tensors() -> None:
    numbers = np.array([1.5, 2.0, 4.0])
    for x in (core.from_host(numbers), ag.tensor(numbers, requires_grad=True)):
        pairs = [
            (x + 2.0, numbers + 2), (2.0 + x, 2 + numbers), (x - 1.0, numbers - 1), (1.0 - x, 1 - numbers),
            (x * 3.0, numbers * 3), (3.0 * x, 3 * numbers), (x / 2.0, numbers / 2), (2.0 / x, 2 / numbers),
            (x**2, numbers**2), (2.0**x, 2**numbers), (-x, -numbers), (x < 2.0, numbers < 2), (x <= 2.0, numbers <= 2),
            (x > 2.0, numbers > 2), (x >= 2.0, numbers >= 2), (abs(-x), numbers),
            (x @ x, numbers @ numbers), (x.sum(), numbers.sum()), (x[1:], numbers[1:]),
        ]  # fmt: skip
        for found, expected in pairs:
            np.testing.assert_allclose(found.to_host(), expected, rtol=1e-12)
            assert isinstance(found, type(x))
    assert not (x < 2.0).requires_grad
    assert (2.0 / x).requires_grad


FUSED: dict[str, tuple[list[tuple[int, ...]], Any]] = {
    "linear_relu": ([(4, 3), (2, 3), (2,)], ag.linear),
    "add_relu": ([(4, 3), (4, 3)], ag.add),
    "conv2d_relu": ([(2, 3, 5, 4), (2, 3, 2, 3), (2,)], ag.conv2d),
    "batch_norm2d_relu": ([(2, 3, 5, 4), (3,), (3,)], ag.batch_norm),
}


@pytest.mark.promise("N32")
@pytest.mark.parametrize("name", FUSED)
@pytest.mark.sample(3)
def test_a_fused_op_is_one_node_and_equals_its_chain(name: str) -> None:
    rng = np.random.default_rng(3)
    shapes, plain = FUSED[name]
    operands = [ag.tensor(rng.normal(size=shape), requires_grad=True) for shape in shapes]
    fused = getattr(ag, name)(*operands)
    chain = ag.relu(plain(*operands))
    assert fused.grad_fn.name == name
    assert [edge[0].name for edge in fused.grad_fn.next_functions] == ["accumulate"] * len(operands)
    seed = core.from_host(rng.normal(size=fused.shape))
    np.testing.assert_allclose(fused.to_host(), chain.to_host(), rtol=1e-12)
    for one, other in zip(ag.grad(fused, operands, seed), ag.grad(chain, operands, seed), strict=True):
        np.testing.assert_allclose(one.to_host(), other.to_host(), rtol=1e-10, atol=1e-12)


@pytest.mark.promise("A28")
def test_what_has_no_number_is_infinite_or_nan_as_ieee_has_it() -> None:
    x = node(0.0, -1.0, 1.0)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal((1.0 / x).to_host(), [np.inf, -1, 1])
        np.testing.assert_array_equal(ag.log(x).to_host(), [-np.inf, np.nan, 0])
        np.testing.assert_array_equal((x / x).to_host(), [np.nan, 1, 1])
    np.testing.assert_array_equal(ag.grad(ag.log(x).sum(), x).to_host(), [np.inf, -1, 1])
    np.testing.assert_array_equal(ag.grad(ag.sqrt(x).sum(), x).to_host()[:2], [np.inf, np.nan])
    np.testing.assert_array_equal(ag.clamp(node(np.nan), 0.0, 1.0).to_host(), [np.nan])


@pytest.mark.promise("A1")
def test_a_record_of_many_operands_shows_them_all_and_each_gets_its_gradient() -> None:
    rng = np.random.default_rng(1)
    x, gamma, beta = (ag.tensor(rng.normal(size=shape), requires_grad=True) for shape in ((6, 3), (3,), (3,)))
    y = ag.batch_norm(x, gamma, beta)
    record = y.grad_fn
    assert [edge[0].variable for edge in record.next_functions] == [x, gamma, beta]
    assert record.parents == [x, gamma, beta]
    assert record.shape == (6, 3) or record.shape[0] == (6, 3)
    (y * 2.0).sum().backward()
    assert beta.grad.tolist() == [12.0] * 3
    assert (x.grad.shape, gamma.grad.shape) == ((6, 3), (3,))


@pytest.mark.promise("L26")
def test_a_network_on_fractions_has_exactly_the_gradients_worked_out_by_hand() -> None:
    x, w, b, v, t = (Fraction(n) for n in ("2/3", "5/7", "-1/2", "3/11", "1/5"))
    weight, bias, second = leaf(w), leaf(b), leaf(v)
    hidden = add(mul(weight, x), bias)
    squared = mul(hidden, hidden)
    error = add(mul(second, squared), -t)
    mul(error, error).backward()
    h = w * x + b
    e = v * h * h - t
    assert second.grad == 2 * e * h * h
    assert bias.grad == 2 * e * v * 2 * h
    assert weight.grad == 2 * e * v * 2 * h * x


@pytest.mark.promise("A21")
def test_a_detached_value_is_independent_of_what_is_written_later() -> None:
    x = node(1.0, 2.0)
    y = x * 3.0
    still = y.detach()
    y.add_(1.0)
    assert still.tolist() == [3.0, 6.0]
    assert isinstance(still, core.Tensor)
    (y * still).sum().backward()
    assert x.grad.tolist() == [9.0, 18.0]


@pytest.mark.promise("A27", "P38", "A3", "A8")
def test_backward_seeds_ones_and_leaves_a_gradient_of_ones_own_in_grad() -> None:
    x, seed = node(1.0, 2.0), core.ones((2,), "float64")
    (x * 1.0).backward()
    assert x.grad.tolist() == [1.0, 1.0]
    x.zero_grad()
    x.backward(seed)
    assert x.grad.buffer is not seed.buffer
    x.backward(seed)
    assert (x.grad.tolist(), seed.tolist()) == ([2.0, 2.0], [1.0, 1.0])


@pytest.mark.promise("A26")
def test_the_usual_losses_reduce_to_numbers() -> None:
    x, t = np.array([0.2, 0.7, 2.5]), np.array([0.0, 1.0, 0.5])
    a, b = (core.from_host(each) for each in (x, t))
    p = core.from_host(np.array([0.2, 0.7, 0.5]))
    huber = np.where(np.abs(x - t) <= 1, 0.5 * (x - t) ** 2, np.abs(x - t) - 0.5).mean()
    q = np.array([0.2, 0.7, 0.5])
    bce = -(t * np.log(q) + (1 - t) * np.log(1 - q)).mean()
    found = host(ag.mse_loss(a, b), ag.huber_loss(a, b), ag.bce_loss(p, b))
    assert [each.shape for each in found] == [()] * 3
    np.testing.assert_allclose(found, [((x - t) ** 2).mean(), huber, bce], rtol=1e-12)
