"""In-place writes and views: how a handle gets a new record, and how a write through a view reaches its base.

An in-place op writes into the memory of its target and gives the *handle* a new record; what was computed from the
handle before keeps the record it had. Values that were saved before the write are found out by their version.

A view shares memory with its base, so a write to either changes both, and both need a new history. A view therefore
comes with two functions, as a lens does: `get(base)` is the view of a node, and `put(base, part)` is the base with that
part of it replaced. After a write through the view the base's history is that of `put(base, view)`;
after a write to the base the view's history is that of `get(base)`, made when the view is next used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from netcl.autograd import values
from netcl.autograd.apply import apply_op
from netcl.autograd.frames import user_line
from netcl.autograd.modes import enable_grad
from netcl.autograd.node import Node
from netcl.autograd.record import Edge, Saves
from netcl.autograd.saved import note_mutation
from netcl.autograd.state import LOCAL
from netcl.core.errors import GraphError

__all__ = ["ViewNode", "apply_in_place", "forbid_leaf_write", "rebase", "track_view"]

Get = Callable[[Any], Any]
Put = Callable[[Any, Any], Any]


class ViewNode(Node):
    """A node whose value lies in the memory of another, its `base`; the base of a view of a view is the first one's."""

    __slots__ = ("_base_edge", "_get", "_own_edge", "_put", "base")

    def __init__(self, made: Node, base: Node, get: Get, put: Put) -> None:
        self.base = base
        self._get = get
        self._put = put
        self._base_edge = base._edge  # the base's history that this view's belongs to
        super().__init__(made.value, made._requires_grad, made._edge, made._label)

    @property
    def _edge(self) -> Edge | None:
        base = self.base
        if base._edge is not self._base_edge and base._requires_grad:
            with enable_grad():
                self._own_edge = self._get(base)._edge
            self._base_edge = base._edge
        return self._own_edge

    @_edge.setter
    def _edge(self, edge: Edge | None) -> None:
        self._own_edge = edge


def track_view(made: Any, base: Any, get: Get, put: Put | None = None) -> Any:
    """Return what a view op made of `base` as a view of it; a result that was not recorded is returned as it is.

    `apply_op` calls it for every op that saves nothing and returns memory of its first argument. Without `put` the
    history of a write is derived from the gradient of the view.
    """
    if put is None:
        put = _derived_put(get)
    if not isinstance(made, Node) or not isinstance(base, Node) or made._edge is None:
        return made
    if isinstance(base, ViewNode):
        outer_get, outer_put = base._get, base._put
        return ViewNode(
            made,
            base.base,
            lambda root: get(outer_get(root)),
            lambda root, part: outer_put(root, put(outer_get(root), part)),
        )
    return ViewNode(made, base, get, put)


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
    target._edge = made._edge
    target._requires_grad = True
    if isinstance(target, ViewNode):
        base = target.base
        replaced = target._put(base, target)
        base._edge = target._base_edge = replaced._edge
        base._requires_grad = True
    return target


def forbid_leaf_write(target: Node, op_name: str) -> None:
    """Refuse to write in place into a leaf that requires a gradient, or into a view of one."""
    root = target.base if isinstance(target, ViewNode) else target
    if root._requires_grad and root.is_leaf:
        what = "a view of a leaf" if root is not target else "a leaf"
        raise GraphError(
            f"{op_name}: {what} that requires a gradient cannot be written in place, its gradient would be that of the "
            "old value; write under no_grad(), or to a copy (x.clone())"
        )


def _derived_put(get: Get) -> Put:
    """Return the `put` of a view that selects elements.

    With V the view, base' = base - V^T V base + V^T part, so d base = dy - V^T V dy and d part = V dy. The value is
    in place already and is not computed.
    """

    def gradient(saved: Any, needs: Any, dy: Any) -> list[Any]:
        part = get(dy)
        if not needs[0]:
            return [None, part]
        with enable_grad():
            record = get(Node(dy.value if isinstance(dy, Node) else dy, True)).grad_fn
        return [dy - record(part)[0], part]

    def put(base: Any, part: Any) -> Any:
        return apply_op(lambda base, part: base, gradient, base, part, op_name="write_to_view", saves=())

    return put


def _write(forward: Callable[..., Any], value: Any, inputs: Any) -> Any:
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
