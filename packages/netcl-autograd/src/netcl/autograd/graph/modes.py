"""Grad modes: whether ops are recorded. Contexts and decorators, one state per thread.

    with ag.no_grad(): ...          @ag.no_grad()           @ag.no_grad

A decorated generator function has the mode while it runs and gives the caller's mode back at each yield.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from netcl.autograd.graph.state import LOCAL
from netcl.core.errors import GraphError

__all__ = [
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
]

F = TypeVar("F", bound=Callable[..., Any])
Mode = TypeVar("Mode", bound="no_grad")
Inference = TypeVar("Inference", bound="inference_mode")


def is_grad_enabled() -> bool:
    """Whether ops are recorded in this thread."""
    return LOCAL.state.grad_enabled


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside `inference_mode`."""
    return LOCAL.state.inference


def refuse_write(op: str) -> None:
    """Raise GraphError in a traced function: what it writes would be written once, when it is traced."""
    if LOCAL.state.tracer is not None:
        raise GraphError(
            f"{op}: a traced function cannot write in place here; use the op that returns its result, or write outside "
            "of the function (x.add_(y), x.assign_(y) and x[0, 1:] = y may write to what the function computes, and to "
            "arguments and tensors from outside that require no gradient)"
        )


class _Mode:
    """A mode that is set on entering and given back on leaving; one object may be entered several times."""

    def __init__(self) -> None:
        self._before: list[tuple[bool, bool]] = []

    def _settings(self) -> tuple[bool, bool]:
        """What (grad_enabled, inference) become."""
        raise AssertionError("each mode says what it sets")

    def _fresh(self) -> _Mode:
        """Another object of the same mode: a decorated function may run in several threads at once."""
        return type(self)()

    def __enter__(self) -> None:
        state = LOCAL.state
        self._before.append((state.grad_enabled, state.inference))
        enabled, state.inference = self._settings()
        state.grad_enabled = enabled and not state.inference

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        state = LOCAL.state
        state.grad_enabled, state.inference = self._before.pop()

    def __call__(self, function: F) -> F:
        if inspect.isgeneratorfunction(function):
            return _decorate_generator(self._fresh, function)

        @functools.wraps(function)
        def in_mode(*args: Any, **kwargs: Any) -> Any:
            with self._fresh():
                return function(*args, **kwargs)

        return in_mode  # type: ignore[return-value]


class no_grad(_Mode):  # noqa: N801  (a context is called like a function)
    """Ops are not recorded: they return plain Tensors."""

    @overload
    def __new__(cls: type[Mode], function: None = None) -> Mode: ...
    @overload
    def __new__(cls, function: F) -> F: ...  # type: ignore[misc]  # a function, not a mode
    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        mode = super().__new__(cls)
        if function is None:
            return mode
        mode.__init__()  # type: ignore[misc]
        return mode(function)

    if not TYPE_CHECKING:  # who checks types takes a call for what __new__ says

        def __init__(self, function: None = None) -> None:
            super().__init__()

    def _settings(self) -> tuple[bool, bool]:
        return False, LOCAL.state.inference


class enable_grad(no_grad):  # noqa: N801
    """Ops are recorded again inside `no_grad`; it has no effect inside `inference_mode`."""

    def _settings(self) -> tuple[bool, bool]:
        return True, LOCAL.state.inference


class set_grad_enabled(_Mode):  # noqa: N801
    """Record ops or not: takes effect at the call, and as a context gives the earlier mode back on leaving."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self._mode = bool(mode)
        state = LOCAL.state
        self._at_call = (state.grad_enabled, state.inference)
        state.grad_enabled = self._mode and not state.inference

    def _settings(self) -> tuple[bool, bool]:
        return self._mode, LOCAL.state.inference

    def _fresh(self) -> _Mode:
        return set_grad_enabled(self._mode)

    def __enter__(self) -> None:
        super().__enter__()
        if len(self._before) == 1:
            self._before[0] = self._at_call

    def __call__(self, function: F) -> F:
        state = LOCAL.state
        state.grad_enabled, state.inference = self._at_call  # as a decorator it sets nothing until the function runs
        return super().__call__(function)


class inference_mode(_Mode):  # noqa: N801
    """As `no_grad`, and `enable_grad` inside it has no effect: for code that will never need a gradient."""

    @overload
    def __new__(cls: type[Inference], mode: bool = True) -> Inference: ...
    @overload
    def __new__(cls, mode: F) -> F: ...  # type: ignore[misc]
    def __new__(cls, mode: bool | Callable[..., Any] = True) -> Any:
        self = super().__new__(cls)
        if isinstance(mode, bool):
            return self
        self.__init__()  # type: ignore[misc]
        return self(mode)

    _mode: bool

    if not TYPE_CHECKING:

        def __init__(self, mode: bool = True) -> None:
            super().__init__()
            self._mode = mode

    def _settings(self) -> tuple[bool, bool]:
        return (False, True) if self._mode else (True, False)

    def _fresh(self) -> _Mode:
        return inference_mode(self._mode)


def _decorate_generator(mode: Callable[[], _Mode], function: F) -> F:
    @functools.wraps(function)
    def in_mode(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        generator = function(*args, **kwargs)
        try:
            with mode():
                response = generator.send(None)
            while True:
                try:
                    request = yield response
                except GeneratorExit:
                    with mode():
                        generator.close()
                    raise
                except BaseException as error:
                    with mode():
                        response = generator.throw(error)
                else:
                    with mode():
                        response = generator.send(request)
        except StopIteration as stop:
            return stop.value

    return in_mode  # type: ignore[return-value]
