"""Calls one after the other, and their gradient: a list of calls again, so that there is one of every order.

Input: a call. Output: a Chain of it, or of its gradient. Nothing runs here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from netcl.core import dtypes
from netcl.core.bounded import remembered
from netcl.kernels.compiler import ir
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.interop.applied import Applied, Operand, Shape, Spec, bound
from netcl.kernels.namespace import catalogue

INPUT = -1

Value = tuple[int, int]
"""(number of the step, number of its output); (-1, n) is input n."""

Run = Callable[[Applied, Sequence[Any]], Sequence[Any]]
"""All outputs of a call on operands of some framework."""


@dataclass(frozen=True)
class Step:
    call: Applied
    sources: tuple[Value, ...]


@dataclass(frozen=True)
class Chain:
    """`inputs` are the shapes and dtypes of what is given, `differentiable` says which of it has a gradient."""

    inputs: tuple[Spec, ...]
    differentiable: tuple[bool, ...]
    steps: tuple[Step, ...]
    outputs: tuple[Value, ...]

    @classmethod
    def of(cls, call: Applied, operands: Sequence[Any]) -> Chain:
        """One call."""
        sources = tuple((INPUT, at) for at in range(len(operands)))
        return cls(
            tuple((tuple(each.shape), each.dtype) for each in operands),
            call.differentiable,
            (Step(call, sources),),
            tuple((0, at) for at in call.shown),
        )

    def run(self, given: Sequence[Any], run: Run) -> tuple[Any, ...]:
        """The outputs, where `run` computes those of a call."""
        values: dict[Value, Any] = {(INPUT, at): each for at, each in enumerate(given)}
        for number, step in enumerate(self.steps):
            found = run(step.call, [values[source] for source in step.sources])
            values.update({(number, at): each for at, each in enumerate(found)})
        return tuple([values[value] for value in self.outputs])

    @property
    def seeds(self) -> tuple[Spec, ...]:
        """The outputs whose gradients its gradient is given."""
        specs = self._specs()
        return tuple(specs[value] for value in self.outputs if self._carries(value))

    def gradient(self, needs: Sequence[bool]) -> Chain:
        """Inputs: those of this one and the gradients of its float outputs. Outputs: the gradients of the inputs that
        need one, which are 0 where nothing depends on them. Raises GraphError where there is none."""
        return _Reverse(self, tuple(needs)).chain()

    def _carries(self, value: Value) -> bool:
        step, at = value
        return self.differentiable[at] if step == INPUT else at not in self.steps[step].call.constant

    def _specs(self) -> dict[Value, Spec]:
        """Shape and dtype of every value."""
        specs: dict[Value, Spec] = {(INPUT, at): each for at, each in enumerate(self.inputs)}
        for number, step in enumerate(self.steps):
            shapes = [specs[source][0] for source in step.sources]
            specs.update({(number, at): each for at, each in enumerate(step.call.outputs(shapes))})
        return specs


@remembered("formulas of zeros", 64)
def _zeros(rank: int, dtype: str) -> Formula:
    axes = tuple((f"i{n}",) for n in range(rank))
    return Formula("zeros", (ir.Operand("x", dtype, axes),), {}, (ir.Output("y", ir.number(0, dtype), axes),))


class _Reverse:
    """Goes through the steps from the last to the first."""

    def __init__(self, chain: Chain, needs: tuple[bool, ...]) -> None:
        self.source = chain
        self.needs = needs
        self.steps = list(chain.steps)
        self.specs = chain._specs()
        self.adjoints: dict[Value, Value] = {}
        self.relevant = {(INPUT, at) for at, each in enumerate(needs) if each}
        for number, step in enumerate(chain.steps):
            if any(self._is_relevant(step, at) for at in range(len(step.sources))):
                self.relevant |= {(number, at) for at in range(len(step.call.formula.outputs))}

    def chain(self) -> Chain:
        source = self.source
        seeds = source.seeds
        first = len(source.inputs)
        for at, spec in enumerate(seeds):
            self.specs[INPUT, first + at] = spec
        carrying = (value for value in source.outputs if source._carries(value))
        for at, value in enumerate(carrying):
            self._add(value, (INPUT, first + at))
        for number in reversed(range(len(source.steps))):
            self._pull(number)
        wanted = [(INPUT, at) for at, each in enumerate(self.needs) if each]
        outputs = tuple([self.adjoints.get(value) or self._zeros(value) for value in wanted])
        inputs = (*source.inputs, *seeds)
        return Chain(inputs, (*source.differentiable, *[True] * len(seeds)), tuple(self.steps), outputs)

    def _is_relevant(self, step: Step, at: int) -> bool:
        return step.sources[at] in self.relevant and step.call.differentiable[at]

    def _pull(self, number: int) -> None:
        step = self.source.steps[number]
        came = [(number, at) in self.adjoints for at in range(len(step.call.formula.outputs))]
        needs = [self._is_relevant(step, at) for at in range(len(step.sources))]
        if not any(came) or not any(needs):
            return
        found = step.call.pullback(self._shapes(step.sources), needs, came)
        if found is None:
            return

        def value_of(kind: str, at: int) -> Value:
            if kind == "input":
                return step.sources[at]
            if kind == "output":
                return (number, at)
            return self.adjoints.get((number, at)) or self._zeros((number, at))

        sources = tuple([value_of(*each) for each in found.sources])
        for at, gradient in zip(found.places, self._append(found.call, sources), strict=True):
            self._add(step.sources[at], gradient)

    def _add(self, value: Value, part: Value) -> None:
        before = self.adjoints.get(value)
        self.adjoints[value] = part if before is None else self._called("add", before, part)

    def _zeros(self, value: Value) -> Value:
        shape, dtype = self.specs[value]
        return self._append(Applied.of(_zeros(len(shape), dtypes.name_of(dtype)), {}), (value,))[0]

    def _called(self, name: str, *values: Value) -> Value:
        """What an op of the catalogue gives."""
        call, _ = bound(catalogue[name], [Operand(*self.specs[value]) for value in values], {})
        return self._append(call, values)[0]

    def _append(self, call: Applied, sources: tuple[Value, ...]) -> list[Value]:
        number = len(self.steps)
        self.steps.append(Step(call, sources))
        specs = call.outputs(self._shapes(sources))
        values = [(number, at) for at in range(len(specs))]
        self.specs.update(zip(values, specs, strict=True))
        return values

    def _shapes(self, sources: Sequence[Value]) -> list[Shape]:
        return [self.specs[source][0] for source in sources]
