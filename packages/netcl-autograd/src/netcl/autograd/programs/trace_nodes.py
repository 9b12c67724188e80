"""What a trace is made of: ops that were written down, and the nodes that stand for what they compute."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from netcl.autograd.graph.node import Node, plain_tangents
from netcl.autograd.graph.record import Edge
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.graph.values import Spec
from netcl.core.errors import GraphError

__all__ = ["TraceNode", "TracedOp"]

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
        """Always 0: what is written in place in a trace has a node of its own."""
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


def _there(item: Any) -> Any:
    """The value of an item, of which Python is about to read what it comes to; None if it depends on the arguments."""
    if isinstance(item, TraceNode):
        item = item.origin if LOCAL.state.tracer is None else LOCAL.state.tracer.writes.latest(item).origin
    if isinstance(item, TraceNode):
        found = None if item.op is None else item.op.run()
        return None if found is None else found[item.output]
    value = item.value if isinstance(item, Node) else item
    if hasattr(value, "counter"):
        note_read(value)
    return value


def note_read(tensor: Any) -> None:
    """A tensor came to the host: what Python does with that holds until it is written."""
    trace = LOCAL.state.tracer
    if trace is not None:
        if trace.writes.has(tensor):
            raise GraphError("a traced function cannot read on the host what it has written: that is not computed yet")
        trace.read.append((tensor.counter, tensor.version))


def origin(item: Any) -> Any:
    """What has the value of an item."""
    return item.origin if isinstance(item, TraceNode) else item


def become(node: TraceNode, value: TraceNode) -> None:
    """Let a node be another one for a value, from now on."""
    node.op, node.output, node.same, node._requires_grad = None, 0, value, value._requires_grad
