"""The formula around a derivative: what it may be taken by, how its parts are called, which operands it reads."""

from __future__ import annotations

from netcl.kernels.compiler.ir import (
    FLOATS,
    Apply,
    Attribute,
    Axes,
    Expr,
    Formula,
    Operand,
    Output,
    Read,
    fresh,
    subexpressions,
    verify,
)
from netcl.kernels.compiler.ir.simplify import call

MOST_NODES = 20_000
"""How large a derivative may become; more than this takes a driver minutes to compile."""


class NoDerivative(Exception):
    """An operand is asked for that the formula cannot be differentiated by; the text says which and why."""


def tangent_names(formula: Formula) -> dict[str, str]:
    """What the tangent of each operand is called among the operands of `tangent(formula, …)`."""
    taken = taken_names(formula)
    return {operand.name: unused_name("tangent", operand.name, taken) for operand in formula.operands}


def taken_names(formula: Formula) -> set[str]:
    """What the operands, the outputs and their gradients are called."""
    names = {operand.name for operand in formula.operands}
    for output in formula.outputs:
        names |= {output.name, "d" + output.name}
    return names


def unused_name(prefix: str, name: str, taken: set[str]) -> str:
    """`prefix_name`, numbered until neither it nor its own gradient is the name of something else."""
    found, number_of = f"{prefix}_{name}", 1
    while {found, "d" + found} & taken:
        number_of += 1
        found = f"{prefix}{number_of}_{name}"
    return found


def require_differentiable(formula: Formula, operand: Operand) -> None:
    if operand.dtype not in FLOATS:
        raise NoDerivative(f"{formula.name}: operand {operand.name} is {operand.dtype}; only floats have a gradient")
    if not operand.differentiable:
        raise NoDerivative(
            f"{formula.name}: operand {operand.name} is declared nograd{where_declared(formula)}; detach it"
        )


def where_declared(formula: Formula) -> str:
    """The place in a file, in parentheses, for the end of a sentence."""
    return f" ({formula.declared_at})" if formula.declared_at else ""


def distinct(axes: Axes) -> Axes:
    """Axes in which no index stands twice: the gradient of `x[i, i]` has an element for each (i, i')."""
    seen: set[str] = set()
    result = []
    for axis in axes:
        names = []
        for index in axis:
            names.append(fresh(index, seen))
            seen.add(names[-1])
        result.append(tuple(names))
    return tuple(result)


def targets(operand: Operand) -> tuple[str, ...]:
    """The indices of an operand's gradient."""
    return tuple(index for axis in distinct(operand.axes) for index in axis)


def closed(formula: Formula, name: str, outputs: tuple[Output, ...]) -> Formula:
    """A formula over exactly what the derivative reads: operands first, then outputs, output gradients and tangents."""
    nodes = list(subexpressions(*(output.expr for output in outputs)))
    if len(nodes) > MOST_NODES:
        raise NoDerivative(
            f"{formula.name}: its derivative has {len(nodes)} subexpressions, more than {MOST_NODES}"
            f"{where_declared(formula)}; make several ops of it, each with a part of its definitions"
        )
    reads = {node.operand for node in nodes if isinstance(node, Read)}
    available = list(formula.operands)
    available += [as_operand(output, output.name) for output in formula.outputs]
    available += [as_operand(output, "d" + output.name) for output in formula.outputs]
    along = tangent_names(formula)
    available += [Operand(along[each.name], each.dtype, each.axes, each.flat) for each in formula.operands]
    operands = tuple(operand for operand in available if operand.name in reads)
    found = Formula(
        name,
        operands,
        formula.attributes,
        outputs,
        formula.sizes,
        checks=checks_of(outputs),
        declared_at=formula.declared_at,
    )
    return verify(found)


def checks_of(outputs: tuple[Output, ...]) -> tuple[tuple[Expr, str], ...]:
    """A read at `k * step` is turned round by dividing by the step, which therefore cannot be 0."""
    nodes = subexpressions(*(output.expr for output in outputs))
    divisors = [node.children[1] for node in nodes if isinstance(node, Apply) and node.function == "exact_div"]
    return tuple(
        (call("ne", divisor, 0), f"is not defined where {divisor!r} is 0")
        for divisor in dict.fromkeys(divisors)
        if any(isinstance(node, Attribute) for node in subexpressions(divisor))
    )


def as_operand(output: Output, name: str) -> Operand:
    return Operand(name, output.dtype, output.axes, output.flat)
