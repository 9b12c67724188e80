"""What the compiler of a driver is told beyond what was asked for."""

from __future__ import annotations

import pytest

from netcl.core import declarations, quirks

POCL_3 = "OpenCL 3.0 PoCL 3.0  Linux, Release, LLVM 14.0.6"


@pytest.fixture
def _avx512(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quirks, "_cpu_flags", lambda: frozenset({"avx2", "avx512vl"}))


@pytest.mark.usefixtures("_avx512")
def test_pocl_3_on_a_zen_is_told_the_features_that_its_builtins_were_compiled_for() -> None:
    options = quirks.build_options(POCL_3, "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-znver3")
    assert options.startswith("-DNETCL_TARGET\t-target-feature\t+ermsb")
    assert "\t+avx512vl" in options
    assert " " not in options, "PoCL splits and checks options at blanks"


@pytest.mark.parametrize(
    ("platform", "device"),
    [
        (POCL_3, "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-skylake-avx512"),
        ("OpenCL 3.0 PoCL 6.0  Linux", "OpenCL 3.0 PoCL HSTR: cpu-x86_64-pc-linux-gnu-znver4"),
        ("OpenCL 3.0 CUDA 12.4", "OpenCL 3.0 CUDA"),
    ],
)
def test_other_compilers_are_told_nothing(platform: str, device: str) -> None:
    assert quirks.build_options(platform, device) == ""


def test_a_program_on_pocl_3_gets_the_declarations_that_it_names() -> None:
    text = declarations.declared("kernel void f(global float *x) { x[0] = fma(x[0], x[1], x[2]); }", POCL_3)
    assert text is not None
    assert "float4 __ovld __cnfn fma(float4 a, float4 b, float4 c);" in text
    assert "sinpi" not in text
    assert text.endswith("\n#line 1\nkernel void f(global float *x) { x[0] = fma(x[0], x[1], x[2]); }")
    assert len(text) < 100_000, "the whole header has more than a million characters"


@pytest.mark.parametrize("platform", ["OpenCL 3.0 PoCL 6.0  Linux", "OpenCL 3.0 CUDA 12.4"])
def test_other_compilers_read_their_own_declarations(platform: str) -> None:
    assert declarations.declared("kernel void f() {}", platform) is None
