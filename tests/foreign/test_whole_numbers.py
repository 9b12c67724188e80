"""Formulas of bools and whole numbers are those of NumPy, to the last bit and the dtype."""

from __future__ import annotations

import numpy as np
import pytest
from whole_numbers import told

from netcl import autograd as ag
from netcl import core, kernels

ENDS = np.array([1 << 62, (1 << 63) - 1, -1 << 63, (-1 << 62) - 1, 5, -5, 0, *range(20)])
LEAST = np.full(20, -1 << 31, np.int32)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.sample(15)
def test_a_formula_of_whole_numbers_is_that_of_numpy(seed: int) -> None:
    assert told(seed) == ""


def computed(body: str, x: np.ndarray, output: str = "y[t]") -> np.ndarray:
    """`body` of x[t]."""
    kind = "bool" if x.dtype == bool else "float" if x.dtype.kind == "f" else "number"
    return kernels.compile(f"op f(x[t]: {kind}) -> {output} {{ y = {body}; }}").f(core.from_host(x)).to_host()


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x * 2 // 2", ENDS * 2 // 2),
        ("x * 2 % 2", ENDS * 2 % 2),
        ("(x * 4 + 3) // 4", (ENDS * 4 + 3) // 4),
        ("(x + 7) // 7 - x // 7", (ENDS + 7) // 7 - ENDS // 7),
        ("x + 1 > x", ENDS + 1 > ENDS),
        ("x - 1 < x", ENDS - 1 < ENDS),
        ("x + 1 > x + 2", ENDS + 1 > ENDS + 2),
        ("abs(x) < 0", np.abs(ENDS) < 0),
        ("(x * 6364136223846793005 + 1) * 3", (ENDS * 6364136223846793005 + 1) * 3),
        ("x * 6364136223846793005 * 2", ENDS * 6364136223846793005 * 2),
        ("x + 9223372036854775807 + 1", ENDS + ((1 << 63) - 1) + 1),
        ("x * 4611686018427387904 * 4 == 0", np.full(len(ENDS), True)),
        ("max(x, -9223372036854775808)", ENDS),
        ("x == -9223372036854775808", ENDS == -1 << 63),
        ("x - 9223372036854775808", ENDS + (-1 << 63)),
    ],
)
def test_numbers_of_64_bits_wrap_around_whatever_is_simplified(body: str, expected: np.ndarray) -> None:
    np.testing.assert_array_equal(computed(body, ENDS), expected, strict=True)


def test_the_size_of_the_least_number_wraps_around_wherever_it_stands() -> None:
    assert computed("sum[t](abs(x))", LEAST, "y[]") == 20 * (-1 << 31)
    assert (computed("int(abs(x))", LEAST) == -1 << 31).all()
    assert computed("abs(x) < 0", LEAST).all()


@pytest.mark.parametrize("literal", ["9223372036854775807 + 1", "t * 4611686018427387904 * 4", "9223372036854775808"])
def test_what_leaves_64_bits_without_an_element_is_refused(literal: str) -> None:
    with pytest.raises(core.errors.IndexOutOfRangeError, match="64 bits"):
        computed(f"x < {literal}", ENDS)


def test_what_a_number_comes_to_keeps_its_dtype() -> None:
    """0 * x is no literal, which would take the dtype of what is beside it."""
    x = np.array([3, 4], np.uint8)
    np.testing.assert_array_equal(computed("max(t * 0, x)", x), np.array([3, 4]), strict=True)
    np.testing.assert_array_equal(computed("0 + x", x), x, strict=True)


@pytest.mark.parametrize("x", [np.array([5, 3, 0, 0], np.uint8), np.array([5, 3, -np.inf, -np.inf], np.float32)])
def test_a_running_place_from_the_end_begins_there(x: np.ndarray) -> None:
    assert computed("argmax[s >= t](x[s])", x).tolist() == [0, 1, 3, 3]
    assert computed("argmin[s >= t](-x[s])" if x.dtype.kind == "f" else "argmin[s >= t](255 - x[s])", x).tolist() == [
        0,
        1,
        3,
        3,
    ]


def test_the_gradient_of_a_running_extreme_from_the_end_goes_to_its_place() -> None:
    op = kernels.compile("op f(x[t]: float) -> y[t] { y = max[s >= t](x[s]); }").f
    x = ag.tensor([5.0, 3.0, -np.inf], requires_grad=True)
    (op(x) * core.from_host(np.array([1, 10, 100], np.float32))).sum().backward()
    assert x.grad.to_host().tolist() == [1, 10, 100]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x * 2 ^ 100", 2.0**100), ("x * 3 ^ 70", 3.0**70), ("x * (-2) ^ 65", -(2.0**65)), ("x + 2 ^ 65", 1 + 2.0**65),
        ("x + 2 ^ 100000000", np.inf), ("x * (-3) ^ 100000001", -np.inf), ("x * (2 ^ 100) / 2 ^ 90", 1024.0),
        ("x * 2 ^ 2000", np.inf), ("x * 0 ^ 100 + (-1) ^ 65", -1.0),
    ],
)  # fmt: skip
def test_powers_of_literals_beside_floats_are_those_of_whole_numbers_of_any_length(body: str, expected: float) -> None:
    assert computed(body, np.array([1.0])).tolist() == [expected]


def test_powers_of_literals_beside_integers_wrap_or_are_refused() -> None:
    one = np.array([1, -1])
    assert computed("x * 3 ^ 70", one).tolist() == [(found := (3**70 + 2**63) % 2**64 - 2**63), -found]
    with pytest.raises(core.IndexOutOfRangeError, match="64 bits"):
        computed("x * 3 ^ 100000", one)
