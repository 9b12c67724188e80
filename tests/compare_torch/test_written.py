"""Formulas of twenty lines, as people write them: value, gradients and second gradients are those of PyTorch."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import pytest
import written
from both import Case, disagreement, expected, found

from netcl import kernels

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.formulas import NAMES, arrays, attributes, formula


@pytest.mark.parametrize("name", NAMES)
def test_a_formula_of_twenty_lines_is_that_of_pytorch(name: str) -> None:
    (ours,) = vars(kernels.compile(formula(name))).values()
    theirs = getattr(written, name)
    given = attributes(name)
    case = Case(
        name, "", functools.partial(ours, **given), functools.partial(theirs, **given), [*arrays(name).values()]
    )  # fmt: skip
    ours_found, theirs_found = found(case), expected(case)
    assert ours_found.keys() == theirs_found.keys()
    for result, values in theirs_found.items():
        assert not disagreement(ours_found[result], values, pointwise=False).any(), result
