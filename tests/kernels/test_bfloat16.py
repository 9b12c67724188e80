"""bfloat16: stored on the device, float32 on the host and in every computation, rounded once when it is written."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from netcl import core
from netcl.core import dtypes
from netcl.kernels import catalogue as op
from netcl.kernels import compile as compiled
from netcl.kernels import ops

RNG = np.random.default_rng(3)


def nearest(values: Any) -> np.ndarray[Any, Any]:
    """The nearest bfloat16 as float32, by taking the closer of the two neighbours."""
    x = np.asarray(values, np.float32)
    bits = x.view(np.uint32)
    below = (bits & np.uint32(0xFFFF0000)).view(np.float32)
    with np.errstate(all="ignore"):
        above = ((bits & np.uint32(0xFFFF0000)) + np.uint32(0x10000)).view(np.float32)
        middle = (below.astype(np.float64) + above) / 2
    even = (below.view(np.uint32) >> np.uint32(16)) % 2 == 0
    up = (np.abs(x) > np.abs(middle)) | ((x == middle) & ~even)
    return np.where(np.isfinite(x), np.where(up, above, below), x).astype(np.float32)


def halves(*shape: int) -> core.Tensor:
    return core.from_host(RNG.normal(size=shape), dtype="bfloat16")


HARD = np.array(
    [
        0.0,
        -0.0,
        1.0,
        1.00390625,
        1.01171875,
        -1.00390625,
        3.1415927,
        65504,
        1e38,
        1e-38,
        1e-45,
        np.inf,
        -np.inf,
        np.nan,
    ],
    np.float32,
)


def test_values_are_rounded_to_the_nearest_on_the_host_and_on_the_device() -> None:
    values = np.concatenate([HARD, RNG.normal(size=50).astype(np.float32)])
    stored = core.from_host(values, dtype=core.bfloat16)
    assert stored.dtype is core.bfloat16
    assert stored.nbytes == 2 * values.size
    np.testing.assert_array_equal(stored.to_host(), nearest(values))
    cast = op["astype"](core.from_host(values), dtype="bfloat16")
    assert cast.dtype is core.bfloat16
    np.testing.assert_array_equal(cast.to_host(), nearest(values))
    np.testing.assert_array_equal(op["astype"](cast, dtype="float32").to_host(), nearest(values))
    np.testing.assert_array_equal(np.signbit(cast.to_host()[:2]), [False, True])


def test_tensors_of_bfloat16_are_made_shown_written_and_pickled() -> None:
    assert core.ones((3,), "bfloat16").tolist() == [1, 1, 1]
    assert core.full((), 0.1, core.bfloat16).item() == nearest(0.1)
    assert core.full((40000,), 0.1, core.bfloat16).to_host()[-1] == nearest(0.1)
    assert core.arange(4, dtype=core.bfloat16).tolist() == [0, 1, 2, 3]
    x = halves(2, 3)
    assert core.zeros_like(x).dtype is core.bfloat16
    assert "dtype=bfloat16" in repr(x)
    back = pickle.loads(pickle.dumps(x))
    assert back.dtype is core.bfloat16
    np.testing.assert_array_equal(back.to_host(), x.to_host())
    x.copy_from_host(np.full((2, 3), 0.1, np.float32))
    assert x.tolist() == [[nearest(0.1)] * 3] * 2
    assert np.asarray(x).dtype == np.float32
    assert core.tensor_stats(x).maximum == pytest.approx(0.1, rel=1e-2)
    assert not core.has_nan(x)
    with pytest.raises(RuntimeError, match="Unsupported dtype"):  # numpy has no such dtype
        np.from_dlpack(x)


def test_dtypes_combine_without_losing_a_value() -> None:
    assert dtypes.promote(core.bfloat16, core.float16) is core.float32
    assert dtypes.promote(core.bfloat16, core.float32) is core.float32
    assert dtypes.promote(core.bfloat16, core.int64, 2.5) is core.bfloat16
    found = {}
    for other in ("bfloat16", "float16", "float32", "int32"):
        found[other] = dtypes.name_of(op["add"](core.ones((2,), "bfloat16"), core.ones((2,), other)).dtype)
    assert found == {"bfloat16": "bfloat16", "float16": "float32", "float32": "float32", "int32": "bfloat16"}
    assert dtypes.name_of((op["mul"](core.ones((2,), "bfloat16"), 2.5)).dtype) == "bfloat16"


@pytest.mark.parametrize("size", [1, 5, 16, 37])
def test_a_formula_computes_in_float32_and_rounds_its_result(size: int) -> None:
    f = compiled("op f(x: float, w: float) -> y { y = (x * w - x) * 256 + exp(x); }").f
    x, w = halves(size), halves(size)
    a, b = x.to_host(), w.to_host()
    expected = nearest((a * b - a) * np.float32(256) + np.exp(a))
    np.testing.assert_allclose(f(x, w).to_host(), expected, rtol=2**-8)
    assert np.mean(f(x, w).to_host() == expected) > 0.9


def test_sums_products_scans_and_rows_are_those_of_float32() -> None:
    x, w, table = halves(70, 40), halves(40, 50), halves(9, 40)
    index = core.from_host(RNG.integers(0, 9, 300))
    a, b = x.to_host(), w.to_host()
    for found, expected in (
        (op["sum"](x, axis=0), a.sum(0)),
        (op["sum"](x, axis=1), a.sum(1)),
        (op["amax"](x), a.max()),
        (op["matmul"](x, w), a @ b),
        (op["cumsum"](x, axis=0), np.cumsum(a, 0)),
        (op["softmax"](x), np.exp(a) / np.exp(a).sum(1, keepdims=True)),
        (op["embedding"](table, index), table.to_host()[index.to_host()]),
        (op["permute"](x, (1, 0)), a.T),
        (op["cat"]([x, x]), np.concatenate([a, a])),
    ):
        assert found.dtype is core.bfloat16
        np.testing.assert_allclose(found.to_host(), expected, rtol=2**-7, atol=2**-6)


def test_a_long_sum_is_not_stopped_by_the_few_bits_that_are_stored() -> None:
    assert op["sum"](core.ones((5000,), "bfloat16")).item() == nearest(5000)


def test_positions_that_are_not_neighbours_are_read_and_written() -> None:
    x = halves(20, 34)
    flipped = op["permute"](x, (1, 0))
    np.testing.assert_array_equal(op["clone"](flipped).to_host(), x.to_host().T)
    doubled = op["mul"](flipped, 2)
    np.testing.assert_array_equal(doubled.to_host(), 2 * x.to_host().T)


def test_the_ends_of_the_dtype_and_nan_are_known_to_recipes() -> None:
    x = core.from_host(np.array([np.inf, np.nan, -np.inf, 1]), dtype="bfloat16")
    found = ops.nan_to_num(x)
    assert found.dtype is core.bfloat16
    assert found.tolist() == [dtypes.largest(core.bfloat16), 0, -dtypes.largest(core.bfloat16), 1]
    assert np.isnan(ops.median(x).item())
