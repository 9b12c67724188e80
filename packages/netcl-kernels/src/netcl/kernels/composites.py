"""Functions that are made of ops, for shapes and indexing; those that compute are in `recipes`.

Each takes what the ops take (Tensors here, Nodes with netcl-autograd), calls ops for everything that touches data, and
is differentiable because they are. Nothing here knows a formula, a kernel or a tape.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from netcl.core.errors import IndexOutOfRangeError, ShapeError
from netcl.core.shapes import normalize_axes, normalize_axis
from netcl.core.tensor import Tensor

COMPOSITES: dict[str, Callable[..., Any]] = {}


def composite(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function public under its name, as an op and as a method."""
    COMPOSITES[function.__name__] = function
    return function


def _ops() -> Any:
    from netcl.kernels.namespace import catalogue

    return catalogue


def call_op(name: str, *args: Any, **kwargs: Any) -> Any:
    """Call an op of the catalogue."""
    return _ops()[name](*args, **kwargs)


# --- shapes -----------------------------------------------------------------------------------------------------------


@composite
def reshape(x: Any, *shape: Any) -> Any:
    """The elements in row-major order under another shape; one length may be -1. A view where that is possible."""
    lengths = list(map(operator.index, shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape))
    if lengths.count(-1) > 1:
        raise ShapeError(f"reshape: {tuple(lengths)} has two lengths of -1; give one of them")
    if -1 in lengths:
        known = math.prod(length for length in lengths if length != -1)
        if known == 0 or math.prod(x.shape) % known:
            raise ShapeError(
                f"reshape: {tuple(x.shape)} has {math.prod(x.shape)} elements, which {tuple(lengths)} does not divide"
            )
        lengths[lengths.index(-1)] = math.prod(x.shape) // known
    if math.prod(lengths) != math.prod(x.shape) or any(length < 0 for length in lengths):
        raise ShapeError(
            f"reshape: {tuple(x.shape)} has {math.prod(x.shape)} elements, "
            f"but {tuple(lengths)} has {math.prod(lengths)}"
        )
    return call_op("reshape", x, tuple(lengths))


@composite
def permute(x: Any, *order: Any) -> Any:
    """The axes in the given order; reversed when none is given."""
    axes = order[0] if len(order) == 1 and not isinstance(order[0], int) else order
    return call_op("permute", x, tuple(axes) if axes else tuple(reversed(range(len(x.shape)))))


@composite
def swapaxes(x: Any, first: int, second: int) -> Any:
    """Two axes exchanged: a view."""
    order = list(range(len(x.shape)))
    a, b = normalize_axis(first, len(order)), normalize_axis(second, len(order))
    order[a], order[b] = order[b], order[a]
    return permute(x, tuple(order))


@composite
def moveaxis(x: Any, source: int, destination: int) -> Any:
    """One axis moved to another place: a view."""
    order = list(range(len(x.shape)))
    axis = order.pop(normalize_axis(source, len(order)))
    order.insert(normalize_axis(destination, len(x.shape)), axis)
    return permute(x, tuple(order))


@composite
def squeeze(x: Any, axis: Any = None) -> Any:
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


@composite
def unsqueeze(x: Any, axis: int) -> Any:
    """With a new axis of length 1: a view."""
    return call_op("expand_at", x, normalize_axis(axis, len(x.shape) + 1))


@composite
def flatten(x: Any, start: int = 0, end: int = -1) -> Any:
    """Axes start to end made into one."""
    if not x.shape:
        return reshape(x, (1,))
    first, last = normalize_axis(start, len(x.shape)), normalize_axis(end, len(x.shape))
    if first > last:
        raise ShapeError(f"flatten: start {start} is behind end {end}")
    return reshape(x, (*x.shape[:first], math.prod(x.shape[first : last + 1]), *x.shape[last + 1 :]))


