"""The programs of benchmarks/programs.py in PyTorch, eager, on the CPU."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import torch
from benchmarks.peers.layers_in_torch import LAYERS
from benchmarks.peers.own_formulas_in_torch import OWN
from benchmarks.peers.recurrences_in_torch import RECURRENCES
from torch.nn import functional

Step = Callable[[], object]
torch.set_num_threads(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def constant(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def variable(*shape: int, seed: int = 0, scale: float = 1.0) -> torch.Tensor:
    return (scale * constant(*shape, seed=seed)).requires_grad_()


def gradients(loss: Callable[[], torch.Tensor], *inputs: torch.Tensor) -> Step:
    return lambda: torch.autograd.grad(loss(), inputs)


def add_16() -> Step:
    a, b = constant(16), constant(16, seed=1)
    return lambda: a + b


def square_sum_16() -> Step:
    x = variable(16)
    return gradients(lambda: (x * x).sum(), x)


def chain_1000() -> Step:
    x, factor = variable(16), constant(16, seed=1)

    def loss() -> torch.Tensor:
        y = x
        for _ in range(1000):
            y = y * factor
        return y.sum()

    return gradients(loss, x)


def pointwise(size: int) -> Step:
    x, w, b = variable(size), variable(size, seed=1), variable(size, seed=2)
    return gradients(lambda: (torch.sigmoid(x * w + b) * torch.tanh(x) + torch.exp(-x * x)).sum(), x, w, b)


def sum_1e7() -> Step:
    x = constant(10_000_000)
    return x.sum


def softmax_4096x1024() -> Step:
    x, seed = variable(4096, 1024), constant(4096, 1024, seed=1)
    return lambda: torch.autograd.grad(torch.softmax(x, -1), [x], [seed])


def layer_norm_4096x1024() -> Step:
    x, w, b = variable(4096, 1024), variable(1024, seed=1), variable(1024, seed=2)
    seed = constant(4096, 1024, seed=3)
    return lambda: torch.autograd.grad(functional.layer_norm(x, (1024,), w, b), [x, w, b], [seed])


def matmul(size: int) -> Step:
    a, b = constant(size, size), constant(size, size, seed=1)
    return lambda: a @ b


def matmul_gradients_1024() -> Step:
    a, b, seed = variable(1024, 1024), variable(1024, 1024, seed=1), constant(1024, 1024, seed=2)
    return lambda: torch.autograd.grad(a @ b, [a, b], [seed])


def conv2d(images: int, channels: int, size: int, filters: int) -> Step:
    x, w = variable(images, channels, size, size), variable(filters, channels, 3, 3, seed=1)
    seed = constant(images, filters, size, size, seed=2)
    return lambda: torch.autograd.grad(functional.conv2d(x, w, padding=1), [x, w], [seed])


def mlp_adam_step() -> Step:
    x, labels = constant(128, 784), torch.arange(128) % 10
    parameters = [variable(256, 784, scale=0.05), variable(256), variable(10, 256, scale=0.1, seed=1), variable(10)]
    w1, b1, w2, b2 = parameters
    optimizer = torch.optim.Adam(parameters, lr=1e-3)

    def step() -> None:
        logits = functional.linear(torch.relu(functional.linear(x, w1, b1)), w2, b2)
        loss = functional.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def cnn_sgd_step() -> Step:
    x, labels = constant(64, 1, 28, 28), torch.arange(64) % 10
    parameters = [
        variable(16, 1, 3, 3, scale=0.3), variable(16), variable(32, 16, 3, 3, scale=0.1, seed=1), variable(32),
        variable(10, 1568, scale=0.02, seed=2), variable(10),
    ]  # fmt: skip
    w1, b1, w2, b2, w3, b3 = parameters
    optimizer = torch.optim.SGD(parameters, lr=1e-2)

    def step() -> None:
        h = functional.max_pool2d(torch.relu(functional.conv2d(x, w1, b1, padding=1)), 2)
        h = functional.max_pool2d(torch.relu(functional.conv2d(h, w2, b2, padding=1)), 2)
        loss = functional.cross_entropy(functional.linear(h.reshape((64, 1568)), w3, b3), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def transformer_block() -> Step:
    width, heads, batch, length = 256, 4, 8, 128
    x, seed = variable(batch, length, width), constant(batch, length, width, seed=9)
    wqkv, wo = variable(3 * width, width, scale=0.06, seed=1), variable(width, width, scale=0.06, seed=2)
    w1, w2 = variable(4 * width, width, scale=0.06, seed=3), variable(width, 4 * width, scale=0.03, seed=4)
    g1, c1, g2, c2 = (variable(width, seed=each) for each in range(5, 9))

    def block() -> torch.Tensor:
        h = functional.linear(functional.layer_norm(x, (width,), g1, c1), wqkv)
        qkv = h.reshape((batch, length, 3, heads, width // heads)).permute((2, 0, 3, 1, 4))
        q, k, v = qkv[0], qkv[1], qkv[2]
        weights = torch.softmax((q @ k.permute((0, 1, 3, 2))) * (width // heads) ** -0.5, -1)
        y = x + functional.linear((weights @ v).permute((0, 2, 1, 3)).reshape((batch, length, width)), wo)
        normed = functional.layer_norm(y, (width,), g2, c2)
        return y + functional.linear(functional.gelu(functional.linear(normed, w1)), w2)

    wanted = [x, wqkv, wo, w1, w2, g1, c1, g2, c2]
    return lambda: torch.autograd.grad(block(), wanted, [seed])


def embedding_100000x64() -> Step:
    table, seed = variable(100_000, 64), constant(100_000, 64, seed=1)
    index = torch.from_numpy(np.random.default_rng(2).integers(0, 100_000, 100_000))
    return lambda: torch.autograd.grad(functional.embedding(index, table), [table], [seed])


def gaussian_kernel_sum(points: int) -> Step:
    x, z, b = variable(points, 3), constant(points, 3, seed=1), constant(points, 3, seed=2)
    seed = constant(points, 3, seed=3)

    def step() -> object:
        y = torch.exp(-((x[:, None] - z) ** 2).sum(-1)) @ b
        return torch.autograd.grad(y, [x], [seed])

    return step


PROGRAMS: dict[str, Callable[[], Step]] = {
    "add_16": add_16,
    "square_sum_16": square_sum_16,
    "chain_1000": chain_1000,
    "pointwise_1e6": lambda: pointwise(1_000_000),
    "pointwise_1e7": lambda: pointwise(10_000_000),
    "sum_1e7": sum_1e7,
    "softmax_4096x1024": softmax_4096x1024,
    "layer_norm_4096x1024": layer_norm_4096x1024,
    "matmul_512": lambda: matmul(512),
    "matmul_1024": lambda: matmul(1024),
    "matmul_gradients_1024": matmul_gradients_1024,
    "conv2d_16x16x32x32": lambda: conv2d(16, 16, 32, 32),
    "conv2d_8x64x56x56": lambda: conv2d(8, 64, 56, 64),
    "mlp_adam_step": mlp_adam_step,
    "cnn_sgd_step": cnn_sgd_step,
    "transformer_block": transformer_block,
    "embedding_100000x64": embedding_100000x64,
    "gaussian_kernel_sum_20000": lambda: gaussian_kernel_sum(20_000),
    **LAYERS,
    **RECURRENCES,
    **OWN,
}
