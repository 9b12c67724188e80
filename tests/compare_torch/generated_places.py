"""Indexing, writing by index and shapes at random."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from arrays import placed
from drawing import SIZES, Call, Draw, Drawn

from netcl import autograd as ag


def indexing(draw: Draw) -> Drawn:
    shape = draw.shape(1, 4, empty=False)
    name = draw.choice(("getitem", "getitem", "take", "gather", "index_select", "embedding", "masked_select"))
    x, axis = draw.floats(*shape), draw.axis(len(shape))
    size = shape[axis]
    if name == "getitem":
        key = _key(draw, shape)
        return name, lambda x: x[_placed(key)], lambda x: _torch_getitem(x, key), [x], 2
    if name == "take":
        at = draw.whole(*draw.shape(0, 2), below=size, least=-size)
        lead = (slice(None),) * (axis % len(shape))
        return name, lambda x: ag.take(x, placed(at), axis=axis), lambda x: x[(*lead, torch.tensor(at))], [x], 2
    if name == "gather":
        where = list(shape)
        where[axis] = draw.choice(SIZES)
        at = draw.whole(*where, below=size)
        return (
            name,
            lambda x: ag.gather(x, placed(at), axis=axis),
            lambda x: torch.gather(x, axis, torch.tensor(at)),
            [x],
            2,
        )
    if name == "index_select":
        at = draw.whole(draw.choice(SIZES), below=size)
        return (
            name, lambda x: ag.index_select(x, axis, placed(at)),
            lambda x: torch.index_select(x, axis, torch.tensor(at)), [x], 2,
        )  # fmt: skip
    if name == "embedding":
        at = draw.whole(*draw.shape(0, 3), below=shape[0])
        table = draw.floats(shape[0], draw.choice(SIZES) or 1)
        return name, lambda w: ag.embedding(w, placed(at)), lambda w: F.embedding(torch.tensor(at), w), [table], 2
    mask = draw.whole(*shape, below=2).astype(bool)
    return (
        name,
        lambda x: ag.masked_select(x, placed(mask)),
        lambda x: torch.masked_select(x, torch.tensor(mask)),
        [x],
        2,
    )


def _key(draw: Draw, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A subscript of slices, numbers, new axes, an ellipsis and arrays that broadcast."""
    arrays, key = draw.broadcast(len(shape), 0, 2), []
    together = draw.chance(0.4)
    for size, part in zip(shape, arrays, strict=True):
        kind = draw.choice(("all", "slice", "slice", "number", "array" if together else "slice", "new"))
        if kind == "new":
            key.append(None)
        if kind == "number":
            key.append(draw.rng.randint(-size, size - 1))
        elif kind == "array":
            key.append(draw.whole(*part, below=size, least=-size))
        elif kind == "slice":
            ends = [draw.choice((None, draw.rng.randint(-size - 1, size + 1))) for _ in range(2)]
            key.append(slice(*ends, draw.choice((None, 1, 2, 3, -1, -2))))
        else:
            key.append(slice(None))
    if draw.chance(0.2):
        key = [*key[:-1], Ellipsis] if draw.chance(0.5) else [Ellipsis, *key[1:]]
    return tuple(key)


