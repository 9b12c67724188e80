"""scan: running values. Each work-item has rows of its own and goes along each of them once, in order.

Where the elements of a row are far apart and those of neighbouring rows close together, sixteen rows are taken at a
time, a lane for each. The result never depends on how rows are shared out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from netcl.kernels.compiler.emit.types import LANES
from netcl.kernels.compiler.ir import Scan, root
from netcl.kernels.compiler.kernel import Kernel
from netcl.kernels.compiler.schedules.common import Nest
from netcl.kernels.compiler.separate import along

_TILE = 64


@dataclass(frozen=True)
class Running(Kernel):
    """The writes have the bodies of the scan, all to one place; `along` is the index that it runs along."""

    kind: str = ""
    along: str = ""
    backward: bool = False


def fits(nest: Nest, node: Scan) -> Kernel:
    """Always."""
    index = along(node)
    rows = tuple(each for each in nest.order if each != index)
    vector = next((each for each in rows if root(each) == nest.fastest and nest.extent(each) >= LANES), None)
    if vector is not None and vector in nest.bound:
        vector = None
    kernel = Running(
        nest.name, "scan", nest.heading, nest.writes, nest.accesses, nest.extents, nest.attributes,
        parallel=rows, inner=(index,), kind=node.kind, along=index, backward=node.backward,
    )  # fmt: skip
    if vector is None:
        return kernel
    others = tuple(each for each in rows if each != vector)
    return replace(kernel, parallel=others, inner=(vector, index), vector=vector, blocked=vector, block=_TILE)
