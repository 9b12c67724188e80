"""Functions that read or write by position, made of ops: `x[key]` and all that is said in terms of it.

Positions that are out of range are errors, found by the ops; what a mask selects is counted on the host.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from netcl.core.arguments import Axes, Numbers, Operand, is_operand, kind_of
from netcl.core.creation import full
from netcl.core.dtypes import is_float
from netcl.core.errors import IndexOutOfRangeError, ShapeError
from netcl.core.shapes import broadcast, normalize_axes, normalize_axis
from netcl.core.tensor import Tensor
from netcl.core.transfer import from_host
from netcl.kernels.library.composites import broadcast_to, call_op, composite, permute, reshape, unsqueeze
from netcl.kernels.runtime.arguments import is_list
from netcl.kernels.runtime.in_place import converted


@composite()
def getitem(x: Operand, key: Any) -> Any:
    """`x[key]` as in PyTorch: ints, slices, None, Ellipsis, integer tensors and bool masks of the length of their axes.

    Numbers, slices and None give views. A mask is counted on the host, since it decides the shape of the result. The
    axes of index tensors that are not side by side come first; an int is not one of these (in numpy it is).
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
            if item.step == 0:
                raise IndexOutOfRangeError(f"the slice of axis {source} has a step of 0")
            start, stop, step = item.indices(length)
            slices.append((start, step, len(range(start, stop, step))))
            layout.append("axis")
        elif isinstance(item, int):
            if not -length <= item < length:
                raise IndexOutOfRangeError(f"index {item} is out of range for axis {source} of length {length}")
            selected.append((source, item % length))
        else:
            item.require(source, x)
            slices.append((0, 1, length))
            layout.append(item.index)
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


class _Listed(NamedTuple):
    """Positions along one axis; where they come from a mask, how long that is there."""

    index: Any
    mask_length: int | None = None

    def require(self, axis: int, x: Any) -> None:
        """Refuse a mask that is not as long as the axis that it is for."""
        if self.mask_length not in (None, x.shape[axis]):
            raise IndexOutOfRangeError(
                f"the mask has {self.mask_length} elements for axis {axis} of shape {tuple(x.shape)}, which has "
                f"{x.shape[axis]}; a mask has as many as its axes"
            )


def names_places(key: Any) -> bool:
    """Whether an index has positions or masks in it, so that what it shows is no view."""
    plain = (int, np.integer, bool, np.bool_, slice, type(None), type(Ellipsis))
    return not all(isinstance(each, plain) for each in (key if isinstance(key, tuple) else (key,)))


def with_places(x: Any, key: Any, value: Any) -> Any:
    """x with a value at positions or masks for its first axes: what `x[key] = value` writes into it."""
    places = key if isinstance(key, tuple) else (key,)
    if any(isinstance(each, (slice, type(None), type(Ellipsis))) for each in places):
        raise IndexOutOfRangeError(
            "x[key] = value takes positions and masks for the first axes alone, none beside slices, None or Ellipsis; "
            "write x[1:][mask] = value, or give positions for each axis"
        )
    value = as_stored(value, x)
    mask = places[0] if len(places) == 1 else None
    is_mask = hasattr(mask, "queue") and mask.dtype == np.bool_ and tuple(mask.shape) == tuple(x.shape)
    if is_mask and isinstance(value, (bool, int, float)):
        return call_op("masked_fill", x, mask, value)
    return index_put(x, places, value)


def with_part(x: Any, key: Any, value: Any) -> Any:
    """x with a value at ints, slices, None and Ellipsis: what `x[key] = value` writes, where x is not to be written."""
    part = getitem(x, key)
    value = as_stored(value, part)
    items = _expanded(x, key)
    partial = [at for at, item in enumerate(items) if not isinstance(item, slice) or item != slice(None)]
    if not partial:
        return call_op("assign", x, value)
    used = items if None in items else items[: partial[-1] + 1]
    rank = sum(not isinstance(item, int) for item in used)
    places: list[Any] = []
    beside = 0
    for item in used:
        if isinstance(item, int):
            places.append(np.array(item).reshape((1,) * rank))
        elif item is not None:
            along = np.arange(x.shape[len(places)])[item]
            places.append(along.reshape(-1, *(1,) * (rank - beside - 1)))
        beside += not isinstance(item, int)
    return index_put(x, places, value)


