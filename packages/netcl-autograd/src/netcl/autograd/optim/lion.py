"""Lion."""

from __future__ import annotations

from netcl import core
from netcl.autograd.optim.optimizer import Optimizer, Params
from netcl.core.arguments import explained


class Lion(Optimizer):
    """p -= lr * sign(momentum), with decoupled weight decay (Chen et al., 2023)."""

    state_names = ("momentum",)

    @explained
    def __init__(
        self,
        params: Params,
        lr: float = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": tuple(betas), "weight_decay": weight_decay})

    def update(self, at: int, value: core.Tensor, gradient: core.Tensor) -> None:
        beta1, beta2 = self.options_of(at)["betas"]
        self.apply(
            "lion_update",
            [value, self.state[at]["momentum"]],
            gradient,
            lr=self.options_of(at)["lr"],
            beta1=beta1,
            beta2=beta2,
            weight_decay=self.options_of(at)["weight_decay"],
        )
