"""What is tried in every run, and what in a thorough one alone: `nox -s thorough`."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from typing import Any

THOROUGH = os.environ.get("NETCL_THOROUGH") == "1"


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
