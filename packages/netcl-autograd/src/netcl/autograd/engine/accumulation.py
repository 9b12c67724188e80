"""Adding gradients: into one another on the way, and into the leaves at the end.

A gradient is only written in place when nobody else can see it (`values.is_alone`): a first one is taken over as it is,
a sum is made of two, and later ones are added into that sum. Under create_graph gradients are nodes, and their sums are
recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add
from typing import Any

from netcl.autograd.graph import values
from netcl.autograd.graph.apply import apply_op
from netcl.autograd.graph.levels import without_graph
from netcl.autograd.graph.node import Node
from netcl.autograd.graph.record import Accumulator
from netcl.autograd.transforms.batched import Batched

__all__ = ["accumulate", "graph_add", "merge", "owned", "same_tangent"]


def merge(box: list[Any], index: int, gradient: Any, create_graph: bool) -> None:
    """Add a gradient to the one in `box[index]`."""
    if create_graph or isinstance(gradient, Node) or isinstance(box[index], Node):
        box[index] = graph_add(box[index], gradient)
    elif values.is_alone(box, index):
        box[index] = values.add_into(box[index], gradient)
    else:
        box[index] = values.add(box[index], gradient)


def graph_add(first: Any, second: Any) -> Any:
    """Return a sum that is recorded if either is a node."""
    if isinstance(first, Batched) or isinstance(second, Batched):
        return first + second
    if isinstance(first, Node) or isinstance(second, Node):
        return apply_op(add, _add_gradient, first, second, op_name="add", saves=(), jvp=_add_tangent)
    return values.add(first, second)


def _add_gradient(saved: Any, needs: tuple[bool, ...], dy: Any) -> list[Any]:
    return [dy, dy]


def _add_tangent(operands: Any, outputs: Any, tangents: Sequence[Any]) -> Any:
    first, second = tangents
    return second if first is None else first if second is None else graph_add(first, second)


def accumulate(accumulator: Accumulator, box: list[Any], create_graph: bool) -> None:
    """Add a gradient into its leaf; one that nobody holds any more, or that wants none by now, is left out."""
    leaf = accumulator._leaf()
    if leaf is None or not leaf._requires_grad:
        return
    with accumulator.lock:
        held = leaf._grad
        if held is None:
            leaf._grad = owned(box, 1)
        elif isinstance(held, Node) or isinstance(box[1], Node):
            pair = (held, box[1]) if create_graph else (without_graph(held), without_graph(box[1]))
            leaf._grad = graph_add(*pair)
        else:
            mine = [held]
            held = leaf._grad = None
            try:
                merge(mine, 0, box[1], False)
            finally:
                leaf._grad = mine[0]
    extra = accumulator._extra
    if extra is not None:
        for hook in extra.hooks.at("after"):
            hook([], (box[1],))
        for hook in extra.hooks.at("accumulated"):
            hook(leaf)


def owned(box: list[Any], index: int) -> Any:
    """Return the gradient in `box[index]`, copied if anybody else can see its memory."""
    if box[index].__class__ is not Node:
        return box[index] if values.is_alone(box, index) else values.copy(box[index])
    if not hasattr(box[index].value, "shape") or values.is_alone_in_node(box, index):
        return box[index]
    return apply_op(values.copy, _copy_gradient, box[index], op_name="clone", saves=(), jvp=same_tangent)


def _copy_gradient(saved: Any, needs: tuple[bool, ...], dy: Any) -> list[Any]:
    return [dy]


def same_tangent(operands: Any, outputs: Any, tangents: Sequence[Any]) -> Any:
    """The tangent rule of an op that returns its operand."""
    return tangents[0]
