"""Function: an op written as a class."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact import Vector, add, leaf, mul, total, vector, vector_leaf

from netcl import autograd as ag
from netcl import core
from netcl.core import DtypeError, GraphError, ShapeError


class Cube(ag.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        (x,) = ctx.saved_tensors
        return mul(mul(mul(x, x), 3), dy)


class Inverse(ag.Function):
    """Saves its output."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = 1 / x
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        (y,) = ctx.saved_tensors
        return mul(mul(mul(y, y), -1), dy)


@pytest.mark.promise("P21")
def test_forward_and_backward_at_first_and_second_order() -> None:
    x = leaf(3)
    y = Cube.apply(x)
    assert (y.value, y.op_name) == (27, "Cube")
    first = ag.grad(y, x, create_graph=True)
    assert first.value == 27
    assert ag.grad(first, x) == 18


def test_a_saved_output_is_joined_to_the_graph() -> None:
    x = leaf(2)
    first = ag.grad(Inverse.apply(x), x, create_graph=True)
    assert (first.value, ag.grad(first, x)) == (Fraction(-1, 4), Fraction(1, 4))


@pytest.mark.promise("P21")
def test_several_inputs_outputs_numbers_and_attributes() -> None:
    class Mixed(ag.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, power: int, b: Any, name: str) -> Any:
            ctx.power, ctx.name = power, name
            ctx.save_for_backward(a, b)
            seen.append(ctx.needs_input_grad)
            return a**power, a * b

        @staticmethod
        def backward(ctx: Any, d_power: Any, d_product: Any) -> Any:
            a, b = ctx.saved_tensors
            assert ctx.name == "mixed"
            return ctx.power * a ** (ctx.power - 1) * d_power + b * d_product, None, a * d_product, None

    seen: list[Any] = []
    a, b = leaf(2), leaf(5)
    power, product = Mixed.apply(a, 3, b, "mixed")
    add(power, mul(product, 10)).backward()
    assert (a.grad, b.grad) == (12 + 50, 20)
    product = Mixed.apply(a, 3, Fraction(5), "mixed")[1]
    product.backward()
    assert a.grad == 12 + 50 + 5  # the output that was not used had a gradient of zero
    assert seen == [(True, False, True, False), (True, False, False, False)]


