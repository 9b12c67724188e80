"""Loops that are divided where a comparison of positions changes: every place that it may change at."""

from __future__ import annotations

import numpy as np
import pytest
from evaluated import compiled

from netcl import core
from netcl.kernels.runtime import launch

rng = np.random.default_rng(8)

ORDERS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}


SIDES = {
    "i {} a": lambda i, n, a: (i, a),
    "a {} i": lambda i, n, a: (a, i),
    "size[i] - i {} a": lambda i, n, a: (n - i, a),
    "i - a {} 7 - 2 * a": lambda i, n, a: (i - a, 7 - 2 * a),
    "a + 2 {} i + 2 * a": lambda i, n, a: (a + 2, i + 2 * a),
}


@pytest.mark.parametrize("order", list(ORDERS))
@pytest.mark.parametrize("sides", list(SIDES))
@pytest.mark.sample(7)
def test_a_comparison_changes_at_its_place(order: str, sides: str) -> None:
    op = compiled(f"op f(x[i]: float; a: int) -> y[i] {{ y = {sides.format(order)} ? x : -x; }}")
    for length in (1, 15, 16, 17, 40, 67):
        x = rng.normal(size=length).astype("float32")
        tensor = core.from_host(x)
        for a in (-(2**30), -3, 0, 1, 15, 16, 17, 31, length - 1, length, length + 3, 2**30):
            holds = ORDERS[order](*SIDES[sides](np.arange(length), length, a))
            np.testing.assert_array_equal(op(tensor, a=a).to_host(), np.where(holds, x, -x), f"{length} {a}")


@pytest.mark.parametrize("length", [1, 16, 33, 50])
def test_several_comparisons_and_the_reads_that_they_guard(length: int) -> None:
    op = compiled(
        """
        op f(x[j, n]: float, z[m]: float; a: int, b: int) -> y[j, i] where i = size[n] + size[m] {
            y = i < a ? (x[j, i] else 1) : i >= b ? (z[i - b] else 2) : 2 * i < a + b ? (x[j, i - a] else 3) : 4;
        }"""
    )
    x, z = rng.normal(size=(3, length)).astype("float32"), rng.normal(size=length + 9).astype("float32")
    for a in (0, 5, 16, 30, 200):
        for b in (0, 16, 21, 100):
            expected = np.empty((3, 2 * length + 9), np.float32)
            for j, i in np.ndindex(expected.shape):
                if i < a:
                    expected[j, i] = x[j, i] if i < length else 1
                elif i >= b:
                    expected[j, i] = z[i - b] if i - b < length + 9 else 2
                elif 2 * i < a + b:
                    expected[j, i] = x[j, i - a] if i - a < length else 3
                else:
                    expected[j, i] = 4
            found = op(core.from_host(x), core.from_host(z), a=a, b=b).to_host()
            np.testing.assert_array_equal(found, expected, f"{a} {b}")


def test_between_two_changes_there_are_no_conditions_of_lanes() -> None:
    op = compiled("op f(x[j, i]: float; before: int) -> y[j, k] where k = size[i] + 5 { y = x[j, k - before] else 0; }")
    call = op.bind([core.zeros((40, 100))], {"before": 2})
    text = launch.prepare(call.formula, call.operands, call.attributes).text
    assert "segment" in text
    assert "long16" not in text


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int64", "uint8", "bool"])
@pytest.mark.sample(3)
def test_a_constant_is_written_wherever_a_segment_begins(dtype: str) -> None:
    op = compiled("op f(x[i]: any; before: int) -> y[k] where k = size[i] + 90 { y = x[k - before] else 0; }")
    for length in (1, 16, 33, 50):
        x = core.from_host(np.ones(length, np.float32)).astype(dtype)
        for before in (0, 1, 15, 17, 40, 89):
            expected = np.zeros(length + 90)
            expected[before : before + length] = 1
            found = op(x, before=before).astype("float32").to_host()
            np.testing.assert_array_equal(found, expected, f"{dtype} {length} {before}")
    filled = core.full((3, 131), 2, dtype)
    for start in (1, 3, 8):
        filled[:, start:70] = 1
        assert (filled[:, start:70].astype("float32").to_host() == 1).all()
