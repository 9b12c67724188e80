"""What a node and its record say of themselves, and which of them exist at all."""

from __future__ import annotations

import copy
import pickle
import weakref
from fractions import Fraction

import pytest
from exact import add, leaf, mul, product_and_sum

from netcl import autograd as ag
from netcl import core
from netcl.core import GraphError


@pytest.mark.promise("N1", "A1")
def test_a_node_says_where_it_comes_from() -> None:
    x, y = leaf(2), leaf(3)
    z = mul(x, y)
    assert (z.value, z.op_name, z.requires_grad, z.is_leaf) == (6, "mul", True, False)
    assert z.parents == [x, y]
    assert (z.grad, z.creation_trace) == (None, None)
    w = add(z, x)
    assert w.parents == [z.grad_fn, x]
    assert repr(z) == (
        "Node(value=Fraction(6, 1), grad_fn=<mul>, parents=['<node leaf>', '<node leaf>'], grad=None, "
        "requires_grad=True, op_name='mul')"
    )
    assert (x.grad_fn, x.op_name, x.parents, x.is_leaf) == (None, None, [], True)


@pytest.mark.promise("P2")
def test_edges_are_listed_in_the_order_of_the_operands() -> None:
    x = leaf(2)
    y = add(mul(x, x), Fraction(1))
    (first, _), second = y.grad_fn.next_functions
    assert first.name == "mul"
    assert second == (None, 0)
    (a, _), (b, _) = first.next_functions
    assert a is b
    assert a.variable is x


@pytest.mark.promise("P1")
def test_a_record_can_be_called_as_a_function() -> None:
    x, y = leaf(2), leaf(3)
    z = mul(x, y)
    assert z.grad_fn(Fraction(10)) == [30, 20]
    assert mul(x, Fraction(5)).grad_fn(Fraction(10)) == [50, None]
    with pytest.raises(GraphError, match="expected 1 output gradients, got 2"):
        z.grad_fn(1, 2)


@pytest.mark.promise("P12")
def test_a_leaf_gets_its_accumulator_at_its_first_use_and_keeps_it() -> None:
    x = leaf(2)
    assert x._edge is None
    first = mul(x, 1).grad_fn.next_functions[0][0]
    assert isinstance(first, ag.Accumulator)
    assert add(x, x).grad_fn.next_functions[1][0] is first


@pytest.mark.promise("P13", "A2", "N4")
def test_nothing_is_recorded_where_no_gradient_is_wanted() -> None:
    constant = ag.Node(Fraction(2))
    assert mul(constant, 3) == 6
    assert isinstance(mul(leaf(2), constant), ag.Node)


@pytest.mark.promise("N5")
def test_an_op_without_a_derivative_gives_a_node_that_backward_stops_at() -> None:
    x = leaf(2)
    y = ag.apply_op(lambda a: a > 1, None, x, op_name="gt")
    assert (y.grad_fn, y.requires_grad, y.op_name) == (None, False, "gt")
    mul(x, ag.apply_op(lambda a: 1 * a, None, x, op_name="rounded")).backward()
    assert x.grad == 2


