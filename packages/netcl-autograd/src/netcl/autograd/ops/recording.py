"""Recording a formula: its value is computed, and the rule of its gradient is put on the tape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from netcl import core
from netcl.autograd.graph.apply import apply_op, raising
from netcl.autograd.graph.node import Node
from netcl.autograd.graph.saved import Saves
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.ops.transformed import in_levels
from netcl.core.bounded import Limit, Recent
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.library.derivatives import Pullback, pullback, recorded, summed
from netcl.kernels.runtime import launch
from netcl.kernels.runtime.bindings import Bindings, bind
from netcl.kernels.runtime.position_checks import require_in_range


def record_formula(
    formula: Formula,
    operands: Sequence[Any],
    attributes: Mapping[str, Any],
    bindings: Bindings | None,
    name: str,
) -> tuple[Any, ...]:
    """The visible outputs of a formula, recorded where an operand wants a gradient."""
    state = LOCAL.state
    if state.levels:
        drawing = None if bindings is None else ()  # a derivative draws the numbers that its formula drew
        return _visible(formula, in_levels(every_output, formula, operands, attributes, bindings, name, drawing))
    needs = needed(operands)
    keeps_values = state.tape is not None and not state.tape.track_gradients
    if not (state.grad_enabled and True in needs) and state.tracer is None and not keeps_values:
        return computed(
            formula, [each.value if isinstance(each, Node) else each for each in operands], attributes, bindings
        )
    return _visible(formula, every_output(formula, operands, attributes, bindings, name))


def computed(
    formula: Formula, tensors: Sequence[Any], attributes: Mapping[str, Any], bindings: Bindings | None
) -> tuple[Any, ...]:
    """The visible outputs of a formula for Tensors, without a record."""
    plan = launch.prepare(pipeline.visible(formula), tensors, attributes, bindings)
    if bindings is None and plan.has_bounds:
        require_in_range(plan.formula, tensors, attributes, plan.bindings)
    return plan.run(tensors, attributes)


def needed(operands: Sequence[Any]) -> tuple[bool, ...]:
    """Which of the operands require a gradient."""
    return tuple([isinstance(each, Node) and each.requires_grad for each in operands])


def every_output(
    formula: Formula, operands: Sequence[Any], attributes: Mapping[str, Any], bindings: Bindings | None, name: str
) -> tuple[Any, ...]:
    """All outputs of a formula, also those that are computed only to be saved."""
    saves, constant, problem, info = recorded(formula, needed(operands))
    rule = Rule(formula, attributes, bindings, saves)
    outputs = apply_op(
        rule.forward,
        raising(problem) if problem else None if len(constant) == len(formula.outputs) else rule,
        *operands,
        op_name=name,
        attrs=attributes,
        saves=() if problem else saves,
        non_differentiable=constant,
        metadata=info,
        abstract=rule.abstract,
    )
    return outputs if isinstance(outputs, tuple) else (outputs,)


Again = tuple[Callable[..., tuple[Any, ...]], tuple[int, ...], tuple[int, ...]]
"""The `run` of a gradient's plan, the operands whose gradients it gives, what it reads (see `Pullback`)."""


def each_alone(formula: Formula, needs: tuple[bool, ...], saves: Saves) -> Pullback:
    """How the gradients of all operands come of that of the one output."""
    return pullback(formula, needs, (True,), saves)


_GRADIENTS = Limit("gradients of calls")


class Pulled:
    """What the rules of records alike share: how they were run, by what came; which attributes differ among them."""

    __slots__ = ("known", "varying")

    def __init__(self, varying: frozenset[str]) -> None:
        self.known: Recent[Any, Again] = Recent(_GRADIENTS)
        self.varying = varying


