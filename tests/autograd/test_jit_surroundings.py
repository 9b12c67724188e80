"""What Python reads while a function is traced is looked at again at each call."""

from __future__ import annotations

import copy
import logging
import threading
import types
from typing import Any

import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.autograd.programs.surroundings import Surroundings


class Part:
    def __init__(self, factor: float) -> None:
        self.weight = ag.tensor([factor, factor])


class Net:
    """A model as people write one: by identity, with tensors, flags, parts and lists for attributes."""

    def __init__(self) -> None:
        self.weight = ag.tensor([1.0, 2.0])
        self.training = True
        self.scale = 1.0
        self.parts: list[Any] = [Part(1.0)]
        self.by_name = {"last": Part(1.0)}
        self.seen: list[float] = []

    def __call__(self, x: Any) -> Any:
        y = x * self.weight * self.scale
        for part in self.parts:
            y = y * part.weight
        y = y * self.by_name["last"].weight
        return y if self.training else -y

    @ag.jit
    def jitted(self, x: Any) -> Any:
        return self(x)


def _weight(net: Net) -> None:
    net.weight = ag.tensor([5.0, 5.0])


def _flag(net: Net) -> None:
    net.training = False


def _number(net: Net) -> None:
    net.scale = 3.0


def _part(net: Net) -> None:
    net.parts[0].weight = ag.tensor([7.0, 7.0])


def _list(net: Net) -> None:
    net.parts.append(Part(2.0))


def _dict(net: Net) -> None:
    net.by_name["last"] = Part(4.0)


def _inside_a_dict(net: Net) -> None:
    net.by_name["last"].weight = ag.tensor([9.0, 9.0])


CHANGES = [_weight, _flag, _number, _part, _list, _dict, _inside_a_dict]


def _as_an_argument(net: Net) -> Any:
    jitted = ag.jit(lambda net, x: net(x))
    return lambda x: jitted(net, x)


def _as_a_method(net: Net) -> Any:
    return net.jitted


def _as_a_bound_method(net: Net) -> Any:
    return ag.jit(net.__call__)


def _closed_over(net: Net) -> Any:
    return ag.jit(lambda x: net(x))


def _behind_a_function(net: Net) -> Any:
    def loss(x: Any) -> Any:
        return net(x)

    return ag.jit(lambda x: loss(x))


def _in_a_gradient(net: Net) -> Any:
    return ag.jit(ag.grad(lambda x: (net(x) * x).sum()))


@pytest.mark.parametrize("change", CHANGES, ids=lambda each: each.__name__)
@pytest.mark.parametrize(
    "way", [_as_an_argument, _as_a_method, _as_a_bound_method, _closed_over, _behind_a_function, _in_a_gradient],
    ids=lambda each: each.__name__,
)  # fmt: skip
def test_what_has_changed_since_the_trace_counts(way: Any, change: Any) -> None:
    net, x = Net(), ag.tensor([1.0, -2.0])
    jitted = way(net)
    jitted(x)
    change(net)
    expected = ag.grad(lambda x: (net(x) * x).sum())(x) if way is _in_a_gradient else net(x)
    assert jitted(x).tolist() == expected.tolist()


def test_what_is_not_read_traces_nothing_anew() -> None:
    net, x = Net(), ag.tensor([1.0, -2.0])
    traces = []

    @ag.jit
    def jitted(net: Net, x: Any) -> Any:
        traces.append(1)
        return net(x)

    for step in range(4):
        jitted(net, x)
        net.seen.append(float(step))
        net.unused = step  # type: ignore[attr-defined]
        net.weight.assign_(net.weight * 2)
    assert len(traces) == 1
    assert jitted(net, x).tolist() == net(x).tolist()


FLAG = True
TABLE = {"w": ag.tensor([1.0, 1.0])}


def test_variables_of_the_module_and_of_the_functions_around_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    power = 2.0

    @ag.jit
    def jitted(x: Any) -> Any:
        return (x if FLAG else -x) * TABLE["w"] * power

    x = ag.tensor([1.0, 3.0])
    assert jitted(x).tolist() == [2, 6]
    power = 4.0
    assert jitted(x).tolist() == [4, 12]
    monkeypatch.setitem(globals(), "FLAG", False)
    assert jitted(x).tolist() == [-4, -12]
    monkeypatch.setitem(TABLE, "w", ag.tensor([0.5, 0.5]))
    assert jitted(x).tolist() == [-2, -6]
    power = float("nan")
    assert str(jitted(x).tolist()) == "[nan, nan]"
    assert repr(jitted) == "<jit of jitted, 1 program>"


