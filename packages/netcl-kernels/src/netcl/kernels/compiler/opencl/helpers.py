"""OpenCL functions that the built-in ones do not provide, copied once into a program whose kernels call them.

Their texts are in `helper_texts`, those of functions of floats in `elementary` and `special`; here is which of them a
dtype takes.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from netcl.kernels.compiler.opencl import elementary, special
from netcl.kernels.compiler.opencl.helper_texts import (
    DIVISIONS,
    FLOAT,
    INTEGER,
    NEIGHBOURS,
    PLAIN,
    SHORT,
    SIZES,
    SOME_LANES,
    TABLE,
    UNIFORM,
    UNSIGNED,
    WORDS,
)
from netcl.kernels.compiler.opencl.types import COMPUTED, LANES, STORED, WORD, Value, converted, literal
from netcl.kernels.compiler.target import Driver

_SLOPE = Fraction("1.59576912160573071175978423973752747")  # sqrt(8 / pi)
_IN_TWO_PARTS = {
    "root": Fraction(math.isqrt(2 * 10**60), 2 * 10**30), "linear": _SLOPE, "cubic": _SLOPE * Fraction("0.044715"),
}  # fmt: skip
"""Numbers of which texts need twice the digits of a dtype: sqrt(1/2), and those of times_normal_cdf_tanh."""

_NUMBERS = {"half": 0.5, "shift": 64, "back": math.exp(-64)}
_NUMBERS["back_norm"] = _NUMBERS["back"] / math.sqrt(2 * math.pi)
"""Among them: what leaves the normal numbers is computed e^64 larger."""

_FAR = {"float": -12.4, "double": -37.3}
"""From where on the normal distribution leaves the normal numbers."""

FEW = 8
"""A function that takes a driver long is inlined in a program that calls it in so many places at most."""


class Helpers:
    """The helper functions that one program needs, each once, in the order of first use."""

    def __init__(self, driver: Driver, has_float64: bool = True) -> None:
        self.driver = driver
        self.has_float64 = has_float64
        self.texts: dict[str, str] = {}
        self.places: Counter[str] = Counter()
        """In how many places those functions are called for which that decides whether they are inlined."""

    def provides(self, function: str, dtype: str) -> bool:
        """Whether there is an elementary function of our own for this dtype."""
        return self.driver.own_functions and COMPUTED[dtype] == "float" and function in elementary.WORST_ULP

    def replaces(self, function: str, dtype: str, lanes: int) -> bool:
        """Whether `name` has to be asked how the function is called, because the driver's is slow, wrong or unlike."""
        if dtype == "float64" and function in self.driver.in_quarters:
            return lanes > 1
        alike = lanes == 1 and function in self.driver.by_vector.get(COMPUTED[dtype], ())
        return alike or self.provides(function, dtype)

    def divides(self, function: str, dtype: str) -> bool:
        """Whether there is a division of vectors of our own for this dtype."""
        return self.driver.own_functions and dtype == "int64" and function in DIVISIONS

    def name(self, helper: str, dtype: str, lanes: int = 1) -> str:
        """The C name of a helper for such values; its text joins the program."""
        base = COMPUTED[dtype]
        suffix = str(lanes) if lanes > 1 else ""
        if lanes == WORD:
            self.texts.setdefault("words", WORDS)
            base = "uchar"
        if self.provides(helper, dtype):
            texts = elementary.texts(helper, lanes)
            if any("fold_any_int" in text for text in texts.values()):
                self.name("fold_any", "bool", lanes)
            self.texts.update(texts)
            return f"{helper}_{base}{suffix}"
        if lanes > 1 and helper in DIVISIONS:
            some = self.name("fold_any", "bool", lanes)
            self._divisions(DIVISIONS[helper], helper, dtype, lanes)
            name = f"{helper}_{base}{suffix}"
            text = DIVISIONS[helper].format(
                I=base + suffix, T=base, D="double" + suffix, M="int" + suffix, n=base + suffix, any=some, lanes=lanes
            )
        elif lanes == 1 and helper in self.driver.by_vector.get(base, ()):
            name, text = f"{helper}_{base}", _by_vector(helper, base)
        elif helper.startswith("fold_"):
            name, text = f"{helper}_{base}{suffix}", _fold(helper[5:], base, lanes)
        elif helper in self.driver.in_quarters and lanes > 1:
            name, text = f"{helper}_{base}{suffix}", _in_quarters(helper, base, lanes)
        elif helper in PLAIN:
            name, text = helper, PLAIN[helper]
        elif helper == "random_uniform":
            name = helper + suffix
            text = UNIFORM.format(F="float" + suffix, L="long" + suffix, U="ulong" + suffix, n=suffix)
        elif helper in special.SPECIAL:
            wide = base == "float" and self.has_float64 and helper in special.WIDE
            for called in (helper,) if wide else special.called(helper):
                self.name(called, "float64" if wide else dtype)
            name, text = f"{helper}_{base}", special.by_double(helper) if wide else special.text(helper, base, dtype)
        else:
            family = FLOAT if base in ("float", "double") else UNSIGNED if base == "uchar" else INTEGER
            text = family.get(helper) or INTEGER[helper]
            either = {"or": "|", "and": "&"} if lanes > 1 else {"or": "||", "and": "&&"}
            wide = base == "double"
            self._divisions(text, helper, dtype, lanes)
            text = text.format(
                T=base + suffix, n=base + suffix, fmod=self._fmod(dtype, lanes) if "{fmod}" in text else "", **either,
                bits={"uchar": 8, "int": 32}.get(base, 64), U="u" + base.removeprefix("u"),
                I="long" if wide else "int", S=("long" if wide else "int") + suffix,
                last=63 if wide else 31, largest="0x7fffffffffffffffL" if wide else "0x7fffffff",
                infinity="0x7ff0000000000000L" if wide else "0x7f800000",
                quiet="0x7ff8000000000000" if wide else "0x7fc00000",
                if_short=SHORT if base == "long" else "", **self._numbers(text, dtype, lanes),
            )  # fmt: skip
            name = f"{helper}_{base}{suffix}"
        self.texts.setdefault(name, text)
        return name

    def table(self, entries: Sequence[str], dtype: str) -> str:
        """The name of a function that gives the entry at a place, and 0 outside."""
        kind, written = COMPUTED[dtype], ", ".join(entries)
        name = f"table_{hashlib.sha256(f'{kind} {written}'.encode()).hexdigest()[:12]}"
        self.texts.setdefault(name, TABLE.format(T=kind, name=name, count=len(entries), entries=written))
        return name

    def shared(self, name: str, text: str) -> str:
        """The name of a function that other kernels of the program call too; its text joins the program once."""
        self.texts.setdefault(name, text)
        return name

    def called(self, name: str, text: str) -> str:
        """The name of a function that is inlined in a program which calls it in few places."""
        self.places[name] += 1
        return self.shared(name, text)

    def load(self, dtype: str, address: str, lanes: int = LANES, space: str = "global") -> str:
        """As many neighbours as there are lanes, of memory of this space."""
        if lanes == WORD:
            self.texts.setdefault("words", WORDS)
            return f"load_word({address})"
        if dtype == "float16":
            return f"vload_half{LANES}(0, {address})"
        if dtype == "bfloat16":
            return f"{self.name('load_bfloat16', dtype)}({address})"
        if not self.driver.own_functions:
            return f"vload{lanes}(0, {address})"
        return f"load_{self._neighbours(dtype, lanes, space)}({address})"

    def store(self, dtype: str, value: str, address: str, lanes: int = LANES, space: str = "global") -> str:
        """The statement that writes as many neighbours as there are lanes."""
        if lanes == WORD:
            self.texts.setdefault("words", WORDS)
            return f"store_word({value}, {address});"
        if dtype == "float16":
            if self.driver.own_functions:
                return f"{self.name('store_halves', dtype)}({value}, {address});"
            return f"vstore_half{LANES}({value}, 0, {address});"
        if dtype == "bfloat16":
            value = f"{self.name('bfloat_bits16', dtype)}({value})"
        if not self.driver.own_functions:
            return f"vstore{lanes}({value}, 0, {address});"
        return f"store_{self._neighbours(dtype, lanes, space)}({value}, {address});"

    def element(self, buffer: str, at: str, dtype: str, space: str = "global") -> str:
        """One element of a buffer."""
        if dtype == "float16" and space == "global":
            return f"vload_half({at}, {buffer})"
        if dtype == "bfloat16" and space == "global":
            return f"{self.name('load_bfloat', dtype)}({buffer}[{at}])"
        return f"({buffer}[{at}] != 0)" if dtype == "bool" else f"{buffer}[{at}]"

    def stored_element(self, buffer: str, at: str, value: Value, dtype: str, space: str = "global") -> str:
        """The statement that writes one element of a buffer."""
        text = converted(value, dtype).bare
        if space == "global" and dtype == "float16":
            return f"vstore_half({text}, {at}, {buffer});"
        if space == "global" and dtype == "bfloat16":
            return f"{buffer}[{at}] = {self.name('bfloat_bits', dtype)}({text});"
        return f"{buffer}[{at}] = {f'({text}) != 0' if dtype == 'bool' else text};"

    def store_where(self, dtype: str, value: str, mask: str, to: str, step: str) -> str:
        """The statement that writes those of sixteen lanes that a mask has, `step` elements apart."""
        store = "to[lane * step] = lanes[lane]"
        if dtype == "float16":
            store = "vstore_half(lanes[lane], lane * step, to)"
        elif dtype == "bfloat16":
            store = f"to[lane * step] = {self.name('bfloat_bits', dtype)}(lanes[lane])"
        elif dtype == "bool":
            store += " != 0"
        name = f"store_{'bool' if dtype == 'bool' else STORED[dtype]}s_where"
        text = SOME_LANES.format(T=STORED[dtype], V=COMPUTED[dtype], name=name, store=store)
        self.texts.setdefault(name, text)
        return f"{name}({value}, {mask}, {to}, {step});"

    def _neighbours(self, dtype: str, lanes: int, space: str) -> str:
        """What the functions for so many neighbours are called, which join the program."""
        kind = STORED[dtype]
        name = f"{'' if space == 'global' else f'{space}_'}{kind}s{'' if lanes == LANES else f'_{lanes}'}"
        text = NEIGHBOURS.format(T=kind, n=lanes, name=name, size=SIZES[kind], space=f"__{space}")
        self.texts.setdefault(name, text)
        return name

    def _divisions(self, text: str, helper: str, dtype: str, lanes: int) -> None:
        for needed in ("floor_div", "truncated_div"):
            if needed != helper and f"{needed}_{{n}}(" in text:
                self.name(needed, dtype, lanes)

    def _fmod(self, dtype: str, lanes: int) -> str:
        return self.name("fmod", dtype, lanes) if dtype == "float64" and lanes > 1 else "fmod"

    def _numbers(self, text: str, dtype: str, lanes: int) -> dict[str, str]:
        """The numbers of a text in this dtype, the names of other functions in it, and whether a lane is far out."""
        names = {name: literal(value, dtype) for name, value in _NUMBERS.items()}
        if "{erfc}" in text:
            names["erfc"] = self.name("erfc", dtype, lanes) if self.replaces("erfc", dtype, lanes) else "erfc"
        if "{cdf}" in text:
            names["cdf"] = self.name("normal_cdf", dtype, lanes)
            names["far"] = literal(_FAR[COMPUTED[dtype]], dtype)
            lane_far = f"a < {names['far']}"
            some = self.name("fold_any", "bool", lanes) if lanes > 1 else ""
            names["some_far"] = f"{some}(convert_int{lanes}({lane_far}))" if some else f"({lane_far})"
        for number, value in _IN_TWO_PARTS.items():
            if f"{{{number}}}" in text:
                high = float(value) if dtype == "float64" else float(np.float32(float(value)))
                names[number] = literal(high, dtype)
                names[f"{number}_low"] = literal(float(value - Fraction(high)), dtype)
        return names

    def text(self) -> str:
        return "".join(f"{self._attribute(name)}{text}\n\n" for name, text in self.texts.items())

    def _attribute(self, name: str) -> str:
        if name not in self.places:
            return ""
        return f"__attribute__(({'always_inline' if self.places[name] <= FEW else 'noinline'})) "


