"""Several formulas as one: what one reads of another is computed in its place.

Input: steps, each a formula and where its operands come from. Output: one Formula of chosen values, with its gradient
declared: the gradients of the steps, composed in reverse. So a fused formula has the author's gradients, and what
each step promises of them (no overflow in sigmoid, ties shared in max) holds for the whole.

The indices of a step become those of what it reads. A value with a reduction in it that the gradient needs is saved
(as a hidden output); everything else that the gradient mentions is computed again from the operands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from netcl.core.bounded import remembered
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.fusion.unify import INPUT, Step, Unified, Value, unified
from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    Attribute,
    Axes,
    Expr,
    Formula,
    Number,
    Operand,
    Output,
    Position,
    Read,
    Recurrence,
    Reduce,
    Scan,
    attribute,
    number,
    position,
    read,
    root,
    size,
    subexpressions,
    transform,
    verify,
)
from netcl.kernels.compiler.ir.binding import substitute
from netcl.kernels.compiler.ir.plain import plain
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.ir.transplant import moved

__all__ = ["Step", "Value", "attribute_name", "fused", "joins", "reduces", "reductions_in_a_row"]


@dataclass(frozen=True)
class _Known:
    """A value: an expression over the index of each axis; None is an axis of length 1 without one."""

    expr: Expr
    axes: tuple[str | None, ...]


@remembered("formulas that may be joined", 2048)
def joins(formula: Formula) -> bool:
    """Whether a formula can be a step among others: its axes are whole and each has an index of its own (the gradient
    of a diagonal has two of one size), it reads at plain positions, it scans nothing, no element waits for another, and
    each reduction goes over what one operand has. A product of matrices is not of that kind: it is worth a kernel of
    its own, and its factors are read again and again."""
    tensors: list[Operand | Output] = [*formula.operands, *formula.outputs]
    for each in tensors:
        if each.flat or any(len(axis) > 1 for axis in each.axes):
            return False
    for node in subexpressions(*(output.expr for output in plain(formula).outputs)):
        if isinstance(node, (Recurrence, Scan)):
            return False
        if isinstance(node, Read) and not all(isinstance(at, (Position, Number)) for at in node.at):
            return False
        if isinstance(node, Reduce) and not any(
            isinstance(each, Read) and each.free >= node.body.free for each in subexpressions(node.body)
        ):
            return False
    return all(len({root(index) for index in each.indices}) == len(each.indices) for each in tensors)


@remembered("formulas that reduce", 2048)
def reduces(formula: Formula) -> bool:
    """Whether there is a reduction in a formula."""
    nodes = subexpressions(*(output.expr for output in plain(formula).outputs))
    return any(isinstance(node, Reduce) for node in nodes)


@remembered("reductions in a row", 2048)
def reductions_in_a_row(formula: Formula) -> int:
    """How many reductions of a formula wait for each other, at most."""
    found: dict[Expr, int] = {}
    for node in subexpressions(*(output.expr for output in plain(formula).outputs)):
        found[node] = max((found[child] for child in node.children), default=0) + isinstance(node, Reduce)
    return max(found.values(), default=0)


def attribute_name(step: int, name: str) -> str:
    """What an attribute of a step is called in the fused formula."""
    return f"s{step}.{name}"


def fused(name: str, steps: Sequence[Step], outputs: Sequence[Value], wanted: Iterable[int]) -> Formula:
    """The formula of `outputs` (y0, y1, …) over the inputs (x0, x1, …), with gradients for the `wanted` inputs.

    Raises NoDerivative where a step on the way to one of those has none.
    """
    return _Fuser(name, steps, outputs).formula(tuple(wanted))


@dataclass
class _Fuser:
    name: str
    steps: Sequence[Step]
    outputs: Sequence[Value]
    inputs: dict[int, Operand] = field(default_factory=dict)
    sizes: dict[str, Expr] = field(default_factory=dict)

    names: Sequence[Mapping[str, str]] = ()
    """For each step, the index here that stands for each index of its formula."""

    def formula(self, wanted: tuple[int, ...]) -> Formula:
        indices = unified(self.steps)
        self.names = indices.names
        self._settle(indices)
        values = self._values({})
        outputs = [self._output(f"y{n}", values[value]) for n, value in enumerate(self.outputs)]
        reading = {value: self._read(f"y{n}", values[value]) for n, value in enumerate(self.outputs)}
        kept = [value for value in values if value not in reading and reduces(self.steps[value[0]].formula)]
        hidden = {f"saved{n}": value for n, value in enumerate(kept)}
        reading |= {value: self._read(name, values[value]) for name, value in hidden.items()}
        declared = self._gradients(wanted, self._values(reading)) if wanted else {}
        mentioned = {node.operand for node in subexpressions(*declared.values()) if isinstance(node, Read)}
        outputs += [
            self._output(name, values[value], hidden=True) for name, value in hidden.items() if name in mentioned
        ]
        attributes = {
            attribute_name(at, own): dtype
            for at, step in enumerate(self.steps)
            for own, dtype in step.formula.attributes.items()
        }
        checks = tuple(
            (self._moved(at, condition, {}), sentence)
            for at, step in enumerate(self.steps)
            for condition, sentence in step.formula.checks
        )
        operands = tuple(self.inputs[n] for n in sorted(self.inputs))
        return verify(Formula(self.name, operands, attributes, tuple(outputs), self.sizes, declared, checks=checks))

    def _settle(self, indices: Unified) -> None:
        """The inputs, and the extents that none of them gives."""
        for step in self.steps:
            for operand, (number_of, output) in zip(step.formula.operands, step.sources, strict=True):
                if number_of == INPUT and output not in self.inputs:
                    axes = tuple((index,) for index in indices.axes[output])
                    self.inputs[output] = Operand(f"x{output}", operand.dtype, axes)
        given = {index for axes in indices.axes.values() for index in axes}
        self.sizes |= {index: size(other) for index, other in indices.like.items()}
        self.sizes |= dict.fromkeys(indices.ones, number(1, INDEX_DTYPE))
        for at, step in enumerate(self.steps):
            for own, expr in step.formula.sizes.items():
                index = self.names[at][root(own)]
                if index not in given and index not in self.sizes:
                    self.sizes[index] = self._moved(at, expr, {})

    # --- values -----------------------------------------------------------------------------------------------------

    def _values(self, saved: Mapping[Value, _Known]) -> dict[Value, _Known]:
        """What every output of every step is; those that are saved are read."""
        values: dict[Value, _Known] = {}
        for at, step in enumerate(self.steps):
            given = {
                operand.name: self._source(source, values)
                for operand, source in zip(step.formula.operands, step.sources, strict=True)
            }
            for number_of, output in enumerate(step.formula.outputs):
                value = (at, number_of)
                axes = tuple(self.names[at][root(axis[0])] if axis else None for axis in output.axes)
                expr = self._moved(at, output.expr, given)
                values[value] = saved.get(value) or _Known(expr, axes)
        return values

    def _source(self, source: Value, values: Mapping[Value, _Known]) -> _Known:
        if source[0] != INPUT:
            return values[source]
        operand = self.inputs[source[1]]
        return _Known(read(operand.name, tuple(map(position, operand.indices)), operand.dtype), operand.indices)

    def _moved(self, at: int, expr: Expr, given: Mapping[str, _Known]) -> Expr:
        """An expression of a step over the indices, attributes and values of the whole."""
        whole = _Whole(at, self.steps[at].formula, self.names[at], given)
        return transform(expr, lambda node, children: moved(node, children, whole))

    # --- outputs ----------------------------------------------------------------------------------------------------

    def _output(self, name: str, known: _Known, hidden: bool = False) -> Output:
        return Output(name, known.expr, tuple((axis,) if axis else () for axis in known.axes), hidden=hidden)

    def _read(self, name: str, known: _Known) -> _Known:
        at = tuple(position(axis) for axis in known.axes if axis)
        return _Known(read(name, at, known.expr.dtype), known.axes)

    # --- gradients --------------------------------------------------------------------------------------------------

    def _gradients(self, wanted: tuple[int, ...], values: Mapping[Value, _Known]) -> dict[str, Expr]:
        """The gradient of each wanted input, over the input's own indices; reads `dy0`, `dy1`, …"""
        relevant = self._relevant(wanted)
        adjoints: dict[Value, Expr] = {}

        def add(value: Value, part: Expr) -> None:
            adjoints[value] = call("add", adjoints[value], part) if value in adjoints else part

        for number_of, value in enumerate(self.outputs):
            known = values[value]
            if value in relevant:
                add(value, self._read(f"dy{number_of}", known).expr)
        for at in reversed(range(len(self.steps))):
            step = self.steps[at]
            for place, part in self._step_gradients(at, relevant, adjoints, values):
                source = step.sources[place]
                add(source, part)
        zero = {n: cast(0.0, self.inputs[n].dtype) for n in wanted}
        return {f"x{n}": adjoints.get((INPUT, n), zero[n]) for n in wanted}

    def _relevant(self, wanted: tuple[int, ...]) -> set[Value]:
        """The float values that a wanted input reaches."""
        relevant: set[Value] = {(INPUT, n) for n in wanted}
        for at, step in enumerate(self.steps):
            pairs = zip(step.formula.operands, step.sources, strict=True)
            if any(source in relevant and operand.differentiable for operand, source in pairs):
                for number_of, output in enumerate(step.formula.outputs):
                    if output.dtype in FLOATS:
                        relevant.add((at, number_of))
        return relevant

    def _step_gradients(
        self, at: int, relevant: set[Value], adjoints: Mapping[Value, Expr], values: Mapping[Value, _Known]
    ) -> Iterable[tuple[int, Expr]]:
        """(place of the operand, gradient over the axes of what it reads) for each operand of one step."""
        step = self.steps[at]
        formula = step.formula
        seeded = tuple(out.name for n, out in enumerate(formula.outputs) if (at, n) in adjoints)
        places = [
            place
            for place, (operand, source) in enumerate(zip(formula.operands, step.sources, strict=True))
            if source in relevant and operand.dtype in FLOATS and operand.differentiable
        ]
        if not seeded or not places:
            return
        given = {
            operand.name: self._source(source, values)
            for operand, source in zip(formula.operands, step.sources, strict=True)
        }
        for number_of, output in enumerate(formula.outputs):
            known = values[at, number_of]
            given[output.name] = known
            adjoint = adjoints.get((at, number_of), cast(0.0, output.dtype))
            given["d" + output.name] = _Known(cast(adjoint, output.dtype), known.axes)
        gradient = pipeline.gradient(formula, tuple(formula.operands[place].name for place in places), seeded)
        for place, output in zip(places, gradient.outputs, strict=True):
            expr = self._moved(at, output.expr, given)
            own = given[formula.operands[place].name]
            here = {
                self.names[at][root(axis[0])]: position(mine) if mine else number(0, INDEX_DTYPE)
                for axis, mine in zip(output.axes, own.axes, strict=True)
                if axis
            }
            yield place, cast(substitute(expr, here), own.expr.dtype)


