"""apply_op: the way into the graph, for shipped ops and for a user's own (`ops.repeated` does again what it did).

It runs the forward function on values and, where gradients are wanted, records how to go back. Two styles:

**A rule of your own** (`saves=None`). `grad_fn(dy)`, or `grad_fn(dy0, dy1, …)` for several outputs, returns a list with
one input gradient (or None) per operand, in the order of the arguments. The operands are the arguments that are Nodes
or Tensors; numbers and None are not. (A list with one entry per argument is understood as well.) What the function
closes over is freed with the record.

**A declared op** (`saves=(("input", 0), ("output", 0))`). The engine keeps those values, checks at backward that they
were not written in place, and calls `grad_fn(saved, needs, dy, …)`: `saved` has the kept values, `needs` a bool per
argument, and the list that is returned has one entry per argument; entries that are not needed are ignored
and should be None, so that nothing is computed for them. Under create_graph the saved values and the output gradients
come as Nodes, so that what the rule computes is recorded too; otherwise everything is a plain Tensor.

Either way None stands for a gradient of zero, and an output that did not take part has None for its gradient.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from netcl import core
from netcl.autograd.graph import values
from netcl.autograd.graph.modes import enable_grad
from netcl.autograd.graph.node import Node, leaf_edge
from netcl.autograd.graph.record import Edge, Record
from netcl.autograd.graph.saved import Saves, store
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.graph.views import Get, Put, ViewNode, opaque_view, track_view
from netcl.autograd.transforms.batched import concerned
from netcl.core.errors import GraphError

if TYPE_CHECKING:
    from netcl.autograd.engine.tape import Tape

_ALL_NEEDED = [(True,) * n for n in range(8)]
_describe = values.describe


def apply_op(
    forward: Callable[..., Any],
    grad_fn: Callable[..., Any] | None,
    *args: Any,
    tape: Tape | None = None,
    op_name: str | None = None,
    attrs: Mapping[str, Any] | None = None,
    saves: Saves | None = None,
    non_differentiable: Sequence[int] = (),
    metadata: Mapping[str, Any] | None = None,
    abstract: Callable[..., Any] | None = None,
    jvp: Callable[..., Any] | None = None,
) -> Any:
    """Run `forward(*values)` and record it; return Nodes, or what forward returned where no gradient is wanted.

    `args` are Nodes, Tensors, numbers or None. A tuple from `forward` is several outputs; those in `non_differentiable`
    carry no gradient, nor does any if `grad_fn` is None. `tape` takes the place of the current tape. `op_name` defaults
    to the name of the calling function. `attrs` are shown and traced, `metadata` is where `record.metadata` starts.
    `abstract(*args)` gives (shape, dtype) of the output, or a list of them, without running: tracing needs it.
    `jvp(args, outputs, tangents)` gives the tangent (or None) of each of the `outputs` from those of the `args`;
    without it the tangents are had from `grad_fn`.
    """
    state = LOCAL.state
    if state.levels:
        level = concerned(args)
        if level is not None:
            in_levels = getattr(grad_fn, "in_levels", None)
            if in_levels is not None:  # the op of a formula, which says more than these functions of it
                return in_levels(args, op_name)
            name = op_name or sys._getframe(1).f_code.co_name
            options: dict[str, Any] = {
                "tape": tape, "op_name": name, "attrs": attrs, "saves": saves, "metadata": metadata,
                "non_differentiable": non_differentiable, "abstract": abstract, "jvp": jvp,
            }  # fmt: skip
            return level.run_op(partial(apply_op, forward, grad_fn, **options), grad_fn, args, options)
    if state.tracer is not None:
        name = op_name or sys._getframe(1).f_code.co_name
        return state.tracer.trace(forward, grad_fn, args, name, attrs, saves, non_differentiable, metadata, abstract)
    inputs = []
    edges: list[Edge | None] = []
    wanted = 0
    for arg in args:
        if isinstance(arg, Node):
            inputs.append(arg.value)
            if arg._requires_grad:
                edges.append(arg._edge or leaf_edge(arg))
                wanted += 1
                continue
        else:
            inputs.append(arg)
        edges.append(None)
    if state.around is None:
        result = forward(*inputs)
    else:
        result = state.around(op_name or sys._getframe(1).f_code.co_name, forward, inputs)
    if result.__class__ is not core.Tensor:
        results = result if result.__class__ is tuple else (result,)
        values.require_results(results, inputs, op_name or sys._getframe(1).f_code.co_name)
    current = state.tape if tape is None else tape
    if current is not None and not current.track_gradients:
        return current.keep_result(op_name or sys._getframe(1).f_code.co_name, result)
    if not wanted or not state.grad_enabled:
        return result

    name = op_name or sys._getframe(1).f_code.co_name
    several = result.__class__ is tuple
    if grad_fn is None or (non_differentiable and not several):
        return tuple([Node(r, label=name) for r in result]) if several else Node(result, label=name)
    record = Record(
        name,
        grad_fn,
        tuple(edges),
        _ALL_NEEDED[wanted] if wanted == len(edges) < 8 else tuple([edge is not None for edge in edges]),
        tuple([_describe(r) for r in result]) if several else _describe(result),
        len(result) if several else 1,
        attrs,
        metadata,
    )
    if several and len(result) == 1:
        record._specs = record._specs[0]
    if saves is not None:
        store(record, saves, inputs, result if several else (result,), state.saved_hooks)
    else:
        record._ids = (*map(id, inputs), *map(id, result if several else (result,)))
    if saves is None and wanted != len(edges):
        operands = [i for i, arg in enumerate(args) if isinstance(arg, Node) or values.is_operand(arg)]
        if len(operands) != len(edges):
            record.extra.operands = tuple(operands)
    if saves is None and hasattr(grad_fn, "recorded"):
        grad_fn.recorded(record)
    if several:
        outputs: Any = tuple([Node(r, True, (record, i)) for i, r in enumerate(result)])
        for i in non_differentiable:
            outputs[i]._requires_grad, outputs[i]._edge, outputs[i]._label = False, None, name
        if non_differentiable:
            record.extra.non_differentiable = frozenset(non_differentiable)
    else:
        outputs = Node(result, True, (record, 0))
    if saves is None:
        outputs = _shared(outputs, args, inputs, name)
    elif saves == () and not several and getattr(result, "buffer", None) is getattr(inputs[0], "buffer", apply_op):
        outputs = _as_view(outputs, forward, grad_fn, args, name, attrs, metadata)
    if state.anomaly is not None:
        state.anomaly.created(record, result)
    if current is not None:
        current._keep(record, outputs)
    return outputs


def _shared(outputs: Any, args: tuple[Any, ...], inputs: Sequence[Any], name: str) -> Any:
    """Return the outputs of an op of a user's own, those that lie in the memory of an argument as views of it."""
    buffers = [getattr(each, "buffer", None) for each in inputs]
    found = []
    for made in outputs if isinstance(outputs, tuple) else (outputs,):
        buffer = getattr(made.value, "buffer", None)
        at = next((at for at, each in enumerate(buffers) if each is buffer is not None), None)
        found.append(made if at is None or not made._requires_grad else opaque_view(made, args[at], name))
    return tuple(found) if isinstance(outputs, tuple) else found[0]


