"""The short words of a session, and ops from two functions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from exact import add, dot, leaf, mul, scale, total, vector, vector_leaf

from netcl import autograd as ag
from netcl.core import DtypeError, GraphError, ShapeError


@pytest.mark.promise("L24")
def test_parameters_get_gradients_and_constants_do_not() -> None:
    with ag.Session() as session:
        w, c = session.param(vector(1, 2), "w"), session.const(vector(3, 4))
        loss = dot(w, c)
    assert (w.name, w.requires_grad, c.requires_grad, [w.id, loss.id]) == ("w", True, False, [0, 2])
    session.backward(loss, retain_graph=True)
    session.backward(loss)
    assert session.grad(w).numbers == [6, 8]
    assert session.grad(c) is None
    with pytest.raises(GraphError, match="unknown node"):
        session.grad(leaf(1))


@pytest.mark.promise("L24")
def test_products_with_the_jacobian_change_nothing() -> None:
    with ag.Session() as session:
        x, y = session.param(vector(1, 2)), session.param(vector(5, 6))
        doubled = scale(x, 2)
        loss = total(doubled)
    first, second = session.vjp(doubled, [x, y], vector(10, 100))
    assert (first.numbers, second) == ([20, 200], None)
    assert [g.numbers for g in session.vjp_scalar(loss, [x])] == [[2, 2]]
    assert (x.grad, y.grad) == (None, None)
    with pytest.raises(ShapeError, match=r"vjp_scalar: the output has shape \(2,\)"):
        session.vjp_scalar(doubled, [x])


@pytest.mark.promise("L24")
def test_a_detached_node_is_a_constant_with_memory_of_its_own() -> None:
    with ag.Session() as session:
        x = session.param(vector(1, 2))
        still = session.detach(scale(x, 2))
        dot(x, still).backward()
    assert x.grad.numbers == [2, 4]
    assert not still.requires_grad
    assert session.id_of(still) == 2


@pytest.mark.promise("L24")
def test_a_fresh_tape_records_in_the_place_of_this_one() -> None:
    def work(fresh: ag.Session) -> int:
        mul(fresh.param(Fraction(2)), 3)
        return len(fresh)

    with ag.Session() as session:
        x = session.param(Fraction(1))
        assert session.with_fresh_tape(work) == 2
        assert ag.get_current_tape() is session
        assert len(session) == 1
        session.reset_tape()
        assert (len(session), add(x, x).id) == (0, 0)


@pytest.mark.promise("L24", "F20")
def test_an_index_is_an_integer_without_a_gradient() -> None:
    with ag.Session() as session:
        table = session.param(np.arange(6, dtype=np.float32).reshape(3, 2))
        index = session.index([2, 0, 2])
        rows = ag.take(table, index, 0)
        rows.sum().backward()
    assert table.grad.to_host().tolist() == [[1, 1], [0, 0], [2, 2]]
    assert not hasattr(index, "grad_fn")
    assert len(session) == 3
    with pytest.raises(DtypeError, match="an index is an integer, this is float32"):
        session.index([1.5])
    with pytest.raises(DtypeError, match="only floating dtypes have gradients"):
        session.param([1, 2])


@pytest.mark.promise("L13")
def test_an_op_of_two_functions_is_differentiable_twice() -> None:
    cube = ag.unary("cube", lambda x: x * x * x, lambda x, dy: mul(3, mul(mul(x, x), dy)))
    times = ag.binary("times", lambda a, b: a * b, lambda a, b, dy: (mul(b, dy), mul(a, dy)))
    x, y = leaf(2), leaf(5)
    z = times(cube(x), y)
    assert (z.value, z.op_name, z.grad_fn.next_functions[0][0].name) == (40, "times", "cube")
    assert ag.grad(z, [x, y], retain_graph=True) == [60, 8]
    assert ag.grad(ag.grad(z, x, create_graph=True), x) == 60
    assert ag.gradcheck(lambda a, b: times(cube(a), b), [ag.Node(0.5, True), ag.Node(2.0, True)])
    assert ag.binary("left", lambda a, b: a, lambda a, b, dy: (dy, None))(x, y).backward() is None
    assert (x.grad, y.grad) == (1, None)
    assert cube.__name__ == "cube"


@pytest.mark.promise("L13", "P8")
def test_an_operand_of_such_an_op_that_was_written_is_refused() -> None:
    doubled = ag.unary("square_sum", lambda a: sum(n * n for n in a.numbers), lambda a, dy: scale(a, 2 * dy))
    x = vector_leaf(1, 2)
    y = doubled(x)
    x.value.bump_version()
    with pytest.raises(GraphError, match="square_sum: the saved input 0"):
        y.backward()
