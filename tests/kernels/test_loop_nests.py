"""The loop nests of schedules for cards: legal, without races, and with the right sums.

They are run on NumPy, and on the default device taken for a card.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from differentiated import plans_of_its_own
from interpreted import assert_right

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import attribute, number, position, read
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.check import IllegalNest, check
from netcl.kernels.compiler.loops.given import Looped
from netcl.kernels.compiler.loops.interpret import IllegalAccess, interpret
from netcl.kernels.compiler.loops.ir import Barrier, Buffer, If, Let, Loop, LoopNest, Name, Statement, Store
from netcl.kernels.compiler.loops.text import text
from netcl.kernels.compiler.lower.accesses import Layouts, Placed
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.target import CPU, GPU, POCL, Target
from netcl.kernels.runtime import launch
from netcl.kernels.runtime.schemes import _sized

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(3)


def drawn(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def tiled(op: str, *arrays: Array) -> tuple[Looped, dict[str, Any], dict[str, Array], tuple[int, ...]]:
    """The kernel of an op for a card, the numbers of its launch, its global memory, and the shape of the result."""
    call = kernels.catalogue[op].bind([core.from_host(each) for each in arrays], {})
    bindings = launch.prepare(call.formula, call.operands, call.attributes).bindings
    steps = {each.name: each for each in call.formula.operands}
    strides = {name: tuple(s // 4 for s in each.strides) for name, each in zip(steps, arrays, strict=True)}
    places = {name: Placed(0, each) for name, each in strides.items()}
    program = pipeline.compile(call.formula, Layouts(Numbers(bindings.sizes, {}), places, bindings.shapes), GPU)
    (kernel,) = program.recipe.steps
    assert isinstance(kernel, Looped)
    assert program.emitted is not None
    (entry,) = program.emitted.entries
    _, values = _sized(entry, GPU)
    by_name = {("size", "", index): length for index, length in bindings.sizes.items()}  # a launch has what is written
    by_name |= {(each.kind, each.of, each.index): value for each, value in values.items()}
    numbers = {
        name: 0 if given.kind == "offset" else by_name[given.kind, given.of, given.index]
        for name, given in (kernel.given or {}).items()
        if given.kind != "buffer"
    }
    memory = {name: np.array(each, np.float64).ravel() for name, each in zip(steps, arrays, strict=True)}
    output = call.formula.outputs[0].name
    memory[output] = np.full(int(np.prod(bindings.shapes[output])), np.nan)
    return kernel, numbers, memory, bindings.shapes[output]


@pytest.mark.parametrize(
    ("op", "shapes"),
    [
        ("matmul", [(70, 33), (33, 65)]), ("matmul", [(64, 64), (64, 64)]), ("matmul", [(2, 65, 17), (2, 17, 31)]),
        ("matmul", [(4, 100), (100, 50)]), ("linear", [(9, 70), (30, 70), (30,)]),
    ],
)  # fmt: skip
@pytest.mark.sample(2)
def test_a_product_in_tiles_is_legal_and_right(op: str, shapes: list[tuple[int, ...]]) -> None:
    arrays = [drawn(*shape) for shape in shapes]
    kernel, numbers, memory, shape = tiled(op, *arrays)
    nest = kernel.nest
    assert nest is not None
    assert check(nest, numbers, {name: each.size for name, each in memory.items()}) is nest
    interpret(nest, memory, numbers)
    x, w, *bias = (each.astype(np.float64) for each in arrays)
    wanted = x @ (w if op == "matmul" else w.T) + (bias[0] if bias else 0)
    np.testing.assert_allclose(memory[[*memory][-1]].reshape(shape), wanted, rtol=1e-12, atol=1e-12)


def changed(body: tuple[Statement, ...], change: Callable[[Statement], tuple[Statement, ...]]) -> tuple[Statement, ...]:
    made: list[Statement] = []
    for each in body:
        if isinstance(each, (If, Loop)):
            each = replace(each, body=changed(each.body, change))
        made += change(each)
    return tuple(made)


def product() -> tuple[LoopNest, dict[str, Any], dict[str, Array]]:
    kernel, numbers, memory, _ = tiled("matmul", drawn(70, 33), drawn(33, 65))
    assert kernel.nest is not None
    return kernel.nest, numbers, memory


def test_a_barrier_that_is_left_out_is_a_race() -> None:
    nest, numbers, memory = product()
    hasty = replace(nest, body=changed(nest.body, lambda each: () if isinstance(each, Barrier) else (each,)))
    with pytest.raises(IllegalAccess, match=r" tile.* while another item"):
        interpret(hasty, memory, numbers)


def test_what_nobody_has_stored_is_not_loaded() -> None:
    nest, numbers, memory = product()
    empty = replace(
        nest,
        body=changed(nest.body, lambda each: () if isinstance(each, Loop) and each.index == "right_turn" else (each,)),
    )
    with pytest.raises(IllegalAccess, match=r"right tile.* is loaded before anybody stored it"):
        interpret(empty, memory, numbers)


def test_a_position_outside_of_its_buffer_is_seen_without_running() -> None:
    nest, numbers, memory = product()
    sizes = {name: each.size for name, each in memory.items()}
    small = tuple(replace(each, size=number(541, "int64")) if each.space == "local" else each for each in nest.buffers)
    with pytest.raises(IllegalNest, match=r"left tile\[0..1054\] leaves its 541 elements"):
        check(replace(nest, buffers=small), numbers, sizes)
    with pytest.raises(IllegalNest, match=r"leaves its 100 elements"):
        check(nest, numbers, {**sizes, "b": 100})


def few(body: tuple[Statement, ...], items: int = 4) -> LoopNest:
    memory = Buffer("y", "float32", "global", number(0, "int64"))
    return LoopNest("few", "group", number(1, "int64"), "item", items, (memory,), body)


def test_a_barrier_that_some_items_do_not_come_to_is_seen_either_way() -> None:
    nest = few((If(call("lt", position("item"), 2), (Barrier(),)),))
    with pytest.raises(IllegalNest, match="not all items of a group come to a barrier"):
        check(nest, {}, {"y": 4})
    with pytest.raises(IllegalAccess, match="2 items do not come to a barrier"):
        interpret(nest, {"y": np.zeros(4)}, {})


def test_two_items_that_store_in_one_place_are_seen() -> None:
    nest = few((Store("y", call("floor_div", position("item"), 2), number(1, "float32")),))
    with pytest.raises(IllegalAccess, match=r"y\[0\] is stored while another item may"):
        interpret(nest, {"y": np.zeros(4)}, {})


def test_names_of_nothing_are_seen() -> None:
    with pytest.raises(IllegalNest, match="the index elsewhere is bound nowhere around"):
        check(few((Store("y", position("elsewhere"), number(1, "float32")),)), {}, {"y": 4})
    unrolled = Loop("n", call("add", position("item"), 1), "unrolled", ())
    with pytest.raises(IllegalNest, match="unrolled loop over n has no literal extent"):
        check(few((unrolled,)), {}, {"y": 4})


def test_a_name_that_is_given_in_another_body_is_seen() -> None:
    inner = If(call("lt", position("item"), 2), (Name("inner", number(1, "float32")),))
    nest = few((inner, Store("y", position("item"), read("inner", (), "float32"))))
    with pytest.raises(IllegalNest, match="the name inner is given nowhere around"):
        check(nest, {}, {"y": 4})


def test_a_condition_on_a_sum_of_positions_bounds_what_is_at_multiples_of_them() -> None:
    """`x[2 * item + 2 * step - 1]` is read where `item + step` is at least 1."""
    there = call("add", position("item"), position("step"))
    two = attribute("stride", "int64")
    at = call("sub", call("add", call("mul", position("item"), two), call("mul", position("step"), two)), 1)
    for least, legal in ((1, True), (0, False)):
        store = Store("y", at, number(1, "float32"))
        inside = If(call("ge", there, least), (store,))
        nest = few((Loop("step", number(3, "int64"), "serial", (inside,)),))
        if legal:
            assert check(nest, {"stride": 2}, {"y": 10}) is nest
        else:
            with pytest.raises(IllegalNest, match="leaves its 10 elements"):
                check(nest, {"stride": 2}, {"y": 10})


def test_a_condition_on_a_sum_of_positions_bounds_the_larger_of_it_and_a_number() -> None:
    """`y[max(item + step - 1, 0)]`, where `item + step` is below a number."""
    there = call("add", position("item"), position("step"))
    at = call("maximum", call("sub", there, 1), 0)
    for most, legal in ((4, True), (5, False)):
        inside = If(call("lt", there, most), (Store("y", at, number(1, "float32")),))
        nest = few((Loop("step", number(3, "int64"), "serial", (inside,)),))
        if legal:
            assert check(nest, {}, {"y": 3}) is nest
        else:
            with pytest.raises(IllegalNest, match="leaves its 3 elements"):
                check(nest, {}, {"y": 3})


@pytest.mark.parametrize("behind", [1, 0])
def test_an_index_is_as_far_in_as_what_it_stands_for(behind: int) -> None:
    """`y[3 - step]`, one element further on, where `step` is at least one."""
    step = Let("step", call("add", position("item"), behind))
    store = Store("y", call("add", call("sub", 3, position("step")), 1), number(1, "float32"))
    nest = few((step, store), 3)
    if behind:
        assert check(nest, {}, {"y": 4}) is nest
    else:
        with pytest.raises(IllegalNest, match=r"y\[2..4\] leaves its 4 elements"):
            check(nest, {}, {"y": 4})


# --- on the device ----------------------------------------------------------------------------------------------------


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default device is taken for a card."""
    plans_of_its_own(monkeypatch)
    driver = POCL if core.default_device().is_pocl else GPU.driver
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: replace(GPU, driver=driver)))


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((70, 33), (33, 65)),
        ((1, 300), (300, 90)),
        ((3, 1, 40, 50), (2, 50, 60)),
        ((128, 64), (64, 64)),
        ((65, 0), (0, 3)),
    ],
)
@pytest.mark.sample(5)
def test_products_and_their_gradients_are_right_on_a_card(
    first: tuple[int, ...], second: tuple[int, ...], dtype: str
) -> None:
    a, b = (RNG.standard_normal(shape).astype(dtype) for shape in (first, second))
    left, right = (ag.tensor(each, requires_grad=True) for each in (a, b))
    y = left @ right
    tolerance = {"rtol": 1e-4, "atol": 1e-4} if dtype == "float32" else {"rtol": 1e-11, "atol": 1e-11}
    np.testing.assert_allclose(y.to_host(), a @ b, **tolerance)
    dy = RNG.standard_normal(y.shape).astype(dtype)
    da, db = ag.grad(y, [left, right], grad_outputs=core.from_host(dy))
    wide_a, wide_b = dy @ b.swapaxes(-1, -2), a.swapaxes(-1, -2) @ dy
    for found, wide in ((da, wide_a), (db, wide_b)):
        over = tuple(range(wide.ndim - len(found.shape)))
        total = wide.sum(over)
        kept = tuple(at for at, size in enumerate(found.shape) if size == 1 and total.shape[at] != 1)
        np.testing.assert_allclose(found.to_host(), total.sum(kept, keepdims=True), **tolerance)


