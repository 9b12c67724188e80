"""Copies on the device: into a given tensor, or contiguous. The formula is the identity; its plan does the work."""

from __future__ import annotations

from netcl.core.bounded import remembered
from netcl.core.dtypes import name_of
from netcl.core.tensor import Tensor
from netcl.kernels.compiler.ir import Formula, Operand, Output, position, read
from netcl.kernels.runtime import launch


def copy_into(source: Tensor, target: Tensor) -> None:
    """Write the elements of `source` into `target`, of the same shape and dtype; they must not overlap."""
    launch.run(identity(name_of(source.dtype), source.ndim), (source,), {}, out=(target,))


def contiguous(tensor: Tensor) -> Tensor:
    """The tensor itself when its elements follow each other, else a copy in which they do."""
    if tensor.is_contiguous:
        return tensor
    formula = identity(name_of(tensor.dtype), tensor.ndim)
    return launch.prepare(formula, (tensor,), {}, views=False).run((tensor,), {})[0]


@remembered("copies", 256)
def identity(dtype: str, rank: int) -> Formula:
    """y[i0, i1, ...] = x[i0, i1, ...]."""
    indices = tuple(f"i{axis}" for axis in range(rank))
    axes = tuple((index,) for index in indices)
    value = read("x", tuple(map(position, indices)), dtype)
    return Formula("copy", (Operand("x", dtype, axes),), {}, (Output("y", value, axes),))
