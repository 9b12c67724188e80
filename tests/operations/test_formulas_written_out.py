"""Ops against the formulas of their sources, written out in NumPy: losses, pooling, resampling, products."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import core
from netcl.kernels.namespace import ops

Array = np.ndarray[Any, Any]


def given(*arrays: Array) -> tuple[core.Tensor, ...]:
    return tuple(map(core.from_host, arrays))


# --- losses -----------------------------------------------------------------------------------------------------------


def cosine(a: Array, b: Array) -> Array:
    return (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))


def log_softmax(x: Array) -> Array:
    return x - np.log(np.exp(x).sum(1, keepdims=True))


def similarity_loss(q: Array, k: Array) -> Array:
    scores = np.array([[cosine(a, b) for b in k] for a in q]) / 0.1
    return -np.diag(log_softmax(scores))


SIGNS = np.array([[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]])
LOSSES: dict[str, tuple[Callable[..., Array], list[Any], dict[str, Any]]] = {
    "hinge_loss": (lambda x, y: np.maximum(0, 1 - x * y), [(2, 3), SIGNS], {}),
    "hinge_embedding_loss": (
        lambda x, y: np.where(y == 1, x, np.maximum(0, 0.8 - x)), [(2, 3), SIGNS], {"margin": 0.8},
    ),
    "margin_ranking_loss": (
        lambda a, b, y: np.maximum(0, 0.1 - y * (a - b)), [(2, 3), (2, 3), SIGNS], {"margin": 0.1},
    ),
    "soft_margin_loss": (lambda x, y: np.log1p(np.exp(-x * y)), [(2, 3), SIGNS], {}),
    "gaussian_nll_loss": (
        lambda x, y, v: (np.log(np.maximum(v, 1e-6)) + (x - y) ** 2 / np.maximum(v, 1e-6) + math.log(2 * math.pi)) / 2,
        [(2, 3), (2, 3), np.array([[0.5, 1.0, 2.0], [1e-9, 3.0, 1.0]])], {"full": True},
    ),
    "poisson_nll_loss": (
        lambda x, y: np.exp(x) - y * x + np.where(y > 1, y * np.log(y) - y + np.log(2 * np.pi * y) / 2, 0),
        [(2, 3), np.array([[1.0, 2.0, 5.0], [0.5, 3.0, 1.5]])], {"full": True},
    ),
    "kl_div": (lambda x, y: np.exp(y) * (y - x), [(2, 3), (2, 3)], {"log_target": True}),
    "cosine_embedding_loss": (
        lambda a, b, y: np.where(y == 1, 1 - cosine(a, b), np.maximum(0, cosine(a, b) - 0.1)),
        [(3, 4), (3, 4), SIGNS[0]], {"margin": 0.1},
    ),
    "triplet_margin_loss": (
        lambda a, p, n: np.maximum(
            0, 1 + np.linalg.norm(a - p + 1e-6, axis=-1) - np.linalg.norm(a - n + 1e-6, axis=-1)
        ),
        [(3, 4), (3, 4), (3, 4)], {},
    ),
    "contrastive_loss": (
        lambda a, b, y: (y * ((a - b) ** 2).sum(-1)
                         + (1 - y) * np.maximum(0, 3 - np.linalg.norm(a - b, axis=-1)) ** 2) / 2,
        [(3, 4), (3, 4), np.array([1.0, 0.0, 0.0])], {"margin": 3.0},
    ),
    "info_nce_loss": (similarity_loss, [(3, 4), (3, 4)], {}),
    "cross_entropy": (
        lambda x, y, w: -((0.8 * y + 0.2 / 3) * w * log_softmax(x)).sum(1),
        [(4, 3), np.eye(3)[[0, 2, 1, 1]] * 0.75 + 0.25 / 3, np.array([0.5, 1.0, 2.0])], {"label_smoothing": 0.2},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.sample(5)
def test_losses_and_their_reductions_are_those_of_the_formula(name: str, rng: np.random.Generator) -> None:
    formula, arguments, attributes = LOSSES[name]
    arrays = [rng.normal(size=each) if isinstance(each, tuple) else each for each in arguments]
    expected = formula(*arrays)
    for reduction, reduced in (("none", expected), ("sum", expected.sum()), ("mean", expected.mean())):
        found = getattr(ops, name)(*given(*arrays), reduction=reduction, **attributes)
        np.testing.assert_allclose(found.to_host(), reduced, rtol=1e-9, atol=1e-12)


# --- windows ----------------------------------------------------------------------------------------------------------


def windows(length: int, kernel: int, stride: int, padding: int, ceil_mode: bool) -> list[tuple[int, int]]:
    """(first, behind the last) of each window, in the padded axis' own count; PyTorch's rule for the last one."""
    span = length + 2 * padding - kernel
    count = (-(-span // stride) if ceil_mode else span // stride) + 1
    if ceil_mode and (count - 1) * stride >= length + padding:
        count -= 1
    starts = [at * stride - padding for at in range(count)]
    return [(start, min(start + kernel, length + padding)) for start in starts]


SETTINGS = [
    ((5, 6), 2, 2, 0, True), ((5, 6), 3, 2, 1, True), ((7, 4), 2, 3, 1, False), ((6, 6), 3, 2, 0, True),
    ((4, 5), 2, 1, 0, False),
]  # fmt: skip


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_pooling_has_the_windows_and_divisors_of_pytorch(setting: Any, rng: np.random.Generator) -> None:
    shape, kernel, stride, padding, ceil_mode = setting
    x = rng.normal(size=(1, 2, *shape))
    rows, columns = (windows(length, kernel, stride, padding, ceil_mode) for length in shape)
    largest, with_padding, without = np.empty((3, 1, 2, len(rows), len(columns)))
    for (p, (top, bottom)), (q, (left, right)) in itertools.product(enumerate(rows), enumerate(columns)):
        part = x[:, :, max(top, 0) : bottom, max(left, 0) : right][:, :, : shape[0] - max(top, 0), : shape[1]]
        largest[:, :, p, q] = part.max((2, 3))
        with_padding[:, :, p, q] = part.sum((2, 3)) / ((bottom - top) * (right - left))
        without[:, :, p, q] = part.mean((2, 3))
    options = {"stride": stride, "padding": padding, "ceil_mode": ceil_mode}
    (t,) = given(x)
    np.testing.assert_allclose(ops.max_pool2d(t, kernel, **options).to_host(), largest)
    np.testing.assert_allclose(ops.avg_pool2d(t, kernel, **options).to_host(), with_padding)
    found = ops.avg_pool2d(t, kernel, **options, count_include_pad=False)
    np.testing.assert_allclose(found.to_host(), without)


def test_a_smooth_largest_value_comes_close_to_the_largest(rng: np.random.Generator) -> None:
    (x,) = given(rng.normal(size=(1, 1, 4, 4)))
    sharp = ops.smooth_max_pool(x, 2, beta=100.0).to_host()
    np.testing.assert_allclose(sharp, ops.max_pool2d(x, 2).to_host(), atol=0.02)


def test_columns_of_windows_fold_back_onto_their_places(rng: np.random.Generator) -> None:
    x = rng.normal(size=(2, 3, 5, 4))
    (t,) = given(x)
    columns = ops.unfold(t, (2, 3), stride=(1, 2), padding=1)
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    expected = np.lib.stride_tricks.sliding_window_view(padded, (2, 3), (2, 3))[:, :, :, ::2]
    np.testing.assert_array_equal(columns.to_host(), expected.transpose(0, 1, 4, 5, 2, 3).reshape(2, 18, -1))
    ones = core.ones((2, 3, 5, 4), dtype="float64")
    times = ops.fold(ops.unfold(ones, (2, 3), stride=(1, 2), padding=1), (5, 4), (2, 3), stride=(1, 2), padding=1)
    back = ops.fold(columns, (5, 4), (2, 3), stride=(1, 2), padding=1)
    np.testing.assert_allclose(back.to_host(), x * times.to_host())


def test_convolutions_of_one_and_three_axes_are_sums_over_their_windows(rng: np.random.Generator) -> None:
    x, w = rng.normal(size=(2, 3, 4, 5, 3)), rng.normal(size=(2, 3, 2, 3, 2))
    view = np.lib.stride_tricks.sliding_window_view(x, (2, 3, 2), (2, 3, 4))[:, :, :, ::2]
    expected = np.einsum("nctuvqrs,fcqrs->nftuv", view, w)
    np.testing.assert_allclose(ops.conv3d(*given(x, w), stride=(1, 2, 1)).to_host(), expected)
    x, w = rng.normal(size=(2, 3, 4)), rng.normal(size=(3, 2, 3))
    expected = np.zeros((2, 2, 2 * 3 + 3))
    for i, r in np.ndindex(4, 3):
        expected[:, :, 2 * i + r] += x[:, :, i] @ w[:, :, r]
    found = ops.conv_transpose1d(*given(x, w), stride=2, padding=1, output_padding=1)
    np.testing.assert_allclose(found.to_host(), np.pad(expected, [(0, 0), (0, 0), (0, 1)])[:, :, 1:-1], atol=1e-12)


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("size", [(7, 3), (1, 1), (3, 4)], ids=str)
def test_a_bilinear_image_lies_between_the_four_pixels_around(
    size: tuple[int, int], corners: bool, rng: np.random.Generator
) -> None:
    x = rng.normal(size=(2, 3, 4))
    expected = x
    for axis, (length, wanted) in enumerate(zip(x.shape[1:], size, strict=True), 1):
        at = np.arange(wanted) * (length - 1) / max(wanted - 1, 1)
        if not corners:
            at = np.maximum((np.arange(wanted) + 0.5) * length / wanted - 0.5, 0)
        low = np.floor(at).astype(int)
        weight = np.moveaxis(np.broadcast_to(at - low, (1, 1, wanted)), 2, axis)
        high = np.minimum(low + 1, length - 1)
        expected = expected.take(low, axis) * (1 - weight) + expected.take(high, axis) * weight
    found = ops.interpolate(*given(x), size, "bilinear", align_corners=corners)
    np.testing.assert_allclose(found.to_host(), expected, rtol=1e-12, atol=1e-12)


# --- products and elementary functions --------------------------------------------------------------------------------


def test_rotated_pairs_keep_their_length_and_their_product_depends_on_the_distance(rng: np.random.Generator) -> None:
    x = rng.normal(size=(2, 5, 6))
    (t,) = given(x)
    angle = np.arange(5)[:, None] * 10000.0 ** (-np.arange(3) / 3)
    pairs = x.reshape(2, 5, 3, 2)
    turned = (pairs[..., 0] + 1j * pairs[..., 1]) * np.exp(1j * angle)
    np.testing.assert_allclose(ops.rope(t).to_host().reshape(2, 5, 3, 2), np.stack([turned.real, turned.imag], -1))
    turned = (x[..., :3] + 1j * x[..., 3:]) * np.exp(1j * angle)
    np.testing.assert_allclose(ops.rope(t, halves=True).to_host(), np.concatenate([turned.real, turned.imag], -1))
    np.testing.assert_allclose(ops.rope(t[:, 3:], start=3).to_host(), ops.rope(t).to_host()[:, 3:])


def test_products_of_three_are_right(rng: np.random.Generator) -> None:
    a, b, c = (rng.normal(size=shape) for shape in ((2, 3, 4), (2, 4, 5), (5,)))
    np.testing.assert_allclose(ops.baddbmm(*given(c, a, b), 0.5, 2.0).to_host(), 0.5 * c + 2 * a @ b)
    x, y, w = (rng.normal(size=shape) for shape in ((2, 3), (2, 4), (5, 3, 4)))
    np.testing.assert_allclose(ops.bilinear(*given(x, y, w)).to_host(), np.einsum("ni,oij,nj->no", x, w, y))


def test_the_inverse_error_function_inverts_it_to_the_last_digits() -> None:
    for dtype, tolerance in (("float64", 1e-15), ("float32", 2e-7)):
        x = np.array([0, 1e-12, -0.3, 0.7, -0.95, 0.999999, 1 - 2.0**-20], dtype)
        y = ops.erfinv(core.from_host(x)).to_host()
        back = np.array([math.erf(each) for each in y.astype(np.float64)])
        slope = 2 / math.sqrt(math.pi) * np.exp(-(y.astype(np.float64) ** 2))
        np.testing.assert_allclose((back - x) / slope, 0, atol=8 * tolerance)
    ends = ops.erfinv(core.from_host(np.float32([1, -1, 1.5, np.nan]))).to_host()
    np.testing.assert_array_equal(ends, np.float32([np.inf, -np.inf, np.nan, np.nan]))


def test_numbers_take_the_place_of_what_is_not_finite() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 1.0])
    for dtype in (np.float32, np.float64):
        (t,) = given(x.astype(dtype))
        np.testing.assert_array_equal(ops.nan_to_num(t).to_host(), np.nan_to_num(x.astype(dtype)))
    found = ops.nan_to_num(t, 7.0, posinf=8.0, neginf=9.0)
    np.testing.assert_array_equal(found.to_host(), [7, 8, 9, 1])
