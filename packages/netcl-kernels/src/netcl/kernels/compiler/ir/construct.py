"""Making expressions: one function for each kind of node, and the same node over other children.

Whatever is written alike becomes one object. Nothing is simplified here: passes build with the functions of `simplify`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from netcl.core.weak import WeakValues
from netcl.kernels.compiler.ir.nodes import (
    FLOATS,
    INDEX_DTYPE,
    Apply,
    Attribute,
    Axes,
    Custom,
    Enclosed,
    Expr,
    Materialised,
    Number,
    Position,
    Read,
    Recurrence,
    Reduce,
    Scan,
    Size,
    binds,
    free_in,
    fresh,
    indices_of,
    root,
    state_name,
    subexpressions,
)

MOST_BITS = 4096
"""Bits of a literal: one that has more is beyond any float, and its last bits are not known."""

_interned: WeakValues[tuple[Any, ...], Expr] = WeakValues()
_NOTHING: frozenset[str] = frozenset()


def number(value: bool | int | float, dtype: str, weak: bool = True) -> Number:
    value = bool(value) if dtype == "bool" else _as_float(value) if dtype in FLOATS else int(value)
    # repr tells 0.0 from -0.0 and lets nan equal itself
    key = ("number", dtype, repr(value), *(() if weak else ("strong",)))
    return _intern(Number, key, (), dtype, _NOTHING, value=value, weak=weak)


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return math.inf if value > 0 else -math.inf


def attribute(name: str, dtype: str) -> Attribute:
    return _intern(Attribute, ("attribute", dtype, name), (), dtype, _NOTHING, name=name)


def size(index: str) -> Size:
    return _intern(Size, ("size", root(index)), (), INDEX_DTYPE, _NOTHING, index=root(index))


def position(index: str) -> Position:
    return _intern(Position, ("position", index), (), INDEX_DTYPE, frozenset((index,)), index=index)


def read(operand: str, at: tuple[Expr, ...], dtype: str) -> Read:
    return _intern(Read, ("read", dtype, operand, *map(id, at)), at, dtype, free_in(at), operand=operand)


def apply(function: str, arguments: tuple[Expr, ...], dtype: str) -> Apply:
    key = ("apply", dtype, function, *map(id, arguments))
    return _intern(Apply, key, arguments, dtype, free_in(arguments), function=function)


def reduce(kind: str, over: tuple[str, ...], body: Expr) -> Reduce:
    dtype = INDEX_DTYPE if kind.startswith("arg") else body.dtype
    free = body.free.difference(over)
    return _intern(Reduce, ("reduce", kind, over, id(body)), (body,), dtype, free, kind=kind, over=over)


def scan(kind: str, index: str, backward: bool, at: Expr, bodies: tuple[Expr, ...]) -> Scan:
    dtype = INDEX_DTYPE if kind.startswith("arg") else bodies[0].dtype
    children = (at, *bodies)
    key = ("scan", kind, index, backward, *map(id, children))
    free = free_in(children) - {index}
    return _intern(Scan, key, children, dtype, free, kind=kind, index=index, backward=backward)


def custom(
    label: int,
    axes: Axes,
    argument_axes: Axes,
    which: int,
    at: tuple[Expr, ...],
    values: tuple[Expr, ...],
    arguments: tuple[Expr, ...],
    gradients: tuple[Expr, ...],
) -> Custom:
    children = (*at, *values, *arguments, *gradients)
    key = ("custom", label, axes, argument_axes, which, *map(id, children))
    over = {index for axis in (*axes, *argument_axes) for index in axis}
    free = free_in(at) | (free_in(children[len(at) :]) - over)
    own = {"axes": axes, "argument_axes": argument_axes, "which": which, "label": label}
    return _intern(Custom, key, children, values[which].dtype, free, **own)


def recurrence(
    label: int, names: tuple[str, ...], axes: Axes, which: int, at: tuple[Expr, ...], bodies: tuple[Expr, ...]
) -> Recurrence:
    """Where the equations depend on indices that are not theirs, these become indices of all states. No sum in an
    equation goes over an index that has the name of one of its state."""
    beyond = sorted(free_in(bodies).difference(*axes))
    bodies = tuple(_told_apart(body, {*own, *beyond}) for body, own in zip(bodies, axes, strict=True))
    if beyond:
        beside = tuple(map(position, beyond))
        states = {state_name(label, each) for each in range(len(axes))}

        def read_beside(node: Expr, children: tuple[Expr, ...]) -> Expr:
            if isinstance(node, Read) and node.operand in states:
                return read(node.operand, (*children, *beside), node.dtype)
            if isinstance(node, Recurrence) and node.label == label:  # which binds these names again
                return rebuild(node, (*children[: len(node.at)], *node.bodies))
            return rebuild(node, children)

        memo: dict[Expr, Expr] = {}
        bodies = tuple(transform(body, read_beside, memo) for body in bodies)
        axes, at = tuple((*own, *beyond) for own in axes), (*at, *beside)
    children = (*at, *bodies)
    key = ("recurrence", label, axes, which, *map(id, children))
    own = {"axes": axes, "which": which, "label": label, "names": names}
    return _intern(Recurrence, key, children, bodies[which].dtype, free_in(at), **own)


def _told_apart(equation: Expr, taken: set[str]) -> Expr:
    """The same, with other names for the indices of sums and scans that are taken; what a system in it binds stays."""
    if equation.summed.isdisjoint(taken):
        return equation

    def visit(node: Expr, children: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Recurrence):
            return rebuild(node, (*children[: len(node.at)], *node.bodies))
        again = taken.intersection(binds(node)) if isinstance(node, (Reduce, Scan)) else ()
        if not again:
            return rebuild(node, children)
        used = taken | indices_of(*children) | equation.free
        names = {index: fresh(index, used) for index in sorted(again)}
        outside = 1 if isinstance(node, Scan) else 0
        inside = children[outside:]
        for old, new in names.items():
            inside = tuple(_renamed_in(child, old, new) for child in inside)
        if isinstance(node, Scan):
            return scan(node.kind, names[node.index], node.backward, children[0], inside)
        assert isinstance(node, Reduce)
        return reduce(node.kind, tuple(names.get(index, index) for index in node.over), inside[0])

    return transform(equation, visit)


def _renamed_in(body: Expr, old: str, new: str) -> Expr:
    """The body of a sum or scan over `old`, which only systems in it bind again."""

    def visit(node: Expr, children: tuple[Expr, ...]) -> Expr:
        if old not in node.free:
            return node
        if isinstance(node, Enclosed) and old in node.over:
            return rebuild(node, (*children[: len(node.at)], *node.children[len(node.at) :]))
        return rebuild(node, children)

    return transform(body, visit, {position(old): position(new)})


def materialise(axes: tuple[str, ...], at: tuple[Expr, ...], body: Expr) -> Materialised:
    children = (*at, body)
    key = ("materialised", axes, *map(id, children))
    own = {"axes": (axes,), "which": 0, "label": 0}
    return _intern(Materialised, key, children, body.dtype, free_in(at) | (body.free - {*axes}), **own)


def rebuild(node: Expr, children: tuple[Expr, ...]) -> Expr:
    """The same node over other children (its dtype stays)."""
    if children == node.children:
        return node
    if isinstance(node, Read):
        return read(node.operand, children, node.dtype)
    if isinstance(node, Apply):
        return apply(node.function, children, node.dtype)
    if isinstance(node, Scan):
        return scan(node.kind, node.index, node.backward, children[0], children[1:])
    if isinstance(node, Enclosed):
        return with_children(node, children)
    assert isinstance(node, Reduce)
    return reduce(node.kind, node.over, children[0])


def with_children(node: Enclosed, children: tuple[Expr, ...], names: Mapping[str, str] | None = None) -> Expr:
    """The same over other children, in which the indices that are bound have other names."""
    axes = _renamed(node.axes, names or {})
    if isinstance(node, Recurrence):
        count = len(node.at)
        return recurrence(node.label, node.names, axes, node.which, children[:count], children[count:])
    if isinstance(node, Materialised):
        return materialise(axes[0], children[:-1], children[-1])
    assert isinstance(node, Custom)
    argument_axes = _renamed(node.argument_axes, names or {})
    ends = [len(node.at), len(node.values), len(node.arguments), len(node.gradients)]
    parts, rest = [], list(children)
    for count in ends:
        parts.append(tuple(rest[:count]))
        rest = rest[count:]
    return custom(node.label, axes, argument_axes, node.which, *parts)


def _renamed(axes: Axes, names: Mapping[str, str]) -> Axes:
    return tuple(tuple(names.get(index, index) for index in axis) for axis in axes)


def transform(
    node: Expr, visit: Callable[[Expr, tuple[Expr, ...]], Expr], memo: dict[Expr, Expr] | None = None
) -> Expr:
    """Rebuild bottom-up: `visit(node, new_children)` returns what stands for `node`. Binders are as any other node."""
    memo = {} if memo is None else memo
    for each in subexpressions(node):
        if each not in memo:
            memo[each] = visit(each, tuple(map(memo.__getitem__, each.children)))
    return memo[node]


def _with_those_of(children: tuple[Expr, ...], own: frozenset[str], kind: str) -> frozenset[str]:
    """These indices and those that the children have of a kind."""
    found = own
    for child in children:
        there: frozenset[str] = getattr(child, kind)
        if there is not found and there:
            found = found | there if found else there
    return found


def _intern(
    node_type: type, key: tuple[Any, ...], children: tuple[Expr, ...], dtype: str, free: frozenset[str], **rest: Any
) -> Any:
    found = _interned.get(key)
    if found is None:
        found = node_type()
        found.children, found.dtype, found.free, found.key = children, dtype, free, key
        found.below = None if children else ()
        for name, value in rest.items():
            setattr(found, name, value)
        own = frozenset(binds(found))
        found.bound = _with_those_of(children, own, "bound")
        loops = own if isinstance(found, (Reduce, Scan)) else _NOTHING
        found.summed = _with_those_of(found.at if isinstance(found, Recurrence) else children, loops, "summed")
        found = _interned.setdefault(key, found)
    return found
