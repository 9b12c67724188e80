"""The expressions of a stage as statements of a loop nest: every value once, in the loop where it belongs.

`Values.value(node, scope)` puts what a node needs into the scopes around and gives what stands for it. What is used
more than once has a name. Reads are done where they are in range alone, so that a value may be computed before the
condition that asks for it, as on a CPU. Reductions are loops of the item.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from netcl.kernels.compiler.ir import (
    Apply,
    Attribute,
    Expr,
    ExprLike,
    Number,
    Position,
    Read,
    Reduce,
    Size,
    position,
    read,
    rebuild,
    root,
    unknown,
)
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.accumulate import Accumulator, accumulator
from netcl.kernels.compiler.loops.given import Given, flattened, unflattened
from netcl.kernels.compiler.loops.ir import Assume, Buffer, Let, Loop, Name, Statement, Store
from netcl.kernels.compiler.loops.positions import ZERO, before, minus, plus, quotient
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.lower.guards import Guards
from netcl.kernels.compiler.lower.kernel import Write
from netcl.kernels.compiler.lower.nest import Nest

_DEEPEST = 24
"""Parentheses in each other; a value so deep has a name, since compilers have a limit of 256."""

_TALLEST = 64
"""Values in each other that are made by recursion; what is taller is made in landings of so many, from the ground."""

Group = tuple[Reduce, ...]


@dataclass(frozen=True)
class Part:
    """Of an index, `count` values from `first` on, at most so many."""

    first: Expr
    count: Expr
    most: int


class Values:
    """The values of one nest, whose buffers and numbers are collected in `given`. Of some indices that are reduced only
    a part is gone through; where it is that of a block of an index, `index#` has the number of the block. With `fused`
    a product is added to a sum with one rounding. Reads that are `asked` for under a condition are done there alone."""

    def __init__(
        self,
        nest: Nest,
        exprs: Sequence[Expr],
        given: Given,
        parts: Mapping[str, Part] | None = None,
        blocked: str | None = None,
        steps: Mapping[str, frozenset[str]] | None = None,
        fused: bool = False,
        asked: Mapping[Expr, Expr] | None = None,
    ) -> None:
        self.nest, self.given, self.parts, self.fused = nest, given, parts or {}, fused
        self.guards = Guards(exprs, given.accesses, blocked, steps, asked)
        self.buffers: list[Buffer] = []
        self.uses: dict[Expr, int] = {}
        self._depth: dict[Expr, int] = {}
        self.totals: dict[Scope, dict[Expr, Expr]] = {}
        """Of columns that are beside each other: the reductions that are done, which later loops of theirs may read."""
        self._buffers: dict[Expr, frozenset[str]] = {}
        self._count: dict[str, int] = {}
        order = list(self.guards.in_order(exprs))
        for node in order:
            for child in self.guards.needs(node):
                self.uses[child] = self.uses.get(child, 0) + 1
        for node in exprs:
            self.uses[node] = self.uses.get(node, 0) + 1
        self._height: dict[Expr, int] = {}
        for node in order:
            self._height[node] = 1 + max((self._height.get(child, 0) for child in self._certain(node)), default=0)
        self._climbed: set[tuple[Scope, Expr]] = set()
        self.groups = self._grouped(order, self._asking(exprs) if steps else {})
        self._group_of = {node: group for group in self.groups for node in group}

    def _asking(self, exprs: Sequence[Expr]) -> dict[Expr, frozenset[int]]:
        """Of each Reduce which of the expressions need it."""
        found: dict[Expr, frozenset[int]] = {}
        for at, expr in enumerate(exprs):
            for node in self.guards.in_order((expr,)):
                found[node] = found.get(node, frozenset()) | {at}
        return found

    def _grouped(self, order: Sequence[Expr], asking: Mapping[Expr, frozenset[int]]) -> list[Group]:
        """The Reduces that have their loops together, each behind what it needs: those over the same indices that have
        no need of each other. In steps those that the same states ask for: each of these has loops of its own."""
        level: dict[Expr, int] = {}
        kinds: dict[Expr, Hashable] = {}
        for node in order:
            level[node] = max((level[each] for each in self.guards.needs(node)), default=0)
            if isinstance(node, Reduce):
                level[node] += 1
                kinds[node] = node.over, self.guards.depends(node), asking.get(node), self.extra(node)
        self._join_later(order, level, kinds)
        groups: dict[Any, list[Reduce]] = {}
        for node in order:
            if isinstance(node, Reduce):
                groups.setdefault((level[node], kinds[node]), []).append(node)
        return [tuple(groups[key]) for key in sorted(groups, key=lambda key: key[0])]

    def _join_later(self, order: Sequence[Expr], level: dict[Expr, int], kinds: Mapping[Expr, Hashable]) -> None:
        """Raise the level of a Reduce to that of another one of its kind, where what needs it can wait as long."""
        last: dict[Expr, int] = {}  # the level before what needs it
        levels: dict[Hashable, set[int]] = {}
        for node in reversed(order):
            before = last.get(node, len(order))
            if isinstance(node, Reduce):
                mine = levels.setdefault(kinds[node], set())
                level[node] = min((each for each in mine if level[node] < each <= before), default=level[node])
                mine.add(level[node])
                before = level[node] - 1
            for each in self.guards.needs(node):
                last[each] = min(before, last.get(each, before))

    def extra(self, node: Reduce) -> object:
        """What else those have in common that have their loops together."""
        return None

    def fresh(self, word: str) -> str:
        """A new name of ours."""
        self._count[word] = self._count.get(word, 0) + 1
        return f"{word}_{self._count[word]}"

    def index(self, index: str) -> str:
        """A new name for places along an index of the formula."""
        name = f"of {root(index)}"
        self._count[name] = self._count.get(name, 0) + 1
        return name if self._count[name] == 1 else f"{name} {self._count[name]}"

    def named(self, value: Expr, scope: Scope, word: str = "value") -> Expr:
        """The value under a name, which is a statement of `scope`."""
        if not value.children:
            return value
        name = self.fresh("is" if value.dtype == "bool" and word == "value" else word)
        scope.statements.append(Name(name, value))
        return read(name, (), value.dtype)

    def value(self, node: Expr, scope: Scope) -> Expr:
        """What stands for `node` in `scope`."""
        home = scope.home(self.guards.depends(node))
        found = home.values.get(node)
        if found is None and isinstance(node, Reduce):
            self.reduced(self._group_of[node], home)
            found = home.values[node]
        if found is None:
            if self._height.get(node, 0) > _TALLEST and (home, node) not in self._climbed:
                for landing in self._landings(node, home):
                    self.value(landing, home)
            found = self._made(node, home)
            is_vector = isinstance(node, Read) and self.lanes(node, home) is not None
            if self.uses.get(node, 0) > 1 or home is not scope or is_vector or self._deep(found) > _DEEPEST:
                found = self.named(found, home, self._word(node))
            home.values[node] = found
        return found

    def _certain(self, node: Expr) -> tuple[Expr, ...]:
        """The children that are made whenever a node is, in the same scope or around it."""
        if not isinstance(node, Apply):
            return ()
        may_be_known = node.function == "select" and not self._read_in(node.children[0])
        return node.children[:1] if may_be_known else node.children

    def _landings(self, node: Expr, home: Scope) -> list[Expr]:
        """Of what is made for `node` in any case, the values at every so many, from the ground."""
        found, waiting = dict[Expr, None](), [node]
        while waiting:
            each = waiting.pop()
            if (home, each) in self._climbed:
                continue
            self._climbed.add((home, each))
            for child in self._certain(each):
                waiting.append(child)
                if self._height.get(child, 0) // _TALLEST < self._height[each] // _TALLEST:
                    found[child] = None
        return sorted(found, key=self._height.__getitem__)

    def _word(self, node: Expr) -> str:
        """What a value is called."""
        return f"of {self.given.accesses[node.operand].buffer} value" if isinstance(node, Read) else "value"

    def _deep(self, node: Expr) -> int:
        """How many expressions are in each other."""
        if node not in self._depth:
            self._depth[node] = 1 + max(map(self._deep, node.children), default=0)
        return self._depth[node]

    def _made(self, node: Expr, home: Scope) -> Expr:
        if isinstance(node, Number):
            return node
        if isinstance(node, Attribute):
            return self.given.attribute(node)
        if isinstance(node, Size):
            return self.given.size(node.index)
        if isinstance(node, Position):
            return home.place(node.index)
        if isinstance(node, Apply) and node.function == "select":
            condition = self.value(node.children[0], home)
            if isinstance(condition, Number):  # of an index that is a number here: what is not chosen is not computed
                return self.value(node.children[1 if condition.value else 2], home)
        children = tuple(self.value(child, home) for child in node.children)
        if isinstance(node, Read):
            return self._read(node, children, home)
        if isinstance(node, Apply) and node.function == "select" and self.lanes(node, home) is None:
            children = (children[0], _where(children[1], children[0]), children[2])
        is_known = node.dtype == "bool" and all(isinstance(each, Number) for each in children)
        return call(node.function, *children) if is_known and isinstance(node, Apply) else rebuild(node, children)

    def _read(self, node: Read, at: Sequence[Expr], home: Scope) -> Expr:
        limits = self.given.accesses[node.operand].limits
        affine = len(at) - len(limits)
        moving = [
            place if limit is None else self.named(place, home, "at")  # it is compared, and then read at
            for place, limit in zip(at[affine:], limits, strict=True)
        ]
        condition = self.guards.of(node)
        asked = [] if condition is None else [self.value(condition, home)]
        asked += [] if home.asked is None else [home.asked]
        inside = self.named(conjunction(asked), home) if asked else None
        return self.given.element(node, (*at[:affine], *moving), inside)

    # --- reductions -------------------------------------------------------------------------------------------------

    def accumulators(self, group: Group, steps: int, lanes: Lanes | None = None) -> list[Accumulator]:
        """Those of a group of which each item takes so many steps, or each of these lanes does."""
        long = steps > self.nest.target.groups.run
        found = [accumulator(node, self.fresh, long, lanes.count if lanes else 1) for node in group]
        for each in found:
            each.fused = self.fused
        self.buffers += [buffer for each in found for buffer in each.buffers]
        return [each.at(position(lanes.index)) for each in found] if lanes else found

    def lanes(self, node: Expr, scope: Scope) -> Lanes | None:
        """The lanes in which `node` is not always the same."""
        depends = self.guards.depends(node)
        bound = (each for each in scope.upwards() if each.lanes and not depends.isdisjoint(each.binds))
        return next((each.lanes for each in bound), None)

    def reduced(self, group: Group, home: Scope) -> None:
        """The loops of one item: one for each index."""
        if home.beside:
            self._reduced_beside(group, home)
            return
        over = group[0].over
        accumulators = self.accumulators(group, self.most(*over), self.lanes(group[0], home))
        home.statements += [statement for each in accumulators for statement in each.start()]

        def last(index: str, scope: Scope) -> Sequence[Statement]:
            _, count = self.bounds(index)

            def inside(step: Expr) -> Sequence[Statement]:
                inner = self._at(index, step, scope)
                inner.statements += self.taken(group, accumulators, inner)
                return inner.statements

            return self.steps(count, accumulators, inside, index)

        if over:
            self.loops(over, home, last)
        else:
            home.statements += self.taken(group, accumulators, home)
        self.finished(group, accumulators, home)

    def _reduced_beside(self, group: Group, home: Scope) -> None:
        """The same for all columns beside `home`, in loops that they share."""
        together, over = home.together, group[0].over
        lanes = self.lanes(group[0], home)
        columns = [(column, self.accumulators(group, self.most(*over), lanes)) for column in home.beside]
        every = [each for _, accumulators in columns for each in accumulators]
        together.statements += [statement for each in every for statement in each.start()]

        def last(index: str, scope: Scope) -> Sequence[Statement]:
            def inside(step: Expr) -> Sequence[Statement]:
                inner = self._at(index, step, scope)
                for between, some in itertools.groupby(columns, lambda each: each[0].parent):
                    common = inner if between is together else between.again(inner)
                    taken: list[Statement] = []
                    for column, accumulators in some:
                        here = column.again(common)
                        here.values |= self.totals.get(column, {})
                        here.statements += self.taken(group, accumulators, here)
                        taken += here.statements
                    if common is not inner:
                        inner.statements += common.statements
                    inner.statements += taken
                return inner.statements

            return self.steps(self.bounds(index)[1], every, inside, index)

        self.loops(over, together, last)
        for column, accumulators in columns:
            for node, each in zip(group, accumulators, strict=True):
                column.values[node] = total = self.named(each.parts()[-1], together, "total")
                self.totals.setdefault(column, {})[node] = total

    def finished(self, group: Group, accumulators: Sequence[Accumulator], home: Scope) -> None:
        """The results of a group, under names."""
        for node, each in zip(group, accumulators, strict=True):
            home.values[node] = self.named(each.parts()[-1], home, "total")

    def most(self, *over: str) -> int:
        """How many values there are of an index that is reduced, or of none; of a part of it, at most."""
        return prod(self.parts[each].most if each in self.parts else self.nest.extent(each) for each in over)

    def bounds(self, index: str) -> tuple[Expr, Expr]:
        """The first value of an index that is reduced, and how many there are."""
        part = self.parts.get(index)
        return (ZERO, self.given.size(index)) if part is None else (part.first, part.count)

    def loops(self, over: Sequence[str], scope: Scope, last: Callable[[str, Scope], Sequence[Statement]]) -> None:
        """Loops over all of these indices but the last, and what that one has inside of them."""
        index, *rest = over
        if not rest:
            scope.statements += last(index, scope)
            return
        step = position(self.fresh("step") if index in self.parts else self.index(index))
        inner = self._at(index, step, scope)
        self.loops(rest, inner, last)
        scope.statements.append(Loop(step.index, self.bounds(index)[1], "serial", inner.body))

    def _at(self, index: str, step: Expr, parent: Scope) -> Scope:
        """The scope of one step of an index."""
        first, _ = self.bounds(index)
        scope = Scope(parent, {index: step})
        if first is not ZERO:
            at = position(self.index(index))
            scope.binds[index] = at
            scope.statements += [Let(at.index, call("add", first, step)), Assume(before(at, self.given.size(index)))]
        return scope

    def steps(
        self,
        count: Expr,
        accumulators: list[Accumulator],
        inside: Callable[[Expr], Sequence[Statement]],
        index: str = "",
    ) -> list[Statement]:
        """What is `inside` for each of these steps, which may be those of an index; in runs, where sums are long."""
        step, last = self.index(index) if index else self.fresh("step"), Let(self.fresh("count"), count)
        count = position(last.index)
        if not any(each.blocked for each in accumulators):
            return [last, Loop(step, count, "serial", tuple(inside(position(step))))]
        most, run, here = self.nest.target.groups.run, self.fresh("run"), self.fresh("at")
        done = call("mul", position(run), most)
        steps = Loop(step, call("minimum", call("sub", count, done), most), "serial", (
            Let(here, call("add", done, position(step))), Assume(call("lt", position(here), count)),
            *inside(position(here)),
        ))  # fmt: skip
        enter = [statement for each in accumulators for statement in each.enter()]
        leave = [statement for each in accumulators for statement in each.leave()]
        return [last, Loop(run, parted(count, most), "serial", (*enter, steps, *leave))]

    def taken(
        self, group: Group, accumulators: Sequence[Accumulator], scope: Scope, flat: Expr | None = None
    ) -> list[Statement]:
        """One step of each accumulator, at the place `flat` of what is reduced, or where the indices say."""
        found: list[Statement] = []
        for node, each in zip(group, accumulators, strict=True):
            value = self.value(self.body(node), scope)
            found += each.take(value, self._place(node, scope) if flat is None else flat)
        return found

    def body(self, node: Reduce) -> Expr:
        """What is reduced, at the values of the indices that are gone through."""
        return node.body

    def _place(self, node: Reduce, scope: Scope) -> Expr:
        over = node.over if node.kind.startswith("arg") else ()
        return flattened({index: scope.place(index) for index in over}, over, self.given)

    # --- outputs ----------------------------------------------------------------------------------------------------

    def inside(self, indices: Sequence[str], flat: Expr, parent: Scope | None = None) -> Scope:
        """The scope of one place of these indices, which are counted through together."""
        if len(indices) < 2:
            return Scope(parent, dict.fromkeys(indices, flat))
        names = {index: self.fresh("at") for index in indices}
        scope = Scope(parent, {index: position(name) for index, name in names.items()})
        scope.statements += [Let(names[index], at) for index, at in unflattened(flat, indices, self.given).items()]
        return scope

    def stored(self, write: Write, scope: Scope) -> None:
        """The value of an output, where `scope` stands."""
        value = self.value(write.expr, scope)
        places = {index: scope.place(index) for index in write.access.strides}
        scope.statements.append(Store(*self.given.target(write, places), value, scope.asked))

    def stored_together(self, writes: Sequence[Write], scope: Scope) -> None:
        """The values of outputs, of which none is stored before all are there: one may be written over an operand that
        another one reads."""
        if len(writes) > 1:
            scope.values.update({each.expr: self.named(self.value(each.expr, scope), scope) for each in writes})
        for each in writes:
            self.stored(each, scope)

    def changed(self, buffer: str, scope: Scope) -> None:
        """Elements of `buffer` are others from here on: nothing that was read of it is taken again."""
        self._climbed.clear()
        for each in scope.upwards():
            stale = [node for node in each.values if buffer in self._read_in(node)]
            for node in stale:
                del each.values[node]

    def _read_in(self, node: Expr) -> frozenset[str]:
        """The buffers that `node` reads."""
        for each in unknown(self._buffers, node):
            mine = (self.given.accesses[each.operand].buffer,) if isinstance(each, Read) else ()
            self._buffers[each] = frozenset(mine).union(*(self._buffers[child] for child in each.children))
        return self._buffers[node]


def _where(node: Expr, condition: Expr) -> Expr:
    """What a node is where the condition holds: an element that is read only there is read there."""
    if isinstance(node, Apply) and node.function == "select" and node.children[0] == condition:
        return node.children[1]
    return node


def parted(count: Expr, width: ExprLike) -> Expr:
    """How many parts of this width there are."""
    return quotient(plus(count, width - 1 if isinstance(width, int) else minus(width, 1)), width)
