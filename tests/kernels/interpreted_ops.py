"""What an op computes with the kernels of a card: their loop nests, checked and run on NumPy one after the other.

Input: arrays, which may be views of others. Output: the outputs by name, and the kernels. Whatever is no loop nest is
an error.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import FLOATS
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.loops.check import check
from netcl.kernels.compiler.loops.given import Looped
from netcl.kernels.compiler.loops.interpret import interpret
from netcl.kernels.compiler.lower.accesses import Layouts, Placed
from netcl.kernels.compiler.target import GPU, Target
from netcl.kernels.library.op import Op
from netcl.kernels.runtime import launch

Array = np.ndarray[Any, Any]


def interpreted(
    op: str | Op, *arrays: Array, target: Target = GPU, whole: bool = True, **attributes: Any
) -> tuple[dict[str, Array], list[Looped]]:
    """The outputs of an op (by name, one of the catalogue) and its temporaries, and the kernels that computed them.
    Where it need not be the `whole` of the op, kernels that are no loop nests are left out."""
    op = kernels.catalogue[op] if isinstance(op, str) else op
    call = op.bind([core.from_host(np.ascontiguousarray(each)) for each in arrays], attributes)
    bindings = launch.prepare(call.formula, call.operands, call.attributes).bindings
    names = [each.name for each in call.formula.operands]
    memory, places = {}, {}
    shapes = {each.name: bindings.shapes[each.name] for each in call.formula.outputs}
    for name, array in zip(names, arrays, strict=True):
        base = array if array.base is None else array.base
        assert base.base is None
        assert base.flags.c_contiguous
        start = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        places[name] = Placed(start // array.itemsize, tuple(each // array.itemsize for each in array.strides))
        memory[name] = wide(base)
    static = {name: value for name, value in call.attributes.items() if isinstance(value, int)}
    found = pipeline.compile(call.formula, Layouts(Numbers(bindings.sizes, static), places, bindings.shapes), target)
    for output in call.formula.outputs:
        memory[output.name] = unwritten(int(np.prod(bindings.shapes[output.name])), output.dtype)
    for each in found.recipe.temporaries:
        shapes[each.name] = each.shape
        memory[each.name] = unwritten(int(np.prod(each.shape)), each.dtype)
    made: list[Looped] = []
    for entry in found.emitted.entries if found.emitted else ():
        (kernel,) = entry.kernels
        if not whole and not isinstance(kernel, Looped):
            continue
        assert isinstance(kernel, Looped), f"{kernel.name} is {kernel.schedule}, and no loop nest"
        numbers = kernel.launched(call.attributes)
        here = {each.name: memory[each.name] for each in kernel.nest.buffers if each.space == "global"}
        check(kernel.nest, numbers, {name: each.size for name, each in here.items()})
        interpret(kernel.nest, here, numbers)
        made.append(kernel)
    return {name: memory[name].reshape(shape) for name, shape in shapes.items()}, made


def wide(array: Array) -> Array:
    kind = np.float64 if array.dtype.kind == "f" else np.int64
    return array.astype(kind).ravel()


def unwritten(count: int, dtype: str) -> Array:
    return np.full(count, np.nan) if dtype in FLOATS else np.full(count, -(1 << 40), np.int64)
