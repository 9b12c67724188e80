"""The function that runs a plan, written out for it: allocate, launch, return. This is the hot path of every op.

A loop over steps and arguments would cost more than the launches, so the few lines that a plan needs are put together
as Python text and compiled once per plan.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from threading import get_ident
from typing import TYPE_CHECKING, Any

from netcl.core.dtypes import canonical
from netcl.core.tensor import Tensor, no_room
from netcl.kernels.bindings import Bindings
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.compiler.kernel import Access, Argument, Entry
from netcl.kernels.compiler.schedule import Recipe
from netcl.kernels.compiler.schedules.view import View
from netcl.kernels.launcher import Launcher

if TYPE_CHECKING:
    from netcl.core.queue import Queue


@dataclass(frozen=True)
class Launch:
    """A launch over `items` work-items: `queued` on the main lane, or `at_once` while that is idle (where the plan is
    small enough). `values` are the arguments that are known now."""

    queued: Launcher
    at_once: Launcher | None
    entry: Entry
    items: int
    values: dict[Argument, Any]


Step = View | Launch
Run = Callable[..., tuple[Tensor, ...]]


def composed(
    formula: Formula,
    bindings: Bindings,
    done: Recipe,
    steps: Sequence[Step],
    queue: Queue,
    copied: Collection[str] = (),
    into: Run | None = None,
) -> Run:
    """`run(tensors, attributes, out=None)` of a plan. `copied` names the operands that are made contiguous first;
    `into` is called when there is an `out`. Without `into` the function needs an `out` and writes there."""
    return _Composer(formula, bindings, done, queue, into).function(steps, copied)


class _Composer:
    def __init__(self, formula: Formula, bindings: Bindings, done: Recipe, queue: Queue, into: Run | None) -> None:
        self.into = into
        self.queue = queue
        self.formula = formula
        self.bindings = bindings
        self.done = done
        self.variables = {operand.name: f"x{at}" for at, operand in enumerate(formula.operands)}
        self.memory = {name: f"{variable}.buffer.cl" for name, variable in self.variables.items()}
        self.outputs = [output.name for output in formula.outputs]
        self.namespace: dict[str, Any] = {
            "Tensor": Tensor, "allocate": queue.allocate, "no_room": no_room, "one": (1,), "thread": get_ident,
        }  # fmt: skip
        self.lines: list[str] = []

    def function(self, steps: Sequence[Step], copied: Collection[str]) -> Run:
        if self.into is not None:
            self.namespace["into"] = self.into
            self.lines += ["if out is not None:", "    return into(tensors, attributes, out)"]
        operands = [self.variables[operand.name] for operand in self.formula.operands]
        if operands:
            self.lines.append(f"({', '.join(operands)},) = tensors")
        if copied:
            from netcl.kernels.copying import contiguous

            self.namespace["contiguous"] = contiguous
            self.lines += [f"{self.variables[name]} = contiguous({self.variables[name]})" for name in sorted(copied)]
        viewed = {step.output for step in steps if isinstance(step, View)}
        for at, temporary in enumerate(self.done.temporaries):
            self.variables[temporary.name] = f"t{at}"
            self._allocate(temporary.name, f"t{at}", temporary.shape, temporary.dtype)
        for at, output in enumerate(self.formula.outputs):
            if self.into is None:
                self.variables[output.name] = f"y{at}"
                self.memory[output.name] = f"y{at}.buffer.cl"
                self.lines.append(f"y{at} = out[{at}]")
            elif output.name not in viewed:
                self.variables[output.name] = f"y{at}"
                self._allocate(output.name, f"y{at}_buffer", self.bindings.shapes[output.name], output.dtype)
                self.lines.append(f"y{at} = Tensor(y{at}_buffer, y{at}_buffer_layout)")
        if any(isinstance(step, Launch) and step.at_once for step in steps):
            self.namespace["lane"] = self.queue.main
            self.lines.append("idle = lane.launched == lane.settled")
        for at, step in enumerate(steps):
            if isinstance(step, View):
                self._view(step)
            else:
                self._launch(at, step)
        results = ", ".join(self.variables[name] for name in self.outputs)
        body = "".join(f"    {line}\n" for line in self.lines)
        text = f"def run(tensors, attributes, out=None):\n{body}    return ({results},)\n"
        exec(compile(text, f"<plan of {self.formula.name}>", "exec"), self.namespace)
        return self.namespace.pop("run")  # type: ignore[no-any-return]  # which would hold itself

    def _allocate(self, name: str, variable: str, shape: tuple[int, ...], dtype: str) -> None:
        """A Buffer for what has this name."""
        self.memory[name] = f"{variable}.cl"
        layout = self.namespace[f"{variable}_layout"] = self.queue.layouts.contiguous(shape, canonical(dtype))
        self.lines += [
            f"try: {variable} = allocate({layout.size * layout.dtype.itemsize})",
            f"except MemoryError as error: raise no_room({variable}_layout, error) from error",
        ]

    def _view(self, view: View) -> None:
        at = self.outputs.index(view.output)
        self.variables[view.output] = f"y{at}"
        dtype = canonical(self.formula.outputs[at].dtype)
        self.namespace[f"y{at}_layout"] = self.queue.layouts.of(view.shape, view.strides, dtype)
        source = self.variables[view.access.buffer]
        offset = "0" if 0 in view.shape else self._offset(view.access)  # without elements there is no place to begin
        self.lines.append(f"y{at} = Tensor({source}.buffer, y{at}_layout, {offset}, {source}.counter)")

    def _launch(self, at: int, step: Launch) -> None:
        self.namespace[f"queued_{at}"] = step.queued
        self.namespace[f"size_{at}"] = (step.items,)
        launcher = f"queued_{at}"
        if step.at_once:
            self.namespace[f"at_once_{at}"] = step.at_once
            launcher = f"(at_once_{at} if idle else queued_{at})"
        if any(argument.kind == "finished" for argument in step.entry.arguments):
            self.lines.append(f"launcher = {launcher}")
            launcher = "launcher"
        accesses = [
            {**kernel.accesses, **{write.access.name: write.access for write in kernel.writes}}
            for kernel in step.entry.kernels
        ]
        parts = []
        for argument in step.entry.arguments:
            if argument in step.values:
                parts.append(repr(step.values[argument]))
            elif argument.kind == "finished":
                parts.append("launcher.finished")
            elif argument.kind == "buffer":
                parts.append(self.memory[argument.of])
            elif argument.kind == "offset":
                parts.append(self._offset(accesses[argument.owner][argument.of]))
            else:
                parts.append(f"attributes[{argument.of!r}]")
        self.lines.append(f"{launcher}.launches[thread()](size_{at}, one, {', '.join(parts)})")

    def _offset(self, access: Access) -> str:
        variable = self.variables[access.buffer]
        given = variable.startswith("x") or (variable.startswith("y") and self.into is None)
        text = f"{variable}.offset" if given else "0"
        if access.offset:
            text = f"{text} + {access.offset}" if text != "0" else str(access.offset)
        return text + "".join(f" + attributes[{name!r}] * {factor}" for name, factor in access.shift)
