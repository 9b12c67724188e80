"""Derivatives of ops on Tensors and numpy arrays, with netcl-kernels alone: `vjp`, `jvp`, `gradient`, `numpy`."""

from __future__ import annotations

import copy
import inspect
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import core, kernels
from netcl.kernels import numpy as on_numpy
from netcl.kernels.library.op import Op
from netcl.kernels.namespace import COMPOSITES, catalogue
from netcl.kernels.tools.reference import pages

Array = np.ndarray[Any, Any]

OWN = kernels.compile("""
op swish2(x: float; beta: float = 1.0) -> y { y = x / (1 + exp(-beta * x)); }

op mixed(a: float, b: float) -> (p, q) { p = a * b; q = a + sin(b); }

op settled(x[b, i]: float, rate[]: float; steps: int) -> y[t, b, i] where t = steps
{ y = t == 0 ? x : y[t - 1, b, i] - rate[] * (y[t - 1, b, i] - tanh(x)); }

op widest(x[r, i]: float) -> (most[r], at[r]) { most = max[i](x); at = argmax[i](x); }

op taken(x[n]: float, index[k]: int) -> y[k] { y = x[index]; }

op scaled(x: float, factor: float) -> y { y = x * factor; nograd factor; }

op constant(x[n]: float) -> y[n] { y = 2.0; }
""")


def draw(*shape: int, seed: int = 0) -> Array:
    return np.asarray(np.random.default_rng(seed).normal(size=shape))


def differences(function: Callable[..., Array], given: list[Array], seed: Array) -> list[Array]:
    """The gradients of sum(seed * function(*given)), by central differences."""
    found = []
    for at, each in enumerate(given):
        gradient = np.zeros_like(each)
        for place in np.ndindex(each.shape):
            ends = []
            for step in (1e-6, -1e-6):
                moved = each.copy()
                moved[place] += step
                ends.append((seed * function(*given[:at], moved, *given[at + 1 :])).sum())
            gradient[place] = (ends[0] - ends[1]) / 2e-6
        found.append(gradient)
    return found


CALLS: list[tuple[Op, list[Array], dict[str, Any]]] = [
    (OWN.swish2, [draw(2, 3)], {"beta": 1.5}),
    (OWN.settled, [draw(2, 3), draw()], {"steps": 4}),
    (kernels.ops.matmul, [draw(2, 3), draw(3, 4)], {}),
    (kernels.ops.softmax, [draw(3, 4)], {"axis": 0}),
    (kernels.ops.solve, [draw(3, 3) + 4 * np.eye(3), draw(3, 2)], {}),
    (kernels.ops.sum, [draw(3, 4)], {"axis": 1}),
    (kernels.ops.add, [draw(3, 1), draw(4)], {}),
    (kernels.ops.cumsum, [draw(5)], {}),
]


@pytest.mark.parametrize(("op", "given", "attributes"), CALLS, ids=lambda each: getattr(each, "name", ""))
@pytest.mark.sample(6)
def test_vjp_is_that_of_differences(op: Op, given: list[Array], attributes: dict[str, Any]) -> None:
    function = op.numpy()
    value, pull = function.vjp(*given, **attributes)
    seed = draw(*value.shape, seed=1)
    np.testing.assert_array_equal(value, function(*given, **attributes))
    due = differences(lambda *moved: function(*moved, **attributes), given, seed)
    for found, gradient in zip(pull(seed), due, strict=True):
        np.testing.assert_allclose(found, gradient, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("op", "given", "attributes"), CALLS, ids=lambda each: getattr(each, "name", ""))
