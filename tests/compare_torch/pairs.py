"""The table: which PyTorch function means the same as an op, and the inputs on which the two are compared.

A row of `LINE`, `PLANE` or `ELSEWHERE` that gives one callable is compared with `ag.NAME` on the same arguments; where
the two spell a call differently, it gives both. Ops that only rearrange or reduce are in `CALLS`, on arrays. An op of
the catalogue that is in none of the tables has to stand in `ALONE`, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from both import Case

from netcl import autograd as ag

Array = np.ndarray[Any, Any]
Pair = tuple[Callable[..., Any], Callable[..., Any]]

INF, NAN = np.inf, np.nan

POINTS = np.array([
    0.0, -0.0, 1e-8, -1e-8, 0.3, -0.3, 0.5, -0.5, 1, -1, 1.5, -1.5, 2.5, -2.5, 3, -3, 6, -6, 20, -20, 88.5, -88.5,
    100, -100, 1e30, -1e30, INF, -INF, NAN,
])  # fmt: skip
CORNERS = np.array([0.0, -0.0, 1e-3, 0.5, -0.5, 1, -1, 2, -2, 2.5, -3, 100, -100, 1e30, -1e30, INF, -INF, NAN])
PROBABILITIES = np.array([0.0, 1e-3, 0.25, 0.5, 0.75, 1.0])
WHOLE = np.array([0, 1, -1, 2, -2, 3, 7, -7, 100])


def _floor_divide(x: Any, y: Any) -> Any:
    """PyTorch's has no derivative; it is 0."""
    return torch.floor_divide(x.detach(), y.detach()) + 0 * (x + y).nan_to_num(0, 0, 0)


def plane(first: Array, second: Array) -> tuple[Array, Array]:
    """All pairs of the points, as two columns."""
    x, y = np.meshgrid(first, second, indexing="ij")
    return x.ravel().copy(), y.ravel().copy()


