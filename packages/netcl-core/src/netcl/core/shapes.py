"""Arithmetic of shapes, axes and strides (strides count elements, not bytes). Knows no tensor and no device."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, SupportsIndex

from netcl.core.bounded import remembered
from netcl.core.errors import ShapeError

Shape = tuple[int, ...]
_NO_SHAPE = "{!r} is not a shape; write a tuple of whole numbers such as (2, 3)"


def canonical_shape(shape: SupportsIndex | Iterable[SupportsIndex]) -> Shape:
    """The shape as a tuple of Python integers; a single integer is a shape of one axis."""
    if type(shape) is tuple:
        for size in shape:
            if type(size) is not int or size < 0:
                break
        else:
            return shape
    sizes: Shape
    if not _may_be_shape(shape):
        raise ShapeError(_NO_SHAPE.format(shape))
    try:
        sizes = (operator.index(shape),)  # type: ignore[arg-type]
    except TypeError:
        try:
            sizes = tuple(map(operator.index, shape))  # type: ignore[arg-type]
        except TypeError:
            raise ShapeError(_NO_SHAPE.format(shape)) from None
    if any(size < 0 for size in sizes):
        raise ShapeError(f"shape {sizes} has a negative size; every axis is 0 or longer")
    return sizes


def _may_be_shape(value: Any) -> bool:
    """Whether a value has the dtype of lengths, if it has one at all: a tensor is not asked for its values first, which
    it may not have yet."""
    kind = getattr(getattr(value, "dtype", None), "kind", "i")
    return kind in ("i", "u")


@remembered("contiguous strides", 4096)
def contiguous_strides(shape: Shape) -> Shape:
    """Strides in elements of a C-contiguous array: the last axis is 1."""
    return strides_of(shape)


def strides_of(shape: Shape) -> Shape:
    """`contiguous_strides` that are not remembered."""
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def is_contiguous(shape: Shape, strides: Shape) -> bool:
    """Whether the elements follow each other in C order; the stride of an axis of length 1 does not matter."""
    if strides == contiguous_strides(shape) or 0 in shape:
        return True
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1:
            if stride != step:
                return False
            step *= size
    return True


def broadcast(*shapes: Sequence[int]) -> Shape:
    """The shape to which all shapes broadcast, by numpy's rule. Raises ShapeError that names both shapes."""
    result: Shape = ()
    for shape in shapes:
        result = _broadcast_pair(result, tuple(shape))
    return result


@remembered("broadcast shapes", 4096)
def _broadcast_pair(a: Shape, b: Shape) -> Shape:
    if a == b:
        return a
    if len(a) < len(b):
        a, b = b, a
    padded = (1,) * (len(a) - len(b)) + b
    result = []
    for axis, (m, n) in enumerate(zip(a, padded, strict=True)):
        if m != n and m != 1 and n != 1:
            raise ShapeError(
                f"shapes {a} and {b} do not broadcast: axis {axis - len(a)} is {m} in one and {n} in the other; "
                "sizes must be equal or 1"
            )
        result.append(n if m == 1 else m)
    return tuple(result)


def normalize_axis(axis: SupportsIndex, ndim: int) -> int:
    """The axis counted from 0. Raises ShapeError when there is no such axis."""
    try:
        index = operator.index(axis)
    except TypeError:
        raise ShapeError(f"axis {axis!r} is not a whole number") from None
    if not -ndim <= index < ndim:
        if ndim == 0:
            raise ShapeError(f"axis {index} does not exist: the tensor has no axes (its shape is ())")
        axes = "there is 1 axis" if ndim == 1 else f"there are {ndim} axes"
        raise ShapeError(f"axis {index} does not exist: {axes}, so it must be in {-ndim}..{ndim - 1}")
    return index % ndim


def normalize_axes(axis: SupportsIndex | Iterable[SupportsIndex] | None, ndim: int) -> Shape:
    """The axes counted from 0, sorted; None is all of them. Raises ShapeError for one that is missing or repeated."""
    if axis is None:
        return tuple(range(ndim))
    axes: tuple[Any, ...] = tuple(axis) if isinstance(axis, Iterable) else (axis,)
    normal = tuple(sorted(normalize_axis(one, ndim) for one in axes))
    if len(set(normal)) != len(normal):
        raise ShapeError(f"axes {axes} name one axis twice; name each axis once")
    return normal


def size_of(shape: Shape) -> int:
    """The number of elements."""
    return prod(shape)


def element_span(shape: Shape, strides: Shape, offset: int) -> tuple[int, int]:
    """First element and one past the last element that a strided view touches in its buffer."""
    if 0 in shape:
        return offset, offset
    first = last = offset
    for size, stride in zip(shape, strides, strict=True):
        reach = (size - 1) * stride
        if reach < 0:
            first += reach
        else:
            last += reach
    return first, last + 1
