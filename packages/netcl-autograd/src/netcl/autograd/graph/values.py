"""The few things that the engine asks of a value: its shape and dtype, ones, zeros, a sum, a copy.

A value is a `netcl.core.Tensor`, or anything with `+` (the engine's tests run on `fractions.Fraction`). A value
without a `shape` is a scalar of shape (); a class of arrays without a queue has `filled(shape, number)`. Nothing here
launches a kernel by name: `a + b`, `a.add_(b)` and `a.clone()` are whatever the value's class makes of them.
"""

from __future__ import annotations

import numbers
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from netcl import core
from netcl.autograd.graph.state import LOCAL
from netcl.core import creation
from netcl.core.arguments import is_foreign_array, kind_of
from netcl.core.bounded import Limit, Recent
from netcl.core.dtypes import is_float, name_of
from netcl.core.errors import DtypeError

Spec = tuple[tuple[int, ...], Any, Any]
"""What is remembered of a value that is not kept: (shape, dtype, queue). A number has dtype None; what has no queue
has its class in the place of the queue."""

SCALARS: dict[type, Spec] = {}
"""The specs of the types without a shape; filled as they are met."""


def describe(value: Any) -> Spec:
    """Return the spec of a value."""
    spec = SCALARS.get(value.__class__)
    if spec is not None:
        return spec
    if not hasattr(value, "shape"):
        spec = SCALARS[value.__class__] = ((), None, value.__class__)
        return spec
    return (value.shape, value.dtype, getattr(value, "queue", None) or value.__class__)


def shape_of(value: Any) -> tuple[int, ...]:
    """Return the shape; () for a number."""
    return getattr(value, "shape", ())


def dtype_of(value: Any) -> Any:
    """Return the dtype; None for a number, which has none."""
    return getattr(value, "dtype", None)


def is_operand(value: Any) -> bool:
    """Whether a value that is not a Node is a Tensor rather than a number or None (or a text, or an option)."""
    kind = value.__class__
    known = _OPERANDS[kind]
    if known is None:
        is_other = issubclass(kind, (numbers.Number, str, bytes, bool, type(None)))
        known = _OPERANDS.keep(kind, not is_other)
    return known


_OPERANDS: Recent[type, bool] = Recent(Limit("classes of operands", 1024))


def is_device_tensor(value: Any) -> bool:
    """Whether a value lives in a buffer of a device."""
    return hasattr(value, "buffer") and hasattr(value, "queue")


def require_value(value: Any, name: str) -> None:
    """Refuse what is no value: an array of the host, a collection, a text, nothing."""
    if value.__class__ is not core.Tensor and isinstance(value, _NO_VALUES):
        raise DtypeError(
            f"{name}: this is {kind_of(value)}; give a Tensor (core.from_host makes one of an array, ag.tensor a Node)"
        )


def refuse_foreign(value: Any, name: str) -> None:
    """Refuse an array of another library, which would be taken for a number or for nothing that is computed with."""
    if is_foreign_array(value):
        advice = "give what it is called with as an argument of ag.jit, or call op.jax() of the ops inside"
        if not kind_of(value).startswith("a tracer"):
            advice = "ag.tensor(x) makes a Tensor of it, core.from_dlpack one in its memory"
        raise DtypeError(f"{name} is {kind_of(value)}; {advice}")


_NO_VALUES = (np.ndarray, np.generic, list, tuple, dict, set, str, bytes, type(None))


def require_results(results: Sequence[Any], inputs: Sequence[Any], name: str) -> None:
    """Refuse what a forward function returned that is no value, or a number where it was given Tensors."""
    for result in results:
        require_value(result, f"{name}: what forward returned")
        if isinstance(result, (int, float, complex)) and any(map(is_device_tensor, inputs)):
            raise DtypeError(
                f"{name}: what forward returned: this is {kind_of(result)}; give a Tensor (core.full makes one)"
            )


def require_floating(value: Any) -> None:
    """Refuse a value that cannot have a gradient."""
    dtype = dtype_of(value)
    if dtype is not None and not is_float(dtype):
        raise DtypeError(
            f"requires_grad: only floating dtypes have gradients, this is {name_of(dtype)}; "
            "convert it first, e.g. dtype=float32"
        )


