"""Which schedule of a card a stage gets: the first that fits."""

from __future__ import annotations

from netcl.kernels.compiler.ir import Scan
from netcl.kernels.compiler.schedules import scatter
from netcl.kernels.compiler.schedules.common import Nest, Scheduled
from netcl.kernels.compiler.targets.gpu import contraction, map, pairs, rows, transpose


def scheduled(nest: Nest) -> Scheduled | None:
    """The kernels of a stage of loops."""
    if not nest.target.groups.used:
        return None
    pointwise = transpose.fits(nest) or map.fits(nest)
    return contraction.fits(nest) or pointwise or scatter.fits(nest) or pairs.fits(nest) or rows.fits(nest)


def running(nest: Nest, node: Scan, partial: bool) -> Scheduled | None:
    """The kernels of a scan, as for `schedules.scan.fits`."""
    return None


def ordered(nest: Nest, node: Scan, stood: str) -> Scheduled | None:
    """The kernels of a sort, as for `schedules.sort.fits`."""
    return None
