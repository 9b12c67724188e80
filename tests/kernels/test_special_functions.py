"""Special functions beside mpmath, in float32 and float64, and what the reference evaluator computes of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core.errors import GraphError
from netcl.kernels.compiler.ir.functions import FUNCTIONS
from netcl.kernels.compiler.opencl import special
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.target import POCL
from netcl.kernels.tools.check import Evaluator, check_form
from netcl.kernels.tools.device_check import Device

Array = np.ndarray[Any, Any]
COUNT = 40


def spread(low: float, high: float, seed: int) -> Array:
    """Numbers of every size between two ends."""
    return np.exp(np.random.default_rng(seed).uniform(np.log(low), np.log(high), COUNT))


def _around(a: Array, seed: int) -> Array:
    """Some far from a, some as near as gamma's distribution is wide."""
    rng = np.random.default_rng(seed)
    return np.asarray(a * np.exp(rng.normal(size=COUNT) * np.where(rng.random(COUNT) < 0.5, 1 / np.sqrt(1 + a), 1)))


def _lower(a: Any, x: Any) -> Any:
    """The sum of DLMF 8.7.1, in so many digits that 1 minus it has enough."""
    term = total = 1 / a
    small = mpmath.mpf(10) ** -380
    k = 1
    while term > small:
        term *= x / (a + k)
        total += term
        k += 1
    return mpmath.exp(a * mpmath.log(x) - x - mpmath.loggamma(a)) * total


A, B, X = spread(1e-3, 100, 1), spread(1e-1, 1e3, 2), np.random.default_rng(3).uniform(0.001, 0.999, COUNT)
SIGNED = np.concatenate([spread(1e-4, 80, 4), -spread(1e-4, 80, 5)])

CASES: dict[str, tuple[Callable[..., Any], tuple[Array, ...], float, float]] = {
    "i0": (lambda x: mpmath.besseli(0, x), (SIGNED,), 4, 8),
    "i1": (lambda x: mpmath.besseli(1, x), (SIGNED,), 4, 8),
    "i0e": (lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)), (SIGNED,), 4, 8),
    "i1e": (lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)), (SIGNED,), 4, 8),
    "zeta": (mpmath.zeta, (1 + spread(1e-2, 15, 6), spread(1e-2, 1e3, 7)), 1, 8),
    "gammainc": (lambda a, x: _lower(a, x), (A, _around(A, 8)), 1, 500),
    "gammaincc": (lambda a, x: 1 - _lower(a, x), (A, _around(A, 9)), 1, 500),
    "betainc": (lambda a, b, x: mpmath.betainc(a, b, 0, x, regularized=True), (B, B[::-1], X), 1, 4000),
}  # fmt: skip
"""Function: its exact value, arguments, and how many units in the last place float32 and float64 may be off."""


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.sample(5)
def test_values_are_exact_to_so_many_units(name: str, dtype: str) -> None:
    exact, arguments, narrow, wide = CASES[name]
    arrays = [each.astype(dtype) for each in arguments]
    names = "abc"[: len(arrays)]
    declared, passed = ", ".join(f"{each}: float" for each in names), ", ".join(names)
    op = kernels.compile(f"op f({declared}) -> y {{ y = {name}({passed}); }}").f
    found = op(*map(core.from_host, arrays)).to_host()
    evaluated = FUNCTIONS[name].value(*(each.astype(np.float64) for each in arrays))
    limits = np.finfo(dtype)
    with mpmath.workdps(400):
        for at, given in enumerate(zip(*arrays, strict=True)):
            value = exact(*(mpmath.mpf(float(each)) for each in given))
            unit = float(max(abs(value), limits.smallest_normal)) * limits.eps
            if abs(value) < float(limits.max):
                assert abs(found[at] - value) <= (narrow if dtype == "float32" else wide) * unit, (name, given)
                assert abs(evaluated[at] - value) <= abs(value) * 4e-12 + 1e-300, (name, given)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("i0(x)", {0: 1, math.inf: math.inf, -math.inf: math.inf}),
        ("i1e(x)", {0: 0, math.inf: 0}),
        ("zeta(2, x)", {1: math.pi**2 / 6, 0: math.inf, -1: math.inf, -0.5: math.pi**2 / 2 + 4, math.inf: 0}),
        ("zeta(x, 1)", {1: math.inf, 0.5: math.nan, 1e30: 1, math.inf: 1}),
        ("gammainc(x, 2.0)", {0: 1, math.inf: 0, -1: math.nan, 1: 1 - math.exp(-2)}),
        ("gammaincc(1e30, x)", {0: 1, math.inf: 0, 1e30: 0.5}),
        ("gammaincc(0.001, x)", {0.5: 0.00056006665647075}),
        ("betainc(2.0, x, 0.5)", {0: 0, math.inf: 1, 1: 0.25, -1: math.nan}),
    ],
)
@pytest.mark.sample(5)
def test_ends_and_what_has_no_value(call: str, expected: dict[float, float]) -> None:
    points = np.array(list(expected), np.float64)
    op = kernels.compile(f"op f(x: float) -> y {{ y = {call}; }}").f
    wanted = np.array(list(expected.values()))
    for found in (op(core.from_host(points)).to_host(), op(core.from_host(points.astype(np.float32))).to_host()):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


