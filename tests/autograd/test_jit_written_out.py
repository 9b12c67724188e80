"""Programs written out as one function: taken for calls like the ones before, and for no others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.core.errors import IndexOutOfRangeError


def warm(fn: Any, *args: Any) -> Any:
    """A jitted function whose program for these arguments is written out."""
    for _ in range(3):
        fn(*args)
    assert fn._quick is not None
    return fn


def counted(monkeypatch: pytest.MonkeyPatch, fn: Any) -> list[int]:
    """The calls of a jitted function that what is written out was not for."""
    slow: list[int] = []
    program = fn._program
    monkeypatch.setattr(fn, "_program", lambda *given: slow.append(1) or program(*given))
    return slow


def test_calls_like_those_before_take_it_and_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    fn = warm(ag.jit(lambda x, p, k: (x * p["w"] + k, (x - p["b"]).sum(), x)), core.ones(3), _weights(1.0), 2.0)
    slow = counted(monkeypatch, fn)
    for value in (2.0, 3.0):
        x = core.from_host(np.full(3, value, np.float32))
        product, total, same = fn(x, _weights(value), 2.0)
        assert product.tolist() == [value * value + 2] * 3
        assert total.item() == 3 * (value - 1)
        assert same is x
        assert isinstance(product, core.Tensor)
    assert not slow


def _weights(value: float) -> dict[str, Any]:
    return {"w": ag.tensor([value] * 3), "b": ag.tensor(1.0)}


OTHERS = {
    "shape": lambda: (core.ones((2, 3)), 2.0),
    "dtype": lambda: (core.ones(3, dtype="float64"), 2.0),
    "strides": lambda: (core.from_host(np.arange(6, dtype=np.float32))[::2], 2.0),
    "reversed": lambda: (core.from_host(np.arange(3, dtype=np.float32))[::-1], 2.0),
    "node": lambda: (ag.tensor([1.0, 2.0, 3.0]), 2.0),
    "number": lambda: (core.ones(3), 3.0),
    "whole number": lambda: (core.ones(3), 2),
    "no number": lambda: (core.ones(3), math.nan),
    "flag": lambda: (core.ones(3), True),
}


@pytest.mark.parametrize("other", OTHERS)
def test_other_arguments_have_programs_of_their_own(other: str) -> None:
    def plain(x: Any, k: Any) -> Any:
        return x * k if k is True else x * k + (5.0 if isinstance(k, float) else 7)

    fn = warm(ag.jit(plain), core.ones(3), 2.0)
    for _ in range(4):
        x, k = OTHERS[other]()
        found = fn(x, k)
        expected = plain(x, k)
        np.testing.assert_array_equal(found.to_host(), expected.to_host())
        assert found.dtype == expected.dtype
        assert fn(core.ones(3), 2.0).tolist() == [7, 7, 7]


def test_zeros_of_either_sign_are_different_numbers() -> None:
    fn = warm(ag.jit(lambda x, k: x * math.copysign(1.0, k)), core.ones(1), 0.0)
    assert [fn(core.ones(1), each).item() for each in (0.0, -0.0, 0.0, -0.0)] == [1, -1, 1, -1]


def test_a_node_that_requires_a_gradient_gets_it() -> None:
    fn = warm(ag.jit(lambda x: (x * x).sum()), ag.tensor([1.0, 2.0]))
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    fn(x).backward()
    assert x.grad.tolist() == [2, 4]
    with ag.no_grad():
        assert not isinstance(fn(x), ag.Node) or not fn(x).requires_grad
    with ag.Tape():
        y = fn(ag.tensor([3.0, 4.0]))
    assert y.item() == 25


def test_what_is_closed_over_is_looked_at() -> None:
    class Model:
        scale = 2.0
        weight = ag.tensor([1.0, 2.0])
        step = core.from_host([3.0])

    model = Model()
    fn = warm(ag.jit(lambda x: x * model.weight * model.scale + float(model.step[0])), core.ones(2))
    assert fn(core.ones(2)).tolist() == [5, 7]
    model.weight.assign_(core.from_host(np.array([5.0, 6.0], np.float32)))
    assert fn(core.ones(2)).tolist() == [13, 15]
    model.weight = ag.tensor([0.0, 1.0])
    assert fn(core.ones(2)).tolist() == [3, 5]
    warm(fn, core.ones(2))
    model.scale = 3.0
    assert fn(core.ones(2)).tolist() == [3, 6]
    warm(fn, core.ones(2))
    model.step[0] = 0.0
    assert fn(core.ones(2)).tolist() == [0, 3]
    warm(fn, core.ones(2))
    model.weight = ag.tensor([0.0, 1.0], requires_grad=True)
    y = fn(core.ones(2))
    y.sum().backward()
    assert model.weight.grad.tolist() == [3, 3]


def test_random_numbers_are_those_of_each_call() -> None:
    def plain(x: Any) -> Any:
        return ag.dropout(x, 0.5) + ag.normal((64,))

    fn = warm(ag.jit(plain), core.ones(64))
    for seed in (1, 2):
        found = []
        for each in (fn, plain):
            core.manual_seed(seed)
            found.append([each(core.ones(64)).tolist() for _ in range(2)])
        assert found[0] == found[1]
        assert found[0][0] != found[0][1]


def test_positions_are_looked_at() -> None:
    fn = warm(ag.jit(lambda x, at: x[at] * 2), core.ones(3), core.from_host([0, 1]))
    with pytest.raises(IndexOutOfRangeError):
        fn(core.ones(3), core.from_host([0, 3]))
    assert fn(core.ones(3), core.from_host([2, 2])).tolist() == [2, 2]


def test_constants_are_copies() -> None:
    table = core.from_host([1.0, 2.0])
    fn = warm(ag.jit(lambda x: (x + 1, table, "text", None)), core.ones(2))
    _, found, text, nothing = fn(core.ones(2))
    found.assign_(core.zeros(2))
    assert table.tolist() == [1, 2]
    assert (text, nothing) == ("text", None)


def test_gradients_inside_are_written_out_too(monkeypatch: pytest.MonkeyPatch) -> None:
    fn = warm(ag.jit(ag.value_and_grad(lambda p: (p["a"] * p["b"] ** 2).sum())), _pair(1.0))
    slow = counted(monkeypatch, fn)
    value, slopes = fn(_pair(3.0))
    assert value.item() == 2 * 27
    assert slopes["a"].tolist() == [9, 9]
    assert slopes["b"].tolist() == [18, 18]
    assert not slow


def _pair(value: float) -> dict[str, Any]:
    return {name: core.from_host(np.full(2, value, np.float32)) for name in "ab"}
