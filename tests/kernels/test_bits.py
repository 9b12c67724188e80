"""Bits of whole numbers in formulas, beside NumPy and Python, which have the same precedence."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

from netcl import core, kernels
from netcl.core.errors import KernelLanguageError
from netcl.kernels.compiler.ir import attribute
from netcl.kernels.compiler.ir.construct import apply
from netcl.kernels.compiler.ir.host import BITS, Numbers
from netcl.kernels.compiler.ir.interval import Intervals

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(5)

ALL = """
op all(a[n]: int, b[n]: int) -> (common[n], either[n], one[n], left[n], right[n], other[n], mixed[n]) {
    common = a & b;
    either = a | b;
    one = xor(a, b);
    left = a << b;
    right = a >> b;
    other = ~a;
    mixed = a & 7 | b + 1 << 2 & ~b;
}
"""


def as_numpy(a: Array, b: Array) -> tuple[Array, ...]:
    bits = 8 * a.itemsize
    inside = (b >= 0) & (b.astype(np.int64) < bits)
    count = np.where(inside, b, 0).astype(a.dtype)
    sign = np.where(a < 0, -1, 0).astype(a.dtype)
    left, right = np.where(inside, a << count, 0), np.where(inside, a >> count, sign)
    return a & b, a | b, a ^ b, left, right, ~a, a & 7 | b + 1 << 2 & ~b


@pytest.mark.parametrize("count", [1, 16, 33, 200])
@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_bits_are_those_of_numpy(dtype: str, count: int) -> None:
    ends = np.iinfo(dtype)
    a = RNG.integers(ends.min, ends.max, count, dtype, endpoint=True)
    b = RNG.integers(0 if dtype == "uint8" else -3, 70, count).astype(dtype)
    a[: min(count, 3)] = (ends.min, ends.max, 0)[: min(count, 3)]
    expected = as_numpy(a, b)
    for found, each in zip(kernels.compile(ALL).all(core.from_host(a), core.from_host(b)), expected, strict=True):
        np.testing.assert_array_equal(found.to_host(), each, strict=True)


def test_narrow_numbers_become_as_wide_as_what_they_meet() -> None:
    op = kernels.compile("op f(a[n]: int, b[n]: int) -> y[n] { y = a << 4 | b & 1023; }").f
    a, b = RNG.integers(0, 256, 40).astype("uint8"), RNG.integers(0, 1 << 20, 40).astype("int32")
    found = op(core.from_host(a), core.from_host(b)).to_host()
    np.testing.assert_array_equal(found, (a << 4).astype("int32") | b & 1023, strict=True)


@pytest.mark.parametrize("function", BITS)
def test_bounds_hold_for_all_values_between_bounds(function: str) -> None:
    """Every pair of short ranges, by trying all that is in them."""
    one, other = attribute("a", "int64"), attribute("b", "int64")
    ends = [-70, -5, -2, -1, 0, 1, 3, 4, 9, 66]
    ranges = [(low, high) for low, high in itertools.combinations_with_replacement(ends, 2) if high - low < 12]
    for first, second in itertools.product(ranges, ranges):
        assumed = {one: first, other: second}
        node = apply(function, (one, other), "int64")
        least, most = Intervals(Numbers({}, {}), anything=True, assumed=assumed).of(node)
        values = [BITS[function](a, b) for a in range(first[0], first[1] + 1) for b in range(second[0], second[1] + 1)]
        assert least <= min(values), (first, second)
        assert max(values) <= most or most == (1 << 63) - 1, (first, second)


def test_codes_of_interleaved_bits_are_positions() -> None:
    """A picture in the order of a Z: each position is made of the bits of the row and the column."""
    op = kernels.compile("""
    op in_order(x[m]: float) -> y[r, c] where r = 4, c = 4 {
        code = c & 1 | (r & 1) << 1 | (c & 2) << 1 | (r & 2) << 2;
        y = x[code];
    }
    """).in_order
    x = RNG.standard_normal(16).astype(np.float32)
    code = [[c & 1 | (r & 1) << 1 | (c & 2) << 1 | (r & 2) << 2 for c in range(4)] for r in range(4)]
    np.testing.assert_array_equal(op(core.from_host(x)).to_host(), x[code])


def test_a_table_is_read_where_a_hash_says_and_gradients_arrive_there() -> None:
    """Features of a grid in a table, as instant-ngp has them."""
    from netcl import autograd as ag

    op = kernels.compile("""
    op looked_up(table[m, f]: float, at[n]: int, to[n]: int) -> y[n, f] {
        y = table[xor(at, to * 2654435761) & size[m] - 1, f];
    }
    """).looked_up
    table = RNG.standard_normal((64, 3)).astype(np.float32)
    at, to = (RNG.integers(0, 1000, 50).astype(np.int32) for _ in range(2))
    place = (at ^ to.astype(np.int64) * 2654435761) & 63
    leaf = ag.tensor(table, requires_grad=True)
    value = op(leaf, core.from_host(at), core.from_host(to))
    np.testing.assert_array_equal(value.value.to_host(), table[place])
    (gradient,) = ag.grad(value.sum(), [leaf])
    expected = np.zeros_like(table)
    np.add.at(expected, place, 1)
    np.testing.assert_array_equal(gradient.to_host(), expected)


def test_cells_live_by_a_rule_of_bits() -> None:
    """Rule 30: each cell of the next row is the bit of the rule at the number that three cells above it make."""
    op = kernels.compile("""
    op grown(first[i]: int; rule: int, steps: int) -> cell[t, i] where t = steps {
        left = cell[t - 1, i - 1] else 0;
        above = cell[t - 1, i] else 0;
        right = cell[t - 1, i + 1] else 0;
        cell = t == 0 ? first[i] : rule >> (left << 2 | above << 1 | right) & 1;
    }
    """).grown
    first = np.zeros(31, np.int64)
    first[15] = 1
    rows = [first]
    for _ in range(14):
        wide = np.pad(rows[-1], 1)
        rows.append(30 >> (wide[:-2] << 2 | wide[1:-1] << 1 | wide[2:]) & 1)
    np.testing.assert_array_equal(op(core.from_host(first), rule=30, steps=15).to_host(), rows)


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        ("x & 3", "'&' takes whole numbers, and this is float32"),
        ("k << 0.5", "'<<' takes whole numbers, and this is float32"),
        ("xor(x, 1)", r"xor\(…\) takes whole numbers"),
        ("~(x > 0) ? 1 : 0", "this is bool; conditions are joined by 'and' and 'or', and turned round by 'not'"),
        ("x > 0 & x < 1 ? 1 : 0", "two conditions are joined by 'and' or 'or'"),
        ("x > 0 || x < 1 ? 1 : 0", "two conditions are joined by 'or'"),
        ("xor(k)", "xor takes 2 arguments, but 1 is given$"),
    ],
)
def test_what_has_no_bits_is_said_to_have_none(formula: str, says: str) -> None:
    with pytest.raises(KernelLanguageError) as error:
        kernels.compile(f"op f(x[n]: float, k[n]: int) -> y[n] {{ y = {formula}; }}")
    message = str(error.value).splitlines()[0]

    assert re.search(says, message), message
