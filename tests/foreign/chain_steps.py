"""Steps of chains: shipped ops, each as `ag` and as PyTorch have it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from netcl import autograd as ag
from netcl import core

Array = np.ndarray[Any, Any]
Tensor = torch.Tensor
F = torch.nn.functional


@dataclass(frozen=True)
class Step:
    """`ours` and `theirs` take the values whose numbers are `operands`; only what is `traced` can be jitted."""

    name: str
    operands: tuple[int, ...]
    ours: Callable[..., Any]
    theirs: Callable[..., Tensor]
    traced: bool = True


UNARY: dict[str, tuple[Callable[..., Any], Callable[..., Tensor]]] = {
    "sin": (ag.sin, torch.sin),
    "cos": (ag.cos, torch.cos),
    "tanh": (ag.tanh, torch.tanh),
    "sigmoid": (ag.sigmoid, torch.sigmoid),
    "relu": (ag.relu, torch.relu),
    "gelu": (ag.gelu, F.gelu),
    "silu": (ag.silu, F.silu),
    "softplus": (ag.softplus, F.softplus),
    "logsigmoid": (ag.logsigmoid, F.logsigmoid),
    "elu": (ag.elu, F.elu),
    "selu": (ag.selu, F.selu),
    "mish": (ag.mish, F.mish),
    "softsign": (ag.softsign, F.softsign),
    "leaky_relu": (ag.leaky_relu, F.leaky_relu),
    "hardtanh": (ag.hardtanh, F.hardtanh),
    "hardswish": (ag.hardswish, F.hardswish),
    "neg": (ag.neg, torch.neg),
    "abs": (ag.abs, torch.abs),
    "square": (ag.square, torch.square),
    "erf": (ag.erf, torch.erf),
    "atan": (ag.atan, torch.atan),
    "expm1 of tanh": (lambda x: ag.expm1(ag.tanh(x)), lambda x: torch.expm1(torch.tanh(x))),
    "asinh": (ag.asinh, torch.asinh),
    "clone": (ag.clone, torch.clone),
    "floor": (ag.floor, torch.floor),
    "round": (ag.round, torch.round),
    "log1p of square": (lambda x: ag.log1p(x * x), lambda x: torch.log1p(x * x)),
    "sqrt": (lambda x: ag.sqrt(1 + x * x), lambda x: torch.sqrt(1 + x * x)),
    "number": (lambda x: 2.5 - x * 0.5, lambda x: 2.5 - x * 0.5),
    "power": (lambda x: x**2, lambda x: x**2),
    "reciprocal": (lambda x: 1 / (2 + ag.sin(x)), lambda x: 1 / (2 + torch.sin(x))),
    "clamp": (lambda x: ag.clamp(x, -0.7, 0.9), lambda x: torch.clamp(x, -0.7, 0.9)),
    "flatten": (ag.flatten, torch.flatten),
    "cast and back": (lambda x: ag.astype(x, "float64"), lambda x: x.double()),
    "sign": (ag.sign, torch.sign),
    "frac": (lambda x: x - ag.floor(x), lambda x: x - torch.floor(x)),
    "softshrink": (ag.softshrink, F.softshrink),
    "rsqrt": (lambda x: ag.rsqrt(1 + x * x), lambda x: torch.rsqrt(1 + x * x)),
}
BINARY: dict[str, tuple[Callable[..., Any], Callable[..., Tensor]]] = {
    "add": (lambda a, b: a + b, torch.add),
    "mul": (lambda a, b: a * b, torch.mul),
    "sub": (lambda a, b: a - b, torch.sub),
    "maximum": (ag.maximum, torch.maximum),
    "minimum": (ag.minimum, torch.minimum),
    "div": (lambda a, b: a / (1 + b * b), lambda a, b: a / (1 + b * b)),
    "logaddexp": (ag.logaddexp, torch.logaddexp),
    "atan2": (lambda a, b: ag.atan2(a, 1 + b * b), lambda a, b: torch.atan2(a, 1 + b * b)),
    "where": (lambda a, b: ag.where(a > b, a * b, b), lambda a, b: torch.where(a > b, a * b, b)),
    "add_relu": (ag.add_relu, lambda a, b: F.relu(a + b)),
    "lerp": (lambda a, b: ag.lerp(a, b, 0.3), lambda a, b: a + 0.3 * (b - a)),
    "addcmul": (lambda a, b: ag.addcmul(a, a, b, value=0.5), lambda a, b: a + 0.5 * a * b),
}
ALONG: dict[str, tuple[Callable[..., Any], Callable[..., Tensor]]] = {
    "softmax": (lambda x, d: ag.softmax(x, d), lambda x, d: torch.softmax(x, d)),
    "log_softmax": (lambda x, d: ag.log_softmax(x, d), lambda x, d: torch.log_softmax(x, d)),
    "cumsum": (lambda x, d: ag.cumsum(x, d), lambda x, d: torch.cumsum(x, d)),
    "cumprod": (lambda x, d: ag.cumprod(x, d), lambda x, d: torch.cumprod(x, d)),
    "logcumsumexp": (lambda x, d: ag.logcumsumexp(x, d), lambda x, d: torch.logcumsumexp(x, d)),
    "sort": (lambda x, d: ag.sort(x, d)[0], lambda x, d: torch.sort(x, dim=d, stable=True).values),
    "sort down": (
        lambda x, d: ag.sort(x, d, descending=True)[0],
        lambda x, d: torch.sort(x, dim=d, stable=True, descending=True).values,
    ),
    "flip": (lambda x, d: ag.flip(x, d), lambda x, d: torch.flip(x, [d])),
    "roll": (lambda x, d: ag.roll(x, 1, d), lambda x, d: torch.roll(x, 1, d)),
    "diff": (lambda x, d: ag.diff(x, d), lambda x, d: torch.diff(x, dim=d)),
    "sum": (lambda x, d: ag.sum(x, d), lambda x, d: torch.sum(x, d)),
    "mean": (lambda x, d: ag.mean(x, d, keepdims=True), lambda x, d: torch.mean(x, d, keepdim=True)),
    "amax": (lambda x, d: ag.amax(x, d, keepdims=True), lambda x, d: torch.amax(x, d, keepdim=True)),
    "amin": (lambda x, d: ag.amin(x, d), lambda x, d: torch.amin(x, d)),
    "prod": (lambda x, d: ag.prod(x, d), lambda x, d: torch.prod(x, d)),
    "logsumexp": (lambda x, d: ag.logsumexp(x, d), lambda x, d: torch.logsumexp(x, d)),
    "var": (lambda x, d: ag.var(x, d), lambda x, d: torch.var(x, d, correction=0)),
    "unsqueeze": (lambda x, d: ag.unsqueeze(x, d), lambda x, d: torch.unsqueeze(x, d)),
    "first": (lambda x, d: ag.narrow(x, d, 0, 1), lambda x, d: x.narrow(d, 0, 1)),
    "repeat": (lambda x, d: ag.repeat_interleave(x, 2, d), lambda x, d: torch.repeat_interleave(x, 2, d)),
    "moveaxis": (lambda x, d: ag.moveaxis(x, 0, d), lambda x, d: torch.movedim(x, 0, d)),
    "chunk": (lambda x, d: ag.chunk(x, 2, d)[0], lambda x, d: torch.chunk(x, 2, d)[0]),
}
NOT_EMPTY = (
    "amax",
    "amin",
    "mean",
    "var",
    "first",
    "sort",
    "sort down",
    "chunk",
    "diff",
    "logsumexp",
    "logcumsumexp",
    "roll",
)
LAST: dict[str, tuple[Callable[..., Any], Callable[..., Tensor]]] = {
    "layer_norm": (lambda x: ag.layer_norm(x), lambda x: F.layer_norm(x, x.shape[-1:])),
    "rms_norm": (lambda x: ag.rms_norm(x), lambda x: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)),
    "swapaxes": (lambda x: ag.swapaxes(x, -1, -2), lambda x: x.swapaxes(-1, -2)),
    "gram": (lambda x: ag.matmul(x, ag.swapaxes(x, -1, -2)), lambda x: x @ x.swapaxes(-1, -2)),
    "tril": (ag.tril, torch.tril),
    "triu": (ag.triu, torch.triu),
    "pad": (
        lambda x: ag.pad(x, ((0, 0),) * (len(x.shape) - 1) + ((1, 2),), value=0.5),
        lambda x: F.pad(x, (1, 2), value=0.5),
    ),
    "topk": (lambda x: ag.topk(x, 2)[0], lambda x: torch.topk(x, 2).values),
    "stack": (lambda x: ag.stack([x, x * 2, x], axis=1), lambda x: torch.stack([x, x * 2, x], 1)),
    "turned around": (
        lambda x: ag.permute(x, *reversed(range(len(x.shape)))),
        lambda x: x.permute(tuple(reversed(range(x.ndim)))),
    ),
    "tile": (lambda x: ag.repeat(x, *(2,) * len(x.shape)), lambda x: x.repeat((2,) * x.ndim)),
}
KEYS: dict[str, Any] = {
    "0": 0,
    "-1": -1,
    "1:": slice(1, None),
    "::2": slice(None, None, 2),
    "..., 0": (Ellipsis, 0),
    "None": None,
    "..., None, :2": (Ellipsis, None, slice(None, 2)),
    "[0, 0, 1]": np.array([0, 0, 1]),
    "..., [1, 0, 0]": (Ellipsis, np.array([1, 0, 0])),
    "[0, 1], [1, 1]": (np.array([0, 1]), np.array([1, 1])),
    ":, -1:": (slice(None), slice(-1, None)),
}


def drawn(rng: random.Random, values: list[Tensor]) -> Step:
    """A step that may fit; the newest values are the likeliest operands."""

    def pick() -> int:
        return len(values) - 1 if rng.random() < 0.6 else rng.randrange(len(values))

    one, other = pick(), pick()
    kind = rng.choice(
        ("unary", "unary", "binary", "binary", "along", "along", "last", "key", "in place", "other", "gather")
    )
    if kind == "unary":
        name = rng.choice(list(UNARY))
        return Step(name, (one,), *UNARY[name])
    if kind == "binary":
        name = rng.choice(list(BINARY))
        return Step(name, (one, other), *BINARY[name])
    if kind == "along":
        name, axis = rng.choice(list(ALONG)), rng.choice((0, -1, 1))
        ours, theirs = ALONG[name]
        if not values[one].ndim or (name in NOT_EMPTY and not values[one].numel()):
            name, ours, theirs = "neg", lambda x, d: -x, lambda x, d: -x  # PyTorch has an axis where there is none
        return Step(f"{name} along {axis}", (one,), lambda x: ours(x, axis), lambda x: theirs(x, axis))
    if kind == "last":
        name = rng.choice(list(LAST))
        if not values[one].ndim or not values[one].numel():
            name = "turned around"
        return Step(name, (one,), *LAST[name])
    if kind == "key":
        name = rng.choice(list(KEYS))
        return Step(f"[{name}]", (one,), lambda x: x[KEYS[name]], lambda x: x[theirs_of(KEYS[name])])
    if kind == "in place":
        return in_place(rng, one, other)
    if kind == "gather":
        return gathered(rng, one, other, values)
    return others(rng, one, other, values)


def in_place(rng: random.Random, one: int, other: int) -> Step:
    """A copy that is written into."""
    name = rng.choice(("add_", "mul_", "[1:] = ", "sub_", "[..., 0] = "))

    def write(x: Any, y: Any) -> Any:
        x = x * 1
        if name == "add_":
            x.add_(y)
        elif name == "mul_":
            x.mul_(y)
        elif name == "sub_":
            x.sub_(y)
        elif name == "[1:] = ":
            x[1:] = y
        else:
            x[..., 0] = y
        return x

    return Step(name, (one, other), write, write, traced=False)


def gathered(rng: random.Random, one: int, other: int, values: list[Tensor]) -> Step:
    """Reading and writing by index along the first axis."""
    length = values[one].shape[0] if values[one].ndim else 0
    index = np.array([rng.randrange(max(length, 1)) for _ in range(3)])
    if not length:
        return Step("neg", (one,), *UNARY["neg"])
    at = torch.tensor(index)
    name = rng.choice(("take", "index_add", "embedding", "masked_fill", "mask"))
    if name == "take":
        return Step(f"take {index.tolist()}", (one,), lambda x: ag.take(x, placed(index), 0), lambda x: x[at])
    if name == "index_add":
        return Step(
            f"index_add {index.tolist()} of its own", (one,),
            lambda x: ag.index_add(x, placed(index), ag.take(x, placed(index), 0) * 0.5, 0),
            lambda x: x.index_add(0, at, x[at] * 0.5),
        )  # fmt: skip
    if name == "embedding":
        return Step(
            f"embedding {index.tolist()}",
            (one,),
            lambda x: ag.embedding(x, placed(index)),
            lambda x: F.embedding(at, x),
        )
    if name == "masked_fill":
        return Step(name, (one,), lambda x: ag.masked_fill(x, x > 0.5, 0.25), lambda x: x.masked_fill(x > 0.5, 0.25))
    return Step("x[x > 0]", (one,), lambda x: x[x > 0], lambda x: x[x > 0], traced=False)


def others(rng: random.Random, one: int, other: int, values: list[Tensor]) -> Step:
    name = rng.choice(
        (
            "matmul",
            "cat",
            "outer",
            "reshape",
            "broadcast",
            "squeeze",
            "conv1d",
            "linear",
            "mse",
            "sum",
            "pool",
            "vecdot",
            "norm",
            "ignored",
        )
    )
    x = values[one]
    if name == "matmul":
        return Step(name, (one, other), ag.matmul, torch.matmul)
    if name == "cat":
        axis = rng.choice((0, -1))
        return Step(
            f"cat {axis}",
            (one, other),
            lambda a, b: ag.cat([a, b, a], axis=axis),
            lambda a, b: torch.cat([a, b, a], axis),
        )
    if name == "outer":
        return Step(
            name,
            (one, other),
            lambda a, b: ag.outer(a.reshape(-1), b.reshape(-1)),
            lambda a, b: torch.outer(a.reshape(-1), b.reshape(-1)),
        )
    if name == "reshape":
        shape = rng.choice(((-1,), (-1, 2), (2, -1), (-1, 1), (1, -1, 3)))
        return Step(f"reshape {shape}", (one,), lambda a: ag.reshape(a, *shape), lambda a: a.reshape(shape))
    if name == "broadcast":
        shape = (2, *x.shape)
        return Step(
            f"broadcast_to {shape}", (one,), lambda a: ag.broadcast_to(a, *shape), lambda a: a.broadcast_to(shape)
        )
    if name == "squeeze":
        return Step(name, (one,), ag.squeeze, torch.squeeze)
    if name == "conv1d":
        return Step(
            name, (one, other), lambda a, b: ag.conv1d(a, b[..., :2], padding=1), lambda a, b: conv1d(a, b[..., :2])
        )
    if name == "linear":
        return Step(name, (one, other), ag.linear, two(F.linear))
    if name == "mse":
        return Step(name, (one, other), lambda a, b: ag.mse_loss(a, b), lambda a, b: ((a - b) ** 2).mean())
    if name == "pool":
        return Step(
            name, (one,), lambda a: ag.max_pool1d(a, 2, stride=1), three(lambda a: F.max_pool1d(a, 2, stride=1))
        )
    if name == "vecdot":
        return Step(name, (one, other), ag.vecdot, same(lambda a, b: (a * b).sum(-1)))
    if name == "norm" and x.ndim:
        return Step(name, (one,), lambda a: ag.norm(a, axis=-1), lambda a: torch.sqrt((a * a).sum(-1)))
    if name == "ignored":
        return Step("detach", (one, other), lambda a, b: a.detach() * b, lambda a, b: a.detach() * b)
    return Step("sum of all", (one,), lambda a: a.sum(), lambda a: a.sum())


def two(call: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Weights have two axes in both libraries."""

    def checked(a: Tensor, b: Tensor) -> Tensor:
        if b.ndim != 2 or not a.ndim:
            raise ValueError
        return call(a, b)

    return checked


def three(call: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def checked(a: Tensor) -> Tensor:
        if a.ndim != 3 or not a.numel():
            raise ValueError
        return call(a)

    return checked


def same(call: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def checked(a: Tensor, b: Tensor) -> Tensor:
        if not a.ndim or not b.ndim or a.shape[-1] != b.shape[-1]:
            raise ValueError
        return call(a, b)

    return checked


def conv1d(a: Tensor, b: Tensor) -> Tensor:
    if a.ndim != 3 or b.ndim != 3 or not a.numel() or not b.numel():
        raise ValueError
    return F.conv1d(a, b, padding=1)


def theirs_of(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(theirs_of(each) for each in key)
    return torch.tensor(key) if isinstance(key, np.ndarray) else key


def placed(index: Array) -> Any:
    return core.from_host(index)
