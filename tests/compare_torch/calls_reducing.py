"""Reductions, the softmax family and normalizations, in both spellings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from arrays import AXES, CONSTANT, INF, LARGE_MEAN, REDUCED, ZEROS, floats, placed, whole
from both import Case

from netcl import autograd as ag


def _axis(name: str, axis: Any, kept: bool) -> Callable[..., Any]:
    """PyTorch's reduction, whose axis may not be None everywhere."""
    function = getattr(torch, name)

    def call(x: Any) -> Any:
        axes = tuple(range(x.ndim)) if axis is None else axis
        if name in ("prod", "argmax", "argmin"):  # these take one axis, or none
            single = None if axis is None else axis[0] if isinstance(axis, tuple) and x.ndim == 1 else axis
            return function(x) if single is None else function(x, dim=single, keepdim=kept)
        return function(x, dim=axes, keepdim=kept)

    return call


def reductions() -> Iterator[Case]:
    names = ["sum", "mean", "prod", "amax", "amin", "logsumexp", "nansum", "argmax", "argmin", "count_nonzero"]
    for name in names:
        for tag, x in REDUCED.items():
            for where, axis, kept in AXES:
                if x.ndim == 0 and axis is not None:
                    continue
                if name in ("prod", "argmax", "argmin") and isinstance(axis, tuple):
                    continue
                if name == "count_nonzero" and kept:
                    continue
                if tag not in ("ordinary", "hard") and where not in ("all", "last"):
                    continue
                ours = lambda x, name=name, axis=axis, kept=kept: getattr(ag, name)(x, axis=axis, keepdims=kept)
                if name == "count_nonzero":
                    theirs: Any = lambda x, axis=axis: torch.count_nonzero(x, dim=axis)
                else:
                    theirs = _axis(name, axis, kept)
                yield Case(name, f"{tag}-{where}", ours, theirs, [x])
    yield Case("sum", "axis-of-0-d", lambda x: ag.sum(x, axis=0), lambda x: torch.sum(x, dim=0), [floats()])
    for name in ("var", "std"):
        for tag in ("ordinary", "one", "constant", "hard", "ties", "odd"):
            for correction in (0, 1):
                yield Case(
                    name,
                    f"{tag}-correction-{correction}",
                    lambda x, name=name, c=correction: getattr(ag, name)(x, axis=-1, correction=c),
                    lambda x, name=name, c=correction: getattr(torch, name)(x, dim=-1, correction=c),
                    [REDUCED[tag]],
                )
        yield Case(
            name,
            "large-mean",
            lambda x, name=name: getattr(ag, name)(x),
            lambda x, name=name: getattr(torch, name)(x, correction=0),
            [LARGE_MEAN],
        )
    yield Case(
        "var",
        "correction-above-count",
        lambda x: ag.var(x, correction=7.0),
        lambda x: torch.var(x, correction=7),
        [floats(3)],
    )
    for order in (0, 1, 2, 3, -1, INF, -INF):
        for tag in ("ordinary", "zeros", "ties"):
            yield Case(
                "norm",
                f"{order:g}-{tag}",
                lambda x, p=order: ag.norm(x, p, axis=-1),
                lambda x, p=order: torch.linalg.vector_norm(x, p, dim=-1),
                [REDUCED[tag]],
            )
    yield Case("norm", "zero-vector", lambda x: ag.norm(x), torch.linalg.vector_norm, [np.zeros(3)])
    yield Case(
        "norm",
        "kept",
        lambda x: ag.norm(x, axis=0, keepdims=True),
        lambda x: torch.linalg.vector_norm(x, dim=0, keepdim=True),
        [floats(3, 4)],
    )
    for name in ("any", "all"):
        for where, axis, _ in AXES[:3]:
            yield Case(
                name,
                where,
                lambda x, name=name, axis=axis: getattr(ag, name)(x, axis=axis),
                lambda x, name=name, axis=axis: (
                    getattr(torch, name)(x) if axis is None else getattr(torch, name)(x, dim=axis)
                ),
                [ZEROS > 0],
            )
    yield Case("trace", "square", ag.trace, torch.trace, [floats(3, 3)])
    yield Case("trace", "wide", ag.trace, torch.trace, [floats(2, 4)])
    for name in ("sum", "prod", "amax", "argmax", "mean"):
        if name in ("sum", "prod", "mean"):
            yield Case(
                name,
                "nothing",
                lambda x, name=name: getattr(ag, name)(x),
                lambda x, name=name: getattr(torch, name)(x),
                [np.zeros((0, 3))],
            )
            yield Case(
                name,
                "nothing-along",
                lambda x, name=name: getattr(ag, name)(x, axis=0),
                lambda x, name=name: getattr(torch, name)(x, dim=0),
                [np.zeros((0, 3))],
            )
        yield Case(
            name,
            "beside-nothing",
            lambda x, name=name: getattr(ag, name)(x, axis=1),
            lambda x, name=name: getattr(torch, name)(x, dim=1),
            [np.zeros((0, 3))],
        )
    for dtype in ("int64", "int32", "uint8", "bool"):
        x = whole(3, 4).astype(dtype)
        names = ["sum", "argmax", "amax", "count_nonzero"] if dtype != "bool" else ["sum", "count_nonzero"]
        for name in names + (["prod"] if dtype != "bool" else []):
            yield Case(
                name,
                dtype,
                lambda x, name=name: getattr(ag, name)(x, axis=1),
                lambda x, name=name: getattr(torch, name)(x, dim=1),
                [x],
            )


