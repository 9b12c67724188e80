"""Extremes and branches that once had wrong gradients, beside numbers from plain numpy.

Nothing here is compared with the evaluator: what it shares with the compiler, it could be wrong about as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from beside_numpy import RNG, Array, assert_right, drawn, isotonic, results, running_max, sparsemax, weights_for
from differentiated import plans_of_its_own

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.compiler.target import Target, named

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
@pytest.mark.sample(4)
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
