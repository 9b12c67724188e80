"""Taking an expression from one formula into another, where its indices, attributes and operands are other ones."""

from __future__ import annotations

from typing import Protocol

from netcl.kernels.compiler.ir import (
    Attribute,
    Enclosed,
    Expr,
    Position,
    Read,
    Recurrence,
    Reduce,
    Scan,
    Size,
    with_children,
)
from netcl.kernels.compiler.ir.binding import rebuilt, running, total
from netcl.kernels.compiler.ir.recurrences import with_own_label
from netcl.kernels.compiler.ir.simplify import cast


class Surroundings(Protocol):
    """What the names of one formula mean in another."""

    def read(self, node: Read, at: tuple[Expr, ...]) -> Expr:
        """What is there in the place of an operand read at these positions."""

    def attribute(self, node: Attribute) -> Expr:
        """What an attribute is there."""

    def position(self, index: str) -> Expr:
        """Where along an index one is."""

    def size(self, index: str) -> Expr:
        """How long an index is."""

    def renamed(self, index: str) -> str:
        """The name there of an index that a Reduce, Scan or Custom binds."""


def moved(node: Expr, children: tuple[Expr, ...], into: Surroundings) -> Expr:
    """`node` over `children`, which were moved before."""
    if isinstance(node, Read):
        return cast(into.read(node, children), node.dtype)
    if isinstance(node, Attribute):
        return into.attribute(node)
    if isinstance(node, Position):
        return into.position(node.index)
    if isinstance(node, Size):
        return into.size(node.index)
    if isinstance(node, Reduce):
        return total(node.kind, tuple(map(into.renamed, node.over)), children[0])
    if isinstance(node, Enclosed):
        new = with_children(node, children, {index: into.renamed(index) for index in node.over})
        return with_own_label(new) if isinstance(new, Recurrence) else new
    if isinstance(node, Scan):
        return running(node.kind, into.renamed(node.index), node.backward, *children)
    return rebuilt(node, children)
