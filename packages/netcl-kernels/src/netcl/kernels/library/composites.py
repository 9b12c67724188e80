"""Functions that are made of ops; here those for shapes, others in `indexing`, `randomness`, `recipes`, `einsum`,
`losses` and `resampling`.

Each takes what the ops take (Tensors here, Nodes with netcl-autograd), calls ops for everything that touches data, and
is differentiable because they are. Nothing here knows a formula, a kernel or a tape.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from netcl.core.arguments import Axes, Numbers, Operand, Operands, described, explained, kind_of
from netcl.core.errors import DtypeError, ShapeError
from netcl.core.shapes import normalize_axes, normalize_axis
from netcl.kernels.library.aliases import spelled
from netcl.kernels.runtime.arguments import is_list

Function = Callable[..., Any]
COMPOSITES: dict[str, Function] = {}


def composite(*also: str) -> Callable[[Function], Function]:
    """Make a function public under its name (and others), as an op and as a method.

    Numbers that it takes last, as in `reshape(x, *shape: int)`, may also be given as one sequence, or by name. What it
    calls a `bool` must be one, as in an op: in a condition anything else would pass, 0.0 and "no" among it.
    """

    def public(function: Function) -> Function:
        checked = explained(function)
        parameters = inspect.signature(function).parameters
        names = parameters.keys()
        flags = [
            (at, name, (True, False, None) if each.annotation == "bool | None" else (True, False))
            for at, (name, each) in enumerate(parameters.items())
            if each.annotation in ("bool", "bool | None")
        ]
        ints = next((name for name, each in parameters.items() if each.kind is each.VAR_POSITIONAL), None)

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if kwargs:
                kwargs = dict(spelled(kwargs, names))
            for at, name, allowed in flags:
                flag = args[at] if at < len(args) else kwargs.get(name, False)
                if not any(flag is each for each in allowed) and not isinstance(flag, np.bool_):
                    words = " or ".join(map(str, allowed))
                    raise DtypeError(f"{function.__name__}: {name} must be {words}, but it is {described(flag)}")
            return checked(*args, **kwargs)

        @functools.wraps(function)
        def called_with_ints(x: Any, *args: Any, **kwargs: Any) -> Any:
            if kwargs:
                kwargs = dict(spelled(kwargs, names))
                if ints in kwargs and not args:
                    args = (kwargs.pop(ints),)
            return checked(x, *_ints(function, args), **kwargs)

        shown = called if ints is None or parameters[ints].annotation != "int" else called_with_ints
        for name in (function.__name__, *also):
            COMPOSITES[name] = shown
        return shown

    return public


def _ints(function: Function, args: tuple[Any, ...]) -> tuple[int, ...]:
    """The ints that are given one by one, or in one sequence."""
    try:
        if len(args) == 1 and getattr(args[0], "ndim", None) != 0 and not isinstance(args[0], int):
            return tuple(map(operator.index, args[0]))
        return tuple(map(operator.index, args))
    except TypeError:
        raise TypeError(f"{function.__name__} takes ints, or one sequence of ints, but got {args}") from None


def _ops() -> Any:
    from netcl.kernels.namespace import catalogue

    return catalogue


def call_op(name: str, *args: Any, **kwargs: Any) -> Any:
    """Call an op of the catalogue."""
    return _ops()[name](*args, **kwargs)


# --- shapes -----------------------------------------------------------------------------------------------------------


@composite()
def reshape(x: Operand, *shape: int) -> Any:
    """The elements in row-major order under another shape; one length may be -1. A view where that is possible."""
    lengths = list(shape)
    if lengths.count(-1) > 1:
        raise ShapeError(f"reshape: {tuple(lengths)} has two lengths of -1; give one of them")
    if -1 in lengths:
        known = math.prod(length for length in lengths if length != -1)
        if known == 0 or math.prod(x.shape) % known:
            raise ShapeError(
                f"reshape: {tuple(x.shape)} has {math.prod(x.shape)} elements, which {tuple(lengths)} does not divide"
            )
        lengths[lengths.index(-1)] = math.prod(x.shape) // known
    if any(length < 0 for length in lengths):
        raise ShapeError(f"reshape: {tuple(lengths)} has a negative length; one of -1 alone stands for what is left")
    if math.prod(lengths) != math.prod(x.shape):
        raise ShapeError(
            f"reshape: {tuple(x.shape)} has {math.prod(x.shape)} elements, "
            f"but {tuple(lengths)} has {math.prod(lengths)}"
        )
    return call_op("reshape", x, tuple(lengths))


@composite("permute_dims")
def permute(x: Operand, *axes: int) -> Any:
    """The axes in the given order; reversed when none is given."""
    return call_op("permute", x, axes or tuple(reversed(range(len(x.shape)))))


@composite()
def transpose(x: Operand, first: Numbers = -2, second: int = -1) -> Any:
    """Two axes exchanged, the last two when none are named: a view. Without or with one axis it is x itself. A list is
    the order of all axes, as in numpy (see `permute`)."""
    if is_list(first):
        return permute(x, first)
    return swapaxes(x, first, second) if len(x.shape) > 1 else x


@composite("swapdims")
def swapaxes(x: Operand, first: int, second: int) -> Any:
    """Two axes exchanged: a view."""
    order = list(range(len(x.shape)))
    a, b = normalize_axis(first, len(order)), normalize_axis(second, len(order))
    order[a], order[b] = order[b], order[a]
    return permute(x, tuple(order))


@composite("movedim")
def moveaxis(x: Operand, source: Numbers, destination: Numbers) -> Any:
    """An axis, or several, moved to other places; the others stay in their order. A view."""
    rank = len(x.shape)
    sources, places = ([each] if not is_list(each) else list(each) for each in (source, destination))
    if len(sources) != len(places):
        raise ShapeError(f"moveaxis: {len(sources)} axes go to {len(places)} places; give as many")
    for each in (sources, places):
        normalize_axes(each, rank)  # none of them twice
    moved = {normalize_axis(at, rank): normalize_axis(axis, rank) for axis, at in zip(sources, places, strict=True)}
    rest = iter([axis for axis in range(rank) if axis not in moved.values()])
    return permute(x, tuple([moved[at] if at in moved else next(rest) for at in range(rank)]))


@composite()
def squeeze(x: Operand, axis: Axes = None) -> Any:
    """Without the named axes, each of length 1; without all of them when none is named. A view."""
    axes = (
        [at for at, length in enumerate(x.shape) if length == 1] if axis is None else normalize_axes(axis, len(x.shape))
    )
    for at in axes:
        if x.shape[at] != 1:
            raise ShapeError(f"squeeze: axis {at} of {tuple(x.shape)} has length {x.shape[at]}, not 1")
    for at in reversed(axes):
        x = call_op("select", x, at, 0)
    return x


@composite("expand_dims")
def unsqueeze(x: Operand, axis: int) -> Any:
    """With a new axis of length 1: a view."""
    after = len(x.shape) + 1
    try:
        return call_op("expand_at", x, normalize_axis(axis, after))
    except ShapeError as error:
        raise ShapeError(f"unsqueeze: of the result, {error}") from None


@composite()
def flatten(x: Operand, start: int = 0, end: int = -1) -> Any:
    """Axes start to end made into one."""
    if not x.shape:
        return reshape(x, (1,))
    first, last = normalize_axis(start, len(x.shape)), normalize_axis(end, len(x.shape))
    if first > last:
        raise ShapeError(f"flatten: start {start} is behind end {end}")
    return reshape(x, (*x.shape[:first], math.prod(x.shape[first : last + 1]), *x.shape[last + 1 :]))


@composite("expand")
def broadcast_to(x: Operand, *shape: int) -> Any:
    """Broadcast to a shape by numpy's rule: a view. A length of -1 is that of x."""
    new = len(shape) - len(x.shape)
    padded = (1,) * new + tuple(x.shape)
    wanted = shape
    if -1 in shape[new:]:
        kept = zip(padded[new:], shape[new:], strict=False)
        wanted = (*shape[:new], *(mine if length == -1 else length for mine, length in kept))
    if (
        new < 0
        or min(wanted, default=0) < 0
        or any(mine not in (1, length) for mine, length in zip(padded, wanted, strict=True))
    ):
        raise ShapeError(f"broadcast_to: {tuple(x.shape)} does not broadcast to {shape}")
    return call_op("broadcast_to", x, wanted)


