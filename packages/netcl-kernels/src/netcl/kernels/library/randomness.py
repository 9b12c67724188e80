"""Random tensors, each a pure function of a seed and a counter (`kernels_dsl/random.netcl` has the formulas).

Without a seed the next one of a process-wide sequence is taken (`core.manual_seed` says where that starts), so that a
program draws the same numbers in every run.
The same seed with the counter moved on by as many elements as were drawn goes on where the last draw ended.
"""

from __future__ import annotations

import math
from typing import Any

from netcl.core.arguments import Numbers, Operand
from netcl.core.errors import ShapeError
from netcl.core.seeds import as_seed
from netcl.core.shapes import canonical_shape
from netcl.kernels.library.composites import call_op, composite, reshape


@composite()
def dropout(x: Operand, p: float = 0.5, seed: int | None = None) -> Any:
    """Zero with probability p, else x / (1 - p). The mask is a pure function of the seed and the position."""
    if not 0 <= p <= 1:
        raise ShapeError(f"dropout: p must lie between 0 and 1, but it is {p}")
    return call_op("dropout", x, float(p), as_seed(seed))


@composite()
def uniform(
    shape: Numbers, low: float = 0, high: float = 1, seed: int | None = None, counter: int = 0, dtype: Any = "float32"
) -> Any:
    """Numbers drawn evenly from low to high, which is not drawn, but where a number near it rounds to it."""
    lengths = _lengths("uniform", shape)
    return reshape(call_op("uniform", math.prod(lengths), low, high, as_seed(seed), counter, dtype), lengths)


@composite()
def normal(
    shape: Numbers, mean: float = 0, std: float = 1, seed: int | None = None, counter: int = 0, dtype: Any = "float32"
) -> Any:
    """Numbers of a normal distribution."""
    lengths = _lengths("normal", shape)
    return reshape(call_op("normal", math.prod(lengths), mean, std, as_seed(seed), counter, dtype), lengths)


@composite()
def bernoulli(p: Any, seed: int | None = None, counter: int = 0) -> Any:
    """1 with the probability that p gives for each element, else 0."""
    return call_op("bernoulli", p, as_seed(seed), counter)


@composite()
def rsample_normal(mean: Any, std: Any, seed: int | None = None, counter: int = 0) -> Any:
    """A normal number for each mean and standard deviation, which broadcast; differentiable by both."""
    return call_op("rsample_normal", mean, std, as_seed(seed), counter)


@composite()
def gumbel_softmax(
    x: Operand, tau: float = 1, hard: bool = False, axis: int = -1, seed: int | None = None, counter: int = 0
) -> Any:
    """A draw from the classes along an axis, which have the logits x (Jang et al., 2017).

    It is soft, or with `hard` a 1 among zeros that has the soft one's gradient.
    """
    soft = call_op("gumbel_softmax", x, tau, axis, as_seed(seed), counter)
    if not hard:
        return soft
    value = soft.detach() if hasattr(soft, "detach") else soft
    chosen = call_op("eq", value, call_op("amax", value, axis, True))
    return call_op("add", call_op("sub", call_op("astype", chosen, value.dtype), value), soft)


def _lengths(op: str, shape: Any) -> tuple[int, ...]:
    try:
        return canonical_shape(shape)
    except ShapeError as error:
        raise ShapeError(f"{op}: {error}") from None
