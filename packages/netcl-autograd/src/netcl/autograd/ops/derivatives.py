"""What the engine wants to know of a formula's derivatives: the formulas themselves, what they read, why there is none.

Input: a formula, and which operands or outputs have a gradient or a tangent. Output: formulas. Nothing runs here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from netcl.autograd.saved import Saves
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.differentiate import NoDerivative
from netcl.kernels.compiler.ir import FLOATS, Formula, Number, number


@cache
def gradient_of(formula: Formula, needs: tuple[bool, ...]) -> tuple[Formula, tuple[int, ...]]:
    """(The gradient formula of the operands that need one, the places of these operands.)"""
    wanted = tuple(at for at, need in enumerate(needs) if need)
    return pipeline.gradient(formula, tuple(formula.operands[at].name for at in wanted)), wanted


@cache
def partial_gradient(
    formula: Formula, needs: tuple[bool, ...], seeded: tuple[bool, ...]
) -> tuple[Formula, tuple[int, ...]]:
    """The same from the outputs that have a gradient, for the operands that these outputs depend on."""
    names = tuple(output.name for output, has_gradient in zip(formula.outputs, seeded, strict=True) if has_gradient)
    wanted = tuple(at for at, need in enumerate(needs) if need)
    gradient = pipeline.gradient(formula, tuple(formula.operands[at].name for at in wanted), names)
    kept = [
        (at, output)
        for at, output in zip(wanted, gradient.outputs, strict=True)
        if output.expr != number(0, output.dtype)
    ]
    return gradient.with_outputs(tuple(output for _, output in kept)), tuple(at for at, _ in kept)


@cache
def saving(formula: Formula, needs: tuple[bool, ...]) -> tuple[Saves, tuple[int, ...], str]:
    """What the gradient reads: (what to save, the outputs that carry no gradient, why there is no derivative)."""
    constant = tuple(at for at, output in enumerate(formula.outputs) if output.dtype not in FLOATS)
    if len(constant) == len(formula.outputs):
        return (), constant, ""
    try:
        gradient, _ = gradient_of(formula, needs)
    except NoDerivative as error:
        return (), constant, str(error)
    inputs = {operand.name: at for at, operand in enumerate(formula.operands)}
    outputs = {output.name: at for at, output in enumerate(formula.outputs)}
    saves: list[tuple[str, int]] = []
    for operand in gradient.operands:
        if operand.name in inputs:
            saves.append(("input", inputs[operand.name]))
        elif operand.name in outputs:
            saves.append(("output", outputs[operand.name]))
    return tuple(saves), constant, ""


def saved_names(formula: Formula, saves: Saves) -> list[str]:
    return [formula.operands[at].name if kind == "input" else formula.outputs[at].name for kind, at in saves]


@cache
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
