"""Node: the handle that a user holds. A value, and where its gradient goes.

A Tensor is only a value; a Node is a value that takes part in differentiation. The graph is not made of nodes: a
node points to the record that made it (`grad_fn`), and records point to records. So a node may be dropped, or be given
a new record by an in-place write, and whatever was computed from it before does not change.

Operators and methods named after ops (`x + y`, `x.sum()`) are attached to this class by `netcl.autograd.ops`.
"""

from __future__ import annotations

import importlib
import weakref
from collections.abc import Callable, Sequence
from copy import deepcopy
from operator import index
from typing import TYPE_CHECKING, Any

from netcl.autograd.graph import values
from netcl.autograd.graph.hooks import HookHandle
from netcl.autograd.graph.modes import no_grad, refuse_write
from netcl.autograd.graph.picture import node_html
from netcl.autograd.graph.record import Accumulator, Edge, Record
from netcl.autograd.graph.state import LOCAL
from netcl.core import hints
from netcl.core.arguments import explained
from netcl.core.errors import DtypeError, GraphError, ShapeError
from netcl.core.html import safely

if TYPE_CHECKING:
    import numpy as np

    from netcl.autograd.methods import Methods  # the operators and ops, attached by netcl.autograd.ops
    from netcl.core.tensor import Tensor
else:
    Methods = object

Tangents = tuple[tuple[Any, Any], ...] | None
"""(level, tangent) for each jvp that a value takes part in, the outermost first."""


