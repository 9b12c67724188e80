"""Formulas that once came back with a wrong number, beside numbers from plain numpy or from how the op is defined.

Nothing here is compared with the evaluator: what it shares with the compiler, it could be wrong about as well. Each
part is about one subject: extremes and branches, declared gradients, errors of the inside, running conditions, places,
long sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from differentiated import plans_of_its_own

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import subexpressions
from netcl.kernels.compiler.target import Target, named

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(7)


def drawn(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def results(text: str, *arrays: Array) -> tuple[Array, list[Array], Array]:
    """The value of the last op in `text`, the gradients of its weighted sum, and its tangent along ones."""
    op = list(vars(kernels.compile(text)).values())[-1]
    given = [ag.tensor(each, requires_grad=True) if each.dtype.kind == "f" else core.from_host(each) for each in arrays]
    leaves = [each for each in given if isinstance(each, ag.Node)]
    value = op(*given)
    weights = weights_for(value.shape)
    gradients = ag.grad(value, leaves, grad_outputs=core.from_host(weights), materialize_grads=True)

    def of_leaves(*values: Any) -> Any:
        waiting = iter(values)
        return op(*[next(waiting) if isinstance(each, ag.Node) else each for each in given])

    ones = tuple(core.ones_like(each.value) for each in leaves)
    _, tangent = ag.jvp(of_leaves, tuple(each.value for each in leaves), ones)
    return value.value.to_host(), [each.to_host() for each in gradients], tangent.to_host()


def weights_for(shape: tuple[int, ...]) -> Array:
    return np.linspace(1, 2, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def assert_right(text: str, function: Callable[..., Array], *arrays: Array, tolerance: float = 2e-3) -> None:
    """Value, gradients and tangent of the last op are those of `function` in float64, by differences of it. Twice: the
    second time, memory holds what the first left there."""
    exact = [each.astype(np.float64) if each.dtype.kind == "f" else each for each in arrays]
    expected = function(*exact)
    weights = weights_for(expected.shape).astype(np.float64)
    wanted = [differences(function, exact, at, weights) for at, each in enumerate(exact) if each.dtype.kind == "f"]
    step = [each + 1e-6 if each.dtype.kind == "f" else each for each in exact]
    back = [each - 1e-6 if each.dtype.kind == "f" else each for each in exact]
    along = (function(*step) - function(*back)) / 2e-6
    for _ in range(2):
        value, gradients, tangent = results(text, *arrays)
        np.testing.assert_allclose(value, expected, rtol=tolerance, atol=tolerance)
        for mine, theirs in zip(gradients, wanted, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(tangent, along, rtol=tolerance, atol=tolerance)


def differences(function: Callable[..., Array], arrays: list[Array], at: int, weights: Array) -> Array:
    found = np.zeros_like(arrays[at])
    for place in np.ndindex(found.shape):
        ends = []
        for step in (1e-6, -1e-6):
            moved = list(arrays)
            moved[at] = arrays[at].copy()
            moved[at][place] += step
            ends.append(np.sum(weights * function(*moved)))
        found[place] = (ends[0] - ends[1]) / 2e-6
    return found


def running_max(x: Array, axis: int = -1) -> Array:
    return np.maximum.accumulate(x, axis)


def sparsemax(x: Array) -> Array:
    found = []
    for row in x:
        ordered = np.sort(row)[::-1]
        support = 1 + np.arange(1, len(row) + 1) * ordered > np.cumsum(ordered)
        count = support.sum()
        found.append(np.maximum(row - (ordered[:count].sum() - 1) / count, 0))
    return np.array(found)


def isotonic(x: Array) -> Array:
    count = len(x)
    means = [[x[s : t + 1].mean() if t >= s else 0 for t in range(count)] for s in range(count)]
    return np.array([max(min(means[s][t] for t in range(i, count)) for s in range(i + 1)) for i in range(count)])


# --- extremes and branches --------------------------------------------------------------------------------------------


RUNNING_IN_EXTREMES: dict[str, tuple[str, Callable[..., Array], tuple[Array, ...]]] = {
    "a largest sum over running sums": (
        "op f(x[n, c]: float) -> y[] { y = max[n](sum[c](sum[r <= c](x[n, r]) ^ 2)); }",
        lambda x: (np.cumsum(x, 1) ** 2).sum(1).max(), (drawn(5, 4),)),
    "a maximum beside a sum over two running values": (
        "op f(x[c]: float) -> y[c] { z = sum[c](sum[r <= c](x[r]) * max[r <= c](x[r])); y = max(x - z, 0); }",
        lambda x: np.maximum(x - (np.cumsum(x) * running_max(x)).sum(), 0), (drawn(6),)),
    "the largest running maximum of a product": (
        "op f(x[n, k]: float, y[k, c]: float) -> z[c] { z = max[n](max[s <= c](sum[k](x[n, k] * y[k, s]))); }",
        lambda x, y: running_max(x @ y).max(0), (drawn(5, 7), drawn(7, 6))),
    "the same, large enough for packed products": (
        "op f(x[n, k]: float, y[k, c]: float) -> z[c] { z = max[n](max[s <= c](sum[k](x[n, k] * y[k, s]))); }",
        lambda x, y: running_max(x @ y).max(0), (drawn(33, 8), drawn(8, 40))),
    "isotonic regression as a largest smallest mean": (
        "op f(x[t]: float) -> y[t] where i = size[t], j = size[t], k = size[t] { y = max[i](i <= t ? min[j](j >= t ? "
        "sum[k](k >= i and k <= j ? x[k] : 0) / float(j - i + 1) : inf) : -inf); }",
        isotonic, (drawn(7),)),
    "sparsemax": (
        "op f(x[n, k]: float) -> y[n, k] { o = argsort[s <= k](-x[n, s]); v = x[n, o]; "
        "c = sum[s <= k](x[n, argsort[r <= s](-x[n, r])]); d = 1 + (k + 1) * v > c; "
        "m = sum[k](d ? 1.0 : 0.0); t = (sum[k](d ? v : 0) - 1) / m; y = max(x - t, 0); }",
        sparsemax, (drawn(4, 6),)),
    "the largest of what a function of a sum gives": (
        "op f(x[n, k]: float) -> y[n] { y = max[k](exp(x) / sum[k](exp(x))); }",
        lambda x: (np.exp(x) / np.exp(x).sum(1, keepdims=True)).max(1), (drawn(17, 19),)),
    "the nearest of many points": (
        "op f(x[n, d]: float, p[m, d]: float) -> y[n] { y = min[m](sum[d]((x[n, d] - p[m, d]) ^ 2)); }",
        lambda x, p: ((x[:, None] - p) ** 2).sum(-1).min(1), (drawn(18, 3), drawn(20, 3))),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNNING_IN_EXTREMES)
def test_extremes_of_what_is_added_up_have_the_derivative_of_the_one_that_was_chosen(name: str) -> None:
    text, function, arrays = RUNNING_IN_EXTREMES[name]
    assert_right(text, function, *arrays)


def test_points_so_many_that_there_is_no_table_of_pairs_have_the_gradient_of_the_nearest() -> None:
    x, p = drawn(700, 3), drawn(900, 3)
    text = "op f(x[n, d]: float, p[m, d]: float) -> y[n] { y = min[m](sum[d]((x[n, d] - p[m, d]) ^ 2)); }"
    _, (of_x, of_p), _ = results(text, x, p)
    nearest = ((x[:, None] - p) ** 2).sum(-1).argmin(1)
    part = 2 * (x - p[nearest]) * weights_for((700,))[:, None]
    np.testing.assert_allclose(of_x, part, atol=1e-4)
    expected = np.zeros_like(p)
    np.add.at(expected, nearest, -part)
    np.testing.assert_allclose(of_p, expected, atol=1e-4)


def test_what_is_computed_for_pairs_is_the_same_beside_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gradient by w is over all pairs, and no reduction of them."""
    plans_of_its_own(monkeypatch)
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: named("small-cpu")))
    text = "op f(x[i, k]: float, z[j, k]: float, w[i, j]: float) -> y[i] { y = min[j](sum[k]((x - z) ^ 2) + w); }"
    x, z, w = drawn(40, 33), drawn(50, 33), drawn(40, 50)
    _, (_, _, by_w), _ = results(text, x, z, w)
    values = ((x[:, None].astype(float) - z) ** 2).sum(-1) + w
    expected = np.zeros((40, 50))
    expected[np.arange(40), values.argmin(1)] = weights_for((40,))
    np.testing.assert_array_equal(by_w, expected.astype(np.float32))


