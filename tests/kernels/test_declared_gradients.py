"""Gradients that are declared, of used ops and of definitions, beside numbers from plain numpy.

Nothing here is compared with the evaluator: what it shares with the compiler, it could be wrong about as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from beside_numpy import Array, assert_right, drawn, results, weights_for

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core import GraphError


def test_the_gradient_of_a_used_op_is_the_one_that_it_declares() -> None:
    x = np.array([-1000, 0, 2], np.float32)
    text = "op f(x[n]: float) -> y[n] { use v = sigmoid(x); y = 3 * v; }"
    _, (found,), tangent = results(text, x)
    s = np.array([0, 0.5, 1 / (1 + np.exp(-2))])
    np.testing.assert_allclose(found, 3 * s * (1 - s) * weights_for((3,)), atol=1e-6)
    np.testing.assert_allclose(tangent, 3 * s * (1 - s), atol=1e-6)
    leaf = ag.tensor(x, requires_grad=True)
    (first,) = ag.grad(kernels.compile(text).f(leaf).sum(), [leaf], create_graph=True)
    (second,) = ag.grad(first.sum(), [leaf])
    np.testing.assert_allclose(second.to_host(), 3 * s * (1 - s) * (1 - 2 * s), atol=1e-6)


def test_what_a_used_op_gives_may_be_read_on_its_diagonal() -> None:
    """There its place and what it was given have one index: only there does the gradient arrive."""

    def diagonal(x: Array) -> Array:
        e = np.exp(x - x.max(1, keepdims=True))
        return np.diagonal(e / e.sum(1, keepdims=True)).copy()

    text = "op f(x[n, k]: float) -> y[n] { use v = softmax(x[n, k]; axis = k); y = sum[k](k == n ? v : 0); }"
    assert_right(text, diagonal, drawn(4, 4))


ROUND = "op through(x: float) -> y { y = round(x); grad x = dy; } "


@pytest.mark.parametrize(
    "text",
    [
        "op f(x[n]: float) -> y[n] { use v = through(3 * x); y = v * v; }",
        "op g(x: float) -> y { use y = through(3 * x); } op f(x[n]: float) -> y[n] { use v = g(x); y = v * v; }",
        "op f(x[n]: float) -> y[n] { u = 3 * x; v = round(u); y = v * v; grad u = 2 * v * dy; }",
        "op g(x: float) -> y { u = 3 * x; y = round(u); grad u = dy; } "
        "op f(x[n]: float) -> y[n] { use v = g(x); y = v * v; }",
    ],
    ids=["used", "used by a used op", "of a definition", "of a definition of a used op"],
)
def test_a_straight_through_estimator_passes_its_gradient_on_wherever_it_stands(text: str) -> None:
    x = drawn(5)
    _, (found,), tangent = results(ROUND + text, x)
    np.testing.assert_allclose(found, 6 * np.round(3 * x) * weights_for((5,)), rtol=1e-5)
    np.testing.assert_allclose(tangent, 6 * np.round(3 * x), rtol=1e-5)


def test_a_definition_with_a_gradient_is_no_other_expression_that_looks_the_same() -> None:
    x = drawn(4)
    _, (found,), _ = results("op f(x: float) -> y { u = 3 * x; y = round(u) + 3 * x; grad u = 10 * dy; }", x)
    np.testing.assert_allclose(found, 33 * weights_for((4,)), rtol=1e-5)


@pytest.mark.parametrize("of", ["u", "a"], ids=["definition", "operand"])
def test_a_declared_gradient_has_nothing_of_an_output_that_it_does_not_mention(of: str) -> None:
    text = f"op f(a[*n]: float, b[*c]: float) -> (y[*n], z[*c]) {{ u = 2 * a; y = u * u; grad {of} = dy; z = b; }}"
    a, b = (ag.tensor(drawn(size), requires_grad=True) for size in (2, 3))
    y, _ = kernels.compile(text).f(a, b)
    (found,) = ag.grad(y.sum(), [a])
    np.testing.assert_array_equal(found.to_host(), 2 if of == "u" else 1)


def test_a_gradient_declared_for_a_definition_is_all_of_it_also_from_other_outputs() -> None:
    text = "op f(a[n]: float) -> (y[n], z[n]) { u = 3 * a; y = round(u); grad u = dy + 2 * dz; z = u; }"
    op = kernels.compile(text).f
    a = ag.tensor(drawn(3), requires_grad=True)
    y, z = op(a)
    for outputs, slope in (([y], 3), ([z], 6), ([y, z], 9)):
        (found,) = ag.grad([each.sum() for each in outputs], [a], retain_graph=True)
        np.testing.assert_array_equal(found.to_host(), np.full(3, slope))


def test_the_gradient_from_one_of_two_outputs_has_what_it_reads() -> None:
    """It was derived anew when it was asked for, and read an operand that the gradient from both does not need."""
    op = kernels.compile(
        """op f(a[t, k]: float, b[k]: float, c[]: float, h[k, n]: float, on[k, n]: bool) -> (y[n, k], z[]) {
            d = max[t](sum[k](a[t, k] * b) ^ 2);
            y = scan[m <= n](c[] / (1 + d ^ 2), on[k, m] ? h[k, m] + d : 0);
            z = max[k](d * b);
        }"""
    ).f
    given = [drawn(3, 2), drawn(2), drawn(), drawn(2, 4)]
    on = core.from_host(drawn(2, 4) > 0)
    weights = core.from_host(drawn(4, 2))

    def gradients(both: bool) -> list[np.ndarray]:
        leaves = [ag.tensor(each, requires_grad=True) for each in given]
        y, z = op(*leaves, on)
        outputs, seeds = ([y, z], [weights, ag.tensor(np.zeros((), np.float32))]) if both else ([y], [weights])
        return [each.to_host() for each in ag.grad(outputs, leaves, seeds)]

    for alone, together in zip(gradients(False), gradients(True), strict=True):
        np.testing.assert_allclose(alone, together, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("value", ["(1 + a ^ 2) ^ 0", "max[s <= t](a[s] > 8 or 1 > 0 ? 1 : a[s])"])
def test_a_definition_that_comes_to_a_constant_passes_no_gradient_on(value: str) -> None:
    text = f"op f(a[t]: float) -> y[t] {{ u = {value}; y = tanh(u); grad u = dy / (1 + u ^ 2); }}"
    _, (found,), tangent = results(text, drawn(3))
    assert not found.any()
    assert not tangent.any()


def test_what_arrives_at_a_definition_that_is_the_same_along_an_index_is_added_up() -> None:
    """A running extreme of what does not move is read where it was met, and the index is gone."""
    text = """op f(x[k]: float) -> y[t] where t = 3, s = size[t] {
        u = first_max[k](max[s <= t](0.25) * x[k]); y = u; grad u = 2 * dy; }"""
    value, (found,), _ = results(text, np.array([1, -2, 3, 0.5], np.float32))
    np.testing.assert_array_equal(value, [0.75] * 3)
    np.testing.assert_array_equal(found, [0, 0, 2 * 0.25 * (1 + 1.5 + 2), 0])


def test_definitions_that_come_to_be_one_have_both_of_their_gradients() -> None:
    """One of them was lost, silently."""
    op = kernels.compile("""op f(x[k]: float) -> (y[t], z[t]) where t = 3, s = size[t] {
        u = first_max[k](max[s <= t](0.25) * x[k]); v = first_max[k](0.25 * x[k]); y = u; z = v;
        grad u = 2 * dy; grad v = 3 * dz; }""").f
    x = ag.tensor(np.array([1, -2, 3, 0.5], np.float32), requires_grad=True)
    y, z = op(x)
    (y.sum() + z.sum()).backward()
    np.testing.assert_array_equal(x.grad.to_host(), [0, 0, 0.25 * 3 * (2 + 3), 0])
    ones = core.from_host(np.ones(4, np.float32))
    _, tangents = ag.jvp(op, (x.detach(),), (ones,))
    for tangent, slope in zip(tangents, (2, 3), strict=True):
        np.testing.assert_array_equal(tangent.to_host(), [0.25 * slope] * 3)


def test_a_batch_keeps_the_gradient_of_a_definition() -> None:
    op = kernels.compile("op f(x[n]: float) -> y[] { u = 3 * x; y = sum[n](round(u)); grad u = dy; }").f
    x = drawn(4, 3)
    found = ag.vmap(ag.grad(lambda row: op(row)))(core.from_host(x))
    np.testing.assert_allclose(found.to_host(), np.full((4, 3), 3.0))


NAMES = ["sigmoid", "softmax", "log_softmax", "logsumexp", "gelu", "softplus", "silu", "tanh"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sample(3)
def test_a_used_op_has_the_first_two_gradients_of_the_op(name: str) -> None:
    x = np.array([[-1000, -90, -1, 0], [0.5, 2, 90, 1000]], np.float32)
    has_axes = bool(kernels.catalogue[name].forms[0].operands[0].axes)
    given = "e[n, k]" if has_axes else "e"
    axes = "[]" if name == "logsumexp" else "[n, k]"
    text = f"op f(x[n, k]: float) -> y{axes} {{ e = x * 1; use y = {name}({given}); }}"
    found, expected = (twice(op, x) for op in (kernels.compile(text).f, getattr(ag, name)))
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


def twice(op: Callable[..., Any], x: Array) -> list[Array]:
    """Value, gradient and the gradient of that gradient."""
    leaf = ag.tensor(x, requires_grad=True)
    value = op(leaf)
    weights = core.from_host(weights_for(value.shape))
    (first,) = ag.grad(value, [leaf], grad_outputs=weights, create_graph=True)
    (second,) = ag.grad((first * first).sum(), [leaf])
    return [
        each.to_host() if isinstance(each, core.Tensor) else each.value.to_host() for each in (value, first, second)
    ]


STEPS = kernels.compile(
    """
    op substituted(a[i, j]: float, b[i]: float) -> x[i] where size[i] == size[j] {
        pivot[i] = a[i, i] ^ 2 + (pivot[i - 1] else 0);
        x = (b - sum[m < i](a[i, m] * x[m])) / pivot[i];
        u[k] = (dx[k] - sum[m > k](a[m, k] * u[m])) / pivot[k];
        later[k] = -u[k] * x[k] + (later[k + 1] else 0);
        grad b = u[i];
        grad a = i == j ? 2 * a * later[i] : j < i ? -u[i] * x[j] : 0;
    }
    op used(a[i, j]: float, b[i]: float) -> y[i] where size[i] == size[j] {
        use x[i] = substituted(a[i, j], b[i]);
        y = x * x;
    }
    """
)


def test_a_declared_gradient_may_go_step_by_step_and_read_states_of_the_value() -> None:
    """Their tangents are those of differences, where the states depend on what is moved and where they do not."""
    a, b = np.tril(np.random.default_rng(0).normal(size=(5, 5))) + 2 * np.eye(5), np.linspace(-1, 1, 5)

    def value(a: Array, b: Array) -> Array:
        below = np.tril(a, -1) + np.diag(np.cumsum(np.diag(a) ** 2))
        return np.linalg.solve(below, b) ** 2  # type: ignore[no-any-return]

    def moved(a: Array, b: Array, da: Array, db: Array, h: float = 1e-6) -> Array:
        return (value(a + h * da, b + h * db) - value(a - h * da, b - h * db)) / (2 * h)

    da, db = np.tril(np.cos(a)), np.sin(b)
    inputs = [core.from_host(each) for each in (a, b)]
    for one, other in ((da, db), (da, 0 * db), (0 * da, db)):
        found = ag.jvp(STEPS.used, inputs, [core.from_host(each) for each in (one, other)])[1]
        np.testing.assert_allclose(found.to_host(), moved(a, b, one, other), rtol=1e-6, atol=1e-8)
    leaves = [ag.tensor(each, requires_grad=True) for each in (a, b)]
    y = STEPS.used(*leaves)
    ga, gb = ag.grad(y.sum(), leaves)
    wanted = moved(a, b, da, db).sum()
    np.testing.assert_allclose((ga.to_host() * da).sum() + (gb.to_host() * db).sum(), wanted, rtol=1e-6)
    assert ag.gradgradcheck(STEPS.used, leaves, fast=True)


PARTLY = kernels.compile(
    """
    op product(x: float, w: float) -> y { y = x * w; grad x = dy * w; }
    op squared(x: float, w: float) -> y { z = x * x; y = z * w; grad z = dy * w; }
    op once(x: float, w: float) -> y { use y = product(x, w); }
    op chained(x: float, w: float) -> y { use u = product(x, w); use y = product(u, x); }
    op of_a_definition(x: float, w: float) -> y { use y = squared(x, w); }
    op transposed(x[n, c, i]: float, w[c, f, r]: float) -> y[n, f, p] {
        use y[n, f, p] = conv_transpose1d(x[n, c, i], w[c, f, r]);
    }
    """
)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("once", [[0, 1], [1, 0]]),
        ("chained", [[2 * 5, 2 * 2], [2 * 2, 0]]),
        ("of_a_definition", [[2 * 5, 2 * 2], [2 * 2, 0]]),
    ],
)
def test_second_derivatives_mix_what_is_declared_with_what_is_not(name: str, wanted: list[list[float]]) -> None:
    op = getattr(PARTLY, name)
    at = ag.tensor(np.array([2.0, 5.0]))
    assert ag.hessian(lambda v: op(v[0], v[1]), at).tolist() == wanted
    along = [core.from_host(np.array(each)) for each in (0.25, -0.5)]

    def tangent(x: Any, w: Any) -> Any:
        return ag.jvp(op, [x, w], along)[1]

    second = ag.jvp(tangent, [core.from_host(np.array(each)) for each in (2.0, 5.0)], along)[1]
    v = np.array([0.25, -0.5])
    assert second.item() == v @ np.array(wanted) @ v


def test_a_used_transposed_convolution_has_the_derivatives_of_the_op() -> None:
    rng = np.random.default_rng(0)
    arrays = rng.normal(size=(2, 3, 5)), rng.normal(size=(3, 4, 3))
    seeds = [core.from_host(rng.normal(size=each.shape)) for each in arrays]

    def derivatives(op: Callable[..., Any]) -> list[Array]:
        leaves = [ag.tensor(each, requires_grad=True) for each in arrays]
        first = ag.grad((op(*leaves) ** 2).sum(), leaves, create_graph=True)
        return [each.to_host() for each in ag.grad(first, leaves, grad_outputs=seeds)]

    for found, wanted in zip(derivatives(PARTLY.transposed), derivatives(ag.conv_transpose1d), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_a_used_op_may_have_an_extent_of_another_that_it_sets() -> None:
    op = kernels.compile(
        "op f(x[n, c, i]: float) -> y[n, c, p] { use u[n, c, p] = avg_pool1d(x[n, c, i]; kernel = 3); y = u * u; }"
    ).f
    x = np.random.default_rng(0).normal(size=(2, 3, 9))
    wanted = x.reshape(2, 3, 3, 3).mean(-1) ** 2
    np.testing.assert_allclose(op(core.from_host(x)).to_host(), wanted, rtol=1e-13)
    assert ag.gradgradcheck(op, [ag.tensor(x, requires_grad=True)], fast=True)


CHAINED = kernels.compile(
    """
    op solved(a[i, j]: float, b[i]: float) -> y[j] {
        use u[j] = solve(a[i, j], b[i]);
        v[i] = sin(u[i]);
        use y[j] = solve(a[i, j], v[i]);
    }
    op factored(a[i, j]: float, b[i]: float) -> y {
        use (s, log) = slogdet(a[i, j]);
        use u[j] = solve(a[i, j], b[i]);
        use w[j, c] = inv(a[i, j]);
        y = log * sum[j, c](w[j, c] * u[j] ^ 2);
    }
    """
)


def in_calls(name: str) -> Callable[..., Any]:
    """The same as ops that are called one after the other."""

    def solved(a: Any, b: Any) -> Any:
        return ag.solve(a, ag.sin(ag.solve(a, b)))

    def factored(a: Any, b: Any) -> Any:
        return ag.slogdet(a)[1] * (ag.matmul(ag.solve(a, b) ** 2, ag.inv(a))).sum()

    return {"solved": solved, "factored": factored}[name]


@pytest.mark.parametrize("name", ["solved", "factored"])
def test_a_system_that_feeds_another_one_of_its_op_has_second_derivatives(name: str) -> None:
    rng = np.random.default_rng(0)
    arrays = 3 * np.eye(3) + rng.uniform(size=(3, 3)), rng.uniform(size=3)
    seeds = [[core.from_host(rng.normal(size=each.shape)) for each in arrays] for _ in range(2)]

    def derivatives(op: Callable[..., Any]) -> list[Array]:
        leaves = [ag.tensor(each, requires_grad=True) for each in arrays]
        result = op(*leaves)
        found, along = [result.to_host()], (result**2).sum()
        for order, (first, second) in enumerate(seeds, 1):
            grads = ag.grad(along, leaves, create_graph=order < len(seeds))
            found += [each.to_host() for each in grads]
            along = (grads[0] * first).sum() + (grads[1] * second).sum()
        return found

    for found, wanted in zip(derivatives(getattr(CHAINED, name)), derivatives(in_calls(name)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


NOT_LINEAR = [
    *(
        "max(min(dy, hi), lo)",
        "sign(dy) * hi",
        "dy > 0 ? dy * hi : dy * lo",
        "tanh(dy)",
        "exp(dy)",
        "2 ^ dy",
        "dy * dy",
    ),
    *("2 * dy + x", "dy + 1", "x > 0 ? dy : 1", "hi - dy", "(dy + lo) * x", "2 * detach(dy)"),
]


@pytest.mark.parametrize("gradient", NOT_LINEAR)
def test_a_declared_gradient_that_is_not_linear_has_no_tangent(gradient: str) -> None:
    text = f"op c(x: float; lo: float = -1, hi: float = 1) -> y {{ y = x * lo * hi; grad x = {gradient}; }}"
    op = kernels.compile(text).c
    x = ag.tensor([1.0, -2.0], requires_grad=True)
    ag.grad(op(x).sum(), [x])
    with pytest.raises(GraphError, match="is not linear in dy"):
        ag.jvp(op, x, x)


@pytest.mark.parametrize(
    ("gradient", "slope"),
    [("dy * cos(x) / hi", "cos(x) / hi"), ("x > 0 ? dy : 0", "x > 0 ? 1 : 0"), ("dy + 0 * x - dy * x", "1 - x"),
     ("isnan(x) ? nan : -(2 * dy)", "-2"), ("(dy - hi * dy) * x", "(1 - hi) * x")],
)  # fmt: skip
def test_a_declared_gradient_of_multiples_alone_has_a_tangent(gradient: str, slope: str) -> None:
    text = f"""
    op c(x: float; hi: float = 1.5) -> y {{ y = x * hi; grad x = {gradient}; surrogate x; }}
    op s(x: float; hi: float = 1.5) -> y {{ y = {slope}; }}
    """
    ops = kernels.compile(text)
    x = ag.tensor([1.0, -2.0], dtype="float64")
    along = ag.tensor([0.5, 3.0], dtype="float64")
    expected = (ops.s(x) * along).tolist()
    assert ag.jvp(ops.c, x, along)[1].tolist() == pytest.approx(expected, rel=1e-14)
    assert ag.pullback(ops.c, x)[1](along).tolist() == pytest.approx(expected, rel=1e-14)
