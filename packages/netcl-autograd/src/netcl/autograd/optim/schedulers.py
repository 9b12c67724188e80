"""Schedules of the learning rate: `scheduler.step()` after `optimizer.step()`.

Each is a closed form of the number of steps, so a schedule can begin anywhere: `scheduler.step(1000)`. Formulas, names
and defaults are PyTorch's. As there, `step()` changes the rate that there is, by as much as the schedule's own changes:
several schedules of one optimizer act together, and a rate that was set by hand goes on from there.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from netcl.autograd.optim.optimizer import Optimizer
from netcl.autograd.optim.schedule_states import Resumable
from netcl.core.arguments import explained


class Scheduler(Resumable, ABC):
    """Base: sets the learning rate of each of the optimizer's groups to `rate(steps, base)`, where `base` is the one
    that the group had when its first schedule was made.

    Where another rate is there than this one has set, it is multiplied by what `rate` is multiplied by in this step (of
    what is above `lowest`, where the rates of the schedule end there).
    """

    lowest = 0.0
    state_names = ("bases", "steps")

    @explained
    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.bases = list(optimizer.initial_lrs)
        self.steps = 0

    @abstractmethod
    def rate(self, steps: int, base: float) -> float:
        """The learning rate after so many steps."""

    def step(self, steps: int | None = None) -> None:
        """Go on by one step, or to the given number of them, with the rate of the schedule alone."""
        before, self.steps = self.steps, self.steps + 1 if steps is None else steps
        for group, base in zip(self.optimizer.groups, self.bases, strict=True):
            rate = self.rate(self.steps, base)
            group["lr"] = rate if steps is not None else self.changed(group["lr"], before, base)

    def changed(self, lr: float, steps: int, base: float) -> float:
        """What becomes of a rate with one more step than these."""
        return self._in_place_of(lr, self.rate(steps, base), self.rate(steps + 1, base))

    def _in_place_of(self, lr: float, was: float, now: float) -> float:
        if lr == was:
            return now
        if was == self.lowest:
            return lr + (now - was)
        return self.lowest + (lr - self.lowest) * ((now - self.lowest) / (was - self.lowest))

    def _begin(self) -> None:
        """Set the first rate, with which the first step is to be taken."""
        for group, base in zip(self.optimizer.groups, self.bases, strict=True):
            group["lr"] = self._in_place_of(group["lr"], base, self.rate(0, base))

    def state_dict(self) -> dict[str, Any]:
        """Which schedule it is, how far it is, and the rates: what `load_state_dict` takes."""
        rates = {"bases": list(self.bases), "steps": self.steps, "rates": self.get_last_lr()}
        return {"schedule": self._kind(), **rates}

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Continue from a `state_dict` of a schedule like this one, of as many groups; another one raises ValueError
        and changes nothing."""
        self._require_own(saved)
        self.bases = list(saved["bases"])
        self.step(saved["steps"])
        for group, rate in zip(self.optimizer.groups, saved.get("rates", self.get_last_lr()), strict=True):
            group["lr"] = rate

    def _require_own(self, saved: Mapping[str, Any]) -> None:
        super()._require_own(saved)
        if len(saved["bases"]) != len(self.optimizer.groups):
            raise ValueError(
                f"the state is of {len(saved['bases'])} groups, but there are {len(self.optimizer.groups)}"
            )

    def __repr__(self) -> str:
        shown = [f"{name}={value!r}" for name, value in vars(self).items() if name not in ("optimizer", "bases")]
        return f"{type(self).__name__}({', '.join(shown)})"


