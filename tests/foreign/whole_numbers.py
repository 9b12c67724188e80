"""Random formulas of bools and whole numbers beside NumPy: `python tests/foreign/whole_numbers.py 1000`.

All numbers of a formula have one dtype, as those of an op do; sums and products are int64, and so is what a literal
meets that its dtype has not. Half of the formulas have operands and literals at the ends of their dtypes, where all
that is computed wraps around. A formula is drawn with its value: what it means is NumPy's, and nothing of the compiler
is asked.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from netcl import core, kernels

Array = np.ndarray[Any, Any]

OPERANDS = {"a": "cn", "b": "cn", "g": "n", "h": "c"}
COMPARED = {
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal,
}  # fmt: skip
COMBINED = {"+": np.add, "-": np.subtract, "*": np.multiply, "max": np.maximum, "min": np.minimum}
REDUCED = {
    "max": np.maximum, "min": np.minimum, "sum": np.add, "prod": np.multiply, "any": np.logical_or,
    "all": np.logical_and,
}  # fmt: skip
OF_BITS = {"&": np.bitwise_and, "|": np.bitwise_or, "xor": np.bitwise_xor}
WIDTHS = ("bool", "uint8", "int32", "int64")
LARGE = (1 << 31, 1 << 32, 6364136223846793005, 1 << 61, 1 << 62, (1 << 63) - 1)


@dataclass(frozen=True)
class Piece:
    """Part of a formula: its text for the names of the indices c and n, and its value at each (c, n)."""

    text: Callable[[Mapping[str, str]], str]
    value: Array

    @property
    def dtype(self) -> str:
        return self.value.dtype.name

    def of(self, dtype: str) -> Array:
        return self.value.astype(dtype)


@dataclass
class Drawn:
    """A formula over drawn operands."""

    seed: int
    rng: random.Random = field(init=False)
    arrays: dict[str, Array] = field(init=False)
    extreme: bool = field(init=False)
    bound: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        rng = self.rng = random.Random(self.seed)
        lengths = {"c": rng.choice((1, 3, 5)), "n": rng.choice((1, 5, 16, 17, 33, 64, 67, 130))}
        self.shape = (lengths["c"], lengths["n"])
        number = rng.choice(("uint8", "uint8", "uint8", "int32", "int64"))
        self.extreme = rng.random() < 0.5
        values = np.random.default_rng(self.seed)
        self.arrays = {}
        for name, axes in OPERANDS.items():
            shape = tuple(lengths[axis] for axis in axes)
            dtype = rng.choice((number, number, "bool"))
            least, most = {"bool": (0, 2), "uint8": (0, 256)}.get(dtype, (-9, 10))
            self.arrays[name] = values.integers(least, most, shape).astype(dtype)
            if self.extreme and dtype != "bool":
                ends = np.iinfo(dtype)
                few = np.array([ends.min, ends.max, ends.min + 1, ends.max // 2 + 1, ends.min // 2, 0, 1], dtype)
                there = few[values.integers(0, len(few), shape)]
                self.arrays[name] = np.where(values.random(shape) < 0.7, there, self.arrays[name])
        self.root = self.condition(3) if rng.random() < 0.15 else self.number(rng.choice((2, 3, 4)))

    def text(self) -> str:
        """The op."""
        body = self.root.text({"c": "c", "n": "n"})
        number = "int" if re.search(r"[&|~]|<<|>>|xor", body) else "number"
        operands = ", ".join(
            f"{name}[{', '.join(OPERANDS[name])}]: {'bool' if array.dtype == bool else number}"
            for name, array in self.arrays.items()
        )
        sizes = ", ".join(f"{index} = size[{index[0]}]" for index in self.bound if index in body)
        return f"op f({operands}) -> y[c, n] {f'where {sizes} ' if sizes else ''}{{ y = {body}; }}"

    def read(self) -> Piece:
        name = self.rng.choice(list(OPERANDS))
        array = self.arrays[name]
        value = {"g": lambda: array[None, :], "h": lambda: array[:, None]}.get(name, lambda: array)()
        return Piece(
            lambda names: f"{name}[{', '.join(names[axis] for axis in OPERANDS[name])}]",
            np.broadcast_to(value, self.shape),
        )

    def number(self, depth: int) -> Piece:
        kinds = ("read", "choose", "choose", "combine", "combine", "divide", "abs", "neg", "bits", "bits", "shift",
                 "reduce", "run", "run", "place", "literal", "literal")  # fmt: skip
        kind = self.rng.choice(kinds) if depth > 0 else "read"
        if kind == "read":
            return self.read()
        if kind == "literal":
            return self.beside_a_literal(self.number(depth - 1))
        if kind == "place":
            return self.place(self.number(depth - 1))
        if kind in ("reduce", "run"):
            return self.reduced(self.rng.choice(("max", "min", "sum", "prod")), self.number(depth - 1), kind == "run")
        if kind == "choose":
            return self.chosen(self.condition(depth - 1), self.number(depth - 1), self.number(depth - 1))
        one = self.number(depth - 1)
        if one.dtype == "bool":
            return one
        if kind == "abs":
            return Piece(lambda names: f"abs({one.text(names)})", np.abs(one.value))
        if kind == "neg":
            return Piece(lambda names: f"(-{one.text(names)})", -one.value)
        if kind == "bits" and self.rng.random() < 0.2:
            return Piece(lambda names: f"(~{one.text(names)})", ~one.value)
        other = self.number(depth - 1)
        if kind in ("bits", "shift") and other.dtype != "bool":
            return self.of_bits(one, other) if kind == "bits" else self.shifted(one, other)
        return self.combined(one, other) if kind == "combine" else self.divided(one, other)

    def chosen(self, condition: Piece, yes: Piece, no: Piece) -> Piece:
        dtype = widest(yes, no)
        return Piece(
            lambda names: f"({condition.text(names)} ? {yes.text(names)} : {no.text(names)})",
            np.where(condition.value, yes.of(dtype), no.of(dtype)),
        )

    def combined(self, one: Piece, other: Piece) -> Piece:
        sign, dtype = self.rng.choice(list(COMBINED)), widest(one, other)
        if dtype == "bool" and sign in ("+", "-", "*"):
            dtype = "int64"
        form = "{0}({1}, {2})" if sign in ("max", "min") else "({1} {0} {2})"
        return Piece(
            lambda names: form.format(sign, one.text(names), other.text(names)),
            COMBINED[sign](one.of(dtype), other.of(dtype)),
        )

    def of_bits(self, one: Piece, other: Piece) -> Piece:
        sign, dtype = self.rng.choice(list(OF_BITS)), widest(one, other)
        form = "{0}({1}, {2})" if sign == "xor" else "({1} {0} {2})"
        return Piece(
            lambda names: form.format(sign, one.text(names), other.text(names)),
            OF_BITS[sign](one.of(dtype), other.of(dtype)),
        )

    def shifted(self, one: Piece, by: Piece) -> Piece:
        """Half of the counts are such that something is left."""
        count_text, count = by.text, by.value
        if self.rng.random() < 0.5:
            count_text, count = lambda names: f"({by.text(names)} & 7)", count & 7
        sign, dtype = self.rng.choice(("<<", ">>")), widest(one, by)
        value, count = one.of(dtype), count.astype(dtype)
        bits = 8 * value.dtype.itemsize
        inside = (count >= 0) & (count.astype("int64") < bits)
        count = np.where(inside, count, 0).astype(dtype)
        if sign == "<<":
            found = np.where(inside, np.left_shift(value, count), 0)
        else:
            found = np.where(inside, np.right_shift(value, count), np.where(value < 0, -1, 0).astype(dtype))
        return Piece(lambda names: f"({one.text(names)} {sign} {count_text(names)})", found.astype(dtype))

    def divided(self, one: Piece, other: Piece) -> Piece:
        """What is divided by 0 is 0."""
        sign, function = self.rng.choice((("//", np.floor_divide), ("%", np.remainder)))
        dtype = widest(one, other) if widest(one, other) != "bool" else "int64"
        by = other.of(dtype)
        found = np.where(by == 0, 0, function(one.of(dtype), np.where(by == 0, 1, by))).astype(dtype)
        return Piece(lambda names: f"({one.text(names)} {sign} {other.text(names)})", found)

    def beside_a_literal(self, one: Piece) -> Piece:
        """A literal has the dtype of what is beside it where that has its value, a bool's being 0 and 1; else both are
        int64."""
        literal = self.rng.choice((0, 1, 2, 3, 4, 7, 255, *(LARGE if self.extreme else ())))
        literal *= self.rng.choice((1, 1, 1, -1))
        least, most = (0, 1) if one.dtype == "bool" else (np.iinfo(one.dtype).min, np.iinfo(one.dtype).max)
        dtype = one.dtype if least <= literal <= most else "int64"
        text = f"({literal})" if literal < 0 else str(literal)
        other = Piece(lambda names: text, np.broadcast_to(np.array(literal, dtype), self.shape))
        pair = (one, other) if self.rng.random() < 0.8 else (other, one)
        way = self.rng.choice(("combine", "combine", "divide", "choose"))
        if way == "choose":
            return self.chosen(self.condition(0), *pair)
        return self.combined(*pair) if way == "combine" else self.divided(*pair)

    def place(self, body: Piece) -> Piece:
        """Where the first extreme value is, of all of an axis or up to each place of it; from its end, the last one."""
        kind, axis = self.rng.choice(("argmax", "argmin")), self.rng.choice("cn")
        index, at = f"{axis}{len(self.bound) + 1}", "cn".index(axis)
        self.bound.append(index)
        values = np.moveaxis(body.value, at, 0)
        better = {"argmax": np.greater, "argmin": np.less}[kind]

        def inside(names: Mapping[str, str]) -> str:
            return body.text({**names, axis: index})

        sign = self.rng.choice(("", "<=", ">="))
        order = range(len(values)) if sign != ">=" else range(len(values) - 1, -1, -1)
        found = np.zeros(values.shape, np.int64)
        best = np.full(values.shape[1:], order[0])
        for step in order:
            best = np.where(better(values[step], np.take_along_axis(values, best[None], 0)[0]), step, best)
            found[step] = best
        if not sign:
            found[:] = best
        head = f"{kind}[{index}" if not sign else f"{kind}[{index} {sign} {{}}"
        return Piece(lambda names: f"{head.format(names[axis])}]({inside(names)})", np.moveaxis(found, 0, at))

    def condition(self, depth: int) -> Piece:
        kind = self.rng.choice(("compare", "compare", "and", "or", "not", "reduce", "run")) if depth > 0 else "read"
        if kind == "read":
            one = self.read()
            if one.dtype == "bool":
                return one
            return Piece(lambda names: f"({one.text(names)} != 0)", one.value != 0)
        if kind == "compare":
            sign, one, other = self.rng.choice(list(COMPARED)), self.number(depth - 1), self.number(depth - 1)
            dtype = widest(one, other)
            return Piece(
                lambda names: f"({one.text(names)} {sign} {other.text(names)})",
                COMPARED[sign](one.of(dtype), other.of(dtype)),
            )
        one = self.condition(depth - 1)
        if kind == "not":
            return Piece(lambda names: f"(not {one.text(names)})", ~one.value)
        if kind in ("reduce", "run"):
            return self.reduced(self.rng.choice(("any", "all")), one, kind == "run")
        other = self.condition(depth - 1)
        value = one.value & other.value if kind == "and" else one.value | other.value
        return Piece(lambda names: f"({one.text(names)} {kind} {other.text(names)})", value)

    def reduced(self, kind: str, body: Piece, running: bool) -> Piece:
        """Over all of an axis, or up to each place of it, from one end or the other."""
        axis = self.rng.choice("cn")
        index, at = f"{axis}{len(self.bound) + 1}", "cn".index(axis)
        self.bound.append(index)
        value = body.of("int64") if kind in ("sum", "prod") else body.value

        def inside(names: Mapping[str, str]) -> str:
            return body.text({**names, axis: index})

        if not running:
            total = np.broadcast_to(REDUCED[kind].reduce(value, at, keepdims=True), self.shape)
            return Piece(lambda names: f"{kind}[{index}]({inside(names)})", total)
        sign = self.rng.choice(("<=", ">="))
        there = value if sign == "<=" else np.flip(value, at)
        steps = REDUCED[kind].accumulate(there, at)
        return Piece(
            lambda names: f"{kind}[{index} {sign} {names[axis]}]({inside(names)})",
            steps if sign == "<=" else np.flip(steps, at),
        )


def widest(*pieces: Piece) -> str:
    return max((each.dtype for each in pieces), key=WIDTHS.index)


def told(seed: int) -> str:
    """What is wrong with the formula of a seed; nothing if it is right."""
    drawn = Drawn(seed)
    try:
        found = kernels.compile(drawn.text()).f(*(core.from_host(each) for each in drawn.arrays.values())).to_host()
    except Exception as error:
        return f"{seed}: {drawn.text()}\n    {type(error).__name__}: {error}"
    expected = drawn.root.value
    if found.dtype == expected.dtype and (found == expected).all():
        return ""
    dtypes = ", ".join(f"{name} {array.dtype}" for name, array in drawn.arrays.items())
    given = f"{dtypes}, shape {drawn.shape}"
    return f"{seed}: {drawn.text()}\n    {given}: {found.dtype}, expected {expected.dtype}, {found != expected}"


def main(count: int, seed: int) -> int:
    """Try so many formulas; returns how many were wrong."""
    wrong = [each for each in map(told, range(seed, seed + count)) if each]
    print("\n".join([*wrong, f"{count} formulas, {len(wrong)} wrong"]))
    return len(wrong)


warnings.filterwarnings("ignore", category=RuntimeWarning, module=__name__)  # what overflows, wraps around

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    sys.exit(main(arguments.count, arguments.seed) > 0)
