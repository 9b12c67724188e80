"""Seeds for random ops that are called without one.

Random numbers are a pure function of a seed and a position. Without a seed an op takes the next one of a sequence that
the process shares. `recorded` and `replayed` run a piece of a thread's work again with the seeds that it had.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import local

from netcl.core.arguments import explained

_sequence = [count(1)]


class _Local(local):
    def __init__(self) -> None:
        self.records: list[list[int]] = []  # all are told of each seed that is drawn
        self.replay: Iterator[int] | None = None


_local = _Local()


def next_seed() -> int:
    """The next seed, for one op."""
    seed = next(_sequence[0] if _local.replay is None else _local.replay)
    for record in _local.records:
        record.append(seed)
    return seed


@explained
def manual_seed(seed: int) -> None:
    """Start the sequence at `seed`, for all threads of the process."""
    _sequence[0] = count(int(seed))


@contextmanager
def recorded() -> Iterator[list[int]]:
    """Give a list that the seeds drawn in this thread are appended to."""
    seeds: list[int] = []
    _local.records.append(seeds)
    try:
        yield seeds
    finally:
        _local.records.pop()


@contextmanager
def replayed(seeds: Iterable[int]) -> Iterator[None]:
    """Let this thread draw these seeds again; new ones when they are used up."""
    before = _local.replay
    # Those that come after are drawn as ever: whoever replays will see for himself that more was computed.
    _local.replay = _then_new(seeds)
    try:
        yield
    finally:
        _local.replay = before


def _then_new(seeds: Iterable[int]) -> Iterator[int]:
    yield from seeds
    while True:
        yield next(_sequence[0])
