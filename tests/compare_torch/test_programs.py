"""Random programs and chains of ops beside PyTorch, in blocks, each in a process that may die of it (`run.py`)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "foreign"))

import run

BLOCK = 20


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("first", range(0, 300, BLOCK))
def test_random_programs_are_right_or_refused_with_an_explanation(first: int) -> None:
    tally = run.main(BLOCK, first, jobs=1)
    assert not any(tally[kind] for kind in run.KINDS)
    assert tally["right"] >= BLOCK * 0.7


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("first", range(0, 100, BLOCK))
def test_random_chains_of_ops_are_right(first: int) -> None:
    tally = run.main(BLOCK, first, jobs=1, what="chains")
    assert not any(tally[kind] for kind in run.KINDS)
    assert tally["right"] >= BLOCK * 0.7
