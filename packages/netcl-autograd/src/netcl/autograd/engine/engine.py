"""Backward: gradients flow from the roots along the edges, records run from the newest to the oldest.

Input: roots (edge, gradient). Output: gradients added into leaves, or the gradients that were asked for.

An edge always leads to a smaller sequence number, so a heap of the records that have a gradient is all the order that
is needed: when a record is on top, every gradient that can reach it has. Nothing in the graph is changed (only saved
values are released, if they are not retained), so several threads may run it at once; all that belongs to one
backward is in its `Run`. Nothing here waits for the device. How gradients are added is in `accumulation`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from heapq import heappop, heappush
from typing import Any

from netcl import core
from netcl.autograd.engine.accumulation import accumulate, graph_add, merge
from netcl.autograd.engine.contract import (
    aligned,
    checked,
    dtype_error,
    explain,
    refuse_plain_values,
    replaced,
    require_gradient,
    shape_error,
)
from netcl.autograd.engine.plan import Plan
from netcl.autograd.graph import values
from netcl.autograd.graph.levels import carried, has_tangents, without_graph
from netcl.autograd.graph.node import Node, attached
from netcl.autograd.graph.record import Accumulator, Edge, Record
from netcl.autograd.graph.saved import RELEASED, released_error, unpack
from netcl.autograd.graph.state import LOCAL, ThreadState
from netcl.core.errors import GraphError, ShapeError

MAX_NESTED = 20
"""So many backwards run inside each other on one thread's stack; the next one gets a thread of its own."""

VALUES = frozenset((core.Tensor, Node))
"""The classes that need no further look; vmaps, other arrays and the numbers of tests have classes of their own."""

_NO_CHECKS = nullcontext()

Pending = dict[Any, list[Any]]
"""Heap key (an int, or what `Plan.key` gives) -> [record, gradient]; a list of gradients for several outputs."""


class Run:
    """One backward: its settings, and what hooks may add to it."""

    __slots__ = ("callbacks", "create_graph", "depth", "outer", "plan", "record", "retain_graph")

    def __init__(self, retain_graph: bool, create_graph: bool, plan: Plan | None, outer: Run | None) -> None:
        self.retain_graph = retain_graph
        self.create_graph = create_graph
        self.plan = plan  # what is needed, and which gradients are kept; None: everything, and none
        self.outer = outer  # the backward that this one runs inside of
        self.depth: int = 0 if outer is None else outer.depth + 1
        self.callbacks: list[Callable[[], Any]] = []
        self.record: Record | None = None  # the one that is running (anomaly mode only)


def execute(
    roots: Sequence[tuple[Edge, Any]], *, retain_graph: bool, create_graph: bool, plan: Plan | None = None
) -> None:
    """Run backward from the roots. Gradients that `plan` captures are left in it."""
    state = LOCAL.state
    run = Run(retain_graph, create_graph, plan, state.run)
    if run.depth and run.depth % MAX_NESTED == 0:
        _on_another_thread(state, run, roots)
    else:
        _execute_here(state, run, roots)


def evaluate(record: Record, output_gradients: Sequence[Any]) -> list[Any]:
    """Return the input gradients of one record, one per operand; hooks are not called and nothing is released."""
    if len(output_gradients) != record._outputs:
        raise GraphError(f"{record.name}: expected {record._outputs} output gradients, got {len(output_gradients)}")
    for output, dy in enumerate(output_gradients):
        if dy is not None and values.shape_of(dy) != record.spec(output)[0]:
            raise ShapeError(
                f"{record.name}: upstream gradient shape mismatch: output {output} has shape "
                f"{record.spec(output)[0]}, its gradient {values.shape_of(dy)}"
            )
    state = LOCAL.state
    attach = state.grad_enabled and any(isinstance(dy, Node) for dy in output_gradients)
    if not attach:
        output_gradients = [without_graph(dy) for dy in output_gradients]
    run = Run(True, attach, None, state.run)
    before = (state.grad_enabled, state.run)
    state.grad_enabled, state.run = attach, run
    try:
        gradients = checked(record, _apply_rule(record, output_gradients, record._needs, attach))
        for callback in run.callbacks:
            callback()
    finally:
        state.grad_enabled, state.run = before
    operands = None if record._extra is None else record._extra.operands
    return gradients if operands is None else [gradients[i] for i in operands]


def queue_callback(callback: Callable[[], Any]) -> None:
    """Call `callback()` once, when the running backward has ended; it may queue more."""
    run = LOCAL.state.run
    if run is None:
        raise GraphError("queue_callback: no backward is running in this thread; call it from a hook or a grad_fn")
    run.callbacks.append(callback)


