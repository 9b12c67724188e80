"""The statements of an item that computes expressions with reductions inside, value after value in its private memory.

Input: expressions, which indices have a place, and where. Output: statements, after which each of the expressions is
one that only reads (`Steps.expr`). What is needed more than once is computed once: before a loop, if nothing in it
decides; before the columns, if it is the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Apply,
    Expr,
    Number,
    Read,
    Reduce,
    number,
    position,
    read,
    rebuild,
    subexpressions,
    transform,
)
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.accumulate import Accumulator, accumulator
from netcl.kernels.compiler.loops.given import Given, flattened
from netcl.kernels.compiler.loops.ir import Buffer, If, Let, Loop, Statement, Store
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.lower.reductions import BLOCK

Places = Mapping[str, Expr]
Known = Callable[[Places], Expr]

SLOT, PAIR = "column's slot", "pair in the tile"
"""Keys of places that are no indices: which of the columns that are computed together, which pair of a tile."""

_ZERO = number(0, INDEX_DTYPE)


class Steps:
    """`known` says how to read what has been computed; `buffers` are those of the items, with unlike names."""

    def __init__(self, nest: Nest, column: str | None) -> None:
        self.stage = nest
        self.given = Given(nest.accesses, nest.attributes)
        self.column = column
        self.buffers: list[Buffer] = []
        self.known: dict[Expr, Known] = {}
        self._names: dict[str, int] = {}
        limits = nest.target.pairs
        columns = nest.extent(column) if column else 1
        exact = next((each for each in range(1, limits.columns_at_once + 1) if columns == each), None)
        self.count = exact or limits.columns
        self.chunks = None if exact else call(
            "floor_div", call("add", self.given.size(column or ""), self.count - 1), self.count
        )  # fmt: skip
        """How often so many columns are taken; None where once is all."""

    def fresh(self, name: str) -> str:
        """A name that nothing else here has."""
        self._names[name] = self._names.get(name, 0) + 1
        return f"{name}_{self._names[name]}" if self._names[name] > 1 else name

    def private(self, name: str, dtype: str, size: int) -> str:
        """A new private buffer of this size."""
        name = f"own {self.fresh(name)}"
        self.buffers.append(Buffer(name, dtype, "private", number(size, INDEX_DTYPE)))
        return name

    def room(self, indices: Sequence[str]) -> int | None:
        """Elements that are enough for all values of these indices; None where that is more than tiles are for."""
        found = 1
        for index in indices:
            found *= self._bound(index) or self.stage.target.pairs.deepest + 1
        return found if found <= self.stage.target.pairs.deepest else None

    def _bound(self, index: str) -> int | None:
        """As few of the usual sizes as serve for the index; small ones are its own, so that loops are written out."""
        limits, extent = self.stage.target.pairs, self.stage.extent(index)
        exact = next((each for each in range(1, limits.columns_at_once + 1) if extent == each), None)
        if exact:
            return exact
        size = 2 * limits.columns_at_once
        while size <= limits.deepest:
            if extent <= size:
                return size
            size *= 2
        return None

    def extent(self, indices: Sequence[str]) -> Expr:
        """How many values these indices have together: a literal where those are its own."""
        found: Expr = number(1, INDEX_DTYPE)
        for index in indices:
            bound = self._bound(index)
            is_own = bound is not None and bound <= self.stage.target.pairs.columns_at_once
            found = call("mul", found, number(bound or 1, INDEX_DTYPE) if is_own else self.given.size(index))
        return found

    # --- expressions --------------------------------------------------------------------------------------------------

    def expr(self, node: Expr, places: Places) -> Expr:
        """The expression at these places, reading what is known."""
        marks = self._marks()
        marked = transform(node, rebuild, {**marks})
        used = {each for each in subexpressions(marked) if isinstance(each, Read)}
        instead: dict[Expr, Expr] = {mark: self.known[each](places) for each, mark in marks.items() if mark in used}
        return self.given.expr(marked, places, instead)

    def unknown(self, roots: Iterable[Expr]) -> Iterator[Expr]:
        """Every node of these that is not known, nor below what is, children first."""
        marks = self._marks()
        memo: dict[Expr, Expr] = {**marks}
        marked = [transform(each, rebuild, memo) for each in roots]
        original = {new: old for old, new in memo.items()}
        known = set(marks.values())
        for each in subexpressions(*marked):
            if each not in known:
                yield original[each]

    def _marks(self) -> dict[Expr, Read]:
        """A read that stands for each expression that is known."""
        return {each: read(f"mark {at}", (), each.dtype) for at, each in enumerate(self.known)}

    def reading(self, name: str, dtype: str) -> Known:
        """How to read what each column has in a private buffer."""
        return lambda places: read(name, (places.get(SLOT, _ZERO),), dtype)

    def column_at(self, slot: Expr) -> Expr:
        """Which column is in this slot: behind the last, the last one again."""
        if self.chunks is None:
            return slot
        assert self.column is not None
        there = call("add", call("mul", position("chunk"), self.count), slot)
        return call("minimum", there, call("sub", self.given.size(self.column), 1))

    def over_columns(self, places: Places, inside: Callable[[Places], list[Statement]]) -> list[Statement]:
        """The statements `inside` for each of the columns."""
        if self.column is None:
            return inside({**places, SLOT: _ZERO})
        slot, column = self.fresh("slot"), self.fresh("column")
        here = {**places, SLOT: position(slot), self.column: position(column)}
        return [self._repeated(slot, self.count, (Let(column, self.column_at(position(slot))), *inside(here)))]

    def of_columns(
        self, totals: Sequence[Accumulator], made: Callable[[Accumulator], list[Statement]]
    ) -> list[Statement]:
        """What is `made` for each result of each of the totals."""
        found: list[Statement] = []
        for one in totals:
            if one.count == 1:
                found += made(one)
            else:
                slot = self.fresh("slot")
                body = tuple(made(one.at(position(slot))))
                if body:
                    found.append(Loop(slot, number(one.count, INDEX_DTYPE), "unrolled", body))
        return found

    # --- what is computed first -------------------------------------------------------------------------------------

    def hoisted(self, roots: Sequence[Expr], over: Sequence[str], places: Places) -> list[Statement]:
        """Statements for what the roots need that no index of `over` decides."""
        order, depends = frozenset(self.stage.order), self.stage.depends
        nodes = [*self.unknown(roots)]
        outer = {node for node in nodes if _reads(node) and depends(node) <= order and not isinstance(node, Reduce)}
        needed = {*roots, *(child for node in nodes if node not in outer for child in node.children)}
        wanted: list[tuple[Expr, tuple[str, ...]]] = []
        for node in nodes:
            if node in outer:
                wanted += [(node, ())] if node in needed else []
            elif isinstance(node, Read) and depends(node).isdisjoint(over) and not _searches(node):
                wanted.append((node, tuple(sorted(depends(node) - order))))
        found: list[Statement] = []
        known: dict[Expr, Known] = {}
        for node, deeper in wanted:
            room = self.room(deeper)
            if room is not None and node.dtype != INDEX_DTYPE:
                statements, reading = self._kept(node, deeper, room, places)
                found += statements
                known[node] = reading
        self.known.update(known)
        return found

    def _kept(self, node: Expr, deeper: tuple[str, ...], room: int, places: Places) -> tuple[list[Statement], Known]:
        """The statements that compute a node for all values of some indices, and how to read it."""
        has_columns = self.column in self.stage.depends(node)
        columns = self.count if has_columns else 1
        name = self.private("kept", node.dtype, room * columns)

        def at(here: Places) -> Expr:
            found: Expr = _ZERO
            for index in deeper:
                found = call("add", call("mul", found, self._bound(index) or 1), here[index])
            return call("add", call("mul", found, columns), here.get(SLOT, _ZERO)) if has_columns else found

        def inside(here: Places) -> list[Statement]:
            return self.along(deeper, here, lambda there: [Store(name, at(there), self.expr(node, there))])

        statements = self.over_columns(places, inside) if has_columns else inside(places)
        return statements, lambda here: read(name, (at(here),), node.dtype)

    def settled(self, roots: Sequence[Expr], ready: frozenset[str], places: Places) -> list[Statement]:
        """Statements for the reductions inside of the roots, and for what is used more than once, that depend on
        indices alone that are `ready`."""
        found: list[Statement] = []
        nodes = [*self.unknown(roots)]
        uses = self._uses(roots, nodes, ready)
        for node in nodes:
            if not self.stage.depends(node) <= ready:
                continue
            if isinstance(node, Reduce):
                found += self.reduced(node, ready, places)
            elif (
                uses.get(node, 0) > 1 and isinstance(node, (Apply, Read)) and node.dtype != INDEX_DTYPE and _reads(node)
            ):
                name = self.private("value", node.dtype, 1)
                found.append(Store(name, _ZERO, self.expr(node, places)))
                self.known[node] = lambda here, name=name, dtype=node.dtype: read(name, (_ZERO,), dtype)  # type: ignore[misc]
        return found

    def _uses(self, roots: Sequence[Expr], nodes: Sequence[Expr], ready: frozenset[str]) -> dict[Expr, int]:
        """How often each node is computed if nothing is kept: what is not ready is computed again and again."""
        found: dict[Expr, int] = {}
        for node in nodes:
            is_once = self.stage.depends(node) <= ready and not isinstance(node, Reduce)
            for child in node.children:
                found[child] = found.get(child, 0) + (1 if is_once else 2)
        for node in roots:
            found[node] = found.get(node, 0) + 1
        return found

    def reduced(self, node: Reduce, ready: frozenset[str], places: Places) -> list[Statement]:
        """Statements for one reduction, term by term; then it is known."""
        short = self.stage.extent(*node.over) <= BLOCK
        total = accumulator(node, self.fresh, not short)
        self.buffers += total.buffers
        inside = ready | set(node.over)
        outside = dict(self.known)

        def taken(there: Places) -> list[Statement]:
            self.known = dict(outside)
            place = flattened(there, node.over, self.given)
            statements = self.settled([node.body], inside, there)
            return [*statements, *total.take(self.expr(node.body, there), place)]

        loops = self.along(node.over, places, taken) if short else self._in_runs(node.over, places, total, taken)
        self.known = {**outside, node: lambda here: total.parts()[-1]}
        return [*total.start(), *loops]

    def along(
        self, indices: Sequence[str], places: Places, inside: Callable[[Places], list[Statement]]
    ) -> list[Statement]:
        """The statements `inside` for all values of these indices; where they are few, written out."""
        if not indices:
            return inside(places)
        index, *rest = indices
        name = self.fresh("along")
        extent, bound = self.given.size(index), self._bound(index)
        body = tuple(self.along(rest, {**places, index: position(name)}, inside))
        limits = self.stage.target.pairs
        if bound is not None and bound <= limits.columns_at_once:
            return [self._repeated(name, bound, body)]
        if bound is not None and bound <= limits.unrolled and bound * written(body) <= limits.written:
            return [self._repeated(name, bound, (If(call("lt", position(name), extent), body),))]
        return [Loop(name, extent, "serial", body)]

    def _repeated(self, index: str, times: int, body: tuple[Statement, ...]) -> Loop:
        """The statements so often: written out, unless that would be too many."""
        few = times * written(body) <= self.stage.target.pairs.written
        return Loop(index, number(times, INDEX_DTYPE), "unrolled" if few else "serial", body)

    def _in_runs(
        self, over: Sequence[str], places: Places, total: Accumulator, inside: Callable[[Places], list[Statement]]
    ) -> list[Statement]:
        """All values of these indices, the last one in runs of a block."""
        *outer, last = over
        run, step, at = self.fresh("run"), self.fresh("step"), self.fresh("along")
        extent = self.given.size(last)

        def runs(there: Places) -> list[Statement]:
            start = call("mul", position(run), BLOCK)
            body = (Let(at, call("add", start, position(step))), *inside({**there, last: position(at)}))
            return [
                Loop(run, call("floor_div", call("add", extent, BLOCK - 1), BLOCK), "serial", (
                    *total.enter(),
                    Loop(step, call("minimum", BLOCK, call("sub", extent, start)), "serial", body),
                    *total.leave(),
                )),
            ]  # fmt: skip

        return self.along(outer, places, runs)


def written(body: Iterable[Statement]) -> int:
    """How many statements these are with all of their unrolled loops written out."""
    found = 0
    for each in body:
        inside = written(each.body) if isinstance(each, (If, Loop)) else 0
        if isinstance(each, Loop) and each.kind == "unrolled" and isinstance(each.extent, Number):
            inside *= int(each.extent.value)
        found += 1 + inside
    return found


def _reads(node: Expr) -> bool:
    return any(isinstance(each, (Read, Reduce)) for each in subexpressions(node))


def _searches(node: Expr) -> bool:
    return any(isinstance(each, Reduce) for each in subexpressions(node))