@composite()
def stack(xs: Operands, axis: int = 0) -> Any:
    """Tensors of one shape side by side along a new axis."""
    if not isinstance(xs, (list, tuple)):
        raise DtypeError(f"stack: xs is {kind_of(xs)}; give a list of Tensors, as in stack([a, b])")
    if not xs:
        raise ShapeError("stack: xs is empty; give at least one Tensor, as in stack([a, b])")
    shapes = {tuple(x.shape) for x in xs}
    if len(shapes) != 1:
        raise ShapeError(f"stack: needs tensors of one shape, got {', '.join(map(str, sorted(shapes))) or 'none'}")
    return call_op("cat", [unsqueeze(x, axis) for x in xs], normalize_axis(axis, len(xs[0].shape) + 1))


@composite()
def unflatten(x: Operand, axis: int, lengths: Sequence[int]) -> Any:
    """One axis made into several; one length may be -1."""
    at = normalize_axis(axis, len(x.shape))
    given = tuple(map(operator.index, lengths))
    if -1 not in given and math.prod(given) != x.shape[at]:
        raise ShapeError(
            f"unflatten: {given} has {math.prod(given)} elements, but axis {at} of {tuple(x.shape)} has {x.shape[at]}"
        )
    if -1 in given and math.prod(x.shape) == 0:
        known = math.prod(each for each in given if each != -1)
        given = tuple(x.shape[at] // max(known, 1) if each == -1 else each for each in given)
    return reshape(x, (*x.shape[:at], *given, *x.shape[at + 1 :]))


@composite()
def contiguous(x: Operand) -> Any:
    """x itself where its elements follow each other in memory, else a copy."""
    return x if x.is_contiguous else call_op("clone", x)
