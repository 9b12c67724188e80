"""A plan that would read what nobody wrote is refused before it is launched."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import Read, number, position, read
from netcl.kernels.compiler.ir.bounds import _unconditional
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.ir.interval import Intervals
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.check import IllegalNest
from netcl.kernels.compiler.loops.linear import ends_of
from netcl.kernels.compiler.lower.accesses import Layouts, Placed
from netcl.kernels.compiler.lower.kernel import Kernel
from netcl.kernels.compiler.lower.lower import lower
from netcl.kernels.compiler.lower.stages import staged
from netcl.kernels.compiler.lower.verify_plan import InvalidPlan, verify_plan
from netcl.kernels.compiler.target import CPU, Target, named
from netcl.kernels.runtime import launch
from netcl.kernels.runtime.verify_program import verify_program

RNG = np.random.default_rng(1)
TEXT = """op f(x[n, c]: float) -> y[n, c] {
    m = sum[c](sum[r <= c](x[n, r]) ^ 2);
    y = sum[r <= c](x[n, r] * m);
}"""


def planned() -> tuple[list[Kernel], dict[str, int]]:
    """The kernels of a formula in several steps, and how many elements each tensor has that they write."""
    call = kernels.compile(TEXT).f.bind([core.from_host(np.ones((5, 4), np.float32))], {})
    plan = launch.prepare(call.formula, call.operands, call.attributes)
    places = {"x": Placed(0, (4, 1))}
    layouts = Layouts(Numbers(plan.bindings.sizes, {}), places, plan.bindings.shapes)
    done = pipeline.compile(call.formula, layouts, CPU).recipe
    steps = [step for step in done.steps if isinstance(step, Kernel)]
    elements = {each.name: prod(each.shape) for each in done.temporaries} | {"y": 20}
    assert len(steps) >= 2
    return steps, elements


def test_a_plan_in_order_is_legal() -> None:
    steps, elements = planned()
    verify_plan("f", [[step] for step in steps], {"x"}, elements, ["y"])


def test_a_launch_that_reads_what_a_later_one_writes_is_refused() -> None:
    steps, elements = planned()
    with pytest.raises(InvalidPlan, match=r"reads \['[\w.]+'\] unwritten"):
        verify_plan("f", [[step] for step in reversed(steps)], {"x"}, elements, ["y"])


def test_kernels_of_one_launch_cannot_read_what_the_other_writes() -> None:
    steps, elements = planned()
    with pytest.raises(InvalidPlan, match=r"launch 1 of f: .* unwritten"):
        verify_plan("f", [steps], {"x"}, elements, ["y"])


def test_an_output_that_nobody_writes_is_missed() -> None:
    steps, elements = planned()
    with pytest.raises(InvalidPlan, match="y is not written"):
        verify_plan("f", [[step] for step in steps[:-1]], {"x"}, elements, ["y"])


def test_a_temporary_of_which_a_part_is_written_is_not_written() -> None:
    steps, elements = planned()
    elements[steps[0].writes[0].access.buffer] += 1
    with pytest.raises(InvalidPlan, match="unwritten"):
        verify_plan("f", [[step] for step in steps], {"x"}, elements, ["y"])


def test_what_is_written_twice_is_refused() -> None:
    steps, elements = planned()
    with pytest.raises(InvalidPlan, match="a second time"):
        verify_plan("f", [[step] for step in (*steps, steps[-1])], {"x"}, elements, ["y"])
    write = steps[-1].writes[0]
    doubled = replace(write, access=replace(write.access, strides=dict.fromkeys(write.access.strides, 1)))
    last = steps[-1].computing(writes=(doubled,))
    if len(write.access.strides) > 1:
        with pytest.raises(InvalidPlan, match="more than once"):
            verify_plan("f", [*([step] for step in steps[:-1]), [last]], {"x"}, elements, ["y"])


def test_an_operand_is_never_written() -> None:
    steps, elements = planned()
    with pytest.raises(InvalidPlan, match=r"second time|no output or temporary"):
        verify_plan("f", [[step] for step in steps], {"x", "y"}, elements, ["y"])


def test_a_nest_that_was_made_for_longer_rows_is_refused() -> None:
    bound = kernels.compile("op f(x[n, k]: float) -> y[n] { y = sum[k](x); }").f.bind([core.zeros((6, 40))], {})
    plan = launch.prepare(bound.formula, bound.operands, bound.attributes)
    shapes = dict(plan.bindings.shapes)
    layouts = Layouts(Numbers(plan.bindings.sizes, {}), {"x": Placed(0, (40, 1))}, shapes)
    program = pipeline.compile(bound.formula, layouts, CPU)
    verify_program(bound.formula, program, shapes, {"x": (40, 1)}, {})
    with pytest.raises(IllegalNest, match=r"x\[0\.\.231\] leaves its 216 elements"):
        verify_program(bound.formula, program, {**shapes, "x": (6, 36)}, {"x": (36, 1)}, {})


@pytest.mark.parametrize("rows", [17, 300])
def test_what_only_some_rows_read_is_not_copied_for_all(rows: int) -> None:
    text = """op f(x[n, k]: float, z[m, k]: float, at[n]: int, w[m]: float) -> y[n] {
        y = sum[m](sum[k](x[n, k] * z[m, k]) ^ 2 * (n + 1 < size[n] ? w[at[n + 1]] : 0));
    }"""
    rng = np.random.default_rng(1)
    x, z, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((rows, 3), (40, 3), (40,)))
    at = rng.integers(0, 40, rows)
    found = kernels.compile(text).f(*map(core.from_host, (x, z, at, w))).to_host()
    expected = ((x.astype(np.float64) @ z.T) ** 2).sum(1) * np.append(w[at[1:]], 0)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_floats_have_no_ends_that_a_condition_could_tell() -> None:
    known = Intervals(Numbers({}, {}), anything=True)
    for value in (0.5, float("inf"), float("nan")):
        condition = call("le", number(value, "float64"), read("x", (), "float64"))
        assert known.may_be(condition, True)
        assert not known.where(condition, True).assumed


def test_two_conditions_that_never_hold_together_do_not_hold() -> None:
    known = Intervals(Numbers({"n": 10}, {}), anything=True)
    begins, ends = call("ge", position("n"), 6), call("lt", position("n"), 6)
    assert known.may_be(begins, True)
    assert known.may_be(ends, True)
    assert not known.may_be(call("and", begins, ends), True)


def test_the_ends_of_an_address_follow_from_a_condition_by_whichever_position_helps() -> None:
    u, t = position("u"), position("t")
    apart = call("sub", t, u)
    around = Intervals(Numbers({"u": 4, "t": 3}, {})).where(
        call("and", call("le", 0, apart), call("lt", apart, 2)), True
    )
    assert ends_of(call("sub", call("mul", t, 4), call("mul", u, 3)), around) == (0, 5)
    assert ends_of(call("sub", call("mul", t, 3), call("mul", u, 4)), around) == (-2, 3)


def test_the_ends_of_an_address_follow_from_two_conditions_in_whatever_order_these_are_known() -> None:
    k, u = position("k"), position("u")
    alone = call("lt", call("add", k, 1), 4)
    both = call("sub", call("add", k, 2), u)
    inside = (call("le", 0, both), call("lt", both, 3))
    for first, then in ((alone, inside), (call("and", *inside), (alone,))):
        around = Intervals(Numbers({"k": 4, "u": 4}, {})).where(first, True)
        for each in then:
            around = around.where(each, True)
        assert ends_of(call("sub", call("mul", k, 4), u), around) == (-2, 6)


def test_a_temporary_that_a_select_asks_for_reads_inside_of_its_operand() -> None:
    text = "op f(x[n, k]: float, z[j]: float) -> y[n, j] { y = n + 1 < size[n] ? sum[k](x[n + 1, k]) * z : 0; }"
    x, z = np.arange(1500, dtype=np.float32).reshape(300, 5), np.ones(400, np.float32)
    found = kernels.compile(text).f(core.from_host(x), core.from_host(z)).to_host()
    np.testing.assert_array_equal(found, np.append(x[1:].sum(1), 0)[:, None] * z)


def test_a_temporary_reads_a_scan_only_where_its_rows_were_asked_for() -> None:
    """Of the other rows nothing is written, and nobody may read them, not even what no select will choose."""
    text = """op f(x[n, k]: float, z[j]: float, ok[n]: bool) -> y[n, j] {
        y = ok[n] ? sum[k](sum[s <= k](x[n, s]) ^ 2) * z[j] : 0;
    }"""
    x, z, ok = np.ones((300, 5), np.float32), np.ones(400, np.float32), np.arange(300) % 3 == 0
    op = kernels.compile(text).f
    call = op.bind([core.from_host(each) for each in (x, z, ok)], {})
    plan = launch.prepare(call.formula, call.operands, call.attributes)
    places = {"x": Placed(0, (5, 1)), "z": Placed(0, (1,)), "ok": Placed(0, (1,))}
    found = staged(lower(call.formula), plan.bindings.sizes, places, CPU)
    outputs = [output for stage in found.stages for output in stage.outputs]
    partial = {output.name for output in outputs if output.partial is not None}
    assert partial
    always = [node for output in outputs for node, _ in _unconditional(output.expr)]
    assert not partial & {node.operand for node in always if isinstance(node, Read)}
    assert any(isinstance(node, Read) for node in always)
    expected = np.where(ok, np.square(np.arange(1.0, 6)).sum(), 0)[:, None] * z
    np.testing.assert_array_equal(op(*call.operands).to_host(), expected)


def test_a_piece_of_one_element_writes_that_alone() -> None:
    x = np.arange(300_000, dtype=np.float32)
    np.testing.assert_array_equal(kernels.catalogue["roll"](core.from_host(x), 1, axis=0).to_host(), np.roll(x, 1))


def test_of_no_elements_none_is_read_before_a_loop() -> None:
    """A sum over an axis of no elements whose stride is 0: what does not change along it would be read before it."""
    op = kernels.compile("op f(x[n, k]: float) -> y[k] { y = sum[n](x); }").f
    nothing = core.from_host(np.ones((1, 26), np.float32)).expand((0, 26))
    np.testing.assert_array_equal(op(nothing).to_host(), np.zeros(26))


def test_a_read_whose_conditions_never_hold_together_is_legal() -> None:
    """The one says `i + k == -1`, and the other that neither is below 0."""
    op = kernels.compile("""op f(a[k, c]: float, x[n]: float) -> y[c] where k1 = size[k] {
        least = min[c1 < c](sum[k1]((x[k1 - c1 - 1] else 0) * a[size[k] - 1 - k1, c1]));
        y = isfinite(least) ? least : 1; }""").f
    a, x = (ag.tensor(each, requires_grad=True) for each in (np.array([[1, 0, 0.25]]), np.array([1.0, 1.0, -1.0])))
    for found in ag.grad(op(a, x).sum(), [a, x]):
        np.testing.assert_array_equal(found.to_host(), np.zeros(found.shape))


def test_a_read_whose_conditions_leave_a_position_no_value_is_legal() -> None:
    """One reading is behind the other by more than the axis is long."""
    op = kernels.compile("""op f(x[n]: float, a[k]: float) -> y[k] {
        near[k] = isfinite(max[m > k](x[3 * m - 2] else 1)) ? max[m > k](x[3 * m - 2] else 1) : a;
        y = (near[k + 1] else -1.5) * (near[k - 2] else 1); }""").f
    x, a = ag.tensor(np.arange(1.0, 13), requires_grad=True), ag.tensor(np.arange(1.0, 5) / 4, requires_grad=True)
    to_x, to_a = (found.to_host() for found in ag.grad(op(x, a).sum(), [x, a]))
    # near is (x[7], x[7], x[7], a[3]), so y is (x[7], x[7], a[3] * x[7], -1.5 * x[7])
    np.testing.assert_array_equal(to_x, [0] * 7 + [1 + 1 + 1 - 1.5] + [0] * 4)
    np.testing.assert_array_equal(to_a, [0, 0, 0, 8])


@pytest.mark.parametrize("ahead", ["t + 1 < size[t] ? {} : 0", "t > 0 ? {} : 0"])
def test_a_part_of_a_temporary_reads_inside_of_its_operand(monkeypatch: pytest.MonkeyPatch, ahead: str) -> None:
    """What is asked for under one condition is cut at another one, and reads at a place that the first one guards."""
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: named("small-cpu")))
    at = "t + 1" if "size" in ahead else "t - 1"
    for chosen in (f"m > 0 ? x[{at}, m - 1, k] : z", f"t > 3 ? x[{at}, m, k] : z"):
        text = f"""op f(x[t, m, k]: float, z[m, k]: float, w[n, k]: float) -> y[t, m, n] {{
            y = {ahead.format(f"sum[k](({chosen}) * w)")};
        }}"""
        x, z, w = (RNG.normal(size=shape).astype(np.float32) for shape in ((40, 7, 6), (7, 6), (50, 6)))
        found = kernels.compile(text).f(*map(core.from_host, (x, z, w))).to_host()
        steps = np.roll(x, -1 if "+" in at else 1, axis=0)
        places = np.concatenate([z[None, :1].repeat(40, 0), steps[:, :-1]], axis=1)
        others = np.concatenate([z[None].repeat(4, 0), steps[4:]])
        expected = (places if "m > 0" in chosen else others).astype(np.float64) @ w.T.astype(np.float64)
        expected[-1 if "+" in at else 0] = 0
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_the_second_derivative_of_a_banded_product_reads_nothing_outside() -> None:
    """`b[i + w - 1, v]`, with v the larger of two places less i and w: what bounds `i + w` bounds that, too."""
    op = kernels.compile(
        """op f(a[i, w]: float, b[m, v]: float, c[j]: float) -> y[i, j] where size[i] == size[m], size[i] == size[j] {
            p[i, j] = sum[m]((a[i, m - i + 1] else 0) * (b[m, j - m + 1] else 0));
            y = p * c;
        }"""
    ).f
    given = [RNG.normal(size=shape) for shape in ((16, 3), (16, 3), (16,))]
    ways = [RNG.normal(size=each.shape) for each in given]

    def gradients(step: float, create_graph: bool) -> tuple[list[ag.Node], ag.Node]:
        nodes = [ag.tensor(each + step * way, requires_grad=True) for each, way in zip(given, ways, strict=True)]
        found = ag.grad((op(*nodes) ** 2).sum(), nodes, create_graph=create_graph)
        return nodes, sum((each * each).sum() for each in found)  # type: ignore[return-value]

    nodes, squares = gradients(0.0, True)
    slope = sum(float((each.to_host() * way).sum()) for each, way in zip(ag.grad(squares, nodes), ways, strict=True))
    ahead, behind = (float(gradients(step, False)[1].to_host()) for step in (1e-6, -1e-6))
    assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)
