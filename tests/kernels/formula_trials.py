"""One formula of `random_formulas` put to the test, with its first and second gradients.

`as_written` compares the evaluator with the formula as it is written; `against_differences` its gradients with
differences, in float64; `on_the_device` what the device computes with the evaluator and its error bounds.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from bounded import Bounded, exact, outputs
from evaluated import Value, call, compiled, vjp
from random_formulas import Made

from netcl import core
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import Expr, Formula, indices_of, position, read, root
from netcl.kernels.library.op import Op
from netcl.kernels.runtime import launch
from netcl.kernels.runtime.bindings import Bindings

Array = np.ndarray[Any, Any]
MOST = 1 << 21
"""A gradient whose evaluation would need larger arrays is left out."""

SAFETY = 4.0
STEP = 1e-4


def as_written(made: Made) -> None:
    """The evaluator gives what the text says."""
    for name, found in zip(made.outputs, _values(compiled(made.text), made.arrays), strict=True):
        expected = made.value(name)
        np.testing.assert_allclose(found.array, expected, rtol=1e-9, atol=1e-9 * _largest(expected), err_msg=made.text)


@np.errstate(invalid="ignore")
def against_differences(made: Made, order: int = 2) -> int:
    """The gradients up to this order along a direction, where differences settle; how many orders did. They do not
    where something is infinite, so that sums of infinities of both signs are nothing to warn of."""
    op = compiled(made.text)
    order = min(order, _orders(op.bind([Value(each) for each in made.arrays.values()], {}).formula, made))
    rng = np.random.default_rng(1)
    floats = [name for name, array in made.arrays.items() if array.dtype.kind == "f"]
    along = {name: rng.uniform(-1, 1, made.arrays[name].shape) for name in floats}
    weights: list[list[Array]] = []

    def weighted(level: int, step: float) -> tuple[float, dict[str, Array]]:
        """The weighted sum of all gradients of this order at a point along the direction, and its own gradients."""
        leaves = {name: Value(made.arrays[name].astype("float64") + step * along[name]) for name in floats}
        found = _values(op, {**made.arrays, **leaves})
        for depth in range(level + 1):
            if depth == len(weights):
                weights.append([rng.uniform(0.5, 1.5, each.shape) for each in found])
            total = float(sum(np.sum(each.array * own) for each, own in zip(found, weights[depth], strict=True)))
            found = vjp(found, [Value(own) for own in weights[depth]], list(leaves.values()))
        return total, dict(zip(floats, (each.array for each in found), strict=True))

    settled = 0
    for level in range(order):
        value, gradients = weighted(level, 0.0)
        slope = float(sum(np.sum(gradients[name] * along[name]) for name in floats))
        steps = [
            (weighted(level, step)[0] - weighted(level, -step)[0]) / (2 * step) for step in (STEP, STEP / 2, STEP / 4)
        ]
        scale = max(abs(steps[-1]), abs(value), sum(float(np.sum(np.abs(each))) for each in gradients.values()), 1e-3)
        if not np.isfinite([value, slope, *steps]).all() or np.ptp(steps) > 1e-6 * scale:
            continue
        settled += 1
        assert abs(slope - steps[-1]) <= 1e-5 * scale, f"order {level + 1}: {slope}, but {steps[-1]}\n{made.text}"
    return settled


def on_the_device(made: Made, order: int = 2) -> float:
    """Value and gradients are within the evaluator's bounds; the share of elements about which those say anything."""
    rng = np.random.default_rng(2)
    op = compiled(made.text)
    bound = op.bind([core.from_host(each) for each in made.arrays.values()], {})
    formula, attributes = bound.formula, bound.attributes
    tensors = dict(zip((each.name for each in formula.operands), bound.operands, strict=True))
    known: dict[str, Bounded] = {name: exact(each.to_host()) for name, each in tensors.items()}
    inherited: Bindings | None = None
    saved: dict[Expr, Expr] = {}
    claimed, all_of_them = 0, 0
    for level in range(min(order, _orders(formula, made)) + 1):
        if level:
            formula = pipeline.gradient(formula, pipeline.differentiable(formula))
        given = [tensors[each.name] for each in formula.operands]
        plan = launch.prepare(formula, given, attributes, inherited)
        expected = outputs(formula, known, attributes, plan.bindings, saved)
        for output, found, (value, error) in zip(formula.outputs, plan.run(given, attributes), expected, strict=True):
            where = f"order {level}, {output.name}\n{made.text}\n{plan.text}"
            claimed += _compared(found.to_host(), value, error, where)
            all_of_them += error.size
            tensors[output.name], known[output.name] = found, (value, error)
            seed = rng.uniform(0.5, 1.5, value.shape).astype(found.dtype)
            tensors["d" + output.name], known["d" + output.name] = core.from_host(seed), exact(seed)
            saved[read(output.name, tuple(map(position, output.indices)), output.dtype)] = output.expr
        inherited = plan.bindings
    return claimed / max(all_of_them, 1)


def _orders(formula: Formula, made: Made) -> int:
    """How many gradients of gradients there are that the evaluator can compute."""
    for order in range(3):
        wanted = pipeline.differentiable(formula)
        if not wanted:
            return order
        formula = pipeline.gradient(formula, wanted)
        for output in formula.outputs:
            if math.prod(made.lengths[root(index)] for index in indices_of(output.expr)) > MOST:
                return order
    return order


def _compared(found: Array, value: Array, error: Array, where: str) -> int:
    sure = np.isfinite(error)
    with np.errstate(all="ignore"):
        same = (np.isnan(found) & np.isnan(value)) | (found == value)
        near = np.abs(found - value) <= SAFETY * error + 1e-37
    wrong = sure & ~same & ~near
    if wrong.any():
        at = tuple(int(each[0]) for each in np.nonzero(wrong))
        raise AssertionError(f"{found[at]} instead of {value[at]} ± {error[at]} at {at}, {where}")
    return int(np.count_nonzero(sure))


def _values(op: Op, arrays: dict[str, Any]) -> list[Value]:
    given = [each if isinstance(each, Value) else Value(each) for each in arrays.values()]
    return call(op, *given)


def _largest(array: Array) -> float:
    return max(1.0, float(np.abs(array[np.isfinite(array)]).max(initial=0.0)))
