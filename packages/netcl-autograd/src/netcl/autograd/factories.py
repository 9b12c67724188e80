"""Tensors and leaves, from data and from nothing: `ag.tensor([1.0, 2.0], requires_grad=True)`, `ag.zeros((2, 3))`.

Those from nothing are `netcl.core`'s, with one argument more: with `requires_grad` the result is a leaf, a Node, and
its dtype must be a floating one (else a DtypeError).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from netcl import core
from netcl.autograd.graph import values
from netcl.autograd.graph.node import Node, attach_operators
from netcl.autograd.graph.state import LOCAL
from netcl.core.arguments import Numbers, Operand, explained
from netcl.core.seeds import as_seed
from netcl.core.shapes import canonical_shape

__all__ = [
    "arange", "eye", "full", "full_like", "linspace", "ones", "ones_like", "rand", "rand_like", "randint",
    "randn", "randn_like", "tensor",
    "zeros", "zeros_like",
]  # fmt: skip


@explained
def tensor(data: Any, requires_grad: bool = False, dtype: Any = None, queue: core.Queue | None = None) -> Any:
    """Make a value from numbers, nested lists, an array or a Tensor, all of which are copied.

    A Node (a leaf) if `requires_grad`, which needs a floating dtype (DtypeError); else a plain Tensor. `Node(tensor,
    True)` is a leaf on the memory of a Tensor.
    """
    attach_operators()
    if isinstance(data, Node):
        data = data.value
    if not values.is_device_tensor(data):
        data = core.from_host(data, queue=queue, dtype=dtype)
    elif (dtype is not None and core.dtypes.canonical(dtype) != data.dtype) or queue not in (None, data.queue):
        data = core.from_host(data.to_host(), queue=queue or data.queue, dtype=dtype)
    else:
        data = data.clone()
    return Node(data, True) if requires_grad else data


def _made(data: core.Tensor, requires_grad: bool) -> Any:
    """The value for a Tensor that nobody else has."""
    attach_operators()
    return Node(data, True) if requires_grad else data


@explained
def zeros(
    shape: Numbers, dtype: Any = core.float32, queue: core.Queue | None = None, requires_grad: bool = False
) -> Any:
    """Zeros of a shape."""
    return _made(core.zeros(shape, dtype, queue), requires_grad)


@explained
def ones(
    shape: Numbers, dtype: Any = core.float32, queue: core.Queue | None = None, requires_grad: bool = False
) -> Any:
    """Ones of a shape."""
    return _made(core.ones(shape, dtype, queue), requires_grad)


@explained
def full(
    shape: Numbers, value: float, dtype: Any = None, queue: core.Queue | None = None, requires_grad: bool = False
) -> Any:
    """One value everywhere; the dtype is that of the value unless given."""
    return _made(core.full(shape, value, dtype, queue), requires_grad)


@explained
def zeros_like(value: Operand, dtype: Any = None, requires_grad: bool = False) -> Any:
    """Zeros of the shape, queue and (unless given) dtype of a Tensor or node."""
    return _made(core.zeros_like(value, dtype), requires_grad)


@explained
def ones_like(value: Operand, dtype: Any = None, requires_grad: bool = False) -> Any:
    """As `zeros_like`, of ones."""
    return _made(core.ones_like(value, dtype), requires_grad)


@explained
def full_like(value: Operand, number: float, dtype: Any = None, requires_grad: bool = False) -> Any:
    """As `zeros_like`, of one number."""
    return _made(core.full_like(value, number, dtype), requires_grad)


@explained
def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    dtype: Any = None,
    queue: core.Queue | None = None,
    requires_grad: bool = False,
) -> Any:
    """Values from `start` (0 when only one number is given) up to, not including, `stop`."""
    return _made(core.arange(start, stop, step, dtype, queue), requires_grad)


@explained
def linspace(
    start: float,
    stop: float,
    num: int = 50,
    dtype: Any = core.float32,
    queue: core.Queue | None = None,
    requires_grad: bool = False,
) -> Any:
    """So many values from `start` to `stop`, which are the first and the last, in even steps."""
    return _made(core.linspace(start, stop, num, dtype, queue), requires_grad)


@explained
def eye(
    n: int,
    m: int | None = None,
    dtype: Any = core.float32,
    queue: core.Queue | None = None,
    requires_grad: bool = False,
) -> Any:
    """A matrix of n rows and m columns (as many as rows unless given) with ones on its diagonal, and zeros."""
    return _made(core.eye(n, m, dtype, queue), requires_grad)


@explained
def randn(
    shape: Numbers,
    dtype: Any = core.float32,
    queue: core.Queue | None = None,
    seed: int | None = None,
    requires_grad: bool = False,
) -> Any:
    """Standard normal numbers, a pure function of shape and seed; without a seed the next one of the process.

    They are drawn on the host (Philox; Salmon et al., 2011), so they are the same for every device.
    """
    return _made(
        _drawn("randn", shape, seed, lambda drawing, lengths: drawing.standard_normal(lengths), dtype, queue),
        requires_grad,
    )


@explained
def rand(
    shape: Numbers,
    dtype: Any = core.float32,
    queue: core.Queue | None = None,
    seed: int | None = None,
    requires_grad: bool = False,
) -> Any:
    """Numbers drawn evenly from 0 to 1, which itself is not drawn; as `randn` otherwise."""

    def draw(drawing: np.random.Generator, lengths: tuple[int, ...]) -> Any:
        return drawing.integers(0, 1 << 24, lengths) / (1 << 24)  # what a float32 below 1 holds

    return _made(_drawn("rand", shape, seed, draw, dtype, queue), requires_grad)


@explained
def randn_like(value: Operand, dtype: Any = None, seed: int | None = None, requires_grad: bool = False) -> Any:
    """As `randn`, of the shape, queue and (unless given) dtype of a Tensor or node."""
    return randn(value.shape, value.dtype if dtype is None else dtype, value.queue, seed, requires_grad)


@explained
def rand_like(value: Operand, dtype: Any = None, seed: int | None = None, requires_grad: bool = False) -> Any:
    """As `rand`, of the shape, queue and (unless given) dtype of a Tensor or node."""
    return rand(value.shape, value.dtype if dtype is None else dtype, value.queue, seed, requires_grad)


@explained
def randint(
    low: int,
    high: int,
    shape: Numbers,
    dtype: Any = core.int64,
    queue: core.Queue | None = None,
    seed: int | None = None,
) -> Any:
    """Whole numbers drawn evenly from `low` to `high`, which itself is not drawn; as `randn` otherwise."""
    if high <= low:
        raise ValueError(f"randint: there is no number from {low} to below {high}")
    if low < -(2**63) or high > 2**63:
        raise ValueError(f"randint: {low} to {high} is more than int64 holds")
    return _drawn("randint", shape, seed, lambda drawing, lengths: drawing.integers(low, high, lengths), dtype, queue)


def _drawn(
    name: str,
    shape: Any,
    seed: int | None,
    draw: Callable[[np.random.Generator, tuple[int, ...]], Any],
    dtype: Any,
    queue: core.Queue | None,
) -> core.Tensor:
    """Random numbers as a Tensor. Raises GraphError within a vmap whose calls may not all have the same."""
    if seed is None and any(getattr(level, "randomness", "same") != "same" for level in LOCAL.state.levels):
        raise core.GraphError(
            f"{name}: inside a vmap it draws once, the same numbers for all calls; give it a seed, or take ag.normal, "
            "ag.uniform or ag.bernoulli, which draw apart with ag.vmap(…, randomness='different')"
        )
    generator = np.random.Generator(np.random.Philox(key=as_seed(seed) % 2**64))
    lengths = canonical_shape(shape)
    try:
        numbers = np.asarray(draw(generator, lengths))
    except (MemoryError, ValueError) as error:
        raise core.OutOfMemoryError(f"{name}: there is no room on the host for shape {lengths}: {error}") from error
    attach_operators()
    return core.from_host(numbers, queue, dtype)
