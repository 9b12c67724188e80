"""Levels: the transforms of functions that are running in a thread, each inside the one before it.

A jvp puts a tangent beside a value, a vmap an axis in front of it. What they put there belongs to a level, so that
transforms inside one another are kept apart: an op takes off what the innermost level put on, runs on what is left
(which the outer levels see in the same way), and puts it on the results. When a level has ended, what is left of it
on some value counts for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar

from netcl.autograd.graph.node import Node
from netcl.autograd.graph.record import Record
from netcl.autograd.graph.state import LOCAL

L = TypeVar("L", bound="Level")


class Level:
    """One running transform. `saved` has, for each op recorded (or traced) meanwhile, the tangents of what it saves."""

    def __init__(self) -> None:
        self._outer: tuple[Level, ...] = ()  # the levels that it was started in
        self.saved: dict[Any, dict[tuple[str, int], Any]] = {}

    def run_op(
        self,
        again: Callable[..., Any],
        grad_fn: Callable[..., Any] | None,
        args: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        """Run an op on arguments of which this level has put something on one. `again(*args)` is the whole op, with
        the `grad_fn` and `options` of `apply_op`."""
        raise AssertionError("each transform says how it runs ops")

    def through(self, function: Callable[[Any], Any], tangent: Any) -> Any:
        """Return a linear function of a tangent of this level."""
        return function(tangent)

    @property
    def depth(self) -> int:
        """The place among the running levels."""
        return LOCAL.state.levels.index(self)

    @property
    def running(self) -> bool:
        """Whether this level runs in this thread."""
        return self in LOCAL.state.levels

    def __enter__(self: L) -> L:
        state = LOCAL.state
        self._outer = state.levels
        state.levels = (*state.levels, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        LOCAL.state.levels = self._outer
        self.saved.clear()


def tangents_of(item: Any) -> dict[Level, Any]:
    """Return the tangents of a value by running level, the outermost first."""
    tangents = item._tangents if isinstance(item, Node) else None
    return {level: tangent for level, tangent in tangents if level.running} if tangents else {}


def with_tangents(item: Any, tangents: dict[Level, Any]) -> Any:
    """Return a value with these tangents and no others."""
    before = item._tangents if isinstance(item, Node) else None
    if not tangents and not before:
        return item
    node = item.sibling(None) if isinstance(item, Node) else Node(item)
    node._tangents = tuple(tangents.items()) or None
    return node


def carried(record: Any, saved: Sequence[Any], places: Sequence[tuple[str, int] | None]) -> Sequence[Any]:
    """Return saved values of a record (or traced op) with the tangents that they have at the running levels."""
    found = list(saved)
    for level in LOCAL.state.levels:
        tangents = level.saved.get(record, {})
        for index, place in enumerate(places):
            if place in tangents:
                found[index] = with_tangents(found[index], {**tangents_of(found[index]), level: tangents[place]})
    return found


def has_tangents(record: Record) -> bool:
    """Whether what a record saves has a tangent at a running level."""
    return any(record in level.saved for level in LOCAL.state.levels)


def without_graph(item: Any) -> Any:
    """Return a value without its history: a Tensor, or a node where an outer transform has put something on it."""
    if not isinstance(item, Node):
        return item
    return item.without_graph(tangents_of(item))


class again:  # noqa: N801  (a context is called like a function)
    """Let levels that have ended run once more inside a `with` block, inside of those that run there already."""

    def __init__(self, levels: Sequence[Level]) -> None:
        self._levels = levels
        self._before: tuple[Level, ...] = ()

    def __enter__(self) -> None:
        state = LOCAL.state
        self._before = state.levels
        state.levels = (*state.levels, *(level for level in self._levels if level not in state.levels))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        LOCAL.state.levels = self._before
        for level in self._levels:
            if level not in self._before:
                level.saved.clear()
