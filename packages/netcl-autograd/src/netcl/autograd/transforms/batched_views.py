"""Views of what differs from call to call of a vmap: a write through one changes the tangents of what it is a view of.

Values and histories need nothing here: those of all calls are a view of those of all calls (`graph.views`). Tangents
stand on the handles that a call sees.
"""

from __future__ import annotations

from typing import Any

from netcl.autograd.graph.node import Tangents
from netcl.autograd.graph.views import Get, ViewNode
from netcl.autograd.transforms.batched import Batched, tensor_of


class BatchedView(Batched):
    """A value in the memory of another one, its `base`, in each call."""

    __slots__ = ("_base_tangents", "_get", "_own_tangents", "base")

    def __init__(self, made: Batched, base: Batched, get: Get, tangents: Tangents) -> None:
        self.base = base
        self._get = get
        super().__init__(made.level, made.physical)
        self._tangents = tangents

    _tangents: Any = ViewNode._tangents  # those of the base, through `get`, once these are others

    def sibling(self, tangents: Tangents) -> BatchedView:
        """Return another handle of the same view with the same history, and with these tangents."""
        return BatchedView(super().sibling(None), self.base, self._get, tangents)


def in_memory_of(made: Any, base: Any, get: Get) -> Any:
    """Return what an op made of `base`, as a view of it where it lies in its memory and both differ between calls."""
    if not isinstance(made, Batched) or not isinstance(base, Batched) or made.level is not base.level:
        return made
    buffer = getattr(tensor_of(base), "buffer", None)
    if buffer is None or getattr(tensor_of(made), "buffer", None) is not buffer:
        return made
    if isinstance(base, BatchedView):
        outer = base._get
        return BatchedView(made, base.base, lambda root: get(outer(root)), made._tangents)
    return BatchedView(made, base, get, made._tangents)
