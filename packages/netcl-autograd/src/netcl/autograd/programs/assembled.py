"""From a trace to a program: steps over values, groups of steps, and for each group one formula.

Input: what `tracer` has written down. Output: what `replay` runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from netcl.autograd.ops import Rule
from netcl.autograd.programs.replay import Check, Group, Met, Program, wants
from netcl.autograd.programs.trace_nodes import Seed, TracedOp, TraceNode
from netcl.autograd.programs.tracer import Trace
from netcl.autograd.transforms.trees import Structure
from netcl.core.bounded import remembered
from netcl.core.errors import GraphError
from netcl.kernels.compiler.derive.formula import NoDerivative
from netcl.kernels.compiler.fusion.fuse import Step, Value, attribute_name, fused
from netcl.kernels.compiler.fusion.groups import grouped
from netcl.kernels.compiler.fusion.unify import INPUT
from netcl.kernels.compiler.ir import INDEX_DTYPE, Formula, number, root
from netcl.kernels.compiler.ir.bounds import bounds, reaches
from netcl.kernels.runtime.bindings import Bindings


def assembled(
    name: str, trace: Trace, inputs: Sequence[TraceNode], results: Sequence[Any], structure: Structure,
    places: list[int], seeds: int, met: list[Met],
) -> Program:  # fmt: skip
    """The program of a trace of the function `name`: `inputs` stand for the arguments at `places`; its `results` have
    that `structure`; so many `seeds` were drawn; nodes from outside were `met`."""
    placed = {int(each) for op in trace.ops for each in _rule(name, op).attributes.values() if isinstance(each, Seed)}
    if len(placed) < seeds:
        raise GraphError(
            f"jit: {name} draws random numbers on the host (as ag.randn does), which every call would repeat; draw "
            "them with an op (ag.normal, ag.uniform, ag.dropout, …), or give them as an argument"
        )
    return _Assembler(name, trace, inputs, results).program(results, structure, places, seeds, met, trace)


def _rule(name: str, op: TracedOp) -> Rule:
    rule = getattr(op.forward, "__self__", None)
    if not isinstance(rule, Rule):
        raise GraphError(
            f"jit: {op.name} in {name} is not declared in the language, so it cannot be traced; call it outside of the "
            "function, or declare it with kernels.compile"
        )
    return rule


def _leading_to(results: Sequence[Any], ops: Sequence[TracedOp]) -> tuple[list[TracedOp], list[TracedOp]]:
    """Those of the ops that lead to a result; and of the others those whose positions may be out of range, which is an
    error though nobody asks for the value."""
    needed = {id(each.origin) for each in results if isinstance(each, TraceNode)}
    kept: list[TracedOp] = []
    checked: list[TracedOp] = []
    for op in reversed(ops):
        is_kept = any(id(node) in needed for node in op.outputs)
        if is_kept or _has_positions(op):
            needed |= {id(node.origin) for node in op.inputs if isinstance(node, TraceNode)}
            (kept if is_kept else checked).append(op)
    return kept[::-1], checked[::-1]


def _has_positions(op: TracedOp) -> bool:
    formula = getattr(getattr(op.forward, "__self__", None), "formula", None)
    return formula is not None and bool(bounds(formula) or reaches(formula))


class _Assembler:
    """What was written down, as steps over values."""

    def __init__(self, name: str, trace: Trace, inputs: Sequence[TraceNode], results: Sequence[Any]) -> None:
        self.name = name
        self.inputs: list[Any] = list(inputs)  # and, behind them, what the function closes over
        self.given = len(inputs)
        self.value_of: dict[int, Value] = {id(node): (INPUT, n) for n, node in enumerate(inputs)}
        self.node_of: dict[Value, Any] = {(INPUT, n): node for n, node in enumerate(inputs)}
        self.attributes: list[Mapping[str, Any]] = []
        self.cut: list[tuple[int, ...]] = []  # for each step, the operands that no gradient goes to
        self.bindings: list[Bindings | None] = []  # for each step that is a derivative
        self.steps: list[Step] = []
        self.writes = [*trace.writes]
        kept, self.checked = _leading_to([*results, *(value for _, value in self.writes)], trace.ops)
        for op in kept:
            self._add(op)
        self._show_what_is_read()
        self.recorded = self._recorded()

    def _add(self, op: TracedOp) -> None:
        rule = _rule(self.name, op)
        formula = rule.formula
        recorded = any(node.requires_grad for node in op.outputs)  # else it was run under no_grad
        stopped = [not recorded or _is_cut(arg) for arg in op.inputs]
        if any(stopped):
            formula = _without_gradients(formula, tuple(stopped))
        at = len(self.steps)
        self.cut.append(tuple(n for n, stop in enumerate(stopped) if stop))
        self.bindings.append(rule.bindings if rule.inherits else None)
        self.steps.append(Step(formula, tuple(map(self.value, op.inputs))))
        self.attributes.append(rule.attributes)
        for n, node in enumerate(op.outputs):
            self.value_of[id(node)] = (at, n)
            self.node_of[at, n] = node

    def _show_what_is_read(self) -> None:
        """Make outputs of what is saved for a derivative, where a step reads it."""
        read = {source for step in self.steps for source in step.sources}
        for at, step in enumerate(self.steps):
            outputs = step.formula.outputs
            if any(output.hidden and (at, n) in read for n, output in enumerate(outputs)):
                shown = tuple((at, n) in read for n in range(len(outputs)))
                self.steps[at] = Step(_showing(step.formula, shown), step.sources)

    def value(self, arg: Any) -> Value:
        """The value that an argument of an op, or a result, is."""
        if isinstance(arg, TraceNode):
            arg = arg.origin
        if id(arg) not in self.value_of:
            value = self.value_of[id(arg)] = (INPUT, len(self.inputs))
            self.inputs.append(arg)
            self.node_of[value] = arg
        return self.value_of[id(arg)]

    def program(
        self, results: Sequence[Any], structure: Structure, places: list[int], seeds: int, met: list[Met],
        trace: Trace,
    ) -> Program:  # fmt: skip
        values = [self.value(each) if isinstance(each, TraceNode) else None for each in results]
        constants = [None if isinstance(each, TraceNode) else each for each in results]
        writes = [(self.value(target), self.value(value)) for target, value in self.writes]
        checks = [self._check(op) for op in self.checked]
        read = [value for check in checks for value in check.inputs]
        wanted = {value for value in (*values, *(value for _, value in writes), *read) if value is not None}
        shapes = {value: tuple(node.shape) for value, node in self.node_of.items()}
        groups = []
        for members in grouped(self.steps, shapes, self.recorded):
            groups += self._groups(members, wanted)
        closed = self.inputs[self.given :]
        return Program(
            _freeing(groups, wanted), places, closed, list(map(wants, closed)), seeds, values,
            constants, self._values_alone(results), structure, len(self.steps), met, trace.read, writes, checks,
            trace.surroundings,
        )  # fmt: skip

    def _check(self, op: TracedOp) -> Check:
        rule = _rule(self.name, op)
        return Check(rule.formula, tuple(map(self.value, op.inputs)), rule.attributes, rule.bindings)

    def _recorded(self) -> set[int]:
        """The steps that a gradient of an input goes through."""
        found: set[int] = set()
        for at, step in enumerate(self.steps):
            for operand, (producer, n) in zip(step.formula.operands, step.sources, strict=True):
                live = wants(self.inputs[n]) if producer == INPUT else producer in found
                if live and operand.differentiable:
                    found.add(at)
        return found

    def _values_alone(self, results: Sequence[Any]) -> list[bool]:
        """Whether each result is a Tensor where the function is run: without its history, or of an op that is not
        recorded."""
        made = [self.value(each)[0] if isinstance(each, TraceNode) else INPUT for each in results]
        return [
            _is_cut(each) or not (at == INPUT or at in self.recorded) for each, at in zip(results, made, strict=True)
        ]

    def _groups(self, members: list[int], wanted: set[Value]) -> list[Group]:
        """The group of these steps; one for each of them where they cannot be fused."""
        if len(members) == 1:
            return [self._single(members[0])]
        steps, inputs = self._apart(members)
        readers = [step for at, step in enumerate(self.steps) if at not in members]
        read = {value for step in readers for value in step.sources} | wanted
        outputs = tuple(value for value in self.node_of if value[0] in members and value in read)
        if not outputs:
            return []
        ops = tuple(step.formula.name for step in steps)
        name = f"fused_{ops[0]}_{ops[-1]}"
        results = tuple((members.index(at), n) for at, n in outputs)
        reached = {
            source[1]
            for step in steps
            for operand, source in zip(step.formula.operands, step.sources, strict=True)
            if source[0] == INPUT and operand.differentiable
        }
        differentiated = [n for n, value in enumerate(inputs) if n in reached and wants(self.node_of[value])]
        try:
            formula = _fused(name, steps, results, tuple(differentiated))
        except NoDerivative:  # found out at backward, by the op that has none
            return [self._single(at) for at in members]
        own = tuple(self.attributes[at] for at in members)
        attributes = {
            attribute_name(n, key): own[n][key] for n, step in enumerate(steps) for key in step.formula.attributes
        }
        group = Group(formula, name, ops, inputs, outputs, attributes, _seeds(attributes), self._stopped(outputs))
        detached = tuple(n for n in range(len(inputs)) if n not in reached)
        return [replace(group, steps=steps, step_attributes=own, results=results, detached=detached)]

    def _apart(self, members: list[int]) -> tuple[tuple[Step, ...], tuple[Value, ...]]:
        """The steps of a group by themselves, and its inputs."""
        inputs: dict[Value, int] = {}
        steps = []
        for at in members:
            sources = [
                (members.index(value[0]), value[1])
                if value[0] in members
                else (INPUT, inputs.setdefault(value, len(inputs)))
                for value in self.steps[at].sources
            ]
            steps.append(Step(_with_sizes(self.steps[at].formula, self.bindings[at]), tuple(sources)))
        return tuple(steps), tuple(inputs)

    def _stopped(self, outputs: Sequence[Value]) -> tuple[int, ...]:
        live = [value[0] in self.recorded and wants(self.node_of[value]) for value in outputs]
        return tuple(n for n, each in enumerate(live) if not each)

    def _single(self, at: int) -> Group:
        formula, attributes = self.steps[at].formula, self.attributes[at]
        outputs = tuple((at, n) for n, output in enumerate(formula.outputs) if not output.hidden)
        return Group(
            formula, formula.name, (formula.name,), self.steps[at].sources, outputs, attributes, _seeds(attributes),
            self._stopped(outputs), self.cut[at], self.bindings[at],
        )  # fmt: skip


def _is_cut(node: Any) -> bool:
    """Whether it is a value that requires a gradient, without its history."""
    return isinstance(node, TraceNode) and not node.requires_grad and wants(node.origin)


# One object for each formula: what is remembered of it, plans and gradients, serves all traces that come to it.


@remembered("fused formulas", 1024)
def _fused(name: str, steps: tuple[Step, ...], results: tuple[Value, ...], wanted: tuple[int, ...]) -> Formula:
    return fused(name, steps, results, wanted)


@remembered("traced formulas", 1024)
def _without_gradients(formula: Formula, stopped: tuple[bool, ...]) -> Formula:
    """The formula of an op where no gradient goes to these operands."""
    pairs = zip(formula.operands, stopped, strict=True)
    operands = tuple(replace(each, differentiable=each.differentiable and not stop) for each, stop in pairs)
    return replace(formula, operands=operands)


@remembered("traced formulas with saved values", 1024)
def _showing(formula: Formula, shown: tuple[bool, ...]) -> Formula:
    """The formula of an op with these outputs not hidden."""
    pairs = zip(formula.outputs, shown, strict=True)
    return formula.with_outputs(tuple(replace(each, hidden=each.hidden and not show) for each, show in pairs))


@remembered("traced formulas with sizes", 1024)
def _with_sizes(formula: Formula, bindings: Bindings | None) -> Formula:
    """A derivative with the extents that it inherits and that none of its operands gives."""
    if bindings is None:
        return formula
    given = {root(index) for operand in formula.operands for index in operand.indices}
    sizes = {index: number(extent, INDEX_DTYPE) for index, extent in bindings.sizes.items() if index not in given}
    return replace(formula, sizes={**formula.sizes, **sizes})


def _seeds(attributes: Mapping[str, Any]) -> dict[str, int]:
    return {name: int(value) for name, value in attributes.items() if isinstance(value, Seed)}


def _freeing(groups: list[Group], wanted: set[Value]) -> list[Group]:
    """The groups, each told which values nobody reads after it."""
    later = set(wanted)
    for group in reversed(groups):
        own = set(group.inputs) | set(group.outputs)
        group.done_with = tuple(value for value in own - later if value[0] != INPUT)
        later |= own
    return groups