@dataclass(frozen=True)
class _Whole:
    """What the names of step `at` mean in the whole: its indices have `names`, its operands are the values `given`."""

    at: int
    formula: Formula
    names: Mapping[str, str]
    given: Mapping[str, _Known]

    def read(self, node: Read, at: tuple[Expr, ...]) -> Expr:
        """The element of a value at one position for each index of an operand's axes."""
        if " " in node.operand:  # bound by a Custom
            return read(node.operand, at, node.dtype)
        known, places = self.given[node.operand], iter(at)
        values: dict[str, Expr] = {}
        for axis, mine in zip(self._axes_of(node.operand), known.axes, strict=True):
            place = next(places) if axis else number(0, INDEX_DTYPE)
            if mine is not None:
                values[mine] = place
        return substitute(known.expr, values)

    def attribute(self, node: Attribute) -> Expr:
        """The attribute of this step among those of all."""
        return attribute(attribute_name(self.at, node.name), node.dtype)

    def position(self, index: str) -> Expr:
        """Along an index of the whole."""
        return position(self.renamed(index))

    def size(self, index: str) -> Expr:
        """Of an index of the whole."""
        return size(self.names[index])

    def renamed(self, index: str) -> str:
        """The name of an index in the whole."""
        return self.names[root(index)] + index[len(root(index)) :]

    def _axes_of(self, name: str) -> Axes:
        """The axes of an operand of the step, or of what its gradient reads beside those."""
        for operand in self.formula.operands:
            if operand.name == name:
                return operand.axes
        return next(output.axes for output in self.formula.outputs if name in (output.name, "d" + output.name))
