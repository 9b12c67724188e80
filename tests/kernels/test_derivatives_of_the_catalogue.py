"""`netcl ops check` on every op that is shipped, and on declarations with a mistake planted."""

from __future__ import annotations

import re
from typing import Any

import pytest
from evaluated import catalogue

from netcl.kernels.compiler.ir import FLOATS
from netcl.kernels.compiler.specialise.check import check_declaration, check_forms
from netcl.kernels.library.registry import Catalogue
from netcl.kernels.tools.check import WrongDerivative, check_form
from netcl.kernels.tools.describe import describe
from netcl.kernels.tools.sampling import cases

FORMS = [pytest.param(form, id=f"{op.name}-{at}") for op in catalogue for at, form in enumerate(op.forms)]


@pytest.mark.promise("P15", "F26", "L31")
@pytest.mark.parametrize("form", FORMS)
def test_every_declared_and_derived_gradient_equals_the_differences_of_the_value(form: Any) -> None:
    formula = next(cases(form)).formula
    floats = [operand for operand in formula.operands if operand.dtype in FLOATS and operand.differentiable]
    has_gradient = floats and any(output.dtype in FLOATS for output in formula.outputs)
    assert (check_form(form) > 0) == bool(has_gradient)


def test_every_shipped_declaration_passes_the_checks_of_a_new_one() -> None:
    for op in catalogue:
        check_forms(op.forms)
        for form in op.forms:
            check_declaration(form)
            assert form.doc or form is not op.forms[0], f"{op.name} has no docstring"


PLANTED = {
    "a forgotten factor": "op f(x: float) -> y { y = x * x; grad x = dy * x; }",
    "a wrong sign": "op f(x: float) -> y { y = cos(x); grad x = dy * sin(x); }",
    "an output gradient that one branch forgot": "op f(x: float) -> y { y = exp(x); grad x = x > 0 ? dy * y : y; }",
    "the other operand": "op f(a: float, b: float) -> y { y = a * b; grad a = dy * a; }",
    "a wrong branch": "op f(x: float) -> y { y = x > 0 ? x : 0.1 * x; grad x = x > 0 ? dy : 0; }",
    "a wrong slope at 0": "op f(x: float) -> y { y = x > 0 ? x : 0; grad x = x == 0 ? 2 * dy : x > 0 ? dy : 0; }",
    "a sum that is not spread": "op f(x[i]: float) -> y[] { y = sum[i](x * x); grad x = dy * y; }",
    "a softmax without its sum": (
        "op f(x[*i]: float; axis: axes = -1) -> y[*i] { e = exp(x); y = e / sum[axis](e); grad x = y * dy; }"
    ),
    "a transposed product": (
        "op f(a[i, k]: float, b[k, j]: float) -> y[i, j] { y = sum[k](a * b); grad a = sum[j](dy * b) * 2; }"
    ),
    "a mean without its count": "op f(x[i]: float) -> y[] { y = sum[i](x) / size[i]; grad x = dy; }",
    "a detached part that has a slope": "op f(x: float) -> y { y = x * detach(x); }",
    "a word that is not the default": (
        'op f(x: float; how: word = "a") -> y { y = how == "a" ? x * x : x ^ 3; grad x = 2 * x * dy; }'
    ),
    "any word but the default": 'op f(x: float; how: word = "a") -> y { y = how == "a" ? x : x * x; grad x = dy; }',
    "one of four combinations": (
        "op f(x: float; a: bool = false, b: bool = false) -> y { y = a and b ? x * x : x; grad x = dy; }"
    ),
    "an overflow that becomes a NaN": "op f(x: float) -> y { y = log1p(exp(-abs(x))); grad x = dy * exp(x) / exp(x); }",
}


SURROGATES = {
    "a straight-through estimator": "op f(x: float) -> y { y = round(x); grad x = dy; surrogate x; }",
    "one by detach": "op f(x: float) -> y { y = x + detach(round(x) - x); surrogate x; }",
    "a reversal": "op f(x: float; strength: float = 1) -> y { y = x; grad x = -strength * dy; surrogate x; }",
    "of a member": "op f(*xs[n]: float) -> y[m] where m = size[n] { y = detach(join[m](xs)); surrogate xs; }",
}


