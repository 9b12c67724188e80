"""The programs of benchmarks/recurrences.py in PyTorch: its own cells and losses, and what people write where it has
none: a loop over steps, or over diagonals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch.nn import functional

Step = Callable[[], object]

STEPS, SEQUENCES, FEATURES, HIDDEN = 64, 32, 64, 128


def constant(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def cell(kind: type[torch.nn.RNNBase]) -> Step:
    x = constant(STEPS, SEQUENCES, FEATURES).requires_grad_()
    module = kind(FEATURES, HIDDEN)
    return lambda: torch.autograd.grad(module(x)[0].sum(), [x, *module.parameters()])


def ctc_200x32x64() -> Step:
    frames, sequences, labels, length = 200, 32, 64, 30
    logits = constant(frames, sequences, labels).requires_grad_()
    targets = torch.from_numpy(np.random.default_rng(1).integers(1, labels, (sequences, length)))
    frames_of, labels_of = (torch.full((sequences,), each) for each in (frames, length))

    def step() -> object:
        found = functional.ctc_loss(logits.log_softmax(-1), targets, frames_of, labels_of, reduction="sum")
        return torch.autograd.grad(found, [logits])

    return step


def soft_dtw(distances: torch.Tensor) -> torch.Tensor:
    """Diagonal after diagonal: all cells of one are computed together."""
    batch, rows, columns = distances.shape
    far = 1e10
    offsets = (torch.arange(rows)[:, None] + torch.arange(columns)).expand(batch, rows, columns)
    skewed = torch.full((batch, rows, rows + columns - 1), far).scatter(2, offsets, distances)
    before = torch.full((batch, rows + 1), far)
    before[:, 0] = 0
    last = torch.full((batch, rows + 1), far)
    edge = torch.full((batch, 1), far)
    for diagonal in skewed.unbind(2):
        least = -torch.logsumexp(-torch.stack([before[:, :-1], last[:, :-1], last[:, 1:]]), 0)
        before, last = last, torch.cat([edge, (diagonal + least).clamp(max=far)], 1)
    return last[:, -1]


def soft_dtw_8x512x512() -> Step:
    distances = constant(8, 512, 512).abs().requires_grad_()
    return lambda: torch.autograd.grad(soft_dtw(distances).sum(), [distances])


def selective_scan_4x256x2048x16() -> Step:
    batch, channels, steps, states = 4, 256, 2048, 16
    u = constant(batch, channels, steps).requires_grad_()
    delta = (0.1 * constant(batch, channels, steps, seed=1).abs()).requires_grad_()
    a = (-constant(channels, states, seed=2).abs()).requires_grad_()
    b, c = (constant(batch, states, steps, seed=seed).requires_grad_() for seed in (3, 4))

    def scan() -> torch.Tensor:
        factors = torch.exp(torch.einsum("bdt,ds->bdst", delta, a))
        terms = torch.einsum("bdt,bst,bdt->bdst", delta, b, u)
        h = torch.zeros(batch, channels, states)
        outputs = []
        for factor, term, weight in zip(factors.unbind(3), terms.unbind(3), c.unbind(2), strict=True):
            h = factor * h + term
            outputs.append(torch.einsum("bds,bs->bd", h, weight))
        return torch.stack(outputs, 2)

    return lambda: torch.autograd.grad(scan().sum(), [u, delta, a, b, c])


def positive(size: int) -> torch.Tensor:
    x = constant(size, size)
    return x @ x.T + size * torch.eye(size)


def cholesky_512() -> Step:
    a = positive(512)
    return lambda: torch.linalg.cholesky(a)


def solve_triangular_512x512() -> Step:
    a, b = torch.linalg.cholesky(positive(512)), constant(512, 512, seed=1)
    return lambda: torch.linalg.solve_triangular(a, b, upper=False)


RECURRENCES: dict[str, Callable[[], Step]] = {
    "gru_64x32": lambda: cell(torch.nn.GRU),
    "lstm_64x32": lambda: cell(torch.nn.LSTM),
    "ctc_200x32x64": ctc_200x32x64,
    "soft_dtw_8x512x512": soft_dtw_8x512x512,
    "selective_scan_4x256x2048x16": selective_scan_4x256x2048x16,
    "cholesky_512": cholesky_512,
    "solve_triangular_512x512": solve_triangular_512x512,
}
