"""sort: the positions of each row in the order of its values. A work-item has rows of its own; of a single long row the
merges of one pass could be shared out, but are not.
"""

from __future__ import annotations

from dataclasses import dataclass

from netcl.kernels.compiler.ir import INDEX_DTYPE, Operand, Scan, root
from netcl.kernels.compiler.kernel import Access, Kernel, Write
from netcl.kernels.compiler.schedules.common import Nest
from netcl.kernels.compiler.separate import along


@dataclass(frozen=True)
class Sorting(Kernel):
    """The writes go to the output and to a scratch tensor of its shape; both have the value that orders positions."""

    along: str = ""
    backward: bool = False


def fits(nest: Nest, node: Scan) -> tuple[Kernel, Operand]:
    """The kernel, and the scratch tensor that it needs."""
    index = along(node)
    (write,) = nest.writes
    name = f"{nest.name}_scratch"
    strides: dict[str, int] = {}
    step = 1
    for each in reversed(write.indices):
        strides[each] = step
        step *= nest.extents[root(each)]
    scratch = Write(write.expr, Access(name, name, INDEX_DTYPE, 0, strides), write.indices)
    rows = tuple(each for each in nest.order if each != index)
    kernel = Sorting(
        nest.name, "sort", nest.heading, (write, scratch), nest.accesses, nest.extents, nest.attributes,
        parallel=rows, inner=(index,), along=index, backward=node.backward,
    )  # fmt: skip
    return kernel, Operand(name, INDEX_DTYPE, tuple((each,) for each in write.indices))
