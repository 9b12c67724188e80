"""A traced function that changes what is around it gives what it gives without jit, and leaves what it leaves then."""

from __future__ import annotations

import collections
import dataclasses
import functools
import logging
from collections.abc import Callable
from typing import Any

import pytest

from netcl import autograd as ag
from netcl import core
from netcl.autograd.programs.only_written import only_written
from netcl.core.errors import GraphError, IndexOutOfRangeError

count = 0


class Model:
    def __init__(self) -> None:
        self.calls = self.seen = 0
        self.ready = False
        self.mean: Any = ag.zeros(())
        self.last: Any = None
        self.state: Any = None
        self.table: dict[str, Any] = {}
        self.shapes: list[Any] = []

    def counted(self, x: Any) -> Any:
        self.calls += 1
        return x * self.calls

    def initialised(self, x: Any) -> Any:
        if not self.ready:
            self.mean = x * 1
            self.ready = True
        return x - self.mean

    def initialised_without_a_flag(self, x: Any) -> Any:
        if self.last is None:
            self.last = x * 2
        return x - self.last

    def initialised_when_it_is_not_there(self, x: Any) -> Any:
        if not hasattr(self, "first"):
            self.first = x * 3
        return x + self.first

    def averaged(self, x: Any) -> Any:
        self.mean = self.mean * 0.9 + x * 0.1
        return self.mean * 1

    def looked_at(self, x: Any) -> Any:
        self.last = x * 2
        return x + 1

    def recurrent(self, x: Any) -> Any:
        h, c = self.state if self.state is not None else (x * 0, x * 0)
        self.state = h + x, c * x + 1
        return self.state[0] + self.state[1]

    def in_a_dict(self, x: Any) -> Any:
        self.table["n"] = self.table.get("n", 0) + 1
        return x * self.table["n"]

    def remembered(self, x: Any) -> Any:
        if "w" not in self.table:
            self.table["w"] = ag.tensor(3.0)
        return x * self.table["w"]

    def a_global(self, x: Any) -> Any:
        global count
        count += 1
        return x * count

    def swapped(self, x: Any) -> Any:
        self.mean, self.last = x * 1, self.mean
        return self.last + x


def after(model: Model) -> list[Any]:
    return [model.calls, model.ready, model.table.get("n"), _number(model.mean), _number(model.last)]


def _number(value: Any) -> Any:
    return None if value is None else float(value)


NAMES = (
    "counted initialised initialised_without_a_flag initialised_when_it_is_not_there averaged looked_at recurrent "
    "in_a_dict remembered a_global swapped"
).split()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wanted", [False, True], ids=["values", "gradients"])
def test_what_changes_is_what_it_is_without_jit(monkeypatch: pytest.MonkeyPatch, name: str, wanted: bool) -> None:
    found = []
    for wrapped in (lambda fn: fn, ag.jit):
        monkeypatch.setitem(globals(), "count", 0)
        model = Model()
        fn = wrapped(getattr(model, name))
        steps = []
        for value in (1.0, 2.0, 4.0, 3.0, 3.0):
            x = ag.tensor(value, requires_grad=wanted)
            y = fn(x)
            steps.append((float(y), after(model), count))
            if wanted:
                (slope,) = ag.grad(y, [x], retain_graph=True)
                steps.append(float(slope))
        found.append(steps)
    assert found[1] == found[0]


@pytest.mark.parametrize(
    ("name", "traces"), [("initialised", 2), ("looked_at", 2), ("remembered", 2), ("initialised_without_a_flag", 2)]
)
def test_once_nothing_changes_any_more_nothing_is_traced(name: str, traces: int) -> None:
    model = Model()
    fn = ag.jit(getattr(model, name))
    for value in (1.0, 2.0, 4.0, 3.0, 5.0):
        fn(ag.tensor(value))
    assert fn._traced == traces