@pytest.mark.sample(6)
def test_the_gradient_is_an_op_again(op: Op, given: list[Array], attributes: dict[str, Any]) -> None:
    value, pull = op.numpy().vjp(*given, **attributes)
    seed = draw(*value.shape, seed=1)
    gradient = op.gradient.numpy()
    first = gradient(*given, seed, **attributes)
    for found, due in zip(first if len(given) > 1 else [first], pull(seed), strict=True):
        np.testing.assert_array_equal(found, due)

    def of_first(*moved: Array) -> Array:
        found = gradient(*moved, **attributes)
        return np.asarray(found[0] if len(given) > 1 else found)

    onto = [draw(*each.shape, seed=2 + at) if at == 0 else np.zeros(each.shape) for at, each in enumerate(given)]
    second = op.gradient.gradient.numpy()(*given, seed, *onto, **attributes)
    for found, due in zip(second, differences(of_first, [*given, seed], onto[0]), strict=True):
        np.testing.assert_allclose(found, due, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("op", "given", "attributes"), CALLS, ids=lambda each: getattr(each, "name", ""))
def test_jvp_is_the_vjp_the_other_way_round(op: Op, given: list[Array], attributes: dict[str, Any]) -> None:
    tangents = [draw(*each.shape, seed=3 + at) for at, each in enumerate(given)]
    value, tangent = op.numpy().jvp(given, tangents, **attributes)
    seed = draw(*value.shape, seed=1)
    _, pull = op.numpy().vjp(*given, **attributes)
    pulled = sum((gradient * along).sum() for gradient, along in zip(pull(seed), tangents, strict=True))
    np.testing.assert_allclose((tangent * seed).sum(), pulled, rtol=1e-12)
    _, still = op.numpy().jvp(given, [None] * len(given), **attributes)
    np.testing.assert_array_equal(still, np.zeros_like(value))


def test_a_tensor_alone_is_one_argument_of_jvp() -> None:
    op = kernels.compile("op bump(x: float) -> y { y = exp(-x ^ 2); }").bump
    x = core.from_host([[1.0, 2.0, 3.0]])
    value, tangent = op.jvp(x, x)
    assert value.shape == tangent.shape == (1, 3)
    assert tangent.tolist() == op.jvp([x], [x])[1].tolist()


def test_several_results_take_a_gradient_each() -> None:
    a, b = draw(3), draw(3, seed=1)
    (p, _), pull = OWN.mixed.vjp(core.from_host(a), core.from_host(b))
    np.testing.assert_allclose(p.to_host(), a * b)
    of_a, of_b = pull(core.from_host(2 * a), core.ones(3, dtype="float64"))
    np.testing.assert_allclose(of_a.to_host(), 2 * a * b + 1)
    np.testing.assert_allclose(of_b.to_host(), 2 * a * a + np.cos(b))
    _, (moved, added) = OWN.mixed.jvp((core.from_host(a), core.from_host(b)), (None, core.from_host(b)))
    np.testing.assert_allclose(moved.to_host(), a * b)
    np.testing.assert_allclose(added.to_host(), np.cos(b) * b)