@composite
def broadcast_to(x: Any, shape: Sequence[int]) -> Any:
    """Broadcast to a shape by numpy's rule: a view."""
    wanted = (shape,) if isinstance(shape, int) else tuple(shape)
    padded = (1,) * (len(wanted) - len(x.shape)) + tuple(x.shape)
    if len(x.shape) > len(wanted) or any(mine not in (1, length) for mine, length in zip(padded, wanted, strict=True)):
        raise ShapeError(f"broadcast_to: {tuple(x.shape)} does not broadcast to {wanted}")
    return call_op("broadcast_to", x, wanted)


@composite
def stack(xs: Sequence[Any], axis: int = 0) -> Any:
    """Tensors of one shape side by side along a new axis."""
    shapes = {tuple(x.shape) for x in xs}
    if len(shapes) != 1:
        raise ShapeError(f"stack: needs tensors of one shape, got {', '.join(map(str, sorted(shapes))) or 'none'}")
    return call_op("cat", [unsqueeze(x, axis) for x in xs], normalize_axis(axis, len(xs[0].shape) + 1))


@composite
def narrow(x: Any, axis: int, start: int, length: int) -> Any:
    """`length` elements from `start` on along one axis: a view."""
    at = normalize_axis(axis, len(x.shape))
    if start < 0 or length < 0 or start + length > x.shape[at]:
        raise IndexOutOfRangeError(f"narrow: {start}..{start + length} is outside of axis {at} of {tuple(x.shape)}")
    return getitem(x, (slice(None),) * at + (slice(start, start + length),))


@composite
def split(x: Any, sections: Any, axis: int = 0) -> list[Any]:
    """Views of equal length `sections` (the last may be shorter), or of the lengths in a list, along one axis."""
    at = normalize_axis(axis, len(x.shape))
    if isinstance(sections, int):
        if sections <= 0:
            raise ShapeError(f"split: a section of {sections} elements; give a positive length")
        lengths = [min(sections, x.shape[at] - start) for start in range(0, x.shape[at], sections)] or [0]
    else:
        lengths = list(sections)
        if sum(lengths) != x.shape[at]:
            raise ShapeError(
                f"split: {lengths} adds up to {sum(lengths)}, but axis {at} of {tuple(x.shape)} is {x.shape[at]}"
            )
    starts = np.cumsum([0, *lengths])
    return [narrow(x, at, int(start), length) for start, length in zip(starts, lengths, strict=False)]


