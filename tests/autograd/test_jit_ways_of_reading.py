"""However a traced function reads something, by an attribute, a default or a closure, a change of it counts."""

from __future__ import annotations

import argparse
import collections
import enum
import functools
import types
from typing import Any

import pytest

from netcl import autograd as ag

SETTINGS = {"scale": 2.0, "act": "tanh", "n": 3}
MODULE = types.ModuleType("settings_of_somebody")


class Class:
    scale = 2.0
    training = True

    @classmethod
    def of_the_class(cls, x: Any) -> Any:
        return x * cls.scale

    def __call__(self, x: Any) -> Any:
        return x * 2 if self.training else x * 3


class Slots:
    __slots__ = ("scale",)


class Delegating:
    """As modules of PyTorch do it."""

    def __init__(self) -> None:
        self.__dict__["_held"] = {"scale": 2.0, "a": 1, "b": 2}

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["_held"][name]


class WithProperty:
    def __init__(self) -> None:
        self._scale = 2.0

    @property
    def scale(self) -> float:
        return self._scale


class Mode(enum.Enum):
    TRAIN = 1
    USE = 2


def helper(x: Any) -> Any:
    return x * 2


def _with_a_default(x: Any, settings: dict[str, float] = {"scale": 2.0}) -> Any:  # noqa: B006
    return x * settings["scale"]


def _with_an_attribute(x: Any) -> Any:
    return x * _with_an_attribute.scale  # type: ignore[attr-defined]


def _dict_of_three() -> tuple[Any, Any]:
    held = {"scale": 2.0, "act": "tanh", "n": 3}
    return lambda x: x * held["scale"], lambda: held.update(scale=3.0)


def _dict_replaced() -> tuple[Any, Any]:
    return lambda x: x * SETTINGS["scale"], lambda: globals().update(SETTINGS={"scale": 3.0, "act": "t", "n": 3})


def _class_attribute() -> tuple[Any, Any]:
    kind = type("Kind", (Class,), {})
    return lambda x: x * kind.scale, lambda: setattr(kind, "scale", 3.0)


def _class_method() -> tuple[Any, Any]:
    kind = type("Kind", (Class,), {})
    return lambda x: kind.of_the_class(x), lambda: setattr(kind, "scale", 3.0)


def _default_of_a_class() -> tuple[Any, Any]:
    model = Class()
    return model, lambda: setattr(model, "training", False)


def _namespace() -> tuple[Any, Any]:
    held = types.SimpleNamespace(scale=2.0)
    return lambda x: x * held.scale, lambda: setattr(held, "scale", 3.0)


def _slot() -> tuple[Any, Any]:
    held = Slots()
    held.scale = 2.0
    return lambda x: x * held.scale, lambda: setattr(held, "scale", 3.0)


def _other_module() -> tuple[Any, Any]:
    MODULE.scale = 2.0  # type: ignore[attr-defined]
    return lambda x: x * MODULE.scale, lambda: setattr(MODULE, "scale", 3.0)  # type: ignore[attr-defined]


def _default_argument() -> tuple[Any, Any]:
    _with_a_default.__defaults__[0]["scale"] = 2.0  # type: ignore[index]
    return _with_a_default, lambda: _with_a_default.__defaults__[0].update(scale=3.0)  # type: ignore[index]


def _partial() -> tuple[Any, Any]:
    held = types.SimpleNamespace(scale=2.0)
    return functools.partial(lambda held, x: x * held.scale, held), lambda: setattr(held, "scale", 3.0)


def _attribute_that_comes_later() -> tuple[Any, Any]:
    held = types.SimpleNamespace()
    return lambda x: x * getattr(held, "scale", 2.0), lambda: setattr(held, "scale", 3.0)


def _through_vars() -> tuple[Any, Any]:
    held = types.SimpleNamespace(scale=2.0)
    return lambda x: x * vars(held)["scale"], lambda: setattr(held, "scale", 3.0)


def _attribute_of_a_function() -> tuple[Any, Any]:
    _with_an_attribute.scale = 2.0  # type: ignore[attr-defined]
    return _with_an_attribute, lambda: setattr(_with_an_attribute, "scale", 3.0)


def _deque() -> tuple[Any, Any]:
    held = collections.deque([2.0])
    return lambda x: x * held[0], lambda: held.__setitem__(0, 3.0)


