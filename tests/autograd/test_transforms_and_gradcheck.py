"""Transforms against closed forms, and gradcheck against functions that are wrong on purpose."""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import Any

import pytest
from exact import BOTH, add, dot, leaf, mul, mul_gradient, reciprocal, scale, vector

from netcl import autograd as ag
from netcl.core import GraphError, ShapeError

X, Y = Fraction(2), Fraction(3)


def f(x: Any, y: Any) -> Any:
    """x^2 y + 1/y."""
    return add(mul(mul(x, x), y), reciprocal(y))


@pytest.mark.promise("P41")
def test_vjp_gives_outputs_and_gradients() -> None:
    assert ag.vjp(f, (X, Y)) == (12 + Fraction(1, 3), (12, 4 - Fraction(1, 9)))
    assert ag.vjp(lambda x: mul(x, x), X, Fraction(10)) == (4, 40)


@pytest.mark.promise("P41")
def test_jvp_gives_outputs_and_tangents() -> None:
    assert ag.jvp(f, (X, Y), (Fraction(1), Fraction(0))) == (12 + Fraction(1, 3), 12)
    assert ag.jvp(lambda x, y: (mul(x, y), 7, x), (X, Y), (Fraction(5), Fraction(1))) == ((6, 7, 2), (17, 0, 5))


def test_linearize_gives_the_linear_part_to_use_again() -> None:
    value, push = ag.linearize(lambda x: mul(mul(x, x), x), X)
    assert value == 8
    assert [push(Fraction(t)) for t in (1, 2)] == [12, 24]


@pytest.mark.promise("P41")
def test_jacobian_hessian_and_their_products() -> None:
    assert ag.jacobian(f, (X, Y)) == (12, 4 - Fraction(1, 9))
    assert ag.hessian(f, (X, Y)) == ((6, 4), (4, Fraction(2, 27)))
    assert ag.hvp(f, (X, Y), (Fraction(1), Fraction(2)))[1] == (6 + 8, 4 + Fraction(4, 27))
    assert ag.vhp(f, (X, Y), (Fraction(1), Fraction(2)))[0] == 12 + Fraction(1, 3)
    assert ag.hessian(lambda x: mul(mul(x, x), x), X) == 12


@pytest.mark.promise("L25")
def test_forward_and_reverse_jacobians_agree() -> None:
    assert ag.jacrev(f)(X, Y) == ag.jacfwd(f)(X, Y) == 12
    assert ag.jacrev(f, argnums=(0, 1))(X, Y) == ag.jacfwd(f, argnums=(0, 1))(X, Y) == (12, 4 - Fraction(1, 9))


def test_value_and_grad_with_more_results() -> None:
    assert ag.value_and_grad(f, argnums=1)(X, Y) == (12 + Fraction(1, 3), 4 - Fraction(1, 9))
    value, gradient = ag.value_and_grad(lambda x: (mul(x, x), "more"), has_aux=True)(X)
    assert (value, gradient) == ((4, "more"), 4)


def test_transforms_of_a_node_can_be_differentiated() -> None:
    x = leaf(2)
    _, first = ag.vjp(lambda x: mul(mul(x, x), x), x)
    assert first.value == 12
    assert ag.grad(first, x) == 12


def test_transforms_record_also_inside_no_grad() -> None:
    with ag.no_grad():
        assert ag.vjp(lambda x: mul(x, x), X) == (4, 4)


def test_wrong_tangents_and_outputs_are_named() -> None:
    with pytest.raises(ShapeError, match="2 inputs but 1 tangents"):
        ag.jvp(f, (X, Y), (X,))
    with pytest.raises(ShapeError, match=r"input 0 has shape \(2,\), its tangent \(1,\)"):
        ag.jvp(lambda a: scale(a, 2), vector(1, 2), vector(1))
    with pytest.raises(ShapeError, match="must return a scalar"):
        ag.hessian(lambda a: scale(a, 2), vector(1, 2))
    assert ag.jvp(lambda a: dot(a, a), vector(1, 2), vector(1, 0)) == (5, 2)


def wrong_mul(a: Any, b: Any) -> Any:
    def gradient(saved: Any, needs: Any, dy: Any) -> list[Any]:
        first, second = mul_gradient(saved, needs, dy)
        return [first, mul(second, 3.0)]

    return ag.apply_op(operator.mul, gradient, a, b, op_name="wrong_mul", saves=BOTH)


def nodes(*numbers: float) -> list[ag.Node]:
    return [ag.Node(n, requires_grad=True) for n in numbers]


@pytest.mark.promise("P44")
@pytest.mark.parametrize("fast", [False, True])
def test_gradcheck_accepts_right_and_locates_wrong_gradients(fast: bool) -> None:
    assert ag.gradcheck(f, nodes(0.5, 2.0), fast=fast)
    with pytest.raises(ag.GradcheckError, match=r"output 1.*input 1"):
        ag.gradcheck(lambda a, b: (mul(a, b), wrong_mul(a, b)), nodes(0.5, 2.0), fast=fast)
    assert not ag.gradcheck(wrong_mul, nodes(0.5, 2.0), fast=fast, raise_exception=False)


@pytest.mark.promise("P45")
def test_gradcheck_finds_a_backward_that_ignores_its_output_gradient() -> None:
    with pytest.raises(ag.GradcheckError, match="must multiply by its output gradient"):
        ag.gradcheck(lambda a: ag.apply_op(lambda a: 2 * a, lambda dy: [2.0], a, op_name="ignores"), nodes(0.5))


@pytest.mark.promise("P47")
def test_gradcheck_finds_a_gradient_that_drifts() -> None:
    runs = []

    def drifting(dy: float) -> list[float]:
        runs.append(1)
        return [dy * (2 + 1e-9 * len(runs))]

    def function(a: Any) -> Any:
        return ag.apply_op(lambda a: 2 * a, drifting, a, op_name="drifts")

    with pytest.raises(ag.GradcheckError, match="differs between two runs"):
        ag.gradcheck(function, nodes(0.5))
    assert ag.gradcheck(function, nodes(0.5), nondet_tol=1e-6)


@pytest.mark.promise("P43")
def test_gradcheck_finds_a_dependence_that_carries_no_gradient() -> None:
    def hidden(a: ag.Node) -> Any:
        return 3.0 * a.value

    with pytest.raises(ag.GradcheckError, match="carries no gradient, but changes with input 0"):
        ag.gradcheck(hidden, nodes(0.5))
    assert ag.gradcheck(lambda a: 7.0, nodes(0.5))


@pytest.mark.promise("P42", "P49")
def test_gradcheck_refuses_inputs_that_it_cannot_check() -> None:
    with pytest.raises(GraphError, match="no input is differentiable"):
        ag.gradcheck(f, [0.5, 2.0])
    with pytest.raises(TypeError, match="complex"):
        ag.gradcheck(f, [ag.Node(1j, requires_grad=True)])


@pytest.mark.promise("P48")
def test_gradgradcheck_finds_a_wrong_second_derivative() -> None:
    assert ag.gradgradcheck(f, nodes(0.5, 2.0))

    def gradient(saved: Any, needs: Any, dy: Any) -> list[Any]:
        return [mul(wrong_mul(2.0, saved[0]), dy)]

    def square(a: Any) -> Any:
        return ag.apply_op(lambda a: a * a, gradient, a, op_name="square", saves=(("input", 0),))

    assert ag.gradcheck(square, nodes(0.5))
    with pytest.raises(ag.GradcheckError, match=r"output 0.*input 0"):
        ag.gradgradcheck(square, nodes(0.5))
