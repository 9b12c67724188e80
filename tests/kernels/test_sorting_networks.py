"""Sorting networks: they sort every sequence of bits, hence any values, and rows of every length on a device."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from evaluated import catalogue

from netcl import core
from netcl.kernels.compiler.target import CPU
from netcl.kernels.compiler.targets.cpu.sorting import network
from netcl.kernels.compiler.targets.cpu.sorting.keys import WIDE

SHORT, MANY = CPU.sorts.short, CPU.sorts.many
RNG = np.random.default_rng(37)
BLOCK = WIDE.entries.in_block


def ran(pairs: Sequence[tuple[int, int]], rows: np.ndarray) -> np.ndarray:
    """The rows after the comparisons."""
    rows = rows.copy()
    for low, high in pairs:
        one, other = rows[:, low].copy(), rows[:, high].copy()
        rows[:, low], rows[:, high] = np.minimum(one, other), np.maximum(one, other)
    return rows


def in_order(rows: np.ndarray) -> bool:
    return bool((np.diff(rows, axis=1) >= 0).all())


@pytest.mark.parametrize("count", range(2, 17))
def test_a_sorting_network_sorts_all_bits(count: int) -> None:
    bits = np.array(list(itertools.product((0, 1), repeat=count)))
    assert in_order(ran(network.sorting(count), bits))
    assert not in_order(ran(network.sorting(count)[:-1], bits))


@pytest.mark.parametrize("count", [2, 4, 8, 16, 32])
def test_a_merging_network_sorts_bits_that_rise_and_fall_once(count: int) -> None:
    runs = [np.roll(np.arange(count) < ones, turn) for ones in range(count + 1) for turn in range(count)]
    bits = np.array(runs).astype(int)
    assert in_order(ran(network.merging(count), bits))
    assert not in_order(ran(network.merging(count)[:-1], bits))


def borders() -> Iterable[int]:
    """Lengths with one value less than fills their blocks, just as many, and one more."""
    found = {blocks * BLOCK + step for blocks in range(network.BLOCKS + 1) for step in (-1, 0, 1)}
    return sorted(each for each in found if SHORT < each <= MANY + 1)


def test_a_network_has_room_for_all_rows_that_it_is_given() -> None:
    assert WIDE.entries.most >= MANY
    assert WIDE.places >= MANY


@pytest.mark.parametrize("length", borders())
@pytest.mark.sample(17)
def test_rows_of_every_shape_are_sorted(length: int) -> None:
    few = RNG.integers(0, 5, length).astype(np.float32)
    turned = np.roll(np.arange(length, dtype=np.float32), length // 3)
    x = np.stack([RNG.normal(size=length).astype(np.float32), few, turned, turned[::-1]])
    values, indices = catalogue["sort"](core.from_host(x))
    expected = np.argsort(x, kind="stable")
    np.testing.assert_array_equal(indices.to_host(), expected)
    np.testing.assert_array_equal(values.to_host(), np.take_along_axis(x, expected, -1))
