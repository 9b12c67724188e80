"""Batched: the handle of a value that a vmap has for each call of its function, all of them in one tensor.

The tensor (`physical`, itself a node if it is recorded) has the calls along its first axis; `shape` is that of one
call, which is all that the function sees. Vmaps inside one another nest handles, the innermost vmap's outside.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from netcl.autograd.graph import values
from netcl.autograd.graph.levels import Level, tangents_of, with_tangents
from netcl.autograd.graph.node import Node, Tangents, leaf_edge
from netcl.autograd.graph.record import Edge
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.programs.trace_nodes import TraceNode
from netcl.core.errors import GraphError


class Batch(Level):
    """One vmap that is running: `size` calls. `randomness` is "error", "same" or "different"."""

    def __init__(self, size: int, randomness: str = "error") -> None:
        super().__init__()
        self.size = size
        self.randomness = randomness

    def run_op(
        self,
        again: Callable[..., Any],
        grad_fn: Callable[..., Any] | None,
        args: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        """Refuse: what a function of one example does to a batch is not known."""
        raise GraphError(
            f"{options['op_name']}: inside a vmap only declared ops can run, since they say what they compute; declare "
            "it with kernels.compile, or call it outside of the vmap"
        )


class Batched(Node):
    """A value that differs from call to call of a vmapped function."""

    __slots__ = ("level", "physical")

    def __init__(self, level: Batch, physical: Any) -> None:
        self.level = level
        self.physical = physical
        self._grad = self._label = self._tangents = None

    @property
    def value(self) -> Any:
        """There is no one value: asking for it is an error."""
        if not self.level.running:
            raise GraphError("vmap: this value is of a call of a vmap that has ended; return it from the function")
        raise GraphError(
            "vmap: this value is a different one for each call, so it cannot decide what Python does next (an if, a "
            "loop, item(), to_host()), nor be given to an op of your own; use ops (where, maximum, …), or return it"
        )

    @property
    def _requires_grad(self) -> bool:  # type: ignore[override]
        return isinstance(self.physical, Node) and self.physical._requires_grad

    @property
    def _edge(self) -> Edge | None:  # type: ignore[override]
        return self.physical._edge if isinstance(self.physical, Node) else None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape in one call."""
        return tuple(values.shape_of(self.physical)[1:])

    @property
    def dtype(self) -> Any:
        """The dtype."""
        return self.physical.dtype

    @property
    def ndim(self) -> int:
        """The number of axes in one call."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements in one call."""
        return self.physical.size // max(self.level.size, 1)

    @property
    def queue(self) -> Any:
        """The queue that the values live on."""
        return self.physical.queue

    @property
    def device(self) -> Any:
        """The device that the values live on."""
        return self.physical.device

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements of all calls follow each other in memory."""
        return bool(self.physical.is_contiguous)

    def sibling(self, tangents: Tangents) -> Batched:
        """Return another handle of the same values with the same history, and with these tangents."""
        leaf = self.physical
        while isinstance(leaf, Batched):
            leaf = leaf.physical
        if self._requires_grad and self._edge is None and not isinstance(leaf, TraceNode):
            leaf_edge(leaf)
        other = Batched(self.level, self.physical)
        other._tangents = tangents
        return other

    def without_graph(self, tangents: dict[Level, Any]) -> Any:
        """Return the values without their history."""
        physical = self.physical.without_graph({}) if isinstance(self.physical, Node) else self.physical
        return with_tangents(Batched(self.level, physical), tangents)

    def gradient_edge(self, wanted_by: str = "gradient_edge") -> Edge:
        """Gradients inside a vmap belong to one call: `ag.grad` and the transforms give them, `backward` cannot."""
        raise GraphError(
            f"{wanted_by}: inside a vmap there is a gradient for each call; take it with ag.grad, ag.value_and_grad or "
            "another transform, which return gradients, and return it from the function"
        )

    def detach(self) -> Any:
        """Return the values without their history."""
        return self.without_graph({})

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a value without axes; its shape in each call is ()")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"Batched(shape={self.shape}, dtype={self.dtype}, calls={self.level.size})"


def tensor_of(item: Any) -> Any:
    """Return the Tensor behind a handle; inside a vmap that of all calls. A traced result stands for its own."""
    while isinstance(item, Batched):
        item = item.physical
    return item.value if isinstance(item, Node) and not isinstance(item, TraceNode) else item


def batch_levels(*items: Any) -> set[Batch]:
    """Return the running vmaps that values, or their tangents, differ in."""
    found: set[Batch] = set()
    for item in items:
        found |= batch_levels(*tangents_of(item).values())
        while isinstance(item, Batched):
            if item.level.running:
                found.add(item.level)
            item = item.physical
    return found


def concerned(items: Sequence[Any]) -> Level | None:
    """Return the level that the next op on these values belongs to: the innermost jvp, or else the innermost vmap."""
    jvps = [level for item in items for level in tangents_of(item)]
    return max(jvps, key=lambda level: level.depth) if jvps else innermost(*items)


def innermost(*items: Any) -> Batch | None:
    """Return the innermost running vmap that values differ in; their tangents do not count."""
    levels = [item.level for item in items if isinstance(item, Batched) and item.level.running]
    return max(levels, key=lambda level: level.depth, default=None)


def physical(item: Any, level: Batch) -> Any:
    """Return the values of all calls of a vmap: they have one axis more, in front, and the vmap does not see them.

    What does not differ from call to call is repeated, as a view.
    """
    repeat = partial(physical, level=level)
    tangents = {each: each.through(repeat, tangent) for each, tangent in tangents_of(item).items()}
    if isinstance(item, Batched) and item.level is level:
        found = item.physical
    elif isinstance(item, Batched):
        found = Batched(item.level, _ops().moveaxis(physical(item.physical, level), 1, 0))
    else:
        found = _ops().broadcast_to(with_tangents(item, {}), (level.size, *values.shape_of(item)))
    return with_tangents(found, tangents) if tangents else found


def in_each_call(item: Any, level: Batch) -> Any:
    """Return what a vmap sees of values that have its calls along the first axis; the inverse of `physical`."""
    wrap = partial(in_each_call, level=level)
    tangents = {each: each.through(wrap, tangent) for each, tangent in tangents_of(item).items()}
    return with_tangents(Batched(level, with_tangents(item, {})), tangents)


def of_all_calls(
    level: Batch, outputs: Sequence[Any], inputs: Sequence[Any], seeds: Any
) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the (outputs, inputs, output gradients) of `grad` inside a vmap for all of its calls at once.

    Calls do not depend on each other, so the gradients of all outputs are, call by call, those of each.
    """
    for at, each in enumerate(inputs):
        if level not in batch_levels(each):
            raise GraphError(
                f"grad: output {at} differs from call to call of a vmap, but input {at} is the same for all, so that "
                "its gradient would be a sum over the calls; let ag.grad(fn), ag.vjp or another transform make it"
            )
    given = list(seeds) if isinstance(seeds, (list, tuple)) else [seeds] * len(outputs)
    found = []
    for at, (output, seed) in enumerate(zip(outputs, given, strict=True)):
        if seed is None and values.shape_of(output) != ():
            raise GraphError(
                f"grad: output {at} has shape {values.shape_of(output)} in each call; only a scalar has a gradient by "
                "itself, pass grad_outputs or reduce it (e.g. with sum())"
            )
        found.append(values.ones_like(physical(output, level)) if seed is None else physical(seed, level))
    return [physical(each, level) for each in outputs], [physical(each, level) for each in inputs], found


def for_every_call(make: Callable[[Any], Any], item: Any, levels: Sequence[Level] | None = None) -> Any:
    """Return `make` of the values of all calls of all running vmaps, as each call sees it."""
    levels = [each for each in LOCAL.state.levels if isinstance(each, Batch)] if levels is None else levels
    if not levels:
        return make(item)
    *outer, level = levels
    assert isinstance(level, Batch)
    return in_each_call(for_every_call(make, physical(item, level), outer), level)


def _ops() -> Any:
    return importlib.import_module("netcl.autograd.ops")
