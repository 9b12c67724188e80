"""Special functions, written in OpenCL C for one value at a time: `{T}` is float or double, `{n}` its suffix.

gamma         digamma, trigamma, polygamma, zeta
bessel        i0, i1, i0e, i1e
incomplete    gammainc, gammaincc, betainc

Each file holds texts; a text may call the others.
"""

from __future__ import annotations

import re

from netcl.kernels.compiler.opencl.special.bessel import BESSEL
from netcl.kernels.compiler.opencl.special.gamma import GAMMA
from netcl.kernels.compiler.opencl.special.incomplete import INCOMPLETE, ZETAS
from netcl.kernels.compiler.opencl.types import literal

SPECIAL = GAMMA | BESSEL | INCOMPLETE


WIDE = frozenset({"digamma", "zeta", "gammainc", "gammaincc", "betainc", "i0", "i1", "i0e", "i1e"})
"""Computed in double for floats, too, where the device has it: what they go through loses the digits of a float."""


def by_double(function: str) -> str:
    """The C function `function_float`, by way of `function_double`."""
    found = re.search(rf"{function}_\{{n\}}\((.*)\) \{{\{{", SPECIAL[function])
    assert found is not None
    names = found[1].replace("{T} ", "")
    declared = found[1].replace("{T}", "float")
    return f"float {function}_float({declared}) {{\n    return (float){function}_double({names});\n}}"


def called(function: str) -> tuple[str, ...]:
    """The texts that the text of a function calls itself."""
    names = re.findall(r"\b(\w+)_\{n\}\(", SPECIAL[function])
    return tuple(name for name in dict.fromkeys(names) if name != function)


def text(function: str, kind: str, dtype: str) -> str:
    """The C function `function_kind`."""
    return SPECIAL[function].format(T=kind, n=kind, **_numbers(dtype))


def _numbers(dtype: str) -> dict[str, str]:
    double = dtype == "float64"
    numbers = {
        "pi": 3.141592653589793, "half": 0.5, "small": 1e-17 if double else 1e-8, "tiny": 1e-300 if double else 1e-36,
        "enough": 3e-16 if double else 2e-7,
        "d0": 1 / 12, "d1": 1 / 120, "d2": 1 / 252, "d3": 1 / 240, "d4": 1 / 132,
        "e0": 1 / 12, "e1": -1 / 720, "e2": 1 / 30240, "e3": -1 / 1209600, "e4": 1 / 47900160,
        "e5": -691 / 1307674368000, "t0": 1 / 6, "t1": 1 / 30, "t2": 1 / 42, "t4": 5 / 66,
        "far": 20 if double else 6, "asymptotic": 20 if double else 10, "least": 10 if double else 6,
        "overflows": 714 if double else 92,
        "beyond": 800 if double else 150, "large": 1e6 if double else 1e4, "near": 0.3,
        "less_euler": 0.4227843350984671,
    }  # fmt: skip
    found = {name: literal(value, dtype) for name, value in numbers.items()}
    return found | {"most": "20000" if double else "2000", "zetas": ", ".join(literal(each, dtype) for each in ZETAS)}
