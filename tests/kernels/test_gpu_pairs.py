"""Reductions over pairs of rows on a card: tiles in local memory, a row for each item, no table.

On NumPy with groups and tiles of a few rows, which makes small formulas go through all of the loops; then on the
default device taken for a card.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from differentiated import plans_of_its_own
from evaluated import Value, compiled
from interpreted import assert_evaluated, ran
from test_pairs import FOLLOWING, IN_BATCHES, LARGEST, MASKED, NEAREST, WEIGHTED_MEAN, particles

from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import INDEX_DTYPE, number, position, read, reduce
from netcl.kernels.compiler.ir.evaluate import evaluate
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.check import check
from netcl.kernels.compiler.loops.given import Looped
from netcl.kernels.compiler.loops.interpret import interpret
from netcl.kernels.compiler.loops.ir import Let, Loop
from netcl.kernels.compiler.lower.kernel import Access, Write
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.target import GPU, POCL, Target
from netcl.kernels.compiler.targets.gpu import pairs
from netcl.kernels.compiler.targets.gpu.steps import written
from netcl.kernels.library.op import Op
from netcl.kernels.runtime import launch
from netcl.kernels.runtime.bindings import bind

Array = np.ndarray[Any, Any]
rng = np.random.default_rng(7)
GAUSSIAN, LENNARD_JONES = kernels.catalogue["gaussian_kernel_sum"], kernels.catalogue["lennard_jones"]
SMALL = replace(GPU, pairs=replace(GPU.pairs, rows=4, table=16, group_rows=8, tile_bytes=128, deepest=8))
ROWS, OTHERS = 21, 19
BESIDE_THE_END = kernels.compile("""
    op beside(a[c]: float, b[t, m]: float, w[n, m]: float) -> z[t, n] {
        z = max[m](sum[c]((a[n + c] else 0) * b[t, m] + (b[t + c, m] else 1)) * w[n, m]);
    }
""").beside


def normal(*shape: int) -> Array:
    return rng.normal(size=shape)


def differences(
    op: Op, arrays: Sequence[Array], gradient: bool = True, target: Target = SMALL, **attributes: Any
) -> list[str]:
    """The schedules of an op's loop nests, and of those of its gradient; what they compute is compared."""
    call = op.bind([Value(each) for each in arrays], attributes)
    formula = call.formula
    bindings = bind(formula, [each.shape for each in arrays], call.attributes, None)
    known = dict(zip((each.name for each in formula.operands), arrays, strict=True))
    schedules: list[str] = []
    for each in (formula, pipeline.gradient(formula, pipeline.differentiable(formula))) if gradient else (formula,):
        operands = {operand.name: known[operand.name] for operand in each.operands}
        found = bind(each, [array.shape for array in operands.values()], call.attributes, bindings)
        ran_here = assert_evaluated(each, operands, call.attributes, found, target)
        for output in each.outputs:
            known[output.name] = ran_here[output.name]
            known["d" + output.name] = normal(*ran_here[output.name].shape)
        schedules += ran_here.schedules
    return schedules


@pytest.mark.parametrize("extents", [(5, 1, 3, 40), (1, 4, 3, 40), (5, 4, 1, 40), (5, 4, 3, 1), (40, 1, 1, 6)])
def test_whether_an_element_is_read_may_depend_on_indices_along_which_none_lie(extents: tuple[int, ...]) -> None:
    """An index of one value moves nothing in memory; it stands in the condition of the reading."""
    n, c, t, m = extents
    assert differences(BESIDE_THE_END, (normal(c), normal(t, m), normal(n, m)))


@pytest.mark.parametrize(("depth", "columns"), [(3, 2), (2, 1), (5, 7), (9, 3)])
@pytest.mark.sample(2)
def test_a_gaussian_kernel_sum_and_its_gradients_go_through_tiles(depth: int, columns: int) -> None:
    arrays = normal(ROWS, depth) / depth, normal(OTHERS, depth) / depth, normal(OTHERS, columns)
    assert differences(GAUSSIAN, arrays, gamma=0.5) == ["pairs"] * 4


