"""Pointwise ops: value, gradient and second gradient of each at ordinary and hard points."""

from __future__ import annotations

import numpy as np
import pytest
from both import Case, Results, disagreement, expected, found
from differences import evaluated, rows
from pairs import pointwise

ROWS = rows("Pointwise ops")
CASES = [*pointwise("float64"), *pointwise("float32")]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_pointwise_op_is_that_of_pytorch_wherever_the_page_says_nothing_else(case: Case) -> None:
    ours, theirs = found(case), expected(case)
    assert ours.keys() == theirs.keys()
    names = operands(case)
    problems = []
    for result in theirs:
        assert ours[result].shape == theirs[result].shape == case.inputs[0].shape
        assert ours[result].dtype == theirs[result].dtype
        apart = disagreement(ours[result], theirs[result], pointwise=True)
        for row in ROWS:
            if case.op in row.names and kind(result) in row.results:
                there = apart & np.broadcast_to(evaluated(row.where, names), apart.shape)
                says(row.ours, ours[result], there, names)
                says(row.theirs, theirs[result], there, names)
                apart &= ~there
        if apart.any():
            problems.append(shown(case, ours, theirs, result, apart))
    if problems:
        pytest.fail("\n".join([f"{case}", *problems]), pytrace=False)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.names[0]}-{row.where.strip('`')}")
def test_each_row_of_the_page_is_still_a_difference(row) -> None:  # type: ignore[no-untyped-def]
    for name in row.names:
        seen: set[str] = set()
        for case in [case for case in CASES if case.op == name]:
            ours, theirs = found(case), expected(case)
            there = evaluated(row.where, operands(case))
            seen |= {kind(r) for r in theirs if (disagreement(ours[r], theirs[r], pointwise=True) & there).any()}
        assert seen >= set(row.results), f"{name}: what differs there is {sorted(seen) or 'nothing'}"


def operands(case: Case) -> dict[str, np.ndarray]:
    """The points by the names that the page has for operands."""
    return {"y": np.zeros(1), **dict(zip("xy", case.inputs, strict=False))}


def kind(result: str) -> str:
    """`value`, `gradient` or `second gradient`."""
    return "second gradient" if result.startswith("second") else result.split()[0]


def says(cell: str, result: np.ndarray, there: np.ndarray, names: dict[str, np.ndarray]) -> None:
    """The page's word for a result holds where the two differ."""
    value = evaluated(cell, names)
    if value is not None:
        value = np.broadcast_to(np.asarray(value, result.dtype), result.shape)
        np.testing.assert_allclose(result[there], value[there], rtol=1e-5)


def shown(case: Case, ours: Results, theirs: Results, result: str, apart: np.ndarray) -> str:
    points = zip(*(each[apart] for each in case.inputs), strict=True)
    pairs = zip(points, ours[result][apart], theirs[result][apart], strict=True)
    listed = [f"{tuple(map(float, point))}: {mine:.4g} and not {other:.4g}" for point, mine, other in pairs]
    return f"{result}, {len(listed)} points: " + ", ".join(listed[:8])