LINE: dict[str, Callable[..., Any] | Pair] = {
    "abs": torch.abs, "acos": torch.acos, "acosh": torch.acosh, "asin": torch.asin, "asinh": torch.asinh,
    "atan": torch.atan, "atanh": torch.atanh, "ceil": torch.ceil, "celu": F.celu, "clone": torch.clone,
    "cos": torch.cos, "cosh": torch.cosh, "deg2rad": torch.deg2rad, "elu": F.elu, "erf": torch.erf,
    "erfc": torch.erfc, "exp": torch.exp, "exp2": torch.exp2, "expm1": torch.expm1, "floor": torch.floor,
    "frac": torch.frac, "gelu": F.gelu, "hardshrink": F.hardshrink, "hardswish": F.hardswish,
    "hardtanh": F.hardtanh, "isfinite": torch.isfinite, "isinf": torch.isinf, "isnan": torch.isnan,
    "leaky_relu": F.leaky_relu, "lgamma": torch.lgamma, "log": torch.log, "log10": torch.log10,
    "log1p": torch.log1p, "log2": torch.log2, "logit": torch.logit, "logsigmoid": F.logsigmoid, "mish": F.mish,
    "neg": torch.neg, "rad2deg": torch.rad2deg, "reciprocal": torch.reciprocal, "relu": torch.relu,
    "relu6": F.relu6, "round": torch.round, "rsqrt": torch.rsqrt, "selu": F.selu, "sigmoid": torch.sigmoid,
    "sign": torch.sign, "silu": F.silu, "sin": torch.sin, "sinh": torch.sinh, "softplus": F.softplus,
    "softshrink": F.softshrink, "softsign": F.softsign, "sqrt": torch.sqrt, "square": torch.square,
    "tan": torch.tan, "tanh": torch.tanh, "tanhshrink": F.tanhshrink, "trunc": torch.trunc,
    "cbrt": (lambda x: ag.cbrt(ag.abs(x)), lambda x: torch.pow(torch.abs(x), 1 / 3)),
    "gelu-tanh": (lambda x: ag.gelu(x, approximate="tanh"), lambda x: F.gelu(x, approximate="tanh")),
    "hardsigmoid": (ag.hardsigmoid, lambda x: F.relu6(x + 3) / 6),
    "leaky_relu-slope": (lambda x: ag.leaky_relu(x, 0.3), lambda x: F.leaky_relu(x, 0.3)),
    "elu-alpha": (lambda x: ag.elu(x, 0.7), lambda x: F.elu(x, 0.7)),
    "celu-alpha": (lambda x: ag.celu(x, 0.5), lambda x: F.celu(x, 0.5)),
    "hardtanh-limits": (lambda x: ag.hardtanh(x, -2.5, 0.5), lambda x: F.hardtanh(x, -2.5, 0.5)),
    "softplus-beta": (lambda x: ag.softplus(x, 2.5), lambda x: F.softplus(x, 2.5)),
    "softshrink-lambd": (lambda x: ag.softshrink(x, 1.5), lambda x: F.softshrink(x, 1.5)),
    "hardshrink-lambd": (lambda x: ag.hardshrink(x, 1.5), lambda x: F.hardshrink(x, 1.5)),
    "threshold": (lambda x: ag.threshold(x, 1.0, 7.0), lambda x: F.threshold(x, 1.0, 7.0)),
    "clamp": (lambda x: ag.clamp(x, -1.5, 1.5), lambda x: torch.clamp(x, -1.5, 1.5)),
    "clamp-crossed": (lambda x: ag.clamp(x, 1.5, -1.5), lambda x: torch.clamp(x, 1.5, -1.5)),
    "pow-number": (lambda x: ag.pow(x, 3.0), lambda x: x**3.0),
    "pow-zero": (lambda x: ag.pow(x, 0.0), lambda x: x**0.0),
    "pow-negative": (lambda x: ag.pow(x, -1.0), lambda x: x**-1.0),
    "pow-root": (lambda x: ag.pow(x, 0.5), lambda x: x**0.5),
    "pow-of-two": (lambda x: ag.pow(2.0, x), lambda x: 2.0**x),
    "digamma": (lambda x: ag.digamma(ag.exp(ag.tanh(x))), lambda x: torch.digamma(torch.exp(torch.tanh(x)))),
    "polygamma": (
        lambda x: ag.polygamma(ag.exp(ag.tanh(x)), 1), lambda x: torch.polygamma(1, torch.exp(torch.tanh(x))),
    ),
    "nan_to_num": torch.nan_to_num, "positive": torch.positive, "sinc": torch.sinc, "erfinv": torch.erfinv,
    "i0": torch.special.i0, "i1": torch.special.i1, "i0e": torch.special.i0e, "i1e": torch.special.i1e,
    "ndtri": torch.special.ndtri,
    "gammainc": (lambda x: ag.gammainc(2.5, x), lambda x: torch.special.gammainc(torch.full_like(x, 2.5), x)),
    "gammaincc": (lambda x: ag.gammaincc(0.5, x), lambda x: torch.special.gammaincc(torch.full_like(x, 0.5), x)),
    "zeta": (lambda x: ag.zeta(2.5, 0.5 + ag.abs(x)), lambda x: torch.special.zeta(2.5, 0.5 + torch.abs(x))),
    "where-number": (lambda x: ag.where(x > 0, x, 0.0), lambda x: torch.where(x > 0, x, 0.0)),
    "astype": (lambda x: ag.astype(x, "float32"), lambda x: x.to(torch.float32)),
}  # fmt: skip
"""Pointwise ops of one operand, compared at `POINTS`."""

