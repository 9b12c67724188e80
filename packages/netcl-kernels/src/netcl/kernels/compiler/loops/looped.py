"""A kernel that is a loop nest: its text, with the arguments of the launch under the names that they have there."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from netcl.kernels.compiler.loops.given import Looped, Units
from netcl.kernels.compiler.loops.text import text
from netcl.kernels.compiler.lower.kernel import Argument, Source
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.names import Names, function_name
from netcl.kernels.compiler.opencl.parameters import parameters

_NAME = re.compile(r"[A-Za-z_]\w*")

_ALONE = "__attribute__((noinline)) void"
"""A driver may put a kernel into a work-group function that is compiled three times and, on some CPUs, for fewer
features than the kernel itself; a function that is not inlined is spared both."""


def looped(kernel: Looped, helpers: Helpers) -> Source:
    """What one work-item does as a function; where there are groups, the kernel's own body: it has local memory, which
    no function may declare."""
    names, same = Names(), dict[Any, str]()
    called: dict[str, str] = {}
    for name, argument in kernel.given.items():
        meaning = kernel.meaning(argument) or name
        if meaning not in same:
            own = argument.kind in ("units", "chunk")
            same[meaning] = names.own(argument.name) if own else names.fresh(argument.name)
        called[name] = same[meaning]
    found = text(kernel.nest, called, helpers)
    said = {*_NAME.findall(found)}
    given: dict[str, Argument] = {}
    for name, argument in kernel.given.items():
        given.setdefault(called[name], argument)
    arguments = [
        replace(argument, name=name)
        for name, argument in given.items()
        if argument.kind in ("buffer", "units", "chunk") or name in said
    ]
    arguments.sort(key=lambda each: each.kind != "buffer")
    dtypes = {access.dtype for access in kernel.accesses.values()} | {write.expr.dtype for write in kernel.writes}
    uses_double = "float64" in dtypes or "double" in found
    if isinstance(kernel, Units):
        name = function_name(kernel.name, "item")
        heading = f"{kernel.heading}{_ALONE} {name}({parameters(kernel, arguments, 'const long item')})"
        return Source(name, f"{heading} {{\n{found}}}\n", tuple(arguments), uses_double)
    heading = f"{kernel.heading}__attribute__((reqd_work_group_size({kernel.nest.items}, 1, 1)))"
    return Source("", heading, tuple(arguments), uses_double, found)
