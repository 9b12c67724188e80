"""Derivatives of recurrences of which states are outputs: what is saved is not computed again. Values against plain
loops, derivatives against differences, and which steps are left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from evaluated import assert_derivatives, compiled, value
from interpreted import ran_op

from netcl import autograd as ag
from netcl import core
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import Expr, Materialised, Recurrence, Reduce, subexpressions
from netcl.kernels.compiler.ir.recurrences import system_of
from netcl.kernels.compiler.target import CPU, GPU

Array = Any
RNG = np.random.default_rng(5)


class Case(NamedTuple):
    text: str
    loops: Callable[[Array, Array], Any]
    systems: int
    """How many systems take steps in the gradient; one of them are the adjoints."""


def by_a_sum(x: Array, w: Array) -> Array:
    h = np.zeros_like(x)
    for t in range(len(x)):
        before = h[t - 1] if t else np.zeros(x.shape[1])
        m = np.exp(-((before[:, None] - w) ** 2))
        h[t] = np.sin(x[t] + m.sum(1))
    return h


def distances(x: Array, w: Array) -> tuple[Array, Array]:
    """What each step adds, and where the steps lead to."""
    z, d = np.zeros(x.shape[1]), np.zeros_like(x)
    for t in range(len(x)):
        near = np.sqrt((z[:, None] - w) ** 2 + 1)
        d[t] = -np.log(np.exp(-near).sum(1)) + x[t] * z
        z = z + 0.5 * d[t]
    return d, z


def one_of_two(x: Array, w: Array) -> Array:
    h, c = np.zeros_like(x), np.zeros(x.shape[1])
    before = np.zeros(x.shape[1])
    for t in range(len(x)):
        gate = 1 / (1 + np.exp(-(w @ before)))
        c = gate * c + x[t]
        before = h[t] = np.tanh(c)
    return h


def in_a_corner(x: Array, w: Array) -> Array:
    h, s = np.zeros_like(x), np.zeros(x.shape[0])
    for t in range(len(x)):
        s[t] = x[t].sum() + (0.3 * s[t - 1] if t else 0)
        h[t] = np.cos(s[t] + w.diagonal() * (h[t - 2] if t > 1 else 0))
    return h


def with_an_energy(x: Array, w: Array) -> Array:
    h, before = np.zeros_like(x), np.zeros(x.shape[1])
    for t in range(len(x)):
        m = w @ before
        c = x[t] * np.cos(m)
        before = h[t] = np.tanh(c + m) / (1 + (c**2).sum() + (m**2).sum())
    return h


CASES = {
    "a sum between two steps": Case(
        """op f(x[t, k]: float, w[k, j]: float) -> h[t, k] where size[j] == size[k] {
            before[t, k] = h[t - 1, k] else 0;
            near[t, k, j] = exp(-(before[t, k] - w[k, j]) ^ 2);
            h = sin(x + sum[j](near[t, k, j]));
        }""",
        by_a_sum,
        1,
    ),
    "what each step adds": Case(
        """op f(x[t, k]: float, w[k, j]: float) -> (d[t, k], last[k]) where size[j] == size[k] {
            now[t, k] = z[t - 1, k] else 0;
            near[t, k, j] = sqrt((now - w[k, j]) ^ 2 + 1);
            d = -log(sum[j](exp(-near[t, k, j]))) + x * now;
            z[t, k] = now + 0.5 * d;
            last = z[size[t] - 1, k] else 0;
        }""",
        distances,
        2,
    ),
    "one state of two": Case(
        """op f(x[t, k]: float, w[k, j]: float) -> h[t, k] where size[j] == size[k] {
            gate[t, k] = 1 / (1 + exp(-sum[j](w[k, j] * (h[t - 1, j] else 0))));
            c[t, k] = gate * (c[t - 1, k] else 0) + x;
            h = tanh(c);
        }""",
        one_of_two,
        2,
    ),
    "a state that reads no output": Case(
        """op f(x[t, k]: float, w[k, j]: float) -> h[t, k] where size[j] == size[k] {
            s[t] = sum[k](x) + 0.3 * (s[t - 1] else 0);
            h = cos(s + w[k, k] * (h[t - 2, k] else 0));
        }""",
        in_a_corner,
        3,
    ),
    "a sum asked for twice": Case(
        """op f(x[t, k]: float, w[k, j]: float) -> h[t, k] where size[j] == size[k] {
            m[t, k] = sum[j](w[k, j] * (h[t - 1, j] else 0));
            c[t, k] = x * cos(m);
            e[t] = sum[k](c[t, k] ^ 2) + sum[k](m[t, k] ^ 2);
            h = tanh(c + m) / (1 + e);
        }""",
        with_an_energy,
        1,
    ),
}
SIZES = [(0, 3), (1, 2), (2, 1), (7, 4), (33, 5)]


def systems(*exprs: Expr) -> set[tuple[int, tuple[Expr, ...]]]:
    return {system_of(node) for node in subexpressions(*exprs) if isinstance(node, Recurrence)}


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.sample(12)
def test_values_are_those_of_loops(name: str, sizes: tuple[int, int]) -> None:
    op, (steps, states) = compiled(CASES[name].text), sizes
    x, w = RNG.normal(size=(steps, states)), RNG.normal(size=(states, states))
    expected = CASES[name].loops(x, w)
    np.testing.assert_allclose(value(op, x, w), _tuple(expected)[0], rtol=1e-12)
    found = op(core.from_host(x), core.from_host(w))
    for each, right in zip(
        *((each if isinstance(each, tuple) else (each,)) for each in (found, expected)), strict=True
    ):
        np.testing.assert_allclose(each.to_host(), right, rtol=1e-12)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sample(2)
def test_derivatives_are_those_of_differences(name: str) -> None:
    op = compiled(CASES[name].text)
    assert_derivatives(op, [RNG.normal(size=(5, 3)), RNG.normal(size=(3, 3)) * 0.5])


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sample(2)
def test_derivatives_on_a_device_are_those_of_differences(name: str) -> None:
    op = compiled(CASES[name].text)
    x, w = RNG.normal(size=(6, 3)), RNG.normal(size=(3, 3)) * 0.5
    to = [RNG.normal(size=each.shape) for each in (x, w)]
    weights = [RNG.normal(size=each.shape) for each in _tuple(CASES[name].loops(x, w))]

    def slope(x: Array, w: Array) -> Array:
        given = [ag.tensor(each, requires_grad=True) for each in (x, w)]
        seeds = [ag.tensor(each) for each in weights]
        found = ag.grad(list(_tuple(op(*given))), given, grad_outputs=seeds, create_graph=True)
        along = sum((each * ag.tensor(one)).sum() for each, one in zip(found, to, strict=True))
        return along, given

    def cost(step: float) -> float:
        parts = _tuple(CASES[name].loops(x + step * to[0], w + step * to[1]))
        return float(sum((weight * part).sum() for weight, part in zip(weights, parts, strict=True)))

    found, given = slope(x, w)
    h = 1e-6
    np.testing.assert_allclose(found.item(), (cost(h) - cost(-h)) / (2 * h), rtol=1e-6)
    second = sum((each * ag.tensor(one)).sum() for each, one in zip(ag.grad(found, given), to, strict=True))
    ahead, behind = (slope(x + step * to[0], w + step * to[1])[0].item() for step in (h, -h))
    np.testing.assert_allclose(second.item(), (ahead - behind) / (2 * h), rtol=2e-5)


@pytest.mark.parametrize("name", CASES)
def test_a_gradient_takes_no_step_that_an_output_tells(name: str) -> None:
    op = compiled(CASES[name].text)
    formula = op.bind([core.from_host(np.ones(each)) for each in ((4, 3), (3, 3))], {}).formula
    gradient = pipeline.gradient(formula, ("x", "w"))
    found = systems(*(output.expr for output in gradient.outputs))
    assert len(found) == CASES[name].systems
    names = {name for node in subexpressions(*(each.expr for each in gradient.outputs)) if isinstance(node, Recurrence)
             for name in node.names}  # fmt: skip
    assert not names & {"h", "d"}, "an output is read"


def test_a_sum_of_saved_states_is_a_table() -> None:
    op = compiled(CASES["a sum asked for twice"].text)
    formula = op.bind([core.from_host(np.ones(each)) for each in ((4, 3), (3, 3))], {}).formula
    gradient = pipeline.gradient(formula, ("x", "w"))
    nodes = list(subexpressions(*(output.expr for output in gradient.outputs)))
    tables = {node.body for node in nodes if isinstance(node, Materialised)}
    assert any(isinstance(node, Reduce) for node in tables)


def _tuple(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


CELL = """op f(x[t, n, k]: float, w[g, k, j]: float) -> y[t, n, k] where size[j] == size[k], size[g] == 2 {
    z[t, n, g, k] = x + sum[j](w[g, k, j] * (h[t - 1, n, j] else 0));
    h[t, n, k] = tanh(z[t, n, 0, k]) / (1 + exp(-z[t, n, 1, k]));
    y = 2 * h;
}"""


@pytest.mark.parametrize("steps", [0, 1, 5])
def test_what_only_its_own_step_reads_has_room_for_one_step(steps: int) -> None:
    op, (x, w) = compiled(CELL), (RNG.normal(size=(steps, 3, 4)), RNG.normal(size=(2, 4, 4)))
    expected, h = np.zeros((steps, 3, 4)), np.zeros((3, 4))
    for t in range(steps):
        z = x[t][:, None] + np.einsum("gkj,nj->ngk", w, h)
        h = np.tanh(z[:, 0]) / (1 + np.exp(-z[:, 1]))
        expected[t] = 2 * h
    for target, room in ((CPU, 1), (GPU, steps)):
        ran = ran_op(op, x, w, target=target)
        shapes = [each.shape for name, each in ran.memory.items() if each.shape[2:] == (2, 4)]
        assert shapes == [(room, 3, 2, 4)], "on a card items share a row, and one of them may be a step ahead"
        np.testing.assert_allclose(ran["y"], expected, rtol=1e-12)
    np.testing.assert_allclose(op(core.from_host(x), core.from_host(w)).to_host(), expected, rtol=1e-12)


def test_what_a_later_step_reads_has_room_for_all() -> None:
    op = compiled("""op f(x[t, n, k]: float, w[k, j]: float) -> y[t, n, k] where size[j] == size[k] {
        z[t, n, k] = x + sum[j](w[k, j] * (z[t - 2, n, j] else 0)) + (y[t - 1, n, k] else 0);
        y = tanh(z[t, n, k]);
    }""")
    x, w = RNG.normal(size=(5, 3, 4)), RNG.normal(size=(4, 4))
    z, y = np.zeros((7, 3, 4)), np.zeros((7, 3, 4))
    for t in range(5):
        z[t] = x[t] + z[t - 2] @ w.T + y[t - 1]
        y[t] = np.tanh(z[t])
    np.testing.assert_allclose(ran_op(op, x, w, target=CPU)["y"], y[:5], rtol=1e-12)
    np.testing.assert_allclose(op(core.from_host(x), core.from_host(w)).to_host(), y[:5], rtol=1e-12)
