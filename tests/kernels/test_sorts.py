"""Sorts: the order of values of every dtype, ties, NaN and signed zeros, rows of any length in any layout."""

from __future__ import annotations

import numpy as np
import pytest
from evaluated import catalogue, compiled
from launched import on_many_cores
from thorough import spread

from netcl import core
from netcl.kernels import ops
from netcl.kernels.compiler.target import CPU

SHORT, MANY, LONG = CPU.sorts.short, CPU.sorts.many, CPU.sorts.long
RNG = np.random.default_rng(31)
FLOATS = ("float16", "float32", "float64")
DTYPES = (*FLOATS, "int32", "int64", "uint8", "bool")
AXES = (((5, 300), 0), ((300, 5), 0), ((3, 200, 4), 1), ((0, 4), 0), ((0, 4), 1))
LENGTHS = (0, 1, 2, 17, SHORT - 1, SHORT, SHORT + 1, 1000, MANY, MANY + 1, LONG, 3 * LONG)


def order(x: np.ndarray, descending: bool, axis: int = -1) -> np.ndarray:
    """Equal values as they stand, NaN at the large end."""
    if not descending:
        return np.argsort(x, axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - np.argsort(np.flip(x, axis), axis, kind="stable"), axis)


def drawn(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Values of every magnitude: any bits at all."""
    if dtype == "bool":
        return RNG.integers(0, 2, shape) > 0
    bits = np.frombuffer(RNG.bytes(int(np.prod(shape)) * np.dtype(dtype).itemsize), dtype)
    return bits.reshape(shape)


def tied(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Few values, the awkward ones among them."""
    if dtype in FLOATS:
        tiny = np.finfo(dtype).smallest_subnormal
        few = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1, -1, tiny, -tiny, 1.5], dtype)
    elif dtype == "bool":
        few = np.array([False, True])
    else:
        limits = np.iinfo(dtype)
        few = np.array([limits.min, limits.max, 0, 1, limits.max // 2, limits.min // 2], dtype)
    return RNG.choice(few, shape)


def assert_sorts(x: np.ndarray, axis: int = -1, given: core.Tensor | None = None) -> None:
    given = core.from_host(x) if given is None else given
    for descending in (False, True):
        expected = order(x, descending, axis)
        np.testing.assert_array_equal(catalogue["argsort"](given, axis, descending).to_host(), expected)
        values, indices = catalogue["sort"](given, axis, descending)
        np.testing.assert_array_equal(indices.to_host(), expected)
        np.testing.assert_array_equal(values.to_host(), np.take_along_axis(x, expected, axis))


@pytest.mark.parametrize(("dtype", "length"), spread(DTYPES, LENGTHS, rounds=2))
@pytest.mark.sample(2)
def test_rows_of_any_length_and_dtype_come_in_the_order_of_numpy(dtype: str, length: int) -> None:
    for values in (drawn, tied):
        assert_sorts(values(dtype, (3, length)))


@pytest.mark.parametrize(("dtype", "along"), spread(DTYPES, AXES), ids=str)
@pytest.mark.sample(2)
def test_any_axis_is_sorted(dtype: str, along: tuple[tuple[int, ...], int]) -> None:
    shape, axis = along
    assert_sorts(tied(dtype, shape), axis)


@pytest.mark.parametrize("count", [7, SHORT + 40])
def test_views_are_sorted_where_they_are(count: int) -> None:
    host = RNG.normal(size=(6, 2 * count)).astype(np.float32)
    x = core.from_host(host)
    turned = catalogue["permute"](x, (1, 0))
    assert_sorts(host.T, 0, turned)
    assert_sorts(host.T, 1, turned)
    backwards = catalogue["slice"](x, (5, 2 * count - 1), (-2, -2), (3, count))
    assert_sorts(host[::-2, ::-2], 1, backwards)
    repeated = (3, *host.shape)
    assert_sorts(np.broadcast_to(host, repeated), 2, ops.broadcast_to(x, repeated))
    assert_sorts(np.broadcast_to(host, repeated), 0, ops.broadcast_to(x, repeated))


def test_results_are_written_into_views() -> None:
    host = RNG.normal(size=(4, 150)).astype(np.float32)
    out = core.from_host(np.full((150, 4), -1))
    catalogue["argsort"](core.from_host(host), out=catalogue["permute"](out, (1, 0)))
    np.testing.assert_array_equal(out.to_host(), order(host, False).T)


@pytest.mark.parametrize("length", [20, SHORT + 40])
def test_positions_are_written_over_the_values_that_they_order(length: int) -> None:
    host = RNG.integers(-1000, 1000, (5, length)) << 20
    x = core.from_host(host)
    catalogue["argsort"](x, out=x)
    np.testing.assert_array_equal(x.to_host(), order(host, False))


@pytest.mark.parametrize("values", ["ascending", "descending", "equal", "low half", "high half", "one differs"])
@pytest.mark.parametrize("length", [SHORT + 1, 5000])
@pytest.mark.sample(2)
def test_rows_that_are_nearly_in_order_or_differ_in_few_bits(values: str, length: int) -> None:
    steps = np.arange(length)
    made = {
        "ascending": steps, "descending": -steps, "equal": np.full(length, 7), "low half": steps * 7919 % 257,
        "high half": (steps * 7919 % 257) << 32, "one differs": (steps == length // 2) * (1 << 40),
    }[values]  # fmt: skip
    for dtype in ("int64", "float64", "float32"):
        assert_sorts(made.astype(dtype)[None])


def test_what_is_sorted_may_be_an_expression() -> None:
    op = compiled("op f(x[*i, t]: float) -> y[*i, t] { y = argsort[s <= t](x[*i, s] * x[*i, s] - sum[t](x)); }")
    for length in (20, 300):
        x = RNG.normal(size=(3, length))
        np.testing.assert_array_equal(op(core.from_host(x)).to_host(), order(x * x - x.sum(1, keepdims=True), False))


def test_more_rows_than_there_is_room_for_work_items_are_sorted() -> None:
    assert_sorts(RNG.normal(size=(300, MANY + 3)).astype(np.float32))


def test_no_device_runs_more_work_items_than_have_room_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    launched = on_many_cores(monkeypatch)
    x = RNG.normal(size=(600, MANY + 31)).astype(np.float32)
    np.testing.assert_array_equal(catalogue["argsort"](core.from_host(x)).to_host(), order(x, False))
    ((kernel, items),) = launched
    assert 1 < items <= kernel.most_items
    assert kernel.extents["item#"] == kernel.most_items * 2 * x.shape[1]


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8"])
@pytest.mark.parametrize("length", [2, 25, SHORT, SHORT + 1, 1000, 5000, MANY, MANY + 1, LONG + 1])
@pytest.mark.sample(6)
def test_a_sort_stays_in_the_room_it_has(length: int, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    queue, guard = core.default_queue(), 4096
    allocate, given = queue.allocate, []

    def guarded(size: int) -> core.Buffer:
        with monkeypatch.context() as patch:
            patch.setattr(queue, "allocate", allocate)
            memory = core.from_host(np.full(size + guard, 77, np.uint8))
        given.append((memory, size))
        return memory.buffer

    x = core.from_host(drawn(dtype, (1, length)))
    op = compiled(f"op f(x[*i, t]: number) -> y[*i, t] {{ y = {RNG.random()} + argsort[s <= t](x[*i, s]); }}")
    monkeypatch.setattr(queue, "allocate", guarded)
    op(x)
    assert len(given) > (length > MANY)
    for memory, size in given:
        np.testing.assert_array_equal(memory.to_host()[size:], 77)
