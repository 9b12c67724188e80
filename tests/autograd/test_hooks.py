"""Hooks are called in a fixed order, may replace gradients, and can be removed at any time."""

from __future__ import annotations

import pytest
from exact import add, leaf, mul, product_and_sum

from netcl import autograd as ag
from netcl.core import GraphError, ShapeError


@pytest.mark.promise("P37", "F6")
def test_the_order_is_tensor_hook_then_record_before_then_run_then_record_after() -> None:
    seen: list[str] = []
    x = leaf(3)
    y = ag.apply_op(lambda a: a, lambda dy: seen.append("run") or [dy], x, op_name="same")
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append("after"))
    y.grad_fn.register_prehook(lambda outputs: seen.append("before"))
    y.register_hook(lambda gradient: seen.append("tensor"))
    x.register_hook(lambda gradient: seen.append("leaf"))
    x.register_post_accumulate_grad_hook(lambda node: seen.append(f"accumulated {node.grad}"))
    y.backward()
    assert seen == ["tensor", "before", "run", "after", "leaf", "accumulated 1"]


@pytest.mark.promise("P37")
def test_a_tensor_hook_sees_the_sum_of_all_contributions() -> None:
    seen = []
    x = leaf(3)
    y = mul(x, x)
    y.register_hook(seen.append)
    add(y, add(y, y)).backward()
    assert seen == [3]


@pytest.mark.promise("P37")
def test_what_a_hook_returns_takes_the_place_of_the_gradient() -> None:
    x = leaf(3)
    y = mul(x, 1)
    y.register_hook(lambda gradient: gradient * 2)
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 5,))
    y.grad_fn.register_hook(lambda inputs, outputs: [inputs[0] * 7, None])
    x.register_hook(lambda gradient: gradient * 11)
    y.backward()
    assert x.grad == 2 * 5 * 7 * 11


def test_hooks_on_each_output_get_that_outputs_gradient() -> None:
    seen = []
    a, b = leaf(5), leaf(7)
    product, total = product_and_sum(a, b)
    product.register_hook(lambda g: seen.append(("product", g)))
    total.register_hook(lambda g: seen.append(("sum", g)))
    total.grad_fn.register_prehook(lambda g: seen.append(("both", g)))
    mul(total, 3).backward(retain_graph=True)
    assert seen == [("sum", 3), ("both", (None, 3))]


@pytest.mark.promise("P37")
def test_a_removed_hook_is_not_called_even_when_it_is_removed_by_another() -> None:
    seen = []
    x = leaf(3)
    y = mul(x, x)
    y.register_hook(lambda gradient: last.remove())
    last = y.register_hook(seen.append)
    with y.register_hook(lambda gradient: seen.append("inside")):
        y.backward(retain_graph=True)
    y.backward()
    assert seen == ["inside"]


def test_retain_grad_keeps_the_gradient_of_a_computed_node_after_its_hooks() -> None:
    x = leaf(3)
    y = mul(x, x)
    y.retain_grad()
    y.register_hook(lambda gradient: gradient * 10)
    add(y, y).backward()
    assert (y.grad, x.grad) == (20, 120)
    assert y.retains_grad
    assert not x.retains_grad


def test_retained_gradients_of_several_backwards_add_up() -> None:
    x = leaf(3)
    y = mul(x, x)
    y.retain_grad()
    z = mul(y, 5)
    z.backward(retain_graph=True)
    z.backward()
    assert (y.grad, x.grad) == (10, 60)


@pytest.mark.promise("F6")
def test_a_post_accumulate_hook_runs_while_backward_goes_on() -> None:
    order: list[str] = []

    def noted(name: str, value: ag.Node) -> ag.Node:
        return ag.apply_op(lambda a: a, lambda dy: order.append(name) or [dy], value, op_name=name)

    early, late = leaf(2), leaf(3)
    y = mul(noted("first", early), late)
    mul(y, 1).backward()  # `late` was used before; its old sequence number must not delay it
    for node, name in ((early, "early"), (late, "late")):
        node.register_post_accumulate_grad_hook(lambda _, name=name: order.append(name))
    order.clear()
    mul(noted("first", early), late).backward()
    assert order == ["late", "first", "early"]


def test_a_post_accumulate_hook_belongs_to_leaves() -> None:
    with pytest.raises(GraphError, match="made by mul"):
        mul(leaf(1), leaf(2)).register_post_accumulate_grad_hook(print)


@pytest.mark.promise("F6")
@pytest.mark.parametrize(("mode", "expected"), [("all", [[2, 1]]), ("any", [1])])
def test_a_hook_on_several_nodes_is_called_once_per_backward(mode: str, expected: list[object]) -> None:
    seen: list[object] = []
    x = leaf(3)
    y = mul(x, 2)
    handle = ag.register_multi_grad_hook([x, y], seen.append, mode=mode)
    add(y, 0).backward(retain_graph=True)
    assert seen == expected
    handle.remove()
    y.backward()
    assert seen == expected


@pytest.mark.promise("F6")
def test_a_hook_on_several_nodes_gets_none_for_those_that_were_not_reached() -> None:
    seen: list[object] = []
    x, unused = leaf(3), leaf(4)
    ag.register_multi_grad_hook([x, unused], seen.append)
    mul(x, 2).backward()
    assert seen == [[2, None]]


@pytest.mark.promise("P34")
def test_callbacks_run_once_after_the_backward_and_may_add_more() -> None:
    order: list[str] = []
    x = leaf(3)
    y = mul(x, x)

    def more() -> None:
        order.append("first")
        ag.queue_callback(lambda: order.append("second"))

    y.register_hook(lambda gradient: ag.queue_callback(more))
    x.register_hook(lambda gradient: order.append("leaf"))
    y.backward()
    assert order == ["leaf", "first", "second"]
    with pytest.raises(GraphError, match="no backward is running"):
        ag.queue_callback(more)


@pytest.mark.promise("P34")
def test_an_error_in_a_callback_reaches_the_caller() -> None:
    x = leaf(3)
    x.register_hook(lambda gradient: ag.queue_callback(lambda: 1 // 0))
    with pytest.raises(ZeroDivisionError):
        mul(x, x).backward()


@pytest.mark.promise("P37", "L23")
def test_a_hook_that_changes_the_shape_is_refused() -> None:
    from exact import total, vector, vector_leaf

    x = vector_leaf(1, 2)
    x.register_hook(lambda gradient: vector(1, 2, 3))
    with pytest.raises(ShapeError, match="gradient shape mismatch"):
        total(x).backward()
