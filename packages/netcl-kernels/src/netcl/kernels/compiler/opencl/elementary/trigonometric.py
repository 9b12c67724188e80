"""sin, cos, tan by reduction to |r| <= pi/4 with pi/2 in three parts (Cody and Waite, 1980), and their inverses.

The reduction is exact enough for |a| <= 70000 (for tan, which has poles, 4000); lanes beyond that are left to the
driver's function of doubles, lane by lane, whatever the other lanes are.
"""

from __future__ import annotations

from netcl.kernels.compiler.opencl.elementary.polynomial import polynomial

_FAR = """\
// The lanes of |a| > {limit}, in double.
{T} {name}_far_{T}({T} a, {T} near) {
    union { {T} all; float each[{lanes}]; } from, to;
    from.all = a;
    to.all = near;
    for (int lane = 0; lane < {lanes}; ++lane) {
        if (fabs(from.each[lane]) > {limit}.0f) to.each[lane] = {name}((double)from.each[lane]);
    }
    return to.all;
}"""

_WAVE = """\
// {name} of the rest r, chosen by the quadrant.
{T} {name}_{T}({T} a) {
    {I} quadrant;
    const {T} r = reduced_{T}(a, &quadrant);
    const {T} s = r * r;
{sine}
{cosine}
    const {T} sine = fma(p, s * r, r);
    const {T} cosine = fma(q, s * s, fma(s, ({T})(-0.5f), ({T})(1.0f)));
    const {I} turned = quadrant + {turn};
    const {T} size = ((turned & 1) != 0) ? cosine : sine;
    const {T} wave = as_{T}(as_{I}(size) ^ ((turned & 2) << 30));
    const {T} result = {zero};
    return {any}(fabs(a) > 70000.0f) ? {name}_far_{T}(a, result) : result;
}"""


def _wave(name: str, turn: int, zero: str) -> str:
    text = _WAVE.replace("{sine}", polynomial("p", "s", -0.16666667, 0.008333329, -0.0001983933, 2.7182746e-06))
    text = text.replace("{cosine}", polynomial("q", "s", 0.041666646, -0.0013887364, 2.4438092e-05))
    return text.replace("{name}", name).replace("{turn}", str(turn)).replace("{zero}", zero)


_ATAN = polynomial(
    "p", "s", -0.333333, 0.19998549, -0.14264242, 0.10952186, -0.0840345, 0.057957593, -0.031177847, 0.010914606,
    -0.0017936218,
)  # fmt: skip

