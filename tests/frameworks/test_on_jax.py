"""`op.jax()`: values, both modes of every order, jit, vmap, wrong calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from forms import Form
from forms_with_floats import DIFFERENTIABLE, of_floats
from jax.test_util import check_grads

from netcl import autograd as ag
from netcl import core, kernels

jax.config.update("jax_enable_x64", True)

OWN = kernels.compile("""
op swish2(x: float; beta: float = 1.0) -> y { y = x / (1 + exp(-beta * x)); }

op settled(x[b, i]: float, rate[]: float; steps: int) -> y[t, b, i] where t = steps
{ y = t == 0 ? x : y[t - 1, b, i] - rate[] * (y[t - 1, b, i] - tanh(x)); }

op widest(x[r, i]: float) -> (most[r], at[r]) { most = max[i](x); at = argmax[i](x); }
""")


def test_transforms_of_netcl_say_what_to_do_with_an_array_of_jax() -> None:
    said = r"is an array of JAX; ag\.tensor\(x\) makes a Tensor of it, core\.from_dlpack one in its memory"
    for call in (ag.grad(ag.sum), ag.vmap(ag.sin), ag.jit(ag.sin), lambda x: ag.jvp(ag.sin, x, x)):
        with pytest.raises(core.DtypeError, match=said):
            call(jnp.ones(3))
    with pytest.raises(core.DtypeError, match=r"grad: argument 0\['w'\] is an array of JAX"):
        ag.grad(lambda tree: tree["w"].sum())({"w": jnp.ones(3)})
    with pytest.raises(core.DtypeError, match="grad: argument 0 is a tracer of JAX, which has no values yet"):
        jax.jit(lambda x: ag.grad(ag.sum)(x))(jnp.ones(3))
    with pytest.raises(core.DtypeError, match="sin: x is an array of JAX; give a Tensor"):
        ag.sin(jnp.ones(3))


@pytest.mark.parametrize("wide", [True, False])
def test_numbers_alone_have_the_dtype_that_jax_gives_them(wide: bool) -> None:
    with jax.enable_x64(wide):
        for function, numbers in (
            (kernels.ops.sin.jax(), (0.1,)),
            (kernels.ops.add.jax(), (0.1, 2.5)),
            (kernels.ops.add.jax(), (0.1, 2)),
            (lambda x: OWN.swish2.jax()(x, beta=1.5), (0.1,)),
        ):
            now, traced = function(*numbers), jax.jit(function)(*numbers)
            assert now.dtype == traced.dtype == jnp.sin(0.1).dtype
            np.testing.assert_allclose(now, traced, rtol=1e-15 if wide else 1e-6)
        np.testing.assert_allclose(kernels.ops.sin.jax()(0.1), np.sin(0.1), rtol=1e-15 if wide else 1e-6)


@pytest.mark.parametrize("wide", [True, False])
def test_whole_numbers_become_the_floats_that_jax_makes_of_them(wide: bool) -> None:
    exp, div, add = (getattr(kernels.ops, name).jax() for name in ("exp", "div", "add"))
    with jax.enable_x64(wide):
        for given in (
            2,
            True,
            jnp.arange(3),
            np.arange(3),
            *(jnp.arange(3, dtype=each) for each in ("int32", "uint8")),
        ):
            found, traced = exp(given), jax.jit(lambda x: exp(x))(given)
            assert found.dtype == jnp.exp(given).dtype, given
            assert traced.dtype == found.dtype or isinstance(given, (bool, int))
            np.testing.assert_allclose(found, jnp.exp(given), rtol=1e-15 if found.dtype == "float64" else 1e-6)
        whole = jnp.arange(1, 4)
        for other in (2, 2.5, whole, jnp.float32(2), jnp.ones(3, "float16")):
            assert div(whole, other).dtype == jnp.divide(whole, other).dtype, other
        assert add(whole, whole).dtype == whole.dtype


def draw(*shape: int) -> jax.Array:
    return jnp.asarray(np.random.default_rng(7).normal(size=shape))


@pytest.mark.parametrize("form", DIFFERENTIABLE, ids=str)
def test_gradients_are_those_of_differences(form: Form) -> None:
    function, given = of_floats(form.op.jax(), form, jnp.asarray)
    check_grads(function, tuple(given), order=1, modes=("fwd", "rev"))


@pytest.mark.parametrize("form", DIFFERENTIABLE[1::3], ids=str)
def test_batches_are_calls_one_by_one(form: Form) -> None:
    function, given = of_floats(form.op.jax(), form, jnp.asarray)
    wide = [jnp.stack([each, each / 2, each]) for each in given]
    found = jax.jit(jax.vmap(function))(*wide)
    due = [jnp.stack(each) for each in zip(*(function(*row) for row in zip(*wide, strict=True)), strict=True)]
    for one, other in zip(found, due, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (lambda x: OWN.swish2.jax()(x, beta=1.5), [(3, 4)]),
        (lambda x, rate: OWN.settled.jax()(x, rate, steps=4), [(2, 3), ()]),
        (lambda x: OWN.widest.jax()(x)[0], [(3, 4)]),
        (lambda a, b: kernels.ops.solve.jax()(a + 4 * jnp.eye(3), b), [(3, 3), (3, 2)]),
        (lambda a, b: kernels.ops.cat.jax()([a, b], axis=1), [(2, 3), (2, 1)]),
    ],
)
@pytest.mark.parametrize("jit", [False, True])
def test_both_modes_to_second_order(function: Callable[..., Any], given: list[tuple[int, ...]], jit: bool) -> None:
    check_grads(jax.jit(function) if jit else function, tuple(draw(*each) for each in given), 2, ("fwd", "rev"))


def test_transforms_of_jax_go_through() -> None:
    swish, x = OWN.swish2.jax(), draw(3, 4)
    for transform in (jax.hessian, jax.jacfwd, jax.jacrev):
        np.testing.assert_allclose(transform(swish)(x), transform(jax.nn.silu)(x), atol=1e-12)
    third = jax.grad(jax.grad(jax.grad(lambda z: swish(z))))
    np.testing.assert_allclose(third(0.3 * jnp.ones(())), jax.grad(jax.grad(jax.grad(jax.nn.silu)))(0.3), atol=1e-12)
    per_row = jax.jit(jax.vmap(jax.grad(lambda row: swish(row).sum())))
    np.testing.assert_allclose(per_row(x), jax.grad(lambda z: jax.nn.silu(z).sum())(x), atol=1e-12)
    linear = jax.linearize(swish, x)[1]
    np.testing.assert_allclose(linear(x), jax.jvp(jax.nn.silu, (x,), (x,))[1], atol=1e-12)
    remade = jax.grad(jax.checkpoint(lambda z: swish(swish(z)).sum()))
    np.testing.assert_allclose(remade(x), jax.grad(lambda z: jax.nn.silu(jax.nn.silu(z)).sum())(x), atol=1e-12)


def test_a_loop_of_jax_has_the_call_in_it() -> None:
    swish, x = OWN.swish2.jax(), draw(3)

    def looped(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda z: jax.lax.scan(lambda carry, _: (function(carry), None), z, None, length=5)[0].sum()

    np.testing.assert_allclose(jax.grad(looped(swish))(x), jax.grad(looped(jax.nn.silu))(x), atol=1e-12)


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16, jnp.float32, jnp.float64])
def test_dtypes_stay(dtype: Any) -> None:
    x = jnp.linspace(-3, 3, 7).astype(dtype)
    for found in (OWN.swish2.jax()(x), jax.jit(OWN.swish2.jax())(x)):
        assert found.dtype == dtype
        np.testing.assert_allclose(found.astype(float), jax.nn.silu(x.astype(float)), rtol=1e-2, atol=1e-2)


def test_integers_come_along_and_are_as_wide_as_jax_has_them() -> None:
    x = draw(3, 4)
    most, at = OWN.widest.jax()(x)
    assert at.dtype == jnp.int64
    np.testing.assert_array_equal(at, x.argmax(1))
    np.testing.assert_array_equal(most, x.max(1))
    with jax.enable_x64(False):
        small = x.astype(jnp.float32)
        most, at = jax.jit(OWN.widest.jax())(small)
        assert at.dtype == jnp.int32
        gradient = jax.grad(lambda z: OWN.widest.jax()(z)[0].sum())(small)
        np.testing.assert_array_equal(gradient, jax.nn.one_hot(at, 4))


def test_large_arrays_and_none() -> None:
    swish = OWN.swish2.jax()
    x = jnp.linspace(-3, 3, 4_000_000)
    np.testing.assert_allclose(jax.jit(lambda z: swish(swish(z)))(x), jax.nn.silu(jax.nn.silu(x)), atol=1e-12)
    assert jax.jit(swish)(jnp.ones((0, 3))).shape == (0, 3)


def test_what_does_not_fit_is_said_when_it_is_traced() -> None:
    with pytest.raises(core.DtypeError, match="complex"):
        OWN.swish2.jax()(jnp.ones(3, complex))
    with pytest.raises(core.ShapeError, match="widest"):
        jax.jit(OWN.widest.jax())(jnp.ones(3))
    with pytest.raises(core.DtypeError, match="beta"):
        jax.jit(lambda beta: OWN.swish2.jax()(jnp.ones(3), beta=beta))(2.0)


def test_a_position_out_of_range_is_one_in_a_batch_too() -> None:
    taken = kernels.compile("op taken(x[v]: number, i[n]: int) -> y[n] { y = x[i]; }").taken.jax()
    wrong = jnp.array([[1, 7], [0, 1]])
    with pytest.raises(core.IndexOutOfRangeError, match="index 7"):
        jax.vmap(taken, (None, 0))(jnp.arange(3.0), wrong)
    with pytest.raises(jax.errors.JaxRuntimeError, match="index 7"):
        jax.jit(jax.vmap(taken, (None, 0)))(jnp.arange(3.0), wrong).block_until_ready()


def test_numbers_that_have_to_be_known_are_named() -> None:
    with pytest.raises(core.DtypeError, match=r"beta must be a number.*static_argnames"):
        jax.jit(lambda x, beta: OWN.swish2.jax()(x, beta=beta))(jnp.ones(3), 2.0)
    with pytest.raises(core.DtypeError, match=r"an argument is a Tensor, which is not of JAX.*jnp.asarray"):
        OWN.swish2.jax()(core.ones(3))


def test_what_cannot_be_is_said_in_words_of_jax() -> None:
    with pytest.raises(
        core.DtypeError, match=r"sin: x is a list; give an array \(jnp.asarray makes one\) or a number$"
    ):
        kernels.jax.sin([1.0])
    with pytest.raises(core.DtypeError, match=r"index must hold integers, .*; convert it: index.astype\(int\)"):
        kernels.jax.embedding(jnp.ones((3, 2)), jnp.ones(2))
    with pytest.raises(core.DtypeError, match=r"beta must be a number, but it is an array of shape \(\)"):
        OWN.swish2.jax()(jnp.ones(3), beta=jnp.ones(()))


def test_a_model_with_an_op_of_ones_own_learns() -> None:
    swish = OWN.swish2.jax()
    x = jnp.linspace(-3, 3, 64)[:, None]
    random = np.random.default_rng(0)
    weights = [jnp.asarray(random.normal(size=shape)) for shape in ((1, 16), (16,), (16, 1))]

    def loss(weights: list[jax.Array]) -> jax.Array:
        first, bias, last = weights
        return jnp.mean((swish(x @ first + bias) @ last - jnp.sin(x)) ** 2)

    step = jax.jit(jax.value_and_grad(loss))
    start, _ = step(weights)
    for _ in range(300):
        _, gradients = step(weights)
        weights = [each - 0.03 * gradient for each, gradient in zip(weights, gradients, strict=True)]
    assert step(weights)[0] < 0.05 * start