@pytest.mark.promise("P23")
def test_an_unused_output_has_none_if_gradients_are_not_materialized() -> None:
    class Two(ag.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x, x * 2

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            seen.append(gradients)
            return gradients[1]

    seen: list[Any] = []
    Two.apply(leaf(1))[1].backward()
    assert seen == [(None, 1)]


@pytest.mark.promise("P23", "P18")
def test_an_output_can_be_marked_as_not_differentiable() -> None:
    class Parts(ag.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            whole = Fraction(x.numerator // x.denominator)
            ctx.mark_non_differentiable(whole)
            return x - whole, whole

        @staticmethod
        def backward(ctx: Any, d_part: Any, d_whole: Any) -> Any:
            return d_part

    x = leaf(Fraction(7, 2))
    part, whole = Parts.apply(x)
    assert (part.requires_grad, whole.requires_grad) == (True, False)
    part.backward()
    assert x.grad == 1


@pytest.mark.parametrize(("marked", "word"), [(3, "an int"), (None, "None")])
def test_only_what_forward_returns_is_marked_as_non_differentiable(marked: Any, word: str) -> None:
    class Same(ag.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_non_differentiable(marked)
            return x

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return dy

    with pytest.raises(GraphError, match=f"Same: mark_non_differentiable takes outputs of forward, not {word}"):
        Same.apply(ag.tensor([1.0, 2.0]))


@pytest.mark.promise("P25")
def test_once_differentiable_refuses_a_second_derivative() -> None:
    class Once(ag.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @ag.once_differentiable
        def backward(ctx: Any, dy: Any) -> Any:
            (x,) = ctx.saved_tensors
            assert not isinstance(x, ag.Node)
            return 2 * x * dy

    x = leaf(3)
    assert ag.grad(Once.apply(x), x) == 6
    first = ag.grad(Once.apply(x), x, create_graph=True)
    assert first.value == 6
    with pytest.raises(GraphError, match=r"Once: .*once_differentiable"):
        ag.grad(first, x)


@pytest.mark.promise("P24")
def test_wrong_gradients_are_named_after_the_function() -> None:
    class Wrong(ag.Function):
        returned: Any = None

        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return Wrong.returned

    x, y = vector_leaf(1, 2), vector_leaf(3, 4)
    Wrong.returned = vector(1, 2)
    with pytest.raises(GraphError, match="Wrong: its grad_fn returned 1 gradients"):
        total(Wrong.apply(x, y)).backward()
    Wrong.returned = None, vector(1)
    with pytest.raises(ShapeError, match=r"Wrong: gradient shape mismatch.*operand 1"):
        total(Wrong.apply(x, y)).backward()


def test_nones_may_follow_for_arguments_that_were_not_given() -> None:
    class Scaled(ag.Function):
        more: Any = (None, None)

        @staticmethod
        def forward(ctx: Any, x: Any, bias: Any = None, clip: Any = None) -> Any:
            return x * 3

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return mul(dy, 3), *Scaled.more

    x = leaf(2)
    assert ag.grad(Scaled.apply(x), x) == 3
    Scaled.more = None, Fraction(1)
    with pytest.raises(GraphError, match="Scaled: its grad_fn returned 3 gradients"):
        ag.grad(Scaled.apply(x), x)


def test_what_is_kept_for_backward_may_stand_apart_from_forward() -> None:
    class Power(ag.Function):
        @staticmethod
        def forward(x: Any, times: int = 2) -> Any:
            return x**times, x

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            x, ctx.times = inputs
            assert output == (x**ctx.times, x)
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx: Any, dy: Any, dx: Any) -> Any:
            (x,) = ctx.saved_tensors
            slope = mul(x, 2) if ctx.times == 2 else mul(mul(x, x), 3)
            return add(mul(slope, dy), dx), None

    assert Power.forward(3) == (9, 3)
    x = leaf(3)
    first = ag.grad(Power.apply(x)[0], x, create_graph=True)
    assert (first.value, ag.grad(first, x)) == (6, 2)
    assert ag.grad(Power.apply(x, 3)[0], x) == 27
    with pytest.raises(TypeError, match=r"Power: too many positional arguments; with a setup_context forward has no"):
        Power.apply(x, 2, 3)


class Doubled(ag.Function):
    """Writes its input."""

    @staticmethod
    def forward(ctx: Any, x: Vector) -> Vector:
        ctx.mark_dirty(x)
        x.numbers = [2 * n for n in x.numbers]
        return x

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        return dy + dy


@pytest.mark.promise("P22")
def test_a_function_may_write_its_input_in_place() -> None:
    x = vector_leaf(1, 2)
    y = ag.apply_op(Vector.clone, lambda saved, needs, dy: [dy], x, op_name="clone", saves=())
    z = Doubled.apply(y)
    assert z is y
    assert (y.op_name, y.version, y.value.numbers) == ("Doubled", 1, [2, 4])
    total(y).backward()
    assert x.grad.numbers == [2, 2]
    with pytest.raises(GraphError, match="a leaf that requires a gradient"):
        Doubled.apply(x)
    assert x.value.numbers == [1, 2]


@pytest.mark.promise("P8", "A20")
def test_a_saved_value_of_a_function_that_was_written_is_refused() -> None:
    class Keeps(ag.Function):
        @staticmethod
        def forward(ctx: Any, x: Vector) -> Vector:
            ctx.save_for_backward(x)
            return x.clone()

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return dy * ctx.saved_tensors[0]

    x = vector_leaf(1, 2)
    y = Keeps.apply(x)
    assert y.grad_fn.saved["value0"] is x.value
    x.value.bump_version()
    with pytest.raises(GraphError, match=r"Keeps: the saved value 0.*expected version 0"):
        total(y).backward()


def test_a_function_on_plain_values_records_nothing() -> None:
    assert Cube.apply(Fraction(2)) == 8


@pytest.mark.promise("F22")
def test_a_function_may_free_its_gradients_and_saved_values_while_it_runs() -> None:
    from netcl import core

    live: list[int] = []

    def note() -> None:
        live.append(core.memory_stats()["live_bytes"])

    class Thrifty(ag.Function):
        boxed_grads = True
        clear_saved_on_access = True

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x * 2.0)
            return x * x

        @staticmethod
        def backward(ctx: Any, gradients: list[Any]) -> Any:
            note()
            (doubled,) = ctx.saved_tensors
            dx = doubled * gradients.pop()
            note()
            del doubled
            note()
            return dx

    x = ag.ones((1000,), requires_grad=True)
    y = ag.exp(Thrifty.apply(x)).sum()
    y.backward(retain_graph=True)
    first, kept = x.grad.to_host(), live[:]
    live.clear()
    x.zero_grad()
    y.backward()
    assert (x.grad.to_host() == first).all()
    # dx is made and dy goes; then the saved value goes, if the graph is not retained.
    assert [after - before for before, after in itertools.pairwise(live)] == [0, -4000]
    assert [after - before for before, after in itertools.pairwise(kept)] == [0, 0]
    with pytest.raises(GraphError, match="released"):
        y.backward()
    once = Thrifty.apply(x)
    once.backward()
    with pytest.raises(GraphError, match="Thrifty: the values saved for backward were released"):
        once.backward()


@pytest.mark.promise("F22")
def test_saved_values_that_are_cleared_on_access_are_read_once() -> None:
    class Twice(ag.Function):
        clear_saved_on_access = True

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return ctx.saved_tensors[0] * dy + ctx.saved_tensors[0] * dy

    x = leaf(3)
    Twice.apply(x).backward(retain_graph=True)
    assert x.grad == 6
    with pytest.raises(GraphError, match="Twice: its saved values were read before"):
        Twice.apply(x).backward()


def test_a_gradient_that_a_backward_joined_to_a_graph_leaves_it_unless_one_was_asked_for() -> None:
    weight = leaf(3)

    class Weighted(ag.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            with ag.enable_grad():
                return mul(weight, dy)

    x = leaf(2)
    assert not isinstance(ag.grad(Weighted.apply(mul(x, 2)), x), ag.Node)
    Weighted.apply(mul(x, 2)).backward()
    assert (x.grad, weight.grad) == (6, None)
    assert not isinstance(x.grad, ag.Node)


NO_TENSORS = {
    "None": None,
    "a numpy array of shape (3,)": np.ones(3, np.float32),
    "a numpy float32": np.float32(2),
    "a dict": {"y": 1},
    "a str": "y",
}


def returning(forward: Any = None, backward: Any = None, jvp: Any = None) -> Any:
    """A Function of Tensors that returns those in the place of what it computes."""

    class Returning(ag.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2.0 if forward is None else forward[0]

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return dy * 2.0 if backward is None else backward[0]

    if jvp is not None:
        Returning.jvp = lambda ctx, tangent: jvp[0]
    return Returning.apply


@pytest.mark.parametrize("kind", NO_TENSORS)
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("requires_grad", [False, True])
def test_what_forward_returns_is_a_tensor_or_a_tuple_of_them(kind: str, several: bool, requires_grad: bool) -> None:
    x = ag.tensor([1.0, 2.0, 3.0], requires_grad=requires_grad)
    returned = (core.ones((3,)), NO_TENSORS[kind]) if several else NO_TENSORS[kind]
    with pytest.raises(DtypeError) as caught:
        returning(forward=[returned])(x)
    assert f"Returning: what forward returned: this is {kind}" in str(caught.value)


def test_forward_returns_no_number_for_tensors() -> None:
    with pytest.raises(DtypeError, match="Returning: what forward returned: this is a float"):
        returning(forward=[3.0])(ag.ones(3, requires_grad=True))


@pytest.mark.parametrize("kind", [kind for kind in NO_TENSORS if kind != "None"])
def test_what_backward_and_jvp_return_are_tensors(kind: str) -> None:
    x = ag.ones(() if "float32" in kind else 3, requires_grad=True)
    given = returning(backward=[NO_TENSORS[kind]])
    for call in (lambda: given(x).sum().backward(), lambda: ag.grad(given(x).sum(), x)):
        with pytest.raises(DtypeError) as caught:
            call()
        assert f"what its grad_fn returned for operand 0: this is {kind}" in str(caught.value)
    with pytest.raises(DtypeError) as caught:
        ag.jvp(returning(jvp=[NO_TENSORS[kind]]), (x,), (core.full(x.shape, 1.0),))
    assert f"what its jvp returned for output 0: this is {kind}" in str(caught.value)
