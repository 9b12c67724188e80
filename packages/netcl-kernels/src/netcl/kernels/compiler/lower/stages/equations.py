"""The equations of states, which are computed step by step: what is the same in every step has been computed before."""

from __future__ import annotations

from collections.abc import Sequence

from netcl.kernels.compiler.ir import Expr, Position, Read, Reduce, subexpressions
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.lower import recurrences
from netcl.kernels.compiler.lower.loop_cost import Cost
from netcl.kernels.compiler.lower.operand_packing import without_guards
from netcl.kernels.compiler.lower.stages.nested import Nested
from netcl.kernels.compiler.lower.stages.tables import reads_any
from netcl.kernels.compiler.lower.stages.temporaries import Temporaries
from netcl.kernels.compiler.lower.stages.visits import costs, once, over_children


class Equations:
    def __init__(self, cost: Cost, temporaries: Temporaries, nested: Nested) -> None:
        self.cost = cost
        self.temporaries = temporaries
        self.nested = nested
        self.visited: dict[object, Expr] = {}

    def settled(self, expr: Expr, system: recurrences.Together, indices: tuple[str, ...]) -> Expr:
        """The equation of a state over these indices."""
        expr = without_guards(expr, Numbers(self.cost.sizes, {}))
        expr = self._beside_states(expr, system.names, False, indices)
        expr = self._before_steps(expr, system, indices)
        return self._in_lanes(expr, system, indices[-1]) if indices else expr

    @once
    def _beside_states(
        self, node: Expr, states: Sequence[str], chosen: bool, order: tuple[str, ...], inside: bool = False
    ) -> Expr:
        """An equation, with temporaries for the reductions in it that read no state; `inside` of a reduction that does,
        for all that is computed from these as well."""
        if not self.cost.reduces(node):
            return node
        if (inside or isinstance(node, Reduce)) and not reads_any(node, states) and not self.nested.spreads(node):
            return self.temporaries.of(node, chosen, order)
        if isinstance(node, Reduce):
            inside, order = True, (*order, *node.over)

        def visit(child: Expr, _: frozenset[str], chosen: bool, order: tuple[str, ...]) -> Expr:
            return self._beside_states(child, states, chosen, order, inside)

        return over_children(node, visit, frozenset(), chosen, order)

    def _before_steps(self, expr: Expr, system: recurrences.Together, indices: tuple[str, ...]) -> Expr:
        """An equation, with temporaries for what is the same in every step and costs more than a read."""
        order, nodes = system.order, list(subexpressions(expr))
        if self.cost.extent(order.along) < self.cost.target.stages.copied:
            return expr
        over = (index for each in nodes if isinstance(each, Reduce) for index in each.over)
        every, costly, moving = (*indices, *over), set[Expr](), set[Expr]()
        for node in nodes:
            if costs(node) or not costly.isdisjoint(node.children):
                costly.add(node)
            if (isinstance(node, Read) and node.operand in system.names) or not moving.isdisjoint(node.children):
                moving.add(node)
        found: dict[Expr, Expr] = {}
        waiting, seen = [expr], set[Expr]()
        while waiting:
            node = waiting.pop()
            if node in seen or node not in costly:
                continue
            seen.add(node)
            is_fixed = node not in moving and node.free.isdisjoint(order.along)
            if is_fixed and not node.free <= {*order.apart}:
                found[node] = self.temporaries.of(node, True, every)
            else:
                waiting += node.children
        return replace_nodes(expr, found) if found else expr

    def _in_lanes(self, expr: Expr, system: recurrences.Together, lane: str) -> Expr:
        """An equation in which what reductions read in every step, as weights, lies along the last index of the
        state."""
        order = system.order
        if lane in order.along or self.cost.extent(order.along) < self.cost.target.stages.copied:
            return expr
        found: dict[Expr, Expr] = {}
        reduces = [node for node in subexpressions(expr) if isinstance(node, Reduce)]
        for each in subexpressions(*(node.body for node in reduces)):
            if not isinstance(each, Read) or each.operand in system.names:
                continue
            places = [at.index for at in each.at if isinstance(at, Position)]
            fixed = len(places) > 1 and len(places) == len(each.children) and len(set(places)) == len(places)
            if fixed and lane in places[:-1] and each.free.isdisjoint((*order.along, *order.apart)):
                indices = (*(index for index in places if index != lane), lane)
                found[each] = self.temporaries.of(each, False, indices)
        return replace_nodes(expr, found) if found else expr
