"""Seeds for random ops that are called without one.

Random numbers are a pure function of a seed and a position. Without a seed an op takes the next one of a sequence that
the process shares; sequences that begin at different seeds have none in common. `recorded` and `replayed` run a piece
of a thread's work again with the seeds that it had.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock, local
from typing import Any

import numpy as np

from netcl.core.arguments import described, explained
from netcl.core.errors import DtypeError

_BITS = 48
"""Of a seed, so that those of a batch, which are that far apart, have room beside it."""
_EVERY = (1 << 64) - 1


class _Sequence:
    """Seeds that look as if they were drawn: SplitMix64 (Steele, Lea and Flood, 2014), begun at a mixed seed.

    Several threads may take of one.
    """

    def __init__(self, start: int, drawn: int = 0) -> None:
        self._start = start
        self._drawn = drawn  # how many seeds were taken
        self._lock = Lock()

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        with self._lock:
            self._drawn += 1
            drawn = self._drawn
        return _mixed(self._start + drawn * 0x9E3779B97F4A7C15 & _EVERY) >> (64 - _BITS)

    @property
    def state(self) -> tuple[int, int]:
        """Where it started, and how many seeds were taken: what makes it again."""
        return self._start, self._drawn


def _mixed(state: int) -> int:
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _EVERY
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _EVERY
    return state ^ (state >> 31)


_sequence = [_Sequence(_mixed(1))]


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


def as_seed(seed: Any) -> int:
    """A seed that was given, or the next one for None. Raises DtypeError for what is no whole number."""
    if seed is None:
        return next_seed()
    if isinstance(seed, (bool, np.bool_)):  # PyTorch's `training`, in the place of the seed
        raise DtypeError(
            f"seed must be a whole number, but it is {seed}; where nothing is to be drawn, leave the op out"
        )
    try:
        return operator.index(seed)
    except TypeError:
        raise DtypeError(f"seed must be a whole number, but it is {described(seed)}") from None


@explained
def manual_seed(seed: int) -> None:
    """Start the sequence that belongs to `seed`, for all threads of the process."""
    _sequence[0] = _Sequence(_mixed(as_seed(seed) & _EVERY))


def get_rng_state() -> tuple[int, int]:
    """Return where the sequence of the process is, as two whole numbers: what `set_rng_state` takes, and what a
    checkpoint or JSON can have. Random ops after it draw the same numbers again, also those under jit."""
    return _sequence[0].state


@explained
def set_rng_state(state: Sequence[int]) -> None:
    """Go on where `get_rng_state` was called, for all threads of the process; two numbers in a list will do. Raises
    DtypeError for what is no such state."""
    try:
        start, drawn = map(operator.index, state)
    except (TypeError, ValueError):
        raise DtypeError(
            f"set_rng_state: state must be the two whole numbers that get_rng_state() gave, but it is "
            f"{described(state)}; core.manual_seed takes a seed"
        ) from None
    _sequence[0] = _Sequence(start & _EVERY, drawn)


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