def _execute_here(state: ThreadState, run: Run, roots: Sequence[tuple[Edge, Any]]) -> None:
    before = (state.grad_enabled, state.run)
    state.grad_enabled, state.run = run.create_graph and not state.inference, run
    try:
        with state.anomaly or _NO_CHECKS:
            _run(state, run, roots)
        for callback in run.callbacks:  # the list may grow meanwhile
            callback()
    finally:
        state.grad_enabled, state.run = before  # before any call, after which a signal handler may raise
        run.callbacks.clear()  # they may refer to the run


def _on_another_thread(state: ThreadState, run: Run, roots: Sequence[tuple[Edge, Any]]) -> None:
    """Run a deeply nested backward where the stack is empty, with this thread's state; an error comes back here."""
    failure: list[BaseException] = []

    def target() -> None:
        try:
            LOCAL.state.copy_from(state)
            _execute_here(LOCAL.state, run, roots)
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=target, name="netcl nested backward")
    thread.start()
    thread.join()
    if failure:
        raise failure.pop()


def _run(state: ThreadState, run: Run, roots: Sequence[tuple[Edge, Any]]) -> None:
    """The loop of backward; one turn per record."""
    plan, create_graph, retain_graph, anomaly = run.plan, run.create_graph, run.retain_graph, state.anomaly
    pending: Pending = {}
    heap: list[Any] = []
    record: Record
    box: Any
    gradients: Any
    held: Any
    key: Any
    rule: Any
    saved: Any
    gradient: Any = None
    for (record, output), gradient in roots:
        if plan is None or plan.reaches(record):
            _deliver(pending, heap, plan, record, output, gradient, create_graph)
    del roots, gradient

    while heap:
        box = pending.pop(heappop(heap))
        record = box[0]
        if anomaly is not None and _is_seen(record):
            anomaly.settle()
        if record._extra is not None or (plan is not None and record.sequence_nr in plan.wanted):
            _before(record, box, run)
            if plan is not None and not plan.runs(record):
                continue
        if record.__class__ is Accumulator:
            if plan is not None and not plan.runs(record):
                continue
            if anomaly is None:
                accumulate(record, box, create_graph)
            else:
                anomaly.then(partial(accumulate, record, box, create_graph))
            continue
        needs = record._needs if plan is None else plan.fewer.get(record.sequence_nr, record._needs)
        dy = box[1]
        box = None
        try:
            if anomaly is not None:
                run.record = record
            rule = record._rule
            if rule is RELEASED:
                raise released_error(record)
            if record._saves is not None:
                saved = _saved(record, create_graph)
                twice = len(needs) == 2 and record._edges[0] is record._edges[1]
                gradients = _summed(record, saved, needs, dy) if twice and anomaly is None else None
                if gradients is None:
                    gradients = rule(saved, needs, dy) if record._outputs == 1 else rule(saved, needs, *dy)
                saved = None
            elif record._extra is not None and record._extra.boxed:
                held, dy = [dy] if record._outputs == 1 else dy, None
                gradients = rule(held)
                held = None
            else:
                if create_graph or (state.levels and has_tangents(record)):
                    refuse_plain_values(record)
                gradients = rule(dy) if record._outputs == 1 else rule(*dy)
            if gradients.__class__ is not list or len(gradients) != len(needs):
                gradients = aligned(record, gradients)
            if record._extra is not None and "after" in record._extra.hooks:
                gradients = _after(record, gradients, dy)
            dy = None
            if anomaly is not None:
                anomaly.produced(record, needs, gradients)
        except BaseException as error:
            explain(error, record, anomaly)
            raise
        if not retain_graph:
            record.release()

        for index, edge in enumerate(record._edges):
            gradient = gradients[index]
            if gradient is not None and edge is not None and needs[index]:
                target, output = edge
                spec = target._specs if target._outputs == 1 else target._specs[output]
                if gradient.__class__ is Node and not create_graph:
                    gradient = without_graph(gradient)
                if getattr(gradient, "shape", ()) != spec[0]:
                    raise shape_error(record, index, gradient, spec)
                if spec[1] is not None and getattr(gradient, "dtype", None) != spec[1]:
                    raise dtype_error(record, index, gradient, spec)
                if gradient.__class__ not in VALUES:
                    require_gradient(record, index, gradient)
                if plan is None:
                    key = -target.sequence_nr
                else:
                    key = plan.key(target) if target.__class__ is Accumulator else (-target.sequence_nr, 0)
                box = pending.get(key)
                if box is None:
                    heappush(heap, key)
                    if target._outputs == 1:
                        pending[key] = [target, gradient]
                    else:
                        pending[key] = [target, [None] * target._outputs]
                        pending[key][1][output] = gradient
                elif target._outputs == 1:
                    merge(box, 1, gradient, create_graph)
                elif box[1][output] is None:
                    box[1][output] = gradient
                else:
                    merge(box[1], output, gradient, create_graph)
        gradients = gradient = box = rule = None  # what is in flight belongs to `pending` alone