@composite
def chunk(x: Any, chunks: int, axis: int = 0) -> list[Any]:
    """At most `chunks` views of equal length (the last may be shorter) along one axis."""
    if chunks <= 0:
        raise ShapeError(f"chunk: {chunks} chunks; give a positive number")
    return split(x, max(1, -(-x.shape[normalize_axis(axis, len(x.shape))] // chunks)), axis)


@composite
def unflatten(x: Any, axis: int, lengths: Sequence[int]) -> Any:
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


@composite
def unbind(x: Any, axis: int = 0) -> list[Any]:
    """The views at each position of an axis, which goes."""
    at = normalize_axis(axis, len(x.shape))
    return [call_op("select", x, at, position) for position in range(x.shape[at])]


@composite
def flip(x: Any, axis: Any = None) -> Any:
    """The order along the named axes reversed: a view."""
    axes = normalize_axes(axis, len(x.shape))
    return getitem(x, tuple(slice(None, None, -1) if at in axes else slice(None) for at in range(len(x.shape))))


@composite
def contiguous(x: Any) -> Any:
    """x itself where its elements follow each other in memory, else a copy."""
    value = getattr(x, "value", x)
    return x if value.is_contiguous else call_op("clone", x)


# --- indexing ---------------------------------------------------------------------------------------------------------


@composite
def getitem(x: Any, key: Any) -> Any:
    """`x[key]` by numpy's rules: ints, slices, None, Ellipsis, integer tensors and bool masks.

    Ints, slices and None give views. A mask is counted on the host, since it decides the shape of the result.
    """
    items = _expanded(x, key)
    source = 0
    selected: list[tuple[int, int]] = []
    slices: list[tuple[int, int, int]] = []
    layout: list[Any] = []
    for item in items:
        if item is None:
            layout.append(None)
            continue
        length = x.shape[source]
        if isinstance(item, slice):
            start, stop, step = item.indices(length)
            slices.append((start, step, len(range(start, stop, step))))
            layout.append("axis")
        elif isinstance(item, int):
            if not -length <= item < length:
                raise IndexOutOfRangeError(f"index {item} is out of range for axis {source} of length {length}")
            selected.append((source, item % length))
        else:
            slices.append((0, 1, length))
            layout.append(item)
        source += 1
    for axis, at in reversed(selected):
        x = call_op("select", x, axis, at)
    if any((start, step) != (0, 1) or length != x.shape[at] for at, (start, step, length) in enumerate(slices)):
        starts, steps, lengths = zip(*slices, strict=True)
        x = call_op("slice", x, starts, steps, lengths)
    for at, item in enumerate(layout):
        if item is None:
            x = unsqueeze(x, at)
    lists = [(at, item) for at, item in enumerate(layout) if item is not None and not isinstance(item, str)]
    return _take_all(x, lists) if lists else x


def _take_all(x: Any, lists: list[tuple[int, Any]]) -> Any:
    """Integer tensors along several axes at once: the axes become one, and so do the positions."""
    axes = [at for at, _ in lists]
    if len(axes) == 1:
        return call_op("take", x, lists[0][1], axes[0])
    place = axes[0] if axes == list(range(axes[0], axes[0] + len(axes))) else 0
    rest = [at for at in range(len(x.shape)) if at not in axes]
    x = permute(x, (*rest[:place], *axes, *rest[place:]))
    lengths = x.shape[place : place + len(axes)]
    flat: Any = None
    for length, (_, index) in zip(lengths, lists, strict=True):
        index = call_op("where", call_op("lt", index, 0), call_op("add", index, length), index)
        flat = index if flat is None else call_op("add", call_op("mul", flat, length), index)
    x = reshape(x, (*x.shape[:place], math.prod(lengths), *x.shape[place + len(axes) :]))
    return call_op("take", x, flat, place)


def _expanded(x: Any, key: Any) -> list[Any]:
    """The key with one entry per axis (None apart): no Ellipsis, masks as positions, arrays as Tensors."""
    given = list(key) if isinstance(key, tuple) else [key]
    items: list[Any] = []
    for item in given:
        if item is None or item is Ellipsis or isinstance(item, slice):
            items.append(item)
        elif isinstance(item, (bool, np.bool_)):
            raise IndexOutOfRangeError("a bool is not an index; use a bool tensor, or None for a new axis")
        elif isinstance(item, (int, np.integer)):
            items.append(int(item))
        else:
            items.extend(_positions(x, getattr(item, "value", item)))
    used = sum(item is not None and item is not Ellipsis for item in items)
    if used > len(x.shape):
        raise IndexOutOfRangeError(f"{used} indices were given, but the shape {tuple(x.shape)} has {len(x.shape)} axes")
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexOutOfRangeError("an index can have only one Ellipsis (...)")
    at = next((at for at, item in enumerate(items) if item is Ellipsis), len(items))
    return items[:at] + [slice(None)] * (len(x.shape) - used) + items[at + 1 :]


def _positions(x: Any, item: Any) -> list[Any]:
    """A list, array or Tensor of integers, or of bools (one position tensor for each axis of the mask)."""
    host = item if not isinstance(item, Tensor) else None
    if isinstance(item, Tensor) and item.dtype != np.bool_:
        return [item]
    array = item.to_host() if host is None else np.asarray(host)
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int64)
    if array.dtype.kind not in "bui":
        raise IndexOutOfRangeError(f"an index must be whole numbers, slices or bools, but it is {array.dtype}")
    queue = getattr(x, "value", x).queue
    parts = np.nonzero(array) if array.dtype == np.bool_ else (array.astype(np.int64),)
    return [Tensor.from_host(queue, part.astype(np.int64)) for part in parts]