class Rule:
    """How one recorded formula runs forward and back; called by the engine as `rule(saved, needs,
    *output_gradients)`.
    """

    __slots__ = ("attributes", "bindings", "formula", "inherits", "pulled", "saves")
    only_launches = True  # nothing of the user's sees what passes through

    def __init__(
        self, formula: Formula, attributes: Mapping[str, Any], bindings: Bindings | None, saves: Saves
    ) -> None:
        self.formula = formula
        self.attributes = attributes
        self.bindings = bindings
        self.saves = saves
        self.inherits = bindings is not None
        self.pulled: Pulled | None = None  # what is remembered of running this rule, where it is one of many alike

    def forward(self, *tensors: Any) -> Any:
        plan = launch.prepare(self.formula, tensors, self.attributes, self.bindings)
        if plan.has_bounds and not self.inherits:
            require_in_range(self.formula, tensors, self.attributes, plan.bindings)
        self.bindings = plan.bindings
        outputs = plan.run(tensors, self.attributes)
        return outputs if len(outputs) > 1 else outputs[0]

    def abstract(self, *operands: Any) -> Any:
        """(shape, dtype) of each output, without running."""
        self.bindings = bindings = bind(self.formula, [each.shape for each in operands], self.attributes, self.bindings)
        specs = [(bindings.shapes[output.name], core.dtypes.canonical(output.dtype)) for output in self.formula.outputs]
        return specs if len(specs) > 1 else specs[0]

    def in_levels(self, operands: Sequence[Any], name: str) -> Any:
        """Run the formula anew on operands that a running transform has put something on."""
        outputs = in_levels(every_output, self.formula, operands, self.attributes, self.bindings, name, ())
        return outputs if len(outputs) > 1 else outputs[0]

    def __call__(self, saved: tuple[Any, ...], needs: tuple[bool, ...], *output_gradients: Any) -> list[Any]:
        if self.pulled is not None and (again := self._again(saved, needs, output_gradients[0])) is not None:
            return self._pulled(again, saved, needs, output_gradients[0])
        came = tuple([each is not None for each in output_gradients])
        gradient, wanted, sources, zeros = pullback(self.formula, needs, came, self.saves)
        given = [*saved, *output_gradients]
        for at in zeros:
            given[len(saved) + at] = self._zeros(self.formula.outputs[at], output_gradients)
        result: list[Any] = [None] * len(needs)
        if wanted:
            operands = [given[at] for at in sources]
            if operands or LOCAL.state.levels or LOCAL.state.tracer is not None:
                found = record_formula(gradient, operands, self.attributes, self.bindings, gradient.name)
            else:  # a constant: where the gradients are
                queue = _queue(output_gradients)
                plan = launch.prepare(pipeline.visible(gradient), (), self.attributes, self.bindings, queue)
                found = plan.run((), self.attributes)
            for at, each in zip(wanted, found, strict=True):
                result[at] = each
        return result

    def summed(self, saved: Sequence[Any], needs: tuple[bool, ...], dy: Any) -> list[Any] | None:
        """The gradients where both operands are one and the same: their sum, in the place of the first. None where the
        two have to be computed and added."""
        again = None if self.pulled is None else self._again(saved, needs, dy, summed)
        return None if again is None else self._pulled(again, saved, needs, dy)

    def _pulled(self, again: Again, saved: Sequence[Any], needs: tuple[bool, ...], dy: Any) -> list[Any]:
        run, wanted, sources = again
        come = (*saved, dy)
        result: list[Any] = [None] * len(needs)
        for at, each in zip(wanted, run([come[at] for at in sources], self.attributes), strict=True):
            result[at] = each
        return result

    def _again(
        self,
        saved: Sequence[Any],
        needs: tuple[bool, ...],
        dy: Any,
        pull: Callable[..., Pullback | None] = each_alone,
    ) -> Again | None:
        """How to run the rule on values alone, remembered for such a `dy`; None where more than that is to be done."""
        state = LOCAL.state
        keeps_values = state.tape is not None and not state.tape.track_gradients
        if state.grad_enabled or state.levels or state.tracer is not None or keeps_values:
            return None
        if dy.__class__ is not core.Tensor:
            return None
        assert self.pulled is not None
        key = (pull, needs, dy.layout)
        again = self.pulled.known[key]
        if again is None:
            pulled = pull(self.formula, needs, self.saves)
            if pulled is None or not pulled.wanted:
                return None
            gradient, wanted, sources, _ = pulled
            tensors = [(*saved, dy)[at] for at in sources]
            plan = launch.prepare(pipeline.visible(gradient), tensors, self.attributes, self.bindings, dy.queue)
            again = plan.run, wanted, sources
            if self.pulled.varying.isdisjoint(plan.static):
                self.pulled.known.keep(key, again)
        return again

    def _zeros(self, output: Any, others: Sequence[Any]) -> Any:
        assert self.bindings is not None
        return core.zeros(self.bindings.shapes[output.name], dtype=output.dtype, queue=_queue(others))


def _queue(gradients: Sequence[Any]) -> Any:
    """The queue of the output gradients that came."""
    return next(each.queue for each in gradients if each is not None)


def _visible(formula: Formula, outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(outputs) == 1:
        return outputs
    return tuple([each for each, output in zip(outputs, formula.outputs, strict=True) if not output.hidden])
