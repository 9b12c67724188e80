"""Recurrences of no steps, one, two, and so many that there are several blocks with a last one that is not whole; rows
that end at once and early, and one row alone. Also their tangents, by PyTorch as derivatives of gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import steps_in_torch as in_torch
import torch
from arrays import Array, floats
from both import Case

from netcl import autograd as ag
from netcl import core

STEPS = (0, 1, 2, 257)


def lengths() -> Iterator[Case]:
    for t in STEPS:
        for tag, ends in ((f"steps-{t}", np.array([t, 0, (t + 1) // 2])), (f"row-{t}", np.array([t]))):
            yield from (_case(*each) for each in _rows(t, tag, ends))
        yield from (_case(*each) for each in _filters(t, f"steps-{t}"))
        yield from (_case(*each) for each in _systems(t, f"size-{t}"))
    for i, j in ((1, 1), (1, 257), (257, 1), (2, 3), (17, 5), (33, 48)):
        yield _case("soft_dtw", f"{i}x{j}", ag.soft_dtw, lambda d: in_torch.soft_dtw(d, 1.0), [floats(1, i, j)])


def _case(op: str, tag: str, ours: Any, theirs: Any, inputs: list[Array]) -> Case:
    return Case(op, tag, ours, theirs, inputs, tangents=True)


def _rows(t: int, tag: str, ends: Array) -> Iterator[tuple[Any, ...]]:
    """What has rows that end when only the data know."""
    n, placed = len(ends), core.from_host(ends)
    for name, ours, gates in (("rnn", ag.rnn, 1), ("gru", ag.gru, 3), ("lstm", ag.lstm, 4)):
        for backward in (False, True):
            yield (
                name, f"{tag}-reverse" if backward else tag,
                lambda *xs, ours=ours, backward=backward: ours(*xs, lengths=placed, reverse=backward),
                lambda *xs, name=name, backward=backward: in_torch.layer(name, ends, backward, *xs),
                [floats(t, n, 2), mild(gates * 3, 2), mild(gates * 3, 3), *[mild(gates * 3)] * 2,
                 *[mild(n, 3)] * (2 if name == "lstm" else 1)],
            )  # fmt: skip
    operands = [floats(3), floats(3, 3), floats(t, n, 3)]
    yield (
        "hmm_forward", tag, lambda *xs: ag.hmm_forward(*xs, lengths=placed),
        lambda *xs: in_torch.hmm_forward(*xs, ends), operands,
    )  # fmt: skip
    yield (
        "viterbi", tag, lambda *xs: ag.viterbi(*xs, lengths=placed), lambda *xs: in_torch.viterbi(*xs, ends), operands,
    )  # fmt: skip
    texts = np.arange(7 * n).reshape(n, 7) % 5 + 1
    texts[0, 1] = texts[0, 0]
    counts = np.minimum(ends // 2, np.arange(n, 2 * n) * 3 % 8)
    yield (
        "ctc_loss", tag, lambda x: ag.ctc_loss(x, *map(core.from_host, (texts, ends, counts)), reduction="none"),
        lambda x: in_torch.ctc_loss(x, texts, ends, counts), [floats(t, n, 6)],
    )  # fmt: skip


def _filters(t: int, tag: str) -> Iterator[tuple[Any, ...]]:
    yield "lfilter", tag, ag.lfilter, in_torch.lfilter, [floats(2), np.array([1.0, -0.6, 0.2]), floats(t)]
    yield "ema", tag, lambda x, alpha: ag.ema(x, alpha, axis=0), in_torch.ema, [floats(t, 3), np.array(0.3)]
    numbers = [np.array(each) for each in (0.9, 0.3, 1.1, 0.5, 0.1, 0.8)]
    yield "kalman_filter", f"numbers-{tag}", ag.kalman_filter, in_torch.kalman_filter, [floats(t, 2), *numbers]
    spread = np.eye(3) + 0.1
    yield (
        "kalman_filter", f"matrices-{tag}", ag.kalman_filter, in_torch.kalman_filter_of_matrices,
        [floats(t, 1, 2), mild(3, 3), 0.2 * spread, floats(2, 3), np.array([0.3, 0.6]), floats(3), spread],
    )  # fmt: skip
    yield (
        "selective_scan", tag, ag.selective_scan, in_torch.selective_scan,
        [floats(1, 2, t), floats(1, 2, t, low=0.1), floats(2, 3, low=-1, high=0), floats(1, 3, t), floats(1, 3, t),
         floats(2)],
    )  # fmt: skip


def _systems(n: int, tag: str) -> Iterator[tuple[Any, ...]]:
    """Of equations: as many as there are steps; of those with a whole matrix, not more than 37."""
    diagonals = [floats(2, n), floats(2, n) + 5, floats(2, n), floats(2, n)]
    yield "solve_tridiagonal", tag, ag.solve_tridiagonal, in_torch.solve_tridiagonal, diagonals
    n = min(n, 37)
    square, right = floats(n, n) / (n + 1) ** 0.5, floats(n, 2)
    yield "cholesky", tag, ag.cholesky, torch.linalg.cholesky, [square @ square.T + np.eye(n)]
    yield (
        "solve_triangular", tag, ag.solve_triangular,
        lambda a, b: torch.linalg.solve_triangular(a, b, upper=False), [square / 3 + 2 * np.eye(n), right],
    )  # fmt: skip
    turned = square + 2 * np.eye(n)[::-1]
    yield "solve", tag, ag.solve, torch.linalg.solve, [turned, right]
    yield "inv", tag, ag.inv, torch.linalg.inv, [turned]
    yield "det", tag, ag.det, torch.linalg.det, [turned / 2]
    yield "slogdet", tag, ag.slogdet, torch.linalg.slogdet, [turned]
    yield "lu", tag, ag.lu, in_torch.lu, [turned]


def mild(*shape: int) -> Array:
    return floats(*shape, low=-0.7, high=0.7)
