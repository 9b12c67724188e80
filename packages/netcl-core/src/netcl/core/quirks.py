"""What a driver's compiler has to be told so that its code is right and fast.

PoCL 3.0 (LLVM 14) compiles a program for the CPU whose name it takes this one for, and takes its built-in functions
from the best of a few libraries for which the CPU has what it needs. LLVM inlines a function only where the program may
use every feature that the function may. The name often promises less than the library was compiled with: Zens with
AVX-512 are called znver3, Intel's CPUs of recent years by the name of an older relative without clwb. Then no built-in
function is inlined, which costs a matrix product four fifths of its speed, and where the widths of vectors differ the
two sides even disagree on how a float16 is passed. So a program is told every feature of the library. PoCL checks build
options split at blanks and clang splits them at any white space, so that a definition with tabs in it reaches clang as
several flags.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

_HASWELL = (
    "avx avx2 bmi bmi2 crc32 cx16 cx8 ermsb f16c fma fsgsbase fxsr invpcid lzcnt mmx movbe pclmul popcnt rdrnd sahf "
    "sse sse2 sse3 sse4.1 sse4.2 ssse3 x87 xsave xsaveopt"
).split()
_SKYLAKE = "adx aes avx512bw avx512cd avx512dq avx512f avx512vl clflushopt clwb pku prfchw rdseed xsavec xsaves".split()

_LIBRARIES = (
    ("skylake-avx512", frozenset("avx512f avx512bw avx512cd avx512dq avx512vl".split()), (*_HASWELL, *_SKYLAKE)),
    ("haswell", frozenset("avx avx2 cx16 popcnt abm f16c fma bmi1 bmi2".split()), tuple(_HASWELL)),
)
"""The CPU that a library is compiled for, what Linux calls the features without which PoCL takes the next library, and
what LLVM calls all of its own."""


def build_options(platform_version: str, device_version: str) -> str:
    """The options that every program of such a device is built with, by what platform and device say of themselves."""
    if " PoCL 3.0" not in platform_version or "-x86_64-" not in device_version:
        return ""
    has = _cpu_flags()
    for _, needed, features in _LIBRARIES:
        if needed <= has:
            return "-DNETCL_TARGET" + "".join(f"\t-target-feature\t+{feature}" for feature in features)
    return ""


def quiet_option(platform_version: str) -> str:
    """The option with which clang does not count a text's mistakes on standard error, beside the error that is raised.
    It changes nothing of what is built."""
    return "-DNETCL_QUIET\t-fno-caret-diagnostics" if " PoCL 3.0" in platform_version else ""


def nearest_cpu() -> str:
    """What LLVM, of any age, calls the best CPU of x86-64 that has nothing which this one lacks."""
    has = _cpu_flags()
    return next((name for name, needed, _ in _LIBRARIES if needed <= has), "x86-64")


@lru_cache(maxsize=1)
def _cpu_flags() -> frozenset[str]:
    """What Linux says that this CPU has; nothing where nobody says."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return frozenset()
    return frozenset(
        next((line.partition(":")[2].split() for line in text.splitlines() if line.startswith("flags")), [])
    )
