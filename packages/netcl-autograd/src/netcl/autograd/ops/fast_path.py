"""A recorded call like one before: a look-up, the launch, a record. Everything else was found out the first time.

Only plain calls are repeated: one output, no tracing, transform, anomaly mode or hooks on saved values, no positions to
check, no view. All others go through `record_formula`, as the first one did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from netcl import core
from netcl.autograd.graph.node import Node, leaf_edge
from netcl.autograd.graph.record import Edge, Record
from netcl.autograd.graph.state import ThreadState
from netcl.autograd.ops.recording import Pulled, Rule
from netcl.kernels.library.op import Call, Op
from netcl.kernels.runtime import launch
from netcl.kernels.runtime.call_cache import Recall

_PLAIN = {core.Tensor, bool, int, float, tuple, str, type(None)}
"""What may stand in a call beside Nodes."""


def is_plain(state: ThreadState) -> bool:
    """Whether a call is recorded, if at all, and nothing else."""
    return (
        state.grad_enabled
        and not state.levels
        and state.tracer is None
        and state.around is None
        and state.saved_hooks is None
        and state.anomaly is None
        and (state.tape is None or state.tape.track_gradients)
    )


Values = tuple[list[Any], dict[str, Any], tuple[bool, ...]]
"""What a call was given, in order and by name, without nodes; and which of all of it require a gradient."""


def plain_values(op: Op, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Values | None:
    """None where an argument is something special, or none of them requires a gradient."""
    given = []
    named = {}
    needs = []
    for each in args:
        if each.__class__ is Node:
            given.append(each.value)
            needs.append(each._requires_grad)
        elif each.__class__ in _PLAIN:
            given.append(each)
            needs.append(False)
        else:
            return None
    for name, each in op.spelled(kwargs).items() if kwargs else ():
        if each.__class__ is not Node and each.__class__ not in _PLAIN:
            return None
        named[name] = each.value if each.__class__ is Node else each
        needs.append(each.__class__ is Node and each._requires_grad)
    return (given, named, tuple(needs)) if True in needs else None


def again(op: Op, args: Sequence[Any], kwargs: dict[str, Any], values: Values, state: ThreadState) -> Node | None:
    """The result, if such a call has been remembered."""
    given, named, needs = values
    recall = op.recall(given, named)
    repeat = None if recall is None else recall.beside.get(needs)
    if recall is None or repeat is None:
        return None
    if recall.in_order:
        return repeat.run(args, given, recall.constants, state)
    operands = recall.chosen(args, op.spelled(kwargs) if kwargs else kwargs)
    return repeat.run(operands, *recall.bind(given, named), state)


def remember(op: Op, values: Values, result: Any) -> None:
    """Keep how a call was recorded that had this result; or that such calls cannot be repeated."""
    given, named, needs = values
    bound = op.bind(given, named)
    recall = op.recall(given, named)
    if recall is not None and needs not in recall.beside:
        recall.beside[needs] = _repeat(op, recall, bound, result)


def _repeat(op: Op, recall: Recall, bound: Call, result: Any) -> _Repeat | None:
    record = result.grad_fn if result.__class__ is Node else None
    if record is None or record._rule.__class__ is not Rule or len(recall.formula.outputs) != 1:
        return None
    plan = launch.prepare(bound.formula, bound.operands, bound.attributes)
    if plan.has_bounds or plan.is_view or not recall.has_one_plan(plan.static):
        return None
    return _Repeat(op.name, recall, plan, record)


class _Repeat:
    """How the calls of one kind are recorded, where the same of their operands require a gradient."""

    __slots__ = ("info", "name", "needs", "plan", "pulled", "rule", "saves", "spec", "wanted")

    def __init__(self, name: str, recall: Recall, plan: launch.Plan, record: Record) -> None:
        self.name = name
        self.plan = plan
        self.needs = record._needs
        self.wanted = [at for at, need in enumerate(self.needs) if need]
        self.spec = record._specs
        self.info = record._info
        self.saves = record._rule.saves
        self.pulled = Pulled(frozenset(name for name, _, _ in recall.numbers))
        self.rule = None if recall.numbers else self._made(recall.constants)

    def _made(self, attributes: Mapping[str, Any]) -> Rule:
        rule = Rule(self.plan.formula, attributes, None, self.saves)
        rule.bindings = self.plan.bindings
        rule.pulled = self.pulled
        return rule

    def run(
        self, operands: Sequence[Any], tensors: Sequence[Any], attributes: Mapping[str, Any], state: ThreadState
    ) -> Node:
        outputs = self.plan.run(tensors, attributes)
        edges: list[Edge | None] = [None] * len(operands)
        for at in self.wanted:
            edges[at] = operands[at]._edge or leaf_edge(operands[at])
        rule = self.rule or self._made(attributes)
        record = Record(self.name, rule, tuple(edges), self.needs, self.spec, 1, attributes, self.info)
        record._saves = self.saves
        saved = record._saved = tuple([tensors[at] if kind == "input" else outputs[at] for kind, at in self.saves])
        if saved:
            record._versions = tuple([each.version for each in saved])
        result = Node(outputs[0], True, (record, 0))
        if state.tape is not None:
            state.tape._keep(record, result)
        return result
