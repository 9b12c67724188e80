"""Forward mode: tangents beside values, in any nesting with gradients, through Functions, views and in-place ops."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact import Vector, add, leaf, mul, product_and_sum, reciprocal, total, vector, window

from netcl import autograd as ag
from netcl import core
from netcl.core import GraphError, ShapeError
from netcl.core.errors import DtypeError

ONE = Fraction(1)


def x64(*numbers: float) -> Any:
    return core.from_host(np.array(numbers, np.float64))


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found.to_host(), expected, rtol=1e-12, atol=1e-12)


# --- on exact numbers: ops that have a gradient only ------------------------------------------------------------------


def cube(x: Any) -> Any:
    return mul(mul(x, x), x)


def along(fn: Any, x: Any, t: Any = ONE) -> Any:
    return ag.jvp(fn, x, t)[1]


def test_a_tangent_is_had_from_an_op_that_has_a_gradient_only() -> None:
    assert ag.jvp(cube, Fraction(2), Fraction(5)) == (8, 60)
    assert ag.jvp(reciprocal, Fraction(2), ONE) == (Fraction(1, 2), Fraction(-1, 4))
    assert ag.jvp(product_and_sum, (Fraction(2), Fraction(3)), (ONE, Fraction(2))) == ((6, 5), (7, 3))


def test_perturbations_of_nested_derivatives_are_not_confused() -> None:
    # d/dx (x * d/dy (x + y)) is 1, and d/dx (x * d/dy (x * y)) is 2 x
    assert along(lambda x: mul(x, along(lambda y: add(x, y), ONE)), ONE) == 1
    assert along(lambda x: mul(x, along(lambda y: mul(x, y), ONE)), Fraction(3)) == 6
    assert ag.grad(lambda x: mul(x, ag.grad(lambda y: mul(x, y))(ONE)))(Fraction(3)) == 6
    assert ag.grad(lambda x: mul(x, along(lambda y: mul(x, y), ONE)))(Fraction(3)) == 6
    assert along(lambda x: mul(x, ag.grad(lambda y: mul(x, y))(ONE)), Fraction(3)) == 6


@pytest.mark.promise("F12")
@pytest.mark.parametrize("outer", [along, lambda fn, x: ag.grad(fn)(x)], ids=["jvp", "grad"])
@pytest.mark.parametrize("middle", [along, lambda fn, x: ag.grad(fn)(x)], ids=["jvp", "grad"])
@pytest.mark.parametrize("inner", [along, lambda fn, x: ag.grad(fn)(x)], ids=["jvp", "grad"])
def test_third_derivatives_in_every_nesting_of_forward_and_reverse(outer: Any, middle: Any, inner: Any) -> None:
    def quintic(x: Any) -> Any:
        return mul(cube(x), mul(x, x))

    assert outer(lambda x: middle(lambda y: inner(quintic, y), x), Fraction(2)) == 60 * 4


def test_a_tangent_may_be_a_node_and_is_differentiated() -> None:
    x, t = leaf(3), leaf(5)
    value, tangent = ag.jvp(cube, x, t)
    assert (value.value, tangent.value) == (27, 135)
    assert ag.grad(tangent, [x, t]) == [6 * 3 * 5, 27]


def test_a_jvp_inside_no_grad_has_no_history() -> None:
    with ag.no_grad():
        assert ag.jvp(cube, leaf(2), leaf(1)) == (8, 12)


def test_a_gradient_by_a_node_inside_of_a_jvp_goes_with_the_tangent() -> None:
    def slope_at_a_computed_node(x: Any) -> Any:
        with ag.enable_grad():
            y = mul(leaf(1), mul(x, x))
            return ag.grad(mul(y, y), y)  # 2 y = 2 x^2

    assert ag.jvp(slope_at_a_computed_node, Fraction(3), ONE) == (18, 12)


def test_gradients_that_meet_are_added_with_their_tangents() -> None:
    def fn(x: Any) -> Any:
        return add(mul(x, x), add(mul(x, x), mul(x, 3)))

    assert ag.hvp(fn, Fraction(2), ONE) == (14, 4)


def test_what_a_finished_jvp_left_on_a_value_counts_for_nothing() -> None:
    kept: list[Any] = []

    def fn(x: Any) -> Any:
        kept.append(mul(x, x))
        return x

    ag.jvp(fn, Fraction(3), ONE)
    assert ag.jvp(lambda y: mul(kept[0], y), Fraction(2), ONE) == (18, 9)
    assert mul(kept[0], 2) == 18


def test_a_graph_that_was_recorded_in_a_jvp_is_freed_without_the_collector() -> None:
    gc.disable()
    try:
        x = leaf(2)
        value, tangent = ag.jvp(lambda x: reciprocal(mul(x, x)), x, ONE)
        records = [weakref.ref(value.grad_fn), weakref.ref(tangent.grad_fn)]
        del value, tangent
        assert [record() for record in records] == [None, None]
    finally:
        gc.enable()


def test_linearize_runs_the_function_once() -> None:
    runs = []

    def fn(x: Any) -> Any:
        runs.append(1)
        return cube(x), 7

    outputs, push = ag.linearize(fn, Fraction(2))
    assert outputs == (8, 7)
    assert [push(Fraction(t)) for t in (1, 3)] == [(12, 0), (36, 0)]
    assert len(runs) == 1


@pytest.mark.promise("L24")
def test_a_session_gives_tangents_of_what_was_recorded() -> None:
    with ag.Session() as session:
        x, y, c = session.param(Fraction(3)), session.param(Fraction(5)), session.const(Fraction(7))
        square = mul(x, x)
        product, both = product_and_sum(square, y)
        constant = mul(c, 2)
    assert session.jvp_leaf(product, x, Fraction(2)) == 2 * 3 * 5 * 2
    assert session.jvp_scalar_leaf(product, y) == 9
    assert session.jvp_leaf(both, y, Fraction(4)) == 4
    found = session.jvp_dense_all({x: ONE, y: Fraction(2)})
    assert found == [1, 2, 0, 6, (30 + 18, 8)]
    assert session.jvp_dense_all({y: ONE}) == [0, 1, 0, 0, (9, 1)]
    assert constant == 14
    assert product.value == 45


# --- Function ---------------------------------------------------------------------------------------------------------


class Both(ag.Function):
    """x^2 y, with a jvp and a backward."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any, name: str) -> Any:
        ctx.save_for_backward(x, y)
        return x * x * y

    @staticmethod
    def backward(ctx: Any, dz: Any) -> Any:
        x, y = ctx.saved_tensors
        return mul(mul(mul(x, y), 2), dz), mul(mul(x, x), dz), None

    @staticmethod
    def jvp(ctx: Any, dx: Any, dy: Any, name: Any) -> Any:
        calls.append((dx is None, dy is None, name))
        x, y = ctx.saved_tensors
        result = None if dx is None else mul(mul(mul(x, y), 2), dx)
        if dy is None:
            return result
        part = mul(mul(x, x), dy)
        return part if result is None else add(result, part)


