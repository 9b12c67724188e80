"""pairs: reductions over pairs of rows without a table of the pairs. Sixteen rows at a time, a lane for each.

Each work-item has rows of its own and goes through all that they are paired with, once for up to eight columns of the
output, so that what a pair needs is computed once. What is read along the rows is copied first, the lanes side by side
and the last vector filled up: then there is no tail, and no element is gathered.

Input: a nest. Output: its kernel, and before it the nests that copy, with the temporaries that they write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from netcl.kernels.compiler.ir import Expr, Operand, Read, Reduce, number, position, read, root, subexpressions
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.lower.kernel import Access, Write
from netcl.kernels.compiler.lower.loop_bounds import loop_bounds
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.pairs import inner_reduces
from netcl.kernels.compiler.opencl.heading import shortened
from netcl.kernels.compiler.opencl.types import LANES
from netcl.kernels.compiler.target.thresholds import PairThresholds
from netcl.kernels.compiler.targets.cpu.loops import Blocks, Columns, Loops
from netcl.kernels.compiler.targets.cpu.nested import made


def fits(nest: Nest) -> Scheduled | None:
    """For stages with a Reduce that has another inside, of which both a row and what it is paired with decide."""
    tables = {inner for node in nest.reduces for inner in inner_reduces(node) if nest.depends(inner) & set(nest.order)}
    if not tables or any(write.indices != nest.order for write in nest.writes):
        return None
    shared = frozenset.intersection(*map(nest.depends, tables))
    rows = [index for index in nest.order if index in shared and index not in nest.bound]
    row = max(rows, key=nest.extent, default=None)
    if row is None or nest.extent(row) < LANES:
        return None
    others = [index for index in nest.order if index not in shared]
    column = others[-1] if others else None
    rest = tuple(index for index in nest.order if index not in (row, column))
    packer = _Packer(nest, row)
    exprs = packer.packed()
    extents = {**nest.extents, **packer.extents}
    columns = Columns(column, int(_count(nest.extent(column), nest.target.pairs))) if column else None
    loops = Loops(
        "pairs", parallel=rest, inner=(row, *([column] if column else [])), vector=row, blocks=Blocks(row, LANES),
        columns=columns, padded=packer.complete, bounds=loop_bounds(exprs, row),
    )  # fmt: skip
    writes = tuple(replace(write, expr=expr) for write, expr in zip(nest.writes, exprs, strict=True))
    used = {node.operand for node in subexpressions(*exprs) if isinstance(node, Read)}
    accesses = {name: each for name, each in {**nest.accesses, **packer.accesses}.items() if name in used}
    kernel = made(replace(nest, writes=writes, accesses=accesses, extents=extents), loops)
    return Scheduled((kernel,), tuple(packer.temporaries), extents, before=tuple(packer.nests))


def _count(extent: int, pairs: PairThresholds) -> int:
    """The columns that are taken together; where there are more, the last ones again and again."""
    return extent if extent <= pairs.columns_at_once else pairs.columns


class _Packer:
    """Copies of what is read along the rows: `[…, row]`, with as many rows as whole vectors have. `complete` says
    whether everything could be copied."""

    def __init__(self, nest: Nest, row: str) -> None:
        self.nest = nest
        self.row = row
        self.rows = (nest.extent(row) // LANES + 2) * LANES  # so many behind the last that any size runs the same code
        self.nests: list[Nest] = []
        self.temporaries: list[Operand] = []
        self.accesses: dict[str, Access] = {}
        self.extents: dict[str, int] = {}
        self.complete = True
        self._copies: list[tuple[object, str]] = []

    def packed(self) -> list[Expr]:
        """The expressions of the nest, over the copies."""
        nest = self.nest
        paired = {index for node in nest.reduces if inner_reduces(node) for index in node.over}
        copies: dict[Expr, Expr] = {}
        for node in subexpressions(*nest.exprs):
            if isinstance(node, Read) and self.row in node.free:
                if paired.isdisjoint(node.free) and self._is_there(node):
                    copies[node] = self._copy(node)
                else:
                    self.complete = False
        return [replace_nodes(expr, copies) for expr in nest.exprs]

    def _is_there(self, node: Read) -> bool:
        """Whether it may be read for every row, and is found without a search, which a copy would repeat."""
        below = list(subexpressions(node))
        if any(isinstance(each, Reduce) for each in below):
            return False
        return all(self.nest.accesses[each.operand].condition is None for each in below if isinstance(each, Read))

    def _copy(self, node: Read) -> Expr:
        nest, access = self.nest, self.nest.accesses[node.operand]
        reach = access.strides
        others = sorted(node.free - {self.row}, key=lambda index: (-abs(reach.get(index, 0)), index))
        key: object = node if access.dynamic else (
            access.buffer, access.offset, access.shift, access.strides[self.row],
            *((root(each), access.strides[each]) for each in others),
        )  # fmt: skip
        strides: dict[str, int] = {self.row: 1}
        step = self.rows
        for index in reversed(others):
            strides[index] = step
            step *= nest.extent(index)
        copies = [name for place, name in self._copies if place == key]
        if not copies:
            copies.append(self._copied(node, others, strides, step))
            self._copies.append((key, copies[0]))
        buffer = copies[0]
        name = f"{buffer}_{len(self.accesses) + 1}"
        self.accesses[name] = Access(name, buffer, access.dtype, 0, strides)
        return read(name, tuple(map(position, strides)), node.dtype)

    def _copied(self, node: Read, others: list[str], strides: Mapping[str, int], size: int) -> str:
        """The name of a new temporary, and the nest that fills it."""
        nest = self.nest
        name = f"{nest.name}.rows_{len(self.nests) + 1}"
        extent = f"{name}_size"
        self.extents[extent] = size
        self.temporaries.append(Operand(name, node.dtype, ((extent,),)))
        moving = {each: step for each, step in strides.items() if nest.extent(each) > 1}
        target = Access(name, name, node.dtype, 0, moving)
        order = (*others, self.row)
        heading = shortened(nest.heading, f"{node.operand}, its rows side by side")
        self.nests.append(
            Nest(
                name,
                heading,
                (Write(node, target, order),),
                nest.accesses,
                nest.extents,
                order,
                nest.attributes,
                nest.target,
            )
        )
        self.nests.append(self._filled(name, node, target, others))
        return name

    def _filled(self, name: str, node: Read, target: Access, others: list[str]) -> Nest:
        """The nest that writes zeros behind the last row, where whole vectors are read, too."""
        nest, rest = self.nest, f"{name}_rest"
        extents = {**nest.extents, rest: self.rows - nest.extent(self.row)}
        strides = {**{index: step for index, step in target.strides.items() if index != self.row}, rest: 1}
        behind = replace(target, offset=nest.extent(self.row), strides=strides)
        heading = shortened(nest.heading, f"{node.operand}, zeros behind its last row")
        order = (*others, rest)
        write = Write(number(0, node.dtype), behind, order)
        return Nest(f"{name}_rest", heading, (write,), {}, extents, order, nest.attributes, nest.target)
