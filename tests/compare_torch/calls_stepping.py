"""Recurrences and factorisations, in both spellings. What PyTorch does not have takes its steps one by one there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
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
    yield Case("soft_dtw", "batch", lambda d: ag.soft_dtw(d, gamma=0.5), lambda d: _soft_dtw(d, 0.5), [floats(2, 4, 5)])
    yield Case("soft_dtw", "one", ag.soft_dtw, lambda d: _soft_dtw(d[None], 1.0)[0], [floats(1, 1)])
    yield Case("hmm_forward", "batch", ag.hmm_forward, _forward, [floats(3), floats(3, 3), floats(5, 2, 3)])
    yield Case("hmm_forward", "row", ag.hmm_forward, _forward, [floats(4), floats(4, 4), floats(6, 4)])
    yield Case(
        "viterbi", "batch", ag.viterbi, _best_path, [floats(3), floats(3, 3), floats(4, 2, 3)], orders=1
    )  # fmt: skip
    for axis in (0, 1):
        yield Case(
            "lfilter", f"axis-{axis}", lambda b, a, x, axis=axis: ag.lfilter(b, a, x, axis=axis),
            lambda b, a, x, axis=axis: _filtered(b, a, x.movedim(axis, 0)).movedim(0, axis),
            [floats(4), floats(3, low=0.5, high=1.5), floats(6, 5)],
        )  # fmt: skip
        yield Case(
            "ema", f"axis-{axis}", lambda x, alpha, axis=axis: ag.ema(x, alpha, axis=axis),
            lambda x, alpha, axis=axis: _averaged(x.movedim(axis, 0), alpha).movedim(0, axis),
            [floats(6, 5), floats(low=0.1, high=0.9)],
        )  # fmt: skip
    n, d, t, s = 2, 3, 5, 4
    yield Case(
        "selective_scan", "batch", ag.selective_scan, _selected,
        [floats(n, d, t), floats(n, d, t, low=0.1), floats(d, s, low=-1, high=0), floats(n, s, t), floats(n, s, t),
         floats(d)],
    )  # fmt: skip
    numbers = [np.array(each) for each in (0.9, 0.3, 1.1, 0.5, 0.1, 0.8)]
    yield Case("kalman_filter", "numbers", ag.kalman_filter, _kalman, [floats(5, 2), *numbers])
    k, m = 3, 2
    spread = np.eye(k) + 0.1
    yield Case(
        "kalman_filter", "matrices", ag.kalman_filter, _kalman_of_matrices,
        [floats(4, 2, m), _mild(k, k), 0.2 * spread, floats(m, k), np.array([0.3, 0.6]), floats(k), spread],
    )  # fmt: skip


def lengths() -> Iterator[Case]:
    """Two steps, and so many that there are several blocks of them, with a last one that is not whole."""
    for t in (2, 257):
        tag = f"steps-{t}"
        for name, gates in (("rnn", 1), ("gru", 3), ("lstm", 4)):
            weights = [_mild(gates * 5, 2), _mild(gates * 5, 5), _mild(gates * 5), _mild(gates * 5)]
            states = [_mild(3, 5)] * (2 if name == "lstm" else 1)
            yield Case(name, tag, getattr(ag, name), _layer(name), [floats(t, 3, 2), *weights, *states])
        yield Case("lfilter", tag, ag.lfilter, _filtered, [floats(2), np.array([1.0, -0.6, 0.2]), floats(t)])
        yield Case("ema", tag, lambda x, alpha: ag.ema(x, alpha, axis=0), _averaged, [floats(t, 3), np.array(0.3)])
        yield Case("hmm_forward", tag, ag.hmm_forward, _forward, [floats(3), floats(3, 3), floats(t, 2, 3)])
        numbers = [np.array(each) for each in (0.9, 0.3, 1.1, 0.5, 0.1, 0.8)]
        yield Case("kalman_filter", tag, ag.kalman_filter, _kalman, [floats(t, 2), *numbers])
        yield Case(
            "selective_scan", tag, ag.selective_scan, _selected,
            [floats(1, 2, t), floats(1, 2, t, low=0.1), floats(2, 3, low=-1, high=0), floats(1, 3, t), floats(1, 3, t),
             floats(2)],
        )  # fmt: skip
        many = min(t, 17)
        targets = np.arange(2 * many).reshape(2, many) % 7 + 1
        steps, labels = np.array([t, t - 1]), np.array([many - 1, many // 2])
        yield Case(
            "ctc_loss", tag,
            lambda x, of=(targets, steps, labels): ag.ctc_loss(ag.log_softmax(x, axis=-1), *map(core.from_host, of)),
            lambda x, of=(targets, steps, labels): F.ctc_loss(torch.log_softmax(x, -1), *map(torch.from_numpy, of)),
            [floats(t, 2, 9)], orders=1,
        )  # fmt: skip
    for i, j in ((2, 3), (17, 5), (33, 48)):
        yield Case("soft_dtw", f"{i}x{j}", ag.soft_dtw, lambda d: _soft_dtw(d, 1.0), [floats(1, i, j)])


def _soft_dtw(d: Any, gamma: float) -> Any:
    found = []
    for costs in d:
        rows, columns = costs.shape
        infinite = torch.tensor(np.inf, dtype=d.dtype)
        r = [[infinite] * (columns + 1) for _ in range(rows + 1)]
        r[0][0] = torch.zeros((), dtype=d.dtype)
        for i in range(rows):
            for j in range(columns):
                ways = [w for w in (r[i][j], r[i][j + 1], r[i + 1][j]) if torch.isfinite(w)]
                r[i + 1][j + 1] = costs[i, j] - gamma * torch.logsumexp(-torch.stack(ways) / gamma, 0)
        found.append(r[-1][-1])
    return torch.stack(found)


def _forward(start: Any, transition: Any, emission: Any) -> tuple[Any, Any]:
    found = [start + emission[0]]
    for each in emission[1:]:
        found.append(each + torch.logsumexp(found[-1][..., None] + transition, -2))
    return torch.logsumexp(found[-1], -1), torch.stack(found)


def _best_path(start: Any, transition: Any, emission: Any) -> tuple[Any, Any]:
    """All paths, one by one."""
    steps, rows, states = emission.shape
    paths = torch.cartesian_prod(*[torch.arange(states)] * steps)
    values = start[paths[:, 0]] + sum(transition[paths[:, t], paths[:, t + 1]] for t in range(steps - 1))
    best = []
    for row in range(rows):
        whole = values + sum(emission[t, row, paths[:, t]] for t in range(steps))
        best.append((paths[whole.argmax()], whole.max()))
    return torch.stack([each[0] for each in best], 1), torch.stack([each[1] for each in best])


def _filtered(b: Any, a: Any, x: Any) -> Any:
    found: list[Any] = []
    for t in range(len(x)):
        value = sum((b[m] * x[t - m] for m in range(len(b)) if m <= t), 0 * x[0])
        value = value - sum((a[k] * found[t - k] for k in range(1, len(a)) if k <= t), 0 * x[0])
        found.append(value / a[0])
    return torch.stack(found)


def _averaged(x: Any, alpha: Any) -> Any:
    found = [x[0]]
    for each in x[1:]:
        found.append(alpha * each + (1 - alpha) * found[-1])
    return torch.stack(found)


def _selected(u: Any, delta: Any, a: Any, b: Any, c: Any, skip: Any) -> Any:
    state, found = 0 * u[:, :, 0, None] * a, []
    for t in range(u.shape[-1]):
        kept = torch.exp(delta[:, :, t, None] * a)
        state = kept * state + delta[:, :, t, None] * b[:, None, :, t] * u[:, :, t, None]
        found.append((c[:, None, :, t] * state).sum(-1) + skip * u[:, :, t])
    return torch.stack(found, -1)


def _kalman(x: Any, a: Any, q: Any, h: Any, r: Any, mean: Any, variance: Any) -> tuple[Any, Any, Any]:
    means, variances, likelihood = [], [], 0 * x[0]
    mean = mean + 0 * x[0]
    for t, each in enumerate(x):
        if t:
            mean, variance = a * mean, a * a * variance + q
        spread = h * h * variance + r
        apart, gain = each - h * mean, variance * h / spread
        mean, variance = mean + gain * apart, (1 - gain * h) * variance
        likelihood = likelihood - 0.5 * (torch.log(2 * torch.pi * spread) + apart**2 / spread)
        means.append(mean)
        variances.append(variance)
    return torch.stack(means), torch.stack(variances), likelihood


def _kalman_of_matrices(
    x: Any, a: Any, q: Any, h: Any, r: Any, mean: Any, variance: Any
) -> tuple[Any, Any, Any]:  # fmt: skip
    """With the inverse of what all that is seen at a time spreads."""
    q, variance = (q + q.T) / 2, (variance + variance.T) / 2
    means, variances, likelihood = [], [], 0 * x[0, :, 0]
    mean = mean + 0 * x[0, :, :1]
    for t, each in enumerate(x):
        if t:
            mean, variance = mean @ a.T, a @ variance @ a.T + q
        spread = h @ variance @ h.T + torch.diag(r)
        inverse, apart = torch.linalg.inv(spread), each - mean @ h.T
        gain = variance @ h.T @ inverse
        mean, variance = mean + apart @ gain.T, variance - gain @ h @ variance
        far = (apart @ inverse * apart).sum(-1)
        likelihood = likelihood - 0.5 * (len(r) * np.log(2 * np.pi) + torch.logdet(spread) + far)
        means.append(mean)
        variances.append(variance)
    return torch.stack(means), torch.stack(variances), likelihood


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
        yield Case("lu", tag, ag.lu, _lu, [square])
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
        "solve_tridiagonal", "batch", ag.solve_tridiagonal, _tridiagonal,
        [floats(3, 6), floats(3, 6) + 5, floats(3, 6), floats(3, 6)],
    )  # fmt: skip


def _lu(a: Any) -> tuple[Any, Any, Any]:
    permutation, lower, upper = torch.linalg.lu(a)
    return permutation.mT.argmax(-1), lower, upper


def _tridiagonal(lower: Any, diagonal: Any, upper: Any, b: Any) -> Any:
    whole = torch.diag_embed(diagonal) + torch.diag_embed(lower[:, 1:], -1) + torch.diag_embed(upper[:, :-1], 1)
    return torch.linalg.solve(whole, b)
