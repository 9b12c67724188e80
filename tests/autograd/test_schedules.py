"""Schedules of the learning rate, alone, together, beside a rate that was set by hand, and continued."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from netcl import autograd as ag


def made() -> ag.optim.Optimizer:
    return ag.optim.SGD([ag.tensor([1.0], requires_grad=True)], 1.0)


def rates(optimizer: ag.optim.Optimizer, scheduler: ag.optim.Scheduler, count: int) -> list[float]:
    found = []
    for _ in range(count):
        found.append(optimizer.lr)
        scheduler.step()
    return found


@pytest.mark.promise("A25")
def test_schedules_follow_their_formulas() -> None:
    def made() -> ag.optim.Optimizer:
        return ag.optim.SGD([ag.tensor([1.0], requires_grad=True)], 0.1)

    found = rates(o := made(), ag.optim.StepLR(o, 2, 0.5), 6)
    np.testing.assert_allclose(found, [0.1, 0.1, 0.05, 0.05, 0.025, 0.025])
    found = rates(o := made(), ag.optim.CosineAnnealingLR(o, 4, 0.02), 5)
    np.testing.assert_allclose(found, 0.02 + 0.08 * (1 + np.cos(np.pi * np.arange(5) / 4)) / 2)
    found = rates(o := made(), ag.optim.LinearLR(o, 0.25, 1.0, 3), 5)
    np.testing.assert_allclose(found, [0.025, 0.05, 0.075, 0.1, 0.1])
    o = made()
    parts = [ag.optim.LinearLR(o, 0.5, total_iters=2), ag.optim.CosineAnnealingLR(o, 2)]
    np.testing.assert_allclose(
        rates(o, ag.optim.SequentialLR(o, parts, [2]), 5), [0.05, 0.075, 0.1, 0.05, 0], atol=1e-12
    )
    with pytest.raises(ValueError, match="2 schedulers need 1 milestones"):
        ag.optim.SequentialLR(o, parts, [])


def test_more_schedules_follow_their_formulas() -> None:
    def made() -> ag.optim.Optimizer:
        return ag.optim.SGD([ag.tensor([1.0], requires_grad=True)], 0.1)

    found = rates(o := made(), ag.optim.MultiStepLR(o, [3, 1], 0.5), 5)
    np.testing.assert_allclose(found, [0.1, 0.05, 0.05, 0.025, 0.025])
    found = rates(o := made(), ag.optim.ExponentialLR(o, 0.5), 4)
    np.testing.assert_allclose(found, [0.1, 0.05, 0.025, 0.0125])
    found = rates(o := made(), ag.optim.LambdaLR(o, lambda steps: 1 / (1 + steps)), 3)
    np.testing.assert_allclose(found, [0.1, 0.05, 0.1 / 3])
    o = made()
    cycle = ag.optim.OneCycleLR(o, 1.0, 10, pct_start=0.5, div_factor=10, final_div_factor=100)
    found = rates(o, cycle, 10)  # one update and one step for each of total_steps, and no error
    np.testing.assert_allclose(found[:5], 0.55 - 0.45 * np.cos(np.pi * np.arange(5) / 4))
    assert found[9] == pytest.approx(1e-3)
    with pytest.raises(ValueError, match="this is step 11, but total_steps is 10; make the schedule for as many"):
        cycle.step()
    o = made()
    cycle = ag.optim.OneCycleLR(
        o, 1.0, epochs=3, steps_per_epoch=3, pct_start=1 / 3, div_factor=5, final_div_factor=2,
        anneal_strategy="linear", three_phase=True,
    )  # fmt: skip
    np.testing.assert_allclose(rates(o, cycle, 9), [0.2, 0.6, 1, 0.6, 0.2, 0.175, 0.15, 0.125, 0.1])
    with pytest.raises(TypeError, match="give total_steps, or epochs and steps_per_epoch"):
        ag.optim.OneCycleLR(made(), 1.0, epochs=3)
    with pytest.raises(ValueError, match="anneal_strategy is 'poly', but it must be 'cos' or 'linear'"):
        ag.optim.OneCycleLR(made(), 1.0, 10, anneal_strategy="poly")
    with pytest.raises(TypeError, match="takes T_max"):
        ag.optim.CosineAnnealingLR(made())


def test_a_plateau_lowers_the_rate() -> None:
    o = ag.optim.SGD([ag.tensor([1.0], requires_grad=True)], 0.1)
    plateau = ag.optim.ReduceLROnPlateau(o, patience=1, factor=0.5, cooldown=1, min_lr=0.03)
    found = []
    for loss in (3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0):
        plateau.step(ag.tensor(loss))
        found.append(o.lr)
    np.testing.assert_allclose(found, [0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.03, 0.03, 0.03, 0.03])
    o = ag.optim.SGD([ag.tensor([1.0], requires_grad=True)], 0.1)
    plateau_of_steps = ag.optim.ReduceLROnPlateau(o, patience=0, threshold=0.5, threshold_mode="abs", eps=0.002)
    found = []
    for loss in (3.0, 2.4, 2.0, 2.0, 2.0):  # 0.6 less is better, 0.4 less is not
        plateau_of_steps.step(loss)
        found.append(o.lr)
    np.testing.assert_allclose(found, [0.1, 0.1, 0.01, 0.001, 0.001])  # the last would change by 0.0009
    with pytest.raises(ValueError, match="threshold_mode is 'relative', but it must be 'rel' or 'abs'"):
        ag.optim.ReduceLROnPlateau(o, threshold_mode="relative")
    again = ag.optim.ReduceLROnPlateau(o, patience=1)
    again.load_state_dict(plateau.state_dict())
    assert (again.best, again.worse) == (1.0, plateau.worse)
    for wrong in ({"mode": "least"}, {"factor": 1.0}):
        with pytest.raises(ValueError, match="ReduceLROnPlateau: "):
            ag.optim.ReduceLROnPlateau(o, **wrong)  # type: ignore[arg-type]


def test_a_schedule_continues_from_its_state() -> None:
    o = ag.optim.Adam([ag.tensor([1.0], requires_grad=True)], lr=0.1)
    first = ag.optim.StepLR(o, 2)
    first.step()
    second = ag.optim.StepLR(o, 2)
    second.load_state_dict(first.state_dict())
    assert o.lr == 0.1
    second.step()
    assert o.lr == pytest.approx(0.01)


SCHEDULES: tuple[Callable[[ag.optim.Optimizer], ag.optim.schedule_states.Resumable], ...] = (
    lambda o: ag.optim.StepLR(o, 2),
    lambda o: ag.optim.MultiStepLR(o, [2]),
    lambda o: ag.optim.ExponentialLR(o, 0.5),
    lambda o: ag.optim.LambdaLR(o, lambda steps: 1 / (1 + steps)),
    lambda o: ag.optim.CosineAnnealingLR(o, 10),
    lambda o: ag.optim.LinearLR(o),
    lambda o: ag.optim.ConstantLR(o),
    lambda o: ag.optim.PolynomialLR(o),
    lambda o: ag.optim.CosineAnnealingWarmRestarts(o, 5),
    lambda o: ag.optim.OneCycleLR(o, 1.0, 10),
    lambda o: ag.optim.ReduceLROnPlateau(o),
    lambda o: ag.optim.SequentialLR(o, [ag.optim.LinearLR(o), ag.optim.StepLR(o, 2)], [3]),
    lambda o: ag.optim.SequentialLR(o, [ag.optim.LinearLR(o), ag.optim.ExponentialLR(o, 0.5)], [3]),
    lambda o: ag.optim.ChainedScheduler([ag.optim.LinearLR(o), ag.optim.StepLR(o, 2)]),
    lambda o: ag.optim.ChainedScheduler([ag.optim.LinearLR(o), ag.optim.ExponentialLR(o, 0.5)]),
)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_no_schedule_takes_the_state_of_another_or_is_changed_by_it(
    schedule: Callable[[ag.optim.Optimizer], ag.optim.schedule_states.Resumable],
) -> None:
    mine = schedule(o := made())
    before = mine.state_dict()
    for another in SCHEDULES:
        if another is not schedule:
            with pytest.raises(ValueError, match=r"the state is of another schedule: it is of .*, and this is "):
                mine.load_state_dict(another(made()).state_dict())
    with pytest.raises(ValueError, match=r"give what state_dict.. gave; this is no such state, it has groups, steps"):
        mine.load_state_dict(o.state_dict())
    assert mine.state_dict() == before
    mine.load_state_dict(before)


def test_a_state_of_another_number_of_groups_or_schedules_is_refused() -> None:
    x, y = (ag.tensor([1.0], requires_grad=True) for _ in range(2))
    two = ag.optim.SGD([{"params": [x]}, {"params": [y]}], 1.0)
    with pytest.raises(ValueError, match="the state is of 2 groups, but there are 1"):
        ag.optim.StepLR(made(), 2).load_state_dict(ag.optim.StepLR(two, 2).state_dict())
    chained = ag.optim.ChainedScheduler([ag.optim.StepLR(o := made(), 2), ag.optim.StepLR(o, 3)])
    state = chained.state_dict()
    with pytest.raises(ValueError, match="the state is of 1 schedules, but there are 2"):
        chained.load_state_dict({**state, "schedulers": state["schedulers"][:1]})


def test_schedules_of_one_optimizer_act_together() -> None:
    o = made()
    both = ag.optim.ChainedScheduler([ag.optim.LinearLR(o, 0.1, total_iters=4), ag.optim.ExponentialLR(o, 0.9)])
    warm = np.minimum(0.1 + 0.9 * np.arange(8) / 4, 1)
    found = []
    for _ in range(8):
        found.append(o.lr)
        both.step()
    np.testing.assert_allclose(found, warm * 0.9 ** np.arange(8))


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (lambda o: ag.optim.ExponentialLR(o, 0.9), 0.07 * 0.9**3),
        (lambda o: ag.optim.StepLR(o, 3, 0.5), 0.035),
        (lambda o: ag.optim.MultiStepLR(o, [4], 0.5), 0.035),
        (lambda o: ag.optim.ConstantLR(o, 0.5, 4), 0.14),
        (lambda o: ag.optim.PolynomialLR(o, 10), 0.07 * 5 / 8),
        (lambda o: ag.optim.LinearLR(o, 0.5, total_iters=6), 0.07 * (0.5 + 0.5 * 5 / 6) / (0.5 + 0.5 * 2 / 6)),
        (lambda o: ag.optim.CosineAnnealingLR(o, 10), 0.07 / (1 + np.cos(np.pi / 5))),
        (lambda o: ag.optim.LambdaLR(o, lambda steps: 1 / (1 + steps)), 1 / 6),
    ],
)  # fmt: skip
def test_a_rate_that_was_set_by_hand_goes_on_from_there(
    schedule: Callable[[ag.optim.Optimizer], ag.optim.Scheduler], expected: float
) -> None:
    o = made()
    scheduler = schedule(o)
    for step in range(5):
        if step == 2:
            o.groups[0]["lr"] = 0.07
        scheduler.step()
    assert o.lr == pytest.approx(expected)
    assert scheduler.get_last_lr() == [o.lr]
    again = schedule(other := made())
    again.load_state_dict(scheduler.state_dict())
    scheduler.step()
    again.step()
    assert other.lr == o.lr


def test_a_cosine_begins_again() -> None:
    o = made()
    half = [(1 + np.cos(np.pi * each)) / 2 for each in (0, 1 / 2, 0, 1 / 4, 1 / 2, 3 / 4, 0, 1 / 8)]
    np.testing.assert_allclose(rates(o, ag.optim.CosineAnnealingWarmRestarts(o, 2, 2), 8), half)
    with pytest.raises(ValueError, match="T_0 is 0 and T_mult 1, but both are whole numbers from 1 on"):
        ag.optim.CosineAnnealingWarmRestarts(o, 0)


def test_chained_schedules_are_of_one_optimizer() -> None:
    with pytest.raises(ValueError, match="takes schedules of one optimizer"):
        ag.optim.ChainedScheduler([ag.optim.StepLR(made(), 2), ag.optim.StepLR(made(), 2)])
    with pytest.raises(ValueError, match="the optimizer is not that of its schedules"):
        ag.optim.ChainedScheduler([ag.optim.StepLR(made(), 2)], made())
