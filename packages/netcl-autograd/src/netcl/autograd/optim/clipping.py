"""Clipping gradients in place, between backward and an optimizer's step. Nothing waits for the device, unless it is to
raise for what is not finite."""

from __future__ import annotations

import math
from collections.abc import Iterator

from netcl import core
from netcl.autograd import ops
from netcl.autograd.graph.node import Node
from netcl.autograd.optim.parameters import Params, distinct
from netcl.core.arguments import explained
from netcl.core.errors import GraphError


@explained
def clip_grad_norm(
    params: Params, max_norm: float, norm_type: float = 2, error_if_nonfinite: bool = False
) -> core.Tensor:
    """Scale all gradients together so that their norm is at most `max_norm`; return the norm before, a 0-d Tensor.

    The factor is max_norm / (norm + 1e-6), as in PyTorch. `params` are leaves, or a tree of them, in which a leaf
    at several places counts once; those without a gradient are left alone. With `error_if_nonfinite` a norm that is
    NaN or infinite raises GraphError and no gradient is changed; this waits for the device.
    """
    gradients = list(_gradients("clip_grad_norm", params))
    if not gradients:
        return core.zeros(())
    norms = [ops.astype(ops.norm(each, norm_type), gradients[0].dtype) for each in gradients]
    total: core.Tensor = ops.norm(ops.stack(norms), norm_type)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise GraphError(
            f"clip_grad_norm: the norm of the gradients is {total.item()}, so they cannot be scaled; "
            "ag.gradient_report says which of them are not finite, ag.detect_anomaly where that came from"
        )
    factor = ops.minimum(ops.div(float(max_norm), ops.add(total, 1e-6)), 1.0)
    for each in gradients:
        ops.write_into("mul", [each], [ops.astype(factor, each.dtype)], {})
    return total


@explained
def clip_grad_value(params: Params, value: float) -> None:
    """Hold every element of the gradients between -value and value."""
    for each in _gradients("clip_grad_value", params):
        ops.write_into("clamp", [each], [-float(value), float(value)], {})


def _gradients(what: str, params: Params) -> Iterator[core.Tensor]:
    for param in distinct(what, params):
        gradient = param.grad
        if gradient is not None:
            yield gradient.value if isinstance(gradient, Node) else gradient
