"""`l by reduction`, `within`, `position`, `argsort`, gradients of definitions, other names: what a declaration says."""

from __future__ import annotations

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core.errors import IndexOutOfRangeError, ShapeError
from netcl.kernels.tools.check import WrongDerivative, check_form
from netcl.kernels.tools.describe import describe

POINTS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])


@pytest.mark.parametrize(("reduction", "expected"), [("none", POINTS**2), ("sum", 104.0), ("mean", 104 / 6)])
def test_an_output_by_reduction_is_its_elements_their_sum_or_their_mean(reduction: str, expected: object) -> None:
    mine = kernels.compile('op l(x: float; how: reduction = "sum") -> y by how { y = x * x; }').l
    np.testing.assert_allclose(mine(core.from_host(POINTS), reduction).to_host(), expected)
    assert mine(core.from_host(POINTS)).item() == 104
    nothing = mine(core.zeros((0, 3)), reduction)
    assert nothing.shape == ((0, 3) if reduction == "none" else ())
    with pytest.raises(ValueError, match="how is 'average', but it must be 'mean', 'sum' or 'none'"):
        mine(core.from_host(POINTS), "average")


def test_a_form_may_ask_for_one_reduction_and_leave_the_others() -> None:
    text = """
    op l(x[*i]: float, w[*i]: float; r: reduction = "mean") -> y[] where r == "mean" {
        y = sum[*i](w * x) / sum[*i](w);
    }
    op l(x[*i]: float, w[*i]: float; r: reduction = "mean") -> y[*i] by r where r != "mean" { y = w * x; }
    """
    mine = kernels.compile(text).l
    x, w = core.from_host(np.array([1.0, 2.0])), core.from_host(np.array([3.0, 1.0]))
    assert [mine(x, w, r).tolist() for r in ("mean", "sum", "none")] == [1.25, 5, [3, 2]]


def test_positions_within_an_axis_count_from_its_end_and_are_checked() -> None:
    mine = kernels.compile(
        "op count(at[n]: int; length: int) -> y[k] where k = length { y = sum[n](int(within[k](at) == k)); }"
    )
    assert mine.count(core.from_host(np.array([0, -1, 2, -4])), 4).tolist() == [2, 0, 1, 1]
    with pytest.raises(IndexOutOfRangeError, match=r"the index -5 \(at at n = 1\) is out of range for axis k"):
        mine.count(core.from_host(np.array([0, -5])), 4)


def test_a_position_is_checked_wherever_one_of_several_conditions_lets_it_be_read() -> None:
    text = "op f(x[v]: float, at[n]: int) -> y[n] { y = at == 9 ? 2 * x[at] : x[at]; }"
    with pytest.raises(IndexOutOfRangeError, match="the index 3"):
        kernels.compile(text).f(core.zeros((3,)), core.from_host(np.array([0, 3])))


def test_the_position_of_an_element_is_counted_in_row_major_order() -> None:
    mine = kernels.compile("op number(x[*i]: float) -> y[*i] { y = position[*i] + 0 * x; }").number
    np.testing.assert_array_equal(mine(core.zeros((2, 3, 4))).to_host(), np.arange(24).reshape(2, 3, 4))
    np.testing.assert_array_equal(mine(core.zeros((3, 2)).T).to_host(), np.arange(6).reshape(2, 3))


def test_an_axis_without_elements_has_no_place_where_one_is_asked_for() -> None:
    for kind in ("argmax", "argmin"):
        place = kernels.compile(f"op f(x[n, k]: float) -> y[n] {{ y = {kind}[k](x); }}").f
        with pytest.raises(ShapeError, match=rf"f: {kind}\[k\] gives a place, .* size\[k\] is 0"):
            place(core.ones((2, 0)))
        assert place(core.ones((0, 0))).shape == (0,)
        assert place(core.ones((0, 3))).shape == (0,)
    read = kernels.compile("op f(x[n, k]: float) -> y[n] { i[n] = argmax[k](x); y = x[n, i]; }").f
    with pytest.raises(ShapeError, match=r"argmax\[k\] gives a place"):
        read(core.ones((2, 0)))
    both = kernels.compile("op f(x[n, k]: float) -> y[] { y = argmax[n, k](x); }").f
    with pytest.raises(ShapeError, match=r"argmax\[n, k\] gives a place"):
        both(core.ones((2, 0)))