def _placed(key: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(placed(each) if isinstance(each, np.ndarray) else each for each in key)


def _torch_getitem(x: Any, key: tuple[Any, ...]) -> Any:
    """PyTorch has no negative steps: the axis is flipped first."""
    ndim = sum(each is not None and each is not Ellipsis for each in key)
    axis, made = 0, []
    for each in key:
        if each is Ellipsis:
            axis += x.ndim - ndim
        elif isinstance(each, slice) and (each.step or 1) < 0:
            found = range(*each.indices(x.shape[axis]))
            made.append((axis, found))
        if each is not None and each is not Ellipsis:
            axis += 1
    new = list(key)
    backward = iter(made)
    for at, each in enumerate(key):
        if isinstance(each, slice) and (each.step or 1) < 0:
            axis, found = next(backward)
            picked = torch.tensor(list(found), dtype=torch.int64)
            x = torch.index_select(x, axis, picked)
            new[at] = slice(None)
        elif isinstance(each, np.ndarray):
            new[at] = torch.tensor(each)
    return x[tuple(new)]


def writing(draw: Draw) -> Drawn:
    name = draw.choice(
        ("scatter", "scatter_add", "scatter_amax", "index_add", "index_copy", "index_put", "masked_fill")
    )
    shape = draw.shape(1, 3, empty=False)
    axis = draw.axis(len(shape))
    size, x = shape[axis], draw.floats(*shape)
    if name.startswith("scatter"):
        where = list(shape)
        where[axis] = draw.rng.randint(0, size) if name == "scatter" else draw.choice(SIZES)
        at = draw.whole(*where, below=size)
        if name == "scatter":  # what is written twice has no order
            ordered = np.argsort(draw.numbers.random((*shape,)), axis=axis)
            at = np.take(ordered, range(where[axis]), axis=axis)
        to = torch.tensor(at)
        theirs: dict[str, Call] = {
            "scatter": lambda x, s: torch.scatter(x, axis, to, s),
            "scatter_add": lambda x, s: torch.scatter_add(x, axis, to, s),
            "scatter_amax": lambda x, s: torch.scatter_reduce(x, axis, to, s, "amax"),
        }
        source = draw.floats(*where)
        orders = 1 if name == "scatter_amax" else 2
        return name, lambda x, s: getattr(ag, name)(x, placed(at), s, axis), theirs[name], [x, source], orders
    if name == "masked_fill":
        mask = draw.whole(*draw.part(shape), below=2).astype(bool)
        return (
            name, lambda x: ag.masked_fill(x, placed(mask), 0.5),
            lambda x: x.masked_fill(torch.tensor(mask), 0.5), [x], 2,
        )  # fmt: skip
    if name == "index_put":
        count = draw.rng.randint(1, len(shape))
        many = draw.choice(SIZES)
        accumulate = draw.chance(0.6)
        at = [draw.whole(many, below=each) for each in shape[:count]]
        if not accumulate:  # no place twice
            flat = draw.numbers.permutation(math.prod(shape[:count]))[:many]
            at = list(np.unravel_index(flat, shape[:count]))
        source = draw.floats(len(at[0]), *shape[count:])
        return (
            name,
            lambda x, v: ag.index_put(x, tuple(map(placed, at)), v, accumulate),
            lambda x, v: torch.index_put(x, tuple(map(torch.tensor, at)), v, accumulate),
            [x, source],
            2,
        )
    many = draw.choice(SIZES) if name == "index_add" else draw.rng.randint(0, size)
    at = draw.whole(many, below=size) if name == "index_add" else draw.numbers.permutation(size)[:many]
    where = list(shape)
    where[axis] = many
    return (
        name,
        lambda x, s: getattr(ag, name)(x, placed(at), s, axis=axis),
        lambda x, s: getattr(torch, name)(x, axis, torch.tensor(at), s),
        [x, draw.floats(*where)],
        2,
    )


def shaping(draw: Draw) -> Drawn:
    name = draw.choice(("reshape", "permute", "swapaxes", "moveaxis", "unsqueeze", "squeeze", "flatten", "unflatten",
                        "broadcast_to", "cat", "stack", "split", "chunk", "unbind", "narrow", "flip", "roll", "repeat",
                        "repeat_interleave", "diff", "select", "tril", "triu", "diagonal", "diag_embed"))  # fmt: skip
    shape = draw.shape(1, 4)
    ndim, x = len(shape), draw.floats(*shape)
    a, b = draw.axis(ndim), draw.axis(ndim)
    size, k = shape[a], draw.rng.randint(-3, 3)
    order = draw.rng.sample(range(ndim), ndim)
    some = sorted(draw.rng.sample(range(ndim), draw.rng.randint(1, ndim)))
    counts = draw.sizes(ndim, 3)
    whole = (*draw.shape(0, 1), *shape)
    part = draw.part(shape)
    start = draw.rng.randint(0, size)
    span = draw.rng.randint(0, size - start)
    piece = draw.rng.randint(1, 4)
    pairs: dict[str, tuple[Call, Call]] = {
        "reshape": (lambda x: ag.reshape(x, (-1,)), lambda x: x.reshape(-1)),
        "permute": (lambda x: ag.permute(x, order), lambda x: x.permute(order)),
        "swapaxes": (lambda x: ag.swapaxes(x, a, b), lambda x: x.swapaxes(a, b)),
        "moveaxis": (lambda x: ag.moveaxis(x, a, b), lambda x: torch.moveaxis(x, a, b)),
        "unsqueeze": (lambda x: ag.unsqueeze(x, a), lambda x: x.unsqueeze(a)),
        "squeeze": (lambda x: ag.squeeze(x, a), lambda x: x.squeeze(a)),
        "flatten": (lambda x: ag.flatten(x, some[0]), lambda x: x.flatten(some[0])),
        "unflatten": (lambda x: ag.unflatten(x, a, (1, size)), lambda x: x.unflatten(a, (1, size))),
        "cat": (lambda x: ag.cat([x, x * 2, x], a), lambda x: torch.cat([x, x * 2, x], a)),
        "stack": (lambda x: ag.stack([x, x * 2], a), lambda x: torch.stack([x, x * 2], a)),
        "split": (lambda x: ag.split(x, piece, a), lambda x: x.split(piece, a)),
        "chunk": (lambda x: ag.chunk(x, piece, a), lambda x: x.chunk(piece, a)),
        "unbind": (lambda x: ag.unbind(x, a), lambda x: x.unbind(a)),
        "narrow": (lambda x: ag.narrow(x, a, start, span), lambda x: x.narrow(a, start, span)),
        "flip": (lambda x: ag.flip(x, tuple(some)), lambda x: x.flip(some)),
        "roll": (lambda x: ag.roll(x, k, a), lambda x: x.roll(k, a)),
        "repeat": (lambda x: ag.repeat(x, counts), lambda x: x.repeat(counts)),
        "repeat_interleave": (lambda x: ag.repeat_interleave(x, piece, a), lambda x: x.repeat_interleave(piece, a)),
        "diff": (lambda x: ag.diff(x, a), lambda x: torch.diff(x, dim=a)),
        "select": (lambda x: ag.select(x, a, start), lambda x: x.select(a, start)),
        "tril": (lambda x: ag.tril(x, k), lambda x: torch.tril(x, k)),
        "triu": (lambda x: ag.triu(x, k), lambda x: torch.triu(x, k)),
        "diagonal": (lambda x: ag.diagonal(x, k, a, b), lambda x: torch.diagonal(x, k, a, b)),
        "diag_embed": (lambda x: ag.diag_embed(x, k), lambda x: torch.diag_embed(x, k)),
        "broadcast_to": (lambda x: ag.broadcast_to(x, whole), lambda x: x.expand(whole)),
    }
    return name, *pairs[name], [draw.floats(*part) if name == "broadcast_to" else x], 2
