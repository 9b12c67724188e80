"""Under which conditions each part of an expression is evaluated.

    paths           for each node the ways to it, each as the conditions that hold together on it, outermost first
    on_every_way    what holds on all of these
    one_of_paths    that one of these ways is taken
    evaluated_with  what is evaluated where a node is

Input: expressions. A branch of a select is evaluated where its condition holds, or does not; what is shared has several
ways to it. A way that says less than another one makes it needless, and two that differ in one condition and its
opposite are one way without it: derivatives ask the same in many orders, and what is left of them stays small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce

from netcl.kernels.compiler.ir.choices import conjuncts
from netcl.kernels.compiler.ir.logic import chain, is_read_elsewhere, negated
from netcl.kernels.compiler.ir.nodes import Apply, Enclosed, Expr, Materialised, Number, Scan, binds, subexpressions

Path = tuple[Expr, ...]

_MOST_PATHS = 64
"""Of more ways than these only what they have in common is kept: the node counts as evaluated wherever that holds."""


def paths(*roots: Expr) -> Mapping[Expr, Sequence[Path]]:
    """The ways to each node that is evaluated, parents before children."""
    conditions = _Conditions()
    found: dict[Expr, dict[int, Path]] = {root: {0: ()} for root in roots}
    result: dict[Expr, Sequence[Path]] = {}
    for node in reversed([*subexpressions(*roots)]):
        ways = conditions.fewest(found.pop(node, {}))
        if not ways:
            continue
        result[node] = tuple(ways.values())
        for child, more, bound in _evaluated(node):
            below = found.setdefault(child, {})
            for mask, path in conditions.longer(ways, more, bound):
                below.setdefault(mask, path)
    return result


def on_every_way(ways: Sequence[Path]) -> list[Expr]:
    """The conditions that hold whichever of these ways is taken."""
    return [each for each in ways[0] if all(each in way for way in ways[1:])]


def one_of_paths(ways: Sequence[Path]) -> Expr:
    """The condition that one of these ways is taken; what all of them ask is asked once, and first, unless it reads
    what may be there only where more is known."""
    ways = _Conditions().fewest_of(ways)
    common = [each for each in on_every_way(ways) if len(ways) == 1 or not is_read_elsewhere(each)]
    rests = [chain("and", [each for each in way if each not in common]) for way in ways]
    return chain("and", [*common, *(() if any(isinstance(each, Number) for each in rests) else [chain("or", rests)])])


def evaluated_with(node: Expr) -> tuple[Expr, ...]:
    """What is evaluated where a node is, a select aside. A table has a value everywhere, whoever asks: outside of an
    operand it is 0."""
    return node.at if isinstance(node, Materialised) else node.children


def _evaluated(node: Expr) -> Iterator[tuple[Expr, Path, tuple[str, ...]]]:
    """What is evaluated where a node is, the conditions for that, and the indices that mean something else there."""
    if isinstance(node, Apply) and node.function == "select":
        condition, first, second = node.children
        yield condition, (), ()
        yield first, conjuncts(condition), ()
        yield second, (negated(condition),), ()
        return
    outside = len(node.at) if isinstance(node, Enclosed) else isinstance(node, Scan)
    for at, child in enumerate(evaluated_with(node)):
        yield child, (), () if at < outside else binds(node)


class _Conditions:
    """A path as a set of bits: two for each condition, one of them for its opposite."""

    def __init__(self) -> None:
        self._bits: dict[Expr, int] = {}

    def fewest_of(self, ways: Sequence[Path]) -> Sequence[Path]:
        return tuple(self.fewest({sum(map(self._bit, dict.fromkeys(way))): way for way in ways}).values())

    def longer(self, ways: Mapping[int, Path], more: Path, bound: Iterable[str]) -> Iterator[tuple[int, Path]]:
        """Each path with some conditions more, without those on indices that mean something else from here on."""
        for mask, path in ways.items():
            for each in path if bound else ():
                if not each.free.isdisjoint(bound):
                    mask &= ~self._bit(each)
                    path = tuple(other for other in path if other is not each)
            for each in more:
                if not mask & self._bit(each):
                    mask |= self._bit(each)
                    path = (*path, each)
            if not _contradicts_itself(mask):
                yield mask, path

    def fewest(self, ways: Mapping[int, Path]) -> Mapping[int, Path]:
        """As few paths as say the same."""
        kept: dict[int, Path] = {}
        waiting = [*ways.items()][::-1]
        while waiting:
            mask, path = waiting.pop()
            if any(mask & other == other for other in kept):
                continue
            for other in kept:
                if _differ_in_an_opposite(mask, other):
                    del kept[other]
                    less = mask & other
                    waiting.append((less, tuple(each for each in path if self._bit(each) & less)))
                    break
            else:
                kept = {other: it for other, it in kept.items() if mask & other != mask}
                kept[mask] = path
        if len(kept) > _MOST_PATHS:
            common = reduce(lambda one, other: one & other, kept)
            kept = {common: tuple(each for each in next(iter(kept.values())) if self._bit(each) & common)}
        return kept

    def _bit(self, condition: Expr) -> int:
        if condition not in self._bits:
            self._bits[condition] = 1 << 2 * (len(self._bits) // 2)
            self._bits[negated(condition)] = self._bits[condition] << 1
        return self._bits[condition]


def _differ_in_an_opposite(one: int, other: int) -> bool:
    apart = one ^ other
    low = apart & -apart
    return apart == low | low << 1 and low.bit_length() % 2 == 1


def _contradicts_itself(mask: int) -> bool:
    return bool(mask & mask >> 1 & _every_other(mask.bit_length()))


def _every_other(length: int) -> int:
    """Ones at the even places."""
    return int("01" * (length // 2 + 1), 2)
