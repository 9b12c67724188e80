"""Values and slopes that other libraries got wrong: kinks, ties, overflow, NaN, empty and one-element cases."""

from __future__ import annotations

import math

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core.errors import ShapeError
from netcl.kernels.namespace import ops

INF, NAN = math.inf, math.nan


def value(name: str, *args: float, **attributes: object) -> float:
    """The value of an op at one point, in float32."""
    return float(getattr(ops, name)(*(core.from_host(np.float32(each)) for each in args), **attributes).item())


def slopes(name: str, *args: float, **attributes: object) -> list[float]:
    """The input gradients of an op at one point, in float32."""
    leaves = [ag.tensor(np.float32(each), requires_grad=True) for each in args]
    found = ag.grad(getattr(ops, name)(*leaves, **attributes), leaves, allow_unused=True, materialize_grads=True)
    return [float(each.item()) for each in found]


VALUES = [
    ("sigmoid", (-INF,), 0), ("sigmoid", (INF,), 1), ("sigmoid", (-80,), 1.8048514e-35), ("sigmoid", (-100,), 0),
    ("softplus", (100,), 100), ("softplus", (-INF,), 0), ("softplus", (INF,), INF), ("logsigmoid", (-100,), -100),
    ("logsigmoid", (-INF,), -INF), ("relu", (NAN,), NAN), ("relu6", (NAN,), NAN), ("clamp", (NAN,), NAN),
    ("hardtanh", (NAN,), NAN), ("softshrink", (NAN,), NAN), ("hardshrink", (NAN,), NAN), ("maximum", (NAN, 1), NAN),
    ("maximum", (1, NAN), NAN), ("minimum", (NAN, 1), NAN), ("minimum", (1, NAN), NAN), ("fmax", (NAN, 1), 1),
    ("fmin", (1, NAN), 1), ("pow", (0, 0), 1), ("pow", (-2, 3), -8), ("pow", (-2, 0.5), NAN), ("pow", (0, -1), INF),
    ("pow", (INF, 0), 1), ("gelu", (-INF,), 0), ("gelu", (INF,), INF), ("gelu", (-100,), 0), ("silu", (-INF,), 0),
    ("silu", (INF,), INF), ("mish", (-INF,), 0), ("mish", (INF,), INF), ("elu", (-INF,), -1),
    ("logaddexp", (-INF, -INF), -INF), ("logaddexp", (1000, 1000), 1000 + math.log(2)), ("hypot", (0, 0), 0),
    ("hypot", (3e30, 4e30), 5e30), ("xlogy", (0, 0), 0), ("xlogy", (0, NAN), NAN), ("fmod", (-7, 3), -1),
    ("remainder", (-7, 3), 2), ("floor_divide", (-7, 2), -4), ("round", (2.5,), 2), ("round", (-0.5,), 0),
    ("sign", (NAN,), NAN), ("log1p", (-1,), -INF), ("expm1", (1e-10,), 1e-10), ("atan2", (0, -1), math.pi),
    ("copysign", (3, -0.0), -3),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "expected"), VALUES, ids=lambda each: str(each))
def test_special_values_are_exact(name: str, args: tuple[float, ...], expected: float) -> None:
    np.testing.assert_allclose(value(name, *args), np.float32(expected), rtol=3e-6, atol=1e-43)