def test_the_gradient_of_the_energy_of_particles_goes_through_tiles_from_its_row_on() -> None:
    call = LENNARD_JONES.bind([Value(particles(ROWS))], {"sigma": 0.9})
    gradient = pipeline.gradient(call.formula, ("pos",))
    inside = bind(call.formula, [(ROWS, 3)], call.attributes, None)
    operands = {"de": np.array(1.5), "pos": particles(ROWS).astype("float64")}
    operands = {each.name: operands[each.name] for each in gradient.operands}
    bindings = bind(gradient, [each.shape for each in operands.values()], call.attributes, inside)
    found = ran(gradient, operands, call.attributes, bindings, SMALL)
    (wanted,) = evaluate(gradient, operands, call.attributes, bindings.sizes, bindings.shapes)
    assert found.schedules == ["pairs"]
    np.testing.assert_allclose(found["grad_pos"], wanted, rtol=1e-9, atol=1e-9)


FARTHEST = compiled("""
op farthest(x[i, k]: float, z[j, k]: float, w[j]: int) -> (least[i], most[i], which[i], near[i], count[i], all_near[i])
{
    r = sum[k](abs(x[i, k] - z[j, k]));
    least = min[j](r);
    most = max[j](r);
    which = argmax[j](r);
    near = any[j](r < 1);
    count = sum[j](r < 3 ? w[j] : 0);
    all_near = all[j](r < 9);
}""")


def test_loops_that_would_be_much_text_stay_loops() -> None:
    arrays = normal(ROWS, 9) / 9, normal(OTHERS, 9) / 9, normal(OTHERS, 3)
    few = replace(SMALL, pairs=replace(SMALL.pairs, written=2))
    assert differences(GAUSSIAN, arrays, target=few, gamma=0.5) == ["pairs"] * 4
    inner = Loop("k", number(4, INDEX_DTYPE), "unrolled", (Let("a", position("k")), Let("b", position("k"))))
    assert written([inner]) == 9
    assert written([Loop("j", number(3, INDEX_DTYPE), "unrolled", (inner,))]) == 28
    assert written([Loop("j", number(3, INDEX_DTYPE), "serial", (inner,))]) == 10


def test_every_reducer_goes_through_tiles() -> None:
    x, z = normal(ROWS, 2), normal(OTHERS, 2)
    z[3] = z[11] = (9, -9)  # equally far from everybody: the first one counts
    x[5, 1] = np.nan
    assert differences(FARTHEST, (x, z, rng.integers(-5, 5, OTHERS)), gradient=False) == ["pairs"]
    assert differences(NEAREST, (normal(ROWS, 2), z)) == ["pairs"] * 5


@pytest.mark.parametrize(
    ("op", "arrays"),
    [
        (IN_BATCHES, (normal(3, 9, 3), normal(3, 10, 3), normal(3, 10))),
        (MASKED, (normal(ROWS, 3), normal(OTHERS, 3), rng.random((ROWS, OTHERS)) < 0.5)),
    ],
    ids=["batches", "mask"],
)
def test_other_formulas_over_pairs_and_their_gradients_go_through_tiles(op: Op, arrays: Sequence[Array]) -> None:
    assert set(differences(op, arrays)) == {"pairs"}


def test_what_arrives_at_places_from_data_is_scattered_once_the_pairs_are_added_up() -> None:
    arrays = normal(ROWS, 2), rng.integers(0, ROWS, ROWS), rng.integers(0, ROWS, ROWS)
    assert differences(FOLLOWING, arrays, gradient=False) == ["pairs"]
    assert set(differences(FOLLOWING, arrays)) == {"pairs", "scatter", "columns"}


