"""What a specialisation depends on: dtypes, ranks, which axes have length 1, and the attributes that decide the form.

Sizes and the caller's numbers are not part of it: they are arguments of the kernels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

STATIC_TYPES = {
    "axis": "one axis, where the index in brackets stands",
    "axes": "some axes of a pack; None is all of them",
    "order": "a permutation of the axes of a pack",
    "rank": "how many axes a pack has",
    "bool": "a switch",
    "word": "one of a few words",
    "reduction": "what is made of the elements of an output: their mean, their sum, or none of it",
    "dtype": "a dtype",
}
"""Attribute types whose values choose the code; a new value is a new specialisation."""

REDUCTIONS = ("mean", "sum", "none")
"""The values of an attribute of type reduction."""

NUMBER_TYPES = {"int": "int64", "float": "float"}
"""Attribute types whose values are kernel arguments; `ints` are several of the first."""


@dataclass(frozen=True)
class TensorSignature:
    """A tensor operand: its dtype and, for each axis, whether its length is 1."""

    dtype: str
    units: tuple[bool, ...]

    @property
    def rank(self) -> int:
        return len(self.units)


@dataclass(frozen=True)
class NumberSignature:
    """A Python number in the place of an operand; it becomes an attribute. `kind` is "bool", "int" or "float"."""

    kind: str


@dataclass(frozen=True)
class Signature:
    """One kind of call. `operands[name]` is absent when the operand's default stands; a variadic operand has a tuple.

    `static` holds the attributes of STATIC_TYPES, and for `ints` attributes their length.
    """

    operands: tuple[tuple[str, Any], ...]
    static: tuple[tuple[str, Any], ...]
    _hash: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.operands, self.static)))

    def __hash__(self) -> int:
        return self._hash

    @property
    def operand_map(self) -> Mapping[str, Any]:
        return dict(self.operands)

    @property
    def static_map(self) -> Mapping[str, Any]:
        return dict(self.static)
