"""Gradients inside a function that is being traced: the ops that were written down are gone through backwards, and what
their rules call is written down behind them.

A trace is a list in the order of the calls, so there is no graph to be sorted, and nothing is run. What the engine does
beside that (hooks, saved-value checks, threads, freeing) has nothing to do here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from netcl.autograd.graph.levels import carried, tangents_of
from netcl.autograd.graph.modes import set_grad_enabled
from netcl.autograd.graph.node import Node
from netcl.autograd.programs.trace_nodes import TracedOp, TraceNode
from netcl.autograd.programs.tracer import Trace
from netcl.autograd.transforms.batched import Batched
from netcl.core.errors import GraphError


def gradients(trace: Trace, roots: Sequence[tuple[Any, Any]], wanted: Sequence[Node], create_graph: bool) -> list[Any]:
    """The gradient for each of `wanted`, or None where nothing arrived. `roots` are nodes, each with its gradient."""
    wanted = [_itself(trace.inside(node)) for node in wanted]
    walk = _Walk(wanted)
    ops = list(trace.ops)
    if any(not isinstance(node, TraceNode) for node in wanted):
        _refuse_history(ops, wanted)
    for op in ops:
        walk.reach(op)
    with set_grad_enabled(create_graph):
        for node, seed in roots:
            walk.add(node, seed)
        for op in reversed(ops):
            walk.back(op)
    return [walk.arrived.get(id(node)) for node in wanted]


def reaches_beyond(outputs: Sequence[Any], leaves: Sequence[Any]) -> bool:
    """Whether outputs or their tangents depend on something that requires a gradient, other than these leaves and those
    that have ended."""
    own = {id(_itself(leaf)) for leaf in leaves}
    seen: set[int] = set()
    stack = [*outputs]
    while stack:
        item = stack.pop()
        stack += tangents_of(item).values()
        node = _itself(item)
        if not isinstance(node, Node) or not node.requires_grad or id(node) in seen:
            continue
        seen.add(id(node))
        if id(node) in own or getattr(node, "ended", False):
            stack.append(getattr(node, "same", None))
        elif isinstance(node, TraceNode) and node.op is not None:
            stack += node.op.inputs
        else:
            return True
    return False


def _refuse_history(ops: Sequence[TracedOp], wanted: Sequence[Node]) -> None:
    """A gradient for a node from outside may come by way of another one from there: of what led to that there is no
    trace."""
    own = set(map(id, wanted))
    for op in ops:
        for node in op.inputs:
            if isinstance(node, Node) and not isinstance(node, TraceNode) and node.grad_fn and id(node) not in own:
                raise GraphError(
                    f"grad: {op.name} reads the result of {node.op_name}, which was computed outside of the traced "
                    "function, and what that depends on is not known here; compute it inside, or ask for its gradient"
                )


class _Walk:
    """What has arrived where on the way back."""

    def __init__(self, wanted: Sequence[Node]) -> None:
        self._wanted = {id(node) for node in wanted}
        self._reached = set(self._wanted)  # what depends on them, too
        self.arrived: dict[int, Any] = {}

    def reach(self, op: TracedOp) -> None:
        """Note what an op makes of something wanted."""
        if any(map(self._depends, op.inputs)):
            self._reached |= {id(node) for node in op.outputs if node.requires_grad}

    def add(self, node: Any, gradient: Any) -> None:
        """Let a gradient arrive at a node, and at what that is the value of."""
        while isinstance(node, Node) and node.requires_grad:
            node = _itself(node)
            if id(node) in self._reached:
                held = self.arrived.get(id(node))
                self.arrived[id(node)] = gradient if held is None else _sum(held, gradient)
            node = getattr(node, "same", None)

    def back(self, op: TracedOp) -> None:
        """Take what arrived at the results of an op to its inputs."""
        came = [self.arrived.get(id(node)) for node in op.outputs]
        needs = tuple(map(self._depends, op.inputs))
        if True not in needs or all(each is None for each in came):
            return
        if op.grad_fn is None or op.saves is None:
            raise GraphError(
                f"{op.name}: its rule is a function of its own, which cannot be traced; take the gradient outside of "
                "the function, or declare the op with kernels.compile"
            )
        saved = [op.inputs[at] if kind == "input" else op.outputs[at] for kind, at in op.saves]
        found = op.grad_fn(tuple(carried(op, saved, op.saves)), needs, *came)
        for node, gradient in zip(op.inputs, found, strict=True):
            if gradient is not None:
                self.add(node, gradient)
        for node in op.outputs:
            if id(node) not in self._wanted:
                self.arrived.pop(id(node), None)

    def _depends(self, node: Any) -> bool:
        while isinstance(node, Node) and node.requires_grad:
            node = _itself(node)
            if id(node) in self._reached:
                return True
            node = getattr(node, "same", None)
        return False


def _itself(node: Any) -> Any:
    """What stands for all handles of a node, and for what the calls of a vmap see of it."""
    while isinstance(node, Batched):
        node = node.physical
    return node.itself if isinstance(node, TraceNode) else node


def _sum(first: Any, second: Any) -> Any:
    return first + second if isinstance(first, Node) else second + first
