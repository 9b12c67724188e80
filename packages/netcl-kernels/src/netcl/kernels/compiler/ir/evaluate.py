"""The reference evaluator: any formula on NumPy, floats in float64. It is the oracle of the tests and of `ops check`.

Every index gets an axis of its own, so the value of an expression is an array over its free indices (length 1 along
all others) and a Reduce is a NumPy reduction. Nothing here is fast or clever; that is its purpose. Memory is the
product of the extents of all indices that occur together.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    Apply,
    Attribute,
    Enclosed,
    Expr,
    Formula,
    Materialised,
    Number,
    Operand,
    Position,
    Read,
    Recurrence,
    Reduce,
    Scan,
    Size,
    binds,
    indices_of,
    number,
    position,
    read,
    root,
    state_name,
    subexpressions,
    without_ties,
)
from netcl.kernels.compiler.ir.binding import rebuilt, substitute
from netcl.kernels.compiler.ir.functions import FUNCTIONS
from netcl.kernels.compiler.ir.interval import wrapped
from netcl.kernels.compiler.ir.ordinals import ordinal_values, ordinals
from netcl.kernels.compiler.ir.plain import expanded
from netcl.kernels.compiler.ir.recurrences import Along, order_of

Shapes = dict[str, tuple[int, ...]]


@dataclass
class Environment:
    """What an evaluation stands on: operand arrays by name, the caller's numbers, the extent of each root index.

    An index that has one of the `places` is there alone.
    """

    operands: Mapping[str, np.ndarray]
    attributes: Mapping[str, Any]
    sizes: Mapping[str, int]
    places: Mapping[str, int] = field(default_factory=dict)


_numbers = itertools.count()


@dataclass
class Shared:
    """What is materialised, and the states of recurrences, computed once in one environment: arrays by name."""

    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    names: dict[object, str] = field(default_factory=dict)

    def name(self, kind: str, *what: object) -> str:
        """A name that no operand has, nor an array of another environment; the same one for the same."""
        key = (kind, *what)
        if key not in self.names:
            self.names[key] = f"{kind} {next(_numbers)}"
        return self.names[key]


def evaluate(
    formula: Formula,
    operands: Mapping[str, np.ndarray],
    attributes: Mapping[str, Any],
    sizes: Mapping[str, int],
    shapes: Mapping[str, tuple[int, ...]] | None = None,
) -> tuple[np.ndarray, ...]:
    """The outputs of `formula` in float64 (int64, bool). `sizes` has the extent of every root index; `shapes` the shape
    of each flat output."""
    arrays = {
        operand.name: _as_indexed(operand, np.asarray(operands[operand.name]), sizes)
        for operand in formula.operands
        if operand.name in operands
    }
    setting = Environment(arrays, attributes, sizes)
    shared = Shared()
    results = []
    for output in formula.outputs:
        value = expression_value(output.expr, output.indices, setting, shared)
        if output.flat:
            shape = (shapes or {})[output.name]
        else:
            shape = tuple(_product(sizes[root(index)] for index in axis) for axis in output.axes)
        results.append(value.reshape(shape))
    return tuple(results)


def expression_value(
    expr: Expr, over: tuple[str, ...], setting: Environment, shared: Shared | None = None
) -> np.ndarray:
    """The array of `expr` over the indices `over`, in that order. `shared` has what other expressions in the same
    environment have come to, and gets what this one does."""
    expr, setting = _in_arrays(expanded(expr), setting, shared or Shared())
    return _computed(tuple(subexpressions(expr)), over, setting)


def _computed(nodes: Sequence[Expr], over: tuple[str, ...], setting: Environment) -> np.ndarray:
    """The last of these nodes, which stand behind their children."""
    expr = nodes[-1]
    names = list(over) + sorted(indices_of(expr) - {*over, *setting.places})
    axis = {name: at for at, name in enumerate(names)}
    values: dict[Expr, np.ndarray] = {}
    with np.errstate(all="ignore"):
        for node in nodes:
            values[node] = _value(node, values, axis, setting)
    full = [setting.sizes[root(name)] for name in over] + [1] * (len(names) - len(over))
    result = np.broadcast_to(values[expr], full)
    return result.reshape(full[: len(over)])


def _in_arrays(expr: Expr, setting: Environment, shared: Shared) -> tuple[Expr, Environment]:
    """`expr` with the states of recurrences, and what is materialised, read from arrays, which stand among the operands
    then."""
    if not any(isinstance(node, (Materialised, Recurrence)) for node in subexpressions(expr)):
        return expr, setting
    arrays = {**setting.operands, **shared.arrays}
    memo: dict[Expr, Expr] = {}
    for node in subexpressions(expr):
        new = rebuilt(node, tuple(memo[child] for child in node.children))
        if isinstance(new, Materialised):
            axes = (*new.axes[0], *sorted(new.closure))
            name = shared.name("materialised", new.axes, new.body)
            if name not in arrays:
                arrays[name] = shared.arrays[name] = expression_value(new.body, axes, replace(setting, operands=arrays))
            new = read(name, (*new.at, *map(position, axes[len(new.at) :])), new.dtype)
        if isinstance(new, Recurrence):
            names = [shared.name("state", which, new.label, new.bodies) for which in range(len(new.axes))]
            if names[0] not in arrays:
                shared.arrays.update(zip(names, _states(new, replace(setting, operands=arrays)), strict=True))
                arrays |= shared.arrays
            new = read(names[new.which], new.at, new.dtype)
        memo[node] = new
    return memo[expr], replace(setting, operands=arrays)


def _states(node: Recurrence, setting: Environment) -> list[np.ndarray]:
    """All elements of each state, step by step."""
    axes = node.axes
    names = [state_name(node.label, which) for which in range(len(axes))]
    arrays = [
        np.zeros([setting.sizes[root(index)] for index in own], _wide(body.dtype))
        for own, body in zip(axes, node.bodies, strict=True)
    ]
    inside = replace(setting, operands={**setting.operands, **dict(zip(names, arrays, strict=True))})
    nodes = [tuple(subexpressions(expanded(body))) for body in node.bodies]
    along = order_of(node).along
    own = [any(isinstance(each, Enclosed) or not along.isdisjoint(binds(each)) for each in body) for body in nodes]

    def compute(each: int | Along, here: Mapping[str, int]) -> None:
        if isinstance(each, Along):
            for place in range(setting.sizes[root(each.index)])[:: -1 if each.backward else 1]:
                for deeper in each.inside:
                    compute(deeper, {**here, each.index: place})
            return
        rest = tuple(index for index in axes[each] if index not in here)
        at = tuple(here.get(index, slice(None)) for index in axes[each])
        if own[each]:  # indices of the same names are bound in it
            body = substitute(node.bodies[each], {index: number(place, INDEX_DTYPE) for index, place in here.items()})
            arrays[each][at] = expression_value(body, rest, inside)
        else:
            arrays[each][at] = _computed(nodes[each], rest, replace(inside, places=here))

    for each in order_of(node).inside:
        compute(each, {})
    return arrays


def _value(node: Expr, values: Mapping[Expr, np.ndarray], axis: Mapping[str, int], setting: Environment) -> np.ndarray:
    children = [values[child] for child in node.children]
    if isinstance(node, Number):
        return _as_scalar(node.value, node.dtype, len(axis))
    if isinstance(node, Attribute):
        return _as_scalar(setting.attributes[node.name], node.dtype, len(axis))
    if isinstance(node, Size):
        return _as_scalar(setting.sizes[node.index], node.dtype, len(axis))
    if isinstance(node, Position) and node.index in setting.places:
        return _as_scalar(setting.places[node.index], node.dtype, len(axis))
    if isinstance(node, Position):
        shape = [1] * len(axis)
        shape[axis[node.index]] = setting.sizes[root(node.index)]
        return np.arange(setting.sizes[root(node.index)]).reshape(shape)
    if isinstance(node, Read):
        return _read(setting.operands[node.operand], children, len(axis))
    if isinstance(node, Reduce):
        return _reduce(node, children[0], axis, setting)
    if isinstance(node, Scan):
        return _scan(node, children[0], children[1:], axis[node.index], setting)
    assert isinstance(node, Apply)
    return applied(node, children)


def applied(node: Apply, children: list[np.ndarray]) -> np.ndarray:
    """A pointwise function of these values."""
    if node.function == "cast":
        wide = _wide(node.dtype)
        return children[0].astype(wide) if node.dtype in FLOATS else np.trunc(children[0]).astype(wide)
    if node.function in ("floor_div", "mod", "exact_div", "floor_divide", "remainder") and node.dtype not in FLOATS:
        dividend, divisor = children
        whole = FUNCTIONS[node.function].value(dividend, np.where(divisor == 0, 1, divisor))
        return np.where(divisor == 0, 0, whole).astype(_wide(node.dtype))
    if node.function == "pow" and node.dtype not in FLOATS:
        base, exponent = children
        unit = np.where(exponent % 2 == 0, base * base, base)  # only of 1 and -1 a negative power leaves something
        whole = np.power(base, np.maximum(exponent, 0))
        return np.where(exponent >= 0, whole, np.where(np.abs(base) == 1, unit, 0)).astype(_wide(node.dtype))
    if node.function == "ordinal":
        return ordinals(children[0], node.children[0].dtype).astype(_wide(node.dtype))
    if node.function == "ordinal_value":
        return ordinal_values(children[0], node.dtype).astype(_wide(node.dtype))
    result = np.asarray(FUNCTIONS[node.function].value(*children))
    if node.dtype in ("uint8", "int32"):
        result = result.astype(node.dtype)  # which wraps around
    return result.astype(_wide(node.dtype), copy=False)


def _read(array: np.ndarray, at: list[np.ndarray], rank: int) -> np.ndarray:
    """Out-of-range positions occur only in branches that are not taken: they read whatever is nearest."""
    if not at:
        return array.reshape((1,) * rank)
    if array.size == 0:
        return np.zeros(np.broadcast_shapes(*(each.shape for each in at)), array.dtype)
    inside = (np.minimum(np.maximum(each, 0), extent - 1) for each, extent in zip(at, array.shape, strict=True))
    return array[tuple(inside)]


def _reduce(node: Reduce, body: np.ndarray, axis: Mapping[str, int], setting: Environment) -> np.ndarray:
    shape = list(body.shape)
    for index in node.over:
        shape[axis[index]] = setting.sizes[root(index)]
    body = np.broadcast_to(body, shape)
    axes = tuple(axis[index] for index in node.over)
    if node.kind in ("argmax", "argmin"):
        moved = np.moveaxis(body, axes, range(len(axes)))
        flat = moved.reshape((math.prod(moved.shape[: len(axes)]), *moved.shape[len(axes) :]))
        found = getattr(np, node.kind)(flat, axis=0) if len(flat) else np.zeros(flat.shape[1:], np.int64)
        restored = found.reshape((1,) * len(axes) + found.shape)
        return np.moveaxis(restored, range(len(axes)), axes)
    kind = without_ties(node.kind)
    if kind in ("max", "min"):
        worst = _worst(kind, node.dtype)
        return getattr(np, kind)(body, axis=axes, keepdims=True, initial=worst)
    if kind in ("any", "all"):
        return np.asarray(getattr(np, kind)(body, axis=axes, keepdims=True))
    # side by side, as NumPy adds in another order when they are not: equal summands must give equal sums
    last = np.ascontiguousarray(np.moveaxis(body, axes, range(-len(axes), 0)))
    kept = last.shape[: last.ndim - len(axes)]
    total = getattr(np, kind)(last.reshape((*kept, math.prod(last.shape[len(kept) :]))), axis=-1)
    return np.asarray(np.expand_dims(total, tuple(sorted(axes))))


def _scan(node: Scan, at: np.ndarray, bodies: Sequence[np.ndarray], axis: int, setting: Environment) -> np.ndarray:
    """Step by step along `axis` (or all in order), then the steps at the positions `at`."""
    extent = setting.sizes[root(node.index)]
    shape = list(np.broadcast_shapes(*(body.shape for body in bodies)))
    shape[axis] = extent
    moved = [np.moveaxis(np.broadcast_to(body, shape), axis, 0) for body in bodies]
    steps = _order(moved[0], node.backward) if node.kind == "argsort" else _steps(node, moved)
    if extent == 0:
        return np.zeros(np.broadcast_shapes(at.shape, (1,) * at.ndim), _wide(node.dtype))
    result = np.moveaxis(steps, 0, axis)
    common = np.broadcast_shapes(tuple(np.delete(result.shape, axis)), tuple(np.delete(at.shape, axis)))
    result = np.broadcast_to(result, np.insert(common, axis, extent))
    at = np.broadcast_to(np.clip(at, 0, extent - 1), np.insert(common, axis, 1))
    return np.take_along_axis(result, at, axis)


def _order(body: np.ndarray, descending: bool) -> np.ndarray:
    """Positions along the first axis in the order of their values: equal ones as they stand, NaN at the large end."""
    if not descending:
        return np.argsort(body, axis=0, kind="stable")
    return (len(body) - 1 - np.argsort(body[::-1], axis=0, kind="stable"))[::-1]


def _steps(node: Scan, moved: list[np.ndarray]) -> np.ndarray:
    """The running value at each place of the first axis."""
    extent = len(moved[0])
    steps = np.zeros(moved[0].shape, _wide(node.dtype))
    carried: Any = None
    for place in reversed(range(extent)) if node.backward else range(extent):
        carried = _step(node, carried, place, [body[place] for body in moved], moved[0])
        steps[place] = carried
    return steps


def _step(node: Scan, carried: Any, place: int, values: list[np.ndarray], body: np.ndarray) -> np.ndarray:
    """The running value after one more step; `carried` is None before the first."""
    value = values[-1]
    if node.kind.startswith("arg"):
        here = np.full(value.shape, place)
        if carried is None:
            return here
        best = np.take_along_axis(body, carried[np.newaxis], 0)[0]
        larger = value > best if node.kind == "argmax" else value < best
        better = larger | ((value != value) & (best == best))
        return np.where(better, here, carried)
    if carried is None:
        return value
    if node.kind == "scan":
        return values[0] * carried + value
    function = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum, "any": np.logical_or,
                "all": np.logical_and}[node.kind]  # fmt: skip
    return np.asarray(function(carried, value))


def _worst(kind: str, dtype: str) -> Any:
    if dtype in FLOATS:
        return -np.inf if kind == "max" else np.inf
    if dtype == "bool":
        return kind == "min"
    limits = np.iinfo(dtype)
    return limits.min if kind == "max" else limits.max


def _as_indexed(operand: Operand, array: np.ndarray, sizes: Mapping[str, int]) -> np.ndarray:
    wide = array.astype(_wide(operand.dtype))
    return wide.reshape([sizes[root(index)] for index in operand.indices])


def _as_scalar(value: Any, dtype: str, rank: int) -> np.ndarray:
    if dtype == INDEX_DTYPE:
        value = wrapped(int(value), dtype)
    return np.asarray(value, dtype=_wide(dtype)).reshape((1,) * rank)


def _wide(dtype: str) -> Any:
    return np.float64 if dtype in FLOATS else np.bool_ if dtype == "bool" else np.int64


def _product(lengths: Any) -> int:
    result = 1
    for length in lengths:
        result *= length
    return result
