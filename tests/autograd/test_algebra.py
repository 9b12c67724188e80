"""Gradients are exactly those of the formula, at any order and for any graph."""

from __future__ import annotations

from fractions import Fraction

import pytest
from exact import add, leaf, mul, product_and_sum, reciprocal
from hypothesis import given
from hypothesis import strategies as st

from netcl import autograd as ag


@pytest.mark.promise("N31", "A3")
def test_the_example_of_the_page() -> None:
    x = leaf(Fraction(1, 3))
    y = add(x, 1)
    loss = mul(mul(y, y), 3)
    loss.backward()
    assert loss.value == 3 * Fraction(4, 3) ** 2
    assert x.grad == 6 * (x.value + 1)


@pytest.mark.promise("N13", "A4", "A3")
def test_a_diamond_of_depth_20_calls_each_grad_fn_once() -> None:
    calls = []

    def doubled(a: ag.Node) -> ag.Node:
        return ag.apply_op(lambda a, b: a + b, lambda dy: calls.append(1) or [dy, dy], a, a, op_name="doubled")

    x = y = leaf(1)
    for _ in range(20):
        y = doubled(y)
    y.backward()
    assert x.grad == 2**20
    assert len(calls) == 20


@pytest.mark.promise("L26")
def test_three_derivatives_in_a_row_are_exact() -> None:
    x = leaf(Fraction(2, 7))
    y = mul(mul(mul(x, x), mul(x, x)), x)  # x^5
    first = ag.grad(y, x, create_graph=True)
    second = ag.grad(first, x, create_graph=True)
    third = ag.grad(second, x, create_graph=True)
    assert [d.value for d in (first, second, third)] == [5 * x.value**4, 20 * x.value**3, 60 * x.value**2]


@pytest.mark.promise("L26")
def test_derivatives_through_a_saved_output_are_exact() -> None:
    x = leaf(3)
    first = ag.grad(reciprocal(x), x, create_graph=True)
    second = ag.grad(first, x, create_graph=True)
    third = ag.grad(second, x)
    assert (first.value, second.value, third) == (-Fraction(1, 9), Fraction(2, 27), -Fraction(6, 81))


@pytest.mark.parametrize("used", [(0,), (1,), (0, 1)])
def test_an_op_with_two_outputs_gets_the_gradients_of_those_that_were_used(used: tuple[int, ...]) -> None:
    a, b = leaf(5), leaf(7)
    outputs = product_and_sum(a, b)
    loss = 0
    for i in used:
        loss = add(loss, mul(outputs[i], 10**i))
    loss.backward()
    assert a.grad == (7 if 0 in used else 0) + (10 if 1 in used else 0)
    assert b.grad == (5 if 0 in used else 0) + (10 if 1 in used else 0)


def test_a_second_derivative_goes_through_an_op_with_two_outputs() -> None:
    a, b = leaf(5), leaf(7)
    product, total = product_and_sum(a, b)
    loss = mul(product, total)  # a^2 b + a b^2
    da = ag.grad(loss, a, create_graph=True)
    assert da.value == 2 * 5 * 7 + 7 * 7
    assert ag.grad(da, [a, b]) == [2 * 7, 2 * 5 + 2 * 7]


Polynomial = dict[tuple[int, ...], Fraction]
"""Exponents -> coefficient."""


@pytest.mark.promise("L27", "L26", "L8")
@given(st.data())
def test_a_random_graph_has_the_derivatives_of_its_polynomial(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 3))
    numbers = [data.draw(st.fractions(-3, 3, max_denominator=4)) for _ in range(count)]
    leaves = [leaf(n) for n in numbers]
    nodes: list[ag.Node] = list(leaves)
    symbols: list[Polynomial] = [{tuple(int(i == k) for i in range(count)): Fraction(1)} for k in range(count)]
    for _ in range(data.draw(st.integers(1, 7))):
        i, j = data.draw(st.integers(0, len(nodes) - 1)), data.draw(st.integers(0, len(nodes) - 1))
        if data.draw(st.booleans()):
            nodes.append(add(nodes[i], nodes[j]))
            symbols.append(plus(symbols[i], symbols[j]))
        else:
            nodes.append(mul(nodes[i], nodes[j]))
            symbols.append(times(symbols[i], symbols[j]))
    assert nodes[-1].value == at(symbols[-1], numbers)
    found = ag.grad(nodes[-1], leaves, create_graph=True, materialize_grads=True)
    for k, first in enumerate(found):
        derivative = along(symbols[-1], k)
        assert plain(first) == at(derivative, numbers)
        if isinstance(first, ag.Node):
            second = ag.grad(first, leaves, retain_graph=True, materialize_grads=True)
            assert second == [at(along(derivative, m), numbers) for m in range(count)]


def plus(p: Polynomial, q: Polynomial) -> Polynomial:
    return {e: p.get(e, Fraction(0)) + q.get(e, Fraction(0)) for e in p | q}


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    found: Polynomial = {}
    for e, a in p.items():
        for f, b in q.items():
            key = tuple(i + j for i, j in zip(e, f, strict=True))
            found[key] = found.get(key, Fraction(0)) + a * b
    return found


def along(p: Polynomial, k: int) -> Polynomial:
    return {tuple(n - (i == k) for i, n in enumerate(e)): a * e[k] for e, a in p.items() if e[k]}


def at(p: Polynomial, numbers: list[Fraction]) -> Fraction:
    total = Fraction(0)
    for e, a in p.items():
        for n, x in zip(e, numbers, strict=True):
            a *= x**n
        total += a
    return total


def plain(value: object) -> object:
    return value.value if isinstance(value, ag.Node) else value
