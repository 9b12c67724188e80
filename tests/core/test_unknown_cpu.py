"""A CPU that PoCL's compiler is too old to know: its device is told of one that it knows."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

from netcl.core import unknown_cpu

UNKNOWN = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-generic"


class _Struct:
    """What a driver's device looks like in memory: pointers, among them those to the target and the CPU."""

    def __init__(self, target: bytes, cpu: bytes, version: str = UNKNOWN) -> None:
        self.texts = [ctypes.create_string_buffer(each) for each in (target, cpu)]
        addresses = map(ctypes.addressof, self.texts)
        self.words = (ctypes.c_uint64 * 600)(1, 2**63, 12345, *addresses, 7)
        self.device = SimpleNamespace(version=version, int_ptr=ctypes.addressof(self.words))

    @property
    def cpu(self) -> bytes:
        return ctypes.string_at(self.words[4])


def test_the_name_of_the_cpu_is_replaced_where_the_compiler_does_not_know_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unknown_cpu, "_named", {})
    found = _Struct(b"x86_64-unknown-linux-gnu", b"generic")
    assert unknown_cpu.name_cpu(found.device, "haswell") == "haswell"
    assert found.cpu == b"haswell"
    assert list(found.words[:3]) == [1, 2**63, 12345]
    assert found.words[5] == 7
    assert unknown_cpu.name_cpu(found.device, "haswell") == "haswell", "it is known to have been told"


@pytest.mark.parametrize(
    "found",
    [
        _Struct(b"x86_64-unknown-linux-gnu", b"znver3", UNKNOWN.replace("generic", "znver3")),
        _Struct(b"x86_64-unknown-linux-gnu", b"generic", UNKNOWN.replace("generic", "znver3")),
        _Struct(b"aarch64-unknown-linux-gnu", b"generic", UNKNOWN.replace("x86_64", "aarch64")),
        _Struct(b"x86_64-unknown-linux-gnu", b"generic", "OpenCL 3.0 CUDA"),
        _Struct(b"something else", b"generic"),
        _Struct(b"x86_64-unknown-linux-gnu", b"generic things"),
    ],
)
def test_everything_else_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch, found: _Struct) -> None:
    monkeypatch.setattr(unknown_cpu, "_named", {})
    before = list(found.words)
    assert unknown_cpu.name_cpu(found.device, "haswell") == ""
    assert list(found.words) == before


def test_where_memory_cannot_be_read_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> int:
        raise PermissionError(13, "Permission denied")

    found = _Struct(b"x86_64-unknown-linux-gnu", b"generic")
    monkeypatch.setattr(unknown_cpu, "_named", {})
    monkeypatch.setattr("os.open", refused)
    assert unknown_cpu.name_cpu(found.device, "haswell") == ""
    assert found.cpu == b"generic"