def test_what_python_only_adds_to_says_how_often_it_ran(caplog: pytest.LogCaptureFixture) -> None:
    model = Model()

    @ag.jit
    def fn(x: Any) -> Any:
        model.seen += 1
        model.shapes.append(x.shape)
        return x * 2

    with caplog.at_level(logging.WARNING, "netcl"):
        for shape in ((2,), (3,), (2,), (3,), (2,)):
            assert fn(ag.ones(shape)).shape == shape
    assert (model.seen, model.shapes) == (2, [(2,), (3,)])
    assert not caplog.records


def test_a_function_that_is_traced_at_every_call_says_why(caplog: pytest.LogCaptureFixture) -> None:
    fn = ag.jit(Model().counted)
    with caplog.at_level(logging.WARNING, "netcl"):
        assert [float(fn(ag.tensor(1.0))) for _ in range(4)] == [1, 2, 3, 4]
    (record,) = caplog.records
    assert "counted changes calls of Model (1, then 2) whenever its Python is run" in record.getMessage()
    assert "n.add_(1)" in record.getMessage()


@pytest.mark.parametrize("kind", [list, dict, set, collections.deque])
def test_a_container_takes_no_value_that_is_not_computed(kind: type) -> None:
    held: Any = kind()
    put: dict[type, Callable[[Any], Any]] = {
        list: lambda y: held.append(y), dict: lambda y: held.update(y=y), set: lambda y: held.add(y),
        collections.deque: lambda y: held.append(y),
    }  # fmt: skip

    def fn(x: Any) -> Any:
        y = x * 2
        put[kind](y)
        return y

    with pytest.raises(GraphError, match=r"jit: fn puts a value that it computes into .*held, .*return the value"):
        ag.jit(fn)(ag.tensor(1.0))
    assert held == kind()


def test_describing_and_failing_leave_what_was_there() -> None:
    model, positions = Model(), core.from_host([0])

    @ag.jit
    def fn(x: Any) -> Any:
        model.last = x * 2
        return x[positions]

    fn.describe(ag.ones(3))
    assert model.last is None
    fn(ag.ones(3))
    assert model.last.tolist() == [2, 2, 2]
    before = model.last
    positions.assign_(core.from_host([7]))
    with pytest.raises(IndexOutOfRangeError):
        fn(ag.ones(3) * 5)
    assert model.last is before

    def refused(x: Any) -> Any:
        model.last = x * 3
        return float(x)

    with pytest.raises(GraphError, match="cannot decide what Python does next"):
        ag.jit(refused)(ag.tensor(1.0))
    assert model.last is before


def test_what_is_kept_has_its_history() -> None:
    model = Model()
    fn = ag.jit(model.looked_at)
    x = ag.tensor(3.0, requires_grad=True)
    for _ in range(3):
        fn(x)
        (slope,) = ag.grad(model.last, [x])
        assert float(slope) == 2
    fn(ag.tensor(4.0))
    assert float(model.last) == 8


def test_variables_of_the_functions_around_are_kept() -> None:
    last: Any = None
    total = 0.0

    @ag.jit
    def fn(x: Any) -> Any:
        nonlocal last, total
        last = x * 3
        total = total + last
        return x

    for value in (1.0, 2.0, 5.0):
        fn(ag.tensor(value))
    assert (float(last), float(total)) == (15, 24)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f(x):\n global n\n n += 1\n return x", {"n"}),
        ("def f(x):\n seen.append(x.shape)\n return x", {"seen"}),
        ("def f(m, x):\n m.calls += 1\n m.seen.add(1)\n return x", {"calls", "seen"}),
        ("def f(m, x):\n m.calls += 1\n return x * m.calls", set()),
        ("def f(m, x):\n m.calls += x\n return x", set()),
        ("def f(m, x):\n m.calls = m.calls * 2 + m.calls\n return x", set()),
        ("def f(x):\n seen.append(1)\n return x * len(seen)", set()),
        ("def f(m, x):\n m.calls += 1\n return x * getattr(m, 'calls')", set()),
        ("def f(m, x):\n def g():\n  m.calls += 1\n g()\n return x", {"calls"}),
        ("def f(m, x):\n def g():\n  return m.calls\n m.calls += 1\n return x * g()", set()),
    ],
)
def test_code_says_what_it_only_adds_to(text: str, names: set[str]) -> None:
    place: dict[str, Any] = {}
    exec(text, place)
    assert only_written([place["f"].__code__]) & {"n", "seen", "calls"} == names