calls: list[Any] = []


@pytest.mark.promise("F13")
def test_a_function_with_a_jvp_and_a_backward_goes_both_ways_at_any_order() -> None:
    calls.clear()
    assert ag.jvp(lambda x: Both.apply(x, Fraction(5), "name"), Fraction(3), ONE) == (45, 30)
    assert calls == [(False, True, None)]

    def fn(x: Any, y: Any) -> Any:
        return Both.apply(x, y, "name")

    at, direction = (Fraction(3), Fraction(5)), (ONE, Fraction(2))
    assert ag.jvp(fn, at, direction) == (45, 30 + 18)
    assert ag.hvp(fn, at, direction) == ag.vhp(fn, at, direction) == (45, (10 + 12, 6))
    assert ag.grad(lambda x: along(lambda z: Both.apply(z, Fraction(5), ""), x))(Fraction(3)) == 10
    assert along(lambda x: along(lambda z: Both.apply(z, Fraction(5), ""), x), Fraction(3)) == 10


def test_the_tangent_of_a_function_without_a_jvp_is_had_from_its_backward() -> None:
    class Reverse(Both):
        jvp = None

    assert ag.jvp(lambda x, y: Reverse.apply(x, y, ""), (Fraction(3), Fraction(5)), (ONE, ONE)) == (45, 39)
    assert along(lambda x: along(lambda z: Reverse.apply(z, Fraction(5), ""), x), Fraction(3)) == 10


