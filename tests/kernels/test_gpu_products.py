"""Contractions on cards: every form that they have, run on NumPy and compared with the reference evaluator.

Some are run on the default device taken for a card, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from differentiated import plans_of_its_own
from interpreted import assert_gradients_right, assert_right
from thorough import spread

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.loops.interpret import _Memory as memory_of_nests
from netcl.kernels.compiler.target import GPU, POCL, Target, named
from netcl.kernels.compiler.target.products import TILES, LocalProducts
from netcl.kernels.runtime import launch

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(7)
FEW_UNITS = replace(GPU, compute_units=1)
"""With groups enough whatever the tile is, the largest that fits is taken."""

MENU = tuple(dict.fromkeys((*LocalProducts().tiles, *TILES)))


def shape_of(value: Any) -> str | None:
    """How a test calls a tile."""
    return f"{value.rows}x{value.columns}x{value.depth}-{value.down}" if value in MENU else None


def drawn(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def run(op: str, *arrays: Array, target: Target = GPU, **attributes: Any) -> list[str]:
    """Compare the outputs of an op with the evaluator's; the schedules of its kernels."""
    return assert_right(op, arrays, target, **attributes)


def gradients(op: str, *arrays: Array, target: Target = GPU, **attributes: Any) -> list[list[str]]:
    """Compare the gradients of the first two operands; the schedules of each."""
    return assert_gradients_right(op, arrays, target, **attributes)


@pytest.mark.parametrize("target", [GPU, FEW_UNITS], ids=["many units", "few units"])
@pytest.mark.parametrize("shapes", [[(70, 9), (9, 65)], [(20, 40), (40, 131)], [(12, 150), (150, 12)]])
@pytest.mark.sample(2)
def test_products_in_tiles_of_every_size_are_legal_and_right(shapes: list[tuple[int, int]], target: Target) -> None:
    arrays = [drawn(*shape) for shape in shapes]
    assert run("matmul", *arrays, target=target) == ["tiles"]
    assert gradients("matmul", *arrays, target=target) == [["tiles"], ["tiles"]]


@pytest.mark.parametrize("tile", MENU, ids=shape_of)
@pytest.mark.sample(3)
def test_each_tile_of_the_menu_is_legal_and_right(tile: Any) -> None:
    only = replace(GPU, products=replace(GPU.products, local=LocalProducts(tiles=(tile,))))
    assert run("matmul", drawn(37, 19), drawn(19, 41), target=only) == ["tiles"]
    assert run("matmul", drawn(19, 37).T, drawn(41, 19).T, target=only) == ["tiles"]


@pytest.mark.parametrize("few", [1, 3, 7])
@pytest.mark.parametrize(("length", "count"), [(45, 370), (230, 77)])
@pytest.mark.sample(2)
def test_matrix_times_vector_reads_the_matrix_along_its_neighbours(few: int, length: int, count: int) -> None:
    thin, wide = drawn(few, length), drawn(length, count)
    assert run("matmul", thin, wide) == ["skinny"]
    assert run("matmul", thin, wide.T.copy().T) == ["skinny"]
    assert run("matmul", wide.T, thin.T.copy()) == ["skinny"]
    assert run("matmul", wide.T.copy(), thin.T) == ["skinny"]


def test_groups_that_a_device_does_not_take_are_smaller() -> None:
    small = replace(GPU, work_group_size=64, local_memory=1 << 13)
    assert run("matmul", drawn(40, 40), drawn(40, 40), target=small) == ["tiles"]
    assert run("matmul", drawn(2, 140), drawn(140, 140), target=small) == ["skinny"]


@pytest.mark.parametrize("shapes", [[(12, 177), (177, 10)], [(2, 777), (777, 12)], [(12, 1777), (1777, 1)]])
def test_long_sums_with_few_results_are_cut_into_parts(shapes: list[tuple[int, int]]) -> None:
    soon = LocalProducts(long_sum=150, part_steps=40)
    target = replace(GPU, products=replace(GPU.products, local=soon))
    schedules = run("matmul", *(drawn(*shape) for shape in shapes), target=target)
    assert schedules[0] in ("tiles", "skinny")
    assert len(schedules) == 2


def test_batches_may_be_broadcast() -> None:
    assert run("matmul", drawn(3, 1, 35, 17), drawn(2, 17, 31)) == ["tiles"]
    assert run("matmul", drawn(3, 35, 17)[::-1, :, ::-1], drawn(3, 31, 17).swapaxes(1, 2)) == ["tiles"]
    assert run("linear", drawn(2, 9, 70), drawn(30, 70), drawn(30)) == ["tiles"]


