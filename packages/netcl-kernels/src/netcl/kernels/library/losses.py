"""Losses with options that their ops do not have: weights of elements, and distances other than the Euclidean one.

Without those options each is one op.
"""

from __future__ import annotations

from typing import Any

from netcl.core.arguments import Operand
from netcl.kernels.library.composites import call_op, composite
from netcl.kernels.library.recipes import norm
from netcl.kernels.runtime.arguments import require_reduction


@composite()
def bce_with_logits(x: Operand, y: Operand, pos_weight: Any = None, reduction: str = "mean", weight: Any = None) -> Any:
    """Binary cross entropy of logits x; `pos_weight` is the weight of positive examples, `weight` that of each element.

    The weights broadcast. The mean is that of the weighted elements, divided by their number.
    """
    if weight is None:
        return call_op("bce_with_logits", x, y, pos_weight, reduction)
    return _reduced(
        "bce_with_logits", call_op("mul", call_op("bce_with_logits", x, y, pos_weight, "none"), weight), reduction
    )


@composite()
def triplet_margin_loss(
    anchor: Operand,
    positive: Operand,
    negative: Operand,
    margin: float = 1,
    eps: float = 1e-6,
    reduction: str = "mean",
    p: float = 2,
    swap: bool = False,
) -> Any:
    """max(0, margin + |anchor - positive| - |anchor - negative|), vectors along the last axis (Schroff et al., 2015).

    Lengths are p-norms of differences plus eps, as in PyTorch. With `swap` the distance of positive and negative counts
    instead, where that is the smaller one (Balntas et al., 2016).
    """
    if p == 2 and not swap:
        return call_op("triplet_margin_loss", anchor, positive, negative, margin, eps, reduction)
    near, far = _distance(anchor, positive, p, eps), _distance(anchor, negative, p, eps)
    if swap:
        far = call_op("minimum", far, _distance(positive, negative, p, eps))
    gap = call_op("add", call_op("sub", near, far), float(margin))
    return _reduced("triplet_margin_loss", call_op("clamp", gap, 0), reduction)


def _distance(a: Any, b: Any, p: float, eps: float) -> Any:
    return norm(call_op("add", call_op("sub", a, b), float(eps)), p, -1)


def _reduced(op: str, each: Any, reduction: str) -> Any:
    require_reduction(f"{op}: reduction", reduction)
    return each if reduction == "none" else call_op(reduction, each)