def set_item(x: Tensor, key: Any, value: Any) -> None:
    """`x[key] = value`: at ints, slices, None and Ellipsis, or at positions and masks for the first axes."""
    if names_places(key):
        x.assign_(with_places(x, key, value))  # type: ignore[attr-defined]
        return
    view = getitem(x, key)
    call_op("assign", view, as_stored(value, view), out=view)


def as_stored(value: Any, target: Any) -> Any:
    """A value as it is written into `target`: an array or a list as a Tensor; in the target's dtype, unless a fraction
    would be lost; without the first axes, of length 1, that the target does not have; a number as a bool where the
    target has bools.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (bool, int, float)) and not hasattr(value, "queue"):
        value = from_host(value, target.queue, target.dtype)
    if isinstance(value, (bool, int, float)):
        return value != 0 if target.dtype == np.bool_ else value
    value = converted(value, target)
    more = len(value.shape) - len(target.shape)
    if more > 0 and set(value.shape[:more]) == {1}:
        return reshape(value, tuple(value.shape[more:]))
    return value


def _take_all(x: Any, lists: list[tuple[int, Any]]) -> Any:
    """Integer tensors along several axes at once: the axes become one, and so do the positions."""
    axes = [at for at, _ in lists]
    if len(axes) == 1:
        return call_op("take", x, lists[0][1], axes[0])
    place = axes[0] if axes == list(range(axes[0], axes[0] + len(axes))) else 0
    rest = [at for at in range(len(x.shape)) if at not in axes]
    x = permute(x, (*rest[:place], *axes, *rest[place:]))
    lengths = x.shape[place : place + len(axes)]
    flat = _flat_positions(lengths, [index for _, index in lists])
    x = reshape(x, (*x.shape[:place], math.prod(lengths), *x.shape[place + len(axes) :]))
    return call_op("take", x, flat, place)


def _flat_positions(lengths: Sequence[int], lists: Sequence[Any]) -> Any:
    """Positions along axes of these lengths as positions along one axis."""
    flat: Any = None
    for at, (length, index) in enumerate(zip(lengths, lists, strict=True)):
        try:
            index = call_op("wrap_index", index, length)
        except IndexOutOfRangeError as error:
            what = str(error).removeprefix("wrap_index: ").replace("axis v, which has", "an axis of")
            error.args = (f"index tensor {at} of {len(lists)}: {what}",)
            raise
        flat = index if flat is None else call_op("add", call_op("mul", flat, length), index)
    return flat


def _plain(x: Any) -> Any:
    return getattr(x, "value", x)


def _expanded(x: Any, key: Any) -> list[Any]:
    """The key with one entry per axis (None apart): no Ellipsis, masks as positions, arrays as Tensors."""
    given = list(key) if isinstance(key, tuple) else [key]
    items: list[Any] = []
    for item in given:
        if item is None or item is Ellipsis or isinstance(item, slice):
            items.append(item)
        elif isinstance(item, (bool, np.bool_)):
            raise _bool_as_index()
        elif isinstance(item, (int, np.integer)):
            items.append(int(item))
        else:
            items.extend(_positions(x, item))
    used = sum(item is not None and item is not Ellipsis for item in items)
    if used > len(x.shape):
        raise IndexOutOfRangeError(f"{used} indices were given, but the shape {tuple(x.shape)} has {len(x.shape)} axes")
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexOutOfRangeError("an index can have only one Ellipsis (...)")
    at = next((at for at, item in enumerate(items) if item is Ellipsis), len(items))
    return items[:at] + [slice(None)] * (len(x.shape) - used) + items[at + 1 :]


def _kind(item: Any, array: np.ndarray) -> str:
    return kind_of(item) if array.dtype == object else str(array.dtype)


def _bool_as_index() -> IndexOutOfRangeError:
    return IndexOutOfRangeError("a bool is not an index; use a bool tensor, or None for a new axis")


def _positions(x: Any, item: Any) -> list[_Listed]:
    """A list, array or Tensor of integers, or of bools (one position tensor for each axis of the mask)."""
    on_device = hasattr(item, "queue")
    if on_device and item.dtype != np.bool_:
        return [_Listed(item)]
    try:
        array = _plain(item).to_host() if on_device else np.asarray(item)
    except ValueError as error:
        raise IndexOutOfRangeError(f"the list of positions does not have the shape of an array: {error}") from error
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int64)
    if array.dtype.kind not in "bui":
        raise IndexOutOfRangeError(f"an index must be whole numbers, slices or bools, but it is {_kind(item, array)}")
    if array.dtype == np.bool_ and not array.shape:
        raise _bool_as_index()
    if array.dtype != np.bool_:
        return [_Listed(Tensor.from_host(x.queue, array.astype(np.int64)))]
    parts = zip(np.nonzero(array), array.shape, strict=True)
    return [_Listed(Tensor.from_host(x.queue, part.astype(np.int64)), length) for part, length in parts]


@composite()
def index_put(x: Operand, idx: Sequence[Any], v: Any, accumulate: bool = False) -> Any:
    """x with v at the positions that `idx` names: integer tensors, which broadcast, for the first axes; or masks.

    With accumulate what comes to one position is added to it; otherwise the last of several stays.
    """
    given = idx if isinstance(idx, (list, tuple)) else [idx]
    if any(isinstance(each, (slice, type(None), type(Ellipsis))) for each in given):
        raise IndexOutOfRangeError(
            "index_put: idx holds tensors of positions or masks; for slices write into a copy, y = x.clone() and "
            "y[1:, at] = v"
        )
    listed = [item for each in given for item in _positions(x, each)]
    count = len(listed)
    if not 0 < count <= len(x.shape):
        raise ShapeError(f"index_put: {count} index tensors were given for the {len(x.shape)} axes of x")
    for axis, each in enumerate(listed):
        each.require(axis, x)
    lengths, rest = tuple(x.shape[:count]), tuple(x.shape[count:])
    flat = _flat_positions(lengths, [each.index for each in listed])
    places = tuple(flat.shape)
    if isinstance(v, (bool, int, float)):
        v = full((), v, x.dtype, flat.queue)
    values = reshape(broadcast_to(v, (*places, *rest)), (math.prod(places), *rest))
    op = "index_add" if accumulate else "index_copy"
    rows = reshape(x, (math.prod(lengths), *rest))
    return reshape(call_op(op, rows, reshape(flat, (math.prod(places),)), values, 0), (*lengths, *rest))


@composite()
def embedding(table: Operand, index: Operand, padding_idx: int | None = None) -> Any:
    """Rows of a table; the row padding_idx, where one is named, has no gradient. It may count from the end."""
    length = table.shape[0] if table.shape else 0
    if padding_idx is None:
        return call_op("embedding", table, index)
    if not -length <= padding_idx < length:
        raise IndexOutOfRangeError(
            f"embedding: padding_idx {padding_idx} is out of range for a table of {length} rows; leave it away where "
            "no row is for padding"
        )
    return call_op("embedding", table, index, padding_idx % length)


@composite()
def index_select(x: Operand, axis: int, index: Operand) -> Any:
    """The slices at the positions in index along one axis: `take` with PyTorch's order of arguments."""
    return call_op("take", x, index, axis)


