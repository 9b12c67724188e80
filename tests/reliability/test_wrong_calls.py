"""A call that is wrong says so: the errors of the inside that wrong calls at random found, and some calls more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wrong_calls

from netcl import autograd as ag
from netcl import core

X = np.arange(6, dtype=np.float32).reshape(2, 3)

SENTENCES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a ragged list": (lambda x: ag.flip([[1.0, 2.0], [3.0]]), "flip: x must be a Tensor .*, but it is a list"),
    "a tuple": (lambda x: ag.median((1.0, 2.0)), "median: x must be a Tensor .*, but it is a tuple"),
    "a number": (lambda x: ag.zeros_like(5), "zeros_like: value must be a Tensor .*, but it is 5"),
    "a list without a shape": (lambda x: core.full_like([1.0], 0), "full_like: tensor must be a Tensor .* a list"),
    "a word for an axis": (lambda x: ag.chunk(x, "two"), "chunk: chunks must be a whole number, but it is 'two'"),
    "a word for widths": (lambda x: ag.pad(x, 3), r"pad: widths must be a list of \(before, after\).* it is 3"),
    "a list of a word": (lambda x: ag.einsum("i->i", "x"), r"einsum\(.i->i.\): operand 0 must be a Tensor"),
    "a queue that is none": (lambda x: ag.zeros(3, queue="gpu"), "zeros: queue must be .*, but it is 'gpu'"),
    "a target that is none": (lambda x: ag.exp(x, out=3.0), "exp: out is a float; give the Tensor"),
    "a function that is none": (lambda x: ag.vjp(3, x), "vjp: fn must be a function, but it is 3"),
    "parameters that are none": (lambda x: ag.optim.SGD(3, 0.1), "SGD: the parameters are int; give leaves, or a tree"),
    "an optimizer that is none": (lambda x: ag.optim.StepLR(x, 3), "StepLR: optimizer must be an optimizer"),
    "a mask of another shape": (lambda x: ag.masked_select(x, x[:, :2] > 0), r"\(2, 3\) and \(2, 2\) do not broadcast"),
    "more than the host holds": (lambda x: ag.arange(0, 1e30), "arange: 0 to 1e.30 by 1 has no room on the host"),
    "axes by the dozen": (lambda x: ag.tensordot(x, x, 12), r"tensordot: 12 axes are to be summed, but a \(2, 3\)"),
}  # fmt: skip


@pytest.mark.parametrize("name", SENTENCES)
def test_a_wrong_argument_is_named_with_what_it_is_and_what_it_must_be(name: str) -> None:
    call, sentence = SENTENCES[name]
    with pytest.raises(core.NetclError, match=sentence):
        call(ag.tensor(X))


def test_an_error_of_the_function_that_is_differentiated_stays_its_own() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        ag.vjp(lambda x: x.value.nothing, ag.tensor(X, requires_grad=True))


def test_numpy_integers_are_whole_numbers_everywhere() -> None:
    x = ag.tensor(X)
    np.testing.assert_array_equal(ag.roll(x, np.int8(1), np.int64(1)).to_host(), np.roll(X, 1, 1))
    np.testing.assert_array_equal(ag.tensordot(x, x.T, np.int32(1)).to_host(), X @ X.T)
    np.testing.assert_array_equal(ag.tensordot(x, x.T, (1, 0)).to_host(), X @ X.T)
    assert [part.shape for part in ag.split(x, np.int16(2), np.int8(1))] == [(2, 2), (2, 1)]


@pytest.mark.parametrize("reps", [(2,), (1, 1), (2, 3), (3, 1, 2), (0, 2), (100, 1)])
def test_repeated_elements_are_those_of_tile(reps: tuple[int, ...]) -> None:
    x = ag.tensor(X, requires_grad=True)
    y = ag.repeat(x, reps)
    np.testing.assert_array_equal(y.to_host(), np.tile(X, reps))
    np.testing.assert_array_equal(ag.grad(ag.sum(y), x).to_host(), np.full((2, 3), np.prod(reps)))


def test_wrong_calls_at_random_work_or_say_what_is_wrong() -> None:
    found = [f"{each.call}\n{each.what}\n{each.where}" for each in wrong_calls.failures(300, seed=7)]
    assert not found, "\n\n".join(found)