@pytest.mark.promise("P18")
def test_an_output_may_be_marked_as_not_differentiable() -> None:
    x, y = leaf(5), leaf(7)
    first, second = ag.apply_op(
        lambda a, b: (a * b, a // b), lambda dp, dq: [dp * 7, dp * 5], x, y, op_name="two", non_differentiable=(1,)
    )
    assert (first.requires_grad, second.requires_grad, second.op_name) == (True, False, "two")
    assert mul(second, 3) == 0
    first.backward()
    assert (x.grad, y.grad) == (7, 5)


@pytest.mark.promise("N22")
def test_an_op_is_named_after_its_caller_unless_it_says_otherwise() -> None:
    def my_own_op(a: ag.Node) -> ag.Node:
        return ag.apply_op(lambda a: a, lambda dy: [dy], a)

    assert my_own_op(leaf(1)).op_name == "my_own_op"
    assert ag.apply_op(lambda a: a, lambda dy: [dy], leaf(1), op_name="given").op_name == "given"


@pytest.mark.promise("N2")
def test_a_rule_of_ones_own_returns_one_gradient_per_operand_and_may_return_none() -> None:
    x, y = leaf(2), leaf(3)
    ag.apply_op(lambda a, b: a * b, lambda dy: [None, dy * 2], x, y, op_name="half").backward()
    assert (x.grad, y.grad) == (None, 2)
    z = leaf(2)
    ag.apply_op(lambda a, n, none: a**n, lambda dy: [dy * 12], z, 3, None, op_name="power").backward()
    assert z.grad == 12


@pytest.mark.promise("P16", "A5")
def test_only_the_gradients_that_are_needed_are_computed() -> None:
    asked = []

    def gradient(saved: object, needs: tuple[bool, ...], dy: Fraction) -> list[object]:
        asked.append(needs)
        return [dy if need else None for need in needs]

    x, y = leaf(2), leaf(3)
    both = ag.apply_op(lambda a, b: a + b, gradient, x, y, op_name="sum", saves=())
    ag.grad(both, y, retain_graph=True)
    both.backward()
    ag.apply_op(lambda a, b: a + b, gradient, x, Fraction(1), op_name="sum", saves=()).backward()
    assert asked == [(False, True), (True, True), (True, False)]


@pytest.mark.promise("P4")
def test_metadata_written_in_forward_can_be_read_in_a_hook() -> None:
    shared = {"declared_at": "ops.netcl:3"}
    y = ag.apply_op(lambda a: a, lambda dy: [dy], leaf(1), op_name="same", metadata=shared)
    y.grad_fn.metadata["mine"] = 5
    seen = []
    record = weakref.ref(y.grad_fn)
    y.grad_fn.register_prehook(lambda _: seen.append(dict(record().metadata)))
    y.backward()
    assert seen == [{"declared_at": "ops.netcl:3", "mine": 5}]
    assert shared == {"declared_at": "ops.netcl:3"}


@pytest.mark.promise("N4")
def test_requires_grad_can_be_set_on_leaves_only() -> None:
    x = ag.Node(Fraction(2))
    x.requires_grad = True
    y = mul(x, x)
    with pytest.raises(GraphError, match="made by mul"):
        y.requires_grad = False
    x.requires_grad = False
    assert mul(x, x) == 4


@pytest.mark.promise("A21")
def test_detach_gives_a_plain_value() -> None:
    assert mul(leaf(2), leaf(3)).detach() == 6


@pytest.mark.promise("P56")
def test_saved_values_are_listed_by_name_until_they_are_released() -> None:
    x, y = leaf(2), leaf(3)
    z = mul(x, y)
    assert z.grad_fn.saved == {"input0": 2, "input1": 3}
    z.backward()
    with pytest.raises(GraphError, match="released"):
        _ = z.grad_fn.saved


@pytest.mark.promise("P30", "P39", "N16", "F21")
def test_grad_runs_only_what_leads_to_the_inputs_and_touches_no_grad() -> None:
    calls: list[str] = []

    def noted(name: str, a: ag.Node) -> ag.Node:
        return ag.apply_op(lambda a: a, lambda dy: calls.append(name) or [dy], a, op_name=name)

    x, y = leaf(2), leaf(3)
    z = mul(noted("on the path", x), noted("off the path", y))
    assert ag.grad(z, x, retain_graph=True) == 3
    assert calls == ["on the path"]
    assert (x.grad, y.grad) == (None, None)
    assert ag.grad(z, {"a": y}, retain_graph=True) == {"a": 2}
    assert ag.grad(z, [x, x], retain_graph=True) == [3, 3]
    z.backward(inputs=[y])
    assert (x.grad, y.grad) == (None, 2)


def test_grad_reaches_computed_nodes_and_the_output_itself() -> None:
    x = leaf(2)
    y = mul(x, x)
    z = mul(y, y)
    assert ag.grad(z, [y, x, z], retain_graph=True) == [8, 32, 1]
    z.backward(inputs=[y])
    assert (y.grad, x.grad) == (8, None)


@pytest.mark.promise("P39", "F21")
def test_an_unused_input_is_an_error_none_or_zeros() -> None:
    x, unused = leaf(2), leaf(3)
    y = mul(x, x)
    with pytest.raises(GraphError, match=r"input 1 was not used.*allow_unused=True"):
        ag.grad(y, [x, unused], retain_graph=True)
    assert ag.grad(y, [x, unused], retain_graph=True, allow_unused=True) == [4, None]
    assert ag.grad(y, [x, unused], materialize_grads=True) == [4, 0]


@pytest.mark.promise("F10")
def test_an_edge_may_stand_for_a_node() -> None:
    x = leaf(3)
    y = mul(x, x)
    edge = ag.get_gradient_edge(y)
    del y
    assert ag.grad(edge, [ag.get_gradient_edge(x)]) == [6]


@pytest.mark.promise("P54")
def test_an_unused_output_of_an_op_has_none_for_its_gradient() -> None:
    seen = []
    x, y = leaf(5), leaf(7)
    product, total = product_and_sum(x, y)
    total.grad_fn.register_prehook(seen.append)
    product.backward()
    assert seen == [(1, None)]


def test_a_leaf_is_copied_and_pickled_by_value_also_after_it_was_used() -> None:
    w = ag.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    loss.backward()
    for twin, gradient in ((copy.deepcopy(w), [2.0, 4.0]), (pickle.loads(pickle.dumps(w)), None)):
        assert (twin.tolist(), twin.requires_grad) == ([1.0, 2.0], True)
        assert (None if twin.grad is None else twin.grad.tolist()) == gradient
        twin.value[0] = 5.0
        assert w.tolist() == [1.0, 2.0]
    with pytest.raises(GraphError, match=r"result of sum .* x\.detach\(\)"):
        copy.deepcopy(loss)


def test_a_copied_leaf_has_a_gradient_of_its_own_without_a_graph_and_stays_one_in_a_copied_model() -> None:
    w = ag.tensor([1.0, 2.0], requires_grad=True)
    (w * w * w).sum().backward(create_graph=True)
    tied = copy.deepcopy({"encode": w, "decode": w})
    assert tied["encode"] is tied["decode"]
    gradient = tied["encode"].grad
    assert isinstance(gradient, core.Tensor)
    gradient[0] = 7.0
    assert (gradient.tolist(), w.grad.tolist()) == ([7.0, 12.0], [3.0, 12.0])


def test_a_tensor_never_requires_a_gradient() -> None:
    x = core.ones((2,))
    assert x.requires_grad is False
    x.requires_grad = False
    with pytest.raises(core.GraphError, match=r"ag\.tensor\(x, requires_grad=True\) makes a node"):
        x.requires_grad = True
