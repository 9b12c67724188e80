"""Schedules, clipping and steps with a closure: the rates, gradients and parameters of PyTorch's, call by call."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch

from netcl import autograd as ag

SHARES = (0.0, 0.05, 0.1, 0.25, 0.3, 0.5, 0.9)
ONE_CYCLE = [
    *({"total_steps": n, "pct_start": p} for n in (1, 2, 10, 37) for p in SHARES),
    {"epochs": 3, "steps_per_epoch": 4},
    {"total_steps": 10, "anneal_strategy": "linear"},
    {"total_steps": 20, "anneal_strategy": "linear", "pct_start": 0.25, "div_factor": 4.0, "final_div_factor": 10.0},
    {"total_steps": 20, "three_phase": True},
    {"total_steps": 21, "three_phase": True, "pct_start": 0.4, "anneal_strategy": "linear"},
    {"total_steps": 10, "three_phase": True, "pct_start": 0.5},
]


def optimizers(rate: float = 0.1) -> tuple[ag.optim.Optimizer, torch.optim.Optimizer]:
    return (
        ag.optim.SGD([ag.tensor([1.0], requires_grad=True)], rate),
        torch.optim.SGD([torch.ones(1, requires_grad=True)], rate),
    )


@pytest.mark.filterwarnings("ignore::UserWarning")  # PyTorch's, of a schedule whose optimizer takes no step
@pytest.mark.parametrize("options", ONE_CYCLE, ids=str)
def test_one_cycle_sets_the_rates_of_pytorch_for_all_steps(options: dict[str, Any]) -> None:
    ours, theirs = optimizers()
    total = options.get("total_steps", 12)
    try:
        reference = torch.optim.lr_scheduler.OneCycleLR(theirs, max_lr=0.1, cycle_momentum=False, **options)
    except ZeroDivisionError:  # a way of no steps: here it is gone at once
        assert options["pct_start"] * total == 1
        assert ag.optim.OneCycleLR(ours, max_lr=0.1, **options).rate(0, 0.1) == pytest.approx(0.1)
        return
    schedule = ag.optim.OneCycleLR(ours, max_lr=0.1, **options)
    for _ in range(total):
        assert ours.lr == pytest.approx(theirs.param_groups[0]["lr"], rel=1e-12, abs=1e-18)
        schedule.step()
        reference.step()
    assert ours.lr == pytest.approx(theirs.param_groups[0]["lr"], rel=1e-12, abs=1e-18)
    with pytest.raises(ValueError, match="number of total steps"):
        reference.step()
    with pytest.raises(ValueError, match=f"this is step {total + 1}, but total_steps is {total}"):
        schedule.step()


@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("threshold_mode", ["rel", "abs"])
def test_a_plateau_is_seen_where_pytorch_sees_one(mode: str, threshold_mode: str) -> None:
    ours, theirs = optimizers()
    options: dict[str, Any] = {"mode": mode, "threshold_mode": threshold_mode, "threshold": 0.05, "patience": 1}
    schedule = ag.optim.ReduceLROnPlateau(ours, **options)
    reference = torch.optim.lr_scheduler.ReduceLROnPlateau(theirs, **options)
    rates = []
    for metric in 3 + np.cumsum(np.random.default_rng(4).normal(0, 0.06, 40)):
        schedule.step(metric)
        reference.step(metric)
        assert ours.lr == pytest.approx(theirs.param_groups[0]["lr"], rel=1e-12)
        rates.append(ours.lr)
    assert len(set(rates)) > 3


def test_a_step_with_a_closure_is_that_of_pytorch() -> None:
    w, other = ag.tensor([3.0, -2.0], requires_grad=True), torch.tensor([3.0, -2.0], requires_grad=True)
    ours, theirs = ag.optim.SGD([w], 0.1, momentum=0.9), torch.optim.SGD([other], 0.1, momentum=0.9)

    def closure(x: Any, optimizer: Any) -> Any:
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    for _ in range(3):
        with ag.no_grad():  # the closure has gradients all the same
            loss = ours.step(lambda: closure(w, ours))
        with torch.no_grad():
            due = theirs.step(lambda: closure(other, theirs))
        assert loss.item() == pytest.approx(due.item(), rel=1e-6)
        np.testing.assert_allclose(w.to_host(), other.detach().numpy(), rtol=1e-6)
    assert ours.step() is theirs.step() is None


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_gradients_that_are_not_finite_are_refused_where_pytorch_refuses_them(bad: float) -> None:
    given = np.array([1.0, bad, 2.0], dtype=np.float32)
    w, other = ag.zeros(3), torch.zeros(3, requires_grad=True)
    w = ag.Node(w, True)
    w.grad, other.grad = ag.tensor(given), torch.tensor(given)
    with pytest.raises(RuntimeError, match="non-finite"):
        torch.nn.utils.clip_grad_norm_([other], 1.0, error_if_nonfinite=True)
    with pytest.raises(RuntimeError, match="the norm of the gradients is"):
        ag.optim.clip_grad_norm([w], 1.0, error_if_nonfinite=True)
    np.testing.assert_array_equal(w.grad.to_host(), other.grad.numpy())
    torch.nn.utils.clip_grad_norm_([other], 1.0)
    ag.optim.clip_grad_norm([w], 1.0)
    np.testing.assert_array_equal(w.grad.to_host(), other.grad.numpy())


SCHEDULES: dict[str, Any] = {
    "step": lambda of, o: of.StepLR(o, 3, 0.5),
    "milestones": lambda of, o: of.MultiStepLR(o, [2, 5], 0.5),
    "exponential": lambda of, o: of.ExponentialLR(o, 0.9),
    "linear": lambda of, o: of.LinearLR(o, 0.1, total_iters=4),
    "constant": lambda of, o: of.ConstantLR(o, 0.3, 4),
    "polynomial": lambda of, o: of.PolynomialLR(o, 6, 2.0),
    "cosine": lambda of, o: of.CosineAnnealingLR(o, 5, 0.01),
    "restarts": lambda of, o: of.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
    "lambda": lambda of, o: of.LambdaLR(o, lambda steps: 1 / (1 + steps)),
    "sequence": lambda of, o: of.SequentialLR(o, [of.LinearLR(o, 0.1, total_iters=4), of.ExponentialLR(o, 0.9)], [4]),
    "one after the other": lambda of, o: of.SequentialLR(
        o, [of.ConstantLR(o, 0.1, 3), of.CosineAnnealingLR(o, 5)], [3]
    ),
    "chained": lambda of, o: of.ChainedScheduler([of.ConstantLR(o, 0.1, 4), of.ExponentialLR(o, 0.9)]),
}
TOGETHER = [(each,) for each in SCHEDULES]
TOGETHER += [*itertools.permutations([*SCHEDULES][:9], 2)]
TOGETHER += [("linear", "exponential", "milestones"), ("lambda", "step", "cosine")]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("names", TOGETHER, ids=" and ".join)
def test_schedules_alone_and_together_and_after_a_rate_set_by_hand_give_the_rates_of_pytorch(
    names: tuple[str, ...],
) -> None:
    for by_hand in (None, 0, 2, 3, 7):
        ours, theirs = optimizers()
        here = [SCHEDULES[name](ag.optim, ours) for name in names]
        there = [SCHEDULES[name](torch.optim.lr_scheduler, theirs) for name in names]
        for step in range(14):
            if step == by_hand:
                ours.groups[0]["lr"] = theirs.param_groups[0]["lr"] = 0.07
            assert ours.lr == pytest.approx(theirs.param_groups[0]["lr"], rel=1e-9), (by_hand, step)
            for each in (*here, *there):
                each.step()