def close() -> Iterator[Case]:
    """Values that are equal, nearly so, far apart, infinite and NaN."""
    x = np.array([1.0, 1.0, 1.0, INF, INF, np.nan, 0.0, -0.0, 1e-9])
    y = np.array([1.0, 1.000001, 1.1, INF, -INF, np.nan, 1e-9, 0.0, 0.0])
    for name in ("isclose", "allclose", "equal"):
        ours, theirs = getattr(ag, name), getattr(torch, name)
        for tag, these, those in (("all", x, y), ("same", x[:5], x[:5]), ("near", x[:2], y[:2]), ("far", x[:3], y[:3])):
            yield Case(name, tag, _as_array(ours), _as_tensor(theirs), [these, those], orders=0)


def _as_array(function: Any) -> Any:
    return lambda *given: ag.tensor(found) if isinstance(found := function(*given), bool) else found


def _as_tensor(function: Any) -> Any:
    return lambda *given: torch.as_tensor(function(*given))


def softmaxes() -> Iterator[Case]:
    for name, theirs in (("softmax", F.softmax), ("log_softmax", F.log_softmax), ("softmin", F.softmin)):
        for tag in ("ordinary", "one", "ties", "hard", "large", "masked", "odd"):
            for axis in (-1, 0):
                yield Case(
                    name,
                    f"{tag}-{axis}",
                    lambda x, name=name, axis=axis: getattr(ag, name)(x, axis=axis),
                    lambda x, f=theirs, axis=axis: f(x, dim=axis),
                    [REDUCED[tag]],
                )
        yield Case(
            name,
            "nothing",
            lambda x, name=name: getattr(ag, name)(x),
            lambda x, f=theirs: f(x, dim=-1),
            [np.zeros((2, 0))],
        )
    for tag in ("ordinary", "one", "ties", "large", "masked", "odd"):
        yield Case("safe_softmax", tag, ag.safe_softmax, lambda x: torch._safe_softmax(x, -1), [REDUCED[tag]], orders=1)
    yield Case(
        "safe_softmax", "all-masked", ag.safe_softmax, lambda x: torch._safe_softmax(x, -1), [np.full((2, 3), -INF)],
        orders=0,
    )  # fmt: skip
    yield Case("softmax", "0-d", ag.softmax, lambda x: F.softmax(x, dim=-1), [floats()])
    yield Case("softmax", "all-masked", ag.softmax, lambda x: F.softmax(x, dim=-1), [np.full((1, 3), -INF)])
    yield Case("glu", "last", ag.glu, lambda x: F.glu(x, -1), [floats(3, 4)])
    yield Case("glu", "first", lambda x: ag.glu(x, 0), lambda x: F.glu(x, 0), [floats(4, 3)])
    for tag in ("ordinary", "zeros", "odd"):
        yield Case(
            "normalize", tag, lambda x: ag.normalize(x, axis=-1), lambda x: F.normalize(x, dim=-1), [REDUCED[tag]]
        )
    yield Case(
        "normalize",
        "zero-row",
        lambda x: ag.normalize(x, axis=-1),
        lambda x: F.normalize(x, dim=-1),
        [np.array([[0.0, 0.0], [3.0, 4.0]])],
    )


