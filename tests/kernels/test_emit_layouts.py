"""Pointwise formulas over tensors that lie in memory in every way, guarded reads, and views."""

from __future__ import annotations

import numpy as np
import pytest
from launched import assert_agrees, axes, element, formula, operand, schedules

from netcl import core
from netcl.kernels.compiler.ir import Formula, Output, attribute, number, position, read, size
from netcl.kernels.compiler.ir.binding import total
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.runtime import launch

rng = np.random.default_rng(4)


def normal(*shape: int) -> np.ndarray:
    return rng.normal(size=shape).astype(np.float32)


def test_contiguous_axes_become_one_loop_whatever_the_rank() -> None:
    x, y = operand("x", "a b c d"), operand("y", "a b c d")
    plan = assert_agrees(formula("add", [x, y], {"z": ("a b c d", element(x) + element(y))}), [normal(3, 4, 5, 6)] * 2)
    assert schedules(plan) == ["map"]
    assert plan.text.count("size_") == 0


def test_rows_columns_and_scalars_broadcast() -> None:
    x, row, column, one = operand("x", "i k"), operand("row", "k"), operand("column", "i"), operand("one", ". .")
    value = element(x) * element(row) + element(column) - element(one)
    for shape in ((100, 70), (1000, 3), (3, 1000), (5, 5)):
        of = formula("broadcast", [x, row, column, one], {"y": ("i k", value)})
        assert_agrees(of, [normal(*shape), normal(shape[1]), normal(shape[0]), normal(1, 1)])


@pytest.mark.parametrize("name", ["item", "begin", "end", "unit", "units", "chunk"])
def test_an_index_may_be_called_as_a_variable_of_every_kernel_is(name: str) -> None:
    x, row = operand("x", f"{name} k b"), operand("row", "b k")
    of = formula("dots", [x, row], {"y": (f"{name} b", total("sum", ("k",), call("exp", element(x) - element(row))))})
    assert_agrees(of, [normal(300, 20, 3), normal(3, 20)])


def test_transposed_strided_and_reversed_operands_are_read_in_place() -> None:
    x = operand("x", "i k")
    base = core.from_host(normal(60, 80))
    host = base.to_host()
    of = formula("exp", [x], {"y": ("i k", call("exp", element(x)))})
    for array, view in (
        (host.T, base.alias((80, 60), (1, 80), 0)),
        (host[::2, 1::3], base.alias((30, 27), (160, 3), 1)),
        (host[::-1, ::-1], base.alias((60, 80), (-80, -1), 60 * 80 - 1)),
        (np.broadcast_to(host[0], (9, 80)), base.alias((9, 80), (0, 1), 0)),
    ):
        assert_agrees(of, [array], tensors=[view])


def test_an_offset_is_no_part_of_the_plan() -> None:
    x = operand("x", "i")
    of = formula("exp", [x], {"y": ("i", call("exp", element(x)))})
    base = core.from_host(normal(100))
    first = launch.prepare(of, [base.alias((40,), (1,), 0)], {})
    second = base.alias((40,), (1,), 50)
    assert launch.prepare(of, [second], {}) is first
    np.testing.assert_allclose(first.run([second], {})[0].to_host(), np.exp(base.to_host()[50:90]), rtol=1e-6)


def test_padding_reads_only_inside() -> None:
    x = operand("x", "i k")
    at = position("j") - 3
    inside = call("and", call("le", 0, at), call("lt", at, size("k")))
    value = call("select", inside, read("x", (position("i"), at), "float32"), 7.5)
    of = formula("pad", [x], {"y": ("i j", value)}, sizes={"j": size("k") + 6})
    for shape in ((30, 50), (4, 3), (1, 1)):
        assert_agrees(of, [normal(*shape)])


def test_gathering_by_an_index_tensor_never_reads_outside() -> None:
    table, index = operand("table", "v d"), operand("index", "n", "int64")
    of = formula("rows", [table, index], {"y": ("n d", read("table", (element(index), position("d")), "float32"))})
    assert_agrees(of, [normal(50, 40), rng.integers(0, 50, 100)])
    assert_agrees(of, [normal(50, 3), rng.integers(0, 50, 100)])
    outside = core.from_host(np.array([0, 50, -1, 1 << 40]))
    found = launch.run(of, [core.from_host(normal(50, 40)), outside], {})[0].to_host()
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1:]).all()


def test_a_permutation_a_slice_and_a_diagonal_are_views_that_share_the_version() -> None:
    x = operand("x", "i k")
    tensor = core.from_host(normal(6, 8))
    i, k = position("i"), position("k")
    start = attribute("start", "int64")
    cases = {
        "transpose": formula("transpose", [x], {"y": ("k i", read("x", (i, k), "float32"))}),
        "slice": Formula(
            "slice", (x,), {"start": "int64"},
            (Output("y", read("x", (i, start + 2 * position("j")), "float32"), axes("i j")),),
            sizes={"j": number(3, "int64")},
        ),
        "diagonal": formula("diagonal", [x], {"y": ("i", read("x", (i, i), "float32"))}),
        "flip": formula("flip", [x], {"y": ("i k", read("x", (i, size("k") - 1 - k), "float32"))}),
    }  # fmt: skip
    host = tensor.to_host()
    expected = {"transpose": host.T, "slice": host[:, 1:7:2], "diagonal": np.diag(host), "flip": host[:, ::-1]}
    for name, of in cases.items():
        plan = launch.prepare(of, [tensor], {"start": 1})
        (view,) = plan.run([tensor], {"start": 1})
        assert plan.is_view
        assert not plan.kernels
        np.testing.assert_array_equal(view.to_host(), expected[name])
        tensor.bump_version()
        assert view.version == tensor.version
    assert launch.prepare(cases["slice"], [tensor], {"start": 0}) is launch.prepare(
        cases["slice"], [tensor], {"start": 2}
    )


