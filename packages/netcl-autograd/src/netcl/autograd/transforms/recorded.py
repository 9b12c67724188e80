"""Where a function is differentiated, and what it gave there, written down: what all transforms begin with."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np

from netcl.autograd.engine import functional
from netcl.autograd.engine.plan import reachable
from netcl.autograd.graph import values
from netcl.autograd.graph.levels import tangents_of, with_tangents, without_graph
from netcl.autograd.graph.modes import enable_grad
from netcl.autograd.graph.node import Node
from netcl.autograd.graph.record import Accumulator, Edge
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.programs.trace_gradients import reaches_beyond
from netcl.autograd.programs.trace_nodes import TraceNode
from netcl.autograd.transforms import trees
from netcl.autograd.transforms.batched import Batched
from netcl.autograd.transforms.inputs import fresh, is_inside, staying
from netcl.core.dtypes import is_float
from netcl.core.errors import DtypeError, GraphError, ShapeError

Fn = Callable[..., Any]

_LEAVE_OUT = "close over it, or leave it out of argnums"


class Point:
    """Where a function is differentiated: its inputs, as leaves of one tree. What is no number in a tree, such as a
    text, is no leaf of it but stays where it is; in what belongs to the inputs there is None in its place."""

    def __init__(self, caller: str, inputs: Any) -> None:
        self.caller = caller
        self.several = isinstance(inputs, (tuple, list))
        self._kind = type(inputs)
        found, self._whole = trees.flatten(tuple(inputs) if self.several else (inputs,))
        names = trees.argument_names(self._whole)
        self._stay = staying(found, names)
        self.structure = self._whole.holding({at: found[at] for at in self._stay})
        self._form = self._whole.holding(dict.fromkeys(self._stay))
        self.places = self._moving(names)
        self.leaves = [values.from_python(leaf) for leaf in self._moving(found)]
        for leaf, place in zip(self.leaves, self.places, strict=True):
            values.refuse_foreign(leaf, f"{caller}: {place}")
            dtype = values.dtype_of(leaf)
            is_value = hasattr(leaf, "__add__") and not isinstance(leaf, (bool, int, str, type))
            if not is_value or (dtype is not None and not is_float(dtype)):
                what = dtype if is_value else type(leaf).__name__
                advice = "make it a float, or close over it" if is_inside(place) else _LEAVE_OUT
                raise DtypeError(f"{caller}: {place} is {what}, and only floats have a derivative; {advice}")

    def at(self, leaves: Sequence[Any]) -> Point:
        """Return the same inputs with other leaves."""
        other = copy.copy(self)
        other.leaves = list(leaves)
        return other

    def call(self, fn: Fn, leaves: Sequence[Any]) -> Any:
        """Return what the function gives for these leaves."""
        return fn(*self.structure.build(leaves))

    def like(self, found: Sequence[Any]) -> Any:
        """Return one value per leaf in the form of the inputs."""
        built = self._form.build(found)
        return (list(built) if self._kind is list else built) if self.several else built[0]

    def leaves_of(self, args: tuple[Any, ...]) -> list[Any]:
        """Return the leaves of arguments that the function is called with."""
        return self._moving(trees.leaves_of(args))

    def _moving(self, found: Sequence[Any]) -> list[Any]:
        """What belongs to the leaves, without what stays."""
        return [each for at, each in enumerate(found) if at not in self._stay]

    def _leaves_like(self, given: tuple[Any, ...], what: str) -> list[Any]:
        """The leaves of a tree in the form of the inputs, in which what stays is there, too, or None."""
        if self._stay:
            found, structure = trees.flatten(given)
            if structure == self._whole:
                return self._moving(found)
        return self._form.flatten_as(given, f"{self.caller}: the tree of {what}s")

    def beside(self, tree: Any, what: str) -> list[Any]:
        """Return the leaves of a tree in the form of the inputs, with a value of its shape and dtype for each leaf."""
        given = tuple(tree) if isinstance(tree, (tuple, list)) and self.several else (tree,)
        expected, found = len(self.structure.build(self.leaves)), len(given)
        if found != expected:
            raise ShapeError(f"{self.caller}: {expected} inputs but {found} {what}s")
        leaves = self._leaves_like(given, what)
        checked = []
        for leaf, each, place in zip(self.leaves, leaves, self.places, strict=True):
            each = values.like(each, without_graph(leaf)) if not isinstance(each, Node) else each
            if values.shape_of(each) != values.shape_of(leaf):
                raise ShapeError(
                    f"{self.caller}: {place.replace('argument', 'input')} has shape {values.shape_of(leaf)}, "
                    f"its {what} {values.shape_of(each)}"
                )
            if values.dtype_of(leaf) is not None and values.dtype_of(leaf) != values.dtype_of(each):
                raise DtypeError(
                    f"{self.caller}: {place.replace('argument', 'input')} is {values.dtype_of(leaf)}, "
                    f"its {what} {values.dtype_of(each)}"
                )
            checked.append(each)
        return checked


class Recorded:
    """A function that was run and recorded at a point, ready for gradients of its outputs."""

    def __init__(self, fn: Fn, point: Point, create_graph: bool | None, has_aux: bool = False) -> None:
        wanted = LOCAL.state.grad_enabled
        self.point = point
        with enable_grad():
            self.leaves = [fresh(leaf) for leaf in point.leaves]
            with watched(point.caller, self._depends):
                result = point.call(fn, self.leaves)
        self._aux: Any = None
        if has_aux:
            result, self._aux = pair(point.caller, result)
        self.outputs, self.structure = flattened(point.caller, result)
        self.keep = (wanted and _reaches_beyond(self.outputs, self.leaves)) if create_graph is None else create_graph

    def _depends(self, node: Node) -> bool:
        """Whether a node depends on the inputs, or is one."""
        if any(node is leaf for leaf in self.leaves):
            return True
        own = {edge[0] for edge in _edges(self.leaves)}
        return any(record in own for record in reachable(_edges([node])).values())

    @property
    def result(self) -> Any:
        """What the function returned."""
        return self.structure.build([settled(each, self.keep) for each in self.outputs])

    @property
    def aux(self) -> Any:
        """The second part of what it returned."""
        return trees.mapped(lambda each: settled(each, self.keep), self._aux)

    def scalar(self) -> Any:
        """The one output, which must be a scalar."""
        shapes = [values.shape_of(output) for output in self.outputs]
        if shapes != [()]:
            shown = f"shape {shapes[0]}" if len(shapes) == 1 else f"{len(shapes)} values"
            raise ShapeError(
                f"{self.point.caller}: the function must return a scalar, it returned {shown}; sum it, or take the "
                "derivatives of all its elements with ag.jacrev"
            )
        return self.outputs[0]

    def seeds(self, v: Any, advice: str) -> list[Any] | None:
        """The output gradients `v` as a list, or None, which only outputs of one element may have."""
        if v is not None:
            return self.structure.flatten_as(v, f"{self.point.caller}: the tree of output gradients")
        for output in self.outputs:
            shape = values.shape_of(output)
            if prod(shape) != 1 and isinstance(output, Node) and output.requires_grad:
                raise GraphError(
                    f"{self.point.caller}: the function returned shape {shape}, and only one element has a gradient by "
                    f"itself; {advice}, the output gradients in the form of the outputs"
                )
        return None

    @enable_grad()
    def gradients(self, seeds: Sequence[Any] | None = None, retain_graph: bool | None = None) -> list[Any]:
        """The gradient for each leaf; outputs that depend on none are left out."""
        given = [None] * len(self.outputs) if seeds is None else list(seeds)
        pairs = [(o, s) for o, s in zip(self.outputs, given, strict=True) if isinstance(o, Node) and o.requires_grad]
        if not pairs:
            return [zeros_like(leaf) for leaf in self.leaves]
        seeds = None if seeds is None else [s for _, s in pairs]
        found = functional.grad(
            [o for o, _ in pairs], self.leaves, seeds,
            retain_graph=retain_graph, create_graph=self.keep, allow_unused=True,
        )  # fmt: skip
        return [zeros_like(x) if g is None else g for x, g in zip(self.leaves, found, strict=True)]


def settled(item: Any, create_graph: bool | None) -> Any:
    """Return a result: with its history or without, as `create_graph` says; None: with it if it leads anywhere."""
    if not isinstance(item, Node):
        return item
    tangents = tangents_of(item)
    if create_graph is None:
        create_graph = _reaches_beyond([item], [])
    if create_graph and (item.requires_grad or tangents):
        return with_tangents(item, tangents)
    return without_graph(item)


def zeros_like(item: Any) -> Any:
    """Return zeros of the shape of a value, also of one inside a vmap."""
    if isinstance(item, (Batched, TraceNode)):
        return values.filled((item.shape, item.dtype, item.queue), 0)
    return values.zeros_like(item.value if isinstance(item, Node) else item)


@contextmanager
def watched(caller: str, depends: Callable[[Node], bool]) -> Iterator[None]:
    """While inside, raise GraphError where numbers are made of a node that depends on what is differentiated."""

    def look(node: Node) -> None:
        if depends(node):
            raise GraphError(
                f"{caller}: float(x), x.item(), x.to_host() and arrays of numpy say nothing of where they came from, "
                "and the derivative would be lost; compute with the value itself, or make numbers of x.detach()"
            )

    state = LOCAL.state
    before = state.conversions
    state.conversions = (*before, look)
    try:
        yield
    finally:
        state.conversions = before


def flattened(caller: str, result: Any) -> tuple[list[Any], trees.Structure]:
    """The outputs of a function; a GraphError for numbers and arrays, which would have no derivative without a word."""
    found, structure = trees.flatten(result)
    for each in found:
        if isinstance(each, (float, np.floating)) or (isinstance(each, np.ndarray) and each.dtype.kind == "f"):
            raise GraphError(
                f"{caller}: the function returned a {type(each).__name__}, which says nothing of where it came from; "
                "return the tensor itself, not float(x), x.item() or x.to_host(), and a constant as ag.tensor(1.0)"
            )
    return found, structure


def pair(caller: str, result: Any) -> tuple[Any, Any]:
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise GraphError(f"{caller}: with has_aux the function must return a pair (value, aux)")
    return result[0], result[1]


def _reaches_beyond(outputs: Sequence[Any], leaves: Sequence[Node]) -> bool:
    """Whether outputs or their tangents depend on a leaf that is not one of these, and that still counts."""
    if LOCAL.state.tracer is not None:
        return reaches_beyond(outputs, leaves)
    own = {leaf._edge[0] for leaf in leaves if leaf._edge is not None}
    return any(
        isinstance(record, Accumulator) and record not in own and record.variable is not None
        for record in reachable(_edges(outputs)).values()
    )


def _edges(items: Sequence[Any]) -> list[Edge]:
    found = []
    for item in items:
        if isinstance(item, Node):
            if item.requires_grad and item._edge is not None:
                found.append(item._edge)
            found += _edges(list(tangents_of(item).values()))
    return found
