"""What the graph costs the device: waits, launches, bytes; and on which queue gradients are computed."""

from __future__ import annotations

import gc
import re
from typing import Any

import numpy as np
import pytest
from exact import add, leaf, mul

from netcl import autograd as ag
from netcl import core


def counted(work: Any) -> dict[str, int]:
    """What the runtime did during a call."""
    before = core.counters()
    work()
    after = core.counters()
    return {name: after[name] - before[name] for name in after}


@pytest.mark.promise("N18")
def test_backward_waits_for_nothing_and_the_next_entry_of_the_tape_waits_once() -> None:
    x = ag.ones((64,), requires_grad=True)
    tape = ag.Tape()

    def forward() -> Any:
        with tape:
            return (ag.exp(x) * x).sum()

    tape.backward(forward())
    loss = forward()
    assert counted(lambda: tape.backward(loss))["finishes"] == 0
    assert counted(forward)["finishes"] == 1
    assert counted(forward)["finishes"] == 0


@pytest.mark.promise("P32")
def test_gradients_are_computed_on_the_queue_of_the_value() -> None:
    queue = core.Queue()
    x = ag.tensor([1.0, 2.0], requires_grad=True, queue=queue)
    y = ag.tensor([3.0, 4.0], requires_grad=True)
    (x * x).sum().backward()
    (y * y).sum().backward()
    assert x.grad.queue is queue
    assert y.grad.queue is core.default_queue()
    assert (x.grad.tolist(), y.grad.tolist()) == ([2.0, 4.0], [6.0, 8.0])


@pytest.mark.promise("A5", "P16")
def test_no_kernel_runs_for_a_gradient_that_nobody_wants() -> None:
    x, w = ag.ones((3, 4), requires_grad=True), ag.ones((4, 5), requires_grad=True)
    constant = core.ones((4, 5))
    for loss in (ag.matmul(x, w), ag.matmul(x, constant)):
        ag.grad(loss, x, core.ones((3, 5)), retain_graph=True)

    def kernels(of: Any, wanted: list[Any]) -> set[str]:
        """The names of the launches that compute these gradients, which name their operands, without their numbers: on
        a card each kernel is a launch of its own."""
        with core.profile() as profile:
            ag.grad(of, wanted, core.ones((3, 5)))
        return {re.sub(r"(_\d+)?__kernel$", "", each.name) for each in profile.summary if "grad" in each.name}

    both = kernels(ag.matmul(x, w), [x, w])
    one = kernels(ag.matmul(x, w), [x])
    none = kernels(ag.matmul(x, constant), [x])
    assert both == {"matmul_grad_a_b"}
    assert one == none == {"matmul_grad_a"}


@pytest.mark.promise("P54")
def test_none_flows_through_a_graph_without_a_buffer() -> None:
    x, other = ag.ones((1000,), requires_grad=True), ag.ones((1000,), requires_grad=True)

    def nothing(a: Any) -> Any:
        return ag.apply_op(lambda a: a, lambda saved, needs, dy: [None], a, op_name="nothing", saves=(("input", 0),))

    chain = nothing(((other * 2.0) + 1.0) * other)
    loss = (x * 3.0 + chain).sum()
    seen: list[Any] = []
    other.register_hook(seen.append)
    loss.backward()
    assert (seen, other.grad) == ([], None)
    assert x.grad.tolist() == [3.0] * 1000
    branch = ((other * 2.0) + 1.0) * other
    alone = nothing(branch).sum()
    allocated = counted(lambda: alone.backward())
    assert allocated["bytes_allocated"] < 1000  # the seed; neither a gradient nor zeros in the place of one


@pytest.mark.promise("P54")
def test_an_output_that_was_not_used_costs_no_zeros_where_the_formula_does_not_read_them() -> None:
    x = ag.randn((4096,), seed=2, requires_grad=True)
    y = ag.layer_norm(x)
    seed = core.ones((4096,))
    ag.grad(y, x, seed, retain_graph=True)
    assert counted(lambda: ag.grad(y, x, seed))["bytes_allocated"] < 3 * x.value.nbytes


@pytest.mark.promise("N24", "N21")
def test_nothing_is_kept_of_a_computation_without_gradients() -> None:
    x = ag.ones((1000,), requires_grad=True)
    live = set()
    with ag.no_grad(), ag.Tape() as tape:
        y = ag.exp(x)
        for _ in range(40):
            y = ag.tanh(y * 0.5)
            live.add(core.memory_stats()["live_bytes"])
    assert len(live) == 1
    assert (type(y), len(tape)) == (core.Tensor, 0)


@pytest.mark.promise("N34", "P11")
def test_dropping_the_tape_gives_all_memory_back_without_the_collector() -> None:
    x = ag.ones((1000,), requires_grad=True)
    before = core.memory_stats()["live_bytes"]
    gc.disable()
    try:
        with ag.Tape(keep_values=True) as tape:
            y = ag.exp(x) * x
            loss = y.sum()
        tape.backward(loss)
        assert core.memory_stats()["live_bytes"] > before + 4000
        del tape, y, loss
        assert x.grad is not None
        x.zero_grad()
        assert core.memory_stats()["live_bytes"] == before
    finally:
        gc.enable()


