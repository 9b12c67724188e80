"""The hooks of a record, and the handle that removes one.

Hooks are called in the order in which they were registered. A pass over them works on a copy of the list, so that a
hook may remove itself or others: a hook removed during a pass is not called any more in it.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from netcl.autograd.graph.state import LOCAL
from netcl.core.arguments import explained

if TYPE_CHECKING:
    from netcl.autograd.graph.node import Node

_next_id = count().__next__

any_accumulated = False
"""Whether a hook on accumulated gradients was ever registered: then backward sees to it that it is called early."""


class HookHandle:
    """Removes the hook: `handle.remove()`, or leaving a `with` block."""

    __slots__ = ("_hooks", "_key", "id")

    def __init__(self, hooks: Hooks, key: Any) -> None:
        self._hooks = weakref.ref(hooks)
        self._key = key
        self.id = _next_id()

    def remove(self) -> None:
        """Remove the hook; a second time does nothing."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.remove(self._key, self.id)

    def __enter__(self) -> HookHandle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


class Hooks:
    """Hooks by when they are called.

    The keys: "before" and "after" a record runs, "accumulated" after a leaf has its gradient, and an int for the
    gradient of that output.
    """

    __slots__ = ("__weakref__", "_by_key")

    def __init__(self) -> None:
        self._by_key: dict[Any, dict[int, Callable[..., Any]]] = {}

    def add(self, key: Any, hook: Callable[..., Any]) -> HookHandle:
        """Register a hook and return its handle."""
        if not callable(hook):
            raise TypeError(f"a hook must be callable, this is a {type(hook).__name__}")
        if key == "accumulated":
            global any_accumulated
            any_accumulated = True
        handle = HookHandle(self, key)
        self._by_key.setdefault(key, {})[handle.id] = hook
        return handle

    def remove(self, key: Any, number: int) -> None:
        """Remove one hook if it is there."""
        hooks = self._by_key.get(key)
        if hooks is not None and hooks.pop(number, None) is not None and not hooks:
            del self._by_key[key]

    def at(self, key: Any) -> Iterator[Callable[..., Any]]:
        """Go through the hooks of a key; those removed meanwhile are left out."""
        hooks = self._by_key.get(key)
        if hooks is None:
            return
        for number, hook in tuple(hooks.items()):
            if number in hooks:
                yield hook

    def __bool__(self) -> bool:
        return bool(self._by_key)

    def __contains__(self, key: Any) -> bool:
        return key in self._by_key


@explained
def register_multi_grad_hook(
    nodes: Sequence[Node], hook: Callable[[Any], Any], mode: Literal["all", "any"] = "all"
) -> MultiHandle:
    """Call a hook once per backward for several nodes.

    "all": `hook(gradients)` when all of them have their gradient, or at the end with None for those that were not
    reached, if any was. "any": `hook(gradient)` at the first one.
    """
    if mode not in ("all", "any"):
        raise ValueError(f'register_multi_grad_hook: mode must be "all" or "any", not {mode!r}')
    pending: dict[Any, dict[int, Any]] = {}  # backward -> gradients so far; each ends by taking its own entry away

    def arrived(index: int, gradient: Any) -> None:
        run = LOCAL.state.run
        if run is None:
            return
        first = run not in pending
        got = pending.setdefault(run, {})
        got[index] = gradient
        if first:
            if mode == "any":
                hook(gradient)
            run.callbacks.append(lambda: finish(run))
        if mode == "all" and len(got) == len(nodes):
            hook([got[i] for i in range(len(nodes))])

    def finish(run: Any) -> None:
        got = pending.pop(run)
        if mode == "all" and len(got) < len(nodes):
            hook([got.get(i) for i in range(len(nodes))])

    return MultiHandle([node.register_hook(functools.partial(arrived, i)) for i, node in enumerate(nodes)])


class MultiHandle:
    """Removes a hook that was registered on several nodes."""

    def __init__(self, handles: list[HookHandle]) -> None:
        self._handles = handles

    def remove(self) -> None:
        """Remove the hook everywhere."""
        for handle in self._handles:
            handle.remove()

    def __enter__(self) -> MultiHandle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()
