"""sort: where the values of each row stand that come next in their order, and what is read from there."""

from __future__ import annotations

from netcl.core.errors import ShapeError
from netcl.kernels.compiler.ir import Scan
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.scans import along
from netcl.kernels.compiler.targets.cpu.sorting.bins import sorted_by_bin
from netcl.kernels.compiler.targets.cpu.sorting.keys import PLACES, bits_of
from netcl.kernels.compiler.targets.cpu.sorting.rows import sorted_by_row


def fits(nest: Nest, node: Scan, stood: str) -> Scheduled:
    """The kernels. The first write of the nest has the value that is ordered by, the second the same at `stood`."""
    count, limits = nest.extent(along(node)), nest.target.sorts
    if count >= PLACES:
        raise ShapeError(f"{nest.name}: a row of {count} elements; at most {PLACES - 1} are sorted")
    in_words = bits_of(nest.writes[0].expr.dtype) == 32 and nest.target.has_float64
    if count > limits.long and in_words and nest.extent(*nest.order) <= limits.dealt:
        return sorted_by_bin(nest, node, stood)
    return sorted_by_row(nest, node, stood)
