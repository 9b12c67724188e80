"""Calls at random; `tests/reliability/replay.py` runs thousands."""

from __future__ import annotations

import pytest
from replayed import FINE, judged


@pytest.mark.parametrize("start", range(0, 400, 20))
def test_a_call_drawn_at_random_gives_what_pytorch_gives(start: int) -> None:
    for seed in range(start, start + 20):
        verdict, told = judged(seed)
        assert verdict in FINE, f"seed {seed}: {told}"
