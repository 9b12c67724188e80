"""Reductions inside of larger loops, which would compute them again and again: the largest expression around one that
is not larger itself becomes a temporary. Reductions over the same indices, with rows enough to share out, stay in one
stage with what uses them, as in softmax.
"""

from __future__ import annotations

from netcl.kernels.compiler.ir import Expr, Reduce, rebuild, root, unknown
from netcl.kernels.compiler.lower.loop_cost import Cost
from netcl.kernels.compiler.lower.stages.temporaries import Temporaries
from netcl.kernels.compiler.lower.stages.visits import around_reduces, costs, once, over_children


class Nested:
    def __init__(self, cost: Cost, temporaries: Temporaries) -> None:
        self.cost = cost
        self.temporaries = temporaries
        self.visited: dict[object, Expr] = {}
        self._tops: dict[Expr, frozenset[Reduce]] = {}

    @once
    def replaced(self, node: Expr, around: frozenset[str], chosen: bool, order: tuple[str, ...]) -> Expr:
        """`node`, with what a loop over `around` would compute repeatedly read from temporaries."""
        if not self.cost.reduces(node):
            return node
        if isinstance(node, Reduce) and self.cost.apart(node):
            return self.temporaries.of(node, chosen, order)
        if isinstance(node, Reduce) and node.free == around:
            if self.shared_out(node, around) or not self.cost.reduces(node.body) or self._all_small(node):
                return self.within(node, around, chosen, order)
        elif not self._larger(node) and node.free != around:
            return self.temporaries.of(node, chosen, order)
        if isinstance(node, Reduce):
            return self.within(node, around, chosen, order)
        return over_children(node, self.replaced, around, chosen, order)

    def within(self, node: Reduce, around: frozenset[str], chosen: bool, order: tuple[str, ...]) -> Expr:
        """A Reduce whose own loops stay here: what is nested in them may need temporaries."""
        inside = list(self.cost.reduces(node.body))
        if not inside:
            return node
        alike = all(inner.free == around and inner.over == node.over for inner in inside)
        if alike and self.shared_out(node, around) and not self.cost.apart(node):
            return node
        body = self._nested(node.body, chosen, (*order, *node.over))
        return rebuild(node, (body,))

    def shared_out(self, node: Reduce, around: frozenset[str]) -> bool:
        is_enough = self.cost.extent(around) >= self.cost.target.stages.rows
        return is_enough and not self.cost.tall(node, frozenset(map(root, node.over)))

    @once
    def _nested(self, node: Expr, chosen: bool, order: tuple[str, ...]) -> Expr:
        if not self.cost.reduces(node):
            return node
        if not self._larger(node) or (isinstance(node, Reduce) and self.cost.apart(node)):
            return self.temporaries.of(node, chosen, order)
        if isinstance(node, Reduce):
            return rebuild(node, (self._nested(node.body, chosen, (*order, *node.over)),))
        return over_children(node, lambda child, _, *more: self._nested(child, *more), frozenset(), chosen, order)

    def spreads(self, node: Expr) -> bool:
        """Whether `node` has more elements than its reductions, and next to nothing is computed for each of them."""
        return self._larger(node) and not any(costs(each) and self._spread(each) for each in around_reduces(node))

    def _spread(self, node: Expr) -> bool:
        return not self.cost.reduces(node) or self._larger(node)

    def _larger(self, node: Expr) -> bool:
        """Whether a temporary for `node` would be larger than what its outermost reductions give."""
        return self.cost.extent(node.free) > max(self.cost.extent(each.free) for each in self._outermost(node))

    def _outermost(self, node: Expr) -> frozenset[Reduce]:
        """The reductions in `node` that are in none of the others."""
        for each in unknown(self._tops, node):
            self._tops[each] = self._on_top(each)
        return self._tops[node]

    def _on_top(self, node: Expr) -> frozenset[Reduce]:
        """As `_outermost`, which the children of `node` were asked before."""
        if isinstance(node, Reduce):
            return frozenset((node,))
        found = frozenset[Reduce]().union(*(self._tops[child] for child in node.children))
        if len(found) < 2:
            return found
        return found.difference(*(self.cost.reduces(each.body) for each in found))

    def _all_small(self, node: Reduce) -> bool:
        return self.cost.steps(node, tuple(node.free)) <= self.cost.target.stages.steps
