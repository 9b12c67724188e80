"""The programs of benchmarks/programs.py in JAX, each step compiled by `jax.jit`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from benchmarks.peers.layers_in_jax import LAYERS
from benchmarks.peers.recurrences_in_jax import RECURRENCES

Step = Callable[[], object]


def array(*shape: int, seed: int = 0, scale: float = 1.0) -> jax.Array:
    return jnp.asarray(np.float32(scale) * np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def compiled(function: Callable[..., Any], *arguments: Any) -> Step:
    """The jitted call, followed by a wait for its result."""
    jitted = jax.jit(function)
    return lambda: jax.block_until_ready(jitted(*arguments))


def gradients(loss: Callable[..., jax.Array], *arguments: jax.Array) -> Step:
    """Forward and backward of a scalar in all arguments."""
    return compiled(jax.value_and_grad(loss, argnums=tuple(range(len(arguments)))), *arguments)


def pulled_back(function: Callable[..., jax.Array], seed: jax.Array, *arguments: jax.Array) -> Step:
    """Forward, and backward from a given output gradient."""

    def both(seed: jax.Array, *arguments: jax.Array) -> object:
        value, pull = jax.vjp(function, *arguments)
        return value, pull(seed)

    return compiled(both, seed, *arguments)


def chain_1000() -> Step:
    def loss(x: jax.Array, factor: jax.Array) -> jax.Array:
        y = x
        for _ in range(1000):
            y = y * factor
        return y.sum()

    return compiled(jax.value_and_grad(loss), array(16), array(16, seed=1))


def pointwise(size: int) -> Step:
    def loss(x: jax.Array, w: jax.Array, b: jax.Array) -> jax.Array:
        return (jax.nn.sigmoid(x * w + b) * jnp.tanh(x) + jnp.exp(-x * x)).sum()

    return gradients(loss, array(size), array(size, seed=1), array(size, seed=2))


def layer_norm(x: jax.Array, w: jax.Array, b: jax.Array) -> jax.Array:
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * w + b


def layer_norm_4096x1024() -> Step:
    return pulled_back(
        layer_norm, array(4096, 1024, seed=3), array(4096, 1024), array(1024, seed=1), array(1024, seed=2)
    )


def matmul(size: int) -> Step:
    return compiled(jnp.matmul, array(size, size), array(size, size, seed=1))


def matmul_gradients_1024() -> Step:
    return pulled_back(jnp.matmul, array(1024, 1024, seed=2), array(1024, 1024), array(1024, 1024, seed=1))


def conv2d(images: int, channels: int, size: int, filters: int) -> Step:
    def function(x: jax.Array, w: jax.Array) -> jax.Array:
        return jax.lax.conv(x, w, (1, 1), "SAME")

    x, w = array(images, channels, size, size), array(filters, channels, 3, 3, seed=1)
    return pulled_back(function, array(images, filters, size, size, seed=2), x, w)


def mlp_adam_step() -> Step:
    x, labels = array(128, 784), jnp.arange(128) % 10
    parameters = (array(256, 784, scale=0.05), array(256), array(10, 256, scale=0.1, seed=1), array(10))

    def loss(parameters: tuple[jax.Array, ...]) -> jax.Array:
        w1, b1, w2, b2 = parameters
        logits = jax.nn.relu(x @ w1.T + b1) @ w2.T + b2
        return -jax.nn.log_softmax(logits)[jnp.arange(128), labels].mean()

    @jax.jit
    def update(parameters: Any, first: Any, second: Any, count: Any) -> tuple[Any, Any, Any, Any]:
        slopes = jax.grad(loss)(parameters)
        count = count + 1
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, slopes)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, slopes)

        def moved(p: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
            return p - 1e-3 * (m / (1 - 0.9**count)) / (jnp.sqrt(v / (1 - 0.999**count)) + 1e-8)

        return jax.tree.map(moved, parameters, first, second), first, second, count

    zeros = jax.tree.map(jnp.zeros_like, parameters)
    state = (parameters, zeros, zeros, jnp.float32(0))

    def step() -> None:
        nonlocal state
        state = jax.block_until_ready(update(*state))

    return step


def embedding_100000x64() -> Step:
    index = jnp.asarray(np.random.default_rng(2).integers(0, 100_000, 100_000))
    return pulled_back(lambda table: table[index], array(100_000, 64, seed=1), array(100_000, 64))


PROGRAMS: dict[str, Callable[[], Step]] = {
    "add_16": lambda: compiled(jnp.add, array(16), array(16, seed=1)),
    "square_sum_16": lambda: gradients(lambda x: (x * x).sum(), array(16)),
    "chain_1000": chain_1000,
    "pointwise_1e6": lambda: pointwise(1_000_000),
    "pointwise_1e7": lambda: pointwise(10_000_000),
    "sum_1e7": lambda: compiled(jnp.sum, array(10_000_000)),
    "softmax_4096x1024": lambda: pulled_back(jax.nn.softmax, array(4096, 1024, seed=1), array(4096, 1024)),
    "layer_norm_4096x1024": layer_norm_4096x1024,
    "matmul_512": lambda: matmul(512),
    "matmul_1024": lambda: matmul(1024),
    "matmul_gradients_1024": matmul_gradients_1024,
    "conv2d_16x16x32x32": lambda: conv2d(16, 16, 32, 32),
    "conv2d_8x64x56x56": lambda: conv2d(8, 64, 56, 64),
    "mlp_adam_step": mlp_adam_step,
    "embedding_100000x64": embedding_100000x64,
    **LAYERS,
    **RECURRENCES,
}
