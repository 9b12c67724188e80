"""gradcheck against functions that are wrong on purpose: each slip is found, and the message says where."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from exact import BOTH, mul

from netcl import autograd as ag
from netcl import core
from netcl.core import GraphError


def leaf64(*numbers: float) -> ag.Node:
    return ag.tensor(np.array(numbers), requires_grad=True)


def nodes(*numbers: float) -> list[ag.Node]:
    return [ag.Node(n, requires_grad=True) for n in numbers]


@pytest.mark.promise("P44", "A19")
def test_the_worst_element_is_reported_with_its_place_and_how_many_are_wrong() -> None:
    factors = core.from_host(np.array([1.0, 3.0, 1.5]))
    op = ag.unary("wrong", lambda x: x * x, lambda x, dy: 2.0 * x * dy * factors)
    with pytest.raises(
        ag.GradcheckError, match=r"output 0 element \(1,\), input 0 element \(1,\).*worst of 2 wrong of 9"
    ):
        ag.gradcheck(op, leaf64(1.0, 2.0, 3.0))
    with pytest.raises(ag.GradcheckError, match="output 0, input 0: a projection"):
        ag.gradcheck(op, leaf64(1.0, 2.0, 3.0), fast=True)


@pytest.mark.promise("P44")
def test_a_gradient_of_nan_is_the_worst_there_is() -> None:
    op = ag.unary("nan", lambda x: x * 2.0, lambda x, dy: dy * math.nan)
    with pytest.raises(ag.GradcheckError, match="the gradient is nan, differences give 2"):
        ag.gradcheck(op, nodes(1.0))


@pytest.mark.promise("P46")
def test_none_for_one_output_must_count_as_zeros() -> None:
    def right(saved: Any, needs: Any, dp: Any, ds: Any) -> list[Any]:
        a, b = saved
        dp, ds = dp or 0.0, ds or 0.0
        return [dp * b + ds, dp * a + ds]

    def confused(saved: Any, needs: Any, dp: Any, ds: Any) -> list[Any]:
        if ds is None:  # takes the other output's gradient for it
            return right(saved, needs, dp, dp)
        return right(saved, needs, dp, ds)

    def two(rule: Any) -> Any:
        return lambda a, b: ag.apply_op(lambda a, b: (a * b, a + b), rule, a, b, op_name="two", saves=BOTH)

    assert ag.gradcheck(two(right), nodes(0.5, 2.0))
    with pytest.raises(ag.GradcheckError, match=r"output 0, input 0.*must take None for zeros"):
        ag.gradcheck(two(confused), nodes(0.5, 2.0))


@pytest.mark.promise("P42")
def test_inputs_that_are_not_float64_are_warned_of_and_those_that_overlap_refused() -> None:
    single = ag.tensor(np.array([0.5, 2.0], np.float32), requires_grad=True)
    with pytest.warns(UserWarning, match="not float64"):
        assert ag.gradcheck(lambda x: ag.exp(x), single)
    whole = core.from_host(np.array([1.0, 2.0, 3.0]))
    parts = [ag.Node(whole.alias((2,), (1,), start), requires_grad=True) for start in (0, 1)]
    with pytest.raises(GraphError, match="inputs 0 and 1 share memory"):
        ag.gradcheck(lambda a, b: a * b, parts)
    with pytest.raises(GraphError, match="input 0 overlaps itself"):
        ag.gradcheck(lambda a: a * 2.0, ag.Node(whole.alias((2,), (0,), 0), requires_grad=True))
    with pytest.raises(GraphError, match="no input is differentiable"):
        ag.gradcheck(lambda a: a, core.arange(3))


@pytest.mark.promise("P43")
def test_a_piecewise_constant_function_passes_and_a_hidden_dependence_does_not() -> None:
    assert ag.gradcheck(lambda x: x > 0.0, leaf64(-1.0, 2.0))
    with pytest.raises(ag.GradcheckError, match=r"carries no gradient, but changes with input 0 element \(0,\)"):
        ag.gradcheck(lambda x: x.value * 3.0, leaf64(-1.0, 2.0))


@pytest.mark.promise("F30")
@pytest.mark.parametrize("fast", [False, True])
def test_float32_functions_are_checked_to_what_float32_can_show(fast: bool) -> None:
    x = ag.tensor(np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3), requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert ag.gradcheck(lambda x: ag.tanh(x).sum(), x, fast=fast)
        op = ag.unary("slightly_wrong", lambda x: x * x, lambda x, dy: 2.1 * x * dy)
        with pytest.raises(ag.GradcheckError):
            ag.gradcheck(op, x, fast=fast)


@pytest.mark.promise("P48", "A16")
def test_second_derivatives_of_products_and_quotients_pass() -> None:
    a, b = leaf64(0.5, -1.5), leaf64(2.0, 0.7)
    assert ag.gradgradcheck(lambda a, b: a * b / (1.0 + b * b), [a, b])
    assert ag.gradgradcheck(lambda a, b: a * b / (1.0 + b * b), [a, b], fast=True)


@pytest.mark.promise("A19")
def test_a_layer_is_checked_through_its_parameters() -> None:
    rng = np.random.default_rng(0)
    x = core.from_host(rng.normal(size=(4, 3)))
    w, b = (ag.tensor(rng.normal(size=shape), requires_grad=True) for shape in ((2, 3), (2,)))
    assert ag.gradcheck(lambda w, b: ag.tanh(ag.linear(x, w, b)), [w, b])


@pytest.mark.promise("P49")
def test_complex_numbers_are_refused_with_a_sentence() -> None:
    with pytest.raises(core.DtypeError, match="complex numbers are not supported; check real and imaginary part"):
        ag.gradcheck(lambda x: mul(x, x), [ag.Node(1j, requires_grad=True)])
