"""Saved values are checked for in-place writes, can be kept elsewhere, and can be computed again."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from exact import Vector, dot, leaf, mul, product, scale, total, vector, vector_leaf

from netcl import autograd as ag
from netcl.core import GraphError


def cube_sum(x: Any) -> Any:
    square = ag.apply_op(square_values, square_gradient, x, op_name="square", saves=(("input", 0),))
    return dot(square, x)


def square_values(a: Vector) -> Vector:
    return a * a


def square_gradient(saved: Any, needs: Any, dy: Any) -> list[Any]:
    return [scale(product(dy, saved[0]), 2)]


def test_a_saved_value_that_was_written_in_place_is_refused_with_all_particulars() -> None:
    x = vector_leaf(1, 2)
    y = dot(x, vector(3, 4))
    with ag.no_grad():
        add_to(x)
    with pytest.raises(GraphError) as caught:
        y.backward()
    text = str(caught.value)
    for part in ("dot: the saved input 0", "(2,)", "exact", "expected version 0", "found version 1", f"{__file__}:"):
        assert part in text, f"{part!r} is not in {text!r}"


def add_to(x: ag.Node) -> None:
    ag.apply_in_place(lambda a, b: a.add_(b), None, x, vector(1, 1), op_name="add_")


def test_an_input_that_was_not_saved_may_be_written() -> None:
    x = vector_leaf(1, 2)
    y = ag.apply_op(lambda a: a + a, lambda saved, needs, dy: [dy + dy], x, op_name="doubled", saves=())
    with ag.no_grad():
        add_to(x)
    total(y).backward()
    assert x.grad.numbers == [2, 2]


def test_a_saved_output_that_was_written_in_place_is_refused() -> None:
    x = vector_leaf(1, 2)
    y = ag.apply_op(square_values, lambda saved, needs, dy: [dy], x, op_name="kept", saves=(("output", 0),))
    y.value.bump_version()
    with pytest.raises(GraphError, match="kept: the saved output 0"):
        total(y).backward()


def test_hooks_may_keep_saved_values_elsewhere(tmp_path: Path) -> None:
    counts = {"packed": 0, "unpacked": 0}

    def pack(value: Vector) -> Path:
        counts["packed"] += 1
        path = tmp_path / f"value{counts['packed']}"
        path.write_bytes(pickle.dumps(value.numbers))
        return path

    def unpack(path: Path) -> Vector:
        counts["unpacked"] += 1
        return vector(*pickle.loads(path.read_bytes()))

    x = vector_leaf(1, 2)
    with ag.saved_tensors_hooks(pack, unpack):
        y = cube_sum(x)
    assert counts == {"packed": 3, "unpacked": 0}
    y.backward()
    assert counts == {"packed": 3, "unpacked": 3}
    assert x.grad.numbers == [3, 12]


def test_hooks_can_be_disabled_with_a_message() -> None:
    with (
        ag.disable_saved_tensors_hooks("not in this loop"),
        pytest.raises(GraphError, match="not in this loop"),
        ag.save_on_host(),
    ):
        pass
    with ag.save_on_host():
        x = vector_leaf(1, 2)
        total(x).backward()
    assert x.grad.numbers == [1, 1]


def test_mutation_of_saved_values_can_be_allowed() -> None:
    x = vector_leaf(1, 2)
    with ag.allow_mutation_on_saved_tensors():
        y = cube_sum(x)
    with ag.no_grad():
        add_to(x)
    y.backward()
    assert x.grad.numbers == [3, 12]


def test_a_checkpointed_function_keeps_nothing_and_runs_again_in_backward() -> None:
    calls = []

    def work(x: Any, factor: int) -> Any:
        calls.append(factor)
        return mul(cube_sum(x), factor)

    x = vector_leaf(1, 2)
    y = ag.checkpoint(work, x, factor=2)
    assert calls == [2]
    y.backward()
    assert calls == [2, 2]
    assert x.grad.numbers == [6, 24]


def test_a_checkpoint_works_with_grad_inside_another_and_at_second_order() -> None:
    def inner(x: Any) -> Any:
        return scale(x, cube_sum(x))

    def outer(x: Any) -> Any:
        return dot(ag.checkpoint(inner, x), x)

    x = vector_leaf(1, 2)
    expected = ag.grad(outer(x), x, create_graph=True)
    expected_second = ag.grad(total(expected), x)
    first = ag.grad(ag.checkpoint(outer, x), x, create_graph=True)
    assert first.value.numbers == expected.value.numbers
    assert ag.grad(total(first), x).numbers == expected_second.numbers


def test_a_checkpointed_function_must_do_the_same_both_times() -> None:
    times = []

    def fickle(x: Any) -> Any:
        times.append(1)
        return cube_sum(x) if len(times) == 1 else total(x)

    y = ag.checkpoint(fickle, vector_leaf(1, 2))
    with pytest.raises(GraphError, match="checkpoint: fickle saved 3 values at first and 2"):
        y.backward()


def test_a_checkpoint_uses_a_leaf_that_is_not_an_argument() -> None:
    w = vector_leaf(5, 7)
    x = vector_leaf(1, 2)
    ag.checkpoint(lambda x: dot(x, w), x).backward()
    assert w.grad.numbers == [1, 2]
    assert leaf(1).grad is None
