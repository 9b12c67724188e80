"""What of the programs LAPACK has, through NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg

PROGRAMS: dict[str, Callable[[], Callable[[], object]]] = {
    "cholesky_512": lambda: cholesky_512,
    "solve_triangular_512x512": lambda: solve_triangular_512x512,
}

X = np.random.default_rng(0).standard_normal((512, 512)).astype(np.float32)
A = X @ X.T + 512 * np.eye(512, dtype=np.float32)
L = np.linalg.cholesky(A)
B = np.random.default_rng(1).standard_normal((512, 512)).astype(np.float32)


def cholesky_512() -> object:
    return np.linalg.cholesky(A)


def solve_triangular_512x512() -> object:
    return scipy.linalg.solve_triangular(L, B, lower=True)
