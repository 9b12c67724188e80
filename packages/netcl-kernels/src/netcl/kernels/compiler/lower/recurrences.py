"""Taking recurrences apart: each state becomes a tensor, an output or a temporary, which its own equation reads.

Input: the outputs of a formula. Output: outputs without a Recurrence; before them the states, and which of these are
computed together, step by step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from netcl.kernels.compiler.ir import (
    Expr,
    Operand,
    Output,
    Read,
    Recurrence,
    position,
    read,
    state_name,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import rebuilt
from netcl.kernels.compiler.ir.recurrences import Order, order_of

_System = tuple[int, tuple[Expr, ...]]


@dataclass(frozen=True)
class Together:
    """The names of states that are computed together, in the order in which each step does, and the order of steps."""

    names: tuple[str, ...]
    order: Order


def separated(outputs: Sequence[Output]) -> tuple[list[Output], list[Operand], list[Together]]:
    """The outputs and states; the states that are temporaries; the systems."""
    if not any(isinstance(node, Recurrence) for node in subexpressions(*(output.expr for output in outputs))):
        return list(outputs), [], []
    return _Separator(outputs).separated()


class _Separator:
    def __init__(self, outputs: Sequence[Output]) -> None:
        self.outputs = outputs
        self.states: dict[_System, list[Output]] = {}
        self.temporaries: list[Operand] = []
        self.systems: list[Together] = []
        self._memo: dict[Expr, Expr] = {}

    def separated(self) -> tuple[list[Output], list[Operand], list[Together]]:
        found: dict[str, Output] = {}
        for node in subexpressions(*(output.expr for output in self.outputs)):
            if isinstance(node, Recurrence) and (node.label, node.bodies) not in self.states:
                self._add(node)
        for states in self.states.values():
            found.update({state.name: state for state in states})
        for output in self.outputs:
            found.setdefault(output.name, replace(output, expr=self._without(output.expr)))
        return list(found.values()), self.temporaries, self.systems

    def _add(self, node: Recurrence) -> None:
        """The tensors of a system. Those of the systems in its equations are known already."""
        states = [self._tensor(node, which) for which in range(len(node.axes))]
        self.states[node.label, node.bodies] = states
        own = {state_name(node.label, which): which for which in range(len(node.axes))}
        memo: dict[Expr, Expr] = {}
        for which, body in enumerate(node.bodies):
            for each in subexpressions(body):
                if each not in memo:
                    memo[each] = self._visit(each, tuple(memo[child] for child in each.children), own, node)
            states[which] = replace(states[which], expr=memo[body])
        order = order_of(node)
        self.systems.append(Together(tuple(states[which].name for which in order.states), order))

    def _tensor(self, node: Recurrence, which: int) -> Output:
        indices = node.axes[which]
        for output in self.outputs:
            expr = output.expr
            if (
                isinstance(expr, Recurrence)
                and (expr.label, expr.bodies, expr.which) == (node.label, node.bodies, which)
                and expr.at == tuple(map(position, node.axes[which]))
                and {*indices} == {*output.indices}
            ):
                return output
        axes = tuple((index,) for index in indices)
        self.temporaries.append(Operand(f"state.{len(self.temporaries) + 1}", node.bodies[which].dtype, axes))
        return Output(self.temporaries[-1].name, node.bodies[which], axes)

    def _without(self, expr: Expr) -> Expr:
        for each in subexpressions(expr):
            if each not in self._memo:
                self._memo[each] = self._visit(each, tuple(self._memo[child] for child in each.children))
        return self._memo[expr]

    def _visit(
        self,
        node: Expr,
        children: tuple[Expr, ...],
        own: dict[str, int] | None = None,
        inside: Recurrence | None = None,
    ) -> Expr:
        if isinstance(node, Recurrence):
            return self._element(node, node.which, children[: len(node.at)])
        if isinstance(node, Read) and own and inside is not None and node.operand in own:
            return self._element(inside, own[node.operand], children)
        return rebuilt(node, children)

    def _element(self, node: Recurrence, which: int, at: Iterable[Expr]) -> Expr:
        """An element of a state at these positions."""
        state = self.states[node.label, node.bodies][which]
        places = dict(zip(node.axes[which], at, strict=True))
        return read(state.name, tuple(places[index] for index in state.indices), node.bodies[which].dtype)
