"""Views: how a write through one reaches its base, and how a write to the base reaches its views.

A view shares memory with its base, so a write to either changes both, and both need a new history. A view therefore
comes with two functions, as a lens does: `get(base)` is the view of a node, and `put(base, part)` is the base with that
part of it replaced. After a write through the view the base's history is that of `put(base, view)`;
after a write to the base the view's history is that of `get(base)`, made when the view is next used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from netcl.autograd.graph.modes import enable_grad
from netcl.autograd.graph.node import Node, Tangents
from netcl.autograd.graph.record import Edge
from netcl.core.errors import GraphError

__all__ = ["ViewNode", "opaque_view", "track_view"]

Get = Callable[[Any], Any]
Put = Callable[[Any, Any], Any]


class ViewNode(Node):
    """A node whose value lies in the memory of another, its `base`; the base of a view of a view is the first one's."""

    __slots__ = ("_base_edge", "_base_tangents", "_get", "_own_edge", "_own_tangents", "_put", "base", "opaque")

    def __init__(self, made: Node, base: Node, get: Get, put: Put, opaque: str = "") -> None:
        self.base = base
        self.opaque = opaque  # the op of a user's own that returned its argument's memory, of who knows which part
        self._get = get
        self._put = put
        self._base_edge = base._edge  # the base's history that this view's belongs to
        self._base_tangents: Tangents = None  # the base's tangents that this view's belong to
        super().__init__(made.value, made._requires_grad, made._edge, made._label)
        self._tangents = made._tangents

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

    @property
    def _tangents(self) -> Tangents:
        base = self.base
        if base._tangents is not self._base_tangents:
            made = self._get(base)
            self._own_tangents = made._tangents if isinstance(made, Node) else None
            self._base_tangents = base._tangents
        return self._own_tangents

    @_tangents.setter
    def _tangents(self, tangents: Tangents) -> None:
        self._own_tangents = tangents
        self._base_tangents = self.base._tangents

    def sibling(self, tangents: Tangents) -> Node:
        """Return another handle of the same view, with these tangents."""
        other = ViewNode(self, self.base, self._get, self._put, self.opaque)
        other._tangents = tangents
        return other


def track_view(made: Any, base: Any, get: Get, put: Put) -> Any:
    """Return what a view op made of `base` as a view of it; a result without history and tangents is returned as is.

    `apply_op` calls it for every op that saves nothing and returns memory of its first argument.
    """
    if not isinstance(made, Node) or not isinstance(base, Node) or (made._edge is None and made._tangents is None):
        return made
    if isinstance(base, ViewNode):
        outer_get, outer_put = base._get, base._put
        return ViewNode(
            made,
            base.base,
            lambda root: get(outer_get(root)),
            lambda root, part: outer_put(root, put(outer_get(root), part)),
            base.opaque,
        )
    return ViewNode(made, base, get, put)


def opaque_view(made: Node, argument: Any, name: str) -> Node:
    """Return what an op of a user's own made in the memory of an argument, as a view through which nothing can be
    written; once the argument is written, its history is not known any more."""
    base = argument if isinstance(argument, Node) else Node(argument)
    root = base.base if isinstance(base, ViewNode) else base

    def lost(*_: Any) -> Any:
        raise GraphError(
            f"{name}: its result lies in the memory of an argument that was written in place since, and how they hang "
            "together is not known; return a copy from it (x.clone()), or write to one"
        )

    return ViewNode(made, root, lost, lost, name)
