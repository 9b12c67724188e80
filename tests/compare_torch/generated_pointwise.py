"""Pointwise ops at random: broadcasting, dtypes, corners."""

from __future__ import annotations

import numpy as np
import torch
from differences import rows
from drawing import Call, Draw, Drawn
from pairs import CORNERS, LINE, PLANE, POINTS

from netcl import autograd as ag

INSIDE = {"erfinv": (-0.9, 0.9), "acosh": (1.1, 3), "atanh": (-0.9, 0.9), "asin": (-0.9, 0.9), "acos": (-0.9, 0.9)}
POSITIVE = ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "lgamma", "logit", "cbrt")
INTEGERS = (
    "add",
    "sub",
    "mul",
    "maximum",
    "minimum",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "div",
    "where",
    "floor_divide",
)
MIXED = ("int64", "int32", "uint8", "bool", "float32", "float64")


def line(draw: Draw) -> Drawn:
    name = draw.choice(list(LINE))
    pair = LINE[name]
    ours, theirs = pair if isinstance(pair, tuple) else (getattr(ag, name), pair)
    low, high = INSIDE.get(name, (0.05, 0.95) if name in POSITIVE else (-3, 3))
    return name, ours, theirs, [draw.floats(*draw.shape(), low=low, high=high)], 2


def plane(draw: Draw) -> Drawn:
    name = draw.choice(list(PLANE))
    pair = PLANE[name]
    ours, theirs = pair if isinstance(pair, tuple) else (getattr(ag, name), pair)
    first, second = draw.broadcast(2)
    if name.split("-")[0].endswith(("loss", "div")) and name != "div":
        second = first
    low = 0.2 if name in ("pow", "xlogy", "kl_div") else -2.0
    if "clamp" in name or name == "masked_fill" or "addc" in name:
        second = second if np.broadcast_shapes(first, second) == first else first
    if name == "prelu":
        second = first
    return name, ours, theirs, [draw.floats(*first, low=low), draw.floats(*second, low=low)], 2


def of_integers(draw: Draw) -> Drawn:
    name = draw.choice(INTEGERS)
    first, second = draw.broadcast(2)
    kinds = [draw.choice(MIXED), draw.choice(MIXED)]
    if kinds == ["bool", "bool"] and name in ("add", "sub", "mul"):
        kinds[1] = "int64"  # bools alone are numbers here
    x = draw.whole(*first, below=6, least=0).astype(kinds[0])
    y = draw.whole(*second, below=6, least=1).astype(kinds[1])
    if name == "where":
        return name, lambda a, b: ag.where(a > 1, a, b), lambda a, b: torch.where(a > 1, a, b), [x, y], 1
    return name, getattr(ag, name), getattr(torch, name), [x, y], 1


ELSEWISE = {name for row in rows("Pointwise ops") if "value" in row.results for name in row.names}
"""Ops with values that are not PyTorch's at some corner."""


def corners(draw: Draw) -> Drawn:
    """Infinities, NaN and zeros of both signs: values alone."""
    if draw.chance(0.5):
        name = draw.choice(sorted(LINE.keys() - ELSEWISE - {"polygamma", "digamma", "nan_to_num"}))
        pair, inputs = LINE[name], [draw.numbers.choice(POINTS, draw.shape(1, 3))]
    else:
        name = draw.choice(sorted(PLANE.keys() - ELSEWISE))
        shape = draw.shape(1, 3)
        pair, inputs = PLANE[name], [draw.numbers.choice(CORNERS, shape), draw.numbers.choice(CORNERS, shape)]
    ours, theirs = pair if isinstance(pair, tuple) else (getattr(ag, name), pair)
    return name, ours, theirs, inputs, 0


def of_three(draw: Draw) -> Drawn:
    name = draw.choice(("lerp", "where", "addcmul", "addcdiv", "clamp", "fma"))
    shapes = draw.broadcast(3)
    xs = [draw.floats(*shape, low=0.3) for shape in shapes]
    value = draw.choice((1, 0.5, -2, 3))
    pairs: dict[str, tuple[Call, Call]] = {
        "lerp": (ag.lerp, torch.lerp),
        "where": (lambda c, a, b: ag.where(c > 1, a, b), lambda c, a, b: torch.where(c > 1, a, b)),
        "addcmul": (
            lambda c, a, b: ag.addcmul(c, a, b, value=value), lambda c, a, b: torch.addcmul(c, a, b, value=value),
        ),
        "addcdiv": (
            lambda c, a, b: ag.addcdiv(c, a, b, value=value), lambda c, a, b: torch.addcdiv(c, a, b, value=value),
        ),
        "clamp": (ag.clamp, torch.clamp),
        "fma": (ag.fma, lambda a, b, c: a * b + c),
    }  # fmt: skip
    return name, *pairs[name], xs, 2
