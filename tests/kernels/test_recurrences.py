"""Definitions that read earlier elements of themselves: values against plain loops, derivatives against differences,
kernels against the evaluator."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from differentiated import assert_op_agrees
from evaluated import assert_derivatives, compiled, value
from recurrence_cases import CASES, Array, normal

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core.errors import KernelLanguageError
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import Apply, Recurrence, subexpressions
from netcl.kernels.compiler.ir.bounds import bounds
from netcl.kernels.compiler.ir.evaluate import Shared
from netcl.kernels.compiler.target import Target, named
from netcl.kernels.runtime import launch


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_loops_and_derivatives_those_of_differences(name: str) -> None:
    text, arrays, loops = CASES[name]
    op = compiled(text)
    np.testing.assert_allclose(value(op, *arrays), loops(*arrays), rtol=1e-12, atol=1e-14)
    assert_derivatives(op, arrays)


@pytest.mark.parametrize("name", CASES)
def test_a_device_gives_what_loops_give_and_its_gradients_are_those_of_differences(name: str) -> None:
    text, arrays, loops = CASES[name]
    op = kernels.compile(text).f
    given = [ag.tensor(each, requires_grad=True) if each.dtype.kind == "f" else ag.tensor(each) for each in arrays]
    found = op(*given)
    first = found[0] if isinstance(found, tuple) else found
    np.testing.assert_allclose(first.to_host(), loops(*arrays), rtol=1e-12, atol=1e-14)
    assert ag.gradcheck(op, given)
    assert ag.gradgradcheck(op, given)


ELMAN = compiled(
    "op f(x[t, b, k]: float, w[j, k]: float) -> h[t, b, k] { h = tanh(x + sum[j](w * (h[t - 1, b, j] else 0))); }"
)
DECAY = compiled("op f(x[b, t, k]: float, a[k]: float) -> h[b, t, k] { h = a * (h[b, t - 1, k] else 0) + x; }")


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
@pytest.mark.parametrize("rows", [0, 1, 3])
@pytest.mark.parametrize("width", [1, 16, 37])
def test_kernels_agree_with_the_evaluator_at_awkward_sizes(steps: int, rows: int, width: int) -> None:
    x, w = 0.5 * normal(steps, rows, width), 0.5 * normal(width, width)
    assert_op_agrees(ELMAN, x.astype(np.float32), w.astype(np.float32))
    assert_op_agrees(DECAY, np.moveaxis(x, 0, 1).astype(np.float32), normal(width).astype(np.float32))


@pytest.mark.parametrize("columns", [15, 16, 17, 35])
def test_what_depends_on_the_row_alone_is_there_for_all_vectors_of_the_row(columns: int) -> None:
    text = "op f(x[n, t, m]: float) -> y[n, t, m] { y = tanh((n % 2 == 0 ? x : y[n, t - 1, m] else 0) + x); }"
    x, state = normal(3, 4, columns), np.zeros((3, columns))
    wanted = np.zeros_like(x)
    for t in range(x.shape[1]):
        state = np.where(np.arange(3)[:, None] % 2 == 0, x[:, t], state)
        state = wanted[:, t] = np.tanh(state + x[:, t])
    np.testing.assert_allclose(kernels.compile(text).f(core.from_host(x)).to_host(), wanted, rtol=1e-12)


FIXED = compiled("""op f(x[t, n, c]: float, a[k]: float, labels[n, s]: int, w[j, k]: float) -> y[t, n, k]
    where k = 2 * size[s] + 1, size[j] == size[k]
{
    label[n, k] = k % 2 == 1 ? labels[n, k // 2] : 0;
    differs = k > 1 ? label != label[n, k - 2] : false;
    before = y[t - 1, n, k] else 0;
    y = tanh(x[t, n, label] + exp(-a ^ 2) * before + (differs ? (y[t - 1, n, k - 2] else 1) : 0)
        + 0.1 * sum[j](cos(w) * (y[t - 1, n, j] else 0)));
}""")


@pytest.mark.parametrize("steps", [1, 3, 20])
@pytest.mark.parametrize("labels", [0, 1, 7, 8, 17])
def test_what_is_the_same_in_every_step_is_computed_before_them(steps: int, labels: int) -> None:
    columns, random = 2 * labels + 1, np.random.default_rng(1)
    given = normal(steps, 3, 5), normal(columns), random.integers(0, 5, (3, labels)), normal(columns, columns)
    forward, _ = assert_op_agrees(FIXED, *given)
    if columns > 1 and steps > 3:
        of_steps = forward.text[forward.text.index("t_ = 0") :]
        assert not re.search(r"\b(exp|cos)\w*\(|labels_\[", of_steps[: of_steps.index("__kernel")])


@pytest.mark.parametrize("rows", [4, 7, 8, 13, 21])
def test_rows_that_are_computed_together_agree_with_the_evaluator(rows: int) -> None:
    for steps, width in ((5, 37), (4, 3), (3, 16), (3, 32), (2, 83)):
        x, w = 0.5 * normal(steps, rows, width), 0.5 * normal(width, width)
        assert_op_agrees(ELMAN, x.astype(np.float32), w.astype(np.float32))


PREFIXES: dict[str, tuple[str, Callable[..., Any]]] = {
    "before": ("y = x + sum[s < t](w[t, s] * y[s]);", lambda x, w, y, t: x[t] + w[t, :t] @ y[:t]),
    "behind": ("y = x + sum[s > t](w[t, s] * y[s]);", lambda x, w, y, t: x[t] + w[t, t + 1 :] @ y[t + 1 :]),
    "asked for by some": (
        "y = t % 3 == 1 ? x - sum[s < t](w[t, s] * y[s]) : t % 3 == 0 ? x : 2;",
        lambda x, w, y, t: x[t] - w[t, :t] @ y[:t] if t % 3 == 1 else x[t] if t % 3 == 0 else 2,
    ),
    "of what is no state": (
        "y = 0.5 * (y[t - 1] else 0) + sum[s <= t](w[t, s] * x[s]) * sum[s < t](w[t, s] * y[s] * y[s]);",
        lambda x, w, y, t: 0.5 * y[t - 1] * (t > 0) + (w[t, : t + 1] @ x[: t + 1]) * (w[t, :t] @ y[:t] ** 2),
    ),
    "of the largest": (
        "y = x + max[s < t](y[s] - w[t, s]) / 4;",
        lambda x, w, y, t: x[t] + (y[:t] - w[t, :t]).max(initial=-np.inf) / 4,
    ),
}


@pytest.mark.parametrize("name", PREFIXES)
@pytest.mark.parametrize("size", [1, 2, 32, 47, 95])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_reductions_of_the_steps_before_are_those_of_loops(name: str, size: int, dtype: str) -> None:
    text, step = PREFIXES[name]
    if name == "of the largest":
        text = text.replace("x + max", "t == 0 ? x : x + max")
    x, w = normal(size).astype(dtype), (normal(size, size) / size).astype(dtype)
    expected = np.zeros(size)
    for t in reversed(range(size)) if name == "behind" else range(size):
        expected[t] = x[t] if name == "of the largest" and t == 0 else step(x, w, expected, t)
    op = kernels.compile(f"op f(x[t]: float, w[t, s]: float) -> y[t] where size[s] == size[t] {{ {text} }}").f
    found = op(core.from_host(x), core.from_host(w)).to_host()
    np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype == "float64" else 1e-5, atol=1e-6)


BROADCAST = compiled(CASES["one element of a step that data says in all places"].text)


@pytest.mark.parametrize("width", [2, 16, 20, 40])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_all_places_of_a_step_read_has_the_gradient_of_all(width: int, dtype: str) -> None:
    x, p = normal(5, width).astype(dtype), np.array([0, 1, 1, 2, 2])
    given = ag.tensor(x, requires_grad=True)
    BROADCAST(given, core.from_host(p)).sum().backward()
    expected = np.ones_like(x, dtype=np.float64)
    value = CASES["one element of a step that data says in all places"].loops(x.astype(np.float64), p)
    for t in reversed(range(5)):
        if p[t] < t:
            at, arrived = p[t], expected[t].copy()
            expected[t] = arrived * value[at, 0]
            expected[at, 0] += (arrived * (x[t] + 2 * value[at, 0] / 3)).sum()
    np.testing.assert_allclose(given.grad.to_host(), expected, rtol=1e-12 if dtype == "float64" else 1e-4, atol=1e-5)


GATES = """op f(x[t, n, g, k]: float) -> y[t, n, g, k] {
    y = g == 0 ? tanh((y[t - 1, n, 1, k] else 0) + x) : g < 2 ? exp(-x) * (y[t - 1, n, 0, k] else 0.5) :
        0.5 * (y[t - 1, n, g, k] else 1) + x;
}"""


@pytest.mark.parametrize("gates", [2, 3, 8, 9])
@pytest.mark.parametrize("width", [5, 20])
def test_a_few_places_with_formulas_of_their_own_are_written_out(gates: int, width: int) -> None:
    x = normal(4, 3, gates, width)
    expected, before = [], None
    for each in x:
        y = 0.5 * (1 if before is None else before) + each
        y[:, 0] = np.tanh(each[:, 0] + (0 if before is None else before[:, 1]))
        y[:, 1] = np.exp(-each[:, 1]) * (0.5 if before is None else before[:, 0])
        expected.append(before := y)
    op = kernels.compile(GATES).f
    np.testing.assert_allclose(op(core.from_host(x)).to_host(), expected, rtol=1e-12)
    call = op.bind([core.from_host(x)], {})
    text = launch.prepare(call.formula, call.operands, call.attributes).text
    assert ("tanh_double" in text and "== g_" not in text and "g_ == " not in text) == (gates <= 8)


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


def test_a_sum_within_the_sum_over_what_is_there_already_is_differentiated_twice() -> None:
    """Gram and Schmidt: each column without its parts along those before it."""
    text = "op f(a[i, j]: float) -> q[i, j] { q = a - sum[k < j](sum[m](q[m, k] * a[m, j]) * q[i, k]); }"
    op = kernels.compile(text).f
    a = normal(4, 3) / 2
    expected = a.copy()
    for j in range(3):
        for k in range(j):
            expected[:, j] -= (expected[:, k] @ a[:, j]) * expected[:, k]
    given = ag.tensor(a, requires_grad=True)
    np.testing.assert_allclose(op(given).to_host(), expected, rtol=1e-12)
    assert ag.gradcheck(op, [given])
    assert ag.gradgradcheck(op, [given])


def test_the_sum_of_all_that_is_above_and_to_the_left_is_a_state_of_its_own() -> None:
    op = kernels.compile("op f(x[i, j]: float) -> y[i, j] { y = tanh(x + x * sum[a < i](sum[b < j](y[a, b]))); }").f
    x = normal(4, 5)
    expected = np.zeros_like(x)
    for i, j in np.ndindex(x.shape):
        expected[i, j] = np.tanh(x[i, j] + x[i, j] * expected[:i, :j].sum())
    given = ag.tensor(x, requires_grad=True)
    np.testing.assert_allclose(op(given).to_host(), expected, rtol=1e-12)
    assert ag.gradcheck(op, [given])


LOOKING_BACK: dict[str, tuple[str, Callable[[Array, Array, int], float]]] = {
    "a heap": ("y = x + (t > 0 ? y[(t - 1) // 2] ^ 2 : 0);", lambda x, y, t: x[t] + (y[(t - 1) // 2] ** 2 if t else 0)),
    "from 1 on": ("y = x + (t > 0 ? y[t // 2] ^ 2 : 0);", lambda x, y, t: x[t] + y[t // 2] ** 2 * (t > 0)),
    "of three": ("y = x + (t > 2 ? y[t // 3 - 1] ^ 2 : 0);", lambda x, y, t: x[t] + y[t // 3 - 1] ** 2 * (t > 2)),
    "a heap with a value outside": (
        "y = x + (y[(t - 1) // 2] else 2) ^ 2;", lambda x, y, t: x[t] + (y[(t - 1) // 2] if t else 2) ** 2,
    ),
    "as far as a number says": (
        "y = x + 0.5 * (y[t - lag] else 2);", lambda x, y, t: x[t] + 0.5 * (y[t - 2] if t > 1 else 2),
    ),
    "the last of three places": (
        "y = t == 0 ? x : t == 1 ? x * y[0] : t == 2 ? x * y[1] : x * y[2] + y[0];",
        lambda x, y, t: x[t] * y[2] + y[0] if t > 2 else x[t] * (y[t - 1] if t else 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOKING_BACK)
def test_what_is_known_of_a_position_says_that_it_looks_back(name: str) -> None:
    """A half is before the whole; what `where` requires holds; what is none of 0, 1 and 2 is behind them."""
    text, step = LOOKING_BACK[name]
    op = kernels.compile(f"op f(x[t]: float; lag: int = 2) -> y[t] where lag > 0 {{ {text} }}").f
    x, y = normal(9) / 2, np.zeros(9)
    for t in range(9):
        y[t] = step(x, y, t)
    given = ag.tensor(x, requires_grad=True)
    np.testing.assert_allclose(op(given).to_host(), y, rtol=1e-12)
    assert ag.gradcheck(op, [given])
    assert ag.gradgradcheck(op, [given])


@pytest.mark.parametrize("text", [
    "p[t] = argmax[k](h[t - 1, k] else 0); h = w[p[t]] * x + 0.1 * k;",
    "p[t] = argmax[k](w[k] * (h[t - 1, k] else 0)); h = tanh(x + 0.5 * (h[t - 1, p] else (0.1 * k))) ^ 2;",
    "b[t] = sum[k](h[t - 1, k] else 0); h = first_max[v](w[v] * (b[t - 1] else 1)) + 0.1 * k * x;",
])  # fmt: skip
@pytest.mark.parametrize("target", ["cpu", "small-cpu", "small-gpu"])
def test_a_step_reads_where_the_one_before_has_its_extreme(
    text: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: named(target)))
    op = kernels.compile(f"op f(x[t]: float, w[v]: float) -> h[t, k] where k = size[v] {{ {text} }}").f
    given = [ag.tensor(normal(*shape), requires_grad=True) for shape in ((4,), (3,))]
    assert ag.gradcheck(op, given)
    assert ag.gradgradcheck(op, given)
    along = [core.from_host(normal(*each.shape)) for each in given]
    _, tangent = ag.jvp(op, tuple(each.value for each in given), tuple(along))
    gradients = ag.grad(op(*given).sum(), given)
    expected = sum((one.to_host() * other.to_host()).sum() for one, other in zip(gradients, along, strict=True))
    np.testing.assert_allclose(tangent.to_host().sum(), expected, rtol=1e-12)


@pytest.mark.parametrize("columns", [63, 64, 80, 129, 257])
@pytest.mark.parametrize("size", [1, 2, 33, 300])
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


@pytest.mark.parametrize("size", [1, 31, 32, 33, 70])
def test_a_factor_sums_up_what_is_there_and_nothing_else(size: int) -> None:
    x = normal(2, size, size)
    a = x @ x.swapaxes(-1, -2) + size * np.eye(size)
    found = kernels.catalogue["cholesky"](core.from_host(a)).to_host()
    np.testing.assert_allclose(found, np.linalg.cholesky(a), rtol=1e-11, atol=1e-12)
    call = kernels.catalogue["cholesky"].bind([core.from_host(a)], {})
    assert "k_ < j_" not in launch.prepare(call.formula, call.operands, call.attributes).text


def test_a_gradient_reads_the_states_that_are_outputs_and_those_that_follow_from_them() -> None:
    """Only its own states go step by step: what they read of the forward pass is there, h[t - 1] as well as h[t]."""
    for name, gates in (("rnn", 1), ("gru", 3), ("lstm", 4)):
        op = kernels.catalogue[name]
        call = op.bind([core.zeros(shape) for shape in ((5, 4, 6), (gates * 8, 6), (gates * 8, 8))], {})
        gradient = pipeline.gradient(call.formula, ("x", "w_ih", "w_hh"))
        exprs = [output.expr for output in gradient.outputs]
        stepping = [node for node in subexpressions(*exprs) if isinstance(node, Recurrence)]
        assert stepping, name
        assert all(each.startswith("grad_") for node in stepping for each in node.names), name


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


def test_a_state_that_is_no_output_is_computed_again() -> None:
    op = compiled("""op f(x[t]: float, a[]: float) -> y[t] {
        u[t] = tanh(x + a[] * (v[t - 1] else 0));
        v[t] = sin(u);
        y = u * v;
    }""")
    x, a = normal(6), np.array(0.4)
    assert_derivatives(op, [x, a])
    named = [node.names for node in recurrences_of(op, x, a) if not node.names[0].startswith("grad_")]
    assert named


def recurrences_of(op: Any, *arrays: Array) -> list[Recurrence]:
    """Those in the gradient of an op."""
    call = op.bind([core.from_host(each) for each in arrays], {})
    gradient = pipeline.gradient(call.formula, pipeline.differentiable(call.formula))
    exprs = [output.expr for output in gradient.outputs]
    return [node for node in subexpressions(*exprs) if isinstance(node, Recurrence)]


def test_a_product_in_several_equations_is_computed_once() -> None:
    """Gates whose adjoint is no tensor: each of the three is read where the equations of the gradient need it."""
    op = kernels.compile("""
        op f(x[t, n, i]: float, w_ih[g, k, i]: float, w_hh[g, k, j]: float) -> h[t, n, k] saving kept[t, n, g, k]
            where g = 3, size[j] == size[k]
        {
            before[t, n, k] = h[t - 1, n, k] else 0;
            given[t, n, g, k] = sum[i](x * w_ih);
            kept = sum[j](w_hh * before[t, n, j]);
            use r = sigmoid(given[t, n, 0, k] + kept[t, n, 0, k]);
            use z = sigmoid(given[t, n, 1, k] + kept[t, n, 1, k]);
            h = (1 - z) * tanh(given[t, n, 2, k] + r * kept[t, n, 2, k]) + z * before;
        }""").f
    tensors = [core.zeros(shape) for shape in ((6, 9, 5), (3, 7, 5), (3, 7, 7))]
    call = op.bind(tensors, {})
    plan = launch.prepare(call.formula, call.operands, call.attributes)
    known = dict(zip((each.name for each in call.formula.operands), call.operands, strict=True))
    outputs = plan.run(call.operands, call.attributes)
    known.update(zip((each.name for each in call.formula.outputs), outputs, strict=True))
    known.update({f"d{each.name}": output for each, output in zip(call.formula.outputs, outputs, strict=True)})
    gradient = pipeline.gradient(call.formula, ("w_ih",))
    given = [known[each.name] for each in gradient.operands]
    text = launch.prepare(gradient, given, call.attributes, plan.bindings).text
    products = re.findall(r"//     part\.\d+\[.*\] = .*sum\[i\]\(", text)
    assert len(set(products)) == 3, products


def test_whole_numbers_and_truth_values_have_their_own_states() -> None:
    counted = compiled("op f(x[n]: int) -> y[n] { y = x + 2 * (y[n - 1] else 0); }")
    np.testing.assert_array_equal(value(counted, np.array([1, 2, 3])), [1, 4, 11])
    known = compiled("op f(x[n]: bool) -> y[n] { y = x or (y[n + 1] else false); }")
    np.testing.assert_array_equal(value(known, np.array([False, True, False])), [True, True, False])


def test_transforms_take_recurrences_as_any_formula() -> None:
    op = kernels.compile("op f(x[n]: float) -> y[n] { y = tanh(x * (y[n - 1] else 0.3)); }").f
    rows = ag.tensor(normal(3, 4))
    each = np.stack([op(ag.tensor(row)).to_host() for row in rows.to_host()])
    np.testing.assert_allclose(ag.vmap(op)(rows).to_host(), each, rtol=1e-12)

    def loss(x: Any) -> Any:
        return (op(x * 2) * 3).sum()

    x = ag.tensor(normal(5))
    np.testing.assert_allclose(ag.jit(ag.grad(loss))(x).to_host(), ag.grad(loss)(x).to_host(), rtol=1e-12)


def test_a_reading_that_leaves_its_axis_is_an_error_of_the_call() -> None:
    op = kernels.compile("op f(x[n]: float) -> y[n] { y = x + y[n - 1]; }").f
    with pytest.raises(IndexError, match="the positions -1 to 2"):
        op(ag.tensor([1.0, 2.0, 3.0, 4.0]))
    inner = kernels.compile("op f(x[n]: float) -> y[n] { d[n] = x + d[n - 1]; y = 2 * d; }").f
    with pytest.raises(IndexError, match=r"the positions -1 to 2, .* axis n of d, which has length 4"):
        inner(ag.tensor([1.0, 2.0, 3.0, 4.0]))
    at = kernels.compile("op f(x[n]: float, p[n]: int) -> y[n] { y = x + (p < n ? y[p] : 0); }").f
    with pytest.raises(IndexError, match=r"the index -7 .* axis n of y"):
        at(ag.tensor([1.0, 2.0]), ag.tensor([-7, 0]))


@pytest.mark.parametrize(
    "formula",
    [
        "y[n - 1] + y[n + 1]", "y[p]", "y[n]", "p < n ? y[p + 1] : 0", "p <= n ? y[p] : 0", "sum[m <= n](y[m])",
        "n > 0 ? y[0] : y[size[n] - 1]",
    ],
)  # fmt: skip
def test_a_reading_of_which_nothing_says_that_it_looks_back_is_refused(formula: str) -> None:
    with pytest.raises(KernelLanguageError, match="nothing says that this element is computed before"):
        kernels.compile(f"op f(x[n]: float, p[n]: int) -> y[n] {{ y = x + ({formula}); }}")


def test_two_readings_that_each_look_back_along_another_axis_have_no_order() -> None:
    with pytest.raises(KernelLanguageError, match="nothing says that this element is computed before"):
        kernels.compile(
            "op f(x[i, j]: float, p[j]: int, q[i]: int) -> r[i, j] "
            "{ r = x + (r[i - 1, p] else 0) + (r[q, j - 1] else 0); }"
        )


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
def test_a_state_is_there_before_another_one_reads_it_also_where_there_are_no_steps(name: str, size: int) -> None:
    """Their lengths say that no state is read of a step before: axes of one element have no place in memory."""
    text, loops = WITHOUT_STEPS[name]
    x = normal(size)
    np.testing.assert_allclose(kernels.compile(text).f(core.from_host(x)).to_host(), loops(x), rtol=1e-12)
    assert ag.gradcheck(kernels.compile(text).f, [ag.tensor(x, requires_grad=True)])


def test_a_sum_that_is_the_same_in_all_lanes_has_a_gradient() -> None:
    op = kernels.compile(
        "op f(x[t, b]: float, p[t]: int) -> y[] { h[t, b] = sin(x + (p < t ? h[p, 0] : 0)); y = sum[b, t](h * h); }"
    ).f
    x, p = normal(6, 33), np.array([0, 0, 1, 1, 2, 5])
    assert_op_agrees(op, x, p, tolerance=1e-12)
    given = ag.tensor(x[:, :17], requires_grad=True)
    assert ag.gradcheck(lambda each: op(each, ag.tensor(p)), [given])


def test_what_is_the_same_for_all_rows_of_a_batch_has_a_gradient() -> None:
    op = kernels.compile("op f(x[t]: float, a[]: float) -> y[t] { y = x + a[] * sin(y[t - 1] else 0); }").f

    def energy(x: Any, a: Any) -> Any:
        return (ag.vmap(lambda row: op(row, a))(x) ** 2).sum()

    given = [ag.tensor(normal(3, 4), requires_grad=True), ag.tensor(normal(), requires_grad=True)]
    assert ag.gradcheck(energy, given)
    assert ag.gradgradcheck(energy, given)


def test_what_is_computed_in_one_environment_has_no_name_of_another_one() -> None:
    """Steps are evaluated among the arrays of what is around them, which they must not be taken for."""
    outer, inner = Shared(), Shared()
    assert outer.name("state", 1) == outer.name("state", 1) != inner.name("state", 2)


def test_a_place_of_nothing_is_an_error() -> None:
    op = kernels.compile("op f(x[n, k]: float, z[k]: float) -> y[n] { y = z[argmax[k](x)]; }").f
    with pytest.raises(IndexError, match="axis k of z, which has length 0"):
        op(core.from_host(normal(2, 0)), core.from_host(normal(0)))
    assert op(core.from_host(normal(0, 0)), core.from_host(normal(0))).shape == (0,)
