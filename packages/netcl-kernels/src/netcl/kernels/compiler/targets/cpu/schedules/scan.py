"""scan: running values. Each work-item has rows of its own and goes along each of them once, in order.

Where the elements of a row are far apart and those of neighbouring rows close together, sixteen rows are taken at a
time, a lane for each. The result never depends on how rows are shared out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from netcl.kernels.compiler.ir import Apply, Expr, Number, Scan, root
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.lower.kernel import Kernel
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.scans import along
from netcl.kernels.compiler.opencl.types import LANES


@dataclass(frozen=True)
class Running(Kernel):
    """The writes have the bodies of the scan, all to one place; `along` is the index that it runs along. When it is
    `partial`, the rows are left out for which the condition that chooses the bodies does not hold."""

    kind: str = ""
    along: str = ""
    backward: bool = False
    partial: bool = False

    @property
    def asked(self) -> Expr | None:
        """The condition for a row; None for all rows."""
        chosen = self.writes[0].expr
        if not self.partial or not isinstance(chosen, Apply) or chosen.function != "select":
            return None
        condition, _, otherwise = chosen.children
        if self.along in condition.free:
            return None
        return condition if isinstance(otherwise, Number) and otherwise.value == 0 else call("not", condition)


def fits(nest: Nest, node: Scan, partial: bool = False) -> Scheduled:
    """Always."""
    index = along(node)
    rows = tuple(each for each in nest.order if each != index)
    vector = next((each for each in rows if root(each) == nest.fastest and nest.extent(each) >= LANES), None)
    if vector is not None and vector in nest.bound:
        vector = None
    kernel = Running(
        nest.name, "scan", nest.heading, nest.writes, nest.accesses, nest.extents, nest.attributes,
        parallel=rows, inner=(index,), kind=node.kind, along=index, backward=node.backward,
        partial=partial,
    )  # fmt: skip
    if vector is None:
        return Scheduled((kernel,))
    others = tuple(each for each in rows if each != vector)
    in_lanes = replace(
        kernel, parallel=others, inner=(vector, index), vector=vector, blocked=vector, block=nest.target.cuts.rows
    )
    return Scheduled((in_lanes,))
