"""Random numbers are pure functions of seed and counter, and have the distribution that they are named after."""

from __future__ import annotations

import math

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.core.errors import ShapeError

COUNT = 100_000


@pytest.mark.promise("L30")
@pytest.mark.parametrize("name", ["uniform", "normal"])
def test_the_same_seed_and_counter_give_the_same_numbers(name: str) -> None:
    draw = getattr(ag, name)
    first = draw((3, 5), seed=7).to_host()
    np.testing.assert_array_equal(draw((3, 5), seed=7).to_host(), first)
    np.testing.assert_array_equal(draw(5, seed=7, counter=10).to_host(), first[2])
    assert (draw((3, 5), seed=8).to_host() != first).any()
    assert (draw((3, 5)).to_host() != draw((3, 5)).to_host()).any(), "without a seed every draw is another"


def test_numbers_are_spread_evenly() -> None:
    x = ag.uniform(COUNT, -1, 3, seed=1).to_host()
    assert -1 <= x.min() < -0.99
    assert 2.99 < x.max() < 3
    counts = np.histogram(x, 20, (-1, 3))[0]
    assert abs(counts - COUNT / 20).max() < 5 * math.sqrt(COUNT / 20)


def test_numbers_are_spread_normally() -> None:
    x = ag.normal(COUNT, 2, 3, seed=1, dtype="float64").to_host()
    z = (x - 2) / 3
    for power, moment in ((1, 0), (2, 1), (3, 0), (4, 3)):
        assert abs((z**power).mean() - moment) < 5 * math.sqrt(100 / COUNT)
    assert x.dtype == np.float64


def test_each_element_is_one_with_its_own_probability() -> None:
    p = core.from_host(np.repeat(np.float32([0, 0.25, 1]), COUNT // 3))
    found = ag.bernoulli(p, seed=3).to_host().reshape(3, -1)
    assert set(found[1]) == {0, 1}
    assert found[0].max() == 0
    assert found[2].min() == 1
    assert abs(found[1].mean() - 0.25) < 5 * math.sqrt(0.25 * 0.75 / (COUNT // 3))


def test_a_sample_is_differentiable_by_its_mean_and_deviation() -> None:
    mean, std = (ag.tensor(np.full(shape, value), requires_grad=True) for shape, value in (((3, 1), 1.0), ((4,), 0.5)))
    y = ag.rsample_normal(mean, std, seed=5)
    assert y.shape == (3, 4)
    y.sum().backward()
    assert mean.grad.tolist() == [[4], [4], [4]]
    np.testing.assert_allclose(std.grad.to_host(), ((y.to_host() - 1) / 0.5).sum(0), rtol=1e-6)


def test_a_gumbel_softmax_draws_classes_with_their_probabilities() -> None:
    p = np.array([0.5, 0.2, 0.3])
    x = core.from_host(np.broadcast_to(np.log(p), (COUNT // 10, 3)).astype(np.float32))
    hard = ag.gumbel_softmax(x, hard=True, seed=2).to_host()
    np.testing.assert_allclose(np.sort(hard, 1), np.broadcast_to([0, 0, 1], hard.shape), atol=1e-6)
    assert abs(hard.mean(0) - p).max() < 0.03
    leaf = ag.tensor(np.zeros((2, 3)), requires_grad=True)
    soft = ag.gumbel_softmax(leaf, 0.5, seed=2)
    np.testing.assert_allclose(soft.to_host().sum(1), [1, 1])
    [through] = ag.grad((ag.gumbel_softmax(leaf, 0.5, hard=True, seed=2) ** 1)[:, 0].sum(), [leaf])
    [straight] = ag.grad(soft[:, 0].sum(), [leaf])
    np.testing.assert_allclose(through.to_host(), straight.to_host())


def test_nothing_is_drawn_for_a_shape_without_elements_and_a_negative_length_is_refused() -> None:
    assert ag.normal((0, 3)).shape == (0, 3)
    assert ag.uniform(()).shape == ()
    with pytest.raises(ShapeError, match="negative"):
        ag.uniform((2, -1))