def test_integers_among_operands_and_results_have_no_gradient() -> None:
    x, index = draw(4), np.array([2, 0, 2])
    _, pull = OWN.taken.numpy().vjp(x, index)
    gradient, nothing = pull(np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(gradient, [2.0, 0.0, 4.0, 0.0])
    assert nothing is None
    (_, at), pull = OWN.widest.numpy().vjp(draw(2, 3))
    assert at.dtype == np.int64
    np.testing.assert_array_equal(pull(np.ones(2))[0].sum(1), [1, 1])
    _, (tangent, none) = OWN.widest.numpy().jvp([draw(2, 3)], [np.ones((2, 3))])
    np.testing.assert_array_equal(tangent, np.ones(2))
    assert none is None


def test_what_a_result_does_not_depend_on_has_a_gradient_of_zero() -> None:
    assert OWN.constant.vjp(core.ones(3))[1](core.ones(3))[0].tolist() == [0, 0, 0]
    assert OWN.constant.gradient(core.ones(3), core.ones(3)).tolist() == [0, 0, 0]


def test_an_operand_that_is_declared_nograd_has_none() -> None:
    _, pull = OWN.scaled.vjp(core.ones(3), core.full(3, 2.0))
    gradient, nothing = pull(core.ones(3))
    assert (gradient.tolist(), nothing) == ([2, 2, 2], None)
    with pytest.raises(core.DtypeError, match="factor has no tangent"):
        OWN.scaled.jvp((core.ones(3), core.ones(3)), (None, core.ones(3)))


def test_arrays_of_any_layout_are_read_and_never_written() -> None:
    x = draw(4, 6)
    x.flags.writeable = False
    for view in (x, x.T, x[:, ::2], x[::-1], np.broadcast_to(x, (2, 4, 6)), x.astype(">f8"), np.asfortranarray(x)):
        np.testing.assert_allclose(OWN.swish2.numpy()(view), view / (1 + np.exp(-view)))
    found = kernels.compile("op turned(x[i, j]: float) -> y[j, i] { y = x; }").turned.numpy()(y := draw(2, 3))
    y[:] = 0
    assert found.all()


def test_a_gradient_is_that_at_what_the_arrays_had() -> None:
    x = np.full(3, 0.5)
    _, pull = OWN.swish2.numpy().vjp(x)
    due = pull(np.ones(3))[0].copy()
    x[:] = 5
    np.testing.assert_array_equal(pull(np.ones(3))[0], due)


def test_a_number_of_numpy_keeps_its_dtype() -> None:
    value, pull = OWN.swish2.numpy().vjp(draw(4).sum())
    assert value.dtype == np.float64
    assert pull(np.float64(1))[0].dtype == np.float64


@pytest.mark.parametrize(("package", "framework"), [("torch", "PyTorch"), ("jax", "JAX")])
def test_a_framework_that_is_not_installed_is_named_with_what_installs_it(
    package: str, framework: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    for made in (kernels.ops.sigmoid, kernels.ops.sigmoid.gradient):
        with pytest.raises(ModuleNotFoundError, match=f"^{framework} is not installed: `pip install {package}`$"):
            getattr(made, package)()


def test_copies_are_the_function_itself_and_pickles_make_it_again() -> None:
    function = OWN.settled.numpy()
    assert copy.deepcopy([function])[0] is function
    again = pickle.loads(pickle.dumps(function))
    np.testing.assert_array_equal(again(draw(2, 3), draw(), steps=2), function(draw(2, 3), draw(), steps=2))
    assert pickle.loads(pickle.dumps(kernels.ops.gelu)) is kernels.ops.gelu


def test_results_are_of_the_caller() -> None:
    x = draw(100)
    kept = [OWN.swish2.numpy()(x + at) for at in range(20)]
    for at, each in enumerate(kept):
        np.testing.assert_allclose(each, (x + at) / (1 + np.exp(-x - at)))
        each[:] = 0


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dtypes_stay(dtype: str) -> None:
    x = np.linspace(-2, 2, 5).astype(dtype)
    value, pull = OWN.swish2.numpy().vjp(x)
    assert (value.dtype, pull(np.ones_like(x))[0].dtype) == (x.dtype, x.dtype)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda x: OWN.swish2.vjp(x)[1](), "takes 1 gradients, but 0 were given"),
        (lambda x: OWN.swish2.vjp(x)[1](core.ones(4)), r"a gradient has shape \(4,\), what it belongs to \(3,\)"),
        (lambda x: OWN.swish2.vjp(x)[1](core.ones(3, dtype="float64")), "a gradient is float64, what it belongs to fl"),
        (lambda x: OWN.swish2.vjp(x)[1](1.0), "a gradient is a float; give a tensor of shape"),
        (lambda x: OWN.swish2.jvp((x,), ()), "1 tensors take as many tangents, 0 were given"),
        (lambda x: OWN.swish2.gradient(x), "takes 1 gradients, but 0 were given"),
        (lambda x: OWN.swish2.gradient(x, x, x), "takes 2 positional arguments, 3 were given"),
        (lambda x: OWN.swish2.vjp(x, out=x), "out= goes with a plain call of the op"),
        (lambda x: OWN.swish2.numpy()("x"), r"x is a str; give an array \(np.asarray makes one\) or a number"),
        (lambda x: OWN.taken.numpy()(np.ones(3), np.ones(2)), r"but it is float64; convert it: index.astype\(int\)"),
        (lambda x: OWN.taken.numpy().vjp(np.ones(3), np.ones(2)), r"convert it: index.astype\(int\)"),
        (
            lambda x: OWN.swish2.numpy().vjp(np.ones(3))[1]([1.0]),
            r"a gradient is a list; give an array of shape \(3,\)",
        ),
        (lambda x: OWN.swish2.numpy()(np.ones(3), np.ones(2)), r"beta must be a number, but it is an array of shape"),
        (lambda x: OWN.swish2.numpy()(x), "swish2: an argument is a Tensor, which is not of numpy"),
        (lambda x: OWN.swish2.numpy()(np.ma.ones(3)), r"a masked array.*x.filled\(value\)"),
        (lambda x: OWN.swish2.numpy()(np.ones(3, complex)), "complex128 is not supported"),
    ],
)
def test_wrong_calls_are_told_what_is_wrong(wrong: Callable[[Any], Any], said: str) -> None:
    with pytest.raises((core.ShapeError, core.DtypeError, TypeError), match=said):
        wrong(core.ones(3))


