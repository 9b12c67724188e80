"""Numbers of attributes alone are computed in double precision, once for a call, whatever the elements are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels

OPS = kernels.compile(
    """
    op mixed(x: float, y: float; beta: float) -> z { z = beta * x + (1 - beta) * y; }
    op divided(x: float; d: float) -> z { z = x * (1 / d); }
    op bounded(x: float; count: int) -> z { z = count == 0 ? x : x * (2.0 / count); }
    op number(x: float; a: float, b: float) -> z { z = 0 * x + log(a) * b; }
    """
)
ONE = np.ones(3, np.float32)


def ones() -> core.Tensor:
    return core.from_host(ONE)


@pytest.mark.parametrize("beta", [0.9, 0.999, 0.999999, 0.99999999, 1 - 1e-12])
def test_what_is_left_of_one_keeps_its_digits(beta: float) -> None:
    found = OPS.mixed(core.from_host(0 * ONE), ones(), beta=beta).to_host()
    np.testing.assert_allclose(found, 1 - beta, rtol=1e-7)
    x = ag.tensor(0 * ONE, requires_grad=True)
    y = ag.tensor(ONE, requires_grad=True)
    for call in (OPS.mixed, ag.jit(OPS.mixed)):
        gradients = ag.grad(call(x, y, beta=beta).sum(), [x, y])
        np.testing.assert_allclose(gradients[1].to_host(), 1 - beta, rtol=1e-7)


def test_each_call_has_its_own() -> None:
    for by in (4.0, 5.0, 4.0, 0.0, -0.0, math.inf, -2.0, 0.0):
        with np.errstate(divide="ignore"):
            expected = ONE / np.float32(by)
        np.testing.assert_array_equal(OPS.divided(ones(), d=by).to_host(), expected, err_msg=str(by))
    assert math.isnan(OPS.divided(ones(), d=math.nan).to_host()[0])


def test_what_no_branch_asks_for_is_no_error() -> None:
    np.testing.assert_array_equal(OPS.bounded(ones(), count=0).to_host(), ONE)
    np.testing.assert_array_equal(OPS.bounded(ones(), count=4).to_host(), ONE / 2)
    assert math.isnan(OPS.number(ones(), a=-1.0, b=1.0).to_host()[0])
    np.testing.assert_allclose(OPS.number(ones(), a=1 + 1e-9, b=1e9).to_host(), 1, rtol=1e-6)


@pytest.mark.parametrize("beta", [0.999, 0.99999, 0.999999])
def test_the_first_step_of_adam_is_as_long_as_its_rate(beta: float) -> None:
    p = ag.tensor(ONE, requires_grad=True)
    optimizer = ag.optim.Adam([p], lr=0.1, betas=(0.9, beta))
    for step in range(1, 6):
        p.grad = core.from_host(ONE)
        optimizer.step()
        np.testing.assert_allclose(p.to_host(), 1 - 0.1 * step, rtol=1e-5, atol=1e-6)
