"""Borders and windows beside numpy: every width, where windows overlap, and where the last axis is short."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.kernels import ops

rng = np.random.default_rng(33)

MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@pytest.mark.parametrize("mode", list(MODES))
@pytest.mark.parametrize("shape", [(5,), (2, 40), (3, 1, 17), (40, 3)])
@pytest.mark.sample(3)
def test_borders_are_numpys(shape: tuple[int, ...], mode: str) -> None:
    x = rng.normal(size=shape).astype(np.float32)
    for axis, length in enumerate(shape):
        most = {"reflect": length - 1, "replicate": length + 3, "circular": length}[mode]
        for before, after in product({0, 1, most // 2, most}, repeat=2):
            if max(before, after) > most:
                continue
            widths = [(before, after) if each == axis else (0, 0) for each in range(x.ndim)]
            found = ops.pad(core.from_host(x), widths, mode).to_host()
            np.testing.assert_array_equal(found, np.pad(x, widths, mode=MODES[mode]), f"{widths}")


def means(x: np.ndarray, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The means, and the gradient of their sum."""
    (height, width), (p, q) = x.shape[2:], size
    y, grad = np.zeros((*x.shape[:2], p, q), np.float64), np.zeros(x.shape, np.float64)
    for a, b in np.ndindex(p, q):
        rows = slice(a * height // p, -(-(a + 1) * height // p))
        columns = slice(b * width // q, -(-(b + 1) * width // q))
        y[:, :, a, b] = x[:, :, rows, columns].mean((2, 3), dtype=np.float64)
        grad[:, :, rows, columns] += (a + b + 1) / x[0, 0, rows, columns].size
    return y, grad


@pytest.mark.parametrize("image", [(1, 1), (5, 7), (8, 12), (6, 33)])
@pytest.mark.sample(2)
def test_windows_as_many_as_asked_for(image: tuple[int, int]) -> None:
    x = rng.normal(size=(2, 3, *image)).astype(np.float32)
    for size in product((1, 2, 3, image[0], 11), (1, 4, image[1], 2 * image[1])):
        expected, gradient = means(x, size)
        node = ag.tensor(x, requires_grad=True)
        y = ag.adaptive_avg_pool2d(node, size)
        np.testing.assert_allclose(y.to_host(), expected, rtol=1e-5, atol=1e-6, err_msg=str(size))
        weights = np.add.outer(np.arange(size[0]), np.arange(size[1])).astype(np.float32) + 1
        (y * core.from_host(weights)).sum().backward()
        np.testing.assert_allclose(node.grad.to_host(), gradient, rtol=1e-5, atol=1e-6, err_msg=str(size))


@pytest.mark.parametrize("shape", [(40, 17, 2), (3, 50, 3), (2, 100, 5), (33, 2, 2)])
def test_neighbours_along_a_long_axis_before_a_short_one(shape: tuple[int, ...]) -> None:
    host = rng.normal(size=shape).astype(np.float32)
    x = core.from_host(host)
    turned = host.transpose(2, 0, 1).copy()
    back = core.from_host(turned).permute(1, 2, 0)
    np.testing.assert_array_equal(ops.add(x, back).to_host(), host + host)
    np.testing.assert_array_equal(ops.clone(back).to_host(), host)
    np.testing.assert_array_equal(ops.mul(x, core.from_host(host[0, 0])).to_host(), host * host[0, 0])


def test_what_has_no_elements_has_gradients_of_none() -> None:
    for image, window, stride in (((1, 0, 5, 5), (0, 3, 2, 2), 1), ((0, 2, 5, 5), (2, 3, 2, 2), 3)):
        x, w = (ag.tensor(np.zeros(shape, np.float32), requires_grad=True) for shape in (image, window))
        y = ag.conv_transpose2d(x, w, stride=stride)
        (first,) = ag.grad((y * y).sum(), [w], create_graph=True)
        (second,) = ag.grad((first * first).sum(), [x])
        assert second.shape == image
    assert ops.pad(core.zeros((3, 0)), ((1, 1), (0, 0)), "reflect").shape == (5, 0)


def test_a_transposed_convolution_has_a_stride() -> None:
    x, w = core.ones((1, 1, 3, 3)), core.ones((1, 1, 9, 9))
    for stride in (0, -1):
        with pytest.raises(core.ShapeError, match="stride"):
            ops.conv_transpose2d(x, w, stride=stride)
