"""Ops on numpy arrays through the reference evaluator, with a tape of a few lines: derivatives of any order in float64,
without a device. Used by the tests of the language and of differentiation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from netcl import kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.derive.formula import tangent_names
from netcl.kernels.compiler.ir import FLOATS, Formula
from netcl.kernels.compiler.ir.evaluate import evaluate
from netcl.kernels.library.op import Op, register_handle
from netcl.kernels.runtime.bindings import Bindings, bind

Array = np.ndarray[Any, Any]
catalogue = kernels.catalogue
STEP = 1e-6
TOLERANCE = 3e-6


class Value:
    """An array and the record that made it. Ops take it in the place of a Tensor."""

    def __init__(self, array: Any, record: Record | None = None) -> None:
        self.array = np.asarray(array)
        self.record = record
        self.shape = self.array.shape
        self.dtype = self.array.dtype


class Record:
    """One evaluated formula."""

    numbers = count()

    def __init__(self, formula: Formula, inputs: Sequence[Value], attributes: Any, bindings: Bindings) -> None:
        self.formula = formula
        self.inputs = tuple(inputs)
        self.attributes = attributes
        self.bindings = bindings
        self.outputs: list[Value] = []
        self.number = next(self.numbers)


def run(formula: Formula, inputs: Sequence[Value], attributes: Any, inherited: Bindings | None = None) -> list[Value]:
    """Every output of a formula, hidden ones included."""
    bindings = bind(formula, [each.shape for each in inputs], attributes, inherited)
    record = Record(formula, inputs, attributes, bindings)
    arrays = {operand.name: each.array for operand, each in zip(formula.operands, inputs, strict=True)}
    for output, array in zip(
        formula.outputs, evaluate(formula, arrays, attributes, bindings.sizes, bindings.shapes), strict=True
    ):
        # integers are evaluated wide; the dtype that the formula promises is what later formulas expect
        record.outputs.append(Value(array.astype("float64" if output.dtype in FLOATS else output.dtype), record))
    return record.outputs


def call(op: Op, *args: Any, **kwargs: Any) -> list[Value]:
    """The visible outputs of an op for arrays (or Values) and attributes."""
    bound = op.bind([_wrapped(each) for each in args], {name: _wrapped(each) for name, each in kwargs.items()})
    outputs = run(bound.formula, bound.operands, bound.attributes)
    return [each for each, output in zip(outputs, bound.formula.outputs, strict=True) if not output.hidden]


def value(op: Op, *args: Any, **kwargs: Any) -> Array:
    """The first output of an op, as an array."""
    return call(op, *args, **kwargs)[0].array


def compiled(text: str) -> Op:
    """The one op that a text declares."""
    (op,) = vars(kernels.compile(text)).values()
    return op  # type: ignore[no-any-return]


def vjp(outputs: Sequence[Value], seeds: Sequence[Value | None], wanted: Sequence[Value]) -> list[Value]:
    """The gradients of sum(seed * output) by the values in `wanted`, as Values that can be differentiated again."""
    gradients: dict[int, Value] = {}
    records: dict[int, Record] = {}

    def add(to: Value, part: Value) -> None:
        known = gradients.get(id(to))
        gradients[id(to)] = part if known is None else call(catalogue["add"], known, part)[0]
        if to.record is not None:
            records[to.record.number] = to.record

    for output, seed in zip(outputs, seeds, strict=True):
        if seed is not None:
            add(output, seed)
    done: dict[int, Value] = {}
    while records:
        record = records.pop(max(records))
        names = [
            operand.name
            for operand, each in zip(record.formula.operands, record.inputs, strict=True)
            if operand.name in pipeline.differentiable(record.formula) and _leads_to(each, wanted)
        ]
        if not names:
            continue
        gradient = pipeline.gradient(record.formula, tuple(names))
        known = dict(zip((each.name for each in record.formula.operands), record.inputs, strict=True))
        for output, each in zip(record.formula.outputs, record.outputs, strict=True):
            known[output.name] = each
            known["d" + output.name] = gradients.get(id(each)) or Value(np.zeros(each.shape))
        inputs = [known[operand.name] for operand in gradient.operands]
        parts = run(gradient, inputs, record.attributes, record.bindings)
        for name, part in zip(names, parts, strict=True):
            add(known[name], part)
    done.update(gradients)
    return [done.get(id(each)) or Value(np.zeros(each.shape)) for each in wanted]


def differences(function: Callable[[], float], array: Array) -> Array:
    """Central differences of a function by each element of an array that it reads."""
    result = np.empty(array.shape)
    for at in np.ndindex(array.shape):
        kept = array[at]
        array[at] = kept + STEP
        above = function()
        array[at] = kept - STEP
        result[at] = (above - function()) / (2 * STEP)
        array[at] = kept
    return result


def assert_derivatives(
    op: Op, arrays: Sequence[Any], wanted: Sequence[int] | None = None, order: int = 2, seed: int = 0, **attributes: Any
) -> None:
    """Reverse mode to the given order, and forward mode, equal differences of the value."""
    inputs = [np.array(each, dtype=np.float64) if np.asarray(each).dtype.kind == "f" else each for each in arrays]
    floats = [at for at, each in enumerate(inputs) if isinstance(each, np.ndarray) and each.dtype.kind == "f"]
    wanted = floats if wanted is None else list(wanted)
    rng = np.random.default_rng(seed)
    seeds: list[list[Array]] = []

    def derivative(depth: int) -> tuple[list[Value], list[Value]]:
        values = [Value(each) if isinstance(each, np.ndarray) else each for each in inputs]
        outputs = call(op, *values, **attributes)
        leaves = [values[at] for at in wanted]
        for level in range(depth):
            if level == len(seeds):
                seeds.append([rng.uniform(0.5, 1.5, each.shape) for each in outputs])
            weights = [
                Value(each) if output.dtype.kind == "f" else None
                for each, output in zip(seeds[level], outputs, strict=True)
            ]
            outputs = vjp(outputs, weights, leaves)
        return outputs, leaves

    for level in range(order):
        found, _ = derivative(level + 1)

        def weighted(level: int = level) -> float:
            outputs, _ = derivative(level)
            return float(sum(np.sum(weight * each.array) for weight, each in zip(seeds[level], outputs, strict=True)))

        for at, each in zip(wanted, found, strict=True):
            expected = differences(weighted, inputs[at])
            scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
            np.testing.assert_allclose(
                each.array, expected, atol=TOLERANCE * scale, rtol=TOLERANCE, err_msg=f"order {level + 1}, operand {at}"
            )
    assert_tangent(op, inputs, wanted, rng, attributes)


def assert_tangent(op: Op, inputs: Sequence[Any], wanted: Sequence[int], rng: Any, attributes: Any) -> None:
    """Forward mode along a random direction equals the difference along it."""
    values = [Value(each) if isinstance(each, np.ndarray) else each for each in inputs]
    bound = op.bind(values, attributes)
    names = [bound.formula.operands[bound.operands.index(values[at])].name for at in wanted]
    outputs = run(bound.formula, bound.operands, bound.attributes)
    tangent = pipeline.tangent(bound.formula, tuple(names))
    along = {name: rng.uniform(-1, 1, inputs[at].shape) for name, at in zip(names, wanted, strict=True)}
    known = {operand.name: each for operand, each in zip(bound.formula.operands, bound.operands, strict=True)}
    known.update({output.name: each for output, each in zip(bound.formula.outputs, outputs, strict=True)})
    known.update({tangent_names(bound.formula)[name]: Value(each) for name, each in along.items()})
    bindings = outputs[0].record.bindings  # type: ignore[union-attr]
    found = run(tangent, [known[operand.name] for operand in tangent.operands], bound.attributes, bindings)
    sides = []
    for sign in (1, -1):
        moved = list(inputs)
        for name, at in zip(names, wanted, strict=True):
            moved[at] = inputs[at] + sign * STEP * along[name]
        rebound = op.bind([Value(each) if isinstance(each, np.ndarray) else each for each in moved], attributes)
        sides.append(run(rebound.formula, rebound.operands, rebound.attributes))
    floats = [at for at, output in enumerate(bound.formula.outputs) if output.dtype in FLOATS]
    for at, each in zip(floats, found, strict=True):
        expected = (sides[0][at].array - sides[1][at].array) / (2 * STEP)
        scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
        np.testing.assert_allclose(each.array, expected, atol=TOLERANCE * scale, rtol=TOLERANCE, err_msg="forward mode")


def gradient_of(op: Op, *arrays: Any, **attributes: Any) -> list[Array]:
    """The gradients of the sum of the first output by each float array."""
    values = [
        Value(np.asarray(each, dtype=np.float64)) if np.asarray(each).dtype.kind == "f" else Value(each)
        for each in arrays
    ]
    output = call(op, *values, **attributes)[0]
    wanted = [each for each in values if each.dtype.kind == "f"]
    return [each.array for each in vjp([output], [Value(np.ones(output.shape))], wanted)]


def _wrapped(each: Any) -> Any:
    if isinstance(each, (list, tuple)) and any(isinstance(one, (np.ndarray, Value)) for one in each):
        return [_wrapped(one) for one in each]
    return Value(each) if isinstance(each, np.ndarray) else each


def _leads_to(each: Value, wanted: Sequence[Value]) -> bool:
    stack, seen = [each], set()
    while stack:
        one = stack.pop()
        if any(one is leaf for leaf in wanted):
            return True
        if one.record is not None and one.record.number not in seen:
            seen.add(one.record.number)
            stack.extend(one.record.inputs)
    return False


register_handle(Value, lambda op, args, kwargs: call(op, *args, **kwargs))
