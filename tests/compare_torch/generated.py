"""Calls of the catalogue's ops at random, in netcl's and in PyTorch's spelling: `call(seed)` gives a `Case`.

Sizes are 0, 1, odd and prime; operands broadcast on either side, are views, have ties and repeated indices; axes are
counted from both ends; every word and option is drawn. `FAMILIES` has the ops; a family draws one of its ops and its
operands. PyTorch may refuse a call, and so may netcl: `tests/reliability/replay.py` says when that is a fault.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from both import Case
from drawing import Array, Call, Draw, Drawn
from generated_axes import extremes_so_far, length, one_axis, reduction, sorting, spread
from generated_losses import classes, loss, normalization
from generated_places import indexing, shaping, writing
from generated_pointwise import corners, line, of_integers, of_three, plane
from generated_products import product, products
from generated_windows import convolution, pooling, resampling

from netcl import autograd as ag

FAMILIES: tuple[Callable[[Draw], Drawn], ...] = (
    line, line, plane, plane, of_integers, corners, of_three, reduction, reduction, one_axis, one_axis, extremes_so_far,
    spread, length, sorting, product, products, products, convolution, convolution, pooling, resampling, resampling,
    indexing, indexing, writing, writing, shaping, shaping, shaping, loss, loss, classes, normalization,
)  # fmt: skip


def call(seed: int) -> Case:
    """The call of a seed."""
    draw = Draw(seed)
    family = draw.choice(FAMILIES)
    op, ours, theirs, inputs, orders = family(draw)
    dtype = "float32" if draw.chance(0.2) else "float64"
    inputs = [each.astype(dtype) if each.dtype.kind == "f" else each for each in inputs]
    for at, each in enumerate(inputs):
        if each.ndim > 1 and draw.chance(0.2):
            ours, theirs, inputs[at] = _as_view(draw, ours, theirs, at, each)
    return Case(op, f"{family.__name__}-{seed}", ours, theirs, inputs, orders if dtype == "float64" else min(orders, 1))


def _as_view(draw: Draw, ours: Call, theirs: Call, at: int, array: Array) -> tuple[Call, Call, Array]:
    """The call on a permuted view of an operand that lies otherwise."""
    order = list(range(array.ndim))
    draw.rng.shuffle(order)
    back = tuple(int(each) for each in np.argsort(order))

    def seen(function: Call, view: Call) -> Call:
        return lambda *xs: function(*xs[:at], view(xs[at], back), *xs[at + 1 :])

    return seen(ours, ag.permute), seen(theirs, _permuted), np.ascontiguousarray(array.transpose(order))


def _permuted(x: Any, order: tuple[int, ...]) -> Any:
    """Laid out anew: gradients of PyTorch 2.13's batch_norm are wrong for some views."""
    return x.permute(order).contiguous()