class StepLR(Scheduler):
    """Times gamma after every `step_size` steps."""

    @explained
    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        super().__init__(optimizer)
        self.step_size, self.gamma = step_size, gamma

    def rate(self, steps: int, base: float) -> float:
        return float(base * self.gamma ** (steps // self.step_size))


class MultiStepLR(Scheduler):
    """Times gamma at each of the milestones."""

    @explained
    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1) -> None:
        super().__init__(optimizer)
        self.milestones, self.gamma = sorted(milestones), gamma

    def rate(self, steps: int, base: float) -> float:
        return float(base * self.gamma ** bisect_right(self.milestones, steps))


class ExponentialLR(Scheduler):
    """Times gamma after every step."""

    @explained
    def __init__(self, optimizer: Optimizer, gamma: float) -> None:
        super().__init__(optimizer)
        self.gamma = gamma

    def rate(self, steps: int, base: float) -> float:
        return float(base * self.gamma**steps)


class _SetsRate(Scheduler):
    """One that sets its rate whatever there is."""

    def changed(self, lr: float, steps: int, base: float) -> float:
        return self.rate(steps + 1, base)


class LambdaLR(_SetsRate):
    """The first rate times what a function of the number of steps gives, from the first step on; it sets that rate
    whatever there is."""

    @explained
    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float]) -> None:
        super().__init__(optimizer)
        self.lr_lambda = lr_lambda
        self.step(0)

    def rate(self, steps: int, base: float) -> float:
        return base * float(self.lr_lambda(steps))


class CosineAnnealingLR(Scheduler):
    """Half a period of a cosine, from the first rate to `eta_min` in `t_max` steps (Loshchilov and Hutter, 2017)."""

    @explained
    def __init__(
        self,
        optimizer: Optimizer,
        T_max: int | None = None,  # noqa: N803
        eta_min: float = 0.0,
        *,
        t_max: int | None = None,
    ) -> None:
        """`T_max` and `t_max` are the same."""
        steps = t_max if T_max is None else T_max
        if steps is None or None not in (T_max, t_max):
            raise TypeError("CosineAnnealingLR takes T_max, the number of steps to eta_min")
        super().__init__(optimizer)
        self.t_max, self.eta_min = steps, eta_min

    @property
    def lowest(self) -> float:  # type: ignore[override]
        return self.eta_min

    def rate(self, steps: int, base: float) -> float:
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * steps / self.t_max)) / 2


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
        self._begin()

    def rate(self, steps: int, base: float) -> float:
        done = min(steps, self.total_iters) / self.total_iters
        return base * (self.start_factor + (self.end_factor - self.start_factor) * done)


class ConstantLR(Scheduler):
    """Times a factor, at once, until `total_iters` steps are done."""

    @explained
    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5) -> None:
        super().__init__(optimizer)
        self.factor, self.total_iters = factor, total_iters
        self._begin()

    def rate(self, steps: int, base: float) -> float:
        return base * (self.factor if steps < self.total_iters else 1.0)


class PolynomialLR(Scheduler):
    """To 0 in `total_iters` steps, along (1 - steps / total_iters) ^ power."""

    @explained
    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0) -> None:
        super().__init__(optimizer)
        self.total_iters, self.power = total_iters, power

    def rate(self, steps: int, base: float) -> float:
        return float(base * (1 - min(steps, self.total_iters) / self.total_iters) ** self.power)


class CosineAnnealingWarmRestarts(_SetsRate):
    """Half periods of a cosine from the first rate to `eta_min`, one after another: the first in `T_0` steps, each
    next one in `T_mult` times as many (Loshchilov and Hutter, 2017). It sets that rate whatever there is."""

    @explained
    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0) -> None:  # noqa: N803
        if T_0 < 1 or T_mult < 1:
            raise ValueError(
                f"CosineAnnealingWarmRestarts: T_0 is {T_0} and T_mult {T_mult}, but both are whole numbers from 1 on"
            )
        super().__init__(optimizer)
        self.t_0, self.t_mult, self.eta_min = T_0, T_mult, eta_min
        self.step(0)

    def rate(self, steps: int, base: float) -> float:
        length = self.t_0
        if self.t_mult == 1:
            steps %= length
        while steps >= length:
            steps, length = steps - length, length * self.t_mult
        return _cosine(base, self.eta_min, steps / length)


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

    def rate(self, steps: int, base: float) -> float:
        scheduler, its_steps = self._turn(steps)
        return scheduler.rate(its_steps, base)

    def changed(self, lr: float, steps: int, base: float) -> float:
        scheduler, its_steps = self._turn(steps + 1)
        return scheduler.changed(lr, its_steps - 1, base) if its_steps else scheduler.rate(0, base)

    def _kind(self) -> str:
        return f"SequentialLR of {', '.join(each._kind() for each in self.schedulers)}"

    def _turn(self, steps: int) -> tuple[Scheduler, int]:
        """Whose turn it is, and at which of its own steps."""
        at = bisect_right(self.milestones, steps)
        return self.schedulers[at], steps - (self.milestones[at - 1] if at else 0)


