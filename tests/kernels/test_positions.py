"""Positions outside of an axis: an error of the call wherever nothing says what is there, and never foreign memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.cli import main

X = np.arange(1, 7, dtype=np.float32)


def compiled(formula: str, output: str = "y[n]", operands: str = "x[n]: float", where: str = "") -> object:
    return kernels.compile(f"op f({operands}) -> {output} {where} {{ y = {formula}; }}").f


@pytest.mark.parametrize(
    ("formula", "ends"),
    [
        ("x[n + 1]", "1 to 6, n + 1"),
        ("x[n - 1]", "-1 to 4"),
        ("x[n + 1] - x[n]", "1 to 6"),
        ("max(x[n - 1], 0)", "-1 to 4"),
        ("x[n - 1] > 0 ? x[n - 1] : 0", "-1 to 4"),  # what is asked is read whatever the answer is
        ("x[n * n]", "0 to 25"),
        ("x[n // 2 + 4]", "4 to 6"),
        ("x[6 * n // 5]", "0 to 6"),
        ("x[2 * n]", "0 to 10"),
    ],
)
def test_a_reading_outside_of_its_axis_is_an_error(formula: str, ends: str) -> None:
    op = compiled(formula)
    for x in (core.from_host(X), core.from_host(np.tile(X, 3))[6:12], ag.tensor(X, requires_grad=True)):
        for _ in range(2):
            with pytest.raises(core.IndexOutOfRangeError, match="not all in axis n of x") as caught:
                op(x)
            assert f"positions {ends}" in str(caught.value)
            assert "else 0" in str(caught.value)


def test_sizes_decide_whether_a_reading_is_outside() -> None:
    valid = compiled("sum[k](x[o + k] * w[k])", "y[o]", "x[n]: float, w[k]: float", "where o = size[n] - size[k] + 1")
    w = np.array([1.0, 2.0], np.float32)
    np.testing.assert_array_equal(valid(core.from_host(X), core.from_host(w)).to_host(), np.correlate(X, w))
    full = compiled("sum[k](x[n + k] * w[k])", operands="x[n]: float, w[k]: float")
    np.testing.assert_array_equal(full(core.from_host(X), core.from_host(w[:1])).to_host(), X)
    with pytest.raises(core.IndexOutOfRangeError, match="0 to 6"):
        full(core.from_host(X), core.from_host(w))
    long = compiled("x[m]", "y[m]", where="where m = 1000 * size[n]")
    with pytest.raises(core.IndexOutOfRangeError, match="0 to 5999"):
        long(core.from_host(X))
    assert long(core.from_host(X[:0])).shape == (0,)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("x[n + 1] else 0", [2, 3, 4, 5, 6, 0]),
        ("(x[n + 1] else 0) - x[n]", [1, 1, 1, 1, 1, -6]),
        ("n > 0 ? x[n - 1] : 0", [0, 1, 2, 3, 4, 5]),
        ("x[size[n] - 1 - n]", [6, 5, 4, 3, 2, 1]),
        ("x[(n + 4) % size[n]]", [5, 6, 1, 2, 3, 4]),
        ("x[n // 2 + n % 2]", [1, 2, 2, 3, 3, 4]),
        ("x[n * n // 5]", [1, 1, 1, 2, 4, 6]),
        ("x[(n - 3) * (n - 3) // 3]", [4, 2, 1, 1, 1, 2]),  # no bound of its parts shows that it is inside
    ],
)
def test_a_reading_that_stays_inside_is_none(formula: str, expected: list[float]) -> None:
    op = compiled(formula)
    assert op(core.from_host(X)).tolist() == expected
    x = ag.tensor(X.astype(np.float64), requires_grad=True)
    assert ag.gradcheck(op, (x,))


def test_the_check_of_derivatives_names_the_position_and_not_the_gradient(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ops.netcl"
    file.write_text("op d(x[n]: float) -> y[n] { y = x[n + 1] - x[n]; }\nop e(x[n]: float) -> y[n] { y = 2 * x; }\n")
    assert main(["check", str(file)]) == 1
    said = capsys.readouterr().out
    assert "d: the positions 1 to" in said
    assert "e: right at" in said


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("argmin[c](3)", 0), ("argmax[c](c * (2 - c))", 1), ("max[c](c)", 2), ("min[c](c * c) + 1", 1),
        ("sum[c](c) - 1", 2), ("argmax[c](c) + argmin[c](c) - 1", 1), ("prod[c](1)", 1), ("any[c](c > 1) ? 1 : 0", 1),
        ("int(max[c](0.75 * c)) + 1", 2), ("sum[c](c)", None), ("max[c](c) + 1", None), ("argmin[c](3) - 1", None),
    ],
)  # fmt: skip
def test_positions_that_are_reduced_from_sizes_are_checked_before_the_call(place: str, found: int | None) -> None:
    op = kernels.compile(f"op f(x[c, n]: float) -> y[n] {{ y = x[{place}, n]; }}").f
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    if found is None:
        with pytest.raises(core.IndexOutOfRangeError, match="in axis c"):
            op(core.from_host(values))
        return
    x = ag.tensor(values, requires_grad=True)
    y = op(x)
    np.testing.assert_array_equal(y.value.to_host(), values[found])
    np.testing.assert_array_equal(ag.grad(y.sum(), x).to_host(), np.eye(3)[:, [found]] * np.ones((3, 4)))


def test_the_place_of_an_extreme_of_nothing_is_in_no_axis() -> None:
    op = kernels.compile("op f(x[c, n]: float) -> y[n] { y = x[argmin[c](3), n]; }").f
    with pytest.raises(core.ShapeError, match=r"argmin\[c\] gives a place, .* size\[c\] is 0"):
        op(core.from_host(np.ones((0, 3), np.float32)))


@pytest.mark.parametrize("condition", ["i < size[v]", "i >= 0 and i < size[v]", "i < size[v] and i > -1"])
def test_a_condition_on_one_end_is_asked_before_the_position_is_checked(condition: str) -> None:
    op = kernels.compile(f"op f(x[v]: float, i[k]: int) -> y[k] {{ y = {condition} ? x[i] : 0; }}").f
    x = core.from_host(np.array([10, 11, 12], np.float32))
    assert op(x, core.from_host(np.array([0, 3]))).tolist() == [10, 0]
    if "and" not in condition:
        with pytest.raises(core.IndexOutOfRangeError, match="of 2 positions 1 is wrong"):
            op(x, core.from_host(np.array([0, -1])))


def test_a_position_that_a_sum_does_not_move_is_checked_unless_nothing_is_summed() -> None:
    op = kernels.compile("op f(x[n]: float, k[i]: int; t: int = 1) -> y[] { y = sum[i](x[min(t, 3)]); }").f

    def found(length: int, summands: int) -> float:
        return op(core.ones((length,)), core.zeros((summands,), "int64"), 2).item()

    assert (found(4, 20), found(1, 0)) == (20, 0)
    with pytest.raises(core.IndexOutOfRangeError, match=r"the position 2, minimum\(t, 3\), is not"):
        found(1, 20)


GRAPH = """op f(x[v, d]: float, a[d]: float, source[e]: int, to[e]: int) -> y[v, d] {
    score[e] = sum[d](x[source[e], d] * a[d]) + sum[d](x[to[e], d]);
    slope[e] = score > 0 ? score : 0.2 * score;
    most[v] = detach(max[e](to[e] == v ? slope[e] : -inf));
    part[e] = exp(slope[e] - most[to[e]]);
    all[v] = sum[e](to[e] == v ? part[e] : 0);
    y = sum[e](to[e] == v ? part[e] / all[to[e]] * x[source[e], d] : 0);
}"""


def test_reductions_within_reductions_are_no_more_to_check_than_the_positions_in_them() -> None:
    op = kernels.compile(GRAPH).f
    rng = np.random.default_rng(0)
    source, to = (rng.integers(0, 2000, 20_000) for _ in range(2))
    x, a = rng.normal(size=(2000, 2)), rng.normal(size=2)
    given = [core.from_host(each) for each in (x, a, source, to)]
    score = x[source] @ a + x[to].sum(1)
    part = np.exp(np.where(score > 0, score, 0.2 * score))
    total = np.zeros(2000)
    np.add.at(total, to, part)
    expected = np.zeros_like(x)
    np.add.at(expected, to, (part / total[to])[:, None] * x[source])
    np.testing.assert_allclose(op(*given).to_host(), expected, rtol=1e-9, atol=1e-12)
    source[17] = 2000
    with pytest.raises(core.IndexOutOfRangeError, match=r"the index 2000 .*source.* at e.* = 17"):
        op(*given[:2], core.from_host(source), given[3])


def test_a_position_that_no_condition_on_other_indices_asks_for_may_be_anything() -> None:
    op = kernels.compile(
        "op f(x[i]: float, at[e]: int, is_used[k]: bool) -> y[] { y = sum[e, k](is_used[k] ? x[at[e]] : 0); }"
    ).f
    x, at = core.from_host(X), core.from_host(np.array([2, 99]))
    assert op(x, at, core.from_host(np.zeros(3, dtype=bool))).item() == 0
    with pytest.raises(core.IndexOutOfRangeError, match="the index 99"):
        op(x, at, core.from_host(np.array([False, True, False])))
    assert op(x, core.from_host(np.array([2, 1])), core.from_host(np.array([True, False, True]))).item() == 2 * (3 + 2)


def test_nor_one_that_its_own_condition_leaves_out() -> None:
    op = kernels.compile(
        "op f(x[i]: float, at[e]: int) -> y[v] where v = 3 { y = sum[e](at[e] >= 0 ? x[at[e]] * v : 0); }"
    ).f
    assert op(core.from_host(X), core.from_host(np.array([2, -1]))).tolist() == [0, 3, 6]
    with pytest.raises(core.IndexOutOfRangeError, match="the index 6"):
        op(core.from_host(X), core.from_host(np.array([2, 6])))
