"""Programs: building, loading from the disk cache, saving. What a kernel does is in `launch`.

OpenCL compilers may put work off until a kernel is first launched, so the binary worth keeping is the one taken
after that. A program therefore notes each first launch of what the driver compiles apart (a kernel, or where it
specializes a kernel, local size, large grid or not) and is saved when the queue is next waited for; the notes
travel with the binary. PoCL, which holds on to what it was asked for, is asked for few of its binaries before the
process ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any

from netcl.core import cache, declarations, guards, settings
from netcl.core.accounting import total
from netcl.core.driver import added_options, low_level, opencl, specializes_launches
from netcl.core.errors import DeviceError
from netcl.core.launch import Kernel
from netcl.core.log import logger
from netcl.core.quirks import build_options, quiet_option
from netcl.core.version import __version__

if TYPE_CHECKING:
    from netcl.core.device import Device
    from netcl.core.stream import Stream

log = logger("program")

_SILENT = "-w"
"""No warnings: clang counts them on standard error, and `x == x`, which a formula may well come to, is one."""

# FILE:LINE:COLUMN: error: MESSAGE, and PoCL's way to put it: error: FILE:LINE:COLUMN: MESSAGE
_CLANG_ERROR = re.compile(r"\b(\d+):(\d+): (?:fatal )?error: ([^\n]*)")
_POCL_ERROR = re.compile(r"error: [^\n]*?:(\d+):(\d+): ([^\n]*)")

_HELD = 32
"""PoCL may hold as many kernels for good before the process ends.

