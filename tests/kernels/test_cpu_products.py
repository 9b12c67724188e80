"""Matrix products on CPUs as loop nests, checked and run on NumPy: layouts, tails, chunks, parts, conditions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from interpreted import assert_gradients_right, assert_right

from netcl import kernels
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.target import named
from netcl.kernels.compiler.targets.cpu.products.tiling import SIZES, Tile

SMALL = named("small-cpu")
RNG = np.random.default_rng(43)


def drawn(*shape: int) -> np.ndarray[Any, Any]:
    return RNG.standard_normal(shape)


def assert_product(op: Any, *arrays: np.ndarray[Any, Any], vector_bytes: int = 64, **attributes: Any) -> list[str]:
    found = assert_right(op, arrays, replace(SMALL, vector_bytes=vector_bytes), **attributes)
    assert "contraction" in found
    return found


@pytest.mark.parametrize("vector_bytes", [16, 32, 64])
@pytest.mark.parametrize("rows", [2, 7, 9])
@pytest.mark.parametrize("columns", [2, 7, 17, 33])
@pytest.mark.sample(12)
def test_products_of_every_width_of_a_tile_are_legal_and_right(rows: int, columns: int, vector_bytes: int) -> None:
    assert_product("matmul", drawn(rows, 5), drawn(5, columns), vector_bytes=vector_bytes)


@pytest.mark.parametrize("vector_bytes", [16, 32, 64])
@pytest.mark.parametrize("left", ["along", "across", "apart"])
@pytest.mark.parametrize("right", ["along", "across", "apart"])
@pytest.mark.sample(9)
def test_products_of_every_layout_are_legal_and_right(left: str, right: str, vector_bytes: int) -> None:
    """The steps of a factor are neighbours, its lines are, or neither."""
    a = {"along": drawn(9, 11), "across": drawn(11, 9).T, "apart": drawn(18, 22)[::2, ::2]}[left]
    b = {"along": drawn(20, 11).T, "across": drawn(11, 20), "apart": drawn(22, 40)[::2, ::2]}[right]
    assert_product("matmul", a, b, vector_bytes=vector_bytes)


@pytest.mark.parametrize("vector_bytes", [16, 32, 64])
def test_a_sum_of_more_than_a_chunk_is_legal_and_right(vector_bytes: int) -> None:
    assert_product("matmul", drawn(2, 260), drawn(260, 3), vector_bytes=vector_bytes)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("vector_bytes", [16, 32, 64, 128])
def test_the_sums_that_are_computed_at_once_leave_registers_for_what_is_multiplied(
    vector_bytes: int, dtype: str
) -> None:
    target = replace(SMALL, vector_bytes=vector_bytes)
    rows, columns, at_once = Tile.of(target, dtype)
    vectors = at_once * SIZES[dtype] // vector_bytes
    assert columns % LANES == 0
    assert columns % at_once == 0
    assert rows * vectors + vectors + 1 <= target.vector_registers


def test_batches_are_legal_and_right() -> None:
    assert_product("matmul", drawn(3, 4, 5), drawn(3, 5, 6))


def test_a_sum_in_parts_is_legal_and_right() -> None:
    *first, last = assert_product("matmul", drawn(4, 600), drawn(600, 4))
    assert "contraction" in first
    assert last != "contraction"


@pytest.mark.parametrize(
    "attributes", [{"padding": 1}, {"stride": 2}, {"dilation": 2, "padding": 1}, {"groups": 2}], ids=str
)
@pytest.mark.sample(2)
def test_convolutions_are_legal_and_right(attributes: dict[str, int]) -> None:
    filters = drawn(4, 4 // attributes.get("groups", 1), 2, 2)
    assert_product("conv2d", drawn(2, 4, 5, 6), filters, **attributes)


def test_gradients_of_a_convolution_are_legal_and_right() -> None:
    found = assert_gradients_right("conv2d", [drawn(2, 3, 5, 6), drawn(4, 3, 2, 2)], SMALL, padding=1)
    assert all("contraction" in each for each in found)


@pytest.mark.parametrize("spoiled", [None, np.inf, np.nan])
def test_what_a_condition_leaves_out_of_a_sum_stays_out(spoiled: float | None) -> None:
    op = kernels.compile("op f(a[i, k]: float, b[k, j]: float) -> y[i, j] { y = sum[k](k <= i ? a * b : 0) + j; }").f
    a, b = drawn(9, 9), drawn(9, 20)
    if spoiled is not None:
        b[7, 3] = spoiled
    assert_product(op, a, b)


def test_factors_that_are_computed_are_legal_and_right() -> None:
    op = kernels.compile(
        "op f(a[i, k]: float, b[k, j]: float, c[j]: float) -> y[i, j] { y = exp(sum[k](sin(a) * (b + 1))) * c; }"
    ).f
    assert_product(op, 0.1 * drawn(9, 6), 0.1 * drawn(6, 19), drawn(19))
