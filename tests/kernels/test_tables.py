"""Tables of numbers in formulas: filters, quadrature, permutations. Beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core.errors import IndexOutOfRangeError, KernelLanguageError, ShapeError
from netcl.kernels.compiler.ir.show import formula_text
from netcl.kernels.compiler.target import named
from netcl.kernels.runtime import launch
from netcl.kernels.tools.check import Evaluator, check_form
from netcl.kernels.tools.device_check import Device

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(11)

SMOOTHED = """
op smoothed(x[n]: float) -> y[n] {
    taps[k] = [0.25, 0.5, 1 / 4];
    y = sum[k](taps * (x[n + k - 1] else 0));
}
"""
INTEGRATED = '''
"""The integral of a bell curve from 0 to x, by Gauss's rule with five nodes."""
op integrated(x[n]: float, w[n]: float) -> y[n] {
    node[k] = [-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640];
    weight[k] = [0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891];
    at[n, k] = x / 2 * (node + 1);
    y = sum[k](weight * exp(-w * at * at)) * x / 2;
    sample x in [-1, 1];
}
'''
TURNED = """
op turned(x[n]: float, m[i, n]: float) -> y[i, n] {
    a[i, j] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]];
    y = sum[j](a * m[j, n]) * x;
}
"""


def ran(text: str, *arrays: Array, **attributes: Any) -> Array:
    op = list(vars(kernels.compile(text)).values())[-1]
    return op(*map(core.from_host, arrays), **attributes).to_host()


@pytest.mark.parametrize("length", [1, 2, 5, 16, 100])
def test_a_table_is_a_filter(length: int) -> None:
    x = RNG.standard_normal(length)
    np.testing.assert_allclose(ran(SMOOTHED, x), np.convolve(np.pad(x, 1), [0.25, 0.5, 0.25], "valid"), atol=1e-15)


@pytest.mark.parametrize("text", [SMOOTHED, INTEGRATED, TURNED], ids=["filter", "quadrature", "matrix"])
@pytest.mark.parametrize("on", [Evaluator(), Device(), Device(small=True)], ids=["evaluator", "device", "small"])
@pytest.mark.sample(2)
def test_derivatives_of_formulas_with_tables_are_those_of_differences(text: str, on: Any) -> None:
    (form,) = list(vars(kernels.compile(text)).values())[-1].forms
    assert check_form(form, on=on) > 0


def test_tables_run_on_cards() -> None:
    op = kernels.compile(INTEGRATED).integrated
    x, w = RNG.uniform(-1, 1, 50), RNG.uniform(0, 2, 50)
    call = op.bind([core.from_host(x), core.from_host(w)], {})
    plan = launch.prepare_for(named("small-gpu"), call.formula, call.operands, call.attributes)
    (found,) = plan.run(call.operands, call.attributes)
    expected = op(core.from_host(x), core.from_host(w)).to_host()
    np.testing.assert_allclose(found.to_host(), expected, rtol=1e-14)


def test_the_numbers_decide_the_type() -> None:
    assert ran("op f(i[n]: int) -> y[n] { c[k] = [4, 5, 6]; y = c[i % 3]; }", np.arange(4)).dtype == np.int64
    assert ran("op f(i[n]: int) -> y[n] { c[k] = [4, 5, 6.0]; y = c[i % 3]; }", np.arange(4)).dtype == np.float32
    found = ran("op f(i[n]: int) -> y[n] { c[k] = [true, 1 > 2]; y = c[i % 2] ? 1 : 0; }", np.arange(4))
    np.testing.assert_array_equal(found, [1, 0, 1, 0])
    third = ran("op f(x[n]: float) -> y[n] { c[k] = [1 / 3]; y = x * c[0]; }", np.ones(1))
    assert third[0] == 1 / 3


def test_a_table_of_whole_numbers_says_where_to_read() -> None:
    x = RNG.standard_normal((3, 4))
    found = ran("op f(x[i, n]: float) -> y[i, n] { p[i] = [2, 0, 1]; y = x[p, n]; }", x)
    np.testing.assert_array_equal(found, x[[2, 0, 1]])


def test_two_axes_are_read_in_any_order() -> None:
    found = ran(
        "op f(x[n]: float) -> y[i, j] { m[i, j] = [[1, 2, 3], [4, 5, 6]]; y = m[1 - i, j] * x[0]; }", np.ones(1)
    )
    np.testing.assert_array_equal(found, [[4, 5, 6], [1, 2, 3]])


def test_outside_of_a_table_is_an_error_or_what_else_says() -> None:
    places = np.array([0, -1, 2])
    assert ran("op f(i[n]: int) -> y[n] { c[k] = [5, 6]; y = c[i] else -1; }", places).tolist() == [5, -1, -1]
    with pytest.raises(
        IndexOutOfRangeError, match=r"the index -1 \(i at n = 1\) is out of range for axis k of a table"
    ):
        ran("op f(i[n]: int) -> y[n] { c[k] = [5, 6]; y = c[i]; }", places)
    with pytest.raises(IndexOutOfRangeError, match="axis k of a table, which has length 2"):
        ran("op f(x[n]: float) -> y[n] { c[k] = [5, 6]; y = c[n + 1] * x; }", np.ones(4))
    with pytest.raises(ShapeError, match="axis k is 4"):
        ran("op f(x[k]: float) -> y { c[k] = [5, 6]; y = sum[k](c * x); }", np.ones(4))


def test_a_batch_and_a_gradient_through_a_table() -> None:
    op = kernels.compile("op f(x[n]: float) -> y[n] { c[k] = [1, -2.5, 3]; y = sum[k](c * x ^ k); }").f
    x = RNG.standard_normal((4, 5))
    rows = ag.vmap(op)(core.from_host(x))
    np.testing.assert_allclose(rows.to_host(), 1 - 2.5 * x + 3 * x * x, atol=1e-13)
    leaf = ag.tensor(x[0], requires_grad=True)
    (gradient,) = ag.grad(op(leaf).sum(), [leaf])
    np.testing.assert_allclose(gradient.to_host(), -2.5 + 6 * x[0], atol=1e-13)


def test_a_used_op_brings_its_table() -> None:
    text = SMOOTHED + "op twice(x[n]: float) -> y[n] { use s[n] = smoothed(x); use y[n] = smoothed(s[n]); }"
    x = RNG.standard_normal(9)
    once = np.convolve(np.pad(x, 1), [0.25, 0.5, 0.25], "valid")
    expected = np.convolve(np.pad(once, 1), [0.25, 0.5, 0.25], "valid")
    np.testing.assert_allclose(ran(text, x), expected, atol=1e-15)


def test_a_long_table_is_shown_by_its_beginning() -> None:
    op = kernels.compile("op f(x[n]: float) -> y[n] { c[k] = [1, 2, 3, 4, 5, 6]; y = x * c[n % 6]; }").f
    call = op.bind([core.zeros((3,))], {})
    assert "[1, 2, 3, 4, …][n % 6]" in formula_text(call.formula)


@pytest.mark.parametrize(
    ("statements", "says"),
    [
        ("c[k] = [1, x];", "a table consists of numbers"),
        ("c = [1, 2];", r"a table has an index for each of its axes: c\[i\] = …;"),
        ("c[k] = [[1, 2], [3, 4]];", r"a table has an index for each of its axes: c\[i, j\] = …;"),
        ("c[k, l] = [[1, 2], [3]];", "the rows of a table are of one length"),
        ("c[k] = [1, 2]; d[k] = [1];", "d has 1 entries along k, which has another size"),
        ("c[k] = [];", "expected an expression"),
        (f"c[k] = [{', '.join(['1'] * 1025)}];", "at most 1024 entries"),
    ],
)
def test_what_is_no_table_is_said_to_be_none(statements: str, says: str) -> None:
    with pytest.raises(KernelLanguageError, match=says):
        kernels.compile(f"op f(x[n]: float) -> y[n] {{ {statements} y = x * c[0]; }}")
