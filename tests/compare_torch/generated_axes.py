"""Reductions, scans and sorts at random, along any axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from drawing import Draw, Drawn

from netcl import autograd as ag


def reduction(draw: Draw) -> Drawn:
    name = draw.choice(("sum", "mean", "amax", "amin", "logsumexp", "nansum", "count_nonzero", "any", "all"))
    shape = draw.shape()
    axes, kept = draw.axes(len(shape)), draw.chance(0.3)
    x = draw.some(*shape)
    whole = tuple(range(len(shape))) if axes is None else axes
    if name in ("any", "all"):
        x = x > draw.choice((-3, 0, 3))
    if name == "count_nonzero":
        return name, lambda x: ag.count_nonzero(x, axis=axes), lambda x: torch.count_nonzero(x, dim=axes), [x], 0

    def theirs(x: Any) -> Any:
        return getattr(torch, name)(x, dim=whole, keepdim=kept)

    return name, lambda x: getattr(ag, name)(x, axis=axes, keepdims=kept), theirs, [x], 2


def one_axis(draw: Draw) -> Drawn:
    name = draw.choice(("prod", "argmax", "argmin", "softmax", "log_softmax", "softmin", "cumsum", "cumprod",
                        "logcumsumexp", "median", "glu", "normalize"))  # fmt: skip
    shape = draw.shape(1)
    axis, kept = draw.axis(len(shape)), draw.chance(0.3)
    x = draw.floats(*shape)
    if name in ("prod", "argmax", "argmin", "cumprod") and draw.chance(0.4):
        x = draw.tied(*shape)
    if name in ("prod", "argmax", "argmin"):
        return (
            name,
            lambda x: getattr(ag, name)(x, axis=axis, keepdims=kept),
            lambda x: getattr(torch, name)(x, dim=axis, keepdim=kept),
            [x],
            2,
        )
    if name == "median":
        return name, lambda x: ag.median(x, axis, kept), lambda x: torch.median(x, axis, kept)[0], [x], 1
    if name == "normalize":
        return name, lambda x: ag.normalize(x, axis=axis), lambda x: F.normalize(x, dim=axis), [abs(x) + 0.3], 2
    if name in ("softmax", "log_softmax", "softmin", "glu"):
        theirs = getattr(F, name)
        return name, lambda x: getattr(ag, name)(x, axis=axis), lambda x: theirs(x, dim=axis), [x], 2
    return name, lambda x: getattr(ag, name)(x, axis), lambda x: getattr(torch, name)(x, axis), [x], 2


def extremes_so_far(draw: Draw) -> Drawn:
    name = draw.choice(("cummax", "cummin"))
    shape = draw.shape(1)
    axis = draw.axis(len(shape))
    return name, lambda x: getattr(ag, name)(x, axis), lambda x: getattr(torch, name)(x, axis), [draw.floats(*shape)], 1


def spread(draw: Draw) -> Drawn:
    name = draw.choice(("var", "std", "var_mean"))
    shape = draw.shape(1, empty=False)
    axes, kept, correction = draw.axes(len(shape)), draw.chance(0.3), draw.choice((0, 1, 1, 2, 0.5))
    whole = tuple(range(len(shape))) if axes is None else axes
    return (
        name,
        lambda x: getattr(ag, name)(x, axis=axes, correction=correction, keepdims=kept),
        lambda x: getattr(torch, name)(x, dim=whole, correction=correction, keepdim=kept),
        [draw.floats(*shape)],
        2,
    )


def length(draw: Draw) -> Drawn:
    shape = draw.shape(1, empty=False)
    axes, kept = draw.axes(len(shape)), draw.chance(0.3)
    order = draw.choice((0, 0.5, 1, 1.5, 2, 3, -1, -2, math.inf, -math.inf))
    whole = tuple(range(len(shape))) if axes is None else axes
    x = draw.floats(*shape, low=0.3) * np.sign(draw.floats(*shape))
    return (
        "norm",
        lambda x: ag.norm(x, order, axis=axes, keepdims=kept),
        lambda x: torch.linalg.vector_norm(x, order, dim=whole, keepdim=kept),
        [x],
        2,
    )


def sorting(draw: Draw) -> Drawn:
    name = draw.choice(("sort", "argsort", "topk"))
    shape = draw.shape(1)
    axis, falling = draw.axis(len(shape)), draw.chance(0.5)
    if name == "topk":
        k = draw.rng.randint(0, shape[axis])
        x = draw.floats(*shape)
        return name, lambda x: ag.topk(x, k, axis, falling), lambda x: torch.topk(x, k, axis, falling), [x], 2
    x = draw.some(*shape)
    return (
        name,
        lambda x: getattr(ag, name)(x, axis, falling),
        lambda x: getattr(torch, name)(x, dim=axis, descending=falling, stable=True),
        [x],
        2 if name == "sort" else 0,
    )
