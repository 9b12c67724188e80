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

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, ParamSpec, TypeVar, overload

from netcl.autograd.engine import functional
from netcl.autograd.graph.levels import tangents_of, with_tangents
from netcl.autograd.transforms import trees
from netcl.autograd.transforms.forward import Forward, split
from netcl.autograd.transforms.inputs import end, stays
from netcl.autograd.transforms.linearized import Linear, Slot
from netcl.autograd.transforms.recorded import Fn, Point, Recorded, flattened, pair, settled, watched, zeros_like
from netcl.core.arguments import explained, is_operand
from netcl.core.errors import DtypeError, GraphError

__all__ = ["grad", "jvp", "linearize", "pullback", "value_and_grad", "vjp"]

P = ParamSpec("P")
R = TypeVar("R")
Aux = TypeVar("Aux")
Key = TypeVar("Key")


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
    dataclass, has the gradient None; a frozen leaf has one as any other. With `has_aux`, `fn` returns (value, aux) and
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
        result, aux = pair(point.caller, result) if has_aux else (result, None)
        found, structure = flattened(point.caller, result)
        pairs = [split(each, level) for each in found]
        aux = trees.mapped(lambda each: split(each, level)[0], aux)
    return [output for output, _ in pairs], [tangent for _, tangent in pairs], structure, aux
