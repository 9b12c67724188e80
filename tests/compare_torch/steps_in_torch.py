"""What PyTorch does not have as a function, written in its operations: recurrences step by step, and a few matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch


def stacked(found: list[Any], like: Any, dim: int = 0) -> Any:
    """One beside the other; as `like`, which is empty, where there are none."""
    return torch.stack(found, dim) if found else like


def soft_dtw(d: Any, gamma: float) -> Any:
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


def layer(name: str, ends: Any, backward: bool, x: Any, *given: Any) -> tuple[Any, ...]:
    """A layer of a recurrent network, a row at a time: the first `ends` steps of each count."""
    (w_ih, w_hh, b_ih, b_hh), states = given[:4], given[4:]
    found = []
    for row, end in enumerate(ends):
        state, h = [each[row] for each in states], [torch.zeros_like(states[0][row])] * len(x)
        for t in reversed(range(end)) if backward else range(end):
            state = CELLS[name](w_ih @ x[t, row] + b_ih, w_hh @ state[0] + b_hh, *state)
            h[t] = state[0]
        found.append((torch.stack(h) if h else w_hh.new_zeros(0, w_hh.shape[1]), *state))
    return torch.stack([each[0] for each in found], 1), *(
        torch.stack([each[at] for each in found]) for at in range(1, len(found[0]))
    )


def _gru_cell(given: Any, kept: Any, h: Any) -> list[Any]:
    (r, z, n), (kept_r, kept_z, kept_n) = given.chunk(3), kept.chunk(3)
    r, z = torch.sigmoid(r + kept_r), torch.sigmoid(z + kept_z)
    return [(1 - z) * torch.tanh(n + r * kept_n) + z * h]


def _lstm_cell(given: Any, kept: Any, h: Any, c: Any) -> list[Any]:
    i, f, g, o = (given + kept).chunk(4)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return [torch.sigmoid(o) * torch.tanh(c), c]


CELLS = {"rnn": lambda given, kept, h: [torch.tanh(given + kept)], "gru": _gru_cell, "lstm": _lstm_cell}


def ctc_loss(log_probs: Any, targets: Any, steps: Any, labels: Any) -> Any:
    """Of each row, with blank 0: the sum over all that is allowed, a step at a time (Graves, 2006)."""
    found = []
    for row, (end, count) in enumerate(zip(steps, labels, strict=True)):
        text = [0]
        for each in targets[row, :count]:
            text += [int(each), 0]
        ways: list[Any] = [torch.zeros((), dtype=log_probs.dtype)] + [None] * (len(text) - 1)
        for t in range(end):
            reached: list[Any] = []
            for at, label in enumerate(text):
                from_ = [ways[at], ways[at - 1] if at and (t or at == 1) else None]
                from_.append(ways[at - 2] if t and at > 1 and label and label != text[at - 2] else None)
                known = [each for each in from_ if each is not None]
                reached.append(log_probs[t, row, label] + torch.logsumexp(torch.stack(known), 0) if known else None)
            ways = reached
        ends = [each for each in (ways[-1], ways[-2] if end and count else None) if each is not None]
        found.append(-torch.logsumexp(torch.stack(ends), 0) if ends else torch.tensor(np.inf, dtype=log_probs.dtype))
    return torch.stack(found)


def hmm_forward(start: Any, transition: Any, emission: Any, ends: Any = None) -> tuple[Any, Any]:
    """With the logarithm of the likelihood of each row up to its end, and all forward variables."""
    found: list[Any] = []
    for each in emission:
        before = torch.logsumexp(found[-1][..., None] + transition, -2) if found else start
        found.append(each + before)
    if ends is None:
        ends = np.full(emission.shape[1:-1], len(emission))
    forward = torch.stack(found) if found else emission
    rows = [
        torch.logsumexp(forward[(end - 1, *row)], -1) if end else 0 * start.sum() for row, end in np.ndenumerate(ends)
    ]
    return torch.stack(rows).reshape(ends.shape), forward


def viterbi(start: Any, transition: Any, emission: Any, ends: Any) -> tuple[Any, Any]:
    """The path is -1 behind the end of a row."""
    paths, best = [], []
    for row, end in enumerate(ends):
        value, came = 0 * start, []
        for t in range(end):
            ways, before = (value[:, None] + transition).max(0) if t else (start, None)
            value = ways + emission[t, row]
            came.append(before)
        path = [int(value.argmax())] if end else []
        for before in reversed(came[1:]):
            path.append(int(before[path[-1]]))
        paths.append(torch.tensor([*reversed(path), *[-1] * (len(emission) - end)], dtype=torch.int64))
        best.append(value.max() if end else 0 * start.sum())
    return torch.stack(paths, 1), torch.stack(best)


def best_path(start: Any, transition: Any, emission: Any) -> tuple[Any, Any]:
    """All paths, one by one."""
    steps, rows, states = emission.shape
    paths = torch.cartesian_prod(*[torch.arange(states)] * steps)
    values = start[paths[:, 0]] + sum(transition[paths[:, t], paths[:, t + 1]] for t in range(steps - 1))
    best = []
    for row in range(rows):
        whole = values + sum(emission[t, row, paths[:, t]] for t in range(steps))
        best.append((paths[whole.argmax()], whole.max()))
    return torch.stack([each[0] for each in best], 1), torch.stack([each[1] for each in best])


def lfilter(b: Any, a: Any, x: Any) -> Any:
    found: list[Any] = []
    for t in range(len(x)):
        value = sum((b[m] * x[t - m] for m in range(len(b)) if m <= t), 0 * x[0])
        value = value - sum((a[k] * found[t - k] for k in range(1, len(a)) if k <= t), 0 * x[0])
        found.append(value / a[0])
    return stacked(found, x)


def ema(x: Any, alpha: Any) -> Any:
    found: list[Any] = []
    for each in x:
        found.append(alpha * each + (1 - alpha) * found[-1] if found else each)
    return stacked(found, x)


def selective_scan(u: Any, delta: Any, a: Any, b: Any, c: Any, skip: Any) -> Any:
    state, found = 0 * delta.sum() * a, []
    for t in range(u.shape[-1]):
        kept = torch.exp(delta[:, :, t, None] * a)
        state = kept * state + delta[:, :, t, None] * b[:, None, :, t] * u[:, :, t, None]
        found.append((c[:, None, :, t] * state).sum(-1) + skip * u[:, :, t])
    return stacked(found, u, -1)


def kalman_filter(x: Any, a: Any, q: Any, h: Any, r: Any, mean: Any, variance: Any) -> tuple[Any, Any, Any]:
    means, variances, likelihood = [], [], x.new_zeros(x.shape[1:])
    mean = mean + likelihood
    for t, each in enumerate(x):
        if t:
            mean, variance = a * mean, a * a * variance + q
        spread = h * h * variance + r
        apart, gain = each - h * mean, variance * h / spread
        mean, variance = mean + gain * apart, (1 - gain * h) * variance
        likelihood = likelihood - 0.5 * (torch.log(2 * torch.pi * spread) + apart**2 / spread)
        means.append(mean)
        variances.append(variance)
    return stacked(means, x), stacked(variances, x[:, 0]), likelihood


def kalman_filter_of_matrices(
    x: Any, a: Any, q: Any, h: Any, r: Any, mean: Any, variance: Any
) -> tuple[Any, Any, Any]:  # fmt: skip
    """With the inverse of what all that is seen at a time spreads."""
    q, variance = (q + q.T) / 2, (variance + variance.T) / 2
    means, variances, likelihood = [], [], x.new_zeros(x.shape[1])
    mean = mean + likelihood[:, None]
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
    return stacked(means, x @ h), stacked(variances, x[:, 0, :1, None] * variance), likelihood


def lu(a: Any) -> tuple[Any, Any, Any]:
    permutation, lower, upper = torch.linalg.lu(a)
    return (permutation.mT.argmax(-1) if len(a) else torch.zeros(0, dtype=torch.int64)), lower, upper


def solve_tridiagonal(lower: Any, diagonal: Any, upper: Any, b: Any) -> Any:
    whole = torch.diag_embed(diagonal) + torch.diag_embed(lower[:, 1:], -1) + torch.diag_embed(upper[:, :-1], 1)
    return torch.linalg.solve(whole, b)
