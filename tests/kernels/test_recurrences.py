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
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import Recurrence, new_label, state_name, subexpressions
from netcl.kernels.compiler.ir.construct import number, position, read, recurrence
from netcl.kernels.compiler.ir.evaluate import Shared
from netcl.kernels.compiler.ir.recurrences import NoOrder, order_of
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.runtime import launch


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sample(5)
def test_values_are_those_of_loops_and_derivatives_those_of_differences(name: str) -> None:
    text, arrays, loops = CASES[name]
    op = compiled(text)
    np.testing.assert_allclose(value(op, *arrays), loops(*arrays), rtol=1e-12, atol=1e-14)
    assert_derivatives(op, arrays)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sample(6)
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
@pytest.mark.sample(5)
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
@pytest.mark.sample(3)
def test_what_is_the_same_in_every_step_is_computed_before_them(steps: int, labels: int) -> None:
    columns, random = 2 * labels + 1, np.random.default_rng(1)
    given = normal(steps, 3, 5), normal(columns), random.integers(0, 5, (3, labels)), normal(columns, columns)
    forward, _ = assert_op_agrees(FIXED, *given)
    if columns > 1 and steps > 3:
        of_steps = forward.text[forward.text.index("t_ = 0") :]
        assert not re.search(r"\b(exp|cos)\w*\(|labels_\[", of_steps[: of_steps.index("__kernel")])


@pytest.mark.parametrize("rows", [4, 7, 8, 13, 21])
@pytest.mark.sample(2)
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
@pytest.mark.sample(17)
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


def test_where_no_order_is_found_what_is_read_is_called_as_in_the_formula() -> None:
    label, here = new_label(), position("t")
    before = read(state_name(label, 0), (call("sub", here, number(1, "int64")),), "float32")
    itself = read(state_name(label, 1), (here,), "float32")
    with pytest.raises(NoOrder, match="an element of speed may be read before it is computed; say in a condition"):
        order_of(recurrence(label, ("h", "speed"), (("t",), ("t",)), 1, (here,), (before, itself)))
