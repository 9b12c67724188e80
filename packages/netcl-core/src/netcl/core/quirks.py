"""What a driver's compiler has to be told so that its code is right and fast.

PoCL 3.0 (LLVM 14) calls every AMD Zen `znver*` and takes its built-in functions from a library that was compiled for
another list of CPU features. Where the lists differ no built-in function is inlined, and on a Zen with AVX-512 the
two sides even disagree on how a float16 is passed. Naming the missing features makes the lists equal. PoCL checks
build options split at blanks and clang splits them at any white space, so that a definition with tabs in it reaches
clang as several flags.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

_AVX512 = ("avx512f", "avx512cd", "avx512dq", "avx512bw", "avx512vl")


def build_options(platform_version: str, device_version: str) -> str:
    """The options that every program of such a device is built with, by what platform and device say of themselves."""
    if " PoCL 3.0" not in platform_version or "-znver" not in device_version:
        return ""
    features = ["ermsb", *(_AVX512 if "avx512vl" in _cpu_flags() else ())]
    return "-DNETCL_TARGET" + "".join(f"\t-target-feature\t+{feature}" for feature in features)


@lru_cache(maxsize=1)
def _cpu_flags() -> frozenset[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return frozenset()
    return frozenset(
        next((line.partition(":")[2].split() for line in text.splitlines() if line.startswith("flags")), [])
    )
