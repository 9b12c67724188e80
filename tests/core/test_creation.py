"""Tensors from nothing."""

from __future__ import annotations

import numpy as np
import pytest

from netcl import core
from netcl.core.dtypes import OF_NUMPY


@pytest.mark.promise("N36")
@pytest.mark.parametrize("shape", [(), (0, 3), 5, (2, 3), (400, 300)], ids=str)
@pytest.mark.parametrize("dtype", OF_NUMPY, ids=str)
def test_zeros_ones_and_full_hold_what_they_say(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    for tensor, array in [
        (core.zeros(shape, dtype), np.zeros(shape, dtype)),
        (core.ones(shape, dtype), np.ones(shape, dtype)),
        (core.full(shape, 1, dtype), np.full(shape, 1, dtype)),
    ]:
        assert tensor.dtype is dtype
        np.testing.assert_array_equal(tensor.to_host(), array, strict=True)


def test_memory_that_held_nan_is_overwritten_by_zeros() -> None:
    for size in (16, 100_000):
        core.full(size, float("nan"))
        assert not core.zeros(size).to_host().any()


def test_full_takes_the_dtype_of_its_value() -> None:
    assert [core.full(2, value).dtype.name for value in (1.5, 2, True)] == ["float32", "int64", "bool"]
    assert np.signbit(core.full(2, -0.0).to_host()).all()


@pytest.mark.parametrize(("value", "dtype"), [(300, "uint8"), (2**40, "int32"), ("x", "float32"), (1j, "float32")])
def test_a_value_that_the_dtype_cannot_hold_is_refused(value: object, dtype: str) -> None:
    with pytest.raises(core.DtypeError, match=f"cannot be a value of dtype {dtype}"):
        core.full(2, value, dtype)  # type: ignore[arg-type]


@pytest.mark.promise("N35")
def test_like_forms_keep_shape_dtype_and_queue_and_are_contiguous(own_queue: core.Queue) -> None:
    tensor = core.ones((2, 3), core.int32, own_queue).alias((3, 2), (1, 3), 0)
    for twin in (core.zeros_like(tensor), core.ones_like(tensor), core.full_like(tensor, 1), core.empty_like(tensor)):
        assert (twin.shape, twin.dtype, twin.queue) == ((3, 2), core.int32, own_queue)
        assert twin.is_contiguous
    assert core.zeros_like(tensor, core.float32).dtype is core.float32


@pytest.mark.parametrize("arguments", [(5,), (2, 5), (5, 0, -2), (0, 1, 0.25), (3, 3), (2.5,)], ids=str)
def test_arange_counts_like_numpy(arguments: tuple[float, ...]) -> None:
    tensor = core.arange(*arguments)
    np.testing.assert_array_equal(tensor.to_host(), np.arange(*arguments))
    assert tensor.dtype.name == ("float32" if any(type(one) is float for one in arguments) else "int64")


def test_arange_refuses_a_step_of_zero() -> None:
    with pytest.raises(core.NetclError, match="step is 0"):
        core.arange(0, 3, 0)
