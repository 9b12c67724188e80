"""checkpoint: keep nothing of what a function saves for backward; compute it again when backward gets there.

The function's ops are recorded as ever, but in the place of each value that they save stands a ticket. The first
ticket that backward presents runs the function once more, just far enough to fill them all. So it works with `grad`,
with create_graph and inside itself; random ops get the seeds that they had. Values that a user's grad_fn closes over
are not the engine's to drop, and stay.

Ops that a `policy` names are not run again: what they returned is kept, and given back in their place.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from inspect import signature
from typing import Any, TypeVar

from netcl.autograd.graph import values
from netcl.autograd.graph.levels import again, tangents_of, with_tangents
from netcl.autograd.graph.modes import enable_grad
from netcl.autograd.graph.node import Node
from netcl.autograd.graph.saved import SavedValue, saved_tensors_hooks
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.transforms import trees
from netcl.autograd.transforms.batched import Batched
from netcl.core.arguments import explained, require
from netcl.core.errors import GraphError
from netcl.core.seeds import recorded, replayed

R = TypeVar("R")

Policy = Callable[[str], bool] | Collection[str] | None
"""Which ops keep their outputs: a function of the op's name, or a collection of names."""


@explained
def checkpoint(fn: Callable[..., R], *args: Any, policy: Policy = None, **kwargs: Any) -> R:
    """Call `fn(*args, **kwargs)` and drop what it saves; backward calls it again, and it must do the same.

    Raises GraphError in backward if it runs other ops, saves values of other shapes, or an argument was written in
    place since; of what it closes over nothing is known. `policy` names ops whose outputs are kept, for those that are
    dear to compute: `policy=("matmul", "attention")`, or a function from an op's name to whether it is kept.
    """
    require("checkpoint", "policy", "Callable | Sequence[str] | None", policy)
    if not args and not kwargs:
        _require_no_arguments(fn)
    for name in _OF_PYTORCH & kwargs.keys():
        _refuse_option(fn, name)
    if not LOCAL.state.grad_enabled or LOCAL.state.tracer is not None:
        return fn(*args, **kwargs)
    call = _Call(fn, args, kwargs, policy)
    state = LOCAL.state
    outer, state.around = state.around, call.run_and_keep
    try:
        with saved_tensors_hooks(call.ticket, call.present), recorded() as call.seeds:
            return fn(*args, **kwargs)
    finally:
        state.around = outer
        call.running = False


_OF_PYTORCH = {"use_reentrant", "preserve_rng_state"}


def _refuse_option(fn: Callable[..., Any], name: str) -> None:
    """Refuse an option of PyTorch's checkpoint, unless it is an argument of the function."""
    try:
        parameters = signature(fn).parameters
    except (TypeError, ValueError):  # a function of C, of which Python knows no signature
        return
    if name not in parameters and all(each.kind is not each.VAR_KEYWORD for each in parameters.values()):
        raise TypeError(
            f"checkpoint: {name} is an option in PyTorch, and no argument of {getattr(fn, '__name__', fn)}; leave it "
            "out: here there is one way, which nests, and draws the same random numbers again"
        )


def _require_no_arguments(fn: Callable[..., Any]) -> None:
    """Refuse `checkpoint(fn)(x)`, as JAX writes it."""
    try:
        signature(fn).bind()
    except TypeError as mismatch:
        raise TypeError(
            f"checkpoint: {mismatch}; it calls the function at once, checkpoint(fn, x, ...), and functools.partial("
            "checkpoint, fn) is a function that is checkpointed at each call"
        ) from None
    except ValueError:  # a function of C, of which Python knows no signature
        return


