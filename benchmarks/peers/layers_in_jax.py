"""The programs of benchmarks/layers.py in JAX, each compiled as a whole."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

Step = Callable[[], object]


def array(*shape: int, seed: int = 0) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def pulled_back(function: Callable[..., jax.Array], seed: jax.Array, *arguments: jax.Array) -> Step:
    """Forward, and backward from a given output gradient."""

    @jax.jit
    def both(seed: jax.Array, *arguments: jax.Array) -> object:
        value, pull = jax.vjp(function, *arguments)
        return value, pull(seed)

    return lambda: jax.block_until_ready(both(seed, *arguments))


def attention(heads: int, length: int, causal: bool = False, backward: bool = True) -> Step:
    q, k, v = (array(1, length, heads, 64, seed=seed) for seed in range(3))

    def value(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
        return jax.nn.dot_product_attention(q, k, v, is_causal=causal)

    if backward:
        return pulled_back(value, array(1, length, heads, 64, seed=3), q, k, v)
    jitted = jax.jit(value)
    return lambda: jax.block_until_ready(jitted(q, k, v))


def convolution(
    images: int, channels: int, size: int, filters: int, side: int, stride: int = 1, padding: int = 0, groups: int = 1
) -> Step:
    x, w = array(images, channels, size, size), array(filters, channels // groups, side, side, seed=1)
    out = (size + 2 * padding - side) // stride + 1

    def value(x: jax.Array, w: jax.Array) -> jax.Array:
        around = ((padding, padding),) * 2
        return jax.lax.conv_general_dilated(x, w, (stride, stride), around, feature_group_count=groups)

    return pulled_back(value, array(images, filters, out, out, seed=2), x, w)


def cross_entropy_256x32000() -> Step:
    labels = jnp.arange(256) * 100

    def loss(x: jax.Array) -> jax.Array:
        return -jax.nn.log_softmax(x)[jnp.arange(256), labels].mean()

    return pulled_back(loss, jnp.float32(1), array(256, 32_000))


def batch_norm_relu_32x64x32x32() -> Step:
    def value(x: jax.Array, w: jax.Array, b: jax.Array) -> jax.Array:
        mean, variance = x.mean((0, 2, 3), keepdims=True), x.var((0, 2, 3), keepdims=True)
        across = (None, slice(None), None, None)
        return jax.nn.relu((x - mean) * jax.lax.rsqrt(variance + 1e-5) * w[across] + b[across])

    return pulled_back(
        value, array(32, 64, 32, 32, seed=3), array(32, 64, 32, 32), array(64, seed=1), array(64, seed=2)
    )


def sort_1e6() -> Step:
    x, jitted = array(1_000_000), jax.jit(lambda x: (jnp.sort(x), jnp.argsort(x)))
    return lambda: jax.block_until_ready(jitted(x))


def segment_mean_100000x64() -> Step:
    segment = jnp.asarray(np.random.default_rng(2).integers(0, 1000, 100_000))

    def value(x: jax.Array) -> jax.Array:
        counts = jax.ops.segment_sum(jnp.ones(len(segment)), segment, 1000)
        return jax.ops.segment_sum(x, segment, 1000) / jnp.maximum(counts, 1)[:, None]

    return pulled_back(value, array(1000, 64, seed=1), array(100_000, 64))


def swish_inside(size: int) -> Step:
    return pulled_back(lambda x: x / 2 * (1 + jnp.tanh(1.5 * x / 2)), array(size, seed=1), array(size))


LAYERS: dict[str, Callable[[], Step]] = {
    "attention_8x1024": lambda: attention(8, 1024),
    "attention_8x1024_causal": lambda: attention(8, 1024, causal=True),
    "attention_4x8192_forward": lambda: attention(4, 8192, backward=False),
    "conv2d_4x3x224x224_by_7": lambda: convolution(4, 3, 224, 64, 7, stride=2, padding=3),
    "conv2d_8x256x28x28_by_1": lambda: convolution(8, 256, 28, 64, 1),
    "depthwise_8x64x56x56": lambda: convolution(8, 64, 56, 64, 3, padding=1, groups=64),
    "cumsum_100x10000": lambda: pulled_back(
        lambda x: jnp.cumsum(x, -1), array(100, 10_000, seed=1), array(100, 10_000)
    ),
    "cross_entropy_256x32000": cross_entropy_256x32000,
    "batch_norm_relu_32x64x32x32": batch_norm_relu_32x64x32x32,
    "swish_inside_jax_1e3": lambda: swish_inside(1_000),
    "swish_inside_jax_1e6": lambda: swish_inside(1_000_000),
    "gelu_1e7": lambda: pulled_back(
        lambda x: jax.nn.gelu(x, approximate=False), array(10_000_000, seed=1), array(10_000_000)
    ),
    "sort_1e6": sort_1e6,
    "segment_mean_100000x64": segment_mean_100000x64,
}