CONVOLUTIONS = [
    ("conv1d", [(2, 8, 60), (22, 8, 3)], {"padding": 1}),
    ("conv1d", [(2, 8, 61), (22, 8, 4)], {"stride": 3}),
    ("conv2d", [(2, 8, 8, 8), (12, 8, 3, 3)], {"padding": (1, 1), "stride": (2, 2)}),
    ("conv2d", [(2, 8, 9, 8), (12, 8, 3, 3)], {"padding": (1, 1), "stride": (2, 2)}),
    ("conv2d", [(2, 8, 9, 8), (24, 4, 3, 3)], {"padding": (2, 1), "dilation": (2, 2), "groups": 2}),
    ("conv2d", [(2, 8, 9, 8), (22, 8, 1, 1)], {}),
    ("conv2d", [(10, 8, 6, 5), (12, 8, 6, 5)], {}),
    ("conv3d", [(2, 4, 6, 5, 4), (12, 4, 3, 3, 3)], {"padding": (1, 1, 1), "stride": (1, 2, 1)}),
]


@pytest.mark.parametrize(("op", "shapes", "attributes"), CONVOLUTIONS)
@pytest.mark.sample(2)
def test_convolutions_and_their_gradients_are_products(
    op: str, shapes: list[tuple[int, ...]], attributes: dict[str, Any]
) -> None:
    arrays = [drawn(*shape) for shape in shapes]
    assert run(op, *arrays, **attributes)[0] in ("tiles", "skinny")
    for schedules in gradients(op, *arrays, **attributes):
        assert schedules[0] in ("tiles", "skinny")


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("size", [5, 6])
@pytest.mark.sample(2)
def test_transposed_convolutions_and_their_gradients_are_products(size: int, stride: int) -> None:
    x, w = drawn(2, 4, size, size), drawn(4, 12, 3, 3)
    assert run("conv_transpose2d", x, w, stride=(stride, stride), padding=(1, 1)) == ["tiles"]
    for schedules in gradients("conv_transpose2d", x, w, stride=(stride, stride), padding=(1, 1)):
        assert schedules[0] in ("tiles", "skinny")


def test_a_stride_that_divides_the_image_becomes_phases() -> None:
    from netcl.kernels.compiler.targets.gpu import windows

    x, w = core.from_host(drawn(2, 8, 8, 8)), core.from_host(drawn(12, 8, 3, 3))
    call = kernels.catalogue["conv2d"].bind([x, w], {"padding": (1, 1), "stride": (2, 2)})
    bound = launch.prepare(call.formula, call.operands, call.attributes).bindings
    formula = pipeline.gradient(call.formula, ("x",))
    numbers = Numbers(bound.sizes, call.attributes)
    found = windows.contracted(formula.outputs[0], numbers, GPU)
    assert found is not None
    assert found.output.axes[2:] == (("i.whole", "i.phase"), ("j.whole", "j.phase"))
    assert found.sizes == {"r.step": 2, "s.step": 2, "i.whole": 4, "i.phase": 2, "j.whole": 4, "j.phase": 2}


@pytest.mark.parametrize("at", [(0, 0), (3, 5)])
@pytest.mark.parametrize("filters", [3, 12])
@pytest.mark.sample(2)
def test_what_a_condition_leaves_out_is_not_multiplied(filters: int, at: tuple[int, int]) -> None:
    x, w = drawn(2, 8, 9, 8), drawn(filters, 8, 3, 3)
    w[(0, 0, *(each % 3 for each in at))] = np.inf
    x[(1, 2, *at)] = np.nan
    gradients("conv2d", x, w, padding=(1, 1))
    run("conv2d", x, w, padding=(1, 1))