class _Call:
    """One call of a checkpointed function: its arguments, and the saved values while backward needs them."""

    def __init__(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], policy: Policy) -> None:
        self._fn = fn
        # Saved as an op would save them, so that an outer checkpoint may drop them in turn.
        leaves, self._structure = trees.flatten((args, kwargs))
        self._arguments = [_Argument(leaf) for leaf in leaves]
        self._policy = policy
        self._ran: list[str] = []  # the names of the ops
        self._saved: list[Any] = []  # shape and dtype of the values
        self._kept: list[_Kept] = []  # the outputs of the ops that the policy names, in their order
        self.seeds: Sequence[int] = ()  # that random ops drew
        self.running = True
        self._levels = LOCAL.state.levels
        self._filled: dict[int, Any] = {}
        self._lock = threading.RLock()
        self._outer_hooks = LOCAL.state.saved_hooks

    def run_and_keep(self, name: str, forward: Callable[..., Any], inputs: Sequence[Any]) -> Any:
        """Run an op for the first time."""
        self._ran.append(name)
        result = forward(*inputs)
        if self._keeps(name):
            state = LOCAL.state
            mine, state.saved_hooks = state.saved_hooks, self._outer_hooks
            try:
                self._kept.append(_Kept(name, result))
            finally:
                state.saved_hooks = mine
        return result

    def ticket(self, value: Any) -> int:
        """Keep a number in the place of a value."""
        self._saved.append(_described(value))
        return len(self._saved) - 1

    def present(self, ticket: int) -> Any:
        """Return the value of a ticket; running the function again if need be."""
        with self._lock:
            if ticket not in self._filled:
                self._run_again()
            return self._filled.pop(ticket)

    def _run_again(self) -> None:
        filled: list[Any] = []
        kept, ran = iter(self._kept), iter(self._ran)

        def fill(value: Any) -> int:
            if _described(value) != self._saved[len(filled)]:
                raise self._differs(f"saved {_described(value)}, and {self._saved[len(filled)]} in its place at first")
            filled.append(value)
            if len(filled) == len(self._saved):
                raise _AllFilled
            return len(filled) - 1

        def give_back(name: str, forward: Callable[..., Any], inputs: Sequence[Any]) -> Any:
            if name != next(ran, None):
                raise self._differs(f"ran {name}, which it did not run in this place at first")
            if not self._keeps(name):
                return forward(*inputs)
            return next(kept).get()

        state = LOCAL.state
        before = (state.tape, state.saved_hooks, state.around, state.levels)
        state.tape, state.saved_hooks, state.around = None, None, give_back
        if self.running:  # a gradient that the function takes itself: the levels that it started begin again
            state.levels = self._levels
        try:
            with (
                again(self._levels),
                enable_grad(),
                saved_tensors_hooks(fill, filled.__getitem__),
                replayed(self.seeds),
            ):
                args, kwargs = self._structure.build([each.get() for each in self._arguments])
                self._fn(*args, **kwargs)
        except _AllFilled:
            self._filled = dict(enumerate(filled))
            return
        finally:
            state.tape, state.saved_hooks, state.around, state.levels = before
        raise self._differs(f"saved {len(self._saved)} values at first and {len(filled)} when it was run again")

    def _keeps(self, name: str) -> bool:
        if name.endswith("_"):  # a write in place has to be done each time
            return False
        return self._policy(name) if callable(self._policy) else name in (self._policy or ())

    def _differs(self, how: str) -> GraphError:
        name = getattr(self._fn, "__name__", "the function")
        return GraphError(f"checkpoint: {name} {how}; it must compute the same both times")


class _Kept:
    """What an op returned, with the version it had."""

    __slots__ = ("_several", "_values", "name")

    def __init__(self, name: str, result: Any) -> None:
        self.name = name
        self._several = isinstance(result, tuple)
        self._values = [SavedValue(value) for value in (result if self._several else (result,))]

    def get(self) -> Any:
        found = tuple(value.get(self.name, index) for index, value in enumerate(self._values))
        return found if self._several else found[0]


class _Argument:
    """An argument: a node as its saved value and its edge, with what jvps and vmaps have put on it; else as it is."""

    __slots__ = ("_edge", "_level", "_plain", "_saved", "_tangents")

    def __init__(self, argument: Any) -> None:
        self._tangents = {level: _Argument(tangent) for level, tangent in tangents_of(argument).items()}
        self._level = argument.level if isinstance(argument, Batched) else None
        self._plain: Any = None
        self._saved = self._edge = None
        if isinstance(argument, Batched):
            self._plain = _Argument(argument.physical)
        elif isinstance(argument, Node):
            self._saved = SavedValue(argument.value)
            self._edge = argument.gradient_edge() if argument.requires_grad else None
        else:
            self._plain = SavedValue(argument) if values.is_device_tensor(argument) else argument

    def get(self) -> Any:
        found: Node
        if self._level is not None:
            found = Batched(self._level, self._plain.get())
        elif self._saved is not None:
            found = Node(self._saved.get("checkpoint", 0), self._edge is not None, self._edge)
        else:
            return self._plain.get("checkpoint", 0) if isinstance(self._plain, SavedValue) else self._plain
        return with_tangents(found, {level: tangent.get() for level, tangent in self._tangents.items()})


def _described(value: Any) -> tuple[Any, ...]:
    return values.shape_of(value), values.dtype_of(value)


class _AllFilled(BaseException):
    """Ends the second run early; not an Exception, so that the function does not catch it."""
