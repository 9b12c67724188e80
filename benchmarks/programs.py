"""Small programs as users write them, each a function that prepares the data and returns one step to repeat.

A step waits for the device, and returns what it computed. `peers/` has the same programs, under the same names, in
other frameworks.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from netcl import autograd as ag
from netcl import core

Step = Callable[[], object]


def array(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def constant(*shape: int, seed: int = 0) -> core.Tensor:
    return core.from_host(array(*shape, seed=seed))


def variable(*shape: int, seed: int = 0, scale: float = 1.0) -> ag.Node:
    return ag.tensor(np.float32(scale) * array(*shape, seed=seed), requires_grad=True)


def waiting(step: Step) -> Step:
    """The step, followed by a wait until the device has finished."""

    def run() -> object:
        result = step()
        core.synchronize()
        return result

    return run


def gradients(loss: Callable[[], ag.Node], *inputs: ag.Node) -> Step:
    """Forward and backward of a scalar."""
    return waiting(lambda: ag.grad(loss(), list(inputs)))


def add_16() -> Step:
    a, b = constant(16), constant(16, seed=1)
    return waiting(lambda: a + b)


def square_sum_16(fused: bool = False) -> Step:
    x = variable(16)

    def loss(x: ag.Node) -> ag.Node:
        return (x * x).sum()

    function = ag.jit(loss) if fused else loss
    return gradients(lambda: function(x), x)


def chain_1000() -> Step:
    x, factor = variable(16), constant(16, seed=1)

    def loss() -> ag.Node:
        y = x
        for _ in range(1000):
            y = y * factor
        return y.sum()

    return gradients(loss, x)


def pointwise(size: int, fused: bool = False) -> Step:
    x, w, b = variable(size), variable(size, seed=1), variable(size, seed=2)

    def loss(x: ag.Node, w: ag.Node, b: ag.Node) -> ag.Node:
        return (ag.sigmoid(x * w + b) * ag.tanh(x) + ag.exp(-x * x)).sum()

    function = ag.jit(loss) if fused else loss
    return gradients(lambda: function(x, w, b), x, w, b)


def sum_1e7() -> Step:
    x = constant(10_000_000)
    return waiting(lambda: ag.sum(x))


def softmax_4096x1024() -> Step:
    x, seed = variable(4096, 1024), constant(4096, 1024, seed=1)
    return waiting(lambda: ag.grad(ag.softmax(x), [x], grad_outputs=[seed]))


def layer_norm_4096x1024() -> Step:
    x, w, b = variable(4096, 1024), variable(1024, seed=1), variable(1024, seed=2)
    seed = constant(4096, 1024, seed=3)
    return waiting(lambda: ag.grad(ag.layer_norm(x, w, b), [x, w, b], grad_outputs=[seed]))


def matmul(size: int) -> Step:
    a, b = constant(size, size), constant(size, size, seed=1)
    return waiting(lambda: a @ b)


def matmul_gradients_1024() -> Step:
    a, b, seed = variable(1024, 1024), variable(1024, 1024, seed=1), constant(1024, 1024, seed=2)
    return waiting(lambda: ag.grad(a @ b, [a, b], grad_outputs=[seed]))


def conv2d(images: int, channels: int, size: int, filters: int) -> Step:
    x, w = variable(images, channels, size, size), variable(filters, channels, 3, 3, seed=1)
    seed = constant(images, filters, size, size, seed=2)
    return waiting(lambda: ag.grad(ag.conv2d(x, w, padding=1), [x, w], grad_outputs=[seed]))


def mlp_adam_step() -> Step:
    x, labels = constant(128, 784), core.from_host(np.arange(128) % 10)
    parameters = [variable(256, 784, scale=0.05), variable(256), variable(10, 256, scale=0.1, seed=1), variable(10)]
    w1, b1, w2, b2 = parameters
    optimizer = ag.optim.Adam(parameters, lr=1e-3)

    def step() -> None:
        loss = ag.cross_entropy(ag.linear(ag.relu(ag.linear(x, w1, b1)), w2, b2), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return waiting(step)


def embedding_100000x64() -> Step:
    table, seed = variable(100_000, 64), constant(100_000, 64, seed=1)
    index = core.from_host(np.random.default_rng(2).integers(0, 100_000, 100_000))
    return waiting(lambda: ag.grad(ag.embedding(table, index), [table], grad_outputs=[seed]))


def gaussian_kernel_sum(points: int) -> Step:
    """All pairs of points in three dimensions: the value, and the gradient by the points it is taken at."""
    x, z, b = variable(points, 3), constant(points, 3, seed=1), constant(points, 3, seed=2)
    seed = constant(points, 3, seed=3)
    return waiting(lambda: ag.grad(ag.gaussian_kernel_sum(x, z, b), [x], grad_outputs=[seed]))


def lennard_jones(side: int) -> Step:
    """Energy and forces of particles near a cubic grid."""
    grid = np.stack(np.meshgrid(*[np.arange(side, dtype=np.float32)] * 3), -1).reshape(-1, 3)
    pos = ag.tensor(1.1 * grid + np.float32(0.05) * array(*grid.shape), requires_grad=True)
    return gradients(lambda: ag.lennard_jones(pos), pos)


PROGRAMS: dict[str, Callable[[], Step]] = {
    "add_16": add_16,
    "square_sum_16": square_sum_16,
    "square_sum_16_jit": lambda: square_sum_16(fused=True),
    "chain_1000": chain_1000,
    "pointwise_1e6": lambda: pointwise(1_000_000),
    "pointwise_1e7": lambda: pointwise(10_000_000),
    "pointwise_1e6_jit": lambda: pointwise(1_000_000, fused=True),
    "pointwise_1e7_jit": lambda: pointwise(10_000_000, fused=True),
    "sum_1e7": sum_1e7,
    "softmax_4096x1024": softmax_4096x1024,
    "layer_norm_4096x1024": layer_norm_4096x1024,
    "matmul_512": lambda: matmul(512),
    "matmul_1024": lambda: matmul(1024),
    "matmul_gradients_1024": matmul_gradients_1024,
    "conv2d_16x16x32x32": lambda: conv2d(16, 16, 32, 32),
    "conv2d_8x64x56x56": lambda: conv2d(8, 64, 56, 64),
    "mlp_adam_step": mlp_adam_step,
    "embedding_100000x64": embedding_100000x64,
    "gaussian_kernel_sum_20000": lambda: gaussian_kernel_sum(20_000),
    "lennard_jones_19683": lambda: lennard_jones(27),
}