def test_a_stage_of_the_compiler_is_text() -> None:
    assert "swish2" in OWN.swish2.source("derivative")
    assert "kernel void" in OWN.swish2.source()
    with pytest.raises(core.NetclError, match="there is no stage 'asm'"):
        OWN.swish2.source("asm")


def test_the_catalogue_is_there_by_name() -> None:
    np.testing.assert_allclose(on_numpy.relu(np.array([-1.0, 2.0])), [0, 2])
    assert {"gelu", "softmax", "solve"} <= set(dir(on_numpy))
    with pytest.raises(AttributeError, match="did you mean sigmoid"):
        on_numpy.sigmiod  # noqa: B018
    with pytest.raises(AttributeError, match="made of several ops"):
        on_numpy.einsum  # noqa: B018


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda x: on_numpy.dropout(x, 0.5), r"seed is missing; .*: kernels.ops.dropout\(x, p, seed\) is made"),
        (lambda x: on_numpy.permute(x, 1, 0), r"at most 2 .* were given; .*: kernels.ops.permute\(x, axes\)"),
        (lambda x: on_numpy.interpolate(x, scale_factor=2), r"it is the op alone here: kernels.ops.interpolate\(x, si"),
        (lambda x: on_numpy.batch_norm.vjp(x, momentum=0.1), r"it is the op alone here: kernels.ops.batch_norm\(x, w"),
    ],
)  # fmt: skip
def test_an_op_that_has_its_name_from_a_function_of_several_says_whose_arguments_it_takes(
    wrong: Callable[[Array], Any], said: str
) -> None:
    with pytest.raises(TypeError, match=said):
        wrong(np.ones((2, 2), np.float32))


def test_the_page_of_functions_of_several_ops_has_the_arguments_that_they_have_in_other_frameworks() -> None:
    found = pages(catalogue, COMPOSITES)["made-of-ops.md"]
    for name in sorted(name for name, each in COMPOSITES.items() if each.__name__ == name):
        section = found.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        try:
            there = f"In other frameworks it is the op: `{name}{inspect.signature(getattr(on_numpy, name))}`."
        except AttributeError:
            there = ""
        assert there in section
        assert bool(there) == ("In other frameworks" in section)


def test_an_op_of_ones_own_by_such_a_name_is_not_taken_for_the_shipped_one() -> None:
    mine = kernels.compile("op dropout(x: float, y: float) -> z { z = x * y; }").dropout.numpy()
    with pytest.raises(TypeError) as found:
        mine(np.ones(2), p=0.5)
    assert str(found.value) == "dropout has no argument 'p'; it takes x, y"
