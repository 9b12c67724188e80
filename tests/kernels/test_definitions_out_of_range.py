"""Definitions that are read at positions: outside of their axis a call is an error, as it is for an operand, however a
definition is computed. What is guarded, and what is seen to be in range, costs nothing."""

from __future__ import annotations

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core.errors import IndexOutOfRangeError
from netcl.kernels.compiler.ir import Apply, subexpressions

DEFINITIONS = {
    "a recurrence": "s[t] = x + (s[t - 1] else 0);",
    "a running sum": "s[t] = sum[k <= t](x[k]);",
    "a running maximum": "s[t] = max[k <= t](x[k]);",
    "a sum of what follows": "s[t] = sum[k >= t](x[k]);",
    "what another op gives": "use s[t] = cumsum(x[t]; axis = t);",
    "what is sorted": "use (s[t], p[t]) = sort(x[t]; axis = t);",
    "places in order": "use (p[t], s[t]) = sort(x[t]; axis = t);",
    "a function of positions": "s[t] = 2 * t + 1;",
    "a recurrence beside another index": "h[t, d] = x[t] * (h[t - 1, d] else (d + 1)); s[t] = sum[d](h[t, d]);",
}
WHERE = {"a recurrence beside another index": " where d = 2"}
X = np.array([3.0, 1.0, 2.0, 5.0])


def op_of(name: str, reading: str, more: str = "", indices: str = "n") -> object:
    where = WHERE.get(name, "")
    text = f"op f(x[t]: float{more}) -> y[{indices}]{where} {{ {DEFINITIONS[name]} y = {reading}; }}"
    return kernels.compile(text).f


def values_of(name: str) -> np.ndarray:
    """The definition as NumPy computes it, of which no formula is asked at a position."""
    order = np.argsort(X, kind="stable")
    products = np.multiply.accumulate(X)
    return {
        "a recurrence": np.cumsum(X), "a running sum": np.cumsum(X), "a running maximum": np.maximum.accumulate(X),
        "a sum of what follows": np.cumsum(X[::-1])[::-1], "what another op gives": np.cumsum(X),
        "what is sorted": X[order], "places in order": order, "a function of positions": 2 * np.arange(4) + 1.0,
        "a recurrence beside another index": products * 3,
    }[name]  # fmt: skip


@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.sample(8)
def test_positions_that_data_says_are_in_range_or_an_error(name: str) -> None:
    op = op_of(name, "s[i]", ", i[n]: int")
    inside = np.array([3, 0, 0, 2])
    found = op(core.from_host(X), core.from_host(inside))  # type: ignore[operator]
    np.testing.assert_allclose(found.to_host(), values_of(name)[inside], rtol=1e-12)
    for wrong in ([0, 4], [-1], [10**9]):
        with pytest.raises(IndexOutOfRangeError, match="out of range for axis t"):
            op(core.from_host(X), core.from_host(np.array(wrong)))  # type: ignore[operator]


@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.sample(4)
def test_positions_that_are_worked_out_are_in_range_or_an_error(name: str) -> None:
    for reading in ("x + s[t + 1]", "x + s[t - 1]", "x + s[2 * t]", "x + s[size[t]]", "x + s[-1]"):
        with pytest.raises(IndexOutOfRangeError, match="out of range for axis t"):
            op_of(name, reading, indices="t")(core.from_host(X))  # type: ignore[operator]
    found = op_of(name, "x + s[size[t] - 1 - t] * s[size[t] - 1]", indices="t")(core.from_host(X))  # type: ignore[operator]
    values = values_of(name)
    np.testing.assert_allclose(found.to_host(), X + values[::-1] * values[-1], rtol=1e-12)


@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.sample(6)
def test_guarded_positions_are_read_where_they_are_in_range(name: str) -> None:
    values = values_of(name)
    ahead = [*values[1:], 7]
    for reading in ("x + (s[t + 1] else 7)", "x + (t + 1 < size[t] ? s[t + 1] : 7)"):
        found = op_of(name, reading, indices="t")(core.from_host(X))  # type: ignore[operator]
        np.testing.assert_allclose(found.to_host(), X + ahead, rtol=1e-12)
    op = op_of(name, "x[min(n, size[t] - 1)] + (0 <= i and i < size[t] ? s[i] : 7)", ", i[n]: int")
    found = op(core.from_host(X), core.from_host(np.array([5, 2, -3])))  # type: ignore[operator]
    np.testing.assert_allclose(found.to_host(), np.add(X[:3], [7, values[2], 7]), rtol=1e-12)