def test_a_function_whose_backward_is_not_made_of_ops_has_no_tangent_and_says_so() -> None:
    class Plain(ag.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return 2 * getattr(dy, "value", dy)

    with pytest.raises(GraphError, match=r"Plain: it has no tangent rule.*static jvp"):
        along(Plain.apply, ONE)

    class Once(Plain):
        @staticmethod
        @ag.once_differentiable
        def backward(ctx: Any, dy: Any) -> Any:
            return 2 * dy

    with pytest.raises(GraphError, match=r"Once: .*unless it has a jvp"):
        along(Once.apply, ONE)


def test_a_wrong_tangent_is_named() -> None:
    class Wrong(ag.Function):
        returned: Any = None

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def jvp(ctx: Any, dx: Any) -> Any:
            return Wrong.returned

    Wrong.returned = (vector(1), vector(2))
    with pytest.raises(GraphError, match="Wrong: its jvp returned 2 tangents, but there are 1 outputs"):
        ag.jvp(Wrong.apply, vector(1, 2), vector(1, 2))
    Wrong.returned = vector(1)
    with pytest.raises(ShapeError, match=r"Wrong: its jvp returned shape \(1,\) for output 0"):
        ag.jvp(Wrong.apply, vector(1, 2), vector(1, 2))
    Wrong.returned = None
    assert ag.jvp(Wrong.apply, vector(1, 2), vector(1, 2))[1].numbers == [0, 0]


def test_an_output_that_is_not_differentiable_has_no_tangent() -> None:
    class Parts(ag.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            whole = Fraction(x.numerator // x.denominator)
            ctx.mark_non_differentiable(whole)
            return x - whole, whole

        @staticmethod
        def backward(ctx: Any, d_part: Any, d_whole: Any) -> Any:
            return d_part

    assert ag.jvp(Parts.apply, Fraction(7, 2), ONE) == ((Fraction(1, 2), 3), (1, 0))


def test_a_function_that_writes_an_argument_with_a_tangent_is_refused() -> None:
    class Doubled(ag.Function):
        @staticmethod
        def forward(ctx: Any, x: Vector) -> Vector:
            ctx.mark_dirty(x)
            x.numbers = [2 * n for n in x.numbers]
            return x

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return dy + dy

    x = vector(1, 2)
    with pytest.raises(GraphError, match="Doubled: it writes an argument in place that has a tangent"):
        ag.jvp(Doubled.apply, x, vector(1, 1))
    assert x.numbers == [1, 2]


# --- ops of the catalogue ---------------------------------------------------------------------------------------------


def test_views_carry_views_of_the_tangent() -> None:
    value, tangent = ag.jvp(lambda x: x.reshape(2, 2).T[1], x64(1, 2, 3, 4), x64(5, 6, 7, 8))
    close(value, [2, 4])
    close(tangent, [6, 8])
    assert ag.jvp(lambda x: total(window(x, 1, 3)), vector(1, 2, 3), vector(4, 5, 6)) == (5, 11)


def in_place_forms() -> Iterator[Any]:
    def on_a_value(x: Any) -> Any:
        y = x * 2.0
        y.mul_(x)
        return y.add_(1.0) * x

    def through_a_view(x: Any) -> Any:
        y = x * 2.0
        y[1] = x[0] * x[1]
        y[0].mul_(x[1])
        return y * y

    def of_a_base_with_a_view(x: Any) -> Any:
        y = x * 1.0
        view = y[:2]
        y.mul_(x)
        return view * view

    def with_a_constant(x: Any) -> Any:
        y = x * x
        y[1:] = 3.0
        return y * x

    def through_a_view_of_a_view(x: Any) -> Any:
        y = x * x
        y.reshape(1, 3)[0][1:].add_(x[0])
        return y * x

    yield from (on_a_value, through_a_view, of_a_base_with_a_view, with_a_constant, through_a_view_of_a_view)


@pytest.mark.parametrize("fn", list(in_place_forms()), ids=lambda fn: fn.__name__)
def test_writes_in_place_give_the_tangents_of_differences(fn: Any) -> None:
    x, t = np.array([1.5, -2.0, 0.5]), np.array([1.0, 0.3, -0.7])
    tangent = ag.jvp(fn, core.from_host(x), core.from_host(t))[1].to_host()
    ends = [fn(ag.Node(core.from_host(x + step * t))) for step in (1e-6, -1e-6)]
    difference = (ends[0].to_host() - ends[1].to_host()) / 2e-6
    np.testing.assert_allclose(tangent, difference, rtol=1e-7, atol=1e-7)
    _, push = ag.linearize(fn, core.from_host(x))
    np.testing.assert_array_equal(push(core.from_host(t)).to_host(), tangent)
    weights = core.from_host(np.array([1.0, 2.0, 3.0])[: len(tangent)])
    reverse = ag.vjp(fn, core.from_host(x), weights)[1].to_host()
    np.testing.assert_allclose((weights.to_host() * tangent).sum(), (reverse * t).sum(), rtol=1e-12)


def test_a_write_that_would_lose_a_tangent_is_refused() -> None:
    def into_a_tensor(x: Any) -> Any:
        plain = x64(0, 0)
        plain.add_(x)
        return plain

    with pytest.raises(GraphError, match="add_: the target is a plain Tensor"):
        ag.jvp(into_a_tensor, x64(1, 2), x64(1, 1))


def test_linearize_finds_out_that_a_value_it_reads_was_written() -> None:
    x = x64(1, 2)
    _, push = ag.linearize(lambda x: x * x, x)
    close(push(x64(1, 1)), [2, 4])
    x.add_(1.0)
    with pytest.raises(GraphError, match=r"linearize: a value of shape \(2,\).*changed in place.*expected version 0"):
        push(x64(1, 1))


def composites(x: Any) -> Iterator[Any]:
    """Recipes and functions of several ops, as numbers."""
    square = x.reshape(2, 2)
    yield ag.cat([square, square * 2.0], axis=1) * 3.0
    yield ag.norm(square, axis=0)
    yield ag.norm(square, ord=3)
    yield ag.dropout(square, 0.5, seed=7) * square
    yield ag.attention(square, square * 0.5, square, causal=True)
    yield ag.stack([x, x.flip()]).sum(0) ** 3
    yield x[core.from_host(np.array([3, 0, 3]))] * 2.0
    yield ag.amax(square, axis=1) * ag.floor(x).sum()
    yield ag.batch_norm(x.reshape(4, 1))
    yield ag.where(x > 1, x.sqrt(), x * 0.0)


def test_composites_push_tangents_as_their_gradients_pull() -> None:
    def fn(x: Any) -> Any:
        return tuple(composites(x))

    x, t = x64(1.5, 2.0, 0.7, 1.1), x64(0.3, -1.0, 0.5, 2.0)
    values, tangents = ag.jvp(fn, x, t)
    random = np.random.default_rng(0)
    seeds = [random.uniform(-1, 1, value.shape) for value in values]
    pulled = ag.vjp(fn, x, tuple(map(core.from_host, seeds)))[1]
    pushed = sum((seed * tangent.to_host()).sum() for seed, tangent in zip(seeds, tangents, strict=True))
    np.testing.assert_allclose(pushed, (pulled.to_host() * t.to_host()).sum(), rtol=1e-12)


def test_tangents_at_hard_points_follow_the_declared_gradient() -> None:
    close(ag.jvp(lambda x: ag.norm(x), x64(0, 0), x64(1, 2))[1], 0)
    close(ag.jvp(ag.relu, x64(0, 1, -1), x64(1, 1, 1))[1], [0, 1, 0])
    close(ag.jvp(ag.hypot, (x64(0), x64(0)), (x64(1), x64(1)))[1], [0])
    close(ag.jvp(lambda x: x * x, x64(), x64())[1], [])


def test_only_operands_that_have_a_tangent_are_differentiated() -> None:
    seen: list[Any] = []

    class Spy(ag.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a * b

        @staticmethod
        def jvp(ctx: Any, da: Any, db: Any) -> Any:
            seen.append((da is None, db is None))

    ag.jvp(lambda x: Spy.apply(x, ag.floor(x)), x64(1, 2), x64(1, 1))
    assert seen == [(False, True)]


def test_forward_over_reverse_through_a_checkpoint() -> None:
    x, v = x64(1, 2), x64(1, -1)
    expected = ag.hvp(lambda x: (ag.sin(x) * x).sum(), x, v)
    found = ag.hvp(lambda x: ag.checkpoint(lambda y: (ag.sin(y) * y).sum(), x), x, v)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.to_host(), other.to_host())
    x = ag.Node(x, True)
    tangent = ag.jvp(lambda x: ag.checkpoint(lambda y: (ag.sin(y) * y).sum(), x), x, v)[1]
    by = x.to_host()
    second = (2 * np.cos(by) - by * np.sin(by)) * v.to_host()
    close(ag.grad(tangent, x), second)


def test_inputs_and_tangents_that_do_not_fit_are_named() -> None:
    with pytest.raises(ShapeError, match=r"jvp: input 0 has shape \(2,\), its tangent \(3,\)"):
        ag.jvp(ag.sin, x64(1, 2), x64(1, 2, 3))
    with pytest.raises(DtypeError, match=r"jvp: input 0 is float64, its tangent float32"):
        ag.jvp(ag.sin, x64(1, 2), core.from_host(np.ones(2, np.float32)))
    with pytest.raises(DtypeError, match=r"jvp: argument 0\['n'\] is int64, and only floats have a derivative"):
        ag.jvp(lambda tree: tree["n"], {"n": core.from_host(np.array([1]))}, {"n": None})


@pytest.mark.parametrize("power", [3, 4, 5])
@pytest.mark.sample(2)
def test_products_of_hessian_products_are_differentiated(power: int) -> None:
    """With g(y) = q''(2 y) v and q = z ** power, multiplied out: each factor is a product rule's business."""
    x, one = ag.tensor(2.0, dtype="float64"), ag.tensor(1.0, dtype="float64")

    def q(z: Any) -> Any:
        result = z
        for _ in range(power - 1):
            result = result * z
        return result

    def f(x: Any) -> Any:
        return ag.hvp(lambda y: ag.hvp(q, y * 2, y)[1], x, x)[1]

    def exact(x: float) -> float:  # d/dy^2 of y q''(2 y), times x
        factor = power * (power - 1) * 2.0 ** (power - 2)
        return factor * (power - 1) * (power - 2) * x ** (power - 3) * x

    assert f(x).item() == pytest.approx(exact(2.0))
    slope = exact(2.0) * (power - 2) / 2.0
    for found in (ag.grad(f)(x), ag.jvp(f, x, one)[1], ag.jit(ag.grad(f))(x)):
        assert found.item() == pytest.approx(slope)


@pytest.mark.parametrize(
    "inside",
    [
        lambda y: ag.grad(lambda z: (z * z * z).sum())(y),
        lambda y: ag.vmap(ag.grad(lambda z: (z * z * z).sum()))(y),
        lambda y: ag.vhp(lambda z: (z * z * z).sum(), y, y)[1],
        lambda y: ag.hvp(lambda z: (z * z * z).sum(), y, y)[1],
        lambda y: ag.jacobian(lambda z: ag.sin(z) * z, y).sum((0, 1)),
        lambda y: ag.checkpoint(ag.grad(lambda z: (z * z * z).sum()), ag.sin(y)),
    ],
    ids=["grad", "vmap", "vhp", "hvp", "jacobian", "checkpoint"],
)
@pytest.mark.sample(2)
def test_a_checkpointed_function_may_take_gradients_itself(inside: Any) -> None:
    x = core.from_host(np.random.default_rng(0).normal(size=(2, 3)))
    for around in (
        lambda f: f(x),
        lambda f: ag.grad(lambda y: (f(y) ** 2).sum())(x),
        lambda f: ag.hvp(lambda y: (f(y) ** 2).sum(), x, x)[1],
    ):
        plain, kept = around(inside), around(lambda y: ag.checkpoint(inside, y))
        np.testing.assert_allclose(kept.to_host(), plain.to_host(), rtol=1e-12)