def _summed(record: Record, saved: Sequence[Any], needs: tuple[bool, ...], dy: Any) -> list[Any] | None:
    """The gradients for an operand that was given twice, where the rule can add the two itself and nobody sees them."""
    summed = getattr(record._rule, "summed", None)
    return None if summed is None or record._extra is not None else summed(saved, needs, dy)


def _deliver(
    pending: Pending, heap: list[Any], plan: Plan | None, target: Record, output: int, gradient: Any, create_graph: bool
) -> None:
    """Put a gradient where its record will find it."""
    key = -target.sequence_nr if plan is None else plan.key(target)
    box = pending.get(key)
    if box is None:
        heappush(heap, key)
        box = pending[key] = [target, None if target._outputs == 1 else [None] * target._outputs]
    if target._outputs != 1:
        box, place = box[1], output
    else:
        place = 1
    if box[place] is None:
        box[place] = gradient
    else:
        merge(box, place, gradient, create_graph)


def _is_seen(record: Record) -> bool:
    """Whether anything but netcl's own sees gradients when this record runs."""
    extra = record._extra
    if extra is not None and (extra.hooks or extra.retained is not None):
        return True
    return record.__class__ is not Accumulator and not getattr(record._rule, "only_launches", False)


def _before(record: Record, box: list[Any], run: Run) -> None:
    """Tensor hooks, then retained and captured gradients, then the record's own hooks."""
    several = record._outputs != 1
    extra = record._extra
    if extra is not None and (extra.hooks or extra.retained):
        for output in range(record._outputs):
            place, at = (box[1], output) if several else (box, 1)
            if place[at] is None:
                continue
            for hook in extra.hooks.at(output):
                replacement = hook(place[at])
                if replacement is not None:
                    place[at] = replaced(record, output, replacement, run.create_graph)
            handle = None if extra.retained is None or output not in extra.retained else extra.retained[output]()
            if handle is not None and handle._edge is not None and handle._edge[0] is record:
                if handle._grad is not None:
                    handle._grad = graph_add(handle._grad, place[at])
                else:
                    handle._grad = place[at] if isinstance(place[at], Node) else values.copy(place[at])
    if run.plan is not None:
        run.plan.capture(record, box[1] if several else box[1:])
    if extra is not None and "before" in extra.hooks and (run.plan is None or run.plan.runs(record)):
        for hook in extra.hooks.at("before"):
            replacement = hook(tuple(box[1]) if several else (box[1],))
            if replacement is not None:
                new = replacement if isinstance(replacement, (tuple, list)) else (replacement,)
                if len(new) != record._outputs:
                    raise GraphError(
                        f"{record.name}: a prehook returned {len(new)} output gradients, expected {record._outputs}"
                    )
                new = [None if g is None else replaced(record, i, g, run.create_graph) for i, g in enumerate(new)]
                box[1] = new if several else new[0]


def _after(record: Record, gradients: list[Any], dy: Any) -> list[Any]:
    upstream = (dy,) if record._outputs == 1 else tuple(dy or ())
    for hook in record._extra.hooks.at("after"):  # type: ignore[union-attr]
        replacement = hook(list(gradients), upstream)
        if replacement is not None:
            gradients = aligned(record, replacement)
    return gradients


def _apply_rule(record: Record, output_gradients: Sequence[Any], needs: tuple[bool, ...], attach: bool) -> Any:
    if record._saves is None:
        if record._rule is RELEASED:
            raise released_error(record)
        if record._extra is not None and record._extra.boxed:
            return record._rule(list(output_gradients))
        return record._rule(*output_gradients)
    return record._rule(_saved(record, attach), needs, *output_gradients)


def _saved(record: Record, attach: bool) -> Sequence[Any]:
    """The saved values: plain, or as nodes joined to the graph; in a jvp with their tangents."""
    saved = attached(record, unpack(record)) if attach else unpack(record)
    return carried(record, saved, record._saves or ()) if LOCAL.state.levels else saved
