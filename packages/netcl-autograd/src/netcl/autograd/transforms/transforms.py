"""Derivatives of functions: vjp, jvp, pullback, linearize, gradients. Jacobians and Hessians are in `jacobians`.

A function takes values (Tensors, nodes, floats, arrays) and returns them, or trees of them: dicts, lists, tuples.
`inputs` is one argument, or a tuple or list with several; what belongs to an input (a tangent, a gradient) comes in
the same form. What is no number in a tree (a text, a flag, a function, an int that is a field of a class) is given to
the function as it is, and has None as its gradient or tangent. With `has_aux` the function returns a pair, and the
second part is handed on as it is.

Transforms may stand inside each other. What is returned has a history if it depends on a node outside of the function
that requires a gradient, unless gradients were disabled outside; `create_graph` says otherwise.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any, Literal, ParamSpec, TypeVar, overload

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
from netcl.autograd.transforms.forward import Forward, split
from netcl.autograd.transforms.inputs import end, fresh, is_inside, staying, stays
from netcl.autograd.transforms.linearized import Linear, Slot
from netcl.core.arguments import explained, is_operand
from netcl.core.dtypes import is_float
from netcl.core.errors import DtypeError, GraphError, ShapeError

__all__ = ["grad", "jvp", "linearize", "pullback", "value_and_grad", "vjp"]

Fn = Callable[..., Any]
P = ParamSpec("P")
R = TypeVar("R")
Aux = TypeVar("Aux")
Key = TypeVar("Key")


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
            result, self._aux = _pair(point.caller, result)
        self.outputs, self.structure = _flattened(point.caller, result)
        self.keep = (wanted and _reaches_beyond(self.outputs, self.leaves)) if create_graph is None else create_graph

    def _depends(self, node: Node) -> bool:
        """Whether a node depends on the inputs."""
        own = {leaf._edge[0] for leaf in self.leaves if isinstance(leaf, Node) and leaf._edge is not None}
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


@overload
def vjp(
    fn: Callable[..., R], inputs: Any, v: Any = None, create_graph: bool | None = None, has_aux: Literal[False] = False
) -> tuple[R, Any]: ...
@overload
def vjp(
    fn: Callable[..., tuple[R, Aux]],
    inputs: Any,
    v: Any = None,
    create_graph: bool | None = None,
    *,
    has_aux: Literal[True],
) -> tuple[R, Any, Aux]: ...
@explained
def vjp(fn: Fn, inputs: Any, v: Any = None, create_graph: bool | None = None, has_aux: bool = False) -> Any:
    """Return (outputs, gradients): the output gradients `v` (ones for a scalar) times the Jacobian of `fn`.

    `v` comes in the form of the outputs. With `has_aux` the result is (outputs, gradients, aux). For a function of `v`
    that may be called again, as JAX's vjp gives it, see `pullback`.
    """
    run = Recorded(fn, Point("vjp", inputs), create_graph, has_aux)
    found = run.point.like([settled(each, run.keep) for each in run.gradients(run.seeds(v, "pass v"))])
    end(run.leaves)
    return (run.result, found, run.aux) if has_aux else (run.result, found)


@overload
def jvp(
    fn: Callable[..., R],
    inputs: Any,
    tangents: Any,
    create_graph: bool | None = None,
    has_aux: Literal[False] = False,
) -> tuple[R, R]: ...
@overload
def jvp(
    fn: Callable[..., tuple[R, Aux]],
    inputs: Any,
    tangents: Any,
    create_graph: bool | None = None,
    *,
    has_aux: Literal[True],
) -> tuple[R, R, Aux]: ...
@explained
def jvp(fn: Fn, inputs: Any, tangents: Any, create_graph: bool | None = None, has_aux: bool = False) -> Any:
    """Return (outputs, tangents): the Jacobian of `fn` times the tangents of its inputs, in one run forward.

    With `has_aux` the result is (outputs, tangents, aux).
    """
    point = Point("jvp", inputs)
    level = Forward()
    outputs, found, structure, aux = _pushed(fn, point, level, point.beside(tangents, "tangent"), has_aux)
    primal = structure.build([settled(each, create_graph) for each in outputs])
    pairs = zip(found, outputs, strict=True)
    along = structure.build([no_tangent(o) if t is None else settled(t, create_graph) for t, o in pairs])
    return (primal, along, trees.mapped(lambda each: settled(each, create_graph), aux)) if has_aux else (primal, along)


@overload
def linearize(fn: Callable[..., R], inputs: Any, has_aux: Literal[False] = False) -> tuple[R, Callable[[Any], R]]: ...
@overload
def linearize(
    fn: Callable[..., tuple[R, Aux]], inputs: Any, has_aux: Literal[True]
) -> tuple[R, Callable[[Any], R], Aux]: ...
@explained
def linearize(fn: Fn, inputs: Any, has_aux: bool = False) -> Any:
    """Return (outputs, function): the function maps input tangents to output tangents, at this point.

    Several inputs are one tuple, here and when the function is called: `linearize(fn, (a, b))[1]((da, db))`.
    It runs the tangent formulas alone, as often as it is called; `fn` is not run again. It raises GraphError if what
    they read was written in place meanwhile. With `has_aux` the result is (outputs, function, aux).
    """
    _require_flag("linearize", has_aux)
    point = Point("linearize", inputs)
    outputs, push, aux = linearized(fn, point, has_aux)

    def linear(tangents: Any, *more: Any) -> Any:
        if more:
            raise TypeError("linearize: the function takes one argument; several tangents are one tuple, ((da, db))")
        return push(point.beside(tangents, "tangent"))

    return (outputs, linear, aux) if has_aux else (outputs, linear)


def _require_flag(caller: str, has_aux: Any) -> None:
    if is_operand(has_aux):
        raise DtypeError(f"{caller}: several inputs are one tuple, {caller}(fn, (x, y)); has_aux is a Tensor here")


@overload
def pullback(fn: Callable[..., R], inputs: Any, has_aux: Literal[False] = False) -> tuple[R, Callable[..., Any]]: ...
@overload
def pullback(
    fn: Callable[..., tuple[R, Aux]], inputs: Any, has_aux: Literal[True]
) -> tuple[R, Callable[..., Any], Aux]: ...
@explained
def pullback(fn: Fn, inputs: Any, has_aux: bool = False) -> Any:
    """Return (outputs, function): the function maps output gradients to input gradients, at this point.

    It goes back through what one run of `fn` recorded, as often as it is called; a scalar needs no gradient. It raises
    GraphError if a value that is needed was written in place meanwhile. With `has_aux` the result is (outputs,
    function, aux).
    """
    _require_flag("pullback", has_aux)
    run = Recorded(fn, Point("pullback", inputs), None, has_aux)

    def pull(v: Any = None, *more: Any) -> Any:
        if more:
            raise TypeError(
                "pullback: the function takes one argument; several output gradients are one tuple, ((u, v))"
            )
        seeds = run.seeds(v, "call the function with v")
        return run.point.like([settled(each, run.keep) for each in run.gradients(seeds, retain_graph=True)])

    return (run.result, pull, run.aux) if has_aux else (run.result, pull)


@explained
def value_and_grad(
    fn: Callable[P, R], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[P, tuple[R, Any]]:
    """Return a function that gives (value, gradients) of a scalar function for the arguments `argnums`.

    One number gives that argument's gradient, a tuple a tuple of them. What is no number in a tree, such as a text in a
    dataclass, has the gradient None. With `has_aux`, `fn` returns (value, aux) and
    the result is ((value, aux), gradients).
    """
    return _value_and_grad("value_and_grad", fn, argnums, has_aux)


def _value_and_grad(caller: str, fn: Fn, argnums: int | Sequence[int], has_aux: bool) -> Fn:
    @functools.wraps(fn)
    def both(*args: Any, **kwargs: Any) -> Any:
        point, rest = chosen(caller, fn, args, kwargs, argnums)
        run = Recorded(rest, point, None, has_aux)
        run.scalar()
        found = point.like([settled(each, run.keep) for each in run.gradients()])
        end(run.leaves)
        return ((run.result, run.aux) if has_aux else run.result), found

    return both


@overload
def grad(
    outputs: Callable[P, Any], *, argnums: int | Sequence[int] = 0, has_aux: Literal[False] = False
) -> Callable[P, Any]: ...
@overload
def grad(
    outputs: Callable[P, Any], *, argnums: int | Sequence[int] = 0, has_aux: Literal[True]
) -> Callable[P, tuple[Any, Any]]: ...
@overload
def grad(
    outputs: Any,
    inputs: Mapping[Key, Any],
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> dict[Key, Any]: ...
@overload
def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> Any: ...
@explained
def grad(
    outputs: Any,
    inputs: Any = None,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
    *,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
) -> Any:
    """Return the gradients of `outputs` for `inputs`: one, a list, or a dict, as `inputs` is. No `.grad` is touched.

    An output must be a scalar unless `grad_outputs` has its gradient. An input that was not used is an error, None
    with `allow_unused`, or zeros with `materialize_grads`.

    With a function alone, `grad(fn, argnums=0, has_aux=False)`, return a function for its gradients, which is
    `value_and_grad` without the value.
    """
    if not callable(outputs):
        return functional.grad(
            outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads
        )
    if inputs is not None:
        raise GraphError("grad: a function takes argnums by name, as in ag.grad(fn, argnums=1)")
    both = _value_and_grad("grad", outputs, argnums, has_aux)

    @functools.wraps(outputs)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, found = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


# --- what the transforms share ----------------------------------------------------------------------------------------


def linearized(fn: Fn, point: Point, has_aux: bool = False) -> tuple[Any, Fn, Any]:
    """Return the outputs at a point, a function from a tangent for each leaf to those of the outputs, and aux."""
    level = Linear()
    slots = [Slot() for _ in point.leaves]
    outputs, found, structure, aux = _pushed(fn, point, level, slots, has_aux)
    level.settle(found)
    primal = [settled(each, None) for each in outputs]

    def push(tangents: Sequence[Any]) -> Any:
        pairs = zip(level.run(slots, tangents, found), primal, strict=True)
        return structure.build([no_tangent(o) if t is None else settled(t, None) for t, o in pairs])

    return structure.build(primal), push, trees.mapped(lambda each: settled(each, None), aux)


def chosen(
    caller: str, fn: Fn, args: tuple[Any, ...], kwargs: dict[str, Any], argnums: int | Sequence[int]
) -> tuple[Point, Fn]:
    """Return the arguments to differentiate for, and `fn` as a function of them alone."""
    if hasattr(argnums, "shape"):
        raise GraphError(f"{caller}: it gives a function; call that with the values, as in ag.{caller}(fn)(x)")
    numbers = [argnums] if isinstance(argnums, int) else list(argnums)
    if any(not -len(args) <= n < len(args) for n in numbers):
        raise GraphError(f"{caller}: argnums is {argnums}, but there are {len(args)} arguments by position")
    numbers = [n % len(args) for n in numbers]

    def rest(*picked: Any) -> Any:
        full = list(args)
        for n, value in zip(numbers, picked, strict=True):
            full[n] = value
        return fn(*full, **kwargs)

    picked = tuple(args[n] for n in numbers)
    # A single argument may be a list or tuple itself: it is one input all the same.
    point = Point(caller, picked)
    point.several = not isinstance(argnums, int)
    return point, rest


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


def no_tangent(output: Any) -> Any:
    """Return the tangent of an output that does not depend on the inputs: zeros; None of a text and its like."""
    return None if stays(output) else zeros_like(output)


def _pushed(
    fn: Fn, point: Point, level: Forward, tangents: Sequence[Any], has_aux: bool
) -> tuple[list[Any], list[Any], trees.Structure, Any]:
    """Run a function on inputs with tangents; return its outputs, their tangents, their structure, and aux."""
    with level:
        given = [
            with_tangents(leaf, {**tangents_of(leaf), level: t}) for leaf, t in zip(point.leaves, tangents, strict=True)
        ]
        with watched(point.caller, lambda node: level in tangents_of(node)):
            result = point.call(fn, given)
        result, aux = _pair(point.caller, result) if has_aux else (result, None)
        found, structure = _flattened(point.caller, result)
        pairs = [split(each, level) for each in found]
        aux = trees.mapped(lambda each: split(each, level)[0], aux)
    return [output for output, _ in pairs], [tangent for _, tangent in pairs], structure, aux


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


def _flattened(caller: str, result: Any) -> tuple[list[Any], trees.Structure]:
    """The outputs of a function; a GraphError for numbers and arrays, which would have no derivative without a word."""
    found, structure = trees.flatten(result)
    for each in found:
        if isinstance(each, (float, np.floating)) or (isinstance(each, np.ndarray) and each.dtype.kind == "f"):
            raise GraphError(
                f"{caller}: the function returned a {type(each).__name__}, which says nothing of where it came from; "
                "return the tensor itself, not float(x), x.item() or x.to_host(), and a constant as ag.tensor(1.0)"
            )
    return found, structure


def _pair(caller: str, result: Any) -> tuple[Any, Any]:
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
