"""Which schedule of a card a stage gets: the first that fits."""

from __future__ import annotations

from collections.abc import Mapping

from netcl.kernels.compiler.ir import Output, Scan
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.target import Target
from netcl.kernels.compiler.targets.gpu import (
    blocks,
    contraction,
    each,
    map,
    pairs,
    rows,
    scan,
    scatter,
    sort,
    transpose,
    windows,
)


def contracted(output: Output, numbers: Numbers, target: Target) -> tuple[Output, Mapping[str, int]] | None:
    """The contraction of a stage in the form that a card takes, and the extents of its new indices."""
    return None if target.products.local is None else windows.contracted(output, numbers, target)


def scheduled(nest: Nest) -> Scheduled | None:
    """The kernels of a stage of loops."""
    if not nest.target.groups.used:
        return None
    pointwise = transpose.fits(nest) or map.fits(nest)
    found = contraction.fits(nest) or pointwise or scatter.fits(nest) or pairs.fits(nest)
    return found or blocks.fits(nest) or rows.fits(nest) or each.fits(nest)


def running(nest: Nest, node: Scan, partial: bool) -> Scheduled | None:
    """The kernels of a scan, as for `schedules.scan.fits`."""
    return scan.fits(nest, node, partial) if nest.target.groups.used else None


def ordered(nest: Nest, node: Scan, stood: str) -> Scheduled | None:
    """The kernels of a sort, as for `schedules.sort.fits`."""
    return sort.fits(nest, node, stood) if nest.target.groups.used else None