def norms() -> Iterator[Case]:
    weights = [floats(4, low=0.5, high=1.5), floats(4)]
    yield Case("layer_norm", "plain", lambda x: ag.layer_norm(x), lambda x: F.layer_norm(x, (4,)), [floats(3, 4)])
    yield Case(
        "layer_norm", "weights", ag.layer_norm, lambda x, w, b: F.layer_norm(x, (4,), w, b), [floats(2, 3, 4), *weights]
    )
    yield Case(
        "layer_norm",
        "two-axes",
        lambda x: ag.layer_norm(x, ndim=2),
        lambda x: F.layer_norm(x, (3, 4)),
        [floats(2, 3, 4)],
    )
    yield Case("layer_norm", "constant", lambda x: ag.layer_norm(x), lambda x: F.layer_norm(x, (4,)), [CONSTANT])
    yield Case(
        "layer_norm", "large-mean", lambda x: ag.layer_norm(x), lambda x: F.layer_norm(x, (8,)), [1e3 + floats(3, 8)]
    )
    yield Case("rms_norm", "plain", lambda x: ag.rms_norm(x), lambda x: F.rms_norm(x, (4,), eps=1e-6), [floats(3, 4)])
    yield Case(
        "rms_norm", "weight", ag.rms_norm, lambda x, w: F.rms_norm(x, (4,), w, eps=1e-6), [floats(2, 3, 4), weights[0]]
    )
    yield Case(
        "rms_norm", "zeros", lambda x: ag.rms_norm(x), lambda x: F.rms_norm(x, (4,), eps=1e-6), [np.zeros((2, 4))]
    )
    for groups in (1, 2, 4):
        yield Case(
            "group_norm",
            f"{groups}",
            lambda x, w, b, g=groups: ag.group_norm(x, w, b, groups=g),
            lambda x, w, b, g=groups: F.group_norm(x, g, w, b),
            [floats(2, 4, 3, 2), *weights],
        )
    yield Case("instance_norm", "image", ag.instance_norm, F.instance_norm, [floats(2, 3, 4, 2)])
    yield Case("instance_norm", "line", ag.instance_norm, F.instance_norm, [floats(2, 3, 5)])
    yield Case(
        "batch_norm",
        "training",
        lambda x, w, b: ag.batch_norm(x, w, b),
        lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True),
        [floats(3, 4, 2, 2), *weights],
    )
    yield Case(
        "batch_norm",
        "vectors",
        lambda x: ag.batch_norm(x),
        lambda x: F.batch_norm(x, None, None, training=True),
        [floats(5, 4)],
    )
    mean, variance = floats(4), floats(4, low=0.5, high=2)
    yield Case(
        "batch_norm",
        "inference",
        lambda x, w, b: ag.batch_norm(x, w, b, placed(mean), placed(variance), training=False),
        lambda x, w, b: F.batch_norm(x, torch.tensor(mean), torch.tensor(variance), w, b),
        [floats(3, 4, 2), *weights],
    )
