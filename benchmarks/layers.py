"""Single layers and ops on sizes that people have, each with its gradients unless it says otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from netcl import autograd as ag
from netcl import core, kernels

from .programs import Step, constant, gradients, variable, waiting

OPS = kernels.compile(
    """
    op attention(q[n, i, d]: float, k[n, j, d]: float, v[n, j, e]: float; scale: float = 1, causal: bool = false)
        -> y[n, i, e]
    {
        score[n, i, j] = causal and j > i ? -inf : scale * sum[d](q * k);
        top = detach(max[j](score));
        weight = exp(score - top);
        y = sum[j](weight * v) / sum[j](weight);
    }
    """,
    "attention",
)


def attention(heads: int, length: int, causal: bool = False, backward: bool = True) -> Step:
    """Of `heads` heads with 64 features, over so many positions, declared as one op."""
    q, k, v = (variable(heads, length, 64, seed=seed) for seed in range(3))
    seed = constant(heads, length, 64, seed=3)

    def value() -> Any:
        return OPS.attention(q, k, v, scale=0.125, causal=causal)

    if backward:
        return waiting(lambda: ag.grad(value(), [q, k, v], grad_outputs=[seed]))
    q, k, v = (each.detach() for each in (q, k, v))
    return waiting(value)


def convolution(
    images: int, channels: int, size: int, filters: int, side: int, stride: int = 1, padding: int = 0, groups: int = 1
) -> Step:
    x = variable(images, channels, size, size)
    w = variable(filters, channels // groups, side, side, seed=1)
    out = (size + 2 * padding - side) // stride + 1
    seed = constant(images, filters, out, out, seed=2)

    def value() -> Any:
        return ag.conv2d(x, w, stride=stride, padding=padding, groups=groups)

    return waiting(lambda: ag.grad(value(), [x, w], grad_outputs=[seed]))


def cumsum_100x10000() -> Step:
    x, seed = variable(100, 10_000), constant(100, 10_000, seed=1)
    return waiting(lambda: ag.grad(ag.cumsum(x, axis=-1), [x], grad_outputs=[seed]))


def cross_entropy_256x32000() -> Step:
    x, labels = variable(256, 32_000), core.from_host(np.arange(256) * 100)
    return gradients(lambda: ag.cross_entropy(x, labels), x)


def batch_norm_relu_32x64x32x32() -> Step:
    x, w, b = variable(32, 64, 32, 32), variable(64, seed=1), variable(64, seed=2)
    seed = constant(32, 64, 32, 32, seed=3)
    return waiting(lambda: ag.grad(ag.batch_norm2d_relu(x, w, b), [x, w, b], grad_outputs=[seed]))


def gelu_1e7() -> Step:
    x, seed = variable(10_000_000), constant(10_000_000, seed=1)
    return waiting(lambda: ag.grad(ag.gelu(x), [x], grad_outputs=[seed]))


def sort_1e6() -> Step:
    x = constant(1_000_000)
    return waiting(lambda: ag.sort(x))


def segment_mean_100000x64() -> Step:
    """The mean of the rows of each of 1,000 segments, which lie in no order."""
    x, seed = variable(100_000, 64), constant(1000, 64, seed=1)
    segment = core.from_host(np.random.default_rng(2).integers(0, 1000, 100_000))
    zeros, ones = ag.zeros((1000, 64)), ag.ones(100_000)

    def value() -> Any:
        counts = ag.index_add(ag.zeros(1000), segment, ones)
        return ag.index_add(zeros, segment, x) / ag.maximum(counts, 1).reshape((1000, 1))

    return waiting(lambda: ag.grad(value(), [x], grad_outputs=[seed]))


LAYERS: dict[str, Callable[[], Step]] = {
    "attention_8x1024": lambda: attention(8, 1024),
    "attention_8x1024_causal": lambda: attention(8, 1024, causal=True),
    "attention_4x8192_forward": lambda: attention(4, 8192, backward=False),
    "conv2d_4x3x224x224_by_7": lambda: convolution(4, 3, 224, 64, 7, stride=2, padding=3),
    "conv2d_8x256x28x28_by_1": lambda: convolution(8, 256, 28, 64, 1),
    "depthwise_8x64x56x56": lambda: convolution(8, 64, 56, 64, 3, padding=1, groups=64),
    "cumsum_100x10000": cumsum_100x10000,
    "cross_entropy_256x32000": cross_entropy_256x32000,
    "batch_norm_relu_32x64x32x32": batch_norm_relu_32x64x32x32,
    "gelu_1e7": gelu_1e7,
    "sort_1e6": sort_1e6,
    "segment_mean_100000x64": segment_mean_100000x64,
}
