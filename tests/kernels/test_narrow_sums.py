"""Sums of which a few places count that follow each other, and positions that are exact quotients: gradients of windows
that slide over little, of what is repeated, of steps that are skipped."""

from __future__ import annotations

import numpy as np
import pytest
from differentiated import assert_op_agrees

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.runtime.bindings import bind
from netcl.kernels.tools.work import work_of

rng = np.random.default_rng(3)

FORMULAS = {
    "a window that slides over little": (
        "op f(x[n]: float, w[k]: float) -> y[t] where t = size[n] - size[k] + 1 { y = sum[k](w * x[t + k]); }",
        [((40,), (37,)), ((40,), (40,)), ((17,), (1,)), ((5,), (4,))],
    ),
    "with strides and gaps": (
        """op f(x[n]: float, w[k]: float) -> y[t] where t = (size[n] - 2 * (size[k] - 1) - 1) // 3 + 1
        { y = tanh(sum[k](w * x[3 * t + 2 * k])); }""",
        [((50,), (23,)), ((50,), (25,)), ((30,), (5,))],
    ),
    "backward": (
        "op f(x[n]: float, w[k]: float) -> y[t] where t = 3 { y = sum[k](w * (x[size[n] - 1 - t - k] else 0)); }",
        [((30,), (30,)), ((30,), (20,)), ((2,), (9,))],
    ),
    "of two axes": (
        """op f(x[c, i, j]: float, w[o, c, r, s]: float) -> y[o, p, q]
            where p = (size[i] - size[r]) // 2 + 1, q = size[j] - size[s] + 1
        { y = sum[c, r, s](w * x[c, 2 * p + r, q + s]); }""",
        [((2, 16, 17), (3, 2, 14, 16)), ((2, 9, 8), (3, 2, 2, 7))],
    ),
    "repeated": (
        "op f(x[n, i]: float) -> y[n, p] where p = size[i] * 3 { y = x[n, p // 3] ^ 2; }",
        [((2, 16),), ((2, 1),), ((1, 33),), ((3, 0),)],
    ),
    "repeated with an offset": (
        "op f(x[i]: float) -> y[p] where p = size[i] * 4 - 3 { y = sin(x[(p + 2) // 4]); }",
        [((16,),), ((1,),), ((9,),)],
    ),
    "steps that are skipped": (
        """op f(w[c, r]: float, x[c, h]: float) -> y[i] where i = size[h] * 2 + 1
        { y = sum[c, r]((i - r) % 2 == 0 ? w * (x[c, (i - r) // 2] else 0) : 0); }""",
        [((2, 3), (2, 8)), ((1, 2), (1, 1)), ((2, 5), (2, 16))],
    ),
    "conditions of both sides": (
        """op f(w[r]: float, x[h]: float) -> y[i] where i = size[h] * 2 + 1
        { y = sum[h](0 <= i - 2 * h and i - 2 * h < size[r] ? w[i - 2 * h] * x : 0); }""",
        [((3,), (20,)), ((1,), (1,)), ((9,), (4,))],
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.sample(2)
def test_values_and_gradients_are_those_of_the_evaluator(name: str) -> None:
    text, every = FORMULAS[name]
    for shapes in every:
        assert_op_agrees(kernels.compile(text).f, *(rng.normal(size=shape) for shape in shapes), tolerance=1e-9)


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.sample(3)
def test_derivatives_of_both_orders_are_those_of_differences(name: str) -> None:
    text, every = FORMULAS[name]
    op = kernels.compile(text).f
    given = [ag.tensor(rng.normal(size=shape), requires_grad=True) for shape in every[-1] if 0 not in shape]
    if len(given) == len(every[-1]):
        assert ag.gradcheck(op, given)
        assert ag.gradgradcheck(op, given)


@pytest.mark.parametrize(
    ("name", "shapes"),
    [("a window that slides over little", ((400,), (397,))), ("repeated", ((4, 300),)),
     ("of two axes", ((2, 32, 32), (3, 2, 31, 31))), ("steps that are skipped", ((2, 3), (2, 200)))],
)  # fmt: skip
def test_a_gradient_has_about_the_steps_of_the_value(name: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    call = kernels.compile(FORMULAS[name][0]).f.bind([core.zeros(shape) for shape in shapes], {})
    work = work_of(call.formula, bind(call.formula, shapes, {}), {})
    assert work is not None
    assert work.ratio <= 8


def test_no_place_behind_the_end_counts() -> None:
    """The last windows reach over the end of h, and nothing is read there."""
    text = """op f(w[r]: float) -> y[i] where h = 20, i = 41
        { y = sum[h](0 <= i - 2 * h and i - 2 * h < size[r] ? w[i - 2 * h] : 0); }"""
    w = rng.normal(size=3)
    expected = np.zeros(41)
    for h in range(20):
        expected[2 * h : 2 * h + 3] += w
    np.testing.assert_allclose(kernels.compile(text).f(core.from_host(w)).to_host(), expected, atol=1e-12)
