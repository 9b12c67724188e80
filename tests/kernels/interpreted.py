"""A formula as the loop nests of a card, checked and run on NumPy without a driver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from evaluated import Value

from netcl.core.shapes import strides_of
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import FLOATS, Formula
from netcl.kernels.compiler.ir.evaluate import evaluate
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.loops.check import check
from netcl.kernels.compiler.loops.given import Looped
from netcl.kernels.compiler.loops.interpret import interpret
from netcl.kernels.compiler.lower.accesses import Layouts, Placed, static_attributes
from netcl.kernels.compiler.target import GPU, Target
from netcl.kernels.library.op import Op
from netcl.kernels.runtime.bindings import Bindings, bind

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Result:
    """What the nests gave, what the evaluator gives, and the schedules of the kernels in order."""

    found: tuple[Array, ...]
    expected: tuple[Array, ...]
    schedules: tuple[str, ...]


def interpreted(
    of: Formula,
    arrays: Sequence[Array],
    attributes: Mapping[str, Any],
    target: Target = GPU,
    inherited: Bindings | None = None,
) -> Result:
    """Every kernel of a formula is a loop nest that is legal, and runs without a race. A gradient has the `inherited`
    bindings of what it is the gradient of."""
    bindings = bind(of, [each.shape for each in arrays], attributes, inherited)
    known = {name: attributes[name] for name in static_attributes(of)}
    memory: dict[str, Array] = {}
    places = {}
    for operand, array in zip(of.operands, arrays, strict=True):
        whole, offset = _whole(array)
        memory[operand.name] = whole
        strides = tuple(step // array.itemsize for step in array.strides) if array.size else strides_of(array.shape)
        places[operand.name] = Placed(offset, strides)
    layouts = Layouts(Numbers(bindings.sizes, known), places, bindings.shapes)
    recipe = pipeline.compile(of, layouts, target, views=False).recipe
    for each in recipe.temporaries:
        memory[each.name] = np.full(int(np.prod(each.shape)), -7, _wide(each.dtype))
    for output in of.outputs:
        memory[output.name] = np.full(int(np.prod(bindings.shapes[output.name])), -7, _wide(output.dtype))
    for kernel in recipe.steps:
        assert isinstance(kernel, Looped), f"{kernel.name} has the schedule {kernel.schedule} of a CPU"  # type: ignore[union-attr]
        numbers = kernel.launched(attributes)
        here = {name: memory[name] for name, each in kernel.given.items() if each.kind == "buffer"}
        check(kernel.nest, numbers, {name: each.size for name, each in here.items()})
        interpret(kernel.nest, here, numbers)
    return Result(
        tuple(memory[each.name].reshape(bindings.shapes[each.name]) for each in of.outputs),
        _evaluated(of, arrays, attributes, bindings),
        tuple(each.schedule for each in recipe.steps),  # type: ignore[union-attr]
    )


def assert_right(op: Op, arrays: Sequence[Array], target: Target = GPU, **attributes: Any) -> tuple[str, ...]:
    """The nests of an op give what the evaluator gives; their schedules."""
    bound = op.bind([Value(each) for each in arrays], attributes)
    given = [each.array for each in bound.operands]  # type: ignore[attr-defined]
    result = interpreted(bound.formula, given, bound.attributes, target)
    for found, expected in zip(result.found, result.expected, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10, err_msg=str(result.schedules))
    return result.schedules


def small(target: Target = GPU, items: int = 8) -> Target:
    """A card whose groups are so small, and its thresholds so low, that small sizes come to all that there is."""
    groups = replace(target.groups, items=items, steps=2, busy=64, neighbours=2, run=4)
    blocks = replace(target.blocks, enough_units=4, much_work=64, block_work=16, most=8)
    return replace(target, groups=groups, blocks=blocks)


def _whole(array: Array) -> tuple[Array, int]:
    """The memory in which an array lies, and where it begins there."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    away = (array.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // array.itemsize
    return base.ravel().astype(_wide(array.dtype.name)), away if array.size else 0


def _wide(dtype: str) -> Any:
    return np.float64 if dtype in FLOATS else np.int64


def _evaluated(of: Formula, arrays: Sequence[Array], attributes: Any, bindings: Bindings) -> tuple[Array, ...]:
    named = {operand.name: array for operand, array in zip(of.operands, arrays, strict=True)}
    return evaluate(of, named, attributes, bindings.sizes, bindings.shapes)