@pytest.mark.parametrize("name", SURROGATES)
def test_a_gradient_that_is_meant_to_be_another_one_is_accepted_where_it_is_said(name: str) -> None:
    (op,) = Catalogue().load_text(SURROGATES[name])
    assert check_form(op.forms[0]) > 0
    (silent,) = Catalogue().load_text(re.sub(r"surrogate \w+;", "", SURROGATES[name]))
    with pytest.raises(WrongDerivative, match=r"(?m)If it is meant to be another one, .*: surrogate xs?;$"):
        check_form(silent.forms[0])


def test_other_operands_of_an_op_with_a_surrogate_are_compared() -> None:
    (op,) = Catalogue().load_text(
        "op f(x: float, w: float) -> y { y = round(x) * w; grad x = dy * w; grad w = dy * x; surrogate x; }"
    )
    with pytest.raises(WrongDerivative, match="the declared gradient of f by w is wrong"):
        check_form(op.forms[0])


@pytest.mark.parametrize("name", PLANTED)
def test_a_wrong_derivative_is_refused_with_the_point_where_it_is_wrong(name: str) -> None:
    (op,) = Catalogue().load_text(PLANTED[name])
    with pytest.raises(WrongDerivative, match=r"gradient of f by [xab] is wrong at [xab] = ") as caught:
        check_form(op.forms[0])
    assert re.search(r"it gives (\S+), differences give (\S+)", str(caught.value))


MISTAKES = {
    "sigmoid": ("x", "dy * y * (1 + y)"),
    "tanh": ("x", "dy * (1 - y) * (1 - y)"),
    "exp": ("x", "dy * x"),
    "log": ("x", "dy * x"),
    "sqrt": ("x", "dy / y"),
    "sin": ("x", "-dy * cos(x)"),
    "relu": ("x", "dy"),
    "silu": ("x", "dy * y"),
    "softplus": ("x", "dy"),
    "clamp": ("x", "dy"),
    "mul": ("a", "dy * a"),
    "div": ("b", "dy / b"),
    "pow": ("a", "dy * b * a ^ b"),
    "maximum": ("a", "dy"),
    "hypot": ("b", "dy * b * y"),
    "logaddexp": ("a", "dy * exp(a)"),
    "lerp": ("w", "dy * (a - b)"),
    "where": ("a", "dy"),
    "vecdot": ("b", "dy * b"),
    "linear": ("w", "2 * dy * x"),
    "linear_relu": ("bias", "dy"),
    "softmax": ("x", "y * dy"),
    "log_softmax": ("x", "dy - y * sum[axis](dy)"),
    "layer_norm": ("x", "dy * w"),
    "var": ("x", "dy * d"),
    "logsumexp": ("x", "dy * exp(x)"),
    "mean": ("x", "dy"),
    "amax": ("x", "dy"),
    "embedding": ("table", "sum[*n](dy)"),
    "cumsum": ("x", "dy"),
    "cumprod": ("x", "dy * y / x"),
    "mse_loss": ("x", "dl * (x - y)"),
}
"""A gradient that someone could have written, by op and operand."""


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_planted_in_a_shipped_op_is_refused_at_a_point(name: str) -> None:
    operand, wrong = MISTAKES[name]
    (text,) = describe(catalogue[name], "syntax").split("\n\n")[:1]
    text = re.sub(rf"grad {operand} = [^;]*;", "", text)
    body, brace, _ = text.rpartition("}")
    (op,) = Catalogue().load_text(f"{body} grad {operand} = {wrong}; {brace}")
    with pytest.raises(WrongDerivative) as caught:
        check_form(op.forms[0])
    sentence = (
        rf"the declared gradient of {name} by {operand} is wrong at .*\b{operand} = \S+.* \(element .*\)( with .*)?: "
        "it gives"
    )
    assert re.search(sentence, str(caught.value))
    assert f"grad {operand} = {wrong}" in str(caught.value), "the line is shown"


@pytest.mark.parametrize(
    "function",
    [
        "digamma(x)",
        "trigamma(x)",
        "polygamma(3, x)",
        "normal_cdf(x)",
        "times_normal_cdf(x, x)",
        "times_normal_cdf_tanh(x, x)",
        "gamma_density(x, x + 1)",
        "gamma_density(x + 12, 9 * x)",
        "beta_density(x, x + 1, x / 4)",
        "beta_density(x + 12, 15.0, x / 4)",
    ],
)
def test_the_special_functions_have_derivatives_of_second_order_too(function: str) -> None:
    (op,) = Catalogue().load_text(f"op f(x: float) -> y {{ y = {function}; sample x in [1, 2]; }}")
    check_form(op.forms[0])
