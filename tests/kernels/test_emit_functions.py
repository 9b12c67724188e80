"""Every function of the IR, in vectors and in their scalar tail, gives what the reference evaluator gives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from launched import assert_agrees, element, formula, operand

from netcl import autograd as ag
from netcl import core
from netcl.kernels.compiler.ir import number, position, size
from netcl.kernels.compiler.ir.functions import FUNCTIONS
from netcl.kernels.compiler.ir.host import BITS
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.opencl.elementary import WORST_ULP
from netcl.kernels.runtime import launch

SPECIAL = np.array(
    [0.0, -0.0, 1, -1, 0.5, -0.5, 2, 3, -3, 20, -20, 88, 100, -100, 1e-30, 1e30, np.inf, -np.inf, np.nan, 1e-3, 2.5,
     -2.5, 3.5, 7, 0.1]
)  # fmt: skip
ELSEWHERE = {
    "add_fits",
    "sub_fits",
    "mul_fits",
    "polygamma",
    "cast",
    "select",
    "and",
    "or",
    "not",
    "random",
    "floor_div",
    "mod",
    "exact_div",
    "table",
    *BITS,
}
LOOSE = {"lgamma", "digamma", "trigamma", "pow", "tan", "exp", "sinh", "cosh", "exp2", "expm1"}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - ELSEWHERE))
@pytest.mark.sample(24)
def test_a_function_of_floats_agrees_with_the_evaluator_on_ordinary_and_special_values(name: str, dtype: str) -> None:
    arity = FUNCTIONS[name].arity
    operands = [operand("abc"[at], "i", dtype) for at in range(arity)]
    if arity == 1:
        ordinary = np.random.default_rng(1).normal(size=40)
        points = SPECIAL if name not in ("trigamma",) else SPECIAL[np.isfinite(SPECIAL) & (np.abs(SPECIAL) > 1e-6)]
        arrays = [np.concatenate([points, ordinary]).astype(dtype)]
    else:
        arrays = [grid.ravel().astype(dtype) for grid in np.meshgrid(*[SPECIAL] * arity)]
    tolerance = (2e-6 if dtype == "float32" else 1e-12) * (50 if name in LOOSE else 1)
    assert_agrees(
        formula(name, operands, {"y": ("i", call(name, *map(element, operands)))}), arrays, tolerance=tolerance
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_polygamma_of_any_order_agrees_with_the_evaluator(dtype: str) -> None:
    points = np.array([0.1, 0.5, 1, 1.5, 2.5, 7, 30, 1e4, np.inf, np.nan, -0.3, -1, -2.25, -10.25, -0.0], dtype)
    orders, points = (grid.ravel() for grid in np.meshgrid(np.array([0, 1, 2, 3, 6, 2.5, -1], dtype), points))
    n, x = operand("n", "i", dtype), operand("x", "i", dtype)
    value = call("polygamma", element(n), element(x))
    assert_agrees(
        formula("f", [n, x], {"y": ("i", value)}), [orders, points], tolerance=1e-5 if dtype == "float32" else 1e-12
    )


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
@pytest.mark.parametrize(
    "name",
    [
        "add",
        "mul",
        "div",
        "maximum",
        "minimum",
        "floor_divide",
        "remainder",
        "fmod",
        "abs",
        "sign",
        "lt",
        "eq",
        "pow",
        *BITS,
    ],
)
@pytest.mark.sample(20)
def test_a_function_of_integers_agrees_with_the_evaluator(name: str, dtype: str) -> None:
    a, b = operand("a", "i", dtype), operand("b", "i", dtype)
    rng = np.random.default_rng(2)
    low = 0 if dtype == "uint8" else -5
    left, right = rng.integers(low, 6, 100).astype(dtype), rng.integers(1, 4, 100).astype(dtype)
    arguments = (element(a),) if FUNCTIONS[name].arity == 1 else (element(a), element(b))
    assert_agrees(formula(name, [a, b], {"y": ("i", call(name, *arguments))}), [left, right])


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
@pytest.mark.parametrize("length", [506, 11])  # in lanes, and one by one
def test_integers_of_half_the_width_and_of_more_are_divided_alike(name: str, length: int) -> None:
    sizes = [1, 2, 3, 7, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**40 + 5, 2**62]
    signed = np.array([sign * size for size in sizes for sign in (1, -1)], np.int64)
    left, right = (part.ravel() for part in np.meshgrid([0, *signed], signed))
    operands = [operand("a", "i", "int64"), operand("b", "i", "int64")]
    of = formula(name, operands, {"y": ("i", call(name, *map(element, operands)))})
    for a, b in zip(left.reshape(-1, length), right.reshape(-1, length), strict=True):
        assert_agrees(of, [a, b])


EXTREME = np.array(
    [0.0, -0.0, 1e-45, -1e-45, 1e-38, 1.1754944e-38, -1e-38, 3.4028235e38, -3.4028235e38, 1e-30, np.inf, -np.inf,
     np.nan, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1.0000001, 0.99999994, -0.99999994, 0.5625, 0.75, 0.7499999, 1.5, 88.72283,
     88.72284, 89.5, -87.4, -103.97, -103.98, 127.99999, 128, -126, -149, -150, 1e5, 69999, 70001, 16777215, -16777215,
     16777217, 2147483648, 1e9, 1.1e9, 1e22, 2.4048256, 1.5707964, 3.1415927, 6.2831855, 9.2, 10.06, 10.07, -4,
     0.74992555]  # where log10 is worst, by trying all from 0.5 to 3
)  # fmt: skip


def _floats(name: str) -> list[np.ndarray]:
    """Arguments for a float32 function: extreme ones, every size, and where its results are ordinary."""
    rng = np.random.default_rng(5)
    every_size = rng.integers(0, 2**32, (2, 60_000), dtype=np.uint64).astype(np.uint32).view(np.float32)
    if FUNCTIONS[name].arity == 2:
        grid = [part.ravel() for part in np.meshgrid(EXTREME, EXTREME)]
        near_one = 1 + rng.normal(size=60_000) * 1e-4, rng.normal(size=60_000) * 1e5
        ordinary = rng.normal(size=60_000), rng.normal(size=60_000) * 4
        whole = rng.normal(size=60_000), np.round(rng.normal(size=60_000) * 9)
        sets: list[Sequence[np.ndarray]] = [grid, [*every_size], near_one, ordinary, whole]
        return [_joined(each[at] for each in sets) for at in range(2)]
    return [_joined([EXTREME, every_size[0], *(rng.uniform(-limit, limit, 60_000) for limit in (1.2, 4, 100, 7e4))])]


def _joined(parts: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([part.astype(np.float32) for part in parts])


def _device(name: str, arrays: list[np.ndarray]) -> np.ndarray:
    operands = [operand("abc"[at], "i", arrays[0].dtype.name) for at in range(len(arrays))]
    of = formula(name, operands, {"y": ("i", call(name, *map(element, operands)))})
    return launch.run(of, [core.from_host(each) for each in arrays], {})[0].to_host()


@pytest.mark.parametrize("name", sorted(WORST_ULP))
@pytest.mark.sample(12)
def test_a_float32_function_is_within_its_bound_of_the_exact_value_everywhere(name: str) -> None:
    arrays = _floats(name)
    found = _device(name, arrays)
    with np.errstate(all="ignore"):
        exact = np.asarray(FUNCTIONS[name].value(*(each.astype(np.float64) for each in arrays)), np.float64)
        rounded = exact.astype(np.float32)
        apart = np.abs(found.astype(np.float64) - exact) / np.spacing(np.abs(rounded)).astype(np.float64)
        largest = np.finfo(np.float32).max
        apart[np.isinf(rounded) & ((found == rounded) | ((np.abs(found) == largest) & np.isfinite(exact)))] = 0
        apart[np.isnan(exact) & np.isnan(found)] = 0
        apart[(exact == 0) & (found == 0) & (np.signbit(found) == np.signbit(exact))] = 0
        apart[np.isinf(found) & ~np.isinf(rounded) & (np.abs(exact) > 0.9999999 * largest)] = 1
    worst = int(np.argmax(np.where(np.isnan(apart), np.inf, apart)))
    assert apart[worst] <= WORST_ULP[name], (
        f"{name}{tuple(float(each[worst]) for each in arrays)} is {found[worst]!r}, not {exact[worst]!r}: "
        f"{apart[worst]:.2f} units of the last place"
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - ELSEWHERE))
@pytest.mark.sample(29)
def test_a_value_does_not_depend_on_its_position(name: str, dtype: str) -> None:
    rng = np.random.default_rng(6)
    arrays = [rng.uniform(0.05, 3, 31).astype(dtype) for _ in range(FUNCTIONS[name].arity)]
    in_lanes = _device(name, arrays)[:16]
    for shift in (15, 9):  # the same values as the scalar tail, and across its border
        moved = _device(name, [np.roll(each, shift) for each in arrays])
        np.testing.assert_array_equal(np.roll(moved, -shift)[:16], in_lanes)


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "pow", "log1p"])
def test_a_lane_does_not_depend_on_its_neighbours(name: str) -> None:
    rng = np.random.default_rng(7)
    arrays = [rng.uniform(0.05, 3, 64).astype(np.float32) for _ in range(FUNCTIONS[name].arity)]
    alone = _device(name, arrays)
    for each in arrays:
        each[5::16] = [1e30, -np.inf, np.nan, -1e-40]
    beside = _device(name, arrays)
    kept = np.arange(64) % 16 != 5
    np.testing.assert_array_equal(beside[kept], alone[kept])


@pytest.mark.parametrize("density", [0.0, 0.3, 1.0])
def test_comparisons_store_zeros_and_ones(density: float) -> None:
    rng = np.random.default_rng(8)
    a = rng.random(1003).astype(np.float32)
    b = np.where(rng.random(1003) < density, a, a + 1).astype(np.float32)
    operands = [operand("a", "i"), operand("b", "i")]
    x, y = map(element, operands)
    of = formula("compare", operands, {"e": ("i", call("eq", x, y)), "n": ("i", call("not", call("eq", x, y)))})
    equal, unequal = launch.run(of, [core.from_host(a), core.from_host(b)], {})
    assert equal.buffer.host is None or set(np.unique(equal.to_host().view(np.uint8))) <= {0, 1}
    np.testing.assert_array_equal(equal.to_host(), a == b)
    np.testing.assert_array_equal(unequal.to_host(), a != b)


def test_integer_division_by_zero_gives_zero_and_does_not_stop_the_process() -> None:
    a, b = operand("a", "i", "int32"), operand("b", "i", "int32")
    of = formula("divide", [a, b], {"y": ("i", call("floor_divide", element(a), element(b)))})
    plan = assert_agrees(of, [np.arange(20, dtype="int32"), np.ones(20, dtype="int32")])
    zero = core.from_host(np.zeros(20, dtype="int32"))
    lowest = core.from_host(np.full(20, -(2**31), dtype="int32"))
    assert plan.run((lowest, zero), {})[0].tolist() == [0] * 20


def test_integers_of_all_sizes_are_divided_exactly_in_lanes_as_in_the_tail() -> None:
    lowest, largest, exact = -(2**63), 2**63 - 1, 2**51  # doubles divide up to there
    edges = [0, 1, -1, 2, -7, 2**31, exact - 1, exact, exact + 1, -exact, -exact - 1, 2**53 + 1, largest, lowest]
    pairs = [(a, b) for a in edges for b in edges]
    rng = np.random.default_rng(6)
    for _ in range(3000):
        a, b = (int(rng.integers(lowest, largest)) >> int(rng.integers(0, 64)) for _ in range(2))
        multiple = int(rng.integers(-(2**41), 2**41)) * (b := int(rng.integers(-999, 999))) + int(rng.integers(-1, 2))
        pairs += [(a, b), (multiple, b)]
    a, b = operand("a", "i", "int64"), operand("b", "i", "int64")
    outputs = {name: ("i", call(name, element(a), element(b))) for name in ("floor_div", "mod")}
    arrays = [core.from_host(np.array(each, np.int64)) for each in zip(*pairs, strict=True)]
    quotients, rests = launch.run(formula("divide", [a, b], outputs), arrays, {})
    for (x, y), quotient, rest in zip(pairs, quotients.tolist(), rests.tolist(), strict=True):
        expected = divmod(x, y) if y else (0, 0)
        assert ((quotient - expected[0]) % 2**64, rest) == (0, expected[1]), (x, y)


@pytest.mark.parametrize("shape", [(64, 3, 28, 28), (2, 40, 9, 26), (1, 1, 50, 18), (3, 20, 7, 5)])
@pytest.mark.sample(2)
def test_windows_and_their_gradients_are_right_whichever_index_goes_in_lanes(shape: tuple[int, ...]) -> None:
    x = ag.Node(core.from_host(np.random.default_rng(5).normal(size=shape).astype(np.float32)), True)
    host = x.to_host().astype(np.float64)
    for window, stride in ((2, 2), (3, 2), (2, 1), (3, 1)):
        places = [range(0, length - window + 1, stride) for length in shape[2:]]
        largest, mean = np.zeros((*shape[:2], *map(len, places))), np.zeros((*shape[:2], *map(len, places)))
        by_largest, by_mean = np.zeros(shape), np.zeros(shape)
        for p, i in enumerate(places[0]):
            for q, j in enumerate(places[1]):
                seen = host[:, :, i : i + window, j : j + window].reshape(*shape[:2], -1)
                largest[:, :, p, q], mean[:, :, p, q] = seen.max(-1), seen.mean(-1)
                first = np.eye(window * window)[seen.argmax(-1)].reshape(*shape[:2], window, window)
                by_largest[:, :, i : i + window, j : j + window] += first * (p - q)
                by_mean[:, :, i : i + window, j : j + window] += (p - q) / window**2
        seed = core.from_host(np.broadcast_to(np.subtract.outer(*map(np.arange, map(len, places))), largest.shape))
        for op, value, gradient in ((ag.max_pool2d, largest, by_largest), (ag.avg_pool2d, mean, by_mean)):
            y = op(x, window, stride)
            np.testing.assert_allclose(y.to_host(), value, rtol=1e-5, atol=1e-6)
            (found,) = ag.grad(y, [x], [seed.astype("float32")])
            np.testing.assert_allclose(found.to_host(), gradient, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("exponent", [-2, -1, 0.5, 2, 3, 4, 1.5])
def test_a_power_with_a_literal_exponent_keeps_the_special_values_of_a_power(exponent: float) -> None:
    x = operand("x", "i")
    of = formula("power", [x], {"y": ("i", call("pow", element(x), exponent))})
    # NumPy takes the root of -inf for the exponent 0.5 and gives NaN; IEEE 754 and OpenCL have pow(-inf, 0.5) = inf
    points = SPECIAL[-np.inf != SPECIAL] if exponent == 0.5 else SPECIAL
    assert_agrees(of, [np.concatenate([points, points]).astype("float32")])


def test_conditions_choose_in_vectors_of_every_width() -> None:
    a, b = operand("a", "i", "bool"), operand("b", "i", "bool")
    both = call("and", element(a), call("not", element(b)))
    rng = np.random.default_rng(3)
    for dtype in ("float32", "float64", "int64", "uint8", "int32"):
        x = operand("x", "i", dtype)
        of = formula(
            "choose", [a, b, x],
            {"y": ("i", call("select", both, element(x), 0)), "z": ("i", cast(both, dtype)), "w": ("i", both)},
        )  # fmt: skip
        values = rng.integers(1, 9, 50).astype(dtype)
        assert_agrees(of, [rng.random(50) > 0.5, rng.random(50) > 0.5, values])


def test_casts_between_all_dtypes_agree() -> None:
    dtypes = ["float16", "float32", "float64", "uint8", "int32", "int64", "bool"]
    values = np.arange(40) % 7
    for source in dtypes:
        x = operand("x", "i", source)
        outputs = {f"to_{target}": ("i", cast(element(x), target)) for target in dtypes if target != source}
        assert_agrees(formula("casts", [x], outputs), [values.astype(source)])


def test_float16_is_rounded_only_where_it_is_stored_or_cast() -> None:
    x = operand("x", "i", "float16")
    values = np.linspace(-3, 3, 50).astype(np.float16)
    of = formula("exp", [x], {"y": ("i", call("exp", element(x)))})
    plan = assert_agrees(of, [values], tolerance=1e-3)
    assert "vload_half16" in plan.text
    assert "vstore_half16" in plan.text


def test_random_numbers_are_those_of_the_evaluator_bit_for_bit() -> None:
    x = operand("x", "i k")
    counter = position("i") * size("k") + position("k")
    of = formula("uniform", [x], {"y": ("i k", call("random", number(12345678901234, "int64"), counter))})
    assert_agrees(of, [np.zeros((13, 70), np.float32)], tolerance=0)


def test_infinite_and_undefined_literals_can_be_stored() -> None:
    x = operand("x", "i")
    of = formula("limits", [x], {
        "a": ("i", call("select", call("gt", element(x), 0), float("inf"), float("-inf"))),
        "b": ("i", call("select", call("gt", element(x), 0), element(x), float("nan"))),
    })  # fmt: skip
    assert_agrees(of, [np.linspace(-1, 1, 33).astype(np.float32)])
