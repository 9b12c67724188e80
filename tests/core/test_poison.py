"""Memory that nobody has written holds what no result can be mistaken for, where NETCL_POISON asks for it."""

from __future__ import annotations

import numpy as np
import pytest

from netcl import core


@pytest.fixture
def poisoned(monkeypatch: pytest.MonkeyPatch) -> core.Queue:
    monkeypatch.setenv("NETCL_POISON", "1")
    return core.Queue()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int32", "int64", "uint8", "bool"])
def test_unwritten_memory_is_nan_or_a_number_that_nobody_chooses(poisoned: core.Queue, dtype: str) -> None:
    values = core.empty(1001, dtype=dtype, queue=poisoned).to_host()
    if values.dtype.kind == "f":
        assert np.isnan(values).all()
    elif values.dtype.kind == "i":
        assert (values < -900_000).all()
    else:
        assert (values.view(np.uint8) > 200).all()


def test_memory_that_is_used_again_is_poisoned_again_behind_the_kernels_that_are_queued(
    poisoned: core.Queue, axpy: str
) -> None:
    kernel = poisoned.program(axpy).kernel("axpy", (None, None, np.int64, np.float32))
    total, term = core.zeros(100_000, queue=poisoned), core.ones(100_000, queue=poisoned)
    kernel.launch((100_000,), (1,), (total.buffer.cl, term.buffer.cl, 100_000, 1.0))
    memory = term.buffer.cl
    del term
    again = core.empty(100_000, queue=poisoned)
    assert not poisoned.main.is_idle
    assert again.buffer.cl is memory
    assert np.isnan(again.to_host()).all()
    assert (total.to_host() == 1).all()


def test_nothing_is_filled_where_nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NETCL_POISON", "0")
    queue = core.Queue()
    assert queue.allocate == queue.pool.allocate


def test_tensors_without_elements_are_poisoned_without_harm(poisoned: core.Queue) -> None:
    assert core.empty((0, 3), queue=poisoned).to_host().shape == (0, 3)
