"""The inputs of a function that is differentiated: nodes of their own, so that gradients can be asked for them.

What is no number in a tree of them stays as it is.
"""

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
from netcl.core.arguments import is_foreign_array


def staying(leaves: Sequence[Any], places: Sequence[str]) -> set[int]:
    """Return which leaves stay as they are, by number: what is no number inside a tree, and a whole number that is a
    field of a class."""
    return {
        at
        for at, (leaf, place) in enumerate(zip(leaves, places, strict=True))
        if (is_inside(place) and stays(leaf)) or (_is_field(place) and isinstance(leaf, int))
    }


def stays(leaf: Any) -> bool:
    """Whether a leaf is nothing that could be computed with: a text, a flag, a function, an object."""
    is_number = hasattr(leaf, "__add__") and not isinstance(leaf, (str, bytes, bool, type))
    return not is_number and not is_foreign_array(leaf)


def is_inside(place: str) -> bool:
    """Whether a place, as `trees` writes it, is inside a container: "argument 0['w']", "argument 0.w"."""
    return place.endswith("]") or _is_field(place)


def _is_field(place: str) -> bool:
    return "." in place and not place.endswith("]")


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
