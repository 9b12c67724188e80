"""Derivatives of recurrences, which are recurrences again: the adjoints run the other way, the tangents the same way.

For states h_v with the equations h_v = f_v(h, x), and `c_v` what arrives at them from outside:

    reverse   l_v = c_v + sum over all u that read h_v of (df_u / dh_v) l_u      dx = sum over v of (df_v / dx) l_v
    forward   t_v = sum over all u that f_v reads of (df_v / dh_u) t_u + (df_v / dx) dx

Each equation is a formula of the states as operands, so its derivative is found as that of any formula; what reads
h[t - 1] in h_v has l[t + 1] in l. In the derivatives the states themselves are values, of the recurrence that there is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

from netcl.kernels.compiler.derive import jacobians
from netcl.kernels.compiler.ir import (
    FLOATS,
    Expr,
    Formula,
    Materialised,
    Operand,
    Output,
    Read,
    Recurrence,
    Reduce,
    Scan,
    new_label,
    number,
    position,
    read,
    recurrence,
    state_name,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import substitute
from netcl.kernels.compiler.ir.recurrences import StatesAsValues, element, replaced, state_of, system_of
from netcl.kernels.compiler.ir.simplify import call, cast

Change = Callable[[list[jacobians.Reading]], list[jacobians.Reading]]

Derive = Callable[[Formula, tuple[str, ...], set[str], Change], Iterable[tuple[str, Expr]]]
"""(a formula, operands, outputs, what becomes of the readings) -> each operand with the adjoint that comes from the
outputs."""


def adjoints(
    node: Recurrence, arrived: Mapping[int, Expr], formula: Formula, derive: Derive
) -> Iterator[tuple[Expr, Expr]]:
    """Each equation of the system of `node` with its adjoint, given what arrived at the states from outside."""
    floats = [which for which, body in enumerate(node.bodies) if body.dtype in FLOATS]
    equation = {which: f"equation {node.label} {which}" for which in floats}
    axes = [tuple((index,) for index in own) for own in node.axes]
    states = tuple(Operand(state_name(node.label, at), node.bodies[at].dtype, axes[at]) for at in range(len(axes)))
    inside = Formula(
        formula.name, (*formula.operands, *states), formula.attributes,
        tuple(Output(equation[at], node.bodies[at], axes[at]) for at in floats), formula.sizes,
        declared_at=formula.declared_at,
    )  # fmt: skip
    wanted = tuple(states[at].name for at in floats)
    seeds = {"d" + name for name in equation.values()}
    found = dict(derive(inside, wanted, set(equation.values()), functools.partial(jacobians.shared, seeds=seeds)))
    label, places = new_label(), {at: floats.index(at) for at in floats}
    equations = []
    for at in floats:
        part = _of_adjoints(found[states[at].name], node, equation, label, places)
        arrives = arrived.get(at)
        whole = part if arrives is None else call("add", arrives, part)
        equations.append(cast(whole, node.bodies[at].dtype))
    own, names = tuple(node.axes[at] for at in floats), tuple(f"grad_{node.names[at]}" for at in floats)
    for at in floats:
        here = tuple(map(position, node.axes[at]))
        yield node.bodies[at], recurrence(label, names, own, places[at], here, tuple(equations))


def tangent(node: Recurrence, along: Sequence[Expr | None], label: int) -> Expr | None:
    """The tangent of `node`, given those of the equations, which read the tangents of the states as the states of
    `label`; None is zero."""
    if along[node.which] is None:
        return None
    valued = StatesAsValues([node])
    parts = [
        number(0, body.dtype) if each is None else cast(valued(each), body.dtype)
        for each, body in zip(along, node.bodies, strict=True)
    ]
    names = tuple(f"tangent_{name}" for name in node.names)
    return recurrence(label, names, node.axes, node.which, node.at, tuple(parts))


def depends_on(node: Recurrence, operands: Iterable[str]) -> bool:
    """Whether an equation of the system reads one of these operands."""
    names = set(operands)
    return any(isinstance(each, Read) and each.operand in names for each in subexpressions(*node.bodies))


def saved_states(exprs: Sequence[Expr], outputs: Sequence[Output]) -> dict[Expr, Expr]:
    """What `exprs` mention of a state that is an output, at whatever positions: there the output can be read. So it is
    for a state that follows from such ones without a sum, as the one before does."""
    whole = [(each.name, each.expr) for each in outputs if _is_whole(each.expr, each)]
    known = {(*system_of(state), state.which): name for name, state in whole}
    found: dict[Expr, Expr] = {}
    for node in subexpressions(*exprs) if known else ():
        if isinstance(node, Recurrence):
            value = _from_outputs(node, known, frozenset())
            if value is not None:
                found[node] = value
    return found


def _from_outputs(
    node: Recurrence, known: Mapping[tuple[int, tuple[Expr, ...], int], str], within: frozenset[int]
) -> Expr | None:
    """An element of a state, from those that are outputs; None where that leads back to itself, or through a sum."""
    name = known.get((*system_of(node), node.which))
    if name is not None:
        return read(name, node.at, node.dtype)
    if node.which in within or any(map(_is_dear, subexpressions(node.bodies[node.which]))):
        return None
    there = dict(zip(node.axes[node.which], node.at, strict=True))
    within |= {node.which}
    lost = False

    def visit(each: Expr, new: Expr) -> Expr:
        nonlocal lost
        of = state_of(each, node)
        if of is None:
            return new
        state = element(node, of, new.children[: len(node.axes[of])])
        found = _from_outputs(state, known, within) if isinstance(state, Recurrence) else None
        lost |= found is None
        return new if found is None else found

    value = substitute(replaced(node.bodies[node.which], node.label, visit), there)
    return None if lost else value


def _is_dear(node: Expr) -> bool:
    return isinstance(node, (Reduce, Scan, Materialised))


def _is_whole(expr: Expr, output: Output) -> TypeGuard[Recurrence]:
    here = tuple(map(position, output.indices))
    return isinstance(expr, Recurrence) and expr.at == here


def _of_adjoints(
    expr: Expr, node: Recurrence, equation: Mapping[int, str], label: int, places: Mapping[int, int]
) -> Expr:
    """An adjoint of a state, in which those of the equations are states of `label`, and all else are values."""
    arrives = {"d" + name: which for which, name in equation.items()}
    known = {name: which for which, name in equation.items()}

    def visit(each: Expr, new: Expr) -> Expr:
        if isinstance(each, Read) and each.operand in arrives:
            which = arrives[each.operand]
            return read(state_name(label, places[which]), new.children[: len(node.axes[which])], each.dtype)
        of = known.get(each.operand) if isinstance(each, Read) else None
        of = state_of(each, node) if of is None else of
        return new if of is None else element(node, of, new.children[: len(node.axes[of])])

    return replaced(expr, node.label, visit)
