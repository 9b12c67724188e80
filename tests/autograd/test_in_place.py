"""In-place writes give the handle a new record; views and bases see each other's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from exact import add_in_place, dot, embed, mul_in_place, scale, scale_by, total, vector, vector_leaf, window

from netcl import autograd as ag
from netcl.core import GraphError


@pytest.mark.promise("A20", "P17")
def test_a_write_gives_the_handle_a_new_record_and_leaves_older_consumers_alone() -> None:
    x, w = vector_leaf(1, 2), vector_leaf(3, 4)
    y = scale(x, 2)
    older = y.grad_fn
    before = scale_by(y, 10)
    assert add_in_place(y, w) is y
    assert (y.op_name, y.version) == ("add_", 1)
    assert y.grad_fn.next_functions[0][0] is older
    ag.backward([total(before), total(y)])
    assert x.grad.numbers == [22, 22]
    assert w.grad.numbers == [1, 1]


def test_a_write_that_saves_what_it_overwrites_keeps_a_copy() -> None:
    x, w = vector_leaf(1, 2), vector_leaf(3, 4)
    y = scale(x, 2)
    mul_in_place(y, w)
    assert y.value.numbers == [6, 16]
    total(y).backward()
    assert x.grad.numbers == [6, 8]
    assert w.grad.numbers == [2, 4]


@pytest.mark.promise("P29", "A20")
def test_a_leaf_and_a_view_of_a_leaf_are_refused_before_anything_is_written() -> None:
    x = vector_leaf(1, 2)
    with pytest.raises(GraphError, match="a leaf that requires a gradient"):
        add_in_place(x, vector(1, 1))
    with pytest.raises(GraphError, match="a view of a leaf"):
        add_in_place(window(x, 0, 1), vector(1))
    assert x.value.numbers == [1, 2]
    with ag.no_grad():
        add_in_place(x, vector(1, 1))
    assert x.value.numbers == [2, 3]


def test_a_write_counts_although_its_forward_counts_none() -> None:
    def write(target: Any, other: Any) -> Any:
        target.numbers = other.numbers
        return target

    x = vector_leaf(1, 2)
    y = scale(x, 2)
    square = dot(y, y)
    ag.apply_in_place(write, lambda saved, needs, dy: [None, dy], y, vector(7, 8), op_name="write_", saves=())
    assert y.version == 1
    with pytest.raises(GraphError, match="changed in place"):
        square.backward()
    with ag.no_grad():
        plain = vector(1, 2)
        ag.apply_in_place(write, None, plain, vector(7, 8), op_name="write_")
    assert plain.version == 1


@pytest.mark.promise("A20")
def test_a_plain_value_cannot_swallow_a_gradient() -> None:
    target = vector(1, 2)
    with pytest.raises(GraphError, match="the target is a plain Tensor"):
        add_in_place(target, vector_leaf(1, 1))
    assert target.numbers == [1, 2]
    node = add_in_place(ag.Node(target), w := vector_leaf(1, 1))
    total(node).backward()
    assert w.grad.numbers == [1, 1]


@pytest.mark.promise("P28")
def test_a_write_through_a_view_gives_the_base_the_right_gradients() -> None:
    x, w = vector_leaf(1, 2, 3), vector_leaf(5)
    base = scale(x, 2)
    part = window(base, 1, 2)
    mul_in_place(part, w)
    assert base.value.numbers == [2, 20, 6]
    dot(base, vector(1, 10, 100)).backward()
    assert x.grad.numbers == [2, 2 * 5 * 10, 200]
    assert w.grad.numbers == [2 * 2 * 10]


@pytest.mark.promise("P28")
def test_another_view_sees_the_new_history() -> None:
    x, w = vector_leaf(1, 2, 3), vector_leaf(5)
    base = scale(x, 2)
    part, other = window(base, 1, 2), window(base, 0, 3)
    mul_in_place(part, w)
    dot(other, vector(1, 10, 100)).backward()
    assert x.grad.numbers == [2, 100, 200]
    assert w.grad.numbers == [40]


@pytest.mark.promise("P28")
def test_a_view_sees_a_write_to_its_base() -> None:
    x, w = vector_leaf(1, 2, 3), vector_leaf(5, 6, 7)
    base = scale(x, 2)
    part = window(base, 1, 3)
    mul_in_place(base, w)
    total(part).backward()
    assert x.grad.numbers == [0, 12, 14]
    assert w.grad.numbers == [0, 4, 6]


@pytest.mark.promise("P26", "P28")
def test_a_write_through_a_view_of_a_view_reaches_the_root() -> None:
    x, w = vector_leaf(1, 2, 3, 4), vector_leaf(5)
    base = scale(x, 2)
    inner = window(window(base, 1, 4), 1, 2)
    assert inner.base is base
    mul_in_place(inner, w)
    assert base.version == inner.version == 1
    assert base.value.numbers == [2, 4, 30, 8]
    total(base).backward()
    assert x.grad.numbers == [2, 2, 10, 2]
    assert w.grad.numbers == [6]


def plain_window(a: ag.Node, start: int, stop: int) -> ag.Node:
    """A view that says nothing of being one."""
    n = a.shape[0]
    return ag.apply_op(
        lambda a: a.view(start, stop),
        lambda saved, needs, dy: [embed(dy, start, n)],
        a, op_name="plain_window", saves=(),
    )  # fmt: skip


@pytest.mark.promise("P26")
def test_a_view_is_found_by_its_memory_and_its_history_is_derived() -> None:
    x, w = vector_leaf(1, 2, 3, 4), vector_leaf(5)
    base = scale_by(x, 2)
    part = plain_window(plain_window(base, 1, 4), 1, 2)
    mul_in_place(part, w)
    assert base.value.numbers == [2, 4, 30, 8]
    ag.backward([dot(base, vector(1, 10, 100, 1000)), total(part)])
    assert x.grad.numbers == [2, 20, 2 * 5 * 101, 2000]
    assert w.grad.numbers == [6 * 101]
    with pytest.raises(GraphError, match="a view of a leaf"):
        add_in_place(plain_window(x, 0, 1), vector(1))


def through_a_row(x: Any, v: Any) -> Any:
    x[1] = v * 2.0
    return x * x


def through_steps(x: Any, v: Any) -> Any:
    x[:, ::2] = v[:2]
    x[2:2] = 7.0
    return (x * x).sum(axis=0)


def through_two_views(x: Any, v: Any) -> Any:
    row, rest = x[0], x[1:]
    row.mul_(v)
    rest.add_(1.0)
    return x * row.sum() + rest.sum()


def to_the_base_of_a_view(x: Any, v: Any) -> Any:
    row = x[0]
    x.mul_(v)
    return row * row + x.sum()


def through_turned_axes(x: Any, v: Any) -> Any:
    columns = ag.permute(x, (1, 0))
    columns[1] = columns[0] * 2.0
    x[None, ..., 3] = v[:3]
    return x * x


def to_one_element(x: Any, v: Any) -> Any:
    x[0, 1] = x[2, 2]
    x[::-1][0] = v
    return x * x


def as_python_spells_it(x: Any, v: Any) -> Any:
    x[1] *= v  # x[1] * v is computed, has x[1] saved, and is written there
    x[::2, ::3] /= v[:2]
    x[0, 1] **= 3
    return x * x


def to_what_the_value_reads(x: Any, v: Any) -> Any:
    x[0] = x[1] * v
    x[1:] = x[:2] * x[1:]
    return x * x


@pytest.mark.promise("P28", "A20")
@pytest.mark.parametrize(
    "write",
    [
        *(through_a_row, through_steps, through_two_views, to_the_base_of_a_view, through_turned_axes, to_one_element),
        *(as_python_spells_it, to_what_the_value_reads),
    ],
    ids=lambda write: write.__name__,
)
@pytest.mark.sample(5)
def test_gradients_of_writes_on_a_device_are_what_differences_say(write: Any) -> None:
    rng = np.random.default_rng(0)
    x, v = (ag.tensor(rng.normal(size=shape), requires_grad=True) for shape in ((3, 4), (4,)))
    assert ag.gradcheck(lambda x, v: write(x * 1.0, v), [x, v])


def test_a_number_written_into_an_empty_slice_has_a_second_gradient() -> None:
    x = ag.tensor(np.ones((3, 2)), requires_grad=True)
    z = ag.tensor(np.ones((3, 2)), requires_grad=True)
    y = x * 1.5
    y[3:] = z.sum()
    gx, gz = ag.grad((y * y).sum(), [x, z], create_graph=True)
    second = ag.grad((gx * gx).sum() + (gz * gz).sum(), [x, z], allow_unused=True)
    assert second[0].tolist() == [[40.5, 40.5]] * 3
    assert second[1] is None or second[1].tolist() == [[0, 0]] * 3


def test_what_an_earlier_op_has_saved_is_not_written_over_unseen() -> None:
    x = ag.tensor([1.0, 2.0], requires_grad=True) * 1
    y = x.exp() * x
    x[0] *= x[1]
    with pytest.raises(GraphError, match="changed in place after it was saved"):
        y.sum().backward()