def test_a_quotient_of_two_sums_goes_through_the_tiles_once() -> None:
    arrays = normal(ROWS, 3), normal(OTHERS, 3), normal(OTHERS, 2), rng.uniform(0.5, 1, ROWS)
    assert differences(WEIGHTED_MEAN, arrays, gradient=False) == ["pairs"]


def test_an_index_may_be_bound_again_inside() -> None:
    """y[i] = sum[j, k](z[j, k] == max[k](z[j, k]) ? sum[k](abs(x[i] - z[j, k])) : 0), as a stage may have it."""
    x, z = read("x", (position("i"),), "float32"), read("z", (position("j"), position("k")), "float32")
    near = reduce("sum", ("k",), call("abs", x - z))
    chosen = call("select", call("eq", z, reduce("max", ("k",), z)), near, 0)
    accesses = {
        "x": Access("x", "x", "float32", 0, {"i": 1}),
        "z": Access("z", "z", "float32", 0, {"j": 3, "k": 1}),
    }
    write = Write(reduce("sum", ("j", "k"), chosen), Access("y", "y", "float32", 0, {"i": 1}), ("i",))
    extents = {"i": 11, "j": 9, "k": 3}
    found = pairs.fits(Nest("again", "", (write,), accesses, extents, ("i",), {}, SMALL))
    assert found is not None
    (kernel,) = found.kernels
    assert isinstance(kernel, Looped)
    assert kernel.nest is not None
    memory = {"x": normal(11), "z": normal(27), "y": np.full(11, np.nan)}
    check(kernel.nest, kernel.launched({}), {name: each.size for name, each in memory.items()})
    interpret(kernel.nest, memory, kernel.launched({}))
    rows = memory["z"].reshape(9, 3)
    nearness = np.abs(memory["x"][:, None, None] - rows).sum(-1)
    np.testing.assert_allclose(memory["y"], nearness.sum(1), rtol=1e-12)


def test_rows_that_meet_values_without_a_sum_inside_go_through_tiles() -> None:
    small = replace(SMALL, pairs=replace(SMALL.pairs, least_group_rows=4, enough_groups=4))
    for columns in (1, 2):
        call = GAUSSIAN.bind([Value(each) for each in (normal(17, 1), normal(300, 1), normal(300, columns))], {})
        bindings = bind(call.formula, [each.shape for each in call.operands], call.attributes, None)
        names = (each.name for each in call.formula.operands)
        known = {name: each.array for name, each in zip(names, call.operands, strict=True)}
        assert assert_evaluated(call.formula, known, call.attributes, bindings, small).schedules == ["pairs"]


# --- on the device ----------------------------------------------------------------------------------------------------


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Callable[[Target], None]:
    """Has the default device taken for a card."""
    plans_of_its_own(monkeypatch)
    driver = POCL if core.default_device().is_pocl else GPU.driver

    def taken(target: Target) -> None:
        monkeypatch.setattr(Target, "of", staticmethod(lambda device: replace(target, driver=driver)))

    return taken


def agrees(op: Op, *arrays: Array, tolerance: float = 1e-4, **attributes: Any) -> launch.Plan:
    """The plan of an op whose values on the device are those of the evaluator."""
    call = op.bind([core.from_host(each) for each in arrays], attributes)
    plan = launch.prepare(call.formula, call.operands, call.attributes)
    known = {each.name: tensor.to_host() for each, tensor in zip(call.formula.operands, call.operands, strict=True)}
    wanted = evaluate(call.formula, known, call.attributes, plan.bindings.sizes, plan.bindings.shapes)
    for ours, theirs in zip(plan.run(call.operands, call.attributes), wanted, strict=True):
        scale = np.abs(theirs[np.isfinite(theirs)]).max(initial=1)
        np.testing.assert_allclose(ours.to_host().astype(theirs.dtype), theirs, rtol=tolerance, atol=tolerance * scale)
    return plan


