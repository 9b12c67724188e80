"""Formulas computed by the loop nests that a card is given for them, on NumPy: checked, and run item by item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from netcl.core.shapes import strides_of
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import FLOATS, Formula
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.loops.check import check
from netcl.kernels.compiler.loops.given import Looped
from netcl.kernels.compiler.loops.interpret import interpret
from netcl.kernels.compiler.lower.accesses import Layouts, Placed, static_attributes
from netcl.kernels.compiler.schedule import Recipe
from netcl.kernels.compiler.target import GPU, Target
from netcl.kernels.runtime.bindings import Bindings

Array = np.ndarray[Any, Any]


def nests(recipe: Recipe) -> Iterator[Looped]:
    """Those kernels of a recipe, from the first on, that are loop nests."""
    for step in recipe.steps:
        if not isinstance(step, Looped):
            return
        yield step


def computed(
    formula: Formula,
    arrays: Mapping[str, Array],
    attributes: Mapping[str, Any],
    bindings: Bindings,
    target: Target = GPU,
    places: Mapping[str, Placed] | None = None,
) -> tuple[dict[str, Array], list[str]]:
    """(What lies in the memory of a formula after its loop nests have run, the schedules of these). `places` says how
    operands lie in their arrays, where they are not contiguous."""
    shapes = {**{name: each.shape for name, each in arrays.items()}, **bindings.shapes}
    lies = {name: Placed(0, strides_of(each.shape)) for name, each in arrays.items()} | dict(places or {})
    known = {name: attributes[name] for name in static_attributes(formula)}
    program = pipeline.compile(formula, Layouts(Numbers(bindings.sizes, known), lies, shapes), target, views=False)
    assert program.emitted is not None
    wide = {
        name: each.astype(np.float64 if each.dtype.kind == "f" else np.int64).ravel() for name, each in arrays.items()
    }
    for each in (*formula.outputs, *program.recipe.temporaries):
        shape = each.shape if each in program.recipe.temporaries else bindings.shapes[each.name]
        wide[each.name] = np.full(int(np.prod(shape)), np.nan if each.dtype in FLOATS else -77)
    schedules = []
    for kernel in nests(program.recipe):
        nest, numbers = kernel.nest, kernel.launched(attributes)
        assert nest is not None
        memory = {buffer.name: wide[buffer.name] for buffer in nest.buffers if buffer.space == "global"}
        check(nest, numbers, {name: array.size for name, array in memory.items()})
        interpret(nest, memory, numbers)
        schedules.append(kernel.schedule)
    return wide, schedules
