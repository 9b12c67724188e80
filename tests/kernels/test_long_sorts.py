"""Sorts of rows that are shared out: dealt to bins by their values, whatever these are like, and sorted bin by bin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from differentiated import plans_of_its_own
from evaluated import catalogue, compiled
from launched import on_many_cores
from test_sorts import order

from netcl import core
from netcl.kernels import ops
from netcl.kernels.compiler.target import CPU, Target, named

LONG = CPU.sorts.long
RNG = np.random.default_rng(41)
LENGTH = LONG + 4321


def floats(length: int) -> dict[str, np.ndarray]:
    normal = RNG.normal(size=length)
    signs = np.copysign(0.0, RNG.normal(size=length))
    return {
        "normal": normal,
        "of all magnitudes": np.exp(40 * normal),
        "in order": np.sort(normal),
        "backwards": -np.sort(normal),
        "one value": np.full(length, 2.5),
        "two values": np.where(normal > 0.3, 1.0, -1.0),
        "half zeros": np.maximum(normal, signs),
        "zeros of both signs": signs,
        "few zeros of both signs": np.where(RNG.random(length) < 0.01, signs, normal),
        "few NaNs of both signs": np.where(RNG.random(length) < 0.01, np.copysign(np.nan, signs), normal),
        "nothing but NaN": np.full(length, np.nan),
        "some NaN": np.where(RNG.random(length) < 0.1, np.nan, normal),
        "infinities": np.where(RNG.random(length) < 0.1, np.inf, np.where(RNG.random(length) < 0.1, -np.inf, normal)),
        "one far away": np.where(np.arange(length) == 77, 1e30, normal),
        "one far away and seen": np.where(np.arange(length) == 0, -1e30, normal),
        "much of one": np.where(RNG.random(length) < 0.8, 0.75, normal),
        "nearly one": 1 + 1e-6 * np.floor(6 * RNG.random(length)),
    }


def integers(length: int) -> dict[str, np.ndarray]:
    limits = np.iinfo(np.int32)
    return {
        "any": RNG.integers(limits.min, limits.max, length, endpoint=True),
        "few": RNG.integers(-3, 4, length),
        "in a range": RNG.integers(0, 5000, length),
        "the ends": RNG.choice([limits.min, limits.max], length),
        "each once": RNG.permutation(length),
    }


def assert_sorted(x: np.ndarray, axis: int = -1, given: core.Tensor | None = None) -> None:
    given = core.from_host(x) if given is None else given
    for descending in (False, True):
        expected = order(x, descending, axis)
        values, indices = catalogue["sort"](given, axis, descending)
        np.testing.assert_array_equal(indices.to_host(), expected)
        same = np.take_along_axis(x, expected, axis)
        np.testing.assert_array_equal(values.to_host(), same)
        np.testing.assert_array_equal(np.signbit(values.to_host()), np.signbit(same))


@pytest.mark.parametrize("like", floats(1))
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.sample(9)
def test_floats_of_any_distribution_come_in_order_with_their_signs(like: str, dtype: str) -> None:
    with np.errstate(over="ignore"):
        assert_sorted(floats(LENGTH)[like].astype(dtype))


@pytest.mark.parametrize("like", integers(1))
@pytest.mark.sample(3)
def test_integers_of_any_distribution_come_in_order(like: str) -> None:
    assert_sorted(integers(LENGTH)[like].astype(np.int32))


@pytest.mark.parametrize("length", [LONG + 1, 8 * (1 << 13) - 1, 8 * (1 << 13) + 1, 300_007])
@pytest.mark.sample(2)
def test_rows_of_any_length_are_shared_out(length: int) -> None:
    assert_sorted(RNG.normal(size=length).astype(np.float32))


def test_several_rows_in_any_layout_are_shared_out() -> None:
    host = RNG.normal(size=(2, LENGTH, 3)).astype(np.float32)
    x = core.from_host(host)
    assert_sorted(host, 1)
    assert_sorted(host.T, 1, catalogue["permute"](x, (2, 1, 0)))
    backwards = catalogue["slice"](x, (0, LENGTH - 1, 2), (1, -1, -1), (2, LENGTH - 1, 3))
    assert_sorted(host[:, :0:-1, ::-1], 1, backwards)
    assert_sorted(np.broadcast_to(host, (2, *host.shape)), 2, ops.broadcast_to(x, (2, *host.shape)))


def test_no_rows_at_all_are_sorted() -> None:
    assert_sorted(np.zeros((0, LENGTH), np.float32))


def test_more_values_than_are_dealt_are_sorted_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    plans_of_its_own(monkeypatch)
    target = replace(CPU, sorts=replace(CPU.sorts, dealt=2 * LENGTH))
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: target))
    for rows in (2, 3):
        assert_sorted(RNG.normal(size=(rows, LENGTH)).astype(np.float32))


@pytest.mark.parametrize("length", [17, 33, 63, 200])
@pytest.mark.sample(2)
def test_where_thresholds_are_small_rows_of_a_few_dozen_go_through_networks_and_bins(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans_of_its_own(monkeypatch)
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: named("small-cpu")))
    for values in (*floats(3 * length).values(), *integers(3 * length).values()):
        dtype = np.float32 if values.dtype.kind == "f" else np.int32
        with np.errstate(over="ignore"):
            rows = values.astype(dtype).reshape(3, length)
        assert_sorted(rows)


def test_keys_may_be_read_anywhere_or_be_chosen() -> None:
    read = compiled("op f(x[n]: float, k[t]: int) -> y[t] { y = argsort[s <= t](x[k[s]]); }")
    chosen = compiled("op f(x[t]: float) -> y[t] { y = argsort[s <= t](x[s] > 0 ? sqrt(x[s]) : x[s] * x[s]); }")
    nested = compiled("op f(x[t]: float, z[t]: float) -> y[t] { y = argsort[s <= t](z[argsort[r <= s](x[r])]); }")
    for length in (20, 300, LENGTH):
        x, z = RNG.normal(size=(2, length)).astype(np.float32)
        k = RNG.integers(0, length, length)
        np.testing.assert_array_equal(read(core.from_host(x), core.from_host(k)).to_host(), order(x[k], False))
        keys = np.where(x > 0, np.sqrt(np.maximum(x, 0)), x * x)
        np.testing.assert_array_equal(chosen(core.from_host(x)).to_host(), order(keys, False))
        moved = z[order(x, False)]
        np.testing.assert_array_equal(nested(core.from_host(x), core.from_host(z)).to_host(), order(moved, False))


def test_what_is_read_at_the_positions_may_be_anything() -> None:
    op = compiled(
        """op f(x[*i, t]: float, z[*i, t]: float) -> (place[*i, t], y[*i, t]) {
            place = argsort[s <= t](x[*i, s] * z[*i, s]);
            y = z[*i, place] * t + x[*i, place] * z[*i, place] - z;
        }"""
    )
    for length in (20, 300, LENGTH):
        x, z = RNG.normal(size=(2, 2, length)).astype(np.float32)
        place, y = op(core.from_host(x), core.from_host(z))
        expected = order(x * z, False)
        np.testing.assert_array_equal(place.to_host(), expected)
        moved = np.take_along_axis(z, expected, -1) * np.arange(length, dtype=np.float32)
        np.testing.assert_allclose(
            y.to_host(), moved + np.take_along_axis(x * z, expected, -1) - z, rtol=1e-6, atol=1e-6 * length
        )


def test_results_may_be_written_over_what_is_sorted() -> None:
    for length in (20, 300, LENGTH):
        host = RNG.normal(size=(2, length)).astype(np.float32)
        x, places = core.from_host(host), core.from_host(np.zeros((2, length), np.int64))
        catalogue["sort"](x, out=(x, places))
        np.testing.assert_array_equal(x.to_host(), np.sort(host))
        np.testing.assert_array_equal(places.to_host(), order(host, False))


def test_no_device_runs_more_work_items_than_have_room_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    launched = on_many_cores(monkeypatch)
    x = RNG.normal(size=(30, LENGTH + 1)).astype(np.float32)
    np.testing.assert_array_equal(catalogue["argsort"](core.from_host(x)).to_host(), order(x, False))
    (deal, items), _ = launched
    assert 1 < items <= deal.most_items
    assert deal.extents["keys#"] == deal.most_items * 2 * deal.numbers["part"]


@pytest.mark.parametrize("length", [20, 300, LENGTH])
@pytest.mark.sample(2)
def test_a_loop_of_which_no_vector_is_possible_is_no_matter_for_the_reader(
    length: int, capfd: pytest.CaptureFixture[str]
) -> None:
    op = compiled(
        f"""op f(x[t]: float) -> (place[t], y[t]) {{
            place = argsort[s <= t](x[s]);
            y = lgamma(x[place]) + {RNG.random()};
        }}"""
    )
    op(core.from_host(RNG.normal(size=length).astype(np.float16)))
    core.synchronize()
    assert capfd.readouterr().err == ""
