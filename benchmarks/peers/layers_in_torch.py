"""The programs of benchmarks/layers.py in PyTorch, with its own op for each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch.nn import functional

Step = Callable[[], object]


def constant(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def variable(*shape: int, seed: int = 0) -> torch.Tensor:
    return constant(*shape, seed=seed).requires_grad_()


def attention(heads: int, length: int, causal: bool = False, backward: bool = True) -> Step:
    q, k, v = (variable(1, heads, length, 64, seed=seed) for seed in range(3))
    seed = constant(1, heads, length, 64, seed=3)

    def value() -> torch.Tensor:
        return functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

    if backward:
        return lambda: torch.autograd.grad(value(), [q, k, v], [seed])
    q, k, v = (each.detach() for each in (q, k, v))
    return value


def convolution(
    images: int, channels: int, size: int, filters: int, side: int, stride: int = 1, padding: int = 0, groups: int = 1
) -> Step:
    x = variable(images, channels, size, size)
    w = variable(filters, channels // groups, side, side, seed=1)
    out = (size + 2 * padding - side) // stride + 1
    seed = constant(images, filters, out, out, seed=2)

    def value() -> torch.Tensor:
        return functional.conv2d(x, w, stride=stride, padding=padding, groups=groups)

    return lambda: torch.autograd.grad(value(), [x, w], [seed])


def cumsum_100x10000() -> Step:
    x, seed = variable(100, 10_000), constant(100, 10_000, seed=1)
    return lambda: torch.autograd.grad(x.cumsum(-1), [x], [seed])


def cross_entropy_256x32000() -> Step:
    x, labels = variable(256, 32_000), torch.arange(256) * 100
    return lambda: torch.autograd.grad(functional.cross_entropy(x, labels), [x])


def batch_norm_relu_32x64x32x32() -> Step:
    x, w, b = variable(32, 64, 32, 32), variable(64, seed=1), variable(64, seed=2)
    seed = constant(32, 64, 32, 32, seed=3)

    def value() -> torch.Tensor:
        return torch.relu(functional.batch_norm(x, None, None, w, b, training=True))

    return lambda: torch.autograd.grad(value(), [x, w, b], [seed])


def gelu_1e7() -> Step:
    x, seed = variable(10_000_000), constant(10_000_000, seed=1)
    return lambda: torch.autograd.grad(functional.gelu(x), [x], [seed])


def sort_1e6() -> Step:
    return constant(1_000_000).sort


def segment_mean_100000x64() -> Step:
    x, seed = variable(100_000, 64), constant(1000, 64, seed=1)
    segment = torch.from_numpy(np.random.default_rng(2).integers(0, 1000, 100_000))

    def value() -> torch.Tensor:
        sums = torch.zeros(1000, 64).index_add(0, segment, x)
        return sums / torch.bincount(segment, minlength=1000).clamp(min=1)[:, None]

    return lambda: torch.autograd.grad(value(), [x], [seed])


def swish_inside(size: int) -> Step:
    x, seed = constant(size).requires_grad_(), constant(size, seed=1)
    return lambda: torch.autograd.grad(x / 2 * (1 + torch.tanh(1.5 * x / 2)), [x], [seed])


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
    "swish_inside_torch_1e3": lambda: swish_inside(1_000),
    "swish_inside_torch_1e6": lambda: swish_inside(1_000_000),
    "segment_mean_100000x64": segment_mean_100000x64,
}
