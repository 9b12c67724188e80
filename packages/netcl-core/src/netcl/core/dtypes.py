"""The dtypes of netcl, as plain numpy dtypes, and how they combine.

numpy has no bfloat16, the upper half of a float32. Here it is a dtype of 16 bits with that name: a way to store, on the
device only. On the host its values are float32, which holds each of them exactly.

Not here: whether a device can compute with a dtype (see `device.require_dtype`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netcl.core.bounded import remembered
from netcl.core.errors import DtypeError

float16 = np.dtype(np.float16)
float32 = np.dtype(np.float32)
float64 = np.dtype(np.float64)
int32 = np.dtype(np.int32)
int64 = np.dtype(np.int64)
uint8 = np.dtype(np.uint8)
bool_ = np.dtype(np.bool_)  # stored as one byte, 0 or 1
bfloat16 = np.dtype([("bfloat16", "=u2")])

OF_NUMPY = (float32, float64, float16, int32, int64, uint8, bool_)
SUPPORTED = (*OF_NUMPY, bfloat16)
DEFAULT_FLOAT = float32
DEFAULT_INT = int64

_NAMES = {bfloat16: "bfloat16"} | {dtype: dtype.name for dtype in OF_NUMPY}
_PYTHON_TYPES: dict[Any, np.dtype[Any]] = {float: float32, int: int64, bool: bool_}
_KIND_ORDER = {"b": 0, "u": 1, "i": 1, "f": 2, "V": 2}  # V: bfloat16


def name_of(dtype: np.dtype[Any]) -> str:
    """The name of a dtype of netcl."""
    return _NAMES.get(dtype) or dtype.name  # which numpy puts together each time it is asked


def is_float(dtype: np.dtype[Any]) -> bool:
    """Whether values of this dtype have gradients."""
    return dtype.kind == "f" or dtype is bfloat16


def largest(dtype: np.dtype[Any]) -> float:
    """The largest finite value of a dtype of floats."""
    return (2 - 2.0**-7) * 2.0**127 if dtype is bfloat16 else float(np.finfo(dtype).max)


def widened(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array as it is shown on the host: bfloat16 as float32, all else as it is."""
    if array.dtype != bfloat16:
        return array
    return (array.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)


def rounded(array: Any) -> np.ndarray[Any, Any]:
    """Numbers as an array of bfloat16, each rounded to the nearest value, ties to an even last bit."""
    bits = np.ascontiguousarray(array, np.float32).reshape(np.shape(array)).view(np.uint32)
    nearest = (bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))) >> np.uint32(16)
    nan = (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
    halves = np.where(nan, (bits >> np.uint32(16)) | np.uint32(0x40), nearest)
    return np.asarray(halves, np.uint16).view(bfloat16)


def canonical(dtype: Any) -> np.dtype[Any]:
    """The numpy dtype that `dtype` (a name, a numpy dtype or scalar type, `float`, `int`, `bool`) stands for.

    `float` is float32 and `int` is int64, as classes and as names. Raises DtypeError for a dtype that netcl does not
    have.
    """
    try:
        return _KNOWN[dtype]
    except (KeyError, TypeError):
        pass
    try:
        found = np.dtype(dtype).newbyteorder("=")
        return _KNOWN.get(found) or _KNOWN[found.name]  # other packages have a bfloat16 of their own
    except (KeyError, TypeError, ValueError):
        names = ", ".join(map(name_of, SUPPORTED))
        hint = "; a shape is one tuple, as in zeros((2, 3))" if type(dtype) is int else ""
        called = str(dtype).rpartition(".")[2]
        if not isinstance(dtype, (str, type)) and called in _KNOWN:  # as torch.float32 is
            raise DtypeError(f"dtype {dtype!r} is none of NumPy's; give its name, dtype='{called}'") from None
        shown = dtype.name if isinstance(dtype, np.dtype) else repr(dtype)
        raise DtypeError(f"dtype {shown} is not supported; convert to one of {names}{hint}") from None


def promote(*operands: Any) -> np.dtype[Any]:
    """The dtype of a result of operands, each a dtype or a Python number.

    Of two dtypes of one kind the wider wins; a float dtype wins over an integer dtype, and any over bool. A Python
    number takes the dtype of the others unless it is of a higher kind: an integer dtype with a Python float gives
    float32, bool with a Python int gives int64. Numbers alone give float32, int64 or bool.
    """
    dtypes = []
    python_kinds = []
    for operand in operands:
        python_type = type(operand)
        if python_type is float or python_type is int or python_type is bool:
            python_kinds.append(_PYTHON_TYPES[python_type])
        elif isinstance(operand, complex) and not isinstance(operand, (float, np.generic)):
            raise DtypeError(f"{operand!r} is complex; netcl computes with real numbers")
        else:
            dtypes.append(operand if type(operand) is np.dtype else canonical(getattr(operand, "dtype", operand)))
    return _promoted(tuple(dtypes), tuple(python_kinds))


@remembered("promoted dtypes", 4096)
def _promoted(dtypes: tuple[np.dtype[Any], ...], defaults: tuple[np.dtype[Any], ...]) -> np.dtype[Any]:
    if not dtypes and not defaults:
        raise DtypeError("promote: there is no operand to take a dtype from")
    result = None
    for dtype in map(canonical, dtypes):
        result = dtype if result is None else _pair(result, dtype)
    for default in defaults:
        if result is None or _KIND_ORDER[default.kind] > _KIND_ORDER[result.kind]:
            result = default
    assert result is not None
    return result


def _pair(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    if {a, b} == {float16, bfloat16}:
        return float32  # neither holds the other's values
    order_a, order_b = _KIND_ORDER[a.kind], _KIND_ORDER[b.kind]
    if order_a != order_b:
        return a if order_a > order_b else b
    return a if a.itemsize >= b.itemsize else b


# Every spelling that is looked up often; `canonical` answers the rest.
_KNOWN: dict[Any, np.dtype[Any]] = {
    **{spelling: dtype for dtype in SUPPORTED for spelling in (dtype, name_of(dtype))},
    **{dtype.type: dtype for dtype in SUPPORTED if dtype is not bfloat16},
    **_PYTHON_TYPES,
    **{kind.__name__: dtype for kind, dtype in _PYTHON_TYPES.items()},
}
