"""States that read each other, or what another system has computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from differentiated import assert_op_agrees
from evaluated import assert_derivatives, compiled, value
from recurrence_cases import Array, normal

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.derive.batch import batched
from netcl.kernels.compiler.derive.formula import tangent_names
from netcl.kernels.compiler.ir import Apply, Recurrence, subexpressions
from netcl.kernels.compiler.ir.bounds import bounds
from netcl.kernels.runtime import launch

ALIKE: dict[str, tuple[str, Callable[..., Any]]] = {
    "where it is": ("y + 0.5 * (z[t - 1, i, j] else 1)", lambda y, y1, z1: y + 0.5 * z1),
    "turned": ("y[t, j, i] + 0.5 * (z[t - 1, i, j] else 1)", lambda y, y1, z1: y.T + 0.5 * z1),
    "beside it": ("(y[t, i, j - 1] else 2) + 0.5 * (z[t - 1, i, j] else 1)", lambda y, y1, z1: shifted(y) + 0.5 * z1),
    "turned before": ("y + 0.5 * (y[t - 1, j, i] else 1)", lambda y, y1, z1: y + 0.5 * y1.T),
    "its own, turned before": ("y + 0.5 * (z[t - 1, j, i] else 1)", lambda y, y1, z1: y + 0.5 * z1.T),
    "of one place": ("y[t, 0, j] * y + 0.5 * (z[t - 1, i, j] else 1)", lambda y, y1, z1: y[0] * y + 0.5 * z1),
}


def shifted(y: Any) -> Any:
    return np.concatenate([np.full_like(y[:, :1], 2), y[:, :-1]], axis=1)


@pytest.mark.parametrize("name", ALIKE)
@pytest.mark.parametrize("size", [1, 3, 16, 35])
@pytest.mark.sample(17)
def test_a_state_reads_of_another_one_what_the_step_has_computed(name: str, size: int) -> None:
    """Both have the same places, and only some of these formulas are computed in the same loops."""
    formula, expected = ALIKE[name]
    op = kernels.compile(f"""op f(x[t, i, j]: float) -> (y[t, i, j], z[t, i, j]) where size[i] == size[j] {{
        y = tanh(x) + 0.25 * (z[t - 1, i, j] else 1); z = {formula}; }}""").f
    x = normal(4, size, size)
    ys, zs = [np.ones((size, size))], [np.ones((size, size))]
    for each in x:
        y = np.tanh(each) + 0.25 * zs[-1]
        zs.append(expected(y, ys[-1], zs[-1]))
        ys.append(y)
    for found, wanted in zip(op(core.from_host(x)), (ys[1:], zs[1:]), strict=True):
        np.testing.assert_allclose(found.to_host(), wanted, rtol=1e-12, atol=1e-14)


def beside_each_other(d: Array) -> Array:
    """Two states, of which one reads in each step what the other one has on both sides of its place."""
    y, z = np.zeros((len(d) + 1, d.shape[1])), np.zeros((len(d) + 1, d.shape[1] + 2))
    for t in range(len(d)):
        z[t + 1, 1:-1] = np.tanh(d[t] + y[t])
        y[t + 1] = d[t] * z[t + 1, :-2] + 0.5 * z[t + 1, 2:] - 0.25 * z[t + 1, 1:-1] * y[t]
    return y[1:]


@pytest.mark.parametrize("sizes", [(1, 1), (3, 2), (4, 16), (3, 40), (33, 37)])
def test_a_state_reads_what_another_one_has_beside_its_place_in_the_same_step(sizes: tuple[int, int]) -> None:
    op = kernels.compile(
        "op f(d[t, j]: float) -> y[t, j] { before = y[t - 1, j] else 0; z[t, j] = tanh(d + before); "
        "y = d * (z[t, j - 1] else 0) + 0.5 * (z[t, j + 1] else 0) - 0.25 * z * before; }"
    ).f
    d, weights, along = (normal(*sizes) / 2 for _ in range(3))
    given = ag.tensor(d, requires_grad=True)
    y = op(given)
    np.testing.assert_allclose(y.value.to_host(), beside_each_other(d), rtol=1e-12, atol=1e-14)
    (gradient,) = ag.grad((y * ag.tensor(weights)).sum(), [given])
    ahead, behind = (float((weights * beside_each_other(d + h * along)).sum()) for h in (1e-6, -1e-6))
    found = float((gradient.to_host() * along).sum())
    np.testing.assert_allclose(found, (ahead - behind) / 2e-6, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("width", [1, 4])
def test_of_states_that_belong_together_one_may_be_a_single_element(rows: int, width: int) -> None:
    """In one step, r reads nothing of z; their adjoints still belong together, and that of z comes first."""
    op = kernels.compile("""op f(u[t, b]: float, x[i]: float) -> r[i, t, b] where t = 1 {
        z[t, b] = tanh(u + sum[i](x * r[i, t, b]) + 0.5 * (z[t + 1, b] else 0));
        r = tanh(x) + x * (z[t + 1, b] else 0);
    }""").f
    u, x = (ag.tensor(each, requires_grad=True) for each in (normal(1, rows), normal(width)))
    op(u, x).sum().backward()
    np.testing.assert_allclose(x.grad.to_host(), rows * (1 - np.tanh(x.value.to_host()) ** 2), rtol=1e-12)
    assert not u.grad.to_host().any()


@pytest.mark.parametrize("columns", [63, 64, 80, 129, 257])
@pytest.mark.parametrize("size", [1, 2, 33, 300])
@pytest.mark.sample(6)
def test_neighbouring_rows_share_what_all_of_them_reduce(columns: int, size: int) -> None:
    """Of one state the sum of what came before, of the other nothing but the one before."""
    op = kernels.compile("""op f(x[t, m]: float, w[t, s]: float) -> (y[t, m], z[t, m]) where size[s] == size[t] {
        y = x + sum[s < t](w[t, s] * y[s, m]) + 0.5 * (z[t - 1, m] else 1);
        z = 0.5 * y + (z[t - 1, m] else 0) / 4; }""").f
    x, w = normal(size, columns), normal(size, size) / size
    y, z = np.zeros_like(x), np.zeros_like(x)
    for t in range(size):
        y[t] = x[t] + w[t, :t] @ y[:t] + 0.5 * (z[t - 1] if t else 1)
        z[t] = 0.5 * y[t] + (z[t - 1] if t else 0) / 4
    for found, expected in zip(op(core.from_host(x), core.from_host(w)), (y, z), strict=True):
        np.testing.assert_allclose(found.to_host(), expected, rtol=1e-11, atol=1e-13)
    if size < 300:
        assert_op_agrees(op, x.astype(np.float32), w.astype(np.float32))


def test_what_is_saved_of_a_system_is_stored_by_its_steps_and_read_by_the_gradient() -> None:
    text = """op f(x[t, n]: float) -> y[t, n]{saved} {{
        e = exp(x - (y[t - 1, n] else 0));
        y = e / (1 + e);
    }}"""
    x = normal(6, 3)
    plain, saving = (compiled(text.format(saved=each)) for each in ("", " saving e[t, n]"))
    assert_derivatives(saving, [x])
    np.testing.assert_array_equal(value(saving, x), value(plain, x))
    call = saving.bind([core.from_host(x)], {})
    assert len(launch.prepare(call.formula, call.operands, call.attributes).kernels) == 1
    gradient = pipeline.gradient(call.formula, ("x",))
    functions = {
        each.function for output in gradient.outputs for each in subexpressions(output.expr) if isinstance(each, Apply)
    }
    assert "exp" not in functions


FACTORS = """
op places(a[i, j]: float) -> (at[j], l[i, j]) where size[i] == size[j] {
    rest[i, j] = a - sum[m < j](l[i, m] * l[at[m], m]);
    taken[i, j] = any[m < j](at[m] == i);
    at = argmax[i](taken[i, j] ? -1 : abs(rest[i, j]));
    l = taken ? 0 : rest[i, j];
}
op f(a[i, j]: float, b[i]: float) -> y[j] where size[i] == size[j] {
    use (at[j], l[i, j]) = places(a[i, j]);
    s[j] = b[at] - sum[m < j](l[at, m] * s[m]);
    y = s + b[at];
}
"""


def test_a_place_that_a_step_finds_is_in_its_axis_and_a_system_that_another_reads_is_computed_once() -> None:
    op = kernels.compile(FACTORS).f
    call = op.bind([core.from_host(normal(4, 4)), core.from_host(normal(4))], {})
    assert not bounds(call.formula)
    systems = {node.label for node in subexpressions(call.formula.outputs[0].expr) if isinstance(node, Recurrence)}
    bodies = {node.bodies for node in subexpressions(call.formula.outputs[0].expr) if isinstance(node, Recurrence)}
    assert len(systems) == len(bodies) == 2


def with_steps(x: Array) -> Array:
    h = np.zeros((2, len(x)))
    h[0] = np.tanh(x)
    h[1] = np.tanh(x + 0.5 * h[0])
    return np.stack([2 * h[0] + 1, 2 * h[1] + h[0]])


WITHOUT_STEPS: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "none": (
        """op f(x[k]: float) -> c[k, t] where t = 1, m = size[k] {
            h[k, t] = tanh(x + (c[k, t + 1] else 0));
            c = (h[k, t + 2] else 0.3) + 0.5 * sum[m](h[m, t + 1] else (x[k])) - h;
        }""",
        lambda x: (0.3 + 0.5 * len(x) * x - np.tanh(x))[:, None],
    ),
    "of one element": (
        "op f(x[k]: float) -> c[t] where t = 1 { h[t] = tanh(sum[k](x) + (c[t + 1] else 0)); c = 2 * h + h ^ 2; }",
        lambda x: 2 * np.tanh(x.sum(keepdims=True)) + np.tanh(x.sum(keepdims=True)) ** 2,
    ),
    "for the first of two": (
        """op f(x[k]: float) -> c[t, k] where t = 2 {
            h[t, k] = tanh(x + 0.5 * (h[t - 1, k] else 0) + (c[t + 3, k] else 0));
            c = 2 * h + (h[t - 1, k] else 1);
        }""",
        with_steps,
    ),
}


@pytest.mark.parametrize("name", WITHOUT_STEPS)
@pytest.mark.parametrize("size", [1, 2, 17])
@pytest.mark.sample(6)
def test_a_state_is_there_before_another_one_reads_it_also_where_there_are_no_steps(name: str, size: int) -> None:
    """Their lengths say that no state is read of a step before: axes of one element have no place in memory."""
    text, loops = WITHOUT_STEPS[name]
    x = normal(size)
    np.testing.assert_allclose(kernels.compile(text).f(core.from_host(x)).to_host(), loops(x), rtol=1e-12)
    assert ag.gradcheck(kernels.compile(text).f, [ag.tensor(x, requires_grad=True)])


@pytest.mark.parametrize("derive", [pipeline.gradient, pipeline.tangent])
@pytest.mark.parametrize(
    "name", ["inv", "det", "slogdet", "solve", "cholesky", "lu", "solve_triangular", "solve_tridiagonal"]
)
def test_systems_of_one_label_have_the_same_indices_in_a_batch_of_tangents(name: str, derive: Any) -> None:
    """Of what an author declared the gradient of there are two systems, and only one of them is told apart by calls."""
    matrix, column = core.from_host(np.eye(2)), core.from_host(np.ones((2, 1)))
    given = {"solve": (matrix, column), "solve_triangular": (matrix, column)}.get(name, (matrix,))
    if name == "solve_tridiagonal":
        given = (core.from_host(np.ones(2)),) * 4
    formula = getattr(kernels.ops, name).bind(given, {}).formula
    derived = derive(formula, tuple(operand.name for operand in formula.operands))
    wanted = tuple(operand.name for operand in derived.operands if operand.dtype == "float64")
    for along in (wanted[:1], wanted):
        tangent = pipeline.tangent(derived, along)
        moved = {tangent_names(derived)[each] for each in along} & {operand.name for operand in tangent.operands}
        wide = batched(tangent, frozenset(moved), False, None)
        indices: dict[int, set[Any]] = {}
        for node in subexpressions(*(output.expr for output in wide.outputs)):
            if isinstance(node, Recurrence):
                indices.setdefault(node.label, set()).add(node.axes)
        assert all(len(each) == 1 for each in indices.values())
        bounds(wide)


def test_second_derivatives_of_an_inverse_are_those_of_the_closed_form() -> None:
    a = np.array([[2.0, 0.5], [0.3, 1.5]])
    x = np.linalg.inv(a)
    found = ag.hessian(lambda a: ag.inv(a).sum())(core.from_host(a)).to_host()
    one = np.einsum("i,jk,l->ijkl", x.sum(0), x, x.sum(1))  # of 1 X A' X A'' X 1, by the elements of A' and A''
    np.testing.assert_allclose(found, one + one.transpose(2, 3, 0, 1), rtol=1e-10)
