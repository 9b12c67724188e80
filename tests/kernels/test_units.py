"""Reducers and scans over indices of length 1, also where a condition speaks of such an index."""

from __future__ import annotations

import numpy as np
import pytest
from evaluated import compiled
from launched import assert_agrees, schedules

from netcl import core
from netcl.kernels import catalogue as op
from netcl.kernels.runtime import launch

WINDOWS = compiled(
    "op f(x[n]: float; padding: int = 0, k: int = 1) -> y[p] where p = size[n], r = k "
    "{ w = x[p + r - padding] else -inf; m = detach(max[r](w)); y = sum[r](w == -inf ? 0 : exp(w - m)); }"
)


@pytest.mark.parametrize("length", [1, 2, 20])
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("padding", [0, 1])
def test_two_reducers_over_a_guarded_read_of_length_one_agree(length: int, k: int, padding: int) -> None:
    x = np.linspace(-1, 1, length).astype(np.float32)
    call = WINDOWS.bind([core.from_host(x)], {"padding": padding, "k": k})
    assert_agrees(call.formula, [x], call.attributes)


def test_positions_and_scans_of_length_one_are_zero_and_the_value_itself() -> None:
    x = np.array([[3.0], [5.0]], np.float32)
    text = "{ a = argmax[k](x); b = argmax[s <= k](x[i, s]); c = scan[s <= k](x[i, s], x[i, s]); d = argmin[i, k](x); }"
    f = compiled(f"op f(x[i, k]: float) -> (a[i], b[i, k], c[i, k], d[]) {text}")
    assert_agrees(f.bind([core.from_host(x)], {}).formula, [x])
    found = [each.to_host().tolist() for each in f(core.from_host(x))]
    assert found == [[0, 0], [[0], [0]], [[3], [5]], 0]


def test_a_sum_over_an_axis_of_length_one_is_no_view() -> None:
    x = core.ones((1, 3))
    call = op["sum"].bind([x], {"axis": 0})
    plan = launch.prepare(call.formula, [x], call.attributes)
    assert not plan.is_view
    assert schedules(plan) == ["map"] or schedules(plan) == ["loops"]
    assert op["sum"](x, axis=0).buffer is not x.buffer
