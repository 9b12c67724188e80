"""Programs whose op the user writes: each a formula for which other frameworks have a composition, or an op of its own.

Their gradients are where a general schedule could be quadratic: positions that are sums of indices, edges between
vertices, samples at places that were computed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from netcl import autograd as ag
from netcl import core, kernels

from .programs import Step, array, gradients, variable

OPS = kernels.compile(
    """
    op spectrum(x[n]: float, w[u]: float; hop: int) -> p[t, f]
        where t = (size[n] - size[u]) // hop + 1, f = size[u] // 2 + 1
    {
        angle = 2 * pi * u * f / size[u];
        p = sum[u](w[u] * x[t * hop + u] * cos(angle)) ^ 2 + sum[u](w[u] * x[t * hop + u] * sin(angle)) ^ 2;
    }

    op mean_of_messages(x[v, k]: float, source[e]: int, target[e]: int) -> y[v, k] {
        y = sum[e](target[e] == v ? x[source[e], k] : 0) / max(sum[e](target[e] == v ? 1 : 0), 1);
    }

    op deformed(x[n, c, i, j]: float, to_i[n, r, a, b]: float, to_j[n, r, a, b]: float, w[o, c, r]: float)
        -> y[n, o, a, b]
    {
        top = floor(to_i);
        left = floor(to_j);
        above[n, c, r, a, b] =
            (x[n, c, int(top), int(left)] else 0) * (1 - (to_j - left))
            + (x[n, c, int(top), int(left) + 1] else 0) * (to_j - left);
        below[n, c, r, a, b] =
            (x[n, c, int(top) + 1, int(left)] else 0) * (1 - (to_j - left))
            + (x[n, c, int(top) + 1, int(left) + 1] else 0) * (to_j - left);
        y = sum[c, r](w[o, c, r] * (above * (1 - (to_i - top)) + below * (to_i - top)));
    }
    """,
    "own formulas",
)

VERTICES, EDGES, FEATURES = 10_000, 80_000, 32
IMAGES, CHANNELS, SIZE, FILTERS = 4, 16, 32, 16


def spectrum_16384x512() -> Step:
    x, window = variable(16_384), core.from_host(np.hanning(512).astype(np.float32))
    return gradients(lambda: OPS.spectrum(x, window, hop=128).sum(), x)


def messages_80000x32() -> Step:
    x = variable(VERTICES, FEATURES)
    source, target = (core.from_host(each) for each in edges())
    return gradients(lambda: (OPS.mean_of_messages(x, source, target) ** 2).sum(), x)


def edges() -> tuple[np.ndarray, np.ndarray]:
    """The vertices that each edge is from and to."""
    rng = np.random.default_rng(0)
    return rng.integers(0, VERTICES, EDGES), rng.integers(0, VERTICES, EDGES)


def deformed_4x16x32x32() -> Step:
    x, w = variable(IMAGES, CHANNELS, SIZE, SIZE), variable(FILTERS, CHANNELS, 9, seed=1)
    to_i, to_j = (ag.tensor(each, requires_grad=True) for each in places())
    return gradients(lambda: OPS.deformed(x, to_i, to_j, w).sum(), x, w, to_i, to_j)


def places() -> tuple[np.ndarray, np.ndarray]:
    """Where each tap of a filter of 3 by 3 looks, by row and by column: about one place beside the usual one."""
    shape = (IMAGES, 9, SIZE, SIZE)
    taps = np.arange(9).reshape(1, 9, 1, 1)
    rows, columns = np.arange(SIZE).reshape(1, 1, SIZE, 1), np.arange(SIZE).reshape(1, 1, 1, SIZE)
    moved = (array(*shape, seed=2), array(*shape, seed=3))
    return tuple(  # type: ignore[return-value]
        (middle + tap - 1 + each).astype(np.float32)
        for middle, tap, each in zip((rows, columns), (taps // 3, taps % 3), moved, strict=True)
    )


OWN: dict[str, Callable[[], Step]] = {
    "spectrum_16384x512": spectrum_16384x512,
    "messages_80000x32": messages_80000x32,
    "deformed_4x16x32x32": deformed_4x16x32x32,
}
