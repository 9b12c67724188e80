"""What of data-parallel training needs no MPI: how buckets are filled, and what is said where mpi4py is missing."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.autograd.distributed import data_parallel


def parameter(length: int, dtype: str = "float32") -> ag.Node:
    return ag.tensor(np.ones(length), requires_grad=True, dtype=dtype)


def test_buckets_hold_the_last_parameters_first_one_dtype_each_and_no_more_bytes_than_asked() -> None:
    a, b, c, d, e = parameter(10), parameter(2), parameter(3), parameter(1, "float64"), parameter(1)
    buckets = data_parallel._buckets([a, b, c, d, e], 20)
    assert [bucket.parameters for bucket in buckets] == [[e], [d], [c, b], [a]]


@pytest.mark.promise("F33")
def test_a_bucket_carries_gradients_and_who_has_one() -> None:
    a, b = parameter(2), parameter(3)
    b.grad = ag.tensor([1.0, 2.0, 3.0])
    [bucket] = data_parallel._buckets([a, b], 100)
    bucket.pack()
    assert bucket.mine.tolist() == [1, 2, 3, 0, 0, 1, 0]
    bucket.sum[:] = 3 * bucket.mine
    bucket.unpack(2)
    assert b.grad.tolist() == [1.5, 3, 4.5]
    assert a.grad is None


def test_without_mpi4py_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(core.DeviceError, match=r"pip install netcl-autograd\[mpi\]"):
        ag.DataParallel([parameter(1)])
