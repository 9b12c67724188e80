"""backward and grad: the two ways to start a backward.

`backward` adds gradients into leaves; `grad` returns them and touches nothing. Derived transforms are in `transforms`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from netcl.autograd.engine.accumulation import graph_add, owned
from netcl.autograd.engine.engine import execute
from netcl.autograd.engine.plan import Plan
from netcl.autograd.graph import hooks, values
from netcl.autograd.graph.levels import without_graph
from netcl.autograd.graph.node import Node
from netcl.autograd.graph.record import Accumulator, Edge, Record
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.programs.trace_gradients import gradients as gradients_of_trace
from netcl.autograd.programs.trace_nodes import TraceNode
from netcl.autograd.transforms.batched import batch_levels, in_each_call, innermost, of_all_calls
from netcl.core.arguments import explained
from netcl.core.errors import DtypeError, GraphError, ShapeError

__all__ = ["GradientEdge", "backward", "get_gradient_edge", "grad"]


class GradientEdge(NamedTuple):
    """A place in the graph without its value; a root or an input of backward."""

    record: Record
    output_nr: int


@explained
def get_gradient_edge(node: Node) -> GradientEdge:
    """Return where a node's gradient goes."""
    return GradientEdge(*node.gradient_edge("get_gradient_edge"))


@explained
def backward(
    outputs: Any,
    grads: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of `outputs` (a node or several) into the leaves they came from, or only into `inputs`.

    `grads` are the output gradients, None for ones. Saved values are released unless `retain_graph` (its default is
    `create_graph`). With `create_graph` the gradients are nodes that can be differentiated again. Raises ShapeError or
    DtypeError for an output gradient that does not fit, GraphError for a graph that was released.
    """
    if LOCAL.state.levels and batch_levels(*([] if grads is None else _as_list(grads))):
        raise GraphError("backward: an output gradient differs from call to call of a vmap; use ag.grad, which returns")
    if LOCAL.state.tracer is not None:
        raise GraphError(
            "backward: a traced function adds to no .grad; return what ag.grad or ag.value_and_grad gives, or call "
            "backward outside of the function"
        )
    roots = _roots("backward", outputs, grads, create_graph, scalars_only=False)
    retain = create_graph if retain_graph is None else retain_graph
    if inputs is None:
        plan = None
        if hooks.any_accumulated:
            plan = Plan([edge for edge, _ in roots], (), everything=True, accumulate=True)
        execute(roots, retain_graph=retain, create_graph=create_graph, plan=plan)
        return
    wanted = _as_list(inputs)
    if not wanted:
        raise GraphError("backward: inputs is empty; leave it out to reach all leaves")
    edges = [_edge("backward: inputs", item) for item in wanted]
    plan = Plan([edge for edge, _ in roots], edges, everything=False, accumulate=True)
    execute(roots, retain_graph=retain, create_graph=create_graph, plan=plan)
    for node, (record, output) in zip(wanted, edges, strict=True):
        if record.__class__ is Accumulator or not isinstance(node, Node):
            continue
        box = [plan.captured.pop((record.sequence_nr, output), None)]
        if box[0] is not None:
            node._grad = owned(box, 0) if node._grad is None else graph_add(node._grad, box[0])


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> Any:
    """Return the gradients of `outputs` for `inputs`: one, a list, or a dict, as `inputs` is. No `.grad` is touched.

    An output must have one element unless `grad_outputs` has its gradient. An input that was not used is an error,
    None with `allow_unused`, or zeros with `materialize_grads`.
    """
    if materialize_grads and allow_unused is False:
        raise GraphError("grad: materialize_grads=True gives zeros for unused inputs, allow_unused=False refuses them")
    wanted = list(inputs.values()) if isinstance(inputs, Mapping) else _as_list(inputs)
    if allow_unused is None:
        allow_unused = materialize_grads
    found = _gradients(outputs, wanted, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
    if isinstance(inputs, Mapping):
        return dict(zip(inputs, found, strict=True))
    return found if isinstance(inputs, (list, tuple)) and not _is_edge(inputs) else found[0]


def _gradients(
    outputs: Any, wanted: Sequence[Any], grad_outputs: Any, retain_graph: bool | None, create_graph: bool,
    allow_unused: bool, materialize_grads: bool,
) -> list[Any]:  # fmt: skip
    """The gradients for each of `wanted`."""
    level = innermost(*_as_list(outputs), *wanted) if LOCAL.state.levels else None
    if level is not None:
        given = of_all_calls(level, _as_list(outputs), wanted, grad_outputs)
        found = _gradients(*given, retain_graph, create_graph, allow_unused, materialize_grads)
        return [None if g is None else in_each_call(g, level) for g in found]
    roots = _roots("grad", outputs, grad_outputs, create_graph, scalars_only=True)
    edges = [_edge("grad: inputs", item) for item in wanted]
    arrived: Iterable[Any]
    if all(isinstance(edge[0], TraceNode) for edge, _ in roots):
        nodes = [(edge[0], seed) for edge, seed in roots]
        arrived = gradients_of_trace(LOCAL.state.tracer, nodes, wanted, create_graph)
    else:
        arrived = _run(roots, edges, create_graph if retain_graph is None else retain_graph, create_graph)
    found = []
    for index, gradient in enumerate(arrived):
        if gradient is not None:
            found.append(gradient)
        elif materialize_grads:
            found.append(values.filled(edges[index][0].spec(edges[index][1]), 0))
        elif allow_unused:
            found.append(None)
        else:
            raise GraphError(
                f"grad: input {index} was not used to compute the outputs; pass allow_unused=True to get None for it, "
                "or materialize_grads=True to get zeros"
            )
    return found


def _run(roots: list[tuple[Edge, Any]], edges: list[Edge], retain: bool, create_graph: bool) -> Iterator[Any]:
    """What arrives at each edge, or None."""
    plan = Plan([edge for edge, _ in roots], edges, everything=False, accumulate=False)
    execute(roots, retain_graph=retain, create_graph=create_graph, plan=plan)
    keys = [(record.sequence_nr, output) for record, output in edges]
    for index, key in enumerate(keys):
        box = [plan.captured.get(key) if key in keys[index + 1 :] else plan.captured.pop(key, None)]
        yield None if box[0] is None else owned(box, 0)


def _roots(caller: str, outputs: Any, grads: Any, create_graph: bool, scalars_only: bool) -> list[tuple[Edge, Any]]:
    """Return the edges that backward starts from, each with its gradient."""
    nodes = _as_list(outputs)
    seeds = [None] * len(nodes) if grads is None else _as_list(grads)
    if len(seeds) != len(nodes):
        raise GraphError(f"{caller}: {len(nodes)} outputs but {len(seeds)} output gradients")
    roots = []
    for index, (node, seed) in enumerate(zip(nodes, seeds, strict=True)):
        edge = _edge(f"{caller}: output {index}", node)
        spec = edge[0].spec(edge[1])
        if seed is None:
            if scalars_only and math.prod(spec[0]) != 1:
                raise GraphError(
                    f"{caller}: output {index} has shape {spec[0]}; only one element has a gradient by itself, "
                    "pass grad_outputs or reduce it (e.g. with sum())"
                )
            seed = values.seed(spec)
        else:
            if isinstance(node, Node):
                seed = seed if isinstance(seed, Node) else values.like(seed, node)
            shape, dtype = values.shape_of(seed), values.dtype_of(seed)
            if shape != spec[0]:
                raise ShapeError(
                    f"{caller}: upstream gradient shape mismatch: "
                    f"output {index} has shape {spec[0]}, its gradient {shape}"
                )
            if spec[1] is not None and dtype != spec[1]:
                raise DtypeError(
                    f"{caller}: upstream gradient dtype mismatch: "
                    f"output {index} has dtype {spec[1]}, its gradient {dtype}"
                )
            seed = seed if create_graph else without_graph(seed)
        roots.append((edge, seed))
    if not roots:
        raise GraphError(f"{caller}: no outputs were given")
    return roots


def _edge(caller: str, item: Any) -> Edge:
    if isinstance(item, TraceNode):
        if not item.requires_grad:
            raise GraphError(f"{caller}: this value does not require a gradient; compute it from something that does")
        return (item, 0)  # type: ignore[return-value]  # it knows its spec, as a record does
    if isinstance(item, Node):
        return item.gradient_edge(caller)
    if _is_edge(item):
        return (item[0], item[1])
    raise GraphError(
        f"{caller}: expected a Node, got a {type(item).__name__}; a plain Tensor has no gradient, "
        "make it with ag.tensor(data, requires_grad=True), or take the gradient that it comes from with "
        "create_graph=True (that of a linear function is such a value all the same: it depends on no input)"
    )


def _is_edge(item: Any) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], Record) and isinstance(item[1], int)


def _as_list(items: Any) -> Sequence[Any]:
    if isinstance(items, (list, tuple)) and not _is_edge(items):
        return list(items)
    return [items]
