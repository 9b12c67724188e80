"""Sums that are asked for at places which several indices work out: each is computed once, forward and backward."""

from __future__ import annotations

import numpy as np
import pytest
from differentiated import assert_op_agrees

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.runtime.bindings import bind
from netcl.kernels.runtime.launch import prepare
from netcl.kernels.tools.work import work_of

rng = np.random.default_rng(7)

BLUR = """op blur(x[i, j]: float, w[k]: float, v[l]: float) -> y[i, j] {
    r[i, j] = sum[k](w[k] * (x[i, j + k - 4] else 0));
    y = sum[l](v[l] * (r[i + l - 4, j] else 0));
}"""
FORMULAS = {
    "padded": (BLUR, [((12, 13), (9,), (9,)), ((1, 7), (9,), (9,)), ((3, 1), (9,), (9,)), ((12, 0), (9,), (9,))]),
    "without padding": (
        """op f(x[n, m]: float, w[k]: float, v[l]: float) -> y[i, j]
            where i = size[n] - size[l] + 1, j = size[m] - size[k] + 1
        {
            r[n, j] = sum[k](w[k] * x[n, j + k]);
            y = tanh(sum[l](v[l] * r[i + l, j]));
        }""",
        [((14, 12), (9,), (8,)), ((9, 9), (9,), (9,)), ((9, 11), (11,), (9,))],
    ),
    "with steps, gaps and offsets": (
        """op f(x[n, m]: float, w[k]: float, v[l]: float) -> y[i, m]
            where i = (size[n] - 2 * (size[l] - 1) - 2) // 3 + 1
        {
            a[n, m, k] = (x[n, m + k - 3] else 0) + (x[n - 1, m + k - 3] else 0) * (x[n + 1, m - k] else 1);
            r[n, m] = sum[k](w[k] * a[n, m, k]);
            y = sum[l](v[l] * r[i * 3 + 2 * l + 1, m] ^ 2);
        }""",
        [((40, 11), (9,), (8,)), ((19, 10), (8,), (9,))],
    ),
    "of three axes": (
        """op f(x[i, j, k]: float, w[a]: float) -> y[i, j, k] {
            r[i, j, k] = sum[a](w[a] * (x[i, j, k + a - 4] else 0));
            s[i, j, k] = sum[a](w[a] * (r[i, j + a - 4, k] else 0));
            y = sum[a](w[a] * (s[i + a - 4, j, k] else 0));
        }""",
        [((5, 6, 7), (9,))],
    ),
    "the largest of the largest": (
        """op f(x[n, m]: float, w[l, k]: float) -> y[i, j]
            where i = size[n] - size[l] + 1, j = size[m] - size[k] + 1
        {
            r[n, j] = max[k](x[n, j + k]);
            y = max[l](r[i + l, j]) + sum[l, k](w) * 0.1;
        }""",
        [((13, 14), (9, 8))],
    ),
    "a box at once": (
        """op f(x[n, m]: float, w[l, k]: float) -> y[i, j]
            where i = size[n] - size[l] + 1, j = size[m] - size[k] + 1
        { y = sum[l, k](x[i + l, j + k]) / (1 + sum[l, k](w ^ 2)); }""",
        [((24, 25), (15, 14))],
    ),
    "a condition on one of the indices": (
        """op f(x[i, j]: float, w[k]: float, v[l]: float) -> y[i, j] {
            r[i, j] = sum[k](k <= j + 1 and i > 2 ? w[k] * (x[i, j + k - 4] else 0) : 0);
            y = sum[l](l != i ? v[l] * (r[i + l - 4, j] else 0.5) : 1);
        }""",
        [((12, 13), (9,), (9,))],
    ),
    "what depends on one index beside the place": (
        """op f(x[i, j]: float, w[k, i]: float, v[l]: float) -> y[i, j] {
            y = sum[l](v[l] * sum[k](w[k, i] * (x[i + l - 4, j + k - 4] else 0)));
        }""",
        [((12, 13), (9, 12), (9,))],
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.sample(2)
def test_values_and_gradients_are_those_of_the_evaluator(name: str) -> None:
    text, every = FORMULAS[name]
    (op,) = vars(kernels.compile(text)).values()
    for shapes in every:
        assert_op_agrees(op, *(rng.normal(size=shape) for shape in shapes))


def steps_of(text: str, *shapes: tuple[int, ...]) -> tuple[int, int]:
    (op,) = vars(kernels.compile(text)).values()
    formula = op.bind([core.zeros(shape) for shape in shapes], {}).formula
    work = work_of(formula, bind(formula, shapes, {}), {})
    assert work is not None
    return work.value, work.gradient


def test_a_filter_that_is_a_product_of_two_takes_the_steps_of_two() -> None:
    shapes = ((200, 200), (21,), (21,))
    text = BLUR.replace("- 4", "- 10")
    value, gradient = steps_of(text, *shapes)
    assert value < 2.5 * 21 * 200 * 200  # that of all pairs has 21 * 21
    assert gradient < 8 * 21 * 200 * 200


def test_first_and_second_derivatives_are_those_of_differences() -> None:
    op = kernels.compile(BLUR).blur
    given = [ag.tensor(rng.normal(size=shape), requires_grad=True) for shape in ((10, 9), (9,), (9,))]
    assert ag.gradcheck(lambda *each: (op(*each) ** 2).sum(), given)
    assert ag.gradgradcheck(lambda *each: (op(*each) ** 2).sum(), given)


def test_a_sum_within_a_sum_has_a_table_of_places_for_small_windows_too() -> None:
    op = kernels.compile(BLUR).blur
    call = op.bind([core.zeros(each) for each in ((64, 64), (3,), (3,))], {})
    plan = prepare(pipeline.visible(call.formula), call.operands, call.attributes)
    assert "part.1[i', j] = sum[k]" in plan.text
