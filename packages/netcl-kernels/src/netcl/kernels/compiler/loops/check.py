"""What is legal in a loop nest, for the numbers of one launch: see `check`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from netcl.kernels.compiler.ir import (
    FLOATS,
    Apply,
    Attribute,
    Expr,
    Number,
    Position,
    Read,
    position,
    read,
    rebuild,
    subexpressions,
    transform,
)
from netcl.kernels.compiler.ir.host import NotKnown, Numbers
from netcl.kernels.compiler.ir.interval import Intervals
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.calls import expanded
from netcl.kernels.compiler.loops.ir import (
    ELEMENTS,
    Assume,
    Barrier,
    Fold,
    If,
    Let,
    Loop,
    LoopNest,
    MultiplyAdd,
    Name,
    Statement,
    Store,
    Transpose,
    exprs,
    local_bytes,
    statements,
)
from netcl.kernels.compiler.loops.linear import contradictory, ends_of
from netcl.kernels.compiler.target import Target


class IllegalNest(AssertionError):
    """A schedule made what no device may be given: a defect of the compiler, never of an author."""


def check(nest: LoopNest, numbers: Mapping[str, Any], sizes: Mapping[str, int]) -> LoopNest:
    """The nest itself, if every name is that of something, every position lies in its buffer (whose `sizes` are given
    where they are global), and every barrier is come to by all items of a group or by none. Raises IllegalNest."""
    _Checker(nest, numbers, sizes)
    return nest


def check_room(nest: LoopNest, target: Target) -> None:
    """Raise IllegalNest where a group has more items, or more local memory, than the target has room for."""
    for what, has, most in (
        ("items", nest.items, target.work_group_size),
        ("bytes of local memory", local_bytes(nest), target.local_memory),
    ):
        if has > most:
            raise IllegalNest(f"{nest.name}: a group has {has} {what}, and {target.name} has room for {most}")


class _Checker:
    def __init__(self, nest: LoopNest, numbers: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        self.nest = nest = expanded(nest)
        self.numbers = {**numbers, **{ELEMENTS + name: size for name, size in sizes.items()}}
        known = Intervals(Numbers({}, numbers))
        self.lengths = {nest.group: known.of(nest.groups)[1], nest.item: nest.items}
        self.named: dict[str, Expr] = {}
        self.in_lanes = False
        self.moving: frozenset[str] = frozenset()
        """The indices that are not the same in all lanes."""
        self.sizes = {**{each.name: known.of(each.size)[0] for each in nest.buffers if each.space != "global"}, **sizes}
        self._names()
        if self.lengths[nest.group] < 1:
            return
        self._body(nest.body, self._intervals(), True)

    def _names(self) -> None:
        names = [each.name for each in self.nest.buffers]
        if len(set(names)) < len(names):
            raise self._illegal(f"two buffers have one name: {', '.join(names)}")
        for each in statements(self.nest.body):
            if isinstance(each, Loop) and each.kind == "unrolled" and not isinstance(each.extent, Number):
                raise self._illegal(f"the unrolled loop over {each.index} has no literal extent")
            given = (each.buffer,) if isinstance(each, Fold) else each.buffers if isinstance(each, Transpose) else ()
            for missing in (name for name in given if name not in names):
                raise self._illegal(f"there is no buffer {missing}")
        for node in subexpressions(*(expr for each in statements(self.nest.body) for expr in exprs(each))):
            if isinstance(node, Read) and node.at and node.operand not in names:
                raise self._illegal(f"there is no buffer {node.operand}")
            if isinstance(node, Attribute) and node.name not in self.numbers:
                raise self._illegal(f"there is no number {node.name}")

    def _intervals(self, base: Intervals | None = None) -> Intervals:
        """What is read from memory may be anything: whoever reads there bounds it."""
        return Intervals(Numbers(self.lengths, self.numbers), True, base.assumed if base else None)

    def _body(self, body: tuple[Statement, ...], within: Intervals, uniform: bool) -> None:
        around, named = self.lengths, dict(self.named)
        for each in body:
            for expr in exprs(each):
                self._reads(expr, within)
            if isinstance(each, Barrier) and not uniform:
                raise self._illegal("not all items of a group come to a barrier")
            if isinstance(each, (Store, MultiplyAdd)):
                self._stored(each, within)
            elif isinstance(each, Let):
                within = self._let(each, within)
            elif isinstance(each, Name):
                self.named[each.name] = self._meant(each.value)
            elif isinstance(each, Fold):
                self._private(each.buffer, "folded")
                self.named[each.name] = read(each.name, (), self.nest.buffer(each.buffer).dtype)
            elif isinstance(each, Transpose):
                for name in each.buffers:
                    self._private(name, "transposed")
                    if self.sizes[name] != len(each.buffers):
                        raise self._illegal(f"{name} is one of {len(each.buffers)} buffers that change places")
            elif isinstance(each, Assume):
                within = self._assumed(each.condition, within)
            elif isinstance(each, If):
                meant = self._meant(each.condition)
                if self._moves(meant):  # all lanes do what one does
                    self._body(each.body, within, False)
                elif within.may_be(meant, True):
                    self._body(each.body, within.where(meant, True), uniform and self._is_uniform(each.condition))
            elif isinstance(each, Loop):
                self._loop(each, within, uniform)
        self.lengths, self.named = around, named

    def _private(self, buffer: str, verb: str) -> None:
        if self.nest.buffer(buffer).space != "private":
            raise self._illegal(f"{buffer} is {verb}, and is not private")

    def _stored(self, of: Store | MultiplyAdd, within: Intervals) -> None:
        where = of.where if isinstance(of, Store) else None
        if where is not None:
            meant = self._meant(where)
            if not within.may_be(meant, True):
                return
            within = within.where(meant, True)
        self._inside(of.buffer, of.at, within)

    def _loop(self, loop: Loop, within: Intervals, uniform: bool) -> None:
        if loop.index in self.lengths:
            raise self._illegal(f"the index {loop.index} is bound twice")
        if loop.kind == "lanes" and self.in_lanes:
            raise self._illegal(f"the lanes {loop.index} are within others")
        around, in_lanes, moving = self.lengths, self.in_lanes, self.moving
        most = within.of(self._meant(loop.extent))[1]
        self.lengths = {**around, loop.index: most}
        if loop.kind == "lanes":
            self.in_lanes, self.moving = True, moving | {loop.index}
        if most > 0:
            inside = self._intervals(within)
            is_uniform = uniform and self._is_uniform(loop.extent) and loop.until is None
            self._body(loop.body, inside, is_uniform)
            if loop.until is not None:
                self._reads(loop.until, inside)
        self.lengths, self.in_lanes, self.moving = around, in_lanes, moving

    def _assumed(self, condition: Expr, within: Intervals) -> Intervals:
        """What holds here; of a name that is equal to a condition, that it means this condition."""
        if isinstance(condition, Apply) and condition.function == "eq":
            name, same = condition.children
            if isinstance(name, Read) and not name.at and name.dtype == "bool":
                self.named[name.operand] = self._meant(same)
                return within
        return within.where(self._meant(condition), True)

    def _let(self, let: Let, within: Intervals) -> Intervals:
        if let.index in self.lengths:
            raise self._illegal(f"the index {let.index} is bound twice")
        least, most = within.of(self._meant(let.value))
        if least < 0:
            raise self._illegal(f"the index {let.index} may be {least}")
        self.lengths = {**self.lengths, let.index: most + 1}
        if self._moves(self._meant(let.value)):
            self.moving |= {let.index}
        inside = self._intervals(within)
        return inside.where(call("ge", position(let.index), least), True) if least else inside

    def _moves(self, meant: Expr) -> bool:
        """Whether it may be something else in each lane; of a float with a name nobody knows."""
        return self.in_lanes and any(
            each.index in self.moving if isinstance(each, Position) else isinstance(each, Read) and not each.at
            for each in subexpressions(meant)
        )

    def _is_uniform(self, node: Expr) -> bool:
        """Whether it is the same for all items of a group."""
        return not any(
            isinstance(each, Read) or (isinstance(each, Position) and each.index == self.nest.item)
            for each in subexpressions(self._meant(node))
        )

    def _meant(self, node: Expr) -> Expr:
        """The expression with what its names stand for; names of floats, which have no ends, stay."""

        def visit(each: Expr, children: tuple[Expr, ...]) -> Expr:
            if isinstance(each, Read) and not each.at and each.dtype not in FLOATS:
                return self.named[each.operand]
            return rebuild(each, children)

        return transform(node, visit)

    def _reads(self, node: Expr, within: Intervals) -> None:
        """The positions that are read, where the conditions around them hold."""
        if isinstance(node, Position) and node.index not in self.lengths:
            raise self._illegal(f"the index {node.index} is bound nowhere around")
        if isinstance(node, Apply) and node.function in ("select", "and"):
            condition, *rest = node.children
            self._reads(condition, within)
            meant = self._meant(condition)
            for at, each in enumerate(rest):
                if self.in_lanes and isinstance(each, Read) and each.at:
                    self._reads(each.at[0], within)
                    if within.may_be(meant, at == 0):
                        self._inside(each.operand, each.at[0], within.where(meant, at == 0))
                elif self.in_lanes:
                    self._reads(each, within)
                elif within.may_be(meant, at == 0):
                    self._reads(each, within.where(meant, at == 0))
            return
        for child in node.children:
            self._reads(child, within)
        if isinstance(node, Read):
            if node.at:
                self._inside(node.operand, node.at[0], within)
            elif node.operand not in self.named:
                raise self._illegal(f"the name {node.operand} is given nowhere around")

    def _inside(self, buffer: str, at: Expr, within: Intervals) -> None:
        try:
            least, most = within.of(self._meant(at))
            if least < 0 or most >= self.sizes[buffer]:
                least, most = ends_of(self._meant(at), within)
        except NotKnown:
            raise self._illegal(f"nobody can say which element of {buffer} is at {at!r}") from None
        if (least < 0 or most >= self.sizes[buffer]) and not contradictory(within):
            raise self._illegal(f"{buffer}[{least}..{most}] leaves its {self.sizes[buffer]} elements, at {at!r}")

    def _illegal(self, what: str) -> IllegalNest:
        return IllegalNest(f"{self.nest.name}: {what}")