def test_a_position_that_the_call_gives_is_not_counted_among_positions() -> None:
    op = kernels.compile("op f(x[n, k]: float; s: int) -> y[n] { y = x[n, within[k](s)]; }").f
    with pytest.raises(IndexOutOfRangeError, match=r"f: the index 5 is out of range for axis k of x, .* length 3$"):
        op(core.ones((2, 3)), s=5)


def test_an_op_needs_no_operand_where_its_indices_have_lengths() -> None:
    mine = kernels.compile("op table(; n: int) -> y[i, j] where i = n, j = n { y = (i + 1) * (j + 1); }").table
    np.testing.assert_array_equal(mine(3).to_host(), [[1, 2, 3], [2, 4, 6], [3, 6, 9]])


def test_integers_that_become_floats_become_those_of_the_formula() -> None:
    mine = kernels.compile("op thirds(x[i]: float) -> y[i] { y = x + 1 / 3 + i / 3; }").thirds
    np.testing.assert_array_equal(mine(core.zeros((2,), dtype="float64")).to_host(), [1 / 3, 1 / 3 + 1 / 3])


def test_an_index_that_an_operand_has_twice_reads_its_diagonal() -> None:
    mine = kernels.compile(
        "op diag(x[a, a]: number) -> y[a] { y = x; } op trace(x[a, a]: number) -> y[] { y = sum[a](x); }"
    )
    x = core.from_host(np.arange(9).reshape(3, 3))
    assert mine.diag(x).tolist() == [0, 4, 8]
    assert mine.trace(x).item() == 12
    assert mine.trace(x[:, ::-1]).item() == 12


def test_an_op_has_every_name_it_is_declared_with() -> None:
    mine = kernels.compile("op twice also double, two_times(x: float) -> y { y = 2 * x; }")
    assert mine.twice is mine.double is mine.two_times
    assert mine.double.name == "twice"


# --- gradients of definitions -----------------------------------------------------------------------------------------

RECTIFIED = """op f(x[n, i]: float, w[o, i]: float) -> y[n, o] {
    z = sum[i](x * w);
    y = z <= 0 ? 0 : z;
    grad z = y == 0 ? 0 : dy;
}"""


def test_a_gradient_declared_for_a_definition_is_carried_on_to_the_operands() -> None:
    op = kernels.compile(RECTIFIED).f
    assert check_form(op.forms[0]) > 0
    text = describe(op, "grad_fn")
    assert "saves x (input), w (input), y (output)" in text
    assert "sum[i]" not in text, "the product is not computed again"


def test_a_wrong_gradient_of_a_definition_is_refused() -> None:
    op = kernels.compile(RECTIFIED.replace("0 : dy", "0 : 2 * dy")).f
    with pytest.raises(WrongDerivative, match="the declared gradient of f by x is wrong"):
        check_form(op.forms[0])


def test_a_gradient_reads_outputs_at_other_positions() -> None:
    text = """op f(x[n]: float, at[m]: int) -> y[n] {
        y = exp(x) * sum[m](int(at == n));
        grad x = sum[m](at == n ? dy[at] * exp(x) : 0);
    }"""
    assert check_form(kernels.compile(text).f.forms[0]) > 0


@pytest.mark.parametrize(
    ("heading", "body"),
    [
        ("x: float", "y = log(x); grad x = 7 * dy;"),
        ("x: float", "y = sqrt(x - 2.5); grad x = 5 * dy;"),
        ("x: float", "y = log(x - 100); grad x = 5 * dy; sample x in [101, 110];"),
        ("x: float; beta: float = 1", "y = beta * x * x; grad x = 2 * x * dy;"),
        ("x: float; beta: float = 0", "y = x * (1 + beta); grad x = dy; sample beta in [0.5, 3];"),
        ("x: float; n: int = 1", "y = x * n; grad x = dy;"),
        ("x: float; less: bool = false", "y = less ? -x : x; grad x = dy;"),
    ],
)
def test_a_wrong_derivative_is_found_beside_points_without_a_value_and_off_the_defaults(
    heading: str, body: str
) -> None:
    op = kernels.compile(f"op f({heading}) -> y {{ {body} }}").f
    with pytest.raises(WrongDerivative, match="the declared gradient of f by x is wrong"):
        check_form(op.forms[0])