class ChainedScheduler(Resumable):
    """Several schedules of one optimizer, of which each takes its step in each step."""

    state_names = ("schedulers",)

    @explained
    def __init__(self, schedulers: Sequence[Scheduler], optimizer: Optimizer | None = None) -> None:
        if not schedulers or any(each.optimizer is not schedulers[0].optimizer for each in schedulers):
            raise ValueError("ChainedScheduler takes schedules of one optimizer, at least one")
        if optimizer not in (None, schedulers[0].optimizer):
            raise ValueError("ChainedScheduler: the optimizer is not that of its schedules; leave it out")
        self.schedulers = list(schedulers)
        self.optimizer = self.schedulers[0].optimizer

    def step(self) -> None:
        """Go on by one step."""
        for each in self.schedulers:
            each.step()

    def _kind(self) -> str:
        return f"ChainedScheduler of {', '.join(each._kind() for each in self.schedulers)}"

    def _require_own(self, saved: Mapping[str, Any]) -> None:
        super()._require_own(saved)
        if len(saved["schedulers"]) != len(self.schedulers):
            raise ValueError(
                f"the state is of {len(saved['schedulers'])} schedules, but there are {len(self.schedulers)}"
            )
        for each, state in zip(self.schedulers, saved["schedulers"], strict=True):
            each._require_own(state)

    def state_dict(self) -> dict[str, Any]:
        """The states of its schedules: what `load_state_dict` takes."""
        return {"schedule": self._kind(), "schedulers": [each.state_dict() for each in self.schedulers]}

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Continue from a `state_dict` of the same schedules; another one raises ValueError and changes nothing."""
        self._require_own(saved)
        for each, state in zip(self.schedulers, saved["schedulers"], strict=True):
            each.load_state_dict(state)

    def __repr__(self) -> str:
        return f"ChainedScheduler({self.schedulers!r})"


class OneCycleLR(_SetsRate):
    """Up to `max_lr` and down again, along cosines, in `total_steps` (Smith and Topin, 2018): from max_lr / div_factor
    in the part `pct_start` of them, then to that over final_div_factor.

    The steps may be given as `epochs` of `steps_per_epoch`. `anneal_strategy="linear"` takes straight lines instead.
    With `three_phase` the rate goes back to the first one in as many steps as it went up, and then on to the last.
    There is one call of `step()` for each of total_steps, also for the last, which no update follows; another one
    raises ValueError.
    """

    @explained
    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float,
        total_steps: int | None = None,
        pct_start: float = 0.3,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        *,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        anneal_strategy: str = "cos",
        three_phase: bool = False,
    ) -> None:
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise TypeError("OneCycleLR: give total_steps, or epochs and steps_per_epoch")
            total_steps = epochs * steps_per_epoch
        if not 0 <= pct_start <= 1 or total_steps < 1:
            raise ValueError(
                f"OneCycleLR: pct_start is {pct_start} and total_steps {total_steps}, but the first lies between 0 and "
                "1, and there is at least one step"
            )
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"OneCycleLR: anneal_strategy is {anneal_strategy!r}, but it must be 'cos' or 'linear'")
        super().__init__(optimizer)
        self.max_lr, self.total_steps, self.pct_start = max_lr, total_steps, pct_start
        self.div_factor, self.final_div_factor = div_factor, final_div_factor
        self.anneal_strategy, self.three_phase = anneal_strategy, three_phase
        self.step(0)

    def rate(self, steps: int, base: float) -> float:
        if steps > self.total_steps:
            raise ValueError(
                f"OneCycleLR: this is step {steps}, but total_steps is {self.total_steps}; "
                "make the schedule for as many steps as there are calls of step()"
            )
        between = _cosine if self.anneal_strategy == "cos" else _line
        phases, begin = self._phases(), 0.0
        for at, (end, start, stop) in enumerate(phases):
            if steps <= end or at == len(phases) - 1:
                return between(start, stop, (steps - begin) / (end - begin) if end != begin else 1)
            begin = end
        raise AssertionError("the last phase has no end")

    def _phases(self) -> list[tuple[float, float, float]]:
        """Of each the step that it ends with, and the rates at its ends."""
        first, up = self.max_lr / self.div_factor, self.pct_start * self.total_steps - 1
        last, end = first / self.final_div_factor, self.total_steps - 1
        if self.three_phase:
            return [(up, first, self.max_lr), (2 * up, self.max_lr, first), (end, first, last)]
        return [(up, first, self.max_lr), (end, self.max_lr, last)]


class ReduceLROnPlateau(Resumable):
    """Times `factor` where a number has not got better for more than `patience` steps: `step(loss)`.

    Better is by the part `threshold` of the best so far, or with `threshold_mode="abs"` by that number; `mode` says
    whether less ("min") or more ("max") is better.
    For `cooldown` steps after that nothing is counted, no rate goes below `min_lr`, and one that would change by `eps`
    or less stays.
    """

    state_names = ("best", "worse", "resting")

    @explained
    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0.0,
        threshold_mode: str = "rel",
        eps: float = 1e-8,
    ) -> None:
        if mode not in ("min", "max"):
            raise ValueError(f"ReduceLROnPlateau: mode is {mode!r}, but it must be 'min' or 'max'")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"ReduceLROnPlateau: threshold_mode is {threshold_mode!r}, but it must be 'rel' or 'abs'")
        if not 0 <= factor < 1:
            raise ValueError(f"ReduceLROnPlateau: factor is {factor}, but it must be at least 0 and below 1")
        self.optimizer = optimizer
        self.mode, self.factor, self.patience = mode, factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.min_lr, self.eps = cooldown, min_lr, eps
        self.best = math.inf if mode == "min" else -math.inf
        self.worse = self.resting = 0

    def step(self, metric: Any) -> None:
        """Look at the number after a step."""
        value = float(metric)
        if self._is_better(value):
            self.best, self.worse = value, 0
        else:
            self.worse += 1
        if self.resting:
            self.resting -= 1
            self.worse = 0
        if self.worse > self.patience:
            for group in self.optimizer.groups:
                lower = max(group["lr"] * self.factor, self.min_lr)
                if group["lr"] - lower > self.eps:
                    group["lr"] = lower
            self.resting, self.worse = self.cooldown, 0

    def _is_better(self, value: float) -> bool:
        by = self.threshold if self.mode == "max" else -self.threshold
        due = self.best + by if self.threshold_mode == "abs" else self.best * (1 + by)
        return value > due if self.mode == "max" else value < due

    def state_dict(self) -> dict[str, Any]:
        """Which schedule it is, the best number, and what it counts: what `load_state_dict` takes."""
        return {"schedule": self._kind(), "best": self.best, "worse": self.worse, "resting": self.resting}

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Continue from a `state_dict` of a schedule like this one; another one raises ValueError and changes
        nothing."""
        self._require_own(saved)
        self.best, self.worse, self.resting = saved["best"], saved["worse"], saved["resting"]

    def __repr__(self) -> str:
        return (
            f"ReduceLROnPlateau(mode={self.mode!r}, factor={self.factor}, patience={self.patience}, best={self.best})"
        )


def _line(start: float, stop: float, part: float) -> float:
    """On the straight line from one number to another."""
    return start + (stop - start) * part


def _cosine(start: float, stop: float, part: float) -> float:
    """On half a period of a cosine from one number to another."""
    return stop + (start - stop) * (1 + math.cos(math.pi * part)) / 2
