"""Indexing and shapes, in both spellings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from arrays import floats, placed, whole
from both import Case

from netcl import autograd as ag


def indexing() -> Iterator[Case]:
    x = floats(3, 4, 5)
    index = np.array([[2, 0, 2], [1, 1, 2]])
    keys: dict[str, Any] = {
        "int": 1,
        "negative": -1,
        "slice": slice(1, None),
        "step": (slice(None), slice(None, None, 2)),
        "ellipsis": (..., 2),
        "new-axis": (slice(None), None, 1),
        "mixed": (1, ..., slice(3, 1, None)),
        "list": ([2, 0, 2],),
        "two-lists": ([0, 2, 0], [3, 1, 3]),
        "list-and-slice": (slice(None), [0, 0, 3]),
        "apart": ([0, 1], slice(None), [4, 0]),
        "broadcast-lists": ([[0], [2]], [1, 3]),
        "negative-list": ([-1, -3],),
        "int-and-list": (1, slice(None), [0, 2]),
        "empty-slice": slice(2, 1),
        "empty-list": ([],),
    }
    for tag, key in keys.items():
        yield Case("getitem", tag, lambda x, key=key: x[key], lambda x, key=key: x[_torch_key(key)], [x])
    mask = whole(3, 4, below=2).astype(bool)
    yield Case("getitem", "mask", lambda x: x[placed(mask)], lambda x: x[torch.tensor(mask)], [x])
    yield Case("getitem", "mask-behind", lambda x: x[:, placed(mask[0])], lambda x: x[:, torch.tensor(mask[0])], [x])
    for axis in (0, 1, -1):
        yield Case(
            "take",
            f"{axis}",
            lambda x, axis=axis: ag.take(x, placed(index), axis=axis),
            lambda x, axis=axis: x[(slice(None),) * (axis % 3) + (torch.tensor(index),)],
            [x],
        )
    places = whole(3, 2, 5, below=4)
    yield Case(
        "gather",
        "middle",
        lambda x: ag.gather(x, placed(places), axis=1),
        lambda x: torch.gather(x, 1, torch.tensor(places)),
        [x],
    )
    yield Case(
        "gather",
        "last",
        lambda x: ag.gather(x, placed(index), axis=-1),
        lambda x: torch.gather(x, -1, torch.tensor(index)),
        [floats(2, 3)],
    )
    yield Case(
        "embedding",
        "duplicates",
        lambda w: ag.embedding(w, placed(index)),
        lambda w: F.embedding(torch.tensor(index), w),
        [floats(4, 3)],
    )
    yield Case(
        "embedding",
        "nothing",
        lambda w: ag.embedding(w, placed(np.zeros((0,), np.int64))),
        lambda w: F.embedding(torch.zeros(0, dtype=torch.int64), w),
        [floats(4, 3)],
    )
    yield Case("one_hot", "plain", lambda i: ag.one_hot(i, 5), lambda i: F.one_hot(i, 5), [index])


def _torch_key(key: Any) -> Any:
    parts = key if isinstance(key, tuple) else (key,)
    return tuple(torch.tensor(part, dtype=torch.int64) if isinstance(part, list) else part for part in parts)


def shapes() -> Iterator[Case]:
    x = floats(2, 3, 4)
    both: dict[str, tuple[Any, Any]] = {
        "reshape": (lambda x: ag.reshape(x, (4, -1)), lambda x: x.reshape(4, -1)),
        "permute": (lambda x: ag.permute(x, (2, 0, 1)), lambda x: x.permute(2, 0, 1)),
        "swapaxes": (lambda x: ag.swapaxes(x, 0, -1), lambda x: x.swapaxes(0, -1)),
        "moveaxis": (lambda x: ag.moveaxis(x, 0, -1), lambda x: torch.moveaxis(x, 0, -1)),
        "unsqueeze": (lambda x: ag.unsqueeze(x, -2), lambda x: x.unsqueeze(-2)),
        "expand_at": (lambda x: ag.expand_at(x, 1), lambda x: x.unsqueeze(1)),
        "squeeze": (lambda x: ag.squeeze(x[:, :1], 1), lambda x: x[:, :1].squeeze(1)),
        "flatten": (lambda x: ag.flatten(x, 1), lambda x: x.flatten(1)),
        "unflatten": (lambda x: ag.unflatten(x, 2, (2, -1)), lambda x: x.unflatten(2, (2, -1))),
        "broadcast_to": (lambda x: ag.broadcast_to(x, (5, 2, 3, 4)), lambda x: x.expand(5, 2, 3, 4)),
        "cat": (lambda x: ag.cat([x, x[:1], x], 0), lambda x: torch.cat([x, x[:1], x], 0)),
        "stack": (lambda x: ag.stack([x, x * 2], -1), lambda x: torch.stack([x, x * 2], -1)),
        "split": (lambda x: ag.split(x, 3, -1), lambda x: x.split(3, -1)),
        "chunk": (lambda x: ag.chunk(x, 2, 1), lambda x: x.chunk(2, 1)),
        "unbind": (lambda x: ag.unbind(x, 1), lambda x: x.unbind(1)),
        "narrow": (lambda x: ag.narrow(x, 1, 1, 2), lambda x: x.narrow(1, 1, 2)),
        "flip": (lambda x: ag.flip(x, (0, -1)), lambda x: x.flip(0, -1)),
        "roll": (lambda x: ag.roll(x, (1, -2), (0, 2)), lambda x: x.roll((1, -2), (0, 2))),
        "roll-flat": (lambda x: ag.roll(x, 5), lambda x: x.roll(5)),
        "repeat": (lambda x: ag.repeat(x, (2, 1, 3)), lambda x: x.repeat(2, 1, 3)),
        "repeat_interleave": (lambda x: ag.repeat_interleave(x, 3, -1), lambda x: x.repeat_interleave(3, -1)),
        "repeat_interleave-counts": (
            lambda x: ag.repeat_interleave(x, [2, 0, 3], 1),
            lambda x: x.repeat_interleave(torch.tensor([2, 0, 3]), 1),
        ),
        "repeat_interleave-flat": (lambda x: ag.repeat_interleave(x, 2), lambda x: x.repeat_interleave(2)),
        "contiguous": (lambda x: ag.contiguous(ag.permute(x, (1, 0, 2))), lambda x: x.permute(1, 0, 2).contiguous()),
        "pad": (lambda x: ag.pad(x, [(0, 0), (1, 2), (0, 3)], value=7.0), lambda x: F.pad(x, (0, 3, 1, 2), value=7.0)),
        "pad-negative": (lambda x: ag.pad(x, [(0, 0), (0, 0), (-1, 2)]), lambda x: F.pad(x, (-1, 2))),
        "diff": (lambda x: ag.diff(x, 1), lambda x: torch.diff(x, dim=1)),
        "select": (lambda x: ag.select(x, 1, 2), lambda x: x.select(1, 2)),
        "slice": (lambda x: ag.slice(x, (0, 1, 3), (1, 1, -2), (2, 2, 2)), lambda x: x[:, 1:3].flip(2)[:, :, ::2]),
        "assign": (lambda x: ag.assign(x, x[0]), lambda x: x[0].expand(2, 3, 4)),
    }
    for name, (ours, theirs) in both.items():
        yield Case(name, "array", ours, theirs, [x])
        yield Case(
            name,
            "view",
            lambda x, f=ours: f(ag.permute(x, (2, 1, 0))[:, ::-1]),
            lambda x, f=theirs: f(x.permute(2, 1, 0).flip(1)),
            [floats(4, 3, 2)],
        )