class Base:
    training = True
    weight = ag.tensor(1.0)

    def forward(self, x: Any) -> Any:
        return x * self.weight * (2 if self.training else 3)


class Derived(Base):
    def forward(self, x: Any) -> Any:
        return super().forward(x) + 1


def test_what_a_method_of_a_base_class_reads_is_looked_at() -> None:
    net = Derived()
    fn = ag.jit(net.forward)
    assert [float(fn(ag.tensor(1.0))) for _ in range(3)] == [3, 3, 3]
    net.training = False
    assert float(fn(ag.tensor(1.0))) == 4
    net.weight = ag.tensor(5.0)
    assert float(fn(ag.tensor(1.0))) == 16


class Cached:
    base = ag.tensor(1.0)

    @functools.cached_property
    def weight(self) -> Any:
        return self.base * 2


def test_what_is_cached_is_computed_again_once_it_is_deleted() -> None:
    held = Cached()
    fn = ag.jit(lambda x: x * held.weight)
    assert [float(fn(ag.tensor(1.0))) for _ in range(3)] == [2, 2, 2]
    assert float(held.weight) == 2
    del held.weight
    held.base = ag.tensor(7.0)
    assert [float(fn(ag.tensor(1.0))) for _ in range(3)] == [14, 14, 14]


@pytest.mark.parametrize(
    "make", [lambda: collections.UserDict(k=2.0), lambda: collections.ChainMap({"k": 2.0}), lambda: bytearray([2])],
    ids="UserDict ChainMap bytearray".split(),
)  # fmt: skip
def test_what_containers_of_python_hold_is_looked_at(make: Callable[[], Any]) -> None:
    held = make()
    key: Any = 0 if isinstance(held, bytearray) else "k"
    fn = ag.jit(lambda x: x * held[key])
    assert [float(fn(ag.tensor(1.0))) for _ in range(3)] == [2, 2, 2]
    held[key] = 3
    assert float(fn(ag.tensor(1.0))) == 3


@dataclasses.dataclass
class State:
    h: Any


def test_containers_among_the_arguments_are_not_changed() -> None:
    def into_a_dict(state: Any, x: Any) -> Any:
        state["h"] = state["h"] + x
        return x

    def into_a_list(state: Any, x: Any) -> Any:
        state.append(x)
        return x

    def into_an_object(state: Any, x: Any) -> Any:
        state.h = state.h + x
        return x

    x = ag.ones(3)
    with pytest.raises(GraphError, match=r"jit: args\[0\]\['h'\] of into_a_dict is changed, .*return what it becomes"):
        ag.jit(into_a_dict)({"h": x}, x)
    with pytest.raises(GraphError, match=r"jit: an argument of into_a_list is changed, .*return what it becomes"):
        ag.jit(into_a_list)([x], x)
    with pytest.raises(GraphError, match=r"jit: args\[0\]\.h of into_an_object is changed, .*return what it becomes"):
        ag.jit(into_an_object)(State(x), x)


def test_an_object_that_is_new_keeps_no_value_that_is_not_computed() -> None:
    class Held:
        def __init__(self, h: Any) -> None:
            self.h = h

    model = Model()
    model.state = before = Held(ag.zeros(1))

    def fn(x: Any) -> Any:
        model.state = Held(model.state.h + x)
        return x

    for _ in range(2):
        with pytest.raises(
            GraphError, match="jit: fn gives state of Model a new Held, which holds a value that it comp"
        ):
            ag.jit(fn)(ag.ones(1))
        assert model.state is before
    fn(ag.ones(1))
    assert model.state.h.tolist() == [1]
