"""Reductions over pairs, in a form that needs no table of all pairs, and temporaries for what they share."""

from __future__ import annotations

from netcl.kernels.compiler.ir import Expr, Reduce, rebuild, reduce, root
from netcl.kernels.compiler.lower.loop_cost import Cost
from netcl.kernels.compiler.lower.pairs import Pairs, inner_reduces
from netcl.kernels.compiler.lower.stages.nested import Nested
from netcl.kernels.compiler.lower.stages.temporaries import Temporaries
from netcl.kernels.compiler.lower.stages.visits import once, over_children


class BesidePairs:
    def __init__(self, cost: Cost, temporaries: Temporaries, nested: Nested) -> None:
        self.cost = cost
        self.temporaries = temporaries
        self.nested = nested
        self.visited: dict[object, Expr] = {}

    @once
    def replaced(self, node: Expr, around: frozenset[str], chosen: bool, order: tuple[str, ...]) -> Expr:
        """`node`, with its reductions over pairs in a form that needs no table, and temporaries for what they share."""
        if not any(self.cost.pairs(each) for each in self.cost.reduces(node)):
            return self.nested.replaced(node, around, chosen, order)
        if not isinstance(node, Reduce):
            return over_children(node, self.replaced, around, chosen, order)
        found = self.cost.pairs(node)
        if found is None:
            return self.nested.replaced(node, around, chosen, order)
        if self.cost.extent(around - node.free) > self.cost.target.pairs.columns:
            return self.temporaries.of(node, chosen, order)
        if not found.rows and len(found.long) > 1 and not node.kind.startswith("arg"):
            return self._row_by_row(node, found, chosen, order)
        body = self._alone(node, chosen, (*order, *node.over))
        if found.short and not node.kind.startswith("arg"):
            return reduce(node.kind, found.long, reduce(node.kind, found.short, body))
        return rebuild(node, (body,))

    def _row_by_row(self, node: Reduce, found: Pairs, chosen: bool, order: tuple[str, ...]) -> Expr:
        """A reduction of all pairs, as one of what each row comes to."""
        row = max(found.long, key=lambda index: self.cost.sizes[root(index)])
        rest = tuple(index for index in node.over if index != row)
        part = self.temporaries.of(reduce(node.kind, rest, node.body), chosen, (*order, row))
        return reduce(node.kind, (row,), part)

    def _alone(self, node: Reduce, chosen: bool, order: tuple[str, ...]) -> Expr:
        """The body of a reduction over pairs, with temporaries for the reductions that are of one side only."""
        inside = {each for each in inner_reduces(node) if not each.free <= frozenset(node.over)}

        def replaced(each: Expr, chosen: bool, order: tuple[str, ...]) -> Expr:
            if not self.cost.reduces(each):
                return each
            if isinstance(each, Reduce):
                if each not in inside:
                    return self.temporaries.of(each, chosen, order)
                return rebuild(each, (replaced(each.body, chosen, (*order, *each.over)),))
            return over_children(each, lambda child, _, *more: replaced(child, *more), frozenset(), chosen, order)

        return replaced(node.body, chosen, order)
