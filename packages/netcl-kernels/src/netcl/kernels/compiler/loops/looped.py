"""A kernel that is a loop nest: its text, with the arguments of the launch under the names that they have there."""

from __future__ import annotations

from dataclasses import replace

from netcl.kernels.compiler.loops.given import Looped
from netcl.kernels.compiler.loops.text import text
from netcl.kernels.compiler.lower.kernel import Source
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.names import Names


def looped(kernel: Looped, helpers: Helpers) -> Source:
    """The kernel's own body: it has local memory, which no function may declare."""
    names = Names()
    called = {name: names.fresh(argument.name) for name, argument in kernel.given.items()}
    arguments = [replace(argument, name=called[name]) for name, argument in kernel.given.items()]
    arguments.sort(key=lambda each: each.kind != "buffer")
    found = text(kernel.nest, called, helpers)
    items = kernel.nest.items
    heading = f"{kernel.heading}__attribute__((reqd_work_group_size({items}, 1, 1)))"
    dtypes = {access.dtype for access in kernel.accesses.values()} | {write.expr.dtype for write in kernel.writes}
    return Source("", heading, tuple(arguments), "float64" in dtypes, found)
