"""From kernels to OpenCL C 1.2 text. Never imports pyopencl.

Input: the Kernels of one plan. Output: one program with an `entry` for each launch, and before them the helper
functions they share. Kernels that need nothing of each other share a launch (`sharing`).
A loop nest is printed by `loops.text`. Functions are in `spelling`, `helpers` (with their texts in `helper_texts`) and
`elementary`, dtypes and literals in `types`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netcl.kernels.compiler.loops.given import Looped
from netcl.kernels.compiler.loops.looped import looped
from netcl.kernels.compiler.lower.kernel import Entry, Kernel, Source
from netcl.kernels.compiler.lower.sharing import shared
from netcl.kernels.compiler.opencl.entry import entry
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.target import Target


@dataclass(frozen=True)
class Emitted:
    """A whole program; its launches in order; the texts of the functions they share, by name."""

    text: str
    entries: tuple[Entry, ...]
    helpers: Mapping[str, str]


def emit(kernels: Sequence[Kernel], target: Target) -> Emitted:
    """The program of these kernels."""
    helpers = Helpers(target.driver, target.has_float64)
    sources = [[_written(each, helpers) for each in _parts(kernel)] for kernel in kernels]
    given = [
        {each.meaning(argument) or (at, argument.name) for each, source in zip(_parts(kernel), found, strict=True)
         for argument in source.arguments}
        for at, (kernel, found) in enumerate(zip(kernels, sources, strict=True))
    ]  # fmt: skip
    launches = shared(kernels, given, target.launches)
    entries = tuple(
        entry([kernels[at] for at in launch], [sources[at] for at in launch], target.threads) for launch in launches
    )
    head = "#pragma OPENCL FP_CONTRACT OFF\n"
    if any(each.uses_double for each in entries) or "double" in helpers.text():
        head += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    text = "\n" + helpers.text() + "\n".join(each.text for each in entries)
    return Emitted(head + text, entries, helpers.texts)


def _parts(kernel: Kernel) -> list[Kernel]:
    """A kernel, and the one that it does after it."""
    return [each for each in (kernel, kernel.then) if each is not None]


def _written(kernel: Kernel, helpers: Helpers) -> Source:
    assert isinstance(kernel, Looped), f"nobody writes {kernel.name}, of the schedule {kernel.schedule}"
    return looped(kernel, helpers)
