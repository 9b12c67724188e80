"""Contractions: matrix products, convolutions and other sums of products, their values, gradients and determinism."""

from __future__ import annotations

import numpy as np
import pytest
from differentiated import assert_op_agrees, compute_units, gradients
from evaluated import compiled
from launched import assert_agrees, element, formula, operand, schedules

from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import position, read, size
from netcl.kernels.compiler.ir.binding import total
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.runtime import launch

rng = np.random.default_rng(11)


def normal(*shape: int, dtype: str = "float32") -> np.ndarray:
    return rng.normal(size=shape).astype(dtype)


# --- matrix products -------------------------------------------------------------------------------------------------

SIZES = [(64, 64, 9), (33, 47, 29), (7, 131, 97), (101, 5, 257), (97, 389, 4), (8, 32, 256), (9, 33, 513), (64, 40, 9)]


@pytest.mark.parametrize(("rows", "columns", "steps"), SIZES)
@pytest.mark.sample(4)
def test_a_matrix_product_and_its_gradients_agree_with_the_evaluator(rows: int, columns: int, steps: int) -> None:
    forward, _ = assert_op_agrees("matmul", normal(rows, steps), normal(steps, columns))
    assert schedules(forward)[-1] == "contraction"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("right", ["as it is", "transposed", "every other"])
@pytest.mark.parametrize("left", ["as it is", "transposed", "every other"])
@pytest.mark.sample(2)
def test_operands_may_lie_in_any_way(left: str, right: str, dtype: str) -> None:
    def laid_out(rows: int, columns: int, how: str) -> core.Tensor:
        if how == "transposed":
            return kernels.ops.permute(core.from_host(normal(columns, rows, dtype=dtype)), (1, 0))
        if how == "every other":
            return core.from_host(normal(2 * rows, 2 * columns, dtype=dtype)).alias(
                (rows, columns), (4 * columns, 2), 1
            )
        return core.from_host(normal(rows, columns, dtype=dtype))

    tolerance = 3e-5 if dtype == "float32" else 1e-13
    forward, _ = assert_op_agrees("matmul", laid_out(45, 70, left), laid_out(70, 83, right), tolerance=tolerance)
    assert schedules(forward) == ["contraction"]


