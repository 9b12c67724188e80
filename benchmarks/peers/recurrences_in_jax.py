"""The programs of benchmarks/recurrences.py in JAX: `lax.scan` for cells, `lax.associative_scan` for a linear state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Step = Callable[[], object]

STEPS, SEQUENCES, FEATURES, HIDDEN = 64, 32, 64, 128


def array(*shape: int, seed: int = 0, scale: float = 1.0) -> jax.Array:
    return jnp.asarray(np.float32(scale) * np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def gradients(loss: Callable[..., jax.Array], *arguments: jax.Array) -> Step:
    """Forward and backward of a scalar in all arguments."""
    jitted = jax.jit(jax.value_and_grad(loss, argnums=tuple(range(len(arguments)))))
    return lambda: jax.block_until_ready(jitted(*arguments))


def cell(step: Callable[..., Any], gates: int, states: int) -> Step:
    """The product with the inputs is taken for all steps at once."""
    shapes = ((gates * HIDDEN, FEATURES), (gates * HIDDEN, HIDDEN), (gates * HIDDEN,), (gates * HIDDEN,))
    weights = [array(*shape, scale=0.1, seed=seed) for seed, shape in enumerate(shapes, 1)]

    def loss(x: jax.Array, wx: jax.Array, wh: jax.Array, bx: jax.Array, bh: jax.Array) -> jax.Array:
        begin = (jnp.zeros((SEQUENCES, HIDDEN)),) * states
        return jax.lax.scan(lambda state, given: step(state, given, wh, bh), begin, x @ wx.T + bx)[1].sum()

    return gradients(loss, array(STEPS, SEQUENCES, FEATURES), *weights)


def gru(state: Any, given: jax.Array, weights: jax.Array, bias: jax.Array) -> Any:
    (h,) = state
    rx, zx, nx = jnp.split(given, 3, -1)
    rh, zh, nh = jnp.split(h @ weights.T + bias, 3, -1)
    z = jax.nn.sigmoid(zx + zh)
    h = (1 - z) * jnp.tanh(nx + jax.nn.sigmoid(rx + rh) * nh) + z * h
    return (h,), h


def lstm(state: Any, given: jax.Array, weights: jax.Array, bias: jax.Array) -> Any:
    h, c = state
    i, f, g, o = jnp.split(given + h @ weights.T + bias, 4, -1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return (h, c), h


def selective_scan_4x256x2048x16() -> Step:
    batch, channels, steps, states = 4, 256, 2048, 16

    def combined(one: Any, two: Any) -> Any:
        return one[0] * two[0], two[0] * one[1] + two[1]

    def loss(u: jax.Array, delta: jax.Array, a: jax.Array, b: jax.Array, c: jax.Array) -> jax.Array:
        factors = jnp.exp(jnp.einsum("bdt,ds->btds", delta, a))
        terms = jnp.einsum("bdt,bst,bdt->btds", delta, b, u)
        h = jax.lax.associative_scan(combined, (factors, terms), axis=1)[1]
        return jnp.einsum("btds,bst->bdt", h, c).sum()

    u, delta = array(batch, channels, steps), 0.1 * abs(array(batch, channels, steps, seed=1))
    b, c = array(batch, states, steps, seed=3), array(batch, states, steps, seed=4)
    return gradients(loss, u, delta, -abs(array(channels, states, seed=2)), b, c)


RECURRENCES: dict[str, Callable[[], Step]] = {
    "gru_64x32": lambda: cell(gru, 3, 1),
    "lstm_64x32": lambda: cell(lstm, 4, 2),
    "selective_scan_4x256x2048x16": selective_scan_4x256x2048x16,
}
