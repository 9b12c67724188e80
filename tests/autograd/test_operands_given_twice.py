"""An operand that is given twice: its gradients are added in the kernel that computes them, unless somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.kernels import ops

Array = np.ndarray[Any, Any]

rng = np.random.default_rng(5)

TWICE: dict[str, tuple[Callable[..., Any], Callable[[Array], Array]]] = {
    "mul": (lambda x: x * x, lambda x: 2 * x),
    "add": (lambda x: x + x, lambda x: np.full_like(x, 2)),
    "sub": (lambda x: x - x, lambda x: np.zeros_like(x)),
    "div": (lambda x: x / x, lambda x: np.zeros_like(x)),
    "pow": (lambda x: ops.pow(x, x), lambda x: x**x * (np.log(x) + 1)),
    "maximum": (lambda x: ops.maximum(x, x), lambda x: np.ones_like(x)),
    "hypot": (lambda x: ops.hypot(x, x), lambda x: np.full_like(x, np.sqrt(2))),
}


@pytest.mark.parametrize("name", TWICE)
@pytest.mark.parametrize("shape", [(), (1,), (37,), (3, 5), (0, 4)], ids=str)
@pytest.mark.sample(16)
def test_the_gradient_is_the_sum_at_every_call(name: str, shape: tuple[int, ...]) -> None:
    function, slope = TWICE[name]
    for _ in range(3):
        x = ag.tensor(rng.uniform(0.5, 2, shape).astype(np.float32), requires_grad=True)
        function(x).sum().backward()
        np.testing.assert_allclose(x.grad.to_host(), slope(x.to_host()), rtol=2e-6, atol=1e-6)
        (again,) = ag.grad(function(x).sum(), [x])
        assert again.to_host().tobytes() == x.grad.to_host().tobytes()


def test_products_of_a_matrix_with_itself_are_added() -> None:
    for _ in range(3):
        x = ag.tensor(rng.normal(size=(7, 7)).astype(np.float32), requires_grad=True)
        ops.matmul(x, x).sum().backward()
        a, ones = x.to_host().astype(np.float64), np.ones((7, 7))
        np.testing.assert_allclose(x.grad.to_host(), ones @ a.T + a.T @ ones, rtol=1e-5, atol=1e-5)


def test_it_takes_one_kernel() -> None:
    def launches() -> int:
        x = ag.tensor(np.arange(5, dtype=np.float32), requires_grad=True)
        y = x * x
        before = core.counters()["kernels_launched"]
        y.backward(core.ones((5,)))
        return core.counters()["kernels_launched"] - before

    launches()
    assert launches() == launches() == 1


def test_who_looks_sees_a_gradient_for_each_operand() -> None:
    def record() -> Any:
        x = ag.tensor([1.0, 2.0, 3.0], requires_grad=True)
        return x, x * x

    for _ in range(3):
        x, y = record()
        gradients = y.grad_fn(core.ones((3,)))
        assert [each.to_host().tolist() for each in gradients] == [[1, 2, 3], [1, 2, 3]]
        seen: list[Any] = []
        y.grad_fn.register_hook(lambda gradients, upstream, seen=seen: seen.append([g.to_host() for g in gradients]))
        y.sum().backward()
        np.testing.assert_array_equal(seen[0], [[1, 2, 3], [1, 2, 3]])
        np.testing.assert_array_equal(x.grad.to_host(), [2, 4, 6])


def test_second_derivatives_and_other_uses_count_too() -> None:
    for _ in range(3):
        x = ag.tensor([1.0, 2.0, 3.0], requires_grad=True)
        (first,) = ag.grad(((x * x) * x).sum() + (x * x).sum(), [x], create_graph=True)
        first.sum().backward()
        np.testing.assert_allclose(x.grad.to_host(), [8, 14, 20])


def test_a_backward_starts_from_a_one_that_counts_as_nobodys() -> None:
    x = ag.tensor([3.0], requires_grad=True)
    x.sum().backward()
    x.grad = None
    live = core.memory_stats()["live_bytes"]
    for _ in range(3):
        x.sum().backward()
        x.grad = None
    assert core.memory_stats()["live_bytes"] == live


def test_a_hook_that_writes_into_the_one_changes_that_backward_alone() -> None:
    x = ag.tensor([3.0], requires_grad=True)
    for _ in range(2):
        y = x.sum()
        y.register_hook(lambda gradient: gradient.mul_(5.0))
        y.backward()
        assert x.grad.item() == 5
        x.grad = None
        x.sum().backward()
        assert x.grad.item() == 1
        x.grad = None


def test_a_leaf_of_one_element_has_a_gradient_of_its_own() -> None:
    x, y = (ag.tensor(2.0, requires_grad=True) for _ in range(2))
    x.backward()
    y.backward()
    x.grad.mul_(7.0)
    assert (x.grad.item(), y.grad.item()) == (7, 1)
    z = ag.tensor(2.0, requires_grad=True)
    z.backward()
    assert z.grad.item() == 1


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_one_has_the_dtype_of_the_output(dtype: str) -> None:
    for _ in range(2):
        x = ag.tensor([1.0, 2.0], dtype=dtype, requires_grad=True)
        x.sum().backward()
        assert x.grad.dtype == core.dtypes.canonical(dtype)
        np.testing.assert_array_equal(np.asarray(x.grad.to_host(), np.float32), [1, 1])
