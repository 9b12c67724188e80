"""Graphs of any depth work, and what nobody needs is freed at once, without the garbage collector."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from exact import Vector, add, dot, leaf, mul, reciprocal, total, vector, vector_leaf

from netcl import autograd as ag


@pytest.fixture(autouse=True)
def _no_garbage_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def chain(length: int) -> tuple[ag.Node, ag.Node]:
    x = ag.Node(1, requires_grad=True)
    y = x
    for _ in range(length):
        y = add(y, x)
    return x, y


@pytest.mark.promise("N14")
def test_a_chain_of_100_000_ops_runs_forward_and_backward_and_is_freed() -> None:
    x, y = chain(100_000)
    first = y
    record = y.grad_fn
    for _ in range(50_000):
        record = record.next_functions[0][0]
    middle = weakref.ref(record)
    del record
    y.backward()
    assert x.grad == 100_001
    del y, first
    assert middle() is None


@pytest.mark.promise("N14")
def test_a_chain_of_the_users_own_closures_is_freed_on_a_small_stack() -> None:
    alive: list[object] = []

    def build_and_drop() -> None:
        y = ag.Node(1, requires_grad=True)
        start = weakref.ref(y)
        for _ in range(100_000):
            y = ag.apply_op(lambda a: a, lambda dy, kept=y: [dy], y, op_name="own")
        del y
        alive.append(start())

    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=build_and_drop)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert alive == [None]


@pytest.mark.promise("P7", "F17")
def test_dropping_the_output_frees_an_op_that_saved_its_output() -> None:
    x = leaf(2)
    y = reciprocal(x)
    record, handle = weakref.ref(y.grad_fn), weakref.ref(y)
    del y
    assert record() is None
    assert handle() is None


@pytest.mark.promise("P9", "N34")
def test_a_value_that_no_op_saved_is_freed_with_its_handle() -> None:
    x = vector_leaf(1, 2)
    y = ag.apply_op(lambda a: a + a, lambda saved, needs, dy: [dy + dy], x, op_name="doubled", saves=())
    value = weakref.ref(y.value)
    loss = total(ag.apply_op(lambda a: a + a, lambda saved, needs, dy: [dy + dy], y, op_name="doubled", saves=()))
    del y
    assert value() is None
    loss.backward()
    assert x.grad.numbers == [4, 4]


@pytest.mark.promise("P5")
def test_a_saved_value_is_freed_by_backward_and_not_before() -> None:
    x = vector_leaf(1, 2)
    loss = dot(ag.apply_op(Vector.clone, lambda saved, needs, dy: [dy], x, op_name="clone", saves=()), vector(3, 4))
    value = weakref.ref(loss.grad_fn.saved["input0"])
    assert value() is not None
    loss.backward()
    assert value() is None
    assert x.grad.numbers == [3, 4]


@pytest.mark.promise("F17")
def test_a_gradient_with_its_own_graph_makes_no_cycle_with_its_leaf() -> None:
    x = leaf(2)
    mul(mul(x, x), x).backward(create_graph=True)
    assert isinstance(x.grad, ag.Node)
    record, handle = weakref.ref(x.grad.grad_fn), weakref.ref(x)
    del x
    assert handle() is None
    assert record() is None


@pytest.mark.promise("P11")
def test_a_leaf_is_freed_when_only_its_graph_is_left() -> None:
    x = leaf(2)
    y = mul(x, x)
    handle = weakref.ref(x)
    del x
    assert handle() is None
    y.backward()  # its gradient can be read by nobody, and goes nowhere


@pytest.mark.promise("P35")
def test_a_failed_backward_leaves_nothing_behind() -> None:
    def fail(dy: object) -> list[object]:
        raise ValueError("planted")

    x = leaf(2)
    y = mul(ag.apply_op(lambda a: a, fail, x, op_name="failing"), x)
    record = weakref.ref(y.grad_fn)
    with pytest.raises(ValueError, match="planted"):
        y.backward()
    del y
    assert record() is None


@pytest.mark.promise("P55", "F17")
def test_a_thousand_steps_leave_no_objects() -> None:
    x = leaf(1)

    def step() -> None:
        x.zero_grad()
        mul(reciprocal(x), x).backward(create_graph=True)
        x.zero_grad()

    step()
    before = len(gc.get_objects())
    for _ in range(1000):
        step()
    assert len(gc.get_objects()) <= before + 5


@pytest.mark.promise("P4")
def test_metadata_is_freed_with_its_record() -> None:
    class Note:
        pass

    note = Note()
    seen = weakref.ref(note)
    y = mul(leaf(1), leaf(2))
    y.grad_fn.metadata["note"] = note
    del note
    assert seen() is not None
    del y
    assert seen() is None