SLOPES = [
    ("softplus", (0,), (0.5,)), ("softplus", (100,), (1,)), ("softplus", (-80,), (1.8048514e-35,)),
    ("logsigmoid", (0,), (0.5,)), ("sigmoid", (-80,), (1.8048514e-35,)), ("sigmoid", (-100,), (0,)),
    ("sigmoid", (-INF,), (0,)), ("sigmoid", (INF,), (0,)), ("relu", (0,), (0,)), ("relu", (NAN,), (1,)),
    ("abs", (0,), (0,)), ("elu", (0,), (1,)), ("selu", (0,), (1.7580993,)), ("maximum", (2, 2), (0.5, 0.5)),
    ("minimum", (2, 2), (0.5, 0.5)), ("maximum", (1, 2), (0, 1)), ("logaddexp", (3, 3), (0.5, 0.5)),
    ("logaddexp", (-INF, -INF), (0.5, 0.5)), ("hypot", (0, 0), (0, 0)), ("hypot", (3, 4), (0.6, 0.8)),
    ("pow", (0, 0), (0, 0)), ("pow", (0, 1), (1, 0)), ("pow", (0, 2), (0, 0)), ("pow", (-2, 3), (12, NAN)),
    ("gelu", (-INF,), (0,)), ("silu", (-INF,), (0,)), ("silu", (INF,), (1,)), ("mish", (-INF,), (0,)),
    ("mish", (INF,), (1,)), ("sqrt", (4,), (0.25,)), ("clamp", (2,), (1,)), ("atan2", (0, 1), (1, 0)),
    ("atan2", (1e-30, 1e-30), (5e29, -5e29)), ("xlogy", (0, 2), (0.6931471805599453, 0)),
    ("asinh", (1e25,), (1e-25,)), ("asinh", (-INF,), (0,)), ("acos", (0.9998274445533752,), (-53.831861989,)),
    ("asin", (0.9998274445533752,), (53.831861989,)), ("atanh", (0.9998308420181274,), (2956.0667935214,)),
    ("softsign", (32854502,), (9.264248557095233e-16,)), ("i1", (89.4842300415039,), (3.04299404641954e37,)),
    ("sinc", (-0.03188103064894676,), (0.104779210062169,)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "expected"), SLOPES, ids=lambda each: str(each))
def test_slopes_at_kinks_ties_and_far_out_are_finite_and_right(
    name: str, args: tuple[float, ...], expected: tuple[float, ...]
) -> None:
    np.testing.assert_allclose(slopes(name, *args), np.float32(expected), rtol=3e-6, atol=1e-43)


def test_the_limits_of_a_clamp_pass_the_gradient_and_what_is_outside_does_not() -> None:
    x = ag.tensor([-2.0, -1.0, 0.0, 1.0, 2.0, NAN], requires_grad=True)
    y = ag.clamp(x, -1, 1)
    np.testing.assert_array_equal(y.to_host(), np.float32([-1, -1, 0, 1, 1, NAN]))
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.to_host(), np.float32([0, 1, 1, 1, 0, 1]))


@pytest.mark.promise("F4")
def test_the_branch_not_taken_gives_no_nan_to_the_gradient() -> None:
    x = ag.tensor([-1.0, 4.0], requires_grad=True)
    ag.where(x > 0, ag.sqrt(ag.maximum(x, 0)), 0.0).sum().backward()
    assert x.grad.to_host()[1] == 0.25
    guarded = kernels.compile("op root(x: float) -> y { y = x > 0 ? sqrt(x) : 0; }").root
    x = ag.tensor([-1.0, 4.0], requires_grad=True)
    guarded(x).sum().backward()
    np.testing.assert_array_equal(x.grad.to_host(), np.float32([0, 0.25]))


@pytest.mark.parametrize("name", ["amax", "amin"])
def test_equal_extremes_share_the_gradient(name: str) -> None:
    x = ag.tensor([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], requires_grad=True)
    getattr(ag, name)(x, axis=1).sum().backward()
    np.testing.assert_allclose(x.grad.to_host(), np.full((2, 3), 1 / 3, np.float32))


def test_the_gradient_of_a_product_is_right_where_factors_are_0() -> None:
    x = ag.tensor([[2.0, 0.0, 3.0], [0.0, 0.0, 5.0], [2.0, 3.0, 4.0]], requires_grad=True)
    ag.prod(x, axis=1).sum().backward()
    np.testing.assert_array_equal(x.grad.to_host(), np.float32([[0, 6, 0], [0, 0, 0], [12, 8, 6]]))


def test_a_variance_with_a_large_mean_keeps_its_digits() -> None:
    x = core.from_host(np.float32([10000.0, 10001.0, 10002.0] * 1000))
    np.testing.assert_allclose(ops.var(x).item(), 2 / 3, rtol=1e-5)


def test_a_sum_of_many_ones_does_not_stop_at_2_to_the_24() -> None:
    assert ops.sum(core.ones((2**25,))).item() == 2**25


def test_logsumexp_of_infinities_is_not_nan() -> None:
    assert ops.logsumexp(core.from_host(np.float32([-INF, -INF]))).item() == -INF
    assert ops.logsumexp(core.from_host(np.float32([INF, 1.0]))).item() == INF
    np.testing.assert_allclose(ops.logsumexp(core.from_host(np.float32([1000.0, 1000.0]))).item(), 1000 + math.log(2))


