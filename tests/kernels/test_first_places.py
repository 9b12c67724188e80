"""Of equal extremes, and of NaNs, an arg-reduction gives the first place, in whatever order the elements are read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from thorough import spread

from netcl import core
from netcl.kernels import ops

Array = np.ndarray[Any, Any]

rng = np.random.default_rng(23)

DTYPES = ("bool", "uint8", "int32", "int64", "float16", "float32", "float64")
SHAPES = ((5, 7), (40, 50), (3, 64), (64, 3), (257, 1000), (100, 3000), (70_000, 2), (17, 33, 65), (4, 5, 6, 7))


def views(a: Array, x: core.Tensor) -> list[tuple[Array, core.Tensor]]:
    """The array and its Tensor, and the same views of both."""
    backwards, turned = tuple(reversed(range(a.ndim))), (1, 0, *range(2, a.ndim))
    found = [(a, x), (a[1:, 1:], x[1:, 1:]), (a[:, ::2], x[:, ::2]), (a[::-1], x[::-1])]
    return [*found, *((a.transpose(axes), ops.permute(x, axes)) for axes in (backwards, turned))]


@pytest.mark.parametrize(("dtype", "shape"), spread(DTYPES, SHAPES), ids=str)
@pytest.mark.sample(2)
def test_the_first_of_many_equals_is_given(dtype: str, shape: tuple[int, ...]) -> None:
    several = rng.integers(0, 3, shape).astype(dtype)
    with_nans = several.copy()
    if with_nans.dtype.kind == "f":
        with_nans.reshape(-1)[rng.integers(0, several.size, 4)] = np.nan
    rare = np.zeros(shape, dtype)
    rare.reshape(-1)[rng.integers(0, rare.size, 3)] = 1
    for values in (several, with_nans, rare):
        for a, x in views(values, core.from_host(values)):
            for axis in (None, *range(a.ndim)):
                np.testing.assert_array_equal(ops.argmax(x, axis=axis).to_host(), a.argmax(axis))
                np.testing.assert_array_equal(ops.argmin(x, axis=axis).to_host(), a.argmin(axis))
