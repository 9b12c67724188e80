"""isclose, allclose, equal, beside numpy's."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from netcl import core, kernels

HARD = [0.0, -0.0, 1.0, 1.00001, 1.00002, 1e-9, 1e-8, 2e-8, np.inf, -np.inf, np.nan, 1e300, -1.0]


@pytest.mark.parametrize("options", [{}, {"equal_nan": True}, {"rtol": 0.1, "atol": 0.5}])
def test_close_is_what_numpy_says(options: dict[str, float]) -> None:
    a, b = map(np.array, zip(*itertools.product(HARD, HARD), strict=True))
    with np.errstate(all="ignore"):
        due = np.isclose(a, b, **options)
    found = kernels.ops.isclose(core.from_host(a), core.from_host(b), **options)
    np.testing.assert_array_equal(found.to_host(), due)
    assert kernels.ops.allclose(core.from_host(a[due]), core.from_host(b[due]), **options)
    assert not kernels.ops.allclose(core.from_host(a), core.from_host(b), **options)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "bool"])
def test_whole_numbers_do_not_wrap_around(dtype: str) -> None:
    a, b = map(np.array, zip(*itertools.product([0, 1, 100, 127], repeat=2), strict=True))
    a, b = a.astype(dtype), b.astype(dtype)
    found = kernels.ops.isclose(core.from_host(a), core.from_host(b), rtol=0.3)
    np.testing.assert_array_equal(found.to_host(), np.isclose(a, b, rtol=0.3))


def test_equal_looks_at_shapes_and_elements() -> None:
    x = core.from_host(np.array([[1.0, 2.0]]))
    assert x.equal(x.clone())
    assert not x.equal(x + 1)
    assert not x.equal(x.reshape(2))
    assert not x.equal(core.from_host(np.array([[1.0, np.nan]])))
    assert core.ones((0, 3)).equal(core.ones((0, 3)))


def test_axes_are_moved_as_numpy_moves_them() -> None:
    x = np.arange(120.0).reshape(2, 3, 4, 5)
    tensor = core.from_host(x)
    for count in range(4):
        for source in itertools.permutations((0, -3, 2, -1), count):
            places = (1, 3, 0)[:count]
            np.testing.assert_array_equal(tensor.moveaxis(source, places).to_host(), np.moveaxis(x, source, places))
    for wrong in (((0, 0), (1, 2)), ((0, 1), (1, 1)), ((0,), (1, 2)), (4, 0)):
        with pytest.raises(core.ShapeError):
            tensor.moveaxis(*wrong)