@pytest.mark.usefixtures("card")
def test_views_and_what_stands_around_a_product_are_right_on_a_card() -> None:
    x, w, bias = drawn(80, 70), drawn(90, 70), drawn(90)
    found = ag.linear_relu(core.from_host(x)[::-1], core.from_host(w), core.from_host(bias))
    np.testing.assert_allclose(found.to_host(), np.maximum(x[::-1] @ w.T + bias, 0), rtol=1e-4, atol=1e-4)
    found = ag.matmul(core.from_host(x).T, core.from_host(w[:80, :60]))
    np.testing.assert_allclose(found.to_host(), x.T @ w[:80, :60], rtol=1e-4, atol=1e-4)


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("rows", [64, 100])
@pytest.mark.parametrize("length", [64, 257, 700])
def test_rows_and_what_is_pointwise_are_right_on_a_card(rows: int, length: int) -> None:
    x = drawn(rows, length)
    x[0, 0], x[1, -1] = np.nan, np.inf
    e = np.exp(x[2:] - x[2:].max(1, keepdims=True))
    found = {
        "amax": (ag.amax(core.from_host(x), axis=1), x.max(1)),
        "sum": (ag.sum(core.from_host(x[2:]), axis=1), x[2:].astype(np.float64).sum(1)),
        "softmax": (ag.softmax(core.from_host(x[2:])), e / e.sum(1, keepdims=True)),
        "any": (ag.any(core.from_host(x > 2), axis=1), (x > 2).any(1)),
        "tanh": (ag.tanh(core.from_host(x).T), np.tanh(x.T)),
    }
    for name, (ours, wanted) in found.items():
        np.testing.assert_allclose(ours.to_host(), wanted, rtol=1e-5, atol=1e-5, err_msg=name)


