"""Layouts: what tensors that kernels treat alike have in common. A queue has one object for each, so that finding out
whether two tensors are alike is comparing two objects, and a dictionary finds what is remembered of them at once.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from netcl.core import shapes
from netcl.core.weak import WeakValues

if TYPE_CHECKING:
    from netcl.core.queue import Queue

Shape = tuple[int, ...]


class Layout:
    """`shape`, `strides` (in elements) and `dtype` of tensors on one `queue`; `size` counts their elements.

    `Layouts` makes them. Two with the same contents are the same object, as long as somebody holds it.
    """

    __slots__ = ("__weakref__", "dtype", "is_contiguous", "queue", "shape", "size", "strides")

    def __init__(self, shape: Shape, strides: Shape, dtype: np.dtype[Any], queue: Queue) -> None:
        self.shape = shape
        self.strides = strides
        self.dtype = dtype
        self.queue = queue
        self.size = prod(shape)
        self.is_contiguous = shapes.is_contiguous(shape, strides)

    @property
    def repeats(self) -> bool:
        """Whether an element is seen at several places, as in what has been broadcast."""
        pairs = zip(self.strides, self.shape, strict=True)
        return 0 in self.strides and self.size > 0 and any(stride == 0 and length > 1 for stride, length in pairs)

    def __repr__(self) -> str:
        return f"<Layout {self.shape} {self.strides} {self.dtype}>"


class Layouts:
    """The layouts of one queue that somebody holds: tensors, and what is remembered of calls with such tensors."""

    __slots__ = ("_known", "_queue")

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._known: WeakValues[tuple[Any, ...], Layout] = WeakValues()

    def of(self, shape: Shape, strides: Shape, dtype: np.dtype[Any]) -> Layout:
        """The layout of such tensors. Two threads that ask for a new one at once may get two, which costs time only."""
        key = (shape, strides, dtype.num)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Layout(shape, strides, dtype, self._queue)
        return found

    def __len__(self) -> int:
        return len(self._known)

    def contiguous(self, shape: Shape, dtype: np.dtype[Any]) -> Layout:
        """The layout of new tensors: C order."""
        return self.of(shape, shapes.contiguous_strides(shape), dtype)
