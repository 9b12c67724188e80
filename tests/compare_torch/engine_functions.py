"""Programs about functions of one's own."""

from __future__ import annotations

from typing import Any

from libraries import fails, program


def cube(lib: Any) -> Any:
    """x^3 with a gradient of its own, counted."""

    class Cube(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            (x,) = ctx.saved_tensors
            return dy * 3 * x * x

    return Cube


@program
def a_function_of_ones_own(lib: Any) -> Any:
    x = lib.tensor([2.0, 3.0], True)
    y = cube(lib).apply(x)
    y.sum().backward()
    return [lib.numbers(y), lib.numbers(x.grad), y.is_leaf]


@program
def its_backward_is_differentiated(lib: Any) -> Any:
    x = lib.tensor(2.0, True)
    g = lib.grad(cube(lib).apply(x), [x], create_graph=True)[0]
    h = lib.grad(g, [x], create_graph=True)[0]
    return [lib.numbers(g), lib.numbers(h), lib.numbers(lib.grad(h, [x])[0])]


@program
def forward_runs_without_recording(lib: Any) -> Any:
    seen: list[bool] = []

    class Look(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            seen.append(lib.is_grad_enabled())
            return x * 2

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            seen.append(lib.is_grad_enabled())
            return dy * 2

    x = lib.tensor([1.0], True)
    Look.apply(x).sum().backward()
    lib.grad(Look.apply(x).sum(), [x], create_graph=True)
    return seen


@program
def needs_input_grad_tells_what_to_compute(lib: Any) -> Any:
    seen: list[Any] = []

    class Product(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any, scale: float) -> Any:
            ctx.save_for_backward(x, y)
            ctx.scale = scale
            return x * y * scale

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            x, y = ctx.saved_tensors
            seen.append(list(ctx.needs_input_grad))
            return dy * y * ctx.scale, dy * x * ctx.scale, None

    x, y = lib.tensor([2.0], True), lib.tensor([3.0])
    Product.apply(x, y, 10.0).sum().backward()
    return [seen, lib.numbers(x.grad)]


@program
def several_outputs_and_one_unused(lib: Any) -> Any:
    seen: list[Any] = []

    class Two(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            seen.append([lib.numbers(first), lib.numbers(second)])
            return first * 2 + second * 3

    x = lib.tensor([1.0, 2.0], True)
    first, _ = Two.apply(x)
    first.sum().backward()
    return [seen, lib.numbers(x.grad)]


@program
def a_function_of_an_argument_that_may_be_left_out(lib: Any) -> Any:
    class Scaled(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, w: Any, bias: Any = None) -> Any:
            ctx.save_for_backward(x, w)
            ctx.has_bias = bias is not None
            return x * w if bias is None else x * w + bias

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            x, w = ctx.saved_tensors
            return dy * w, dy * x, dy if ctx.has_bias else None

    x, w, bias = lib.tensor([1.0, 2.0], True), lib.tensor([3.0, 5.0], True), lib.tensor([7.0, 8.0], True)
    without, given = Scaled.apply(x, w), Scaled.apply(x, w, bias)
    (without.sum() + 10 * given.sum()).backward()
    return [lib.numbers(each) for each in (without, given, x.grad, w.grad, bias.grad)]


@program
def a_gradient_too_many_is_an_error(lib: Any) -> Any:
    class Twice(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return dy * 2, *Twice.more

    found = []
    for more in ([None], [None, None], [lib.ones(2)], [lib.ones(2), None]):
        Twice.more = more
        x = lib.tensor([1.0, 2.0], True)
        found.append([fails(lambda x=x: Twice.apply(x).sum().backward()), lib.numbers(x.grad)])
    return found


@program
def forward_without_a_ctx_and_what_is_kept_apart(lib: Any) -> Any:
    seen: list[Any] = []

    class Exp(lib.Function):
        @staticmethod
        def forward(x: Any, scale: float = 2.0) -> Any:
            seen.append(lib.is_grad_enabled())
            return (x * scale).exp()

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            x, ctx.scale = inputs
            seen.append([len(inputs), lib.numbers(x), list(ctx.needs_input_grad), lib.is_grad_enabled()])
            ctx.save_for_backward(output)

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            (y,) = ctx.saved_tensors
            return dy * y * ctx.scale, None

    x = lib.tensor([0.5, 1.0], True)
    y = Exp.apply(x)
    g = lib.grad(y.sum(), [x], create_graph=True)[0]
    h = lib.grad(g.sum(), [x])[0]
    plain = Exp.apply(lib.tensor([0.5]), 3.0)
    return [seen, lib.numbers(y), lib.numbers(g), lib.numbers(h), lib.numbers(plain), lib.wants(plain)]


@program
def several_outputs_of_a_forward_without_a_ctx(lib: Any) -> Any:
    class Both(lib.Function):
        @staticmethod
        def forward(x: Any, y: Any) -> Any:
            return x * y, x + y, x * 0

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            product, _, none = output
            ctx.mark_non_differentiable(none)
            ctx.set_materialize_grads(False)
            ctx.save_for_backward(*inputs, product)

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any, _: Any) -> Any:
            x, y, product = ctx.saved_tensors
            by_x, by_y = first * product / x, first * product / y
            return by_x if second is None else by_x + second, by_y if second is None else by_y + second

    x, y = lib.tensor([2.0, 3.0], True), lib.tensor([5.0, 7.0], True)
    product, total, none = Both.apply(x, y)
    both = lib.grad((product * total).sum(), [x, y], create_graph=True)
    second = lib.grad(both[0].sum(), [x, y])
    alone = lib.grad(Both.apply(x, y)[0].sum(), [x, y])
    return [lib.wants(none), *([lib.numbers(each) for each in found] for found in (both, second, alone))]


@program
def a_call_that_does_not_fit_a_forward_without_a_ctx(lib: Any) -> Any:
    class Same(lib.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x * 1

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return dy

    x = lib.tensor([2.0], True)
    return [fails(lambda: Same.apply(x, x)), fails(lambda: Same.apply())]


@program
def an_unused_output_may_come_as_none(lib: Any) -> Any:
    seen: list[bool] = []

    class Two(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            seen.append(second is None)
            return first * 2

    x = lib.tensor([1.0], True)
    Two.apply(x)[0].sum().backward()
    return [seen, lib.numbers(x.grad)]


@program
def an_output_may_be_marked_as_having_no_gradient(lib: Any) -> Any:
    class Split(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            whole, rest = x * 2, x * 3
            ctx.mark_non_differentiable(rest)
            return whole, rest

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            return first * 2

    x = lib.tensor([1.0], True)
    whole, rest = Split.apply(x)
    whole.sum().backward()
    return [lib.wants(whole), lib.wants(rest), lib.numbers(x.grad)]


@program
def an_input_may_be_written_and_marked_dirty(lib: Any) -> Any:
    class AddOne(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            x.add_(lib.ones(1))
            return x

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return dy * 10

    x = lib.tensor([1.0], True)
    y = x * 2
    z = AddOne.apply(y)
    (z * z).sum().backward()
    return [z is y, lib.numbers(y), lib.numbers(x.grad), lib.version(y)]


@program
def too_few_gradients_are_an_error(lib: Any) -> Any:
    class Wrong(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x * y

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return dy

    x, y = lib.tensor([1.0], True), lib.tensor([2.0], True)
    return fails(lambda: Wrong.apply(x, y).sum().backward())


@program
def a_gradient_of_the_wrong_shape_is_an_error(lib: Any) -> Any:
    class Wrong(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return lib.ones(5)

    x = lib.tensor([1.0, 2.0], True)
    return fails(lambda: Wrong.apply(x).sum().backward())


@program
def no_gradient_stands_for_zero(lib: Any) -> Any:
    class Ignored(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x * y

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return dy, None

    x, y = lib.tensor([1.0], True), lib.tensor([2.0], True)
    Ignored.apply(x, y).sum().backward()
    return [lib.numbers(x.grad), y.grad is None]


@program
def once_differentiable_refuses_a_second_derivative(lib: Any) -> Any:
    class Once(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @lib.once_differentiable
        def backward(ctx: Any, dy: Any) -> Any:
            (x,) = ctx.saved_tensors
            return dy * 2 * x

    x = lib.tensor(3.0, True)
    g = lib.grad(Once.apply(x), [x], create_graph=True)[0]
    return [lib.numbers(g), fails(lambda: lib.grad(g, [x]))]


@program
def a_saved_input_of_a_function_may_not_be_written(lib: Any) -> Any:
    x = lib.tensor([2.0], True) * 1
    y = cube(lib).apply(x).sum()
    x.add_(lib.ones(1))
    return fails(lambda: y.backward())


@program
def saved_values_of_a_function_are_released(lib: Any) -> Any:
    x = lib.tensor([2.0], True)
    y = cube(lib).apply(x).sum()
    y.backward()
    return fails(lambda: y.backward())


@program
def a_function_without_gradients_is_not_recorded(lib: Any) -> Any:
    y = cube(lib).apply(lib.tensor([2.0]))
    return [lib.wants(y), lib.numbers(y)]


@program
def a_function_saves_its_output(lib: Any) -> Any:
    class Exponential(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            (y,) = ctx.saved_tensors
            return dy * y

    x = lib.tensor(0.5, True)
    y = Exponential.apply(x)
    found = []
    for _ in range(3):
        y = lib.grad(y, [x], create_graph=True)[0]
        found.append(lib.numbers(y))
    return found


@program
def backward_may_run_backward(lib: Any) -> Any:
    class Nested(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            (x,) = ctx.saved_tensors
            with lib.enable_grad():
                inner = lib.tensor(lib.numbers(x), True)
                (inner * inner).sum().backward()
            return dy * inner.grad

    x = lib.tensor([3.0], True)
    Nested.apply(x).sum().backward()
    return lib.numbers(x.grad)


@program
def an_error_in_backward_reaches_the_caller(lib: Any) -> Any:
    class Broken(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            raise ValueError("planted in backward")

    x = lib.tensor([3.0], True)
    try:
        Broken.apply(x).sum().backward()
    except ValueError as error:
        return "planted in backward" in str(error)
    return "no error"
