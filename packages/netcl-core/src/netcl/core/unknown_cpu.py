"""The CPU that PoCL compiles for, where its LLVM is older than the CPU.

LLVM calls a CPU that it does not know `generic`, PoCL hands that name on, and clang has no such CPU on x86-64: not one
program compiles ("unknown target CPU 'generic'"). PoCL 3.0 asks nobody, and no option of a build comes behind its own.
So its device, which holds the name beside that of the target, is given the name of an older CPU that lacks nothing
which this one has.
"""

from __future__ import annotations

import ctypes
import os
import struct
from itertools import pairwise
from typing import Any

from netcl.core.log import logger

log = logger("driver")

_UNKNOWN = b"generic\0"
_TARGET = b"x86_64-"
_BYTES = 4096
"""The device of PoCL 3.0 has its target and CPU behind 632 bytes; other versions are looked through this far."""

_named: dict[int, str] = {}
"""The devices, by where they are, that have been given a name."""


def name_cpu(device: Any, name: str) -> str:
    """Give an OpenCL device of PoCL's whose CPU is unknown to its compiler the name of one that it knows. Returns the
    name, or "" where nothing was to be done, or could be."""
    version = device.version.strip()
    if "PoCL" not in version or not version.endswith("-generic") or f"-{_TARGET.decode()}" not in version:
        return ""
    if device.int_ptr in _named:
        return _named[device.int_ptr]
    try:
        memory = os.open("/proc/self/mem", os.O_RDONLY)
    except OSError as error:
        log.warning("PoCL does not know this CPU, and cannot be told of one that it knows: %s", error)
        return ""
    try:
        place = _place_of_name(memory, device.int_ptr)
    finally:
        os.close(memory)
    if place is None:
        log.warning("PoCL does not know this CPU, and its device does not hold the name where it was looked for")
        return ""
    # PoCL may free it, so that it is of the C library's heap.
    copy = ctypes.CDLL(None).strdup
    copy.restype = ctypes.c_void_p
    ctypes.c_void_p.from_address(place).value = copy(name.encode())
    _named[device.int_ptr] = name
    log.debug("PoCL does not know this CPU, and compiles for %s", name)
    return name


def _place_of_name(memory: int, device: int) -> int | None:
    """Where the device has the pointer to the CPU's name: behind the one to that of the target."""
    held = _read(memory, device, _BYTES)
    pointers = struct.unpack(f"{len(held) // 8}Q", held[: len(held) // 8 * 8])
    for at, (target, cpu) in enumerate(pairwise(pointers), 1):
        if _read(memory, cpu, len(_UNKNOWN)) == _UNKNOWN and _read(memory, target, len(_TARGET)) == _TARGET:
            return device + 8 * at
    return None


def _read(memory: int, address: int, count: int) -> bytes:
    """So many bytes of this process, fewer where its memory ends; none where there is none."""
    try:
        return os.pread(memory, count, address)
    except (OSError, OverflowError):
        return b""
