"""Simplified expressions mean what was written: floats with NaN and infinities, and integers as Python has them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from thorough import examples

from netcl.kernels.compiler.derive.partials import PARTIALS
from netcl.kernels.compiler.derive.solve import in_range
from netcl.kernels.compiler.ir import Expr, attribute, number, position, read, size
from netcl.kernels.compiler.ir.binding import rename, substitute, total
from netcl.kernels.compiler.ir.evaluate import Environment, expression_value
from netcl.kernels.compiler.ir.functions import FUNCTIONS
from netcl.kernels.compiler.ir.host import Numbers, integer
from netcl.kernels.compiler.ir.simplify import call, cast

VARIABLES = ("u", "v", "w")
LITERALS = (0.0, 1.0, -1.0, 2.0, -0.5, math.inf, -math.inf, math.nan)
POINTS = (0.0, 1.0, -1.0, 2.0, -3.5, 1e300, -1e300, 1e-3, math.inf, -math.inf, math.nan)
Tree = Any

leaves = st.sampled_from([*VARIABLES, *LITERALS])
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["add", "sub", "mul", "div", "pow", "maximum", "minimum"]), inner, inner),
        st.tuples(st.sampled_from(["neg", "abs", "exp", "sign", "floor"]), inner),
        st.tuples(st.just("select"), st.tuples(st.sampled_from(["lt", "eq", "ge"]), inner, inner), inner, inner),
    ),
    max_leaves=8,
)


def built(tree: Tree) -> Expr:
    if isinstance(tree, str):
        return attribute(tree, "float64")
    if isinstance(tree, float):
        return number(tree, "float64")
    return call(tree[0], *map(built, tree[1:]))


def meant(tree: Tree, point: dict[str, float]) -> Any:
    """The value as it is written, operation by operation."""
    if isinstance(tree, str):
        return np.float64(point[tree])
    if isinstance(tree, float):
        return np.float64(tree)
    with np.errstate(all="ignore"):
        return FUNCTIONS[tree[0]].value(*(meant(each, point) for each in tree[1:]))


def divides_one(tree: Tree) -> bool:
    """Whether 1 / x occurs: a * (1 / x) is computed as a / x, which is rounded otherwise and overflows later."""
    return isinstance(tree, tuple) and (tree[0] == "div" or any(map(divides_one, tree[1:])))


@settings(max_examples=examples(600))
@given(trees, st.tuples(*[st.sampled_from(POINTS)] * 3))
def test_a_simplified_float_expression_has_the_value_that_was_written(tree: Tree, values: tuple[float, ...]) -> None:
    point = dict(zip(VARIABLES, values, strict=True))
    expected = float(meant(tree, point))
    expr = built(tree)
    found = float(expression_value(expr, (), Environment({}, point, {})))
    if divides_one(tree):
        assume(math.isfinite(expected) and math.isfinite(found))
        # the sign of a zero is not kept, so a quotient by one is not compared
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12) or abs(expected) > 1e200 or abs(found) > 1e200
    else:
        assert found == expected or (math.isnan(found) and math.isnan(expected)), f"{expr!r}"


@pytest.mark.parametrize(
    ("function", "arguments", "shown"),
    [
        ("add", ("u", 0.0), "u"), ("sub", ("u", 0.0), "u"), ("mul", ("u", 1.0), "u"), ("mul", ("u", -1.0), "-u"),
        ("mul", ("u", 0.0), "u * 0"), ("sub", ("u", "u"), "u - u"), ("div", ("u", "u"), "u / u"),
        ("pow", ("u", 1.0), "u"),
        ("pow", ("u", 0.0), "1"), ("add", ("u", ("neg", "v")), "u - v"), ("sub", ("u", ("neg", "v")), "u + v"),
        ("mul", ("u", ("div", 1.0, "v")), "u / v"), ("neg", (("neg", "u"),), "u"),
        ("select", (("lt", "u", "v"), "w", "w"), "w"),
        ("select", (("lt", "u", "v"), ("select", ("lt", "u", "v"), "u", "w"), "w"), "u < v ? u : w"),
    ],
)  # fmt: skip
def test_only_identities_that_hold_for_nan_and_infinity_are_applied(function: str, arguments: Tree, shown: str) -> None:
    assert repr(call(function, *map(built, arguments))) == shown


# --- integers ---------------------------------------------------------------------------------------------------------

whole = st.recursive(
    st.one_of(st.sampled_from(VARIABLES), st.integers(-6, 6)),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["add", "sub", "mul", "floor_div", "mod", "maximum"]), inner, inner),
        st.tuples(st.just("neg"), inner),
    ),
    max_leaves=10,
)
WHOLE = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "neg": lambda a: -a,
    "floor_div": lambda a, b: a // b, "mod": lambda a, b: a % b, "maximum": max,
}  # fmt: skip


@settings(max_examples=examples(600))
@given(whole, st.tuples(*[st.integers(-20, 20)] * 3))
def test_integer_expressions_are_pythons(tree: Tree, values: tuple[int, ...]) -> None:
    point = dict(zip(VARIABLES, values, strict=True))

    def expression(part: Tree) -> Expr:
        if isinstance(part, str):
            return attribute(part, "int64")
        return number(part, "int64") if isinstance(part, int) else call(part[0], *map(expression, part[1:]))

    def python(part: Tree) -> int:
        if isinstance(part, str):
            return point[part]
        return part if isinstance(part, int) else WHOLE[part[0]](*map(python, part[1:]))  # type: ignore[operator, no-any-return]

    try:
        expected = python(tree)
    except ZeroDivisionError:
        assume(False)
    assert integer(expression(tree), Numbers({}, point)) == expected


def test_equal_polynomials_are_one_node() -> None:
    h, r, pad, d = position("h"), position("r"), attribute("pad", "int64"), attribute("d", "int64")
    assert (h + pad - r * d) + r * d - pad is h
    assert (h + 1) * (h - 1) is h * h - 1
    assert 2 * (h + r) - h is r + h + r


def test_an_exact_division_is_undone_by_its_product() -> None:
    u, s = position("u"), attribute("s", "int64")
    assert call("exact_div", u + s, s) * s is u + s
    assert call("floor_div", u * 5 + 5, number(5, "int64")) is u + 1
    assert repr(call("mod", u * 5 + 3, number(5, "int64"))) == "3 % 5"
    assert call("mod", u * size("k") + 3, size("k")) is call("mod", number(3, "int64"), size("k"))
    assert repr(call("floor_div", u * s + s, s)) == "(s * u + s) // s", "which is 0 where s is 0"
    assert repr(call("mod", u, s)) == "u % s"


def test_conditions_on_positions_are_decided_from_their_ranges_alone() -> None:
    k, n = position("k"), size("k")
    assert call("lt", k, n).value is True  # type: ignore[attr-defined]
    assert call("ge", k, 0).value is True  # type: ignore[attr-defined]
    assert call("lt", n - 1 - k, 0).value is False  # type: ignore[attr-defined]
    assert call("eq", k + 1, 0).value is False  # type: ignore[attr-defined]
    assert call("ne", n, k).value is True  # type: ignore[attr-defined]
    assert call("lt", k + 1, n).dtype == "bool"
    assert not hasattr(call("lt", k + 1, n), "value"), "k + 1 may be outside"
    assert not hasattr(call("gt", n, 0), "value"), "an axis may be empty"
    assert not hasattr(call("eq", k, 0), "value"), "k may be the first"
    assert not hasattr(call("eq", n, k + 1), "value"), "k may be the last"
    assert repr(in_range(k - 1, "k", {})) == "0 <= k - 1"
    assert repr(in_range(k + 1, "k", {})) == "k + 1 < size[k]"


def test_a_bound_index_is_renamed_when_a_value_put_under_it_would_be_captured() -> None:
    body = read("x", (position("i"), position("j")), "float32")
    row = total("sum", ("j",), body)
    assert repr(substitute(row, {"i": position("j")})) == "sum[j'](x[j, j'])"
    assert repr(rename(row, {"i": "k"})) == "sum[j](x[k, j])"
    assert substitute(row, {"j": position("k")}) is row, "a bound index is not free"
    nested = total("max", ("i",), call("add", row, read("y", (position("k"),), "float32")))
    assert repr(substitute(nested, {"k": position("i")})) == "max[i'](sum[j](x[i', j]) + y[i])"


def test_sums_join_and_what_a_summand_lacks_becomes_a_factor() -> None:
    x = read("x", (position("i"),), "float32")
    assert (
        repr(total("sum", ("i",), total("sum", ("j",), x * read("z", (position("j"),), "float32"))))
        == "sum[i, j](x[i] * z[j])"
    )
    assert repr(total("sum", ("i", "j"), x)) == "sum[i](size[j] > 0 ? x[i] * float32(size[j]) : 0)"
    assert repr(total("prod", ("i", "j"), x)) == "prod[i, j](x[i])"


def test_a_long_chain_of_shared_expressions_costs_no_more_than_its_length() -> None:
    expr: Expr = read("x", (), "float32")
    whole_number: Expr = call("maximum", position("k"), 3)
    for _ in range(200):
        expr = call("sin", expr * expr)
        whole_number = call("maximum", whole_number * 2, whole_number + position("k"))
    assert substitute(whole_number, {"k": position("m")}).free == {"m"}
    assert cast(expr, "float64").dtype == "float64"


def test_a_choice_of_literals_is_one_of_literals_in_any_dtype() -> None:
    x, m = read("x", (position("i"),), "float32"), attribute("m", "int64")
    chosen = call("select", call("eq", x, 0), 1, call("select", call("ne", x, x), 3, 0))
    assert repr(cast(chosen, "float32")) == "x[i] == 0 ? 1 : x[i] != x[i] ? 3 : 0"
    assert cast(chosen, "float32").dtype == "float32"
    assert repr(cast(call("select", call("eq", x, 0), m, 0), "float32")) == "float32(x[i] == 0 ? m : 0)"


def test_special_functions_are_defined_everywhere() -> None:
    points = np.array([-math.inf, -2.0, -1.5, 0.0, 1.0, 1e306, math.inf, math.nan])
    for name in ("lgamma", "digamma", "trigamma", "erf", "erfc"):
        with np.errstate(all="ignore"):
            assert FUNCTIONS[name].value(points).shape == points.shape
    with np.errstate(all="ignore"):
        assert FUNCTIONS["lgamma"].value(1e306) == math.inf
    np.testing.assert_allclose(FUNCTIONS["digamma"].value([1.0, -0.5]), [-0.5772156649015329, 0.03648997397857652])
    np.testing.assert_allclose(FUNCTIONS["trigamma"].value([1.0, -0.5]), [math.pi**2 / 6, 8.934802200544679])


def test_every_partial_derivative_belongs_to_an_argument_of_its_function() -> None:
    assert set(PARTIALS) <= set(FUNCTIONS)
    for name, rules in PARTIALS.items():
        assert len(rules) == FUNCTIONS[name].arity, name


def test_a_chain_of_conditions_holds_each_of_them_once() -> None:
    """Written out, these have more than 2 ^ 40 parts."""
    conditions = [call("gt", attribute(f"a{k}", "float32"), 0.0) for k in range(3)]
    for function in ("and", "or"):
        chain = conditions[0]
        for _ in range(40):
            chain = call(function, call(function, chain, conditions[1]), call(function, conditions[2], chain))
        first = call(function, conditions[0], conditions[1])
        assert chain is call(function, first, conditions[2])
