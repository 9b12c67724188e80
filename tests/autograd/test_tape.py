"""Tapes keep records by id, nest, belong to a thread, and give gradients by id without changing anything."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from exact import add, leaf, mul, product_and_sum, total, vector, vector_leaf

from netcl import autograd as ag
from netcl.core import GraphError, ShapeError


@pytest.mark.promise("L7", "L8", "L10")
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


@pytest.mark.promise("N3", "N21")
def test_plain_values_do_not_touch_the_tape() -> None:
    with ag.Tape() as tape:
        assert mul(Fraction(2), Fraction(3)) == 6
        with ag.no_grad():
            assert mul(leaf(2), leaf(3)) == 6
    assert len(tape) == 0


@pytest.mark.promise("N9")
def test_tapes_nest_and_the_outer_one_resumes_also_after_an_error() -> None:
    with ag.Tape() as outer:
        with contextlib.suppress(KeyError), ag.Tape() as inner:
            mul(leaf(1), leaf(2))
            raise KeyError
        assert ag.get_current_tape() is outer
        mul(leaf(1), leaf(2))
    assert (len(inner), len(outer)) == (1, 1)
    assert ag.get_current_tape() is None


@pytest.mark.promise("N11")
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


@pytest.mark.promise("L11")
def test_a_value_is_required_by_id_and_shape() -> None:
    tape = ag.Tape()
    tape.leaf(vector(1, 2, 3))
    assert tape.require_value(0, (3,)).numbers == [1, 2, 3]
    with pytest.raises(GraphError, match="invalid node id 1"):
        tape.require_value(1, (3,))
    with pytest.raises(ShapeError, match=r"node 0: shape mismatch: expected \(2,\), found \(3,\)"):
        tape.require_value(0, (2,))


@pytest.mark.promise("L15", "L16", "L17", "L21")
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


@pytest.mark.promise("L18")
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


@pytest.mark.promise("L20", "L23", "L19")
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


@pytest.mark.promise("N12", "P40")
def test_backward_of_a_tape_seeds_ones_or_what_it_is_given() -> None:
    with ag.Tape() as tape:
        x = leaf(3)
        loss = mul(x, x)
    tape.backward(loss, retain_graph=True)
    tape.backward(loss, grad=Fraction(10))
    assert x.grad == 66


@pytest.mark.promise("N18")
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


@pytest.mark.promise("N30")
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


@pytest.mark.promise("L19")
def test_the_scalar_form_refuses_a_vector() -> None:
    tape = ag.Tape()
    with tape:
        x = tape.leaf(vector(1, 2))
        assert tape.backward_scalar(total(x))[0].numbers == [1, 1]


@pytest.mark.promise("L6")
def test_a_rule_may_name_a_parent_never_once_or_several_times_and_the_gradients_are_summed() -> None:
    tape = ag.Tape()
    a, b, c = (tape.leaf(Fraction(n)) for n in (2, 3, 4))
    constant = tape.leaf(Fraction(9), requires_grad=False)
    y = tape.add_node(Fraction(10), [a, 1, c, constant], lambda dy: [(0, dy), (1, 5 * dy), (0, 2 * dy), (3, dy)])
    assert (y.value, y.id, y.parents) == (10, 4, [a, b, c, None])
    assert tape.backward_dense(y, Fraction(2)) == [6, 10, None, None, 2]
    y.backward()
    assert (a.grad, b.grad, c.grad) == (3, 5, None)
    assert tape.add_node(Fraction(1), [constant], lambda dy: []).requires_grad is False


@pytest.mark.promise("L4", "L20")
def test_a_wrong_parent_and_a_wrong_contribution_are_named() -> None:
    tape = ag.Tape()
    x = tape.leaf(vector(1, 2))
    with pytest.raises(GraphError, match="invalid parent id: invalid node id 7"):
        tape.add_node(vector(1, 2), [7], lambda dy: [])
    with pytest.raises(GraphError, match="invalid parent id: unknown node"):
        tape.add_node(vector(1, 2), [leaf(1)], lambda dy: [])
    foreign = tape.add_node(vector(1, 2), [x], lambda dy: [(3, dy)], "foreign")
    with pytest.raises(GraphError, match=r"foreign: invalid parent id 3: the parents of this node are \[0\]"):
        total(foreign).backward()
    short = tape.add_node(vector(1, 2), [x], lambda dy: [(0, vector(1))], "short")
    with pytest.raises(ShapeError, match=r"short: contribution shape mismatch: a gradient for parent 0 has shape \(1,"):
        total(short).backward()
    assert x.grad is None


@pytest.mark.promise("L12")
def test_an_output_gradient_of_the_wrong_shape_is_refused_before_the_rule_runs() -> None:
    ran = []
    y = ag.apply_op(lambda a: a, lambda dy: ran.append(1) or [dy], vector_leaf(1, 2), op_name="same")
    with pytest.raises(ShapeError, match=r"same: upstream gradient shape mismatch: output 0 has shape \(2,\)"):
        y.grad_fn(vector(1, 2, 3))
    assert ran == []
    with pytest.raises(ShapeError, match=r"upstream gradient shape mismatch: expected \(3,\), found \(2,\)"):
        ag.Tape.require_grad(vector(1, 2), (3,))
    gradient = vector(1, 2)
    assert ag.Tape.require_grad(gradient, (2,)) is gradient


@pytest.mark.promise("L1", "L2")
def test_every_tape_method_has_a_form_that_returns_its_error() -> None:
    tape = ag.Tape()
    x = tape.leaf(vector(1, 2), "x")
    foreign = leaf(1)
    assert tape.try_value(0) == (x.value, None)
    assert ag.ok_or_raise(tape.try_require_value(0, (2,))) is x.value
    for call, text in (
        (lambda: tape.try_node(5), "invalid node id 5"),
        (lambda: tape.try_id_of(foreign), "unknown node"),
        (lambda: tape.try_require_value(0, (3,)), "shape mismatch"),
        (lambda: tape.try_backward_dense(5), "invalid node id 5"),
        (lambda: tape.try_backward_dense(0, vector(1)), "seed shape mismatch"),
        (lambda: tape.try_backward_dense_from([]), "expected 1 entries"),
        (lambda: tape.try_backward_scalar(0), "a scalar has"),
        (lambda: tape.try_add_node(vector(1), [9], lambda dy: []), "invalid parent id"),
        (lambda: tape.try_backward(vector(1)), "expected a Node"),
    ):
        value, error = call()
        assert value is None
        assert text in str(error)
        with pytest.raises(type(error), match=text):
            ag.ok_or_raise(ag.Result(value, error))
    with pytest.raises(AttributeError, match="no attribute 'try_nothing'"):
        tape.try_nothing()
    with pytest.raises(ZeroDivisionError):  # a bug is not a value
        ag.attempt(lambda: 1 // 0)


@pytest.mark.promise("L9")
def test_an_id_that_is_not_there_gives_none_or_an_error() -> None:
    tape = ag.Tape()
    x = tape.leaf(Fraction(3))
    assert (tape.get_node(0), tape.get_value(0), tape.size) == (x, 3, 1)
    for id in (1, -1, True, "0"):
        assert tape.get_node(id) is None
        assert tape.get_value(id) is None
        with pytest.raises(GraphError, match="invalid node id"):
            tape.value(id)
    with pytest.raises(GraphError, match="invalid node id 0: this tape has no nodes yet"):
        ag.Tape().node(0)


@pytest.mark.promise("L29")
def test_a_tape_without_gradients_keeps_the_values() -> None:
    with ag.Tape(track_gradients=False) as tape:
        x = tape.leaf(Fraction(3))
        y = mul(x, x)
        product_and_sum(y, x)
    assert not any(node.requires_grad for node in (x, y))
    assert [tape.value(i) for i in (0, 1)] == [3, 9]
    assert (tape.node(2, 0).value, tape.node(2, 1).value, tape.node(1).op_name) == (27, 12, "mul")
    with pytest.raises(GraphError, match="node 1 does not require a gradient"):
        tape.backward_dense(1)
    with pytest.raises(GraphError, match="does not require a gradient"):
        y.backward()
    with ag.Tape() as plain, ag.no_grad():
        assert mul(leaf(2), 3) == 6
    assert len(plain) == 0


@pytest.mark.promise("L22")
def test_the_implicit_and_the_explicit_form_give_the_same_ids() -> None:
    def program(x: ag.Node, tape: ag.Tape | None) -> list[int]:
        y = ag.apply_op(lambda a: a + 1, lambda dy: [dy], x, op_name="next", tape=tape)
        z = ag.apply_op(lambda a, b: a * b, lambda dy: [dy * 4, dy * 3], x, y, op_name="product", tape=tape)
        return [x.id, y.id, z.id]

    explicit = ag.Tape()
    with ag.Tape() as implicit:
        assert program(implicit.leaf(Fraction(3)), None) == [0, 1, 2]
    assert program(explicit.leaf(Fraction(3)), explicit) == [0, 1, 2]
    assert [record.name for record in explicit] == [record.name for record in implicit]
