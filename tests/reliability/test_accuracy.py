"""Results are right to a few units in the last place, also where a plain formula would not be."""

from __future__ import annotations

import accuracy
import numpy as np
import pytest

from netcl import autograd as ag


@pytest.mark.parametrize("name", accuracy.FUNCTIONS)
@pytest.mark.sample(16)
def test_a_function_is_right_to_a_few_units_in_the_last_place(name: str) -> None:
    error, at = accuracy.worst(name, 1500)
    assert error <= accuracy.FUNCTIONS[name].bound, f"{error:.1f} ulp at {at!r}"


@pytest.mark.parametrize("name", accuracy.WIDE)
@pytest.mark.sample(3)
def test_a_special_function_is_right_in_float64(name: str) -> None:
    error, at = accuracy.worst(name, 300, "float64")
    assert error <= accuracy.WIDE[name].bound, f"{error:.1f} ulp at {at!r}"


def test_the_page_has_each_function_once_with_its_bound_and_where_it_is_looked_at() -> None:
    float32, *wide = accuracy.PAGE.read_text(encoding="utf-8").split("## In float64")
    assert len(wide) == 1
    narrow = [(row[0], row[3], row[4]) for row in _rows(float32)]
    assert narrow == [(name, f"{each.bound:g}", each.why) for name, each in accuracy.FUNCTIONS.items()]
    rows = [(row[0], row[4], row[1]) for row in _rows(wide[0])]
    assert rows == [(name, f"{each.bound:g}", each.why) for name, each in accuracy.WIDE.items()]


def _rows(text: str) -> list[list[str]]:
    """The cells of the rows of a table, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_sinc_is_0_at_whole_numbers() -> None:
    x = ag.tensor(np.array([1, -2, 3, 1000, 5468685, 2.0**24], np.float32))
    np.testing.assert_array_equal(ag.sinc(x).to_host(), np.zeros(6))


def test_the_tails_of_silu_and_mish_keep_their_digits_below_the_normal_numbers() -> None:
    x = np.array([-93, -95, -100, -103], np.float32)
    exact = x * np.exp(x.astype(np.float64))
    for op in (ag.silu, ag.mish):
        np.testing.assert_allclose(op(ag.tensor(x)).to_host(), exact, rtol=0, atol=2 * 2.0**-149)