def test_a_reshape_is_a_view_of_what_is_contiguous_and_a_copy_of_what_is_not() -> None:
    x = operand("x", "p", flat=True)
    of = Formula(
        "reshape", (x,), {"rows": "int64", "columns": "int64"},
        (Output("y", element(x), axes("p"), flat=True, shape=("rows", "columns")),),
    )  # fmt: skip
    tensor = core.from_host(normal(6, 8))
    shape = {"rows": 4, "columns": 12}
    plan = launch.prepare(of, [tensor], shape)
    assert plan.is_view
    np.testing.assert_array_equal(plan.run([tensor], shape)[0].to_host(), tensor.to_host().reshape(4, 12))
    turned = tensor.alias((8, 6), (1, 8), 0)
    plan = launch.prepare(of, [turned], shape)
    assert not plan.is_view
    np.testing.assert_array_equal(plan.run([turned], shape)[0].to_host(), tensor.to_host().T.reshape(4, 12))


def test_outputs_can_be_written_into_given_tensors_even_into_operands() -> None:
    x, y = operand("x", "i k"), operand("y", "i k")
    of = formula("add", [x, y], {"z": ("i k", element(x) + element(y))})
    a, b = normal(20, 20), normal(20, 20)
    target = core.from_host(a)
    (result,) = launch.run(of, [target, core.from_host(b)], {}, out=[target])
    assert result is target
    np.testing.assert_array_equal(target.to_host(), a + b)
    target = core.from_host(a)
    turned = target.alias((20, 20), (1, 20), 0)
    launch.run(of, [turned, core.from_host(b)], {}, out=[target])
    np.testing.assert_array_equal(target.to_host(), a.T + b)
    wide = core.zeros((20, 40))
    launch.run(of, [core.from_host(a), core.from_host(b)], {}, out=[wide.alias((20, 20), (40, 2), 1)])
    np.testing.assert_array_equal(wide.to_host()[:, 1::2], a + b)
    assert not wide.to_host()[:, ::2].any()


def test_zero_sized_and_zero_dimensional_tensors_work() -> None:
    x = operand("x", "i k")
    for shape in ((0, 5), (5, 0), (0, 0)):
        plan = assert_agrees(formula("exp", [x], {"y": ("i k", call("exp", element(x)))}), [normal(*shape)])
        assert not plan.kernels
    point = operand("x", "")
    assert_agrees(formula("exp", [point], {"y": ("", call("exp", element(point)))}), [np.float32(2).reshape(())])


def test_a_condition_protects_a_sum_over_an_index_of_the_same_name() -> None:
    x, many = operand("x", "k"), operand("many", "k", "int64")
    k = position("k")
    inner = total("sum", ("k",), read("x", (k + 1000000,), "float32"))
    never = call("gt", element(many), 5)
    of = formula("same_name", [x, many], {"y": ("k", call("select", never, inner, element(x)))})
    assert_agrees(of, [normal(40), np.zeros(40, np.int64)])


@pytest.mark.parametrize("length", [1, 15, 63, 64, 65, 100, 200_001])
def test_bools_are_combined_in_whole_words(length: int) -> None:
    a, b = operand("a", "i", "bool"), operand("b", "i", "bool")
    either = call("or", call("not", element(a)), call("and", element(a), element(b)))
    x, y = rng.random((2, length)) > 0.5
    plan = assert_agrees(formula("either", [a, b], {"y": ("i", either)}), [x, y])
    assert ("load_word" in plan.text) == (length >= 16)


def test_long_parts_of_a_concatenation_are_copied_by_kernels_of_their_own_in_one_launch() -> None:
    from netcl import kernels

    for shapes, axis, count in (
        ([(40000,), (50000,), (70001,)], 0, 3), ([(40000,), (0,), (70001,)], 0, 2), ([(200, 300), (200, 401)], 1, 2),
        ([(300, 200), (401, 200)], 0, 2), ([(20, 50, 60), (20, 70, 60)], 1, 2), ([(100_000,), (10,)], 0, 1),
    ):  # fmt: skip
        parts = [rng.random(shape).astype(np.float32) for shape in shapes]
        tensors = [core.from_host(part) for part in parts]
        call = kernels.ops.cat.bind(tensors, {"axis": axis})
        plan = launch.prepare(call.formula, tensors, call.attributes)
        assert schedules(plan) == ["map"] * count
        launched = core.counters()["kernels_launched"]
        (result,) = plan.run(tensors, call.attributes)
        assert core.counters()["kernels_launched"] - launched == 1
        assert np.array_equal(result.to_host(), np.concatenate(parts, axis))
