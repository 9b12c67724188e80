"""Stochastic gradient descent, with momentum, Nesterov's form and weight decay."""

from __future__ import annotations

from netcl import core
from netcl.autograd.optim.optimizer import Optimizer, Params
from netcl.core.arguments import explained


class SGD(Optimizer):
    """p -= lr * d, where d is the gradient, or its running sum with `momentum` (Sutskever et al., 2013; PyTorch's
    form).
    """

    state_names = ("momentum",)

    @explained
    def __init__(
        self,
        params: Params,
        lr: float,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        if nesterov and momentum <= 0:
            raise ValueError("SGD: nesterov needs a momentum above 0")
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay, "nesterov": nesterov})

    def update(self, at: int, value: core.Tensor, gradient: core.Tensor) -> None:
        options = self.options_of(at)
        self.apply(
            "sgd_update",
            [value, self.state[at]["momentum"]],
            gradient,
            lr=options["lr"],
            momentum=options["momentum"],
            weight_decay=options["weight_decay"],
            nesterov=options["nesterov"],
        )
