"""What the compiler of a driver is told beyond what was asked for."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from netcl import core
from netcl.core import declarations, quirks
from netcl.core.driver import opencl

POCL_3 = "OpenCL 3.0 PoCL 3.0  Linux, Release, LLVM 14.0.6"
POCL_OF_DEBIAN = "OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6"


ROCKET_LAKE = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-rocketlake"
AVX2 = "avx avx2 cx16 popcnt abm f16c fma bmi1 bmi2"
AVX512 = AVX2 + " avx512f avx512bw avx512cd avx512dq avx512vl"


@pytest.mark.parametrize(
    ("flags", "named", "not_named"),
    [(AVX512, {"clwb", "pku", "avx512vl", "avx2", "ermsb"}, set()), (AVX2, {"ermsb", "fma"}, {"avx512f", "clwb"})],
)
def test_pocl_3_is_told_the_features_that_its_builtins_were_compiled_for(
    monkeypatch: pytest.MonkeyPatch, flags: str, named: set[str], not_named: set[str]
) -> None:
    monkeypatch.setattr(quirks, "_cpu_flags", lambda: frozenset(flags.split()))
    options = quirks.build_options(POCL_3, ROCKET_LAKE)
    assert " " not in options, "PoCL splits and checks options at blanks"
    definition, *rest = options.split("\t")
    assert definition == "-DNETCL_TARGET"
    assert set(rest[::2]) == {"-target-feature"}
    told = {feature.removeprefix("+") for feature in rest[1::2]}
    assert named <= told
    assert not not_named & told


@pytest.mark.parametrize(
    ("platform", "device", "flags"),
    [
        (POCL_3, ROCKET_LAKE, "sse2 ssse3 cx16 popcnt avx"),
        (POCL_3, "OpenCL 3.0 PoCL HSTR: pthread-aarch64-unknown-linux-gnu-cortex-a72", AVX2),
        ("OpenCL 3.0 PoCL 6.0  Linux", "OpenCL 3.0 PoCL HSTR: cpu-x86_64-pc-linux-gnu-znver4", AVX512),
        ("OpenCL 3.0 CUDA 12.4", "OpenCL 3.0 CUDA", AVX512),
    ],
)
def test_other_compilers_are_told_nothing(
    monkeypatch: pytest.MonkeyPatch, platform: str, device: str, flags: str
) -> None:
    monkeypatch.setattr(quirks, "_cpu_flags", lambda: frozenset(flags.split()))
    assert quirks.build_options(platform, device) == ""


def test_builtin_functions_are_inlined_on_this_machine() -> None:
    queue = core.default_queue()
    source = """kernel void f(global float *x) {
        vstore16(fma(vload16(0, x), vload16(1, x), exp2(vload16(2, x))), 3, x);
    }"""
    program = queue.program(source)
    tensor = core.from_host(np.ones(64, np.float32))
    program.kernel("f", (None,)).launch((1,), (1,), (tensor.buffer.cl,))
    assert tensor.to_host()[-16:].tolist() == [3.0] * 16
    (binary,) = program.cl.get_info(opencl().program_info.BINARIES)
    assert re.findall(rb"\0(_Z\d+_cl_\w+)\0", bytes(binary)) == [], "functions of PoCL's library that are called"


def test_a_program_on_pocl_3_gets_the_declarations_that_it_names() -> None:
    text = declarations.declared("kernel void f(global float *x) { x[0] = fma(x[0], x[1], x[2]); }", POCL_3)
    assert text is not None
    assert "float4 __ovld __cnfn fma(float4 a, float4 b, float4 c);" in text
    assert "sinpi" not in text
    assert text.endswith("\n#line 1\nkernel void f(global float *x) { x[0] = fma(x[0], x[1], x[2]); }")
    assert len(text) < 100_000, "the whole header has more than a million characters"


def test_a_program_on_the_pocl_of_debian_gets_those_of_its_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = tmp_path / "opencl-c.h"
    header.write_text(
        '#ifndef _OPENCL_H_\n#define _OPENCL_H_\n#include "opencl-c-base.h"\n// exact\n'
        "float __ovld fma(float a, float b, float c);\nfloat __ovld sinpi(float);\n#endif //_OPENCL_H_\n"
    )
    monkeypatch.setattr(declarations, "_OF_DEBIAN", header)
    text = declarations.declared("kernel void f(global float *x) { *x = fma(*x, *x, *x); }", POCL_OF_DEBIAN)
    assert text is not None
    assert "float __ovld fma(float a, float b, float c);" in text
    assert "sinpi" not in text


@pytest.mark.parametrize("version", ["PoCL 6.0  Linux", "PoCL 3.1 Linux", "CUDA 12.4"])
def test_other_compilers_read_their_own_declarations(version: str) -> None:
    assert declarations.declared("kernel void f() {}", f"OpenCL 3.0 {version}") is None


@pytest.mark.parametrize(
    ("flags", "name"), [(AVX512 + " sse2", "skylake-avx512"), (AVX2, "haswell"), ("sse2 avx", "x86-64"), ("", "x86-64")]
)
def test_a_cpu_that_the_compiler_does_not_know_is_called_by_the_name_of_one_that_lacks_nothing(
    monkeypatch: pytest.MonkeyPatch, flags: str, name: str
) -> None:
    monkeypatch.setattr(quirks, "_cpu_flags", lambda: frozenset(flags.split()))
    assert quirks.nearest_cpu() == name