def schedules(plan: launch.Plan) -> list[str]:
    return [name for kernel in plan.kernels for name in kernel.schedules]


def test_kernel_sums_are_right_on_a_card(card: Callable[[Target], None]) -> None:
    card(GPU)
    x, z, b = (each.astype("float32") for each in (normal(301, 3), normal(263, 3), normal(263, 2)))
    x[7, 1], x[300, 0] = np.nan, np.inf
    assert schedules(agrees(GAUSSIAN, x, z, b)) == ["pairs"]
    assert schedules(agrees(GAUSSIAN, x.astype("float64"), z.astype("float64"), b.astype("float64"), tolerance=1e-12))
    assert schedules(agrees(GAUSSIAN, x[:, :1].repeat(4, 1), z[:, :1].repeat(4, 1), b[:, :1].repeat(11, 1)))
    half = (each.astype("float16") for each in (x, z, b))
    assert schedules(agrees(GAUSSIAN, *half, tolerance=2e-3)) == ["pairs"]


def test_energies_and_searches_are_right_on_a_card(card: Callable[[Target], None]) -> None:
    card(GPU)
    assert schedules(agrees(LENNARD_JONES, particles(285), sigma=0.9))[0] == "pairs"
    x, z = normal(301, 2).astype("float32"), normal(263, 2).astype("float32")
    assert schedules(agrees(NEAREST, x, z)) == ["pairs"]
    assert "pairs" in schedules(agrees(LARGEST, x, z))


def test_points_may_lie_in_any_way_on_a_card(card: Callable[[Target], None]) -> None:
    card(GPU)
    x, z, b = (each.astype("float32") for each in (normal(3, 301), normal(526, 7), normal(263, 1)))
    tensors = [
        kernels.ops.permute(core.from_host(x), (1, 0))[::-1],
        core.from_host(z).alias((263, 3), (14, 2), 1),
        core.from_host(b).alias((263, 3), (1, 0), 0),
    ]
    wide = [each.to_host().astype("float64") for each in tensors]
    r2 = ((wide[0][:, None] - wide[1]) ** 2).sum(-1)
    found = GAUSSIAN(*tensors).to_host()
    np.testing.assert_allclose(found, np.exp(-r2) @ wide[2], rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(found, GAUSSIAN(*tensors).to_host())


def test_few_rows_or_none_are_no_reason_to_fail_on_a_card(card: Callable[[Target], None]) -> None:
    card(SMALL)
    for rows, others in ((0, 40), (40, 0), (1, 40), (40, 1), (33, 257)):
        arrays = [normal(*shape).astype("float32") for shape in ((rows, 2), (others, 2), (others, 5))]
        agrees(GAUSSIAN, *arrays)


def test_a_new_number_of_points_is_the_same_text_on_a_card(card: Callable[[Target], None]) -> None:
    card(GPU)
    z, b = normal(263, 3).astype("float32"), normal(263, 2).astype("float32")
    texts = set()
    for rows in (301, 320, 1000):
        call = GAUSSIAN.bind([core.from_host(each) for each in (normal(rows, 3).astype("float32"), z, b)], {})
        texts.add(launch.prepare(call.formula, call.operands, call.attributes).text)
    assert len(texts) == 1


def test_a_long_sum_keeps_its_precision_on_a_card(card: Callable[[Target], None]) -> None:
    """The same value 100,000 times: added plainly, float32 would lose three digits."""
    card(GPU)
    x, z = np.zeros((64, 2), "float32"), np.full((100_000, 2), 0.1, "float32")
    b = np.full((100_000, 1), 0.1, "float32")
    r2 = 2 * np.float64(np.float32(0.1)) ** 2
    found = GAUSSIAN(*map(core.from_host, (x, z, b))).to_host()
    np.testing.assert_allclose(found, 1e5 * np.exp(-r2) * np.float64(np.float32(0.1)), rtol=4e-6)