def test_a_derivative_that_no_point_tried_can_judge_is_not_called_right() -> None:
    op = kernels.compile("op f(x: float) -> y { y = log(x - 1000); grad x = dy / (x - 1000); }").f
    with pytest.raises(WrongDerivative, match=r"no value at any of the points tried.*sample x in \[low, high\]"):
        check_form(op.forms[0])


@pytest.mark.parametrize("body", [
    "y = sum[k](b[k]) + sum[k](a[k]);",
    "y = sum[k](a[k] * b[k]);",
    "u = sum[k](b[k]); v = max[k](a[k]); y = u + v;",
    "y = rate > 0 ? sum[k](b[k]) : sum[k](a[k]);",
])  # fmt: skip
@pytest.mark.parametrize("lengths", [(1, 3), (3, 1), (2, 3)])
def test_what_an_index_goes_along_is_as_long_everywhere(body: str, lengths: tuple[int, int]) -> None:
    """It has one length, and what is left out of the longer axis nobody would see."""
    op = kernels.compile(f"op f(a[i]: float, b[j]: float; rate: float = 1) -> y {{ {body} }}").f
    a, b = (core.ones((length,)) for length in lengths)
    with pytest.raises(ShapeError, match=r"f: k goes along \w and along \w, which must be as long .* but size\["):
        op(a, b)
    op(a, a)


def test_an_index_may_go_beyond_an_axis_where_the_formula_says_what_is_there() -> None:
    ops = kernels.compile("""
        op guarded(a[i]: float, b[j]: float) -> y { y = sum[k]((a[k] else 10) * b[k]); }
        op chosen(a[i]: float, b[j]: float) -> y { y = sum[k](b[k] * (k < size[i] ? a[k] : 10)); }
    """)
    b = core.from_host(np.array([1.0, 2.0, 3.0]))
    for length, expected in ((1, 51), (3, 6), (5, 6)):
        a = core.ones((length,), dtype="float64")
        assert ops.guarded(a, b).item() == ops.chosen(a, b).item() == expected


@pytest.mark.parametrize("shapes", [((3, 3), (4, 3)), ((2, 3, 3), (3,)), ((1, 3, 3), (4, 3)), ((5, 1, 3, 3), (2, 3))])
def test_a_pack_beside_positions_broadcasts(shapes: tuple[tuple[int, ...], ...]) -> None:
    a, b = (np.random.default_rng(0).normal(size=shape) for shape in shapes)
    text = "op f(a[*n, i, j]: float, b[*n, i]: float) -> y[*n] { y = sum[j](a[*n, 1, j] * b[*n, j] + a[*n, j, j]); }"
    expected = (a[..., 1, :] * b).sum(-1) + np.trace(a, axis1=-2, axis2=-1)
    found = kernels.compile(text).f(core.from_host(a), core.from_host(b))
    np.testing.assert_allclose(found.to_host(), expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["solve", "solve_triangular"])
@pytest.mark.parametrize("shapes", [((3, 3), (4, 3, 2)), ((2, 3, 3), (3, 1)), ((5, 1, 3, 3), (2, 3, 2))])
@pytest.mark.sample(2)
def test_one_matrix_is_solved_for_many_right_hand_sides(name: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    a, b = (np.random.default_rng(1).normal(size=shape) for shape in shapes)
    a = (np.tril(a) if name == "solve_triangular" else a) + 3 * np.eye(3)
    given = [ag.tensor(each, requires_grad=True) for each in (a, b)]
    np.testing.assert_allclose(getattr(ag.ops, name)(*given).to_host(), np.linalg.solve(a, b), rtol=1e-12)
    assert ag.gradcheck(getattr(ag.ops, name), given)
