"""`netcl ops check`: every declared derivative against the derived one, and both against differences, in float64.

All of it runs on the reference evaluator, so no device is needed. A derivative is right at a point when it lies between the
one-sided differences there (at a smooth point the two are equal). Points are drawn from the op's `sample` ranges; an op of
pointwise formulas is also tried on a stress grid. The first point where a derivative is wrong is reported.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from netcl.core.errors import NetclError, ShapeError
from netcl.kernels.bindings import Bindings, bind, check
from netcl.kernels.compiler import syntax
from netcl.kernels.compiler.canonical import canonical_signature
from netcl.kernels.compiler.differentiate import NoDerivative, gradient
from netcl.kernels.compiler.evaluate import evaluate
from netcl.kernels.compiler.host import NotKnown, Numbers, integer
from netcl.kernels.compiler.ir import FLOATS, Formula
from netcl.kernels.compiler.specialise import specialise

STRESS = (0.0, 1e-30, -1e-30, 1.0, -1.0, 20.0, -20.0, 88.0, -88.0, 100.0, -100.0)
"""Finite points where formulas break; infinities and NaN have no differences, there only values are compared."""

_STEP = 1e-6
_TOLERANCE = 2e-5


class WrongDerivative(NetclError, ValueError):
    """A derivative that differs from the differences of the value, or a declared one from the derived one."""


@dataclass(frozen=True)
class Case:
    """One set of arguments of a formula, as the reference evaluator takes them."""

    formula: Formula
    operands: Mapping[str, np.ndarray]
    attributes: Mapping[str, Any]
    bindings: Bindings

    def value(self, **changed: np.ndarray) -> tuple[np.ndarray, ...]:
        return evaluate(
            self.formula, {**self.operands, **changed}, self.attributes, self.bindings.sizes, self.bindings.shapes
        )


def check_form(form: syntax.Declaration, cases: int = 3) -> int:
    """Check every gradient of one form; the number of points compared. Raises WrongDerivative at the first wrong one."""
    formula = specialise(form, canonical_signature(form, "float64"))
    wanted = [each.name for each in formula.operands if each.dtype in FLOATS and each.differentiable]
    if not wanted or not any(output.dtype in FLOATS for output in formula.outputs):
        return 0
    points = 0
    for case in itertools.islice(sample_cases(form, formula), cases):
        for name in wanted:
            points += _check_operand(form, case, name)
    return points


def sample_cases(form: syntax.Declaration, formula: Formula, seed: int = 0) -> Iterator[Case]:
    """Argument sets with small random shapes that fit, and for pointwise formulas one on the stress grid."""
    random = np.random.default_rng(seed)
    for _ in range(10_000):
        case = _random_case(form, formula, random)
        if case is not None:
            yield case
            if all(not each.axes for each in form.operands) and not form.samples:
                yield _stressed(case)


def _random_case(form: syntax.Declaration, formula: Formula, random: np.random.Generator) -> Case | None:
    lengths: dict[str, int] = {}
    shapes = []
    attributes = _attributes(form, formula, random)
    for index, expr in formula.sizes.items():
        with contextlib.suppress(NotKnown):
            lengths[index] = integer(expr, Numbers({}, attributes))
    for operand in formula.operands:
        shape = []
        for axis in operand.axes:
            length = 1
            for index in axis:
                length *= lengths.setdefault(index, int(random.integers(2, 7)))
            shape.append(length)
        shapes.append(tuple(shape))
    try:
        bindings = bind(formula, shapes, attributes)
        check(formula, bindings, attributes)
    except ShapeError:
        return None
    if any(0 in bindings.shapes[output.name] for output in formula.outputs):
        return None
    operands = {
        each.name: _drawn(form, each.name, each.dtype, shape, random)
        for each, shape in zip(formula.operands, shapes, strict=True)
    }
    return Case(formula, operands, attributes, bindings)


def _attributes(form: syntax.Declaration, formula: Formula, random: np.random.Generator) -> dict[str, Any]:
    """Defaults where there are some, else numbers drawn from the sample range or small whole numbers."""
    found: dict[str, Any] = {}
    declared = {each.name: each for each in form.attributes}
    for name, dtype in formula.attributes.items():
        base, _, element = name.partition(".")
        attribute = declared.get(base)
        default = attribute.default if attribute is not None else None
        if isinstance(default, syntax.Name) and element:
            found[name] = found.get(f"{default.name}.{element}", int(random.integers(1, 5)))
        elif isinstance(default, tuple):
            found[name] = default[int(element)].value
        elif isinstance(default, syntax.Literal):
            found[name] = default.value
        else:
            low, high = _range(form, base, (0.5, 1.5) if dtype in FLOATS else (1, 4))
            found[name] = float(random.uniform(low, high)) if dtype in FLOATS else int(random.integers(low, high + 1))
    return found


def _range(form: syntax.Declaration, name: str, otherwise: tuple[float, float]) -> tuple[float, float]:
    return next(((each.low, each.high) for each in form.samples if each.operand == name), otherwise)


def _drawn(form: syntax.Declaration, name: str, dtype: str, shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    if dtype in FLOATS:
        return random.uniform(*_range(form, name, (-2.0, 2.0)), size=shape)
    if dtype == "bool":
        return random.integers(0, 2, size=shape).astype(bool)
    return random.integers(0, 2, size=shape)


def _stressed(case: Case) -> Case:
    """Every pair of stress values, along one axis."""
    names = [each.name for each in case.formula.operands if each.dtype in FLOATS]
    grid = np.array(list(itertools.product(STRESS, repeat=min(len(names), 2)))).T
    operands: dict[str, np.ndarray] = {}
    for at, operand in enumerate(case.formula.operands):
        if operand.name in names:
            operands[operand.name] = grid[names.index(operand.name) % len(grid)]
        else:
            operands[operand.name] = np.arange(grid.shape[1]) % 2 == at % 2
    shapes = [operands[each.name].shape for each in case.formula.operands]
    return Case(case.formula, operands, case.attributes, bind(case.formula, shapes, case.attributes))


def _check_operand(form: syntax.Declaration, case: Case, name: str) -> int:
    random = np.random.default_rng(1)
    outputs = case.value()
    floats = [at for at, output in enumerate(case.formula.outputs) if output.dtype in FLOATS]
    seeds = {f"d{case.formula.outputs[at].name}": random.uniform(0.5, 1.5, outputs[at].shape) for at in floats}
    results = {}
    for kind, formula in _variants(case.formula, name):
        try:
            results[kind] = _gradient(case, formula, name, outputs, seeds)
        except NoDerivative as missing:
            if kind == "declared":
                raise WrongDerivative(str(missing)) from None
            if "declared" not in results:
                raise WrongDerivative(f"{form.span}: {missing}") from None
    below, above = _differences(case, name, seeds, floats)
    for kind, found in results.items():
        _compare(form, case, name, kind, found, below, above)
    return found.size


def _variants(formula: Formula, name: str) -> Iterator[tuple[str, Formula]]:
    if name in formula.declared:
        yield "declared", formula
    yield "derived", replace(formula, declared={})


def _gradient(
    case: Case, formula: Formula, name: str, outputs: tuple[np.ndarray, ...], seeds: Mapping[str, np.ndarray]
) -> np.ndarray:
    grad = gradient(formula, (name,))
    values = {**case.operands, **seeds}
    values.update({output.name: value for output, value in zip(formula.outputs, outputs, strict=True)})
    shapes = {**case.bindings.shapes, f"grad_{name}": case.operands[name].shape}
    return evaluate(grad, values, case.attributes, case.bindings.sizes, shapes)[0]


def _differences(
    case: Case, name: str, seeds: Mapping[str, np.ndarray], floats: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """One-sided differences of sum(seed * output) along each element of the operand: (below, above); NaN at a jump."""

    def along(outputs: tuple[np.ndarray, ...], base: tuple[np.ndarray, ...], step: float) -> float:
        total = 0.0
        for at in floats:
            changed = outputs[at] - base[at]
            seed = seeds[f"d{case.formula.outputs[at].name}"]
            total += float(np.sum(np.where(changed == 0, 0.0, changed) * seed))
        return total / step

    x = np.asarray(case.operands[name], dtype=np.float64)
    base = case.value()
    below, above = np.empty(x.shape), np.empty(x.shape)
    with np.errstate(all="ignore"):
        for at in np.ndindex(x.shape):
            step = _STEP * max(1.0, abs(x[at]))
            sides = []
            for sign in (-1.0, 1.0):
                near, far = x.copy(), x.copy()
                near[at] += sign * step / 2
                far[at] += sign * step
                # Richardson: the error of the one-sided difference is of second order
                once = along(case.value(**{name: far}), base, sign * step)
                half = along(case.value(**{name: near}), base, sign * step / 2)
                continuous = abs(half - once) <= 0.25 * max(abs(once), abs(half)) + _TOLERANCE
                sides.append(2 * half - once if continuous else np.nan)
            below[at], above[at] = sides
    return below, above


def _compare(
    form: syntax.Declaration, case: Case, name: str, kind: str, found: np.ndarray, below: np.ndarray, above: np.ndarray
) -> None:
    low, high = np.minimum(below, above), np.maximum(below, above)
    slack = _TOLERANCE * (1 + np.maximum(np.abs(low), np.abs(high)))
    known = np.isfinite(low) & np.isfinite(high)
    wrong = known & ~((found >= low - slack) & (found <= high + slack))
    if kind == "derived" and name in case.formula.declared:
        # where the derived form overflows the author has declared a better one: that is why it is there
        wrong &= np.isfinite(found)
    if not wrong.any():
        return
    at = tuple(int(each) for each in np.argwhere(wrong)[0])
    grad = next((each for each in form.grads if each.name == name), None)
    span = grad.span if grad is not None and kind == "declared" else form.span
    point = ", ".join(f"{each} = {_element(value, at):g}" for each, value in case.operands.items())
    expected = (below[at] + above[at]) / 2
    raise WrongDerivative(
        str(
            span.error(
                f"the {kind} gradient of {form.name} by {name} is wrong at {point} (element {at}): "
                f"it gives {found[at]:.6g}, differences give {expected:.6g}"
            )
        )
    )


def _element(value: np.ndarray, at: tuple[int, ...]) -> float:
    return float(value[at]) if value.ndim == len(at) and all(i < n for i, n in zip(at, value.shape, strict=True)) else float(value.flat[0])
