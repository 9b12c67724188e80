"""Reductions of every kind along every axis, alone and together with what uses them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from launched import assert_agrees, element, formula, operand, schedules

from netcl import core, kernels
from netcl.kernels.compiler.ir import REDUCERS, Expr, Formula, number, position, read, size
from netcl.kernels.compiler.ir.binding import total
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.runtime import launch

rng = np.random.default_rng(5)
SHAPES = [
    ((300000,), (0,)), ((600, 700), (0,)), ((600, 700), (1,)), ((3000, 5), (1,)), ((20000, 5), (0,)),
    ((30, 40, 50), (1,)), ((100, 100), (0, 1)),
    ((8, 20, 17, 13), (0, 2, 3)), ((3, 1, 2), (1,)), ((5, 0), (1,)), ((1, 1), (0, 1)),
    ((3, 1031, 37), (1,)), ((2, 515, 3, 50), (0, 1)), ((2051, 513), (0,)),
]  # fmt: skip


def normal(*shape: int) -> np.ndarray:
    return rng.normal(size=shape).astype(np.float32)


def over(shape: tuple[int, ...], reduced: tuple[int, ...]) -> tuple[str, str, tuple[str, ...]]:
    """(all axes, kept axes, bound indices) by name."""
    names = "abcd"[: len(shape)]
    kept = " ".join(name for at, name in enumerate(names) if at not in reduced)
    return " ".join(names), kept, tuple(names[at] for at in reduced)


@pytest.mark.parametrize(("shape", "reduced"), SHAPES)
@pytest.mark.parametrize("kind", sorted(REDUCERS))
@pytest.mark.sample(12)
def test_a_reduction_agrees_with_the_evaluator(kind: str, shape: tuple[int, ...], reduced: tuple[int, ...]) -> None:
    every, kept, bound = over(shape, reduced)
    x = operand("x", every)
    values = np.exp(normal(*shape) * 1e-3) if kind == "prod" else normal(*shape)
    if kind.startswith("arg") and not values.size:
        return
    tolerance = 2e-5
    if kind == "prod":  # each factor rounds by half a unit at most, up or down: four deviations of such a walk
        tolerance += 4 * (values.size / max(1, np.prod(np.delete(shape, reduced)))) ** 0.5 * 2**-24 / 3**0.5
    assert_agrees(formula(kind, [x], {"y": (kept, total(kind, bound, element(x)))}), [values], tolerance=tolerance)


@pytest.mark.parametrize("kind", ["max", "min", "argmax", "argmin", "sum"])
def test_nan_and_infinities_pass_through_a_reduction(kind: str) -> None:
    values = normal(40, 100)
    values[3, 5] = np.nan
    values[4, 7], values[4, 50] = np.inf, np.nan
    values[5] = -np.inf
    values[6] = np.inf
    values[7, 99] = np.nan
    values[8, 20] = values[8, 80] = 9.0
    x = operand("x", "i k")
    for kept, bound in (("i", "k"), ("k", "i")):
        assert_agrees(formula(kind, [x], {"y": (kept, total(kind, (bound,), element(x)))}), [values])


def test_a_sum_of_many_ones_is_exact() -> None:
    x = operand("x", "i")
    of = formula("sum", [x], {"y": ("", total("sum", ("i",), element(x)))})
    assert launch.run(of, [core.ones(1 << 25)], {})[0].item() == 1 << 25


def test_a_sum_is_bitwise_the_same_however_many_work_items_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    x = operand("x", "i k")
    tensor = core.from_host(normal(700, 900))
    for bound in (("i",), ("k",), ("i", "k")):
        kept = " ".join(index for index in "ik" if index not in bound)
        results = []
        for cores in (1, 2, 7):
            of = formula("sum", [x], {"y": (kept, total("sum", bound, element(x)))})
            monkeypatch.setattr(tensor.queue.device, "compute_units", cores)
            results.append(launch.run(of, [tensor], {})[0].to_host())
        assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()


@pytest.mark.parametrize("kind", ["sum", "max", "prod", "any"])
def test_many_rows_are_gone_through_in_the_order_in_which_they_lie(kind: str) -> None:
    array = (1 + 1e-3 * rng.normal(size=(1100, 140))).astype(np.float32)
    array[700, 3], array[1099, 99], array[0, 17] = np.nan, np.inf, -np.inf
    x = operand("x", "i k")
    body = call("gt", element(x), 1.003) if kind == "any" else element(x)
    of = formula(kind, [x], {"y": ("k", total(kind, ("i",), body))})
    tensor = core.from_host(array)
    views = (np.s_[:], np.s_[:, 5:], np.s_[3:, ::-1], np.s_[::-1], np.s_[1::2])
    for view in views:
        plan = assert_agrees(of, [array[view]], tensors=[tensor[view]], tolerance=3e-5)
        assert schedules(plan) == ["runs"], view


@pytest.mark.parametrize("kind", ["sum", "max", "prod", "any"])
@pytest.mark.parametrize("strides", [(1, 0), (0, 1), (0, 0)])
@pytest.mark.sample(9)
def test_many_rows_of_what_is_the_same_in_each_column_are_gone_through_beside_others(
    kind: str, strides: tuple[int, int]
) -> None:
    array = (1 + 1e-3 * rng.normal(size=(1100, 140))).astype(np.float32)
    row = (1 + 1e-3 * rng.normal(size=2000)).astype(np.float32)
    x, z = operand("x", "i k"), operand("z", "i k")
    bodies = [element(x) * element(z), element(z)]
    if kind == "any":
        bodies = [call("gt", body, 1.003) for body in bodies]
    of = formula(
        kind, [x, z], {name: ("k", total(kind, ("i",), body)) for name, body in zip("ab", bodies, strict=True)}
    )
    expanded = core.from_host(row).alias(array.shape, strides, 0)
    plan = assert_agrees(of, [array, expanded.to_host()], tensors=[core.from_host(array), expanded], tolerance=3e-5)
    assert schedules(plan) == ["runs"]


def test_a_column_of_ones_is_counted_exactly() -> None:
    x = operand("x", "i k")
    of = formula("sum", [x], {"y": ("k", total("sum", ("i",), element(x)))})
    row = core.ones((16,)).alias((1 << 25, 16), (0, 1), 0)
    assert (launch.run(of, [row], {})[0].to_host() == 1 << 25).all()


@pytest.mark.parametrize("kind", ["sum", "max", "prod", "argmin"])
@pytest.mark.parametrize("length", [5, 33, 1000, 70001])
@pytest.mark.sample(8)
def test_what_lies_apart_is_reduced_as_what_lies_together(kind: str, length: int) -> None:
    array = (1 + 1e-3 * rng.normal(size=(length, 3))).astype(np.float32)
    x = operand("x", "i")
    of = formula(kind, [x], {"y": ("", total(kind, ("i",), element(x)))})
    tensor = core.from_host(array)
    for view, values in ((tensor[:, 1], array[:, 1]), (tensor[::-1, 2], array[::-1, 2])):
        apart, together = (launch.run(of, [each], {})[0].to_host() for each in (view, core.from_host(values)))
        assert apart.tobytes() == together.tobytes()


def softmax(shape: tuple[int, ...], reduced: tuple[int, ...]) -> Formula:
    every, _, bound = over(shape, reduced)
    x = operand("x", every)
    e = call("exp", element(x) - total("max", bound, element(x)))
    return formula("softmax", [x], {"y": (every, e / total("sum", bound, e))})


@pytest.mark.parametrize(
    ("shape", "reduced", "expected"),
    [
        ((64, 100), (1,), ["rows"]),
        ((100, 64), (0,), ["columns"]),
        ((1000, 10), (1,), ["short_rows"]),
        ((30, 20, 17, 33), (1,), ["columns"]),
        ((5, 5), (0, 1), None),
        ((2, 100000), (1,), None),
        ((3, 4, 50, 60), (2, 3), None),
        ((300000,), (0,), None),
        ((2050, 512), (0,), ["runs", "columns", "runs", "columns", "map"]),
    ],
)
@pytest.mark.sample(6)
def test_a_softmax_is_one_kernel_where_rows_are_enough(
    shape: tuple[int, ...], reduced: tuple[int, ...], expected: list[str] | None
) -> None:
    plan = assert_agrees(softmax(shape, reduced), [normal(*shape)])
    if expected is not None:
        assert schedules(plan) == expected


@pytest.mark.parametrize(("shape", "reduced"), [case for case in SHAPES if 0 not in case[0]])
@pytest.mark.sample(11)
def test_a_mean_and_a_two_pass_variance_agree(shape: tuple[int, ...], reduced: tuple[int, ...]) -> None:
    every, kept, bound = over(shape, reduced)
    x = operand("x", every)
    count: Expr = number(1, "float32")
    for index in bound:
        count = count * cast(size(index), "float32")
    mean = total("sum", bound, element(x)) / count
    away = element(x) - mean
    outputs = {"m": (kept, mean), "v": (kept, total("sum", bound, away * away) / count)}
    assert_agrees(formula("var_mean", [x], outputs), [normal(*shape) + 100], tolerance=2e-5)


def test_a_reduction_of_reductions_goes_through_a_temporary() -> None:
    x = operand("x", "n v")
    largest = total("max", ("v",), element(x))
    lse = largest + call("log", total("sum", ("v",), call("exp", element(x) - largest)))
    of = formula("loss", [x], {"y": ("", total("sum", ("n",), lse) / cast(size("n"), "float32"))})
    plan = assert_agrees(of, [normal(300, 200)])
    assert len(plan.kernels) == 2


def test_outputs_with_the_same_loops_share_a_kernel() -> None:
    x, y, dz = operand("x", "i k"), operand("y", "i k"), operand("dz", "i k")
    outputs = {"dx": ("i k", element(dz) * element(y)), "dy": ("i k", element(dz) * element(x))}
    plan = assert_agrees(formula("mul_vjp", [x, y, dz], outputs), [normal(30, 40)] * 3)
    assert len(plan.kernels) == 1


def test_gradients_of_a_layer_norm_agree() -> None:
    x, w, dy = operand("x", "n d"), operand("w", "d"), operand("dy", "n d")
    count = cast(size("d"), "float32")
    mean = total("sum", ("d",), element(x)) / count
    away = element(x) - mean
    rstd = call("rsqrt", total("sum", ("d",), away * away) / count + 1e-5)
    normed = away * rstd
    g = element(dy) * element(w)
    dx = rstd * (g - total("sum", ("d",), g) / count - normed * (total("sum", ("d",), g * normed) / count))
    outputs = {
        "dx": ("n d", dx), "dw": ("d", total("sum", ("n",), element(dy) * normed)),
        "db": ("d", total("sum", ("n",), element(dy))),
    }  # fmt: skip
    for shape in ((50, 64), (2000, 100), (3, 5)):
        arrays = [normal(*shape), normal(shape[1]), normal(*shape)]
        assert_agrees(formula("layer_norm_vjp", [x, w, dy], outputs), arrays, tolerance=1e-4)


def test_a_strided_convolution_with_padding_agrees() -> None:
    x, w = operand("x", "n c h w"), operand("k", "o c r s")
    at = [position("p") * 2 + position("r") - 1, position("q") * 2 + position("s") - 1]
    inside = number(True, "bool")
    for each, extent in zip(at, ("h", "w"), strict=True):
        inside = call("and", inside, call("and", call("le", 0, each), call("lt", each, size(extent))))
    value = read("x", (position("n"), position("c"), *at), "float32") * element(w)
    two = number(2, "int64")
    of = formula(
        "convolution", [x, w], {"y": ("n o p q", total("sum", ("c", "r", "s"), call("select", inside, value, 0)))},
        sizes={"p": call("floor_div", size("h") + 2 - size("r"), two) + 1,
               "q": call("floor_div", size("w") + 2 - size("s"), two) + 1},
    )  # fmt: skip
    for shape in ((2, 3, 20, 40), (1, 1, 3, 3)):
        assert_agrees(of, [normal(*shape), normal(4, shape[1], 3, 3)])


def test_a_scatter_add_agrees() -> None:
    dy, index = operand("dy", "n d"), operand("index", "n", "int64")
    here = call("eq", element(index), position("v"))
    of = formula(
        "scatter", [dy, index], {"y": ("v d", total("sum", ("n",), call("select", here, element(dy), 0)))},
        sizes={"v": number(50, "int64")},
    )  # fmt: skip
    for width in (40, 3):
        assert_agrees(of, [normal(100, width), rng.integers(0, 50, 100)])


def test_pairwise_energies_need_no_array_over_pairs() -> None:
    pos = operand("pos", "n d")
    i, j, d = map(position, "ijd")
    apart = read("pos", (i, d), "float32") - read("pos", (j, d), "float32")
    s6 = call("pow", 1 / total("sum", ("d",), call("pow", apart, 2)), 3)
    energy = total("sum", ("i", "j"), call("select", call("lt", i, j), 4 * (s6 * s6 - s6), 0))
    of = formula("energy", [pos], {"e": ("", energy)}, sizes={"i": size("n"), "j": size("n")})
    assert_agrees(of, [normal(40, 3) * 5], tolerance=1e-4)


@pytest.mark.parametrize("length", [15, 64, 255, 256, 300, 5000, 100_003])
def test_one_bool_anywhere_decides_any_and_all(length: int) -> None:
    x = operand("x", "i", "bool")
    some, every = (formula(kind, [x], {"y": ("", total(kind, ("i",), element(x)))}) for kind in ("any", "all"))
    nothing = np.zeros(length, bool)
    for of, array in ((some, nothing), (every, ~nothing)):
        assert_agrees(of, [array])
    for at in (0, 14, length // 2, length - 1):
        one = nothing.copy()
        one[at] = True
        assert_agrees(some, [one])
        assert_agrees(every, [~one])


@pytest.mark.parametrize("kind", ["max", "min", "argmax", "argmin"])
@pytest.mark.parametrize("at", [0, 17, 40, 63, 64, 100, 127, 128, 140, 149])
def test_an_extreme_value_is_found_wherever_it_is(kind: str, at: int) -> None:
    x = operand("x", "i j")
    values = rng.uniform(-1, 1, (3, 150)).astype(np.float32)
    values[0, at], values[1, at], values[2, at] = 5, -5, np.nan
    assert_agrees(formula("extreme", [x], {"y": ("i", total(kind, ("j",), element(x)))}), [values])


def test_few_rows_are_reduced_in_blocks_for_each_element_beside_them() -> None:
    a, y = operand("a", "l i k"), operand("y", "i")
    highest = call(
        "eq", read("a", (size("l") - 1 - position("l"), position("i"), position("k")), "float32"), element(y)
    )
    ties = total("sum", ("k", "l"), cast(highest, "float32"))
    of = formula("ties", [a, y], {"x": ("l i k", call("select", call("eq", element(a), element(y)), 1 / ties, 0))})
    array = rng.integers(0, 9, (16, 7, 48)).astype("float32")
    assert_agrees(of, [array, array.max((0, 2))])


@pytest.mark.parametrize("order", list(permutations("yzw")), ids="".join)
def test_outputs_over_other_axes_that_share_a_sum_over_rows_are_right(order: tuple[str, ...]) -> None:
    axes = {"y": "j", "z": "k, j", "w": "l, j"}
    values = {"y": "sum[i](x)", "z": "sum[i](x) * b", "w": "sum[i](x) * c"}
    outputs = ", ".join(f"{name}[{axes[name]}]" for name in order)
    body = " ".join(f"{name} = {values[name]};" for name in order)
    op = kernels.compile(f"op f(x[i, j]: float, b[k, j]: float, c[l, j]: float) -> ({outputs}) {{ {body} }}").f
    x, b, c = (np.random.default_rng(2).standard_normal((rows, 3)) for rows in (4, 5, 2))
    expected = {"y": x.sum(0), "z": x.sum(0) * b, "w": x.sum(0) * c}
    for name, found in zip(order, op(*map(core.from_host, (x, b, c))), strict=True):
        np.testing.assert_allclose(found.to_host(), expected[name], rtol=1e-12)
