"""The function that runs a plan, written out for it: allocate, launch, return. This is the hot path of every op.

A loop over steps and arguments would cost more than the launches, so the few lines that a plan needs are put together
as Python text and compiled once. Numbers that differ between plans of one scheme are variables around that function.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import get_ident
from typing import TYPE_CHECKING, Any

from netcl.core.dtypes import canonical
from netcl.core.tensor import Tensor, no_room
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.compiler.ir.quantity import Quantity
from netcl.kernels.compiler.lower.host_numbers import completed
from netcl.kernels.compiler.lower.kernel import Access, Argument, Entry
from netcl.kernels.compiler.lower.views import View
from netcl.kernels.compiler.schedule import Recipe
from netcl.kernels.runtime.bindings import refuse_far
from netcl.kernels.runtime.launcher import Launcher, StreamChoice

if TYPE_CHECKING:
    from netcl.core.queue import Queue


@dataclass(frozen=True)
class Launch:
    """A launch over `items` work-items in groups of `local`: `queued` on the main stream, or `at_once` while that is
    idle (where the plan is small enough). `values` are the arguments that are known beforehand."""

    queued: Launcher
    at_once: Launcher | None
    entry: Entry
    items: int
    values: dict[Argument, Any]
    local: int = 1


Step = View | Launch
Run = Callable[..., tuple[Tensor, ...]]


@dataclass(frozen=True)
class Made:
    """`function(numbers, into)` gives `run(tensors, attributes, out=None)` of a plan, for the values that `numbers`
    have in it; `into` is called when there is an `out`. `writing()` gives the same function of a run that writes into
    contiguous tensors, which share memory with nothing else; there is none where an output is a view."""

    function: Callable[[Sequence[Any], Run | None], Run]
    numbers: list[Any]
    writing: Callable[[], Callable[[Sequence[Any], Run | None], Run]] | None = None


def composed(
    formula: Formula,
    shapes: Mapping[str, tuple[int, ...]],
    done: Recipe,
    steps: Sequence[Step],
    queue: Queue,
    copied: Collection[str] = (),
    writes: bool = False,
) -> Made:
    """What runs these steps. `copied` names the operands that are made contiguous first; with `writes` the function
    needs an `out` and writes there."""
    made = _Composer(formula, shapes, done, queue, writes).made(steps, copied)
    if writes or any(isinstance(step, View) for step in steps):
        return made
    names, lean = [each.name for each in made.numbers], replace(done, steps=())  # kernels take memory

    def writing() -> Callable[[Sequence[Any], Run | None], Run]:
        composer = _Composer(formula, shapes, lean, queue, True)
        composer.numbers = dict.fromkeys(names)
        return composer.made(steps, copied).function

    return replace(made, writing=writing)


class _Composer:
    def __init__(
        self, formula: Formula, shapes: Mapping[str, tuple[int, ...]], done: Recipe, queue: Queue, writes: bool
    ) -> None:
        self.writes = writes
        self.queue = queue
        self.formula = formula
        self.shapes = shapes
        self.done = done
        self.variables = {operand.name: f"x{at}" for at, operand in enumerate(formula.operands)}
        self.memory = {name: f"{variable}.buffer.cl" for name, variable in self.variables.items()}
        self.outputs = [output.name for output in formula.outputs]
        self.namespace: dict[str, Any] = {
            "Tensor": Tensor, "allocate": queue.allocate, "no_room": no_room, "thread": get_ident,
            "layout_of": queue.layouts.of, "contiguous_layout": queue.layouts.contiguous,
        }  # fmt: skip
        self.numbers: dict[str, Any] = {}  # by the name that each has
        self.before: list[str] = []  # what is done once for a plan
        self.lines: list[str] = []

    def made(self, steps: Sequence[Step], copied: Collection[str]) -> Made:
        if not self.writes:
            self.lines += ["if out is not None:", "    return into(tensors, attributes, out)"]
        operands = [self.variables[operand.name] for operand in self.formula.operands]
        if operands:
            self.lines.append(f"({', '.join(operands)},) = tensors")
        if copied:
            from netcl.kernels.runtime.copying import contiguous

            self.namespace["contiguous"] = contiguous
            self.lines += [f"{self.variables[name]} = contiguous({self.variables[name]})" for name in sorted(copied)]
        viewed = {step.output for step in steps if isinstance(step, View)}
        for at, temporary in enumerate(self.done.temporaries):
            self.variables[temporary.name] = f"t{at}"
            self._allocate(temporary.name, f"t{at}", temporary.shape, temporary.dtype)
        for at, output in enumerate(self.formula.outputs):
            if self.writes:
                self.variables[output.name] = f"y{at}"
                self.memory[output.name] = f"y{at}.buffer.cl"
                self.lines.append(f"y{at} = out[{at}]")
            elif output.name not in viewed:
                self.variables[output.name] = f"y{at}"
                self._allocate(output.name, f"y{at}_buffer", self.shapes[output.name], output.dtype)
                self.lines.append(f"y{at} = Tensor(y{at}_buffer, y{at}_buffer_layout)")
        small = [(step.queued, step.at_once) for step in steps if isinstance(step, Launch) and step.at_once]
        if small:
            self.namespace["stream"] = self.queue.main
            self.namespace["choice"] = StreamChoice(self.queue.main, *zip(*small, strict=True))
            self.lines.append("idle = stream.launched == stream.settled")
            self.lines.append("if idle is not choice.usual and choice.is_open: idle = choice.at_once(idle)")
        if self.done.computed:
            self.namespace["completed"] = completed(self.done.computed)
            self.lines.append("attributes = completed(attributes)")
        for at, step in enumerate(steps):
            if isinstance(step, View):
                self._view(step)
            else:
                self._launch(at, step)
        self.lines[:0] = self._limits()
        return Made(self._function(), list(self.numbers.values()))

    def _function(self) -> Callable[[Sequence[Any], Run | None], Run]:
        results = ", ".join(self.variables[name] for name in self.outputs)
        given = [f"({', '.join(self.numbers)},) = numbers"] if self.numbers else []
        inner = [*self.lines, f"return ({results},)"]
        outer = [*given, *self.before, "def run(tensors, attributes, out=None):", *(f"    {line}" for line in inner)]
        text = "def made(numbers, into):\n" + "".join(f"    {line}\n" for line in [*outer, "return run"])
        exec(compile(text, f"<plan of {self.formula.name}>", "exec"), self.namespace)
        return self.namespace.pop("made")  # type: ignore[no-any-return]  # which would hold itself

    def _number(self, value: Any) -> str:
        """How a number is written: itself, or the variable that has it where it differs between plans."""
        if not isinstance(value, Quantity):
            return repr(value)
        if value.name not in self.numbers:
            self.numbers[value.name] = value
        return value.name

    def _tuple(self, values: Sequence[Any]) -> str:
        return f"({''.join(f'{self._number(each)}, ' for each in values)})"

    def _limits(self) -> list[str]:
        """Lines that refuse an attribute with which positions would wrap."""
        if not self.done.limits:
            return []
        self.namespace["refuse"] = partial(refuse_far, self.formula.name)
        limits = {name: self._number(most) for name, most in self.done.limits.items()}
        within = " and ".join(f"-{most} <= attributes[{name!r}] <= {most}" for name, most in limits.items())
        shown = ", ".join(f"{name!r}: {most}" for name, most in limits.items())
        return [f"if not ({within}): refuse({{{shown}}}, attributes)"]

    def _allocate(self, name: str, variable: str, shape: tuple[int, ...], dtype: str) -> None:
        """A Buffer for what has this name."""
        self.memory[name] = f"{variable}.cl"
        kind = self.namespace[f"dtype_of_{variable}"] = canonical(dtype)
        self.before += [
            f"{variable}_layout = contiguous_layout({self._tuple(shape)}, dtype_of_{variable})",
            f"{variable}_bytes = {variable}_layout.size * {kind.itemsize}",
        ]
        self.lines += [
            f"try: {variable} = allocate({variable}_bytes)",
            f"except MemoryError as error: raise no_room({variable}_layout, error) from error",
        ]

    def _view(self, view: View) -> None:
        at = self.outputs.index(view.output)
        self.variables[view.output] = f"y{at}"
        self.namespace[f"dtype_of_y{at}"] = canonical(self.formula.outputs[at].dtype)
        shape, strides = self._tuple(view.shape), self._tuple(view.strides)
        self.before.append(f"y{at}_layout = layout_of({shape}, {strides}, dtype_of_y{at})")
        source = self.variables[view.access.buffer]
        offset = "0" if 0 in view.shape else self._offset(view.access)  # without elements there is no place to begin
        self.lines.append(f"y{at} = Tensor({source}.buffer, y{at}_layout, {offset}, {source}.counter)")

    def _launch(self, at: int, step: Launch) -> None:
        self.namespace[f"queued_{at}"] = step.queued
        self.before += [f"size_{at} = ({self._number(step.items)},)", f"local_{at} = ({step.local},)"]
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
                parts.append(self._number(step.values[argument]))
            elif argument.kind == "finished":
                parts.append("launcher.finished")
            elif argument.kind == "buffer":
                parts.append(self.memory[argument.of])
            elif argument.kind == "offset":
                parts.append(self._offset(accesses[argument.owner][argument.of]))
            else:
                parts.append(f"attributes[{argument.of!r}]")
        self.lines.append(f"{launcher}.launches[thread()](size_{at}, local_{at}, {', '.join(parts)})")

    def _offset(self, access: Access) -> str:
        variable = self.variables[access.buffer]
        given = variable.startswith("x") or (variable.startswith("y") and self.writes)
        parts = [f"{variable}.offset"] if given else []
        if access.offset:
            parts.append(self._number(access.offset))
        parts += [f"attributes[{name!r}] * {self._number(factor)}" for name, factor in access.shift]
        return " + ".join(parts) or "0"