def test_a_row_of_a_softmax_adds_up_to_1_far_from_0() -> None:
    rows = ops.softmax(core.from_host(np.float32([[1000, 999, -1000], [-1e30, -1e30, -1e30]])))
    np.testing.assert_allclose(rows.to_host().sum(axis=1), [1, 1], rtol=1e-6)


def test_reductions_of_nothing_have_the_values_of_numpy() -> None:
    nothing = core.zeros((0, 3))
    np.testing.assert_array_equal(ops.sum(nothing, axis=0).to_host(), np.zeros(3, np.float32))
    np.testing.assert_array_equal(ops.prod(nothing, axis=0).to_host(), np.ones(3, np.float32))
    assert ops.sum(nothing).shape == ()
    assert math.isnan(ops.mean(nothing).item())
    assert not ops.any(core.zeros((0,), dtype="bool")).item()
    assert ops.all(core.zeros((0,), dtype="bool")).item()


def test_nan_is_the_largest_and_the_smallest_for_argmax_and_argmin() -> None:
    x = core.from_host(np.float32([1.0, NAN, 3.0]))
    assert ops.argmax(x).item() == 1
    assert ops.argmin(x).item() == 1
    assert math.isnan(ops.amax(x).item())


def test_binary_cross_entropy_of_logits_is_finite_far_out_and_has_the_slope_of_sigmoid_at_0() -> None:
    x = ag.tensor([0.0, 200.0, -200.0], requires_grad=True)
    y = core.from_host(np.float32([1.0, 0.0, 1.0]))
    loss = ag.bce_with_logits(x, y, reduction="none")
    np.testing.assert_allclose(loss.to_host(), [math.log(2), 200, 200], rtol=1e-6)
    loss.sum().backward()
    np.testing.assert_allclose(x.grad.to_host(), [-0.5, 1, -1], rtol=1e-6)


def test_cross_entropy_leaves_ignored_targets_out_of_value_and_gradient() -> None:
    x = ag.tensor(np.zeros((3, 4)), requires_grad=True, dtype="float32")
    loss = ag.cross_entropy(x, core.from_host(np.array([1, -100, 2])))
    np.testing.assert_allclose(loss.item(), math.log(4), rtol=1e-6)
    loss.backward()
    np.testing.assert_array_equal(x.grad.to_host()[1], np.zeros(4, np.float32))
    np.testing.assert_allclose(x.grad.to_host()[0], np.float32([0.125, -0.375, 0.125, 0.125]))


@pytest.mark.parametrize("blank", [-1, 3])
def test_the_blank_of_a_labelling_is_one_of_the_classes(blank: int) -> None:
    log_probs = core.from_host(np.full((4, 1, 3), math.log(1 / 3)))
    targets, lengths, many = (core.from_host(np.array(each)) for each in ([[1, 0]], [4], [2]))
    with pytest.raises(ShapeError, match=f"ctc_loss: needs blank .*, but blank is {blank}"):
        ag.ctc_loss(log_probs, targets, lengths, many, blank=blank)


@pytest.mark.promise("N33")
def test_dropout_keeps_the_mean_repeats_its_mask_and_takes_the_same_mask_back() -> None:
    x = ag.tensor(np.ones(100_000), requires_grad=True, dtype="float32")
    y = ag.dropout(x, 0.25, seed=7)
    kept = y.to_host()
    np.testing.assert_array_equal(kept, ag.dropout(x, 0.25, seed=7).to_host())
    assert (kept != ag.dropout(x, 0.25, seed=8).to_host()).any()
    assert abs(kept.mean() - 1) < 4 * math.sqrt(0.25 / 0.75 / kept.size)
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.to_host(), kept)
    np.testing.assert_array_equal(ops.dropout(core.ones((5,)), 0.0, seed=1).to_host(), np.ones(5, np.float32))


@pytest.mark.promise("N33")
def test_dropout_of_everything_is_zero_and_not_nan() -> None:
    np.testing.assert_array_equal(ops.dropout(core.ones((5,)), 1.0, seed=1).to_host(), np.zeros(5, np.float32))


def test_max_pooling_gives_the_gradient_to_the_first_of_equal_values() -> None:
    x = ag.tensor(np.ones((1, 1, 2, 2)), requires_grad=True, dtype="float32")
    ag.max_pool2d(x, 2).sum().backward()
    np.testing.assert_array_equal(x.grad.to_host()[0, 0], np.float32([[1, 0], [0, 0]]))
