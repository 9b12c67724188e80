"""A call of an op as other tapes record it: a formula with its numbers, which Tensors are given to when it runs.

Derivatives and batches of it are of the same kind, so that a tape needs one record for all orders.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from netcl.core import dtypes
from netcl.core.bounded import remembered
from netcl.core.errors import GraphError
from netcl.core.tensor import Tensor
from netcl.kernels.compiler.derive.batch import batched
from netcl.kernels.compiler.derive.formula import tangent_names
from netcl.kernels.compiler.ir import FLOATS, Formula
from netcl.kernels.library import derivatives
from netcl.kernels.library.op import Op, register_handle
from netcl.kernels.runtime import launch
from netcl.kernels.runtime.bindings import Bindings, bind, bindings_of_batch
from netcl.kernels.runtime.position_checks import require_in_range

Shape = tuple[int, ...]
Spec = tuple[Shape, "np.dtype[Any]"]
Source = tuple[str, int]
"""("input", i) is the i-th operand, ("output", j) the j-th output, ("seed", j) what came for the j-th output: its
gradient, or for ("seed", i) of a tangent the tangent of the i-th operand."""


class Derived(NamedTuple):
    """A derivative of a call."""

    call: Applied
    places: tuple[int, ...]  # of the operands whose gradients (of the outputs whose tangents) are its outputs
    sources: tuple[Source, ...]  # of its own operands


@dataclass(frozen=True, repr=False)
class Applied:
    """`bindings` are those of the call that it is a derivative of; None where it is none."""

    formula: Formula
    numbers: tuple[tuple[str, Any], ...]
    bindings: Bindings | None = None

    @classmethod
    def of(cls, formula: Formula, attributes: Mapping[str, Any]) -> Applied:
        return cls(formula, tuple(sorted(attributes.items())))

    def __repr__(self) -> str:
        return f"<call of {self.formula.name}>"

    @cached_property
    def attributes(self) -> Mapping[str, Any]:
        return dict(self.numbers)

    @cached_property
    def shown(self) -> tuple[int, ...]:
        """The outputs that the caller sees; others are computed for a gradient to read."""
        return tuple(at for at, output in enumerate(self.formula.outputs) if not output.hidden)

    @cached_property
    def constant(self) -> tuple[int, ...]:
        """The outputs that carry no gradient: integers and bools."""
        return tuple(at for at, output in enumerate(self.formula.outputs) if output.dtype not in FLOATS)

    @cached_property
    def differentiable(self) -> tuple[bool, ...]:
        """Which operands have a gradient: floats that are not declared nograd."""
        return tuple(operand.dtype in FLOATS and operand.differentiable for operand in self.formula.operands)

    def run(self, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """All outputs, in memory of their own."""
        plan = launch.prepare(self.formula, tensors, self.attributes, self.bindings, views=False)
        if plan.has_bounds and self.bindings is None:
            require_in_range(self.formula, tensors, self.attributes, plan.bindings)
        return plan.run(tensors, self.attributes)

    def outputs(self, shapes: Sequence[Shape]) -> list[Spec]:
        """Shape and dtype of each output, for operands of these shapes. Raises ShapeError where they do not fit."""
        found = self._bound(shapes).shapes
        return [(found[output.name], dtypes.canonical(output.dtype)) for output in self.formula.outputs]

    def kept(self, needs: Sequence[bool]) -> tuple[Source, ...]:
        """What the gradients of the operands that need one read of this call."""
        return derivatives.recorded(self.formula, tuple(needs)).saves

    def pullback(self, shapes: Sequence[Shape], needs: Sequence[bool], came: Sequence[bool]) -> Derived | None:
        """The gradients of the operands that need one, from those of the outputs that `came`; of the others it may read
        zeros. What does not depend on these outputs is left out; None where nothing does. Raises GraphError where
        there is no gradient."""
        return _pullback(self, tuple(shapes), tuple(needs), tuple(came))

    def tangent(self, shapes: Sequence[Shape], along: Sequence[bool]) -> Derived | None:
        """The tangents of the outputs, along tangents of those operands; None where they are all zero."""
        return _tangent(self, tuple(shapes), tuple(along))

    def batched(self, shapes: Sequence[Shape], carriers: Collection[int], length: int) -> Applied:
        """So many calls at once: the operands at these places have an axis more in front, which `shapes` leaves out,
        and so have all outputs. Those of `carried` are always among them."""
        names = {self.formula.operands[at].name for at in carriers}
        wide = batched(self.formula, frozenset(names), False, None)
        if self.bindings is None:  # it binds, and checks positions, as any call does
            return Applied(wide, self.numbers)
        return Applied(wide, self.numbers, bindings_of_batch(self.formula, wide, self._bound(shapes), length, names))

    @cached_property
    def carried(self) -> tuple[int, ...]:
        """The operands that are read as one row of elements, whatever their axes."""
        return tuple(at for at, operand in enumerate(self.formula.operands) if operand.flat)

    def _bound(self, shapes: Sequence[Shape]) -> Bindings:
        return bind(self.formula, [tuple(shape) for shape in shapes], self.attributes, self.bindings)


@remembered("pullbacks of calls", 2048)
def _pullback(
    call: Applied, shapes: tuple[Shape, ...], needs: tuple[bool, ...], came: tuple[bool, ...]
) -> Derived | None:
    kept, _, problem, _ = derivatives.recorded(call.formula, needs)
    if problem:
        raise GraphError(problem)
    pulled = derivatives.pullback(call.formula, needs, came, kept)
    if not pulled.wanted:
        return None
    seeds = [("seed", at) for at in range(len(call.formula.outputs))]
    sources = tuple([(*kept, *seeds)[at] for at in pulled.sources])
    return Derived(Applied(pulled.formula, call.numbers, call._bound(shapes)), pulled.wanted, sources)


@remembered("tangents of calls", 2048)
def _tangent(call: Applied, shapes: tuple[Shape, ...], along: tuple[bool, ...]) -> Derived | None:
    formula, places, problem = derivatives.tangent_of(call.formula, along)
    if problem:
        raise GraphError(problem)
    if formula is None:
        return None
    known: dict[str, Source] = {}
    for at, (operand, tangent) in enumerate(tangent_names(call.formula).items()):
        known |= {operand: ("input", at), tangent: ("seed", at)}
    known |= {output.name: ("output", at) for at, output in enumerate(call.formula.outputs)}
    sources = tuple([known[operand.name] for operand in formula.operands])
    return Derived(Applied(formula, call.numbers, call._bound(shapes)), places, sources)


@dataclass(frozen=True)
class Operand:
    """Stands for an operand where a call is bound and not run; `value` is what it stands for in another framework."""

    shape: Shape
    dtype: np.dtype[Any]
    value: Any = field(default=None, compare=False)

    @property
    def ndim(self) -> int:
        return len(self.shape)


def _refused(op: Op, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    raise TypeError(f"{op.name} is only bound, not run, with operands of which there are no values")


register_handle(Operand, _refused)


def bound(op: Op, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Applied, list[Any]]:
    """The call of an op, and its operands in the order of the formula."""
    call = op.bind(args, kwargs)
    return Applied.of(call.formula, call.attributes), list(call.operands)