TRIGONOMETRIC = {
    "reduced": """\
// a - n * pi/2 for the nearest integer n, whose low bits are the quadrant.
{T} reduced_{T}({T} a, {I} *quadrant) {
    const {T} shifted = fma(a, ({T})(0.636619747f), ({T})(12582912.0f));
    const {T} n = shifted - 12582912.0f;
    *quadrant = as_{I}(shifted);
    const {T} r = fma(n, ({T})(-3.13916473e-7f), fma(n, ({T})(-1.57079601f), a));
    return fma(n, ({T})(-5.39030253e-15f), r);
}""",
    "sin_far": _FAR.replace("{name}", "sin").replace("{limit}", "70000"),
    "cos_far": _FAR.replace("{name}", "cos").replace("{limit}", "70000"),
    "tan_far": _FAR.replace("{name}", "tan").replace("{limit}", "4000"),
    "sin": _wave("sin", 0, "(a == 0.0f) ? a : wave"),
    "cos": _wave("cos", 1, "wave"),
    "tan": f"""\
// tan r, or -1 / tan r in every second quadrant, where the rounding of tan r is made up for.
{{T}} tan_{{T}}({{T}} a) {{
    {{I}} quadrant;
    const {{T}} r = reduced_{{T}}(a, &quadrant);
    const {{T}} s = r * r;
{polynomial("p", "s", 0.33333352, 0.13332605, 0.054066136, 0.021251826, 0.010910693, -1.2602746e-06, 0.004419305)}
    const {{T}} even = fma(p, s * r, r);
    const {{T}} rest = fma(p, s * r, r - even);
    const {{T}} inverse = -1.0f / even;
    const {{T}} odd = fma(fma(inverse, rest, fma(inverse, even, ({{T}})(1.0f))), inverse, inverse);
    const {{T}} result = (a == 0.0f) ? a : (((quadrant & 1) != 0) ? odd : even);
    return {{any}}(fabs(a) > 4000.0f) ? tan_far_{{T}}(a, result) : result;
}}""",
    "asin_rest": f"""\
// asin(x) - x for 0 <= x <= 9/16.
{{T}} asin_rest_{{T}}({{T}} x) {{
    const {{T}} s = x * x;
{polynomial("p", "s", 0.1666663, 0.07502155, 0.04422416, 0.034060583, 0.0066009765, 0.047634475)}
    return p * (s * x);
}}""",
    "asin": """\
// asin x = pi/2 - 2 asin(sqrt((1 - x) / 2)) for x > 9/16, with pi/2 in two parts.
{T} asin_{T}({T} a) {
    const {T} size = fabs(a);
    const {I} upper = size > 0.5625f;
    const {T} x = upper ? sqrt(fma(size, ({T})(-0.5f), ({T})(0.5f))) : size;
    const {T} rest = asin_rest_{T}(x);
    const {T} low = fma(rest, ({T})(-2.0f), ({T})(-4.37113883e-8f));
    const {T} result = upper ? 1.57079637f - fma(x, ({T})(2.0f), -low) : x + rest;
    return copysign(result, a);
}""",
    "acos": """\
// 2 asin(sqrt((1 - |a|) / 2)) and pi minus it; near zero pi/2 - asin a, with pi/2 in two parts.
{T} acos_{T}({T} a) {
    const {T} size = fabs(a);
    const {I} outer = size > 0.5f;
    const {T} x = outer ? sqrt(fma(size, ({T})(-0.5f), ({T})(0.5f))) : a;
    const {T} rest = asin_rest_{T}(x);
    const {T} twice = 2.0f * (x + rest);
    const {T} far = (a < 0.0f) ? 3.14159274f - (twice + 8.74227766e-8f) : twice;
    const {T} near = 1.57079637f - (x + (rest + 4.37113883e-8f));
    return outer ? far : near;
}""",
    "atan_rest": f"""\
// atan(x) - x for 0 <= x <= 1.
{{T}} atan_rest_{{T}}({{T}} x) {{
    const {{T}} s = x * x;
{_ATAN}
    return p * (s * x);
}}""",
    "atan": """\
// atan x = pi/2 - atan(1 / x) for x > 1, with pi/2 in two parts.
{T} atan_{T}({T} a) {
    const {T} size = fabs(a);
    const {I} outer = size > 1.0f;
    const {T} x = outer ? 1.0f / size : size;
    const {T} rest = atan_rest_{T}(x);
    return copysign(outer ? 1.57079637f - (x + (rest + 4.37113883e-8f)) : x + rest, a);
}""",
    "atan2": """\
// The angle of the point (b, a), by octants.
{T} atan2_{T}({T} a, {T} b) {
    const {T} up = fabs(a);
    const {T} right = fabs(b);
    const {I} steep = up > right;
    const {T} most = steep ? up : right;
    const {T} least = steep ? right : up;
    const {T} quotient = least / most;
    const {T} x = (most == 0.0f) ? ({T})(0.0f) : ((least == INFINITY) ? ({T})(1.0f) : quotient);
    const {T} rest = atan_rest_{T}(x);
    const {T} angle = steep ? 1.57079637f - (x + (rest + 4.37113883e-8f)) : x + rest;
    const {T} turned = (as_{I}(b) < 0) ? 3.14159274f - (angle + 8.74227766e-8f) : angle;
    return ((a != a) | (b != b)) ? a + b : copysign(turned, a);
}""",
}
