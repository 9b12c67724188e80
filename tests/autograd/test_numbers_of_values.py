"""Numbers that are made of values which are being differentiated: no derivative is lost without a word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.core import GraphError


@pytest.mark.parametrize(
    "taken",
    [lambda x: x.item(), float, lambda x: x.to_host(), lambda x: (x, float(x))],
    ids="item float array two".split(),
)
@pytest.mark.parametrize(
    "transform",
    [
        lambda f, x: ag.grad(f)(x), lambda f, x: ag.value_and_grad(f)(x), lambda f, x: ag.vjp(f, x),
        lambda f, x: ag.jvp(f, x, x), lambda f, x: ag.linearize(f, x), lambda f, x: ag.jacrev(f)(x),
        lambda f, x: ag.jacfwd(f)(x), lambda f, x: ag.hessian(f, x),
    ],
    ids="grad value_and_grad vjp jvp linearize jacrev jacfwd hessian".split(),
)  # fmt: skip
def test_a_number_that_a_function_returns_has_no_gradient_of_zero(transform: Any, taken: Any) -> None:
    x = core.from_host(np.array([0.5, -2.0]))
    with pytest.raises(GraphError, match="say nothing of where they came from"):
        transform(lambda a: taken((a * a).sum()), x)
    with pytest.raises(GraphError, match="returned a float, which says nothing"):
        transform(lambda a: 2.0, x)


@pytest.mark.parametrize(
    "taken", [lambda x: x.item(), float, int, lambda x: x.to_host(), lambda x: x.tolist(), np.asarray],
    ids="item float int array list numpy".split(),
)  # fmt: skip
@pytest.mark.parametrize(
    "transform",
    [
        lambda f, x: ag.grad(f)(x), lambda f, x: ag.vjp(f, x), lambda f, x: ag.jvp(f, x, x),
        lambda f, x: ag.hessian(f, x),
        lambda f, x: ag.linearize(f, x), lambda f, x: ag.grad(lambda y: ag.grad(f)(y).sum())(x),
    ],
    ids="grad vjp jvp hessian linearize twice".split(),
)  # fmt: skip
def test_a_number_on_the_way_loses_no_gradient_silently(transform: Any, taken: Any) -> None:
    x = core.from_host(np.array([0.5, -2.0]))
    with pytest.raises(GraphError, match=r"say nothing of where they came from.*x\.detach\(\)"):
        transform(lambda a: (a * taken((a * a).sum())).sum(), x)
    with pytest.raises(GraphError, match=r"say nothing of where they came from.*x\.detach\(\)"):
        transform(lambda a: (a * taken(a)).sum(), x[0])


@pytest.mark.parametrize(
    "transform",
    [
        lambda f, x: ag.grad(f)(x), lambda f, x: ag.value_and_grad(f)(x), lambda f, x: ag.jacrev(f)(x),
        lambda f, x: ag.pullback(f, x), lambda f, x: ag.hvp(f, x, x),
        lambda f, x: ag.grad(lambda p: f(p["a"]))({"a": x}),
    ],
    ids="grad value_and_grad jacrev pullback hvp dict".split(),
)  # fmt: skip
def test_a_number_of_the_argument_itself_loses_no_gradient_silently(transform: Any) -> None:
    for x in (core.from_host(np.array(0.5)), 0.5, ag.tensor(0.5, requires_grad=True)):
        with pytest.raises(GraphError, match=r"say nothing of where they came from.*x\.detach\(\)"):
            transform(lambda a: a * a.item(), x)
        transform(lambda a: a * a.detach().item() if a > 0 else a, x)


def test_numbers_of_what_is_not_differentiated_are_free() -> None:
    x, scale = core.from_host(np.array([0.5, -2.0])), ag.tensor(3.0, requires_grad=True, dtype="float64")

    def function(a: Any) -> Any:
        norm = (a * a).sum()
        assert f"{norm:.2f}" == "4.25"
        assert repr(norm)
        assert bool(norm > 1)
        return (a * scale.item() * norm.detach().item()).sum()

    np.testing.assert_allclose(ag.grad(function)(x).to_host(), [12.75, 12.75])
    (scale * 2).item()
