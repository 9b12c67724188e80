"""Gradients of extremes of sums, beside PyTorch: `python tests/foreign/run.py 200 --what extremes`.

The derivative of a minimum asks which element equals it. Where the elements are sums, the answer is right only if both
were added in one order, whatever kernels they are computed in; and which kernels these are depends on sizes. So the
arrays here are as large as it takes to come to each of them, or the thresholds of the target as small.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from trials import Fault

LENGTHS = {"small-cpu": (3, 5, 17, 40, 64, 100), "small-gpu": (3, 5, 17, 40, 64), "": (40, 200, 500)}
"""Of the two axes that make the pairs, for each target."""

DEPTHS = {"small-cpu": (2, 5, 17, 40, 100), "small-gpu": (2, 5, 17, 40), "": (3, 33, 150)}
"""Of what is added up."""

AXES = {"x": "ik", "z": "jk", "a": "i", "b": "j", "w": "ij"}
OUTPUTS = {"j": "i", "i": "j", "ij": ""}


class Drawn:
    """A formula of pairs (i, j), as text and by PyTorch."""

    def __init__(self, seed: int, target: str) -> None:
        import torch

        self.rng, numbers = random.Random(seed), np.random.default_rng(seed)
        lengths = {each: self.rng.choice(LENGTHS[target]) for each in "ij"} | {"k": self.rng.choice(DEPTHS[target])}
        self.arrays = {
            name: numbers.normal(size=[lengths[axis] for axis in axes]) for name, axes in AXES.items()
        }  # fmt: skip
        self.at = numbers.integers(0, lengths["j"], lengths["i"])
        self.tensors = {name: torch.tensor(array, requires_grad=True) for name, array in self.arrays.items()}
        text, value = self.pairs()
        text, value, least = self.chosen(text, value, lengths)
        kind = "min" if least else self.rng.choice(("min", "max"))
        over = self.rng.choice(list(OUTPUTS))
        self.axes = OUTPUTS[over]
        axes = tuple("ij".index(each) for each in over)
        value = value.amin(axes) if kind == "min" else value.amax(axes)
        text = f"{kind}[{', '.join(over)}]({text})"
        tail = self.rng.choice(("", "", "sum", "square"))
        if tail == "sum" and self.axes:
            weights = "a" if self.axes == "i" else "b"
            text, value = f"sum[{self.axes}]({text} * {weights})", (value * self.tensors[weights]).sum()
            self.axes = ""
        elif tail == "square":
            text, value = f"({text}) ^ 2", value**2
        self.formula, self.value = text, value
        self.weights = np.asarray(numbers.normal(size=tuple(value.shape)))

    def pairs(self) -> tuple[str, Any]:
        """A number for each pair, that is added up over k."""
        x, z = self.tensors["x"], self.tensors["z"]
        forms: dict[str, Callable[[], Any]] = {
            "sum[k]((x - z) ^ 2)": lambda: ((x[:, None] - z[None]) ** 2).sum(-1),
            "sum[k](x * z)": lambda: x @ z.T,
            "exp(-0.1 * sum[k]((x - z) ^ 2))": lambda: (-0.1 * ((x[:, None] - z[None]) ** 2).sum(-1)).exp(),
            "sum[k](abs(x - z))": lambda: (x[:, None] - z[None]).abs().sum(-1),
            "sum[k](x * z) * sum[k](x * abs(z))": lambda: (x @ z.T) * (x @ z.abs().T),
        }
        text = self.rng.choice(list(forms))
        value = forms[text]()
        beside = {"a": self.tensors["a"][:, None], "b": self.tensors["b"][None], "w": self.tensors["w"]}
        for name, each in beside.items():
            way = self.rng.choice("++**    ")
            if way == "+":
                text, value = f"({text} + {name})", value + each
            elif way == "*":
                text, value = f"({text} * {name})", value * each
        return text, value

    def chosen(self, text: str, value: Any, lengths: dict[str, int]) -> tuple[str, Any, bool]:
        """The same for some pairs only; others have a large number."""
        import torch

        i, j = torch.arange(lengths["i"])[:, None], torch.arange(lengths["j"])[None]
        at, large = torch.tensor(self.at)[:, None], torch.tensor(1000.0, dtype=torch.float64)
        way = self.rng.choice(("equal", "beside", "until", "", "", ""))
        if way == "equal":
            other = 1000 + 0.001 * self.tensors["b"][None] * i
            return f"(at == j ? {text} : 1000 + 0.001 * b * i)", torch.where(at == j, value, other), True
        if way == "beside":
            return f"(i != j ? {text} : 1000)", torch.where(i != j, value, large), True
        if way == "until":
            return f"(at >= j ? {text} : 1000)", torch.where(at >= j, value, large), True
        return text, value, False

    def text(self) -> str:
        operands = [f"{name}[{', '.join(axes)}]: float" for name, axes in AXES.items() if name in self.names()]
        operands += ["at[i]: int"] * ("at " in self.formula)
        return f"op f({', '.join(operands)}) -> y[{self.axes}] {{ y = {self.formula}; }}"

    def names(self) -> list[str]:
        """The operands that the formula reads."""
        words = self.formula.replace("(", " ").replace(")", " ").split()
        return [name for name in AXES if name in words]


def tried(seed: int) -> tuple[str, list[Fault]]:
    """How the formula of a seed went, for the target of this process."""
    drawn = Drawn(seed, os.environ.get("NETCL_TARGET", ""))
    try:
        wrong = _wrong(drawn)
    except Exception as error:
        return "fault", [Fault("undocumented", "extremes", f"{type(error).__name__}: {error}\n{drawn.text()}")]
    return ("fault", [Fault("wrong", "extremes", f"{wrong}\n{drawn.text()}")]) if wrong else ("right", [])


def _wrong(drawn: Drawn) -> str:
    """Which gradient is wrong; "" where none is."""
    import torch

    from netcl import autograd as ag
    from netcl import core, kernels

    names = drawn.names()
    total = (drawn.value * torch.tensor(drawn.weights)).sum()
    wanted = torch.autograd.grad(total, [drawn.tensors[name] for name in names], allow_unused=True)
    op = kernels.compile(drawn.text()).f
    given = {name: ag.tensor(drawn.arrays[name], requires_grad=True) for name in names}
    places = [core.from_host(drawn.at)] * ("at " in drawn.formula)
    value = op(*given.values(), *places)
    weights = core.from_host(drawn.weights)
    found = ag.grad([value], list(given.values()), grad_outputs=[weights], materialize_grads=True)
    for name, mine, theirs in zip(names, found, wanted, strict=True):
        right = np.zeros_like(drawn.arrays[name]) if theirs is None else theirs.numpy()
        scale = max(1.0, float(np.abs(right).max()))
        if not np.allclose(mine.to_host(), right, rtol=1e-8, atol=1e-8 * scale):
            zeros = int((mine.to_host() == 0).sum()), int((right == 0).sum())
            return f"gradient {name}: {zeros[0]} zeros instead of {zeros[1]}"
    return ""
