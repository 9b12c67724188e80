"""`netcl ops check`: every declared derivative against the derived one, and both against differences, in float64.

It runs on the reference evaluator, and again on a device (`device_check`), whose values and gradients are its own, are
computed twice, and are compared with the evaluator's. A derivative is right at a point when it lies between
the one-sided differences there (at a smooth point the two are equal). Points are drawn from the op's `sample` ranges;
an op of pointwise formulas is also tried on a stress grid. Of a large operand some elements are drawn. The first point
where a derivative is wrong is reported.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from netcl.core.errors import NetclError
from netcl.kernels.compiler.derive.differentiate import gradient
from netcl.kernels.compiler.derive.formula import NoDerivative
from netcl.kernels.compiler.ir import FLOATS, Formula, Recurrence, subexpressions
from netcl.kernels.compiler.ir.evaluate import evaluate
from netcl.kernels.compiler.language import syntax
from netcl.kernels.tools.sampling import Case, Wish, cases, is_pointwise, outside, stressed

_STEP = 1e-6
_FINER = 1 / 16
"""Of a step: what differences call wrong must be wrong for this one as well, if they are not to be too coarse."""
_TOLERANCE = 2e-5
_DRAWS = 4  # for each case off the defaults: a choice of two is missed once in 4096


class WrongDerivative(NetclError, ValueError):
    """A derivative that differs from the differences of the value, or a declared one from the derived one."""


class Evaluator:
    """Where a form is checked: on the reference evaluator, in float64."""

    dtype = "float64"
    wishes: tuple[Wish, ...] = ()
    """Sizes that are tried beside the usual ones."""

    def most_points(self, formula: Formula) -> int:
        """So many elements of one operand are looked at, for each of which the op is computed four times. A recurrence
        goes step by step."""
        exprs = (output.expr for output in formula.outputs)
        return 10 if any(isinstance(node, Recurrence) for node in subexpressions(*exprs)) else 200

    def outputs(self, case: Case, **changed: np.ndarray) -> tuple[np.ndarray, ...]:
        """The outputs of a case, with some operands changed."""
        return value_of(case, **changed)

    def gradients(
        self, case: Case, grad: Formula, values: Mapping[str, np.ndarray], names: Sequence[str]
    ) -> tuple[np.ndarray, ...]:
        """The gradients of these operands by their formula, from the operands, outputs and output gradients."""
        shapes = {**case.bindings.shapes, **{f"grad_{name}": case.operands[name].shape for name in names}}
        return evaluate(grad, values, case.attributes, case.bindings.sizes, shapes)

    def resolves(self, formula: Formula) -> bool:
        """Whether values have enough digits for their differences to say something."""
        return True

    def compare(self, form: syntax.Declaration, case: Case) -> int:
        """Compare the outputs with another computation of the same; how many elements were compared."""
        return 0


def check_form(form: syntax.Declaration, count: int = 3, on: Evaluator | None = None) -> int:
    """Check every gradient of one form on `count` cases; the number of points compared. Raises WrongDerivative at the
    first wrong one, IndexOutOfRangeError where the form reads outside of its operands whatever their sizes are."""
    on = on or Evaluator()
    points = 0
    wish = Wish(dtype=on.dtype)
    drawn = list(itertools.islice(cases(form, wish), count))
    if form.attributes or any(operand.default is not None for operand in form.operands):
        drawn += _off_the_defaults(form, wish, count)
    for other in on.wishes:
        drawn += itertools.islice(cases(form, other), 1)
    problem = None if drawn else outside(form, wish)
    if problem is not None:
        raise problem
    if drawn and is_pointwise(form) and not form.samples:
        drawn.append(stressed(drawn[0]))
    asked = False
    for case in drawn:
        on.compare(form, case)
        smooth = [each.name for each in case.formula.operands if each.dtype in FLOATS and each.differentiable]
        if smooth and _has_float_output(case.formula):
            points += _check_case(form, case, smooth, on)
            asked = asked or any(case.operands[name].size for name in smooth)
    if asked and not points:
        operands = " ".join(f"sample {each.name} in [low, high];" for each in form.operands)
        raise WrongDerivative(
            str(form.span.error(f"{form.name} has no value at any of the points tried; say where it has: {operands}"))
        )
    return points


def _off_the_defaults(form: syntax.Declaration, wish: Wish, count: int) -> Iterator[Case]:
    """`count` cases; and of more draws those that choose what none has chosen: switches, words, operands left out."""
    seen = set()
    for at, case in enumerate(itertools.islice(cases(form, replace(wish, vary=True)), _DRAWS * count)):
        static = tuple(value for _, value in case.signature.static if isinstance(value, (bool, str)))
        chosen = (static, tuple(case.signature.operand_map))
        if at < count or chosen not in seen:
            yield case
        seen.add(chosen)


def value_of(case: Case, **changed: np.ndarray) -> tuple[np.ndarray, ...]:
    """The outputs of a case on the reference evaluator, with some operands changed."""
    operands = {**case.operands, **changed}
    return evaluate(case.formula, operands, case.attributes, case.bindings.sizes, case.bindings.shapes)


def _has_float_output(formula: Formula) -> bool:
    return any(output.dtype in FLOATS for output in formula.outputs)


def _check_case(form: syntax.Declaration, case: Case, names: Sequence[str], on: Evaluator) -> int:
    """Check the gradients of these operands of a case; the number of points compared."""
    random = np.random.default_rng(1)
    outputs = on.outputs(case)
    floats = [at for at, output in enumerate(case.formula.outputs) if output.dtype in FLOATS]
    seeds = {}
    for at in floats:  # what has no value weighs nothing
        seed = random.uniform(0.5, 1.5, outputs[at].shape)
        seeds[f"d{case.formula.outputs[at].name}"] = np.where(np.isfinite(outputs[at]), seed, 0.0)
    if not any(seed.any() for seed in seeds.values()):
        return 0
    values = {**case.operands, **seeds}
    values.update({output.name: value for output, value in zip(case.formula.outputs, outputs, strict=True)})
    found = _gradients(form, case, names, values, on)
    return sum(_check_operand(form, case, name, kinds, seeds, floats, on) for name, kinds in found.items())


def _gradients(
    form: syntax.Declaration, case: Case, names: Sequence[str], values: Mapping[str, np.ndarray], on: Evaluator
) -> dict[str, dict[str, np.ndarray]]:
    """The gradients of each of these operands, the declared and the derived one."""
    formula = case.formula
    declared = [name for name in names if name in formula.declared or formula.adjoints]
    found: dict[str, dict[str, np.ndarray]] = {name: {} for name in names}
    try:
        for name, value in _of_all(case, formula, declared, values, on):
            found[name]["declared"] = value
    except NoDerivative as missing:
        raise WrongDerivative(str(missing)) from None
    plain = replace(formula, declared={}, adjoints={})
    try:
        for name, value in _of_all(case, plain, names, values, on):
            found[name]["derived"] = value
    except NoDerivative:
        for each in names:
            try:
                found[each]["derived"] = dict(_of_all(case, plain, [each], values, on))[each]
            except NoDerivative as missing:
                if not found[each]:
                    raise WrongDerivative(f"{form.span}: {missing}") from None
    return found


def _of_all(
    case: Case, formula: Formula, names: Sequence[str], values: Mapping[str, np.ndarray], on: Evaluator
) -> Iterable[tuple[str, np.ndarray]]:
    """The gradients of these operands, by one formula."""
    if not names:
        return ()
    return zip(names, on.gradients(case, gradient(formula, tuple(names)), values, names), strict=True)


def _check_operand(
    form: syntax.Declaration, case: Case, name: str, results: Mapping[str, np.ndarray],
    seeds: Mapping[str, np.ndarray], floats: list[int], on: Evaluator,
) -> int:  # fmt: skip
    if not on.resolves(case.formula):  # then the gradients are those of the evaluator, which has differences
        return int(np.isfinite([*results.values()]).all(0).sum())
    random = np.random.default_rng(1)
    points = list(np.ndindex(case.operands[name].shape))
    most = on.most_points(case.formula)
    if len(points) > most:
        points = [points[at] for at in random.choice(len(points), most, replace=False)]
    simple = _simple_differences(case, name, seeds, floats, points, on)
    agree = [np.abs(found - simple) <= _TOLERANCE * (1 + np.abs(simple)) for found in results.values()]
    rest = [at for at in points if not all(each[at] for each in agree)]  # kinks, jumps, and what is wrong
    below, above = _differences(case, name, seeds, floats, rest, on)
    if not all(seed.all() for seed in seeds.values()):
        for found in results.values():  # 0 times the slope of what has no value may be NaN
            below[np.isnan(found)] = np.nan
    for kind, found in results.items():
        wrong = _differs(case, name, kind, found, below, above)
        if wrong.any():
            suspects = [tuple(map(int, at)) for at in np.argwhere(wrong)]
            finer = _differences(case, name, seeds, floats, suspects, on, _STEP * _FINER)
            wrong &= _differs(case, name, kind, found, *finer)
        if wrong.any():
            raise _wrong(form, case, name, kind, found, below, above, tuple(map(int, np.argwhere(wrong)[0])))
    return len(points) - len(rest) + int(np.isfinite(below + above).sum())


def _simple_differences(
    case: Case,
    name: str,
    seeds: Mapping[str, np.ndarray],
    floats: list[int],
    points: list[tuple[int, ...]],
    on: Evaluator,
) -> np.ndarray:
    """Central differences of sum(seed * output) along the elements of the operand at `points`; NaN at all others.

    A gradient that agrees with one lies between the one-sided differences, which take twice the evaluations.
    """
    x = np.asarray(case.operands[name], dtype=np.float64)
    found = np.full(x.shape, np.nan)
    base = on.outputs(case)
    with np.errstate(all="ignore"):
        for at in points:
            step = _STEP * max(1.0, abs(x[at]))
            slopes = []
            for moved in (-step, step):
                there = x.copy()
                there[at] += moved
                slopes.append(_along(case, seeds, floats, on.outputs(case, **{name: there}), base) / moved)
            found[at] = sum(slopes) / 2
    return found


def _along(
    case: Case,
    seeds: Mapping[str, np.ndarray],
    floats: list[int],
    outputs: tuple[np.ndarray, ...],
    base: tuple[np.ndarray, ...],
) -> float:
    """How far sum(seed * output) is from that of the base; what has no weight, or no slope, counts nothing."""
    total = 0.0
    for at in floats:
        changed = outputs[at] - base[at]
        seed = seeds[f"d{case.formula.outputs[at].name}"]
        total += float(np.sum(np.where((changed == 0) | (seed == 0), 0.0, changed) * seed))
    return total


def _differences(
    case: Case,
    name: str,
    seeds: Mapping[str, np.ndarray],
    floats: list[int],
    points: list[tuple[int, ...]],
    on: Evaluator,
    part: float = _STEP,
) -> tuple[np.ndarray, np.ndarray]:
    """One-sided differences of sum(seed * output) along the elements of the operand at `points`: (below, above).

    NaN at a jump, and at all other elements. `part` is the step, as a part of what is large.
    """
    x = np.asarray(case.operands[name], dtype=np.float64)
    base = on.outputs(case)
    below, above = np.full(x.shape, np.nan), np.full(x.shape, np.nan)
    with np.errstate(all="ignore"):
        for at in points:
            step = part * max(1.0, abs(x[at]))
            sides = []
            for sign in (-1.0, 1.0):
                near, far = x.copy(), x.copy()
                near[at] += sign * step / 2
                far[at] += sign * step
                # Richardson: the error of the one-sided difference is of second order
                once = _along(case, seeds, floats, on.outputs(case, **{name: far}), base) / (sign * step)
                half = _along(case, seeds, floats, on.outputs(case, **{name: near}), base) / (sign * step / 2)
                continuous = abs(half - once) <= 0.25 * max(abs(once), abs(half)) + _TOLERANCE
                sides.append(2 * half - once if continuous else np.nan)
            below[at], above[at] = sides
    return below, above


def _differs(case: Case, name: str, kind: str, found: np.ndarray, below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Where a gradient lies outside of the one-sided differences."""
    low, high = np.minimum(below, above), np.maximum(below, above)
    slack = _TOLERANCE * (1 + np.maximum(np.abs(low), np.abs(high)))
    known = np.isfinite(low) & np.isfinite(high)
    wrong = known & ~((found >= low - slack) & (found <= high + slack))
    if kind == "derived" and (name in case.formula.declared or case.formula.adjoints):
        # where the derived form overflows the author has declared a better one: that is why it is there
        wrong &= np.isfinite(found)
    return np.asarray(wrong)


def _wrong(
    form: syntax.Declaration, case: Case, name: str, kind: str, found: np.ndarray, below: np.ndarray,
    above: np.ndarray, at: tuple[int, ...],
) -> WrongDerivative:  # fmt: skip
    grad = next((each for each in form.grads if each.name == name), None)
    span = grad.span if grad is not None and kind == "declared" else form.span
    point = ", ".join(f"{each} = {_element(value, at):.9g}" for each, value in case.operands.items())
    given = [f"{each.name} = {case.arguments()[each.name]!r}" for each in form.attributes]
    with_these = f" with {', '.join(given)}" if given else ""
    expected = (below[at] + above[at]) / 2
    return WrongDerivative(
        str(
            span.error(
                f"the {kind} gradient of {form.name} by {name} is wrong at {point} (element {at}){with_these}: "
                f"it gives {found[at]:.6g}, differences give {expected:.6g}"
            )
        )
    )


def _element(value: np.ndarray, at: tuple[int, ...]) -> float:
    """The element at the place of another operand's, or the first where there is none."""
    fits = value.ndim == len(at) and all(i < n for i, n in zip(at, value.shape, strict=True))
    return float(value[at]) if fits else float(value.flat[0])