@pytest.mark.parametrize(
    ("left", "right"),
    [((3, 40, 20), (3, 20, 50)), ((3, 40, 20), (20, 50)), ((40, 20), (3, 20, 50)), ((2, 3, 17, 20), (1, 3, 20, 31)),
     ((5, 1, 17, 20), (1, 3, 20, 31)), ((1, 40, 20), (3, 20, 50))],
)  # fmt: skip
@pytest.mark.sample(2)
def test_leading_axes_broadcast(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    forward, _ = assert_op_agrees("matmul", normal(*left), normal(*right))
    assert schedules(forward) == ["contraction"]


@pytest.mark.parametrize(
    ("rows", "columns", "steps"),
    [(0, 40, 40), (40, 0, 40), (40, 40, 0), (1, 40, 40), (40, 1, 40), (40, 40, 1), (1, 1, 1)],
)
def test_sizes_of_nothing_and_one_are_right(rows: int, columns: int, steps: int) -> None:
    assert_op_agrees("matmul", normal(rows, steps), normal(steps, columns))


def test_panels_packed_once_give_the_same_bits_as_panels_packed_by_each_block() -> None:
    a, b = normal(640, 300), normal(300, 400)
    plan = launch.prepare((bound := kernels.ops.matmul.bind([core.from_host(a), core.from_host(b)], {})).formula,
                          bound.operands, {})  # fmt: skip
    assert schedules(plan) == ["panels", "contraction"]
    whole = plan.run(bound.operands, {})[0].to_host()
    few = kernels.ops.matmul(core.from_host(a[:40]), core.from_host(b)).to_host()
    np.testing.assert_array_equal(whole[:40], few)


def test_linear_adds_its_bias_where_results_are_stored() -> None:
    forward, _ = assert_op_agrees("linear", normal(4, 16, 100), normal(37, 100), normal(37))
    assert schedules(forward) == ["contraction"]


def test_what_surrounds_the_sum_is_computed_in_the_same_kernel() -> None:
    a, b, c = operand("a", "i k"), operand("b", "k j"), operand("c", "j")
    product = total("sum", ("k",), element(a) * element(b))
    value = call("maximum", product * 0.5 + element(c), 0.0)
    plan = assert_agrees(
        formula("relu_linear", [a, b, c], {"y": ("i j", value)}),
        [normal(50, 60), normal(60, 70), normal(70)], tolerance=2e-5,
    )  # fmt: skip
    assert schedules(plan) == ["contraction"]


def test_a_sum_of_two_products_is_two_contractions() -> None:
    a, b, c = operand("a", "i k"), operand("b", "k j"), operand("c", "m j")
    first = total("sum", ("k",), element(a) * element(b))
    second = total("sum", ("m",), read("a", (position("i"), position("m")), "float32") * element(c))
    plan = assert_agrees(
        formula("two", [a, b, c], {"y": ("i j", first + second)}, sizes={"m": size("k")}),
        [normal(50, 60), normal(60, 70), normal(60, 70)], tolerance=2e-5,
    )  # fmt: skip
    assert schedules(plan).count("contraction") == 2


def test_factors_may_be_formulas() -> None:
    a, b, s = operand("a", "i k"), operand("b", "k j"), operand("s", "k")
    value = total("sum", ("k",), call("exp", element(a)) * element(s) * -element(b))
    plan = assert_agrees(
        formula("weighted", [a, b, s], {"y": ("i j", value)}),
        [normal(50, 60), normal(60, 70), normal(60)], tolerance=3e-5,
    )  # fmt: skip
    assert schedules(plan)[-1] == "contraction"


def test_a_factor_may_gather_rows() -> None:
    table, rows, w = operand("table", "v k"), operand("rows", "n", "int64"), operand("w", "k j")
    at = read("rows", (position("n"),), "int64")
    value = total("sum", ("k",), read("table", (at, position("k")), "float32") * element(w))
    plan = assert_agrees(
        formula("gathered", [table, rows, w], {"y": ("n j", value)}),
        [normal(30, 60), rng.integers(0, 30, 50), normal(60, 70)], tolerance=2e-5,
    )  # fmt: skip
    assert schedules(plan)[-1] == "contraction"


def test_many_indices_on_every_side_are_one_matrix_product() -> None:
    a, b = operand("a", "p i k q"), operand("b", "k j q l")
    value = total("sum", ("k", "q"), element(a) * element(b))
    plan = assert_agrees(
        formula("einsum", [a, b], {"y": ("i l p j", value)}), [normal(3, 7, 11, 5), normal(11, 6, 5, 9)], tolerance=2e-5
    )
    assert schedules(plan) == ["contraction"]


def test_a_factor_of_another_dtype_is_converted() -> None:
    a, b = operand("a", "i k", "float32"), operand("b", "k j", "float64")
    value = total("sum", ("k",), cast(element(a), "float64") * element(b))
    plan = assert_agrees(
        formula("mixed", [a, b], {"y": ("i j", value)}),
        [normal(50, 60), normal(60, 70, dtype="float64")], tolerance=1e-13,
    )  # fmt: skip
    assert schedules(plan)[-1] == "contraction"


def test_half_precision_is_multiplied_in_single_precision() -> None:
    a, b = normal(40, 50, dtype="float16"), normal(50, 60, dtype="float16")
    y = kernels.ops.matmul(core.from_host(a), core.from_host(b)).to_host()
    np.testing.assert_allclose(y, a.astype("float64") @ b.astype("float64"), rtol=1e-3, atol=2e-3)


def test_integers_stay_exact() -> None:
    a, b = rng.integers(-1000, 1000, (40, 50)), rng.integers(-1000, 1000, (50, 60))
    np.testing.assert_array_equal(kernels.ops.matmul(core.from_host(a), core.from_host(b)).to_host(), a @ b)


# --- convolutions ----------------------------------------------------------------------------------------------------

CONVOLUTIONS = [
    ((2, 8, 10, 10), (16, 8, 3, 3), {}),
    ((2, 8, 10, 10), (16, 8, 3, 3), {"padding": 1}),
    ((2, 8, 11, 9), (16, 8, 3, 3), {"padding": (2, 1), "stride": 2}),
    ((2, 8, 11, 9), (16, 8, 3, 2), {"padding": (2, 1), "stride": (2, 3), "dilation": (1, 2)}),
    ((2, 8, 13, 13), (16, 8, 3, 3), {"padding": 2, "dilation": 2}),
    ((2, 8, 11, 9), (16, 4, 3, 3), {"padding": 1, "groups": 2}),
    ((8, 16, 8, 8), (16, 1, 3, 3), {"padding": 1, "groups": 16}),
    ((2, 8, 5, 5), (16, 8, 3, 3), {"padding": 4}),
    ((2, 8, 3, 5), (16, 8, 5, 7), {"padding": (4, 5)}),
    ((2, 8, 12, 12), (16, 8, 1, 1), {}),
    ((4, 8, 12, 12), (16, 8, 1, 1), {"stride": 2}),
    ((16, 1, 8, 8), (16, 1, 3, 3), {"padding": 1}),
    ((4, 16, 8, 8), (1, 16, 3, 3), {"padding": 1}),
    ((1, 8, 30, 30), (40, 8, 7, 7), {"padding": 3}),
    ((0, 8, 10, 10), (16, 8, 3, 3), {}),
]


@pytest.mark.parametrize(("image", "filters", "attributes"), CONVOLUTIONS)
@pytest.mark.sample(4)
def test_a_convolution_and_its_gradients_agree_with_the_evaluator(
    image: tuple[int, ...], filters: tuple[int, ...], attributes: dict[str, object]
) -> None:
    assert_op_agrees("conv2d", normal(*image), normal(*filters), normal(filters[0]), tolerance=5e-5, **attributes)


def test_a_convolution_and_its_gradients_are_contractions() -> None:
    forward, backward = assert_op_agrees(
        "conv2d", normal(4, 8, 10, 10), normal(16, 8, 3, 3), normal(16), padding=1, tolerance=5e-5
    )
    assert schedules(forward) == ["map", "contraction"]
    assert schedules(backward).count("contraction") == 2


def test_a_convolution_in_double_precision_agrees_with_the_evaluator() -> None:
    x, w, b = normal(2, 8, 10, 11, dtype="float64"), normal(16, 8, 3, 3, dtype="float64"), normal(16, dtype="float64")
    assert_op_agrees("conv2d", x, w, b, padding=1, tolerance=1e-12)


def test_a_convolution_reads_a_transposed_image() -> None:
    image = kernels.ops.permute(core.from_host(normal(2, 10, 12, 8)), (0, 3, 1, 2))
    assert_op_agrees("conv2d", image, normal(16, 8, 3, 3), normal(16), padding=1, tolerance=5e-5)


# --- values that are not finite, determinism -------------------------------------------------------------------------


def test_nan_and_infinities_reach_exactly_the_results_they_belong_to() -> None:
    a, b = normal(40, 50), normal(50, 60)
    a[3, 4], a[5, 6], b[7, 8] = np.nan, np.inf, -np.inf
    with np.errstate(all="ignore"):
        expected = a.astype("float64") @ b.astype("float64")
    found = kernels.ops.matmul(core.from_host(a), core.from_host(b)).to_host()
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_array_equal(np.isposinf(found), np.isposinf(expected))
    np.testing.assert_array_equal(np.isneginf(found), np.isneginf(expected))


def test_a_nan_beside_the_border_of_an_image_stays_where_its_window_is() -> None:
    x, w = normal(2, 8, 10, 10), normal(16, 8, 3, 3)
    x[1, 2, 0, 9] = np.nan
    y = kernels.ops.conv2d(core.from_host(x), core.from_host(w), padding=1).to_host()
    affected = np.isnan(y)
    assert affected[1, :, :2, 8:].all()
    assert affected.sum() == 16 * 4


CASES = {
    "square": (lambda: ("matmul", normal(300, 300), normal(300, 300)), {}),
    "long": (lambda: ("matmul", normal(20, 9000), normal(9000, 30)), {}),
    "batched": (lambda: ("matmul", normal(7, 40, 50), normal(7, 50, 60)), {}),
    "convolution": (lambda: ("conv2d", normal(4, 8, 20, 20), normal(16, 8, 3, 3), normal(16)), {"padding": 1}),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_the_bits_do_not_depend_on_the_run(case: str) -> None:
    make, attributes = CASES[case]
    name, *arrays = make()
    tensors = [core.from_host(each) for each in arrays]
    first = kernels.catalogue[name](*tensors, **attributes).to_host()
    for _ in range(20):
        np.testing.assert_array_equal(kernels.catalogue[name](*tensors, **attributes).to_host(), first)


@pytest.mark.parametrize("case", sorted(CASES))
@pytest.mark.sample(2)
def test_the_bits_do_not_depend_on_the_number_of_work_items(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, attributes = CASES[case]
    name, *arrays = make()
    found = []
    for count in (1, 3, 64):
        with compute_units(monkeypatch, count):
            forward = kernels.catalogue[name](*map(core.from_host, arrays), **attributes).to_host()
            found.append((forward, *gradients(name, *arrays, **attributes)))
    for others in found[1:]:
        for one, other in zip(found[0], others, strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_long_sum_with_few_results_is_cut_into_parts() -> None:
    forward, _ = assert_op_agrees("matmul", normal(20, 9000), normal(9000, 30), tolerance=2e-4)
    assert schedules(forward)[-2:] == ["contraction", "columns"]


def test_one_program_serves_all_sizes() -> None:
    texts = set()
    for rows, columns, steps in ((40, 50, 60), (41, 57, 301), (64, 48, 32)):
        tensors = [core.from_host(normal(rows, steps)), core.from_host(normal(steps, columns))]
        bound = kernels.ops.matmul.bind(tensors, {})
        texts.add(launch.prepare(bound.formula, bound.operands, {}).text)
    assert len(texts) == 1


def test_the_largest_of_many_products_gets_the_gradient() -> None:
    op = compiled("op f(a[i, r]: float, b[k, r]: float) -> y[i] { y = max[k](sum[r](a * b)); }")
    a, b = normal(40, 30), normal(200, 30)
    call = op.bind([core.from_host(a), core.from_host(b)], {})
    plan = launch.prepare(call.formula, call.operands, {})
    y = plan.run(call.operands, {})[0]
    known = {"a": call.operands[0], "b": call.operands[1], "y": y, "dy": core.ones_like(y)}
    gradient = pipeline.gradient(call.formula, ("a",))
    (found,) = launch.run(gradient, [known[each.name] for each in gradient.operands], {}, plan.bindings)
    np.testing.assert_array_equal(found.to_host(), b[(a @ b.T).argmax(1)])
