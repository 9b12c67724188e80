"""What a tape wants to know of a formula's derivatives: the formulas themselves, what they read, why there is none.

Input: a formula, and which operands or outputs have a gradient or a tangent. Output: formulas. Nothing runs here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from netcl.core.bounded import remembered
from netcl.core.errors import GraphError
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.derive.differentiate import owed_to
from netcl.kernels.compiler.derive.formula import NoDerivative
from netcl.kernels.compiler.ir import FLOATS, Expr, Formula, Number, Output, Read, number, subexpressions
from netcl.kernels.compiler.ir.simplify import call

Saves = tuple[tuple[str, int], ...]
"""What is kept of a call for its gradient: ("input", i) is its i-th operand, ("output", j) its j-th output."""


class Pullback(NamedTuple):
    """How input gradients come of what was saved and the output gradients."""

    formula: Formula
    wanted: tuple[int, ...]  # the operands whose gradients are its outputs
    sources: tuple[int, ...]  # its operands, as places in (*saved, *output gradients)
    zeros: tuple[int, ...]  # the outputs that it reads the gradient of, though none has come


@remembered("pullbacks", 2048)
def pullback(formula: Formula, needs: tuple[bool, ...], came: tuple[bool, ...], saves: Saves) -> Pullback:
    """For the operands that need a gradient, from the outputs whose gradient `came`, which they depend on.

    What these outputs do not mention has no gradient, rather than one of 0, which times an infinity is NaN. Raises
    GraphError for an operand that has none by declaration.
    """
    wanted = tuple(at for at, need in enumerate(needs) if need)
    names = tuple(formula.operands[at].name for at in wanted)
    given = [(formula.operands if kind == "input" else formula.outputs)[at].name for kind, at in saves]
    given += ["d" + output.name for output in formula.outputs]
    seeded = tuple(output.name for output, each in zip(formula.outputs, came, strict=True) if each)
    try:
        gradient = pipeline.gradient(formula, names, None if all(came) else seeded)
    except NoDerivative as error:
        raise GraphError(str(error)) from None
    if any(operand.name not in given for operand in gradient.operands):
        gradient = owed_to(pipeline.gradient(formula, names), ["d" + name for name in seeded])
    mentions = _mentioned(tuple(output.expr for output, each in zip(formula.outputs, came, strict=True) if each))
    pairs = [
        (at, output)
        for at, output in zip(wanted, gradient.outputs, strict=True)
        if not _is_zero(output) or (all(came) and formula.operands[at].name in mentions)
    ]
    if len(pairs) < len(wanted):
        wanted = tuple(at for at, _ in pairs)
        gradient = gradient.with_outputs(tuple(output for _, output in pairs))
    mentioned = [operand.name for operand in gradient.operands]
    missing = tuple(at for at, output in enumerate(formula.outputs) if not came[at] and "d" + output.name in mentioned)
    return Pullback(gradient, wanted, tuple([given.index(name) for name in mentioned]), missing)


@remembered("summed pullbacks", 2048)
def summed(formula: Formula, needs: tuple[bool, ...], saves: Saves) -> Pullback | None:
    """The same for the two operands of a formula that are one, whose gradients are added; None where these do not lie
    over the same axes."""
    pulled = pullback(formula, needs, (True,), saves)
    if len(pulled.wanted) != 2:
        return None
    first, second = pulled.formula.outputs
    if first.axes != second.axes or first.flat or second.flat:
        return None
    both = replace(first, expr=call("add", first.expr, second.expr))
    name = f"{pulled.formula.name}_summed"
    return pulled._replace(formula=pulled.formula.with_outputs((both,), name=name), wanted=pulled.wanted[:1])


def _mentioned(exprs: tuple[Expr, ...]) -> set[str]:
    return {node.operand for node in subexpressions(*exprs) if isinstance(node, Read)}


def _is_zero(output: Output) -> bool:
    return output.expr == number(0, output.dtype)


class Recorded(NamedTuple):
    """What recording a formula takes."""

    saves: Saves  # what the gradient reads
    constant: tuple[int, ...]  # the outputs that carry no gradient
    problem: str  # why there is no derivative
    info: Mapping[str, Any]  # what its records say of themselves


@remembered("recorded formulas", 2048)
def recorded(formula: Formula, needs: tuple[bool, ...]) -> Recorded:
    """How to record a formula, of whose operands these need a gradient."""
    constant = tuple(at for at, output in enumerate(formula.outputs) if output.dtype not in FLOATS)
    saves, problem = ((), "") if len(constant) == len(formula.outputs) else _saves(formula, needs)
    operands = tuple(operand.name for operand in formula.operands)
    return Recorded(saves, constant, problem, {"declared_at": formula.declared_at, "operands": operands})


def _saves(formula: Formula, needs: tuple[bool, ...]) -> tuple[Saves, str]:
    """What the gradient from all outputs mentions. An operand that has none is an error only if it is asked for."""
    needed = (operand for operand, need in zip(formula.operands, needs, strict=True) if need)
    try:
        gradient = pipeline.gradient(formula, tuple(operand.name for operand in needed if operand.differentiable))
    except NoDerivative as error:
        return (), str(error)
    places = {output.name: ("output", at) for at, output in enumerate(formula.outputs)}
    places |= {operand.name: ("input", at) for at, operand in enumerate(formula.operands)}
    return tuple(places[operand.name] for operand in gradient.operands if operand.name in places), ""


@remembered("tangents of records", 2048)
def tangent_of(formula: Formula, along: tuple[bool, ...]) -> tuple[Formula | None, tuple[int, ...], str]:
    """(the tangent formula without outputs that are zero, their places among the formula's, why there is none)."""
    wanted = tuple(operand.name for operand, each in zip(formula.operands, along, strict=True) if each)
    floats = [at for at, output in enumerate(formula.outputs) if output.dtype in FLOATS]
    if not floats:
        return None, (), ""
    try:
        tangent = pipeline.tangent(formula, wanted)
    except NoDerivative as error:
        return None, (), str(error)
    pairs = zip(floats, tangent.outputs, strict=True)
    kept = [(at, replace(output, hidden=False)) for at, output in pairs if not isinstance(output.expr, Number)]
    if not kept:
        return None, (), ""
    return tangent.with_outputs(tuple(output for _, output in kept)), tuple(at for at, _ in kept), ""
