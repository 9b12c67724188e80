"""Ops on arrays: value, gradient and second gradient of each call of `calls`, with the page's exceptions."""

from __future__ import annotations

import numpy as np
import pytest
from both import Case, Results, disagreement, expected, found
from calls import CALLS
from differences import Row, evaluated, rows
from test_pointwise import kind

from netcl.core import NetclError

ROWS = rows("Ops on arrays")


def test_every_call_has_a_name_of_its_own() -> None:
    names = [str(case) for case in CALLS]
    assert sorted(set(names)) == sorted(names)
    assert {name for row in ROWS for name in row.names} <= set(names)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("case", CALLS, ids=str)
def test_a_call_gives_what_pytorch_gives_unless_the_page_says_otherwise(case: Case) -> None:
    listed = [row for row in ROWS if str(case) in row.names]
    theirs = expected(case)
    if any(row.results == ("raises",) for row in listed):
        with pytest.raises(NetclError):
            found(case)
        return
    ours = found(case)
    assert ours.keys() == theirs.keys()
    apart = {result for result in theirs if disagreement(ours[result], theirs[result], pointwise=False).any()}
    told = {result for result in apart if any(kind(result) in row.results for row in listed)}
    problems = [f"{result}:\nnetcl\n{ours[result]}\nPyTorch\n{theirs[result]}" for result in sorted(apart - told)]
    assert not problems, "\n".join(problems)
    for row in listed:
        assert {kind(result) for result in told} >= set(row.results), f"the page says more than is true: {row}"
        says(row, ours, theirs)


def says(row: Row, ours: Results, theirs: Results) -> None:
    """What the page has in code holds wherever the two differ."""
    for result in theirs:
        if kind(result) in row.results:
            there = disagreement(ours[result], theirs[result], pointwise=False)
            for cell, side in ((row.ours, ours), (row.theirs, theirs)):
                value = evaluated(cell, {})
                if value is not None:
                    np.testing.assert_array_equal(np.atleast_1d(side[result])[there], value)
