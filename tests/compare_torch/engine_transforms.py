"""Programs about gradient checks, and the functional transforms."""

from __future__ import annotations

from typing import Any

from libraries import fails, program


@program
def gradcheck_passes_what_is_right(lib: Any) -> Any:
    x, y = lib.tensor([0.3, 0.7], True), lib.tensor([1.5, 2.5], True)
    return [lib.gradcheck(lambda a, b: (a * b).exp() / b, (x, y)), lib.gradgradcheck(lambda a, b: a.sin() * b, (x, y))]


@program
def gradcheck_finds_a_wrong_gradient(lib: Any) -> Any:
    class Wrong(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            (x,) = ctx.saved_tensors
            return dy * 3 * x

    x = lib.tensor([0.3, 0.7], True)
    return fails(lambda: lib.gradcheck(Wrong.apply, (x,)))


@program
def gradcheck_finds_a_gradient_that_ignores_its_seed(lib: Any) -> Any:
    class Careless(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return lib.ones(2)

    x = lib.tensor([0.3, 0.7], True)
    return fails(lambda: lib.gradcheck(lambda x: Careless.apply(x), (x,)))


@program
def gradcheck_wants_an_input_with_a_gradient(lib: Any) -> Any:
    return fails(lambda: lib.gradcheck(lambda x: x * x, (lib.tensor([1.0]),)))


@program
def gradcheck_of_a_step_function(lib: Any) -> Any:
    x = lib.tensor([0.3, 0.7], True)
    return lib.gradcheck(lambda x: x.floor() + x * 0, (x,))


@program
def gradgradcheck_finds_a_wrong_second_derivative(lib: Any) -> Any:
    class Half(lib.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            (x,) = ctx.saved_tensors
            return dy * 2 * x.detach()

    x = lib.tensor([0.3, 0.7], True)
    return fails(lambda: lib.gradgradcheck(lambda x: Half.apply(x), (x,)))


def curve(x: Any) -> Any:
    return (x.sin() * x.exp()).sum()


def pair(x: Any, y: Any) -> Any:
    return x * y.exp()


def flat(lib: Any, found: Any) -> Any:
    return [flat(lib, each) for each in found] if isinstance(found, (tuple, list)) else lib.numbers(found)


@program
def jacobian_of_one_input(lib: Any) -> Any:
    x = lib.tensor([0.5, 1.5])
    return flat(lib, lib.jacobian(lambda x: x * x.sum(), x))


@program
def jacobian_of_two_inputs(lib: Any) -> Any:
    return flat(lib, lib.jacobian(pair, (lib.tensor([0.5, 1.5]), lib.tensor([0.1, 0.2]))))


@program
def hessian_of_one_input(lib: Any) -> Any:
    return flat(lib, lib.hessian(curve, lib.tensor([0.5, 1.5])))


@program
def hessian_of_two_inputs(lib: Any) -> Any:
    return flat(lib, lib.hessian(lambda x, y: pair(x, y).sum(), (lib.tensor([0.5, 1.5]), lib.tensor([0.1, 0.2]))))


@program
def vjp_gives_outputs_and_gradients(lib: Any) -> Any:
    xs = (lib.tensor([0.5, 1.5]), lib.tensor([0.1, 0.2]))
    return flat(lib, lib.vjp(pair, xs, lib.tensor([1.0, -2.0])))


@program
def jvp_gives_outputs_and_tangents(lib: Any) -> Any:
    xs = (lib.tensor([0.5, 1.5]), lib.tensor([0.1, 0.2]))
    return flat(lib, lib.jvp(pair, xs, (lib.tensor([1.0, -2.0]), lib.tensor([0.5, 0.25]))))


@program
def hvp_and_vhp_give_the_value_and_a_product(lib: Any) -> Any:
    x, v = lib.tensor([0.5, 1.5]), lib.tensor([1.0, -2.0])
    return [flat(lib, lib.hvp(curve, x, v)), flat(lib, lib.vhp(curve, x, v))]