PLANE: dict[str, Callable[..., Any] | Pair] = {
    "add": torch.add, "atan2": torch.atan2, "copysign": torch.copysign, "div": torch.div, "eq": torch.eq,
    "fmax": torch.fmax, "fmin": torch.fmin, "fmod": torch.fmod, "ge": torch.ge, "gt": torch.gt,
    "hypot": torch.hypot, "le": torch.le, "logaddexp": torch.logaddexp, "lt": torch.lt, "maximum": torch.maximum,
    "minimum": torch.minimum, "mul": torch.mul, "ne": torch.ne, "pow": torch.pow, "prelu": torch.ops.aten._prelu_kernel,
    "remainder": torch.remainder, "sub": torch.sub, "xlogy": torch.xlogy,
    "logaddexp2": torch.logaddexp2,
    "floor_divide": (ag.floor_divide, _floor_divide),
    "masked_fill": (lambda x, y: ag.masked_fill(x, y > 1.0, 7.0), lambda x, y: x.masked_fill(y > 1.0, 7.0)),
    "where": (lambda x, y: ag.where(x > y, x, y), lambda x, y: torch.where(x > y, x, y)),
    "lerp": (lambda x, y: ag.lerp(x, y, 0.25), lambda x, y: torch.lerp(x, y, 0.25)),
    "clamp-lo": (ag.clamp, lambda x, y: torch.clamp(x, min=y)),
    "clamp-hi": (lambda x, y: ag.clamp(x, hi=y), lambda x, y: torch.clamp(x, max=y)),
    "addcmul": (lambda x, y: ag.addcmul(x, x, y, value=2), lambda x, y: torch.addcmul(x, x, y, value=2)),
    "addcdiv": (lambda x, y: ag.addcdiv(x, x, y, value=2), lambda x, y: torch.addcdiv(x, x, y, value=2)),
    "add_relu": (ag.add_relu, lambda x, y: torch.relu(x + y)),
    "bias_gelu": (ag.bias_gelu, lambda x, y: F.gelu(x + y)),
    **{
        name: (
            lambda x, y, name=name: getattr(ag, name)(x, y, reduction="none"),
            lambda x, y, name=name: getattr(F, name)(x, y, reduction="none"),
        )
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div")
    },
    "smooth_l1_loss-beta": (
        lambda x, y: ag.smooth_l1_loss(x, y, beta=0.5, reduction="none"),
        lambda x, y: F.smooth_l1_loss(x, y, beta=0.5, reduction="none"),
    ),
    "huber_loss-delta": (
        lambda x, y: ag.huber_loss(x, y, delta=0.5, reduction="none"),
        lambda x, y: F.huber_loss(x, y, delta=0.5, reduction="none"),
    ),
}  # fmt: skip
"""Pointwise ops of two operands, compared at all pairs of `CORNERS`."""

ELSEWHERE: dict[str, tuple[Array, Array, Callable[..., Any], Callable[..., Any]]] = {
    "bce_loss": (
        PROBABILITIES, PROBABILITIES,
        lambda x, y: ag.bce_loss(x, y, reduction="none"), lambda x, y: F.binary_cross_entropy(x, y, reduction="none"),
    ),
    "bce_with_logits": (
        CORNERS, np.append(PROBABILITIES, NAN),
        lambda x, y: ag.bce_with_logits(x, y, reduction="none"),
        lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="none"),
    ),
    "bce_with_logits-weight": (
        CORNERS, PROBABILITIES,
        lambda x, y: ag.bce_with_logits(x, y, y.detach() * 0 + 3.0, reduction="none"),
        lambda x, y: F.binary_cross_entropy_with_logits(x, y, pos_weight=y.detach() * 0 + 3.0, reduction="none"),
    ),
}  # fmt: skip
"""Pointwise ops whose operands have domains of their own."""


def pointwise(dtype: str) -> list[Case]:
    """Every pointwise op at the points of its domain, in one dtype."""
    cases = []
    for name, pair in LINE.items():
        cases.append(_case(name, dtype, pair, [POINTS.astype(dtype)]))
    for name, pair in PLANE.items():
        cases.append(_case(name, dtype, pair, [each.astype(dtype) for each in plane(CORNERS, CORNERS)]))
    for name, (first, second, ours, theirs) in ELSEWHERE.items():
        cases.append(_case(name, dtype, (ours, theirs), [each.astype(dtype) for each in plane(first, second)]))
    return cases


def _case(name: str, dtype: str, pair: Callable[..., Any] | Pair, inputs: list[Array]) -> Case:
    ours, theirs = pair if isinstance(pair, tuple) else (getattr(ag, name), pair)
    return Case(name, dtype, ours, theirs, inputs, orders=2 if dtype == "float64" else 1, pointwise=True)
