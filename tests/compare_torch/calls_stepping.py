"""Recurrences and factorisations, in both spellings. What PyTorch does not have takes its steps one by one there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import steps_in_torch as in_torch
import torch
import torch.nn.functional as F  # noqa: N812
from arrays import Array, floats
from both import Case

from netcl import autograd as ag
from netcl import core


def _mild(*shape: int) -> Array:
    return floats(*shape, low=-0.7, high=0.7)


def networks() -> Iterator[Case]:
    """Layers of recurrent networks: one step, none, many, one row, and rows that end early."""
    for name, gates in (("rnn", 1), ("gru", 3), ("lstm", 4)):
        ours = getattr(ag, name)
        for tag, (t, n, i, k) in {
            "odd": (5, 3, 4, 7),
            "step": (1, 2, 3, 2),
            "row": (6, 1, 2, 17),
            "wide": (3, 9, 2, 49),
        }.items():
            weights = [_mild(gates * k, i), _mild(gates * k, k), _mild(gates * k), _mild(gates * k)]
            states = [_mild(n, k)] * (2 if name == "lstm" else 1)
            yield Case(name, tag, ours, _layer(name), [floats(t, n, i), *weights, *states])
        ends = np.array([2, 4, 1])
        weights = [_mild(gates * 3, 2), _mild(gates * 3, 3), _mild(gates * 3), _mild(gates * 3)]
        states = [_mild(3, 3)] * (2 if name == "lstm" else 1)
        for backward in (False, True):
            yield Case(
                name, "lengths-reverse" if backward else "lengths",
                lambda *xs, ours=ours, ends=ends, backward=backward: ours(
                    *xs, lengths=core.from_host(ends), reverse=backward
                ),
                _layer(name, ends, backward), [floats(4, 3, 2), *weights, *states],
            )  # fmt: skip
    yield Case(
        "rnn", "relu", lambda *xs: ag.rnn(*xs, nonlinearity="relu"), _layer("rnn_relu"),
        [floats(4, 2, 3), _mild(5, 3), _mild(5, 5), _mild(5), _mild(5), _mild(2, 5)],
    )  # fmt: skip


def _layer(name: str, ends: Array | None = None, backward: bool = False) -> Any:
    """The layer of PyTorch; where rows end early, row by row."""
    function = getattr(torch, {"rnn": "rnn_tanh"}.get(name, name))

    def whole(x: Any, *given: Any) -> tuple[Any, ...]:
        weights, states = list(given[:4]), [each[None] for each in given[4:]]
        state = tuple(states) if name == "lstm" else states[0]
        found = function(x, state, weights, True, 1, 0.0, False, False, False)
        return (found[0], *(each[0] for each in found[1:]))

    def rows(x: Any, *given: Any) -> tuple[Any, ...]:
        assert ends is not None
        found = []
        for row, end in enumerate(ends):
            steps = x[:end, row : row + 1]
            y, *last = whole(
                steps.flip(0) if backward else steps, *given[:4], *(each[row : row + 1] for each in given[4:])
            )
            y = y.flip(0) if backward else y
            found.append((F.pad(y, (0, 0, 0, 0, 0, len(x) - int(end))), *last))
        return torch.cat([each[0] for each in found], 1), *(
            torch.cat([each[at] for each in found]) for at in range(1, len(found[0]))
        )

    return whole if ends is None else rows


def sequences() -> Iterator[Case]:
    """Alignments, hidden states and filters."""
    targets, steps, labels = np.array([[1, 1, 2], [3, 2, 1], [2, 2, 2]]), np.array([7, 5, 6]), np.array([3, 2, 0])
    for reduction in ("none", "mean", "sum"):
        yield Case(
            "ctc_loss", reduction,
            lambda x, r=reduction: ag.ctc_loss(
                ag.log_softmax(x, axis=-1), *map(core.from_host, (targets, steps, labels)), reduction=r
            ),
            lambda x, r=reduction: F.ctc_loss(
                torch.log_softmax(x, -1), *map(torch.from_numpy, (targets, steps, labels)), reduction=r
            ),
            [floats(7, 3, 5)], orders=1,
        )  # fmt: skip
    short = np.array([2, 5, 6])
    yield Case(
        "ctc_loss", "impossible",
        lambda x: ag.ctc_loss(
            ag.log_softmax(x, axis=-1), *map(core.from_host, (targets, short, labels)), zero_infinity=True
        ),
        lambda x: F.ctc_loss(
            torch.log_softmax(x, -1), *map(torch.from_numpy, (targets, short, labels)), zero_infinity=True
        ),
        [floats(7, 3, 5)], orders=1,
    )  # fmt: skip
    yield Case(
        "soft_dtw", "batch", lambda d: ag.soft_dtw(d, gamma=0.5), lambda d: in_torch.soft_dtw(d, 0.5), [floats(2, 4, 5)]
    )
    yield Case("soft_dtw", "one", ag.soft_dtw, lambda d: in_torch.soft_dtw(d[None], 1.0)[0], [floats(1, 1)])
    yield Case("hmm_forward", "batch", ag.hmm_forward, in_torch.hmm_forward, [floats(3), floats(3, 3), floats(5, 2, 3)])
    sixteen = [floats(18), floats(18, 18), floats(5, 16, 18)]  # states in lanes, series beside each other
    yield Case("hmm_forward", "sixteen", ag.hmm_forward, in_torch.hmm_forward, sixteen)
    yield Case("hmm_forward", "row", ag.hmm_forward, in_torch.hmm_forward, [floats(4), floats(4, 4), floats(6, 4)])
    yield Case(
        "viterbi", "batch", ag.viterbi, in_torch.best_path, [floats(3), floats(3, 3), floats(4, 2, 3)], orders=1
    )  # fmt: skip
    for axis in (0, 1):
        yield Case(
            "lfilter", f"axis-{axis}", lambda b, a, x, axis=axis: ag.lfilter(b, a, x, axis=axis),
            lambda b, a, x, axis=axis: in_torch.lfilter(b, a, x.movedim(axis, 0)).movedim(0, axis),
            [floats(4), floats(3, low=0.5, high=1.5), floats(6, 5)],
        )  # fmt: skip
        yield Case(
            "ema", f"axis-{axis}", lambda x, alpha, axis=axis: ag.ema(x, alpha, axis=axis),
            lambda x, alpha, axis=axis: in_torch.ema(x.movedim(axis, 0), alpha).movedim(0, axis),
            [floats(6, 5), floats(low=0.1, high=0.9)],
        )  # fmt: skip
    n, d, t, s = 2, 3, 5, 4
    yield Case(
        "selective_scan", "batch", ag.selective_scan, in_torch.selective_scan,
        [floats(n, d, t), floats(n, d, t, low=0.1), floats(d, s, low=-1, high=0), floats(n, s, t), floats(n, s, t),
         floats(d)],
    )  # fmt: skip
    numbers = [np.array(each) for each in (0.9, 0.3, 1.1, 0.5, 0.1, 0.8)]
    yield Case("kalman_filter", "numbers", ag.kalman_filter, in_torch.kalman_filter, [floats(5, 2), *numbers])
    k, m = 3, 2
    spread = np.eye(k) + 0.1
    yield Case(
        "kalman_filter", "matrices", ag.kalman_filter, in_torch.kalman_filter_of_matrices,
        [floats(4, 2, m), _mild(k, k), 0.2 * spread, floats(m, k), np.array([0.3, 0.6]), floats(k), spread],
    )  # fmt: skip


def factors() -> Iterator[Case]:
    """Factorisations, and what is solved with them."""
    for tag, shape in {"batch": (2, 5, 5), "one": (1, 1), "odd": (7, 7)}.items():
        square = floats(*shape)
        spread = square @ square.swapaxes(-1, -2) + np.eye(shape[-1])
        right = floats(*shape[:-1], 3)
        lower = square / 3 + 2 * np.eye(shape[-1])
        yield Case("cholesky", tag, ag.cholesky, torch.linalg.cholesky, [spread])
        yield Case("solve", tag, ag.solve, torch.linalg.solve, [square + 2 * np.eye(shape[-1])[::-1], right])
        yield Case("inv", tag, ag.inv, torch.linalg.inv, [lower])
        yield Case("det", tag, ag.det, torch.linalg.det, [square])
        yield Case("slogdet", tag, ag.slogdet, torch.linalg.slogdet, [square])
        yield Case("lu", tag, ag.lu, in_torch.lu, [square])
        for upper in (False, True):
            for unit in (False, True):
                yield Case(
                    "solve_triangular", f"{tag}{'-upper' * upper}{'-unit' * unit}",
                    lambda a, b, upper=upper, unit=unit: ag.solve_triangular(a, b, upper=upper, unit=unit),
                    lambda a, b, upper=upper, unit=unit: torch.linalg.solve_triangular(
                        a, b, upper=upper, unitriangular=unit
                    ),
                    [lower, right],
                )  # fmt: skip
    yield Case("solve", "vector", ag.solve, torch.linalg.solve, [floats(4, 4) + 3 * np.eye(4), floats(4)])
    yield Case(
        "solve_tridiagonal", "batch", ag.solve_tridiagonal, in_torch.solve_tridiagonal,
        [floats(3, 6), floats(3, 6) + 5, floats(3, 6), floats(3, 6)],
    )  # fmt: skip
