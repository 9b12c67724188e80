"""Elementary functions of floats, written in OpenCL C where those of a driver are slow, scalar or wrong.

Each file holds templates: `{T}` is float or a vector of floats, `{I}` the int type of as many lanes. The same
operations in the same order are done in every width (fma is written out, nothing is contracted), so that a value never
depends on the lane, the tail or the schedule it was computed in. Polynomials are minimax fits (Lawson's algorithm in
long double, then rounded); the worst errors in units of the last place stand in `WORST_ULP`, which the tests hold.
float64 keeps the functions of the driver.

A function named `…_far` is kept apart from the loop it is called in, because it calls the driver or is long; the call
costs that loop its registers.
"""

from __future__ import annotations

import re

from netcl.core.bounded import remembered
from netcl.kernels.compiler.opencl.elementary.error_function import ERROR_FUNCTION
from netcl.kernels.compiler.opencl.elementary.exponential import EXPONENTIAL
from netcl.kernels.compiler.opencl.elementary.hyperbolic import HYPERBOLIC
from netcl.kernels.compiler.opencl.elementary.logarithm import LOGARITHM
from netcl.kernels.compiler.opencl.elementary.power import POWER
from netcl.kernels.compiler.opencl.elementary.rounding import ROUNDING
from netcl.kernels.compiler.opencl.elementary.trigonometric import TRIGONOMETRIC

_TEMPLATES = EXPONENTIAL | LOGARITHM | HYPERBOLIC | TRIGONOMETRIC | POWER | ERROR_FUNCTION | ROUNDING

WORST_ULP = {
    "exp": 1.1, "exp2": 1.0, "expm1": 1.5, "log": 1.0, "log2": 2.0, "log10": 1.7, "log1p": 1.0, "cbrt": 1.0, "pow": 1.1,
    "sin": 1.6, "cos": 1.6, "tan": 2.0, "asin": 1.5, "acos": 1.5, "atan": 1.5, "atan2": 1.6, "sinh": 2.0, "cosh": 2.0,
    "tanh": 1.5, "asinh": 2.0, "acosh": 2.0, "atanh": 2.0, "erf": 1.5, "erfc": 2.0,
    "floor": 0.5, "ceil": 0.5, "round": 0.5, "trunc": 0.5,
}  # fmt: skip
"""The functions of this folder, and how far from the exact value a float32 result may be."""


def texts(function: str, lanes: int) -> dict[str, str]:
    """The C functions that `function_float{lanes}` needs, itself last: name -> text."""
    found: dict[str, str] = {}
    for name in _needed(function):
        found[f"{name}_float{lanes if lanes > 1 else ''}"] = _filled(_TEMPLATES[name], lanes)
    return found


@remembered("elementary functions", 4096)
def _needed(function: str) -> tuple[str, ...]:
    called = dict.fromkeys(re.findall(r"\b(\w+)_\{T\}\(", _TEMPLATES[function]))
    before = [name for each in called if each != function and each in _TEMPLATES for name in _needed(each)]
    return tuple(dict.fromkeys([*before, function]))


def _filled(template: str, lanes: int) -> str:
    suffix = str(lanes) if lanes > 1 else ""
    kinds = {"{T}": "float", "{I}": "int"}
    for mark, kind in kinds.items():
        template = template.replace(mark, kind + suffix)
    template = template.replace("{any}", f"fold_any_int{suffix}" if lanes > 1 else "")
    template = template.replace("{lanes}", str(lanes))
    head, brace, body = template.partition(") {\n")
    *comment, declaration = head.split("\n")
    kept_apart = "noinline" if "_far_" in declaration else "always_inline"
    return "\n".join([*comment, f"__attribute__(({kept_apart})) {declaration}"]) + brace + body
