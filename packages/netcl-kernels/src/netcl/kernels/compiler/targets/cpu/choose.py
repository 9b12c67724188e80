"""Which schedule of a CPU a stage gets: the first that fits."""

from __future__ import annotations

from collections.abc import Mapping

from netcl.kernels.compiler.ir import Operand, Output, Scan
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.operand_packing import Packed, packed
from netcl.kernels.compiler.target import Target
from netcl.kernels.compiler.targets.cpu.nested import made
from netcl.kernels.compiler.targets.cpu.schedules import (
    blocks,
    columns,
    contraction,
    down_columns,
    loops,
    map,
    pairs,
    recurrence,
    rows,
    scan,
    scatter,
    sort,
)


def contracted(output: Output, operands: Mapping[str, Operand], numbers: Numbers, target: Target) -> Packed | None:
    """A contraction in the form that `contraction` takes."""
    return packed(output, operands, numbers, target)


def scheduled(nest: Nest, thin: bool | None, cut: bool) -> Scheduled:
    """The kernels of a stage of loops; `thin` is that of a contraction, and reductions may be `cut` into blocks."""
    found = contraction.fits(nest, thin) or scatter.fits(nest) or pairs.fits(nest)
    if found is not None:
        return found
    chosen = map.fits(nest) or rows.fits(nest) or columns.fits(nest) or loops.fits(nest)
    return (blocks.fits(nest, chosen) if cut else None) or Scheduled((made(nest, chosen),))


def goes_down(rows: Nest, sums: Nest) -> bool:
    """Whether `down_columns` takes these."""
    return down_columns.fits(rows, sums)


def with_sums(rows: Nest, sums: Nest) -> Scheduled:
    """The kernels of rows and of the sums down their columns."""
    return down_columns.scheduled(rows, sums)


def running(nest: Nest, node: Scan, partial: bool) -> Scheduled:
    """The kernels of a scan."""
    return scan.fits(nest, node, partial)


def recurrent(nest: Nest) -> Scheduled:
    """The kernels of states that read earlier elements of themselves."""
    return recurrence.fits(nest)


def ordered(nest: Nest, node: Scan, stood: str) -> Scheduled:
    """The kernels of a sort."""
    return sort.fits(nest, node, stood)
