"""What is legal in a loop nest, for the numbers of one launch: see `check`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from netcl.kernels.compiler.host import NotKnown, Numbers
from netcl.kernels.compiler.interval import Intervals
from netcl.kernels.compiler.ir import Apply, Attribute, Expr, Number, Position, Read, apply, subexpressions
from netcl.kernels.compiler.loops.ir import (
    Barrier,
    If,
    Let,
    Loop,
    LoopNest,
    MultiplyAdd,
    Statement,
    Store,
    exprs,
    statements,
)
from netcl.kernels.compiler.simplify import call, conjuncts


class IllegalNest(AssertionError):
    """A schedule made what no device may be given: a defect of the compiler, never of an author."""


def check(nest: LoopNest, numbers: Mapping[str, Any], sizes: Mapping[str, int]) -> LoopNest:
    """The nest itself, if every name is that of something, every position lies in its buffer (whose `sizes` are given
    where they are global), and every barrier is come to by all items of a group or by none. Raises IllegalNest."""
    return _Checker(nest, numbers, sizes).nest


class _Checker:
    def __init__(self, nest: LoopNest, numbers: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        self.nest, self.numbers = nest, numbers
        known = Intervals(Numbers({}, numbers))
        self.lengths = {nest.group: known.of(nest.groups)[1], nest.item: nest.items}
        self.sizes = {**{each.name: known.of(each.size)[0] for each in nest.buffers if each.space != "global"}, **sizes}
        self._names()
        self._body(nest.body, self._intervals(), True)

    def _names(self) -> None:
        names = [each.name for each in self.nest.buffers]
        if len(set(names)) < len(names):
            raise self._illegal(f"two buffers have one name: {', '.join(names)}")
        for each in statements(self.nest.body):
            if isinstance(each, Loop) and each.kind == "unrolled" and not isinstance(each.extent, Number):
                raise self._illegal(f"the unrolled loop over {each.index} has no literal extent")
            for node in subexpressions(*exprs(each)):
                if isinstance(node, Read) and node.operand not in names:
                    raise self._illegal(f"there is no buffer {node.operand}")
                if isinstance(node, Attribute) and node.name not in self.numbers:
                    raise self._illegal(f"there is no number {node.name}")

    def _intervals(self, base: Intervals | None = None) -> Intervals:
        numbers = Numbers(self.lengths, self.numbers)
        return Intervals(numbers, anything=True, assumed=base.assumed if base else None)

    def _body(self, body: tuple[Statement, ...], within: Intervals, uniform: bool) -> None:
        around = self.lengths
        for each in body:
            for expr in exprs(each):
                self._reads(expr, within)
            if isinstance(each, Barrier) and not uniform:
                raise self._illegal("not all items of a group come to a barrier")
            if isinstance(each, (Store, MultiplyAdd)):
                self._inside(each.buffer, each.at, within)
            elif isinstance(each, Let):
                within = self._let(each, within)
            elif isinstance(each, If):
                self._body(each.body, _where(within, each.condition), uniform and self._is_uniform(each.condition))
            elif isinstance(each, Loop):
                if each.index in self.lengths:
                    raise self._illegal(f"the index {each.index} is bound twice")
                most = within.of(each.extent)[1]
                self.lengths = {**self.lengths, each.index: most}
                if most > 0:
                    self._body(each.body, self._intervals(within), uniform and self._is_uniform(each.extent))
                self.lengths = {name: length for name, length in self.lengths.items() if name != each.index}
        self.lengths = around

    def _let(self, let: Let, within: Intervals) -> Intervals:
        if let.index in self.lengths:
            raise self._illegal(f"the index {let.index} is bound twice")
        least, most = within.of(let.value)
        if least < 0:
            raise self._illegal(f"the index {let.index} may be {least}")
        self.lengths = {**self.lengths, let.index: most + 1}
        return self._intervals(within)

    def _is_uniform(self, node: Expr) -> bool:
        """Whether it is the same for all items of a group."""
        return not any(
            isinstance(each, Read) or (isinstance(each, Position) and each.index == self.nest.item)
            for each in subexpressions(node)
        )

    def _reads(self, node: Expr, within: Intervals) -> None:
        """The positions that are read, where the conditions around them hold."""
        if isinstance(node, Position) and node.index not in self.lengths:
            raise self._illegal(f"the index {node.index} is bound nowhere around")
        if isinstance(node, Apply) and node.function in ("select", "and"):
            condition, *rest = node.children
            self._reads(condition, within)
            for at, each in enumerate(rest):
                self._reads(each, _where(within, condition) if at == 0 else within.where(condition, False))
            return
        for child in node.children:
            self._reads(child, within)
        if isinstance(node, Read):
            self._inside(node.operand, node.at[0], within)

    def _inside(self, buffer: str, at: Expr, within: Intervals) -> None:
        try:
            least, most = within.of(at)
        except NotKnown:
            raise self._illegal(f"nobody can say which element of {buffer} is at {at!r}") from None
        if least < 0 or most >= self.sizes[buffer]:
            raise self._illegal(f"{buffer}[{least}..{most}] leaves its {self.sizes[buffer]} elements, at {at!r}")

    def _illegal(self, what: str) -> IllegalNest:
        return IllegalNest(f"{self.nest.name}: {what}")


def _where(within: Intervals, condition: Expr) -> Intervals:
    """The ends where a condition holds. Of `x + 1 < n` it is used, too, that x < n - 1: the address may be that of x,
    with the 1 in an offset."""
    found = within.where(condition, True)
    for each in conjuncts(condition):
        if isinstance(each, Apply) and each.function in ("lt", "le", "gt", "ge"):
            for at, side in enumerate(each.children):
                if isinstance(side, Apply) and side.function == "add":
                    moving = [node for node in side.children if not isinstance(node, Number)]
                    constant = call("sub", side, moving[0]) if len(moving) == 1 else None
                    if isinstance(constant, Number):
                        other = call("sub", each.children[1 - at], constant)
                        sides = (moving[0], other) if at == 0 else (other, moving[0])
                        found = found.where(apply(each.function, sides, "bool"), True)
    return found
