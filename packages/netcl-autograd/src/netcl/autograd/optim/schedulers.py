"""Schedules of the learning rate: `scheduler.step()` after `optimizer.step()`.

Each is a closed form of the number of steps, so a schedule can begin anywhere: `scheduler.step(1000)`. Formulas, names
and defaults are PyTorch's.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from netcl.autograd.optim.optimizer import Optimizer
from netcl.core.arguments import explained


class Scheduler(ABC):
    """Base: sets the optimizer's learning rate to `rate(steps)`, from the one that the optimizer was made with on."""

    @explained
    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.base = optimizer.initial_lr
        self.steps = 0

    @abstractmethod
    def rate(self, steps: int) -> float:
        """The learning rate after so many steps."""

    def step(self, steps: int | None = None) -> None:
        """Go on by one step, or to the given number of them."""
        self.steps = self.steps + 1 if steps is None else steps
        self.optimizer.lr = self.rate(self.steps)

    def state_dict(self) -> dict[str, Any]:
        return {"base": self.base, "steps": self.steps}

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Continue from a `state_dict` of a schedule like this one."""
        self.base = saved["base"]
        self.step(saved["steps"])


class StepLR(Scheduler):
    """Times gamma after every `step_size` steps."""

    @explained
    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        super().__init__(optimizer)
        self.step_size, self.gamma = step_size, gamma

    def rate(self, steps: int) -> float:
        return float(self.base * self.gamma ** (steps // self.step_size))


class CosineAnnealingLR(Scheduler):
    """Half a period of a cosine, from the first rate to `eta_min` in `t_max` steps (Loshchilov and Hutter, 2017)."""

    @explained
    def __init__(self, optimizer: Optimizer, t_max: int, eta_min: float = 0.0) -> None:
        super().__init__(optimizer)
        self.t_max, self.eta_min = t_max, eta_min

    def rate(self, steps: int) -> float:
        return self.eta_min + (self.base - self.eta_min) * (1 + math.cos(math.pi * steps / self.t_max)) / 2


class LinearLR(Scheduler):
    """Warm-up: times a factor that goes evenly from `start_factor` to `end_factor` in `total_iters` steps, and stays.

    The rate is set at once, since the first step is to be taken with it.
    """

    @explained
    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1 / 3, end_factor: float = 1.0, total_iters: int = 5
    ) -> None:
        super().__init__(optimizer)
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        self.step(0)

    def rate(self, steps: int) -> float:
        done = min(steps, self.total_iters) / self.total_iters
        return self.base * (self.start_factor + (self.end_factor - self.start_factor) * done)


class SequentialLR(Scheduler):
    """One schedule after another: the next one begins, at its own step 0, at each of the milestones."""

    @explained
    def __init__(self, optimizer: Optimizer, schedulers: Sequence[Scheduler], milestones: Sequence[int]) -> None:
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"SequentialLR: {len(schedulers)} schedulers need {len(schedulers) - 1} milestones between them, "
                f"but {len(milestones)} were given"
            )
        super().__init__(optimizer)
        self.schedulers, self.milestones = list(schedulers), list(milestones)
        self.step(0)

    def rate(self, steps: int) -> float:
        at = bisect_right(self.milestones, steps)
        return self.schedulers[at].rate(steps - (self.milestones[at - 1] if at else 0))
