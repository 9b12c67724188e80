"""Looking at the gradients of parameters: their names, shapes, norms, and how many are NaN or Inf."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TextIO

from netcl import core
from netcl.autograd.graph import values
from netcl.autograd.graph.node import Node, unwrap
from netcl.core.arguments import explained, kind_of
from netcl.core.errors import GraphError

__all__ = ["GradientRow", "gradient_report", "print_gradients"]


class GradientRow(NamedTuple):
    """One parameter; `norm` is of the finite elements, and None where there is no gradient."""

    name: str
    shape: tuple[int, ...]
    norm: float | None
    nan_count: int
    inf_count: int


@explained
def gradient_report(params: Mapping[str, Node] | Iterable[Node]) -> list[GradientRow]:
    """Return a row for each node, named by its key, its own name, or its number. Waits for the device."""
    named = params.items() if isinstance(params, Mapping) else ((None, node) for node in params)
    rows = []
    for number, (key, node) in enumerate(named):
        if not isinstance(node, Node):
            raise GraphError(
                f"gradient_report: parameter {number if key is None else key} is {kind_of(node)}, which has no "
                "gradient; give leaves, which ag.tensor(data, requires_grad=True) makes"
            )
        name = key or node.name or f"parameter {number}"
        rows.append(GradientRow(name, node.shape, *_measured(unwrap(node.grad))))
    return rows


@explained
def print_gradients(params: Mapping[str, Node] | Iterable[Node], file: TextIO | None = None) -> str:
    """Print `gradient_report` as a table, and return the text."""
    rows = gradient_report(params)
    width = max([len(row.name) for row in rows] + [len("name")])
    shapes = max([len(str(row.shape)) for row in rows] + [len("shape")])
    lines = [f"{'name':{width}}  {'shape':{shapes}}  {'norm':>12}  {'NaN':>8}  {'Inf':>8}"]
    for row in rows:
        norm = "none" if row.norm is None else f"{row.norm:.6g}"
        lines.append(f"{row.name:{width}}  {row.shape!s:{shapes}}  {norm:>12}  {row.nan_count:8}  {row.inf_count:8}")
    text = "\n".join(lines)
    print(text, file=file)
    return text


def _measured(gradient: Any) -> tuple[float | None, int, int]:
    """Norm, NaN count and Inf count."""
    if gradient is None:
        return None, 0, 0
    if not values.is_device_tensor(gradient):
        number = float(gradient)
        finite = math.isfinite(number)
        return abs(number) if finite else 0.0, int(math.isnan(number)), int(math.isinf(number))
    stats = core.tensor_stats(gradient)
    finite_count = stats.size - stats.nan_count - stats.inf_count
    norm = math.sqrt(finite_count * (stats.std**2 + stats.mean**2)) if finite_count else 0.0
    return norm, stats.nan_count, stats.inf_count
