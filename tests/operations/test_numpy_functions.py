"""NumPy's universal functions, called with tensors: numpy's own values, and a gradient."""

from __future__ import annotations

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
