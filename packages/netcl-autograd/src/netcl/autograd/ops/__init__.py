"""The catalogue on the tape: the one place of this package, beside `programs`, that knows netcl.kernels.

Calling an op with a Node among its arguments records it. The record's rule is the gradient formula that the compiler
derives; running that rule under create_graph is again the recording of a formula, so every order comes from one
function.

| module | Input → Output |
| --- | --- |
| here | a call with Nodes among its arguments → its formula, bound; the ops as functions, methods and operators |
| `recording` | a formula and operands → its outputs, with a record whose rule is the gradient formula |
| `fast_path` | a call like one before → the same in one step |
| `transformed` | the same inside a jvp or a vmap → the tangent formula goes along, or the formula gets an axis more |
| `in_place` | `out=`, `x.add_(y)`, `x[key] = y` → a write, and its gradient |
"""

from __future__ import annotations

import importlib
from typing import Any

from netcl import core, kernels
from netcl.autograd.graph.node import Node
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.graph.views import ViewNode
from netcl.autograd.ops.fast_path import again, is_plain, plain_values, remember
from netcl.autograd.ops.in_place import in_place, into, set_item, write_into
from netcl.autograd.ops.recording import Rule, computed, record_formula
from netcl.autograd.programs.trace_nodes import TraceNode
from netcl.autograd.transforms.batched import Batched
from netcl.autograd.transforms.batched_views import BatchedView
from netcl.kernels.library.attached import attach
from netcl.kernels.library.derivatives import recorded
from netcl.kernels.library.op import Op, register_handle, register_tape
from netcl.kernels.runtime.in_place import IN_PLACE, write

__all__ = ["Rule", "call", "computed", "record_formula", "recorded", "write", "write_into"]


def call(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run an op on arguments that hold Nodes: bind it, and record the formula under the op's name.

    With `out` nothing is recorded, so an operand (or target) that requires a gradient is a GraphError.
    """
    if "out" in kwargs:
        kwargs = dict(kwargs)
        if kwargs["out"] is not None:
            return into(op, args, kwargs)
        del kwargs["out"]
    state = LOCAL.state
    values = plain_values(op, args, kwargs) if is_plain(state) else None
    if values is not None and (repeated := again(op, args, kwargs, values, state)) is not None:
        return repeated
    bound = op.bind(args, kwargs)
    outputs = record_formula(bound.formula, bound.operands, bound.attributes, None, op.name)
    result = outputs[0] if len(outputs) == 1 else outputs
    if values is not None:
        remember(op, values, result)
    return result


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(kernels.ops, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(kernels.ops)})


for _handle in (Node, ViewNode, TraceNode, Batched, BatchedView):
    register_handle(_handle, call)
register_tape(call)
attach(Node)
_values: tuple[Any, ...] = (Node, core.Tensor)
for _kind in _values:
    for _name in IN_PLACE:
        setattr(_kind, _name + "_", in_place(_name))
    _kind.__setitem__ = set_item


def _never(tensor: core.Tensor) -> bool:
    """Whether gradients are computed for it: never for a Tensor, which is a value alone."""
    return False


def _refuse(tensor: core.Tensor, required: bool) -> None:
    if required:
        raise core.GraphError("requires_grad: a Tensor is a value alone; ag.tensor(x, requires_grad=True) makes a node")


core.Tensor.requires_grad = property(_never, _refuse)  # type: ignore[attr-defined]

importlib.import_module("netcl.kernels.namespace")  # packages that bring ops, which may use what is above
