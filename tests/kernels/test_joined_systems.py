"""Ops that are used within a recurrence, and are given what it has computed so far: against the same written out, or
called in a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core.errors import KernelLanguageError, NetclError

Array = np.ndarray[Any, Any]

OPS = kernels.compile(
    """
    op rec(x[*k, n]: float) -> u[*k, n] { u = tanh(x + 0.5 * (u[*k, n - 1] else 0)); }
    op step_by_step(x[t, n]: float) -> h[t, n] { v[t, n] = x + (h[t - 1, n] else 0); use h = rec(v[t, n]); }
    op step_by_step_written(x[t, n]: float) -> h[t, n] {
        h = tanh(x + (h[t - 1, n] else 0) + 0.5 * (h[t, n - 1] else 0));
    }
    op twice(x[t, n]: float) -> h[t, n] {
        v[t, n] = x + (h[t - 1, n] else 0);
        use u[t, n] = rec(v[t, n]);
        use w[t, n] = rec(u[t, n]);
        h = u - w;
    }
    op twice_written(x[t, n]: float) -> h[t, n] {
        u[t, n] = tanh(x + (h[t - 1, n] else 0) + 0.5 * (u[t, n - 1] else 0));
        w[t, n] = tanh(u[t, n] + 0.5 * (w[t, n - 1] else 0));
        h = u - w;
    }
    op running(x[t, n]: float) -> h[t, n] {
        v[t, n] = x + (h[t - 1, n] else 0);
        use u[t, n] = cumsum(v[t, n]);
        h = sin(u);
    }
    op running_written(x[t, n]: float) -> h[t, n] {
        v[t, n] = x + (h[t - 1, n] else 0);
        h = sin(sum[s <= n](v[t, s]));
    }
    op squared(x[*n, i]: float) -> y[*n, i] {
        y = x * x;
        b[*n, i] = 2 * x * dy[*n, i] + 0 * (b[*n, i - 1] else 0);
        grad x = b;
    }
    op declared(x[t, n]: float) -> h[t, n] {
        v[t, n] = x + (h[t - 1, n] else 0);
        use u[t, n] = squared(v[t, n]);
        h = sin(u);
    }
    op with_sums(x[*n, i]: float) -> y[*n, i] {
        y = x * x;
        grad x = 2 * x * (dy + sum[s >= i](dy[*n, s] * x[*n, s]) - sum[s >= i](x[*n, s] * dy[*n, s]));
    }
    op summed(x[t, n]: float) -> h[t, n] {
        v[t, n] = x + (h[t - 1, n] else 0);
        use u[t, n] = with_sums(v[t, n]);
        h = sin(u);
    }
    op summed_written(x[t, n]: float) -> h[t, n] { v[t, n] = x + (h[t - 1, n] else 0); h = sin(v * v); }
    op with_places(x[*n, i]: float) -> y[*n, i] { y = x * x; grad x = dy * argmax[s <= i](dy[*n, s]); }
    op placed(x[t, n]: float) -> h[t, n] {
        v[t, n] = x + (h[t - 1, n] else 0);
        use u[t, n] = with_places(v[t, n]);
        h = sin(u);
    }
    op declared_written(x[t, n]: float) -> h[t, n] { v[t, n] = x + (h[t - 1, n] else 0); h = sin(v * v); }
    """
)
NAMES = ["step_by_step", "twice", "running", "declared", "summed"]


def derivatives(op: Callable[..., Any], *arrays: Array, orders: int = 2) -> list[Array]:
    """The value, gradients and second derivatives along fixed directions."""
    rng = np.random.default_rng(3)
    leaves = [ag.tensor(each, requires_grad=True) for each in arrays]
    result = op(*leaves)
    found, along = [result.to_host()], (result * core.from_host(rng.normal(size=result.shape))).sum()
    for _ in range(orders):
        gradients = ag.grad(along, leaves, create_graph=True)
        found += [each.to_host() for each in gradients]
        along = sum((each * core.from_host(rng.normal(size=each.shape))).sum() for each in gradients)
    return found


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(4, 5), (1, 1), (3, 1), (1, 4), (0, 3)])
@pytest.mark.sample(5)
def test_an_op_in_a_recurrence_is_what_one_would_write(name: str, shape: tuple[int, int]) -> None:
    x, op, written = np.random.default_rng(0).normal(size=shape), getattr(OPS, name), getattr(OPS, f"{name}_written")
    for found, expected in zip(derivatives(op, x), derivatives(written, x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    if x.size:
        given, along = (core.from_host(each) for each in (x, np.cos(x)))
        tangents = (ag.jvp(each, (given,), (along,))[1].to_host() for each in (op, written))
        np.testing.assert_allclose(*tangents, rtol=1e-12, atol=1e-12)
        batch = core.from_host(np.stack([x, 2 * x]))
        batches = (ag.vmap(each)(batch).to_host() for each in (op, written))
        np.testing.assert_allclose(*batches, rtol=1e-12, atol=1e-12)


MATRICES = kernels.compile(
    """
    op solve_in_steps(a[i, j]: float, x[t, i]: float) -> h[t, i] where size[i] == size[j], c = 1 {
        m[t, i, j] = a + 0.1 * (h[t - 1, i] else 0) * (h[t - 1, j] else 0);
        b[t, i, c] = x + 0 * c;
        use s[t, j, c] = solve(m[t, i, j], b[t, i, c]);
        h = sin(s[t, i, 0]);
    }
    op inv_in_steps(a[i, j]: float, x[t, i]: float) -> h[t, i] where size[i] == size[j], k = size[i] {
        m[t, i, j] = a + 0.1 * (h[t - 1, i] else 0) * (h[t - 1, j] else 0);
        use s[t, j, k] = inv(m[t, i, j]);
        h = sin(sum[k](s[t, i, k]) + x);
    }
    op slogdet_in_steps(a[i, j]: float, x[t, i]: float) -> h[t, i] where size[i] == size[j] {
        m[t, i, j] = a + 0.1 * (h[t - 1, i] else 0) * (h[t - 1, j] else 0);
        use (sign[t], log[t]) = slogdet(m[t, i, j]);
        h = sin(log + x);
    }
    """
)


def solved(m: Any, x: Any) -> Any:
    return ag.sin(ag.solve(m, x))


def inverted(m: Any, x: Any) -> Any:
    return ag.sin(ag.inv(m).sum(axis=1) + x)


def logarithm(m: Any, x: Any) -> Any:
    return ag.sin(ag.slogdet(m)[1] + x)


@pytest.mark.parametrize(
    ("name", "step", "orders"),
    [("solve_in_steps", solved, 2), ("inv_in_steps", inverted, 1), ("slogdet_in_steps", logarithm, 1)],
)
@pytest.mark.sample(2)
def test_matrices_of_a_recurrence_are_solved_in_each_step(
    name: str, step: Callable[[Any, Any], Any], orders: int
) -> None:
    rng = np.random.default_rng(0)
    a, x = 4 * np.eye(3) + rng.uniform(size=(3, 3)), rng.normal(size=(3, 3))

    def in_a_loop(a: Any, x: Any) -> Any:
        state, found = x[0] * 0, []
        for t in range(x.shape[0]):
            state = step(a + 0.1 * state.reshape((3, 1)) * state.reshape((1, 3)), x[t])
            found.append(state)
        return ag.stack(found)

    op = getattr(MATRICES, name)
    for found, expected in zip(*(derivatives(each, a, x, orders=orders) for each in (op, in_a_loop)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("use", "kind"), [("(u[t, n], k[t, n]) = cummax", "argmax"), ("(u[t, n], k[t, n]) = sort", "argsort")]
)
def test_places_of_running_extremes_of_what_is_being_computed_are_refused_where_the_op_is_used(
    use: str, kind: str
) -> None:
    text = "op f(x[t, n]: float) -> h[t, n] { v[t, n] = x + (h[t - 1, n] else 0); use USE(v[t, n]); h = sin(u); }"
    with pytest.raises(KernelLanguageError, match=rf"1:96: a running {kind} in it goes over a definition"):
        kernels.compile(text.replace("USE", use))


def test_a_gradient_that_asks_for_places_of_adjoints_to_come_says_so() -> None:
    x = ag.tensor(np.ones((2, 3)), requires_grad=True)
    with pytest.raises(NetclError, match="a running argmax in it goes over adjoints that depend on it"):
        OPS.placed(x).sum().backward()


def test_a_finished_recurrence_is_run_over_as_any_definition() -> None:
    text = "a[t] = tanh(x + 0.5 * (a[t - 1] else 0)); k[t] = argmax[s <= t](a[s]); z = a[k[t]];"
    op = kernels.compile(f"op f(x[t]: float) -> z[t] {{ {text} }}").f
    x = np.random.default_rng(0).normal(size=9)
    a = np.zeros(9)
    for t in range(9):
        a[t] = np.tanh(x[t] + 0.5 * (a[t - 1] if t else 0))
    np.testing.assert_allclose(op(core.from_host(x)).to_host(), np.maximum.accumulate(a), rtol=1e-13)


def test_an_axis_that_an_op_sizes_may_have_its_size_from_where() -> None:
    text = "op f(a[i, j]: float) -> y where c = LENGTH { use u[j, c] = inv(a[i, j]); y = sum[j, c](u); }"
    a = np.diag([1.0, 2, 4])
    assert kernels.compile(text.replace("LENGTH", "size[i]")).f(core.from_host(a)).item() == 1.75
    with pytest.raises(ValueError, match="c has the length that inv gives it"):
        kernels.compile(text.replace("LENGTH", "5")).f(core.from_host(a))


@pytest.mark.parametrize("use", ["use s = sigmoid(x);", "use s[*n, t] = sigmoid(x);"])
def test_a_message_names_a_pack_as_one_writes_it(use: str) -> None:
    with pytest.raises(KernelLanguageError, match=r"\[\*n, t\]"):
        kernels.compile(f"op f(x[*n, t]: float) -> y[*n, t] {{ {use} y = s[*n, t - 1] else 0; }}")


IN_BATCHES = kernels.compile(
    """
    op conditional(a[t, i, j]: float) -> h[t] where size[i] == size[j] {
        m[t, i, j] = a + (h[t - 1] else 0.5);
        use d[t] = det(m[t, i, j]);
        h = t < 2 ? d : 1;
    }
    op logarithms(a[t, i, j]: float) -> h[t] where size[i] == size[j] {
        m[t, i, j] = a + (h[t - 1] else 0.5);
        use (s[t], d[t]) = slogdet(m[t, i, j]);
        h = d;
    }
    op weighted(x[*n, s]: float, w[s]: float) -> y[*n, s] {
        y = x + w * (y[*n, s - 1] else 0);
        u[*n, s] = dy[*n, s] + (s + 1 < size[s] ? w[s + 1] * u[*n, s + 1] : 0);
        grad x = u;
        grad w = u * (y[*n, s - 1] else 0);
    }
    op plain(a[t, i, j]: float) -> h[t, i, j] {
        w[j] = a[0, 0, j];
        use c[t, i, j] = weighted(a[t, i, j], w[j]);
        h = tanh(c);
    }
    """
)


def determinants(a: Any) -> Any:
    state, found = 0.5, []
    for t in range(a.shape[0]):
        state = ag.det(a[t] + state) if t < 2 else 1.0 + 0 * state
        found.append(state)
    return ag.stack(found)


def test_what_one_equation_asks_of_a_state_may_be_of_indices_that_another_one_lacks() -> None:
    a = np.random.default_rng(0).uniform(-1, 1, (3, 3, 3))
    for found, expected in zip(*(derivatives(each, a) for each in (IN_BATCHES.conditional, determinants)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("name", ["conditional", "logarithms", "plain"])
@pytest.mark.sample(2)
def test_a_batch_of_derivatives_is_each_of_them(name: str) -> None:
    a = np.random.default_rng(0).uniform(-1, 1, (2, 3, 3, 3))
    op = getattr(IN_BATCHES, name)
    first = ag.grad(lambda x: op(x).sum())
    second = ag.grad(lambda x: (first(x) ** 2).sum())
    for function in (first, second):
        found = ag.vmap(function)(ag.tensor(a)).to_host()
        one_by_one = np.stack([function(ag.tensor(each)).to_host() for each in a])
        np.testing.assert_allclose(found, one_by_one, rtol=1e-9, atol=1e-10)


def test_two_ops_may_give_one_axis_its_size() -> None:
    text = "op f(a[n]: float, b[n]: float) -> y[m] { use p[m] = cat(a, b); use q[m] = cat(b, a); y = p - q; }"
    a, b = (core.from_host(np.array(each)) for each in ([1.0, 2], [10.0, 20]))
    assert kernels.compile(text).f(a, b).tolist() == [-9, -18, 9, 18]
