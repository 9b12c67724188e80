"""Reads that a condition protects: they are only done in range, wherever in a formula they stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from evaluated import compiled
from launched import assert_agrees

from netcl import core
from netcl.kernels.compiler import pipeline
from netcl.kernels.runtime import launch

rng = np.random.default_rng(3)


def normal(*shape: int) -> np.ndarray:
    return rng.normal(size=shape).astype("float32")


def check(text: str, *arrays: np.ndarray, **attributes: Any) -> launch.Plan:
    """The value and the gradients of the op that `text` declares agree with the evaluator; returns the value's plan."""
    call = compiled(text).bind([core.from_host(each) for each in arrays], attributes)
    plan = assert_agrees(call.formula, arrays, call.attributes, call.operands, 3e-5)
    known = dict(zip((each.name for each in call.formula.operands), call.operands, strict=True))
    for output, found in zip(call.formula.outputs, plan.run(call.operands, call.attributes), strict=True):
        known[output.name], known["d" + output.name] = found, core.from_host(normal(*found.shape))
    gradient = pipeline.gradient(call.formula, pipeline.differentiable(call.formula))
    tensors = [known[each.name] for each in gradient.operands]
    assert_agrees(gradient, [each.to_host() for each in tensors], call.attributes, tensors, 3e-5, plan.bindings)
    return plan


@pytest.mark.parametrize("rows", [5, 40])
def test_one_read_may_stand_in_and_beside_a_reduction_under_different_conditions(rows: int) -> None:
    check(
        """
        op f(x[i]: float, w[l]: float, c[i]: float) -> y[i] {
            y = i > 0 ? (c > 0 ? x[i - 1] : 0) + sum[l](l % 2 == 0 ? x[i - 1] * w[l] : 0) : 0;
        }""",
        normal(rows), normal(9), normal(rows),
    )  # fmt: skip


def test_two_reductions_may_share_a_read_under_conditions_of_their_own() -> None:
    check(
        """
        op f(x[i, k]: float, w[l]: float, v[m]: float) -> y[i] {
            y = sum[k, l](w[l] > 0 and i + l >= 1 and i + l < size[i] + 1 ? x[i + l - 1, k] * w[l] : 0)
                + sum[k, m](v[m] < 0 and i + m >= 1 and i + m < size[i] + 1 ? x[i + m - 1, k] * v[m] : 0);
        }""",
        normal(33, 5), normal(4), normal(4),
    )  # fmt: skip


def test_a_condition_outside_of_a_reduction_may_speak_of_an_index_of_the_same_name() -> None:
    check("op f(x[k]: float) -> y[k] { y = k < 7 ? sum[k](x[k + 1] else 0) : x[k]; }", normal(40))


def test_a_temporary_is_not_cut_short_by_a_condition_on_an_outer_index_of_the_same_name() -> None:
    check(
        """
        op f(x[j, k]: float) -> y[j] {
            y = sum[k](j >= 4 ? (x[j - 4, k] > 0 ? x[j - 4, k] / sum[k](exp(x[j - 4, k])) : 0) : 0);
        }""",
        normal(70, 48),
    )  # fmt: skip


def test_a_turned_read_needs_no_condition() -> None:
    text = "op f(x[i]: float, on[i]: bool) -> y[i] { y = on ? x[size[i] - 1 - i] : 0; }"
    plan = check(text, normal(40), rng.random(40) < 0.5)
    assert "inside" not in plan.text


def test_the_largest_of_turned_elements_gets_the_gradient() -> None:
    check("op f(x[l, i, k]: float) -> y[i] { y = max[k, l](x[size[l] - 1 - l, i, k]); }", normal(16, 7, 48))


def test_places_in_memory_that_are_one_may_be_in_range_in_one_read_only() -> None:
    check("op f(x[i, k]: float) -> y[i, k] { y = (x[i, k + 4] else 0) * 2 + (x[i + 1, k] else 3); }", normal(20, 4))


def test_few_sums_beside_many_elements_are_cut_into_blocks_once() -> None:
    check(
        "op f(a[l, k]: float, b[l]: float) -> y[i, j, k] where i = 48, j = 48 { y = j % 2 == 0 ? i : sum[l](a * b); }",
        normal(2, 16), normal(2),
    )  # fmt: skip
