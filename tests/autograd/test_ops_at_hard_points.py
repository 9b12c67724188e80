"""Values, slopes and second derivatives where formulas overflow, meet a kink or divide nothing by nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels

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
@pytest.mark.sample(3)
def test_second_derivatives_of_saturated_activations_are_zero_and_not_nan(name: str) -> None:
    for dtype in ("float32", "float64"):
        _, second = slopes(getattr(ag, name), [-1000.0, -200.0, 200.0, 1000.0, -INF, INF], dtype)
        np.testing.assert_allclose(second, 0, atol=1e-30, err_msg=f"{name} {dtype}")


def test_the_slope_of_x_log_y_at_zero_is_log_y() -> None:
    y = ag.tensor(np.array([2.0, INF, 0.0]))
    first, _ = slopes(lambda x: ag.xlogy(x, y), [0.0, 0.0, 0.0])
    np.testing.assert_allclose(first, [np.log(2.0), INF, 0])


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


def second_slopes(function: Callable[..., ag.Node], *points: float) -> list[list[float]]:
    """Row i, column j: the derivative by operand j of the derivative by operand i, at one point."""
    leaves = [ag.tensor(np.float64(point), requires_grad=True) for point in points]
    first = ag.grad(function(*leaves), leaves, create_graph=True)
    return [
        [each.item() for each in ag.grad(g, leaves, retain_graph=True, materialize_grads=True)]
        if isinstance(g, ag.Node)
        else [0.0] * len(leaves)
        for g in first
    ]


def test_one_gradient_of_several_is_differentiated_without_the_others() -> None:
    """d(1/b)/da is 0 even where the gradient of b, which nobody asked for, is infinite or NaN."""
    assert second_slopes(ag.div, 3.0, 0.0)[0] == [0, -INF]
    assert second_slopes(ag.mul, INF, 2.0) == [[0, 1], [1, 0]]
    assert second_slopes(ag.bce_with_logits, 0.0, np.nan)[1][1] == 0


def test_second_derivatives_of_powers_at_an_exponent_of_zero() -> None:
    np.testing.assert_allclose(second_slopes(ag.pow, 4.0, 0.0), [[0, 0.25], [0.25, np.log(4.0) ** 2]])
    assert second_slopes(ag.pow, 0.0, 0.0) == [[0, 0], [0, 0]]


def test_second_derivatives_of_logaddexp_are_those_of_a_sigmoid_at_ties_and_far_out() -> None:
    assert second_slopes(ag.logaddexp, 3.0, 3.0) == [[0.25, -0.25], [-0.25, 0.25]]
    for far in (1e30, INF, -INF):
        assert not np.any(second_slopes(ag.logaddexp, 0.0, far))


def test_the_second_derivative_of_kl_div_by_both_operands_does_not_vanish_at_a_probability_of_zero() -> None:
    for reduction in ("sum", "mean", "none"):
        found = second_slopes(lambda x, y, how=reduction: ag.kl_div(x, y, reduction=how), -1.0, 0.0)
        assert (found[0][1], found[1][0]) == (-1, -1)


def test_slopes_of_angles_and_lengths_at_the_origin_and_at_infinity() -> None:
    for y, x in ((0.0, 0.0), (INF, 1.0), (1.0, INF), (-INF, -INF)):
        leaves = [ag.tensor(each, requires_grad=True) for each in (y, x)]
        assert [g.item() for g in ag.grad(ag.atan2(*leaves), leaves)] == [0, 0]
    assert ag.hypot(ag.tensor(INF), ag.tensor(np.nan)).item() == INF


def test_a_limit_that_is_nan_makes_a_clamp_nan() -> None:
    x, limit = ag.tensor(1.0, requires_grad=True), ag.tensor(np.nan, requires_grad=True)
    assert np.isnan(ag.clamp(x, limit).item())
    assert np.isnan(ag.clamp(x, 0.0, limit).item())
    assert [g.item() for g in ag.grad(ag.clamp(x, limit), [x, limit])] == [0, 1]


def test_the_slope_of_a_remainder_counts_the_divisors_of_a_quotient_that_is_rounded_or_underflows() -> None:
    for a, b, expected in ((0.5, 1e-8, -49999999.0), (1e-300, -1e200, 1.0), (0.5, -INF, 1.0), (7.0, 3.0, -2.0)):
        x, y = (ag.tensor(np.float64(each), requires_grad=True) for each in (a, b))
        assert ag.grad(ag.remainder(x, y), y).item() == expected


def test_slopes_of_saturated_and_of_undefined_values() -> None:
    for name in ("elu", "celu"):
        first, second = slopes(getattr(ag, name), [-100.0])
        np.testing.assert_allclose([first, second], np.exp(-100.0), rtol=1e-12)
    first, second = slopes(ag.logit, [-0.5, 1.5, 0.25])
    np.testing.assert_allclose(first, [np.nan, np.nan, 16 / 3])
    np.testing.assert_allclose(second, [np.nan, np.nan, -128 / 9])
    assert slopes(ag.rsqrt, [-0.0])[0].tolist() == [INF]
    assert slopes(ag.acosh, [1.0])[1].tolist() == [-INF]
    assert np.isnan(slopes(ag.acosh, [-2.0])[0])
    assert ag.softplus(ag.tensor(np.array([1e308])), 2.5).tolist() == [1e308]


def test_the_gradient_of_a_product_is_right_where_the_product_is_not_finite() -> None:
    first, _ = slopes(lambda x: ag.prod(x, axis=1), [[2.0, INF, 3.0], [1e200, 1e200, 2.0], [0.0, INF, 2.0]])
    np.testing.assert_array_equal(first, [[INF, 6, INF], [2e200, 2e200, INF], [INF, 0, np.nan]])


def test_a_variance_with_a_correction_above_the_count_is_infinite() -> None:
    assert ag.var(ag.tensor([1.0, 2.0]), correction=5).item() == INF


def of(*each: object) -> core.Tensor:
    return core.from_host(np.array(each))


@pytest.mark.parametrize(
    ("loss", "points", "expected"),
    [
        (lambda a: ag.margin_ranking_loss(a, of(1.0), of(1.0), reduction="none"), [1.0], [-1]),
        (lambda a: ag.hinge_embedding_loss(a, of(-1.0), reduction="none"), [1.0], [-1]),
        (lambda a: ag.hinge_loss(a, of(1.0), reduction="none"), [1.0], [-1]),
        (lambda a: ag.cosine_embedding_loss(a, of([0.0, 1.0]), of(-1.0), reduction="none"), [[1.0, 0.0]], [[0, 1]]),
        (lambda a: ag.triplet_margin_loss(a, of([0.0, 1]), of([0.0, -2]), 1, 0, "none"), [[0.0, 0.0]], [[0, -2]]),
        (lambda a: ag.triplet_margin_loss(a, of([0.0, 1]), of([0.0, -2]), 1, 0, "none", 1), [[0.0, 0.0]], [[0, -2]]),
    ],
    ids=["margin_ranking", "hinge_embedding", "hinge", "cosine_embedding", "triplet_margin", "triplet_margin-1"],
)
def test_a_loss_that_ends_at_0_has_at_its_kink_the_slope_of_its_other_side(
    loss: Callable[[ag.Node], ag.Node], points: object, expected: object
) -> None:
    leaf = ag.tensor(np.array(points), requires_grad=True)
    value = loss(leaf)
    assert value.to_host() == pytest.approx(0, abs=1e-15)
    value.sum().backward()
    np.testing.assert_allclose(leaf.grad.to_host(), expected, rtol=1e-10, atol=1e-15)


def test_a_variance_below_eps_counts_as_eps_and_keeps_its_slope() -> None:
    variance = ag.tensor(np.array([1e-8, 1e-6, 0.5]), requires_grad=True)
    loss = ag.gaussian_nll_loss(of(1.0), of(0.0), variance, reduction="none")
    held = np.array([1e-6, 1e-6, 0.5])
    np.testing.assert_allclose(loss.to_host(), 0.5 * (np.log(held) + 1 / held))
    loss.sum().backward()
    np.testing.assert_allclose(variance.grad.to_host(), 0.5 * (1 / held - 1 / held**2))


def gradients(function: Callable[..., ag.Node], *arrays: object) -> list[np.ndarray]:
    leaves = [ag.tensor(np.array(each), requires_grad=True) for each in arrays]
    return [each.to_host() for each in ag.grad(function(*leaves).sum(), leaves)]


def test_a_labelling_that_is_impossible_has_no_slope_unless_its_infinity_is_made_zero() -> None:
    rows = np.log([[[0.2, 0.3, 0.5], [0.2, 0.3, 0.5]]])
    targets, steps, counts = (ag.tensor(np.array(each)) for each in ([[1, 2], [1, 0]], [1, 1], [2, 1]))
    for zero, impossible in ((False, np.nan), (True, 0.0)):
        [found] = gradients(lambda x, z=zero: ag.ctc_loss(x, targets, steps, counts, 0, "sum", z), rows)
        np.testing.assert_array_equal(found[0, 0], np.full(3, impossible))
        np.testing.assert_allclose(found[0, 1], [0, -1, 0], atol=1e-15)


def test_what_a_hidden_markov_model_cannot_emit_has_no_slope_and_states_out_of_reach_have_one_of_0() -> None:
    seen, free = np.zeros((3, 2)), np.zeros((2, 2))
    one_way = np.array([[0, 0], [-INF, 0]])
    for start, transition in (([-INF, -INF], free), ([-INF, 0.0], np.array([[0, 0], [-INF, -INF]]))):
        found = gradients(lambda *each: ag.hmm_forward(*each)[0], start, transition, seen)
        assert all(np.isnan(each).all() for each in found)
    first, second, third = gradients(lambda *each: ag.hmm_forward(*each)[0], [-INF, 0.0], one_way, seen)
    assert first.tolist() == [0, 1]
    assert second.tolist() == [[0, 0], [0, 2]]
    assert third.tolist() == [[0, 1]] * 3


def test_sequences_that_no_alignment_joins_have_no_slope_and_pairs_out_of_reach_have_one_of_0() -> None:
    for costs in (np.full((2, 2), INF), [[0.0, INF], [INF, INF]]):
        [found] = gradients(ag.soft_dtw, costs)
        assert np.isnan(found).all()
    [found] = gradients(ag.soft_dtw, [[0.0, INF], [INF, 1.0]])
    assert found.tolist() == [[1, 0], [0, 1]]


def test_a_gradient_reads_nothing_beyond_its_operands() -> None:
    op = kernels.compile(
        "op f(a[j, k]: float, b[k, j]: float) -> y[j] {\n"
        "    y = min[k](a[j, k] - (b[k, j - 2] else 0)) + max[k](a[j, k]);\n"
        "}\n"
    ).f
    rng = np.random.default_rng(0)
    for n in (5, 17, 40):
        whole = np.full((n + 3, n), np.nan, np.float32)  # what lies behind the operand in memory
        whole[:n] = rng.uniform(-2, 2, (n, n))
        a = ag.Node(core.from_host(whole)[:n], requires_grad=True)
        b = ag.tensor(rng.uniform(-2, 2, (n, n)).astype(np.float32), requires_grad=True)
        first = ag.grad(op(a, b).sum(), [a, b], create_graph=True)
        second = ag.grad(sum((each * each).sum() for each in first), [a, b])
        assert all(np.isfinite(each.to_host()).all() for each in (*first, *second))
