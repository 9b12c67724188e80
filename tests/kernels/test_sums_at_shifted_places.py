"""What is read at sums of indices, `x[t * hop + k]`: a gradient computes what belongs to one of them once, and not for
each element of x and each of the others."""

from __future__ import annotations

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import Formula, Materialised, subexpressions

rng = np.random.default_rng(0)

POWER = """op power(x[n]: float, w[k]: float; hop: int = 3) -> p[t, f]
    where t = (size[n] - size[k]) // hop + 1, f = size[k] // 2 + 1
{
    real[t, f] = sum[k](w[k] * x[t * hop + k] * cos(6.283185307179586 * f * k / size[k]));
    imaginary[t, f] = sum[k](w[k] * x[t * hop + k] * sin(6.283185307179586 * f * k / size[k]));
    p = real ^ 2 + imaginary ^ 2;
}"""
FORMULAS = {
    "a window that moves by one": (
        "op f(x[n]: float, w[k]: float) -> y[t] where t = size[n] - size[k] + 1 { y = sum[k](w[k] * x[t + k]) ^ 2; }",
        ((9,), (4,)),
    ),
    "backward": (
        "op f(x[n]: float, w[k]: float) -> y[n] { y = tanh(sum[k](w[k] * (x[n - k] else 0))); }",
        ((6,), (3,)),
    ),
    "a window of two axes": (
        """op f(x[n, i, j]: float, w[r, s]: float; step: int = 2) -> y[n, a, b]
            where a = (size[i] - size[r]) // step + 1, b = size[j] - size[s] + 1
        { y = sin(sum[r, s](w[r, s] * x[n, a * step + r, b + s])); }""",
        ((2, 7, 5), (3, 2)),
    ),
    "with a largest value inside": (
        """op f(x[n]: float, w[k]: float) -> y[t] where t = size[n] - size[k] + 1
        { m[t] = max[k](w[k] * x[t + k]); y = sum[k](exp(w[k] * x[t + k] - m)) * m; }""",
        ((8,), (3,)),
    ),
}


def gradient_of(op: object, *shapes: tuple[int, ...]) -> Formula:
    call = op.bind([core.zeros(shape) for shape in shapes], {})  # type: ignore[attr-defined]
    return pipeline.gradient(call.formula, ("x",))


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.sample(2)
def test_derivatives_of_both_orders_are_those_of_differences(name: str) -> None:
    text, shapes = FORMULAS[name]
    op = kernels.compile(text).f
    given = [ag.tensor(rng.normal(size=shape), requires_grad=True) for shape in shapes]
    assert ag.gradcheck(op, given)
    assert ag.gradgradcheck(op, given)


@pytest.mark.parametrize("hop", [1, 3, 4, 7])
@pytest.mark.parametrize("size", [4, 5, 23])
@pytest.mark.sample(4)
def test_a_spectrum_of_moving_windows_has_the_gradient_of_the_matrices_it_is(size: int, hop: int) -> None:
    op = kernels.compile(POWER).power
    x, w = rng.normal(size=size), rng.normal(size=4)
    turns = np.exp(2j * np.pi * np.outer(np.arange(3), np.arange(4)) / 4)
    starts = range(0, size - 3, hop)
    found = [w[None] * turns @ x[start : start + 4] for start in starts]
    seeds = rng.normal(size=(len(starts), 3))
    by_x, by_w = np.zeros(size), np.zeros(4)
    for start, value, seed in zip(starts, found, seeds, strict=True):
        inner = 2 * np.real((seed * np.conj(value))[:, None] * turns).sum(0)
        by_x[start : start + 4] += inner * w
        by_w += inner * x[start : start + 4]
    given = [ag.tensor(each, requires_grad=True) for each in (x, w)]
    p = op(*given, hop=hop)
    np.testing.assert_allclose(p.to_host(), np.abs(np.array(found)) ** 2, rtol=1e-10)
    gradients = ag.grad((p * ag.tensor(seeds)).sum(), given)
    for each, expected in zip(gradients, (by_x, by_w), strict=True):
        np.testing.assert_allclose(each.to_host(), expected, rtol=1e-10, atol=1e-12)


def tables_of(op: object, *shapes: tuple[int, ...]) -> set[tuple[tuple[str, ...], ...]]:
    """The axes of what the gradient by x computes once."""
    exprs = [output.expr for output in gradient_of(op, *shapes).outputs]
    return {node.axes for node in subexpressions(*exprs) if isinstance(node, Materialised)}


def test_what_a_window_comes_to_is_a_table_of_the_gradient() -> None:
    """The gradient by x adds up over f for each t and k: a matrix product, as that by w has it."""
    assert tables_of(kernels.compile(POWER).power, (64,), (8,)) == {(("k", "t"),)}
    text = "op power(x[n]: float, w[k]: float) -> p[t] where t = size[n] - size[k] { p = sum[k](w[k] * x[t + k]) ^ 2; }"
    assert tables_of(kernels.compile(text).power, (64,), (8,)) == {(("t",),)}


def test_a_sum_at_a_solved_place_that_is_no_matrix_product_is_computed_where_it_is_asked_for() -> None:
    text = """op f(x[n]: float, w[k, g]: float, a[t, g]: float) -> y[t] {
        y = sum[k](x[t + k] * (sum[g](GIVEN) + sum[g](GIVEN ^ 2))) ^ 2;
    }"""
    shapes = ((12,), (4, 3), (9, 3))
    apart = kernels.compile(text.replace("GIVEN", "w[k, g] * a[t, g]")).f
    together = kernels.compile(text.replace("GIVEN", "tanh(w[k, g] * a[t, g])")).f
    assert tables_of(apart, *shapes) == {(("k", "t"),), (("t",),)}
    beside = kernels.compile(text.replace("GIVEN", "(w[k, g] * a[t, g] * tanh(w[k, g] + a[t, g]))")).f
    assert tables_of(together, *shapes) == tables_of(beside, *shapes) == {(("t",),)}
    for op in (apart, together, beside):
        given = [ag.tensor(rng.normal(size=shape), requires_grad=True) for shape in shapes]
        assert ag.gradcheck(op, given)
        assert ag.gradgradcheck(op, given)


def test_what_data_says_is_scattered_and_needs_no_table() -> None:
    text = "op f(x[n]: float, w[k]: float, p[e]: int) -> y[e] { y = sum[k](w[k] * x[p[e] + k]) ^ 2; }"
    op = kernels.compile(text).f
    call = op.bind([core.zeros(9), core.zeros(3), core.zeros(7, dtype="int64")], {})
    for output in pipeline.gradient(call.formula, ("x",)).outputs:
        assert not any(isinstance(node, Materialised) for node in subexpressions(output.expr))
