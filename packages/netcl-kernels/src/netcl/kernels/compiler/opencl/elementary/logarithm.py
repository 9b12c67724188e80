"""log, log2, log10, log1p: a = 2^i * (1 + m) with -1/4 <= m <= 1/2, and ln(1 + m) = m + m^2 * polynomial(m). cbrt.

The exponent is taken off so that 1 + m lies in [3/4, 3/2): 0x3f400000 is 3/4.
"""

from __future__ import annotations

import numpy as np

from netcl.kernels.compiler.opencl.elementary.polynomial import polynomial

_OF_NORMAL = """\
// NAME(a * 2^shift) for a normal number a > 0.
{T} NAME_of_normal_{T}({T} a, {T} shift) {
    const {I} exponent = (as_{I}(a) - 0x3f400000) & ({I})(0xff800000);
    const {T} m = as_{T}(as_{I}(a) - exponent) - 1.0f;
    const {T} i = fma(convert_{T}(exponent), ({T})(1.1920929e-7f), shift);
RESULT
}"""

_OF_ANY = """\
// The same of zeros, infinities, NaN, numbers below the normal ones and negative ones.
{T} NAME_of_any_{T}({T} a) {
    const {I} tiny = a < 1.17549435e-38f;
    const {T} normal = tiny ? a * 8388608.0f : a;
    const {T} result = NAME_of_normal_{T}(normal, tiny ? ({T})(-23.0f) : ({T})(0.0f));
    const {T} outside = (a == 0.0f) ? ({T})(-INFINITY) : ((a < 0.0f) ? ({T})(NAN) : a);
    return ((a > 0.0f) & (a < INFINITY)) ? result : outside;
}"""

_OF_ALL = """\
{T} NAME_{T}({T} a) {
    const {I} normal = (a >= 1.17549435e-38f) & (a < INFINITY);
    if ({any}(normal == 0)) return NAME_of_any_{T}(a);
    return NAME_of_normal_{T}(a, ({T})(0.0f));
}"""


def _logarithm(name: str, result: str) -> dict[str, str]:
    """The three functions of a logarithm; `result` has the statements that make it of i and m."""
    return {
        f"{name}_of_normal": _OF_NORMAL.replace("RESULT", result).replace("NAME", name),
        f"{name}_of_any": _OF_ANY.replace("NAME", name),
        name: _OF_ALL.replace("NAME", name),
    }


def _split(value: float) -> tuple[float, float]:
    """A float32 and the rest."""
    high = float(np.float32(value))
    return high, float(np.float32(value - high))


_LOG2_E, _ = _split(np.log2(np.e))
_LOG10_E, _LOG10_E_LOW = _split(np.log10(np.e))
_LOG10_2, _LOG10_2_LOW = _split(np.log10(2))

_REST = (
    -0.5, 0.3333345, -0.25000095, 0.19990861, -0.16647312, 0.14478394, -0.13161194, 0.104630224, -0.045074802
)  # fmt: skip
"""(ln(1 + m) - m) / m^2 by powers of m."""


def _rest(name: str, of_base: float) -> str:
    """The function of the rest that is left of a logarithm without its linear term."""
    rest = polynomial("p", "m", *(float(np.float32(coefficient * of_base)) for coefficient in _REST))
    return f"""\
// {name}(1 + m) without its linear term, for -1/4 <= m <= 1/2.
{{T}} {name}_rest_{{T}}({{T}} m) {{
{rest}
    return p * (m * m);
}}"""


LOGARITHM = {
    "log_rest": _rest("log", 1.0),
    "log2_rest": _rest("log2", np.log2(np.e)),
    "log10_rest": _rest("log10", np.log10(np.e)),
    **_logarithm("log", "    return fma(i, ({T})(0.693147182f), m + log_rest_{T}(m));"),
    **_logarithm("log2", f"    return i + fma(m, ({{T}})({_LOG2_E!r}f), log2_rest_{{T}}(m));"),
    **_logarithm(
        "log10",
        f"    const {{T}} low = fma(m, ({{T}})({_LOG10_E_LOW!r}f), log10_rest_{{T}}(m));\n"
        f"    const {{T}} rest = fma(m, ({{T}})({_LOG10_E!r}f), low);\n"
        f"    return fma(i, ({{T}})({_LOG10_2!r}f), fma(i, ({{T}})({_LOG10_2_LOW!r}f), rest));",
    ),
    "log1p": """\
// The exponent of 1 + a is taken off a and off 1 apart, so that what 1 + a rounds off is not lost.
{T} log1p_{T}({T} a) {
    const {I} exponent = (as_{I}(1.0f + a) - 0x3f400000) & ({I})(0xff800000);
    const {T} four = as_{T}(0x40800000 - exponent);
    const {T} m = as_{T}(as_{I}(a) - exponent) + fma(({T})(0.25f), four, ({T})(-1.0f));
    const {T} i = convert_{T}(exponent) * 1.1920929e-7f;
    const {T} plain = (exponent == 0) ? a : m;
    const {T} result = fma(i, ({T})(0.693147182f), plain + log_rest_{T}(plain));
    const {T} outside = (a == -1.0f) ? ({T})(-INFINITY) : ((a < -1.0f) ? ({T})(NAN) : a);
    return ((a > -1.0f) & (a < INFINITY) & (a != 0.0f)) ? result : outside;
}""",
    "cbrt": """\
// 1 / cbrt|a| from a third of the exponent, two Newton steps without a division, then one on the root itself.
{T} cbrt_{T}({T} a) {
    const {T} size = fabs(a);
    const {I} tiny = size < 1.17549435e-38f;
    const {T} x = tiny ? size * 16777216.0f : size;
    {T} r = as_{T}(0x54a21d2a - convert_{I}(convert_{T}(as_{I}(x)) * 0.33333334f));
    const {T} third = x * -0.33333334f;
    r = r * fma(third, r * r * r, ({T})(1.3333334f));
    r = r * fma(third, r * r * r, ({T})(1.3333334f));
    const {T} root = x * r * r;
    const {T} error = fma(root * root, -root, x);
    const {T} better = fma(error * 0.33333334f, r * r, root);
    const {T} result = copysign(tiny ? better * 0.00390625f : better, a);
    return ((a == 0.0f) | (size == INFINITY) | (a != a)) ? a : result;
}""",
}
