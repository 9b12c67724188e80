"""Several indices counted as one: the C that takes a flat position apart, and the C that steps to the next one."""

from __future__ import annotations

from collections.abc import Sequence

from netcl.kernels.compiler.opencl.scope import Lines
from netcl.kernels.compiler.targets.cpu.emit.body import Body


def total(body: Body, indices: Sequence[str]) -> str:
    """How many combinations of `indices` there are."""
    return " * ".join(body.argument("size", index=index) for index in indices) or "1"


def counted(body: Body, indices: Sequence[str]) -> str:
    """The flat position of `indices`."""
    flat = ""
    for index in indices:
        name = body.index_name(index)
        flat = f"({flat}) * {body.argument('size', index=index)} + {name}" if flat else name
    return flat or "0"


def decoded(body: Body, indices: Sequence[str], flat: str, moving: bool = False) -> Lines:
    """Declarations of the indices at the flat position `flat`; `moving` ones may be stepped on."""
    kind = "long" if moving else "const long"
    names = [body.index_name(index) for index in indices]
    if len(names) < 2:
        return [f"{kind} {name} = {flat};" for name in names]
    lines: Lines = []
    rest = f"({flat})"
    for index, name in reversed([*zip(indices, names, strict=True)][1:]):
        size = body.argument("size", index=index)
        lines.append(f"{kind} {name} = {rest} % {size};")
        rest = f"{rest} / {size}"
    return [*lines, f"{kind} {names[0]} = {rest};"]


def advanced(body: Body, indices: Sequence[str]) -> Lines:
    """The next combination of `indices`."""
    if not indices:
        return []
    name, size = body.index_name(indices[-1]), body.argument("size", index=indices[-1])
    if len(indices) == 1:
        return [f"++{name};"]
    return [f"if (++{name} == {size}) {{", [f"{name} = 0;", *advanced(body, indices[:-1])], "}"]
