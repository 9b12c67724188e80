"""The inputs of a function that is differentiated: nodes of their own, so that gradients can be asked for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from netcl.autograd.engine.accumulation import same_tangent
from netcl.autograd.graph.apply import apply_op
from netcl.autograd.graph.levels import tangents_of
from netcl.autograd.graph.node import Node
from netcl.autograd.graph.record import Accumulator
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.programs.trace_nodes import TraceNode
from netcl.autograd.programs.tracer import another_node
from netcl.autograd.transforms.batched import for_every_call


def fresh(value: Any) -> Any:
    """Return a node of its own for a value, joined to its graph if it has one; inside a vmap, one for each call."""
    return for_every_call(own_node, value)


def own_node(value: Any) -> Node:
    """Return a node of its own for a value, joined to its graph if it has one."""
    if isinstance(value, Node) and value.requires_grad and LOCAL.state.tracer is None:
        made: Node = apply_op(_same, _same_gradient, value, op_name="input", saves=(), jvp=same_tangent, abstract=_form)
        return made
    if LOCAL.state.tracer is not None and hasattr(value, "queue"):
        node: Node = another_node(value)
    else:
        node = Node(value.value if isinstance(value, Node) else value, True)
    node._tangents = tuple(tangents_of(value).items()) or None
    return node


def end(items: Sequence[Any]) -> None:
    """Say that no gradient for these nodes, which `fresh` has made, will be asked for any more."""
    for item in items:
        if isinstance(item, TraceNode):
            item.itself.ended = True
            continue
        edge = item._edge if isinstance(item, Node) else None
        if edge is not None and isinstance(edge[0], Accumulator):
            edge[0].forget()


def _same(value: Any) -> Any:
    return value


def _form(value: Any) -> Any:
    return value.shape, value.dtype


def _same_gradient(saved: Any, needs: Any, dy: Any) -> list[Any]:
    return [dy]
