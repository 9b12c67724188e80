"""Memory that an op of a user's own, or a checkpoint, has in common with others: supported, or refused before or after
a write, and never a wrong gradient."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core import GraphError


class Tail(ag.Function):
    """A view of the argument."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x[1:]

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        return ag.pad(dy, [(1, 0)])


class Same(ag.Function):
    """The argument as it is, with seven times the gradient."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        return 7 * dy


def tail_op(x: Any) -> Any:
    return ag.apply_op(lambda v: v[1:], lambda dy: [ag.pad(dy, [(1, 0)])], x, op_name="Tail")


def leaf(*numbers: float) -> ag.Node:
    return ag.tensor(np.array(numbers, np.float64), requires_grad=True)


@pytest.mark.parametrize("shared", [Tail.apply, Same.apply, tail_op])
def test_what_an_op_of_ones_own_returned_in_the_memory_of_its_argument_is_not_written(
    shared: Callable[[Any], Any],
) -> None:
    x = leaf(1, 2, 3)
    for of in (x, x * 1, (x * 1)[:]):
        for write in (lambda y: y.mul_(3.0), lambda y: y[1:].mul_(3.0), lambda y: y.__setitem__(0, 5.0)):
            with pytest.raises(GraphError, match="returned lies in the memory of its argument"):
                write(shared(of))
    assert x.tolist() == [1, 2, 3]


@pytest.mark.parametrize("shared", [Tail.apply, Same.apply, tail_op])
def test_once_the_argument_is_written_the_result_has_no_history(shared: Callable[[Any], Any]) -> None:
    x = leaf(1, 2, 3)
    a = x * 1
    y = shared(a)
    before = (y * 2).sum()
    a.mul_(3.0)
    with pytest.raises(GraphError, match="in the memory of an argument that was written in place since"):
        (y * y).sum()
    ag.grad(before, [x])
    np.testing.assert_array_equal(ag.grad((a * a).sum(), [x])[0].to_host(), [18, 36, 54])


def test_as_long_as_nobody_writes_the_result_is_like_any_other() -> None:
    x = leaf(1, 2, 3)
    a = x * 1
    y = Same.apply(a)
    np.testing.assert_array_equal(ag.grad((y * y * a).sum(), [x])[0].to_host(), [15, 60, 135])
    written = Same.apply(a).clone()
    written.mul_(3.0)
    np.testing.assert_array_equal(ag.grad(written.sum(), [x])[0].to_host(), [21, 21, 21])


@pytest.mark.parametrize("nested", [False, True])
def test_a_checkpoint_notices_that_a_tensor_was_written(nested: bool) -> None:
    x, w = leaf(1, 2, 3), core.from_host(np.ones(3))
    y = ag.checkpoint(lambda x, w: ag.exp(x) * x * (w[0] if nested else w), x, [w] if nested else w)
    w.mul_(5.0)
    with pytest.raises(GraphError, match=r"checkpoint: the saved value 0, .* was changed in place"):
        y.sum().backward()


@pytest.mark.parametrize(
    ("second", "said"), [(ag.sin, "ran sin"), (lambda x: ag.exp(x[:2]), "ran slice"), (lambda x: x * 1, "ran mul")]
)
def test_a_checkpoint_notices_that_other_ops_ran(second: Callable[[Any], Any], said: str) -> None:
    times = []

    def fickle(x: Any) -> Any:
        times.append(1)
        return ag.exp(x) if len(times) == 1 else second(x)

    y = ag.checkpoint(fickle, leaf(1, 2, 3)).sum()
    with pytest.raises(GraphError, match=f"checkpoint: fickle {said}, which it did not run in this place at first"):
        y.backward()


def test_a_checkpoint_notices_that_values_of_other_shapes_are_saved() -> None:
    rows = [2, 1]

    def fickle(x: Any) -> Any:
        return ag.exp(x[: rows.pop(0)])

    y = ag.checkpoint(fickle, leaf(1, 2, 3)).sum()
    with pytest.raises(GraphError, match=r"checkpoint: fickle saved .* in its place at first"):
        y.backward()


@pytest.mark.parametrize("write", [lambda y: y.mul_(3.0), lambda y: y[0].mul_(3.0)])
def test_a_node_that_keeps_its_gradient_keeps_that_of_what_it_is_after_a_write(write: Callable[[Any], Any]) -> None:
    y = leaf(1, 2) * 2
    y.retain_grad()
    write(y)
    (y * y).sum().backward()
    assert y.retains_grad
    np.testing.assert_array_equal(y.grad.to_host(), 2 * y.value.to_host())


def test_a_leaf_that_wants_no_gradient_for_a_while_has_its_graphs_and_hooks_as_before() -> None:
    x = leaf(1, 2)
    x.register_hook(lambda dy: 10 * dy)
    y = (x * x).sum()
    x.requires_grad = False
    y.backward(retain_graph=True)
    assert x.grad is None
    x.requires_grad = True
    np.testing.assert_array_equal(ag.grad(y, [x])[0].to_host(), [20, 40])


def test_an_operand_without_a_gradient_is_an_error_only_if_that_is_asked_for() -> None:
    op = kernels.compile("op f(x: float, w: float) -> y { y = x * w; nograd w; }").f
    x, w = leaf(1, 2), leaf(3, 4)
    np.testing.assert_array_equal(ag.grad(op(x, w).sum(), [x])[0].to_host(), [3, 4])
    op(x, w).sum().backward(inputs=[x])
    np.testing.assert_array_equal(x.grad.to_host(), [3, 4])
    for asked in ([w], [x, w]):
        with pytest.raises(GraphError, match="f: operand w is declared nograd"):
            ag.grad(op(x, w).sum(), asked)


@pytest.mark.parametrize(
    "call",
    [
        "vmap(lambda x: x * x)(X)", "vmap(ag.grad(lambda x: (x * x).sum()))(X)", "jvp(lambda x: x * x, (X,), (X,))",
        "jacrev(lambda x: x * x)(X)", "jit(lambda x: x * x)(X)", "checkpoint(lambda x: x * x, X)",
    ],
)  # fmt: skip
@pytest.mark.sample(2)
def test_a_transform_may_be_the_first_thing_that_a_process_does(call: str) -> None:
    program = f"from netcl import autograd as ag, core\nX = core.from_host([[1.0], [2.0]])\nag.{call}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
