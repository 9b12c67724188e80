"""Derivatives of recurrences, which are recurrences again: the adjoints run the other way, the tangents the same way.

For states h_v with the equations h_v = f_v(h, x), and `c_v` what arrives at them from outside:

    reverse   l_v = c_v + sum over all u that read h_v of (df_u / dh_v) l_u      dx = sum over v of (df_v / dx) l_v
    forward   t_v = sum over all u that f_v reads of (df_v / dh_u) t_u + (df_v / dx) dx

Each equation is a formula of the states as operands, so its derivative is found as that of any formula; what reads
h[t - 1] in h_v has l[t + 1] in l. In the derivatives the states themselves are values, of the recurrence that there is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from netcl.kernels.compiler.derive import jacobians
from netcl.kernels.compiler.ir import (
    FLOATS,
    Expr,
    Formula,
    Operand,
    Output,
    Read,
    Recurrence,
    materialise,
    new_label,
    number,
    position,
    read,
    recurrence,
    state_name,
    subexpressions,
)
from netcl.kernels.compiler.ir.recurrences import StatesAsValues, element, replaced, state_of
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
    readings = _Readings(node.label, {"d" + name for name in equation.values()})
    found = dict(derive(inside, wanted, set(equation.values()), readings.changed))
    label, names = new_label(), [f"grad_{node.names[at]}" for at in floats]
    own = [node.axes[at] for at in floats]
    seeds = ["d" + equation[at] for at in floats]
    for name, (indices, _) in readings.stored.items():
        seeds.append(name)
        own.append(indices)
        names.append(f"grad_reading_{len(own) - len(floats)}")
    arriving = {name: (state_name(label, place), len(own[place])) for place, name in enumerate(seeds)}
    equations = []
    for at in floats:
        part = _of_adjoints(found[states[at].name], node, equation, arriving)
        arrives = arrived.get(at)
        whole = part if arrives is None else call("add", arrives, part)
        equations.append(cast(whole, node.bodies[at].dtype))
    equations += (_of_adjoints(adjoint, node, equation, arriving) for _, adjoint in readings.stored.values())
    for place, at in enumerate(floats):
        here = tuple(map(position, node.axes[at]))
        yield node.bodies[at], recurrence(label, tuple(names), tuple(own), place, here, tuple(equations))


class _Readings:
    """What becomes of the readings of the states in a system. The adjoint of one at another step may be `stored`, by a
    name: it is a state as well, in the step where the equation is."""

    def __init__(self, label: int, seeds: Collection[str]) -> None:
        self.label, self.seeds = label, seeds
        self.stored: dict[str, tuple[tuple[str, ...], Expr]] = {}

    def changed(self, readings: list[jacobians.Reading]) -> list[jacobians.Reading]:
        new = jacobians.shared(readings, self.seeds)
        return [each if each is not old else self._stored(*each) for old, each in zip(readings, new, strict=True)]

    def _stored(self, node: Read, at: tuple[Expr, ...], adjoint: Expr) -> jacobians.Reading:
        if not jacobians.is_stored(at, adjoint):
            return node, at, adjoint
        axes = tuple(index for each in at for index in each.free)
        name = f"reading {self.label} {len(self.stored)}"
        self.stored[name] = axes, adjoint
        return node, at, read(name, tuple(map(position, axes)), adjoint.dtype)


def as_arriving(node: Recurrence, adjoint: Expr) -> Expr:
    """The adjoint of a state that is read from outside of its system. That of one at another step may be in a table of
    what arrives from each step."""
    if not jacobians.is_stored(node.at, adjoint):
        return adjoint
    axes = tuple(index for each in node.at for index in each.free)
    return materialise(axes, tuple(map(position, axes)), adjoint)


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


def _of_adjoints(
    expr: Expr, node: Recurrence, equation: Mapping[int, str], arriving: Mapping[str, tuple[str, int]]
) -> Expr:
    """An adjoint of a state, in which those of the equations are the states that they are `arriving` at, with as many
    indices, and all else are values."""
    known = {name: which for which, name in equation.items()}

    def visit(each: Expr, new: Expr) -> Expr:
        if isinstance(each, Read) and each.operand in arriving:
            name, count = arriving[each.operand]
            return read(name, new.children[:count], each.dtype)
        of = known.get(each.operand) if isinstance(each, Read) else None
        of = state_of(each, node) if of is None else of
        return new if of is None else element(node, of, new.children[: len(node.axes[of])])

    return replaced(expr, node.label, visit)
