"""The loop nests of schedules for CPUs: legal for every share of the units, and right; run on NumPy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from evaluated import compiled, value
from interpreted import assert_right, ran_op
from thorough import spread

from netcl import core
from netcl.kernels.compiler.target import CPU
from netcl.kernels.runtime import launch

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
@pytest.mark.sample(2)
def test_every_kind_of_scan_is_legal_and_right(kind: str, sign: str) -> None:
    op = compiled(f"op f(x[i, t, j]: number) -> y[i, t, j] {{ y = {kind}[s {sign} t](x[i, s, j]); }}")
    for shape in ((2, 3, 1), (3, 3, 17), (1, 3, 53), (7, 6, 2), (17, 5, 1), (33, 35, 1), (16, 16, 1), (18, 5, 3)):
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


COSTLY = {
    "sum": "exp(x[i, s])",
    "prod": "exp(x[i, s] / 9)",
    "max": "tanh(x[i, s]) * x[i, t]",
    "min": "s > 0 ? tanh(x[i, s] - x[i, s - 1]) : 0",
    "argmax": "sin(x[i, s] + s)",
    "argmin": "sin(x[i, s] + s)",
    "any": "exp(x[i, s]) > 7",
    "scan": "tanh(x[i, s]), exp(x[i, s])",
}


@pytest.mark.parametrize("kind", COSTLY)
@pytest.mark.parametrize("sign", ["<=", ">="])
@pytest.mark.sample(2)
def test_costly_bodies_of_a_row_are_computed_in_vectors(kind: str, sign: str) -> None:
    op = compiled(f"op f(x[i, t]: float) -> y[i, t] {{ y = {kind}[s {sign} t]({COSTLY[kind]}); }}")
    for length in (1, 16, 37, 275 if kind == "sum" else 50):
        x = RNG.standard_normal((2, length))
        found = ran_op(op, x, target=TARGET)
        np.testing.assert_allclose(found["y"], value(op, x), rtol=1e-9, atol=1e-9, err_msg=str(length))
        on_device = op(core.from_host(x)).to_host()
        np.testing.assert_allclose(on_device, value(op, x), rtol=1e-9, atol=1e-9, err_msg=str(length))


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
    "rows that are short": ("sum", [(20, 18)], {"axis": 1}, "short_rows"),
    "two passes along rows": ("softmax", [(3, 70)], {"axis": 1}, "rows"),
    "sums of squares": ("var", [(3, 170)], {"axis": 1}, "rows"),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_legal_and_right(name: str) -> None:
    op, shapes, attributes, schedule = CALLS[name]
    found = assert_right(op, [RNG.standard_normal(shape) for shape in shapes], TARGET, **attributes)
    assert schedule in (found or [""])


@pytest.mark.parametrize(("kind", "length"), spread(KINDS, (16, 33, 64, 70, 150, 333), rounds=3))
@pytest.mark.sample(7)
def test_rows_are_legal_and_right(kind: str, length: int) -> None:
    op = compiled(f"op f(x[i, k]: number) -> y[i] {{ y = {kind}[k](x); }}")
    target = replace(TARGET, blocks=CPU.blocks)
    for x in (awkward(5, length), RNG.integers(-9, 9, (5, length)), RNG.integers(0, 9, (5, length)).astype(np.uint8)):
        if kind == "prod" and x.dtype == np.float32:
            x = x.clip(-2, 2)
        found = ran_op(op, x, target=target)
        assert found.schedules == ["rows"] or (length < 32 and not kind.startswith("arg"))
        wide = x.astype(np.float64) if x.dtype == np.float32 else x
        np.testing.assert_allclose(found["y"], value(op, wide), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("over", ["i, k", "k, i"])
@pytest.mark.sample(6)
def test_rows_of_rows_are_one_reduction(kind: str, over: str) -> None:
    """Whichever index stands first, the first place is that in the order of the formula."""
    op = compiled(f"op f(x[i, j, k]: float) -> y[j] {{ y = {kind}[{over}](x); }}")
    for length in (40, 75):
        x = np.round(RNG.standard_normal((4, 3, length)))
        found = ran_op(op, x, target=replace(TARGET, blocks=CPU.blocks))
        assert found.schedules == ["rows"]
        np.testing.assert_allclose(found["y"], value(op, x), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", ["argmax", "argmin"])
@pytest.mark.parametrize("first", [0, 17, 40, 63, 64, 90, 130, 149])
@pytest.mark.sample(8)
def test_the_first_of_equal_places_is_found(kind: str, first: int) -> None:
    op = compiled(f"op f(x[i, k]: float) -> (y[i], z[i]) {{ y = {kind}[k](x); z = {kind}[k](sin(x)); }}")
    x = np.zeros((4, 150))
    x[0, first:] = x[1, first] = 1.5 if kind == "argmax" else -1.5
    x[2, first:] = x[3, first] = np.nan
    found = ran_op(op, x, target=replace(TARGET, blocks=CPU.blocks))
    np.testing.assert_array_equal(found["y"], first)
    np.testing.assert_array_equal(found["z"], first)


@pytest.mark.parametrize("length", [40, 64, 256, 300, 600])
@pytest.mark.sample(4)
def test_bytes_are_reduced_in_words(length: int) -> None:
    """Until the result is known, which may be at the first word, at the last element, or never."""
    op = compiled("op f(x[i, k]: bool) -> (y[i], z[i], w[i]) { y = any[k](x); z = all[k](x); w = max[k](not x); }")
    x = np.zeros((6, length), bool)
    x[1, 0] = x[2, -1] = True
    x[3:] = ~x[:3]
    found = ran_op(op, x, target=TARGET)
    for name, expected in (("y", x.any(axis=1)), ("z", x.all(axis=1)), ("w", (~x).any(axis=1))):
        np.testing.assert_array_equal(found[name].astype(bool), expected)
    both = compiled("op f(x[i, k]: bool) -> y[i, j] where j = 1 { y = any[k](x); }")
    np.testing.assert_array_equal(ran_op(both, x, target=TARGET)["y"][:, 0].astype(bool), x.any(axis=1))


@pytest.mark.parametrize("kind", [*KINDS, "any"])
@pytest.mark.parametrize("shape", [(100, 2), (64, 20), (50, 2, 17), (300,)])
@pytest.mark.sample(8)
def test_reductions_in_blocks_are_legal_and_right(kind: str, shape: tuple[int, ...]) -> None:
    indices = ["k", "i", "j"][: len(shape)]
    body = "x > 1" if kind == "any" else "x"
    kept = ", ".join(indices[1:])
    op = compiled(f"op f(x[{', '.join(indices)}]: float) -> y[{kept}] {{ y = {kind}[k]({body}); }}")
    x = np.round(RNG.standard_normal(shape), 1)
    found = ran_op(op, x, target=TARGET)
    assert len(found.schedules) == 2
    assert found.schedules[0] in ("runs", "columns", "short_rows", "loops", "rows")
    np.testing.assert_allclose(found["y"], value(op, x), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", ["sum", "max", "argmax"])
def test_rows_stay_whole_where_another_index_gives_enough_blocks(kind: str) -> None:
    op = compiled(f"op f(x[i, j, k]: float) -> y[j] {{ y = {kind}[i, k](x); }}")
    x = np.round(RNG.standard_normal((6, 2, 70)), 1)
    found = ran_op(op, x, target=TARGET)
    assert len(found.schedules) == 2
    assert "i#" in found.kernels[0].extents
    np.testing.assert_allclose(found["y"], value(op, x), rtol=1e-9, atol=1e-12)


PAIRS = {
    "columns": "op f(x[i, k]: float, z[j, k]: float, b[j, d]: float) -> y[i, d] {"
    " y = sum[j](exp(-sum[k]((x - z) ^ 2)) * b); }",
    "a sum": "op f(x[i, k]: float, z[j, k]: float, b[j, d]: float) -> y[i] {"
    " y = sum[j](exp(-sum[k]((x - z) ^ 2)) * sum[d](b)); }",
    "places": "op f(x[i, k]: float, z[j, k]: float, b[j, d]: float) -> (y[i, d], w[i, d]) {"
    " y = argmin[j](sum[k]((x - z) ^ 2) + b); w = max[j](sum[k](x * z) * b); }",
    "those before": "op f(x[i, k]: float, z[j, k]: float, b[j, d]: float) -> y[i, d] {"
    " y = sum[j](j < i ? sum[k]((x - z) ^ 2) * b : 0); }",
    "those behind": "op f(x[i, k]: float, z[j, k]: float, b[j, d]: float) -> y[i, d] {"
    " y = sum[j](j >= i ? sum[k]((x - z) ^ 2) * b : 0); }",
}


@pytest.mark.parametrize(("name", "columns"), spread(list(PAIRS), (1, 3, 11), rounds=2))
@pytest.mark.sample(2)
def test_pairs_are_legal_and_right(name: str, columns: int) -> None:
    """A last vector that is not whole, columns that are no multiple, loops that are shorter for some rows."""
    op = compiled(PAIRS[name])
    pairs = replace(CPU.pairs, rows=8, table=64, columns_at_once=2, columns=2)
    for rows, others in ((16, 20), (21, 24)):
        x, z, b = (RNG.standard_normal(shape) for shape in ((rows, 3), (others, 3), (others, columns)))
        found = ran_op(op, x, z, b, target=replace(TARGET, pairs=pairs))
        assert "pairs" in found.schedules
        np.testing.assert_allclose(found["y"], value(op, x, z, b), rtol=1e-9, atol=1e-9)


SCATTERS = {
    "rows": "op f(v[n, d]: float, at[n]: int, x[r]: any) -> y[r, d] { y = sum[n](at == r ? v : 0); }",
    "conditions": "op f(v[n, d]: float, at[n]: int, x[r]: float) -> y[r, d] "
    "{ y = 2 * x + sum[n](at == r and v[n, 0] > x[r] ? v : 0); }",
    "extremes": "op f(v[n, d]: float, at[n]: int, x[r]: any) -> y[r, d] { y = max[n](at == r ? v : -inf); }",
    "places": "op f(v[n, d]: float, at[n]: int, x[r]: any) -> y[d, r] { y = min[n](at + d == r ? v : inf); }",
    "pairs of values": "op f(v[n, d]: float, at[n]: int, x[r]: any) -> y[r, d] "
    "{ y = sum[n, m](at[n] + at[m] == r ? v[n, d] * v[m, 0] : 0); }",
    "pairs of rows": "op f(v[n, d]: float, at[n]: int, x[r]: any) -> y[q, r, d] where q = 5 "
    "{ y = sum[n](at == r and at % 5 == q and v > 0 ? v : 0); }",
}


@pytest.mark.parametrize("columns", [1, 18])
@pytest.mark.parametrize("name", SCATTERS)
@pytest.mark.sample(3)
def test_scatters_are_legal_and_right(name: str, columns: int) -> None:
    """Rows in blocks or copies of all of them, runs of what was found, values that go nowhere."""
    op = compiled(SCATTERS[name])
    for limits in (
        replace(CPU.scatters, rows=0, pairs=0),
        replace(CPU.scatters, rows=0, pairs=0, units=1),
        replace(CPU.scatters, rows=0, pairs=0, much=0, values_per_copy=1, parts=3),
    ):
        for rows, values in ((7, 20), (20, 9), (5, 0)):
            v, at, x = awkward(values, columns), RNG.integers(-2, rows + 2, values), RNG.standard_normal(rows)
            found = ran_op(op, v, at, x, target=replace(TARGET, scatters=limits))
            assert "scatter" in found.schedules or not values
            np.testing.assert_allclose(found["y"], value(op, v.astype(np.float64), at, x), rtol=1e-6, atol=1e-6)


def test_a_scatter_looks_through_more_values_than_it_remembers() -> None:
    op = compiled(SCATTERS["rows"])
    v, at, x = RNG.standard_normal((1100, 2)), RNG.integers(-1, 4, 1100), np.zeros(3)
    found = ran_op(op, v, at, x, target=replace(TARGET, scatters=replace(CPU.scatters, rows=0, pairs=0)))
    assert found.schedules == ["scatter"]
    np.testing.assert_allclose(found["y"], value(op, v, at, x), rtol=1e-9)


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


def test_sums_share_their_loops_whichever_of_them_has_another_one_inside() -> None:
    x, z = RNG.standard_normal((5, 4)), RNG.standard_normal((5, 4, 3))
    given = [core.from_host(each) for each in (x, z)]
    loops = []
    for body in (
        "sum[t](x[n, t]) + sum[t](x[n, t] * min[m](z[n, t, m]))",
        "sum[t](x[n, t] + x[n, t] * min[m](z[n, t, m]))",
    ):
        op = compiled(f"op f(x[n, t]: float, z[n, t, m]: float) -> y[n] {{ y = {body}; }}")
        np.testing.assert_allclose(op(*given).to_host(), (x + x * z.min(2)).sum(1), rtol=1e-12)
        assert_right(op, [x, z], CPU)
        loops.append(launch.prepare(op.bind(given, {}).formula, given, {}).text.count("for ("))
    assert loops[0] == loops[1]
