"""Saved values are checked for in-place writes, can be kept elsewhere, and can be computed again."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exact import Vector, dot, leaf, mul, product, scale, total, vector, vector_leaf

from netcl import autograd as ag
from netcl import core
from netcl.core import GraphError


def cube_sum(x: Any) -> Any:
    square = ag.apply_op(square_values, square_gradient, x, op_name="square", saves=(("input", 0),))
    return dot(square, x)


def square_values(a: Vector) -> Vector:
    return a * a


def square_gradient(saved: Any, needs: Any, dy: Any) -> list[Any]:
    return [scale(product(dy, saved[0]), 2)]


@pytest.mark.promise("P8", "F3")
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


@pytest.mark.promise("P9")
def test_an_input_that_was_not_saved_may_be_written() -> None:
    x = vector_leaf(1, 2)
    y = ag.apply_op(lambda a: a + a, lambda saved, needs, dy: [dy + dy], x, op_name="doubled", saves=())
    with ag.no_grad():
        add_to(x)
    total(y).backward()
    assert x.grad.numbers == [2, 2]


@pytest.mark.promise("P8")
def test_a_saved_output_that_was_written_in_place_is_refused() -> None:
    x = vector_leaf(1, 2)
    y = ag.apply_op(square_values, lambda saved, needs, dy: [dy], x, op_name="kept", saves=(("output", 0),))
    y.value.bump_version()
    with pytest.raises(GraphError, match="kept: the saved output 0"):
        total(y).backward()


@pytest.mark.promise("P10")
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


@pytest.mark.promise("P10")
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


@pytest.mark.promise("F11")
def test_mutation_of_saved_values_can_be_allowed() -> None:
    x = vector_leaf(1, 2)
    with ag.allow_mutation_on_saved_tensors():
        y = cube_sum(x)
    with ag.no_grad():
        add_to(x)
    y.backward()
    assert x.grad.numbers == [3, 12]


@pytest.mark.promise("F11")
def test_a_saved_value_is_copied_at_the_first_write_and_only_then() -> None:
    x, w = vector_leaf(1, 2), vector_leaf(5, 7)
    with ag.allow_mutation_on_saved_tensors():
        y = dot(x, w)
    held = y.grad_fn.saved["input0"]
    assert held is x.value
    with ag.no_grad():
        add_to(x)
        add_to(x)
    assert y.grad_fn.saved["input0"].numbers == [1, 2]
    assert y.grad_fn.saved["input1"] is w.value
    y.backward(retain_graph=True)
    y.backward()
    assert (x.grad.numbers, w.grad.numbers) == ([10, 14], [2, 4])
    with ag.allow_mutation_on_saved_tensors():
        y = dot(x, w)
    x.value.bump_version()  # by something that does not say so before
    with pytest.raises(GraphError, match="held value"):
        y.backward()


@pytest.mark.promise("F8")
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


@pytest.mark.promise("F8")
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
    with pytest.raises(GraphError, match="checkpoint: fickle ran dot, which it did not run in this place at first"):
        y.backward()


def test_a_checkpoint_uses_a_leaf_that_is_not_an_argument() -> None:
    w = vector_leaf(5, 7)
    x = vector_leaf(1, 2)
    ag.checkpoint(lambda x: dot(x, w), x).backward()
    assert w.grad.numbers == [1, 2]
    assert leaf(1).grad is None


def times_ten(runs: list[str], x: Any, name: str) -> Any:
    """10 x by a product, which saves its operands; notes each run."""

    def forward(a: Any, b: Any) -> Any:
        runs.append(name)
        return a * b

    saves = (("input", 0), ("input", 1))
    return ag.apply_op(forward, lambda s, n, dy: [dy * s[1], None], x, vector(10, 10), op_name=name, saves=saves)


@pytest.mark.promise("F8")
@pytest.mark.parametrize("policy", [("dear",), lambda name: name == "dear"])
def test_ops_that_a_policy_names_are_not_run_again(policy: Any) -> None:
    runs: list[str] = []

    def work(x: Any) -> Any:
        return dot(times_ten(runs, times_ten(runs, times_ten(runs, x, "cheap"), "dear"), "cheap"), x)

    x = vector_leaf(3, 0)
    y = ag.checkpoint(work, x, policy=policy)
    assert runs == ["cheap", "dear", "cheap"]
    y.backward(retain_graph=True)
    assert x.grad.numbers == [6000, 0]
    assert runs == ["cheap", "dear", "cheap", "cheap", "cheap"]
    y.backward()
    assert x.grad.numbers == [12000, 0]
    assert runs.count("dear") == 1


@pytest.mark.promise("F8")
def test_a_kept_output_must_come_from_the_same_op_the_second_time() -> None:
    names = iter(["dear", "dearest"])
    runs: list[str] = []

    def work(x: Any) -> Any:
        return dot(times_ten(runs, x, next(names)), x)

    y = ag.checkpoint(work, vector_leaf(3, 0), policy=("dear", "dearest"))
    with pytest.raises(GraphError, match="checkpoint: work ran dearest, which it did not run in this place at first"):
        y.backward()


@pytest.mark.promise("F8")
def test_a_nested_checkpoint_with_policies_stops_as_early_as_it_can() -> None:
    runs: list[str] = []

    def inner(x: Any) -> Any:
        return product(times_ten(runs, x, "inner"), x)

    def outer(x: Any) -> Any:
        y = ag.checkpoint(inner, x, policy=("inner",))
        z = times_ten(runs, y, "saved last")
        return ag.apply_op(lambda a: runs.append("never again") or a, lambda s, n, dy: [dy], z, op_name="end", saves=())

    x = vector_leaf(3, 1)
    y = ag.checkpoint(outer, x)
    total(y).backward()
    assert x.grad.numbers == [600, 200]
    assert runs.count("never again") == 1
    assert runs.count("saved last") == 2
    assert runs.count("inner") == 2


@pytest.mark.promise("F8")
def test_random_ops_draw_the_same_numbers_when_a_checkpoint_runs_again() -> None:
    x = ag.ones((50,), requires_grad=True)

    def work(x: Any) -> Any:
        return ag.dropout(ag.dropout(x, 0.5) * x, 0.5)

    y = ag.checkpoint(work, x)
    between = ag.dropout(ag.ones((50,)), 0.5).to_host()
    y.sum().backward()
    # Where both masks let through, y = 4 x^2 and its derivative is 8; elsewhere both are zero.
    assert x.grad.to_host().tolist() == (2 * y.to_host()).tolist()
    assert 0 < y.to_host().sum() < 200
    after = ag.dropout(ag.ones((50,)), 0.5).to_host()
    assert (after != between).any()  # the sequence of the process went on undisturbed


@pytest.mark.promise("P10", "F7")
def test_values_saved_on_the_host_leave_the_device_and_come_back_for_the_same_gradient() -> None:

    x = ag.randn((64, 33), seed=3, requires_grad=True)

    def live_and_gradient(context: Any) -> tuple[int, Any]:
        x.zero_grad()
        before = core.memory_stats()["live_bytes"]
        with context:
            y = (ag.exp(ag.permute(x, (1, 0))) * 2.0).sum()
        live = core.memory_stats()["live_bytes"] - before
        y.backward()
        return live, x.grad.to_host().tobytes()

    kept, expected = live_and_gradient(ag.enable_grad())
    offloaded, found = live_and_gradient(ag.save_on_host())
    assert kept - offloaded == x.value.nbytes
    assert found == expected


@pytest.mark.promise("F3")
@pytest.mark.parametrize("write", ["x.add_(1.0)", "x.value.add_(1.0)", "ag.exp(y, out=x)", "x[0] = 7.0"])
def test_the_error_for_a_changed_value_has_all_five_facts(write: str) -> None:
    x = ag.ones((2, 3), requires_grad=True)
    y = ag.exp(x) * x
    with ag.no_grad():
        exec(compile(write, "the_users_script.py", "exec"), {"x": x, "y": y, "ag": ag})
    with pytest.raises(GraphError) as caught:
        y.sum().backward()
    versions, line = "expected version 0, found version 1", "the_users_script.py:1"
    for fact in ("mul: the saved input 1", "(2, 3)", "float32", versions, line):
        assert fact in str(caught.value)


@pytest.mark.parametrize(
    ("unpack", "error", "message"),
    [
        (lambda packed: None, core.DtypeError, "unpack returned: this is None"),
        (lambda packed: packed.to_host(), core.DtypeError, r"unpack returned: this is a numpy array of shape \(3,\)"),
        (lambda packed: packed[:2], GraphError, r"unpack returned shape \(2,\) for a value of shape \(3,\)"),
        (
            lambda packed: packed.astype("float16"),
            core.DtypeError,
            "unpack returned float16 for a value of dtype float32",
        ),
    ],
)
def test_what_unpack_returns_must_stand_for_what_was_packed(unpack: Any, error: type, message: str) -> None:
    x = ag.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with ag.saved_tensors_hooks(lambda value: value, unpack):
        y = (x * x).sum()
    with pytest.raises(error, match=message):
        y.backward()


def test_a_pack_hook_does_not_write_into_what_it_is_given() -> None:
    x = ag.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with (
        ag.saved_tensors_hooks(lambda value: value.mul_(2.0), lambda packed: packed),
        pytest.raises(GraphError, match=r"pack has written into the value of shape \(3,\)"),
    ):
        x * x


@pytest.mark.parametrize(("pack", "unpack", "name"), [(1, len, "pack"), (len, None, "unpack")])
def test_hooks_are_functions(pack: Any, unpack: Any, name: str) -> None:
    with pytest.raises(core.DtypeError, match=f"saved_tensors_hooks: {name} must be a function"):
        ag.saved_tensors_hooks(pack, unpack)


@pytest.mark.parametrize("policy", [3, "matmul", [1]])
def test_a_policy_is_names_or_a_function(policy: Any) -> None:
    x = ag.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with pytest.raises(core.DtypeError, match="checkpoint: policy must be a function or a list of texts or None"):
        ag.checkpoint(lambda x: (x * x).sum(), x, policy=policy)


def test_an_array_of_the_host_is_neither_a_value_nor_a_gradient() -> None:
    array = np.ones(3, np.float32)
    x = ag.tensor(array, requires_grad=True)
    with pytest.raises(core.DtypeError, match="Node: this is a numpy array"):
        ag.Node(array, requires_grad=True)
    with pytest.raises(core.DtypeError, match="grad: this is a numpy array"):
        x.grad = array
    x.grad = core.from_host(array)
