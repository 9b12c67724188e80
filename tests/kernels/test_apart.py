"""Elements that are no neighbours: one for each lane, of every dtype, by a step, by positions, and under conditions."""

from __future__ import annotations

import numpy as np
import pytest

from netcl import core, kernels
from netcl.kernels.compiler.opencl.helpers import FEW, Helpers
from netcl.kernels.compiler.target import drivers

rng = np.random.default_rng(7)

OPS = kernels.compile("""
op step(x[n, c]: any) -> y[n] { y = x[n, 1]; }
op step_where(x[n, c]: any, m[n]: bool) -> y[n] { y = m ? (x[n + 1, 1] else 0) : 0; }
op beside_where(x[n]: any, m[n]: bool) -> y[n] { y = m ? (x[n + 1] else 0) : 0; }
op at(x[m]: any, i[n]: int) -> y[n] { y = x[i]; }
op at_where(x[m]: any, i[n]: int) -> y[n] { y = x[i] else 0; }
op turned(x[n, c]: any) -> y[c, n] { y = x[n, c]; }
""")
MANY = kernels.compile(
    f"op many(x[n, c]: number) -> y[n] {{ y = {' + '.join(f'{k} * x[n, {k}]' for k in range(FEW + 3))}; }}"
)
DTYPES = ("float16", "bfloat16", "float32", "float64", "uint8", "int32", "int64", "bool")
SIZES = (1, 15, 16, 17, 100, 1000)


def values(dtype: str, *shape: int) -> tuple[core.Tensor, np.ndarray]:
    """A Tensor of small whole numbers, and what it holds."""
    held = rng.integers(0, 2 if dtype == "bool" else 100, shape)
    return core.from_host(held.astype(np.float32)).astype(dtype), held


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.sample(6)
def test_elements_apart_are_those_of_plain_loops(dtype: str, size: int) -> None:
    x, held = values(dtype, size, 3)
    there = rng.random(size) < 0.7
    mask = core.from_host(there)
    after = np.append(held[1:, 1], 0)
    found = {
        "step": (OPS.step(x), held[:, 1]),
        "step_where": (OPS.step_where(x, mask), np.where(there, after, 0)),
        "turned": (OPS.turned(x), held.T),
    }
    row, held = values(dtype, size)
    found["beside_where"] = (OPS.beside_where(row, mask), np.where(there, np.append(held[1:], 0), 0))
    flat, held = values(dtype, 3 * size)
    index = rng.integers(0, 3 * size, size)
    found["at"] = (OPS.at(flat, core.from_host(index)), held[index])
    index = rng.integers(-3 * size, 6 * size, size)
    inside = (index >= 0) & (index < 3 * size)
    expected = np.where(inside, held[np.where(inside, index, 0)], 0)
    found["at_where"] = (OPS.at_where(flat, core.from_host(index)), expected)
    for name, (result, expected) in found.items():
        np.testing.assert_array_equal(result.astype("float64").to_host(), expected, err_msg=name)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
@pytest.mark.parametrize("size", SIZES)
def test_many_operands_apart_are_those_of_plain_loops(dtype: str, size: int) -> None:
    x, held = values(dtype, size, FEW + 3)
    expected = sum(k * held[:, k].astype(np.int64) for k in range(FEW + 3))
    if dtype == "float16":
        expected = np.float16(expected)
    np.testing.assert_array_equal(MANY.many(x).astype("float64").to_host(), expected)


def test_a_function_that_is_called_in_many_places_is_not_inlined() -> None:
    helpers = Helpers(drivers.POCL)
    for count in range(1, FEW + 2):
        helpers.called("f", "void f() {}")
        inlined = "always_inline" in helpers.text()
        assert inlined is (count <= FEW)
        assert helpers.text().count("void f()") == 1
