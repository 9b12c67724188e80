"""Formulas that once came back with a wrong number, beside numbers from plain numpy or from how the op is defined.

Nothing here is compared with the evaluator: what it shares with the compiler, it could be wrong about as well. Each
part is about one subject: errors of the inside, running conditions, places, long sums. Extremes and branches, and
declared gradients, have files of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from beside_numpy import RNG, Array, assert_right, drawn
from differentiated import plans_of_its_own

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import subexpressions
from netcl.kernels.compiler.target import Target, named

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
@pytest.mark.sample(3)
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
    "several": "(all[s](x[s] > 0) ? sqrt(x[k]) * k : 7) + (all[s](x[s] > 0.25) ? log(sqrt(x[k])) + 1 / sqrt(x[k]) : 7)",
    "part": "x[k] > 0 and k < 2 ? prod[s <= k](log(x[s])) : 7",
}


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.sample(2)
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
@pytest.mark.sample(6)
def test_an_index_that_is_bound_again_is_another_one(text: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plans_of_its_own(monkeypatch)
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: named(target)))
    formula = text.replace("@", BEFORE)
    op = kernels.compile(f"op f(x[i, k]: float, z[i]: float) -> y[i] where j = size[i] {{ y = {formula}; }}").f
    x, z = RNG.normal(size=(37, 3)), RNG.normal(size=37)
    near, low = np.exp(-((x[:, None] - x) ** 2).sum(-1)), np.tril(np.ones((37, 37)), -1)
    found = op(core.from_host(x), core.from_host(z)).to_host()
    np.testing.assert_allclose(found, BOUND_AGAIN[text](near, low, z), rtol=1e-10, atol=1e-12)


# --- recurrences ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [2, 3, 7])
@pytest.mark.parametrize("far", ["sqrt(now ^ 2 + a[s]) * 100", "exp(now + a[s])", "now + 100 * a[s]"])
@pytest.mark.sample(4)
def test_what_two_equations_compare_is_there_before_the_first_of_them(steps: int, far: str) -> None:
    """A sum within a minimum: the second derivative read it in one equation a step before another one computed it. The
    other branch is taken, so that z[0] = y + 1 and z[t] = 2 z[t - 1] + y + 1."""
    op = kernels.compile(f"""
    op f(y[p]: float, a[s]: float) -> hit[p] where t = {steps} {{
        now[p, t] = z[p, t - 1] else 0;
        far[p, t, s] = {far};
        dist[p, t] = min(sum[s](far[p, t, s]), y + now + 1);
        z[p, t] = now + dist;
        hit = z[p, size[t] - 1] ^ 2;
    }}""").f
    y = ag.tensor(np.array([0.1, -0.3]), requires_grad=True)
    a = ag.tensor(np.array([4.0, 9.0, 16.0]), requires_grad=True)
    factor = 2**steps - 1
    plus_one = y.to_host() + 1
    value = op(y, a)
    np.testing.assert_allclose(value.to_host(), (factor * plus_one) ** 2, rtol=1e-12)
    by_y, by_a = ag.grad(value.sum(), [y, a], create_graph=True)
    np.testing.assert_allclose(by_y.to_host(), 2 * factor**2 * plus_one, rtol=1e-12)
    assert not by_a.to_host().any()
    (again,) = ag.grad((by_y * by_y).sum() + (by_a * by_a).sum(), [y])
    np.testing.assert_allclose(again.to_host(), 8 * factor**4 * plus_one, rtol=1e-12)


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
