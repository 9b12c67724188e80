"""Programs with outputs that read their own earlier elements; sizes as people train with them.

Cells of 64 steps for 32 sequences of 64 features, with 128 hidden ones; the loss of sequences of 200 frames with 64
labels; alignments of 512 by 512; a state space of 16 for each of 256 channels over 2,048 steps; matrices of 512.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from netcl import autograd as ag
from netcl import core

from .programs import Step, array, constant, gradients, variable, waiting

STEPS, SEQUENCES, FEATURES, HIDDEN = 64, 32, 64, 128


def cell(op: Callable[..., tuple[ag.Node, ...]], gates: int) -> Step:
    """Value and gradients by the inputs and by all weights."""
    x = variable(STEPS, SEQUENCES, FEATURES)
    shapes = ((gates * HIDDEN, FEATURES), (gates * HIDDEN, HIDDEN), (gates * HIDDEN,), (gates * HIDDEN,))
    weights = [variable(*shape, scale=0.1, seed=seed) for seed, shape in enumerate(shapes, 1)]
    return gradients(lambda: op(x, *weights)[0].sum(), x, *weights)


def ctc_200x32x64() -> Step:
    frames, sequences, labels, length = 200, 32, 64, 30
    logits = variable(frames, sequences, labels)
    targets = core.from_host(np.random.default_rng(1).integers(1, labels, (sequences, length)))
    frames_of, labels_of = (core.from_host(np.full(sequences, each)) for each in (frames, length))

    def loss() -> ag.Node:
        return ag.ctc_loss(ag.log_softmax(logits, -1), targets, frames_of, labels_of, reduction="sum")

    return gradients(loss, logits)


def soft_dtw_8x512x512() -> Step:
    distances = ag.tensor(abs(array(8, 512, 512)), requires_grad=True)
    return gradients(lambda: ag.soft_dtw(distances).sum(), distances)


def selective_scan_4x256x2048x16() -> Step:
    batch, channels, steps, states = 4, 256, 2048, 16
    u = variable(batch, channels, steps)
    delta = ag.tensor(0.1 * abs(array(batch, channels, steps, seed=1)), requires_grad=True)
    a = ag.tensor(-abs(array(channels, states, seed=2)), requires_grad=True)
    b, c = variable(batch, states, steps, seed=3), variable(batch, states, steps, seed=4)
    return gradients(lambda: ag.selective_scan(u, delta, a, b, c).sum(), u, delta, a, b, c)


def cholesky_512() -> Step:
    a = core.from_host(positive(512))
    return waiting(lambda: ag.cholesky(a))


def solve_triangular_512x512() -> Step:
    a, b = core.from_host(np.linalg.cholesky(positive(512))), constant(512, 512, seed=1)
    return waiting(lambda: ag.solve_triangular(a, b))


def positive(size: int) -> np.ndarray:
    """A symmetric matrix with eigenvalues from `size` on."""
    x = array(size, size)
    return x @ x.T + size * np.eye(size, dtype=np.float32)


RECURRENCES: dict[str, Callable[[], Step]] = {
    "gru_64x32": lambda: cell(ag.gru, 3),
    "lstm_64x32": lambda: cell(ag.lstm, 4),
    "ctc_200x32x64": ctc_200x32x64,
    "soft_dtw_8x512x512": soft_dtw_8x512x512,
    "selective_scan_4x256x2048x16": selective_scan_4x256x2048x16,
    "cholesky_512": cholesky_512,
    "solve_triangular_512x512": solve_triangular_512x512,
}
