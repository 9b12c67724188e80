"""What a Reduce accumulates: how it begins, takes one value, and ends.

Sums of floats are blocked: a run of at most `BLOCK` values per lane is added plainly, and each run's total goes into a
pair (sum, rest) that keeps what the addition rounds off. The order depends on sizes alone. An accumulator has `lanes`
lanes where several outputs are computed at once.
"""

from __future__ import annotations

from netcl.kernels.compiler.ir import FLOATS, Reduce
from netcl.kernels.compiler.lower.reductions import worst
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.types import LANES, WORD, Value, as_mask, computed, converted, literal, mask_type


class Accumulator:
    """A plain one: product, integer sum, extremum, any, all."""

    blocked = False

    def __init__(self, kind: str, dtype: str, name: str, lanes: int, helpers: Helpers) -> None:
        self.kind, self.dtype, self.name, self.lanes, self.helpers = kind, dtype, name, lanes, helpers
        self.type = computed(dtype, lanes)

    def declare(self) -> list[str]:
        return [f"{self.type} {self.name} = {self._start(self.dtype)};"]

    def enter(self) -> list[str]:
        """Before each run of the innermost loop."""
        return []

    def take(self, value: Value, at: str) -> list[str]:
        """One value; `at` is its flat position."""
        return [self.combine(converted(value, self.dtype, self.lanes).bare)]

    def leave(self) -> list[str]:
        """After each run."""
        return []

    def result(self) -> Value:
        return Value(self.name, self.dtype, self.lanes, atom=True)

    def combine(self, text: str) -> str:
        """Take a result of the same kind."""
        name = self.name
        if self.kind in ("max", "min"):
            function = {"max": "maximum", "min": "minimum"}[self.kind]
            helped = self.dtype in FLOATS or self.lanes == WORD
            called = self.helpers.name(function, self.dtype, self.lanes) if helped else self.kind
            return f"{name} = {called}({name}, {text});"
        sign = {"sum": "+", "prod": "*", "any": "|", "all": "&"}[self.kind]
        return f"{name} {sign}= {text};"

    def _start(self, dtype: str) -> str:
        if self.kind == "all" and self.lanes == LANES:
            return "-1"
        number: float = {"sum": 0, "prod": 1, "any": 0, "all": 1}.get(self.kind, 0)
        if self.kind in ("max", "min"):
            number = worst(self.kind, dtype)
        text = literal(number, dtype)
        return text if self.lanes == 1 else f"({self.type})({text})"


class PairSum(Accumulator):
    """A sum of floats, in runs and pairs."""

    blocked = True

    def declare(self) -> list[str]:
        zero = literal(0, self.dtype)
        return [f"{self.type} {self.name} = {zero}, {self.name}_low = {zero};"]

    def enter(self) -> list[str]:
        return [f"{self.type} {self.name}_part = {literal(0, self.dtype)};"]

    def take(self, value: Value, at: str) -> list[str]:
        return [f"{self.name}_part += {converted(value, self.dtype, self.lanes).bare};"]

    def leave(self) -> list[str]:
        return [self._add(f"{self.name}_part")]

    def result(self) -> Value:
        closed = self.helpers.name("close_pair", self.dtype, self.lanes)
        return Value(f"{closed}({self.name}, {self.name}_low)", self.dtype, self.lanes)

    def _add(self, text: str) -> str:
        return f"{self.helpers.name('add_pair', self.dtype, self.lanes)}(&{self.name}, &{self.name}_low, {text});"


class Extremum(Accumulator):
    """The largest or smallest float. Whether there was a NaN is noted beside it, which leaves one step from value to
    value where a NaN that propagates would take four."""

    def declare(self) -> list[str]:
        return [*super().declare(), f"{self._mask()} {self.name}_nan = 0;"]

    def take(self, value: Value, at: str) -> list[str]:
        taken = f"{self.name}_value"
        sign = self._sign
        return [
            f"const {self.type} {taken} = {converted(value, self.dtype, self.lanes).bare};",
            f"{self.name}_nan |= {taken} != {taken};",
            f"{self.name} = {self.name} {sign} {taken} ? {self.name} : {taken};",
        ]

    def result(self) -> Value:
        if self.lanes == 1:
            return Value(f"{self.helpers.name('or_nan', self.dtype)}({self.name}, {self.name}_nan)", self.dtype)
        nothing = f"({self.type})({literal(float('nan'), self.dtype)})"
        return Value(f"({self.name}_nan ? {nothing} : {self.name})", self.dtype, self.lanes)

    @property
    def _sign(self) -> str:
        return ">" if self.kind == "max" else "<"

    def _mask(self) -> str:
        return "int" if self.lanes == 1 else mask_type(self.dtype, self.lanes)


class Arg(Accumulator):
    """The position of the first extreme value; the first NaN is more extreme than any number."""

    def declare(self) -> list[str]:
        number = literal(worst(self.kind[3:], self.dtype), self.dtype)
        best = f"({self.type})({number})" if self.lanes > 1 else number
        return [
            f"{self.type} {self.name}_best = {best};",
            f"{computed('int64', self.lanes)} {self.name} = 0;",
        ]

    def take(self, value: Value, at: str) -> list[str]:
        taken, best = f"{self.name}_value", f"{self.name}_best"
        lines = [f"const {self.type} {taken} = {converted(value, self.dtype, self.lanes).bare};"]
        better = self._better(taken, best)
        if self.lanes == 1:
            return [*lines, f"if ({better}) {{", [f"{best} = {taken};", f"{self.name} = {at};"], "}"]  # type: ignore[list-item]
        mask = Value(f"{self.name}_better", "bool", self.lanes, atom=True)
        return [
            *lines,
            f"const {mask_type(self.dtype, self.lanes)} {mask.text} = {better};",
            f"{best} = {mask.text} ? {taken} : {best};",
            f"{self.name} = {self._wide(mask)} ? {at} : {self.name};",
        ]

    def result(self) -> Value:
        return Value(self.name, "int64", self.lanes, atom=True)

    def _better(self, value: str, best: str) -> str:
        sign = ">" if self.kind == "argmax" else "<"
        if self.dtype not in FLOATS:
            return f"{value} {sign} {best}"
        if self.lanes == 1:
            return f"{value} {sign} {best} || (isnan({value}) && !isnan({best}))"
        return f"({value} {sign} {best}) | (isnan({value}) & ~isnan({best}))"

    def _wide(self, mask: Value) -> str:
        kind = mask_type(self.dtype, self.lanes)
        return mask.text if kind == mask_type("int64", self.lanes) else as_mask(mask, "int64")


def accumulator(node: Reduce, name: str, lanes: int, helpers: Helpers, short: bool = False) -> Accumulator:
    """The accumulator of a Reduce; `short` says that it takes no more than `BLOCK` values."""
    kind, dtype = node.kind, node.body.dtype
    if kind in ("argmax", "argmin"):
        return Arg(kind, "int32" if dtype == "bool" else dtype, name, lanes, helpers)
    if dtype == "bool":
        kind = {"max": "any", "min": "all"}.get(kind, kind)
    if kind == "sum" and dtype in FLOATS and not short:
        return PairSum(kind, dtype, name, lanes, helpers)
    if kind in ("max", "min") and dtype in FLOATS:
        return Extremum(kind, dtype, name, lanes, helpers)
    return Accumulator(kind, dtype, name, lanes, helpers)
