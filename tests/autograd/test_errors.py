"""Mistakes are named: the op, the operand, and what to do."""

from __future__ import annotations

import traceback
from fractions import Fraction
from typing import Any

import pytest
from exact import Vector, leaf, mul, product, scale_by, total, vector, vector_leaf

from netcl import autograd as ag
from netcl.core import DtypeError, GraphError, ShapeError


def op(gradient: Any, *args: Any) -> ag.Node:
    return ag.apply_op(lambda *a: a[0], gradient, *args, op_name="my_op")


@pytest.mark.promise("N2", "P24")
@pytest.mark.parametrize(
    ("returned", "found"),
    [([1, 2, 3], "3 gradients"), ([], "0 gradients"), (Fraction(1), "a Fraction"), (None, "a No")],
)
def test_a_grad_fn_that_returns_the_wrong_number_of_gradients(returned: Any, found: str) -> None:
    with pytest.raises(GraphError, match=f"my_op: its grad_fn returned {found}.*for each of the 2 operands"):
        op(lambda dy: returned, leaf(1), leaf(2)).backward()


@pytest.mark.promise("L4", "P36")
def test_a_gradient_of_the_wrong_shape() -> None:
    y = op(lambda dy: [None, vector(1, 2, 3)], vector_leaf(1, 2), vector_leaf(1, 2))
    with pytest.raises(
        ShapeError, match=r"my_op: gradient shape mismatch.*\(3,\) for operand 1, which has shape \(2,\)"
    ):
        total(y).backward()


@pytest.mark.promise("P36")
def test_a_gradient_of_the_wrong_dtype() -> None:
    class Other(Vector):
        def __init__(self) -> None:
            super().__init__(vector(1, 2).buffer, 0, 2)
            self.dtype = "float16"

    with pytest.raises(DtypeError, match=r"my_op: gradient dtype mismatch.*float16 for operand 0, which is exact"):
        total(op(lambda dy: [Other()], vector_leaf(1, 2))).backward()


@pytest.mark.promise("L4")
def test_a_wrong_shape_is_never_broadcast_in_accumulation() -> None:
    x = vector_leaf(1, 2)
    y = op(lambda dy: [vector(1)], x)
    with pytest.raises(ShapeError, match="gradient shape mismatch"):
        ag.backward([total(x), total(y)])


@pytest.mark.promise("P35")
def test_an_error_of_a_grad_fn_arrives_with_its_traceback_and_the_engine_stays_usable() -> None:
    def gradient(dy: Any) -> list[Any]:
        raise ValueError("planted")  # the line that the traceback must show

    with pytest.raises(ValueError, match="planted") as caught:
        op(gradient, leaf(1)).backward()
    text = "".join(traceback.format_exception(caught.value))
    assert "the line that the traceback must show" in text
    if hasattr(caught.value, "__notes__"):
        assert "in the backward of my_op" in text
    x = leaf(2)
    mul(x, x).backward()
    assert x.grad == 4


def test_backward_from_what_has_no_gradient() -> None:
    with pytest.raises(GraphError, match="does not require a gradient"):
        ag.Node(Fraction(1)).backward()
    with pytest.raises(GraphError, match="expected a Node, got a Fraction"):
        ag.backward(Fraction(1))
    with pytest.raises(GraphError, match="no outputs"):
        ag.backward([])
    with pytest.raises(GraphError, match="inputs is empty"):
        mul(leaf(1), 2).backward(inputs=[])


@pytest.mark.promise("N12", "L20")
def test_seeds_must_fit_their_outputs() -> None:
    x = vector_leaf(1, 2)
    with pytest.raises(ShapeError, match=r"upstream gradient shape mismatch: output 0 has shape \(2,\)"):
        x.backward(vector(1))
    with pytest.raises(DtypeError, match="upstream gradient dtype mismatch"):
        x.backward(object.__new__(Shaped))
    with pytest.raises(GraphError, match="1 outputs but 2 output gradients"):
        ag.backward([x], [vector(1, 1), vector(1, 1)])


class Shaped:
    shape = (2,)
    dtype = "float16"


@pytest.mark.promise("P40")
def test_functional_grad_wants_a_scalar_or_a_seed() -> None:
    x = vector_leaf(1, 2)
    y = op(lambda dy: [dy], x)
    with pytest.raises(GraphError, match=r"output 0 has shape \(2,\).*grad_outputs"):
        ag.grad(y, x)
    assert ag.grad(y, x, vector(3, 4)).numbers == [3, 4]


def test_a_gradient_that_is_set_must_fit_its_value() -> None:
    x = vector_leaf(1, 2)
    with pytest.raises(ShapeError, match="gradient shape mismatch"):
        x.grad = vector(1)
    with pytest.raises(DtypeError):
        x.grad = object.__new__(Shaped)


@pytest.mark.promise("P14")
def test_an_op_without_a_derivative_fails_only_when_backward_gets_there() -> None:
    from netcl.autograd.graph.apply import raising

    x = leaf(2)
    y = op(raising("my_op has no derivative"), x)
    assert mul(y, 3).value == 6
    with pytest.raises(GraphError, match="my_op has no derivative"):
        mul(y, 3).backward()


def test_a_hook_must_be_callable() -> None:
    with pytest.raises(TypeError, match="callable"):
        leaf(1).register_hook(3)


@pytest.mark.promise("P19", "F20")
def test_integers_have_no_gradients() -> None:
    class Whole:
        shape = ()
        dtype = type("int32", (), {"kind": "i", "name": "int32", "__str__": lambda self: "int32"})()

    with pytest.raises(DtypeError, match="only floating dtypes have gradients, this is int32"):
        ag.Node(Whole(), requires_grad=True)


@pytest.mark.promise("F1")
def test_a_second_derivative_never_loses_a_value_that_a_grad_fn_closes_over() -> None:
    def square(x: ag.Node, held: Any) -> ag.Node:
        return ag.apply_op(lambda a: a * a, lambda dy: [product(dy, scale_by(held, 2))], x, op_name="square")

    x = vector_leaf(3, 4)
    assert ag.grad(total(square(x, x.value)), x).numbers == [6, 8]
    with pytest.raises(GraphError, match=r"square: under create_graph its grad_fn uses 'held'.*let it use the node"):
        ag.grad(total(square(x, x.value)), x, create_graph=True)
    first = ag.grad(total(square(x, x)), x, create_graph=True)
    assert ag.grad(total(first), x).numbers == [2, 2]
