"""Grad modes are exception-safe and belong to one thread; several threads may run one graph."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from exact import add, leaf, mul

from netcl import autograd as ag


def in_threads(count: int, work: Callable[[int], None]) -> None:
    errors: list[BaseException] = []

    def guarded(i: int) -> None:
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@pytest.mark.promise("A14", "N24")
def test_modes_nest_and_are_given_back_after_an_error() -> None:
    with contextlib.suppress(KeyError), ag.no_grad():
        assert not ag.is_grad_enabled()
        with ag.enable_grad():
            assert ag.is_grad_enabled()
            with ag.set_grad_enabled(False):
                assert not ag.is_grad_enabled()
            assert ag.is_grad_enabled()
        raise KeyError
    assert ag.is_grad_enabled()


@pytest.mark.promise("N25", "A14")
def test_set_grad_enabled_works_as_a_call() -> None:
    ag.set_grad_enabled(False)
    assert mul(leaf(2), leaf(3)) == 6
    ag.set_grad_enabled(True)
    assert isinstance(mul(leaf(2), leaf(3)), ag.Node)


@pytest.mark.promise("N24", "F9")
@pytest.mark.parametrize(
    "decorator",
    [lambda: ag.no_grad, lambda: ag.no_grad(), lambda: ag.set_grad_enabled(False), lambda: ag.inference_mode],
)
def test_modes_decorate_functions(decorator: Callable[[], Callable[..., Any]]) -> None:
    @decorator()
    def enabled() -> bool:
        """Whether ops are recorded."""
        return ag.is_grad_enabled()

    assert not enabled()
    assert ag.is_grad_enabled()
    assert enabled.__name__ == "enabled"


@pytest.mark.promise("F9")
def test_a_decorated_generator_gives_the_callers_mode_back_at_each_yield() -> None:
    @ag.no_grad()
    def steps() -> Iterator[bool]:
        try:
            while True:
                got = yield ag.is_grad_enabled()
                assert got != "end"
        finally:
            seen.append(ag.is_grad_enabled())

    seen: list[bool] = []
    generator = steps()
    assert next(generator) is False
    assert ag.is_grad_enabled()
    assert generator.send("more") is False
    assert ag.is_grad_enabled()
    generator.close()
    assert seen == [False]
    assert ag.is_grad_enabled()


@pytest.mark.promise("F9")
def test_enable_grad_has_no_effect_in_inference_mode() -> None:
    with ag.inference_mode(), ag.enable_grad():
        assert not ag.is_grad_enabled()
        assert mul(leaf(2), leaf(3)) == 6
    assert ag.is_grad_enabled()


@pytest.mark.promise("P7", "F9")
def test_a_backward_records_only_if_it_is_asked_to() -> None:
    seen: list[bool] = []

    def rule(dy: Any) -> list[Any]:
        seen.append(ag.is_grad_enabled())
        return [mul(dy, factor)]

    x, factor = leaf(3), leaf(5)
    for create_graph in (False, True):
        y = ag.apply_op(lambda a: a, rule, x, op_name="times")
        y.register_hook(lambda dy: seen.append(ag.is_grad_enabled()))
        (dx,) = ag.grad(y, [x], create_graph=create_graph)
        assert isinstance(dx, ag.Node) == create_graph
        assert seen == [create_graph] * 2
        seen.clear()
    assert ag.is_grad_enabled()


@pytest.mark.promise("N10", "N25", "F9")
def test_modes_tapes_and_anomaly_mode_stay_in_their_thread() -> None:
    with ag.no_grad(), ag.Tape(), ag.detect_anomaly():

        def check(_: int) -> None:
            assert ag.is_grad_enabled()
            assert ag.get_current_tape() is None
            assert mul(leaf(1), leaf(2)).creation_trace is None

        in_threads(2, check)


@pytest.mark.promise("N10")
def test_four_threads_with_twenty_tapes_each_get_their_own_gradients() -> None:
    barrier = threading.Barrier(4)

    def work(i: int) -> None:
        for n in range(20):
            barrier.wait()
            with ag.Tape() as tape:
                x = leaf(100 * i + n)
                loss = mul(mul(x, x), x)
            tape.backward(loss)
            assert len(tape) == 2
            assert x.grad == 3 * x.value**2

    in_threads(4, work)


@pytest.mark.promise("P31", "A4")
def test_four_threads_may_run_one_graph_at_once() -> None:
    x = leaf(Fraction(1, 3))
    y = x
    for _ in range(50):
        y = add(mul(y, x), y)
    expected = ag.grad(y, x, retain_graph=True)
    found: list[Fraction] = []
    in_threads(4, lambda _: found.extend(ag.grad(y, x, retain_graph=True) for _ in range(5)))
    assert found == [expected] * 20


@pytest.mark.promise("F29")
def test_threads_add_into_one_leaf_without_losing_any() -> None:
    x = leaf(0)

    def work(_: int) -> None:
        for _ in range(200):
            mul(x, 1).backward()

    in_threads(4, work)
    assert x.grad == 800


def branch(x: ag.Node, i: int, order: list[int]) -> ag.Node:
    return ag.apply_op(lambda a: a, lambda dy: order.append(i) or [dy], x, op_name="branch")


@pytest.mark.promise("P3")
def test_the_order_of_records_is_the_same_each_time_and_newest_first() -> None:
    orders = set()
    for _ in range(50):
        order: list[int] = []
        x = leaf(1)
        branches = [branch(x, i, order) for i in range(6)]
        y = 0
        for i in (3, 0, 5, 1, 4, 2):
            y = add(y, branches[i])
        y.backward()
        orders.add(tuple(order))
    assert orders == {(5, 4, 3, 2, 1, 0)}


@pytest.mark.promise("P33")
def test_backward_inside_backward_goes_200_deep() -> None:
    depth = []

    def nested(level: int) -> Fraction:
        x = leaf(level)

        def gradient(dy: Fraction) -> list[Fraction]:
            depth.append(level)
            with ag.enable_grad():
                return [dy + (nested(level - 1) if level else 0)]

        ag.apply_op(lambda a: a, gradient, x, op_name="nested").backward()
        return x.grad

    assert nested(200) == 201
    assert len(depth) == 201


@pytest.mark.promise("P35", "P33")
def test_an_error_deep_inside_reaches_the_caller() -> None:
    def nested(level: int) -> None:
        def gradient(dy: Fraction) -> list[Fraction]:
            if level == 0:
                raise ValueError("planted")
            with ag.enable_grad():
                nested(level - 1)
            return [dy]

        ag.apply_op(lambda a: a, gradient, leaf(1), op_name="nested").backward()

    with pytest.raises(ValueError, match="planted"):
        nested(50)
    assert ag.is_grad_enabled()
    x = leaf(2)
    mul(x, x).backward()
    assert x.grad == 4
