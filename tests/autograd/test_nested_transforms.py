"""Transforms inside transforms lose no derivative: any three of them, each of a function that takes the derivatives of
the one before and computes with them, around a polynomial."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from netcl import autograd as ag
from netcl import core

Fn = Callable[[Any], Any]

X = np.array([0.5, 0.8, 1.1, 1.3])


def total(fn: Fn) -> Fn:
    return lambda x: fn(x).sum()


def ones(x: Any) -> Any:
    return core.full(x.shape, 1.0, dtype="float64")


def in_two_rows(fn: Fn) -> Fn:
    def run(x: Any) -> Any:
        (count,) = x.shape
        rows = 2 if count % 2 == 0 else 1
        return ag.vmap(fn)(x.reshape(rows, count // rows)).reshape(count)

    return run


TRANSFORMS: dict[str, tuple[int, Callable[[Fn], Fn]]] = {
    "grad": (1, lambda fn: ag.grad(total(fn))),
    "jvp": (1, lambda fn: lambda x: ag.jvp(fn, x, ones(x))[1]),
    "pullback": (1, lambda fn: lambda x: ag.pullback(fn, x)[1](ones(x))),
    "hvp": (2, lambda fn: lambda x: ag.hvp(total(fn), x, ones(x))[1]),
    "jacfwd": (1, lambda fn: lambda x: ag.jacfwd(fn)(x).sum(-1)),
    "jacrev": (1, lambda fn: lambda x: ag.jacrev(fn)(x).sum(0)),
    "hessian": (2, lambda fn: lambda x: ag.hessian(total(fn))(x).sum(0)),
    "linearize": (1, lambda fn: lambda x: ag.linearize(fn, x)[1](ones(x))),
    "vmap": (0, in_two_rows),
    "jit": (0, ag.jit),
}
"""The order of the derivative that each takes of a function of each element by itself, and how."""


def times_x(fn: Fn) -> Fn:
    return lambda x: x * fn(x)


def require_the_closed_form(transforms: Sequence[str]) -> None:
    """x^6, of which each transform is taken, from the last to the first, and multiplied with x."""
    fn: Fn = lambda x: x * x * x * x * x * x  # noqa: E731
    expected = Polynomial([0, 0, 0, 0, 0, 0, 1])
    for each in reversed(transforms):
        order, transform = TRANSFORMS[each]
        fn = times_x(transform(fn))
        expected = expected.deriv(order) * Polynomial([0, 1])
    np.testing.assert_allclose(fn(core.from_host(X)).to_host(), expected(X), rtol=1e-11)


@pytest.mark.sample(8)
@pytest.mark.parametrize("outer", ["jvp", "hvp", "linearize", "jacfwd", "hessian", "jacrev", "grad"])
@pytest.mark.parametrize("inner", [name for name, (order, _) in TRANSFORMS.items() if order])
def test_a_derivative_of_a_function_that_takes_one_is_not_lost_inside_a_vmap(outer: str, inner: str) -> None:
    require_the_closed_form(("vmap", outer, inner))


@pytest.mark.sample(6)
@pytest.mark.parametrize("outermost", ["vmap", "jit"])
@pytest.mark.parametrize("outer", TRANSFORMS)
@pytest.mark.parametrize("middle", TRANSFORMS)
@pytest.mark.parametrize("inner", TRANSFORMS)
def test_four_transforms_inside_each_other_give_what_the_closed_form_says(
    outermost: str, outer: str, middle: str, inner: str
) -> None:
    require_the_closed_form((outermost, outer, middle, inner))


def test_tangents_of_what_is_saved_in_a_vmap_go_with_it_whichever_vmap_was_entered_first() -> None:
    require_the_closed_form(("hvp", "jacfwd", "jacrev"))


def test_a_handle_of_a_leaf_keeps_the_leaf_as_one_that_counts() -> None:
    x = ag.tensor(X, requires_grad=True)
    handle = x.sibling(None)
    del x
    (accumulator, _) = handle.gradient_edge()
    assert accumulator.variable is not None, "what a transform finds to depend on it would get no history"
    del handle
    assert accumulator.variable is None


@pytest.mark.parametrize(
    "nested",
    [
        ("jit", "vmap", "jacfwd", "hessian"),
        ("jit", "vmap", "jvp", "hessian"),
        ("jit", "vmap", "vmap", "hessian"),
        ("jit", "vmap", "vmap", "grad", "jvp"),
    ],
    ids="-".join,
)
def test_a_traced_vmap_runs_what_runs_without_jit(nested: tuple[str, ...]) -> None:
    require_the_closed_form(nested)
