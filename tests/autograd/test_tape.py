"""Tapes keep records by id, nest, belong to a thread, and give gradients by id without changing anything."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from exact import add, leaf, mul, product_and_sum, total, vector, vector_leaf

from netcl import autograd as ag
from netcl.core import GraphError, ShapeError


def test_each_op_appends_one_record_whose_id_is_the_size_before() -> None:
    with ag.Tape() as tape:
        x = tape.leaf(Fraction(3), name="x")
        nodes = [x]
        for _ in range(5):
            size = len(tape)
            nodes.append(mul(nodes[-1], x))
            assert nodes[-1].grad_fn.id == size == len(tape) - 1
    assert [tape.node(i) for i in range(6)] == nodes
    assert [tape.id_of(node) for node in nodes] == list(range(6))
    assert tape.node(0).name == "x"
    for i in range(1, 6):
        assert all(record.id < i for record, _ in tape.record(i).next_functions)


def test_plain_values_do_not_touch_the_tape() -> None:
    with ag.Tape() as tape:
        assert mul(Fraction(2), Fraction(3)) == 6
        with ag.no_grad():
            assert mul(leaf(2), leaf(3)) == 6
    assert len(tape) == 0


def test_tapes_nest_and_the_outer_one_resumes_also_after_an_error() -> None:
    with ag.Tape() as outer:
        with contextlib.suppress(KeyError), ag.Tape() as inner:
            mul(leaf(1), leaf(2))
            raise KeyError
        assert ag.get_current_tape() is outer
        mul(leaf(1), leaf(2))
    assert (len(inner), len(outer)) == (1, 1)
    assert ag.get_current_tape() is None


def test_an_explicit_tape_wins_and_needs_no_with() -> None:
    named = ag.Tape()
    with ag.Tape() as current:
        ag.apply_op(lambda a: a, lambda dy: [dy], leaf(1), tape=named, op_name="same")
    assert (len(named), len(current)) == (1, 0)
    ag.set_current_tape(named)
    mul(leaf(1), leaf(2))
    ag.set_current_tape(None)
    assert len(named) == 2


def test_a_tape_keeps_values_only_if_it_is_asked_to() -> None:
    with ag.Tape() as tape:
        mul(leaf(3), leaf(2))
    with pytest.raises(GraphError, match=r"node 0 \(mul\).*keep_values=True"):
        tape.node(0)
    assert tape.record(0).name == "mul"
    with ag.Tape(keep_values=True) as tape:
        mul(leaf(3), leaf(2))
    assert tape.require_value(0, ()) == 6


def test_a_value_is_required_by_id_and_shape() -> None:
    tape = ag.Tape()
    tape.leaf(vector(1, 2, 3))
    assert tape.require_value(0, (3,)).numbers == [1, 2, 3]
    with pytest.raises(GraphError, match="invalid node id 1"):
        tape.require_value(1, (3,))
    with pytest.raises(ShapeError, match=r"node 0: shape mismatch: expected \(2,\), found \(3,\)"):
        tape.require_value(0, (2,))


def test_gradients_by_id_change_neither_tape_nor_leaves_and_can_be_taken_again() -> None:
    tape = ag.Tape()
    with tape:
        x, constant = tape.leaf(Fraction(3)), tape.leaf(Fraction(5), requires_grad=False)
        y = mul(x, constant)
        unused = mul(x, x)
        z = mul(y, y)
    for _ in range(2):
        assert tape.backward_dense(tape.id_of(z)) == [2 * 15 * 5, None, 30, None, 1]
    assert tape.backward_dense_all(z) == [150, 0, 30, 0, 1]
    assert tape.backward_sparse(z, Fraction(2)) == {0: 300, 2: 60, 4: 2}
    assert tape.backward_scalar(unused) == [6, None, None, 1, None]
    assert x.grad is None
    assert len(tape) == 5


def test_two_seeds_at_once_equal_the_sum_of_single_runs() -> None:
    tape = ag.Tape()
    with tape:
        x = tape.leaf(Fraction(3))
        y = mul(x, x)
        mul(y, x)
    both = tape.backward_dense_from([None, Fraction(2), Fraction(5)])
    one, other = tape.backward_dense_from([None, 2, None]), tape.backward_dense_from([None, None, 5])
    assert both[0] == one[0] + other[0]
    assert both[1] == one[1] + other[1]
    with pytest.raises(GraphError, match="expected 3 entries"):
        tape.backward_dense_from([None])


def test_gradients_by_id_of_an_op_with_two_outputs_are_a_tuple() -> None:
    tape = ag.Tape()
    with tape:
        a, b = tape.leaf(Fraction(5)), tape.leaf(Fraction(7))
        product, _ = product_and_sum(a, b)
        mul(product, 3)
    assert tape.backward_dense(3) == [21, 15, (3, None), 1]


def test_wrong_ids_seeds_and_hooks_are_named() -> None:
    tape = ag.Tape()
    with tape:
        tape.leaf(vector(1, 2))
        tape.leaf(Fraction(1), requires_grad=False)
    with pytest.raises(GraphError, match="invalid node id 7"):
        tape.backward_dense(7)
    with pytest.raises(GraphError, match="unknown node"):
        tape.backward_dense(leaf(1))
    with pytest.raises(GraphError, match="node 1 does not require a gradient"):
        tape.backward_dense(1)
    with pytest.raises(ShapeError, match="seed shape mismatch"):
        tape.backward_dense(0, vector(1, 2, 3))
    with pytest.raises(ShapeError, match="a scalar has"):
        tape.backward_scalar(0)
    with pytest.raises(ShapeError, match=r"node 0 .*gradient shape mismatch"):
        tape.backward_dense(0, vector(1, 2), hook=lambda id, gradient: vector(1))


def test_backward_of_a_tape_seeds_ones_or_what_it_is_given() -> None:
    with ag.Tape() as tape:
        x = leaf(3)
        loss = mul(x, x)
    tape.backward(loss, retain_graph=True)
    tape.backward(loss, grad=Fraction(10))
    assert x.grad == 66


def test_a_tape_does_not_wait_in_backward_but_at_its_next_entry() -> None:
    finished = []

    class Queue:
        def finish(self) -> None:
            finished.append(self)

    x = vector_leaf(1, 2)
    queue = x.value.queue = Queue()
    tape, other = ag.Tape(), ag.Tape()
    with tape:
        loss = ag.apply_op(lambda a: a, lambda dy: [dy], x, op_name="same")
    seed = vector(1, 1)
    seed.queue = queue
    tape.backward(loss, seed)
    assert finished == []
    assert tape._pending_flush_queue is queue
    with other:
        assert finished == []
    with tape:
        assert finished == [queue]
    with tape:
        assert finished == [queue]


def test_debug_tape_gives_the_tape_and_does_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with ag.Tape() as tape, ag.debug_tape(tape) as same:
        assert same is tape
        assert ag.get_current_tape() is tape
    assert capfd.readouterr() == ("", "")


def test_reset_starts_ids_at_zero_again() -> None:
    with ag.Tape() as tape:
        x = leaf(2)
        y = mul(x, x)
        tape.reset()
        z = add(y, y)
    assert (y.id, z.id, len(tape)) == (None, 0, 1)


def test_the_scalar_form_refuses_a_vector() -> None:
    tape = ag.Tape()
    with tape:
        x = tape.leaf(vector(1, 2))
        assert tape.backward_scalar(total(x))[0].numbers == [1, 1]
