"""Positions are computed with 64 bits. What leaves them is an error, and never comes back as another place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core.errors import IndexOutOfRangeError, ShapeError

MARKER = 7777


def view(values: Any, dtype: str = "float32") -> core.Tensor:
    """The values in the middle of a buffer that is full of markers."""
    values = np.asarray(values, dtype)
    whole = np.full(len(values) + 64, MARKER if dtype != "uint8" else 77, dtype)
    whole[32 : 32 + len(values)] = values
    return core.from_host(whole)[32 : 32 + len(values)]


def result(declared: str, *operands: core.Tensor, **attributes: int) -> list[float]:
    values: list[float] = kernels.compile(f"op f({declared}").f(*operands, **attributes).to_host().tolist()
    return values


X = [1, 2, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize(
    "position",
    [
        "min(i * 4611686018427387904, 7)", "min((i // 3) * 2305843009213693952, 7)", "(i * 3074457345618258603) % 8",
        "abs(i * 4611686018427387904) % 8", "i * 4611686018427387904 // 9223372036854775807",
    ],
)  # fmt: skip
@pytest.mark.parametrize("otherwise", ["", " else 0"])
def test_a_position_that_could_leave_64_bits_is_refused(position: str, otherwise: str) -> None:
    with pytest.raises(IndexOutOfRangeError, match=r"64 bits|are not all in axis"):
        result(f"x[n]: float) -> y[i] where i = 8 {{ y = x[{position}]{otherwise}; }}", view(X))


def test_a_position_in_which_huge_numbers_cancel_is_read() -> None:
    found = result(
        "x[n]: float) -> y[i] where i = 8 { y = x[i * 4611686018427387904 * 4 // 4611686018427387904 // 4]; }", view(X)
    )
    assert found == X


@pytest.mark.parametrize(
    ("position", "place"),
    [("min(max(i - 9223372036854775807 - size[n], 0), 7)", 0), ("min(max((4611686018427387904 ^ 3) + i, 0), 7)", 7)],
)
def test_a_position_that_lies_on_one_side_whatever_the_index_is_is_read_there(position: str, place: int) -> None:
    assert result(f"x[n]: float) -> y[i] where i = 8 {{ y = x[{position}]; }}", view(X)) == [X[place]] * 8


@pytest.mark.parametrize("s", [2**62, 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("position", ["i + s", "i + 4 * s", "s * i", "(i // 3) * s", "i + s + s"])
def test_a_number_of_the_caller_that_moves_a_position_too_far_is_refused(position: str, s: int) -> None:
    for text in (f"min(max({position}, 0), 7)]", f"{position}]", f"{position}] else 0"):
        with pytest.raises(IndexOutOfRangeError, match=r"64 bits|are not all in axis"):
            result(f"x[n]: float; s: int = 1) -> y[i] where i = 8 {{ y = x[{text}; }}", view(X), s=s)


def test_a_position_moved_beyond_its_axis_by_no_sum_of_steps_is_an_error() -> None:
    declared = "x[n]: float; s: int = 1) -> y[i] where i = 8 { y = x[i // s]; }"
    assert result(declared, view(X), s=2) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert result(declared, view(X), s=0) == [1] * 8, "what is divided by 0 is 0"
    with pytest.raises(IndexOutOfRangeError, match="the positions -7 to 0"):
        result(declared, view(X), s=-1)


def test_a_number_of_the_caller_that_divides_a_position_may_be_0() -> None:
    declared = "x[n]: float; s: int = 1) -> y[i] where i = 3 { y = x[1 // s]; }"
    assert [result(declared, view(X), s=s) for s in (0, 1, 2)] == [[1] * 3, [2] * 3, [1] * 3]


def test_an_index_divided_by_itself_is_0_where_it_is_0() -> None:
    assert result("x[n]: float) -> y[i] where i = 4 { y = x[i // i + 6 * (i % i)]; }", view(X)) == [1, 2, 2, 2]


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
@pytest.mark.parametrize(
    "position",
    [
        "k[m] * 4611686018427387904", "k[m] * 65536 * 65536 * 65536 * 65536", "(k[m] ^ 63) * 2",
        "k[m] - (-9223372036854775807)",
    ],
)  # fmt: skip
@pytest.mark.sample(3)
def test_a_position_that_leaves_64_bits_by_what_is_read_is_an_error(dtype: str, position: str) -> None:
    k = view([2, 4] * 10, dtype)
    for text in (f"x[{position}]", f"(x[{position}] else 0)", f"x[max(min({position}, 7), 0)]"):
        with pytest.raises(IndexOutOfRangeError, match=r"64 bits|is out of range"):
            result(f"x[n]: float, k[m]: int) -> y[m] {{ y = {text}; }}", view(X), k)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_a_position_has_64_bits_whatever_it_is_read_from(dtype: str) -> None:
    k = view([1, 2, 3], dtype)
    declared = "x[n]: float, k[m]: int) -> y[m] { y = x[k[m] * 1099511627776 // 1099511627776]; }"
    assert result(declared, view(X), k) == [2, 3, 4]
    with pytest.raises(IndexOutOfRangeError, match="the index 65536 "):
        result("x[n]: float, k[m]: int) -> y[m] { y = x[k[m] * 65536]; }", view(X), k)


def test_a_position_has_64_bits_also_beside_an_index() -> None:
    """An index has 64 bits, so what stands beside it is cast: of a product in 32 bits only the rest would be left."""
    op = kernels.compile("op f(x[n]: float, k[m]: int) -> y[m, j] where j = 2 { y = x[min(k * 65536 + j, 7)]; }").f
    x = core.from_host(np.arange(10, dtype=np.float32))
    found = op(x, core.from_host(np.array([65536, 0, 3], np.int32)))
    assert found.tolist() == [[7, 7], [0, 1], [7, 7]]


def test_the_least_number_has_no_absolute_value_and_no_opposite() -> None:
    k = view([-(2**63)] * 17, "int64")
    for position in ("abs(k[m]) % 8", "(-k[m]) % 8", "(k[m] // (-1)) % 8"):
        with pytest.raises(IndexOutOfRangeError, match="beyond 64 bits"):
            result(f"x[n]: float, k[m]: int) -> y[m] {{ y = x[{position}]; }}", view(X), k)
    ones = view([-1] * 17, "int64")
    assert result("k[m]: int, l[m]: int) -> y[m] { y = k[m] // l[m] + k[m] % l[m]; }", k, ones) == [-(2**63)] * 17


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30, -9.4e18, 9.3e18])
def test_a_float_that_is_no_whole_number_of_64_bits_is_no_position(value: float) -> None:
    v = view([1, 2.9, value])
    for text in ("int(v[m])", "min(max(int(v[m]), 0), 7)", "int(v[m]) % 8"):
        with pytest.raises(IndexOutOfRangeError):
            result(f"x[n]: float, v[m]: float) -> y[m] {{ y = x[{text}]; }}", view(X), v)
        assert result(f"x[n]: float, v[m]: float) -> y[m] {{ y = x[{text}]; }}", view(X), v[:2]) == [2, 3]


def test_a_position_of_which_the_host_sees_that_it_is_not_the_one_read_from_data() -> None:
    declared = "x[n]: float, k[i]: int) -> y[i] { y = x[(size[n] == 0 ? k[i] : size[n]) % 8]; }"
    k = view([0, 1, 2], "int64")
    assert result(declared, view(X), k) == [1, 1, 1]
    with pytest.raises(IndexOutOfRangeError, match="the index 5"):
        result(declared, view(X[:5]), k)


@pytest.mark.parametrize("size", ["s", "s * 4", "s * s * s"])
def test_an_axis_is_not_longer_than_memory(size: str) -> None:
    for axes in (f"[i] where i = {size}", f"[j, i] where i = {size}, j = 0"):
        with pytest.raises(ShapeError, match=r"the longest one|more than any memory"):
            result(f"x[n]: float; s: int = 1) -> y{axes} {{ y = x[0]; }}", view(X), s=2**61)


def test_a_sum_over_more_elements_than_64_bits_count_is_refused() -> None:
    with pytest.raises(IndexOutOfRangeError, match="64 bits"):
        result("x[n]: float; s: int = 1) -> y[] where i = s, j = s { y = sum[i, j](x[0]); }", view(X), s=2**40)


@pytest.mark.parametrize("length", [5, 40])  # one by one, and in lanes
def test_a_literal_that_small_integers_do_not_reach_is_not_cut_to_their_bits(length: int) -> None:
    u, i = view(np.resize([0, 40, 200, 255], length), "uint8"), view(np.resize([-1, 7], length), "int32")
    assert result("k[m]: int) -> y[m] { y = k[m] > 300 ? 1 : 0; }", u) == [0] * length
    assert result("k[m]: int) -> y[m] { y = k[m] < 5000000000 ? 1 : 0; }", u) == [1] * length
    assert result("k[m]: int) -> y[m] { y = k[m] > (-1) ? 1 : 0; }", u) == [1] * length
    products = np.resize([-(2**32), 7 * 2**32], length).tolist()
    assert result("k[m]: int) -> y[m] { y = k[m] * 4294967296; }", i) == products


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("length", [3, 40])
def test_integers_of_tensors_wrap_around(dtype: str, length: int) -> None:
    most, least = np.iinfo(dtype).max, np.iinfo(dtype).min
    a, b = view([most] * length, dtype), view([least] * length, dtype)
    sums = {"a[m] + a[m]": -2, "a[m] * a[m]": 1, "b[m] - a[m]": 1, "-b[m]": least, "b[m] * b[m]": 0}
    for formula, due in sums.items():
        assert result(f"a[m]: int, b[m]: int) -> y[m] {{ y = {formula}; }}", a, b) == [due] * length


def test_powers_and_what_a_gradient_compares_do_not_wrap_either() -> None:
    text = "op f(x[n]: float, k[i]: int; t: int = 1) -> y[i] { y = x[min(max(min(k, t ^ 3), 0), 7)]; }"
    power = kernels.compile(text).f
    x, k = core.from_host(np.arange(8, dtype=np.float32)), core.from_host(np.array([9, 3]))
    assert (power(x, k, 1).tolist(), power(x, k, 1 << 19).tolist()) == ([1, 1], [7, 3])
    with pytest.raises(core.IndexOutOfRangeError, match=r"\bt\b"):
        power(x, k, 1 << 40)
    moved = kernels.compile("op f(x[n]: float; t: int = 1) -> y[] { y = x[min(max(size[n] + t, 0), 7)] else -5; }").f
    leaf = ag.Node(x, requires_grad=True)
    assert ag.grad(moved(leaf, -5), leaf).tolist() == [0, 0, 0, 1, 0, 0, 0, 0]
    with pytest.raises(core.IndexOutOfRangeError):
        ag.grad(moved(leaf, (1 << 63) - 1), leaf)
