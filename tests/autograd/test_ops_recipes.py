"""Functions made of several ops give what numpy gives, and their gradients what differences say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.kernels.library import recipes

Array = np.ndarray[Any, Any]


def leaf(array: Array) -> ag.Node:
    return ag.tensor(array, requires_grad=True, dtype="float64")


def attended(q: Array, k: Array, v: Array) -> Array:
    """Causal attention."""
    scores = np.where(np.tri(q.shape[1], dtype=bool), q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]), -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


RECIPES: dict[str, tuple[Callable[..., Any], Callable[..., Array], list[tuple[int, ...]]]] = {
    "norm": (ag.norm, np.linalg.norm, [(5,)]),
    "norm of order 1": (lambda x: ag.norm(x, 1, axis=0), lambda a: np.abs(a).sum(0), [(3, 4)]),
    "norm of order 3": (lambda x: ag.norm(x, 3), lambda a: (np.abs(a) ** 3).sum() ** (1 / 3), [(4,)]),
    "norm of order -1": (lambda x: ag.norm(x, -1), lambda a: 1 / (1 / np.abs(a)).sum(), [(4,)]),
    "norm of order 0": (lambda x: ag.norm(x, 0, axis=1), lambda a: (a != 0).sum(1), [(2, 3)]),
    "smallest norm": (lambda x: ag.norm(x, -np.inf, axis=0), lambda a: np.abs(a).min(0), [(3, 2)]),
    "largest norm": (lambda x: ag.norm(x, np.inf), lambda a: np.abs(a).max(), [(4,)]),
    "cosine_similarity": (
        ag.cosine_similarity,
        lambda a, b: (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1), [(3, 4), (3, 4)],
    ),
    "cosine_similarity of shapes that broadcast": (
        lambda a, b: ag.cosine_similarity(a, b, axis=-2),
        lambda a, b: (a * b).sum(1)
        / np.linalg.norm(np.broadcast_to(a, (2, 2, 3)), axis=1) / np.linalg.norm(np.broadcast_to(b, (2, 2, 3)), axis=1),
        [(1, 2, 3), (2, 1, 3)],
    ),
    "glu": (ag.glu, lambda a: a[..., :2] / (1 + np.exp(-a[..., 2:])), [(3, 4)]),
    "diff": (ag.diff, np.diff, [(3, 4)]),
    "bmm": (ag.bmm, np.matmul, [(2, 3, 4), (2, 4, 5)]),
    "addmm": (lambda c, a, b: ag.addmm(c, a, b, 0.5, 2.0), lambda c, a, b: 0.5 * c + 2 * a @ b, [(4,), (2, 3), (3, 4)]),
    "tensordot": (ag.tensordot, np.tensordot, [(2, 3, 4), (3, 4, 5)]),
    "tensordot over named axes": (
        lambda a, b: ag.tensordot(a, b, ([0, 2], [1, 0])), lambda a, b: np.tensordot(a, b, ([0, 2], [1, 0])),
        [(2, 3, 4), (4, 2, 5)],
    ),
    "attention": (lambda q, k, v: ag.attention(q, k, v, causal=True), attended, [(2, 3, 4)] * 3),
    "attention with a scale and shared heads": (
        lambda q, k, v: ag.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.25, enable_gqa=True),
        lambda q, k, v: attended(q / 2, np.concatenate([k, k]), np.concatenate([v, v])), [(2, 3, 4), *[(1, 3, 4)] * 2],
    ),
    "bce_with_logits with weights": (
        lambda x, w: ag.bce_with_logits(x, ag.ones((3, 2)), weight=w),
        lambda x, w: (w * np.log1p(np.exp(-x))).mean(), [(3, 2), (2,)],
    ),
    "triplet_margin_loss of sums, the nearer pair": (
        lambda a, p, n: ag.triplet_margin_loss(a, p, n, 9.0, 0.0, "none", p=1, swap=True),
        lambda a, p, n: 9 + np.abs(a - p).sum(1) - np.minimum(np.abs(a - n).sum(1), np.abs(p - n).sum(1)),
        [(3, 4)] * 3,
    ),
    "logit of what is held": (
        lambda x: ag.logit(x, eps=0.25), lambda a: np.log((h := np.clip(a, 0.25, 0.75)) / (1 - h)), [(7,)],
    ),
    "interpolate by a scale that leaves a part over": (
        lambda x: ag.interpolate(x, scale_factor=(1, 1.5), mode="bilinear"),
        lambda a: a @ np.array([[6, 3, 0, 0], [0, 3, 5, 1], [0, 0, 1, 5]]) / 6,
        [(2, 3)],
    ),
    "pad": (
        lambda x: ag.pad(x, [(1, 2), (0, 3)], value=7.0),
        lambda a: np.pad(a, [(1, 2), (0, 3)], constant_values=7.0), [(2, 3)],
    ),
    "pad that takes away": (
        lambda x: ag.pad(x, [(-1, 0), (1, -1)]), lambda a: np.pad(a[1:, :-1], [(0, 0), (1, 0)]), [(3, 3)],
    ),
    "batch_norm": (
        lambda x, w, b: ag.batch_norm(x, w, b),
        lambda a, w, b: (a - a.mean((0, 2), keepdims=True)) / np.sqrt(a.var((0, 2), keepdims=True) + 1e-5)
        * w[:, None] + b[:, None], [(4, 3, 5), (3,), (3,)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.sample(3)
def test_values_and_gradients_are_right(name: str, rng: np.random.Generator) -> None:
    ours, theirs, shapes = RECIPES[name]
    hosts = [rng.uniform(0.5, 2, shape) for shape in shapes]
    np.testing.assert_allclose(ours(*map(leaf, hosts)).to_host(), theirs(*hosts), rtol=1e-10, atol=1e-12)
    assert ag.gradcheck(ours, list(map(leaf, hosts)))
    assert ag.gradgradcheck(ours, list(map(leaf, hosts)), fast=True)


def test_batch_norm_moves_the_running_statistics_in_training_and_uses_them_after(rng: np.random.Generator) -> None:
    host = rng.normal(3, 2, (16, 3, 4, 4)).astype(np.float32)
    mean, variance = core.zeros((3,)), core.ones((3,))
    for _ in range(200):
        ag.batch_norm(core.from_host(host), None, None, mean, variance)
    np.testing.assert_allclose(mean.to_host(), host.mean((0, 2, 3)), rtol=1e-4)
    np.testing.assert_allclose(variance.to_host(), host.var((0, 2, 3), ddof=1), rtol=1e-4)
    before = mean.version
    y = ag.batch_norm(core.from_host(host), None, None, mean, variance, training=False)
    assert mean.version == before, "without training nothing is written"
    np.testing.assert_allclose(y.to_host().mean((0, 2, 3)), np.zeros(3), atol=1e-3)


def test_axes_may_be_counted_from_the_end(rng: np.random.Generator) -> None:
    x = core.from_host(rng.normal(size=(2, 3, 4)).astype(np.float32))
    for name in ("sum", "softmax", "argmax", "logsumexp", "normalize"):
        op = getattr(ag, name)
        np.testing.assert_array_equal(op(x, axis=-2).to_host(), op(x, axis=1).to_host())
    np.testing.assert_array_equal(ag.sum(x, axis=(-1, 0)).to_host(), ag.sum(x, axis=(0, 2)).to_host())


@pytest.mark.parametrize("axis", [3, -4, (0, 0), (1, -2)], ids=str)
def test_axes_that_are_absent_or_named_twice_are_refused(axis: Any) -> None:
    with pytest.raises(core.ShapeError):
        ag.sum(core.zeros((2, 3, 4)), axis=axis)


@pytest.mark.parametrize("order", [0, 0.5, 1, 2, 3, -1, np.inf, -np.inf])
def test_the_norm_of_zeros_is_0_and_has_no_slope(order: float) -> None:
    x = leaf(np.zeros((1, 3)))
    y = ag.norm(x, order, axis=1)
    np.testing.assert_array_equal(y.to_host(), [0.0])
    np.testing.assert_array_equal(ag.grad(ag.sum(y), x).to_host(), np.zeros((1, 3)))


@pytest.mark.parametrize("name", ["argmax", "argmin", "amax", "amin"])
def test_there_is_no_largest_of_no_elements(name: str) -> None:
    op = getattr(ag, name)
    with pytest.raises(core.ShapeError, match=rf"{name}: needs size\[axis\] > 0, but axis 1 of x \(2, 0\) is 0"):
        op(ag.zeros((2, 0)), axis=1)
    with pytest.raises(core.ShapeError, match=name):
        op(ag.zeros((2, 0)))
    assert op(ag.zeros((2, 0)), axis=0).shape == (0,)


@pytest.mark.parametrize("order", [np.inf, -np.inf])
def test_there_is_no_largest_size_of_no_elements(order: float) -> None:
    with pytest.raises(core.ShapeError, match=r"am(ax|in)"):
        ag.norm(ag.zeros((0,)), order)


@pytest.mark.parametrize("order", [3, 1.5, -1, -2.5])
def test_powers_of_a_norm_do_not_leave_the_numbers(order: float) -> None:
    x = np.array([3.0, 1, -2])
    slope = np.sign(x) * (np.abs(x) / np.linalg.norm(x, order)) ** (order - 1)
    for unit in (1e200, 1e-200):
        leaf = ag.tensor(unit * x, requires_grad=True)
        length = ag.norm(leaf, order)
        length.backward()
        assert length.item() == pytest.approx(unit * np.linalg.norm(x, order), rel=1e-13)
        np.testing.assert_allclose(leaf.grad.to_host(), slope, rtol=1e-12)
    assert ag.norm(ag.tensor([np.inf, 1.0]), order).item() == (np.inf if order > 0 else 1)


def test_an_axis_that_a_scale_leaves_as_long_or_twice_as_long_is_read_as_pytorch_reads_it() -> None:
    x = ag.tensor(np.arange(8.0).reshape(1, 1, 1, 8))
    assert ag.interpolate(x, scale_factor=(1.0, 1.05)).tolist() == x.tolist()
    assert ag.interpolate(x, scale_factor=(1.0, 1.05), mode="bilinear").tolist() == x.tolist()
    doubled = ag.interpolate(x, scale_factor=(1.0, 2.06))
    assert doubled.to_host().ravel().tolist() == (np.arange(16) // 2).tolist()


def test_a_size_or_a_scale_is_given() -> None:
    x = ag.ones((1, 2, 5, 4))
    assert ag.interpolate(x, scale_factor=1.5).shape == (1, 2, 7, 6)
    assert ag.interpolate(x, scale_factor=(2, 0.25)).shape == (1, 2, 10, 1)
    for given in ({}, {"size": (2, 2), "scale_factor": 2}):
        with pytest.raises(core.ShapeError, match="interpolate: give either size or scale_factor"):
            ag.interpolate(x, **given)
    for wrong in (0, -1, float("nan"), "2x", (1, 2, 3)):
        with pytest.raises(
            core.ShapeError, match=r"interpolate: scale_factor is .* for x \(1, 2, 5, 4\); give a number"
        ):
            ag.interpolate(x, scale_factor=wrong)
    with pytest.raises(core.ShapeError, match=r"with enable_gqa the heads of q \(1, 3, 5, 4\), along axis -3"):
        ag.scaled_dot_product_attention(ag.ones((1, 3, 5, 4)), x, x, enable_gqa=True)


RNG = np.random.default_rng(31)
MASKS = {
    "none": None,
    "bool": RNG.random((5, 6)) < 0.5,
    "uint8": (RNG.random((5, 1)) < 0.7).astype("uint8"),
    "float": RNG.standard_normal((3, 1, 6)),
    "float32": RNG.standard_normal((1, 6)).astype("float32"),
    "nothing to look at": np.zeros((5, 6), bool),
}


@pytest.mark.parametrize("mask", MASKS, ids=str)
@pytest.mark.parametrize("causal", [False, True])
def test_attention_without_a_table_of_scores_is_that_with_one(
    mask: str, causal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = [RNG.standard_normal(shape) for shape in ((2, 3, 5, 4), (3, 6, 4), (2, 1, 6, 2), (2, 3, 5, 2))]
    given = MASKS[mask]

    def computed() -> list[Any]:
        q, k, v, seed = (ag.tensor(each, requires_grad=True) for each in arrays)
        seen = None if given is None else ag.tensor(given, requires_grad=given.dtype.kind == "f")
        wanted = [q, k, v] if given is None or given.dtype.kind != "f" else [q, k, v, seen]
        y = ag.attention(q, k, v, causal=causal, mask=seen)
        return [each.to_host() for each in (y, *ag.grad(y, wanted, grad_outputs=[seed]))]

    with_one = computed()
    monkeypatch.setattr(recipes, "LARGEST_TABLE", 0)
    without = computed()
    for table, none in zip(with_one, without, strict=True):
        assert none.dtype == table.dtype
        np.testing.assert_allclose(none, table, rtol=1e-6, atol=1e-7)


def test_attention_over_many_positions_has_no_table_of_scores() -> None:
    q = ag.ones((1, 8200, 16))
    core.reset_peak_memory()
    before = core.memory_stats()["peak_bytes"]
    y = ag.attention(q, q, q)
    assert core.memory_stats()["peak_bytes"] - before < 40 << 20, "a table of all scores has 256 MiB"
    np.testing.assert_allclose(y.to_host(), 1, rtol=1e-5)