class Node(Methods):
    """A value with its place in the graph: value, grad, requires_grad, grad_fn, parents, op_name, creation_trace.

    `Node(value, requires_grad=True)` is a leaf; `ag.tensor` makes one from data. Nodes are hashed by identity.
    """

    __slots__ = ("__weakref__", "_edge", "_grad", "_label", "_leaf", "_requires_grad", "_tangents", "value")
    _leaf: Node | None  # of another handle of a leaf alone: the leaf, held for as long as the handle is

    __array_ufunc__ = None  # numpy leaves `array + node` to the node
    __array_priority__ = 1000

    def __init__(
        self, value: Any, requires_grad: bool = False, edge: Edge | None = None, label: str | None = None
    ) -> None:
        self.value = value
        self._requires_grad = requires_grad
        self._edge = edge
        self._grad: Any = None
        self._label = label  # a leaf's name; the op of a result that has no gradient
        self._tangents: Tangents = None  # inside a jvp: what the value does as the input moves (`forward`)
        if edge is None:
            if requires_grad:
                values.require_floating(value)
            if values.is_device_tensor(value):
                attach_operators()
            else:
                values.require_value(value, "Node")

    if not TYPE_CHECKING:  # who checks types is told of every name that is not there

        def __getattr__(self, name: str) -> Any:
            if hasattr(type(self), name):  # a property whose value has no such attribute
                return object.__getattribute__(self, name)
            raise hints.missing(self, name)

    # -- the graph

    @property
    def grad_fn(self) -> Record | None:
        """The record of the op that made this value; None for a leaf and for a result that carries no gradient."""
        edge = self._edge
        return None if edge is None or edge[0].__class__ is Accumulator else edge[0]

    @property
    def output_nr(self) -> int:
        """Which output of `grad_fn` this is; 0 for a leaf."""
        edge = self._edge
        return 0 if edge is None else edge[1]

    @property
    def parents(self) -> list[Any]:
        """What this was computed from, read off the edges; see `Record.parents`. Empty for a leaf."""
        record = self.grad_fn
        return [] if record is None else record.parents

    @property
    def op_name(self) -> str | None:
        """The public name of the op that made this value; None for a leaf."""
        record = self.grad_fn
        if record is not None:
            return record.name
        return None if self._requires_grad else self._label

    @property
    def name(self) -> str | None:
        """The name given to a leaf, or the op's name."""
        return self.op_name or self._label

    @property
    def id(self) -> int | None:
        """The id on the tape that keeps this node's record; None if none does."""
        return None if self._edge is None else self._edge[0].id

    @property
    def creation_trace(self) -> list[str] | None:
        """The stack that created this node, as lines of text; None outside anomaly mode."""
        record = self.grad_fn
        return None if record is None else record.creation_trace

    @property
    def is_leaf(self) -> bool:
        """Whether this was not made by a recorded op."""
        return self.grad_fn is None

    @property
    def requires_grad(self) -> bool:
        """Whether gradients are computed for this node; it can be set on leaves only."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, required: bool) -> None:
        if not self.is_leaf:
            if required:
                return
            raise GraphError(
                f"requires_grad: this node was made by {self.op_name} and can only lose its gradient by detach(); "
                "requires_grad can be set on leaves only"
            )
        if required:
            values.require_floating(self.value)
        self._requires_grad = bool(required)

    def detach(self) -> Tensor:
        """Return a copy of the value, as a plain Tensor that knows nothing of the graph."""
        if LOCAL.state.tracer is not None:  # a call of what is traced copies the value that there is then
            traced: Any = self.sibling(None)
            with no_grad():
                return traced.clone()
        return values.copy(self.value)

    # -- gradients

    @property
    def grad(self) -> Node | Tensor | None:
        """The gradient accumulated so far: a Tensor, a Node after create_graph=True, or None."""
        return self._grad

    @grad.setter
    def grad(self, gradient: Any) -> None:
        refuse_write("grad")
        if gradient is not None:
            values.require_value(gradient, "grad")
            if values.shape_of(gradient) != values.shape_of(self.value):
                raise ShapeError(
                    f"grad: gradient shape mismatch: the value has shape {values.shape_of(self.value)}, "
                    f"the gradient {values.shape_of(gradient)}"
                )
            if values.dtype_of(gradient) != values.dtype_of(self.value):
                raise DtypeError(
                    f"grad: the value has dtype {values.dtype_of(self.value)}, the gradient {values.dtype_of(gradient)}"
                )
        self._grad = gradient

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradient; with set_to_none=False a gradient that is there becomes zeros."""
        refuse_write("zero_grad")
        self._grad = None if set_to_none or self._grad is None else values.zeros_like(self.value)

    @explained
    def backward(
        self, grad: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Add the gradients of this node to its leaves, seeded with `grad` or with ones of its shape."""
        from netcl.autograd.engine.functional import backward

        backward(self, grad, retain_graph=retain_graph, create_graph=create_graph, inputs=inputs)

    def retain_grad(self) -> None:
        """Keep the gradient of this computed node in `grad` too; a leaf keeps its own anyway."""
        record, output = self.gradient_edge("retain_grad")
        if record.__class__ is Accumulator:
            return
        if record.extra.retained is None:
            record.extra.retained = {}
        record.extra.retained[output] = weakref.ref(self)

    @property
    def retains_grad(self) -> bool:
        """Whether `retain_grad` was called on this node."""
        record = self.grad_fn
        retained = None if record is None or record._extra is None else record._extra.retained
        return retained is not None and self.output_nr in retained and retained[self.output_nr]() is self

    def register_hook(self, hook: Callable[[Any], Any]) -> HookHandle:
        """Call `hook(gradient)` in each backward; what it returns (unless None) replaces the gradient."""
        record, output = self.gradient_edge("register_hook")
        return record.extra.hooks.add(output, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Node], Any]) -> HookHandle:
        """Call `hook(leaf)` after a backward has added to this leaf's `grad`."""
        record, _ = self.gradient_edge("register_post_accumulate_grad_hook")
        if record.__class__ is not Accumulator:
            raise GraphError(
                f"register_post_accumulate_grad_hook: this node was made by {self.op_name}, only leaves accumulate; "
                "use register_hook"
            )
        return record.extra.hooks.add("accumulated", hook)

    def gradient_edge(self, wanted_by: str = "gradient_edge") -> Edge:
        """Return where this node's gradient goes: (record, output number). Makes a leaf's accumulator."""
        if not self._requires_grad:
            raise GraphError(
                f"{wanted_by}: this node does not require a gradient; make it with requires_grad=True, "
                "or compute it from nodes that do, outside no_grad"
            )
        return self._edge or leaf_edge(self)

    def sibling(self, tangents: Tangents) -> Node:
        """Return another handle of the same value with the same history, and with these tangents."""
        edge = (self._edge or leaf_edge(self)) if self._requires_grad else None
        other = Node(self.value, self._requires_grad, edge, self._label)
        other._tangents = tangents
        if edge is not None and edge[0].__class__ is Accumulator:
            other._leaf = edge[0].variable
        return other

    def without_graph(self, tangents: dict[Any, Any]) -> Any:
        """Return the value without its history: as it is, or as a node if it has tangents."""
        if not tangents:
            return self.value
        other = Node(self.value)
        other._tangents = plain_tangents(tangents)
        return other

    # -- the value

    @property
    def shape(self) -> tuple[int, ...]:
        """The value's shape."""
        return values.shape_of(self.value)

    @property
    def dtype(self) -> Any:
        """The value's dtype."""
        return values.dtype_of(self.value)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(values.shape_of(self.value))

    @property
    def size(self) -> int:
        """The number of elements."""
        return getattr(self.value, "size", 1)

    @property
    def nbytes(self) -> int:
        """The bytes of the elements."""
        return self.value.nbytes

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements follow each other in memory, in row-major order."""
        return bool(self.value.is_contiguous)

    @property
    def queue(self) -> Any:
        """The queue the value lives on."""
        return getattr(self.value, "queue", None)

    @property
    def device(self) -> Any:
        """The device the value lives on."""
        return getattr(self.value, "device", None)

    @property
    def version(self) -> int:
        """How often the value was written in place."""
        return getattr(self.value, "version", 0)

    def to_host(self) -> np.ndarray[Any, Any]:
        """Return the value as a fresh numpy array; waits for the device."""
        return self._plain().to_host()

    def item(self) -> bool | int | float:
        """Return the one element as a Python number."""
        value = self._plain()
        return value.item() if hasattr(value, "item") else value

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers."""
        value = self._plain()
        return value.tolist() if hasattr(value, "tolist") else value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._plain().__array__(dtype, copy=copy)

    def __dlpack__(self, **options: Any) -> Any:
        """The memory of the value, as a Tensor lends it; what is done with it elsewhere is not recorded."""
        return self._plain().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self.value.__dlpack_device__()
        return device

    def __index__(self) -> int:
        return index(self._plain())

    def _plain(self) -> Any:
        """The value, of which numbers are made that say nothing of where they came from. Raises GraphError where it
        is being differentiated."""
        for look in LOCAL.state.conversions:
            look(self)
        return self.value

    def __len__(self) -> int:
        return len(self.value)

    def __float__(self) -> float:
        return float(self._plain())

    def __int__(self) -> int:
        return int(self._plain())

    def __bool__(self) -> bool:
        return bool(self.value)

    def __reduce__(self) -> Any:
        """Pickled as a leaf: its value, and whether it requires a gradient."""
        if self.grad_fn is not None:
            raise GraphError(
                f"the result of {self.op_name} cannot be copied or pickled with the graph that made it; "
                "x.detach() gives its value alone"
            )
        return _leaf, (self.value, self._requires_grad, self._label)

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        """A leaf with copies of its value and of its gradient; the graph of a gradient is left behind."""
        make, arguments = self.__reduce__()
        twin: Node = make(*deepcopy(arguments, memo))
        twin._grad = deepcopy(self._grad.value if isinstance(self._grad, Node) else self._grad, memo)
        return twin

    def __format__(self, spec: str) -> str:
        """As a number where a format is given, which takes one element: `f"{loss:.3f}"`."""
        value = self.value
        return format(value.item() if hasattr(value, "item") else value, spec) if spec else str(self)

    def __repr__(self) -> str:
        fields = [f"value={self.value!r}", f"grad_fn={self.grad_fn!r}", f"parents={[_brief(p) for p in self.parents]}"]
        fields += [f"grad={_brief(self._grad)}", f"requires_grad={self._requires_grad}", f"op_name={self.op_name!r}"]
        return f"Node({', '.join(fields)})"

    def _repr_html_(self) -> str:
        """In a notebook: its value, whether it requires a gradient, its history and its gradient."""
        return safely(node_html, self)


def plain_tangents(tangents: dict[Any, Any]) -> Tangents:
    """Return tangents without their history, as a node has them."""
    plain = [
        (each, t.without_graph(dict(t._tangents or ())) if isinstance(t, Node) else t) for each, t in tangents.items()
    ]
    return tuple(plain) or None


def _leaf(value: Any, requires_grad: bool, label: str | None) -> Node:
    return Node(value, requires_grad, None, label)


def leaf_edge(leaf: Node) -> Edge:
    """Return the edge to a leaf's accumulator, made now if this is its first use."""
    accumulator = Accumulator(leaf, values.describe(leaf.value))
    edge = leaf._edge = (accumulator, 0)
    return edge


def attached(record: Record, saved: Sequence[Any]) -> list[Any]:
    """Return the saved values of a record as nodes: an input with its edge, an output with the edge to the record."""
    nodes = []
    skip = frozenset() if record._extra is None else record._extra.non_differentiable
    for value, (kind, i) in zip(saved, record._saves or (), strict=True):
        edge = record._edges[i] if kind == "input" else None if i in skip else (record, i)
        nodes.append(value if edge is None else Node(value, True, edge))
    return nodes


def attach_operators() -> None:
    """See to it that Tensors and nodes of Tensors have their operators: importing the catalogue attaches them."""
    importlib.import_module("netcl.autograd.ops")


def _brief(item: Any) -> str:
    if item is None:
        return "None"
    if isinstance(item, Node):
        return f"<node {item.op_name or item.name or 'leaf'}>"
    if isinstance(item, Record):
        return repr(item)
    return f"<{type(item).__name__} {values.shape_of(item)}>"


def unwrap(item: Any) -> Any:
    """Return the value of a node; anything else as it is."""
    return item.value if isinstance(item, Node) else item


def unwrap_all(items: Sequence[Any]) -> list[Any]:
    """Return the values of nodes among items."""
    return [item.value if isinstance(item, Node) else item for item in items]


__all__ = ["Node", "attach_operators", "attached", "leaf_edge", "plain_tangents", "unwrap", "unwrap_all"]
