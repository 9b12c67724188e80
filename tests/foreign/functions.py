"""What programs are made of, as text: functions, shipped ops, and ops with gradients of their own.

What they mean stands in `torch_functions` and, for some, in `loop_oracle`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    """Of exact numbers it makes exact ones again ("ring"), or equal ones of equal ones ("point")."""

    text: str
    keeps: str = "point"
    safe: tuple[float, ...] = ()
    """Arguments with an ordinary value and slope, which stand where a branch is not taken."""
    steps: bool = False
    """It jumps where its argument is whole, or halfway between."""


FUNCTIONS: dict[str, Function] = {
    "neg": Function("(-{0})", "ring"),
    "square": Function("({0} ^ 2)", "ring"),
    "cube": Function("({0} ^ 3)", "ring"),
    "abs": Function("abs({0})", "ring"),
    "copy": Function("copy({0})", "ring"),
    "detach": Function("detach({0})", "ring"),
    "sign": Function("sign({0})", "ring", steps=True),
    "floor": Function("floor({0})", "ring", steps=True),
    "round": Function("round({0})", "ring", steps=True),
    "float": Function("float({0})", "ring"),
    "sin": Function("sin({0})"),
    "cos": Function("cos({0})"),
    "tanh": Function("tanh({0})"),
    "atan": Function("atan({0})"),
    "erf": Function("erf({0})"),
    "bump": Function("exp(-({0} ^ 2))"),
    "exp": Function("exp(0.25 * {0})"),
    "root": Function("sqrt(1 + {0} ^ 2)"),
    "log2p": Function("log1p({0} ^ 2)"),
    "logistic": Function("(1 / (1 + exp(-{0})))"),
    "ramp": Function("({0} > 0 ? {0} : 0)", "ring"),
    "log": Function("log({0})", safe=(1.0,)),
    "sqrt": Function("sqrt({0})", safe=(1.0,)),
    "rsqrt": Function("rsqrt({0})", safe=(1.0,)),
    "inverse": Function("(1 / {0})", safe=(1.0,)),
    "asin": Function("asin({0})", safe=(0.0,)),
    "acosh": Function("acosh({0})", safe=(2.0,)),
    "add": Function("({0} + {1})", "ring"),
    "sub": Function("({0} - {1})", "ring"),
    "mul": Function("({0} * {1})", "ring"),
    "max": Function("max({0}, {1})", "ring"),
    "min": Function("min({0}, {1})", "ring"),
    "over": Function("({0} / (1 + {1} ^ 2))"),
    "div": Function("({0} / {1})", safe=(0.5, 1.0)),
    "power": Function("((1 + {0} ^ 2) ^ {1})"),
    "hypot": Function("sqrt(1 + {0} ^ 2 + {1} ^ 2)"),
    "angle": Function("atan2({0}, 1 + {1} ^ 2)"),
    "less": Function("({0} < {1})"),
    "most": Function("({0} <= {1})"),
    "greater": Function("({0} > {1})"),
    "least": Function("({0} >= {1})"),
    "equal": Function("({0} == {1})"),
    "unequal": Function("({0} != {1})"),
    "and": Function("({0} and {1})"),
    "or": Function("({0} or {1})"),
    "not": Function("(not {0})"),
    "finite": Function("isfinite({0})"),
    "whole add": Function("({0} + {1})", "ring"),
    "whole sub": Function("({0} - {1})", "ring"),
    "whole mul": Function("({0} * {1})", "ring"),
    "halved": Function("({0} // 2)", "ring"),
    "parity": Function("({0} % 2)", "ring"),
    "whole min": Function("min({0}, {1})", "ring"),
    "whole max": Function("max({0}, {1})", "ring"),
}
COMPARISONS = ("less", "most", "greater", "least", "equal", "unequal")


@dataclass(frozen=True)
class PointOp:
    """A shipped pointwise op, for `use`; with `stress` arguments of a thousand are worth a try."""

    arity: int = 1
    stress: bool = True


POINT_OPS: dict[str, PointOp] = {
    "sigmoid": PointOp(),
    "logsigmoid": PointOp(),
    "softplus": PointOp(),
    "silu": PointOp(),
    "gelu": PointOp(),
    "tanh": PointOp(),
    "relu": PointOp(),
    "elu": PointOp(),
    "leaky_relu": PointOp(),
    "hardtanh": PointOp(),
    "softsign": PointOp(),
    "mish": PointOp(),
    "expm1": PointOp(stress=False),
    "square": PointOp(stress=False),
    "logaddexp": PointOp(2),
    "maximum": PointOp(2),
    "add_relu": PointOp(2),
    "hypot": PointOp(2, stress=False),
}


@dataclass(frozen=True)
class RowOp:
    """A shipped op along one axis, which it may reduce."""

    reduces: bool = False
    arity: int = 1
    has_axis: bool = True
    stress: bool = False


ROWS: dict[str, RowOp] = {
    "softmax": RowOp(stress=True),
    "log_softmax": RowOp(stress=True),
    "softmin": RowOp(stress=True),
    "logsumexp": RowOp(reduces=True, stress=True),
    "cumsum": RowOp(),
    "logcumsumexp": RowOp(stress=True),
    "sum": RowOp(reduces=True),
    "mean": RowOp(reduces=True),
    "var": RowOp(reduces=True),
    "amax": RowOp(reduces=True),
    "amin": RowOp(reduces=True),
    "layer_norm": RowOp(arity=2, has_axis=False),
    "rms_norm": RowOp(arity=2, has_axis=False),
}

OWN: dict[str, str] = {
    "own_straight": "op own_straight(x: float) -> y {\n    y = round(x);\n    grad x = dy;\n}\n",
    "own_clipped": "op own_clipped(x: float) -> y {\n    y = sign(x);\n    grad x = abs(x) <= 1 ? dy : 0;\n}\n",
    "own_reversed": "op own_reversed(x: float) -> y {\n    y = x;\n    grad x = -0.5 * dy;\n}\n",
    "own_bent": "op own_bent(x: float) -> y {\n    u = x + 1;\n    y = u > 0 ? u : 0;\n    grad x = dy * x * x;\n}\n",
    "own_stepped": "op own_stepped(x: float) -> y {\n    u = 3 * x;\n    y = floor(u);\n    grad u = dy;\n}\n",
}
"""Pointwise ops with gradients that are declared and mostly not derived ones, beside the programs that use them."""


@dataclass(frozen=True)
class LastStep:
    """The last step of an output, y = f(u) of a definition u, with a gradient that is declared by u."""

    function: str
    gradient: str


LAST_STEPS: dict[str, LastStep] = {
    "straight": LastStep("round", "{dy}"),
    "clipped": LastStep("sign", "(abs({u}) <= 1 ? {dy} : 0)"),
    "same": LastStep("square", "2 * {u} * {dy}"),
    "other": LastStep("tanh", "{dy} / (1 + {u} ^ 2)"),
}
