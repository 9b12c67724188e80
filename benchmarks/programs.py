"""Small programs as users write them, each a function that prepares the data and returns one step to repeat.

A step waits for the device, and returns what it computed. `peers/` has the same programs, under the same names, in
other frameworks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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


def whole(loss: Callable[..., ag.Node], *inputs: ag.Node) -> Step:
    """Value and gradients of a scalar as one jitted function."""
    step = ag.jit(ag.value_and_grad(loss, argnums=tuple(range(len(inputs)))))
    tensors = [each.detach() for each in inputs]
    return waiting(lambda: step(*tensors))


def add_16() -> Step:
    a, b = constant(16), constant(16, seed=1)
    return waiting(lambda: a + b)


def square_sum_16(fused: bool = False) -> Step:
    x = variable(16)

    def loss(x: ag.Node) -> ag.Node:
        return (x * x).sum()

    return whole(loss, x) if fused else gradients(lambda: loss(x), x)


def chain_1000(fused: bool = False) -> Step:
    x, factor = variable(16), constant(16, seed=1)

    def loss(x: ag.Node) -> ag.Node:
        y = x
        for _ in range(1000):
            y = y * factor
        return y.sum()

    return whole(loss, x) if fused else gradients(lambda: loss(x), x)


def pointwise(size: int, fused: bool = False) -> Step:
    x, w, b = variable(size), variable(size, seed=1), variable(size, seed=2)

    def loss(x: ag.Node, w: ag.Node, b: ag.Node) -> ag.Node:
        return (ag.sigmoid(x * w + b) * ag.tanh(x) + ag.exp(-x * x)).sum()

    return whole(loss, x, w, b) if fused else gradients(lambda: loss(x, w, b), x, w, b)


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


def mlp_adam_step(fused: bool = False) -> Step:
    x, labels = constant(128, 784), core.from_host(np.arange(128) % 10)
    parameters = [variable(256, 784, scale=0.05), variable(256), variable(10, 256, scale=0.1, seed=1), variable(10)]

    def loss(w1: ag.Node, b1: ag.Node, w2: ag.Node, b2: ag.Node) -> ag.Node:
        return ag.cross_entropy(ag.linear(ag.relu(ag.linear(x, w1, b1)), w2, b2), labels)

    if fused:
        return _adam(loss, parameters)
    return _trained(loss, parameters, ag.optim.Adam(parameters, lr=1e-3))


def cnn_sgd_step(fused: bool = False) -> Step:
    """Two convolutions with pooling and a linear layer, on 64 images of 28x28."""
    x, labels = constant(64, 1, 28, 28), core.from_host(np.arange(64) % 10)
    parameters = [
        variable(16, 1, 3, 3, scale=0.3), variable(16), variable(32, 16, 3, 3, scale=0.1, seed=1), variable(32),
        variable(10, 1568, scale=0.02, seed=2), variable(10),
    ]  # fmt: skip

    def loss(w1: ag.Node, b1: ag.Node, w2: ag.Node, b2: ag.Node, w3: ag.Node, b3: ag.Node) -> ag.Node:
        h = ag.max_pool2d(ag.relu(ag.conv2d(x, w1, b1, padding=1)), 2)
        h = ag.max_pool2d(ag.relu(ag.conv2d(h, w2, b2, padding=1)), 2)
        return ag.cross_entropy(ag.linear(h.reshape((64, 1568)), w3, b3), labels)

    if fused:
        return _descent(loss, parameters)
    return _trained(loss, parameters, ag.optim.SGD(parameters, lr=1e-2))


def _trained(loss: Callable[..., ag.Node], parameters: list[ag.Node], optimizer: ag.optim.Optimizer) -> Step:
    """A step as it is written without jit."""

    def step() -> None:
        value = loss(*parameters)
        optimizer.zero_grad()
        value.backward()
        optimizer.step()

    return waiting(step)


def _descent(loss: Callable[..., ag.Node], parameters: list[ag.Node]) -> Step:
    """A whole step of gradient descent as one jitted function, from parameters to parameters."""

    @ag.jit
    def moved(*parameters: ag.Node) -> list[ag.Node]:
        gradients = ag.grad(loss, argnums=tuple(range(len(parameters))))(*parameters)
        return [p - 1e-2 * g for p, g in zip(parameters, gradients, strict=True)]

    state = [each.detach() for each in parameters]

    def step() -> None:
        nonlocal state
        state = moved(*state)

    return waiting(step)


def _adam(loss: Callable[..., ag.Node], parameters: list[ag.Node]) -> Step:
    """A whole step of Adam as one jitted function, from parameters, moments and their count to the next ones."""

    @ag.jit
    def moved(
        parameters: Sequence[ag.Node], first: Sequence[ag.Node], second: Sequence[ag.Node], count: ag.Node
    ) -> Any:
        gradients = ag.grad(loss, argnums=tuple(range(len(parameters))))(*parameters)
        count = count + 1
        first = [0.9 * m + 0.1 * g for m, g in zip(first, gradients, strict=True)]
        second = [0.999 * v + 0.001 * g * g for v, g in zip(second, gradients, strict=True)]
        of_first, of_second = 1 - 0.9**count, 1 - 0.999**count
        new = [
            p - 1e-3 * (m / of_first) / (ag.sqrt(v / of_second) + 1e-8)
            for p, m, v in zip(parameters, first, second, strict=True)
        ]
        return new, first, second, count

    state: Any = [each.detach() for each in parameters]
    state = state, *([ag.zeros(each.shape) for each in state] for _ in range(2)), ag.zeros(())

    def step() -> None:
        nonlocal state
        state = moved(*state)

    return waiting(step)


def transformer_block(fused: bool = False) -> Step:
    """Attention and a hidden layer with residuals: width 256, 4 heads, 8 sequences of 128."""
    width, heads, batch, length = 256, 4, 8, 128
    x, seed = variable(batch, length, width), constant(batch, length, width, seed=9)
    wqkv, wo = variable(3 * width, width, scale=0.06, seed=1), variable(width, width, scale=0.06, seed=2)
    w1, w2 = variable(4 * width, width, scale=0.06, seed=3), variable(width, 4 * width, scale=0.03, seed=4)
    wanted = [x, wqkv, wo, w1, w2, *(variable(width, seed=each) for each in range(5, 9))]

    def block(*given: ag.Node) -> ag.Node:
        x, wqkv, wo, w1, w2, g1, c1, g2, c2 = given
        h = ag.linear(ag.layer_norm(x, g1, c1), wqkv)
        qkv = h.reshape((batch, length, 3, heads, width // heads)).permute((2, 0, 3, 1, 4))
        q, k, v = qkv[0], qkv[1], qkv[2]
        weights = ag.softmax((q @ k.permute((0, 1, 3, 2))) * (width // heads) ** -0.5, -1)
        y = x + ag.linear((weights @ v).permute((0, 2, 1, 3)).reshape((batch, length, width)), wo)
        return y + ag.linear(ag.gelu(ag.linear(ag.layer_norm(y, g2, c2), w1)), w2)

    if fused:
        step = ag.jit(lambda seed, *given: ag.vjp(block, given, seed))
        tensors = [each.detach() for each in wanted]
        return waiting(lambda: step(seed, *tensors))
    return waiting(lambda: ag.grad(block(*wanted), wanted, grad_outputs=seed))


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
    "chain_1000_jit": lambda: chain_1000(fused=True),
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
    "mlp_adam_step_jit": lambda: mlp_adam_step(fused=True),
    "cnn_sgd_step": cnn_sgd_step,
    "cnn_sgd_step_jit": lambda: cnn_sgd_step(fused=True),
    "transformer_block": transformer_block,
    "transformer_block_jit": lambda: transformer_block(fused=True),
    "embedding_100000x64": embedding_100000x64,
    "gaussian_kernel_sum_20000": lambda: gaussian_kernel_sum(20_000),
    "lennard_jones_19683": lambda: lennard_jones(27),
}
