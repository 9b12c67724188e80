"""The reference evaluator with a bound beside each value: how far a device that computes in float32 may be from it.

Each node has a value in float64 and an error: what its arguments' errors make of it, found by computing it at the ends
of their intervals, and what rounding adds. Where a comparison could turn out either way, or a value could overflow,
the error is infinite and nothing is claimed. Integers are exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from netcl.kernels.compiler.ir import (
    FLOATS,
    Apply,
    Expr,
    Formula,
    Materialised,
    Read,
    Reduce,
    Scan,
    evaluate,
    indices_of,
    root,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import rebuilt
from netcl.kernels.compiler.ir.plain import inlined
from netcl.kernels.runtime.bindings import Bindings

Array = np.ndarray[Any, Any]
Bounded = tuple[Array, Array]

UNIT = {"float16": 2.0**-11, "float32": 2.0**-24, "float64": 2.0**-53}
LARGEST = {"float16": 65504.0, "float32": 3.4e38, "float64": 1.7e308}
LEAST = {"float16": 6.2e-5, "float32": 1.2e-38, "float64": 2.3e-308}

_EXACT = {"neg", "abs", "select", "copy", "detach", "maximum", "minimum", "sign", "floor", "ceil", "round", "trunc"}
_ROUNDED_ONCE = {"add", "sub", "mul", "div", "sqrt", "cast"}
_ROUNDINGS = 8
"""Of an elementary function, of a power more."""

_RUN = 512
"""Values that are added one after the other, at most, before the sum is kept in a more precise way."""


def outputs(
    formula: Formula, operands: Mapping[str, Bounded], attributes: Mapping[str, Any], bindings: Bindings,
    saved: Mapping[Expr, Expr],
) -> list[Bounded]:  # fmt: skip
    """The outputs of `formula` with their bounds, for operands with theirs. `saved` has, for a read of what an earlier
    formula computed, the expression of that."""
    results = []
    for output in formula.outputs:
        evaluation = _Evaluation(formula, operands, attributes, bindings.sizes, saved)
        value, error = evaluation.of(output.expr, output.indices)
        shape = bindings.shapes[output.name]
        results.append((value.reshape(shape), error.reshape(shape)))
    return results


def exact(array: Array) -> Bounded:
    """An operand as the device has it."""
    wide = array.astype("float64") if array.dtype.kind == "f" else array
    return wide, np.zeros(array.shape)


def _without_tables(expr: Expr) -> Expr:
    memo: dict[Expr, Expr] = {}
    for node in subexpressions(expr):
        new = rebuilt(node, tuple(memo[child] for child in node.children))
        memo[node] = inlined(new) if isinstance(new, Materialised) else new
    return memo[expr]


class _Evaluation:
    def __init__(
        self, formula: Formula, operands: Mapping[str, Bounded], attributes: Mapping[str, Any],
        sizes: Mapping[str, int], saved: Mapping[Expr, Expr],
    ) -> None:  # fmt: skip
        self.sizes = sizes
        self.saved = saved
        self.setting: list[evaluate.Environment] = []
        for part in (0, 1):
            arrays = {}
            for each in formula.operands:
                array = np.asarray(operands[each.name][part])
                arrays[each.name] = array.reshape([sizes[root(index)] for index in each.indices])
            self.setting.append(evaluate.Environment(arrays, attributes, sizes))
        self.axis: dict[str, int] = {}

    def of(self, expr: Expr, over: Sequence[str]) -> Bounded:
        expr = _without_tables(expr)
        names = [*over, *sorted(indices_of(expr) - set(over))]
        self.axis = {name: at for at, name in enumerate(names)}
        found: dict[Expr, Bounded] = {}
        with np.errstate(all="ignore"):
            for node in subexpressions(expr):
                found[node] = self._bounded(node, found)
        full = [self.sizes[root(name)] for name in over] + [1] * (len(names) - len(over))
        value, error = (np.broadcast_to(each, full).reshape(full[: len(over)]) for each in found[expr])
        return value, error

    def _bounded(self, node: Expr, found: Mapping[Expr, Bounded]) -> Bounded:
        children = [found[child] for child in node.children]
        if isinstance(node, Read):
            at = [value for value, _ in children]
            lost = sum((error for _, error in children), np.zeros(()))
            array, errors = (each.operands[node.operand] for each in self.setting)
            value, error = (evaluate._read(each, list(at), len(self.axis)) for each in (array, errors))
            value, error = np.broadcast_arrays(value, error)
            return value, error + np.where(lost > 0, np.inf, 0.0)
        if isinstance(node, Reduce):
            return self._rounded(node, *self._reduced(node, *children[0]), 0)
        if isinstance(node, Scan):
            return self._rounded(node, *self._scanned(node, *children), 0)
        if not isinstance(node, Apply):
            value = np.asarray(evaluate._value(node, {}, self.axis, self.setting[0]))
            return self._rounded(node, value, np.zeros(value.shape), 1 if node.dtype in FLOATS else 0)
        if node.function == "select":
            return _selected(*children)
        if node.function in ("and", "or"):
            return _decided(node.function, *children)
        value = evaluate.applied(node, [each for each, _ in children])
        error = self._deviation(node, value, children)
        if node.function == "eq":
            error = self._extreme_found(node, value, error, found)
        roundings = 0 if node.function in _EXACT or node.dtype not in FLOATS else _ROUNDINGS
        if node.function == "pow":
            roundings = 64
        return self._rounded(node, value, error, 1 if node.function in _ROUNDED_ONCE and roundings else roundings)

    def _rounded(self, node: Expr, value: Array, error: Array, roundings: int) -> Bounded:
        if node.dtype not in FLOATS:
            return value, error
        size = np.abs(value)
        error = error + np.where(np.isfinite(value), size * UNIT[node.dtype] * roundings, 0.0)
        small = (size < LEAST[node.dtype]) & (size > 0)
        error = np.where(small, error + LEAST[node.dtype], error)
        return value, np.where(np.isfinite(value) & (size + error > LARGEST[node.dtype]), np.inf, error)

    def _deviation(self, node: Apply, value: Array, children: Sequence[Bounded]) -> Array:
        """The farthest that the result moves when the arguments go to the ends of their intervals."""
        shape = np.broadcast_shapes(value.shape, *(each.shape for each, _ in children))
        error = np.zeros(shape)
        moving = [at for at, (each, wrong) in enumerate(children) if each.dtype.kind == "f" and wrong.any()]
        for signs in itertools.product((-1, 1), repeat=len(moving)):
            ends = [each for each, _ in children]
            for at, sign in zip(moving, signs, strict=True):
                ends[at] = ends[at] + sign * children[at][1]
            if moving:
                error = np.maximum(error, _apart(evaluate.applied(node, ends), value))
        unknown = sum((np.isinf(wrong) for _, wrong in children), np.zeros((), dtype=bool))
        return np.where(unknown, np.inf, error)

    def _extreme_found(self, node: Apply, value: Array, error: Array, found: Mapping[Expr, Bounded]) -> Array:
        """`body == max[…](body)` is certain where no other body comes near the largest one."""
        body, reached = node.children
        extreme = self.saved.get(reached, reached)
        if not (isinstance(extreme, Reduce) and extreme.body is body):
            return error
        near = np.isinf(error)
        axes = tuple(self.axis[index] for index in extreme.over if index in self.axis)
        alone = np.count_nonzero(
            np.broadcast_to(near, np.broadcast_shapes(near.shape, value.shape)), axes, keepdims=True
        )
        sure = np.isfinite(found[reached][1]) & (alone <= 1)
        return np.where(sure, 0.0, error)

    def _scanned(self, node: Scan, at: Bounded, *bodies: Bounded) -> Bounded:
        """Sums of products of its bodies, of which every partial one is as large as those of their sizes, at most."""

        def ran(given: Sequence[Array]) -> Array:
            return evaluate._scan(node, at[0], given, self.axis[node.index], self.setting[0])

        value, ends = ran([each for each, _ in bodies]), ran([np.abs(each) + error for each, error in bodies])
        if node.kind not in ("sum", "prod", "scan") or node.dtype not in FLOATS:
            return value, np.where(
                sum(error.max(initial=0.0) for _, error in bodies) > 0, np.inf, np.zeros(value.shape)
            )
        unit = UNIT[node.dtype] * (2 * self.sizes[root(node.index)] + 4)
        error = ends - ran([np.abs(each) for each, _ in bodies]) + unit * ends
        return value, np.where(np.isfinite(error), error, np.inf)

    def _reduced(self, node: Reduce, value: Array, error: Array) -> Bounded:
        shape = list(np.broadcast_shapes(value.shape, error.shape))
        for index in node.over:
            shape[self.axis[index]] = self.sizes[root(index)]
        value, error = np.broadcast_to(value, shape), np.broadcast_to(error, shape)
        axes = tuple(self.axis[index] for index in node.over)
        result = evaluate._reduce(node, value, self.axis, self.setting[0])
        most = error.max(axis=axes, keepdims=True, initial=0.0)
        kind = node.kind.removeprefix("first_")
        if kind in ("any", "all"):
            decisive = (value == (kind == "any")) & (error == 0)
            return result, np.where(decisive.any(axis=axes, keepdims=True), 0.0, most)
        if kind.startswith("arg"):
            best = getattr(np, kind[3:])(value, axis=axes, keepdims=True, initial=evaluate._worst(kind[3:], "float64"))
            rivals = (np.abs(value - best) <= error + most) & (error + most > 0)
            return result, np.where((np.count_nonzero(rivals, axes, keepdims=True) > 1) | np.isinf(most), np.inf, 0.0)
        if value.dtype.kind != "f":
            return result, most
        if kind in ("max", "min"):
            return result, most
        size, count = np.abs(value), int(np.prod([self.sizes[root(index)] for index in node.over]))
        finite = np.isfinite(value).all(axis=axes, keepdims=True)
        unit = UNIT[node.dtype] * (min(count, _RUN) + 4)
        if kind == "sum":
            bound = error.sum(axis=axes, keepdims=True) + unit * np.where(finite, size, 0).sum(axis=axes, keepdims=True)
        else:
            ends = np.prod(size + error, axis=axes, keepdims=True)
            bound = ends - np.prod(size, axis=axes, keepdims=True) + unit * ends
        return result, np.where(finite, bound, most)


def _selected(condition: Bounded, first: Bounded, second: Bounded) -> Bounded:
    chosen, unsure = condition
    value = np.where(chosen, first[0], second[0])
    error = np.where(chosen, first[1], second[1])
    either = np.maximum(np.maximum(first[1], second[1]), _apart(first[0], second[0]))
    return value, np.where(unsure > 0, either, error)


def _decided(function: str, left: Bounded, right: Bounded) -> Bounded:
    value = np.logical_and(left[0], right[0]) if function == "and" else np.logical_or(left[0], right[0])
    decisive = [(each == (function == "or")) & (unsure == 0) for each, unsure in (left, right)]
    return value, np.where(decisive[0] | decisive[1], 0.0, np.maximum(left[1], right[1]))


def _apart(end: Array, value: Array) -> Array:
    if value.dtype.kind != "f":
        return np.where(end == value, 0.0, np.inf)
    same = (end == value) | (np.isnan(end) & np.isnan(value))
    apart = np.where(same, 0.0, np.abs(end - value))
    return np.where(np.isnan(apart), np.inf, apart)