def test_what_is_equal_is_equal_wherever_it_is_computed() -> None:
    text = """op f(x[n, k]: float, y[k, c]: float) -> z[n, c] { s = sum[k](x * y); z = s == max[c](s) ? 1.0 : 0.0; }"""
    x, y = drawn(40, 50), drawn(50, 60)
    value = kernels.compile(text).f(core.from_host(x), core.from_host(y)).to_host()
    np.testing.assert_array_equal(value.sum(1), 1)


@pytest.mark.parametrize("kind", ["min", "max"])
def test_an_extreme_of_products_that_data_chooses_has_the_gradient_of_the_one_that_was_chosen(kind: str) -> None:
    """The condition says which n belongs to a c, so that the product is asked for there alone, in another kernel."""
    text = f"""op f(at[c]: int, a[c, t]: float, b[t, n]: float) -> y[n] {{
        y = {kind}[c](at[c] == n ? sum[t](a * b) : {8 if kind == "min" else -8});
    }}"""
    at, a, b = RNG.integers(0, 40, 48), drawn(48, 600), drawn(600, 40)
    _, (by_a, _), _ = results(text, at, a, b)
    values = np.where(at[:, None] == np.arange(40), a.astype(float) @ b, 8 if kind == "min" else -8)
    chosen = (values.argmin if kind == "min" else values.argmax)(0)
    expected = np.zeros((48, 600))
    for n, c in enumerate(chosen):
        if at[c] == n:
            expected[c] += weights_for((40,))[n] * b[:, n] * (abs(values[c, n]) != 8)
    np.testing.assert_allclose(by_a, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("n", [3, 40])
def test_a_jitted_chain_finds_the_largest_element_of_what_it_computed(n: int) -> None:
    x = drawn(n, 30)

    def largest(x: Any) -> Any:
        return (ag.sigmoid(x) * ag.exp(x).sum(-1, keepdim=True)).amax(-1).sum()

    expected = ag.value_and_grad(largest)(ag.tensor(x, requires_grad=True))[1].to_host()
    found = ag.value_and_grad(ag.jit(largest))(ag.tensor(x, requires_grad=True))[1].to_host()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
    assert np.abs(expected).max() > 0.1


@pytest.mark.parametrize("reducer", ["max", "min", "sum", "first_max"])
def test_a_branch_that_is_not_taken_has_no_part_in_the_gradient(reducer: str) -> None:
    text = f"op f(z[n]: float, x[n, k]: float) -> y[n] {{ y = z > 0 ? {reducer}[k](log(x)) : 0; }}"
    z, x = np.array([-1, 1], np.float32), np.array([[-1, 2, 3], [1, 2, 3]], np.float32)
    _, (_, found), tangent = results(text, z, x)
    np.testing.assert_array_equal(found[0], 0)
    assert np.isfinite(found[1]).all()
    assert found[1].any()
    assert tangent[0] == 0


@pytest.mark.parametrize("reducer", ["sum[s <= t](sqrt(x[s]))", "prod[s <= t](sqrt(x[s]))", "sqrt(sum[s <= t](x[s]))"])
def test_a_running_value_in_the_second_branch_has_no_part_where_the_first_is_taken(reducer: str) -> None:
    """The slope of sqrt at 0 is infinite."""
    text = f"op f(z[t]: float, x[t]: float) -> y[t] {{ y = z > 0 ? 0 : {reducer}; }}"
    _, (_, found), tangent = results(text, np.ones(5, np.float32), np.zeros(5, np.float32))
    np.testing.assert_array_equal(found, np.zeros(5))
    np.testing.assert_array_equal(tangent, np.zeros(5))


def test_a_condition_says_nothing_of_an_index_of_its_name_that_is_bound_inside() -> None:
    text = "op f(x[t, c]: float) -> y[t] { y = t > 1 ? max[t, c](sum[s <= c](x[t, s])) : 0; }"
    x = drawn(4, 3)
    x[0] += 5  # the largest is where the condition does not hold
    largest = np.cumsum(x, 1).max()
    value, _, _ = results(text, x)
    np.testing.assert_allclose(value, [0, 0, largest, largest], rtol=1e-6)


def test_a_gradient_declared_for_a_diagonal_is_0_beside_it() -> None:
    op = kernels.compile("op f(x[i, i]: float) -> y[i] { y = 3 * x; grad x = 3 * dy; }").f
    leaf = ag.tensor(drawn(3, 3), requires_grad=True)
    (found,) = ag.grad(op(leaf).sum(), [leaf])
    np.testing.assert_array_equal(found.to_host(), 3 * np.eye(3))


def test_the_extreme_of_no_elements_has_a_tangent_of_zero_and_that_of_a_nan_is_nan() -> None:
    op = kernels.compile("op f(x[n]: float) -> y[] { y = min[n](x[n]); }").f
    for given, expected in (([], 0.0), ([1, np.nan, 0], np.nan), ([2, 1, 1], 1.0)):
        x = core.from_host(np.array(given, np.float32))
        _, tangent = ag.jvp(op, (x,), (core.ones_like(x),))
        np.testing.assert_equal(tangent.item(), expected)


# --- declared gradients -----------------------------------------------------------------------------------------------


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


# --- errors of the inside ---------------------------------------------------------------------------------------------


def test_an_output_that_lacks_an_index_of_its_scan_has_a_gradient() -> None:
    assert_right(
        "op f(x[n, t]: float, stay[t]: float) -> y[n, t] { y = prod[s <= t](stay[s]); }",
        lambda x, stay: np.broadcast_to(np.cumprod(stay), x.shape), drawn(3, 4), drawn(4),
    )  # fmt: skip


def test_the_order_of_a_row_is_read_at_a_position_from_data() -> None:
    text = "op f(x[n, c]: float, k[n]: int) -> y[n] { y = sum[c](c == k ? x[n, argsort[s <= c](x[n, s])] : 0) ^ 2; }"
    k = np.array([0, 2, 1], np.int32)
    assert_right(text, lambda x, k: np.sort(x, 1)[np.arange(3), k] ** 2, drawn(3, 4), k)


def test_the_gradient_of_a_long_chain_of_maxima_grows_with_its_length_alone() -> None:
    def chain(count: int) -> kernels.Op:
        lines = " ".join(f"a{at + 1} = max(a{at} * x, 0);" for at in range(count))
        return kernels.compile(f"op f(x: float) -> y {{ a0 = x; {lines} y = a{count}; }}").f

    x = np.array([1, 0.5, -1, 0], np.float32)
    leaf = ag.tensor(x, requires_grad=True)
    chain(40)(leaf).sum().backward()
    np.testing.assert_allclose(leaf.grad.to_host(), [41, 41 * 0.5**40, 0, 0], rtol=1e-4)
    counts = []
    for length in (10, 20, 40):
        formula = chain(length).bind([core.from_host(x)], {}).formula
        gradient = pipeline.gradient(formula, ("x",))
        counts.append(sum(1 for _ in subexpressions(*(each.expr for each in gradient.outputs))))
    assert counts[2] - counts[1] < 2.5 * (counts[1] - counts[0])


# --- running conditions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["any", "all"])
@pytest.mark.parametrize("sign", ["<=", "<", ">=", ">"])
def test_a_running_condition_chooses_where_it_holds(kind: str, sign: str) -> None:
    text = f"op f(x[t]: float) -> y[t] {{ y = {kind}[s {sign} t](x[s] > 0) ? x : -1; }}"
    rows = {"<=": lambda t: slice(t + 1), "<": slice, ">=": lambda t: slice(t, None), ">": lambda t: slice(t + 1, None)}

    def function(x: Array) -> Array:
        holds = {"any": np.any, "all": np.all}[kind]
        return np.array([x[t] if holds(x[rows[sign](t)] > 0) else -1 for t in range(len(x))], x.dtype)

    for at in range(3):
        assert_right(text, function, np.roll(np.float32([0.5, -0.5, 1.5, 2, -1, -2, 0.25]), 2 * at))


GUARDED = {
    "prod": "all[s](x[s] > 0) ? prod[s](log(x[s])) * k : 7",
    "running": "all[s](x[s] > 0) ? prod[s <= k](sqrt(x[s])) : 7",
    "running sum": "all[s](x[s] > 0) ? sum[s <= k](1 / x[s]) ^ 2 : 7",
    "recurrence": "all[s](x[s] > 0) ? scan[s <= k](sqrt(x[s]), log(x[s])) : 7",
    "part": "x[k] > 0 and k < 2 ? prod[s <= k](log(x[s])) : 7",
}


@pytest.mark.parametrize("name", GUARDED)
def test_a_branch_that_is_not_taken_has_no_part_in_two_orders_of_derivatives(name: str) -> None:
    op = kernels.compile(f"op f(x[k]: float) -> y[k] {{ y = {GUARDED[name]}; }}").f

    def gradient(of: Callable[[Any], Any], create_graph: bool) -> Callable[[Any], Any]:
        weights = core.from_host(np.arange(1.0, 5))
        return lambda x: ag.grad(
            of(x), x, grad_outputs=weights, create_graph=create_graph, materialize_grads=True
        )  # fmt: skip

    first = gradient(op, True)
    second = gradient(first, False)

    def at(order: Callable[[Any], Any], x: Array) -> Array:
        found = order(ag.tensor(x, requires_grad=True))
        return getattr(found, "value", found).to_host()

    taken = np.array([0.5, 1.5, 2.0, 3.0])
    for below, order in ((op, first), (first, second)):
        sides = [(at(below, taken + each), at(below, taken - each)) for each in 1e-6 * np.eye(4)]
        wanted = [((more - less) * np.arange(1, 5)).sum() / 2e-6 for more, less in sides]
        np.testing.assert_allclose(at(order, taken), wanted, rtol=1e-6, atol=1e-6)
    for other in ([0.0, -1.5, 0.0, 2.0], [0.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, -1.0]):
        np.testing.assert_array_equal(at(first, np.array(other)), np.zeros(4))
        np.testing.assert_array_equal(at(second, np.array(other)), np.zeros(4))


def test_a_sum_of_none_is_zero_whatever_would_have_been_added() -> None:
    op = kernels.compile("op f(x[n]: float, z[k]: float) -> (y[n], w[k]) { y = sum[k](x[n] / 0); w = z; }").f
    value, _ = op(core.from_host(np.ones(3)), core.zeros((0,)))
    np.testing.assert_array_equal(value.to_host(), np.zeros(3))
    value, _ = op(core.from_host(np.ones(3)), core.zeros((2,)))
    np.testing.assert_array_equal(value.to_host(), np.full(3, np.inf))


@pytest.mark.parametrize("kind", ["max", "min", "first_max", "last_max"])
@pytest.mark.parametrize(("sign", "met_first"), [("<=", 0), (">=", -1)])
def test_the_one_met_first_takes_the_gradient_of_an_extreme_of_a_part(kind: str, sign: str, met_first: int) -> None:
    op = kernels.compile(f"op f(x[t, t]: float) -> y[t] {{ y = {kind}[s {sign} t](x[s, t]); }}").f
    x = ag.tensor(np.ones((4, 4)), requires_grad=True)
    found = ag.grad(op(x), x, grad_outputs=core.from_host(np.arange(1.0, 5))).to_host()
    expected = np.zeros((4, 4))
    expected[met_first] = np.arange(1.0, 5)  # each column has its first, or its last, in its range
    np.testing.assert_array_equal(found, expected)


def test_what_an_output_does_not_mention_has_no_gradient_rather_than_zeros() -> None:
    first = kernels.compile("op f(x[k]: float) -> y[k] { y = x * inf; }").f
    second = kernels.compile("op g(unread[k]: float, x[k]: float) -> y[k] { y = 2 * x; }").g
    third = kernels.compile("op h(read[k]: float) -> y[k] { y = round(read); }").h
    x, other = (ag.tensor(np.ones(3), requires_grad=True) for _ in range(2))
    gradients = ag.grad(second(first(x), other).sum(), [x, other], materialize_grads=True)
    np.testing.assert_array_equal(gradients[0].to_host(), np.zeros(3))  # 0 * inf would be NaN
    np.testing.assert_array_equal(gradients[1].to_host(), np.full(3, 2.0))
    with pytest.raises(core.GraphError, match="input 0 was not used"):
        ag.grad(second(x, other).sum(), [x])
    np.testing.assert_array_equal(ag.grad(third(x).sum(), x).to_host(), np.zeros(3))


# --- places -----------------------------------------------------------------------------------------------------------


def test_whole_parts_and_rests_of_places_are_told_apart_in_lanes() -> None:
    op = kernels.compile(
        "op f(x[n]: float) -> (y[n], z[n], w[n]) { y = n % 2 == 0 ? x : 0; z = n // 4 % 2 == 0 and x > 0 ? x : 0; "
        "w = n % 8 < 3 ? n // 8 : n % 4; }"
    ).f
    x, n = drawn(100), np.arange(100)
    found = [each.to_host() for each in op(core.from_host(x))]
    np.testing.assert_array_equal(found[0], np.where(n % 2 == 0, x, 0))
    np.testing.assert_array_equal(found[1], np.where((n // 4 % 2 == 0) & (x > 0), x, 0))
    np.testing.assert_array_equal(found[2], np.where(n % 8 < 3, n // 8, n % 4))


@pytest.mark.parametrize("kind", ["sum", "max"])
@pytest.mark.parametrize("columns", [1, 3, 20])
def test_what_goes_to_a_row_may_depend_on_its_columns(kind: str, columns: int) -> None:
    start = {"sum": 0.0, "max": -np.inf}[kind]
    text = f"{kind}[n](at == r and v > 0 and n % 3 > 0 ? v : {'0' if kind == 'sum' else '-inf'})"
    op = kernels.compile(f"op f(v[n, d]: float, at[n]: int, x[r]: any) -> y[r, d] {{ y = {text}; }}").f
    v, at = drawn(3000, columns), RNG.integers(-1, 41, 3000)
    expected = np.full((40, columns), start)
    taken = (v > 0) & (np.arange(3000) % 3 > 0)[:, None] & ((at >= 0) & (at < 40))[:, None]
    rows = np.broadcast_to(at[:, None], v.shape)[taken]
    places = np.broadcast_to(np.arange(columns), v.shape)[taken]
    {"sum": np.add, "max": np.maximum}[kind].at(expected, (rows, places), v[taken])
    found = op(core.from_host(v), core.from_host(at), core.from_host(np.zeros(40, np.float32))).to_host()
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_what_is_known_of_an_index_is_not_known_of_one_of_that_name_inside_a_sum() -> None:
    """Places along `k` that count were taken for those of a sum over another `k`, in a second derivative."""
    op = kernels.compile("""op f(a[k]: float, w[c]: float) -> y[c] where t = 2 {
        y = min[c1 >= c](prod[k](min[c](c == k ? sum[t](a[c * 3 + t - 1] else 0) : 8)) * w[c1]); }""").f
    a, w = (ag.tensor(np.array(each), requires_grad=True) for each in ([1, -1.5, -1], [-0.5, 0.25]))
    assert ag.gradgradcheck(op, (a, w))


BEFORE = "exp(-sum[k]((x[i, k] - x[j, k]) ^ 2))"
BOUND_AGAIN: dict[str, Callable[[Array, Array, Array], Any]] = {
    "z * sum[i, j](j < i ? @ : 0)": lambda near, low, z: z * (near * low).sum(),
    "sum[j](j < i ? @ * z[j] : 0) + sum[i](sum[j](j < i ? @ : 0))": (
        lambda near, low, z: (near * low) @ z + (near * low).sum()
    ),
    "sum[j](j < i ? @ * sum[i](i < j ? z[i] : 0) : 0)": (lambda near, low, z: (near * low) @ (np.cumsum(z) - z)),
    "i < 5 ? sum[i](i < 6 ? z : 0) : sum[i](i < 5 ? 2 * z : 0)": (
        lambda near, low, z: np.where(np.arange(len(z)) < 5, z[:6].sum(), 2 * z[:5].sum())
    ),
}


@pytest.mark.parametrize("text", BOUND_AGAIN)
@pytest.mark.parametrize("target", ["cpu", "small-cpu", "small-gpu"])
def test_an_index_that_is_bound_again_is_another_one(text: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plans_of_its_own(monkeypatch)
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: named(target)))
    formula = text.replace("@", BEFORE)
    op = kernels.compile(f"op f(x[i, k]: float, z[i]: float) -> y[i] where j = size[i] {{ y = {formula}; }}").f
    x, z = RNG.normal(size=(37, 3)), RNG.normal(size=37)
    near, low = np.exp(-((x[:, None] - x) ** 2).sum(-1)), np.tril(np.ones((37, 37)), -1)
    found = op(core.from_host(x), core.from_host(z)).to_host()
    np.testing.assert_allclose(found, BOUND_AGAIN[text](near, low, z), rtol=1e-10, atol=1e-12)


# --- long sums --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["sum[s <= t](x[s])", "sum[s >= t](x[s])"])
def test_long_running_sums_of_floats_keep_their_digits(text: str) -> None:
    """What additions rounded off was itself a sum that lost digits: 2e-3 of ten million values."""
    op = kernels.compile(f"op f(x[*i, t]: float) -> y[*i, t] {{ y = {text.replace('[s]', '[*i, s]')}; }}").f
    for shape in ((1_000_000,), (2, 300_000)):
        x = np.full(shape, 0.1, np.float32)
        exact = np.cumsum(x.astype(np.float64), -1)
        exact = exact[..., ::-1] if ">" in text else exact
        np.testing.assert_allclose(op(core.from_host(x)).to_host(), exact, rtol=2e-7)


@pytest.mark.parametrize("rows", [2, 4, 40])
def test_long_products_keep_their_digits(rows: int) -> None:
    """Chunks of steps were added to what came before one product at a time: 5e-4 of a million."""
    x = np.full((600_000, rows), 0.1, np.float32)
    op = kernels.compile("op f(x[k, i]: float) -> y[i, j] where j = size[i] { y = sum[k](x[k, i] * x[k, j]); }").f
    exact = len(x) * float(x[0, 0]) ** 2
    np.testing.assert_allclose(op(core.from_host(x)).to_host(), np.full((rows, rows), exact), rtol=3e-6)
