"""pow: 2^(b log2|a|) in float64, which has room for every exponent and every base; then the cases of IEEE 754.

log2|a| is i + log2(m) with m in [sqrt(1/2), sqrt(2)), by the series of 2 atanh((m - 1) / (m + 1)).
"""

from __future__ import annotations

from netcl.kernels.compiler.emit.elementary.polynomial import polynomial

_LOG2 = polynomial(
    "p", "s", 2.8853900817779268, 0.96179669406148838, 0.5770779517647443, 0.41220856828083102, 0.31992724484987495,
    0.28265566468044628, kind="{D}",
)  # fmt: skip
_EXP2 = polynomial(
    "q", "f", 0.69314718070453196, 0.24022651066561296, 0.055504103659915816, 0.00961803813203237,
    0.0013333935055459569, 0.00015466756325554904, 1.5196156590539448e-05, kind="{D}",
)  # fmt: skip

POWER = {
    "pow": f"""\
{{T}} pow_{{T}}({{T}} a, {{T}} b) {{
    const {{T}} size = fabs(a);
    const {{I}} tiny = size < 1.17549435e-38f;
    const {{I}} bits = as_{{I}}(tiny ? size * 16777216.0f : size);
    const {{I}} exponent = (bits - 0x3f3504f3) >> 23;
    const {{D}} m = convert_{{D}}(as_{{T}}(bits - (exponent << 23)));
    const {{D}} t = (m - 1.0) / (m + 1.0);
    const {{D}} s = t * t;
{_LOG2}
    const {{D}} log2_size = fma(p, t, convert_{{D}}(tiny ? exponent - 24 : exponent));
    const {{D}} w = convert_{{D}}(b) * log2_size;
    const {{D}} below = (w > 1000.0) ? ({{D}})(1000.0) : w;
    const {{D}} x = (below < -1000.0) ? ({{D}})(-1000.0) : below;
    const {{D}} shifted = x + 6755399441055744.0;
    const {{D}} f = x - (shifted - 6755399441055744.0);
{_EXP2}
    q = fma(q, f, ({{D}})(1.0));
    const {{T}} ordinary = convert_{{T}}(as_{{D}}(as_{{L}}(q) + (as_{{L}}(shifted) << 52)));
    const {{T}} grows = (b > 0.0f) ? ({{T}})(INFINITY) : ({{T}})(0.0f);
    const {{T}} shrinks = (b > 0.0f) ? ({{T}})(0.0f) : ({{T}})(INFINITY);
    const {{T}} power = (size == 0.0f) ? shrinks : ((size == INFINITY) ? grows : ordinary);
    const {{I}} whole = rint(b) == b;
    const {{I}} odd = (convert_{{I}}((fabs(b) < 16777216.0f) ? b : ({{T}})(0.0f)) & 1) != 0;
    const {{T}} signed_power = (whole & odd & (as_{{I}}(a) < 0)) ? -power : power;
    const {{I}} undefined = (a < 0.0f) & (whole == 0) & (size < INFINITY);
    const {{I}} one = (b == 0.0f) | (a == 1.0f) | ((a == -1.0f) & (fabs(b) == INFINITY));
    const {{T}} result = ((a != a) | (b != b)) ? a + b : (undefined ? ({{T}})(NAN) : signed_power);
    return one ? ({{T}})(1.0f) : result;
}}""",
}