EXACT: list[tuple[str, tuple[float, ...], float]] = [
    ("zeta", (61, 1), 1.0000000000000000),
    ("zeta", (100, 2), 7.8886090522101182e-31),
    ("zeta", (29.5, 0.3), 2660253270419516.7),
    ("zeta", (40, 0.5), 1099511627776.0),
    ("zeta", (90, 1.5), 1.4183606858897689e-16),
    ("zeta", (75, 100), 1.9132505690382633e-150),
    ("zeta", (100, 150), 5.0921927165851537e-218),
    ("zeta", (1.001, 0.004), 1251.9549081686917),
    ("zeta", (31, -0.5), 3.4767304950799273e-6),
    ("zeta", (61, -0.5), 1.8131477592910077e-11),
    ("zeta", (8, -3.5), 512.07944404021697),
    ("zeta", (51, -4.5), 1.7441728513100094e-38),
    ("zeta", (21, -2.499), -176220.20003613113),
    ("polygamma", (60, 1), -8.3209871127413901e81),
    ("polygamma", (60, -0.5), -1.5087179138556403e71),
    ("polygamma", (30, -0.5), -9.2221270661620558e26),
    ("polygamma", (20, -0.5), -487772949462609.87),
    ("polygamma", (60, 17), -7522812.1990046656),
    ("polygamma", (100, 5000), -1.1949206626300594e-214),
    ("polygamma", (100, 50), -2.7391048021902828e-14),
    ("trigamma", (10,), 0.10516633568168575),
    ("trigamma", (-1.25,), 19.181879647671606),
    ("digamma", (1,), -0.57721566490153287),
    ("digamma", (2,), 0.42278433509846714),
    ("digamma", (1.461,), -0.00061188613768651122),
    ("digamma", (1.4616321449683622,), -9.2412655217294275e-17),
    ("digamma", (1.4616321449683625,), 1.2245374622004069e-16),
    ("digamma", (9.75,), 2.225109535044576),
    ("digamma", (10,), 2.2517525890667211),
    ("digamma", (1e-9,), -1000000000.5772156),
    ("gamma_density", (0.5, 0.25), 0.87878257893544479),
    ("gamma_density", (3, 20), 4.1223072448771157e-7),
    ("gamma_density", (1000.0, 1000.0), 0.0126146113487215),
    ("gamma_density", (10000.0, 10000.0), 0.0039893895589628256),
    ("gamma_density", (1000000.0, 1001000.0), 0.00024180950473148183),
    ("beta_density", (0.5, 0.25, 0.125), 0.59616535991130606),
    ("beta_density", (20, 0.5, 0.984375), 14.871916022107993),
    ("beta_density", (5, 30, 0.125), 7.0678631464241229),
    ("beta_density", (1000, 1000, 0.49), 23.9233491954477),
    ("gammainc", (3.5, 2), 0.22022259152428408),
    ("gammainc", (12, 10.5), 0.36127477566268121),
    ("gammainc", (20, 25), 0.86642516591434959),
    ("betainc", (1, 1, 0.3), 0.29999999999999999),
    ("betainc", (100, 0.1, 0.999), 0.17275084569668611),
    ("betainc", (6.5, 3.5, 0.625), 0.41019001631389633),
    ("betainc", (2, 0.0001, 0.9), 0.00014025272272357958),
    ("betainc", (2, 1e-06, 0.96875), 2.4969832545698283e-6),
]
"""Function, arguments, and the value by mpmath in 400 digits."""


@pytest.mark.parametrize(("name", "given", "value"), EXACT)
@pytest.mark.sample(21)
def test_float64_has_its_digits(name: str, given: tuple[float, ...], value: float) -> None:
    found = _computed(name, given, "float64")
    np.testing.assert_allclose(found, value, rtol=4e-15)
    evaluated = FUNCTIONS[name].value(*map(float, given))
    np.testing.assert_allclose(evaluated, value, rtol=4e-15)
    if abs(value) < 3e38 and all(float(np.float32(each)) == each for each in given):
        np.testing.assert_allclose(_computed(name, given, "float32"), value, rtol=2e-7, atol=1e-45)


def _computed(name: str, given: tuple[float, ...], dtype: str) -> float:
    """The function at one point, on the device."""
    names = "abc"[: len(given)]
    declared = ", ".join(f"{each}: float" for each in names)
    op = kernels.compile(f"op f({declared}) -> y {{ y = {name}({', '.join(names)}); }}").f
    return float(op(*(core.from_host(np.array([each], dtype)) for each in given)).to_host()[0])


