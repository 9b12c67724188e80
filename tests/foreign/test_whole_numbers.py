"""Formulas of bools and whole numbers are those of NumPy, to the last bit and the dtype."""

from __future__ import annotations

import pytest
from whole_numbers import told


@pytest.mark.parametrize("seed", range(60))
def test_a_formula_of_whole_numbers_is_that_of_numpy(seed: int) -> None:
    assert told(seed) == ""
