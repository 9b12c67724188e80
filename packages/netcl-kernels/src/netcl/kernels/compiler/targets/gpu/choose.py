"""Which schedule of a card a stage gets: the first that fits. A scan or sort that none does has that of a CPU."""

from __future__ import annotations

from collections.abc import Mapping

from netcl.kernels.compiler.ir import Operand, Output, Scan
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.operand_packing import Packed
from netcl.kernels.compiler.target import Target
from netcl.kernels.compiler.targets.cpu import choose as on_cpu
from netcl.kernels.compiler.targets.gpu import (
    blocks,
    contraction,
    each,
    map,
    pairs,
    recurrence,
    rows,
    scan,
    scatter,
    sort,
    transpose,
    windows,
)


def contracted(output: Output, operands: Mapping[str, Operand], numbers: Numbers, target: Target) -> Packed | None:
    """A contraction in the form that `contraction` takes: each window, or each phase of its stride, a product."""
    return windows.contracted(output, numbers, target)


def scheduled(nest: Nest, thin: bool | None, cut: bool) -> Scheduled:
    """The kernels of a stage of loops; reductions may be `cut` into blocks."""
    pointwise = transpose.fits(nest) or map.fits(nest)
    found = contraction.fits(nest) or pointwise or scatter.fits(nest) or pairs.fits(nest)
    return found or (blocks.fits(nest) if cut else None) or rows.fits(nest) or each.fits(nest)


def running(nest: Nest, node: Scan, partial: bool) -> Scheduled:
    """The kernels of a scan."""
    return scan.fits(nest, node, partial) or on_cpu.running(nest, node, partial)


def recurrent(nest: Nest) -> Scheduled:
    """The kernels of states that read earlier elements of themselves."""
    return recurrence.fits(nest)


def ordered(nest: Nest, node: Scan, stood: str) -> Scheduled:
    """The kernels of a sort."""
    return sort.fits(nest, node, stood) or on_cpu.ordered(nest, node, stood)
