"""`netcl ops check`: every declared derivative against the derived one, and both against differences, in float64.

It runs on the reference evaluator, and again on a device (`device_check`), whose values and gradients are its own, are
computed twice, and are compared with the evaluator's. A derivative is right at a point when it lies between
the one-sided differences there (at a smooth point the two are equal). Points are drawn from the op's `sample` ranges;
an op of pointwise formulas is also tried on a stress grid. Of a large operand some elements are drawn. The first point
where a derivative is wrong is reported.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from netcl.core.errors import NetclError
from netcl.kernels.compiler.derive.batch import batched
from netcl.kernels.compiler.derive.differentiate import gradient
from netcl.kernels.compiler.derive.formula import NoDerivative
from netcl.kernels.compiler.ir import FLOATS, Formula, root, subexpressions
from netcl.kernels.compiler.ir.evaluate import evaluate
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.scope import walk
from netcl.kernels.runtime.bindings import bindings_of_batch
from netcl.kernels.tools.sampling import Case, Wish, cases, is_pointwise, outside, stressed

_STEP = 1e-6
_FINER = 1 / 16
"""Of a step: what differences call wrong must be wrong for this one as well, if they are not to be too coarse."""
_DOUBT = 4
"""Differences that change with the step may be wrong by so many times that change: those of a stiff formula, say."""
_TOLERANCE = 2e-5
_LARGEST_BATCH = 1 << 20
"""So many elements may what is evaluated have in a batch, where each call does not have more."""
_DRAWS = 4  # for each case off the defaults: a choice of two is missed once in 4096


Points = Sequence[tuple[int, ...]]


class WrongDerivative(NetclError, ValueError):
    """A derivative that differs from the differences of the value, or a declared one from the derived one."""


class Evaluator:
    """Where a form is checked: on the reference evaluator, in float64."""

    dtype = "float64"
    wishes: tuple[Wish, ...] = ()
    """Sizes that are tried beside the usual ones."""

    most_points = 200
    """So many elements of one operand are looked at, for each of which the op is computed up to ten times."""

    def outputs(self, case: Case) -> tuple[np.ndarray, ...]:
        return value_of(case)

    def outputs_for(self, case: Case, name: str, values: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
        """The outputs for each of these values of one operand: they have one axis more than it, in front."""
        return values_of(case, name, values)

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


def values_of(case: Case, name: str, values: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """Those for each of these values of one operand, evaluated as batches of calls."""
    formula, bindings = case.formula, case.bindings
    carriers = frozenset({name, *(operand.name for operand in formula.operands if operand.flat)})
    wide = batched(formula, carriers, False, None)
    length = max(1, _LARGEST_BATCH // _largest(formula, bindings.sizes))
    for first in range(0, len(values), length):
        batch = values[first : first + length]
        operands = {
            each: np.broadcast_to(value, (len(batch), *value.shape)) if each in carriers else value
            for each, value in case.operands.items()
        }
        of_batch = bindings_of_batch(formula, wide, bindings, len(batch), carriers)
        found = evaluate(wide, {**operands, name: batch}, case.attributes, of_batch.sizes, of_batch.shapes)
        yield from zip(*found, strict=True)


def _largest(formula: Formula, sizes: Mapping[str, int]) -> int:
    """Of what is evaluated, the most elements."""
    nodes = subexpressions(*(output.expr for output in formula.outputs))
    return max(math.prod(sizes[root(index)] for index in node.free if root(index) in sizes) for node in nodes) or 1


def _has_float_output(formula: Formula) -> bool:
    return any(output.dtype in FLOATS for output in formula.outputs)


def _check_case(form: syntax.Declaration, case: Case, names: Sequence[str], on: Evaluator) -> int:
    """Check the gradients of these operands of a case; the number of points compared."""
    outputs = on.outputs(case)
    total = _Sum(case, outputs, on)
    if not any(seed.any() for seed in total.seeds.values()):
        return 0
    values = {**case.operands, **total.seeds}
    values.update({output.name: value for output, value in zip(case.formula.outputs, outputs, strict=True)})
    found = _gradients(form, case, names, values, on)
    return sum(
        _finite(kinds) if _is_surrogate(form, name) else _check_operand(form, total, name, kinds)
        for name, kinds in found.items()
    )


def _is_surrogate(form: syntax.Declaration, name: str) -> bool:
    """Whether the gradient by an operand, or a member of a variadic one, is meant to differ from the slope."""
    return any(each.name == _declared(form, name) for each in form.surrogates)


def _declared(form: syntax.Declaration, name: str) -> str:
    """The name by which an operand is declared: that of a member of a variadic one has a number behind it."""
    variadic = {each.name for each in form.operands if each.variadic}
    of = name.rstrip("0123456789")
    return of if of in variadic else name


def _finite(results: Mapping[str, np.ndarray]) -> int:
    """At how many points all gradients by one operand are finite."""
    return int(np.isfinite([*results.values()]).all(0).sum())


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


def _check_operand(form: syntax.Declaration, total: _Sum, name: str, results: Mapping[str, np.ndarray]) -> int:
    case, on = total.case, total.on
    if not on.resolves(case.formula):  # then the gradients are those of the evaluator, which has differences
        return _finite(results)
    random = np.random.default_rng(1)
    points = list(np.ndindex(case.operands[name].shape))
    if len(points) > on.most_points:
        points = [points[at] for at in random.choice(len(points), on.most_points, replace=False)]
    simple = total.central(name, points)
    agree = [np.abs(found - simple) <= _TOLERANCE * (1 + np.abs(simple)) for found in results.values()]
    rest = [at for at in points if not all(each[at] for each in agree)]  # kinks, jumps, and what is wrong
    below, above = total.one_sided(name, rest)
    if not all(seed.all() for seed in total.seeds.values()):
        for found in results.values():  # 0 times the slope of what has no value may be NaN
            below[np.isnan(found)] = np.nan
    for kind, found in results.items():
        wrong = _differs(case, name, kind, found, below, above)
        if wrong.any():
            suspects = [tuple(map(int, at)) for at in np.argwhere(wrong)]
            finer = total.one_sided(name, suspects, _STEP * _FINER)
            unsettled = _DOUBT * np.fmax(np.abs(finer[0] - below), np.abs(finer[1] - above))
            wrong &= _differs(case, name, kind, found, *finer, np.nan_to_num(unsettled))
        if wrong.any():
            raise _wrong(form, case, name, kind, found, below, above, tuple(map(int, np.argwhere(wrong)[0])))
    return len(points) - len(rest) + int(np.isfinite(below + above).sum())


class _Sum:
    """sum(seed * output) of a case, where elements of an operand move; `base` are the outputs where none does."""

    def __init__(self, case: Case, base: Sequence[np.ndarray], on: Evaluator) -> None:
        self.case, self.base, self.on = case, base, on
        self.floats = [at for at, output in enumerate(case.formula.outputs) if output.dtype in FLOATS]
        random = np.random.default_rng(1)
        self.seeds: dict[str, np.ndarray] = {}
        for at in self.floats:  # what has no value weighs nothing
            seed = random.uniform(0.5, 1.5, base[at].shape)
            self.seeds[f"d{case.formula.outputs[at].name}"] = np.where(np.isfinite(base[at]), seed, 0.0)

    def central(self, name: str, points: Points) -> np.ndarray:
        """Central differences along the elements of the operand at `points`; NaN at all others.

        A gradient that agrees with one lies between the one-sided differences, which take twice the evaluations.
        """
        x = np.asarray(self.case.operands[name], dtype=np.float64)
        found = np.full(x.shape, np.nan)
        moves = [(at, sign * _STEP * max(1.0, abs(x[at]))) for at in points for sign in (-1, 1)]
        changes = self._changes(x, name, moves)
        with np.errstate(all="ignore"):
            for (at, step), below, above in zip(moves[1::2], changes, changes, strict=True):
                found[at] = (above - below) / (2 * step)
        return found

    def one_sided(self, name: str, points: Points, part: float = _STEP) -> tuple[np.ndarray, np.ndarray]:
        """One-sided differences along the elements of the operand at `points`: (below, above).

        NaN at a jump, and at all other elements. `part` is the step, as a part of what is large.
        """
        x = np.asarray(self.case.operands[name], dtype=np.float64)
        below, above = np.full(x.shape, np.nan), np.full(x.shape, np.nan)
        parts = (-part, -part / 2, part, part / 2)
        moves = [(at, each * max(1.0, abs(x[at]))) for at in points for each in parts]
        with np.errstate(all="ignore"):
            slopes = (change / step for change, (_, step) in zip(self._changes(x, name, moves), moves, strict=True))
            for at in points:
                below[at], above[at] = (_slope(next(slopes), next(slopes)) for _ in range(2))
        return below, above

    def _changes(self, x: np.ndarray, name: str, moves: Sequence[tuple[tuple[int, ...], float]]) -> Iterator[float]:
        """How far the sum moves where one element of an operand does, for each (element, by how much)."""
        values = np.repeat(x[None], len(moves), axis=0)
        for number, (at, step) in enumerate(moves):
            values[(number, *at)] += step
        with np.errstate(all="ignore"):
            return iter([self._change(outputs) for outputs in self.on.outputs_for(self.case, name, values)])

    def _change(self, outputs: Sequence[np.ndarray]) -> float:
        """How far it is from that of the base; what has no weight, or no slope, counts nothing."""
        total = 0.0
        for at, seed in zip(self.floats, self.seeds.values(), strict=True):
            changed = outputs[at] - self.base[at]
            total += float(np.sum(np.where((changed == 0) | (seed == 0), 0.0, changed) * seed))
        return total


def _slope(once: float, half: float) -> float:
    """The slope on one side from the differences over a step and half a step; NaN at a jump. By Richardson, the error
    is of second order."""
    continuous = abs(half - once) <= 0.25 * max(abs(once), abs(half)) + _TOLERANCE
    return 2 * half - once if continuous else np.nan


def _differs(
    case: Case, name: str, kind: str, found: np.ndarray, below: np.ndarray, above: np.ndarray,
    doubt: np.ndarray | float = 0.0,
) -> np.ndarray:  # fmt: skip
    """Where a gradient lies outside of the one-sided differences, which may be wrong by `doubt`."""
    low, high = np.minimum(below, above), np.maximum(below, above)
    slack = _TOLERANCE * (1 + np.maximum(np.abs(low), np.abs(high))) + doubt
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
    point = ", ".join(f"{each} = {_shown(_element(value, at))}" for each, value in case.operands.items())
    given = [f"{each.name} = {case.arguments()[each.name]!r}" for each in form.attributes]
    with_these = f" with {', '.join(given)}" if given else ""
    expected = (below[at] + above[at]) / 2
    return WrongDerivative(
        str(
            span.error(
                f"the {kind} gradient of {form.name} by {name} is wrong at {point} (element {at}){with_these}: "
                f"it gives {found[at]:.6g}, differences give {expected:.6g}{_if_meant(form, name, kind)}"
            )
        )
    )


def _if_meant(form: syntax.Declaration, name: str, kind: str) -> str:
    """What to write where the gradient is the author's own, and right."""
    detaches = any(isinstance(each, syntax.Call) and each.function == "detach" for each in walk(form))
    declared = _declared(form, name)
    if kind == "derived" and not detaches:
        return f". If differences are too coarse there, draw other points, as with: sample {declared} in [0.5, 1];"
    return f". If it is meant to be another one, as that of a straight-through estimator is: surrogate {declared};"


def _shown(value: float) -> str:
    """A number with all that it takes to be this one."""
    short = f"{value:.9g}"
    return short if float(short) == value else repr(value)


def _element(value: np.ndarray, at: tuple[int, ...]) -> float:
    """The element at the place of another operand's, or the first where there is none."""
    fits = value.ndim == len(at) and all(i < n for i, n in zip(at, value.shape, strict=True))
    return float(value[at]) if fits else float(value.flat[0])
