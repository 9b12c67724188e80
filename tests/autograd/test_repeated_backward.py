"""Backward twice: exactly the same amount again, or an error that says what to do."""

from __future__ import annotations

from fractions import Fraction

import pytest
from exact import Vector, add, dot, leaf, mul, reciprocal, scale, total, vector, vector_leaf

from netcl import autograd as ag
from netcl.core import GraphError


@pytest.mark.promise("P6", "N17")
def test_with_retain_graph_each_backward_adds_the_same_amount() -> None:
    x = leaf(3)
    y = mul(mul(x, x), reciprocal(x))
    amounts = []
    for _ in range(4):
        y.backward(retain_graph=True)
        amounts.append(x.grad)
    assert amounts == [1, 2, 3, 4]


@pytest.mark.promise("P5", "N17")
def test_without_it_the_second_backward_says_what_to_pass() -> None:
    x = leaf(3)
    y = mul(x, x)
    y.backward()
    with pytest.raises(GraphError, match=r"mul: .*released.*retain_graph=True"):
        y.backward()
    assert x.grad == 6


def test_a_grad_fn_that_closes_over_values_is_released_too() -> None:
    x, kept = leaf(3), Fraction(2)
    y = ag.apply_op(lambda a: a * kept, lambda dy: [dy * kept], x, op_name="twice")
    y.backward()
    with pytest.raises(GraphError, match=r"twice: .*retain_graph=True"):
        y.backward()


@pytest.mark.promise("P9")
def test_an_op_that_saves_nothing_can_run_again() -> None:
    x = leaf(3)
    shared = add(x, 1)
    mul(shared, 2).backward()
    mul(shared, 5).backward()
    assert x.grad == 7


@pytest.mark.promise("P38")
def test_two_losses_add() -> None:
    x = leaf(3)
    mul(x, x).backward()
    mul(x, 4).backward()
    assert x.grad == 6 + 4


@pytest.mark.promise("N15")
def test_parents_of_one_op_never_share_a_gradient_buffer() -> None:
    x, y = vector_leaf(1, 2), vector_leaf(3, 4)
    z = ag.apply_op(lambda a, b: a + b, lambda saved, needs, dy: [dy, dy], x, y, op_name="add", saves=())
    total(z).backward()
    x.grad.mul_(vector(10, 10))
    assert y.grad.numbers == [1, 1]
    first, second = ag.grad(total(add_vectors(x, y)), [x, y])
    first.mul_(vector(10, 10))
    assert second.numbers == [1, 1]


@pytest.mark.promise("N15", "A8")
def test_the_callers_seed_is_never_written_nor_taken_over() -> None:
    x, seed = vector_leaf(1, 2), vector(5, 6)
    y = add_vectors(x, x)
    y.backward(seed, retain_graph=True)
    y.backward(seed)
    x.grad.mul_(vector(0, 0))
    assert seed.numbers == [5, 6]
    z = vector_leaf(1)
    own = vector(7)
    z.backward(own)
    z.backward(own)
    assert own.numbers == [7]
    assert z.grad.numbers == [14]


def test_a_gradient_that_a_user_holds_is_not_written_by_the_next_backward() -> None:
    x = vector_leaf(1, 2)
    total(x).backward()
    held = x.grad
    total(x).backward()
    assert held.numbers == [1, 1]
    assert x.grad.numbers == [2, 2]


@pytest.mark.promise("N15")
def test_later_gradients_are_added_in_place() -> None:
    made = []

    class Counted(Vector):
        def __add__(self, other: Vector) -> Vector:
            found = super().__add__(other)
            made.append(found)
            return Counted(found.buffer, 0, found.shape[0])

    x = vector_leaf(1)
    copies = [
        ag.apply_op(
            Vector.clone, lambda saved, needs, dy: [Counted(dy.clone().buffer, 0, 1)], x, op_name="clone", saves=()
        )
        for _ in range(5)
    ]
    loss = 0
    for copy in copies:
        loss = add(loss, total(copy))
    loss.backward()
    assert x.grad.numbers == [5]
    assert made == []  # the engine's own gradient was written each time


def test_a_gradient_is_accumulated_into_a_gradient_that_was_set_by_hand() -> None:
    x = leaf(3)
    x.grad = Fraction(100)
    mul(x, x).backward()
    assert x.grad == 106


@pytest.mark.promise("A10")
def test_zero_grad_forgets_or_zeroes() -> None:
    x = leaf(3)
    mul(x, x).backward()
    x.zero_grad(set_to_none=False)
    assert x.grad == 0
    x.zero_grad()
    assert x.grad is None


def test_create_graph_keeps_the_graph_and_gives_leaves_their_own_gradients() -> None:
    x, y = leaf(3), leaf(4)
    z = mul(add(x, y), x)
    z.backward(create_graph=True)
    assert (x.grad.value, y.grad.value) == (10, 3)
    z.backward()
    assert (x.grad, y.grad) == (20, 6)


def test_an_inner_product_has_the_other_vector_for_its_gradient() -> None:
    x, y = vector_leaf(1, 2), vector_leaf(3, 4)
    first = ag.grad(dot(x, scale(y, 2)), x, create_graph=True)
    assert first.value.numbers == [6, 8]
    assert ag.grad(total(first), y).numbers == [2, 2]


def add_vectors(x: ag.Node, y: ag.Node) -> ag.Node:
    return ag.apply_op(lambda a, b: a + b, lambda saved, needs, dy: [dy, dy], x, y, op_name="add", saves=())
