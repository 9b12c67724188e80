"""Formulas as loop nests, checked and run on NumPy, item by item and without a driver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from evaluated import Value

from netcl import kernels
from netcl.core.shapes import strides_of
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import FLOATS, Formula
from netcl.kernels.compiler.ir.evaluate import evaluate
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.loops.check import check
from netcl.kernels.compiler.loops.given import Looped
from netcl.kernels.compiler.loops.interpret import interpret
from netcl.kernels.compiler.lower.accesses import Layouts, Placed, static_attributes
from netcl.kernels.compiler.lower.host_numbers import completed
from netcl.kernels.compiler.target import GPU, Target
from netcl.kernels.library.op import Op
from netcl.kernels.runtime.bindings import Bindings, bind

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Ran:
    """The kernels of a formula in order, and what they gave: its outputs and temporaries."""

    kernels: tuple[Looped, ...]
    memory: Mapping[str, Array]

    @property
    def schedules(self) -> list[str]:
        return [each.schedule for each in self.kernels]

    def __getitem__(self, name: str) -> Array:
        return self.memory[name]


def ran(
    of: Formula, arrays: Mapping[str, Array], attributes: Mapping[str, Any], bindings: Bindings, target: Target = GPU
) -> Ran:
    """Every kernel of a formula is a loop nest that is legal, and runs without a race. `arrays` has its operands, which
    may be views."""
    places, memory = {}, {}
    for name, array in arrays.items():
        memory[name], places[name] = _whole(array)
    known = {name: attributes[name] for name in static_attributes(of)}
    shapes = {**{name: each.shape for name, each in arrays.items()}, **bindings.shapes}
    program = pipeline.compile(of, Layouts(Numbers(bindings.sizes, known), places, shapes), target, views=False)
    made = {each.name: (each.shape, each.dtype) for each in program.recipe.temporaries}
    made |= {each.name: (bindings.shapes[each.name], each.dtype) for each in of.outputs}
    for name, (shape, dtype) in made.items():
        memory[name] = np.full(int(np.prod(shape)), np.nan if dtype in FLOATS else -(1 << 40), _wide(dtype))
    found = []
    attributes = completed(program.recipe.computed)(attributes)
    entries = program.emitted.entries if program.emitted else ()
    for kernel in (kernel for entry in entries for kernel in entry.kernels):
        assert isinstance(kernel, Looped)
        numbers = kernel.launched(attributes)
        here = {each.name: memory[each.name] for each in kernel.nest.buffers if each.space == "global"}
        check(kernel.nest, numbers, {name: each.size for name, each in here.items()})
        interpret(kernel.nest, here, numbers)
        found.append(kernel)
    return Ran(tuple(found), {name: memory[name].reshape(shape) for name, (shape, _) in made.items()})


def ran_op(op: str | Op, *arrays: Array, target: Target = GPU, **attributes: Any) -> Ran:
    """The same of an op, or of that with this name in the catalogue."""
    call = (kernels.catalogue[op] if isinstance(op, str) else op).bind([Value(each) for each in arrays], attributes)
    operands = operands_of(call.formula, [each.array for each in call.operands])
    bindings = bind(call.formula, [each.shape for each in operands.values()], call.attributes, None)
    return ran(call.formula, operands, call.attributes, bindings, target)


def operands_of(of: Formula, arrays: Sequence[Array]) -> dict[str, Array]:
    """The operands of a formula by name."""
    return {operand.name: array for operand, array in zip(of.operands, arrays, strict=True)}


def assert_right(op: str | Op, arrays: Sequence[Array], target: Target = GPU, **attributes: Any) -> list[str]:
    """The nests of an op give what the evaluator gives; their schedules."""
    call = (kernels.catalogue[op] if isinstance(op, str) else op).bind([Value(each) for each in arrays], attributes)
    operands = operands_of(call.formula, [each.array for each in call.operands])
    bindings = bind(call.formula, [each.shape for each in operands.values()], call.attributes, None)
    return assert_evaluated(call.formula, operands, call.attributes, bindings, target).schedules


def assert_gradients_right(
    op: str | Op, arrays: Sequence[Array], target: Target = GPU, **attributes: Any
) -> list[list[str]]:
    """The same of the gradients of the first two operands of floats, each alone."""
    call = (kernels.catalogue[op] if isinstance(op, str) else op).bind([Value(each) for each in arrays], attributes)
    known = operands_of(call.formula, [each.array for each in call.operands])
    bindings = bind(call.formula, [each.shape for each in known.values()], call.attributes, None)
    rng = np.random.default_rng(3)
    for output, value in zip(
        call.formula.outputs, evaluated(call.formula, known, call.attributes, bindings), strict=True
    ):
        known[output.name], known[f"d{output.name}"] = value, rng.standard_normal(value.shape)
    found = []
    for operand in [each for each in call.formula.operands if each.dtype in FLOATS][:2]:
        gradient = pipeline.gradient(call.formula, (operand.name,))
        operands = {each.name: known[each.name] for each in gradient.operands}
        inherited = bind(gradient, [each.shape for each in operands.values()], call.attributes, bindings)
        found.append(assert_evaluated(gradient, operands, call.attributes, inherited, target).schedules)
    return found


def assert_evaluated(
    of: Formula, operands: Mapping[str, Array], attributes: Mapping[str, Any], bindings: Bindings, target: Target
) -> Ran:
    """The nests of a formula give what the evaluator gives."""
    found = ran(of, operands, attributes, bindings, target)
    wide = {
        name: each.astype(_wide(each.dtype.name)) if each.dtype.kind == "f" else each for name, each in operands.items()
    }
    for output, expected in zip(of.outputs, evaluated(of, wide, attributes, bindings), strict=True):
        scale = np.nanmax(np.abs(expected[np.isfinite(expected)]), initial=1)
        np.testing.assert_allclose(
            found[output.name], expected, rtol=1e-9, atol=1e-10 * scale, err_msg=f"{output.name}: {found.schedules}"
        )
    return found


def evaluated(of: Formula, operands: Mapping[str, Array], attributes: Any, bindings: Bindings) -> tuple[Array, ...]:
    return evaluate(of, operands, attributes, bindings.sizes, bindings.shapes)


def small(target: Target = GPU, items: int = 8) -> Target:
    """A card whose groups are so small, and its thresholds so low, that small sizes come to all that there is."""
    groups = replace(target.groups, items=items, steps=2, busy=64, neighbours=2, run=4)
    blocks = replace(target.blocks, enough_units=4, much_work=64, block_work=16, most=8)
    return replace(target, groups=groups, blocks=blocks)


def _whole(array: Array) -> tuple[Array, Placed]:
    """The memory in which an array lies, and where it lies there."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    away = (array.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // array.itemsize
    strides = tuple(step // array.itemsize for step in array.strides) if array.size else strides_of(array.shape)
    return base.ravel().astype(_wide(array.dtype.name)), Placed(away if array.size else 0, strides)


def _wide(dtype: str) -> Any:
    return np.float64 if dtype in FLOATS else np.int64
