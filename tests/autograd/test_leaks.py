"""A thousand steps of everything at once leave no object and no byte behind, without the garbage collector."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core


class Square(ag.Function):
    """x * x; its context keeps the input, the output and a number."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x * x
        ctx.save_for_backward(x, y)
        ctx.factor = 2.0
        return y

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        x, _ = ctx.saved_tensors
        return dy * x * ctx.factor


class Failing(ag.Function):
    """Its backward raises."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * 2.0

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        raise ValueError("planted")


def leaf(*numbers: float) -> ag.Node:
    return ag.tensor(np.float32(numbers), requires_grad=True)


def hooks(x: ag.Node, w: ag.Node) -> None:
    y = x * w
    y.register_hook(lambda gradient: gradient * 2.0)
    y.grad_fn.register_prehook(lambda gradients: None)
    y.grad_fn.register_hook(lambda inputs, outputs, kept=y.value: None)
    y.retain_grad()
    handles = [x.register_hook(lambda gradient: None), w.register_post_accumulate_grad_hook(lambda node: None)]
    with ag.register_multi_grad_hook([x, w], lambda gradients: None):
        y.sum().backward()
    for handle in handles:
        handle.remove()


def a_graph_of_the_gradient(x: ag.Node, w: ag.Node) -> None:
    (x * x * w).sum().backward(create_graph=True)
    first = ag.grad((x * w).sum(), x, create_graph=True)
    (first * x.grad).sum().backward()


def functions(x: ag.Node, w: ag.Node) -> None:
    y = Square.apply(Square.apply(x) * w)
    first = ag.grad(y.sum(), x, create_graph=True)
    (first * first).sum().backward()


def views(x: ag.Node, w: ag.Node) -> None:
    y = x * w
    part, other = y[0:2], y[1:3]
    part.mul_(w[0:2])
    y.add_(x)
    (other * other).sum().backward()


def exceptions(x: ag.Node, w: ag.Node) -> None:
    with contextlib.suppress(ValueError):
        (Failing.apply(x * w) * x).sum().backward()
    y = x * w
    late = (y * y).sum()
    y.add_(w)
    with contextlib.suppress(core.GraphError):
        late.backward()
    done = (x * w).sum()
    done.backward()
    with contextlib.suppress(core.GraphError):
        done.backward()
    with contextlib.suppress(core.ShapeError):
        x * leaf(1.0, 2.0)


def saved_values(x: ag.Node, w: ag.Node) -> None:
    with ag.Tape() as tape, ag.saved_tensors_hooks(lambda value: [value], lambda box: box[0]):
        y = ag.checkpoint(lambda a: Square.apply(a) * w, x)
        loss = (y * y).sum()
    tape.backward(loss)
    loss.grad_fn.metadata["note"] = "kept as long as the record"


PARTS = (hooks, a_graph_of_the_gradient, functions, views, exceptions, saved_values)


@pytest.fixture(autouse=True)
def _no_garbage_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def counted() -> tuple[int, int]:
    return len(gc.get_objects()), core.memory_stats()["live_bytes"]


@pytest.mark.promise("P55", "F17")
@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
@pytest.mark.sample(3)
def test_a_thousand_steps_leave_no_object_and_no_byte(part: Callable[[ag.Node, ag.Node], None]) -> None:
    x, w = leaf(1, 2, 3, 4), leaf(0.5, -1, 2, 0.25)

    def run(steps: int) -> None:
        for _ in range(steps):
            part(x, w)
            x.zero_grad()
            w.zero_grad()
            core.synchronize()  # else as many buffers are kept for later as the device is late

    run(20)
    grown = []
    for _ in range(2):  # a plan may be built for its second stream in one of them, but what a step leaves is in both
        objects, live = counted()
        run(1000)
        objects_after, live_after = counted()
        assert live_after == live
        grown.append(objects_after - objects)
    assert min(grown) <= 5
