"""What the functions and ops of programs mean, in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Tensor = torch.Tensor
Meaning = Callable[..., Tensor]
F = torch.nn.functional


def declared(value: Callable[[Tensor], Tensor], slope: Callable[[Tensor, Tensor], Tensor]) -> Meaning:
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


def clipped(x: Tensor, dy: Tensor) -> Tensor:
    return torch.where(x.abs() <= 1, dy, torch.zeros_like(dy))


def elu(x: Tensor) -> Tensor:
    """With the slope of its left piece at 0, at every order."""
    return torch.where(x > 0, x, torch.expm1(torch.where(x > 0, torch.zeros_like(x), x)))


def hypot(a: Tensor, b: Tensor) -> Tensor:
    """With the slope 0 where both are 0."""
    zero = (a == 0) & (b == 0)
    return torch.where(zero, torch.zeros_like(a), torch.hypot(torch.where(zero, torch.ones_like(a), a), b))


def layer_norm(x: Tensor, w: Tensor, axis: int) -> Tensor:
    apart = x - x.mean(axis, keepdim=True)
    return apart * torch.rsqrt((apart * apart).mean(axis, keepdim=True) + 1e-5) * w


def rms_norm(x: Tensor, w: Tensor, axis: int) -> Tensor:
    return x * torch.rsqrt((x * x).mean(axis, keepdim=True) + 1e-6) * w


FUNCTIONS: dict[str, Meaning] = {
    "neg": torch.neg,
    "square": lambda x: x * x,
    "cube": lambda x: x * x * x,
    "abs": torch.abs,
    "copy": lambda x: x * 1,
    "detach": lambda x: x.detach(),
    "sign": lambda x: torch.sign(x).detach(),
    "floor": lambda x: torch.floor(x).detach(),
    "round": lambda x: torch.round(x).detach(),
    "float": lambda x: x.to(torch.get_default_dtype()),
    "sin": torch.sin,
    "cos": torch.cos,
    "tanh": torch.tanh,
    "atan": torch.atan,
    "erf": torch.erf,
    "bump": lambda x: torch.exp(-(x * x)),
    "exp": lambda x: torch.exp(0.25 * x),
    "root": lambda x: torch.sqrt(1 + x * x),
    "log2p": lambda x: torch.log1p(x * x),
    "logistic": lambda x: 1 / (1 + torch.exp(-x)),
    "ramp": lambda x: torch.where(x > 0, x, torch.zeros_like(x)),
    "log": torch.log,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "inverse": lambda x: 1 / x,
    "asin": torch.asin,
    "acosh": torch.acosh,
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "max": torch.maximum,
    "min": torch.minimum,
    "over": lambda a, b: a / (1 + b * b),
    "div": torch.div,
    "power": lambda a, b: torch.pow(1 + a * a, b),
    "hypot": lambda a, b: torch.sqrt(1 + a * a + b * b),
    "angle": lambda a, b: torch.atan2(a, 1 + b * b),
    "less": torch.lt,
    "most": torch.le,
    "greater": torch.gt,
    "least": torch.ge,
    "equal": torch.eq,
    "unequal": torch.ne,
    "and": torch.logical_and,
    "or": torch.logical_or,
    "not": torch.logical_not,
    "finite": torch.isfinite,
    "whole add": torch.add,
    "whole sub": torch.sub,
    "whole mul": torch.mul,
    "halved": lambda a: torch.div(a, 2, rounding_mode="floor"),
    "parity": lambda a: torch.remainder(a, 2),
    "whole min": torch.minimum,
    "whole max": torch.maximum,
}

POINT_OPS: dict[str, Meaning] = {
    "sigmoid": torch.sigmoid,
    "logsigmoid": F.logsigmoid,
    "softplus": lambda x: F.softplus(x, threshold=40),  # above, it is x to the last bit; exp would overflow
    "silu": F.silu,
    "gelu": F.gelu,
    "tanh": torch.tanh,
    "relu": F.relu,
    "elu": elu,
    "leaky_relu": F.leaky_relu,
    "hardtanh": F.hardtanh,
    "softsign": F.softsign,
    "mish": F.mish,
    "expm1": torch.expm1,
    "square": torch.square,
    "logaddexp": torch.logaddexp,
    "maximum": torch.maximum,
    "add_relu": lambda a, b: F.relu(a + b),
    "hypot": hypot,
}

# The last argument is the number of the axis, which stays, perhaps with length 1.
ROWS: dict[str, Meaning] = {
    "softmax": lambda x, d: torch.softmax(x, d),
    "log_softmax": lambda x, d: torch.log_softmax(x, d),
    "softmin": lambda x, d: torch.softmax(-x, d),
    "logsumexp": lambda x, d: torch.logsumexp(x, d, keepdim=True),
    "cumsum": lambda x, d: torch.cumsum(x, d),
    "logcumsumexp": lambda x, d: torch.logcumsumexp(x, d),
    "sum": lambda x, d: torch.sum(x, d, keepdim=True),
    "mean": lambda x, d: torch.mean(x, d, keepdim=True),
    "var": lambda x, d: torch.var(x, d, correction=0, keepdim=True),
    "amax": lambda x, d: torch.amax(x, d, keepdim=True),
    "amin": lambda x, d: torch.amin(x, d, keepdim=True),
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
}

OWN: dict[str, Meaning] = {
    "own_straight": declared(torch.round, lambda x, dy: dy),
    "own_clipped": declared(torch.sign, clipped),
    "own_reversed": declared(lambda x: x.clone(), lambda x, dy: -0.5 * dy),
    "own_bent": declared(lambda x: torch.where(x + 1 > 0, x + 1, torch.zeros_like(x)), lambda x, dy: dy * x * x),
    "own_stepped": declared(lambda x: torch.floor(3 * x), lambda x, dy: 3 * dy),
}

LAST_STEPS: dict[str, Meaning] = {
    "straight": declared(torch.round, lambda u, dy: dy),
    "clipped": declared(torch.sign, clipped),
    "same": declared(lambda u: u * u, lambda u, dy: 2 * u * dy),
    "other": declared(torch.tanh, lambda u, dy: dy / (1 + u * u)),
}