@composite()
def masked_select(x: Operand, mask: Operand) -> Any:
    """The elements where the mask holds, in row-major order, as one axis; x and mask broadcast."""
    shape = broadcast(x.shape, mask.shape)
    kept = np.flatnonzero(np.broadcast_to(_plain(mask).to_host(), shape))
    index = Tensor.from_host(x.queue, kept.astype(np.int64))
    return call_op("take", reshape(broadcast_to(x, shape), (math.prod(shape),)), index, 0)


@composite()
def repeat_interleave(x: Operand, n: Numbers | Operand, axis: int | None = None) -> Any:
    """Each slice along an axis so often, one after the other: one number for all, or one for each as a list or Tensor,
    which is read on the host. Without an axis, the elements in row-major order. Raises ShapeError for other lengths."""
    if axis is None:
        return repeat_interleave(reshape(x, (math.prod(x.shape),)), n, 0)
    counts = _plain(n).to_host() if is_operand(n) else np.asarray(n)
    if not counts.ndim:
        return call_op("repeat_interleave", x, int(counts), axis)
    at = normalize_axis(axis, len(x.shape))
    if counts.shape not in ((1,), (x.shape[at],)):
        raise ShapeError(
            f"repeat_interleave: n has the shape {counts.shape}, but axis {at} of {tuple(x.shape)} needs one "
            f"number, or {x.shape[at]}"
        )
    if (counts.dtype.kind not in "iu" and counts.size) or (counts < 0).any():
        raise ShapeError(f"repeat_interleave: n has {counts}, which are not all whole numbers from 0")
    places = np.repeat(np.arange(x.shape[at]), np.broadcast_to(counts, (x.shape[at],)).astype(np.int64))
    return call_op("take", x, Tensor.from_host(x.queue, places), at)


