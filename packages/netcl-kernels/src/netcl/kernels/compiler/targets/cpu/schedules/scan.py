"""scan: running values. Each work-item has rows of its own and goes along each of them once, in order.

Where the elements of a row are far apart and those of neighbouring rows close together, sixteen rows are taken at a
time, a lane for each. The result never depends on how rows are shared out.
"""

from __future__ import annotations

from dataclasses import dataclass

from netcl.kernels.compiler.ir import Expr, Scan, root
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.scans import along, asked_of_rows
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.targets.cpu.loops import Blocks, LoopKernel, Loops


@dataclass(frozen=True)
class RunsAlong:
    """The index that a scan runs along, forward or backward, and what it makes of the values."""

    index: str
    kind: str
    backward: bool
    partial: bool


@dataclass(frozen=True, kw_only=True)
class Running(LoopKernel):
    """The writes have the bodies of the scan, all to one place; `along` is the index that it runs along. When it is
    `partial`, the rows are left out for which the condition that chooses the bodies does not hold."""

    scan: RunsAlong

    @property
    def along(self) -> str:
        return self.scan.index

    @property
    def asked(self) -> Expr | None:
        """The condition for a row; None for all rows."""
        return asked_of_rows(self.writes[0].expr, self.along) if self.scan.partial else None


def fits(nest: Nest, node: Scan, partial: bool = False) -> Scheduled:
    """Always."""
    index = along(node)
    rows = tuple(each for each in nest.order if each != index)
    vector = next((each for each in rows if root(each) == nest.fastest and nest.extent(each) >= LANES), None)
    if vector is not None and vector in nest.bound:
        vector = None
    loops = Loops(parallel=rows, inner=(index,))
    if vector is not None:
        others = tuple(each for each in rows if each != vector)
        blocks = Blocks(vector, nest.target.cuts.rows)
        loops = Loops(parallel=others, inner=(vector, index), vector=vector, blocks=blocks)
    scan = RunsAlong(index, node.kind, node.backward, partial)
    return Scheduled((Running(computation=nest.computation(), schedule="scan", loops=loops, scan=scan),))