It keeps 128 kernels loaded and unloads the one that was used longest ago. Each of the two questions that a binary
takes, for its size and for itself, loads every kernel of the program, and the second counts as a launch that never
ends. Once all are held like that, every launch loads its kernel from the disk.
"""

_held = 0

Form = tuple[str, "tuple[int, ...] | None", bool]  # kernel, local size, whether the grid is large


class Program:
    """A built program on one stream: `kernel(name, arg_types)` gives its kernels."""

    def __init__(self, stream: Stream, source: str, options: str = "") -> None:
        self.stream = stream
        self.source = source
        device = stream.device
        of_device = build_options(device.cl.platform.version, device.version)
        self.options = f"{options} {_SILENT} {of_device}".strip()
        self.was_cached = False
        self.forms: set[Form] = set()  # what the binary on disk, or this process, has compiled
        self._key = _cache_key(stream.device, source, self.options)
        self._kernels: dict[tuple[str, tuple[Any, ...]], Kernel] = {}
        self._lock = RLock()
        guards.touch_driver()
        if stream.device.is_pocl:
            cache.keep_pocl_folder()
        self.cl: Any = self._load() or self._build()

    def kernel(self, name: str, arg_types: Sequence[Any]) -> Kernel:
        """The kernel of this name. `arg_types` has a numpy scalar type for each number and None for each buffer."""
        key = (name, tuple(arg_types))
        with self._lock:
            if key not in self._kernels:
                self._kernels[key] = Kernel(self, name, key[1])
            return self._kernels[key]

    def note_form(self, form: Form) -> None:
        """Called before the first launch of a kernel form that this process has not seen."""
        is_pocl = self.stream.device.is_pocl
        if is_pocl and not specializes_launches():
            form = (form[0], None, False)
        with self._lock:
            if form in self.forms:
                return
            if is_pocl:
                guards.require_linker()
                cache.require_room()
            self.forms.add(form)
            total.kernels_compiled += 1
            self.stream.unsaved[self] = None

    def save(self) -> None:
        """Put the binary with all that has been compiled into the disk cache."""
        global _held
        if not settings.cache_enabled():
            return  # to ask for the binary has a compiler do work
        with self._lock:
            forms = sorted(([name, local, large] for name, local, large in self.forms), key=repr)
            try:
                (binary,) = self.cl.get_info(opencl().program_info.BINARIES)
            except (opencl().Error, ValueError) as error:
                log.warning("driver %s gives no binary: %s", self.stream.device.driver, error)
                return
            if self.stream.device.is_pocl:
                _held += self.cl.get_info(opencl().program_info.NUM_KERNELS)
            cache.save(self._key, bytes(binary), {"forms": forms})

    def forget_launches(self) -> None:
        """Have each kernel launched on what is its queue's OpenCL queue now."""
        with self._lock:
            for kernel in self._kernels.values():
                kernel.forget_launches()

    def poison(self) -> list[Any]:
        """Make every launch fail in a forked child; what must never be released."""
        kept = [self.cl, self._kernels, *(kernel.poison() for kernel in self._kernels.values())]
        self._kernels = {}
        self._lock = RLock()
        return kept

    def _load(self) -> Any:
        entry = cache.load(self._key)
        if entry is None:
            return None
        binary, notes = entry
        device = self.stream.device
        try:
            program = low_level()._Program(self.stream.context, [device.cl], [binary])
            guards.inside(program._build, self.options.encode(), [device.cl])
        except opencl().Error as error:
            log.warning("cached program %s is built again: the driver refuses it (%s)", self._key, error)
            return None
        self.forms = {(name, tuple(local) if local else None, large) for name, local, large in notes["forms"]}
        self.was_cached = True
        total.programs_loaded += 1
        log.debug("program %s was loaded from the cache", self._key)
        return program

    def _build(self) -> Any:
        device = self.stream.device
        if device.is_pocl:
            guards.require_linker()
            cache.require_room()
        program = self._build_lean()
        if program is None:
            program = low_level()._Program(self.stream.context, self.source)
            try:
                guards.inside(program._build, self._quietly(), [device.cl])
            except opencl().Error as error:
                raise self._build_error(program, error) from error
        total.programs_built += 1
        log.debug("program %s was built for %s", self._key, device.name)
        self.stream.unsaved[self] = None
        return program

    def _build_lean(self) -> Any:
        """Built with the declarations it needs alone; None where that cannot be done."""
        device = self.stream.device
        source = declarations.declared(self.source, device.cl.platform.version)
        if source is None:
            return None
        program = low_level()._Program(self.stream.context, source)
        try:
            guards.inside(program._build, self._quietly(declarations.OPTION), [device.cl])
        except opencl().Error:
            return None  # the whole header has more, or there is a mistake to be told of
        return program

    def _quietly(self, *more: str) -> bytes:
        """The options of a build from a source."""
        quiet = quiet_option(self.stream.device.cl.platform.version)
        return " ".join(filter(None, [*more, quiet, self.options])).encode()

    def _build_error(self, program: Any, error: Exception) -> DeviceError:
        device = self.stream.device
        try:
            text = program.get_build_info(device.cl, opencl().program_build_info.LOG).strip()
        except opencl().Error:
            text = ""
        found = _CLANG_ERROR.search(text) or _POCL_ERROR.search(text)
        return DeviceError(
            f"OpenCL program does not compile for device {device.name!r}{_excerpt(self.source, found)}\n"
            f"The compiler's log:\n{text or error}",
            build_log=text,
            source=self.source,
            line=int(found[1]) if found else None,
            complaint=found[3].strip() if found else None,
        )

    def __repr__(self) -> str:
        return f"<Program {self._key[:8]}, {'from the cache' if self.was_cached else 'built'}>"


def saves_now(device: Device) -> bool:
    """Whether a program of this device may be saved, or has to wait for the end of the process."""
    return not device.is_pocl or _held < _HELD or guards.is_leaving()


def _cache_key(device: Device, source: str, options: str) -> str:
    platform = device.cl.platform
    return cache.key_of(
        __version__, platform.name, platform.version, device.name, device.vendor, device.version, device.driver,
        device.compiled_for, options, added_options(), source,
    )  # fmt: skip


def _excerpt(source: str, match: re.Match[str] | None) -> str:
    """The lines around the first error of a log, with a caret; empty when the log names no line."""
    if match is None:
        return ""
    line, column = int(match[1]), int(match[2])
    lines = source.splitlines()
    if not 1 <= line <= len(lines):
        return ""
    shown = []
    for number in range(max(1, line - 2), min(len(lines), line + 1) + 1):
        shown.append(f"{number:5d} | {lines[number - 1]}")
        if number == line:
            shown.append(" " * (7 + column) + "^")
    return f": line {line}, column {column}: {match[3]}\n" + "\n".join(shown)
