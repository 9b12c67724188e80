"""Bindings, plans and what they cost."""

from __future__ import annotations

import re

import numpy as np
import pytest
from launched import assert_agrees, element, formula, operand

from netcl import core, kernels
from netcl.core.errors import DeviceError, DtypeError, ShapeError
from netcl.kernels.compiler.ir import Formula, attribute, position, read, size
from netcl.kernels.compiler.ir.binding import total
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.runtime import launch
from netcl.kernels.runtime.bindings import Bindings

a, b = operand("a", "i k"), operand("b", "k j")
MATMUL = formula("matmul", [a, b], {"y": ("i j", total("sum", ("k",), element(a) * element(b)))})


def ones(*shape: int) -> core.Tensor:
    return core.ones(shape)


def test_sizes_that_disagree_are_named_with_both_operands() -> None:
    with pytest.raises(ShapeError, match=r"matmul: axis k is 4 in a \(3, 4\) but 5 in b \(5, 2\)"):
        launch.run(MATMUL, [ones(3, 4), ones(5, 2)], {})


def test_a_wrong_number_of_axes_is_named() -> None:
    with pytest.raises(ShapeError, match=r"matmul: a has 2 axes, a tensor of shape \(3,\) was given"):
        launch.run(MATMUL, [ones(3), ones(5, 2)], {})


def test_a_wrong_dtype_is_named() -> None:
    with pytest.raises(DtypeError, match="matmul: b is int64"):
        launch.run(MATMUL, [ones(3, 4), core.from_host(np.ones((4, 2), np.int64))], {})


def test_operands_on_several_queues_are_refused_as_one_does_not_wait_for_another() -> None:
    other = core.from_host(np.ones((4, 2), dtype=np.float32), core.Queue())
    for _ in range(2):  # the second time without making a plan
        launch.run(MATMUL, [ones(3, 4), ones(4, 2)], {})
        with pytest.raises(DeviceError, match=r"matmul: b is on another queue of .*; bring it there with"):
            launch.run(MATMUL, [ones(3, 4), other], {})


def test_a_check_raises_its_sentence() -> None:
    x = operand("x", "i")
    of = formula(
        "chunk", [x], {"y": ("i", call("exp", element(x)))},
        checks=((call("gt", size("i"), 3), "the axis must be longer than 3"),),
    )  # fmt: skip
    with pytest.raises(ShapeError, match="chunk: the axis must be longer than 3"):
        launch.run(of, [ones(3)], {})
    assert launch.run(of, [ones(4)], {})[0].shape == (4,)


def test_one_index_of_a_split_axis_follows_from_the_other() -> None:
    x, w = operand("x", "(g c) p"), operand("w", "g")
    of = formula("groups", [x, w], {"y": ("(g c) p", element(x) * element(w))})
    plan = assert_agrees(of, [np.ones((6, 20), np.float32), np.arange(3, dtype=np.float32)])
    assert plan.bindings.sizes == {"g": 3, "c": 2, "p": 20}
    with pytest.raises(ShapeError, match="which 4 does not divide"):
        launch.run(of, [ones(6, 20), ones(4)], {})


def test_a_gradient_inherits_the_sizes_that_its_operands_do_not_have() -> None:
    x, dy = operand("x", "i k"), operand("dy", "i")
    forward = launch.prepare(formula("sum", [x], {"y": ("i", total("sum", ("k",), element(x)))}), [ones(3, 50)], {})
    backward = formula("sum_vjp", [dy], {"dx": ("i k", call("copy", element(dy)))})
    plan = assert_agrees(backward, [np.arange(3, dtype=np.float32)], bindings=forward.bindings)
    assert plan.bindings.shapes["dx"] == (3, 50)
    with pytest.raises(ShapeError, match="the length of axis k follows from no operand"):
        launch.run(backward, [ones(3)], {})


def test_bindings_are_equal_by_content() -> None:
    assert Bindings({"i": 3}, {"x": (3,)}) == Bindings({"i": 3}, {"x": (3,)})
    assert Bindings({"i": 3}, {}) != Bindings({"i": 4}, {})
    assert len({Bindings({"i": 3}, {}), Bindings({"i": 3}, {})}) == 1


def test_numbers_of_the_user_are_arguments_and_cost_neither_a_plan_nor_a_build() -> None:
    x = operand("x", "i")
    of = formula(
        "scale", [x], {"y": ("i", element(x) * attribute("factor", "float32"))}, attributes={"factor": "float32"}
    )
    tensor = core.from_host(np.arange(40, dtype=np.float32))
    launch.run(of, [tensor], {"factor": 2.0})
    before = core.counters()
    for factor in (-1.5, float("inf"), 3):
        found = launch.run(of, [tensor], {"factor": factor})[0].to_host()
        with np.errstate(invalid="ignore"):
            expected = np.arange(40) * np.float64(factor)
        np.testing.assert_array_equal(found, expected.astype(np.float32))
    after = core.counters()
    built = "programs_built"
    assert after[built] == before[built]
    assert after["kernels_launched"] == before["kernels_launched"] + 3


