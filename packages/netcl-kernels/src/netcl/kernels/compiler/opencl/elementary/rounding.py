"""floor, ceil, round, trunc. Clang has functions (since 14) that are one instruction each, drivers take a dozen."""

from __future__ import annotations

_TEMPLATE = """\
{T} NAME_{T}({T} a) {
#if __has_builtin(__builtin_elementwise_CLANG)
    return __builtin_elementwise_CLANG(a);
#else
    return OPENCL(a);
#endif
}"""

_SPELLINGS = {
    "floor": ("floor", "floor"),
    "ceil": ("ceil", "ceil"),
    "round": ("roundeven", "rint"),
    "trunc": ("trunc", "trunc"),
}

ROUNDING = {
    name: _TEMPLATE.replace("NAME", name).replace("CLANG", clang).replace("OPENCL", opencl)
    for name, (clang, opencl) in _SPELLINGS.items()
}
