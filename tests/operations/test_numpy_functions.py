"""NumPy's functions, called with tensors: numpy's own values, and a gradient."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core

UNARY = """
    negative positive absolute fabs sign square reciprocal sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan
    arcsin arccos arctan sinh cosh tanh arcsinh arctanh floor ceil trunc rint isnan isinf isfinite deg2rad rad2deg
    degrees radians asin acos atan asinh atanh"""
BINARY = """
    add subtract multiply divide true_divide floor_divide remainder mod fmod power pow maximum minimum fmax fmin hypot
    logaddexp logaddexp2 arctan2 atan2 copysign equal not_equal less less_equal greater greater_equal matmul vecdot"""
A, B = np.array([0.25, -0.5, 0.75]), np.array([0.5, 0.125, 0.75])
POSITIVE = {"sqrt", "log", "log2", "log10", "power", "pow"}


@pytest.mark.parametrize("name", [*UNARY.split(), *BINARY.split(), "arccosh", "acosh"])
def test_a_universal_function_has_numpys_values(name: str) -> None:
    function: Any = getattr(np, name, None)
    if function is None:
        assert name in ("pow", "vecdot", "asin", "acos", "atan", "asinh", "atanh", "acosh", "atan2")  # of numpy 2
        return
    first = np.abs(A) + (1 if name in ("arccosh", "acosh") else 0) if name in POSITIVE or "cosh" in name else A
    arrays = (first, B)[: function.nin]
    found, expected = function(*map(core.from_host, arrays)), function(*arrays)
    assert isinstance(found, core.Tensor)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.to_host(), expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_not"])
def test_logical_functions_take_bools(name: str) -> None:
    function = getattr(np, name)
    arrays = (A > 0, B > 0.2)[: function.nin]
    assert np.array_equal(function(*map(core.from_host, arrays)).to_host(), function(*arrays))


def test_a_universal_function_is_differentiated() -> None:
    x = ag.tensor(A, requires_grad=True)
    (np.sin(x) * np.float64(2) + np.multiply(3, np.exp(x))).sum().backward()
    np.testing.assert_allclose(x.grad.to_host(), 2 * np.cos(A) + 3 * np.exp(A), rtol=1e-12)
    for made in (ag.jit(np.sin), ag.vmap(np.sin), lambda x: ag.jvp(np.cos, x, x)[0] * 0 + np.sin(x)):
        np.testing.assert_allclose(made(x).to_host(), np.sin(A), rtol=1e-12)


def test_a_universal_function_is_there_before_anything_else_of_the_ops() -> None:
    program = "import numpy as np; from netcl import core; print(np.exp(core.zeros(2)).tolist())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "[1.0, 1.0]\n", done.stderr


REDUCED: dict[str, Callable[[Any], Any]] = {
    "mean": np.mean,
    "mean of rows": lambda x: np.mean(x, axis=1, keepdims=True),
    "std": np.std,
    "std of a sample": lambda x: np.std(x, 0, ddof=1),
    "var": np.var,
    "var of a sample": lambda x: np.var(x, ddof=1),
    "sum": np.sum,
    "prod": lambda x: np.prod(x, 0),
    "max": np.max,
    "min": lambda x: np.min(x, axis=-1),
    "transpose": np.transpose,
    "transpose of all axes": lambda x: np.transpose(x, (2, 0, 1)),
    "clip": lambda x: np.clip(x, -0.5, 0.5),
    "swapaxes": lambda x: np.swapaxes(x, 0, 2),
    "moveaxis": lambda x: np.moveaxis(x, 0, -1),
    "flip": lambda x: np.flip(x, 1),
    "squeeze": lambda x: np.squeeze(x[:1]),
}


@pytest.mark.parametrize("call", REDUCED.values(), ids=REDUCED)
def test_a_function_that_calls_a_method_has_numpys_values_and_a_gradient(
    call: Callable[[Any], Any], rng: np.random.Generator
) -> None:
    array = rng.normal(size=(2, 3, 4))
    x = ag.tensor(array, requires_grad=True)
    found = call(x)
    assert isinstance(found, ag.Node)
    assert isinstance(call(core.from_host(array)), core.Tensor)
    np.testing.assert_allclose(found.to_host(), call(array), rtol=1e-12)
    found.sum().backward()
    assert x.grad is not None


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x: np.mean(x, dtype=np.float32), "mean has no argument 'dtype'; it takes .*; give it x.astype"),
        (lambda x: np.sum(x, dtype=np.float32), "sum has no argument 'dtype'; it takes .*; give it x.astype"),
        (lambda x: np.var(x, out=np.ones(())), "var: out is a numpy array .*; give the Tensor that the result"),
        (lambda x: np.sum(x, where=A > 0), "sum has no argument 'where'; it takes x, axis, keepdims"),
        (lambda x: ag.std(x, ddof=1), "std has no argument 'ddof'; .* did you mean correction"),
    ],
    ids="mean sum out where ddof".split(),
)
def test_other_arguments_of_numpys_functions_are_refused(call: Callable[[Any], Any], said: str) -> None:
    with pytest.raises((TypeError, core.DtypeError), match=said):
        call(core.from_host(A))


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda x: np.add(np.ones(3), x), core.DtypeError, "a is a numpy array"),
        (lambda x: np.ones(3) + x, core.DtypeError, "a is a numpy array"),
        (lambda x: np.add.reduce(x), TypeError, r"np\.add\.reduce takes no tensors"),
        (lambda x: np.sin(x, out=np.ones(3)), TypeError, r"np\.sin of a tensor has no out"),
        (lambda x: np.gcd(x, x), TypeError, r"np\.gcd takes no tensors; give it x\.to_host\(\)"),
    ],
    ids="add plus reduce out gcd".split(),
)
def test_what_has_no_op_is_refused(call: Callable[[Any], Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call(core.from_host(A))


def test_transpose_takes_the_order_of_all_axes() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    assert np.array_equal(ag.transpose(core.from_host(x), (2, 0, 1)).to_host(), x.transpose(2, 0, 1))
