"""What OpenCL launches: one kernel, or several at once.

Input: kernels that need nothing of each other, and their functions. Output: an Entry. The first work-items do the first
kernel, those after them the second, and so on. A driver hands runs of work-items to its threads, and those of one
kernel take longer than those of another: so there is a run for each thread, which has its part of every kernel. Where a
kernel has another to do `then`, its work-items count themselves as they finish, in an int that is 0 between launches,
and the last one goes on. What the others have written is there for it: on a CPU, an atomic operation orders the writes
before it. A launch costs more than many a kernel does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from netcl.kernels.compiler.lower.kernel import Argument, Entry, Kernel, Source
from netcl.kernels.compiler.opencl.lines import Lines, text_of
from netcl.kernels.compiler.opencl.names import Names, function_name
from netcl.kernels.compiler.opencl.parameters import declared, listed


def entry(kernels: Sequence[Kernel], sources: Sequence[Sequence[Source]], threads: int) -> Entry:
    """The launch of these kernels. Each has its Source, and after it that of the kernel it does `then`."""
    return _Entry(kernels, sources, threads).entry()


class _Entry:
    def __init__(self, kernels: Sequence[Kernel], sources: Sequence[Sequence[Source]], threads: int) -> None:
        self.beside = kernels
        self.threads = threads
        self.sources = sources
        self.kernels: list[Kernel] = []
        self.arguments: list[Argument] = []
        self.declared: list[str] = []
        self.names = Names()
        self.known: dict[tuple[Any, ...], str] = {}
        """What an argument means, and its name."""
        self.counters = 0

    def entry(self) -> Entry:
        ((only, *_), *others) = self.sources
        if only.body and not others:
            return self._alone(only)
        lines = self._shared() if len(self.beside) > 1 else self._done(0, "get_global_id(0)")
        if self.counters:
            self.declared.append("volatile __global int *finished")
            self.arguments.append(Argument("finished", "finished"))
        name = function_name(self.beside[0].name, "kernel")
        every = [source for sources in self.sources for source in sources]
        text = "\n".join(source.text for source in every)
        text += f"\n__kernel void {name}({listed(self.declared)}) {{\n{text_of(lines)}}}\n"
        uses_double = any(source.uses_double for source in every)
        return Entry(name, text, tuple(self.arguments), tuple(self.kernels), uses_double)

    def _alone(self, source: Source) -> Entry:
        """The kernel of one that has no function."""
        kernel = self.beside[0]
        name = function_name(kernel.name, "kernel")
        text = (
            f"{source.text}\n__kernel void {name}({listed(declared(kernel, source.arguments))}) {{\n{source.body}}}\n"
        )
        return Entry(name, text, source.arguments, (kernel,), source.uses_double)

    def _shared(self) -> Lines:
        """Which work-items do which kernel."""
        last = len(self.beside) - 1
        calls: list[Lines] = []
        items: list[str] = []
        for number in range(last + 1):
            owner = len(self.kernels)
            calls.append(self._done(number, "item" if self.threads == 1 else f"first_{number} + item"))
            if number < last:
                items.append(self._items(owner))
        lines, counts = self._in_runs(items)
        for number, count in enumerate(counts):
            header = (
                f"if (item < {count}) {{"
                if number == 0
                else f"}} else if ((item -= {counts[number - 1]}) < {count}) {{"
            )
            lines += [header, calls[number]]
        return [*lines, "} else {", [f"item -= {counts[-1]};", *calls[-1]], "}"]

    def _in_runs(self, items: Sequence[str]) -> tuple[Lines, Sequence[str]]:
        """What says which work-item of its run this one is, and the names of how many of these do each kernel but the
        last one, of which so many do each in all."""
        if self.threads == 1:
            return ["long item = get_global_id(0);"], items
        every = [*items, "items_of_last"]
        begin = " + ".join(f"{many} * run / {self.threads}" for many in every)
        lines: Lines = [
            f"const long items_of_last = {' - '.join(('get_global_size(0)', *items))};",
            f"long item = get_global_id(0), run = {self.threads - 1};",
            f"while (item < {begin}) --run;",
            f"item -= {begin};",
        ]
        for number, many in enumerate(every):
            lines.append(f"const long first_{number} = {many} * run / {self.threads};")
        counts = [f"count_{number}" for number in range(len(items))]
        for number, many in enumerate(items):
            lines.append(f"const long count_{number} = {many} * (run + 1) / {self.threads} - first_{number};")
        return lines, counts

    def _done(self, number: int, item: str) -> Lines:
        """What a work-item of this kernel does."""
        kernel = self.beside[number]
        owner = len(self.kernels)
        first, *after = (
            self._call(each, source)
            for each, source in zip((kernel, kernel.then), self.sources[number], strict=False)
            if each is not None
        )
        lines: Lines = [first.format(item=item)]
        if after:
            finished = f"finished[{self.counters}]"
            self.counters += 1
            lines += [
                "mem_fence(CLK_GLOBAL_MEM_FENCE);",
                f"if (atomic_inc(&{finished}) == {self._items(owner)} - 1) {{  // the last one to finish",
                [
                    f"{finished} = 0;",
                    "mem_fence(CLK_GLOBAL_MEM_FENCE);",
                    after[0].format(item="0"),
                ],
                "}",
            ]
        return lines

    def _call(self, kernel: Kernel, source: Source) -> str:
        """The call of its function, which `item` is to be put into; its arguments are then arguments of the launch."""
        owner = len(self.kernels)
        self.kernels.append(kernel)
        called = []
        for each in source.arguments:
            meaning = kernel.meaning(each) or (owner, each.name)
            if meaning not in self.known:
                name = self.known[meaning] = self.names.again(each.name, f"of_{owner + 1}" if owner else "")
                self.arguments.append(replace(each, name=name, owner=owner))
                self.declared += declared(kernel, self.arguments[-1:])
            called.append(self.known[meaning])
        return f"{source.function}({', '.join([*called, '{item}'])});"

    def _items(self, owner: int) -> str:
        """The argument that says how many work-items do a kernel."""
        for argument in self.arguments:
            if (argument.kind, argument.owner) == ("items", owner):
                return argument.name
        name = self.names.again("items", f"of_{owner + 1}" if owner else "")
        self.arguments.append(Argument("items", name, owner=owner))
        self.declared.append(f"const long {name}")
        return name