def test_a_new_shape_of_the_same_kind_builds_nothing() -> None:
    launch.run(MATMUL, [ones(33, 40), ones(40, 50)], {})
    before = core.counters()
    launch.run(MATMUL, [ones(64, 31), ones(31, 80)], {})
    assert core.counters()["programs_built"] == before["programs_built"]


@pytest.mark.parametrize("shape", [(2, 12), (2, 3, 4), (2, 3, 2, 2)])
def test_elements_that_lie_one_after_the_other_have_one_program_for_any_number_of_axes(shape: tuple[int, ...]) -> None:
    op = kernels.compile("op bent(x[*n]: float) -> y[*n] { y = sin(x) * x + 0.125; }").bent
    x = np.random.default_rng(0).normal(size=24).astype(np.float32)
    flat = op(core.from_host(x)).to_host()
    before = core.counters()["programs_built"]
    found = op(core.from_host(x.reshape(shape))).to_host()
    np.testing.assert_array_equal(found, flat.reshape(shape))
    assert core.counters()["programs_built"] == before


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_one_element_is_computed_by_the_program_of_a_short_row(shape: tuple[int, ...]) -> None:
    op = kernels.compile("op crooked(x[*n]: float) -> y[*n] { y = sin(x) * x + 0.375; }").crooked
    x = np.random.default_rng(0).normal(size=3).astype(np.float32)
    row = op(core.from_host(x)).to_host()
    before = core.counters()["programs_built"]
    assert op(core.from_host(x[:1].reshape(shape))).to_host().item() == row[0]
    assert core.counters()["programs_built"] == before


def test_a_kernel_is_given_what_it_reads_alone() -> None:
    plan = launch.prepare(kernels.catalogue["add"].bind([ones(2, 3), ones(2, 3)], {}).formula, [ones(2, 3)] * 2, {})
    head, body = plan.text.split(") {", 1)
    assert all(body.count(name) > 0 for name in re.findall(r"const long (\w+)", head.split("__item(")[1]))


def test_the_second_call_launches_once_and_allocates_only_the_output() -> None:
    tensors = [ones(33, 40), ones(40, 50)]
    first = launch.prepare(MATMUL, tensors, {})
    first.run(tensors, {})
    assert launch.prepare(MATMUL, tensors, {}) is first
    before = core.counters()
    result = first.run(tensors, {})
    after = core.counters()
    assert after["kernels_launched"] - before["kernels_launched"] == len(first.kernels)
    assert after["allocations"] - before["allocations"] == 1
    assert result[0].shape == (33, 50)


def test_a_kernel_can_be_read() -> None:
    x = operand("x", "i k")
    of = Formula(
        "softplus", (x,), {}, formula("", [x], {"y": ("i k", call("log1p", call("exp", element(x))))}).outputs,
        declared_at="activation.netcl:12",
    )  # fmt: skip
    (kernel,) = launch.prepare(of, [ones(30, 40)], {}).kernels
    assert kernel.schedules == ("map",)
    assert "// softplus (activation.netcl:12)" in kernel.text
    assert "//     y[i, k] = log1p(exp(x[i, k]))" in kernel.text
    assert "double" not in kernel.text


def test_text_is_the_same_every_time() -> None:
    texts = {launch.prepare(MATMUL, [ones(33, 40), ones(40, 50 + extra)], {}).text for extra in (0, 1)}
    assert len(texts) == 1


def test_a_formula_without_operands_runs_on_a_given_queue() -> None:
    of = formula(
        "steps", [], {"y": ("i", position("i") * 2)}, sizes={"i": attribute("n", "int64")}, attributes={"n": "int64"}
    )
    (result,) = launch.run(of, [], {"n": 40}, queue=core.default_queue())
    assert result.tolist() == list(range(0, 80, 2))


def test_reading_an_element_twice_as_two_accesses_stays_correct() -> None:
    x = operand("x", "i")
    i = position("i")
    step = read("x", (i + 1,), "float32") - read("x", (i,), "float32")
    inside = call("lt", i + 1, size("i"))
    of = formula("steps", [x], {"y": ("i", call("select", inside, step, 0))})
    assert_agrees(of, [np.cumsum(np.ones(50)).astype(np.float32)])
