"""checkpoint: keep nothing of what a function saves for backward; compute it again when backward gets there.

The function's ops are recorded as ever, but in the place of each value that they save stands a ticket. The first
ticket that backward presents runs the function once more, just far enough to fill them all. So it works with `grad`,
with create_graph and inside itself. Values that a user's grad_fn closes over are not the engine's to drop, and stay.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from netcl.autograd.modes import enable_grad
from netcl.autograd.node import Node
from netcl.autograd.saved import SavedValue, saved_tensors_hooks
from netcl.autograd.state import LOCAL
from netcl.core.errors import GraphError


def checkpoint(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call `fn(*args, **kwargs)` and drop what it saves; backward calls it again, and it must do the same."""
    if not LOCAL.state.grad_enabled or LOCAL.state.tracer is not None:
        return fn(*args, **kwargs)
    call = _Call(fn, args, kwargs)
    with saved_tensors_hooks(call.ticket, call.present):
        return fn(*args, **kwargs)


class _Call:
    """One call of a checkpointed function: its arguments, and the saved values while backward needs them."""

    def __init__(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._fn = fn
        # Saved as an op would save them, so that an outer checkpoint may drop them in turn.
        self._args = [_Argument(arg) for arg in args]
        self._kwargs = {name: _Argument(arg) for name, arg in kwargs.items()}
        self._count = 0  # tickets given out
        self._filled: dict[int, Any] = {}
        self._lock = threading.RLock()

    def ticket(self, value: Any) -> int:
        """Keep a number in the place of a value."""
        self._count += 1
        return self._count - 1

    def present(self, ticket: int) -> Any:
        """Return the value of a ticket; running the function again if need be."""
        with self._lock:
            if ticket not in self._filled:
                self._run_again()
            return self._filled.pop(ticket)

    def _run_again(self) -> None:
        filled: list[Any] = []

        def fill(value: Any) -> int:
            filled.append(value)
            if len(filled) == self._count:
                raise _AllFilled
            return len(filled) - 1

        state = LOCAL.state
        tape, state.tape = state.tape, None
        outer, state.saved_hooks = state.saved_hooks, None
        args = [arg.get() for arg in self._args]
        kwargs = {name: arg.get() for name, arg in self._kwargs.items()}
        try:
            with enable_grad(), saved_tensors_hooks(fill, _no_value):
                self._fn(*args, **kwargs)
        except _AllFilled:
            self._filled = dict(enumerate(filled))
            return
        finally:
            state.tape, state.saved_hooks = tape, outer
        raise GraphError(
            f"checkpoint: {getattr(self._fn, '__name__', 'the function')} saved {self._count} values at first and "
            f"{len(filled)} when it was run again; it must compute the same both times"
        )


class _Argument:
    """An argument: a node as its saved value and its edge, anything else as it is."""

    __slots__ = ("_edge", "_plain", "_saved")

    def __init__(self, argument: Any) -> None:
        self._plain = None if isinstance(argument, Node) else argument
        self._saved = SavedValue(argument.value) if isinstance(argument, Node) else None
        self._edge = argument.gradient_edge() if isinstance(argument, Node) and argument.requires_grad else None

    def get(self) -> Any:
        if self._saved is None:
            return self._plain
        return Node(self._saved.get("checkpoint", 0), self._edge is not None, self._edge)


class _AllFilled(BaseException):
    """Ends the second run early; not an Exception, so that the function does not catch it."""


def _no_value(_: Any) -> Any:
    raise GraphError("checkpoint: the second run of a function is not differentiated itself")