@composite()
def topk(x: Operand, k: int, axis: int = -1, largest: bool = True) -> tuple[Any, Any]:
    """The k largest (or smallest) elements along an axis, in order, and where they stand; of equal ones the first."""
    at = normalize_axis(axis, len(x.shape))
    if not 0 <= k <= x.shape[at]:
        raise ShapeError(f"topk: {k} elements are asked for, but axis {at} of {tuple(x.shape)} has {x.shape[at]}")
    values, indices = call_op("sort", x, at, bool(largest))
    return narrow(values, at, 0, k), narrow(indices, at, 0, k)


@composite()
def median(x: Operand, axis: int | None = None, keepdims: bool = False) -> Any:
    """The middle element along an axis (or of all), the lower of two; NaN where there is one. The gradient goes to it.

    Raises ShapeError when there are no elements.
    """
    at = 0 if axis is None else normalize_axis(axis, len(x.shape))
    flat = reshape(x, (math.prod(x.shape),)) if axis is None else x
    count = flat.shape[at]
    if not count:
        raise ShapeError(f"median: there is no element along axis {at} of {tuple(x.shape)}")
    ordered, _ = call_op("sort", flat, at, False)
    middle, last = (call_op("select", ordered, at, place) for place in ((count - 1) // 2, count - 1))
    if is_float(x.dtype):
        middle = call_op("where", call_op("isnan", last), last, middle)
    if not keepdims:
        return middle
    return reshape(middle, (1,) * len(x.shape)) if axis is None else unsqueeze(middle, at)


@composite()
def diagonal(x: Operand, offset: int = 0, first: int = 0, second: int = 1) -> Any:
    """The elements whose positions along two axes differ by offset (second less first), as a new last axis: a view."""
    a, b = normalize_axis(first, len(x.shape)), normalize_axis(second, len(x.shape))
    if a == b:
        raise ShapeError(f"diagonal: axis {a} is named twice; give two axes")
    x = permute(x, (*(axis for axis in range(len(x.shape)) if axis not in (a, b)), a, b))
    row, column = max(-offset, 0), max(offset, 0)
    length = max(0, min(x.shape[-2] - row, x.shape[-1] - column))
    return call_op("diagonal", x, row if length else 0, column if length else 0, length)


@composite()
def diag_embed(x: Operand, offset: int = 0) -> Any:
    """Square matrices with the last axis of x on a diagonal, `offset` to the right of the main one, and 0 elsewhere."""
    return call_op("diag_embed", x, max(-offset, 0), max(offset, 0))


@composite()
def narrow(x: Operand, axis: int, start: int, length: int) -> Any:
    """`length` elements from `start` on along one axis: a view."""
    at = normalize_axis(axis, len(x.shape))
    if start < 0 or length < 0 or start + length > x.shape[at]:
        raise IndexOutOfRangeError(f"narrow: {start}..{start + length} is outside of axis {at} of {tuple(x.shape)}")
    return getitem(x, (slice(None),) * at + (slice(start, start + length),))


@composite()
def split(x: Operand, sections: Numbers, axis: int = 0) -> list[Any]:
    """Views of equal length `sections` (the last may be shorter), or of the lengths in a list, along one axis."""
    at = normalize_axis(axis, len(x.shape))
    if not is_list(sections):
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


@composite()
def chunk(x: Operand, chunks: int, axis: int = 0) -> list[Any]:
    """At most `chunks` views of equal length (the last may be shorter) along one axis."""
    if chunks <= 0:
        raise ShapeError(f"chunk: {chunks} chunks; give a positive number")
    return split(x, max(1, -(-x.shape[normalize_axis(axis, len(x.shape))] // chunks)), axis)


@composite()
def unbind(x: Operand, axis: int = 0) -> list[Any]:
    """The views at each position of an axis, which goes."""
    at = normalize_axis(axis, len(x.shape))
    return [call_op("select", x, at, position) for position in range(x.shape[at])]


@composite()
def flip(x: Operand, axis: Axes = None) -> Any:
    """The order along the named axes reversed: a view."""
    axes = normalize_axes(axis, len(x.shape))
    return getitem(x, tuple(slice(None, None, -1) if at in axes else slice(None) for at in range(len(x.shape))))
