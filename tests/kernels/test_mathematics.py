"""Formulas as mathematics: a reader of LaTeX that knows nothing of netcl finds the value of the formula in them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.compiler.ir.evaluate import evaluate
from netcl.kernels.compiler.specialise.canonical import canonical_signature
from netcl.kernels.library.registry import Catalogue
from netcl.kernels.tools.mathematics import formula_latex

TOKEN = re.compile(
    r"\\(?:text|operatorname)\{[^{}]*\}|\\bar\{\\?[a-z]+\}|\\overline\{\\text\{[^{}]*\}\}|\\(?:begin|end)\{cases\}"
    r"|\\(?:left|right)(?:\\[lr](?:floor|ceil)|[()|\[\]])|\\\\|\\,|\\[A-Za-z]+'?|[0-9]+(?:\.[0-9]+)?|[A-Za-z]"
    r"|[-+=<>^_{}\[\],&()]"
)
ENDS = re.compile(r"[-+=<>}\],&)]|\\\\|\\(?:right|end|lor\b|land\b|[gn]e\b|le\b)")
"""What a product ends at."""
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b, "<": lambda a, b: a < b, ">": lambda a, b: a > b, r"\le": lambda a, b: a <= b,
    r"\ge": lambda a, b: a >= b, r"\ne": lambda a, b: a != b,
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {
    r"\log": mpmath.log, r"\sin": mpmath.sin, r"\cos": mpmath.cos, r"\tan": mpmath.tan, r"\arcsin": mpmath.asin,
    r"\arccos": mpmath.acos, r"\arctan": mpmath.atan, r"\sinh": mpmath.sinh, r"\cosh": mpmath.cosh,
    r"\tanh": mpmath.tanh, r"\max": max, r"\min": min, r"\exp": mpmath.exp, r"\psi": mpmath.digamma,
    r"\psi'": lambda x: mpmath.polygamma(1, x), r"\Phi": mpmath.ncdf, r"\zeta": mpmath.zeta, r"\Gamma": mpmath.gamma,
    "atan2": mpmath.atan2, "asinh": mpmath.asinh, "acosh": mpmath.acosh, "atanh": mpmath.atanh, "erf": mpmath.erf,
    "erfc": mpmath.erfc, "isnan": mpmath.isnan, "isinf": mpmath.isinf, "isfinite": mpmath.isfinite,
    "sgn": mpmath.sign, "fmod": math.fmod, "copysign": lambda a, b: mpmath.mpf(math.copysign(a, b)),
    "detach": lambda x: x, "trunc": lambda x: mpmath.mpf(math.trunc(float(x))),
    "round": lambda x: mpmath.mpf(round(float(x))),
}  # fmt: skip


class Reader:
    """Evaluates a line of LaTeX as a person would read it: by the precedence of signs, products by juxtaposition."""

    def __init__(self, text: str, values: dict[str, Any]) -> None:
        self.tokens = TOKEN.findall(text)
        assert "".join(self.tokens).replace(" ", "") == text.replace(" ", ""), f"not read as a whole: {text}"
        self.values = values
        self.at = 0

    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str | None = None) -> str:
        token = self.next()
        assert wanted is None or token == wanted, f"{wanted} wanted at {self.tokens[self.at :]}"
        self.at += 1
        return token

    def condition(self) -> Any:
        value = self.conjunction()
        while self.next() == r"\lor":
            self.take()
            other = self.conjunction()
            value = value or other
        return value

    def conjunction(self) -> Any:
        value = self.negation()
        while self.next() == r"\land":
            self.take()
            other = self.negation()
            value = value and other
        return value

    def negation(self) -> Any:
        if self.next() == r"\lnot":
            self.take()
            return not self.negation()
        value = self.sum()
        if self.next() not in COMPARISONS:
            return value
        holds = True
        while self.next() in COMPARISONS:
            compared = COMPARISONS[self.take()]
            other = self.sum()
            holds, value = holds and compared(value, other), other
        return holds

    def sum(self) -> Any:
        sign = -1 if self.next() == "-" and self.take() else 1
        value = sign * self.product()
        while self.next() in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            value = value + sign * self.product()
        return value

    def product(self) -> Any:
        value = self.power()
        while True:
            if self.next() in (r"\,", r"\cdot"):
                self.take()
                value = value * self.power()
            elif self.next() == r"\bmod":
                self.take()
                other = self.power()
                value = value - other * mpmath.floor(value / other)
            elif self.next() and not re.match(
                r"[-+=<>}\],&)]|\\\\|\\(right|end|l[eo]\b|lor|land|ge\b|ne\b|le\b)", self.next()
            ):
                value = value * self.power()
            else:
                return value

    def power(self) -> Any:
        value = self.atom()
        if self.next() == "^":
            self.take()
            exponent = self.braced()
            value = mpmath.mpf(value) ** exponent
        return value

    def braced(self) -> Any:
        self.take("{")
        value = self.condition()
        self.take("}")
        return value

    def listed(self, closing: str) -> list[Any]:
        found = [self.condition()]
        while self.next() == ",":
            self.take()
            found.append(self.condition())
        self.take(closing)
        return found

    def atom(self) -> Any:
        token = self.take().replace(" ", "")
        if token[0].isdigit():
            return mpmath.mpf(token)
        if token == r"\infty":
            return mpmath.inf
        if token == r"\text{nan}":
            return mpmath.nan
        if token == r"\frac":
            above, below = self.braced(), self.braced()
            return (
                mpmath.nan if below == 0 and above == 0 else mpmath.mpf(above) / below if below else mpmath.inf * above
            )
        if token == r"\sqrt":
            if self.next() == "[":
                assert [self.take() for _ in range(3)] == ["[", "3", "]"]
                value = self.braced()
                return mpmath.sign(value) * mpmath.cbrt(abs(value))
            return mpmath.sqrt(self.braced())
        if token == r"\left(":
            return self.listed(r"\right)")[0]
        if token == r"\left[":
            return int(bool(self.listed(r"\right]")[0]))
        if token == r"\left|":
            return abs(self.listed(r"\right|")[0])
        if token == r"\left\lfloor":
            return mpmath.floor(self.listed(r"\right\rfloor")[0])
        if token == r"\left\lceil":
            return mpmath.ceil(self.listed(r"\right\rceil")[0])
        if token == r"\begin{cases}":
            return self.cases()
        name = re.sub(r"\\operatorname\{(.*)\}", r"\1", token).replace(r"\_", "_")
        if name in FUNCTIONS:
            base = self.below()
            if name == r"\psi" and self.next() == "^":
                assert [self.take() for _ in range(3)] == ["^", "{", "("]
                order = self.listed(")")[0]
                assert [self.take() for _ in range(2)] == ["}", "("]
                return mpmath.polygamma(int(order), self.listed(")")[0])
            opening = self.take()
            arguments = self.listed(opening.replace("left", "right").replace("(", ")"))
            value = FUNCTIONS[name](*(map(abs, arguments) if opening == r"\left|" else arguments))
            return value / mpmath.log(int(base)) if base else value
        if token == "I" and "I" not in self.values:
            order = self.below()
            self.take(r"\left(")
            return mpmath.besseli(int(order), self.listed(r"\right)")[0])
        if token == "e" and "e" not in self.values:
            return mpmath.e
        below = self.below()
        return self.values[token + (f"_{below}" if below else "")]

    def below(self) -> str:
        """What stands below the line, as text."""
        if self.next() != "_":
            return ""
        self.take()
        if self.next() != "{":
            return self.take()
        self.take()
        found = ""
        while self.next() != "}":
            found += self.take()
        self.take()
        return found

    def cases(self) -> Any:
        chosen: list[Any] = []
        while True:
            value = self.condition()
            self.take("&")
            told = self.take()
            holds = True if told == r"\text{otherwise}" else self.condition()
            assert told in (r"\text{otherwise}", r"\text{if }")
            if holds:
                chosen.append(value)
            if self.take() == r"\end{cases}":
                return chosen[0]


def value_of(latex: str, values: dict[str, Any]) -> list[Any]:
    """The values of the last lines of a formula: of its outputs."""
    lines = re.sub(r"\\(begin|end)\{split\}", "", latex).strip().split("\\\\\n")
    found: list[Any] = []
    values = dict(values)
    for line in lines:
        name, _, text = line.partition("=")
        reader = Reader(text.strip(), values)
        values[re.sub(r"[{}]", "", name.replace("&", "").strip())] = value = reader.condition()
        assert not reader.next(), f"left over: {reader.tokens[reader.at :]} of {text}"
        found.append(value)
    return found


def told(name: str) -> str:
    """How a name of an operand or an attribute is written."""
    letters, digits = re.fullmatch(r"(.*?)_?(\d*)", name).groups()  # type: ignore[union-attr]
    greek = letters in ("alpha", "beta", "lambda", "epsilon")
    symbol = f"\\{letters}" if greek else letters if len(letters) == 1 else rf"\text{{{letters}}}".replace("_", r"\_")
    return f"{symbol}_{digits}" if digits else symbol


def barred(name: str) -> str:
    return rf"\bar{{{told(name)}}}" if len(name) == 1 else rf"\overline{{{told(name)}}}"


def formulas() -> list[Any]:
    """Values and derivatives of all ops, of which every tensor is read where the result is, in the functions above."""
    found = []
    for op in Catalogue.shipped():
        formula = pipeline.forward(op.forms[0], canonical_signature(op.forms[0]))
        wanted = pipeline.differentiable(formula)
        floats = all(output.dtype == "float32" for output in formula.outputs)
        for each in [formula, *([pipeline.gradient(formula, wanted)] if wanted and floats else [])]:
            axes = {(tensor.axes, tensor.flat) for tensor in (*each.operands, *each.outputs)}
            text = formula_latex(each)
            known = not re.search(r"operatorname\{(random|betainc|times)|\b[PQ]\\left|I_\{x\}", text)
            if len(axes) == 1 and each.operands and known and not re.search(r"_\{[^0-9]", text):
                found.append(pytest.param(each, text, id=each.name))
    return found


@pytest.mark.parametrize(("formula", "text"), formulas())
def test_what_is_written_has_the_value_of_the_formula(formula: Formula, text: str) -> None:
    rng = np.random.default_rng(7)
    points = 12
    sizes = {index: points for output in formula.outputs for axis in output.axes for index in axis}
    operands: dict[str, Any] = {}
    low, high = (1.1, 2.4) if "zeta" in text else (0.2, 0.9) if re.search(r"Gamma|psi\^", text) else (-2.5, 2.5)
    for operand in formula.operands:
        drawn = rng.uniform(low, high, points) if operand.dtype == "float32" else rng.integers(0, 2, points)
        operands[operand.name] = drawn.astype(bool) if operand.dtype == "bool" else drawn
    attributes = {name: 0.75 if dtype.startswith("float") else 2 for name, dtype in formula.attributes.items()}
    with np.errstate(all="ignore"):
        expected = [np.broadcast_to(each, points) for each in evaluate(formula, operands, attributes, sizes)]
    for at in range(points):
        values = {told(name): mpmath.mpf(float(each[at])) for name, each in operands.items()}
        values |= {told(name): mpmath.mpf(each) for name, each in attributes.items()}
        for name, each in operands.items():
            if name[0] == "d" and len(name) > 1:
                values[barred(name[1:])] = mpmath.mpf(float(each[at]))
        found = value_of(text, values)[-len(expected) :]
        for written, known in zip(found, expected, strict=True):
            if isinstance(written, mpmath.mpc) or mpmath.isnan(written):
                assert np.isnan(known[at]), text
            else:
                assert float(written) == pytest.approx(float(known[at]), rel=1e-9, abs=1e-12), text


WRITTEN = {
    "x[i, j]: float, w[j]: float) -> y[i] { y = sum[j](x[i, j] * w[j]); }": r"y_{i} = \sum_{j} x_{i, j} w_{j}",
    "x[i, j]: float) -> y[i] { y = 2 * sum[j](x[i, j] + j); }": r"y_{i} = 2 \sum_{j} \left(x_{i, j} + j\right)",
    "x[i, j]: float) -> y[i] { y = max[j](x[i, j]) - 1; }": r"y_{i} = \max_{j} x_{i, j} - 1",
    "x[i]: float) -> y[i] { y = (x[i] - 1) * (x[i] - 2); }": r"y = \left(x - 1\right) \left(x - 2\right)",
    "x[i]: float) -> y[i] { y = -(x[i] ^ 2); }": r"y = -x^{2}",
    "x[i]: float) -> y[i] { y = (-x[i]) ^ 3; }": r"y = \left(-x\right)^{3}",
    "x[i]: float, scale[]: float) -> y[i] { y = x[i] / scale[]; }": r"y = \frac{x}{\text{scale}}",
    "x[i]: float; rate: float) -> y[i] { y = rate * (x[i] < rate ? x[i] : 1); }": (
        r"y = \text{rate} \, \begin{cases} x & \text{if } x < \text{rate} \\ 1 & \text{otherwise} \end{cases}"
    ),
    "x[i]: float) -> y[i] { y = sum[s <= i](x[s]); }": r"y_{i} = \sum_{i' \le i} x_{i'}",
}


@pytest.mark.parametrize("text", WRITTEN)
def test_a_formula_is_written_as_a_person_would(text: str) -> None:
    [op] = Catalogue().load_text(f"op f({text}")
    form = op.forms[0]
    assert formula_latex(pipeline.forward(form, canonical_signature(form))) == WRITTEN[text]
