"""Special functions, written in OpenCL C for one value at a time: `{T}` is float or double, `{n}` its suffix.

gamma         digamma, trigamma, polygamma, zeta
bessel        i0, i1, i0e, i1e
incomplete    gammainc, gammaincc, gamma_density, betainc, beta_density

Each file holds texts; a text may call the others.
"""

from __future__ import annotations

import re

import numpy as np

from netcl.kernels.compiler.opencl.special.bessel import BESSEL
from netcl.kernels.compiler.opencl.special.gamma import GAMMA, ROOT, ROOT_REST, SMOOTH, STEPS
from netcl.kernels.compiler.opencl.special.incomplete import INCOMPLETE, ZETAS
from netcl.kernels.compiler.opencl.types import literal

SPECIAL = GAMMA | BESSEL | INCOMPLETE


WIDE = frozenset({
    "digamma", "polygamma", "zeta", "gammainc", "gammaincc", "gamma_density", "betainc", "beta_density",
    "i0", "i1", "i0e", "i1e",
})  # fmt: skip
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
        "d5": 691 / 32760, "d6": 1 / 12, "d7": 3617 / 8160, "middle": 1.5,
        "t0": 1 / 6, "t1": 1 / 30, "t2": 1 / 42, "t4": 5 / 66, "t5": 691 / 2730, "t6": 7 / 6, "t7": 3617 / 510,
        "far": 20 if double else 6, "asymptotic": 20 if double else 10, "least": 10 if double else 6,
        "overflows": 714 if double else 92,
        "beyond": 800 if double else 150, "large": 1e6 if double else 1e4, "near": 0.3,
        "nearly_all": 0.999, "slow": 1e-5, "less_euler": 0.4227843350984671,
    }  # fmt: skip
    found = {name: literal(value, dtype) for name, value in numbers.items()}
    tables = {"zetas": ZETAS, "steps": STEPS, "smooth": SMOOTH}
    found |= {name: ", ".join(literal(each, dtype) for each in table) for name, table in tables.items()}
    found |= {"most": "20000" if double else "2000", "parts": "2" if double else "8", "last": str(len(SMOOTH) - 1)}
    return found | _root(dtype)


def _root(dtype: str) -> dict[str, str]:
    """Where digamma crosses 0, as the nearest number of the dtype and what is left of it."""
    nearest = ROOT if dtype == "float64" else float(np.float32(ROOT))
    return {"root": literal(nearest, dtype), "root_rest": literal(ROOT - nearest + ROOT_REST, dtype)}
