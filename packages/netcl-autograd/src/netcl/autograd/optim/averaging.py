"""Averages of parameters over the steps of a training."""

from __future__ import annotations

from collections.abc import Iterable

from netcl import core
from netcl.autograd import ops
from netcl.autograd.graph.node import Node
from netcl.core.arguments import explained


class EMA:
    """Exponential moving averages: `update()` after each step, `averages` to read, `copy_to(params)` to use them.

    average = decay * average + (1 - decay) * parameter, beginning with the parameters as they are.
    """

    @explained
    def __init__(self, params: Iterable[Node], decay: float = 0.999) -> None:
        if not 0 <= decay <= 1:
            raise ValueError(f"EMA: decay must lie between 0 and 1, but it is {decay}")
        self.params = list(params)
        self.decay = decay
        self.averages: list[core.Tensor] = [ops.clone(param.value) for param in self.params]

    def update(self) -> None:
        """Move the averages towards the parameters, one launch each."""
        for average, param in zip(self.averages, self.params, strict=True):
            ops.write_into("lerp", [average], [param.value, 1 - self.decay], {})

    def copy_to(self, params: Iterable[Node]) -> None:
        """Write the averages into parameters of the same shapes."""
        for average, param in zip(self.averages, params, strict=True):
            ops.write_into("assign", [param.value], [average], {})
