"""Every function of the IR, in vectors and in their scalar tail, gives what the reference evaluator gives."""

from __future__ import annotations

import numpy as np
import pytest
from launched import assert_agrees, element, formula, operand

from netcl.kernels.compiler.functions import FUNCTIONS
from netcl.kernels.compiler.ir import number, position, size
from netcl.kernels.compiler.simplify import call, cast

SPECIAL = np.array(
    [0.0, -0.0, 1, -1, 0.5, -0.5, 2, 3, -3, 20, -20, 88, 100, -100, 1e-30, 1e30, np.inf, -np.inf, np.nan, 1e-3, 2.5,
     -2.5, 3.5, 7, 0.1]
)  # fmt: skip
ELSEWHERE = {"cast", "select", "and", "or", "not", "random", "floor_div", "mod", "exact_div"}
LOOSE = {"lgamma", "digamma", "trigamma", "pow", "tan", "exp", "sinh", "cosh", "exp2", "expm1"}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - ELSEWHERE))
def test_a_function_of_floats_agrees_with_the_evaluator_on_ordinary_and_special_values(name: str, dtype: str) -> None:
    arity = FUNCTIONS[name].arity
    operands = [operand("abc"[at], "i", dtype) for at in range(arity)]
    if arity == 1:
        ordinary = np.random.default_rng(1).normal(size=40)
        points = SPECIAL if name not in ("trigamma",) else SPECIAL[np.isfinite(SPECIAL) & (np.abs(SPECIAL) > 1e-6)]
        arrays = [np.concatenate([points, ordinary]).astype(dtype)]
    else:
        arrays = [grid.ravel().astype(dtype) for grid in np.meshgrid(SPECIAL, SPECIAL)]
    tolerance = (2e-6 if dtype == "float32" else 1e-12) * (50 if name in LOOSE else 1)
    assert_agrees(
        formula(name, operands, {"y": ("i", call(name, *map(element, operands)))}), arrays, tolerance=tolerance
    )


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
@pytest.mark.parametrize(
    "name",
    ["add", "mul", "div", "maximum", "minimum", "floor_divide", "remainder", "fmod", "abs", "sign", "lt", "eq", "pow"],
)
def test_a_function_of_integers_agrees_with_the_evaluator(name: str, dtype: str) -> None:
    a, b = operand("a", "i", dtype), operand("b", "i", dtype)
    rng = np.random.default_rng(2)
    low = 0 if dtype == "uint8" else -5
    left, right = rng.integers(low, 6, 100).astype(dtype), rng.integers(1, 4, 100).astype(dtype)
    arguments = (element(a),) if FUNCTIONS[name].arity == 1 else (element(a), element(b))
    assert_agrees(formula(name, [a, b], {"y": ("i", call(name, *arguments))}), [left, right])


def test_integer_division_by_zero_gives_zero_and_does_not_stop_the_process() -> None:
    a, b = operand("a", "i", "int32"), operand("b", "i", "int32")
    of = formula("divide", [a, b], {"y": ("i", call("floor_divide", element(a), element(b)))})
    plan = assert_agrees(of, [np.arange(20, dtype="int32"), np.ones(20, dtype="int32")])
    from netcl import core

    zero = core.from_host(np.zeros(20, dtype="int32"))
    lowest = core.from_host(np.full(20, -(2**31), dtype="int32"))
    assert plan.run((lowest, zero), {})[0].tolist() == [0] * 20


@pytest.mark.parametrize("exponent", [-2, -1, 0.5, 2, 3, 4, 1.5])
def test_a_power_with_a_literal_exponent_keeps_the_special_values_of_a_power(exponent: float) -> None:
    x = operand("x", "i")
    of = formula("power", [x], {"y": ("i", call("pow", element(x), exponent))})
    # NumPy takes the root of -inf for the exponent 0.5 and gives NaN; IEEE 754 and OpenCL have pow(-inf, 0.5) = inf
    points = SPECIAL[-np.inf != SPECIAL] if exponent == 0.5 else SPECIAL
    assert_agrees(of, [np.concatenate([points, points]).astype("float32")])


def test_conditions_choose_in_vectors_of_every_width() -> None:
    a, b = operand("a", "i", "bool"), operand("b", "i", "bool")
    both = call("and", element(a), call("not", element(b)))
    rng = np.random.default_rng(3)
    for dtype in ("float32", "float64", "int64", "uint8", "int32"):
        x = operand("x", "i", dtype)
        of = formula(
            "choose", [a, b, x],
            {"y": ("i", call("select", both, element(x), 0)), "z": ("i", cast(both, dtype)), "w": ("i", both)},
        )  # fmt: skip
        values = rng.integers(1, 9, 50).astype(dtype)
        assert_agrees(of, [rng.random(50) > 0.5, rng.random(50) > 0.5, values])


def test_casts_between_all_dtypes_agree() -> None:
    dtypes = ["float16", "float32", "float64", "uint8", "int32", "int64", "bool"]
    values = np.arange(40) % 7
    for source in dtypes:
        x = operand("x", "i", source)
        outputs = {f"to_{target}": ("i", cast(element(x), target)) for target in dtypes if target != source}
        assert_agrees(formula("casts", [x], outputs), [values.astype(source)])


def test_float16_is_rounded_only_where_it_is_stored_or_cast() -> None:
    x = operand("x", "i", "float16")
    values = np.linspace(-3, 3, 50).astype(np.float16)
    of = formula("exp", [x], {"y": ("i", call("exp", element(x)))})
    plan = assert_agrees(of, [values], tolerance=1e-3)
    assert "vload_half16" in plan.text
    assert "vstore_half16" in plan.text


def test_random_numbers_are_those_of_the_evaluator_bit_for_bit() -> None:
    x = operand("x", "i k")
    counter = position("i") * size("k") + position("k")
    of = formula("uniform", [x], {"y": ("i k", call("random", number(12345678901234, "int64"), counter))})
    assert_agrees(of, [np.zeros((13, 70), np.float32)], tolerance=0)


def test_infinite_and_undefined_literals_can_be_stored() -> None:
    x = operand("x", "i")
    of = formula("limits", [x], {
        "a": ("i", call("select", call("gt", element(x), 0), float("inf"), float("-inf"))),
        "b": ("i", call("select", call("gt", element(x), 0), element(x), float("nan"))),
    })  # fmt: skip
    assert_agrees(of, [np.linspace(-1, 1, 33).astype(np.float32)])
