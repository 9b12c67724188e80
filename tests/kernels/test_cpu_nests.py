"""The loop nests of schedules for CPUs: legal for every share of the units, and right; run on NumPy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from evaluated import compiled, value
from interpreted import assert_right, ran_op

from netcl.kernels.compiler.target import CPU

RNG = np.random.default_rng(7)
KINDS = ["sum", "prod", "max", "min", "argmax", "argmin"]
TARGET = replace(
    CPU,
    cuts=replace(CPU.cuts, map=48, transposed=32, columns=32, tall_columns=32, rows=32),
    groups=replace(CPU.groups, run=4),
    blocks=replace(CPU.blocks, enough_units=3, much_work=64, block_work=16, most=4, many_rows=24, least_rows=8, run=3),
)
"""Such thresholds that small sizes come to blocks, runs and tails."""


def awkward(*shape: int) -> np.ndarray[Any, Any]:
    """Numbers with ties among them, zeros of either sign, infinities and NaN."""
    x = np.round(RNG.standard_normal(shape), 1).astype(np.float32)
    for each in (np.nan, np.inf, -np.inf, -0.0):
        x[RNG.random(shape) < 0.02] = each
    return x


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sign", ["<=", ">="])
def test_every_kind_of_scan_is_legal_and_right(kind: str, sign: str) -> None:
    op = compiled(f"op f(x[i, t, j]: number) -> y[i, t, j] {{ y = {kind}[s {sign} t](x[i, s, j]); }}")
    for shape in ((2, 3, 1), (3, 3, 17), (1, 3, 53), (7, 6, 2)):
        x = awkward(*shape)
        found = ran_op(op, x, target=TARGET)
        assert found.schedules == ["scan"]
        np.testing.assert_allclose(found["y"], value(op, x.astype(np.float64)), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
def test_integers_are_scanned_as_integers(dtype: str) -> None:
    x = RNG.integers(0, 100, (3, 3, 20)).astype(dtype)
    for kind in ("sum", "max", "min", "argmax", "argmin"):
        op = compiled(f"op f(x[i, t, j]: number) -> y[i, t, j] {{ y = {kind}[s <= t](x[i, s, j]); }}")
        np.testing.assert_array_equal(ran_op(op, x, target=TARGET)["y"], value(op, x))


@pytest.mark.parametrize("columns", [3, 40])
def test_bodies_may_reduce_and_carry_factors(columns: int) -> None:
    x, w = RNG.random((4, columns)), RNG.random((5, columns))
    op = compiled("op f(x[t, j]: float, w[k, j]: float) -> y[t, j] { y = scan[s <= t](x[s, j], sum[k](w * x[s, j])); }")
    np.testing.assert_allclose(ran_op(op, x, w, target=TARGET)["y"], value(op, x, w), rtol=1e-9)


@pytest.mark.parametrize("columns", [3, 40])
def test_reads_have_conditions_and_steps(columns: int) -> None:
    """Neighbours of neighbours, a border, and rows that are read in steps."""
    x = RNG.random((6, columns, 2))
    op = compiled("op f(x[t, c, k]: float) -> y[t, c] { y = max[s <= t](c > 0 ? x[s, c - 1, 1] : x[s, c, 0]); }")
    np.testing.assert_allclose(ran_op(op, x, target=TARGET)["y"], value(op, x), rtol=1e-9)


CALLS: dict[str, tuple[str, list[tuple[int, ...]], dict[str, Any], str]] = {
    "neighbours": ("add", [(70,), (70,)], {}, "map"),
    "a row beside columns": ("mul", [(7, 37), (37,)], {}, "map"),
    "a column beside rows": ("sub", [(5, 40), (5, 1)], {}, "map"),
    "three axes": ("add", [(3, 4, 50), (3, 1, 50)], {}, "map"),
    "fewer than a vector": ("exp", [(3, 5)], {}, "loops"),
    "a scalar": ("exp", [()], {}, "loops"),
    "nothing": ("exp", [(0,)], {}, ""),
    "a triangle": ("tril", [(20, 37)], {"k": 3}, "map"),
    "around the end": ("roll", [(3, 50)], {"shift": 7, "axis": 1}, "map"),
    "sums down columns": ("sum", [(9, 37)], {"axis": 0}, "columns"),
    "extremes down columns": ("max", [(9, 37)], {"axis": 0}, "columns"),
    "places down columns": ("argmax", [(9, 37)], {"axis": 0}, "columns"),
    "two passes down columns": ("softmax", [(7, 35)], {"axis": 0}, "columns"),
    "short rows": ("sum", [(7, 3)], {"axis": 1}, "loops"),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_legal_and_right(name: str) -> None:
    op, shapes, attributes, schedule = CALLS[name]
    found = assert_right(op, [RNG.standard_normal(shape) for shape in shapes], TARGET, **attributes)
    assert set(found) <= {schedule}


@pytest.mark.parametrize("kind", [*KINDS, "any"])
@pytest.mark.parametrize("shape", [(100, 3), (64, 20), (50, 2, 17)])
def test_reductions_in_blocks_are_legal_and_right(kind: str, shape: tuple[int, ...]) -> None:
    indices = ["k", "i", "j"][: len(shape)]
    body = "x > 1" if kind == "any" else "x"
    kept = ", ".join(indices[1:])
    op = compiled(f"op f(x[{', '.join(indices)}]: float) -> y[{kept}] {{ y = {kind}[k]({body}); }}")
    x = np.round(RNG.standard_normal(shape), 1)
    found = ran_op(op, x, target=TARGET, whole=False)
    assert found.schedules
    if len(found.memory) > 1:
        assert found.schedules[0] in ("runs", "columns", "short_rows", "loops", "map")
    np.testing.assert_allclose(found["y"], value(op, x), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("columns", [5, 70, 200])
def test_bytes_go_in_words(columns: int) -> None:
    a, b = RNG.random((3, columns)) < 0.5, RNG.random((3, columns)) < 0.5
    op = compiled("op f(a[i, j]: bool, b[i, j]: bool) -> (y[i, j], z[j]) { y = a and not b; z = any[i](a); }")
    found = ran_op(op, a, b, target=TARGET)
    np.testing.assert_array_equal(found["y"].astype(bool), a & ~b)
    np.testing.assert_array_equal(found["z"].astype(bool), a.any(axis=0))


@pytest.mark.parametrize("before", [0, 3, 15, 21])
def test_loops_go_from_one_change_of_a_condition_to_the_next(before: int) -> None:
    op = compiled(
        "op f(x[j, i]: float; before: int) -> y[j, k] where k = size[i] + 20 { y = x[j, k - before] else 0; }"
    )
    for length in (1, 16, 50):
        x = RNG.random((3, length))
        found = ran_op(op, x, target=TARGET, before=before)
        expected = np.zeros((3, length + 20))
        expected[:, before : before + length] = x[:, : length + 20 - before]
        np.testing.assert_array_equal(found["y"], expected)
