"""An op of one's own inside of PyTorch and JAX, forward and backward; their own columns have the same in their ops."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

from netcl import kernels

Step = Callable[[], object]

mine = kernels.compile('''
"""Swish with an adjustable slope."""
op swish2(x: float; beta: float = 1) -> y { y = x / 2 * (1 + tanh(beta * x / 2)); }
''')


def array(size: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(size).astype(np.float32)


def in_torch(size: int) -> Step:
    import torch

    torch.set_num_threads(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    swish2 = mine.swish2.torch()
    x, seed = torch.from_numpy(array(size)).requires_grad_(), torch.from_numpy(array(size, seed=1))
    return lambda: torch.autograd.grad(swish2(x, beta=1.5), [x], [seed])


def in_jax(size: int) -> Step:
    import jax
    import jax.numpy as jnp

    swish2 = mine.swish2.jax()

    @jax.jit
    def both(x: jax.Array, seed: jax.Array) -> object:
        value, pull = jax.vjp(lambda x: swish2(x, beta=1.5), x)
        return value, pull(seed)

    x, seed = jnp.asarray(array(size)), jnp.asarray(array(size, seed=1))
    return lambda: jax.block_until_ready(both(x, seed))


INSIDE: dict[str, Callable[[], Step]] = {
    f"swish_inside_{name}_{shown}": (lambda make=make, size=size: make(size))  # type: ignore[misc]
    for name, make in (("torch", in_torch), ("jax", in_jax))
    for shown, size in (("1e3", 1_000), ("1e6", 1_000_000))
}
