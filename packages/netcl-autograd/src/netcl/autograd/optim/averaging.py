"""Averages of parameters over the steps of a training."""

from __future__ import annotations

from netcl import core
from netcl.autograd import ops
from netcl.autograd.optim.parameters import Params, leaves
from netcl.core.arguments import explained
from netcl.core.errors import GraphError


class EMA:
    """Exponential moving averages: `update()` after each step, `averages` to read, `copy_to(params)` to use them.

    average = decay * average + (1 - decay) * parameter, beginning with the parameters as they are.
    """

    @explained
    def __init__(self, params: Params, decay: float = 0.999) -> None:
        if not 0 <= decay <= 1:
            raise ValueError(f"EMA: decay must lie between 0 and 1, but it is {decay}")
        self.params = leaves("EMA", params)
        self.decay = decay
        self.averages: list[core.Tensor] = [ops.clone(param.value) for param in self.params]

    def update(self) -> None:
        """Move the averages towards the parameters, one launch each."""
        for average, param in zip(self.averages, self.params, strict=True):
            ops.write_into("lerp", [average], [param.value, 1 - self.decay], {})

    def copy_to(self, params: Params) -> None:
        """Write the averages into parameters of the same shapes."""
        targets = leaves("EMA", params)
        if len(targets) != len(self.averages):
            raise GraphError(
                f"EMA: there are {len(targets)} parameters to copy to, but averages of {len(self.averages)}; give as "
                "many as it was made with"
            )
        for average, param in zip(self.averages, targets, strict=True):
            ops.write_into("assign", [param.value], [average], {})