@pytest.mark.promise("P5")
def test_saved_bytes_are_freed_while_backward_goes_on() -> None:
    x = ag.ones((1000,), requires_grad=True)
    live: list[int] = []

    def note(value: Any) -> Any:
        def rule(dy: Any) -> list[Any]:
            live.append(core.memory_stats()["live_bytes"])
            return [dy]

        return ag.apply_op(lambda a: a, rule, value, op_name="note")

    y = note(x)
    for _ in range(4):
        y = note(ag.exp(y * 0.5))
    y.sum().backward()
    steady = live[1:]  # the first gradients are still being made at live[0]
    assert steady == sorted(steady, reverse=True)
    assert steady[0] - steady[-1] >= 3 * 4000


@pytest.mark.promise("L3", "L11")
def test_a_tape_holds_values_of_any_shapes_and_dtypes() -> None:
    tape = ag.Tape()
    values = [np.float32(1.5), np.ones((2, 3)), np.zeros((0, 4), np.float32), np.arange(3), np.array([True])]
    ids = [tape.leaf(core.from_host(v), requires_grad=v.dtype.kind == "f").name or i for i, v in enumerate(values)]
    for id, value in zip(ids, values, strict=True):
        assert tape.require_value(id, value.shape).dtype == value.dtype
        with pytest.raises(core.ShapeError, match=f"node {id}: shape mismatch"):
            tape.require_value(id, (7,))
    with pytest.raises(core.GraphError, match="invalid node id 5"):
        tape.require_value(5, ())


@pytest.mark.promise("L5")
def test_reading_a_recorded_value_computes_nothing() -> None:
    x = ag.ones((8,), requires_grad=True)
    y = ag.exp(x) * 2.0
    core.synchronize()
    assert counted(lambda: [y.value.shape, y.value.to_host(), y.to_host()])["kernels_launched"] == 0
    assert y.value is y.value


@pytest.mark.promise("L10")
def test_a_leaf_has_no_parents_wants_a_gradient_and_keeps_its_name() -> None:
    tape = ag.Tape()
    x, y = tape.leaf(core.ones((2,)), "weights"), tape.leaf(core.ones((2,)), requires_grad=False)
    assert (x.name, x.parents, x.requires_grad, x.is_leaf) == ("weights", [], True, True)
    assert (y.name, y.parents, y.requires_grad) == (None, [], False)


@pytest.mark.promise("L14", "N4", "N16")
def test_what_needs_no_gradient_is_neither_visited_nor_given_anything() -> None:
    ran: list[str] = []

    def noted(name: str, a: Any) -> Any:
        return ag.apply_op(lambda a: a, lambda dy: ran.append(name) or [dy], a, op_name=name)

    x, still, unused = leaf(2), ag.Node(5), leaf(7)
    middle = noted("still", still)
    noted("unused", unused)
    mul(noted("x", x), add(middle, 1)).backward()
    assert ran == ["x"]
    assert (x.grad, still.grad, unused.grad) == (6, None, None)


@pytest.mark.promise("P33", "P31")
def test_a_backward_inside_a_backward_leaves_the_outer_one_as_it_was() -> None:
    x = leaf(3)

    def rule(dy: Any) -> list[Any]:
        inner = leaf(5)
        with ag.enable_grad():
            mul(mul(inner, inner), dy).backward()
        return [inner.grad]

    y = ag.apply_op(lambda a: a, rule, x, op_name="outer")
    mul(y, 2).backward()
    assert x.grad == 20


@pytest.mark.promise("F10")
def test_an_edge_is_a_root_with_a_seed_and_an_input_of_backward() -> None:
    x, w = leaf(3), leaf(4)
    y = mul(x, w)
    root, target = ag.get_gradient_edge(y), ag.get_gradient_edge(w)
    assert root == (y.grad_fn, 0)
    del y
    ag.backward(root, 10, inputs=[target], retain_graph=True)
    assert (x.grad, w.grad) == (None, 30)
    assert ag.grad([root], [target], [2]) == [6]


@pytest.mark.parametrize("name", ["relu", "abs", "sign", "floor", "exp"])
def test_a_gradient_that_is_a_constant_is_on_the_queue_of_the_others(name: str) -> None:
    queue = core.Queue()
    host = np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5
    for _ in range(3):
        x = ag.Node(core.from_host(host, queue), True)
        (first,) = ag.grad(getattr(ag, name)(x), [x], core.from_host(host, queue), create_graph=True)
        (second,) = ag.grad((first * first + x).sum(), [x])
        assert first.queue is queue
        assert second.queue is queue
        assert second.shape == host.shape
