"""Temporaries: what is computed by a stage before, and read where it is asked for. Of what differs in the names of
indices alone there is one.

Input: expressions. Output: reads of temporaries, and the outputs that compute these, given to `compute`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from netcl.kernels.compiler.ir import Expr, Operand, Output, Read, position, read, root, subexpressions
from netcl.kernels.compiler.ir.binding import replace_nodes, substitute
from netcl.kernels.compiler.ir.choices import where
from netcl.kernels.compiler.ir.forms import Form, unnamed
from netcl.kernels.compiler.ir.quantity import place_of
from netcl.kernels.compiler.lower.accesses import Placed
from netcl.kernels.compiler.lower.loop_cost import Cost

Unnamed = tuple[Form, tuple[int, ...]]
"""The form of an expression, and what stands for the extents of its free indices."""


class Temporaries:
    def __init__(self, cost: Cost, compute: Callable[[Output], None]) -> None:
        self.cost = cost
        self.compute = compute
        self.known: dict[Expr, Expr] = {}
        """What has a temporary, and how that is read."""
        self.partial: dict[str, Expr] = {}
        """Those that are not written everywhere, and where they are."""
        self._operands: dict[Unnamed, Operand] = {}
        self._lengths: list[int] = []

    @property
    def operands(self) -> tuple[Operand, ...]:
        """All of them."""
        return (*self._operands.values(),)

    def add(self, operand: Operand) -> None:
        """Note that something is read like this."""
        extents = [self.cost.sizes[root(index)] for index in operand.indices]
        strides = [prod(extents[at + 1 :]) for at in range(len(extents))]
        self.cost.operands[operand.name] = operand
        self.cost.places = {**self.cost.places, operand.name: Placed(0, tuple(strides))}

    def unnamed(self, node: Expr, indices: Sequence[str]) -> Unnamed:
        """What two expressions over `indices` have in common that differ in the names of these alone."""
        extents = (place_of(self.cost.sizes[root(index)], self._lengths) for index in indices)
        return unnamed(node, indices), tuple(extents)

    def of(self, node: Expr, chosen: bool, order: tuple[str, ...]) -> Expr:
        """A read of the temporary that holds `node`. It has an element for all values of its indices, so what a select
        chooses there is 0 where nothing was written."""
        if chosen:
            node = self._written(node)
        if node in self.known:
            return self.known[node]
        indices = tuple(index for index in dict.fromkeys(order) if index in node.free)
        key = self.unnamed(node, indices)
        if key not in self._operands:
            name = f"part.{len(self._operands) + 1}"
            axes = tuple((index,) for index in indices)
            self._operands[key] = Operand(name, node.dtype, axes)
            self.add(self._operands[key])
            self.compute(Output(name, node, axes))
        self.known[node] = read(self._operands[key].name, tuple(map(position, indices)), node.dtype)
        return self.known[node]

    def _written(self, node: Expr) -> Expr:
        """`node`, with 0 for reads of what has no value where nothing was written. A read at a position out of range is
        0 already, in whatever kernel it is."""
        guarded: dict[Expr, Expr] = {}
        for each in subexpressions(node):
            if isinstance(each, Read) and each.operand in self.partial:
                here = dict(zip(self.cost.operands[each.operand].indices, each.at, strict=True))
                guarded[each] = where(substitute(self.partial[each.operand], here), each)
        return replace_nodes(node, guarded) if guarded else node