def _in_quarters(function: str, base: str, lanes: int) -> str:
    wide = f"{base}{lanes}"
    quarters = ["s" + "".join(f"{lane:x}" for lane in range(at, at + 4)) for at in range(0, lanes, 4)]
    calls = ", ".join(f"{function}(a.{each}, b.{each})" for each in quarters)
    return (
        f"// Four lanes at a time: the driver gets more of them wrong.\n"
        f"{wide} {function}_{wide}({wide} a, {wide} b) {{\n    return ({wide})({calls});\n}}"
    )


def _by_vector(function: str, base: str) -> str:
    arguments = ("a", "b") if function == "atan2" else ("a",)
    declared = ", ".join(f"{base} {each}" for each in arguments)
    passed = ", ".join(f"({base}4)({each})" for each in arguments)
    return (
        f"// As a vector: the driver's scalar {function} gives other bits.\n"
        f"{base} {function}_{base}({declared}) {{\n    return {function}({passed}).x;\n}}"
    )


def _fold(kind: str, base: str, lanes: int) -> str:
    """The lanes of a vector brought together, in halves."""
    sign = {"sum": "+", "prod": "*", "any": "|", "all": "&"}.get(kind)
    lines = []
    wide = "v"
    while lanes > 1:
        lanes //= 2
        low, high = f"{wide}.lo", f"{wide}.hi"
        if sign:
            joined = f"{low} {sign} {high}"
        elif base in ("float", "double"):
            either = "||" if lanes == 1 else "|"
            joined = f"(({low} {'>' if kind == 'max' else '<'} {high}) {either} ({low} != {low})) ? {low} : {high}"
        else:
            joined = f"({low} {'>' if kind == 'max' else '<'} {high}) ? {low} : {high}"
        wide = f"v{lanes}"
        lines.append(f"    const {base}{lanes if lanes > 1 else ''} {wide} = {joined};\n")
    start = 2 ** len(lines)
    last = f"{wide} != 0" if kind in ("any", "all") else wide
    return f"{base} fold_{kind}_{base}{start}({base}{start} v) {{\n{''.join(lines)}    return {last};\n}}"
