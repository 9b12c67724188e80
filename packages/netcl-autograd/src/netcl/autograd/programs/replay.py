"""Programs: what `jit` runs instead of a function, a formula for each group of ops, on the tape like any other.

A group's gradient is that of its fused formula. Where the graph of a backward is wanted (create_graph), it is that of
the ops one by one, so every order is the one the ops have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from netcl.autograd.engine.functional import grad
from netcl.autograd.graph.apply import apply_op
from netcl.autograd.graph.frames import user_line
from netcl.autograd.graph.modes import no_grad, set_grad_enabled
from netcl.autograd.graph.node import Node, unwrap, unwrap_all
from netcl.autograd.graph.saved import note_mutation
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.graph.values import copy
from netcl.autograd.ops import Rule, computed, record_formula, recorded, write_into
from netcl.autograd.programs.kept import Kept
from netcl.autograd.programs.surroundings import Surroundings
from netcl.autograd.programs.trace_nodes import Reading, Seed
from netcl.autograd.programs.written_out import Written, written_out
from netcl.autograd.transforms.inputs import own_node
from netcl.autograd.transforms.trees import Structure
from netcl.core.errors import GraphError, ShapeError
from netcl.core.layout import Layout
from netcl.core.seeds import next_seed
from netcl.core.tensor import Tensor
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.fusion.fuse import Step, Value
from netcl.kernels.compiler.fusion.unify import INPUT
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.runtime import launch
from netcl.kernels.runtime.bindings import Bindings
from netcl.kernels.runtime.position_checks import require_in_range


@dataclass
class Group:
    """One formula over values of the program, and which values its outputs are.

    A fused one has its ops, too: `steps` are those of the group alone, where (-1, n) is `inputs[n]`, each with its
    attributes; `results` are the outputs as values of those.
    """

    formula: Formula
    name: str
    ops: tuple[str, ...]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    attributes: Mapping[str, Any]
    seeds: Mapping[str, int]  # attributes that are a seed, each with its number among those that are drawn
    stopped: tuple[int, ...]  # outputs that carry no gradient
    detached: tuple[int, ...] = ()  # inputs that get none
    bindings: Bindings | None = None  # those of the formula that this one is a derivative of
    steps: tuple[Step, ...] = ()
    step_attributes: tuple[Mapping[str, Any], ...] = ()
    results: tuple[Value, ...] = ()
    done_with: tuple[Value, ...] = ()  # values that nobody reads after this group
    latest: tuple[list[Any], launch.Plan] | None = None  # the layouts it was computed for, and their plan

    def plan_for(self, tensors: Sequence[Any], attributes: Mapping[str, Any]) -> launch.Plan | None:
        """The plan that computes the outputs for all Tensors that lie so, without a record; None where each call has
        to look at what it is given, as `computed` does."""
        layouts = [each.layout for each in tensors]
        latest = self.latest
        if latest is not None and latest[0] == layouts:
            return latest[1]
        plan = launch.prepare(pipeline.visible(self.formula), tensors, attributes, self.bindings)
        if plan.has_bounds or not self.seeds.keys().isdisjoint(plan.static):
            return None
        self.latest = layouts, plan
        return plan

    def computed(self, tensors: Sequence[Any], attributes: Mapping[str, Any]) -> Sequence[Any]:
        return computed(self.formula, tensors, attributes, self.bindings)


class Ran(NamedTuple):
    """How a group was computed: by a plan, unless each call has to look at what it is given; how its outputs lie."""

    plan: launch.Plan | None
    layouts: list[Layout]


class Check(NamedTuple):
    """An op whose value nobody asks for, and whose positions are looked at all the same."""

    formula: Formula
    inputs: tuple[Value, ...]
    attributes: Mapping[str, Any]
    bindings: Bindings | None

    def require(self, tensors: Sequence[Any]) -> None:
        """Raise IndexOutOfRangeError where a position is out of range."""
        plan = launch.prepare(self.formula, tensors, self.attributes, self.bindings)
        require_in_range(plan.formula, tensors, self.attributes, plan.bindings)


Met = tuple[Node, int | None]
"""A node that the function reaches by itself, and the place of the argument that it was, too."""


@dataclass
class Program:
    """What one trace came to. Inputs are the tensors among the arguments, then what the function closed over."""

    groups: list[Group]
    places: list[int]  # of the tensors among the leaves of the arguments
    closed: list[Any]
    wanted: list[bool]  # whether each of `closed` required a gradient
    seeds: int
    results: list[Value | None]
    constants: list[Any]  # a result that is no traced value
    without_graph: list[bool]  # whether each result is a value alone
    structure: Structure
    op_count: int
    met: list[Met]
    read: list[Reading]
    writes: list[tuple[Value, Value]]  # inputs that are written in place when all is computed, each with its new value
    checks: list[Check]
    surroundings: Surroundings
    kept: list[Kept] = field(default_factory=list)
    changed: str = ""  # what Python changed while it was traced
    calls: int = 0  # in which nothing was recorded, and that `written` was not for
    written: Written | None = None  # for calls like one before

    def fits(self, leaves: Sequence[Any]) -> bool:
        """Whether what the function closes over is what it was, still wants the gradients that it wanted, is an
        argument where it was one, and is unwritten where Python read it."""
        if not self.surroundings.still_so():
            return False
        for counter, version in self.read:
            if counter.version != version:
                return False
        for each, wanted in zip(self.closed, self.wanted, strict=True):
            if wants(each) != wanted:
                return False
        if self.met:
            places = {id(each): place for place, each in reversed(list(enumerate(leaves)))}
            if any(places.get(id(node)) != place for node, place in self.met):
                return False
        return True

    def run(self, leaves: Sequence[Any]) -> Any:
        given = (*[leaves[place] for place in self.places], *self.closed)
        values: dict[Value, Any] = {(INPUT, n): each for n, each in enumerate(given)}
        seeds = [next_seed() for _ in range(self.seeds)]
        recording = LOCAL.state.tape is not None or any(map(wants, values.values()))
        if self.writes:
            self._require_writable(given)
            if recording:  # a group keeps its inputs for backward, as they are now
                values.update({target: copy(unwrap(values[target])) for target, _ in self.writes})
        ran: list[Ran] = []
        for group in self.groups:
            attributes = group.attributes
            if group.seeds:
                attributes = {**attributes, **{name: seeds[at] for name, at in group.seeds.items()}}
            operands = [values[value] for value in group.inputs]
            if recording:
                for n in group.detached:
                    operands[n] = unwrap(operands[n])
                found = _run(group, operands, attributes, seeds)
            else:
                operands = unwrap_all(operands)
                plan = group.plan_for(operands, attributes)
                found = (group.computed if plan is None else plan.run)(operands, attributes)
                ran.append(Ran(plan, [each.layout for each in found]))
            for value, each in zip(group.outputs, found, strict=True):
                values[value] = each
            for value in group.done_with:
                del values[value]
        for check in self.checks:
            check.require([unwrap(values[value]) for value in check.inputs])
        if self.writes:
            self._write(given, values)
        if not recording:
            self.calls += 1
            if self.calls & (self.calls - 1) == 0 and self.calls > 1:  # seldom, where tensors lie differently each time
                self.written = written_out(self, [(INPUT, n) for n in range(len(given))], leaves, ran)
        built = []
        for result, constant, alone in zip(self.results, self.constants, self.without_graph, strict=True):
            each = _own(constant) if result is None else values[result]
            built.append(unwrap(each) if alone else each)
        for each in self.kept:
            each.write(each.structure.build(built[each.first : each.first + each.structure.count]))
        return self.structure.build(built)

    def _require_writable(self, given: Sequence[Any]) -> None:
        """Refuse what is written where another input lies in the same memory: the function would read it there; and
        views that show elements more than once."""
        memory = Counter(id(unwrap(each).counter) for each in given)
        for (_, at), _ in self.writes:
            if unwrap(given[at]).layout.repeats:
                raise ShapeError(
                    f"jit: an argument of shape {tuple(given[at].shape)} is written in place, and is a broadcast view "
                    "that shows elements more than once; give a clone of it"
                )
            if memory[id(unwrap(given[at]).counter)] > 1:
                raise GraphError(
                    f"jit: an argument of shape {tuple(given[at].shape)} is written in place, and another argument or "
                    "tensor that the function reads lies in the same memory; give a clone of it"
                )

    def _write(self, given: Sequence[Any], values: dict[Value, Any]) -> None:
        """Write the new values, and show the written inputs where they are results."""
        targets = [unwrap(given[at]) for (_, at), _ in self.writes]
        memory = {id(target.counter) for target in targets}
        found = [unwrap(values[value]) for _, value in self.writes]
        found = [copy(each) if id(each.counter) in memory else each for each in found]  # all of them, then the first
        for target, each in zip(targets, found, strict=True):
            write_into("assign", [target], [each], {})
            note_mutation(target, user_line())
        values.update({place: given[place[1]] for place, _ in self.writes})


def _own(constant: Any) -> Any:
    """A result that is the same at each call, in memory of its own."""
    return copy(constant) if isinstance(constant, Tensor) else constant


def wants(each: Any) -> bool:
    """Whether a value is a node that requires a gradient."""
    return isinstance(each, Node) and each.requires_grad


def _run(group: Group, operands: list[Any], attributes: Mapping[str, Any], seeds: Sequence[int]) -> Sequence[Any]:
    """The outputs of a group, recorded where an operand wants a gradient."""
    needs = tuple(map(wants, operands))
    if len(group.stopped) == len(group.outputs):
        with no_grad():
            return record_formula(group.formula, operands, attributes, group.bindings, group.name)
    if not group.steps or not any(needs) or not LOCAL.state.grad_enabled:
        return record_formula(group.formula, operands, attributes, group.bindings, group.name)
    saves = recorded(group.formula, needs).saves
    inputs = tuple(("input", n) for n in range(len(operands)))  # all of them: for the ops one by one
    saves = (*inputs, *(save for save in saves if save[0] == "output"))
    rule = _FusedRule(group, attributes, saves, seeds)
    found = apply_op(
        rule.forward, rule, *operands, op_name=group.name, attrs=attributes, saves=saves,
        non_differentiable=group.stopped,
    )  # fmt: skip
    return found[: len(group.outputs)] if isinstance(found, tuple) else (found,)


class _FusedRule(Rule):
    """The gradient of a group: its fused formula, or that of its ops one by one where a graph of it is wanted."""

    __slots__ = ("group", "seeds")

    def __init__(self, group: Group, attributes: Mapping[str, Any], saves: Any, seeds: Sequence[int]) -> None:
        super().__init__(group.formula, attributes, None, saves)
        self.group = group
        self.seeds = seeds

    def __call__(self, saved: tuple[Any, ...], needs: tuple[bool, ...], *output_gradients: Any) -> list[Any]:
        if not LOCAL.state.grad_enabled:
            return super().__call__(saved, needs, *output_gradients)
        count_of = len(self.group.inputs)
        # Nodes of their own: what is passed twice has two gradients
        operands = [own_node(each) if need else each for each, need in zip(saved[:count_of], needs, strict=True)]
        found = _op_by_op(self.group, operands, self.seeds)
        pairs = [(y, dy) for y, dy in zip(found, output_gradients, strict=False) if dy is not None and wants(y)]
        result: list[Any] = [None] * len(needs)
        wanted = [at for at, need in enumerate(needs) if need]
        if pairs:
            outputs, seeds = zip(*pairs, strict=True)
            made = grad(outputs, [operands[at] for at in wanted], list(seeds), create_graph=True, allow_unused=True)
            for at, each in zip(wanted, made, strict=True):
                result[at] = each
        return result


def _op_by_op(group: Group, operands: Sequence[Any], seeds: Sequence[int]) -> list[Any]:
    """The outputs of a group as its ops give them, each recorded."""
    values: dict[Value, Any] = {(INPUT, n): each for n, each in enumerate(operands)}
    for at, (step, own) in enumerate(zip(group.steps, group.step_attributes, strict=True)):
        attributes = {name: seeds[value] if isinstance(value, Seed) else value for name, value in own.items()}
        pairs = zip(step.formula.operands, step.sources, strict=True)
        given = [values[value] if operand.differentiable else unwrap(values[value]) for operand, value in pairs]
        with set_grad_enabled(any(operand.differentiable for operand in step.formula.operands)):
            found = record_formula(step.formula, given, attributes, None, step.formula.name)
        visible = [n for n, output in enumerate(step.formula.outputs) if not output.hidden]
        values.update({(at, n): each for n, each in zip(visible, found, strict=True)})
    return [values[value] for value in group.results]
