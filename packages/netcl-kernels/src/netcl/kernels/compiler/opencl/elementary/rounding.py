"""floor, ceil, round, trunc. Clang's own built-in functions (since 14) are one instruction each, PoCL's are a dozen."""

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
