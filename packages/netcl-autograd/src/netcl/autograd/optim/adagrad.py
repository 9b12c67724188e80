"""Adagrad."""

from __future__ import annotations

from netcl import core
from netcl.autograd.optim.optimizer import Optimizer, Params
from netcl.core.arguments import explained


class Adagrad(Optimizer):
    """p -= lr * g / (sqrt(s) + eps) with the sum s of all squared gradients (Duchi et al., 2011)."""

    state_names = ("sum",)

    @explained
    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        eps: float = 1e-10,
    ) -> None:
        super().__init__(params, {"lr": lr, "lr_decay": lr_decay, "weight_decay": weight_decay, "eps": eps})

    def update(self, at: int, value: core.Tensor, gradient: core.Tensor) -> None:
        options = self.options_of(at)
        self.apply(
            "adagrad_update",
            [value, self.state[at]["sum"]],
            gradient,
            lr=options["lr"] / (1 + (self.steps[at] - 1) * options["lr_decay"]),
            eps=options["eps"],
            weight_decay=options["weight_decay"],
        )
