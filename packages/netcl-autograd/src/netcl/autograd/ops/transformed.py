"""A formula inside a running jvp or vmap: its tangent goes along, or it gets an axis more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from netcl import core
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.transforms import forward as forward_mode
from netcl.autograd.transforms.batched import Batch, batch_levels, in_each_call, innermost, physical
from netcl.autograd.transforms.batched_views import in_memory_of
from netcl.kernels.compiler.derive.batch import batched, draws
from netcl.kernels.compiler.derive.formula import tangent_names
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.library.derivatives import tangent_of
from netcl.kernels.runtime.bindings import Bindings, bind, bindings_of_batch

Recorder = Callable[[Formula, Sequence[Any], Mapping[str, Any], Bindings | None, str], tuple[Any, ...]]
"""Runs and records a formula that no transform has a share in any more: `recording.every_output`."""


def in_levels(
    record: Recorder,
    formula: Formula,
    operands: Sequence[Any],
    attributes: Mapping[str, Any],
    bindings: Bindings | None,
    name: str,
    drawing: Collection[Batch] | None,
    outer: int | None = None,
) -> tuple[Any, ...]:
    """All outputs of a formula inside running transforms: its tangent goes along, or it gets an axis more.

    `drawing` has the vmaps in which each call draws random numbers of its own; None: as the vmaps say. `outer` is the
    number of levels that are still to be seen to; None for all.
    """
    jvp = forward_mode.carrying(operands)
    if jvp is not None:
        rule = _Tangent(record, formula, attributes, bindings, drawing)

        def run(*primals: Any) -> tuple[Any, ...]:
            return in_levels(record, formula, primals, attributes, bindings, name, drawing, outer)

        return forward_mode.along(jvp, run, rule, operands, run, name)
    batch = _batch_of(formula, operands, drawing, outer)
    if batch is None:
        return record(formula, operands, attributes, bindings, name)
    carriers = {
        operand.name
        for operand, each in zip(formula.operands, operands, strict=True)
        if batch in batch_levels(each) or operand.flat
    }
    if not carriers and formula.operands:  # a random op whose operands do not differ draws anew all the same
        carriers = {formula.operands[0].name}
    apart = batch.randomness == "different" and (drawing is None or batch in drawing)
    wide = batched(formula, frozenset(carriers), apart, None if carriers else batch.size)
    given = [
        physical(each, batch) if operand.name in carriers else each
        for operand, each in zip(formula.operands, operands, strict=True)
    ]
    known = None if bindings is None else bindings_of_batch(formula, wide, bindings, batch.size, carriers)
    found = in_levels(record, wide, given, attributes, known, name, drawing, batch.depth)
    made = tuple(in_each_call(each, batch) for each in found)
    if len(made) != 1 or not operands:
        return made

    def again(base: Any) -> Any:
        return in_levels(record, formula, (base, *operands[1:]), attributes, bindings, name, drawing)[0]

    return (in_memory_of(made[0], operands[0], again),)


def _batch_of(
    formula: Formula, operands: Sequence[Any], drawing: Collection[Batch] | None, outer: int | None
) -> Batch | None:
    """The innermost vmap that the call differs in: by its operands, or by the random numbers that it draws."""
    found = innermost(*operands)
    if drawing is None and draws(formula):
        for level in reversed(LOCAL.state.levels[:outer]):
            if isinstance(level, Batch):
                if level.randomness == "error":
                    raise core.GraphError(
                        f"{formula.name}: inside a vmap a random op draws either different numbers for each call or "
                        "the same for all; say which with ag.vmap(…, randomness='different') or 'same'"
                    )
                if level.randomness == "different":
                    return level if found is None or found.depth < level.depth else found
    return found


class _Tangent:
    """The tangent rule of a formula: the tangent formula of those operands that have a tangent."""

    __slots__ = ("attributes", "bindings", "drawing", "formula", "record")

    def __init__(
        self,
        record: Recorder,
        formula: Formula,
        attributes: Mapping[str, Any],
        bindings: Bindings | None,
        drawing: Collection[Batch] | None,
    ) -> None:
        self.record = record
        self.formula = formula
        self.attributes = attributes
        self.bindings = bindings
        self.drawing = drawing

    def reads(self, operands: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
        """The operands and outputs that the tangent formula reads."""
        tangent, _, _ = tangent_of(self.formula, tuple(each is not None for each in tangents))
        known = self._known(operands, outputs)
        return [] if tangent is None else [known[each.name] for each in tangent.operands if each.name in known]

    def __call__(self, operands: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
        formula = self.formula
        found: list[Any] = [None] * len(outputs)
        tangent, places, problem = tangent_of(formula, tuple(each is not None for each in tangents))
        if problem:
            raise core.GraphError(problem)
        if tangent is None:
            return found
        known = self._known(operands, outputs)
        known.update(zip(tangent_names(formula).values(), tangents, strict=True))
        shapes = [tuple(each.shape) for each in operands]
        bindings = bind(formula, shapes, self.attributes, self.bindings)
        given = [known[operand.name] for operand in tangent.operands]
        drawing = self.drawing
        if drawing is None:
            drawing = batch_levels(*outputs) if draws(formula) else ()
            for level in sorted(drawing, key=lambda level: level.depth):
                given = [in_each_call(physical(each, level), level) for each in given]
        made = in_levels(self.record, tangent, given, self.attributes, bindings, tangent.name, drawing)
        for at, each in zip(places, made, strict=True):
            found[at] = each
        return found

    def _known(self, operands: Sequence[Any], outputs: Sequence[Any]) -> dict[str, Any]:
        known = {operand.name: each for operand, each in zip(self.formula.operands, operands, strict=True)}
        known.update(zip((output.name for output in self.formula.outputs), outputs, strict=True))
        return known
