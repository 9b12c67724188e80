"""What a grad_fn and a hook may return: one gradient per operand, each of its operand's shape and dtype.

Whatever does not keep to it is an error that names the op and the operand; nothing is broadcast, cast or dropped.
"""

from __future__ import annotations

from typing import Any

from netcl.autograd.graph import values
from netcl.autograd.graph.levels import without_graph
from netcl.autograd.graph.node import Node
from netcl.autograd.graph.record import Record
from netcl.autograd.graph.saved import closed_over
from netcl.core.errors import DtypeError, GraphError, ShapeError


def replaced(record: Record, output: int, gradient: Any, create_graph: bool) -> Any:
    """Check a gradient that came from a hook."""
    values.require_value(gradient, f"{record.name}: what a hook on output {output} returned")
    if not create_graph:
        gradient = without_graph(gradient)
    shape, dtype, _ = record.spec(output)
    if values.shape_of(gradient) != shape:
        raise ShapeError(
            f"{record.name}: gradient shape mismatch: a hook on output {output} returned shape "
            f"{values.shape_of(gradient)}, the output has {shape}"
        )
    if dtype is not None and values.dtype_of(gradient) != dtype:
        raise DtypeError(
            f"{record.name}: a hook on output {output} returned a gradient of dtype {values.dtype_of(gradient)}, "
            f"the output has {dtype}"
        )
    return gradient


def aligned(record: Record, gradients: Any) -> list[Any]:
    """Return what a rule returned as a list with one entry per argument."""
    edges = record._edges
    if isinstance(gradients, (list, tuple)):
        if len(gradients) == len(edges):
            return list(gradients)
        operands = None if record._extra is None else record._extra.operands
        if operands is not None and len(gradients) == len(operands):
            by_argument: list[Any] = [None] * len(edges)
            for i, gradient in zip(operands, gradients, strict=True):
                by_argument[i] = gradient
            return by_argument
        found = f"{len(gradients)} gradients"
    else:
        operands = None if record._extra is None else record._extra.operands
        found = f"a {type(gradients).__name__}"
    count = len(edges) if operands is None else len(operands)
    raise GraphError(
        f"{record.name}: its grad_fn returned {found}, expected a list with one gradient (or None) "
        f"for each of the {count} operands"
    )


def checked(record: Record, gradients: Any) -> list[Any]:
    gradients = aligned(record, gradients)
    for index, edge in enumerate(record._edges):
        if edge is None:
            gradients[index] = None
        elif gradients[index] is not None:
            spec = edge[0].spec(edge[1])
            if values.shape_of(gradients[index]) != spec[0]:
                raise shape_error(record, index, gradients[index], spec)
            require_gradient(record, index, gradients[index])
    return gradients


def require_gradient(record: Record, index: int, gradient: Any) -> None:
    """Refuse what a rule returned that is no value."""
    values.require_value(gradient, f"{record.name}: what its grad_fn returned for operand {index}")


def shape_error(record: Record, index: int, gradient: Any, spec: values.Spec) -> ShapeError:
    require_gradient(record, index, gradient)
    return ShapeError(
        f"{record.name}: gradient shape mismatch during accumulation: its grad_fn returned shape "
        f"{values.shape_of(gradient)} for operand {index}, which has shape {spec[0]}; sum the gradient over the axes "
        "that were broadcast"
    )


def dtype_error(record: Record, index: int, gradient: Any, spec: values.Spec) -> DtypeError:
    kind = values.dtype_of(gradient) or type(gradient).__name__
    return DtypeError(
        f"{record.name}: gradient dtype mismatch: its grad_fn returned {kind} for operand {index}, which is {spec[1]}"
    )


def explain(error: BaseException, record: Record, anomaly: Any) -> None:
    """Add to an error which op's backward it came from, and in anomaly mode where that op was called."""
    if not getattr(error, "__notes__", None):
        note(error, f"in the backward of {record.name} (record {record.sequence_nr})")
    if anomaly is not None:
        anomaly.failed(error, record)


def note(error: BaseException, text: str) -> None:
    """Add a line to an error; Python shows it from 3.11 on."""
    if hasattr(error, "add_note"):
        error.add_note(text)
    else:
        error.__notes__ = [*getattr(error, "__notes__", []), text]  # type: ignore[attr-defined]


def refuse_plain_values(record: Record) -> None:
    """Refuse to differentiate twice a rule that closes over the plain value of an operand or of the output.

    Nothing would connect that value to the graph, so its share of the second derivative would be a silent zero.
    """
    for name, value in closed_over(record._rule).items():
        if not isinstance(value, Node) and id(value) in record._ids:
            raise GraphError(
                f"{record.name}: under create_graph its grad_fn uses {name!r}, the plain value of an operand or of the "
                "output, which has no place in the graph; let it use the node, or give the op saves=…"
            )
