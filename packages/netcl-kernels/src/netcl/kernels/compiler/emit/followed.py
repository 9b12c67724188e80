"""Two kernels as one launch: the work-item that finishes last does the second, small one, too.

Input: both kernels and their texts. Output: the Source of one. Work-items count themselves as they finish, in an int
that is 0 between launches. What the others have written is there for the last: on a CPU, an atomic operation orders the
writes before it. A launch costs ten times what bringing a few hundred partial results together does.
"""

from __future__ import annotations

from dataclasses import replace

from netcl.kernels.compiler.emit.parameters import parameters
from netcl.kernels.compiler.kernel import Argument, Kernel, Source

_FINISHED = Argument("finished", "finished")
_ITEMS = Argument("items", "items")


def followed(first: Kernel, source: Source, second: Kernel, after: Source) -> Source:
    """The text of both kernels with one entry, and its arguments."""
    renamed = tuple(replace(each, name=f"{each.name}_then", then=True) for each in after.arguments)
    passed = ", ".join([*(each.name for each in source.arguments), "get_global_id(0)"])
    passed_then = ", ".join([*(each.name for each in renamed), "0"])
    name = f"{first.name}_kernel"
    every = [parameters(first, source.arguments), parameters(second, renamed)]
    listed = ", ".join(" ".join(each.split()) for each in every)
    entry = (
        f"// The last work-item to finish does {second.name}_item, too.\n"
        f"__kernel void {name}(\n"
        f"    {listed.replace(', ', ',' + chr(10) + '    ')},\n"
        "    volatile __global int *finished,\n    const long items) {\n"
        f"    {first.name}_item({passed});\n"
        "    mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
        "    if (atomic_inc(finished) == items - 1) {\n"
        "        *finished = 0;\n"
        "        mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
        f"        {second.name}_item({passed_then});\n"
        "    }\n"
        "}\n"
    )
    arguments = (*source.arguments, *renamed, _FINISHED, _ITEMS)
    return Source(name, f"{source.text}\n{after.text}", arguments, source.uses_double or after.uses_double, entry)
