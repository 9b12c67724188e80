"""What programs are made of: functions, shipped ops and ops with declared gradients, each as text and as PyTorch.

`keeps` says what a function does with exact numbers: "ring" gives exact ones again, "point" equal ones for equal
arguments. `safe` is an argument at which value and slope are ordinary numbers; it stands where a branch is not taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

Tensor = torch.Tensor
F = torch.nn.functional


@dataclass(frozen=True)
class Function:
    text: str
    torch: Callable[..., Tensor]
    keeps: str = "point"
    safe: tuple[float, ...] = ()
    steps: bool = False
    """It jumps where its argument is whole."""


def _declared(value: Callable[[Tensor], Tensor], slope: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    """A function whose gradient is the declared one, at every order."""

    class Declared(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.save_for_backward(x)
            return value(x)

        @staticmethod
        def backward(ctx: Any, dy: Tensor) -> Tensor:
            (x,) = ctx.saved_tensors
            return slope(x, dy)

    return Declared.apply


FUNCTIONS: dict[str, Function] = {
    "neg": Function("(-{0})", torch.neg, "ring"),
    "square": Function("({0} ^ 2)", lambda x: x * x, "ring"),
    "cube": Function("({0} ^ 3)", lambda x: x * x * x, "ring"),
    "abs": Function("abs({0})", torch.abs, "ring"),
    "copy": Function("copy({0})", lambda x: x * 1, "ring"),
    "detach": Function("detach({0})", lambda x: x.detach(), "ring"),
    "sign": Function("sign({0})", lambda x: torch.sign(x).detach(), "ring", steps=True),
    "floor": Function("floor({0})", lambda x: torch.floor(x).detach(), "ring", steps=True),
    "round": Function("round({0})", lambda x: torch.round(x).detach(), "ring", steps=True),
    "float": Function("float({0})", lambda x: x.to(torch.get_default_dtype()), "ring"),
    "sin": Function("sin({0})", torch.sin),
    "cos": Function("cos({0})", torch.cos),
    "tanh": Function("tanh({0})", torch.tanh),
    "atan": Function("atan({0})", torch.atan),
    "erf": Function("erf({0})", torch.erf),
    "bump": Function("exp(-({0} ^ 2))", lambda x: torch.exp(-(x * x))),
    "exp": Function("exp(0.25 * {0})", lambda x: torch.exp(0.25 * x)),
    "root": Function("sqrt(1 + {0} ^ 2)", lambda x: torch.sqrt(1 + x * x)),
    "log2p": Function("log1p({0} ^ 2)", lambda x: torch.log1p(x * x)),
    "logistic": Function("(1 / (1 + exp(-{0})))", lambda x: 1 / (1 + torch.exp(-x))),
    "ramp": Function("({0} > 0 ? {0} : 0)", lambda x: torch.where(x > 0, x, torch.zeros_like(x)), "ring"),
    "log": Function("log({0})", torch.log, safe=(1.0,)),
    "sqrt": Function("sqrt({0})", torch.sqrt, safe=(1.0,)),
    "rsqrt": Function("rsqrt({0})", torch.rsqrt, safe=(1.0,)),
    "inverse": Function("(1 / {0})", lambda x: 1 / x, safe=(1.0,)),
    "asin": Function("asin({0})", torch.asin, safe=(0.0,)),
    "acosh": Function("acosh({0})", torch.acosh, safe=(2.0,)),
    "add": Function("({0} + {1})", torch.add, "ring"),
    "sub": Function("({0} - {1})", torch.sub, "ring"),
    "mul": Function("({0} * {1})", torch.mul, "ring"),
    "max": Function("max({0}, {1})", torch.maximum, "ring"),
    "min": Function("min({0}, {1})", torch.minimum, "ring"),
    "over": Function("({0} / (1 + {1} ^ 2))", lambda a, b: a / (1 + b * b)),
    "div": Function("({0} / {1})", torch.div, safe=(0.5, 1.0)),
    "power": Function("((1 + {0} ^ 2) ^ {1})", lambda a, b: torch.pow(1 + a * a, b)),
    "hypot": Function("sqrt(1 + {0} ^ 2 + {1} ^ 2)", lambda a, b: torch.sqrt(1 + a * a + b * b)),
    "angle": Function("atan2({0}, 1 + {1} ^ 2)", lambda a, b: torch.atan2(a, 1 + b * b)),
    "less": Function("({0} < {1})", torch.lt),
    "most": Function("({0} <= {1})", torch.le),
    "greater": Function("({0} > {1})", torch.gt),
    "least": Function("({0} >= {1})", torch.ge),
    "equal": Function("({0} == {1})", torch.eq),
    "unequal": Function("({0} != {1})", torch.ne),
    "and": Function("({0} and {1})", torch.logical_and),
    "or": Function("({0} or {1})", torch.logical_or),
    "not": Function("(not {0})", torch.logical_not),
    "finite": Function("isfinite({0})", torch.isfinite),
    "whole add": Function("({0} + {1})", torch.add, "ring"),
    "whole sub": Function("({0} - {1})", torch.sub, "ring"),
    "whole mul": Function("({0} * {1})", torch.mul, "ring"),
    "halved": Function("({0} // 2)", lambda a: torch.div(a, 2, rounding_mode="floor"), "ring"),
    "parity": Function("({0} % 2)", lambda a: torch.remainder(a, 2), "ring"),
    "whole min": Function("min({0}, {1})", torch.minimum, "ring"),
    "whole max": Function("max({0}, {1})", torch.maximum, "ring"),
}  # fmt: skip
COMPARISONS = ("less", "most", "greater", "least", "equal", "unequal")


@dataclass(frozen=True)
class PointOp:
    """A shipped pointwise op, as `use` has it; `stress` says that arguments of a thousand are worth a try."""

    torch: Callable[..., Tensor]
    arity: int = 1
    stress: bool = True


POINT_OPS: dict[str, PointOp] = {
    "sigmoid": PointOp(torch.sigmoid),
    "logsigmoid": PointOp(F.logsigmoid),
    "softplus": PointOp(lambda x: F.softplus(x, threshold=1e9)),
    "silu": PointOp(F.silu),
    "gelu": PointOp(F.gelu),
    "tanh": PointOp(torch.tanh),
    "relu": PointOp(F.relu),
    "elu": PointOp(lambda x: torch.where(x > 0, x, torch.expm1(torch.where(x > 0, torch.zeros_like(x), x)))),
    "leaky_relu": PointOp(F.leaky_relu),
    "hardtanh": PointOp(F.hardtanh),
    "softsign": PointOp(F.softsign),
    "mish": PointOp(F.mish),
    "expm1": PointOp(torch.expm1, stress=False),
    "square": PointOp(torch.square, stress=False),
    "logaddexp": PointOp(torch.logaddexp, 2),
    "maximum": PointOp(torch.maximum, 2),
    "add_relu": PointOp(lambda a, b: F.relu(a + b), 2),
    "hypot": PointOp(lambda a, b: torch.where((a == 0) & (b == 0), 0.0, torch.hypot(_off(a, b), b)), 2, False),
}  # fmt: skip


def _off(a: Tensor, b: Tensor) -> Tensor:
    """a, but 1 where both are 0, the slope of their length being 0 there."""
    return torch.where((a == 0) & (b == 0), torch.ones_like(a), a)


@dataclass(frozen=True)
class RowOp:
    """A shipped op along one axis. The PyTorch form takes the number of the axis and keeps it, perhaps with length 1."""

    torch: Callable[..., Tensor]
    reduces: bool = False
    arity: int = 1
    has_axis: bool = True
    stress: bool = False
    places: bool = False


ROWS: dict[str, RowOp] = {
    "softmax": RowOp(lambda x, d: torch.softmax(x, d), stress=True),
    "log_softmax": RowOp(lambda x, d: torch.log_softmax(x, d), stress=True),
    "softmin": RowOp(lambda x, d: torch.softmax(-x, d), stress=True),
    "logsumexp": RowOp(lambda x, d: torch.logsumexp(x, d, keepdim=True), True, stress=True),
    "cumsum": RowOp(lambda x, d: torch.cumsum(x, d)),
    "logcumsumexp": RowOp(lambda x, d: torch.logcumsumexp(x, d), stress=True),
    "sum": RowOp(lambda x, d: torch.sum(x, d, keepdim=True), True),
    "mean": RowOp(lambda x, d: torch.mean(x, d, keepdim=True), True),
    "var": RowOp(lambda x, d: torch.var(x, d, correction=0, keepdim=True), True),
    "amax": RowOp(lambda x, d: torch.amax(x, d, keepdim=True), True),
    "amin": RowOp(lambda x, d: torch.amin(x, d, keepdim=True), True),
    "layer_norm": RowOp(lambda x, w, d: _layer_norm(x, d) * w, arity=2, has_axis=False),
    "rms_norm": RowOp(lambda x, w, d: x * torch.rsqrt((x * x).mean(d, keepdim=True) + 1e-6) * w, arity=2, has_axis=False),
}  # fmt: skip


def _layer_norm(x: Tensor, axis: int) -> Tensor:
    apart = x - x.mean(axis, keepdim=True)
    return apart * torch.rsqrt((apart * apart).mean(axis, keepdim=True) + 1e-5)


@dataclass(frozen=True)
class OwnOp:
    """A pointwise op with a gradient of its own, declared beside the programs that use it."""

    text: str
    torch: Callable[..., Tensor]


OWN: dict[str, OwnOp] = {
    "own_straight": OwnOp(
        "op own_straight(x: float) -> y {\n    y = round(x);\n    grad x = dy;\n}\n",
        _declared(torch.round, lambda x, dy: dy),
    ),
    "own_clipped": OwnOp(
        "op own_clipped(x: float) -> y {\n    y = sign(x);\n    grad x = abs(x) <= 1 ? dy : 0;\n}\n",
        _declared(torch.sign, lambda x, dy: torch.where(x.abs() <= 1, dy, torch.zeros_like(dy))),
    ),
    "own_reversed": OwnOp(
        "op own_reversed(x: float) -> y {\n    y = x;\n    grad x = -0.5 * dy;\n}\n",
        _declared(lambda x: x.clone(), lambda x, dy: -0.5 * dy),
    ),
    "own_bent": OwnOp(
        "op own_bent(x: float) -> y {\n    u = x + 1;\n    y = u > 0 ? u : 0;\n    grad x = dy * x * x;\n}\n",
        _declared(lambda x: torch.where(x + 1 > 0, x + 1, torch.zeros_like(x)), lambda x, dy: dy * x * x),
    ),
    "own_stepped": OwnOp(
        "op own_stepped(x: float) -> y {\n    u = 3 * x;\n    y = floor(u);\n    grad u = dy;\n}\n",
        _declared(lambda x: torch.floor(3 * x), lambda x, dy: 3 * dy),
    ),
}


@dataclass(frozen=True)
class LastStep:
    """The last step of an output, y = f(u) of a definition u, with a gradient that is declared by u."""

    function: str
    gradient: str
    torch: Callable[..., Tensor]


LAST_STEPS: dict[str, LastStep] = {
    "straight": LastStep("round", "{dy}", _declared(torch.round, lambda u, dy: dy)),
    "clipped": LastStep(
        "sign", "(abs({u}) <= 1 ? {dy} : 0)",
        _declared(torch.sign, lambda u, dy: torch.where(u.abs() <= 1, dy, torch.zeros_like(dy))),
    ),
    "same": LastStep("square", "2 * {u} * {dy}", _declared(lambda u: u * u, lambda u, dy: 2 * u * dy)),
    "other": LastStep("tanh", "{dy} / (1 + {u} ^ 2)", _declared(torch.tanh, lambda u, dy: dy / (1 + u * u))),
}  # fmt: skip