def ones_like(value: Any) -> Any:
    """Return ones of the same shape and dtype, on the same queue."""
    return filled(describe(value), 1)


def zeros_like(value: Any) -> Any:
    """Return zeros of the same shape and dtype, on the same queue."""
    return filled(describe(value), 0)


def filled(spec: Spec, number: int) -> Any:
    """Return a value of that spec with every element `number`."""
    shape, dtype, place = spec
    if dtype is None:
        return place(number)
    if isinstance(place, type):
        return place.filled(shape, number)  # type: ignore[attr-defined]
    return core.full(shape, number, dtype=dtype, queue=place)


def stand_in(handle: Any) -> Any:
    """Return the value of a handle, or zeros of its shape where it has none of its own (inside a vmap, that in one
    call): for what asks for the shape alone."""
    return filled((handle.shape, handle.dtype, handle.queue), 0) if hasattr(type(handle), "physical") else handle.value


def seed(spec: Spec) -> Any:
    """Return the ones that a backward starts from. A single one is kept for the next time, unless it is written to."""
    shape, dtype, place = spec
    if shape or place.__class__ is not core.Queue:
        return filled(spec, 1)
    kept = LOCAL.state.ones.setdefault(place, {})
    buffer = kept.get(dtype)
    if buffer is None or buffer.version:
        buffer = kept[dtype] = creation.kept(1, dtype, place)
    return core.Tensor(buffer, place.layouts.contiguous(shape, dtype))


def like(data: Any, value: Any) -> Any:
    """Return host data as a value of the kind of `value`: an array keeps its dtype, numbers take that of `value`."""
    if getattr(value, "queue", None) is None or is_device_tensor(data):
        return data
    return core.from_host(data, queue=value.queue, dtype=getattr(data, "dtype", value.dtype))


def from_python(value: Any) -> Any:
    """Return a Python float or a numpy array as a Tensor; anything else as it is."""
    import numpy

    if not isinstance(value, (float, numpy.ndarray, numpy.generic)):
        return value
    return core.from_host(value)


def copy(value: Any) -> Any:
    """Return an equal value that shares no memory; an immutable number is its own copy."""
    for name in ("clone", "copy"):
        method = getattr(value, name, None)
        if method is not None:
            return method()
    return value


def add(first: Any, second: Any) -> Any:
    """Return the sum in a buffer of its own."""
    return first + second


def add_into(first: Any, second: Any) -> Any:
    """Return the sum, in the buffer of `first` where its class can do that."""
    in_place = getattr(first, "add_", None)
    if in_place is None:
        return first + second
    in_place(second)
    return first


def is_alone(box: list[Any], index: int) -> bool:
    """Whether nobody but `box[index]` holds that value or its memory, so that it may be written or taken over.

    Every other holder (a handle, a saved value, a view, the caller's seed) holds a reference; counting them needs
    no flags that could be wrong. A broadcast view has one element of memory for many: it is never alone.
    """
    if sys.getrefcount(box[index]) > _ALONE:
        return False
    if not hasattr(box[index], "buffer"):
        return not hasattr(box[index], "shape")
    return box[index].is_contiguous and sys.getrefcount(box[index].buffer) <= _holders(box[index])


def is_alone_in_node(box: list[Any], index: int) -> bool:
    """The same for a node in a box: nobody else holds the node, its value or its memory."""
    if sys.getrefcount(box[index]) > _ALONE or sys.getrefcount(box[index].value) > _ALONE:
        return False
    if not hasattr(box[index].value, "buffer"):
        return False
    return box[index].value.is_contiguous and sys.getrefcount(box[index].value.buffer) <= _holders(box[index].value)


def _holders(value: Any) -> int:
    """The count of a buffer that only this tensor holds: the buffer may be its version counter too."""
    return _ALONE + (getattr(value, "counter", None) is value.buffer)


def _count(box: list[Any]) -> int:
    return sys.getrefcount(box[0])


_ALONE = _count([object()])
"""The count of an object that only a list holds, seen as `is_alone` sees it."""