@pytest.mark.usefixtures("card")
def test_long_rows_are_a_group_each_on_a_card() -> None:
    x = core.from_host(drawn(100, 300))
    call_of = kernels.catalogue["softmax"].bind([x], {})
    plan = launch.prepare(call_of.formula, call_of.operands, call_of.attributes)
    assert [each.schedules for each in plan.kernels] == [("rows",)]


def test_the_end_of_a_loop_is_compared_as_a_whole() -> None:
    """In C `i < a & 15` is `(i < a) & 15`."""
    count = call("mod", position("group"), 16)
    one = Store("y", position("group"), number(1.0, "float32"))
    nest = LoopNest(
        "f", "group", number(40, "int64"), "item", 1, (Buffer("y", "float32", "global", number(0, "int64")),),
        (Loop("i", count, "serial", (one,)),),
    )  # fmt: skip
    assert "i < (group & 15L); ++i" in text(nest, {"y": "y_"}, Helpers(CPU.driver))


@pytest.mark.parametrize(
    "names",
    [("all_sums", "exact_sum"), ("left_tile", "right_tile"), ("own_total_1", "total_1"), ("chunk", "shared_parts_1")],
)
def test_operands_may_be_called_as_what_a_kernel_keeps(names: tuple[str, str]) -> None:
    one, other = names
    rng = np.random.default_rng(2)
    product = f"op f({one}[i, k]: float, {other}[k, j]: float) -> y[i, j] {{ y = sum[k]({one} * {other}); }}"
    assert_right(kernels.compile(product).f, [rng.standard_normal((20, 33)), rng.standard_normal((33, 18))])
    rows = f"op f({one}[i, k]: float, {other}[i, k]: float) -> y[i] {{ y = sum[k]({one}) + max[k]({other}); }}"
    assert_right(kernels.compile(rows).f, [rng.standard_normal((5, 2000)), rng.standard_normal((5, 2000))])
