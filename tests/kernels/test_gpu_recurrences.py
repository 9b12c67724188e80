"""Recurrences on cards: an item for each row, a group for each row, diagonals of planes; on NumPy, item by item."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from evaluated import compiled
from interpreted import assert_gradients_right, assert_right, ran_op, small
from recurrence_cases import CASES, PLANES, normal

from netcl.kernels.compiler.loops.ir import Barrier, Loop, statements
from netcl.kernels.compiler.target import GPU, Target


def way(busy: int, steps: int) -> Target:
    card = small()
    return replace(card, groups=replace(card.groups, busy=busy, steps=steps))


WAYS = {"an item for each row": way(busy=0, steps=2), "a group for each row": way(busy=1 << 20, steps=0)}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.sample(18)
def test_every_recurrence_is_legal_and_right(name: str, way: str) -> None:
    text, arrays, loops = CASES[name]
    op = compiled(text)
    found = ran_op(op, *arrays, target=WAYS[way])
    assert "recurrence" in found.schedules
    first = re.search(r"-> \(?(\w+)", text)
    assert first
    np.testing.assert_allclose(found[first[1]], loops(*arrays), rtol=1e-9, atol=1e-12)
    assert_gradients_right(op, arrays, target=WAYS[way])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PLANES)
@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 3, 5), (1, 9, 20), (3, 17, 4)])
@pytest.mark.sample(8)
def test_planes_are_gone_through_in_diagonals(name: str, sizes: tuple[int, ...], way: str) -> None:
    text, loops = PLANES[name]
    op = compiled(f"op f(d[*n, i, j]: float) -> y[*n, i, j] {{ {text.replace('[i', '[*n, i')} }}")
    d = normal(*sizes)
    found = ran_op(op, d, target=WAYS[way])
    np.testing.assert_allclose(found["y"], [loops(each) for each in d], rtol=1e-9, atol=1e-12)
    assert_gradients_right(op, [d], target=WAYS[way])


ROWS = compiled("op f(x[n, t, k]: float, w[j, k]: float) -> y[n, t, k] "
                "{ y = tanh(x + sum[j](w * (y[n, t - 1, j] else 0))); }")  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("sizes", [(1, 1, 1), (5, 3, 9), (17, 4, 2), (3, 2, 33), (2, 0, 3), (0, 2, 3)])
@pytest.mark.sample(5)
def test_rows_and_widths_of_every_size(sizes: tuple[int, int, int], way: str) -> None:
    x, w = normal(*sizes), normal(sizes[-1], sizes[-1])
    assert_right(ROWS, [x, w], target=WAYS[way])
    assert_gradients_right(ROWS, [x, w], target=WAYS[way])


def test_a_card_shares_out_what_a_step_has_unless_rows_keep_it_busy() -> None:
    def found(rows: int, width: int) -> tuple[int, int, bool]:
        (kernel,) = ran_op(ROWS, normal(rows, 1, width), normal(width, width), target=card).kernels
        return kernel.groups, kernel.nest.items, any(isinstance(each, Barrier) for each in statements(kernel.nest.body))

    card = replace(GPU, groups=replace(GPU.groups, busy=40))
    assert found(8, 100) == (8, 128, True)
    assert found(8, 5) == (8, 32, True)
    assert found(8, 4) == (1, 256, False)
    assert found(40, 5) == (1, 256, False)


def test_a_diagonal_is_a_step_of_a_plane() -> None:
    text, _ = PLANES["gaps"]
    (kernel,) = ran_op(compiled(f"op f(d[i, j]: float) -> y[i, j] {{ {text} }}"), normal(6, 7)).kernels
    (diagonals,) = (each for each in kernel.nest.body if isinstance(each, Loop))
    assert sum(isinstance(each, Barrier) for each in statements((diagonals,))) == 1


@pytest.mark.parametrize("way", WAYS)
def test_an_element_that_is_not_asked_for_is_not_read_while_another_item_stores_it(way: str) -> None:
    op = compiled("op f(x[t, k]: float, p[t]: int) -> y[t, k] { y = p < t ? x * y[p, 0] + y[p, 0] ^ 2 / 3 : x; }")
    x, p = normal(5, 6), np.array([0, 1, 1, 2, 4])
    expected = x.copy()
    for t, at in enumerate(p):
        if at < t:
            expected[t] = x[t] * expected[at, 0] + expected[at, 0] ** 2 / 3
    found = ran_op(op, x, p, target=WAYS[way])
    np.testing.assert_allclose(found["y"], expected, rtol=1e-12, atol=1e-13)
    assert_gradients_right(op, [x, p], target=WAYS[way])


@pytest.mark.parametrize("way", WAYS)
def test_of_one_step_nothing_before_is_read_whichever_branch_asks_for_it(way: str) -> None:
    op = compiled(
        """
        op f(x0[m, l]: float, x1[l]: float, x2[t]: float, x3[t, b, k]: float, x4[b]: float, x5[t]: int) -> h[t, b, k] {
            c[t, b, k] = tanh((x5 > 0 ? (c[t - 1, b, k] else (x4))
                : (t > 0 ? sum[l](x1[l] * tanh(sum[m](x0 * h[t - 1, b, m]))) : x2) + (c[t - 1, b, k] else (x4))));
            h = (t > 0 ? sum[l](x1[l] * tanh(sum[m](x0 * h[t - 1, b, m]))) : x2) + x3 - 0.25 * c;
        }
        """
    )
    for which in (0, 1):
        x2, x3, x4 = normal(1), normal(1, 12, 4), normal(12)
        found = ran_op(op, normal(4, 3), normal(3), x2, x3, x4, np.array([which]), target=WAYS[way])
        first = np.tanh(x4 if which else x2 + x4)
        np.testing.assert_allclose(found["h"], x2 + x3 - 0.25 * first[:, None], rtol=1e-12)
