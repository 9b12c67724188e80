"""Pointwise formulas on a card that read along one index what they write along another: squares of local memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from differentiated import plans_of_its_own
from evaluated import Value, compiled
from interpreted import assert_right

from netcl import core, kernels
from netcl.kernels.compiler.lower.accesses import Placed
from netcl.kernels.compiler.target import GPU, POCL, Target
from netcl.kernels.library.op import Op
from netcl.kernels.runtime import launch
from netcl.kernels.runtime.bindings import bind

Array = np.ndarray[Any, Any]
rng = np.random.default_rng(9)

ADD_TURNED = compiled("op add_turned(x[i, j]: float, y[j, i]: float, w[j]: float) -> z[i, j] { z = x * w + y; }")
TWO = compiled("""
op two(x[b, i, j]: float, wanted[b, j, i]: bool, n[j]: int) -> (y[b, i, j], z[b, i, j]) {
    y = wanted[b, j, i] ? x * x : -1;
    z = x[b, i, j] + n[j];
}""")
MOVED = compiled("op moved(x[i, j]: float) -> y[j, i] { y = i + 1 < size[i] ? x[i + 1, j] : x[i, j] / 2; }")


def schedules(op: Op, *arrays: Array, **attributes: Any) -> list[str]:
    """The schedules of an op's nests, whose results are those of the evaluator."""
    return assert_right(op, arrays, **attributes)


@pytest.mark.parametrize("shape", [(32, 32), (33, 65), (16, 100), (70, 31)])
def test_a_transpose_goes_through_squares(shape: tuple[int, int]) -> None:
    x = rng.normal(size=shape)
    x[0, 0], x[-1, -1] = np.nan, -0.0
    assert schedules(kernels.catalogue["permute"], x, order=(1, 0)) == ["transpose"]


@pytest.mark.parametrize("order", [(0, 2, 1), (2, 1, 0), (2, 0, 1), (1, 2, 0)])
def test_permutations_of_three_axes_go_through_squares(order: tuple[int, ...]) -> None:
    assert schedules(kernels.catalogue["permute"], rng.normal(size=(17, 20, 35)), order=order) == ["transpose"]


def test_short_axes_and_what_lies_as_it_is_written_need_no_squares() -> None:
    assert schedules(kernels.catalogue["permute"], rng.normal(size=(100, 7)), order=(1, 0)) == ["map"]
    assert schedules(kernels.catalogue["permute"], rng.normal(size=(20, 30, 40)), order=(1, 0, 2)) == ["map"]


def test_several_reads_outputs_and_conditions_go_through_squares() -> None:
    assert schedules(ADD_TURNED, *(rng.normal(size=shape) for shape in ((40, 50), (50, 40), (50,)))) == ["transpose"]
    arrays = rng.normal(size=(3, 33, 20)), rng.random((3, 20, 33)) < 0.5, rng.integers(0, 9, 20)
    assert schedules(TWO, *arrays) == ["transpose"]
    assert schedules(MOVED, rng.normal(size=(40, 35))) == ["transpose"]


def test_squares_make_both_sides_of_a_transpose_neighbours() -> None:
    from netcl.kernels.compiler.ir.host import Numbers
    from netcl.kernels.compiler.loops.given import Looped
    from netcl.kernels.compiler.loops.memory import measured
    from netcl.kernels.compiler.lower.accesses import Layouts
    from netcl.kernels.compiler.pipeline import compile

    call = kernels.catalogue["permute"].bind([Value(np.zeros((1024, 2048), "float32"))], {"order": (1, 0)})
    bindings = bind(call.formula, [(1024, 2048)], call.attributes, None)
    layouts = Layouts(Numbers(bindings.sizes, {}), {"x": Placed(0, (2048, 1))}, bindings.shapes)
    (kernel,) = compile(call.formula, layouts, GPU, views=False).recipe.steps
    assert isinstance(kernel, Looped)
    assert kernel.nest is not None
    found = measured(kernel.nest, kernel.launched({}), {"x": 1 << 21, "y": 1 << 21})
    assert [each.ratio for each in found.accesses] == [1, 1]
    assert found.worst_banks == 1
    assert found.traffic_bytes == found.compulsory_bytes == 1 << 24


# --- on the device ----------------------------------------------------------------------------------------------------


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default device is taken for a card."""
    plans_of_its_own(monkeypatch)
    driver = POCL if core.default_device().is_pocl else GPU.driver
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: replace(GPU, driver=driver)))


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "uint8", "bool"])
def test_transposes_keep_every_value_on_a_card(dtype: str) -> None:
    x = (rng.normal(size=(70, 45)) * 100).astype(dtype)
    y = core.from_host(x).T
    np.testing.assert_array_equal(kernels.ops.clone(y).to_host(), x.T)
    np.testing.assert_array_equal(kernels.ops.clone(y[::-1, 3:]).to_host(), x.T[::-1, 3:])


@pytest.mark.usefixtures("card")
def test_a_transposed_operand_is_right_on_a_card_and_new_sizes_are_the_same_text() -> None:
    texts = set()
    for rows, columns in ((40, 50), (33, 64), (200, 31)):
        arrays = [rng.normal(size=shape).astype("float32") for shape in ((rows, columns), (columns, rows), (columns,))]
        x, y, w = arrays
        tensors = [core.from_host(each) for each in arrays]
        np.testing.assert_allclose(ADD_TURNED(*tensors).to_host(), x * w + y.T, rtol=1e-5, atol=1e-5)
        call = ADD_TURNED.bind(tensors, {})
        plan = launch.prepare(call.formula, call.operands, call.attributes)
        assert [each.schedules for each in plan.kernels] == [("transpose",)]
        texts.add(plan.text)
    assert len(texts) == 1