GUARDED = {
    "an else inside": "s[t] = x[t + 1] else 0;",
    "a condition inside": "s[t] = t + 1 < size[t] ? x[t + 1] : 0;",
    "a choice of a number": "s[t] = t < 100 ? 1.0 : x;",
    "a clamped position": "s[t] = x[max(0, min(t, 3))];",
    "a sum that is guarded": "s[t] = sum[k](k < 2 ? (x[t + k - 1] else 0) : 0);",
}


@pytest.mark.parametrize("name", GUARDED)
def test_what_a_definition_guards_inside_says_nothing_of_its_own_axis(name: str) -> None:
    where = " where size[k] == 2" if "[k]" in GUARDED[name] else ""
    given = ", w[k]: float" if where else ""
    op = kernels.compile(
        f"op f(x[t]: float{given}) -> y[t]{where} {{ {GUARDED[name]} y = x + s[t + 1]; }}".replace("k < 2", "w[k] > 0")
    ).f
    more = [core.ones(2)] if where else []
    with pytest.raises(IndexOutOfRangeError, match="out of range for axis t"):
        op(core.from_host(X), *more)


def test_the_second_pass_of_a_filter_is_read_within_the_first() -> None:
    text = """op f(x[i, j]: float, v[k]: float) -> y[i, j] {
        r[i, j] = sum[k](v[k] * (x[i, j + k - 1] else 0));
        y = sum[k](v[k] * READ);
    }"""
    x, v = core.from_host(np.ones((3, 3))), core.from_host(np.ones(3))
    padded = kernels.compile(text.replace("READ", "(r[i + k - 1, j] else 0)")).f
    assert padded(x, v).tolist() == [[4, 6, 4], [6, 9, 6], [4, 6, 4]]
    for reading in ("r[i + k - 1, j]", "r[i, j + k - 1]"):
        with pytest.raises(IndexOutOfRangeError, match="out of range for axis"):
            kernels.compile(text.replace("READ", reading)).f(x, v)


def test_another_index_that_is_longer_is_an_error() -> None:
    for text in (
        "op f(x[t]: float, z[m]: float) -> y[m] { s[t] = x + (s[t - 1] else 0); y = z * s[m]; }",
        "op f(x[t]: float, z[m]: float) -> y[m] { use s[t] = cumsum(x[t]; axis = t); y = z * s[m]; }",
    ):
        op = kernels.compile(text).f
        assert op(core.from_host(X), core.ones(3)).tolist() == [3, 4, 6]
        with pytest.raises(IndexOutOfRangeError, match="out of range for axis t"):
            op(core.from_host(X), core.ones(5))


def test_gradients_of_positions_in_range_are_those_of_differences() -> None:
    op = op_of("a recurrence", "s[i] ^ 2", ", i[n]: int")
    x, at = ag.tensor(X, requires_grad=True), core.from_host(np.array([0, 3, 3]))
    assert ag.gradcheck(lambda x: op(x, at), [x])  # type: ignore[operator]
    with pytest.raises(IndexOutOfRangeError):
        op(x, core.from_host(np.array([0, 5])))  # type: ignore[operator]


@pytest.mark.parametrize("name", ["lu", "solve", "solve_tridiagonal", "cholesky"])
def test_what_is_seen_to_be_in_range_has_no_check(name: str) -> None:
    given = {
        "lu": [(3, 3)], "solve": [(3, 3), (3,)], "solve_tridiagonal": [(4,)] * 4, "cholesky": [(3, 3)],
    }[name]  # fmt: skip
    formula = kernels.ops.__getattr__(name).bind([core.ones(shape) for shape in given], {}).formula
    exprs = [*(output.expr for output in formula.outputs), *formula.declared.values()]
    assert not any(isinstance(each, Apply) and each.function == "within" for each in subexpressions(*exprs))