@pytest.mark.parametrize(
    ("call", "x", "slope"),
    [
        ("gammainc(1e6, x)", 1.001e6, 0.00024180950473148183),
        ("gammaincc(1e3, x)", 1e3, -0.0126146113487215),
        ("betainc(1000.0, 1000.0, x)", 0.5, 35.678022291708641),
    ],
)
def test_gradients_of_distributions_that_are_narrow_keep_the_digits_of_float32(
    call: str, x: float, slope: float
) -> None:
    op = kernels.compile(f"op f(x: float) -> y {{ y = {call}; }}").f
    leaf = ag.tensor(np.array([x], np.float32), requires_grad=True)
    (gradient,) = ag.grad(op(leaf).sum(), [leaf])
    np.testing.assert_allclose(gradient.to_host(), slope, rtol=2e-7)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("gamma_density(0.5, x)", {0: math.inf, math.inf: 0, -1: math.nan}),
        ("gamma_density(1.0, x)", {0: 1, 1: math.exp(-1)}),
        ("gamma_density(3.0, x)", {0: 0}),
        ("gamma_density(x, 1.0)", {0: 0, math.inf: 0, -1: math.nan}),
        ("beta_density(0.5, 1.0, x)", {0: math.inf, 1: 0.5, 1.5: math.nan, -0.5: math.nan}),
        ("beta_density(1.0, 4.0, x)", {0: 4, 1: 0}),
        ("beta_density(2.0, 0.5, x)", {0: 0, 1: math.inf}),
        ("beta_density(x, 2.0, 0.5)", {0: 0, math.inf: 0, 1: 1, -1: math.nan}),
    ],
)
@pytest.mark.sample(5)
def test_densities_at_their_ends(call: str, expected: dict[float, float]) -> None:
    op = kernels.compile(f"op f(x: float) -> y {{ y = {call}; }}").f
    for dtype, rtol in (("float64", 1e-14), ("float32", 1e-6)):
        found = op(core.from_host(np.array(list(expected), dtype))).to_host()
        np.testing.assert_allclose(found, list(expected.values()), rtol=rtol)


@pytest.mark.parametrize("on", [Evaluator(), Device()], ids=["evaluator", "device"])
@pytest.mark.parametrize("name", ["i0", "i1", "i0e", "i1e", "zeta", "gammainc", "gammaincc", "betainc", "ndtri"])
@pytest.mark.sample(5)
def test_their_derivatives_are_those_of_differences(name: str, on: Any) -> None:
    (form,) = kernels.catalogue[name].forms
    assert check_form(form, on=on) > 0


@pytest.mark.parametrize(
    ("call", "argument"), [("zeta(x, 2.0)", 1), ("gammainc(x, 2.0)", 1), ("betainc(2.0, x, 0.5)", 2)]
)
def test_a_derivative_without_a_formula_is_refused(call: str, argument: int) -> None:
    op = kernels.compile(f"op f(x: float) -> y {{ y = {call}; }}").f
    leaf = ag.tensor(np.full(2, 1.5), requires_grad=True)
    with pytest.raises(GraphError, match=rf"by argument {argument} is not known; hold it fixed with detach\(…\)"):
        ag.grad(op(leaf).sum(), [leaf])
    held = kernels.compile(f"op f(x: float) -> y {{ y = x * {call.replace('x', 'detach(x)')}; }}").f
    (gradient,) = ag.grad(held(leaf).sum(), [leaf])
    np.testing.assert_allclose(gradient.to_host(), op(core.from_host(np.full(2, 1.5))).to_host())


@pytest.mark.parametrize("name", sorted(special.WIDE))
def test_without_float64_floats_are_computed_as_floats(name: str) -> None:
    narrow = Helpers(POCL, has_float64=False)
    narrow.name(name, "float32")
    assert "double" not in narrow.text()
    wide = Helpers(POCL)
    wide.name(name, "float32")
    assert f"{name}_double(" in wide.text()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_quantiles_of_the_normal_distribution_and_the_inverse_of_erf(dtype: str) -> None:
    p = np.concatenate([spread(1e-30, 0.5, 11), 1 - spread(1e-7, 0.5, 12)]).astype(dtype)
    p = p[p < 1]
    found, inverse = ag.ndtri(core.from_host(p)).to_host(), ag.erfinv(core.from_host(2 * p - 1)).to_host()
    with mpmath.workdps(60):
        for at, each in enumerate(p):
            size = mpmath.mpf(float(each))
            value = mpmath.sqrt(2) * mpmath.erfinv(2 * size - 1)
            assert abs(found[at] - value) <= 8 * np.finfo(dtype).eps * abs(value), each
            if abs(2 * p[at] - 1) < 1:
                value = mpmath.erfinv(mpmath.mpf(float(2 * p[at] - 1)))
                assert abs(inverse[at] - value) <= 4 * np.finfo(dtype).eps * abs(value), each
    ends = np.array([0, 1, 0.5, -0.1, 1.1, np.nan], dtype)
    np.testing.assert_array_equal(ag.ndtri(core.from_host(ends)).to_host(), [-np.inf, np.inf, 0, *[np.nan] * 3])
    close = 1 - np.finfo(dtype).epsneg  # where a start of a few digits would be far off
    with mpmath.workdps(60):
        value = float(mpmath.erfinv(mpmath.mpf(float(close))))
    near = ag.erfinv(core.from_host(np.array([close, -close], dtype))).to_host()
    np.testing.assert_allclose(near, [value, -value], rtol=4 * np.finfo(dtype).eps)
