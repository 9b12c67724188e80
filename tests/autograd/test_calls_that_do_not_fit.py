"""Calls that do not fit: the sentence names the function, what it takes, and what an argument of elsewhere is here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import netcl.autograd as ag
from netcl import core, kernels

X = core.from_host(np.ones((2, 3)))
W = ag.tensor(np.ones(3), requires_grad=True)
OWN = kernels.compile("op scaled(x[n]: float; a: float = 2) -> y[n] { y = x * a; }")
CALLS: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: ag.vmap(ag.exp, in_dims=0),
        "vmap has no argument 'in_dims'; it takes fn, in_axes.*; did you mean in_axes?",
    ),
    (
        lambda: ag.jit(ag.exp, static_argnums=1),
        "jit has no argument 'static_argnums'; .*is no tensor is static already",
    ),
    (lambda: ag.grad(ag.exp, argnum=1), "grad has no argument 'argnum'; .*did you mean argnums?"),
    (lambda: (W * 2).sum().backward(gradient=W), "backward has no argument 'gradient'; .*did you mean grad?"),
    (lambda: core.zeros(3, device="cpu"), "zeros has no argument 'device'; .*did you mean queue?"),
    (lambda: ag.optim.Adam([W], weightdecay=1), "Adam has no argument 'weightdecay'; .*did you mean weight_decay?"),
    (lambda: ag.pullback(ag.exp), "pullback: missing a required argument: 'inputs'; it takes fn, inputs, has_aux"),
    (lambda: ag.pullback(ag.mul, X, X), r"pullback: several inputs are one tuple, pullback\(fn, \(x, y\)\)"),
    (lambda: ag.linearize(ag.mul, X, X), r"linearize: several inputs are one tuple, linearize\(fn, \(x, y\)\)"),
    (lambda: ag.vjp(ag.exp, X), r"vjp: the function returned shape \(2, 3\), .*; pass v"),
    (
        lambda: ag.pullback(ag.exp, X)[1](),
        r"pullback: the function returned shape \(2, 3\), .*; call the function with v",
    ),
    (
        lambda: ag.checkpoint(lambda x: x)(X),
        r"checkpoint: missing .*; it calls the function at once, checkpoint\(fn, x",
    ),
    (
        lambda: ag.index_put(X, (slice(0, 1),), X),
        r"index_put: idx holds tensors of positions or masks; for slices write",
    ),
    (lambda: ag.cat([X, X[0]]), r"cat: xs.1. has 1 axis and xs.0. has 2 axes, but all of xs have the same number"),
    (lambda: X[object()], r"an index must be whole numbers, slices or bools, but it is an object"),
    (lambda: OWN.scaled(X[0], b=1), "scaled has no argument 'b'; it takes x, a"),
]


@pytest.mark.parametrize(("call", "sentence"), CALLS, ids=[each[1][:28] for each in CALLS])
def test_the_sentence_says_what_there_is(call: Callable[[], Any], sentence: str) -> None:
    with pytest.raises((TypeError, core.NetclError), match=sentence):
        call()


def test_a_function_without_arguments_may_be_checkpointed() -> None:
    assert ag.checkpoint(lambda: W * 2).tolist() == [2, 2, 2]
    assert ag.checkpoint(partial(ag.exp, X)).shape == (2, 3)


def test_a_name_of_a_dtype_is_that_of_its_class() -> None:
    for kind in (float, int, bool):
        assert core.zeros(2, dtype=kind).dtype == core.zeros(2, dtype=kind.__name__).dtype