def _as_view(
    made: Node,
    forward: Callable[..., Any],
    grad_fn: Callable[..., Any],
    args: tuple[Any, ...],
    name: str,
    attrs: Mapping[str, Any] | None,
    metadata: Mapping[str, Any] | None,
) -> Any:
    """Return a result that lies in the memory of the first argument as a view of it."""
    rest = args[1:]

    def again(base: Any) -> Any:
        return apply_op(forward, grad_fn, base, *rest, op_name=name, attrs=attrs, saves=(), metadata=metadata)

    return track_view(made, args[0], again, derived_put(again))


def view_without_gradient(value: Any, base: Node, get: Get) -> ViewNode:
    """Return a view of a node that needs no gradient as a node, so that a write through it can give the base one."""
    return ViewNode(Node(value), base, get, derived_put(get))


def derived_put(get: Get) -> Put:
    """Return the `put` of a view that selects elements.

    With V the view, base' = base - V^T V base + V^T part, so d base = dy - V^T V dy and d part = V dy. The value is
    in place already and is not computed.
    """

    def gradient(saved: Any, needs: Any, dy: Any) -> list[Any]:
        part = get(dy)
        if not needs[0]:
            return [None, part]
        with enable_grad():
            record = get(Node(values.stand_in(dy) if isinstance(dy, Node) else dy, True)).grad_fn
        return [dy - record(part)[0], part]

    def put(base: Any, part: Any) -> Any:
        return apply_op(lambda base, part: base, gradient, base, part, op_name="write_to_view", saves=())

    return put


def raising(message: str) -> Callable[..., Any]:
    """Return a grad_fn for an op without a derivative: the error comes only if backward gets there."""

    def grad_fn(*_: Any) -> Any:
        raise GraphError(message)

    return grad_fn
