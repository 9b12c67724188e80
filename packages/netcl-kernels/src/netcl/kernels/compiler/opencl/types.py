"""How dtypes, literals and conversions are spelled in OpenCL C.

A value is a piece of text with a dtype and a number of lanes (1 in scalar code). float16 and bfloat16 are ways to
store: they are loaded as float and computed with as float. A bool is an int: 0 or 1 in scalar code, 0 or -1 (a mask)
per lane in vector code, but a byte of 0 or 1 in the lanes of a word. Which function is called on a value is the
business of `spelling`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from netcl.kernels.compiler.ir import FLOATS, HALVES
from netcl.kernels.compiler.ir.interval import RANGES, wrapped

LANES = 16
"""How many values vector code computes at a time, whatever their dtype."""

WORD = 64
"""How many bytes vector code computes at a time, where all it computes is bytes (`words`)."""

LINE = 64
"""Work is cut at multiples of so many values: of any dtype, that is where a cache line begins."""

STORED = {
    "float16": "half", "bfloat16": "ushort", "float32": "float", "float64": "double", "uint8": "uchar", "int32": "int",
    "int64": "long", "bool": "uchar",
}  # fmt: skip
ROUNDED = {"float16": "round_to_half", "bfloat16": "round_to_bfloat"}
"""The functions that round a float to a value of a dtype that is only stored."""

COMPUTED = STORED | {"float16": "float", "bfloat16": "float", "bool": "int"}
_MASKS = {"float": "int", "double": "long", "uchar": "char", "int": "int", "long": "long"}


@dataclass(frozen=True)
class Value:
    """An expression in C. `atom` says that it is a name or a literal, which may be written twice."""

    text: str
    dtype: str
    lanes: int = 1
    atom: bool = False

    @property
    def bare(self) -> str:
        """The text without the parentheses around the whole."""
        return unwrapped(self.text)


def computed(dtype: str, lanes: int = 1) -> str:
    """The C type that values of this dtype are computed in."""
    if lanes == WORD:
        return "uchar64"
    return COMPUTED[dtype] + (str(lanes) if lanes > 1 else "")


def mask_type(dtype: str, lanes: int) -> str:
    """The type of the mask that a comparison of such vectors gives, and that selects between them."""
    return f"{_MASKS[COMPUTED[dtype]]}{lanes}"


def literal(value: bool | int | float, dtype: str) -> str:
    """The number as a literal of exactly its value."""
    if dtype == "bool":
        return "1" if value else "0"
    if dtype not in FLOATS:
        return _integer(int(value), dtype)
    value = float(value)
    if math.isnan(value):
        text = "NAN"
    elif math.isinf(value):
        text = "INFINITY"
    elif dtype == "float64":
        text = repr(abs(value))
    else:
        narrowed = float(np.float32(value))
        if math.isinf(narrowed):
            return literal(narrowed, dtype)
        text = _shortest(abs(narrowed)) + "f"
    if dtype == "float64" and text in ("NAN", "INFINITY"):
        text = f"(double){text}"
    return f"(-{text})" if math.copysign(1, value) < 0 and not math.isnan(value) else text


def converted(value: Value, dtype: str, lanes: int | None = None) -> Value:
    """The value as `dtype`, and with `lanes` lanes when it has fewer. To bool it is `value != 0`."""
    lanes = value.lanes if lanes is None else max(lanes, value.lanes)
    if value.lanes == lanes:
        return value if value.dtype == dtype else _cast(value, dtype)
    scalar = converted(value, dtype)
    text = f"-({scalar.bare})" if dtype == "bool" and lanes == LANES else scalar.bare
    return Value(f"({computed(dtype, lanes)})({text})", dtype, lanes)


def chosen(condition: str, first: str, second: str, dtype: str) -> Value:
    """One of two scalars of a dtype. C makes an int of two small integers: back to eight bits."""
    text = f"({condition} ? {first} : {second})"
    return Value(f"(uchar){text}" if dtype == "uint8" else text, dtype)


def as_mask(condition: Value, dtype: str) -> str:
    """A vector condition as the mask that selects between vectors of `dtype`."""
    if condition.lanes == WORD:
        return f"({condition.text} != (uchar)0)"
    wanted = mask_type(dtype, condition.lanes)
    return condition.text if wanted == f"int{condition.lanes}" else f"convert_{wanted}({condition.bare})"


def from_mask(text: str, dtype: str, lanes: int) -> Value:
    """The bool that a comparison of values of `dtype` gave."""
    if lanes == 1:
        return Value(f"({text})", "bool")
    if lanes == WORD:
        return Value(f"(__builtin_astype({text}, uchar64) & (uchar)1)", "bool", lanes)
    if mask_type(dtype, lanes) == f"int{lanes}":
        return Value(f"({text})", "bool", lanes)
    return Value(f"convert_int{lanes}({text})", "bool", lanes)


def unwrapped(text: str) -> str:
    """`text` without one pair of parentheses around the whole of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[1:-1] if at == len(text) - 1 else text
    return text


def _cast(value: Value, dtype: str) -> Value:
    lanes = value.lanes
    if dtype in HALVES:
        function = f"{ROUNDED[dtype]}{lanes if lanes > 1 else ''}"
        return Value(f"{function}({converted(value, 'float32').bare})", dtype, lanes)
    if dtype == "bool":
        return from_mask(f"{value.text} != {literal(0, value.dtype)}", value.dtype, lanes)
    if lanes == WORD or (computed(value.dtype) == computed(dtype) and value.dtype != "bool"):
        return Value(value.text, dtype, lanes, value.atom)
    if lanes == 1:
        return Value(f"({computed(dtype)}){value.text}", dtype)
    text = f"-{value.text}" if value.dtype == "bool" else value.bare
    if value.dtype == "bool" and dtype == "int32":
        return Value(f"({text})", dtype, lanes)
    return Value(f"convert_{computed(dtype, lanes)}({text})", dtype, lanes)


def _integer(value: int, dtype: str) -> str:
    value = wrapped(value, dtype)
    if dtype == "uint8":
        return f"(uchar){value}"
    suffix = "L" if dtype == "int64" else ""
    if value == RANGES[dtype][0]:
        return f"({value + 1}{suffix} - 1)"
    return f"({value}{suffix})" if value < 0 else f"{value}{suffix}"


def _shortest(value: float) -> str:
    text = str(np.float32(value))
    return text if any(mark in text for mark in ".e") else text + ".0"
