"""The Python array API standard (2024.12) on Tensors, and on what else ops take: `xp = x.__array_namespace__()`.

Functions of the standard that are ops here are these ops; what differs in name or arguments is below. Not here, as
netcl has no such values: complex numbers, and integers of other widths. Nor what has a shape that depends on values
(`nonzero`, `unique_values`), nor `nextafter`. Source: https://data-apis.org/array-api/2024.12.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from netcl import core
from netcl.core import dtypes
from netcl.core.device import default_device
from netcl.core.errors import DeviceError, DtypeError, ShapeError
from netcl.core.shapes import normalize_axis
from netcl.kernels.namespace import ops

__array_api_version__ = "2024.12"

e, pi, inf, nan, newaxis = math.e, math.pi, math.inf, math.nan, None
bool, int32, int64, uint8 = core.bool_, core.int32, core.int64, core.uint8
float32, float64 = core.float32, core.float64

_OPS = """
abs acos acosh add all any argmax argmin argsort asin asinh atan atan2 atanh broadcast_to ceil copysign cos cosh
count_nonzero divide exp expand_dims expm1 flip floor floor_divide hypot isfinite isinf isnan log log10 log1p log2
logaddexp logical_and logical_not logical_or matmul max maximum mean min minimum moveaxis multiply negative permute_dims
positive pow reciprocal remainder reshape roll round sign sin sinh sqrt square squeeze stack std subtract take tan tanh
tensordot tile tril triu trunc var where
""".split()
"""What is here as it is there."""

_ALIASES = {
    "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
    "bitwise_and": "logical_and", "bitwise_or": "logical_or", "bitwise_invert": "logical_not", "logical_xor": "ne",
    "bitwise_xor": "ne",
}  # fmt: skip
"""What has another name here; the bits are those of bools."""

_REFUSED = {
    **dict.fromkeys(
        ("nonzero", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
        "its shape depends on values; take it on the host, as in np.unique(x.to_host())",
    ),
    **dict.fromkeys(("complex64", "complex128", "imag"), "netcl has real numbers alone"),
    **dict.fromkeys(("int8", "int16", "uint16", "uint32", "uint64"), "whole numbers are uint8, int32 and int64"),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), "netcl computes with no bits of integers"),
    "nextafter": "netcl has no op for it",
}


def __getattr__(name: str) -> Any:
    if name in _OPS or name in _ALIASES:
        return getattr(ops, _ALIASES.get(name, name))  # not kept here, where `any` is Python's
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}: {_REFUSED.get(name, 'no such function')}")


def __dir__() -> list[str]:
    return sorted({*_OPS, *_ALIASES, *(name for name in globals() if not name.startswith("_"))})


# --- creation ---------------------------------------------------------------------------------------------------------


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
    """A Tensor of numbers, nested lists, or an array; a Tensor as it is, unless its dtype changes or `copy` is True."""
    _require_here(device)
    if isinstance(obj, core.Tensor):
        wanted = obj.dtype if dtype is None else dtypes.canonical(dtype)
        if wanted != obj.dtype:
            return ops.astype(obj, wanted)
        return ops.clone(obj) if copy else obj
    if copy is False:
        raise ValueError("asarray: what is no Tensor is copied; core.from_dlpack lends the memory of an array")
    return core.from_host(obj, dtype=dtype)


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Any:
    _require_here(device)
    return core.arange(start, stop, step, dtype)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return zeros(shape, dtype=dtype, device=device)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return full(shape, 0.0, dtype=float32 if dtype is None else dtype, device=device)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return full(shape, 1.0, dtype=float32 if dtype is None else dtype, device=device)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    _require_here(device)
    return core.full(shape, fill_value, dtype)


def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    return zeros_like(x, dtype=dtype, device=device)


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    return full_like(x, 1, dtype=dtype, device=device)


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    _require_here(device)
    return core.full(x.shape, fill_value, x.dtype if dtype is None else dtype, x.queue)


def eye(n_rows: int, n_cols: Any = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Any:
    _require_here(device)
    return core.from_host(np.eye(n_rows, n_cols, k), dtype=float32 if dtype is None else dtype)


def linspace(start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: Any = True) -> Any:
    _require_here(device)
    return core.from_host(np.linspace(start, stop, num, endpoint), dtype=float32 if dtype is None else dtype)


def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Any:
    _require_here(device)
    found = core.from_dlpack(x)
    return ops.clone(found) if copy else found


def meshgrid(*arrays: Any, indexing: str = "xy") -> list[Any]:
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is {indexing!r}, but it must be 'xy' or 'ij'")
    rank = len(arrays)
    order = [1, 0, *range(2, rank)] if indexing == "xy" and rank > 1 else list(range(rank))
    shape = tuple(arrays[at].shape[0] for at in order)
    return [
        ops.broadcast_to(ops.reshape(each, tuple(-1 if axis == order.index(at) else 1 for axis in range(rank))), shape)
        for at, each in enumerate(arrays)
    ]


def _require_here(device: Any) -> None:
    if device is not None and device != default_device():
        raise DeviceError(f"device is {device!r}; here it is the default one (NETCL_DEVICE), or left out")


# --- dtypes -----------------------------------------------------------------------------------------------------------

_KINDS = {
    "bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
    "complex floating": "c", "numeric": "iuf",
}  # fmt: skip


def astype(x: Any, dtype: Any, /, *, copy: Any = True, device: Any = None) -> Any:
    _require_here(device)
    if dtypes.canonical(dtype) == x.dtype:
        return ops.clone(x) if copy else x
    return ops.astype(x, dtype)


def can_cast(from_: Any, to: Any, /) -> Any:
    """Whether no value of the first dtype is lost in the second."""
    wanted = dtypes.canonical(to)
    return dtypes.promote(getattr(from_, "dtype", from_), wanted) == wanted


def result_type(*arrays_and_dtypes: Any) -> Any:
    return dtypes.promote(*arrays_and_dtypes)


def isdtype(dtype: Any, kind: Any) -> Any:
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str) and kind in _KINDS:
        return dtypes.canonical(dtype).kind in _KINDS[kind]
    return dtypes.canonical(dtype) == dtypes.canonical(kind)


def finfo(type: Any, /) -> Any:
    return np.finfo(getattr(type, "dtype", type))


def iinfo(type: Any, /) -> Any:
    return np.iinfo(getattr(type, "dtype", type))


# --- what has other arguments -----------------------------------------------------------------------------------------


def sum(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    return ops.sum(x if dtype is None else ops.astype(x, dtype), axis, keepdims)


def prod(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    return ops.prod(x if dtype is None else ops.astype(x, dtype), axis, keepdims)


def cumulative_sum(x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
    return _running("cumulative_sum", ops.cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
    return _running("cumulative_prod", ops.cumprod, 1, x, axis, dtype, include_initial)


def _running(name: str, op: Any, first: int, x: Any, axis: Any, dtype: Any, include_initial: Any) -> Any:
    if axis is None and len(x.shape) != 1:
        raise ShapeError(f"{name}: x has {len(x.shape)} axes; say along which, as in axis=0")
    axis = normalize_axis(0 if axis is None else axis, len(x.shape))
    found = op(x if dtype is None else ops.astype(x, dtype), axis)
    if not include_initial:
        return found
    shape = tuple(1 if at == axis else length for at, length in enumerate(x.shape))
    return ops.cat([full(shape, first, dtype=found.dtype), found], axis)


def diff(x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Any:
    parts = [each for each in (prepend, x, append) if each is not None]
    x = ops.cat(parts, axis) if len(parts) > 1 else x
    for _ in range(n):
        x = ops.diff(x, axis=axis)
    return x


def sort(x: Any, /, *, axis: int = -1, descending: Any = False, stable: Any = True) -> Any:
    return ops.sort(x, axis, descending)[0]


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    return ops.clip(x, -inf if min is None else min, inf if max is None else max)


def concat(arrays: Sequence[Any], /, *, axis: Any = 0) -> Any:
    return ops.cat([ops.reshape(each, -1) for each in arrays] if axis is None else arrays, axis or 0)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    return tuple([ops.select(x, axis, at) for at in range(x.shape[axis])])


def repeat(x: Any, repeats: Any, /, *, axis: Any = None) -> Any:
    if not isinstance(repeats, int):
        raise DtypeError("repeat: repeats is one whole number; ops.take with np.repeat(range(n), counts) has many")
    return (
        ops.repeat_interleave(ops.reshape(x, -1), repeats, 0)
        if axis is None
        else ops.repeat_interleave(x, repeats, axis)
    )


def matrix_transpose(x: Any, /) -> Any:
    return ops.swapaxes(x, -1, -2)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    return ops.sum(ops.mul(x1, x2), axis)


def broadcast_arrays(*arrays: Any) -> list[Any]:
    shape = np.broadcast_shapes(*[tuple(each.shape) for each in arrays])
    return [ops.broadcast_to(each, shape) for each in arrays]


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    return np.broadcast_shapes(*shapes)


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Any:
    return ops.gather(x, indices, axis)


def isin(x1: Any, x2: Any, /, *, invert: Any = False) -> Any:
    found = ops.any(ops.eq(ops.expand_dims(x1, -1), ops.reshape(x2, -1)), -1)
    return ops.logical_not(found) if invert else found


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Any:
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is {side!r}, but it must be 'left' or 'right'")
    x1 = x1 if sorter is None else ops.take(x1, sorter, 0)
    before = ops.lt if side == "left" else ops.le
    return ops.sum(before(x1, ops.expand_dims(x2, -1)), -1)


def signbit(x: Any, /) -> Any:
    return ops.lt(ops.copysign(core.full((), 1.0, x.dtype, x.queue), x), 0)


def conj(x: Any, /) -> Any:
    return x


real = conj


# --- what there is ----------------------------------------------------------------------------------------------------


class _Info:
    def capabilities(self) -> dict[str, Any]:
        return {"boolean indexing": False, "data-dependent shapes": False, "max dimensions": None}

    def default_device(self) -> Any:
        return default_device()

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        return {"real floating": float32, "integral": int64, "indexing": int64}

    def devices(self) -> list[Any]:
        return core.devices()

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        every = {"bool": bool, "int32": int32, "int64": int64, "uint8": uint8, "float32": float32, "float64": float64}
        return {name: each for name, each in every.items() if kind is None or isdtype(each, kind)}


def __array_namespace_info__() -> _Info:  # noqa: N807  (the standard's name)
    return _Info()
