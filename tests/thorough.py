"""What is tried in every run, and what in a thorough one alone: `nox -s thorough`."""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

THOROUGH = os.environ.get("NETCL_THOROUGH") == "1"


def examples(count: int) -> int:
    """How many of so many random examples are drawn: in a run that is not thorough, a quarter."""
    return count if THOROUGH else count // 4


def spread(*choices: Sequence[Any], rounds: int = 1) -> list[tuple[Any, ...]]:
    """Combinations with one of each of the choices; all of them in a thorough run. In others each choice comes up at
    least `rounds` times, beside another one each time: for what must hold of each, and hardly depends on the others.
    """
    if THOROUGH:
        return list(itertools.product(*choices))
    longest = max(map(len, choices))
    found = [
        tuple(each[(at + turn * (which > 0)) % len(each)] for which, each in enumerate(choices))
        for turn in range(rounds)
        for at in range(longest)
    ]
    return list(dict.fromkeys(found))


def left_for_thorough_runs(items: Sequence[pytest.Item]) -> set[pytest.Item]:
    """Of the tests marked `sample(most)`, the cases beyond so many of each."""
    cases = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sample") and not THOROUGH:
            cases[item.nodeid.split("[")[0]].append(item)
    left = set()
    for each in cases.values():
        (most,) = each[0].get_closest_marker("sample").args
        kept = set(sample([item.callspec.indices for item in each], most))
        left |= {item for at, item in enumerate(each) if at not in kept}
    return left


def sample(cases: Sequence[Mapping[str, int]], most: int) -> Iterator[int]:
    """Positions of so many of the cases, which say of each parameter which of its values they have. Each is one that
    has the most values not met before, and of those the one farthest from the others.
    """
    met: set[tuple[str, int]] = set()
    kept: list[int] = []

    def gain(at: int) -> tuple[int, int]:
        return len(cases[at].items() - met), min((abs(at - other) for other in kept), default=0)

    while len(kept) < min(most, len(cases)):
        kept.append(max((at for at in range(len(cases)) if at not in kept), key=gain))
        met |= cases[kept[-1]].items()
    yield from kept
