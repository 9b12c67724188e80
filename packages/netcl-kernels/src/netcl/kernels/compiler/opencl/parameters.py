"""The parameter list of a function in C."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from netcl.kernels.compiler.lower.kernel import Argument, Kernel
from netcl.kernels.compiler.opencl.types import STORED, computed


def parameters(kernel: Kernel, arguments: Iterable[Argument], *more: str) -> str:
    """The declarations of these arguments of a kernel, in order, then `more`."""
    return listed([*declared(kernel, arguments), *more])


def declared(kernel: Kernel, arguments: Iterable[Argument]) -> list[str]:
    """The declaration of each of these arguments."""
    parts: list[str] = []
    written = {write.access.buffer: write.access.dtype for write in kernel.writes}
    read = {access.buffer: access.dtype for access in kernel.accesses.values()}
    for argument in arguments:
        if argument.kind != "buffer":
            dtype = kernel.attributes.get(argument.of, "int64") if argument.kind == "attribute" else "int64"
            parts.append(f"const {computed(dtype)} {argument.name}")
        elif argument.of in written:
            parts.append(f"__global {STORED[written[argument.of]]} *{argument.name}")
        else:
            parts.append(f"__global const {STORED[read[argument.of]]} *{argument.name}")
    return parts


def listed(parts: Sequence[str]) -> str:
    """Between the parentheses: in one line, or each in its own."""
    return ", ".join(parts) if len(", ".join(parts)) < 90 else "\n    " + ",\n    ".join(parts)
