"""view: an output that only reads one operand at affine positions is another view of it; no kernel runs."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from netcl.core.shapes import strides_of
from netcl.kernels.compiler.ir import Output, Read, root
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.lower.accesses import Lowering
from netcl.kernels.compiler.lower.kernel import Access

Shape = tuple[int, ...]


@dataclass(frozen=True)
class View:
    """Other strides over the elements of an operand."""

    output: str
    access: Access
    shape: Shape
    strides: tuple[int, ...]


def view_of(output: Output, shape: Shape, lowering: Lowering) -> View | None:
    """The view that `output` is, if it is one."""
    if not isinstance(output.expr, Read):
        return None
    lowered = lowering.lowered(output.expr)
    assert isinstance(lowered, Read)
    access = lowering.accesses[lowered.operand]
    if access.dynamic or access.leaves:
        return None
    strides: tuple[int, ...] = ()
    for axis in output.axes:
        found = _axis_stride([(access.strides.get(index, 0), _extent(index, lowering.numbers)) for index in axis])
        if found is None:
            return None
        strides += (found,)
    if output.flat:
        strides = tuple(strides[0] * each for each in strides_of(shape))
    return View(output.name, access, shape, strides)


def _axis_stride(parts: list[tuple[int, int]]) -> int | None:
    """The stride of an axis made of indices with these (stride, extent); None when they do not step alike."""
    parts = [(stride, extent) for stride, extent in parts if extent != 1]
    if not parts:
        return 0
    for (outer, _), (inner, extent) in itertools.pairwise(parts):
        if outer != inner * extent:
            return None
    return parts[-1][0]


def _extent(index: str, numbers: Numbers) -> int:
    return numbers.sizes[root(index)]
