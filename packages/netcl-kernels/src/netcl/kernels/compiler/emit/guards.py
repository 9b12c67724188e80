"""Which reads a `select` protects, and by what condition.

A read is protected when every way to it from an output passes a branch of a select. Its condition is then the "or"
over the ways of the "and" of the branch conditions on the way. A read whose positions are plain indices is always in
range and needs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from netcl.kernels.compiler.ir import Apply, Expr, Read, Reduce, apply, subexpressions
from netcl.kernels.compiler.kernel import Access

Way = frozenset[tuple[Expr, bool]]
Ways = frozenset[Way]
_ALWAYS: Ways = frozenset((frozenset(),))


class Guards:
    """The conditions of the reads below `roots`, and on which indices a value then depends."""

    def __init__(self, roots: Sequence[Expr], accesses: Mapping[str, Access], blocked: str | None = None) -> None:
        self._blocked = blocked
        order = list(subexpressions(*roots))
        reads = [node for node in order if isinstance(node, Read) and needs_guard(node, accesses)]
        self._conditions: dict[Expr, Expr] = {}
        if reads:
            ways = _ways(roots, order)
            place = {node: at for at, node in enumerate(order)}
            for node in reads:
                if ways[node] != _ALWAYS:
                    self._conditions[node] = _condition(ways[node], place)
        self._depends: dict[Expr, frozenset[str]] = {}
        if self._conditions or blocked:
            for each in subexpressions(*order, *self._conditions.values()):
                self._note(each)

    def of(self, node: Read) -> Expr | None:
        """The condition under which this read may be done; None when it always may."""
        return self._conditions.get(node)

    def conditions(self) -> Iterable[Expr]:
        return self._conditions.values()

    def needs(self, node: Expr) -> tuple[Expr, ...]:
        """What is computed before a node: its children and, for a read, its condition."""
        condition = self._conditions.get(node)
        return node.children if condition is None else (*node.children, condition)

    def in_order(self, roots: Sequence[Expr]) -> Iterator[Expr]:
        """Every node below the roots and the conditions, behind all that it needs."""
        seen: set[Expr] = set()
        stack = [(node, False) for node in reversed(roots)]
        while stack:
            node, ready = stack.pop()
            if ready:
                yield node
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((each, False) for each in reversed(self.needs(node)) if each not in seen)

    def depends(self, node: Expr) -> frozenset[str]:
        """The free indices of a value, those of the conditions of its reads included, and the number of the block when
        it reduces one."""
        return self._depends.get(node, node.free)

    def _note(self, node: Expr) -> None:
        found = node.free
        for child in node.children:
            extra = self._depends.get(child)
            if extra is not None:
                found |= extra.difference(node.over) if isinstance(node, Reduce) else extra
        if isinstance(node, Reduce) and self._blocked in node.over:
            found |= {f"{self._blocked}#"}
        condition = self._conditions.get(node)
        if condition is not None:
            found |= condition.free
        if found != node.free:
            self._depends[node] = found


def needs_guard(node: Read, accesses: Mapping[str, Access]) -> bool:
    """Whether a position of this read could be out of range."""
    access = accesses.get(node.operand)
    return access is None or not access.always_inside


def _ways(roots: Sequence[Expr], order: list[Expr]) -> dict[Expr, Ways]:
    ways: dict[Expr, Ways] = dict.fromkeys(order, frozenset())
    for node in roots:
        ways[node] = _ALWAYS
    for node in reversed(order):
        mine = ways[node]
        for place, child in enumerate(node.children):
            arriving = mine
            if isinstance(node, Apply) and node.function == "select" and place:
                arriving = frozenset(way | {(node.children[0], place == 1)} for way in mine)
            if isinstance(node, Reduce):
                # a condition on an outer index of the same name says nothing about the bound one
                arriving = frozenset(
                    frozenset(term for term in way if term[0].free.isdisjoint(node.over)) for way in arriving
                )
            ways[child] = _joined(ways[child] | arriving)
    return ways


def _joined(ways: Ways) -> Ways:
    """Fewer ways that mean the same: `a or (a and b)` is a, `(a and b) or (not a and b)` is b."""
    while True:
        kept = {way for way in ways if not any(other < way for other in ways)}
        for way in kept:
            for term in way:
                twin = (way - {term}) | {(term[0], not term[1])}
                if twin in kept:
                    kept = (kept - {way, twin}) | {way - {term}}
                    break
            else:
                continue
            break
        else:
            return frozenset(kept)
        ways = frozenset(kept)


def _condition(ways: Ways, place: Mapping[Expr, int]) -> Expr:
    """One expression for the ways; `place` orders the terms."""
    alternatives = sorted(sorted((place[condition], holds, condition) for condition, holds in way) for way in ways)
    terms = [[each if holds else apply("not", (each,), "bool") for _, holds, each in way] for way in alternatives]
    return _chain("or", [_chain("and", way) for way in terms])


def _chain(function: str, terms: list[Expr]) -> Expr:
    result = terms[0]
    for term in terms[1:]:
        result = apply(function, (result, term), "bool")
    return result