def test_an_attribute_that_the_function_writes_itself_is_no_reason_to_trace_anew_once_it_stays() -> None:
    traces = []

    class Counter:
        latest: Any = None

    @ag.jit
    def jitted(counter: Counter, x: Any) -> Any:
        traces.append(1)
        counter.latest = 2.0
        return x * counter.latest

    counter, x = Counter(), ag.tensor([1.0])
    assert [jitted(counter, x).tolist() for _ in range(4)] == [[2.0]] * 4
    assert len(traces) == 2


def test_objects_of_other_kinds_are_arguments_as_ever() -> None:
    class Slots:
        __slots__ = ("factor",)

        def __init__(self) -> None:
            self.factor = 2.0

    class Value:
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Value)

        def __hash__(self) -> int:
            return 7

    jitted = ag.jit(lambda thing, x: x * (thing.factor if isinstance(thing, Slots) else 3.0))
    x = ag.tensor([1.0])
    assert jitted(Slots(), x).tolist() == [2.0]
    assert jitted(Value(), x).tolist() == jitted(Value(), x).tolist() == [3.0]
    assert jitted(threading.Lock(), x).tolist() == [3.0]
    assert ag.jit(lambda op, x: op(x))(ag.exp, core.zeros(1)).tolist() == [1.0]


def test_what_refuses_to_be_looked_at_is_left_alone() -> None:
    class Refusing(list[int]):
        def __len__(self) -> int:
            raise RuntimeError("no length")

    nested: list[Any] = []
    for _ in range(5000):
        nested = [nested]
    held = types.SimpleNamespace(refusing=Refusing(), nested=nested, scale=2.0)
    held.itself = held
    jitted = ag.jit(lambda x: x * held.scale if held.refusing is not held.nested and held.itself else x)
    x = ag.ones(1)
    assert jitted(x).item() == 2
    held.scale = 3.0
    assert jitted(x).item() == 3


def test_a_chain_of_objects_is_followed_to_its_end() -> None:
    last = held = types.SimpleNamespace(next=None, scale=2.0)
    for _ in range(2000):
        held = types.SimpleNamespace(next=held, scale=0.0)

    def total(x: Any) -> Any:
        at, found = held, 0.0
        while at is not None:
            at, found = at.next, found + at.scale
        return x * found

    jitted, x = ag.jit(total), ag.ones(1)
    assert jitted(x).item() == 2
    last.scale = 3.0
    assert jitted(x).item() == 3


def test_classes_are_left_as_they_are() -> None:
    registered: dict[str, type] = {}

    class Base:
        def __init_subclass__(cls) -> None:
            assert cls.__name__ not in registered, "registered twice"
            registered[cls.__name__] = cls

    class Tanh(Base):
        scale = 2.0

        def f(self, x: Any) -> Any:
            assert type(self) is Tanh
            assert type(copy.deepcopy(self)) is Tanh
            return x * self.scale

    assert ag.jit(Tanh().f)(ag.ones(1)).item() == 2
    assert registered == {"Tanh": Tanh}


def test_threads_trace_one_model_side_by_side() -> None:
    net, x = Net(), ag.tensor([1.0, -2.0])
    found = []

    def work(factor: float) -> None:
        found.append((ag.jit(lambda x: net(x) * factor)(x).tolist(), [1.0 * factor, -4.0 * factor]))

    threads = [threading.Thread(target=work, args=(float(each),)) for each in range(1, 7)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert all(one == other for one, other in found)
    assert len(found) == 6


def test_ops_and_what_python_keeps_of_its_own_lead_to_nothing_that_is_looked_at_again() -> None:
    ops = kernels.compile("op f(x[n]: float) -> y[n] { s = sum[n](x); y = tanh(x) * s; }")
    log = logging.getLogger(__name__)

    def function(x: Any) -> Any:
        log.debug("%s", x)
        return ops.f(x)

    around = Surroundings()
    around.look_around(function, [ag.ones(3)])
    assert {id(each.value) for each in around._read if hasattr(each, "value")} == {id(ops), id(log)}
