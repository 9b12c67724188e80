"""In-place writes: how a handle gets a new record.

An in-place op writes into the memory of its target and gives the *handle* a new record; what was computed from the
handle before keeps the record it had. Values that were saved before the write are found out by their version. How a
write through a view reaches its base is in `views`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from netcl.autograd.graph import values
from netcl.autograd.graph.apply import apply_op
from netcl.autograd.graph.frames import user_line
from netcl.autograd.graph.levels import tangents_of
from netcl.autograd.graph.modes import refuse_write
from netcl.autograd.graph.node import Node
from netcl.autograd.graph.saved import Saves, about_to_write, note_mutation
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.graph.views import ViewNode
from netcl.autograd.transforms.batched import Batched
from netcl.core.errors import GraphError

__all__ = ["apply_in_place", "forbid_leaf_write", "rebase"]


def apply_in_place(
    forward: Callable[..., Any],
    grad_fn: Callable[..., Any] | None,
    target: Any,
    *args: Any,
    op_name: str,
    attrs: Mapping[str, Any] | None = None,
    saves: Saves | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Any:
    """Run an op that writes into its first argument, give that handle its new record, and return the handle.

    `forward(target, *args)` writes and returns the target's value. Raises GraphError, before anything is written, for
    a leaf that requires a gradient and for a view of one. The other parameters are those of `apply_op`; an input that
    is saved and lies in the memory that is written is copied first.
    """
    refuse_write(op_name)
    if LOCAL.state.levels and (isinstance(target, Batched) or any(map(tangents_of, (target, *args)))):
        raise GraphError(
            f"{op_name}: an in-place op of your own cannot write what a jvp or a vmap has put something on; use an op "
            "that returns its result, or those of the catalogue (x.add_(y), x[key] = y)"
        )
    if not isinstance(target, Node):
        if LOCAL.state.grad_enabled and any(isinstance(arg, Node) and arg._requires_grad for arg in args):
            raise GraphError(
                f"{op_name}: the target is a plain Tensor and an operand requires a gradient, which would be lost; "
                "make the target a Node with ag.Node(tensor), or write under no_grad()"
            )
        return _write(forward, target, [arg.value if isinstance(arg, Node) else arg for arg in args])
    if LOCAL.state.grad_enabled:
        forbid_leaf_write(target, op_name)
    kept: dict[int, Any] = {}
    recorded = LOCAL.state.grad_enabled and any(isinstance(a, Node) and a._requires_grad for a in (target, *args))
    if recorded:
        plain = [a.value if isinstance(a, Node) else a for a in (target, *args)]
        inputs = [save[1] for save in saves or () if save[0] == "input"]
        kept = {i: values.copy(plain[i]) for i in inputs if _overlap(plain[i], plain[0])}

    def write(value: Any, *inputs: Any) -> Any:
        return _write(forward, value, inputs)

    made = apply_op(write, grad_fn, target, *args, op_name=op_name, attrs=attrs, saves=saves, metadata=metadata)
    if not isinstance(made, Node):
        return target
    record = made._edge[0] if made._edge is not None else None
    if record is not None and kept:
        record._saved = tuple(
            kept.get(save[1], v) if save[0] == "input" else v
            for v, save in zip(record._saved, saves or (), strict=True)
        )
        record._versions = tuple(getattr(value, "version", None) for value in record._saved)
    return rebase(target, made)


def rebase(target: Node, made: Node) -> Node:
    """Give a handle that was written in place the record of the write; and the base, if it is a view."""
    if made._edge is None:
        return target
    _move(target, made._edge)
    if isinstance(target, ViewNode):
        base = target.base
        replaced = target._put(base, target)
        _move(base, replaced._edge)
        target._base_edge = base._edge
    return target


def _move(handle: Node, edge: Any) -> None:
    """Give a handle another history; if it keeps its gradient, this is that of the value that it has now."""
    retains = handle.retains_grad
    if retains:
        record, output = handle.gradient_edge()
        (record.extra.retained or {}).pop(output)
    handle._edge = edge
    handle._requires_grad = True
    if retains:
        handle.retain_grad()


def forbid_leaf_write(target: Node, op_name: str) -> None:
    """Refuse to write in place into a leaf that requires a gradient, or into a view of one."""
    root = target.base if isinstance(target, ViewNode) else target
    if isinstance(target, ViewNode) and target.opaque:
        raise GraphError(
            f"{op_name}: what {target.opaque} returned lies in the memory of its argument, and how they hang together "
            "is not known, so it cannot be written in place; return a copy from it (x.clone()), or write to one"
        )
    if root._requires_grad and root.is_leaf:
        what = "a view of a leaf" if root is not target else "a leaf"
        raise GraphError(
            f"{op_name}: {what} that requires a gradient cannot be written in place, its gradient would be that of the "
            "old value; write under no_grad(), or to a copy (x.clone())"
        )


def _write(forward: Callable[..., Any], value: Any, inputs: Any) -> Any:
    about_to_write(value)
    before = getattr(value, "version", None)
    result = forward(value, *inputs)
    if before is not None:
        if value.version == before:
            value.bump_version()
        note_mutation(value, user_line())
    return result


def _overlap(value: Any, target: Any) -> bool:
    if value is target:
        return True
    buffer = getattr(value, "buffer", None)
    return buffer is not None and buffer is getattr(target, "buffer", None)
