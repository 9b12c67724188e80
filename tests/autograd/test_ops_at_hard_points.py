"""Values, slopes and second derivatives where formulas overflow, meet a kink or divide nothing by nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from netcl import autograd as ag

INF = np.inf


def slopes(
    function: Callable[[ag.Node], ag.Node], points: object, dtype: str = "float64"
) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivative of the sum of `function` at the points."""
    x = ag.tensor(np.array(points, dtype=dtype), requires_grad=True)
    [first] = ag.grad(function(x).sum(), [x], create_graph=True)
    [second] = ag.grad(first.sum(), [x])
    return first.to_host(), second.to_host()


def test_a_masked_class_does_not_spoil_cross_entropy() -> None:
    logits = ag.tensor(np.array([[-INF, 1.0, 2.0]]), requires_grad=True)
    assert ag.cross_entropy(logits, ag.tensor(np.array([2]))).item() == pytest.approx(np.log1p(np.exp(-1.0)))


@pytest.mark.parametrize("reduction", ["sum", "none"])
def test_losses_are_smooth_where_they_are_zero(reduction: str) -> None:
    target = ag.tensor(np.array([0.5, 0.0]))
    for loss in (ag.huber_loss, ag.smooth_l1_loss):
        first, second = slopes(lambda x, loss=loss: loss(x, target, reduction=reduction), [0.5, 0.0])
        assert first.tolist() == [0, 0]
        assert second.tolist() == [1, 1]
    first, second = slopes(lambda x: ag.bce_with_logits(x, target, reduction=reduction), [0.0, 0.0])
    np.testing.assert_allclose(first, [0.0, 0.5])
    np.testing.assert_allclose(second, [0.25, 0.25])


@pytest.mark.parametrize("name", ["silu", "mish", "softplus", "logsigmoid", "sigmoid"])
def test_second_derivatives_of_saturated_activations_are_zero_and_not_nan(name: str) -> None:
    for dtype in ("float32", "float64"):
        _, second = slopes(getattr(ag, name), [-1000.0, -200.0, 200.0, 1000.0, -INF, INF], dtype)
        np.testing.assert_allclose(second, 0, atol=1e-30, err_msg=f"{name} {dtype}")


def test_the_slope_of_x_log_y_at_zero_is_log_y() -> None:
    y = ag.tensor(np.array([2.0, INF, 0.0]))
    first, _ = slopes(lambda x: ag.xlogy(x, y), [0.0, 0.0, 0.0])
    np.testing.assert_allclose(first, [np.log(2.0), 0, 0])


def test_a_zero_vector_and_a_constant_slice_have_finite_slopes() -> None:
    first, second = slopes(lambda x: ag.normalize(x, axis=1)[:, 0], [[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_allclose(first, [[1e12, 0], [0.128, -0.096]])
    assert np.isfinite(second).all()
    first, second = slopes(lambda x: ag.std(x, axis=1), [[1.0, 1.0, 1.0]])
    assert first.tolist() == second.tolist() == [[0, 0, 0]]


def test_the_upper_limit_of_a_clamp_wins_over_the_lower() -> None:
    assert ag.clamp(ag.tensor(np.array([0.0, 5.0])), 1.0, -1.0).tolist() == [-1, -1]


def test_a_negative_power_of_an_integer_is_cut_off_towards_zero() -> None:
    bases = ag.tensor(np.array([2, 1, -1, -1, -3, 0]))
    assert ag.pow(bases, ag.tensor(np.array([-1, -7, -3, -2, -1, 0]))).tolist() == [0, 1, -1, 1, 0, 1]
    assert (2 ** ag.tensor(np.array([-7, -1, 3]))).tolist() == [0, 0, 8]
