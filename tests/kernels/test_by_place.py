"""Outputs along an axis whose places have a formula each: the same values, in one nest of loops for all of them."""

from __future__ import annotations

import numpy as np
import pytest
from evaluated import assert_derivatives, compiled
from launched import assert_agrees

from netcl import core
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.library.op import Op
from netcl.kernels.runtime import launch

RNG = np.random.default_rng(5)

MOMENTS = """op moments(x[n, k]: float) -> y[n, d] where d = 3 {
    y = d == 0 ? sum[k](sin(x)) : d == 1 ? sum[k](sin(x) ^ 2) : max[k](x);
}"""
IN_FRONT = """op in_front(x[n, k]: float) -> (y[d, n], most[n]) where d = 2 {
    y = d == 1 ? sum[k](exp(x)) : sum[k](x * exp(x));
    most = max[k](exp(x));
}"""
WHOLE = """op whole(x[n, k]: float) -> (y[d], z[]) where d = 2 {
    y = d == 0 ? sum[n, k](x) : sum[n, k](x ^ 2);
    z = sum[n, k](x ^ 3);
}"""
POINTWISE = """op pointwise(x[n]: float) -> y[n, d] where d = 2 { y = d == 0 ? sin(x) : cos(x); }"""
OPS = {"moments": MOMENTS, "in_front": IN_FRONT, "whole": WHOLE, "pointwise": POINTWISE}


def bound(op: Op, *arrays: np.ndarray) -> Formula:
    return op.bind([core.from_host(each) for each in arrays], {}).formula


@pytest.mark.parametrize("shape", [(0, 4), (1, 1), (3, 0), (5, 7), (300, 3)])
@pytest.mark.parametrize("name", ["moments", "in_front", "whole"])
def test_values_are_those_of_the_evaluator(name: str, shape: tuple[int, int]) -> None:
    x = RNG.normal(size=shape)
    assert_agrees(bound(compiled(OPS[name]), x), [x], tolerance=1e-12)


def test_values_are_right_where_nothing_is_contiguous() -> None:
    x = RNG.normal(size=(14, 9))
    tensor = core.from_host(x)[::2, ::-2]
    assert_agrees(bound(compiled(MOMENTS), x[::2, ::-2]), [x[::2, ::-2]], tensors=[tensor], tolerance=1e-12)


@pytest.mark.parametrize("name", [*OPS])
def test_derivatives_are_those_of_differences(name: str) -> None:
    x = RNG.normal(size=(3, 4)) if name != "pointwise" else RNG.normal(size=(4,))
    assert_derivatives(compiled(OPS[name]), [x])


@pytest.mark.parametrize(
    ("name", "alone"),
    [
        ("moments", "y[n] { y = sum[k](x); }"),
        ("whole", "z[] { z = sum[n, k](x) + sum[n, k](x ^ 2) + sum[n, k](x ^ 3); }"),
    ],
)
def test_the_places_share_their_loops(name: str, alone: str) -> None:
    given = [core.from_host(RNG.normal(size=(64, 5)))]
    ops = compiled(OPS[name]), compiled(f"op alone(x[n, k]: float) -> {alone}")
    plans = [launch.prepare(op.bind(given, {}).formula, given, {}) for op in ops]
    assert [len(plan.kernels) for plan in plans] == [1, 1]
    several, one = (plan.text[plan.text.index("__item(") :].count("for (") for plan in plans)
    assert several == one


def test_what_is_written_over_an_operand_is_read_before() -> None:
    op = compiled("""op turned(x[n, d]: float, a[]: float) -> y[n, d] where size[d] == 2 {
        y = d == 0 ? x[n, 0] * cos(a) - x[n, 1] * sin(a) : x[n, 0] * sin(a) + x[n, 1] * cos(a);
    }""")
    x, a = RNG.normal(size=(50, 2)), np.array(0.3)
    expected = x @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    tensor, angle = core.from_host(x), core.from_host(a)
    plan = launch.prepare(op.bind([tensor, angle], {}).formula, [tensor, angle], {})
    plan.run([tensor, angle], {}, [tensor])
    np.testing.assert_allclose(tensor.to_host(), expected, rtol=1e-12)
