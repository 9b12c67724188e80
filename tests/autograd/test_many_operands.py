"""Lists of many tensors: a loop over time steps is stacked, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core.errors import ShapeError
from netcl.kernels.runtime.operand_lists import MOST, TOGETHER


def _steps(count: int) -> list[Any]:
    return [ag.tensor(np.full((3,), at + 1, np.float32), requires_grad=True) for at in range(count)]


@pytest.mark.parametrize("joined", [ag.stack, ag.cat])
@pytest.mark.parametrize(
    ("count", "traced"), [(TOGETHER, False), (TOGETHER + 1, False), (64, False), (500, False), (64, True)]
)
@pytest.mark.sample(2)
def test_time_steps_are_joined_and_have_gradients(count: int, joined: Callable[..., Any], traced: bool) -> None:
    def loss(*steps: Any) -> Any:
        whole = joined([step * step for step in steps])
        return ag.sum(whole * whole)

    steps = _steps(count)
    found = (ag.jit(loss) if traced else loss)(*steps)
    assert found.to_host() == pytest.approx(3 * sum((at + 1.0) ** 4 for at in range(count)), rel=1e-6)
    found.backward()
    for at, step in enumerate(steps):
        np.testing.assert_allclose(step.grad.to_host(), 4 * (at + 1.0) ** 3, rtol=1e-5)


def test_what_is_joined_in_groups_is_in_order() -> None:
    parts = [np.arange(at % 4, dtype=np.float32) + 10 * at for at in range(75)]
    whole = ag.cat([core.from_host(part) for part in parts])
    assert whole.to_host().tolist() == np.concatenate(parts).tolist()
    rows = [np.full((2, 3), at, np.float32) for at in range(30)]
    target = core.zeros((2, 90))
    assert ag.cat(xs=[core.from_host(row) for row in rows], axis=-1, out=target) is target
    assert target.to_host().tolist() == np.concatenate(rows, axis=1).tolist()


def test_an_op_that_does_more_than_join_says_how_many_it_takes() -> None:
    twice = kernels.compile("op twice(*xs[n]: float) -> y[m] where m = size[n] { y = join[m](xs) * 2; }").twice
    with pytest.raises(ShapeError, match=rf"twice: xs has {MOST + 1} tensors, and at most {MOST} are taken at once"):
        twice([core.ones((2,))] * (MOST + 1))


def test_an_op_that_turns_what_it_joins_is_not_done_in_groups() -> None:
    turned = kernels.compile("op turned(*xs[*i, n]: float) -> y[m, *i] where m = size[n] { y = join[m](xs); }").turned
    rows = [np.full((2, 1), at, np.float32) for at in range(30)]
    assert turned([core.from_host(row) for row in rows]).to_host().tolist() == np.concatenate(rows, axis=1).T.tolist()


def test_a_mistake_in_a_long_list_names_the_place() -> None:
    with pytest.raises(ShapeError, match="of those from number 18 to 36"):
        ag.cat(_with(core.ones((3, 2)), 30, [core.ones((3,))] * 75))


def _with(other: Any, at: int, values: Sequence[Any]) -> list[Any]:
    return [*values[:at], other, *values[at + 1 :]]
