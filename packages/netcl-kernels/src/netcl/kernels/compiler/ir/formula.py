"""Formulas: what is compiled, differentiated, evaluated and launched; and what is legal of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from netcl.kernels.compiler.ir.nodes import (
    INDEX_DTYPE,
    Apply,
    Attribute,
    Axes,
    Expr,
    Read,
    Recurrence,
    Scan,
    subexpressions,
)


@dataclass(frozen=True)
class Operand:
    """A tensor that a formula reads. `flat` says that it is read as one axis, its elements in row-major order: by the
    last index of that axis, while an index in front of it has an axis of the tensor to itself."""

    name: str
    dtype: str
    axes: Axes
    flat: bool = False
    differentiable: bool = True

    @property
    def indices(self) -> tuple[str, ...]:
        """The index that stands at each position of a `Read` of this operand."""
        return tuple(index for axis in self.axes for index in axis)


@dataclass(frozen=True)
class Output:
    """A tensor that a formula computes, over the indices of its axes. `shaped_like` names the operand whose shape it
    has when it is flat; `shape` gives the axes of a flat output otherwise (attribute names). A `hidden` output is only
    computed to be saved for the derivative. A `partial` one, a temporary, is a scan whose bodies are chosen by that
    condition, which is the same along it; where it does not hold, nothing is written and nobody may read."""

    name: str
    expr: Expr
    axes: Axes
    flat: bool = False
    shape: tuple[str, ...] | None = None
    shaped_like: str | None = None
    hidden: bool = False
    partial: Expr | None = None

    @property
    def dtype(self) -> str:
        return self.expr.dtype

    @property
    def indices(self) -> tuple[str, ...]:
        return tuple(index for axis in self.axes for index in axis)


@dataclass(frozen=True, eq=False)
class Formula:
    """Input of every later stage: `outputs` over `operands`, `attributes` (name -> dtype) and `sizes`.

    `sizes` gives the extent of each root index that no operand axis fixes, as an integer expression without free
    indices; all other extents are read off the operands' shapes at launch. `checks` are conditions on sizes and
    attributes with the sentence to raise when one is false. `declared` has the author's gradients: operand name ->
    expression over that operand's indices, reading `dy` for each output `y` and `y` itself. `adjoints` has the same for
    local definitions: a definition, which is `named` so that it is no other expression, -> its adjoint, over its free
    indices.
    """

    name: str
    operands: tuple[Operand, ...]
    attributes: Mapping[str, str]
    outputs: tuple[Output, ...]
    sizes: Mapping[str, Expr] = field(default_factory=dict)
    declared: Mapping[str, Expr] = field(default_factory=dict)
    adjoints: Mapping[Expr, Expr] = field(default_factory=dict)
    checks: tuple[tuple[Expr, str], ...] = ()
    declared_at: str = ""

    def operand(self, name: str) -> Operand:
        return next(operand for operand in self.operands if operand.name == name)

    @property
    def exprs(self) -> tuple[Expr, ...]:
        """All that it says of outputs and of gradients."""
        outputs = (output.expr for output in self.outputs)
        return (*outputs, *self.declared.values(), *self.adjoints, *self.adjoints.values())

    def rewritten(self, new: Mapping[Expr, Expr]) -> Formula:
        """The same with these for its `exprs`."""
        return replace(
            self,
            outputs=tuple(replace(each, expr=new[each.expr]) for each in self.outputs),
            declared={name: new[expr] for name, expr in self.declared.items()},
            adjoints={new[of]: new[expr] for of, expr in self.adjoints.items()},
        )

    def with_outputs(self, outputs: tuple[Output, ...], **changes: Any) -> Formula:
        return replace(self, outputs=outputs, **changes)


class InvalidFormula(AssertionError):
    """A stage produced what the next one does not accept: a defect of the compiler, never of the author."""


def verify(formula: Formula) -> Formula:
    """Legal after every stage: names are given once and resolve, reads have one position per index, outputs have no
    loose index, and each index of an output is its own."""
    operands = {operand.name: operand for operand in formula.operands}
    names = [*operands, *(output.name for output in formula.outputs)]
    if len(set(names)) < len(formula.operands) + len(formula.outputs):
        raise InvalidFormula(f"{formula.name}: a name is given twice, of {', '.join(names)}")
    for output in formula.outputs:
        loose = output.expr.free - set(output.indices)
        if loose:
            raise InvalidFormula(f"{formula.name}: index {sorted(loose)} is free in output {output.name}")
        if len(set(output.indices)) < len(output.indices):
            raise InvalidFormula(f"{formula.name}: output {output.name} is only computed on a diagonal")
        nodes = subexpressions(output.expr)
        if _is_within_its_like(nodes):
            raise InvalidFormula(f"{formula.name}: a system of equations is within another of its label")
        for node in nodes:
            if isinstance(node, Read):
                if " " in node.operand:  # bound by a Custom
                    continue
                if node.operand not in operands:
                    raise InvalidFormula(f"{formula.name}: read of unknown operand {node.operand}")
                if len(node.at) != len(operands[node.operand].indices):
                    raise InvalidFormula(f"{formula.name}: {node.operand} read at {len(node.at)} positions")
                if node.dtype != operands[node.operand].dtype:
                    raise InvalidFormula(f"{formula.name}: {node.operand} read as {node.dtype}")
                if any(at.dtype != INDEX_DTYPE for at in node.at):
                    raise InvalidFormula(f"{formula.name}: {node.operand} read at a position that is not int64")
            elif isinstance(node, Attribute) and formula.attributes.get(node.name) != node.dtype:
                raise InvalidFormula(f"{formula.name}: unknown attribute {node.name}")
            elif isinstance(node, Apply) and node.function == "select" and node.children[0].dtype != "bool":
                raise InvalidFormula(f"{formula.name}: a select needs a bool condition")
            elif isinstance(node, Scan) and node.index in node.at.free:
                raise InvalidFormula(f"{formula.name}: the index {node.index} of a scan is in its position")
    return formula


def _is_within_its_like(nodes: Sequence[Expr]) -> bool:
    """Whether a system stands in an equation of one that has its label, where their states have the same names; of
    nodes, children before parents."""
    if not any(isinstance(node, Recurrence) for node in nodes):
        return False
    labels: dict[Expr, frozenset[int]] = {}
    for node in nodes:
        found = _NONE.union(*(labels[child] for child in node.children))
        if isinstance(node, Recurrence):
            if any(node.label in labels[body] for body in node.bodies):
                return True
            found |= {node.label}
        labels[node] = found
    return False


_NONE: frozenset[int] = frozenset()