def _delegated() -> tuple[Any, Any]:
    held = Delegating()
    return lambda x: x * held.scale, lambda: held._held.update(scale=3.0)


def _property() -> tuple[Any, Any]:
    held = WithProperty()
    return lambda x: x * held.scale, lambda: setattr(held, "_scale", 3.0)


def _patched_method() -> tuple[Any, Any]:
    kind = type("Kind", (), {"f": lambda self, x: x * 2})
    held = kind()
    return lambda x: held.f(x), lambda: setattr(kind, "f", lambda self, x: x * 3)


def _function_defined_again() -> tuple[Any, Any]:
    return lambda x: helper(x), lambda: globals().update(helper=lambda x: x * 3)


def _type_of_an_object() -> tuple[Any, Any]:
    held = Class()
    return lambda x: x * (held.scale if type(held) is Class else 9), lambda: setattr(held, "scale", 3.0)


def _enum() -> tuple[Any, Any]:
    held = types.SimpleNamespace(mode=Mode.TRAIN)
    return lambda x: x * 2 if held.mode is Mode.TRAIN else x * 3, lambda: setattr(held, "mode", Mode.USE)


def _of_a_class_of_python() -> tuple[Any, Any]:
    held = argparse.Namespace(scale=2.0)
    return lambda x: x * held.scale, lambda: setattr(held, "scale", 3.0)


def _set_when_it_is_first_asked_for() -> tuple[Any, Any]:
    class Lazy:
        scale = None

        def __call__(self, x: Any) -> Any:
            if self.scale is None:
                self.scale = 2.0
            return x * self.scale

    held = Lazy()
    return held, lambda: setattr(held, "scale", 3.0)


def _made_when_it_is_first_asked_for() -> tuple[Any, Any]:
    held: list[Any] = []

    def settings() -> Any:
        if not held:
            held.append(types.SimpleNamespace(scale=2.0))
        return held[0]

    return lambda x: x * settings().scale, lambda: setattr(held[0], "scale", 3.0)


WAYS = [
    *(_dict_of_three, _dict_replaced, _class_attribute, _class_method, _default_of_a_class, _namespace, _slot),
    *(_other_module, _default_argument, _partial, _attribute_that_comes_later, _through_vars, _deque, _delegated),
    *(_attribute_of_a_function, _property, _patched_method, _function_defined_again, _type_of_an_object, _enum),
    *(_of_a_class_of_python, _set_when_it_is_first_asked_for, _made_when_it_is_first_asked_for),
]
AROUND = {
    "alone": (lambda fn: fn, lambda found: found),
    "value_and_grad": (lambda fn: ag.value_and_grad(lambda x: fn(x).sum()), lambda found: found[0]),
    "vmap": (lambda fn: ag.vmap(lambda x: fn(x).sum()), lambda found: found),
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("way", WAYS, ids=lambda each: each.__name__)
def test_however_something_is_read_it_is_read_again(monkeypatch: pytest.MonkeyPatch, way: Any, around: str) -> None:
    for name in ("SETTINGS", "helper"):
        monkeypatch.setitem(globals(), name, globals()[name])  # given back when the test is over
    wrap, value = AROUND[around]
    fn, change = way()
    jitted, x = ag.jit(wrap(fn)), ag.ones((1, 1))
    assert value(jitted(x)).item() == 2
    assert value(jitted(x)).item() == 2
    assert jitted._traced == (2 if "first" in way.__name__ else 1)  # Python does something else behind the first call
    change()
    assert value(jitted(x)).item() == 3


def test_programs_for_training_and_for_use_are_both_kept() -> None:
    model, x = Class(), ag.ones(1)
    jitted = ag.jit(lambda x: model(x))
    for _ in range(3):
        for model.training, value in ((True, 2), (False, 3)):
            assert jitted(x).item() == value
    assert jitted._traced == 2


def test_an_enum_is_an_argument() -> None:
    jitted = ag.jit(lambda mode, x: x * 2 if mode is Mode.TRAIN else x * 3)
    x = ag.ones(1)
    assert [jitted(mode, x).item() for mode in (Mode.TRAIN, Mode.USE, Mode.TRAIN)] == [2, 3, 2]
