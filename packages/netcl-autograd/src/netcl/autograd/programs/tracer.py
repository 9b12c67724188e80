"""Tracing: ops are written down instead of run.

Inside `with tracing() as trace:` each op makes `TraceNode`s that have a shape and a dtype but no value. An op can be
traced if it says its result's shape and dtype without running (`apply_op(..., abstract=…)`). What becomes of a trace
(fusion, a memory plan, replay) is not known here.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from netcl.autograd.graph.node import Node, plain_tangents
from netcl.autograd.graph.record import Edge
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.graph.values import Spec
from netcl.core import transfer
from netcl.core.errors import GraphError

__all__ = ["Trace", "TraceNode", "TracedOp", "tracing"]

_TRACED_NAMES = ("min_val", "max_val", "alpha", "negative_slope", "exponent")
"""Attributes that are taken from the variables of the calling function when apply_op is not given `attrs`."""


Reading = tuple[Any, int]
"""The counter of writes of a tensor that Python read, and where it stood."""


class Seed(int):
    """Stands in attributes for a seed that is drawn, by its number among them; a call puts a new one in its place."""


@dataclass(eq=False)
class TracedOp:
    """One op of a trace, in the order of the calls."""

    name: str
    inputs: tuple[Any, ...]  # TraceNodes, Nodes, Tensors, numbers, None
    attrs: Mapping[str, Any]
    forward: Callable[..., Any]
    grad_fn: Callable[..., Any] | None
    saves: Any = None
    metadata: Mapping[str, Any] | None = None
    non_differentiable: Sequence[int] = ()
    outputs: list[TraceNode] = field(default_factory=list)
    values: tuple[Any, ...] | None = None  # where it was run for Python to read

    def run(self) -> tuple[Any, ...] | None:
        """The values of its outputs, if they are computed of what is there already and of no random numbers."""
        if self.values is None and not any(isinstance(each, Seed) for each in self.attrs.values()):
            given = [_there(each) for each in self.inputs]
            if all(each is not None for each in given):
                trace, LOCAL.state.tracer = LOCAL.state.tracer, None
                try:
                    found = self.forward(*given)
                finally:
                    LOCAL.state.tracer = trace
                self.values = found if isinstance(found, tuple) else (found,)
        return self.values


class TraceNode(Node):
    """A result that was not computed: an op, an output number, a shape and a dtype."""

    __slots__ = ("_dtype", "_queue", "_shape", "_twin", "ended", "op", "output", "same")

    def __init__(
        self, op: TracedOp | None, output: int, shape: tuple[int, ...], dtype: Any, requires_grad: bool, queue: Any,
        same: Any = None,
    ) -> None:  # fmt: skip
        self.op = op  # None: an input of the trace, or another node for a value
        self.output = output
        self.same = same  # what this is another node for the value of; gradients go on to it if it is a node
        self._shape = tuple(shape)
        self._dtype = dtype
        self._queue = queue
        self._requires_grad = requires_grad
        self._label = None if op is None else op.name
        self._grad = None
        self._tangents = None
        self._edge: Edge | None = None
        self._twin: TraceNode | None = None
        self.ended = False  # whether no gradient will be asked for it any more

    @property
    def value(self) -> Any:
        """A traced result has a value if it does not depend on the arguments; else asking for it is an error."""
        if LOCAL.state.tracer is not None and (found := _there(self)) is not None:
            return found
        name = "an input" if self.op is None else f"the result of {self.op.name}"
        if LOCAL.state.tracer is None:
            raise GraphError(
                f"tracing: {name} has no value yet, and its trace has ended; return it from the traced function, which "
                "computes it when it is called"
            )
        raise GraphError(
            f"tracing: {name} has no value yet, so it cannot decide what Python does next "
            "(an if, a loop, item(), to_host()); compute it with ops (where, maximum, …) or outside of the function"
        )

    def another(self, requires_grad: bool) -> TraceNode:
        """Return another node for the same value, which requires a gradient or not."""
        return TraceNode(None, 0, self._shape, self._dtype, requires_grad, self._queue, self)

    @property
    def itself(self) -> TraceNode:
        """The one of the handles of this node that stands for all of them."""
        return self if self._twin is None else self._twin

    @property
    def origin(self) -> Any:
        """What has the value: a node of the trace, or a Node or Tensor from outside."""
        node: Any = self.itself
        while isinstance(node, TraceNode) and node.same is not None:
            node = node.same.itself if isinstance(node.same, TraceNode) else node.same
        return node

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What the op was called with."""
        return () if self.op is None else self.op.inputs

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The op's attributes."""
        return {} if self.op is None else self.op.attrs

    @property
    def op_name(self) -> str | None:
        """The op's name; None for an input of the trace."""
        return None if self.op is None else self.op.name

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """The dtype of the result."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self._shape)

    @property
    def version(self) -> int:
        """Always 0: nothing is written in place in a trace."""
        return 0

    @property
    def queue(self) -> Any:
        """The queue that the result will be on; None where no argument has one."""
        return self._queue

    def gradient_edge(self, wanted_by: str = "gradient_edge") -> Edge:
        """There is no graph before the function is run: asking for a place in it is an error."""
        raise GraphError(
            f"{wanted_by}: there is no graph while a function is traced; take gradients with ag.grad or "
            "ag.value_and_grad, and do what needs hooks or .grad outside of the function"
        )

    def sibling(self, tangents: Any) -> Node:
        """Return another handle of this node, with these tangents."""
        other = TraceNode(self.op, self.output, self._shape, self._dtype, self._requires_grad, self._queue, self.same)
        other._tangents, other._twin = tangents, self.itself
        return other

    def without_graph(self, tangents: dict[Any, Any]) -> Any:
        """Return the value without its history, as a node: there is nothing else for it."""
        other = self.another(False)
        other._tangents = plain_tangents(tangents)
        return other

    def spec(self, output: int) -> Spec:
        """The shape, dtype and queue of the value."""
        return (self._shape, self._dtype, self._queue)

    def __len__(self) -> int:
        return self._shape[0]

    def __repr__(self) -> str:
        return (
            f"TraceNode(op_name={self.op_name!r}, shape={self._shape}, dtype={self._dtype}, attrs={dict(self.attrs)!r})"
        )


class Trace:
    """The ops that were traced, in their order."""

    def __init__(self) -> None:
        self.ops: list[TracedOp] = []
        self.met: dict[int, Node] = {}  # nodes that require a gradient and were not made here, by id
        self.read: list[Reading] = []
        self._given: dict[int, TraceNode] = {}
        self._before: list[Any] = []

    def stand_in(self, node: Node) -> TraceNode:
        """Return what stands for an argument that requires a gradient: one for all its places, and in the function."""
        if id(node) not in self._given:
            self._given[id(node)] = self.input(node.shape, node.dtype, True, node.queue)
        return self._given[id(node)]

    def inside(self, item: Any) -> Any:
        """Return what an item is in the trace: what stands for it if it is an argument."""
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
                f"{name} cannot be traced: it does not say the shape and dtype of its result; "
                "give apply_op abstract=… or call it outside of the traced function"
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
        transfer.observe_reads(_note_read)
        self._before.append(LOCAL.state.tracer)
        LOCAL.state.tracer = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        LOCAL.state.tracer = self._before.pop()


def _there(item: Any) -> Any:
    """The value of an item, of which Python is about to read what it comes to; None if it depends on the arguments."""
    if isinstance(item, TraceNode):
        item = item.origin
    if isinstance(item, TraceNode):
        found = None if item.op is None else item.op.run()
        return None if found is None else found[item.output]
    value = item.value if isinstance(item, Node) else item
    if hasattr(value, "counter"):
        _note_read(value)
    return value


def _note_read(tensor: Any) -> None:
    """A tensor came to the host: what Python does with that holds until it is written."""
    trace = LOCAL.state.tracer
    if trace is not None:
        trace.read.append((tensor.counter, tensor.version))


def another_node(value: Any) -> TraceNode:
    """Return, while a function is traced, a node of its own for a value, which requires a gradient."""
    value = LOCAL.state.tracer.inside(value)
    if isinstance(value, TraceNode):
        return value.another(True)
    return TraceNode(None, 0, value.shape, value.dtype, True, value.queue, value)


def tracing() -> Trace:
    """Return a new trace, to be entered with `with`."""
    return Trace()
