"""Adam and AdamW."""

from __future__ import annotations

from netcl import core
from netcl.autograd.optim.optimizer import Optimizer, Params
from netcl.core.arguments import explained


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015); `weight_decay` (0 when it is not given) is added to the gradient."""

    state_names = ("mean", "variance")
    decoupled = False
    usual_decay = 0.0

    @explained
    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float | None = None,
    ) -> None:
        decay = self.usual_decay if weight_decay is None else weight_decay
        super().__init__(params, {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": decay})

    def update(self, at: int, value: core.Tensor, gradient: core.Tensor) -> None:
        options = self.options_of(at)
        beta1, beta2 = options["betas"]
        self.apply(
            "adam_update",
            [value, self.state[at]["mean"], self.state[at]["variance"]],
            gradient,
            lr=options["lr"],
            beta1=beta1,
            beta2=beta2,
            eps=options["eps"],
            c1=1 - beta1 ** self.steps[at],
            c2=1 - beta2 ** self.steps[at],
            weight_decay=options["weight_decay"],
            decoupled=self.decoupled,
        )


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019), 0.01 when it is not given."""

    decoupled = True
    usual_decay = 1e-2
