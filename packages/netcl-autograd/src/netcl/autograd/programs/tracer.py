"""Tracing: ops are written down instead of run.

Inside `with tracing() as trace:` each op makes `TraceNode`s that have a shape and a dtype but no value. An op can be
traced if it says its result's shape and dtype without running (`apply_op(..., abstract=…)`). What becomes of a trace
(fusion, a memory plan, replay) is not known here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

from netcl.autograd.graph.node import Node, unwrap
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.programs.surroundings import Surroundings
from netcl.autograd.programs.trace_nodes import Reading, TracedOp, TraceNode, note_read
from netcl.autograd.programs.trace_writes import Writes
from netcl.core import transfer
from netcl.core.arenas import Mark, memory_checkpoint
from netcl.core.errors import GraphError

__all__ = ["Trace", "another_node", "tracing"]

_TRACED_NAMES = ("min_val", "max_val", "alpha", "negative_slope", "exponent")
"""Attributes that are taken from the variables of the calling function when apply_op is not given `attrs`."""


class Trace:
    """The ops that were traced, in their order."""

    def __init__(self) -> None:
        self.ops: list[TracedOp] = []
        self.met: dict[int, Node] = {}  # nodes that require a gradient and were not made here, by id
        self.read: list[Reading] = []
        self.writes = Writes(self._is_new)
        self.surroundings = Surroundings()
        self._given: dict[int, TraceNode] = {}
        self._before: list[Any] = []
        self._begin: Mark | None = None

    def stand_in(self, node: Node) -> TraceNode:
        """Return what stands for an argument that requires a gradient: one for all its places, and in the function."""
        if id(node) not in self._given:
            self._given[id(node)] = self.input(node.shape, node.dtype, True, node.queue)
        return self._given[id(node)]

    def inside(self, item: Any) -> Any:
        """Return what an item is in the trace: what stands for it if it is an argument, or its latest value."""
        item = self.writes.latest(item)
        if not isinstance(item, Node) or isinstance(item, TraceNode) or not item.requires_grad:
            return item
        self.met[id(item)] = item
        return self._given.get(id(item), item)

    def input(self, shape: Sequence[int], dtype: Any, requires_grad: bool = False, queue: Any = None) -> TraceNode:
        """Return a stand-in for an argument of the traced function."""
        return TraceNode(None, 0, tuple(shape), dtype, requires_grad, queue)

    def trace(
        self,
        forward: Callable[..., Any],
        grad_fn: Callable[..., Any] | None,
        args: tuple[Any, ...],
        name: str,
        attrs: Mapping[str, Any] | None,
        saves: Any,
        non_differentiable: Sequence[int],
        metadata: Mapping[str, Any] | None,
        abstract: Callable[..., Any] | None,
    ) -> Any:
        """Write down an op; called by `apply_op` in the place of running it."""
        if abstract is None:
            raise GraphError(
                f"{name} cannot be traced: it does not say the shape and dtype of its result; call it outside of the "
                "traced function, declare it as an op with its grad (kernels.compile, Write an op of your own), "
                "or give apply_op abstract=…"
            )
        if attrs is None:
            variables = sys._getframe(2).f_locals
            attrs = {key: variables[key] for key in _TRACED_NAMES if key in variables}
        args = tuple(map(self.inside, args))
        op = TracedOp(name, args, attrs, forward, grad_fn, saves, metadata, non_differentiable)
        found = abstract(*args)
        several = isinstance(found, list)
        recorded = LOCAL.state.grad_enabled and grad_fn is not None
        recorded = recorded and any(isinstance(arg, Node) and arg.requires_grad for arg in args)
        queue = next((arg.queue for arg in args if getattr(arg, "queue", None) is not None), None)
        for i, (shape, dtype) in enumerate(found if several else [found]):
            op.outputs.append(TraceNode(op, i, shape, dtype, recorded and i not in non_differentiable, queue))
        self.ops.append(op)
        return tuple(op.outputs) if several else op.outputs[0]

    def __len__(self) -> int:
        return len(self.ops)

    def __enter__(self) -> Trace:
        transfer.observe_reads(note_read)
        self._before.append(LOCAL.state.tracer)
        self._begin = memory_checkpoint()
        LOCAL.state.tracer = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        LOCAL.state.tracer = self._before.pop()
        self._begin = None

    def _is_new(self, item: Any) -> bool:
        """Whether the memory of a Node or Tensor was allocated while the function was traced, as each call does."""
        buffer = getattr(unwrap(item), "buffer", None) if not isinstance(item, TraceNode) else None
        return buffer is not None and self._begin is not None and self._begin.is_before(buffer)


def another_node(value: Any) -> TraceNode:
    """Return, while a function is traced, a node of its own for a value, which requires a gradient."""
    value = LOCAL.state.tracer.inside(value)
    if isinstance(value, TraceNode):
        return value.another(True)
    return TraceNode(None, 0, value.shape, value.dtype, True, value.queue, value)


def tracing() -> Trace:
    """Return a new trace, to be entered with `with`."""
    return Trace()