class Watched:
    """What 32 neighbouring items load and store at once, as a card does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.in_banks, self.elements, self.sectors = 0, 0, 0
        for name in ("load", "store"):
            monkeypatch.setattr(memory_of_nests, name, self._watching(getattr(memory_of_nests, name)))

    def _watching(self, method: Any) -> Any:
        def watched(memory: Any, at: Array, *rest: Any) -> Any:
            items = rest[-3]
            for first in range(0, int(items.max()) + 1, 32) if memory.buffer.space != "private" else ():
                together = np.unique(at[(items >= first) & (items < first + 32)])
                if memory.buffer.space == "local" and together.size:
                    self.in_banks = max(self.in_banks, int(np.bincount(together % 32).max()))
                elif together.size == 32:
                    self.elements += together.size
                    self.sectors += np.unique(together // 8).size
            return method(memory, at, *rest)

        return watched


@pytest.mark.parametrize(("tile", "turned"), spread(MENU, (False, True)), ids=shape_of)
@pytest.mark.sample(5)
def test_items_meet_in_no_bank_and_share_what_they_load(
    tile: Any, turned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    only = replace(FEW_UNITS, products=replace(GPU.products, local=LocalProducts(tiles=(tile,))))
    a, b = drawn(tile.rows, 32), drawn(32, tile.columns)
    watched = Watched(monkeypatch)
    run("matmul", *((a.T.copy().T, b.T.copy().T) if turned else (a, b)), target=only)
    assert 1 <= watched.in_banks <= 2
    assert watched.elements >= 6 * watched.sectors


@pytest.mark.parametrize("turned", [False, True])
def test_matrix_times_vector_shares_what_it_loads(turned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)
    matrix = drawn(256, 128)
    assert run("matmul", drawn(2, 256), matrix.T.copy().T if turned else matrix) == ["skinny"]
    assert watched.in_banks == 1
    assert watched.elements >= 6 * watched.sectors


# --- on the device ----------------------------------------------------------------------------------------------------


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default device is taken for a card."""
    plans_of_its_own(monkeypatch)
    driver = POCL if core.default_device().is_pocl else GPU.driver
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: replace(GPU, driver=driver)))


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("dtype", [core.float16, core.bfloat16])
def test_halves_are_multiplied_in_float32_on_a_card(dtype: Any) -> None:
    x, w = core.from_host(drawn(40, 50)).astype(dtype), core.from_host(drawn(50, 40)).astype(dtype)
    wide = (each.astype(core.float32).to_host() for each in (x, w))
    left, right = wide
    found = ag.matmul(x, w).astype(core.float32).to_host()
    np.testing.assert_allclose(found, left @ right, rtol=1e-2, atol=1e-2)


@pytest.mark.usefixtures("card")
def test_convolutions_are_those_of_another_target_on_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = drawn(2, 8, 10, 10), drawn(20, 8, 3, 3)

    def found() -> list[Array]:
        a, b = (ag.tensor(each, requires_grad=True) for each in (x, w))
        y = ag.conv2d(a, b, stride=2, padding=1)
        return [each.to_host() for each in (y, *ag.grad(ag.sum(y * y), [a, b]))]

    on_card = found()
    plans_of_its_own(monkeypatch)
    monkeypatch.undo()
    for ours, wanted in zip(on_card, found(), strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-4, atol=1e-3)


@pytest.mark.usefixtures("card")
def test_another_shape_of_the_same_kind_has_the_same_kernels_on_a_card() -> None:
    def plan(rows: int, steps: int, columns: int) -> launch.Plan:
        operands = [core.from_host(drawn(rows, steps)), core.from_host(drawn(steps, columns))]
        call = kernels.catalogue["matmul"].bind(operands, {})
        return launch.prepare(call.formula, call.operands, call.attributes)

    first = plan(40, 50, 60)
    assert [each.schedules for each in first.kernels] == [("tiles",)]
    assert plan(45, 71, 57).kernels is first.kernels


def test_whether_a_factor_is_read_may_depend_on_an_index_of_one_value() -> None:
    """The tangent of a running extreme that is read one place before, in a row of one."""
    op = kernels.compile("""op f(a[n]: float, b[k, k]: float, c[k, n]: float, d[n, k]: float) -> y[k, n] {
        far = first_max[n1 < n](-1.5 * a[n1]);
        apart = sum[k1, k2](k1 < k2 ? log1p((b[k1, k] - b[k2, k]) ^ 4) : 0);
        y = atan2(apart, 1 + (n % 2 != 0 ? (isfinite(far) ? far : c[k, n]) : d) ^ 2);
    }""").f
    shapes = (1,), (5, 5), (5, 1), (1, 5)
    tensors = [core.from_host(drawn(*shape)) for shape in shapes]
    call = op.bind(tensors, {})
    names = [each.name for each in call.formula.operands]
    tangent = pipeline.tangent(call.formula, tuple(names))
    along = {name: core.ones_like(each) for name, each in zip(names, tensors, strict=True)}
    known = dict(zip(names, tensors, strict=True))
    given = [
        known[each.name] if each.name in known else along[each.name.removeprefix("tangent_")]
        for each in tangent.operands
    ]
    plan = launch.prepare_for(named("small-gpu"), tangent, given, {})
    plain = launch.prepare(tangent, given, {})
    np.testing.assert_allclose(
        plan.run(given, {})[0].to_host(), plain.run(given, {})[0].to_host(), rtol=1e-5, atol=1e-6
    )
