"""Parameters stored as bfloat16 have gradients of bfloat16."""

from __future__ import annotations

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core


def test_gradients_of_bfloat16_are_bfloat16_and_right_to_its_precision() -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(8, 5)), rng.normal(size=(5, 3))
    grads = {}
    for dtype in ("float32", "bfloat16"):
        a, b = ag.tensor(x, dtype=dtype, requires_grad=True), ag.tensor(w, dtype=dtype, requires_grad=True)
        ag.tanh(a @ b).sum().backward()
        assert core.dtypes.name_of(a.grad.dtype) == core.dtypes.name_of(b.grad.dtype) == dtype
        grads[dtype] = (a.grad.to_host(), b.grad.to_host())
    for exact, found in zip(grads["float32"], grads["bfloat16"], strict=True):
        np.testing.assert_allclose(found, exact, atol=0.05)


def test_values_kept_on_the_host_come_back_in_their_dtype() -> None:
    x = ag.tensor([0.5, 1.5], dtype="bfloat16", requires_grad=True)
    with ag.save_on_host():
        y = (x * x).sum()
    y.backward()
    assert x.grad.dtype is core.bfloat16
    assert x.grad.tolist() == [1, 3]


def test_anomalies_are_found_in_bfloat16() -> None:
    with ag.detect_anomaly():
        x = ag.tensor([4.0, -1.0], dtype="bfloat16", requires_grad=True)
        with pytest.raises(RuntimeError, match="Anomaly detected: sqrt"):
            ag.sqrt(x).sum().backward()
