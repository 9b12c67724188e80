"""RMSprop."""

from __future__ import annotations

from netcl import core
from netcl.autograd.optim.optimizer import Optimizer, Params
from netcl.core.arguments import explained


class RMSprop(Optimizer):
    """p -= lr * g / (sqrt(v) + eps) with the running mean square v of the gradient (Tieleman and Hinton, 2012)."""

    state_names = ("square", "mean", "momentum")

    @explained
    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
    ) -> None:
        numbers = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum}
        super().__init__(params, {**numbers, "centered": centered})

    def update(self, at: int, value: core.Tensor, gradient: core.Tensor) -> None:
        state = [self.state[at][name] for name in self.state_names]
        self.apply("rmsprop_update", [value, *state], gradient, **self.options_of(at))
